// LIBS: scree_io
// Words, numbers and places of tables in text files.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "io/text/table.h"

namespace scree::io {
namespace {

constexpr Separators kCommas{.marks = ","};

std::vector<std::string> words(std::string_view line, const Separators& by) {
  Words w;
  if (!w.split(line, by)) return {"stray at " + std::to_string(w.stray)};
  return {w.begin(), w.end()};
}
using List = std::vector<std::string>;

TEST(Table, WordsStandBetweenBlanksAndSingleMarks) {
  EXPECT_EQ(words(" 1 2\t3\r", {}), (List{"1", "2", "3"}));
  EXPECT_EQ(words("1, 2 ,3,4", kCommas), (List{"1", "2", "3", "4"}));
  EXPECT_EQ(words("1,,2", kCommas), List{"stray at 3"});
  EXPECT_EQ(words(",1", kCommas), List{"stray at 1"});
  EXPECT_EQ(words("1 , ", kCommas), List{"stray at 3"});
  EXPECT_EQ(words("1,,2;", {.blanks = " ,;"}), (List{"1", "2"}));
  EXPECT_EQ(words("", kCommas), List{});
  EXPECT_EQ(words("x [m], r [mm] n", {.marks = ",", .keeps_units = true}), (List{"x [m]", "r [mm]", "n"}));
  EXPECT_EQ(words("r [a b", {.keeps_units = true}), List{"r [a b"});
}

TEST(Table, CellsMayBeEmptyAndQuoted) {
  constexpr Separators cells{.marks = ",", .cells = true};
  EXPECT_EQ(words("1,,2 b ,\r", cells), (List{"1", "", "2 b", ""}));
  EXPECT_EQ(words("", cells), List{""});
  EXPECT_EQ(words("a,\"b, \"\"c\"\"\",d", cells), (List{"a", "\"b, \"\"c\"\"\"", "d"}));
  EXPECT_EQ(words("a,\"b,c", cells), List{"stray at 3"});
  EXPECT_EQ(unquoted("\"b, \"\"c\"\"\""), "b, \"c\"");
  EXPECT_EQ(unquoted("\"\""), "");
  EXPECT_EQ(unquoted("b c"), "b c");
  Words w;
  ASSERT_TRUE(w.split("ab, ,c", cells));
  EXPECT_EQ(w.column(2), 6);
}

TEST(Table, PlacesAreThoseOfTheWords) {
  Words w;
  ASSERT_TRUE(w.split("  a, bc", kCommas));
  EXPECT_EQ(w.column(0), 3);
  EXPECT_EQ(w.column(1), 6);
  EXPECT_EQ(w.column(2), 8);
  EXPECT_EQ(w[2], "");
}

TEST(Table, NumbersAreDecimalAndWhole) {
  using Problem = TableNumber::Problem;
  EXPECT_EQ(table_number("+1.5e3").value, 1500);
  EXPECT_EQ(table_number("-.5").value, -0.5);
  for (const char* text : {"", "+", "+-1", "1x", "0x10", "1,5", "--1", "1 2", "e5"})
    EXPECT_EQ(table_number(text).problem, Problem::text) << text;
  EXPECT_EQ(table_number("1e999").problem, Problem::beyond);
  EXPECT_TRUE(std::isinf(table_number("-1e999").value));
  EXPECT_EQ(table_number("1e-999").value, 0);
  for (const char* text : {"nan", "inf", "-inf"}) EXPECT_EQ(table_number(text).problem, Problem::not_finite) << text;
  EXPECT_EQ(table_integer("18446744073709551615"), std::numeric_limits<std::size_t>::max());
  for (const char* text : {"", "-1", "+1", "1.0", "18446744073709551616", "a"})
    EXPECT_FALSE(table_integer(text)) << text;
}

/// Whatever the line, its words are what the separators leave of it, in order, and each stands at its column.
TEST(Table, NoByteOfAnyLineIsLost) {
  Random r(3, 1);
  const std::string letters = "1.e-+ ,;\t\r[]ax\x01\xff";
  std::size_t split = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string line(r.below(30), ' ');
    for (char& c : line) c = letters[r.below(letters.size())];
    const Separators by{.marks = r.uniform() < 0.5 ? ",;" : "", .keeps_units = r.uniform() < 0.3};
    Words w;
    if (!w.split(line, by)) {
      ASSERT_GE(w.stray, 1) << line;
      ASSERT_TRUE(line[static_cast<std::size_t>(w.stray) - 1] == ',' ||
                  line[static_cast<std::size_t>(w.stray) - 1] == ';');
      continue;
    }
    ++split;
    std::size_t at = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::size_t begin = static_cast<std::size_t>(w.column(i)) - 1;
      ASSERT_EQ(line.substr(begin, w[i].size()), w[i]);
      for (; at < begin; ++at)
        ASSERT_NE((std::string(by.blanks) + std::string(by.marks)).find(line[at]), std::string::npos) << line;
      ASSERT_FALSE(w[i].empty());
      at = begin + w[i].size();
      table_number(w[i]), table_integer(w[i]);
    }
  }
  EXPECT_GT(split, 5000u);
}

}  // namespace
}  // namespace scree::io

// LIBS: nlohmann_json::nlohmann_json
// docs/papers.md: every figure, table and equation of the papers stands in it, and every command of it runs, in its
// quick form (page_commands.h).
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "cli/page_commands.h"

namespace scree {
namespace {

struct Row {
  std::string piece, command;
  std::size_t cells = 0;
};

/// Rows by the first word of their section.
std::map<std::string, std::vector<Row>> rows_of_page() {
  std::map<std::string, std::vector<Row>> all;
  std::ifstream in(SCREE_SOURCE_DIR "/docs/papers.md");
  std::string section;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) section = line.substr(3, line.find_first_of(" ,", 3) - 3);
    if (!line.starts_with("| ") || line.starts_with("| piece")) continue;
    std::vector<std::string> cells;
    std::stringstream text(line.substr(1));
    for (std::string cell; std::getline(text, cell, '|');) cells.push_back(cell);
    const std::string& command = cells.at(1);
    const std::size_t from = command.find('`'), to = command.rfind('`');
    all[section].push_back({cells[0], from == to ? "" : command.substr(from + 1, to - from - 1), cells.size()});
  }
  return all;
}

/// Numbers behind "Fig.", "Figs.", "Table" ... of a piece: "Figs. 2 and 4 to 6" has 2, 4, 5 and 6.
void add_numbers(const std::string& piece, const std::string& kind, std::set<int>& numbers) {
  std::stringstream words(piece);
  bool is_of_kind = false;
  int last = 0;
  bool is_range = false;
  for (std::string w; words >> w;) {
    const bool is_number = w[0] >= '0' && w[0] <= '9';
    if (is_of_kind && is_number) {
      const int n = std::stoi(w);
      for (int k = is_range ? last + 1 : n; k <= n; ++k) numbers.insert(k);
      last = n, is_range = false;
    } else if (is_of_kind && w == "to") {
      is_range = true;
    } else if (w != "and") {
      is_of_kind = w == kind + "." || w == kind + "s." || w == kind || w == kind + "s";
    }
    // "Figs. 1 to 5: the task": what follows is no list any more.
    if (w.ends_with(':') || w.ends_with(',')) is_of_kind = false;
  }
}

struct Paper {
  const char *author, *kind;
  int most;
};
constexpr Paper kPapers[] = {{"Nezami", "Fig", 18}, {"Nezami", "Eq", 6},    {"Zhao", "Fig", 17},
                             {"Zhao", "Eq", 10},    {"Munjiza", "Fig", 23}, {"Munjiza", "Eq", 13},
                             {"Huang", "Fig", 21},  {"Huang", "Table", 11}, {"Huang", "Eq", 35}};

TEST(PapersPage, HasEveryFigureTableAndEquation) {
  const auto rows = rows_of_page();
  ASSERT_EQ(rows.size(), 4u);
  for (const Paper& p : kPapers) {
    std::set<int> numbers;
    for (const Row& r : rows.at(p.author)) add_numbers(r.piece, p.kind, numbers);
    for (int n = 1; n <= p.most; ++n) EXPECT_TRUE(numbers.contains(n)) << p.author << ", " << p.kind << ". " << n;
    EXPECT_EQ(*numbers.rbegin(), p.most) << p.author << ", " << p.kind;
  }
  for (const auto& [author, list] : rows)
    for (const Row& r : list) {
      EXPECT_EQ(r.cells, 5u) << author << ": " << r.piece;
      EXPECT_TRUE(r.command.starts_with("scree ")) << author << ": " << r.piece;
    }
}

using Papers = testing_cli::PageCommands;

TEST_F(Papers, EveryCommandOfThePageRuns) {
  std::set<std::string> commands;
  for (const auto& [author, rows] : rows_of_page())
    for (const Row& r : rows) commands.insert(r.command);
  EXPECT_GT(commands.size(), 20u);
  for (const std::string& c : commands) {
    EXPECT_EQ(run_line(c), 0) << c << "\n" << err;
    EXPECT_FALSE(out.empty()) << c;
  }
}

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "io/grains/positions.h"
#include "io/text/table.h"

namespace {

using namespace scree;
namespace fs = std::filesystem;
constexpr std::size_t kMost = 1000000;

io::ReadPositions parse(const std::string& text, std::size_t most = kMost) {
  return io::parse_positions(text, "bed.xyzr", most);
}

/// The messages of a file, one after the other.
std::string mistakes(const std::string& text, std::size_t most = kMost) {
  std::string all;
  for (const Diagnostic& d : parse(text, most).diagnostics) all += format(d) + "\n";
  return all;
}

TEST(Positions, BlanksTabsCommasCommentsAndBothLineEnds) {
  const io::ReadPositions read = parse(
      "\xef\xbb\xbf# a bed\r\n"
      "1 2 3 0.5\r\n"
      "\n"
      "   \t\n"
      "-1e-3,+2.5,.5,1\n"
      "1 ,2\t,3   4 # the last\n"
      "5 6 7 8");
  ASSERT_TRUE(read.diagnostics.empty()) << mistakes("x");
  ASSERT_EQ(read.value.x.size(), 4u);
  EXPECT_EQ(read.value.x[0], (Vec3{1, 2, 3}));
  EXPECT_EQ(read.value.x[1], (Vec3{-1e-3, 2.5, 0.5}));
  EXPECT_EQ(read.value.x[2], (Vec3{1, 2, 3}));
  EXPECT_EQ(read.value.r[2], 4);
  EXPECT_EQ(read.value.r[3], 8);
}

TEST(Positions, EveryBadLineIsNamed) {
  const std::string all = mistakes(
      "1 2 3 1\n"
      "nan 2 3 1\n"
      "1 inf 3 1\n"
      "1 2 3\n"
      "1 2 3 4 5\n"
      "x y z r\n"
      "1 2 3 0\n"
      "1 2 3 -1\n"
      "1 2 3 1e999\n"
      "1 2 3m 1\n"
      "1,,2,3,4\n"
      "1,2,3,4,\n"
      "+-1 2 3 1\n"
      "0x10 2 3 1\n");
  EXPECT_EQ(all,
            "bed.xyzr:2:1: x: expected a finite number, got nan\n"
            "bed.xyzr:3:3: y: expected a finite number, got inf\n"
            "bed.xyzr:4:1: 3 columns, expected 4: x y z r\n"
            "bed.xyzr:5:1: 5 columns, expected 4: x y z r\n"
            "bed.xyzr:6:1: x: expected a number, got x\n"
            "bed.xyzr:7:7: r: expected a radius above 0, got 0\n"
            "bed.xyzr:8:7: r: expected a radius above 0, got -1\n"
            "bed.xyzr:9:7: r: expected a number that a double can hold, got 1e999\n"
            "bed.xyzr:10:5: z: expected a number, got 3m\n"
            "bed.xyzr:11:3: a comma with no number beside it\n"
            "bed.xyzr:12:8: a comma with no number beside it\n"
            "bed.xyzr:13:1: x: expected a number, got +-1\n"
            "bed.xyzr:14:1: x: expected a number, got 0x10\n");
}

TEST(Positions, StopsAtWhatIsNoTextAtTooManyMistakesAndAtTooManySpheres) {
  EXPECT_EQ(mistakes(std::string("1 2 3 1\n\0\1\2\n1 2", 16)), "bed.xyzr:2:1: a zero byte: this is no text file\n");
  EXPECT_EQ(mistakes("1 2 3 1\n" + std::string(5000, '7') + "\n"), "bed.xyzr:2:1: longer than 4096 characters\n");
  std::string bad;
  for (int k = 0; k < 1000; ++k) bad += "bad\n";
  const auto diagnostics = parse(bad).diagnostics;
  ASSERT_EQ(diagnostics.size(), io::kMostMistakes + 1);
  EXPECT_EQ(format(diagnostics.back()), "bed.xyzr: 20 mistakes; the lines after 20 were not read");
  EXPECT_EQ(mistakes("1 2 3 1\n1 2 3 1\n1 2 3 1\n", 2),
            "bed.xyzr:3:1: more than 2 spheres, which is what this machine's memory holds\n");
  EXPECT_EQ(mistakes(""), "");
}

struct PositionFiles : testing::Test {
  fs::path home = fs::path(testing::TempDir()) / ("scree_positions_" + std::to_string(::getpid()));
  void SetUp() override { fs::create_directories(home); }
  void TearDown() override { fs::remove_all(home); }
  std::string mistake(const fs::path& file) {
    const auto read = io::read_positions(file, kMost);
    return read.diagnostics.empty() ? "" : format(read.diagnostics[0]);
  }
};

TEST_F(PositionFiles, LinesThatCrossTheBufferAreWhole) {
  // 300 000 lines of 20 characters: the buffer of a megabyte ends inside a line.
  std::string text;
  for (int k = 0; k < 300000; ++k) {
    const std::string line = std::to_string(k) + " 2 3 1";
    text += line + std::string(19 - line.size(), ' ') + "\n";
  }
  std::ofstream(home / "long.xyzr") << text;
  const auto read = io::read_positions(home / "long.xyzr", kMost);
  ASSERT_TRUE(read.diagnostics.empty());
  ASSERT_EQ(read.value.x.size(), 300000u);
  for (int k = 0; k < 300000; ++k) ASSERT_EQ(read.value.x[static_cast<std::size_t>(k)].x, k);
}

TEST_F(PositionFiles, WhatIsNoFileIsSaidSo) {
  EXPECT_NE(mistake(home / "absent").find("no such file"), std::string::npos) << mistake(home / "absent");
  EXPECT_NE(mistake(home).find("is a folder"), std::string::npos);
  ASSERT_EQ(::mkfifo((home / "pipe").c_str(), 0600), 0);
  EXPECT_NE(mistake(home / "pipe").find("no regular file"), std::string::npos);
  // A line without an end must not be read into memory.
  std::ofstream(home / "endless") << std::string(std::size_t{4} << 20, '1');
  EXPECT_NE(mistake(home / "endless").find("longer than"), std::string::npos);
}

RC_GTEST_FIXTURE_PROP(PositionFiles, ReadBackToTheSameBits, (const std::vector<double>& numbers)) {
  io::Positions s;
  for (const double v : numbers) s.x.push_back({v, -v, 1 / (1 + v * v)}), s.r.push_back(std::abs(v) + 1e-300);
  RC_ASSERT(bool(io::write_positions(home / "back.xyzr", s)));
  const auto read = io::read_positions(home / "back.xyzr", kMost);
  RC_ASSERT(read.diagnostics.empty());
  RC_ASSERT(read.value.x == s.x);
  RC_ASSERT(read.value.r == s.r);
}

RC_GTEST_PROP(Positions, NoTextEverCrashesOrPassesUnseen, ()) {
  // Nearly a file: what is broken differs from run to run.
  const auto text = *rc::gen::container<std::string>(rc::gen::weightedElement<char>({{30, '1'},
                                                                                     {30, ' '},
                                                                                     {8, '\n'},
                                                                                     {3, ','},
                                                                                     {3, '.'},
                                                                                     {2, '-'},
                                                                                     {1, '+'},
                                                                                     {2, 'e'},
                                                                                     {1, '#'},
                                                                                     {1, 'n'},
                                                                                     {1, '\r'},
                                                                                     {1, '\0'}}));
  const auto read = parse(text);
  RC_CLASSIFY(!read.value.x.empty());
  for (std::size_t i = 0; i < read.value.x.size(); ++i)
    RC_ASSERT(is_finite(read.value.x[i]) && std::isfinite(read.value.r[i]) && read.value.r[i] > 0);
  RC_ASSERT(read.value.x.size() == read.value.r.size());
  for (const Diagnostic& d : read.diagnostics) RC_ASSERT(!d.message.empty() && d.file == "bed.xyzr");
}

}  // namespace

// LIBS: scree_io
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "io/results/series.h"
#include "io/text/files.h"
#include "text_of.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

struct SeriesFile : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) / ("scree_io_series_" + std::to_string(::getpid()));
  fs::path file = folder / "series.csv";
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
};

Case two_walls() {
  Case c;
  c.walls.resize(1);
  c.walls[0].name = "floor";
  c.stages.resize(1);
  c.stages[0].add.resize(1);
  c.stages[0].add[0].name = "a, \"lid\"";
  return c;
}

Simulation at_step(std::uint64_t k) {
  Simulation s;
  s.step = k, s.time = static_cast<double>(k) / 3;
  s.walls.resize(1);
  s.walls[0].name = "floor", s.walls[0].force = {0.1, -0.0, 1e-17};
  return s;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (const char ch : line) {
    if (ch == '"') quoted = !quoted;
    if (ch == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += ch;
  }
  return cells;
}

TEST_F(SeriesFile, HasUnitsAndGivesNumbersBackExactly) {
  {
    Result<Series> s = Series::create(file, two_walls());
    ASSERT_TRUE(s);
    Totals t;
    t.kinetic_translation = M_PI, t.momentum = {1 / 3.0, -1e-300, 4e22}, t.contacts = 17;
    ASSERT_TRUE(s->append(at_step(1), t));
    EXPECT_EQ(s->rows(), 1u);
  }
  std::istringstream in(text_of(file));
  std::string header, row;
  std::getline(in, header), std::getline(in, row);
  const auto names = split(header), cells = split(row);
  ASSERT_EQ(names.size(), cells.size());
  auto value = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return cells[static_cast<std::size_t>(at - names.begin())];
  };
  EXPECT_EQ(std::stod(value("time [s]")), 1 / 3.0);
  EXPECT_EQ(std::stod(value("kinetic_translation [J]")), M_PI);
  EXPECT_EQ(std::stod(value("momentum_x [kg m/s]")), 1 / 3.0);
  EXPECT_EQ(std::stod(value("momentum_y [kg m/s]")), -1e-300);
  EXPECT_EQ(std::stod(value("force floor x [N]")), 0.1);
  EXPECT_EQ(std::stod(value("force floor z [N]")), 1e-17);
  EXPECT_EQ(value("contacts"), "17");
  EXPECT_EQ(value("\"force a, \"\"lid\"\" y [N]\""), "") << "a wall that is not there yet has an empty cell";
}

TEST_F(SeriesFile, HoldsInletsOutletsAndMeasurementsBehindTheWalls) {
  Case c = two_walls();
  Case::Group now, later;
  now.name = "now", now.place = Case::Pour{}, later.name = "later", later.place = Case::Pour{};
  c.particles = {now}, c.stages[0].insert = {later};
  c.outlets = {{"drain", {}, {}, {0, 0, 1}, true}};
  Case::Measure track;
  track.kind = Case::Measure::Kind::track, track.name = "probe", track.ids = {3, 8};
  c.measures = {track};
  Simulation s = at_step(1);
  s.flows.poured = {5}, s.flows.mass = {0.25};  // the other one has not begun
  s.flows.removed = {2}, s.flows.removed_mass = {0.125};
  s.particles.resize(1);
  s.particles.id[0] = 8, s.particles.position[0] = {1, 2, 3}, s.particles.velocity[0] = {4, 5, 6};
  Result<Series> series = Series::create(file, c);
  ASSERT_TRUE(series);
  ASSERT_TRUE(series->append(s, Totals{}));
  std::istringstream lines(text_of(file));
  std::string head, row;
  std::getline(lines, head), std::getline(lines, row);
  const std::vector<std::string> names = split(head), cells = split(row);
  ASSERT_EQ(names.size(), cells.size());
  const auto from = static_cast<std::size_t>(std::find(names.begin(), names.end(), "inlet now grains") - names.begin());
  const std::vector<std::string> expected_names{"inlet now grains",    "inlet now mass [kg]",
                                                "inlet later grains",  "inlet later mass [kg]",
                                                "outlet drain grains", "outlet drain mass [kg]"};
  const std::vector<std::string> expected{"5", "0.25", "0", "0", "2", "0.125", "",  "",  "",
                                          "",  "",     "",  "1", "2", "3",     "4", "5", "6"};
  ASSERT_EQ(names.size(), from + expected.size());
  EXPECT_TRUE(
      std::equal(expected_names.begin(), expected_names.end(), names.begin() + static_cast<std::ptrdiff_t>(from)));
  EXPECT_EQ(names.back(), "probe 8 vz [m/s]");
  EXPECT_EQ(std::vector<std::string>(cells.begin() + static_cast<std::ptrdiff_t>(from), cells.end()), expected);
}

TEST_F(SeriesFile, GoesOnAsIfItHadNeverStopped) {
  const Case c = two_walls();
  auto write = [&](Series& s, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k < to; ++k) ASSERT_TRUE(s.append(at_step(k), Totals{}));
  };
  {
    Result<Series> whole = Series::create(file, c);
    write(*whole, 0, 10);
  }
  const std::string uninterrupted = text_of(file);
  {
    // Rows 4, 5 and a torn one belong to what came after the checkpoint.
    Result<Series> first = Series::create(file, c);
    write(*first, 0, 6);
  }
  std::ofstream(file, std::ios::app) << "0.123,torn";
  {
    Result<Series> second = Series::resume(file, c, 4);
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(second->rows(), 4u);
    write(*second, 4, 10);
  }
  EXPECT_EQ(text_of(file), uninterrupted);
}

TEST_F(SeriesFile, RefusesToGoOnWithAnotherFile) {
  {
    Result<Series> s = Series::create(file, two_walls());
    ASSERT_TRUE(s->append(at_step(0), Totals{}));
  }
  const Result<Series> too_short = Series::resume(file, two_walls(), 2);
  ASSERT_FALSE(too_short);
  EXPECT_NE(too_short.error().message.find("fewer than the 2 rows"), std::string::npos);
  EXPECT_FALSE(Series::resume(file, Case{}, 1)) << "other columns";
  EXPECT_FALSE(Series::resume(folder / "none.csv", two_walls(), 0));
  EXPECT_FALSE(Series::create(folder / "none" / "series.csv", two_walls()));
}

TEST_F(SeriesFile, EndsWithAWholeRowOnAFullDisk) {
  Result<Series> s = Series::create("/dev/full", Case{});
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message.find("no space left on device (the disk is full)"), std::string::npos)
      << s.error().message;
}

TEST_F(SeriesFile, NamesEveryWallOnceInOrder) {
  Case c = two_walls();
  c.stages[0].add.push_back(c.walls[0]);
  const std::vector<WallColumns> columns = wall_columns(c);
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].name, "floor");
  EXPECT_EQ(columns[1].name, "a, \"lid\"");
  EXPECT_FALSE(columns[0].torque || columns[1].torque);
}

TEST_F(SeriesFile, FilesAreWrittenWholeOrNotAtAll) {
  ASSERT_TRUE(write_file(file, std::string_view("old")));
  ASSERT_TRUE(fs::create_directory(file.string() + ".part")) << "something in the way of writing aside";
  EXPECT_FALSE(write_file(file, std::string_view("new")));
  EXPECT_EQ(text_of(file), "old");
  fs::remove(file.string() + ".part");
  ASSERT_TRUE(write_file(file, std::string_view("new")));
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}), 1);
}

}  // namespace
}  // namespace scree::io

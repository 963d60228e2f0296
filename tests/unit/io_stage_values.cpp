// LIBS: scree_io
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/results/run_record.h"
#include "io/results/stage_values.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

struct StageValues : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) / ("scree_io_stage_values_" + std::to_string(::getpid()));
  fs::path file = folder / "series.csv";
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string& text) const { std::ofstream(file) << text; }
};

const std::vector<std::string> kColumns{"time [s]",          "contacts",          "force lid x [N]",
                                        "force lid y [N]",   "force lid 2 x [N]", "bed solid_fraction [1]",
                                        "bed void_ratio [1]"};

TEST_F(StageValues, ANameMeansItsColumnElseAllThatBeginWithItsWords) {
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(columns_meant("contacts", kColumns), Places{1});
  EXPECT_EQ(columns_meant("force lid x", kColumns), Places{2});
  EXPECT_EQ(columns_meant("force lid", kColumns), (Places{2, 3, 4}));
  EXPECT_EQ(columns_meant("bed", kColumns), (Places{5, 6}));
  EXPECT_EQ(columns_meant("force li", kColumns), Places{});  // words, not letters
  EXPECT_EQ(columns_meant("time [s]", kColumns), Places{});
  EXPECT_EQ(columns_meant("", kColumns), Places{});
}

TEST_F(StageValues, PlotsNameWholeColumnsWithoutUnits) {
  Case c;
  c.walls.resize(1), c.walls[0].name = "lid";
  c.output.plots = {{"a", "step", {"contacts", "force lid"}}, {"", "time", {"elastic"}}};
  const std::vector<Case::Plot> plots = plots_of(c);
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[0].title, "a");
  EXPECT_EQ(plots[0].over, "step");
  EXPECT_EQ(plots[0].of, (std::vector<std::string>{"contacts", "force lid x", "force lid y", "force lid z"}));
  EXPECT_EQ(plots[1].over, "time");
  EXPECT_EQ(plots[1].of, std::vector<std::string>{"elastic"});
  // Each column once, whichever of the names mean it.
  c.output.plots = {{"", "time", {"force lid y", "force lid", "force lid x", "force lid y"}}};
  EXPECT_EQ(plots_of(c)[0].of, (std::vector<std::string>{"force lid y", "force lid x", "force lid z"}));
}

TEST_F(StageValues, TheInstantOfAChangeBelongsToTheStageBefore) {
  write("time [s],step,a [N],b\n0,0,100,\n0.1,10,1,\n0.2,20,4,\n0.3,30,-2,7\n0.31,400,10,8\n0.5,9000,20,\n");
  const std::vector<StageWish> wishes{{0, 30, {"a", "b"}}, {30, 9000, {"b", "a"}}, {30, 9000, {}}};
  const auto values = stage_values(file, wishes);
  ASSERT_TRUE(values) << values.error().message;
  ASSERT_EQ(values->size(), 3u);
  ASSERT_EQ((*values)[0].size(), 2u);
  const StageValue& a = (*values)[0][0];
  EXPECT_EQ(a.column, "a [N]");
  EXPECT_EQ(a.instants, 3u);  // the start itself is no instant of the first stage
  EXPECT_DOUBLE_EQ(a.mean, 1);
  EXPECT_EQ(a.smallest, -2);
  EXPECT_EQ(a.largest, 4);
  EXPECT_EQ(a.last, -2);
  EXPECT_EQ((*values)[0][1].instants, 1u);  // cells without a value do not count
  EXPECT_EQ((*values)[0][1].mean, 7);
  EXPECT_EQ((*values)[1][0].column, "b");
  EXPECT_EQ((*values)[1][0].last, 8);
  EXPECT_DOUBLE_EQ((*values)[1][1].mean, 15);
  EXPECT_EQ((*values)[1][1].smallest, 10);  // not the 0 that no instant had
  EXPECT_TRUE((*values)[2].empty());
}

TEST_F(StageValues, ExtremesOfNegativeValuesAreTheirOwn) {
  write("time [s],step,a\n0.1,1,-3\n0.2,2,-5\n");
  const std::vector<StageWish> wishes{{0, 2, {"a"}}};
  const auto values = stage_values(file, wishes);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0][0].largest, -3);
  EXPECT_EQ((*values)[0][0].smallest, -5);
}

TEST_F(StageValues, NamesWithCommasAndQuotesAreRead) {
  write("time [s],step,\"force a, \"\"lid\"\" x [N]\"\n0.1,1,3\n");
  const std::vector<StageWish> wishes{{0, 1, {"force a, \"lid\""}}};
  const auto values = stage_values(file, wishes);
  ASSERT_TRUE(values);
  ASSERT_EQ((*values)[0].size(), 1u);
  EXPECT_EQ((*values)[0][0].mean, 3);
}

TEST_F(StageValues, AFileThatIsNoSeriesIsAnError) {
  const std::vector<StageWish> wishes{{0, 1, {"a"}}};
  EXPECT_FALSE(stage_values(file, wishes));  // not there
  for (const char* text :
       {"", "t,a\n1,2\n", "time [s]\n1\n", "time [s],a\n1,2\n", "time [s],step,a\n1,2\n", "time [s],step\n1,soon\n"}) {
    write(text);
    EXPECT_FALSE(stage_values(file, wishes)) << text;
  }
}

TEST_F(StageValues, AWrongRowIsToldWithItsPlace) {
  const std::vector<StageWish> wishes{{0, 1, {"a"}}};
  const std::pair<const char*, const char*> wrong[] = {
      {"0,0,1\n0.1\n", ":3:1: 1 cells, expected 3 as in the header"},
      {"0,0,1\n0.1,1,2,3\n", ":3:1: 4 cells, expected 3 as in the header"},
      {"0.1,soon,1\n", ":2:5: expected a number, the step, got soon"},
      {"0,0,\"1\n", ":2:5: a quote has no end"},
  };
  for (const auto& [rows, why] : wrong) {
    write(std::string("time [s],step,a\n") + rows);
    const auto values = stage_values(file, wishes);
    ASSERT_FALSE(values) << rows;
    EXPECT_EQ(values.error().message, file.string() + why);
  }
}

}  // namespace
}  // namespace scree::io

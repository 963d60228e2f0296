// LIBS: scree_io
// `scree view`: its exit codes and where it says what.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/results/report_template.h"

namespace fs = std::filesystem;

namespace {

struct ViewCommand : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("scree_view_" + std::to_string(::getpid()));
  std::string out, err;
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  int run(const std::string& arguments) {
    const std::string command =
        "'" SCREE_BINARY "' view " + arguments + " >" + (folder / "out").string() + " 2>" + (folder / "err").string();
    const int status = std::system(command.c_str());
    out = text("out"), err = text("err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string text(const char* name) const {
    std::ifstream in(folder / name);
    std::stringstream s;
    s << in.rdbuf();
    return s.str();
  }
};

}  // namespace

TEST_F(ViewCommand, NamesThePageOnStandardOutput) {
  std::ofstream(folder / "series.csv") << "time [s],contacts\n0,1\n0.1,2\n";
  const int code = run(folder.string());
  if (scree::io::report_template().empty()) {
    EXPECT_EQ(code, 1);
    EXPECT_NE(err.find("without the report page"), std::string::npos);
    return;
  }
  EXPECT_EQ(code, 0) << err;
  EXPECT_EQ(out, (folder / "report.html").string() + "\n");
  for (const char* lacks : {"no run.json", "no case.yaml", "no frames"})
    EXPECT_NE(err.find(lacks), std::string::npos) << err;
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 3) << "a line each: " << err;
  EXPECT_GT(fs::file_size(folder / "report.html"), 100'000u);
  EXPECT_EQ(run(folder.string() + " --out " + (folder / "other.html").string()), 0);
  EXPECT_EQ(out, (folder / "other.html").string() + "\n");
  EXPECT_GT(fs::file_size(folder / "other.html"), 100'000u);
}

TEST_F(ViewCommand, RefusesWhatIsNoResultsFolder) {
  EXPECT_EQ(run((folder / "absent").string()), 2);
  EXPECT_NE(err.find("absent"), std::string::npos);
  EXPECT_EQ(out, "");
  EXPECT_EQ(run(folder.string()), 2);
  EXPECT_NE(err.find("neither frames nor series.csv"), std::string::npos);
}

TEST_F(ViewCommand, FailsWhereThePageCannotBeWritten) {
  std::ofstream(folder / "series.csv") << "time [s],contacts\n0,1\n";
  fs::create_directories(folder / "report.html");  // a folder in the way; permissions mean nothing to root
  EXPECT_EQ(run(folder.string()), 1);
  EXPECT_NE(err.find("scree view: "), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "report.html.part"));
}

// scree contact as a user meets it: tables, JSON, files of one's own, and every way to get it wrong.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"

namespace {

using namespace scree::testing_cli;

struct ContactCommand : testing::Test {
  fs::path folder;
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "scree_contact_XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    ::setenv("XDG_DATA_HOME", folder.c_str(), 1);
    ::unsetenv("SCREE_SHAPES");
  }
  void TearDown() override { fs::remove_all(folder); }
  Output contact(const std::string& arguments) const {
    return output_of("cd '" + folder.string() + "' && '" SCREE_BINARY "' contact " + arguments, folder);
  }
  nlohmann::json json(const std::string& arguments) const {
    const Output o = contact(arguments + " --json");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return nlohmann::json::parse(o.out);
  }
};

/// No null and no text where a number belongs.
void expect_numbers(const nlohmann::json& j, const std::string& what) {
  for (const char* key : {"gap", "below_best", "ns"}) EXPECT_TRUE(j.at(key).is_number()) << key << ", " << what;
  ASSERT_EQ(j.at("normal").size(), 3u);
  for (const auto& x : j.at("normal")) EXPECT_TRUE(x.is_number()) << what;
  for (const auto& p : j.at("points")) {
    EXPECT_TRUE(p.at("depth").is_number()) << what;
    for (const auto& x : p.at("point")) EXPECT_TRUE(x.is_number()) << what;
  }
}

TEST_F(ContactCommand, ShowsEveryMethodAndTheGeometry) {
  const Output o = contact("cube cube");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  for (const char* method : {"common_plane", "fast", "fast_paper", "shortest_link", "separating_axis", "gjk", "auto"}) {
    EXPECT_TRUE(has(o.out, "\n" + std::string(method) + " ")) << method << "\n" << o.out;
  }
  for (const char* part :
       {"A  cube, size 1 m, at 0 0 0 m, orientation 1 0 0 0\n", "B  cube, size 1 m, at 0 0 0.99 m", "They overlap",
        "face 5 of A - face 1 of B", "volume          0.01 m^3", "mean depth      0.01 m", "normal          0 0 1",
        "force acts at   0 0 0.495 m", "patch gyration  0.40824829 m", "Contact zone", "0.5 -0.5 0.495"}) {
    EXPECT_TRUE(has(o.out, part)) << part << "\n" << o.out;
  }
}

TEST_F(ContactCommand, JsonHasTheSame) {
  const auto j = json("cube cube");
  EXPECT_TRUE(j.at("touching").get<bool>());
  EXPECT_NEAR(j.at("gap").get<double>(), -0.01, 1e-15);
  ASSERT_EQ(j.at("rows").size(), 7u);
  for (const auto& row : j.at("rows")) {
    expect_numbers(row, row.at("strategy"));
    EXPECT_NEAR(row.at("gap").get<double>(), -0.01, 1e-15);
    EXPECT_NEAR(row.at("normal")[2].get<double>(), 1, 1e-15);
    EXPECT_GT(row.at("ns").get<double>(), 0);
    EXPECT_GT(row.at("evaluations").get<int>(), 0);
    EXPECT_EQ(row.at("points").size(), 4u);
    EXPECT_EQ(row.at("vertices_a").size(), 4u);
  }
  const auto& exact = j.at("rows").back();
  EXPECT_EQ(exact.at("strategy"), "auto");
  EXPECT_EQ(exact.at("feature"), "face_a");
  EXPECT_EQ(exact.at("feature_a"), 5);
  EXPECT_TRUE(exact.at("feature_b").is_null());
  EXPECT_EQ(exact.at("features"), "face 5 of A - face 1 of B");
  EXPECT_NEAR(j.at("overlap").at("volume").get<double>(), 0.01, 1e-15);
  EXPECT_NEAR(j.at("overlap").at("mean_depth").get<double>(), 0.01, 1e-15);
  EXPECT_TRUE(j.at("shortest_link").is_null());
}

/// Edges that cross at a right angle, in centimetres: poses, sizes, units, one method.
TEST_F(ContactCommand, PosesSizesAndUnits) {
  const double s = std::sqrt(0.5);
  const auto j = json(
      "cube cube --scale-a '20 mm' --scale-b 0.02 --method gjk --a '0,0,0,0.9238795325112867,0.3826834323650898,0,0' "
      "--b '1 mm, 2 mm, 4 cm,0.9238795325112867,0,0.3826834323650898,0'");
  ASSERT_EQ(j.at("rows").size(), 1u);
  EXPECT_FALSE(j.at("touching").get<bool>());
  EXPECT_NEAR(j.at("gap").get<double>(), 0.04 - 0.04 * s, 1e-15);
  EXPECT_NEAR(j.at("shortest_link").at("length").get<double>(), 0.04 - 0.04 * s, 1e-15);
  EXPECT_NEAR(j.at("shortest_link").at("a")[0].get<double>(), 0.001, 1e-15);
  EXPECT_NEAR(j.at("shortest_link").at("b")[2].get<double>(), 0.04 - 0.02 * s, 1e-15);
  EXPECT_TRUE(j.at("overlap").is_null());
  const auto& row = j.at("rows")[0];
  EXPECT_EQ(row.at("strategy"), "gjk");
  EXPECT_EQ(row.at("feature"), "edge_edge");
  EXPECT_EQ(row.at("feature_a"), row.at("vertices_a"));  // an edge is named by its vertices
  EXPECT_EQ(row.at("feature_b"), row.at("vertices_b"));
  EXPECT_TRUE(has(row.at("features"), " x edge ")) << row;
}

TEST_F(ContactCommand, FilesOfOnesOwn) {
  std::ofstream(folder / "brick.off") << "OFF\n8 6 0\n0 0 0\n24 0 0\n24 12 0\n0 12 0\n0 0 6\n24 0 6\n24 12 6\n0 12 6\n"
                                         "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
  std::ofstream(folder / "block.yaml") << "name: block\nvertices: [[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,2],[1,0,2],"
                                          "[0,1,2],[1,1,2]]\n";
  const auto j = json("brick.off ./block.yaml --b 0,0,2,1,0,0,0");
  EXPECT_EQ(j.at("a").at("shape"), "brick");
  EXPECT_EQ(j.at("b").at("shape"), "block");
  EXPECT_GT(j.at("gap").get<double>(), 0.5);
}

TEST_F(ContactCommand, BadInputIsASentenceAndExit2) {
  std::ofstream(folder / "half.off") << "OFF\n8 6 0\n0 0 0\n";
  const std::pair<const char*, const char*> wrong[] = {
      {"cube", "SHAPE_B is required"},
      {"cube cube cube", "unexpected argument cube"},
      {"cube cubee", "no shape is called 'cubee'; did you mean cube?"},
      {"'' cube", "a shape without a name"},
      {"cube nowhere.stl", "nowhere.stl: no such file"},
      {"cube nowhere.yaml", "nowhere.yaml: no such file"},
      {"cube half.off", "half.off"},
      {"cube .", "expected a file named"},
      {"cube cube --method gjkk", "unknown method 'gjkk'; did you mean gjk?"},
      {"cube cube --method ''", "unknown method ''"},
      {"cube cube --method", "--method"},
      {"cube cube --scale-a 0", "--scale-a: expected a length above zero, got 0"},
      {"cube cube --scale-b -0.0", "--scale-b: expected a length above zero"},
      {"cube cube --scale-a -1", "--scale-a: expected a length above zero, got -1"},
      {"cube cube --scale-a nan", "--scale-a: expected a length, got nan (not a finite number)"},
      {"cube cube --scale-a -inf", "(not a finite number)"},
      {"cube cube --scale-a 1e309", "(beyond the range of numbers)"},
      {"cube cube --scale-a 1e-400", "(beyond the range of numbers)"},
      {"cube cube --scale-a ''", "got an empty text"},
      {"cube cube --scale-a '3 kg'", "got 3 kg (mass)"},
      {"cube cube --a ''", "--a: expected 7 numbers x,y,z,qw,qx,qy,qz, got 0"},
      {"cube cube --a 0,0,0", "got 3"},
      {"cube cube --a 0,0,0,1,0,0", "got 6"},
      {"cube cube --b 0,0,0,1,0,0,0,0", "--b: expected 7 numbers x,y,z,qw,qx,qy,qz, got 8"},
      {"cube cube --b 0,0,0,1,0,0,0,", "got 8"},
      {"cube cube --b 0,0,,1,0,0,0", "--b: z: expected a length, got an empty text"},
      {"cube cube --b '0 0 0 1 0 0 0'", "got 1"},
      {"cube cube --b 0,nan,0,1,0,0,0", "--b: y: expected a length, got nan (not a finite number)"},
      {"cube cube --b 0,0,INF,1,0,0,0", "--b: z: expected a length, got INF (not a finite number)"},
      {"cube cube --b 0,0,0,nan,0,0,0", "--b: qw: expected a number, got nan (not a finite number)"},
      {"cube cube --b 0,0,0,1,0,0,0x", "--b: qz: expected a number"},
      {"cube cube --b '0,0,0,1 m,0,0,0'", "--b: qw: expected a number, got 1 m (length)"},
      {"cube cube --b '0 s,0,0,1,0,0,0'", "--b: x: expected a length, got 0 s (time)"},
      {"cube cube --b '0,0,0,1,0,0,0 and more'", "--b: qz: expected a number"},
      {"cube cube --b 0,0,0,0,0,0,0", "the quaternion 0,0,0,0 has norm 0, expected 1"},
      {"cube cube --b 0,0,0,1,1,0,0", "has norm 1.41421356, expected 1 within 1e-6; divided by its norm it is 0.7071"},
      {"cube cube --b 0,0,0,1.000002,0,0,0", "has norm 1.000002"},
      {"cube cube --b 0,0,0,1e308,1e308,0,0", "has norm 1.41421356e+308"},
      {"cube cube --b 0,0,0,1e308,1.7e308,1.7e308,1.7e308", "the quaternion"},
      {"cube cube --b 0,0,0,1e-308,0,0,0", "has norm 1e-308"},
      {"cube cube --frobnicate", "unknown option --frobnicate"}};
  for (const auto& [arguments, sentence] : wrong) {
    const Output o = contact(arguments);
    EXPECT_EQ(o.code, 2) << arguments << "\n" << o.err;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_TRUE(has(o.err, "scree contact: ")) << arguments << "\n" << o.err;
    EXPECT_TRUE(has(o.err, sentence)) << arguments << "\n" << o.err;
  }
}

TEST_F(ContactCommand, RepeatsNoMoreOfALongNameThanNeeded) {
  for (const std::string& name : {std::string(5000, 'n'), std::string(5000, 'n') + ".off"}) {
    const Output o = contact(name + " cube");
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, "nnn...")) << o.err;
    EXPECT_FALSE(has(o.err, std::string(61, 'n'))) << o.err;
  }
}

TEST_F(ContactCommand, OffersNoOptionThatItDoesNotHave) {
  std::ofstream(folder / "open.off") << "OFF\n8 5 0\n0 0 0\n24 0 0\n24 12 0\n0 12 0\n0 0 6\n24 0 6\n24 12 6\n0 12 6\n"
                                        "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n";
  const Output o = contact("open.off cube");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "open.off: open: 4 edges with a face on one side only")) << o.err;
  EXPECT_FALSE(has(o.err, "--hull")) << o.err;
  const std::string line = "'" SCREE_BINARY "' shape import '" + (folder / "open.off").string() + "' 2>'" +
                           (folder / "err").string() + "' >/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 2);
  EXPECT_TRUE(has(content(folder / "err"), "(--hull takes its convex hull)")) << content(folder / "err");
}

TEST_F(ContactCommand, ExtremePosesHaveNumbers) {
  for (const char* arguments :
       {"cube cube --scale-a 1e308 --scale-b 1e-308", "cube cube --scale-a 5e-324",
        "grain14 needle --scale-a 1e308 --scale-b 1e308",
        "cube cube --scale-a 1e308 --scale-b 1e308 --a -1e308,-1e308,-1e308,1,0,0,0 --b 1e308,1e308,1e308,1,0,0,0",
        "plate needle --scale-a 1e-308 --scale-b 1e-308", "cube cube --b 0,0,1e-320,1,0,0,0",
        "needle needle --b 1e-200,1e200,0,1,0,0,0 --scale-b 1e-100", "cube cube --b 0,0,0,1,0,0,0",
        "cube tetrahedron --scale-a 1000 --b 0,0,0,0.5,0.5,0.5,0.5", "cube cube --b 0,0,1,0.9999995,0,0,0"}) {
    const auto j = json(arguments);
    EXPECT_TRUE(j.at("gap").is_number()) << arguments;
    for (const auto& row : j.at("rows")) expect_numbers(row, arguments);
    for (const char* part : {"overlap", "shortest_link"}) {
      if (j.at(part).is_null()) continue;
      for (const auto& [key, value] : j.at(part).items()) {
        for (const auto& x : value.is_array() ? value : nlohmann::json::array({value}))
          EXPECT_TRUE(x.is_number()) << part << "." << key << ", " << arguments;
      }
    }
    const Output o = contact(arguments);
    EXPECT_EQ(o.code, 0) << arguments;
    EXPECT_FALSE(has(o.out, "nan") || has(o.out, "inf ")) << o.out;
  }
}

TEST_F(ContactCommand, HelpShowsAnExample) {
  const Output o = contact("--help");
  EXPECT_EQ(o.code, 0);
  for (const char* part : {"--scale-a", "x,y,z,qw,qx,qy,qz", "fast_paper", "scree contact cube cube"})
    EXPECT_TRUE(has(o.out, part)) << part << "\n" << o.out;
}

}  // namespace

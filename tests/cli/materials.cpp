// LIBS: nlohmann_json::nlohmann_json fmt::fmt
// scree materials, and what scree check says of a case with them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"

namespace {

using namespace scree::testing_cli;

struct MaterialsCommand : testing::Test {
  fs::path home = fs::path(testing::TempDir()) / ("scree_cli_materials_" + std::to_string(::getpid()));
  void SetUp() override {
    fs::create_directories(home / "scree/materials");
    ::setenv("XDG_DATA_HOME", home.c_str(), 1);
    ::unsetenv("SCREE_MATERIALS");
  }
  void TearDown() override { fs::remove_all(home); }
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(home / name, std::ios::binary) << text;
    return "'" + (home / name).string() + "'";
  }
  Output scree(const std::string& arguments) const { return output_of("'" SCREE_BINARY "' " + arguments, home); }
};

TEST_F(MaterialsCommand, ListsEachWithItsValuesAndSource) {
  put("scree/materials/broken.yaml", "name: broken\n");
  const Output list = scree("materials"), json = scree("materials --json");
  EXPECT_EQ(list.code, 0) << list.err;
  const auto rows = nlohmann::json::parse(json.out, nullptr, false);
  ASSERT_TRUE(rows.is_array());
  std::size_t files = 1;  // the broken one
  for (const auto& f : fs::directory_iterator(SCREE_SOURCE_DIR "/materials")) files += f.is_regular_file() ? 1 : 0;
  EXPECT_EQ(rows.size(), files);
  for (const auto& row : rows) {
    const std::string name = row["name"];
    EXPECT_TRUE(has(list.out, name + ' ')) << name;
    EXPECT_EQ(row.contains("problem"), name == "broken") << name;
    if (!row.contains("problem")) {
      EXPECT_GT(row["density"], 0) << name;
      EXPECT_FALSE(row["sources"].empty()) << name;
    }
  }
  EXPECT_TRUE(has(list.out, "broken             cannot be used: ")) << list.out;
  EXPECT_TRUE(has(list.out, "7850 kg/m^3    210 GPa    0.3")) << list.out;
  EXPECT_TRUE(has(list.out, "[Foerster 1994]")) << list.out;
}

TEST_F(MaterialsCommand, ShowsOneWithASnippetThatACaseCanTake) {
  const Output one = scree("materials glass");
  EXPECT_EQ(one.code, 0) << one.err;
  for (const char* part : {"71 GPa", "0.97", "Physics of Fluids", "measure or calibrate"})
    EXPECT_TRUE(has(one.out, part)) << part << one.out;
  const std::size_t from = one.out.find("materials:\n"), end = one.out.find("\n\n", from);
  ASSERT_NE(from, std::string::npos);
  const std::string file = put("case.yaml", one.out.substr(from, end - from) +
                                                "\ncontacts: [{between: [any, any], law: hertz_mindlin, friction: "
                                                "0.3}]\nparticles: [{shapes: sphere, size: 1 cm, material: glass, "
                                                "place: {at: [[0, 0, 0]]}}]\nstages: [{duration: 1 ms}]\n");
  const Output check = scree("check " + file);
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_TRUE(has(check.out, "from library   glass: glass, 2500 kg/m^3, E 71 GPa, nu 0.22, restitution 0.97\n"))
      << check.out;
  EXPECT_TRUE(has(scree("materials basalt").out, "restitution     none known")) << "no source gives it";
}

TEST_F(MaterialsCommand, CheckSaysWhatTheCaseHasInPlaceOfTheLibrary) {
  const std::string file =
      put("case.yaml",
          "materials: {a: {from: steel, young_modulus: 50 MPa, restitution: 0.6}, b: {density: 2000}}\ncontacts: "
          "[{between: "
          "[any, any], law: hertz_mindlin, restitution: 0.5, friction: 0.3}]\nparticles: [{shapes: sphere, size: 1 cm, "
          "material: a, place: {at: [[0, 0, 0]]}}]\nstages: [{duration: 1 ms}]\n");
  const Output check = scree("check " + file);
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_TRUE(has(check.out,
                  "from library   a: steel, 7850 kg/m^3, E 50 MPa (in place of the library's 210 GPa), nu "
                  "0.3, restitution 0.6 (not of the library)\n"))
      << check.out;
  EXPECT_FALSE(has(check.out, "b: ")) << check.out;
  // Laws of given stiffness do not ask for moduli.
  const Output linear = scree("check " + file +
                              " --set 'contacts[0]={between: [any, any], law: linear, kn: 1 MN/m, "
                              "restitution: 0.5, friction: 0.3}'");
  EXPECT_TRUE(has(linear.out, "from library   a: steel, 7850 kg/m^3; no law of the case takes more of it\n"))
      << linear.out << linear.err;
}

TEST_F(MaterialsCommand, UnknownNamesAreRefusedWithTheNearest) {
  for (const char* name : {"grante", "Granite"}) {
    const Output bad = scree(std::string("materials ") + name);
    EXPECT_EQ(bad.code, 2);
    EXPECT_EQ(bad.out, "");
    EXPECT_TRUE(has(bad.err, "scree materials: no material is called '")) << bad.err;
    EXPECT_TRUE(has(bad.err, "did you mean granite?")) << bad.err;
  }
  EXPECT_EQ(scree("materials steel glass").code, 2);
}

}  // namespace

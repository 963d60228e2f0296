// LIBS: nlohmann_json::nlohmann_json fmt::fmt
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

/// The program itself, with a library of its own.
struct ShapeCommand : testing::Test {
  fs::path home = fs::path(testing::TempDir()) / ("scree_cli_shape_" + std::to_string(::getpid()));
  void SetUp() override {
    fs::create_directories(home);
    ::setenv("XDG_DATA_HOME", home.c_str(), 1);
    ::unsetenv("SCREE_SHAPES");
  }
  void TearDown() override { fs::remove_all(home); }
  fs::path put(const std::string& name, const std::string& text) const {
    std::ofstream(home / name, std::ios::binary) << text;
    return home / name;
  }
  Output scree(const std::string& arguments) const { return output_of("'" SCREE_BINARY "' shape " + arguments, home); }
  fs::path brick() const {
    return put("Brick 24.off",
               "OFF\n8 6 0\n0 0 0\n24 0 0\n24 12 0\n0 12 0\n0 0 6\n24 0 6\n24 12 6\n0 12 6\n"
               "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n");
  }
  fs::path open_box() const {
    return put("open.off",
               "OFF\n8 5 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
               "4 0 3 2 1\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n");
  }
};

TEST_F(ShapeCommand, ListShowsEveryPrototype) {
  const Output o = scree("list");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.err, "");
  for (const char* name :
       {"tetrahedron", "pyramid", "cube", "grain14", "octahedron", "dodecahedron", "icosahedron", "grain16", "plate"}) {
    EXPECT_TRUE(has(o.out, std::string("\n") + name + " ")) << name;
  }
  const auto rows = nlohmann::json::parse(scree("list --json").out);
  EXPECT_GE(rows.size(), 9u);
  for (const auto& r : rows) EXPECT_GT(r.at("volume").get<double>(), 0);
}

TEST_F(ShapeCommand, ImportMakesAClumpOfATableOfSpheres) {
  const fs::path table = put("stone.csv", "# mm\nx y z r\n0 0 0 10\n12 0 0 8\n0 11 0 8\n");
  const Output o = scree("import '" + table.string() + "' --unit mm");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "stone: a clump of 3 spheres")) << o.out;
  EXPECT_TRUE(has(o.out, "the longest side of the drawing is 30 mm")) << o.out;
  const auto j = nlohmann::json::parse(scree("show stone --json").out);
  EXPECT_EQ(j.at("kind"), "clump");
  ASSERT_EQ(j.at("parts").size(), 3u);
  EXPECT_NEAR(j.at("parts")[0].at("radius").get<double>(), 10.0 / 30, 1e-15);
  EXPECT_TRUE(has(scree("show stone").out, "3 parts: 3 spheres, 0 polyhedra"));
  EXPECT_TRUE(has(scree("list").out, "3 parts"));
  EXPECT_EQ(scree("show stone --svg '" + (home / "s.svg").string() + "'").code, 0);
  EXPECT_TRUE(has(content(home / "s.svg"), "<circle cx="));
  const Output apart = scree("import '" + put("apart.csv", "0 0 0 1\n5 0 0 1\n").string() + "'");
  EXPECT_EQ(apart.code, 2);
  EXPECT_TRUE(has(apart.err, "part 1 hangs together with part 0 neither")) << apart.err;
  const Output broken = scree("import '" + put("broken.csv", "0 0 0 1\n5 0 x 1\n").string() + "'");
  EXPECT_EQ(broken.code, 2);
  EXPECT_TRUE(has(broken.err, "broken.csv:2:5: z: ")) << broken.err;
  EXPECT_EQ(scree("import '" + put("bare.csv", "x y z\n5 0 1\n").string() + "'").code, 2);
  EXPECT_TRUE(has(scree("import '" + put("none.csv", "# none\n").string() + "'").err, "there are no spheres in it"));
  std::string many;
  for (int k = 0; k < 201; ++k) many += std::to_string(k) + " 0 0 1\n";
  const Output over = scree("import '" + put("many.csv", many).string() + "'");
  EXPECT_EQ(over.code, 2);
  EXPECT_TRUE(has(over.err, "more than 200 spheres")) << over.err;
  EXPECT_TRUE(has(scree("import x.csv --nam y").err, "scree shape import: unknown option --nam; did you mean --name?"));
}

/// An L of 3 by 2 by 1, drawn as polygons.
const char* const kAngle =
    "OFF\n12 8 0\n0 0 0\n3 0 0\n3 1 0\n1 1 0\n1 2 0\n0 2 0\n0 0 1\n3 0 1\n3 1 1\n1 1 1\n1 2 1\n0 2 1\n"
    "6 0 5 4 3 2 1\n6 6 7 8 9 10 11\n4 0 1 7 6\n4 1 2 8 7\n4 2 3 9 8\n4 3 4 10 9\n4 4 5 11 10\n4 5 0 6 11\n";

TEST_F(ShapeCommand, ImportCutsAConcaveSurfaceIntoConvexParts) {
  const fs::path file = put("angle 3.off", kAngle);
  const Output plain = scree("import '" + file.string() + "'");
  EXPECT_EQ(plain.code, 2);
  EXPECT_TRUE(has(plain.err, "--decompose cuts it into convex parts")) << plain.err;
  const Output o = scree("import '" + file.string() + "' --decompose --unit cm --name angle3");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "angle3: a clump of 2 convex parts")) << o.out;
  EXPECT_TRUE(has(o.out, "is that of the mesh +0 %")) << o.out;
  EXPECT_TRUE(has(o.out, "the longest side of the drawing is 3 cm")) << o.out;
  const auto j = nlohmann::json::parse(scree("show angle3 --json").out);
  EXPECT_EQ(j.at("parts").size(), 2u);
  EXPECT_NEAR(j.at("volume").get<double>(), 4.0 / 27, 1e-12);
  const auto tool = [&](const std::string& with) { return scree("import '" + file.string() + "' " + with); };
  EXPECT_EQ(tool("--decompose --hull").code, 2);
  EXPECT_EQ(tool("--decompose --tolerance 0").code, 2);
  EXPECT_EQ(tool("--decompose --parts 201").code, 2);
  EXPECT_EQ(tool("--parts 3").code, 2);
  const Output one = tool("--decompose --parts 1 --name lump");
  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(has(one.err, "dents of up to")) << one.err;
  std::string open = kAngle;
  open = open.substr(0, open.rfind("4 5 0 6 11"));
  open.replace(open.find("12 8 0"), 6, "12 7 0");
  const Output refused = scree("import '" + put("open.off", open).string() + "' --decompose");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.err, "open.off: open: ")) << refused.err;
  EXPECT_EQ(scree("import '" + put("x.csv", "0 0 0 1\n").string() + "' --decompose").code, 2);
}

/// A rough ball of 2400 corners, which is what a scanner leaves.
TEST_F(ShapeCommand, ImportThinsAScanOutInOneGo) {
  const int rings = 40, around = 60;
  std::string text = "OFF\n" + std::to_string(rings * around + 2) + " " + std::to_string(2 * rings * around) + " 0\n";
  for (int i = 1; i <= rings; ++i) {
    for (int j = 0; j < around; ++j) {
      const double a = M_PI * i / (rings + 1), b = 2 * M_PI * j / around;
      const double r =
          20 * (1 + 0.004 * std::sin(7 * a + 3) * std::sin(5 * b) + 0.001 * ((i * 7919 + j * 104729) % 7 - 3));
      text += std::to_string(r * std::sin(a) * std::cos(b)) + " " +
              std::to_string(0.8 * r * std::sin(a) * std::sin(b)) + " " + std::to_string(0.6 * r * std::cos(a)) + "\n";
    }
  }
  text += "0 0 12\n0 0 -12\n";
  const auto face = [&](int a, int b, int c) {
    text += "3 " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + "\n";
  };
  for (int j = 0; j < around; ++j) {
    const int k = (j + 1) % around, last = (rings - 1) * around;
    face(rings * around, j, k), face(rings * around + 1, last + k, last + j);
    for (int i = 0; i + 1 < rings; ++i) {
      face(i * around + j, (i + 1) * around + j, (i + 1) * around + k);
      face(i * around + j, (i + 1) * around + k, i * around + k);
    }
  }
  const std::string file = "'" + put("scan.off", text).string() + "'";
  const Output o = scree("import " + file + " --unit mm");
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* part : {"corners: thinned out to ", "inertia off by ", "surface by up to ", "volume by ",
                           "--corners N", "--decompose keeps dents"})
    EXPECT_TRUE(has(o.err, part)) << part << "\n" << o.err;
  const auto stone = nlohmann::json::parse(scree("show scan --json").out);
  EXPECT_LE(stone["vertices"].size(), 128u);
  EXPECT_NEAR(stone["volume"].get<double>(), M_PI / 6 * 0.8 * 0.6, 0.02 * M_PI / 6 * 0.8 * 0.6);
  EXPECT_NEAR(stone["zingg"][0].get<double>(), 0.8, 0.02);
  EXPECT_NEAR(stone["zingg"][1].get<double>(), 0.75, 0.02);
  EXPECT_TRUE(has(scree("show scan").out, ": equant; middle over longest")) << scree("show scan").out;
  const Output few = scree("import " + file + " --corners 20 --force");
  EXPECT_EQ(few.code, 2);
  EXPECT_TRUE(has(few.err, "20 corners cannot stand for the ")) << few.err;
  EXPECT_TRUE(has(few.err, "--tolerance 0.")) << few.err;
  EXPECT_EQ(scree("import " + file + " --corners 20 --tolerance 0.2 --force").code, 0);
  EXPECT_NE(scree("import " + file + " --corners 20 --decompose --force").code, 0) << "parts have corners of their own";
  EXPECT_NE(scree("import " + file + " --corners 129 --force").code, 0);
}

TEST_F(ShapeCommand, TheLibraryHasStonesAsFromScans) {
  const auto of = [&](const char* name) {
    return nlohmann::json::parse(scree(std::string("show ") + name + " --json").out);
  };
  const auto angular = of("stone_angular"), round = of("stone_subrounded"), rod = of("stone_elongated");
  EXPECT_LT(angular["sphericity"], round["sphericity"]);
  EXPECT_LT(rod["zingg"][0].get<double>(), 2.0 / 3);
  EXPECT_GT(angular["zingg"][0].get<double>(), 2.0 / 3);
  for (const auto& s : {angular, round, rod}) EXPECT_LE(s["vertices"].size(), 128u);
}

TEST_F(ShapeCommand, ShowGivesNumbersWithUnits) {
  const Output o = scree("show cube");
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.out, "vertices        8"));
  EXPECT_TRUE(has(o.out, "volume          1 s^3 (m^3)"));
  EXPECT_TRUE(has(o.out, "0.166666667, 0.166666667, 0.166666667 rho s^5"));
  const auto j = nlohmann::json::parse(scree("show cube --json").out);
  EXPECT_EQ(j.at("vertices").size(), 8u);
  EXPECT_EQ(j.at("faces").size(), 6u);
  EXPECT_NEAR(j.at("sphericity").get<double>(), std::cbrt(M_PI / 6), 1e-12);
}

TEST_F(ShapeCommand, ShowDraws) {
  const fs::path file = home / "grain.svg";
  EXPECT_EQ(scree("show grain14 --svg " + file.string()).code, 0);
  EXPECT_TRUE(content(file).starts_with("<svg"));
  EXPECT_TRUE(has(content(file), "<polygon"));
  const Output o = scree("show grain14 --svg " + (home / "no/such/folder/grain.svg").string());
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.err, "no/such/folder"));
}

TEST_F(ShapeCommand, UnknownNamesAreBadInput) {
  for (const char* command : {"show cbue", "remove cbue"}) {
    const Output o = scree(command);
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_TRUE(has(o.err, "did you mean cube?")) << o.err;
  }
}

TEST_F(ShapeCommand, ImportShowRemove) {
  const Output o = scree("import '" + brick().string() + "' --unit mm");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "brick-24: 8 vertices, 6 faces, written to " + (home / "scree/shapes/brick-24.yaml").string()))
      << o.out;
  EXPECT_TRUE(has(o.out, "24 mm"));
  const auto j = nlohmann::json::parse(scree("show brick-24 --json").out);
  EXPECT_NEAR(j.at("volume").get<double>(), 0.5 * 0.25, 1e-7);
  EXPECT_TRUE(has(scree("list").out, "imported from Brick 24.off"));

  const Output again = scree("import '" + brick().string() + "' --description other");
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(has(again.err, "--force"));
  EXPECT_EQ(scree("import '" + brick().string() + "' --description other --force").code, 0);
  EXPECT_TRUE(has(scree("list").out, "other"));

  EXPECT_EQ(scree("remove brick-24").code, 0);
  EXPECT_EQ(scree("show brick-24").code, 2);
}

TEST_F(ShapeCommand, ImportSaysWhatItRepairedOrWhyItRefused) {
  const Output refused = scree("import " + open_box().string());
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.err, "open: 4 edges")) << refused.err;
  EXPECT_FALSE(fs::exists(home / "scree/shapes/open.yaml"));
  const Output taken = scree("import " + open_box().string() + " --hull --name lid");
  EXPECT_EQ(taken.code, 0);
  EXPECT_TRUE(has(taken.err, "note: its convex hull taken")) << taken.err;
  EXPECT_EQ(scree("show lid").code, 0);
}

TEST_F(ShapeCommand, ImportRefusesBadNamesUnitsAndFiles) {
  EXPECT_EQ(scree("import '" + brick().string() + "' --name 'Bad Name'").code, 2);
  EXPECT_EQ(scree("import '" + brick().string() + "' --unit parsec").code, 2);
  EXPECT_EQ(scree("import '" + brick().string() + "' --scale -1").code, 2);
  EXPECT_EQ(scree("import " + (home / "no.stl").string()).code, 2);
  EXPECT_EQ(scree("import " + put("garbage.stl", "garbage").string()).code, 2);
  EXPECT_EQ(scree("import").code, 2);
  EXPECT_EQ(scree("").code, 2);
}

TEST_F(ShapeCommand, BuiltInShapesStay) {
  const Output o = scree("remove cube");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "built-in"));
  EXPECT_EQ(scree("show cube").code, 0);
}

TEST_F(ShapeCommand, AFolderThatCannotBeWrittenIsAFailedRun) {
  put("scree", "a file in the folder's place");
  const Output o = scree("import '" + brick().string() + "' --name brick");
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.err, "cannot make the folder")) << o.err;
}

TEST_F(ShapeCommand, HelpHasAnExample) {
  for (const char* command : {"--help", "list --help", "show --help", "import --help", "remove --help"}) {
    const Output o = scree(command);
    EXPECT_EQ(o.code, 0) << command;
    EXPECT_TRUE(has(o.out, "Example")) << command;
  }
}

}  // namespace

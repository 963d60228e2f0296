// LIBS: nlohmann_json::nlohmann_json
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "cli/bench_command.h"

namespace {

using namespace scree::testing_cli;
struct NeighbourCommand : BenchCommand {
  fs::path file(const std::string& name, const std::string& text) {
    std::ofstream(home / name, std::ios::binary) << text;
    return home / name;
  }
};

/// Methods that searched, by set and size; every list of a set has one hash and one length.
std::map<std::string, std::set<std::string>> searched(const json& rows) {
  std::map<std::string, std::set<std::string>> methods;
  std::map<std::string, std::set<std::string>> lists;
  for (const json& r : rows) {
    std::string set = r["case"].get<std::string>() + " " + r["n"].dump();
    for (const char* key : {"spacing", "ratio", "grading"}) {
      if (r.contains(key)) set += " " + r[key].dump();
    }
    if (r.contains("unsearched")) {
      EXPECT_FALSE(r.contains("seconds")) << r;
      continue;
    }
    EXPECT_GT(r["seconds"], 0) << r;
    EXPECT_GT(r["n"], 0) << r;
    EXPECT_EQ(r["hash"].get<std::string>().size(), 16u) << r;
    EXPECT_GE(r["bytes"].get<std::size_t>(), 8 * r["pairs"].get<std::size_t>()) << r;
    EXPECT_GT(r["factor"], 0) << r;
    methods[set].insert(r["method"]);
    lists[set].insert(r["hash"].get<std::string>() + r["pairs"].dump());
  }
  EXPECT_FALSE(methods.empty());
  for (const auto& [set, different] : lists) EXPECT_EQ(different.size(), 1u) << set;
  return methods;
}

const std::set<std::string> kAll{"dess", "nbs", "two_level", "sorted_grid", "multi_level_grid", "auto"};

TEST_F(NeighbourCommand, BuiltInSetsAreSearchedByAllMethodsWithOneList) {
  std::set<std::string> sets;
  for (auto& [set, methods] : searched(rows_of("neighbours"))) {
    sets.insert(set.substr(0, set.rfind(' ')));
    methods.erase("brute_force");
    EXPECT_EQ(methods, kAll) << set;
  }
  EXPECT_EQ(sets, (std::set<std::string>{"equal", "equal, shuffled", "1:12", "clusters", "loose"}));
  EXPECT_TRUE(has(out, "All lists of a set are identical")) << out;
  EXPECT_TRUE(has(out, "What `auto` takes")) << out;
}

/// A file of the shared data beside the sources, with the pair counts that are published for it.
struct Published {
  const char* file;
  std::vector<std::pair<const char*, std::size_t>> pairs;
};

TEST_F(NeighbourCommand, PublishedCountsOfPairs) {
  const fs::path data = fs::path(SCREE_SOURCE_DIR) / ".." / "shared" / "data";
  const std::vector<Published> published{
      {"kleinert2048.xyzr", {{"1.0", 154}, {"1.05", 4328}, {"1.2", 6225}, {"1.5", 10139}}},
      {"pen25k.xyzr", {{"1.0", 53876}, {"1.05", 76891}, {"1.2", 105419}, {"1.5", 164925}}}};
  for (const Published& set : published) {
    const fs::path positions = data / "pairs" / set.file;
    if (!fs::exists(positions)) GTEST_SKIP() << "the shared data folder is not beside this checkout: " << positions;
    for (const auto& [factor, pairs] : set.pairs) {
      const json rows = rows_of("neighbours", "--quick --positions '" + positions.string() + "' --factor " + factor);
      // Brute force is left out of sets as large as the second, unless it is asked for.
      EXPECT_EQ(rows.size(), has(set.file, "2048") ? 7u : 6u) << rows;
      for (auto& [_, methods] : searched(rows)) {
        methods.erase("brute_force");
        EXPECT_EQ(methods, kAll);
      }
      for (const json& r : rows) {
        EXPECT_EQ(r["pairs"], pairs) << r;
        EXPECT_EQ(r["factor"], std::stod(factor));
        EXPECT_EQ(r["case"], set.file);
      }
      EXPECT_TRUE(has(out, "equal hash: the same list")) << out;
    }
  }
}

TEST_F(NeighbourCommand, OwnPositionsWithChosenMethods) {
  const std::string bed = file("own.xyzr", "# three in a row\r\n0 0 0 1\r\n2.1,0,0,1\r\n\r\n4.4 0 0 1\r\n").string();
  json rows = rows_of("neighbours", "--positions '" + bed + "' --factor 1.1 --methods two_level,brute_force,auto");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["method"], "two_level");
  EXPECT_EQ(rows[1]["method"], "brute_force");
  for (const json& r : rows) {
    EXPECT_EQ(r["n"], 3);
    EXPECT_EQ(r["pairs"], 1);
    EXPECT_EQ(r["threads"], 1);
  }
  rows = rows_of("neighbours", "--positions '" + bed + "' --factor 1.2 --threads 1 2 --methods sorted_grid");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1]["pairs"], 2);
  EXPECT_EQ(rows[1]["hash"], rows[0]["hash"]);
}

TEST_F(NeighbourCommand, EveryBadLineIsNamedAndNothingIsSearched) {
  const std::string bad = file("bad.xyzr", "0 0 0 1\n0 0 nan 1\n1 2 3\nx y z r\n1 2 3 0\n1 2 3 4 5\n").string();
  EXPECT_EQ(scree("neighbours --positions '" + bad + "'"), 2);
  for (const char* part : {"bad.xyzr:2:5: z: expected a finite number", "bad.xyzr:3:1: 3 columns", "bad.xyzr:4:1: x",
                           "bad.xyzr:5:7: r: expected a length above 0, got 0", "bad.xyzr:6:1: 5 columns"})
    EXPECT_TRUE(has(err, part)) << part << "\n" << err;
  EXPECT_EQ(out, "");
  EXPECT_EQ(scree("neighbours --positions '" + (home / "absent").string() + "'"), 2);
  EXPECT_TRUE(has(err, "no such file")) << err;
  EXPECT_EQ(scree("neighbours --positions '" + file("none.xyzr", "# nothing\n").string() + "'"), 2);
  EXPECT_TRUE(has(err, "no grains")) << err;
  EXPECT_EQ(scree("neighbours --positions /bin/ls"), 2);
  EXPECT_TRUE(has(err, "text file") || has(err, "longer than")) << err;
  // A radius whose reach no double holds is refused by the search itself.
  EXPECT_EQ(scree("neighbours --factor 1e10 --positions '" + file("huge.xyzr", "0 0 0 1e300\n").string() + "'"), 2);
  EXPECT_TRUE(has(err, "huge.xyzr") && has(err, "body 0")) << err;
}

TEST_F(NeighbourCommand, ReadsWhatACaseReads) {
  // Cubes of 1 m: bounding spheres of sqrt(3) / 2 m reach each other below 1.732 m.
  const std::string table = file("cubes.csv",
                                 "x [mm];y;z;size [cm];shape\n0;0;0;100;cube\n1700;0;0;100;cube\n"
                                 "3450;0;0;100;cube\n")
                                .string();
  json rows = rows_of("neighbours", "--positions '" + table + "' --methods brute_force");
  EXPECT_EQ(rows[0]["pairs"], 1);
  const std::string diameters = file("d.txt", "x y z d [mm]\n0 0 0 1000\n0 1.01 0 1000\n").string();
  EXPECT_EQ(rows_of("neighbours", "--positions '" + diameters + "' --methods brute_force")[0]["pairs"], 0);
  EXPECT_EQ(rows_of("neighbours", "--positions '" + diameters + "' --factor 1.02 --methods brute_force")[0]["pairs"],
            1);
  EXPECT_EQ(scree("neighbours --positions '" + file("bare.txt", "x y z\n0 0 0\n").string() + "'"), 2);
  EXPECT_TRUE(has(err, "bare.txt: it does not say how large the grains are")) << err;
  EXPECT_EQ(scree("neighbours --positions '" + file("odd.txt", "x y z size shape\n0 0 0 1 cbue\n").string() + "'"), 2);
  EXPECT_TRUE(has(err, "cbue") && has(err, "cube")) << err;
  std::ofstream(home / "case.yaml")
      << "materials: {stone: {density: 2650 kg/m^3}}\n"
         "contacts: [{between: [stone, stone], law: linear, kn: 1 MN/m, friction: 0.5, restitution: 1}]\n"
         "particles: [{name: a, count: 2, shapes: [sphere], size: 2 m, place: {at: [[0, 0, 0], "
         "[2.05 m, 0, 0]]}, material: stone}]\nstages: [{duration: 0.1 s}]\n";
  const std::string results = (home / "results").string();
  ASSERT_EQ(std::system(("'" SCREE_BINARY "' run '" + (home / "case.yaml").string() + "' --out '" + results +
                         "' --until 0 --no-report --quiet >/dev/null")
                            .c_str()),
            0);
  for (const char* saved : {"/frames/frame_000000.vtkhdf", "/checkpoint/checkpoint_0000000000.h5"}) {
    const std::string from = "--positions '" + results + saved + "' --methods brute_force --factor ";
    EXPECT_EQ(rows_of("neighbours", from + "1.02")[0]["pairs"], 0) << saved;
    EXPECT_EQ(rows_of("neighbours", from + "1.03")[0]["pairs"], 1) << saved;
  }
}

TEST_F(NeighbourCommand, TheFigureOfBoxSizesTakesOwnPositions) {
  const std::string bed = file("row.xyzr", "0 0 0 1\n1.9 0 0 1\n3.8 0 0 1\n5.7 0 0 1\n").string();
  const json rows = rows_of("zhao-fig6", "--quick --positions '" + bed + "'");
  ASSERT_GT(rows.size(), 3u);
  for (const json& r : rows) {
    EXPECT_EQ(r["n"], 4) << r;
    EXPECT_EQ(r["pairs"], 3) << r;
    EXPECT_EQ(r["positions"], "row.xyzr") << r;
  }
}

TEST_F(NeighbourCommand, OptionsThatDoNotFitAreRefused) {
  const std::string bed = file("own.xyzr", "0 0 0 1\n").string();
  EXPECT_EQ(scree("neighbours --positions '" + bed + "' --methods two_levle"), 2);
  EXPECT_TRUE(has(err, "two_levle; did you mean two_level?")) << err;
  EXPECT_EQ(scree("neighbours --positions '" + bed + "' --factor 0"), 2);
  EXPECT_EQ(scree("neighbours --positions '" + bed + "' --factor nan"), 2);
  EXPECT_EQ(scree("neighbours --factor 1.2"), 2);
  EXPECT_EQ(scree("munjiza --quick --positions '" + bed + "'"), 2);
  EXPECT_TRUE(has(err, "--positions")) << err;
  EXPECT_EQ(scree("zhao-fig6 --quick --factor 1.2 --positions '" + bed + "'"), 2);
  EXPECT_TRUE(has(err, "--factor")) << err;
  EXPECT_EQ(scree("zhao-fig6 --quick --positions '" + (home / "absent").string() + "'"), 2);
}

TEST_F(NeighbourCommand, SetsWrittenReadBackWithTheSameList) {
  EXPECT_EQ(scree("neighbours --quick --write-sets '" + home.string() + "'"), 0) << err;
  ASSERT_TRUE(fs::exists(home / "1-12-21346.xyzr")) << out;
  ASSERT_TRUE(fs::exists(home / "equal-5000.xyzr")) << out;
  const json built_in = rows_of("neighbours", "--quick --threads 1 --methods two_level");
  // Radius 1 mm and margin 0.2 mm: the factor 1.1.
  const json own = rows_of(
      "neighbours", "--methods two_level --factor 1.1 --positions '" + (home / "equal-5000.xyzr").string() + "'");
  std::size_t compared = 0;
  for (const json& r : built_in) {
    if (r["case"] != "equal" || r["n"] != 5000) continue;
    EXPECT_EQ(r["hash"], own[0]["hash"]);
    ++compared;
  }
  EXPECT_EQ(compared, 1u);
  EXPECT_EQ(scree("neighbours --quick --write-sets /nowhere/at/all"), 1);
  EXPECT_TRUE(has(err, "/nowhere/at/all")) << err;
}

TEST_F(NeighbourCommand, MunjizasExamplesFindWhatTouches) {
  const json all = all_of("munjiza", "--quick");
  for (const auto& [set, methods] : searched(all["rows"])) EXPECT_EQ(methods, kAll) << set;
  std::set<std::string> packings;
  for (const json& r : all["rows"]) {
    EXPECT_EQ(r["pairs"], r["touching"]) << r;
    packings.insert(r["packing"]);
    if (r["packing"] == "A" && r["n"] == 100) {
      // Ten rows of ten discs at 1 and 2: 19 by 10 cells, Eq. 13 counts 2 * 100 + 19 + 2 * 10 integers.
      EXPECT_EQ(r["bytes_as_printed"], 4 * (2 * 100 + 19 + 2 * 10)) << r;
      EXPECT_EQ(r["touching"], 90) << r;
    }
  }
  EXPECT_EQ(packings, (std::set<std::string>{"A", "B", "C", "D"}));
  EXPECT_EQ(all["claims"].size(), 4u);
  EXPECT_TRUE(has(out, "proportional to N")) << out;
}

TEST_F(NeighbourCommand, ZhaosFiguresHaveTheirRowsAndClaims) {
  for (const char* name : {"zhao-fig6", "zhao-fig7", "zhao-fig8", "zhao-fig9"}) {
    const json all = all_of(name, "--quick");
    std::set<double> boxes, ratios;
    std::set<std::string> shapes, methods;
    searched(all["rows"]);
    for (const json& r : all["rows"]) {
      if (r["method"] == "two_level") boxes.insert(r["S_over_D50"].get<double>());
      ratios.insert(r["ratio"].get<double>()), shapes.insert(r["shape"]), methods.insert(r["method"]);
    }
    const std::string figure = name;
    EXPECT_TRUE(has(out, all["claim"])) << out;
    EXPECT_TRUE(methods.count("two_level") && methods.count("sorted_grid") && methods.count("multi_level_grid"))
        << name;
    EXPECT_EQ(boxes.size(), figure <= "zhao-fig7" ? 3u : 1u) << name;
    if (figure == "zhao-fig7") {
      EXPECT_EQ(shapes, (std::set<std::string>{"grain16", "cube", "tetrahedron", "plate"}));
    }
    if (figure >= "zhao-fig8") {
      EXPECT_EQ(ratios, (std::set<double>{1, 4}));
    }
    if (figure == "zhao-fig9") {
      EXPECT_TRUE(methods.count("nbs"));
    }
  }
}

}  // namespace

// LIBS: nlohmann_json::nlohmann_json
#include <map>
#include <set>

#include "cli/bench_command.h"

namespace {

using scree::testing_cli::has;
using scree::testing_cli::json;
struct BenchCommand : scree::testing_cli::BenchCommand {};

TEST_F(BenchCommand, CommonPlaneHasARowPerStrategyShapeStateAndStart) {
  const json rows = rows_of("common-plane");
  std::set<std::string> seen, strategies, shapes, states;
  for (const json& r : rows) {
    for (const char* key :
         {"ns", "iterations_mean", "iterations_max", "evaluations_mean", "wrong", "worst_error", "pairs"})
      EXPECT_TRUE(r.contains(key) && r[key].is_number()) << r;
    EXPECT_GT(r["ns"], 0) << r;
    EXPECT_GT(r["pairs"], 0) << r;
    EXPECT_GE(r["iterations_max"].get<double>(), r["iterations_mean"].get<double>()) << r;
    const std::string strategy = r["strategy"], shape = r["shape"], state = r["state"], start = r["start"];
    EXPECT_TRUE(seen.insert(strategy + '|' + shape + '|' + state + '|' + start).second) << r;
    strategies.insert(strategy), shapes.insert(shape), states.insert(state);
  }
  EXPECT_EQ(states.size(), 5u);
  for (const char* needed : {"common_plane", "common_plane, random axes", "fast", "fast, paper", "shortest_link",
                             "shortest_link, literal", "separating_axis", "gjk", "auto"}) {
    EXPECT_TRUE(strategies.count(needed)) << needed;
  }
  for (const std::string& strategy : strategies) {
    for (const std::string& shape : shapes) {
      for (const std::string& state : states) {
        EXPECT_TRUE(seen.count(strategy + '|' + shape + '|' + state + "|tracked")) << strategy << shape << state;
        // What keeps a pair's history has nothing to say about a pair that it has never seen.
        EXPECT_EQ(seen.count(strategy + '|' + shape + '|' + state + "|cold"), has(strategy, "paper") ? 0u : 1u);
      }
    }
  }
  EXPECT_TRUE(has(out, "| cached update, face on face ")) << out;
  EXPECT_FALSE(has(out, "| evaluations mean |"));
}

/// The results are the same with all instruction sets; that fewer are used is what the record says.
TEST_F(BenchCommand, VectorsCanBeLimited) {
  const json widest = all_of("nezami-fig14", "--quick");
  int narrower = 0;
  for (const auto& [name, target] : {std::pair("avx512", "AVX3"), {"avx2", "AVX2"}, {"sse4", "SSE4"}}) {
    const std::string arguments = std::string("nezami-fig14 --quick --vectors ") + name;
    if (scree(arguments) == 2) {
      EXPECT_TRUE(has(err, std::string("--vectors: this processor has no ") + name)) << err;
      continue;
    }
    const json limited = all_of("nezami-fig14", std::string("--quick --vectors ") + name);
    EXPECT_EQ(limited["vectors"], target);
    narrower += limited["vectors"] != widest["vectors"] ? 1 : 0;
  }
  EXPECT_GT(narrower, 0);
  EXPECT_EQ(scree("nezami-fig14 --quick --vectors mmx"), 2);
  EXPECT_TRUE(has(err, "mmx")) << err;
}

TEST_F(BenchCommand, PlanarPairsAreOfBothTypesOfThePaper) {
  std::set<std::string> of_a, of_b;
  std::map<std::string, int> rows;
  for (const json& r : rows_of("nezami-fig14")) {
    (r["type"] == "a" ? of_a : of_b).insert(r["shape"]);
    ++rows[r["strategy"].get<std::string>() + ", " + r["start"].get<std::string>()];
    EXPECT_GT(r["ns"], 0) << r;
    EXPECT_LE(r["iterations_mean"].get<double>(), r["iterations_max"].get<double>()) << r;
    if (r["strategy"] == "fast" || r["strategy"] == "exact") {
      EXPECT_EQ(r["wrong"], 0) << r;
      EXPECT_LT(r["worst_error"].get<double>(), 1e-12) << r;
    }
    if (r["strategy"] == "fast") {
      EXPECT_LE(r["iterations_max"], 4) << r;
    }
  }
  EXPECT_EQ(of_a.size(), 8u);
  EXPECT_EQ(of_b.size(), 8u);
  for (const char* needed : {"common_plane, cold", "common_plane, warm", "common_plane to 1e-9, cold", "fast, cold",
                             "fast, warm", "exact, cold"})
    EXPECT_EQ(rows[needed], 16) << needed;
  EXPECT_TRUE(has(out, "R over the 16 pairs; Nezami et al. 2004, section 7.1: 1 to 5")) << out;
}

TEST_F(BenchCommand, ExactMethodsAreNeverWrongAndCundallsSearchIs) {
  int exact = 0;
  double cundall = 0;
  for (const json& r : rows_of("common-plane")) {
    const bool overlap = has(r["state"], "overlap");
    if (r["strategy"] == "auto" || r["strategy"] == "gjk" || (r["strategy"] == "separating_axis" && overlap)) {
      ++exact;
      EXPECT_EQ(r["wrong"], 0) << r;
      EXPECT_LT(r["worst_error"].get<double>(), 1e-12) << r;
    }
    if (r["strategy"] == "common_plane") cundall += r["wrong"].get<double>();
  }
  EXPECT_GE(exact, 40);
  // An error that no method shows would be none that is measured.
  EXPECT_GT(cundall, 0);
}

TEST_F(BenchCommand, EveryRowIsPrintedOnDemand) {
  EXPECT_EQ(scree("common-plane --quick --rows"), 0);
  EXPECT_TRUE(has(out, "| evaluations mean |")) << out;
}

TEST_F(BenchCommand, SpeedUpComesBesideAccuracyAndThePapersNumber) {
  std::set<std::string> methods;
  for (const json& r : rows_of("nezami-fig16")) {
    EXPECT_TRUE(r["stage"] == "fill" || r["stage"] == "flow") << r;
    EXPECT_GT(r["speed_up"], 0) << r;
    if (r["method"] == "common_plane") {
      EXPECT_EQ(r["speed_up"], 1) << r;
    }
    if (r["method"] == "common_plane, fine") {
      EXPECT_EQ(r["speed_up_over_fine"], 1) << r;
    }
    if (r["method"] == "separating_axis") {
      EXPECT_EQ(r["short_by_1e-6"], 0) << r;
    }
    methods.insert(r["method"]);
  }
  EXPECT_EQ(methods.size(), 9u);
  EXPECT_TRUE(has(out, "12 to 38")) << out;
  EXPECT_TRUE(has(out, "mean 1.54, at most 4")) << out;
}

TEST_F(BenchCommand, TimeStandsAgainstCornersOfEachPrototype) {
  std::set<int> corners;
  for (const json& r : rows_of("nezami-fig17")) {
    corners.insert(r["corners"].get<int>());
    if (r["corners"] == 4) {
      EXPECT_EQ(r["time_over_four_corners"], 1) << r;
    }
  }
  EXPECT_EQ(corners, (std::set<int>{4, 5, 8, 14}));
}

TEST_F(BenchCommand, BondedStepsHaveTheirRatesAndOneListForBothSearches) {
  const json rows = rows_of("bonded");
  EXPECT_EQ(rows.size(), 2u);
  for (const json& r : rows) {
    for (const char* key : {"sphere_steps_per_s", "search_clusters_ns", "search_sorted_grid_ns", "pairs_per_sphere"})
      EXPECT_GT(r[key], 0) << r;
    EXPECT_LE(r["bytes_per_bond"], 400) << r;
    EXPECT_GT(r["bonds_per_sphere"], 2) << r;
    EXPECT_GT(r["contacts_per_sphere"], 0) << r;
  }
}

TEST_F(BenchCommand, ClumpsHaveTheirRates) {
  const json rows = rows_of("clumps");
  ASSERT_EQ(rows.size(), 3u);
  for (const json& r : rows) {
    EXPECT_EQ(r["spheres"], 600) << r;
    for (const char* key : {"sphere_steps_per_s", "points_per_s", "contacts_per_body", "pairs_per_body"})
      EXPECT_GT(r[key], 0) << r;
    EXPECT_GE(r["points_per_body"], r["contacts_per_body"]) << r;
  }
}

TEST_F(BenchCommand, ClustersHaveThePapersCasesAndOneListPerCase) {
  std::map<std::string, std::set<std::string>> lists;
  std::set<std::string> seen;
  for (const json& r : rows_of("huang")) {
    for (const char* key : {"grid_ms", "resolve_ms", "total_ms", "paper_ratio", "pairs"})
      EXPECT_TRUE(r.contains(key) && r[key].is_number()) << r;
    EXPECT_NEAR(r["total_ms"].get<double>(), r["grid_ms"].get<double>() + r["resolve_ms"].get<double>(), 1e-9) << r;
    EXPECT_GT(r["pairs"], 0) << r;
    const std::string scene = std::to_string(r["distribution"].get<int>()) + r["cluster"].get<std::string>();
    EXPECT_TRUE(seen.insert(scene + '|' + r["method"].get<std::string>()).second) << r;
    lists[scene].insert(r["hash"].get<std::string>() + '|' + std::to_string(r["pairs"].get<int>()));
    // Tables 9 to 11; what is printed as 8.05 ms is 814.05.
    if (scene == "4F") {
      EXPECT_NEAR(r["paper_ratio"].get<double>(), 43.45, 0.005);
    }
    if (scene == "1A") {
      EXPECT_NEAR(r["paper_ratio"].get<double>(), 0.54, 0.005);
    }
    if (r.contains("paper_total_ms")) {
      EXPECT_NEAR(r["paper_total_ms"].get<double>(),
                  r["paper_grid_ms"].get<double>() + r["paper_resolve_ms"].get<double>(), 0.06)
          << r;
    }
  }
  EXPECT_EQ(lists.size(), 24u);
  EXPECT_EQ(seen.size(), 4 * 24u);
  for (const auto& [scene, hashes] : lists) EXPECT_EQ(hashes.size(), 1u) << scene;
  EXPECT_TRUE(has(out, "| distribution, cluster |")) << out;
  EXPECT_FALSE(has(out, "paper_ratio")) << out;
}

TEST_F(BenchCommand, SkinsAreComparedOnOneMotion) {
  std::map<std::string, int> tuned, fixed;
  std::map<std::string, std::set<double>> contacts;
  for (const json& r : rows_of("skin")) {
    const std::string scene = r["scene"];
    EXPECT_GT(r["ns_per_particle_step"], 0) << r;
    ++(r["skin"] == "tuned" ? tuned : fixed)[scene];
    contacts[scene].insert(r["contacts_per_particle"].get<double>());
  }
  EXPECT_EQ(tuned.size(), 4u);
  for (const auto& [scene, n] : tuned) {
    EXPECT_EQ(n, 1) << scene;
    EXPECT_EQ(fixed[scene], 8) << scene;
    EXPECT_EQ(contacts[scene].size(), 1u) << scene;
  }
}

TEST_F(BenchCommand, OrdersInMemoryAreComparedOnOneMotion) {
  std::map<std::string, std::set<std::string>> orders;
  for (const json& r : rows_of("order")) {
    EXPECT_GT(r["ns_per_particle_step"], 0) << r;
    EXPECT_GT(r["contacts_per_particle"], 3) << r;
    orders[r["scene"]].insert(r["memory_order"]);
  }
  EXPECT_EQ(orders, (std::map<std::string, std::set<std::string>>{{"cubes", {"id", "spatial"}},
                                                                  {"spheres", {"id", "spatial"}}}));
}

TEST_F(BenchCommand, WallsAreComparedOnOneBed) {
  std::map<std::string, std::map<std::string, json>> rows;
  for (const json& r : rows_of("walls")) rows[r["scene"]][r["walls"]] = r;
  EXPECT_EQ(rows.size(), 2u);
  for (const auto& [scene, of] : rows) {
    ASSERT_EQ(of.size(), 5u) << scene;
    EXPECT_GT(of.at("crumpled, as coarse as the grains")["facets"], 800) << scene;
    EXPECT_EQ(of.at("flat mesh")["facets"], 6) << scene;
    EXPECT_GT(of.at("crumpled mesh")["facets"], 4000) << scene;
    EXPECT_EQ(of.at("flat mesh")["wall_contacts"], of.at("planes")["wall_contacts"]) << scene;
    EXPECT_GT(of.at("crumpled mesh")["ns_per_particle_step"], 0) << scene;
    EXPECT_LT(of.at("crumpled mesh, simplified")["facets"], 100) << scene;
    EXPECT_GT(of.at("crumpled mesh, simplified")["ns_per_particle_step"], 0) << scene;
  }
}

/// The motion is the same on any number of threads, so what a record says of it is.
TEST_F(BenchCommand, BedsAreTimedOnEachNumberOfThreads) {
  std::map<std::string, std::vector<json>> rows;
  for (const json& r : rows_of("spheres", "--quick --threads 1 2")) rows[r["case"]].push_back(r);
  EXPECT_EQ(rows.size(), 4u);
  for (const auto& [name, of] : rows) {
    ASSERT_EQ(of.size(), 2u) << name;
    EXPECT_NE(of[0]["threads"], of[1]["threads"]);
    EXPECT_EQ(of[0]["steps"], 50) << name;
    EXPECT_GT(of[0]["points_between_particles"], 500) << name;
    EXPECT_GT(of[0]["kinetic_energy_per_particle"], 0) << name;
    for (const char* same :
         {"particles", "steps", "contacts_per_particle", "points_between_particles", "kinetic_energy_per_particle"})
      EXPECT_EQ(of[0][same], of[1][same]) << name << ' ' << same;
  }
}

TEST_F(BenchCommand, ACaseOfTheUsersOwnIsTimed) {
  const std::string box = std::string("--case '") + SCREE_SOURCE_DIR + "/examples/box_fill.yaml' ";
  const json rows = rows_of("case", box + "--set particles[0].count=50 --steps 30 --turns 2 --threads 1");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["case"], "box_fill");
  EXPECT_EQ(rows[0]["particles"], 50);
  EXPECT_EQ(rows[0]["steps"], 30);
  EXPECT_EQ(scree("case"), 2);
  EXPECT_TRUE(has(err, "--case FILE")) << err;
  EXPECT_EQ(scree("case --case nowhere.yaml"), 2);
  EXPECT_TRUE(has(err, "nowhere.yaml")) << err;
  EXPECT_EQ(scree("case " + box + "--set particles[0].count=fifty"), 2);
  EXPECT_TRUE(has(err, "particles[0].count")) << err;
}

TEST_F(BenchCommand, OptionsThatABenchDoesNotKnowAreRefused) {
  for (const char* arguments :
       {"skin --scene cubes", "munjiza --threads 2", "polyhedra --rows", "order --methods nbs", "spheres --steps 3"}) {
    EXPECT_EQ(scree(arguments), 2) << arguments;
    EXPECT_TRUE(has(err, "is for scree bench")) << err;
  }
}

TEST_F(BenchCommand, UnknownNameAndUnwritableFileAreRefused) {
  EXPECT_EQ(scree("nezami-fig15"), 2);
  EXPECT_TRUE(has(err, "nezami-fig15") && has(err, "nezami-fig16")) << err;
  EXPECT_EQ(scree("common-plane --quick --json /nowhere/at/all.json"), 1);
  EXPECT_TRUE(has(err, "/nowhere/at/all.json")) << err;
}

}  // namespace

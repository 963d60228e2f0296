// Bonds in the engine: breakage with the same bits on any number of threads and across a restart, and what it means for
// contacts, fragments and sums.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "exec/parallel.h"
#include "io/checkpoint/checkpoint.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

Case::Cluster cluster(bond::Cluster spheres, const bond::ParallelBond& law) {
  Case::Cluster c;
  c.name = "lump", c.spheres = std::move(spheres), c.law = law;
  c.bonds = *bond::bonds_by_distance(c.spheres, 1.05);
  return c;
}

bond::ParallelBond cement(double strength) {
  bond::ParallelBond law;
  law.given = bond::ParallelBond::Stiffness::modulus, law.modulus = 2e8, law.ratio = 2.5, law.damping = 0.05;
  law.normal_strength = strength, law.shear_strength = strength, law.weibull_modulus = 6;
  return law;
}

/// Clusters dropped on a floor.
Case falling(std::uint64_t count, double strength, double speed) {
  Case c = scenes::empty_case();
  scenes::add_plane(c, "floor", {}, {0, 0, 1});
  c.clusters.push_back(cluster(*bond::cube(4, 5e-3), cement(strength)));
  Case::Group g;
  g.name = "lumps", g.count = count, g.shapes = {"sphere"}, g.cluster = 0, g.velocity = {0.3, 0, -speed};
  Case::AtPoints at;
  for (std::uint64_t k = 0; k < count; ++k) at.points.push_back({0.09 * static_cast<double>(k), 0, 0.04});
  g.place = at;
  c.particles.push_back(g);
  return c;
}

std::size_t searched_fragments(const Simulation& s) {
  std::vector<std::uint32_t> name(s.particles.size_rows());
  for (std::size_t i = 0; i < name.size(); ++i) name[i] = static_cast<std::uint32_t>(i);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t r = 0; r < s.bonds.size(); ++r) {
      if (!s.bonds.alive[r]) continue;
      std::uint32_t &a = name[s.bonds.row_a[r]], &b = name[s.bonds.row_b[r]];
      if (a != b) a = b = std::min(a, b), changed = true;
    }
  }
  return std::set<std::uint32_t>(name.begin(), name.end()).size();
}

TEST(BondsInTheEngine, SameBitsThroughBreakageOnAnyNumberOfThreads) {
  const auto run = [](int threads) {
    exec::set_threads(threads);
    Simulation s = scenes::build(falling(6, 3e5, 4));
    std::vector<std::uint64_t> hashes;
    for (int k = 0; k < 1800; ++k) {
      step(s);
      if (k % 250 == 0) hashes.push_back(state_hash(s));
    }
    hashes.push_back(state_hash(s));
    EXPECT_FALSE(s.fault) << s.fault->message;
    EXPECT_GT(s.bonds_broken, 100u);
    EXPECT_EQ(totals(s).fragments, searched_fragments(s));
    EXPECT_GT(totals(s).fragments, 6u);
    exec::set_threads(0);
    return hashes;
  };
  const auto one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(5));
}

TEST(BondsInTheEngine, SameBitsWithAnyNeighbourSearch) {
  using enum neighbour::Method;
  std::uint64_t expected = 0;
  for (const neighbour::Method method : {sorted_grid, clusters, automatic}) {
    for (const int threads : {1, 3}) {
      if (threads == 3 && method == sorted_grid) continue;
      exec::set_threads(threads);
      // A second layer falls onto the first one's fragments, and loose grains lie among them.
      Case c = falling(9, 1e5, 8);
      auto& places = std::get<Case::AtPoints>(c.particles[0].place).points;
      for (int k = 0; k < 9; ++k)
        places[static_cast<std::size_t>(k)] = {0.05 * (k % 3), 0.05 * (k / 3), k % 2 ? 0.04 : 0.1};
      Case::Group loose = c.particles[0];
      loose.name = "loose", loose.count = 4, loose.cluster = -1, loose.size = {Case::Size::Kind::fixed, 8e-3, 0};
      loose.place =
          Case::AtPoints{{{0.025, 0.025, 5e-3}, {0.075, 0.025, 5e-3}, {0.025, 0.075, 5e-3}, {0.075, 0.075, 5e-3}}};
      c.particles.push_back(loose);
      c.detection.neighbours = method;
      Simulation s = scenes::build(c);
      for (int k = 0; k < 1500; ++k) step(s);
      ASSERT_FALSE(s.fault) << s.fault->message;
      EXPECT_GT(s.bonds_broken, 100u);
      EXPECT_GT(s.contacts.size(), 20u);
      EXPECT_GT(s.counters.rebuilds, 20u);
      if (method == clusters) {
        EXPECT_EQ(s.counters.search.method, clusters);
      }
      if (expected == 0) expected = state_hash(s);
      EXPECT_EQ(state_hash(s), expected) << neighbour::name(method) << ", " << threads << " threads";
    }
  }
  exec::set_threads(0);
}

TEST(BondsInTheEngine, SameBitsForAnyOrderInMemory) {
  const auto run = [](Case::MemoryOrder order, std::uint64_t* sorts) {
    // Side by side in a square, each row of clusters six further in the ids: pairs between rows lie far apart in
    // memory.
    Case c = falling(36, 3e5, 4);
    auto& places = std::get<Case::AtPoints>(c.particles[0].place).points;
    for (int k = 0; k < 36; ++k) places[static_cast<std::size_t>(k)] = {0.0405 * (k % 6), 0.0405 * (k / 6), 0.0205};
    c.particles[0].orientation.random = false;
    c.detection.memory_order = order;
    Simulation s = scenes::build(c);
    for (int k = 0; k < 400; ++k) step(s);
    EXPECT_GT(s.bonds_broken, 20u);
    *sorts = s.counters.spatial_sorts;
    return std::pair{state_hash(s), fragments_of(s).size()};
  };
  std::uint64_t none = 0, some = 0;
  EXPECT_EQ(run(Case::MemoryOrder::id, &none), run(Case::MemoryOrder::spatial, &some));
  EXPECT_EQ(none, 0u);
  EXPECT_GT(some, 0u);
}

TEST(BondsInTheEngine, SameBitsAcrossARestartInTheMiddleOfBreakage) {
  Case c = falling(3, 3e5, 4);
  c.detection.neighbours = neighbour::Method::clusters;
  const fs::path folder = fs::temp_directory_path() / ("scree_bonds_restart_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  Simulation s = scenes::build(c);
  std::uint64_t before = 0;
  while (s.bonds_broken < 40) {
    step(s);
    ASSERT_LT(s.step, 20000u);
  }
  before = s.bonds_broken;
  const auto file = io::write_checkpoint(folder, s, {}, c);
  ASSERT_TRUE(file) << file.error().message;
  auto resumed = io::read_checkpoint(*file, c, scenes::library());
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(totals(resumed->state).bonds, totals(s).bonds);
  EXPECT_EQ(totals(resumed->state).fragments, totals(s).fragments);
  for (int k = 0; k < 400; ++k) {
    step(s), step(resumed->state);
    ASSERT_EQ(s.broken.size(), resumed->state.broken.size()) << k;
  }
  EXPECT_GT(s.bonds_broken, before);
  EXPECT_EQ(state_hash(s), state_hash(resumed->state));
  fs::remove_all(folder);
}

TEST(BondsInTheEngine, BreakageIsCountedAndFragmentsFollowIt) {
  Simulation s = scenes::build(falling(2, 3e5, 4));
  const std::uint64_t made = totals(s).bonds;
  EXPECT_EQ(made, 2 * 144u);
  EXPECT_EQ(totals(s).fragments, 2u);
  std::uint64_t events = 0;
  for (int k = 0; k < 2500; ++k) {
    step(s);
    events += s.broken.size();
    for (const bond::Event& e : s.broken) {
      ASSERT_GE(e.stress, e.strength);
      ASSERT_EQ(e.time, s.time);
      ASSERT_LT(e.id_a, e.id_b);
    }
    const Totals t = totals(s);
    ASSERT_EQ(t.bonds + s.bonds_broken, made);
    if (s.broken.empty()) continue;
    ASSERT_EQ(t.fragments, searched_fragments(s));
  }
  EXPECT_EQ(events, s.bonds_broken);
  EXPECT_GT(events, 15u);
}

/// Two spheres with overlap at rest, and a strength that a pull of `stretch` (m) just exceeds.
Case overlapping_pair(bool keeps_contact, double strength) {
  Case c = scenes::empty_case();
  c.gravity = {};
  bond::ParallelBond law = cement(strength);
  law.weibull_modulus = 0, law.damping = 0, law.keeps_contact = keeps_contact;
  const bond::Cluster two{{{-4.9e-3, 0, 0}, {4.9e-3, 0, 0}}, {5e-3, 5e-3}};
  c.clusters.push_back(cluster(two, law));
  Case::Group g;
  g.name = "pair", g.count = 1, g.shapes = {"sphere"}, g.cluster = 0, g.place = Case::AtPoints{{{}}};
  c.particles.push_back(g);
  return c;
}

TEST(BondsInTheEngine, BondedSpheresDoNotTouchUntilTheBondBreaks) {
  Simulation s = scenes::build(overlapping_pair(false, 1e6));
  for (int k = 0; k < 100; ++k) step(s);
  EXPECT_EQ(totals(s).contacts, 0u);
  EXPECT_LT(norm(s.particles.velocity[0]), 1e-9);
  s.bonds.normal_strength[0] = 1e-3;
  s.particles.velocity[1].x += 1e-3;
  for (int k = 0; k < 50 && s.bonds_broken == 0; ++k) step(s);
  EXPECT_EQ(s.bonds_broken, 1u);
  step(s);
  EXPECT_EQ(totals(s).contacts, 1u);
  EXPECT_EQ(totals(s).fragments, 2u);

  Simulation kept = scenes::build(overlapping_pair(true, 1e6));
  step(kept);
  EXPECT_EQ(totals(kept).contacts, 1u);
}

TEST(BondsInTheEngine, FreeClusterTurnsAsARigidBodyAndKeepsItsEnergy) {
  Case c = scenes::empty_case();
  c.gravity = {};
  bond::ParallelBond law = cement(1e9);
  law.damping = 0;
  c.clusters.push_back(cluster(*bond::cube(3, 5e-3), law));
  Case::Group g;
  g.name = "free", g.count = 1, g.shapes = {"sphere"}, g.cluster = 0, g.place = Case::AtPoints{{{0.1, 0, 0}}};
  g.velocity = {1, 0, 0}, g.angular_velocity = {0, 0, 60};
  c.particles.push_back(g);
  Simulation s = scenes::build(c);
  const auto energy = [&] {
    const Totals t = totals(s);
    return t.kinetic_translation + t.kinetic_rotation + t.bonds_elastic;
  };
  const double e0 = energy();
  const Vec3 l0 = totals(s).angular_momentum;
  scenes::run_for(s, 0.02);
  EXPECT_EQ(s.bonds_broken, 0u);
  EXPECT_NEAR(energy(), e0, 1e-5 * e0);
  EXPECT_LT(norm(totals(s).angular_momentum - l0), 1e-11 * norm(l0));
}

TEST(BondsInTheEngine, TimeStepKnowsTheBonds) {
  Case soft = falling(1, 1e9, 0), stiff = soft;
  stiff.clusters[0].law.modulus *= 1e4;
  const double a = scenes::build(soft).dt, b = scenes::build(stiff).dt;
  EXPECT_LT(b, 0.05 * a);
  Simulation s = scenes::build(stiff);
  const double e0 = totals(s).kinetic_translation;
  for (int k = 0; k < 2000; ++k) step(s);
  EXPECT_NEAR(totals(s).kinetic_translation, e0, 0.01 * e0);
}

TEST(BondsInTheEngine, CutClustersLoseTheirBondsAboveTheCut) {
  Case c = falling(1, 1e9, 0);
  c.gravity = {0, 0, -1e-6};
  c.stages.resize(2);
  c.stages[0].duration = 1e-4, c.stages[1].cut_above = Case::CutAbove{0.04}, c.stages[1].duration = 1;
  Simulation s = scenes::build(c);
  ASSERT_TRUE(*begin_next_stage(s, c, scenes::library()));
  const std::size_t left = s.particles.size_rows();
  EXPECT_LT(left, 64u);
  EXPECT_GT(left, 0u);
  EXPECT_LT(s.bonds.size(), 144u);
  for (std::size_t r = 0; r < s.bonds.size(); ++r) EXPECT_EQ(s.particles.id[s.bonds.row_a[r]], s.bonds.id_a[r]);
  for (int k = 0; k < 20; ++k) step(s);
  EXPECT_EQ(totals(s).fragments, searched_fragments(s));
  EXPECT_FALSE(s.fault);
}

}  // namespace
}  // namespace scree

// Periodic axes in the engine: contacts against a search through all images, motion that does not know where the seam
// lies, bonds, walls, counts and measurements across it, and the same bits however a run is cut or shared.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "base/random.h"
#include "exec/parallel.h"
#include "io/checkpoint/checkpoint.h"
#include "io/results/frame.h"
#include "narrow/bodies.h"
#include "narrow/round_contacts.h"
#include "oracle/larger.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"
#include "sim/measure.h"

namespace scree {
namespace {

namespace fs = std::filesystem;
using Shapes = std::vector<std::string>;

Domain ring(Vec3 low, Vec3 high, bool x, bool y, bool z) { return {low, high, {x, y, z}}; }

/// Grains of 2 to 3 cm that fly about in a box of 14 cm which repeats along all of its axes.
Case gas(const Shapes& shapes, int dimensions, Vec3 shift = {}) {
  Case c = scenes::empty_case();
  c.gravity = {}, c.dimensions = dimensions, c.thickness = 0.02;
  const bool flat = dimensions == 2;
  auto& law = std::get<contact::Bloks3d>(c.contacts[0].law);
  law.knn = 0;
  c.periodic = ring(shift, shift + Vec3{0.14, 0.15, 0.16}, true, true, !flat);
  Random draw(5, 7);
  const int sites = 4;
  for (int i = 0; i < sites; ++i)
    for (int j = 0; j < sites; ++j)
      for (int k = 0; k < (flat ? 1 : sites); ++k) {
        const auto n = static_cast<std::size_t>(i + j + k);
        const Vec3 at = shift + Vec3{0.035 * i, 0.0375 * j, flat ? 0 : 0.04 * k};
        const Vec3 v{draw.uniform(-4, 4), draw.uniform(-4, 4), flat ? 0 : draw.uniform(-4, 4)},
            w{flat ? 0 : draw.uniform(-20, 20), flat ? 0 : draw.uniform(-20, 20), draw.uniform(-20, 20)};
        const Quat turn = flat ? axis_angle({0, 0, 1}, draw.uniform(0, 3)) : draw.rotation();
        scenes::add_grain(c, shapes[n % shapes.size()], draw.uniform(0.017, 0.02), at, turn, v, w);
      }
  return c;
}

Vec3 apart(const Domain& d, Vec3 a, Vec3 b) { return nearest_image(d, wrapped(d, b) - wrapped(d, a)); }

/// In the plane z = 0 about the origin, its front up.
Surface square(double side) { return scenes::sheet({-side / 2, -side / 2, 0}, {side, 0, 0}, {0, side, 0}, 2, 2); }

const std::vector<std::pair<Shapes, int>>& kinds() {
  static const std::vector<std::pair<Shapes, int>> all{{{"sphere"}, 3},
                                                       {{"cube", "grain14"}, 3},
                                                       {{"sphere", "tetrahedron"}, 3},
                                                       {{"disc"}, 2},
                                                       {{"disc", "square", "triangle"}, 2}};
  return all;
}

/// And clumps, whose parts can reach through the seam each for itself.
std::vector<std::pair<Shapes, int>> kinds_and_clumps() {
  std::vector<std::pair<Shapes, int>> all = kinds();
  all.push_back({{"dumbbell", "sphere", "tetrapod"}, 3}), all.push_back({{"angle", "cube"}, 3});
  return all;
}

/// Pairs of ids that overlap by more than rounding in some image, found by trying every image of every pair.
std::set<std::pair<std::uint32_t, std::uint32_t>> touching_images(const Simulation& s, double least) {
  Particles p = s.particles;
  p.domain = {};
  narrow::Bodies bodies;
  bodies.set_shapes(s.shapes);
  bodies.lay_out(p);
  for (std::size_t i = 0; i < p.size_rows(); ++i) bodies.pose(p, i);
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (std::size_t i = 0; i < p.size_rows(); ++i)
    for (std::size_t j = 0; j < p.size_rows(); ++j) {
      if (p.id[i] >= p.id[j]) continue;
      const Vec3 home = p.position[j];
      each_image(s.particles.domain, [&](Vec3 shift) {
        p.position[j] = home + shift;
        if (norm(p.position[j] - p.position[i]) > p.radius[i] + p.radius[j]) return;
        if (narrow::gap_between(p, bodies, i, j) < -least) found.emplace(p.id[i], p.id[j]);
      });
      p.position[j] = home;
    }
  return found;
}

std::set<std::pair<std::uint32_t, std::uint32_t>> touching(const Simulation& s, double least) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (std::size_t r = 0; r < s.contacts.size(); ++r) {
    const std::uint32_t k = s.contacts.pair[r];
    if (s.contacts.penetration_of(r) > least) found.emplace(s.particles.id[s.pairs.a[k]], s.particles.id[s.pairs.b[k]]);
  }
  return found;
}

TEST(Periodic, ContactsAreThoseOfAllImages) {
  for (const auto& [shapes, dimensions] : kinds()) {
    Simulation s = scenes::build(gas(shapes, dimensions));
    std::size_t seen = 0, across = 0;
    for (int k = 0; k < 1200; ++k) {
      step(s);
      ASSERT_FALSE(s.fault) << shapes[0] << ": " << s.fault->message;
      if (k % 40 != 0) continue;
      const double least = 1e-9;
      const auto expected = touching_images(s, least);
      // What is near the limit may be told either way.
      const auto loose = touching(s, 0), strict = touching_images(s, 2 * least);
      for (const auto& pair : strict) ASSERT_TRUE(loose.contains(pair)) << shapes[0] << " step " << k;
      for (const auto& pair : touching(s, 2 * least)) ASSERT_TRUE(expected.contains(pair)) << shapes[0] << " " << k;
      seen += expected.size();
      for (std::size_t r = 0; r < s.contacts.size(); ++r) {
        const std::uint32_t i = s.pairs.a[s.contacts.pair[r]], j = s.pairs.b[s.contacts.pair[r]];
        across += norm(s.particles.position[j] - s.particles.position[i]) > 0.07 ? 1 : 0;
      }
    }
    EXPECT_GT(seen, 10u) << shapes[0];
    EXPECT_GT(across, 0u) << shapes[0];
    EXPECT_GT(s.counters.rebuilds, 2u) << shapes[0];
  }
}

TEST(Periodic, MomentumIsKeptAcrossTheSeam) {
  for (const auto& [shapes, dimensions] : kinds_and_clumps()) {
    Simulation s = scenes::build(gas(shapes, dimensions));
    const Vec3 before = totals(s).momentum;
    double scale = 0;
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i)
      scale += s.particles.mass[i] * norm(s.particles.velocity[i]);
    std::uint64_t contacts = 0;
    for (int k = 0; k < 1500; ++k) step(s), contacts += s.contacts.size();
    ASSERT_FALSE(s.fault) << s.fault->message;
    EXPECT_GT(contacts, 100u);
    EXPECT_LT(norm(totals(s).momentum - before), 1e-13 * scale) << shapes[0];
  }
}

TEST(Periodic, MotionDoesNotKnowWhereTheSeamLies) {
  using Method = narrow::PlaneMethod;
  for (const auto& [shapes, dimensions] : kinds_and_clumps()) {
    for (const Method method : {Method::automatic, Method::fast, Method::separating_axis, Method::common_plane}) {
      if (method != Method::automatic && shapes[0] != "cube") continue;
      const Vec3 shift{0.0617, -0.0401, dimensions == 2 ? 0 : 0.0133};
      Case one = gas(shapes, dimensions), two = one;
      // The same places, the seam elsewhere.
      two.periodic.low += shift, two.periodic.high += shift;
      one.detection.common_plane.method = two.detection.common_plane.method = method;
      Simulation a = scenes::build(one), b = scenes::build(two);
      ASSERT_EQ(a.dt, b.dt);
      std::uint64_t contacts = 0;
      for (int k = 0; k < 700; ++k) step(a), step(b), contacts += a.contacts.size();
      ASSERT_FALSE(a.fault || b.fault);
      EXPECT_GT(contacts, 50u) << shapes[0];
      for (std::size_t i = 0; i < a.particles.size_rows(); ++i) {
        std::size_t j = 0;  // the rows may stand in another order
        while (b.particles.id[j] != a.particles.id[i]) ++j;
        ASSERT_LT(norm(apart(two.periodic, a.particles.position[i], b.particles.position[j])), 1e-9)
            << shapes[0] << " " << i << " method " << static_cast<int>(method);
        ASSERT_LT(norm(a.particles.velocity[i] - b.particles.velocity[j]), 1e-6) << shapes[0] << " " << i;
      }
    }
  }
}

TEST(Periodic, ObliqueImpactAcrossTheSeamIsOneInTheMiddle) {
  for (const char* shape : {"sphere", "cube"}) {
    std::vector<std::vector<Vec3>> ends;
    for (const double seam : {0.0, 0.1}) {  // the impact is at x = 0.1
      Case c = scenes::empty_case();
      c.gravity = {};
      c.periodic = ring({seam, 0, 0}, {seam + 0.2, 0, 0}, true, false, false);
      scenes::add_grain(c, shape, 0.02, {0.085, 0, 0}, {}, {1, 0.2, 0}, {0, 3, 10});
      scenes::add_grain(c, shape, 0.02, {0.115, 0.004, 0.002}, {}, {-1, -0.3, 0.1}, {5, 0, -4});
      Simulation s = scenes::build(c);
      double shear = 0;
      for (int k = 0; k < 2500; ++k) {
        step(s);
        for (const Vec3& t : s.contacts.shear) shear = oracle::larger(shear, norm(t));
      }
      ASSERT_FALSE(s.fault);
      EXPECT_GT(shear, 0);
      EXPECT_EQ(s.contacts.size(), 0u);
      ends.push_back({s.particles.velocity[0], s.particles.velocity[1], s.particles.angular_momentum[0],
                      s.particles.angular_momentum[1]});
    }
    EXPECT_LT(ends[0][0].x, 0.9);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_LT(norm(ends[0][k] - ends[1][k]), 1e-9 * norm(ends[0][k])) << shape << " " << k;
  }
}

/// A cube of 64 bonded spheres that meets another in the middle of x, and a row of loose spheres.
Case lumps(double seam, double strength) {
  Case c = scenes::empty_case();
  c.gravity = {};
  c.periodic = ring({seam, 0, 0}, {seam + 0.2, 0, 0}, true, false, false);
  bond::ParallelBond law;
  law.given = bond::ParallelBond::Stiffness::modulus, law.modulus = 2e8, law.ratio = 2.5, law.damping = 0.05;
  law.normal_strength = law.shear_strength = strength, law.weibull_modulus = 6;
  Case::Cluster lump;
  lump.name = "lump", lump.spheres = *bond::cube(4, 5e-3), lump.law = law;
  lump.bonds = *bond::bonds_by_distance(lump.spheres, 1.05);
  c.clusters.push_back(lump);
  for (const double side : {-1.0, 1.0}) {
    Case::Group g;
    g.name = side < 0 ? "left" : "right", g.count = 1, g.shapes = {"sphere"}, g.cluster = 0;
    g.orientation = {false, axis_angle({0, 0, 1}, 0.3 * side)};
    g.place = Case::AtPoints{{{0.1 + 0.03 * side, 0.004 * side, 0}}};
    g.velocity = {-4 * side, 0, 0.1}, g.angular_velocity = {20, 0, 30 * side};
    c.particles.push_back(g);
  }
  return c;
}

TEST(Periodic, BondsAcrossTheSeamBreakAsInTheMiddle) {
  const auto run = [](double seam, neighbour::Method method) {
    Case c = lumps(seam, 2.5e5);
    c.detection.neighbours = method;
    Simulation s = scenes::build(c);
    std::vector<std::array<std::uint32_t, 2>> broken;
    std::size_t across = 0;
    for (int k = 0; k < 900; ++k) {
      step(s);
      for (const bond::Event& e : s.broken) {
        broken.push_back({e.id_a, e.id_b});
        EXPECT_TRUE(e.place.x >= seam && e.place.x <= seam + 0.2);
      }
      for (std::size_t r = 0; r < s.bonds.size(); ++r)
        across += s.bonds.alive[r] &&
                  std::abs(s.particles.position[s.bonds.row_b[r]].x - s.particles.position[s.bonds.row_a[r]].x) > 0.1;
    }
    EXPECT_FALSE(s.fault);
    // Never near the seam at 0 or 0.2; always across the one at 0.085.
    EXPECT_EQ(across > 1000u, seam > 0);
    EXPECT_EQ(across == 0u, seam == 0);
    return std::pair{broken, s};
  };
  using enum neighbour::Method;
  const auto [middle, a] = run(0, sorted_grid);
  const auto [seam, b] = run(0.085, sorted_grid);
  const auto [units, c] = run(0.085, clusters);
  EXPECT_GT(middle.size(), 20u);
  EXPECT_EQ(middle, seam);
  EXPECT_EQ(seam, units);
  EXPECT_EQ(state_hash(b), state_hash(c)) << "the search changes nothing";
  EXPECT_EQ(totals(a).fragments, totals(b).fragments);
  EXPECT_LT(norm(totals(a).momentum - totals(b).momentum), 1e-12);
  EXPECT_NEAR(totals(a).bonds_elastic, totals(b).bonds_elastic, 1e-6 * totals(a).bonds_elastic);
}

TEST(Periodic, UnbrokenClusterAtRestAcrossTheSeamFeelsNothing) {
  Case c = lumps(0.07, 1e9);
  for (Case::Group& g : c.particles) g.velocity = {}, g.angular_velocity = {};
  Simulation s = scenes::build(c);
  for (int k = 0; k < 50; ++k) step(s);
  for (const Vec3& v : s.particles.velocity) EXPECT_LT(norm(v), 1e-9);
}

TEST(Periodic, SameBitsOnAnyThreadsInAnyOrderFromAnySearchAndAfterARestart) {
  using enum neighbour::Method;
  const fs::path folder = fs::temp_directory_path() / ("scree_periodic_" + std::to_string(::getpid()));
  for (const auto& [shapes, dimensions] : kinds_and_clumps()) {
    std::uint64_t expected = 0;
    struct Way {
      int threads;
      neighbour::Method method;
      Case::MemoryOrder order;
    };
    for (const Way w :
         {Way{1, automatic, Case::MemoryOrder::id}, Way{3, automatic, Case::MemoryOrder::spatial},
          Way{2, brute_force, Case::MemoryOrder::spatial}, Way{2, nbs, Case::MemoryOrder::spatial},
          Way{2, two_level, Case::MemoryOrder::id}, Way{2, dess, Case::MemoryOrder::spatial},
          Way{2, sorted_grid, Case::MemoryOrder::spatial}, Way{2, multi_level_grid, Case::MemoryOrder::spatial}}) {
      exec::set_threads(w.threads);
      Case c = gas(shapes, dimensions);
      c.detection.neighbours = w.method, c.detection.memory_order = w.order;
      Simulation s = scenes::build(c);
      for (int k = 0; k < 500; ++k) step(s);
      ASSERT_FALSE(s.fault);
      if (w.threads == 3) {
        const auto file = io::write_checkpoint(folder, s, {}, c);
        ASSERT_TRUE(file) << file.error().message;
        auto resumed = io::read_checkpoint(*file, c, scenes::library());
        ASSERT_TRUE(resumed) << resumed.error().message;
        for (int k = 0; k < 300; ++k) step(resumed->state);
        for (int k = 0; k < 300; ++k) step(s);
        EXPECT_EQ(state_hash(resumed->state), state_hash(s));
        Case other = c;
        other.periodic.high.x *= 1.5;
        EXPECT_FALSE(io::read_checkpoint(*file, other, scenes::library())) << "another period is another case";
      } else {
        for (int k = 0; k < 300; ++k) step(s);
      }
      if (expected == 0) expected = state_hash(s);
      EXPECT_EQ(state_hash(s), expected) << shapes[0] << " " << neighbour::name(w.method);
    }
  }
  exec::set_threads(0);
  fs::remove_all(folder);
}

TEST(Periodic, MeshThroughBothEndsIsAPlane) {
  for (const char* shape : {"sphere", "cube", "grain14"}) {
    std::vector<Simulation> runs;
    for (const bool mesh : {false, true}) {
      Case c = scenes::empty_case();
      c.periodic = ring({-0.1, 0, 0}, {0.1, 0, 0}, true, false, false);
      if (mesh)
        scenes::add_mesh(c, "floor", square(0.3));
      else
        scenes::add_plane(c, "floor", {}, {0, 0, 1});
      scenes::add_grain(c, shape, 0.03, {0, 0, 0.016}, {}, {2, 0.1, 0}, {0, 10, 0});
      runs.push_back(scenes::build(c));
    }
    int crossed = 0;
    double before = 0;
    for (int k = 0; k < 6000; ++k) {
      for (Simulation& s : runs) step(s);
      ASSERT_FALSE(runs[0].fault || runs[1].fault);
      const double x = runs[0].particles.place(0).x;
      crossed += x < before - 0.1 ? 1 : 0, before = x;
    }
    EXPECT_GT(crossed, 0) << shape;
    EXPECT_LT(norm(apart(runs[0].particles.domain, runs[0].particles.position[0], runs[1].particles.position[0])), 1e-6)
        << shape;
  }
}

std::string refusal(const Case& c) {
  const Result<Simulation> s = set_up(c, scenes::library());
  return s ? "" : s.error().message;
}

TEST(Periodic, WhatCannotRepeatIsRefused) {
  Case narrow = gas({"sphere"}, 3);
  narrow.periodic.high.y = 0.035;
  EXPECT_NE(refusal(narrow).find("periodic.y: the period, 0.035 m, is too short for bounding spheres"),
            std::string::npos)
      << refusal(narrow);
  Case thick = gas({"sphere"}, 3);
  thick.detection.skin = 0.06;
  EXPECT_NE(refusal(thick).find("detection.skin"), std::string::npos) << refusal(thick);
  Case ends = gas({"sphere"}, 3);
  for (const double half : {0.001, 0.07, 0.075}) {
    Case c = ends;
    c.periodic = ring({-0.07, -0.2, -0.2}, {0.07, 0.2, 0.2}, true, false, false);
    c.particles.resize(1);
    scenes::add_mesh(c, "plate", square(2 * half));
    c.walls.back().point.x = half == 0.001 ? 0.069 : 0, c.walls.back().point.z = 0.05;
    EXPECT_NE(refusal(c).find("periodic.x: the wall 'plate' ends at the seam"), std::string::npos) << half;
  }
  Case away = ends;
  away.particles.resize(1), away.periodic = ring({-0.07, 0, 0}, {0.07, 0, 0}, true, false, false);
  scenes::add_mesh(away, "plate", square(0.02));
  away.walls.back().point.z = 0.05;
  EXPECT_EQ(refusal(away), "");
}

TEST(Periodic, SkinKeepsToItsRoom) {
  Case c = gas({"sphere"}, 3);
  c.periodic.high = c.periodic.low + Vec3{0.14, 0.15, 0.081};  // 4.1 radii are 0.078
  c.particles.resize(1);
  Simulation s = scenes::build(c);
  for (int k = 0; k < 3000; ++k) {
    step(s);
    ASSERT_FALSE(s.fault) << s.fault->message;
    ASSERT_LE(2 * (2 * s.particles.radius[0] + s.skin), 0.081);
  }
}

TEST(Periodic, CountingPlanesCountRoundsAndOnlyThose) {
  for (const double plane : {0.0, 0.03, 0.1, 0.2}) {
    Case c = scenes::empty_case();
    c.gravity = {};
    c.periodic = ring({0, 0, 0}, {0.2, 0, 0}, true, false, false);
    Case::Measure m;
    m.kind = Case::Measure::Kind::flow, m.name = "gate", m.point = {plane, 0, 0}, m.normal = {1, 0, 0};
    c.measures.push_back(m);
    scenes::add_grain(c, "sphere", 0.02, {0.151, 0, 0}, {}, {3, 0, 0});
    scenes::add_grain(c, "sphere", 0.02, {0.151, 0.1, 0}, {}, {-2, 0, 0});
    Simulation s = scenes::build(c);
    scenes::run_for(s, 1);
    // 15 rounds to and 10 fro.
    EXPECT_NEAR(static_cast<double>(s.flows.crossed[0]), 5, 1) << plane;
  }
}

TEST(Periodic, MeasurementsSeeGrainsThroughTheSeam) {
  Case c = scenes::empty_case();
  c.gravity = {};
  c.periodic = ring({0, 0, 0}, {0.2, 0.2, 0.2}, true, true, true);
  scenes::add_grain(c, "sphere", 0.02, {0.001, 0.199, 0.002});
  scenes::add_grain(c, "cube", 0.02, {0.1, 0.1, 0.1999});
  scenes::add_grain(c, "sphere", 0.02, {0.1999, 0.1, 0.05});
  scenes::add_grain(c, "sphere", 0.02, {0.0195, 0.1, 0.05});
  Simulation s = scenes::build(c);
  Case::Measure m;
  m.name = "all", m.inside = Region{{0, 0, 0}, {0.2, 0.2, 0.2}};
  m.kind = Case::Measure::Kind::solid_fraction;
  double solid = 0;
  for (const double mass : s.particles.mass) solid += mass / 2650;
  EXPECT_NEAR(measure(s, m)[0], solid / 8e-3, 1e-3 * solid / 8e-3);
  // Two spheres that touch through the seam: the stress of the whole box is force times branch over volume.
  m.kind = Case::Measure::Kind::stress;
  ASSERT_EQ(s.contacts.size(), 1u);
  const double branch = 0.0195 + 0.2 - 0.1999;
  EXPECT_NEAR(std::abs(measure(s, m)[0]), norm(s.contacts.force[0]) * branch / 8e-3, 1e-9);
  // And where the region begins at the seam, its share.
  m.inside = Region{{0, 0, 0}, {0.1, 0.2, 0.2}};
  EXPECT_NEAR(std::abs(measure(s, m)[0]), norm(s.contacts.force[0]) * 0.0195 / 4e-3, 1e-6);
}

TEST(Periodic, PlacesKeepClearThroughTheSeam) {
  Case c = scenes::empty_case();
  c.periodic = ring({0, 0, 0}, {0.2, 0.2, 0}, true, true, false);
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  Case::Group g;
  g.name = "anywhere", g.count = 150, g.shapes = {"sphere", "cube"}, g.size = {Case::Size::Kind::uniform, 0.01, 0.02};
  // Reaches beyond the box: what is placed there lies in it all the same.
  g.place = Case::AtRandom{Region{{-0.05, 0.1, 0}, {0.15, 0.3, 0.2}}, 0};
  c.particles.push_back(g);
  Case::Group l = g;
  l.name = "rows", l.count = 128, l.place = Case::Lattice{0, 0, 0.0255, Region{{0, 0, 0.2}, {0.2, 0.2, 0.4}}};
  c.particles.push_back(l);
  Simulation s = scenes::build(c);
  EXPECT_EQ(s.contacts.size(), 0u);
  for (int k = 0; k < 500; ++k) step(s);
  EXPECT_FALSE(s.fault);
  const io::Frame f = io::make_frame(s, true);
  for (const Vec3& x : f.position) EXPECT_TRUE(x.x >= 0 && x.x <= 0.2 && x.y >= 0 && x.y <= 0.2);
}

TEST(Periodic, BedOnATiltedFloorRunsDownForEver) {
  Case c = scenes::empty_case();
  c.gravity = {6, 0, -8};
  std::get<contact::Bloks3d>(c.contacts[0].law).friction_angle = 0;
  std::get<contact::Bloks3d>(c.contacts[0].law).damping_sliding = 0;
  c.periodic = ring({0, 0, 0}, {0.2, 0.1, 0}, true, true, false);
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  Case::Group g;
  g.name = "bed", g.count = 60, g.shapes = {"sphere"}, g.size.a = 0.02;
  g.place = Case::Lattice{0, 0, 0.022, Region{{0, 0, 0}, {0.2, 0.1, 0.2}}};
  c.particles.push_back(g);
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.5);
  ASSERT_FALSE(s.fault) << s.fault->message;
  double mass = 0;
  for (const double m : s.particles.mass) mass += m;
  EXPECT_NEAR(totals(s).momentum.x, mass * 6 * s.time, 1e-9 * mass);
}

TEST(Periodic, FramesKnowTheSeamAndBondsReachThroughIt) {
  const fs::path folder = fs::temp_directory_path() / ("scree_periodic_frame_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  Simulation s = scenes::build(lumps(0.07, 1e9));
  const io::Frame f = io::make_frame(s, true);
  ASSERT_TRUE(io::write_frame(folder / "frame.vtkhdf", f));
  const Result<io::Frame> again = io::read_frame(folder / "frame.vtkhdf");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, f);
  EXPECT_TRUE(again->domain.periodic[0] && !again->domain.periodic[1]);
  std::size_t across = 0;
  for (const auto& [a, b] : f.bond_rows) across += norm(f.position[b] - f.position[a]) > 0.1 ? 1 : 0;
  EXPECT_GT(across, 10u);
  ASSERT_TRUE(io::write_contacts(folder / "contacts.vtkhdf", f));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace scree

// Sums over all grains, contacts or bonds hang on no order: neither of the rows in memory nor of the ids.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "exec/parallel.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"
#include "sim/measure.h"
#include "sim/row_order.h"
#include "sim/scratch.h"

namespace scree {
namespace {

using Kind = Case::Measure::Kind;
using Drive = boundary::Motion::Drive;

boundary::Motion driven(Drive::Kind kind, double force) {
  boundary::Motion m;
  m.drive = Drive{};
  m.drive->kind = kind, m.drive->force = force;
  if (kind == Drive::Kind::free)
    m.drive->mass = 2;
  else
    m.drive->max_velocity = 0.5;
  return m;
}

/// Grains and bonded lumps that overlap, between a belt, a servo, a free lid and a mesh that turns.
Case pressed() {
  Case c = scenes::box_fill();
  c.walls.clear(), c.boxes.clear();
  scenes::add_open_box(c, "box", {0, 0, 0}, {0.24, 0.24, 1});
  scenes::add_plane(c, "lid", {0, 0, 0.078}, {0, 0, -1});
  c.walls.back().motion = driven(Drive::Kind::free, 400);
  for (Case::Wall& w : c.walls) {
    if (w.name == "box.z_min") w.motion.surface_velocity = {0.2, 0.1, 0};
    if (w.name == "box.x_max") w.motion = driven(Drive::Kind::servo, 30);
  }
  boundary::Motion& stirrer =
      scenes::add_mesh(c, "stirrer", scenes::box_surface({0.03, 0.098, 0.01}, {0.21, 0.142, 0.052}, 3)).motion;
  stirrer.rotation = boundary::Motion::Rotation{};
  stirrer.rotation->axis = {0, 0, 1}, stirrer.rotation->rate = 2, stirrer.rotation->through = {0.12, 0.12, 0};
  std::get<contact::Bloks3d>(c.contacts[0].law).damping_ratio = 0.3;
  c.particles[0].shapes = {"sphere", "grain14", "dodecahedron"};
  c.particles[0].size = {Case::Size::Kind::uniform, 0.0195, 0.021};
  Case::AtPoints at;
  for (int k = 0; k < 432; ++k) {
    const Vec3 x{0.01 + 0.02 * (k % 12), 0.01 + 0.02 * (k / 12 % 12), 0.009 + 0.019 * (k / 144)};
    if (std::abs(x.x - 0.12) > 0.1 || std::abs(x.y - 0.12) > 0.025) at.points.push_back(x);
  }
  c.particles[0].count = at.points.size();
  c.particles[0].place = at;
  c.particles[0].may_overlap = true;
  Case::Cluster lump;
  lump.name = "lump", lump.spheres = *bond::cube(3, 4e-3), lump.bonds = *bond::bonds_by_distance(lump.spheres, 1.05);
  lump.law.given = bond::ParallelBond::Stiffness::modulus, lump.law.modulus = 2e8, lump.law.ratio = 2.5;
  lump.law.normal_strength = lump.law.shear_strength = 1e9;
  c.clusters = {lump};
  Case::Group lumps;
  lumps.name = "lumps", lumps.count = 9, lumps.shapes = {"sphere"}, lumps.cluster = 0, lumps.may_overlap = true;
  lumps.orientation.random = false;
  Case::AtPoints above;
  for (int k = 0; k < 9; ++k) above.points.push_back({0.04 + 0.08 * (k % 3), 0.04 + 0.08 * (k / 3), 0.067});
  lumps.place = above;
  c.particles.push_back(lumps);
  return c;
}

const Simulation& bed() {
  static const Simulation made = [] {
    Simulation s = scenes::build(pressed());
    for (int k = 0; k < 300 && !s.fault; ++k) step(s);
    EXPECT_FALSE(s.fault) << s.fault->message;
    s.detection.memory_order = Case::MemoryOrder::id;
    return s;
  }();
  return made;
}

std::vector<std::uint32_t> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Random draw(seed, 1);
  for (std::size_t k = n; k-- > 1;) std::swap(order[k], order[draw.below(k + 1)]);
  return order;
}

/// The same state; its grains have each other's ids.
Simulation renumbered(const Simulation& s, std::uint64_t seed) {
  Simulation t = s;
  const std::vector<std::uint32_t> to = shuffled(s.particles.size_rows(), seed);
  for (std::size_t i = 0; i < to.size(); ++i) t.particles.id[i] = s.particles.id[to[i]];
  for (std::size_t b = 0; b < t.bonds.size(); ++b) {
    t.bonds.id_a[b] = t.particles.id[t.bonds.row_a[b]];
    t.bonds.id_b[b] = t.particles.id[t.bonds.row_b[b]];
  }
  return t;
}

/// The same state; its rows stand in another order.
Simulation reordered(const Simulation& s, std::uint64_t seed) {
  Simulation t = s;
  put_rows(t, rows_in(t, shuffled(s.particles.size_rows(), seed)));
  bond::find_rows(t.bonds, t.particles);
  return t;
}

/// What is summed for each wall.
std::vector<double> of_walls(Simulation s) {
  refresh_forces(s);
  std::vector<double> v;
  for (const Wall& w : s.walls)
    v.insert(v.end(), {w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z, w.belt_power, w.stiffness,
                       w.dashpot});
  s.braked = 1;
  compute_contact_forces(s, 0);
  const std::vector<double>& taken = s.scratch.get()->wall_dashpots;
  v.insert(v.end(), taken.begin(), taken.end());
  return v;
}

/// The grains raised to a cone.
Simulation heaped(Simulation s) {
  for (Vec3& x : s.particles.position) x.z += std::max(0.0, 0.12 - 0.8 * std::hypot(x.x - 0.12, x.y - 0.12));
  return s;
}

std::vector<double> of_measures(const Simulation& s) {
  std::vector<double> v;
  for (const Kind kind : {Kind::solid_fraction, Kind::stress, Kind::coordination, Kind::fabric, Kind::flow,
                          Kind::repose, Kind::size_distribution}) {
    for (const bool of_fragments : {false, true}) {
      if (of_fragments && kind != Kind::size_distribution) continue;
      Case::Measure m;
      m.kind = kind, m.name = "m", m.inside = Region{{0.01, 0.01, 0}, {0.22, 0.23, 0.6}};
      m.point = {0.1, 0.1, 0.1}, m.normal = normalized(Vec3{1, 2, 3});
      m.of_fragments = of_fragments;
      const std::vector<double> values = measure(kind == Kind::repose ? heaped(s) : s, m);
      // What the plane has counted so far is nothing, since the case knows no plane.
      v.insert(v.end(), kind == Kind::flow ? values.end() - 1 : values.begin(), values.end());
    }
  }
  return v;
}

void expect_same(const std::vector<double>& values, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool neither = std::isnan(values[k]) && std::isnan(expected[k]);
    EXPECT_TRUE(neither || values[k] == expected[k]) << what << ", value " << k << ": " << values[k] - expected[k];
  }
}

TEST(SumsOverAll, OfWallsHangOnNoOrder) {
  const std::vector<double> expected = of_walls(bed());
  const std::size_t summed = 9 * bed().walls.size();
  ASSERT_GT(bed().wall_contacts.size(), 100u);
  EXPECT_GT(std::ranges::count_if(expected, [](double v) { return v != 0; }), 20) << "little is summed";
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NE(expected[summed - 6 + k], 0) << "nothing turns the stirrer";
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    expect_same(of_walls(renumbered(bed(), seed)), expected, "ids");
    expect_same(of_walls(reordered(bed(), seed)), expected, "rows");
  }
}

TEST(SumsOverAll, OfMeasuresHangOnNoOrder) {
  const std::vector<double> expected = of_measures(bed());
  ASSERT_GT(bed().contacts.size(), 200u);
  EXPECT_LE(std::ranges::count_if(expected, [](double v) { return std::isnan(v); }), 1) << "all but rattlers?";
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    expect_same(of_measures(renumbered(bed(), seed)), expected, "ids");
    expect_same(of_measures(reordered(bed(), seed)), expected, "rows");
  }
}

}  // namespace
}  // namespace scree

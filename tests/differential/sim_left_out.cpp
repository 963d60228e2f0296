// Nobody is left out: what a step skips, because the bodies cannot have come near each other since they were last
// looked at, does not touch. Against a search that knows nothing from before.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "base/random.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // the two, and which of their parts

void add_touching(const Simulation& s, const PairTable& pairs, const ContactTable& contacts, bool walls,
                  std::map<Key, double>& found) {
  const std::uint32_t first_wall = 1u << 30;
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    const std::uint32_t k = contacts.pair[r], part = contacts.keeps_parts ? contacts.part[r] : 0;
    const std::uint32_t a = s.particles.id[pairs.a[k]],
                        b = walls ? first_wall + pairs.b[k] : s.particles.id[pairs.b[k]];
    // By the smaller id first, as a new search may name the two the other way round.
    const Key key = a < b ? Key{a, b, part} : Key{b, a, part << 16 | part >> 16};
    double& depth = found[key];
    depth = std::max(depth, contacts.penetration_of(r));
  }
}
std::map<Key, double> touching(const Simulation& s) {
  std::map<Key, double> found;
  add_touching(s, s.pairs, s.contacts, false, found), add_touching(s, s.wall_pairs, s.wall_contacts, true, found);
  return found;
}

/// The same places, and nothing known.
Simulation forgotten(const Simulation& s) {
  Simulation fresh = s;
  fresh.scratch.reset(), fresh.list_is_valid = false;
  fresh.pairs.resize(0), fresh.contacts.resize(0), fresh.wall_pairs.resize(0), fresh.wall_contacts.resize(0);
  refresh_forces(fresh);
  return fresh;
}

struct Mix {
  const char* name;
  std::vector<std::string> shapes;
  double size, smallest;
};
void PrintTo(const Mix& mix, std::ostream* out) { *out << mix.name; }

Case thrown(const Mix& mix, Case::ContactGeometry geometry, bool periodic) {
  Case c = scenes::empty_case();
  c.detection.contact_geometry = geometry;
  contact::Linear law;
  law.kn = 1.2e6, law.kt = 6e5, law.friction_angle = 0.4, law.damping_ratio = 0.1;
  c.contacts[0].law = law;
  c.gravity = {0, 0, -10};
  const double side = 0.25;
  if (periodic) {
    c.periodic.periodic[0] = true, c.periodic.high = {side, 0, 0};
  } else {
    scenes::add_plane(c, "left", {0, 0, 0}, {1, 0, 0});
    scenes::add_plane(c, "right", {side, 0, 0}, {-1, 0, 0});
  }
  scenes::add_plane(c, "front", {0, 0, 0}, {0, 1, 0});
  scenes::add_plane(c, "back", {0, side, 0}, {0, -1, 0});
  // The floor turns under them.
  boundary::Motion::Rotation turning;
  turning.axis = {0, 0, 1}, turning.through = {side / 2, side / 2, 0}, turning.rate = 3;
  scenes::add_mesh(c, "floor", scenes::sheet({-1, -1, 0}, {2.2, 0, 0}, {0, 2.2, 0}, 20, 20)).motion.rotation = turning;
  Case::Group g;
  g.name = "grains", g.count = 40, g.shapes = mix.shapes, g.size = {Case::Size::Kind::uniform, mix.smallest, mix.size};
  g.place = Case::AtRandom{{{0.01, 0.01, 0.01}, {side - 0.01, side - 0.01, 1.5}}, 0};
  g.orientation.random = true, g.velocity = {0.3, 0.2, -2}, g.angular_velocity = {4, -7, 3};
  c.particles = {g};
  return c;
}

class LeftOut : public testing::TestWithParam<Mix> {};
INSTANTIATE_TEST_SUITE_P(
    Mix, LeftOut,
    testing::Values(Mix{"angles", {"angle"}, 0.08, 0.06},
                    Mix{"angles_and_grains", {"angle", "cube", "sphere", "needle"}, 0.06, 0.05},
                    Mix{"round_clumps", {"tetrapod", "dumbbell"}, 0.06, 0.05},
                    Mix{"polyhedra", {"plate", "needle", "grain14", "tetrahedron", "cube"}, 0.05, 0.04},
                    Mix{"with_spheres", {"sphere", "pyramid", "octahedron"}, 0.05, 0.04},
                    Mix{"unlike_sizes", {"angle", "cube", "sphere", "tetrapod"}, 0.08, 0.01}),
    [](const auto& i) { return i.param.name; });

/// How many meet after every `seconds` of `looks`; they are the same for a search that knows nothing.
std::size_t meet(Simulation& s, int looks, double seconds) {
  std::size_t met = 0;
  for (int k = 0; k < looks && !testing::Test::HasFailure(); ++k) {
    scenes::run_for(s, seconds);
    EXPECT_FALSE(s.fault) << s.fault->message;
    const std::map<Key, double> found = touching(s);
    for (const auto& [key, depth] : touching(forgotten(s))) {
      if (depth < 1e-8) continue;  // m
      ++met;
      EXPECT_TRUE(found.contains(key)) << std::get<0>(key) << " and " << std::get<1>(key) << ", parts " << std::hex
                                       << std::get<2>(key) << std::dec << ", overlap by " << depth
                                       << " m at t = " << s.time;
    }
  }
  return met;
}

TEST_P(LeftOut, IsNobodyThatTouches) {
  for (const bool periodic : {false, true}) {
    const auto geometry = periodic ? Case::ContactGeometry::overlap : Case::ContactGeometry::contact_zone;
    Simulation s = scenes::build(thrown(GetParam(), geometry, periodic));
    EXPECT_GT(meet(s, 90, 4e-3), 50u);
  }
}

TEST_P(LeftOut, IsNoneOfTwoThatMeet) {
  const Mix& mix = GetParam();
  Random draw(8, 0);
  std::size_t met = 0;
  for (int k = 0; k < 300 && !HasFailure(); ++k) {
    Case c = scenes::empty_case();
    contact::Linear law;
    law.kn = 6e5, law.kt = 3e5, law.friction_angle = 0.4, law.damping_ratio = 0.1;
    c.contacts[0].law = law, c.gravity = {};
    const auto spin = [&] { return Vec3{draw.uniform(-9, 9), draw.uniform(-9, 9), draw.uniform(-9, 9)}; };
    const auto shape = [&](int i) { return mix.shapes[static_cast<std::size_t>(k + i) % mix.shapes.size()]; };
    const Vec3 way = rotate(draw.rotation(), {2.4 * mix.size, 0, 0});
    const Vec3 aside = rotate(draw.rotation(), {draw.uniform(0, 0.4) * mix.size, 0, 0});
    scenes::add_grain(c, shape(0), mix.size, {}, draw.rotation(), {}, spin());
    scenes::add_grain(c, shape(k / 7), mix.size, way + aside, draw.rotation(), -20 * way, spin());
    Simulation s = scenes::build(c);
    met += meet(s, 30, 2e-3);
  }
  EXPECT_GT(met, 150u);
}

/// Its corners moved up and down by up to `by` (m).
Surface uneven(Surface s, double by) {
  repair(s, kCoplanarTolerance, Turn::as_neighbours);
  Random draw(3, 0);
  for (Vec3& v : s.vertices) v.z += draw.uniform(-by, by);
  return s;
}

struct Ground {
  const char* name;
  double by;  ///< of a cell
  bool front_only;
  Case::ContactGeometry geometry;
  bool is_slab = false;  ///< thinner than the grains, with edges all around
};
void PrintTo(const Ground& g, std::ostream* out) { *out << g.name; }

class LeftOutOfGround : public testing::TestWithParam<Ground> {};
INSTANTIATE_TEST_SUITE_P(
    Ground, LeftOutOfGround,
    testing::Values(Ground{"gentle", 0.008, false, Case::ContactGeometry::overlap},
                    Ground{"gentle_by_vertices", 0.008, false, Case::ContactGeometry::contact_zone},
                    Ground{"rough", 0.2, false, Case::ContactGeometry::overlap},
                    Ground{"steep", 1.2, false, Case::ContactGeometry::overlap},
                    Ground{"steep_by_vertices", 1.2, false, Case::ContactGeometry::contact_zone},
                    Ground{"steep_from_the_front", 1.2, true, Case::ContactGeometry::overlap},
                    Ground{"rough_from_the_front_by_vertices", 0.2, true, Case::ContactGeometry::contact_zone},
                    Ground{"slab", 0.1, false, Case::ContactGeometry::overlap, true}),
    [](const auto& i) { return i.param.name; });

/// Every point on a wall: the grain, the feature, how deep, and where.
using WallPoint = std::tuple<std::uint32_t, std::uint32_t, double, double, double>;
std::vector<WallPoint> on_walls(const Simulation& s) {
  std::vector<WallPoint> all;
  const ContactTable& c = s.wall_contacts;
  for (std::size_t r = 0; r < c.size(); ++r)
    all.emplace_back(s.particles.id[s.wall_pairs.a[c.pair[r]]], c.key[r], c.penetration_of(r), c.point[r].x,
                     c.normal[r].x);
  std::ranges::sort(all);
  return all;
}

/// The same state, whose contacts are known and nothing of the facets that are not near.
Simulation looked_at_anew(const Simulation& s) {
  Simulation fresh = s;
  fresh.scratch.reset();
  std::ranges::fill(fresh.wall_pairs.clear_until, 0);
  refresh_forces(fresh);
  return fresh;
}

TEST_P(LeftOutOfGround, IsNoFacetThatAPolyhedronReaches) {
  const auto [name, by, front_only, geometry, is_slab] = GetParam();
  const double width = 0.12, cell = width / 24;
  Case c = scenes::empty_case();
  c.detection.contact_geometry = geometry;
  contact::Linear law;
  law.kn = 1e5, law.kt = 5e4, law.friction_angle = 0.4, law.damping_ratio = 0.2;
  c.contacts[0].law = law, c.gravity = {0, 0, -10};
  // It shakes, and grains come over its rims.
  Case::Wall& ground = scenes::add_mesh(
      c, "ground",
      uneven(is_slab ? scenes::box_surface({width / 4, width / 4, -cell}, {3 * width / 4, 3 * width / 4, 0}, 12)
                     : scenes::sheet({0, 0, 0}, {width, 0, 0}, {0, width, 0}, 24, 24),
             by * cell));
  ground.front_only = front_only;
  ground.motion.oscillation = boundary::Motion::Oscillation{.amplitude = {1e-3, 2e-3, 5e-4}, .frequency = 20};
  Case::Group g;
  g.name = "grains", g.count = 15, g.shapes = {"cube", "tetrahedron", "grain14", "plate", "needle"};
  g.size = {Case::Size::Kind::uniform, 0.015, 0.03};
  g.place = Case::AtRandom{{{0.005, 0.005, 0.02}, {width - 0.005, width - 0.005, 0.1}}, 0};
  g.orientation.random = true, g.velocity = {0.2, 0.1, -1}, g.angular_velocity = {4, -7, 3};
  c.particles = {g};
  Simulation s = scenes::build(c);
  std::size_t points = 0;
  // On steep ground one may stick so deep between facets that the run ends.
  for (int k = 0; k < 120 && !HasFailure() && !s.fault; ++k) {
    scenes::run_for(s, 5e-4);
    const std::vector<WallPoint> found = on_walls(s);
    EXPECT_EQ(found, on_walls(looked_at_anew(s))) << "t = " << s.time;
    points += found.size();
  }
  EXPECT_GT(points, 50u);
}

}  // namespace
}  // namespace scree

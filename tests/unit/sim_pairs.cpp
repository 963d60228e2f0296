// The list of candidate pairs: valid as long as it must be and not a hair longer, and the same whatever order the rows
// have in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "scenes/scenes.h"
#include "sim/row_order.h"
#include "sim/scratch.h"
#include "sim/skin.h"
#include "sim/spread.h"

namespace scree {
namespace {

constexpr double kSkin = 0.02;  // m, of the order of a grain, so that rounding is small beside 1e-12 of it

/// Turns a corner of a cube into the direction d.
Quat corner_towards(Vec3 d) {
  const Vec3 corner = normalized(Vec3{1, 1, 1});
  return axis_angle(normalized(cross(corner, d)), std::acos(dot(corner, d)));
}

/// Two cubes, corner to corner along x, apart by the skin and a hair: not in the list.
Simulation two_cubes() {
  Case c = scenes::empty_case();
  c.detection.skin = kSkin;
  c.gravity = {};
  const double radius = 0.02 * std::sqrt(3) / 2, apart = (2 * radius + kSkin) * (1 + 5e-14);
  scenes::add_grain(c, "cube", 0.02, {0, 0, 0}, corner_towards({1, 0, 0}));
  scenes::add_grain(c, "cube", 0.02, {apart, 0, 0}, corner_towards({-1, 0, 0}));
  return scenes::build(c);
}

/// Moves the first towards the second by a, the second towards the first by b.
void approach(Simulation& s, double a, double b) {
  s.particles.position[0].x += a, s.particles.position[1].x -= b;
  find_candidate_pairs(s);
}

class SkinRule : public testing::TestWithParam<double> {};
// Shares of the first one: both alike, one alone, and between.
INSTANTIATE_TEST_SUITE_P(Shares, SkinRule, testing::Values(0.5, 1.0, 0.0, 0.8, 0.3));

TEST_P(SkinRule, HoldsUntilTheTwoTogetherHaveUsedUpTheSkin) {
  Simulation s = two_cubes();
  ASSERT_EQ(s.pairs.size(), 0u);
  const std::uint64_t before = s.counters.rebuilds;
  const double used = kSkin * (1 - 1e-12);
  approach(s, GetParam() * used, (1 - GetParam()) * used);
  EXPECT_EQ(s.counters.rebuilds, before) << "made anew without need";
}

TEST_P(SkinRule, EndsBeforeTheyCanTouch) {
  Simulation s = two_cubes();
  const std::uint64_t before = s.counters.rebuilds;
  const double used = kSkin * (1 + 0.9e-12);
  approach(s, GetParam() * used, (1 - GetParam()) * used);
  EXPECT_EQ(s.counters.rebuilds, before + 1);
  EXPECT_EQ(s.pairs.size(), 1u);
  // The corners have met: what a list held a little longer would have missed is a contact.
  const Particles& p = s.particles;
  EXPECT_LT(p.position[1].x - p.position[0].x, p.radius[0] + p.radius[1]);
}

TEST(SkinRule, CountsAWallAsItCountsABody) {
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    for (const double over : {-1e-12, 0.9e-12}) {
      Case c = scenes::empty_case();
      c.detection.skin = kSkin;
      c.gravity = {};
      const double radius = 0.02 * std::sqrt(3) / 2;
      scenes::add_plane(c, "wall", {radius + kSkin * (1 + 1e-13), 0, 0}, {-1, 0, 0});
      scenes::add_grain(c, "cube", 0.02, {0, 0, 0}, corner_towards({1, 0, 0}));
      Simulation s = scenes::build(c);
      ASSERT_EQ(s.wall_pairs.size(), 0u);
      const std::uint64_t before = s.counters.rebuilds;
      s.particles.position[0].x += share * kSkin * (1 + over);
      s.walls[0].point.x -= (1 - share) * kSkin * (1 + over), s.walls[0].travel += (1 - share) * kSkin * (1 + over);
      find_candidate_pairs(s);
      EXPECT_EQ(s.counters.rebuilds, before + (over > 0 ? 1 : 0)) << share << ", " << over;
      EXPECT_EQ(s.wall_pairs.size(), over > 0 ? 1u : 0u);
    }
  }
}

TEST(SkinRule, OneThatMovesBackAndForthUsesNothingUp) {
  Simulation s = two_cubes();
  const std::uint64_t before = s.counters.rebuilds;
  for (int k = 0; k < 10; ++k) approach(s, k % 2 == 0 ? 0.9 * kSkin : -0.9 * kSkin, 0);
  EXPECT_EQ(s.counters.rebuilds, before);
}

/// A gas of cubes without walls that drift apart slowly enough to stay together; `skin` 0: tuned.
Case drifting(double skin, double speed) {
  Case c = scenes::empty_case();
  c.gravity = {};
  c.time_step.fixed = 1e-5;
  if (skin > 0) c.detection.skin = skin;
  for (int k = 0; k < 2; ++k) {
    Case::Group g;
    g.name = k == 0 ? "left" : "right", g.count = 500, g.shapes = {"cube"}, g.size.a = 0.02;
    Case::AtPoints at;
    for (int i = 0; i < 500; ++i) {
      const int n = 2 * i + k;
      Random draw(1, static_cast<std::uint64_t>(n));
      const Vec3 off{draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-1, 1)};
      at.points.push_back(Vec3{0.045 * (n % 10), 0.045 * (n / 10 % 10), 0.045 * (n / 100)} + 0.004 * off);
    }
    g.place = at;
    g.velocity = {0, k == 0 ? speed : -speed, 0};
    c.particles.push_back(g);
  }
  return c;
}

struct Work {
  double counted = 0, skin = 0;
  std::uint64_t rebuilds = 0;
};
/// In looks at pairs, after a start in which the tuning finds its way.
Work work_of(const Case& c, int steps) {
  Simulation s = scenes::build(c);
  Work w;
  for (int k = 0; k < 2 * steps; ++k) {
    const std::uint64_t before = s.counters.rebuilds;
    step(s);
    if (k < steps) continue;
    const auto pairs = static_cast<double>(s.pairs.size()), n = static_cast<double>(s.particles.size_rows());
    w.counted += pairs;
    if (s.counters.rebuilds > before) w.counted += kRebuildBody * n + kRebuildPair * pairs, ++w.rebuilds;
  }
  EXPECT_FALSE(s.fault);
  w.skin = s.skin;
  return w;
}

TEST(SkinTuning, CountedWorkIsThatOfTheBestFixedSkin) {
  for (const double speed : {5.0, 20.0}) {
    const Work tuned = work_of(drifting(0, speed), 400);
    double best = 1e300, widest = 0;
    for (double skin = 1e-3; skin < 0.04; skin *= 1.25) {
      const Work fixed = work_of(drifting(skin, speed), 400);
      if (fixed.counted < best) best = fixed.counted, widest = skin;
    }
    EXPECT_LT(tuned.counted, 1.25 * best) << "speed " << speed << ": tuned to " << tuned.skin << " m, best " << widest;
  }
}

TEST(SkinTuning, AListThatLastsIsMadeThinner) {
  Simulation s = scenes::build(drifting(0, 0));
  const double at_first = s.skin;
  const std::size_t pairs = s.pairs.size();
  for (int k = 0; k < 1100; ++k) step(s);
  EXPECT_LE(s.skin, at_first);
  EXPECT_LE(s.pairs.size(), pairs);
  EXPECT_LE(s.counters.rebuilds, 12u);
}

TEST(SkinTuning, OfAFullHistoryEverySecondSkinStays) {
  Case few = drifting(0, 5);
  for (Case::Group& g : few.particles) g.count = 40, std::get<Case::AtPoints>(g.place).points.resize(40);
  Simulation s = scenes::build(few);
  std::vector<std::uint64_t> steps;
  for (int k = 0; k < 40000 && steps.size() < 300; ++k) {
    step(s);
    const std::uint64_t last = s.counters.skins.back().step;
    if (steps.empty() || last != steps.back()) steps.push_back(last);
    if (k % 20 == 19)
      for (Vec3& v : s.particles.velocity) v = (k / 20 % 2 == 0 ? 8.0 : 0.125) * v;
  }
  ASSERT_EQ(steps.size(), 300u);
  ASSERT_EQ(s.counters.skins.size(), 300u - 128u);
  for (std::size_t k = 0; k < s.counters.skins.size(); ++k)
    EXPECT_EQ(s.counters.skins[k].step, steps[k < 128 ? 2 * k : 128 + k]) << k;
}

/// A bed of cubes that touch, whose ids lie anywhere in it.
Simulation scattered_bed(Case::MemoryOrder order) {
  Case c = scenes::empty_case();
  c.detection.memory_order = order;
  scenes::add_open_box(c, "box", {0, 0, 0}, {0.4, 0.4, 0.4});
  Case::Group g;
  g.name = "cubes", g.count = 1000, g.shapes = {"cube"}, g.size.a = 0.0402;
  g.orientation = {false, Quat{}};
  Case::AtPoints at;
  for (int k = 0; k < 1000; ++k) {
    const int site = k * 387 % 1000;  // 387 and 1000 have no divisor in common
    at.points.push_back({0.02 + 0.04 * (site % 10), 0.02 + 0.04 * (site / 10 % 10), 0.02 + 0.04 * (site / 100)});
  }
  g.place = at;
  c.particles.push_back(g);
  return scenes::build(c);
}

TEST(RowOrder, SpatialRowsKeepTheRulesOfTheTables) {
  Simulation s = scattered_bed(Case::MemoryOrder::spatial);
  step(s);
  ASSERT_FALSE(s.fault);
  const std::vector<std::uint32_t>& id = s.particles.id;
  ASSERT_FALSE(std::is_sorted(id.begin(), id.end()));
  ASSERT_GT(s.contacts.size(), 1000u);
  const PairTable& p = s.pairs;
  for (std::size_t k = 0; k < p.size(); ++k) {
    EXPECT_LT(id[p.a[k]], id[p.b[k]]);
    if (k > 0) {
      EXPECT_LT(std::pair(p.a[k - 1], id[p.b[k - 1]]), std::pair(p.a[k], id[p.b[k]]));
    }
    for (std::uint32_t c = 0; c < p.count[k]; ++c) EXPECT_EQ(s.contacts.pair[p.first[k] + c], k);
  }
  const Simulation by_id = scattered_bed(Case::MemoryOrder::id);
  EXPECT_LT(2 * far_pairs(s.pairs), far_pairs(by_id.pairs));
}

TEST(RowOrder, GoingToIdsAndBackChangesNoRow) {
  Simulation s = scattered_bed(Case::MemoryOrder::spatial);
  for (int k = 0; k < 3; ++k) step(s);
  const std::uint64_t hash = state_hash(s);
  Simulation by_id = s;
  put_rows(by_id, id_order(by_id));
  EXPECT_TRUE(id_order(by_id).is_present);
  EXPECT_EQ(state_hash(by_id), hash);
  EXPECT_EQ(by_id.particles.angular_velocity.size(), s.particles.id.size());
  put_rows(by_id, spatial_order(by_id));
  EXPECT_EQ(state_hash(by_id), hash);
  // Steps go on from any order with the same bits, and so do the sums.
  Simulation third = s;
  put_rows(third, id_order(third));
  third.detection.memory_order = Case::MemoryOrder::id;
  for (int k = 0; k < 5; ++k) step(s), step(third);
  EXPECT_TRUE(id_order(third).is_present);
  EXPECT_FALSE(id_order(s).is_present);
  EXPECT_EQ(state_hash(third), state_hash(s));
  const Totals a = totals(s), b = totals(third);
  EXPECT_EQ(a.kinetic_translation, b.kinetic_translation);
  EXPECT_EQ(a.elastic, b.elastic);
  EXPECT_EQ(a.angular_momentum, b.angular_momentum);
  for (std::size_t w = 0; w < s.walls.size(); ++w) EXPECT_EQ(s.walls[w].force, third.walls[w].force);
}

TEST(RowOrder, OneGrainFarAwayDoesNotSpoilTheOrderOfTheOthers) {
  Simulation s = scattered_bed(Case::MemoryOrder::spatial);
  const std::size_t far = far_pairs(s.pairs);
  s.particles.position[7] = {1e12, -1e15, 1e18};
  put_rows(s, spatial_order(s));
  EXPECT_LT(far_pairs(s.pairs), far + far / 4 + 30);
}

/// A grain a hundred times as wide as the others has more to do than a rank's whole share of places.
TEST(PlacesOfWork, CountAGrainForAllThatTouchesItHoweverFewStandForTheOthers) {
  constexpr std::uint32_t kGrains = 3000, kWide = 1234;
  Simulation s;
  s.particles.resize(kGrains);
  for (std::uint32_t i = 0; i < kGrains; ++i) s.particles.position[i] = {double(i), 0, 0};
  std::vector<double> work(kGrains, 8);  // of a row without pairs
  for (std::uint32_t k = 0; k < 2000; ++k) {
    const std::uint32_t i = k == kWide ? k + 1 : k;
    s.pairs.resize(k + 1);
    s.pairs.a[k] = std::min(i, kWide), s.pairs.b[k] = std::max(i, kWide);
    ++work[i], ++work[kWide];
  }
  const double all = 8 * kGrains + 2 * 2000;
  for (const std::size_t most : {std::size_t{10}, std::size_t{100}, std::size_t{2999}, std::size_t{3000}}) {
    const auto places = places_of_work(s, most, 7);
    EXPECT_LE(places.size(), most);
    double sum = 0, of_wide = 0, before = 0;
    for (const auto& p : places) {
      sum += p.weight;
      if (p.x.x < kWide) before += p.weight;
      if (p.x.x == kWide) of_wide += p.weight;
    }
    const double step = 7.0 / static_cast<double>(most) * (1 + 1e-12), share = work[kWide] / all;
    EXPECT_NEAR(sum, 7, step) << most;
    EXPECT_NEAR(of_wide, 7 * share, most < kGrains ? step : 1e-12) << most;
    EXPECT_NEAR(before, 7 * 9 * kWide / all, most < kGrains ? step : 1e-12) << most;
  }
  EXPECT_TRUE(places_of_work(Simulation(), 10, 1).empty());
}

}  // namespace
}  // namespace scree

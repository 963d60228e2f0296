// LIBS: scree_scenes
// Forces from outside against closed forms: what they do to a free grain, to one on a spring, to a body that turns;
// their work stands in the ledger; they go with their grain, through a checkpoint, over ranks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "integrate/rigid_body.h"
#include "io/checkpoint/checkpoint.h"
#include "ranks/thread_ranks.h"
#include "scenes/scenes.h"
#include "sim/invariants.h"
#include "sim/outer_forces.h"
#include "sim/row_order.h"
#include "sim/spread.h"

namespace scree {
namespace {

Case weightless(double dt = 5e-5) {
  Case c = scenes::empty_case();
  c.gravity = {}, c.time_step.fixed = dt;
  return c;
}

TEST(OuterForces, AFreeGrainGainsWhatTheyDo) {
  const Vec3 v0{1, -2, 0.5}, force{0.3, 0.1, -0.2}, torque{0, 2e-5, 0};
  Case c = weightless();
  scenes::add_grain(c, "sphere", 0.02, {}, {}, v0);
  Simulation s = scenes::build(c);
  ASSERT_TRUE(set_outer_forces(s, std::vector{force}, std::vector{torque}));
  scenes::run_for(s, 0.3);
  const Particles& p = s.particles;
  const double t = s.time, m = p.mass[0], inertia = p.inertia[0].x;
  const Vec3 way = t * v0 + (t * t / (2 * m)) * force;
  EXPECT_LT(norm(p.velocity[0] - v0 - (t / m) * force), 1e-12 * norm(p.velocity[0]));
  EXPECT_LT(norm(p.position[0] - way), 1e-12 * norm(way));
  EXPECT_LT(norm(p.angular_momentum[0] - t * torque), 1e-12 * t * norm(torque));
  const Totals sums = totals(s);
  const double work = dot(force, way) + t * t / (2 * inertia) * norm2(torque);
  EXPECT_NEAR(sums.work_of_outside, work, 1e-11 * work);
  EXPECT_NEAR(sums.unclosed, 0, 1e-11 * sums.lively());
}

// A torque on a body that tumbles: its work is a sum over the steps, of second order.
TEST(OuterForces, TheWorkOnATumblingBodyIsOfSecondOrder) {
  double off[2] = {};
  for (int fine = 0; fine < 2; ++fine) {
    Case c = weightless(fine != 0 ? 1e-4 : 2e-4);
    contact::Linear soft;  // nothing meets
    soft.kn = 1, soft.kt = 0;
    c.contacts[0].law = soft;
    scenes::add_grain(c, "needle", 0.02, {}, axis_angle(normalized(Vec3{1, 2, 3}), 0.7), {}, {20, 5, -9});
    Simulation s = scenes::build(c);
    const Vec3 torque = 40 * s.particles.inertia[0].x * Vec3{1, -2, 0.5};
    ASSERT_TRUE(set_outer_forces(s, std::vector{Vec3{}}, std::vector{torque}));
    scenes::run_for(s, 0.5);
    const Totals t = totals(s);
    ASSERT_GT(std::abs(t.work_of_outside), 0.1 * t.lively());
    off[fine] = std::abs(t.unclosed) / t.lively();
  }
  EXPECT_LT(off[0], 1e-3);
  EXPECT_NEAR(off[0] / off[1], 4, 0.6);
}

TEST(OuterForces, ASphereIsPressedOntoItsSpring) {
  constexpr double kStiffness = 1e5, kForce = 3;
  Case c = weightless(1e-6);
  contact::Linear law;
  law.kn = kStiffness, law.kt = 0, law.damping_ratio = 0.3;
  c.contacts[0].law = law;
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  scenes::add_grain(c, "sphere", 0.02, {0, 0, 0.01});
  Simulation s = scenes::build(c);
  ASSERT_TRUE(set_outer_forces(s, std::vector{Vec3{0, 0, -kForce}}, std::vector{Vec3{}}));
  scenes::run_for(s, 0.1);
  const double depth = kForce / kStiffness;
  EXPECT_NEAR(0.01 - s.particles.position[0].z, depth, 1e-9 * 0.01);
  const Totals t = totals(s);
  // Off by (omega dt / 2)^2, as the spring's own.
  EXPECT_NEAR(t.work_of_outside, kForce * depth, 1e-5 * kForce * depth);
  EXPECT_NEAR(t.unclosed, 0, 1e-5 * t.work_of_outside);
  // Let go, it springs back by what is stored.
  ASSERT_TRUE(set_outer_forces(s, std::vector{Vec3{}}, std::vector{Vec3{}}));
  EXPECT_NEAR(s.particles.force[0].z, kForce, 1e-6 * kForce);
  scenes::run_for(s, 0.02);
  EXPECT_GT(s.particles.velocity[0].z, 0);
  EXPECT_EQ(totals(s).work_of_outside, t.work_of_outside);
}

/// By id; the rows of s stand in any order.
void push_each_by_its_id(Simulation& s) {
  std::vector<Vec3> force, torque;
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const double id = s.particles.id[i];
    force.push_back((s.particles.mass[i] * 3) * Vec3{std::sin(id), std::cos(id), std::sin(2 * id)});
    torque.push_back((s.particles.inertia[i].x * 20) * Vec3{std::cos(3 * id), 0, 1});
  }
  ASSERT_TRUE(set_outer_forces(s, force, torque));
}

// In a bed whose rows are sorted anew now and then: each grain keeps its own, a checkpoint has them, ranks have the
// same bits.
TEST(OuterForces, GoWithTheirGrains) {
  constexpr double kTime = 0.15;
  Case c = scenes::box_fill(40);
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.02);
  push_each_by_its_id(s);
  const Simulation start = s;
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("scree_outer_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto file = io::write_checkpoint(folder, s, {}, c);
  ASSERT_TRUE(file) << file.error().message;
  scenes::run_for(s, kTime);
  const std::uint64_t hash = state_hash(s);
  Simulation checked = s;
  EXPECT_EQ(step_and_check(checked), "") << "the force is the sum of those on it";
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const double id = s.particles.id[i];
    ASSERT_EQ(s.particles.outer_force[i].x, (s.particles.mass[i] * 3) * std::sin(id)) << id;
  }
  const Totals t = totals(s);
  EXPECT_GT(std::abs(t.work_of_outside), 1e-3 * t.lost());
  EXPECT_NEAR(t.unclosed, 0, 2e-2 * t.lost());

  auto again = io::read_checkpoint(*file, c, scenes::library());
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(state_hash(again->state), state_hash(start));
  scenes::run_for(again->state, kTime);
  EXPECT_EQ(state_hash(again->state), hash);
  ranks::run_as_threads(3, 1, [&](ranks::Ranks& ranks) {
    Simulation part = start;
    deal(part, ranks);
    scenes::run_for(part, kTime);
    make_whole(part);
    if (!ranks.is_first()) return;
    EXPECT_EQ(state_hash(part), hash);
    EXPECT_EQ(totals(part).work_of_outside, t.work_of_outside);
  });
}

TEST(OuterForces, WhatCannotActIsRefused) {
  Case c = weightless();
  scenes::add_grain(c, "sphere", 0.02, {});
  Simulation s = scenes::build(c);
  const std::uint64_t before = state_hash(s);
  const Vec3 up{0, 0, 1}, none{};
  const auto refused = [&](std::vector<Vec3> force, std::vector<Vec3> torque) {
    const Status done = set_outer_forces(s, force, torque);
    EXPECT_EQ(state_hash(s), before);
    return done ? std::string() : done.error().message;
  };
  EXPECT_EQ(refused({}, {}), "1 grains, but 0 forces and 0 torques from outside");
  EXPECT_EQ(refused({up}, {none, none}), "1 grains, but 1 forces and 2 torques from outside");
  EXPECT_EQ(refused({{0, std::numeric_limits<double>::quiet_NaN(), 0}}, {none}),
            "the force or torque from outside of grain 0 is not finite");
  EXPECT_EQ(refused({none}, {none}), "") << "nothing acts: the state is what it was";
  s.dimensions = 2;
  EXPECT_NE(refused({up}, {none}).find("leads out of the plane"), std::string::npos);
  EXPECT_NE(refused({none}, {{1, 0, 0}}).find("leads out of the plane"), std::string::npos);
  ASSERT_TRUE(set_outer_forces(s, std::vector{Vec3{1, 1, 0}}, std::vector{up}));
  EXPECT_NE(state_hash(s), before);
}

}  // namespace
}  // namespace scree

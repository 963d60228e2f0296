// LIBS: scree_scenes
// Velocities and angular momenta that a program writes into the rows, against closed forms: grains go on with them, and
// what they bring stands in the ledger.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "scenes/scenes.h"
#include "sim/written_motion.h"

namespace scree {
namespace {

Case apart(Vec3 gravity) {
  Case c = scenes::empty_case();
  c.gravity = gravity, c.time_step.fixed = 1e-5;
  scenes::add_grain(c, "sphere", 0.02, {}, {}, {0.1, 0, 0});
  scenes::add_grain(c, "needle", 0.02, {1, 0, 0}, axis_angle(normalized(Vec3{1, 2, 3}), 0.7), {}, {2, 5, -9});
  return c;
}

TEST(WrittenMotion, GrainsGoOnWithIt) {
  const Vec3 g{0, 0, -9.81}, v{1, -2, 3};
  Simulation s = scenes::build(apart(g));
  scenes::run_for(s, 0.01);
  Particles& p = s.particles;
  const Totals t0 = totals(s);
  const double start = s.time;
  const Vec3 x = p.position[0], l{3e-7, -1e-7, 2e-7};
  const GrainMotion before = motion_of(s);
  p.velocity[0] = v, p.angular_momentum[0] = l, p.angular_momentum[1] = l;
  const double brought = 0.5 * p.mass[0] * (norm2(v) - norm2(before.velocity[0])) + norm2(l) / (2 * p.inertia[0].x) +
                         integrate::rotational_energy(p.orientation[1], l, p.inertia[1]) -
                         integrate::rotational_energy(p.orientation[1], before.angular_momentum[1], p.inertia[1]);
  const auto taken = take_motion(s, before);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_TRUE(*taken);
  const Totals t1 = totals(s);
  ASSERT_GT(std::abs(brought), 0.1 * t1.lively());
  EXPECT_NEAR(t1.exchanged - t0.exchanged, brought, 1e-12 * std::abs(brought));
  EXPECT_NEAR(t1.unclosed, t0.unclosed, 1e-12 * t1.lively());
  scenes::run_for(s, 0.2);
  const double t = s.time - start;
  const Vec3 way = t * v + (t * t / 2) * g;
  EXPECT_LT(norm(p.position[0] - x - way), 1e-12 * norm(way));
  EXPECT_LT(norm(p.velocity[0] - v - t * g), 1e-12 * norm(p.velocity[0]));
  EXPECT_EQ(p.angular_momentum[0], l) << "nothing turns it";
  EXPECT_EQ(p.angular_momentum[1], l);
  // Of a body that tumbles the rotation is of second order.
  EXPECT_NEAR(totals(s).unclosed, t1.unclosed, 1e-6 * t1.lively());
}

// Of grains that touch, each with its contacts: what moves alone changes, to the same bits on any number of threads.
TEST(WrittenMotion, ABedThatIsStoppedHasLostItsKineticEnergy) {
  std::uint64_t hash = 0;
  for (const int threads : {1, 3}) {
    const exec::Context context(threads);
    const exec::Use use(context);
    Simulation s = scenes::build(scenes::box_fill(60));
    scenes::run_for(s, 0.2);
    const Totals moving = totals(s);
    ASSERT_GT(moving.kinetic_translation, 0);
    ASSERT_GT(moving.kinetic_rotation, 0);
    const GrainMotion before = motion_of(s);
    for (Vec3& v : s.particles.velocity) v = {};
    for (Vec3& l : s.particles.angular_momentum) l = {};
    ASSERT_TRUE(take_motion(s, before));
    const Totals t = totals(s);
    EXPECT_EQ(t.kinetic_translation + t.kinetic_rotation, 0);
    EXPECT_EQ(t.elastic, moving.elastic);
    EXPECT_NEAR(moving.exchanged - t.exchanged, moving.kinetic_translation + moving.kinetic_rotation,
                1e-12 * moving.kinetic_translation);
    scenes::run_for(s, 0.05);
    if (threads == 1) hash = state_hash(s);
    EXPECT_EQ(state_hash(s), hash);
  }
}

TEST(WrittenMotion, WhatCannotBeIsPutBack) {
  Simulation s = scenes::build(apart({}));
  const GrainMotion before = motion_of(s);
  const std::uint64_t hash = state_hash(s);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](Vec3 v, Vec3 l) {
    s.particles.velocity[1] = v, s.particles.angular_momentum[1] = l;
    const auto taken = take_motion(s, before);
    EXPECT_EQ(state_hash(s), hash);
    return taken ? std::string(*taken ? "changed" : "the same") : taken.error().message;
  };
  EXPECT_EQ(refused(before.velocity[1], before.angular_momentum[1]), "the same");
  EXPECT_EQ(refused({0, nan, 0}, {}), "the velocity written of grain 1 is not finite");
  EXPECT_EQ(refused({}, {INFINITY, 0, 0}), "the angular momentum written of grain 1 is not finite");
  EXPECT_EQ(refused({1e200, 0, 0}, {}), "with the velocities written the kinetic energy is not finite");
  s.dimensions = 2;
  EXPECT_EQ(refused({0, 0, 1e-9}, {}), "the velocity written of grain 1 leads out of the plane of two dimensions");
  EXPECT_EQ(refused({}, {0, 1e-9, 0}),
            "the angular momentum written of grain 1 is not about z, as in two dimensions it has to be");
  s.particles.velocity[1] = {1, 2, 0}, s.particles.angular_momentum[1] = {0, 0, 1e-9};
  const auto taken = take_motion(s, before);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_NE(state_hash(s), hash);
}

}  // namespace
}  // namespace scree

// Global damping (Zhao et al. 2006, Eq. 1) against closed forms: motion dies away as exp(-alpha t), a fall ends at
// g / alpha, a grain on a spring swings as a damped oscillator; and the ledger has all that it takes.
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/rigid_body.h"
#include "ranks/thread_ranks.h"
#include "scenes/scenes.h"
#include "sim/spread.h"

namespace scree {
namespace {

Case damped(double alpha, Vec3 gravity = {}) {
  Case c = scenes::empty_case();
  c.damping.global = alpha, c.gravity = gravity;
  c.time_step.fixed = 5e-5;
  return c;
}

TEST(GlobalDamping, MotionOfAFreeGrainDiesAway) {
  constexpr double kAlpha = 7, kTime = 0.5;
  const Vec3 v0{1, -2, 0.5}, w0{0, 0, 30};
  Case c = damped(kAlpha);
  scenes::add_grain(c, "grain14", 0.02, {}, {}, v0, w0);
  Simulation s = scenes::build(c);
  const Totals before = totals(s);
  const Vec3 spin = s.particles.angular_momentum[0];
  scenes::run_for(s, kTime);
  const double left = std::exp(-kAlpha * s.time);
  EXPECT_LT(norm(s.particles.velocity[0] - left * v0), 1e-12 * norm(v0));
  EXPECT_LT(norm(s.particles.angular_momentum[0] - left * spin), 1e-12 * norm(spin));
  // The way: exact but for the square of alpha dt.
  const Vec3 way = ((1 - left) / kAlpha) * v0;
  EXPECT_LT(norm(s.particles.position[0] - way), 1e-6 * norm(way));
  const Totals t = totals(s);
  const double all = before.lively(), kept = t.kinetic_translation + t.kinetic_rotation;
  EXPECT_NEAR(kept, left * left * all, 1e-11 * all);
  EXPECT_NEAR(t.lost_global, all - kept, 1e-12 * all);
  EXPECT_NEAR(t.unclosed, 0, 1e-12 * all);
  EXPECT_EQ(t.lost(), t.lost_global);
}

TEST(GlobalDamping, AFallEndsAtItsOwnSpeed) {
  constexpr double kAlpha = 5, kG = 9.81;
  Case c = damped(kAlpha, {0, 0, -kG});
  scenes::add_grain(c, "sphere", 0.02, {});
  Simulation s = scenes::build(c);
  for (const double time : {0.1, 0.2, 3.0}) {
    scenes::run_for(s, time - s.time);
    const double speed = kG / kAlpha * (1 - std::exp(-kAlpha * s.time));
    EXPECT_NEAR(-s.particles.velocity[0].z, speed, 1e-6 * speed) << time;
    const Totals t = totals(s);
    EXPECT_NEAR(t.unclosed, 0, 1e-11 * t.lost_global);
  }
}

TEST(GlobalDamping, ASphereOnASpringSwingsAsADampedOscillator) {
  constexpr double kAlpha = 200, kStart = 1e-4;
  constexpr double kRest = 2e-4;  // depth at which the spring bears the weight
  Case c = damped(kAlpha);
  contact::Linear law;
  law.kn = 1e5, law.kt = 0, law.friction_angle = 0, law.damping_ratio = 0, law.tension = contact::Tension::allowed;
  c.contacts[0].law = law;
  c.time_step.fixed = 1e-6;
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  scenes::add_grain(c, "sphere", 0.02, {0, 0, 0.01 - kStart});
  c.particles[0].may_overlap = true;
  const double mass = scenes::build(c).particles.mass[0];
  c.gravity = {0, 0, -law.kn * kRest / mass};
  Simulation s = scenes::build(c);
  const double omega2 = law.kn / mass, omega = std::sqrt(omega2 - kAlpha * kAlpha / 4);
  for (int k = 1; k <= 20; ++k) {
    scenes::run_for(s, 1e-4);
    const double t = s.time, x = (kStart - kRest) * std::exp(-kAlpha / 2 * t) *
                                 (std::cos(omega * t) + kAlpha / (2 * omega) * std::sin(omega * t));
    EXPECT_NEAR(0.01 - s.particles.position[0].z, kRest + x, 1e-4 * kStart) << k;
  }
}

// A bed that it helps to rest closes as well as without it; a stage turns it off; ranks have the same bits.
TEST(GlobalDamping, ABedClosesAndAStageEndsIt) {
  Case c = scenes::box_fill(60);
  c.damping.global = 20;
  c.stages.resize(2);
  c.stages[0].duration = 0.25, c.stages[1].duration = 1, c.stages[1].damping = Case::Damping{0};
  Simulation s = scenes::build(c);
  const Simulation start = s;
  scenes::run_for(s, 0.25);
  const Totals t = totals(s);
  EXPECT_GT(t.lost_global, 0.1 * t.lost());
  EXPECT_NEAR(t.unclosed, 0, 1e-2 * t.lost());
  ranks::run_as_threads(3, 1, [&](ranks::Ranks& ranks) {
    Simulation part = start;
    deal(part, ranks);
    scenes::run_for(part, 0.25);
    make_whole(part);
    if (!ranks.is_first()) return;
    EXPECT_EQ(state_hash(part), state_hash(s));
    EXPECT_EQ(totals(part).lost_global, t.lost_global);
  });
  Result<bool> next = begin_next_stage(s, c, scenes::library());
  ASSERT_TRUE(next && *next);
  EXPECT_EQ(s.damping, 0);
  scenes::run_for(s, 0.02);
  EXPECT_EQ(totals(s).lost_global, t.lost_global);
}

}  // namespace
}  // namespace scree

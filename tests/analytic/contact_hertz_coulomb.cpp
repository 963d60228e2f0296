// Hertz' spring with Coulomb's friction without memory, against closed forms: impacts of spheres, blocks that slide.
#include <gtest/gtest.h>

#include <cmath>

#include "contact/laws/hertz_coulomb.h"
#include "oracle/larger.h"
#include "oracle/two_spheres.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

using contact::HertzCoulomb;
using contact::Tension;

HertzCoulomb law_of(double young, double e, double mu, double slip_speed, Tension tension = Tension::cut) {
  HertzCoulomb law;
  law.tension = tension;
  law.set_materials({young, .3, e}, {young, .3, e});
  law.friction_angle = std::atan(mu), law.slip_speed = slip_speed;
  law.prepare(0);
  return law;
}

// Hertz: depth (15 m v^2/(16 E sqrt R))^(2/5), force 4/3 E sqrt(R) depth^(3/2), duration 2.9432 depth/v, of the
// effective mass, radius and modulus.
TEST(HertzCoulomb, ElasticImpactOfTwoSpheres) {
  oracle::TwoSpheres s;
  s.a = oracle::ball(0.01, 2500, {0, 0, 0.015 + 1e-12}), s.b = oracle::ball(0.005, 1500, {});
  const double speed = 2, mass = s.a.mass * s.b.mass / (s.a.mass + s.b.mass), radius = 0.01 / 3;
  s.a.v = {0, 0, -speed};
  const HertzCoulomb law = law_of(1e8, 1, 0.3, 1e-3);
  const double young = 1e8 / (2 * .91);
  const double deepest = std::pow(15 * mass * speed * speed / (16 * young * std::sqrt(radius)), 0.4);
  const double hardest = 4.0 / 3 * young * std::sqrt(radius) * std::pow(deepest, 1.5);
  const double duration = 2.9432 * deepest / speed, dt = duration / 20000;
  double depth = 0, force = 0, time = 0;
  s.act(law, 0);
  for (bool met = false; !met || s.depth() > 0;) {
    s.step(law, dt);
    met = met || s.depth() > 0;
    depth = oracle::larger(depth, s.depth()), force = oracle::larger(force, s.wrench.normal_force);
    time += s.depth() > 0 ? dt : 0;
  }
  EXPECT_NEAR(depth, deepest, 1e-5 * deepest);
  EXPECT_NEAR(force, hardest, 1e-5 * hardest);
  EXPECT_NEAR(time, duration, 5e-4 * duration);
  EXPECT_NEAR(s.a.v.z - s.b.v.z, speed, 1e-6 * speed);
}

TEST(HertzCoulomb, AnImpactGivesBackWhatTheUserSays) {
  for (const Tension t : {Tension::cut, Tension::allowed}) {
    for (const double e : {.1, .5, .9}) {
      for (const double speed : {.01, 1.}) {
        oracle::TwoSpheres s;
        s.a = oracle::ball(0.01, 2500, {0, 0, 0.01 + 1e-12}, {0, 0, -speed}), s.b = oracle::floor_at(0);
        const HertzCoulomb law = law_of(1e8, e, 0.3, 1e-3, t);
        EXPECT_NEAR(law.restitution().value(), e, 1e-12);
        const double time = 2.87 * std::pow(s.a.mass * s.a.mass / (0.01 * law.young * law.young * speed), 0.2);
        s.act(law, 0);
        for (bool met = false; !met || s.depth() > 0;) s.step(law, time / 20000), met = met || s.depth() > 0;
        EXPECT_NEAR(s.a.v.z / speed, e, 1e-3 * e);
      }
    }
  }
}

// Sliding throughout: the impulse along the plane is mu times that along the normal, m (1 + e) v_n.
TEST(HertzCoulomb, AnObliqueImpactThatSlidesTurnsByRigidImpulses) {
  const double mu = .2, e = .8, down = 1, along = 3, radius = 0.01;
  oracle::TwoSpheres s;
  s.a = oracle::ball(radius, 2500, {0, 0, radius + 1e-12}, {along, 0, -down}), s.b = oracle::floor_at(0);
  const HertzCoulomb law = law_of(1e11, e, mu, 1e-3);
  s.act(law, 0);
  for (bool met = false; !met || s.depth() > 0;) s.step(law, 2e-10), met = met || s.depth() > 0;
  EXPECT_NEAR(s.a.v.x, along - mu * (1 + e) * down, 1e-3 * mu * (1 + e) * down);
  const double spin = 2.5 * mu * (1 + e) * down / radius;
  EXPECT_NEAR(s.a.w.y, spin, 1.5e-3 * spin);  // the arm is shorter by half the depth
}

/// A cube of 0.1 m on a floor that is tilted by `slope`, pressed in by its weight, moving down it at `speed`; so stiff
/// that it hardly leans when friction changes.
Simulation block(double mu, double slope, double speed, double slip_speed) {
  Case c = scenes::empty_case();
  HertzCoulomb law;
  law.set_materials({1e10, .3, .1}, {1e10, .3, .1});
  law.friction_angle = std::atan(mu), law.slip_speed = slip_speed;
  c.contacts[0].law = law;
  c.gravity = 9.81 * Vec3{std::sin(slope), 0, -std::cos(slope)};
  scenes::add_plane(c, "floor", {}, {0, 0, 1});
  scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05}, {}, {});
  c.time_step.fixed = 5e-7;
  Simulation s = scenes::build(c);
  // At rest along the normal first.
  scenes::run_for(s, 0.1);
  for (std::size_t k = 0; k < 3; ++k) s.particles.angular_momentum[0][k] = s.particles.angular_velocity[0][k] = 0;
  s.particles.velocity[0] = {speed, 0, 0};
  return s;
}

// Faster than the slip speed v_s: mu g. Slower: v' = -mu g v/v_s.
TEST(HertzCoulomb, ASlidingBlockIsSlowedByMuGAndThenFades) {
  const double mu = .3, g = 9.81, speed = 1, slip = 0.05;
  Simulation s = block(mu, 0, speed, slip);
  const double until = (speed - slip) / (mu * g);
  scenes::run_for(s, 0.5 * until);
  ASSERT_FALSE(s.fault);
  EXPECT_NEAR(s.particles.velocity[0].x, speed - 0.5 * mu * g * until, 2e-3 * speed);
  scenes::run_for(s, 0.5 * until + 2 * slip / (mu * g));
  EXPECT_NEAR(s.particles.velocity[0].x, slip * std::exp(-2), 0.02 * slip * std::exp(-2));
}

// Nothing holds it: below the friction angle it creeps at v_s tan(slope)/mu.
TEST(HertzCoulomb, ABlockOnASlopeCreepsAsFastAsItsFrictionNeeds) {
  const double mu = .5, slope = 0.2, slip = 0.02, steady = slip * std::tan(slope) / mu;
  Simulation s = block(mu, slope, steady, slip);
  scenes::run_for(s, 0.05);
  ASSERT_FALSE(s.fault);
  EXPECT_NEAR(s.particles.velocity[0].x, steady, 0.01 * steady);
  EXPECT_EQ(s.wall_contacts.sliding[0], 0);
}

}  // namespace
}  // namespace scree

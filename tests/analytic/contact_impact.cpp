// LIBS: scree_contact
// Impacts of spheres against closed forms: what comes out of each law alone.
#include <gtest/gtest.h>

#include <cmath>

#include "contact/laws/bloks3d.h"
#include "contact/laws/hertz_mindlin.h"
#include "contact/laws/linear.h"
#include "oracle/larger.h"
#include "oracle/two_spheres.h"

namespace scree {
namespace {

using contact::damping_ratio_for;
using contact::Linear;
using contact::restitution_of;
using contact::Tension;

constexpr Tension kBoth[] = {Tension::cut, Tension::allowed};

Linear linear(double kn, double e, Tension tension) {
  Linear law;
  law.kn = kn, law.kt = 2.0 / 7 * kn, law.tension = tension;
  law.damping_ratio = damping_ratio_for(e, tension);
  law.prepare(0);
  return law;
}

struct Impact {
  double restitution = 0, force = 0, depth = 0, time = 0;
  double least = 0;  ///< N, strongest pull
};

/// Two spheres meet head on at `speed`; `dt` is a small part of the contact's duration.
template <class Law>
Impact head_on(const Law& law, oracle::Ball a, oracle::Ball b, double speed, double dt) {
  oracle::TwoSpheres s;
  s.a = a, s.b = b;
  s.a.v = {0, 0, -speed};
  Impact i;
  double before = 0;
  s.act(law, 0);
  for (bool met = false;;) {
    s.step(law, dt);
    const double depth = s.depth();
    if (depth > 0) {
      met = true, i.time += dt;
      i.force = oracle::larger(i.force, s.wrench.normal_force), i.least = std::min(i.least, s.wrench.normal_force);
      i.depth = oracle::larger(i.depth, depth);
    } else if (met) {
      // The contact's ends lie within steps.
      i.time -= dt * -depth / (before - depth);
      break;
    }
    before = depth;
  }
  i.restitution = s.a.v.z - s.b.v.z;
  i.restitution /= speed;
  return i;
}

TEST(Restitution, RelationAndItsInverse) {
  // Values that a dashpot for e with tension gives when tension is cut.
  const double given[] = {.2, .4, .5, .6, .8, .9}, out[] = {.325, .472, .550, .632, .808, .902};
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(restitution_of(damping_ratio_for(given[k], Tension::allowed), Tension::cut), out[k], 6e-4);
  for (const Tension t : kBoth) {
    EXPECT_EQ(damping_ratio_for(1, t), 0);
    for (double e = 1e-6; e < 1; e = std::min(1.07 * e, e + 0.01))
      EXPECT_NEAR(restitution_of(damping_ratio_for(e, t), t), e, 1e-12 * e) << e;
  }
  // Through critical damping without a seam.
  EXPECT_NEAR(restitution_of(1, Tension::cut), std::exp(-2), 1e-15);
  for (const double h : {1e-3, 1e-5, 9e-7, 1.1e-6})
    EXPECT_NEAR(restitution_of(1 + h, Tension::cut) - restitution_of(1 - h, Tension::cut),
                -2 * h * 4 / 3 * std::exp(-2), 1e-2 * h + 1e-15);
}

TEST(Restitution, LinearImpactGivesBackWhatTheUserSays) {
  for (const Tension t : kBoth) {
    for (const double e : {.05, .1, .2, .4, .5, .6, .8, .9, .97, 1.}) {
      for (const double speed : {.01, .1, 1., 10.}) {
        const oracle::Ball a = oracle::ball(0.01, 2500, {0, 0, 0.02}), b = oracle::ball(0.01, 2500, {});
        const Linear law = linear(1e5, e, t);
        const double period = M_PI * std::sqrt(0.5 * a.mass / 1e5);
        const Impact i = head_on(law, a, b, speed, period / 20000);
        ASSERT_NEAR(i.restitution, e, 1e-3 * e) << "speed " << speed << (t == Tension::cut ? " cut" : " allowed");
        if (t == Tension::cut) {
          ASSERT_EQ(i.least, 0);
        } else if (e < 1) {
          ASSERT_LT(i.least, 0);
        }
      }
    }
  }
}

contact::HertzMindlin hertz(double young_a, double nu_a, double young_b, double nu_b, double e, Tension tension,
                            double mu = 0) {
  contact::HertzMindlin law;
  const contact::ElasticPair pair = contact::elastic_pair(young_a, nu_a, young_b, nu_b);
  law.young = pair.young, law.shear = pair.shear, law.tension = tension, law.friction_angle = std::atan(mu);
  law.damping_ratio = damping_ratio_for(e, tension);
  law.prepare(0);
  return law;
}

/// BLOKS3D's law with its power term alone.
contact::Bloks3d power_term(double knn, double exponent, double damping_ratio, double smallest_mass) {
  contact::Bloks3d law;
  law.knn = knn, law.exponent = exponent, law.ks = 1e4, law.damping_ratio = damping_ratio;
  law.damping_sliding = 0.01, law.damping_sticking = 0.9;
  law.prepare(smallest_mass);
  return law;
}

// K_N = 0 (Zhao et al. 2006, after Eq. 5). Undamped: depth and duration of F = k d^b, the latter 2 d/v times the
// integral of (1 - x^(b+1))^(-1/2) from 0 to 1, which is B(1/(b+1), 1/2)/(b+1).
TEST(Restitution, ThePowerTermAloneBouncesAsItsClosedFormSays) {
  for (const double b : {1.0, 1.5, 2.0, 3.0}) {
    for (const double speed : {.05, .5, 5.}) {
      const oracle::Ball one = oracle::ball(0.01, 2500, {0, 0, 0.015}), other = oracle::ball(0.005, 1500, {});
      const double mass = one.mass * other.mass / (one.mass + other.mass), k = 1e5 * std::pow(1e-4, 1 - b);
      const double depth = std::pow((b + 1) * mass * speed * speed / (2 * k), 1 / (b + 1));
      const double time = 2 * depth / speed * std::beta(1 / (b + 1), 0.5) / (b + 1);
      const Impact i = head_on(power_term(k, b, 0, 0), one, other, speed, time / 20000);
      ASSERT_NEAR(i.depth, depth, 1e-6 * depth) << b;
      ASSERT_NEAR(i.force, k * std::pow(depth, b), 1e-5 * i.force) << b;
      ASSERT_NEAR(i.time, time, 1e-3 * time) << b;
      ASSERT_NEAR(i.restitution, 1, 1e-6) << b;
    }
  }
}

// A dashpot that is a share of the critical one at the depth at hand: what comes out depends on no speed, and for b = 1
// it is that of the linear spring.
TEST(Restitution, ThePowerTermAloneGivesBackTheSameAtEverySpeed) {
  const oracle::Ball one = oracle::ball(0.01, 2500, {0, 0, 0.02}), other = oracle::ball(0.01, 2500, {});
  contact::Bloks3d line = power_term(0, 1, .2, one.mass);
  line.kn = 1e5, line.prepare(one.mass);
  const double time = M_PI * std::sqrt(one.mass / 2 / 1e5);
  const double of_line = head_on(line, one, other, 1, time / 20000).restitution;
  ASSERT_LT(of_line, .6);
  EXPECT_NEAR(head_on(power_term(1e5, 1, .2, one.mass), one, other, 1, time / 20000).restitution, of_line, 1e-9);
  for (const double b : {1.5, 2.0, 3.0}) {
    const double k = 1e5 * std::pow(1e-4, 1 - b);
    double first = 0;
    for (const double speed : {.02, .2, 2.}) {
      const double depth = std::pow((b + 1) * one.mass / 2 * speed * speed / (2 * k), 1 / (b + 1));
      const double e = head_on(power_term(k, b, .2, one.mass), one, other, speed, depth / speed / 10000).restitution;
      ASSERT_LT(e, .8) << b;
      if (first == 0) first = e;
      ASSERT_NEAR(e, first, 1e-3 * first) << b << " at " << speed;
    }
  }
}

/// Hertz' duration of an elastic impact (s).
double hertz_time(double mass, double radius, double young, double speed) {
  return 2.87 * std::pow(mass * mass / (radius * young * young * speed), 0.2);
}

TEST(Restitution, HertzImpactGivesBackWhatTheUserSays) {
  for (const Tension t : kBoth) {
    for (const double e : {.05, .1, .2, .4, .5, .6, .8, .9, .97, 1.}) {
      for (const double speed : {.01, .1, 1., 10.}) {
        const oracle::Ball a = oracle::ball(0.01, 2500, {0, 0, 0.015}), b = oracle::ball(0.005, 1500, {});
        const contact::HertzMindlin law = hertz(1e8, .3, 3e8, .2, e, t);
        const double mass = a.mass * b.mass / (a.mass + b.mass), radius = 0.01 / 3;
        const Impact i = head_on(law, a, b, speed, hertz_time(mass, radius, law.young, speed) / 20000);
        ASSERT_NEAR(i.restitution, e, 1e-3 * e) << "speed " << speed << (t == Tension::cut ? " cut" : " allowed");
      }
    }
  }
}

// Chung & Ooi (2011), test 1: two glass spheres, +-10 m/s.
TEST(Impact, ChungOoi1TwoGlassSpheres) {
  const oracle::Ball a = oracle::ball(0.01, 2800, {0, 0, 0.02}, {}, {}), b = oracle::ball(0.01, 2800, {});
  const Impact i = head_on(hertz(48e9, .2, 48e9, .2, 1, Tension::cut), a, b, 20, 4e-9);
  EXPECT_NEAR(i.force, 10.6969e3, .005 * 10.6969e3);
  EXPECT_NEAR(i.depth, 274.113e-6, .005 * 274.113e-6);
  EXPECT_NEAR(i.time, 40.339e-6, .005 * 40.339e-6);
  EXPECT_NEAR(i.restitution, 1, 1e-5);
}

// Test 2: aluminium alloy on a wall 1000 times as stiff.
TEST(Impact, ChungOoi2SphereOnAStiffWall) {
  const oracle::Ball a = oracle::ball(0.1, 2699, {0, 0, 0.1});
  const Impact i = head_on(hertz(70e9, .3, 70e12, .3, 1, Tension::cut), a, oracle::floor_at(0), .2, 1e-7);
  EXPECT_NEAR(i.force, 11.3653e3, .005 * 11.3653e3);
  EXPECT_NEAR(i.depth, 49.737e-6, .005 * 49.737e-6);
  EXPECT_NEAR(i.time, 731.95e-6, .005 * 731.95e-6);
}

// Oblique impact of aluminium oxide on glass: sliding throughout, so that the spin is 5/2 mu (1 + e) v_n/R.
TEST(Impact, ObliqueImpactSlidesAndSpins) {
  const struct { double degrees, tangential, spin; } cases[] = {{40, .7829, 544.2}, {60, .8948, 355.2}};
  for (const auto& c : cases) {
    for (const Tension t : kBoth) {
      const double angle = c.degrees * M_PI / 180, speed = 3.9;
      oracle::TwoSpheres s;
      s.a = oracle::ball(0.0025, 4000, {0, 0, 0.0025 + 1e-9}, speed * Vec3{std::sin(angle), 0, -std::cos(angle)});
      s.b = oracle::floor_at(0);
      const contact::HertzMindlin law = hertz(380e9, .23, 70e9, .25, .98, t, .092);
      s.act(law, 0);
      for (bool met = false; !met || s.depth() > 0;) s.step(law, 1e-9), met = met || s.depth() > 0;
      EXPECT_NEAR(s.a.v.x / (speed * std::sin(angle)), c.tangential, .005 * c.tangential);
      EXPECT_NEAR(s.a.w.y, c.spin, .005 * c.spin);
      EXPECT_NEAR(s.a.v.z / (speed * std::cos(angle)), .98, .001);
    }
  }
}

// Spins that cancel at the contact: nothing slips, so nothing tangential happens.
TEST(Impact, SpinsThatCancelChangeNothing) {
  oracle::TwoSpheres s;
  s.a = oracle::ball(0.01, 2500, {0, 0, 0.02 + 1e-9}, {0, 0, -1}, {0, 40, 0});
  s.b = oracle::ball(0.01, 2500, {}, {}, {0, -40, 0});
  const contact::HertzMindlin law = hertz(1e8, .3, 1e8, .3, .7, Tension::cut, .4);
  s.act(law, 0);
  for (bool met = false; !met || s.depth() > 0;) s.step(law, 1e-8), met = met || s.depth() > 0;
  EXPECT_NEAR(s.a.v.x, 0, 1e-6);
  EXPECT_NEAR(s.b.v.x, 0, 1e-6);
  EXPECT_NEAR(s.a.w.y, 40, 40e-6);
  EXPECT_NEAR(s.b.w.y, -40, 40e-6);
  EXPECT_NEAR(s.a.v.z - s.b.v.z, .7, 1e-3);
}

TEST(Pairs, ElasticConstantsAndRestitutionMix) {
  const contact::ElasticPair same = contact::elastic_pair(48e9, .2, 48e9, .2);
  EXPECT_NEAR(same.young, 48e9 / (2 * .96), 1);
  EXPECT_NEAR(same.shear, 48e9 / (2 * 1.8 * 2 * 1.2), 1);
  const contact::ElasticPair on_hard = contact::elastic_pair(1e9, .3, 1e18, .2);
  EXPECT_NEAR(on_hard.young, 1e9 / .91, 10);
  EXPECT_NEAR(contact::mixed_restitution(1e9, .3, .5, 1e9, .3, .5), .5, 1e-15);
  EXPECT_NEAR(contact::mixed_restitution(1e9, .3, .5, 1e15, .3, .9), .5, 1e-5) << "the soft one decides";
  const double ab = contact::mixed_restitution(1e9, .3, .5, 3e9, .2, .9),
               ba = contact::mixed_restitution(3e9, .2, .9, 1e9, .3, .5);
  EXPECT_EQ(ab, ba);
}

// R .1 m, 2600 kg/m^3, dropped from .5 m, kn 5e4 N/m, e .8, standard gravity; tension allowed.
TEST(Impact, SphereOnFloorWithALinearSpring) {
  oracle::TwoSpheres s;
  s.a = oracle::ball(0.1, 2600, {0, 0, 0.5}), s.b = oracle::floor_at(0);
  s.gravity = {0, 0, -9.80665};
  const Linear law = linear(5e4, 0.8, Tension::allowed);
  const double dt = 1e-6;
  double contact = 0, release = 0, speed = 0, apex = 0, apex_time = 0;
  s.act(law, 0);
  while (s.time < 0.6) {
    const bool before = s.depth() > 0;
    s.step(law, dt);
    if (!before && s.depth() > 0) contact = s.time;
    if (before && !(s.depth() > 0)) release = s.time, speed = s.a.v.z;
    if (release > 0 && s.a.x.z > apex) apex = s.a.x.z, apex_time = s.time;
  }
  EXPECT_NEAR(contact, .285617, 1e-3 * .285617);
  EXPECT_NEAR(release, .333829, 1e-3 * .333829);
  EXPECT_NEAR(speed, 2.202104, 1e-3 * 2.202104);
  EXPECT_NEAR(apex, .347244, 1e-3 * .347244);
  EXPECT_NEAR(apex_time, .558381, 1e-3 * .558381);
}

}  // namespace
}  // namespace scree

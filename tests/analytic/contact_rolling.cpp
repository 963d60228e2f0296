// LIBS: scree_contact
// Balls on a floor that slide, roll, twist and stop.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "contact/laws/linear.h"
#include "oracle/two_spheres.h"

namespace scree {
namespace {

using contact::Linear;
using contact::Rolling;
using Law = oracle::WithBeside<Linear>;

constexpr double kG = 9.81;

/// A ball of 1 kg and R .5 m that rests on a floor tilted by `degrees` (gravity is turned instead).
oracle::TwoSpheres resting(double kn, double degrees, Vec3 velocity, Vec3 spin) {
  oracle::TwoSpheres s;
  const double a = degrees * M_PI / 180;
  s.gravity = {kG * std::sin(a), 0, -kG * std::cos(a)};
  s.a = {0.5, 1, {0, 0, 0.5 - kG * std::cos(a) / kn}, velocity, spin, {}, {}};
  s.b = oracle::floor_at(0);
  return s;
}

Law law(double kn, double mu, Rolling::Model model, double mu_r, double mu_t = 0) {
  Law l;
  l.law.kn = kn, l.law.kt = 2.0 / 7 * kn, l.law.friction_angle = std::atan(mu), l.law.damping_ratio = 0.3;
  l.law.prepare(0);
  l.beside.rolling = {model, mu_r, mu_t, 0.3};
  return l;
}

TEST(Rolling, SlideToRoll) {
  const double mu = .3, t = 2.0 / (7 * mu * kG);
  const Law l = law(1e6, mu, Rolling::Model::none, 0);
  oracle::TwoSpheres s = resting(1e6, 0, {1, 0, 0}, {});
  s.act(l, 0);
  while (s.time < 0.9 * t) s.step(l, 1e-5);
  EXPECT_NEAR(s.a.v.x, 1 - mu * kG * s.time, .005);
  EXPECT_TRUE(s.wrench.sliding);
  while (s.time < 1.1 * t) s.step(l, 1e-5);
  EXPECT_NEAR(s.a.v.x, 5.0 / 7, .005 * 5 / 7);
  EXPECT_NEAR(s.a.w.y * 0.5, s.a.v.x, .005);
  EXPECT_FALSE(s.wrench.sliding);
}

// mu .3, mu_r .2, v0 1 m/s: slides for .18534 s, rolls, stops at .50968 s after .20851 m, and stays.
TEST(Rolling, ConstantTorqueStopsTheBallAndItStays) {
  const Law l = law(1e6, .3, Rolling::Model::constant, .2);
  oracle::TwoSpheres s = resting(1e6, 0, {1, 0, 0}, {});
  s.act(l, 0);
  double stopped = 0;
  while (s.time < 0.8) {
    s.step(l, 1e-5);
    if (stopped == 0 && s.a.v.x <= 0) stopped = s.time;
  }
  EXPECT_NEAR(stopped, .50968, .005 * .50968);
  EXPECT_NEAR(s.a.x.x, .20851, .005 * .20851);
  const double place = s.a.x.x;
  while (s.time < 2) {
    s.step(l, 1e-5);
    ASSERT_NEAR(s.a.x.x, place, 1e-7);
  }
  EXPECT_LT(std::abs(s.a.v.x), 1e-9);
}

TEST(Rolling, NoneOnASlopeBelowTheLimit) {
  for (const Rolling::Model model : {Rolling::Model::constant, Rolling::Model::spring}) {
    const double mu_r = .1, limit = std::atan(mu_r) * 180 / M_PI;
    const Law l = law(1e5, .5, model, mu_r);
    oracle::TwoSpheres held = resting(1e5, 0.95 * limit, {}, {}), rolls = resting(1e5, 1.05 * limit, {}, {});
    held.act(l, 0), rolls.act(l, 0);
    while (held.time < 1.5) held.step(l, 2e-5), rolls.step(l, 2e-5);
    const double place = held.a.x.x, speed = rolls.a.v.x, begin = rolls.time;
    while (held.time < 3) held.step(l, 2e-5), rolls.step(l, 2e-5);
    EXPECT_LT(std::abs(held.a.x.x - place), 1e-9) << "no creep";
    EXPECT_LT(std::abs(place), 5e-3) << "let go at once, it swings a little past the springs' own give";
    const double a = 1.05 * limit * M_PI / 180, acceleration = 5.0 / 7 * kG * (std::sin(a) - mu_r * std::cos(a));
    EXPECT_NEAR(rolls.a.v.x - speed, acceleration * (rolls.time - begin), .005 * acceleration * (rolls.time - begin));
  }
}

// The spring below its limit: a ball rocked about its contact swings with sqrt(k_r/J).
TEST(Rolling, SpringHasItsPeriod) {
  Law l = law(1e5, 1, Rolling::Model::spring, .1);
  l.beside.rolling.damping_ratio = 0, l.law.damping_ratio = 0.02;
  oracle::TwoSpheres s = resting(1e5, 0, {1e-4, 0, 0}, {0, 2e-4, 0});
  s.act(l, 0);
  const double kr = 2.25 * 1e5 * .01 * .25, inertia = 1.4 * .25;
  int crossings = 0;
  double first = 0, last = 0;
  while (s.time < 3) {
    const double before = s.a.v.x;
    s.step(l, 1e-5);
    if (before > 0 && s.a.v.x <= 0) ++crossings, (crossings == 1 ? first : last) = s.time;
  }
  ASSERT_GT(crossings, 8);
  // The shear spring gives way too: k_t R^2 in a row with k_r.
  const double both = 1 / (1 / kr + 1 / (2.0 / 7 * 1e5 * .25));
  const double period = (last - first) / (crossings - 1);
  EXPECT_NEAR(period, 2 * M_PI * std::sqrt(inertia / kr), .05 * period);
  EXPECT_NEAR(period, 2 * M_PI * std::sqrt(inertia / both), .05 * period);
}

// A ball that spins about the normal: I w' = -mu_t R N.
class TwistingStopsASpin : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Rolling, TwistingStopsASpin, testing::Bool(),
                         [](const auto& i) { return i.param ? "BesideAShearSpring" : "WithoutOne"; });
TEST_P(TwistingStopsASpin, InItsTime) {
  Law l = law(1e6, .3, Rolling::Model::constant, .1, .2);
  if (!GetParam()) l.law.kt = 0;
  oracle::TwoSpheres s = resting(1e6, 0, {}, {0, 0, 10});
  s.act(l, 0);
  const double expected = 10 * 0.4 * .5 / (.2 * kG);
  double stopped = 0;
  while (s.time < 2 * expected) {
    s.step(l, 1e-5);
    if (stopped == 0 && s.a.w.z <= 0) stopped = s.time;
  }
  EXPECT_NEAR(stopped, expected, .005 * expected);
  EXPECT_LT(std::abs(s.a.w.z), 1e-6);
}

TEST(Rolling, MomentKeepsItsLimitsAndDoesNotSeeTheFrame) {
  Random u(9);
  int at_limit = 0;
  for (int i = 0; i < 20000; ++i) {
    Law l = law(std::pow(10, u.uniform(3, 7)), .5, u.below(2) ? Rolling::Model::constant : Rolling::Model::spring,
                u.uniform(0.01, .5), u.uniform(0, .3));
    contact::Geometry g;
    g.normal = u.direction(), g.radius = .01, g.depth = g.energy_depth = 1e-5 * u.uniform(), g.mass = .01;
    g.rolling_inertia = 1.4e-6;
    const contact::Motion m{u.direction(), u.uniform(0, 300) * u.direction(), u.direction(), 1e-5 * u.uniform()};
    const double size = .3 * l.law.kn * g.depth * g.radius;
    const Vec3 last = normalized(g.normal + .01 * u.direction());
    contact::Memory memory{{}, 0, last, size * u.uniform() * u.direction()};
    const Quat q = u.rotation();
    contact::Geometry tg = g;
    tg.normal = rotate(q, g.normal);
    contact::Memory turned{{}, 0, rotate(q, last), rotate(q, memory.rolling)};
    const contact::Wrench w = l(g, m, memory);
    const contact::Wrench t =
        l(tg, {rotate(q, m.velocity), rotate(q, m.angular_velocity), rotate(q, m.mean_spin), m.dt}, turned);
    ASSERT_LT(norm(rotate(q, w.moment) - t.moment), 1e-11 * (norm(w.moment) + size));
    ASSERT_LT(norm(rotate(q, memory.rolling) - turned.rolling), 1e-11 * (norm(w.moment) + size));
    const double about = dot(w.moment, g.normal), pressed = w.normal_force;
    ASSERT_LE(std::abs(about), l.beside.rolling.twisting * g.radius * pressed * (1 + 1e-9) + 1e-12 * size);
    const double rolls = norm(w.moment - about * g.normal), limit = l.beside.rolling.friction * g.radius * pressed;
    ASSERT_LE(rolls, limit * (1 + 1e-9) + 1e-12 * size);
    at_limit += rolls > 0.999 * limit ? 1 : 0;
  }
  EXPECT_GT(at_limit, 1000);
  EXPECT_LT(at_limit, 19000);
}

}  // namespace
}  // namespace scree

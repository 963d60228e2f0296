// LIBS: scree_contact
// Bodies that attract each other while they touch.
#include <gtest/gtest.h>

#include <cmath>

#include "contact/laws/hertz_mindlin.h"
#include "oracle/larger.h"
#include "oracle/two_spheres.h"

namespace scree {
namespace {

using Law = oracle::WithBeside<contact::HertzMindlin>;

constexpr double kWork = 0.05, kRadius = 1e-4;  // J/m^2, m

Law sticky(double e) {
  Law l;
  const contact::ElasticPair pair = contact::elastic_pair(1e9, .3, 1e9, .3);
  l.law.young = pair.young, l.law.shear = pair.shear;
  l.law.damping_ratio = contact::damping_ratio_for(e, contact::Tension::cut);
  l.law.prepare(0);
  l.beside.pull.work_of_adhesion = kWork;
  return l;
}

oracle::TwoSpheres meeting(double speed) {
  oracle::TwoSpheres s;
  s.a = oracle::ball(kRadius, 2500, {0, 0, 2 * kRadius}, {0, 0, -speed}), s.b = oracle::ball(kRadius, 2500, {});
  return s;
}

TEST(Cohesion, PullOffForceIsTwoPiWR) {
  const Law l = sticky(1);
  double strongest = 0;
  for (double depth = 1e-7; depth > 1e-14; depth *= 0.9) {
    contact::Geometry g = contact::reference_contact(depth, kRadius / 2, 1e-9);
    g.normal = {0, 0, 1};
    contact::Memory memory;
    strongest = oracle::larger(strongest, -l(g, {}, memory).force.z);
  }
  const double expected = 2 * M_PI * kWork * kRadius / 2;
  EXPECT_NEAR(strongest, expected, 1e-6 * expected);
}

// Two spheres at rest under the pull alone: Hertz' depth for that force.
TEST(Cohesion, RestsWhereHertzCarriesThePull) {
  const Law l = sticky(.3);
  oracle::TwoSpheres s = meeting(1e-3);
  const double pull = 2 * M_PI * kWork * kRadius / 2,
               depth = std::pow(0.75 * pull / (l.law.young * std::sqrt(kRadius / 2)), 2.0 / 3);
  s.a.x.z -= 1e-12;
  s.act(l, 0);
  while (s.time < 1e-4) s.step(l, 1e-9);
  EXPECT_NEAR(s.depth(), depth, 1e-6 * depth);
}

// The pull gives on the way in what it takes on the way out; with e < 1 slow bodies stick and fast ones part.
TEST(Cohesion, ImpactsKeepTheirEnergyOrStick) {
  const auto after = [](double e, double speed) {
    const Law l = sticky(e);
    oracle::TwoSpheres s = meeting(speed);
    s.a.x.z -= 1e-12;
    s.act(l, 0);
    while (s.time < 2e-5 && s.depth() > 0) s.step(l, 1e-10);
    return s.depth() > 0 ? 0 : s.a.v.z - s.b.v.z;
  };
  EXPECT_NEAR(after(1, .2), .2, 1e-3 * .2);
  EXPECT_EQ(after(.5, .01), 0);
  const double fast = after(.5, 2);
  EXPECT_GT(fast, .4 * 2);
  EXPECT_LT(fast, .5 * 2);
}

}  // namespace
}  // namespace scree

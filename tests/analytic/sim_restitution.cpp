// The restitution that a law is given, as a run at the usual time step gives it back.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "contact/restitution.h"
#include "oracle/larger.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

/// Speed after over speed before of a grain that meets a floor head on, without gravity, `phase` of a step after a
/// step.
double given_back(const Law& law, const std::string& shape, double speed, double fraction, double phase) {
  Case c = scenes::empty_case();
  c.gravity = {};
  c.contacts[0].law = law;
  c.time_step.fraction = fraction;
  scenes::add_plane(c, "floor", {}, {0, 0, 1});
  scenes::add_grain(c, shape, 0.1, {0, 0, 0.05}, {}, {0, 0, -speed});
  Simulation s = scenes::build(c);
  s.particles.position[0].z += speed * phase * s.dt;
  bool met = false;
  for (int k = 0; k < 1000000 && !s.fault; ++k) {
    step(s);
    met = met || s.wall_contacts.size() > 0;
    if (met && s.wall_contacts.size() == 0) return s.particles.velocity[0].z / speed;
  }
  return -1;
}

Law linear(double e, contact::Tension tension) {
  contact::Linear law;
  law.kn = 1e6, law.kt = 2e5, law.tension = tension;
  law.damping_ratio = contact::damping_ratio_for(e, tension);
  return law;
}

// docs/laws/linear.md prints this table: a contact begins somewhere within a step, and the dashpot sees the velocity of
// half a step before.
TEST(Restitution, OfARunAtTheUsualTimeStep) {
  for (const double fraction : {0.2, 0.02}) {
    std::printf("time step %.2f of the critical one\n", fraction);
    for (const double e : {0.1, 0.2, 0.5, 0.9}) {
      double least = 2, most = 0;
      for (int k = 0; k < 40; ++k) {
        const double back = given_back(linear(e, contact::Tension::cut), k % 2 == 0 ? "sphere" : "cube",
                                       std::pow(10, k % 4 - 2), fraction, 1 + k / 40.0);
        least = std::min(least, back), most = oracle::larger(most, back);
      }
      std::printf("e %.1f: %.3f to %.3f\n", e, least, most);
      EXPECT_NEAR(least, e, 0.15 * fraction) << e;
      EXPECT_NEAR(most, e, 0.15 * fraction) << e;
    }
  }
}

}  // namespace
}  // namespace scree

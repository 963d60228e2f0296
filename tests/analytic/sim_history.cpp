// Friction with memory, where the contact plane turns while bodies approach: the case of Vyas et al. (2025, Comput.
// Phys. Commun. 310:109524), in which a velocity that is half a step late stores shear that no slip has brought.
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/scenes.h"

namespace scree {
namespace {

/// A sphere on the flank of another that is `ratio` times as large and a thousand times as heavy for its size, pressed
/// into it and moving along it and towards it; friction holds.
Simulation on_flank(double ratio, double dt) {
  Case c = scenes::empty_case();
  contact::Linear law;
  law.kn = law.kt = 1e4, law.friction_angle = std::atan(50.0);
  c.contacts = {{0, 0, law, {}}};
  c.gravity = {};
  const double small = 0.01, large = ratio * small;
  const Vec3 n = normalized(Vec3{0.3, 0.2, 1}), along = normalized(cross(n, {0.4, 1, 0}));
  const double distance = 0.5 * (small + large) - 2e-4;
  scenes::add_grain(c, "sphere", large, {});
  scenes::add_grain(c, "sphere", small, distance * n, {}, 0.3 * along - 0.2 * n, {3, -2, 5});
  c.time_step.fixed = dt;
  return scenes::build(c);
}

struct End {
  Vec3 position, velocity, spin;
};
End after(double ratio, double dt, int steps) {
  Simulation s = on_flank(ratio, dt);
  for (int k = 0; k < steps; ++k) step(s);
  EXPECT_FALSE(s.fault);
  EXPECT_EQ(s.contacts.size(), 1u) << "it has to last";
  const std::size_t i = s.particles.id[0] == 1 ? 0 : 1;
  return {s.particles.position[i], s.particles.velocity[i], s.particles.angular_velocity[i]};
}

/// The normal turns while the bodies approach along its middle direction: no slip, so nothing is stored.
template <class Law>
void expect_nothing_stored(Law law) {
  const Vec3 before{0, 0, 1}, now = normalized(Vec3{0.02, -0.01, 1}), middle = normalized(before + now);
  law.prepare(1e-3);
  contact::Geometry g{now, 1e-5};
  g.radius = 0.01, g.mass = 1e-3;
  contact::Motion m;
  m.dt = 1e-5;
  contact::Memory memory{{}, 0, before};
  m.velocity = -middle;
  law(g, m, memory);
  const double approach = norm(memory.shear);
  memory = {{}, 0, before}, m.velocity = normalized(cross(middle, {1, 2, 0}));
  law(g, m, memory);
  EXPECT_LT(approach, 1e-4 * norm(memory.shear));
  EXPECT_GT(norm(memory.shear), 0);
  EXPECT_LT(std::abs(dot(memory.shear, now)), 1e-12 * norm(memory.shear));
}

TEST(HistoryFriction, ApproachAlongATurningNormalStoresNothing) {
  contact::Linear linear;
  linear.kn = linear.kt = 1e5, linear.friction_angle = 1.5;
  expect_nothing_stored(linear);
  contact::Bloks3d bloks = scenes::stone_law();
  bloks.friction_angle = 1.5;
  expect_nothing_stored(bloks);
  contact::HertzMindlin hertz;
  hertz.young = 1e9, hertz.shear = 2e8, hertz.friction_angle = 1.5;
  expect_nothing_stored(hertz);
}

TEST(HistoryFriction, IsOfSecondOrderWhereTheNormalTurns) {
  for (const double ratio : {10.0, 100.0}) {
    const double time = 3e-4;
    double error[4];
    for (int k = 0; k < 4; ++k) {
      const int steps = 40 << k;
      const End a = after(ratio, time / steps, steps), b = after(ratio, time / (2 * steps), 2 * steps);
      error[k] = norm(a.position - b.position);
    }
    const double order = std::log2(error[0] / error[3]) / 3;
    EXPECT_NEAR(order, 2, 0.1) << ratio << ": " << error[0] << " " << error[1] << " " << error[2] << " " << error[3];
  }
}

}  // namespace
}  // namespace scree

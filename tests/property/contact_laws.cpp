// LIBS: scree_contact
// What every law of spring and dashpot owes, over random contacts: limits, dissipation, stored work, frames.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "contact/laws/hertz_mindlin.h"
#include "contact/laws/linear.h"

namespace scree {
namespace {

using contact::Geometry;
using contact::Memory;
using contact::Motion;
using contact::Tension;
using contact::Wrench;

template <class Law>
Law random_law(Random& u);

template <>
contact::Linear random_law<contact::Linear>(Random& u) {
  contact::Linear law;
  law.kn = std::pow(10, u.uniform(2, 7)), law.kt = law.kn * u.uniform(0.1, 1.5);
  law.friction_angle = u.uniform(0, 1.4), law.damping_ratio = u.uniform(0, 1.2);
  law.tension = u.below(2) ? Tension::cut : Tension::allowed;
  law.prepare(0);
  return law;
}

template <>
contact::HertzMindlin random_law<contact::HertzMindlin>(Random& u) {
  contact::HertzMindlin law;
  law.young = std::pow(10, u.uniform(5, 11)), law.shear = law.young * u.uniform(0.2, 0.35);
  law.friction_angle = u.uniform(0, 1.4), law.damping_ratio = u.uniform(0, 1.2);
  law.tension = u.below(2) ? Tension::cut : Tension::allowed;
  law.prepare(0);
  return law;
}

Geometry random_geometry(Random& u) {
  Geometry g;
  g.normal = u.direction();
  g.radius = std::pow(10, u.uniform(-3, 0)), g.depth = g.radius * std::pow(10, u.uniform(-6, -1));
  g.energy_depth = g.depth, g.mass = 1e3 * g.radius * g.radius * g.radius;
  g.gyration = u.below(2) ? 0 : 0.3 * g.radius * u.uniform();
  return g;
}

Motion random_motion(Random& u, const Geometry& g) {
  const double speed = std::pow(10, u.uniform(-4, 1));
  return {speed * u.direction(), speed / g.radius * u.direction(), speed / g.radius * u.direction(),
          g.depth / speed * std::pow(10, u.uniform(-4, -1))};
}

template <class Law>
class AnyLaw : public testing::Test {};
using Laws = testing::Types<contact::Linear, contact::HertzMindlin>;
TYPED_TEST_SUITE(AnyLaw, Laws);

TYPED_TEST(AnyLaw, CoulombsLimitIsNeverExceeded) {
  Random u(1);
  int slid = 0, stuck = 0;
  for (int i = 0; i < 20000; ++i) {
    const TypeParam law = random_law<TypeParam>(u);
    Geometry g = random_geometry(u);
    Memory memory;
    for (int k = 0; k < 5; ++k) {  // a contact's life, jerked about
      g.normal = normalized(g.normal + 0.05 * u.direction()), g.depth *= u.uniform(0.7, 1.4);
      const Wrench w = law(g, random_motion(u, g), memory);
      const double pressed = std::max(0.0, w.normal_force), limit = law.mu * pressed * (1 + 1e-12) + 1e-300;
      const Vec3 shear = w.force - dot(w.force, g.normal) * g.normal;
      const double rounding = 1e-13 * norm(w.force);
      ASSERT_NEAR(dot(w.force, g.normal), w.normal_force, rounding);
      // Shear and torsion, read as a force at the patch's mean radius, together.
      const double mean_radius = 0.94 * g.gyration, torsion = dot(w.moment, g.normal);
      const auto held = [&](Vec3 force, double moment) {
        return std::hypot(norm(force), mean_radius > 0 ? moment / mean_radius : 0);
      };
      const double moment_rounding = mean_radius > 0 ? 1e-13 * norm(w.moment) / mean_radius : 0;
      ASSERT_LE(held(shear, torsion), limit + rounding + moment_rounding);
      ASSERT_LE(held(memory.shear, memory.torsion), limit + rounding);
      ASSERT_NEAR(dot(memory.shear, g.normal), 0, rounding);
      if (law.tension == Tension::cut) {
        ASSERT_GE(w.normal_force, 0);
      }
      if (w.sliding) {
        ASSERT_NEAR(held(shear, torsion), law.mu * pressed, 1e-12 * law.mu * pressed + rounding + moment_rounding);
      }
      ASSERT_TRUE(is_finite(w.force) && is_finite(w.moment) && std::isfinite(w.energy) && w.energy >= 0);
      (w.sliding ? slid : stuck)++;
    }
  }
  EXPECT_GT(slid, 5000);
  EXPECT_GT(stuck, 5000);
}

// A patch that turns at w without end while it is pushed along at v slides as a whole: the share of the limit that
// resists the push is v/hypot(v, w g^2/R), R its mean radius.
TYPED_TEST(AnyLaw, APatchThatTurnsYieldsToAPush) {
  Random u(7);
  for (int i = 0; i < 200; ++i) {
    TypeParam law = random_law<TypeParam>(u);
    Geometry g = random_geometry(u);
    g.gyration = g.radius * u.uniform(0.1, 1);
    if (law.mu == 0) continue;
    const double radius = 0.94 * g.gyration, pressed = law.elastic_normal_force(g), ks = law.shear_stiffness(g);
    // Enough to reach the limit anew in a few steps, in either way.
    const double step = u.uniform(0.1, 1) * law.mu * pressed / ks, turn = u.uniform(-2, 2) * step / g.gyration;
    Motion m;
    m.dt = 1e-6;
    m.velocity = step / m.dt * normalized(cross(g.normal, u.direction())), m.angular_velocity = turn / m.dt * g.normal;
    Memory memory;
    Wrench w;
    for (int k = 0; k < 500; ++k) w = law(g, m, memory);
    ASSERT_TRUE(w.sliding);
    const double push = step, spin = turn * g.gyration * g.gyration / radius;
    const double limit = law.mu * w.normal_force;
    ASSERT_NEAR(dot(memory.shear, normalized(m.velocity)), -limit * push / std::hypot(push, spin), 1e-6 * limit);
    ASSERT_NEAR(memory.torsion, -limit * radius * spin / std::hypot(push, spin), 1e-6 * limit * radius);
  }
}

TYPED_TEST(AnyLaw, DashpotsOpposeTheMotion) {
  Random u(2);
  for (int i = 0; i < 20000; ++i) {
    const TypeParam law = random_law<TypeParam>(u);
    const Geometry g = random_geometry(u);
    Motion m = random_motion(u, g);
    m.dt = 0, m.mean_spin = {};  // the springs do not move
    const double elastic = law.elastic_normal_force(g);
    Memory memory{0.9 * u.uniform() * law.mu * elastic * normalized(cross(g.normal, u.direction())), 0, g.normal};
    const Wrench w = law(g, m, memory);
    const Vec3 springs = elastic * g.normal + memory.shear;
    const double power = dot(w.force - springs, m.velocity) + dot(w.moment, m.angular_velocity);
    ASSERT_LE(power, 1e-12 * (norm(w.force) * norm(m.velocity) + norm(w.moment) * norm(m.angular_velocity))) << i;
  }
}

// Without dashpots and within the friction limit, the stored energy is the work done: depth, shear and twist grow.
TYPED_TEST(AnyLaw, SpringsStoreTheWorkDoneOnThem) {
  Random u(3);
  for (int i = 0; i < 50; ++i) {
    TypeParam law = random_law<TypeParam>(u);
    law.damping_ratio = 0, law.friction_angle = 1.55;
    law.prepare(0);
    Geometry g = random_geometry(u);
    const double start = 0.05 * g.depth, end = g.depth;
    const int steps = 4000;
    const double dt = 1e-6, rate = (end - start) / (steps * dt);
    const Vec3 slip = 0.3 * rate * normalized(cross(g.normal, u.direction()));
    const Motion m{slip - rate * g.normal, 0.1 * rate / g.radius * g.normal, {}, dt};
    Memory memory{{}, 0, g.normal};
    g.depth = g.energy_depth = start;
    Wrench before = law(g, {{}, {}, {}, 0}, memory);
    const double first = before.energy;
    double work = 0;
    for (int k = 1; k <= steps; ++k) {
      g.depth = g.energy_depth = start + (end - start) * k / steps;
      const Wrench w = law(g, m, memory);
      ASSERT_FALSE(w.sliding);
      work -= 0.5 * dt * (dot(w.force + before.force, m.velocity) + dot(w.moment + before.moment, m.angular_velocity));
      before = w;
    }
    ASSERT_LE(before.energy - first, work * (1 + 1e-6)) << "no energy from nothing";
    // Springs that stiffen while they are strained store less than the work done on them.
    const bool stiffens =
        law.shear_stiffness(g) != law.shear_stiffness(contact::reference_contact(start, g.radius, g.mass));
    ASSERT_GE(before.energy - first, work * (stiffens ? 0.8 : 1 - 1e-6));
  }
}

TYPED_TEST(AnyLaw, StiffnessIsTheDerivativeOfTheForce) {
  Random u(4);
  for (int i = 0; i < 500; ++i) {
    const TypeParam law = random_law<TypeParam>(u);
    Geometry g = random_geometry(u), low = g, high = g;
    const double h = 1e-5 * g.depth;
    low.depth -= h, high.depth += h, low.energy_depth -= h, high.energy_depth += h;
    const double slope = (law.elastic_normal_force(high) - law.elastic_normal_force(low)) / (2 * h);
    ASSERT_NEAR(law.normal_stiffness(g), slope, 1e-6 * slope);
    const double force = (law.normal_energy(high) - law.normal_energy(low)) / (2 * h);
    ASSERT_NEAR(law.elastic_normal_force(g), force, 1e-6 * force);
  }
}

TYPED_TEST(AnyLaw, DoesNotSeeTheFrame) {
  Random u(5);
  for (int i = 0; i < 5000; ++i) {
    const TypeParam law = random_law<TypeParam>(u);
    const Quat q = u.rotation();
    const Geometry g = random_geometry(u);
    const Motion m = random_motion(u, g);
    const Vec3 old = normalized(g.normal + 0.1 * u.direction());
    Geometry tg = g;
    tg.normal = rotate(q, g.normal);
    const Motion tm{rotate(q, m.velocity), rotate(q, m.angular_velocity), rotate(q, m.mean_spin), m.dt};
    Memory a{0.5 * law.elastic_normal_force(g) * normalized(cross(old, u.direction())),
             0.1 * law.elastic_normal_force(g) * g.gyration, old};
    Memory b{rotate(q, a.shear), a.torsion, rotate(q, a.normal)};
    const Wrench w = law(g, m, a), turned = law(tg, tm, b);
    const double tiny =
        1e-11 * (norm(w.force) + law.elastic_normal_force(g) + law.shear_stiffness(g) * norm(m.velocity) * m.dt);
    ASSERT_LT(norm(rotate(q, w.force) - turned.force), tiny);
    ASSERT_LT(norm(rotate(q, w.moment) - turned.moment), tiny * g.radius);
    ASSERT_LT(norm(rotate(q, a.shear) - b.shear), tiny);
  }
}

}  // namespace
}  // namespace scree

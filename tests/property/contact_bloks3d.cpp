// LIBS: scree_contact
// The BLOKS3D law on its own: limits, memory and scaling.
#include <gtest/gtest.h>

#include "base/random.h"
#include "contact/laws/bloks3d.h"

namespace scree {
namespace {

using contact::Bloks3d;
using contact::Geometry;
using contact::Memory;
using contact::Motion;
using contact::Wrench;

Bloks3d stone() {
  Bloks3d law;
  law.kn = 130e3, law.knn = 1.4e9, law.exponent = 3, law.ks = 102e3, law.friction_angle = 35 * M_PI / 180;
  law.damping_ratio = 0.02, law.damping_sliding = 0.01, law.damping_sticking = 0.9;
  law.prepare(0.07);
  return law;
}

Bloks3d random_law(Random& u) {
  Bloks3d law;
  law.kn = std::pow(10, u.uniform(2, 7)), law.ks = law.kn * u.uniform(0, 1.5);
  law.knn = u.below(2) ? 0 : std::pow(10, u.uniform(5, 10)), law.exponent = u.below(2) ? 3 : u.uniform(1, 4);
  if (law.knn > 0 && u.below(3) == 0) law.kn = 0;
  law.friction_angle = u.uniform(0, 1.4), law.damping_ratio = u.uniform(0, 1);
  law.damping_sliding = u.uniform(), law.damping_sticking = u.uniform(0, 1.3);
  law.prepare(std::pow(10, u.uniform(-4, 1)));
  return law;
}

TEST(Bloks3d, ForcesKeepTheirLimits) {
  Random u(1);
  int slid = 0, stuck = 0;
  for (int i = 0; i < 20000; ++i) {
    const Bloks3d law = random_law(u);
    const Vec3 n = u.direction(), old = normalized(n + 0.2 * u.uniform() * u.direction());
    const Geometry g{n, std::pow(10, u.uniform(-7, -2)), u.below(4) == 0 ? 0 : 0.02 * u.uniform(), 0};
    const Motion m{std::pow(10, u.uniform(-5, 1)) * u.direction(), u.uniform(0, 50) * u.direction(),
                   u.uniform(0, 50) * u.direction(), 1e-5};
    const Vec3 t = cross(old, u.direction());
    Memory memory{u.uniform(0, 2) * law.elastic_normal_force(g) * normalized(t), u.uniform(-1, 1), old};
    const Wrench w = law(g, m, memory);
    const double elastic = law.elastic_normal_force(g), tiny = 1e-9 * (elastic + norm(w.force));
    ASSERT_GE(w.normal_force, 0) << "no tension";
    ASSERT_NEAR(dot(w.force, n), w.normal_force, tiny);
    ASSERT_LE(std::abs(w.normal_force - elastic), law.damping_sticking * elastic + tiny) << "cap on the normal dashpot";
    const Vec3 shear = w.force - w.normal_force * n, dashpot = shear - memory.shear;
    // Coulomb's limit on shear and on torsion, read as a force at the patch's mean radius, together.
    const double mean_radius = 0.94 * g.gyration, spin = mean_radius > 0 ? memory.torsion / mean_radius : 0;
    const double held = std::hypot(norm(memory.shear), spin);
    ASSERT_LE(held, law.mu * w.normal_force + tiny);
    ASSERT_NEAR(dot(memory.shear, n), 0, tiny);
    const double cap = w.sliding ? law.damping_sliding : law.damping_sticking;
    ASSERT_LE(norm(dashpot), cap * norm(memory.shear) + tiny) << "cap on the shear dashpot";
    if (w.sliding) {
      ASSERT_NEAR(held, law.mu * w.normal_force, tiny);
    }
    const double torsion = dot(w.moment, n);
    ASSERT_LE(std::abs(torsion - memory.torsion),
              cap * std::abs(memory.torsion) + 1e-12 * std::abs(torsion) + 1e-15 * norm(w.moment));
    ASSERT_LE(norm(w.moment - torsion * n), law.damping_sticking * elastic * mean_radius * (1 + 1e-9) + 1e-300);
    if (g.gyration == 0) {
      ASSERT_EQ(w.moment, Vec3{});
      ASSERT_EQ(memory.torsion, 0) << "a point has none";
    }
    ASSERT_EQ(memory.normal, n);
    ASSERT_TRUE(is_finite(w.force) && is_finite(w.moment) && std::isfinite(w.energy) && w.energy >= 0);
    (w.sliding ? slid : stuck)++;
  }
  EXPECT_GT(slid, 2000);
  EXPECT_GT(stuck, 2000);
}

TEST(Bloks3d, DashpotsOpposeTheMotion) {
  Random u(2);
  for (int i = 0; i < 5000; ++i) {
    const Bloks3d law = random_law(u);
    const Vec3 n = u.direction();
    const Geometry g{n, 1e-4, 0.005, 0};
    Memory moving{law.mu * 0.1 * law.elastic_normal_force(g) * normalized(cross(n, u.direction())), 0, n};
    Motion m{u.uniform(0, 1) * u.direction(), u.uniform(0, 5) * u.direction(), {}, 0};  // dt 0: the springs do not move
    const Wrench w = law(g, m, moving);
    const Vec3 springs = law.elastic_normal_force(g) * n + moving.shear;
    const double power = dot(w.force - springs, m.velocity) + dot(w.moment - moving.torsion * n, m.angular_velocity);
    ASSERT_LE(power, 1e-9 * norm(w.force) * norm(m.velocity)) << i;
  }
}

// The pair turns rigidly by a quarter: no slip, no change of length; the stored force turns along, to second order in
// the step.
TEST(Bloks3d, MemoryTurnsWithThePair) {
  Random u(3);
  const Bloks3d law = stone();
  for (int i = 0; i < 50; ++i) {
    const Vec3 n0 = u.direction(), axis = u.direction();
    const Vec3 s0 = 0.3 * law.mu * law.elastic_normal_force(contact::reference_contact(1e-3, 0, 0)) *
                    normalized(cross(n0, u.direction()));
    double error[2];
    for (int level = 0; level < 2; ++level) {
      const int steps = level == 0 ? 50 : 100;
      const double dt = 1e-4, rate = M_PI / 2 / (steps * dt);
      Memory memory{s0, 0.01, n0};
      for (int k = 1; k <= steps; ++k) {
        const Vec3 n = rotate(axis_angle(axis, rate * dt * k), n0);
        law({n, 1e-3, 0.01, 1e-3}, {{}, {}, rate * axis, dt}, memory);
      }
      ASSERT_NEAR(norm(memory.shear), norm(s0), 1e-12 * norm(s0));
      ASSERT_NEAR(memory.torsion, 0.01, 1e-14);
      error[level] = norm(memory.shear - rotate(axis_angle(axis, M_PI / 2), s0)) / norm(s0);
    }
    ASSERT_LT(error[0], 1e-3);
    if (error[0] > 1e-7) {
      ASSERT_NEAR(error[0] / error[1], 4, 0.5);
    }
  }
}

TEST(Bloks3d, SpringsStoreTheWorkDoneOnThem) {
  Bloks3d law = stone();
  law.damping_ratio = 0, law.friction_angle = 1.5;
  law.prepare(1);
  const Vec3 n{0, 0, 1};
  Memory memory{{}, 0, n};
  const double dt = 1e-6, top = 1e-3;
  double work = 0, energy = 0;
  const int steps = 2000;
  Wrench before = law({n, 1e-4, 0.01, 1e-4}, {{}, {}, {}, 0}, memory);
  const double start = before.energy;
  for (int k = 1; k <= steps; ++k) {
    const double depth = 1e-4 + (top - 1e-4) * k / steps;
    const Motion m{{0.3, -0.1, -(top - 1e-4) / (steps * dt)}, {0, 0, 2}, {}, dt};
    const Wrench w = law({n, depth, 0.01, depth}, m, memory);
    // Work against the springs: minus the force on B times B's way.
    work -= 0.5 * dt * dot(w.force + before.force, m.velocity) +
            0.5 * dt * dot(w.moment + before.moment, m.angular_velocity);
    before = w, energy = w.energy;
  }
  EXPECT_NEAR(energy - start, work, 1e-4 * work);
}

TEST(Bloks3d, StiffnessIsTheDerivativeOfTheForce) {
  Random u(4);
  for (int i = 0; i < 200; ++i) {
    const Bloks3d law = random_law(u);
    const double d = std::pow(10, u.uniform(-4, -2)), h = 1e-5 * d;
    const auto at = [](double depth) { return contact::reference_contact(depth, 0, 0); };
    const double slope = (law.elastic_normal_force(at(d + h)) - law.elastic_normal_force(at(d - h))) / (2 * h);
    EXPECT_NEAR(law.normal_stiffness(at(d)), slope, 1e-6 * slope);
  }
}

// Seen in a turned or mirrored-by-90-degrees frame, the law gives the turned wrench.
TEST(Bloks3d, DoesNotSeeTheFrame) {
  Random u(5);
  for (int i = 0; i < 2000; ++i) {
    const Bloks3d law = random_law(u);
    const Quat q = u.rotation();
    const Vec3 n = u.direction(), old = normalized(n + 0.1 * u.direction());
    Geometry g{n, 1e-3 * u.uniform(), 0.01 * u.uniform(), 1e-3};
    Geometry turned_g{rotate(q, n), g.depth, g.gyration, g.energy_depth};
    g.axis = (0.9 * g.gyration) * normalized(cross(n, u.direction())), turned_g.axis = rotate(q, g.axis);
    const Motion m{u.direction(), 3 * u.direction(), 2 * u.direction(), 1e-4};
    const Motion turned_m{rotate(q, m.velocity), rotate(q, m.angular_velocity), rotate(q, m.mean_spin), m.dt};
    Memory a{0.5 * law.elastic_normal_force(g) * normalized(cross(old, u.direction())), 0.001, old};
    a.grip = 0.02 * u.uniform() * u.direction();
    Memory b{rotate(q, a.shear), a.torsion, rotate(q, a.normal)};
    b.grip = rotate(q, a.grip);
    const Wrench w = law(g, m, a), turned = law(turned_g, turned_m, b);
    const double tiny = 1e-12 * (norm(w.force) + law.ks * 1e-4);
    ASSERT_LT(norm(rotate(q, w.force) - turned.force), tiny);
    ASSERT_LE(norm(rotate(q, w.moment) - turned.moment), 1e-11 * (norm(w.moment) + 1e-3 * norm(w.force)));
    ASSERT_LT(norm(rotate(q, a.shear) - b.shear), tiny);
    ASSERT_LT(norm(rotate(q, a.grip) - b.grip), 1e-12 * g.gyration + 1e-18);
  }
}

}  // namespace
}  // namespace scree

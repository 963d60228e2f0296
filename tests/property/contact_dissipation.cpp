// LIBS: scree_contact
// Coulomb's limit, and the sign of what friction and dashpots take away, for the laws that are more than a spring on a
// depth: the overlap's potential (`energy`), `jkr` and `dmt`. The others: contact_laws.cpp, contact_bloks3d.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "contact/laws/energy_polyhedral.h"
#include "contact/laws/hertz_mindlin.h"
#include "contact/laws/linear.h"
#include "contact/rolling.h"

namespace scree {
namespace {

using contact::Geometry;
using contact::Memory;
using contact::Motion;
using contact::Tension;
using contact::Wrench;

Geometry random_patch(Random& u) {
  Geometry g;
  g.normal = u.direction();
  g.radius = std::pow(10, u.uniform(-3, 0)), g.mass = 1e3 * g.radius * g.radius * g.radius;
  g.depth = g.energy_depth = g.radius * std::pow(10, u.uniform(-5, -1));
  return g;
}

struct Potential {
  contact::EnergyPolyhedral law;
  explicit Potential(Random& u) {
    law.pressure = std::pow(10, u.uniform(4, 9)), law.exponent = u.uniform(1.2, 3.5);
    law.kt = std::pow(10, u.uniform(2, 6));
    law.friction_angle = u.uniform(0, 1.4), law.damping_ratio = u.uniform(0, 1.2);
    law.prepare(0);
  }
  /// A flat patch, some with a moment of its area about the point.
  static Geometry geometry(Random& u) {
    Geometry g = random_patch(u);
    g.area = g.radius * g.radius * u.uniform(0.05, 1), g.gyration = 0.4 * std::sqrt(g.area);
    if (u.below(2)) g.area_moment = 0.1 * g.area * g.gyration * u.direction();
    return g;
  }
  Wrench operator()(const Geometry& g, const Motion& m, Memory& memory) const { return law(g, m, memory); }
  double normal_force(const Geometry& g) const { return law.elastic_normal_force(g); }
  Vec3 moment(const Geometry& g) const { return law.slope(g) * g.area_moment; }
  double limit(const Geometry&, double normal_force) const { return law.mu * normal_force; }
  double least_normal_force(const Geometry&) const { return 0; }
  double least_depth(const Geometry&) const { return 0; }
};

struct JkrContact {
  contact::HertzMindlin law;
  explicit JkrContact(Random& u) {
    law.young = std::pow(10, u.uniform(5, 11)), law.shear = law.young * u.uniform(0.2, 0.35);
    law.friction_angle = u.uniform(0, 1.4), law.damping_ratio = u.uniform(0, 1.2);
    law.work_of_adhesion = std::pow(10, u.uniform(-3, 1));
    law.prepare(0);
  }
  /// Deep ones and ones that hang on each other.
  Geometry geometry(Random& u) const {
    Geometry g = random_patch(u);
    if (u.below(2)) g.depth = g.energy_depth = law.jkr(g.radius).parting_depth() * u.uniform(-3, 0.99);
    return g;
  }
  Wrench operator()(const Geometry& g, const Motion& m, Memory& memory) const { return law(g, m, memory); }
  double normal_force(const Geometry& g) const { return law.elastic_normal_force(g); }
  Vec3 moment(const Geometry&) const { return {}; }
  double limit(const Geometry& g, double normal_force) const {
    return law.mu * std::max(0.0, normal_force + 2 * law.jkr(g.radius).pull_off());
  }
  double least_normal_force(const Geometry& g) const { return std::min(0.0, normal_force(g)); }
  double least_depth(const Geometry& g) const { return law.jkr(g.radius).parting_depth(); }
};

template <class Law>
struct DmtContact {
  Law law;
  contact::Pull pull;
  explicit DmtContact(Random& u) {
    if constexpr (std::is_same_v<Law, contact::HertzMindlin>) {
      law.young = std::pow(10, u.uniform(5, 11)), law.shear = law.young * u.uniform(0.2, 0.35);
    } else {
      law.kn = std::pow(10, u.uniform(2, 7)), law.kt = law.kn * u.uniform(0.1, 1.5);
    }
    law.friction_angle = u.uniform(0, 1.4), law.damping_ratio = u.uniform(0, 1.2);
    law.prepare(0);
    pull.work_of_adhesion = std::pow(10, u.uniform(-3, 2));
  }
  static Geometry geometry(Random& u) { return random_patch(u); }
  Wrench operator()(const Geometry& g, const Motion& m, Memory& memory) const {
    Wrench w = law(g, m, memory);
    pull(g, w);
    return w;
  }
  double normal_force(const Geometry& g) const { return law.elastic_normal_force(g) - pull.force(g.radius); }
  Vec3 moment(const Geometry&) const { return {}; }
  double limit(const Geometry& g, double normal_force) const {
    return law.mu * std::max(0.0, normal_force + pull.force(g.radius));
  }
  double least_normal_force(const Geometry& g) const { return -pull.force(g.radius); }
  double least_depth(const Geometry&) const { return 0; }
};

Motion random_motion(Random& u, const Geometry& g) {
  const double speed = std::pow(10, u.uniform(-4, 1));
  return {speed * u.direction(), speed / g.radius * u.direction(), speed / g.radius * u.direction(),
          std::abs(g.depth) / speed * std::pow(10, u.uniform(-4, -1))};
}

/// Shear on B and torsion, read as a force at the patch's mean radius, together.
double held(const Geometry& g, Vec3 shear, double torsion) {
  return std::hypot(norm(shear), g.gyration > 0 ? torsion / (0.94 * g.gyration) : 0);
}

template <class Model>
class Dissipative : public testing::Test {};
using Models = testing::Types<Potential, JkrContact, DmtContact<contact::Linear>, DmtContact<contact::HertzMindlin>>;
TYPED_TEST_SUITE(Dissipative, Models);

TYPED_TEST(Dissipative, CoulombsLimitIsNeverExceeded) {
  Random u(1);
  int slid = 0, stuck = 0, pulled = 0;
  for (int i = 0; i < 20000; ++i) {
    const TypeParam model(u);
    Geometry g = model.geometry(u);
    Memory memory;
    for (int k = 0; k < 5; ++k) {  // a contact's life, jerked about
      g.normal = normalized(g.normal + 0.05 * u.direction()), g.depth *= g.depth > 0 ? u.uniform(0.7, 1.4) : 0.95;
      g.energy_depth = g.depth;
      const Wrench w = model(g, random_motion(u, g), memory);
      const double normal = dot(w.force, g.normal), limit = model.limit(g, w.normal_force);
      // Pull and pressure may be far larger than what is left of both.
      const double rounding =
          1e-12 * (norm(w.force) + limit + std::abs(model.normal_force(g)) + std::abs(model.least_normal_force(g)));
      ASSERT_NEAR(normal, w.normal_force, rounding);
      ASSERT_GE(normal, model.least_normal_force(g) - rounding);
      const Vec3 own = model.moment(g), shear = w.force - normal * g.normal;
      const double torsion = dot(w.moment - own, g.normal),
                   spin_rounding = g.gyration > 0 ? 1e-12 * (norm(w.moment) + norm(own)) / g.gyration : 0;
      ASSERT_LE(held(g, shear, torsion), limit + rounding + spin_rounding);
      ASSERT_LE(held(g, memory.shear, memory.torsion), limit + rounding);
      if (w.sliding) {
        ASSERT_NEAR(held(g, shear, torsion), limit, rounding + spin_rounding);
      }
      ASSERT_TRUE(is_finite(w.force) && is_finite(w.moment) && std::isfinite(w.energy));
      (w.sliding ? slid : stuck)++;
      pulled += normal < 0 ? 1 : 0;
    }
  }
  EXPECT_GT(slid, 2000);
  EXPECT_GT(stuck, 5000);
  if (!std::is_same_v<TypeParam, Potential>) {
    EXPECT_GT(pulled, 5000);
  }
}

TYPED_TEST(Dissipative, DashpotsOpposeTheMotion) {
  Random u(2);
  for (int i = 0; i < 20000; ++i) {
    const TypeParam model(u);
    const Geometry g = model.geometry(u);
    Motion m = random_motion(u, g);
    m.dt = 0, m.mean_spin = {};  // the springs do not move
    const double elastic = model.normal_force(g), limit = model.limit(g, elastic);
    Memory memory{0.9 * u.uniform() * limit * normalized(cross(g.normal, u.direction())), 0, g.normal};
    const Wrench w = model(g, m, memory);
    const Vec3 force = w.force - elastic * g.normal - memory.shear,
               moment = w.moment - model.moment(g) - memory.torsion * g.normal;
    const double power = dot(force, m.velocity) + dot(moment, m.angular_velocity);
    const double scale = (norm(w.force) + std::abs(elastic) + limit) * norm(m.velocity) +
                         (norm(w.moment) + norm(model.moment(g))) * norm(m.angular_velocity);
    ASSERT_LE(power, 1e-12 * scale) << i;
  }
}

// In and out again, sliding this way and that, twisting and rocking, at any rate: what has been put in covers what is
// stored, at every moment.
TYPED_TEST(Dissipative, NoEnergyComesFromFrictionAndDashpotsOverAContact) {
  Random u(3);
  int lost = 0;
  for (int i = 0; i < 100; ++i) {
    const TypeParam model(u);
    Geometry g = model.geometry(u);
    g.area_moment = {};  // of a patch that rocks it would change
    const double least = model.least_depth(g), reach = std::abs(g.depth) + std::abs(least);
    const auto depth = [&, swing = u.uniform(0.1, 0.45), phase = u.uniform(0, 6.28)](double t) {
      return least + reach * (0.55 + swing * std::sin(12.56 * t + phase));
    };
    const Vec3 along = normalized(cross(g.normal, u.direction())), across = cross(g.normal, along);
    const double slip = reach * std::pow(10, u.uniform(-2, 1)), twist = slip / g.radius * u.uniform(0, 2);
    // From a tenth to ten times the time of an impact.
    Geometry middle = g;
    middle.depth = middle.energy_depth = depth(0.25);
    const double period = std::sqrt(g.mass / model.law.normal_stiffness(middle)) * std::pow(10, u.uniform(-1, 1));
    constexpr int kSteps = 8000;
    const double dt = period / kSteps;
    Memory memory{{}, 0, g.normal};
    g.depth = g.energy_depth = depth(0);
    Wrench before = model(g, {{}, {}, {}, 0}, memory);
    const double first = before.energy;
    double work = 0, moved = 0, worst = 0;
    for (int k = 1; k <= kSteps; ++k) {
      const double t0 = double(k - 1) / kSteps, t = double(k) / kSteps, s = 6.28 * t;
      g.depth = g.energy_depth = depth(t);
      const Motion m{(slip / period) * (std::sin(2 * s) * along + std::cos(3 * s) * across) -
                         ((depth(t) - depth(t0)) / dt) * g.normal,
                     (twist / period) * (std::cos(s) * g.normal + std::sin(s) * along),
                     {},
                     dt};
      const Wrench w = model(g, m, memory);
      const double in =
          -0.5 * dt * (dot(w.force + before.force, m.velocity) + dot(w.moment + before.moment, m.angular_velocity));
      work += in, moved += std::abs(in);
      worst = std::min(worst, work - (w.energy - first));
      before = w;
    }
    ASSERT_GE(worst, -2e-3 * moved) << i;
    lost += work - (before.energy - first) > 1e-2 * moved ? 1 : 0;
  }
  EXPECT_GT(lost, 60);
}

// A patch that shrinks while it is twisted: the springs lose what the lost rim held, and what the twist does on them is
// reckoned with what they bore before.
TEST(HertzMindlin, APatchThatShrinksLosesWhatItsRimHeld) {
  Random u(11);
  for (int i = 0; i < 200; ++i) {
    Geometry g = random_patch(u);
    g.gyration = 0.3 * g.radius;
    contact::HertzMindlin law;
    law.young = std::pow(10, u.uniform(5, 10)), law.shear = law.young / 4, law.friction_angle = 1.4, law.prepare(0);
    Motion m;
    m.dt = 1e-5, m.velocity = 0.5 * g.depth / m.dt * u.uniform(0.1, 1) * g.normal;
    const double stiffness = law.shear_stiffness(g) * g.gyration * g.gyration, stretch = 0.1 * g.depth / g.gyration;
    const double turn = stretch * u.uniform(0.1, 0.5),
                 rescale = std::sqrt(g.depth / (g.depth + m.dt * dot(m.velocity, g.normal)));
    m.angular_velocity = turn / m.dt * g.normal;
    Memory memory;
    memory.normal = g.normal, memory.torsion = stiffness * stretch,
    memory.stored = 0.5 * stiffness / rescale * stretch * stretch;
    const double before = memory.torsion, stored = memory.stored;
    const Wrench w = law(g, m, memory);
    ASSERT_FALSE(w.sliding) << i;
    const double after = rescale * before - stiffness * turn;
    EXPECT_NEAR(memory.torsion, after, 1e-9 * before);
    EXPECT_NEAR(w.lost.z, stored - 0.5 * after * after / stiffness - 0.5 * (before + after) * turn, 1e-9 * stored);
  }
}

}  // namespace
}  // namespace scree

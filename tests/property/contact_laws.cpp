// LIBS: scree_contact
// What every contact law owes, over random laws and contacts: limits, dissipation, stored work, frames, the exchange of
// the two bodies, units. The laws are those of contact/laws.h, drawn by their own lists of parameters.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "oracle/any_law.h"

namespace scree {
namespace {

using contact::Geometry;
using contact::Memory;
using contact::Motion;
using contact::Wrench;
using oracle::any_law;

Geometry random_geometry(Random& u) {
  Geometry g;
  g.normal = u.direction();
  g.radius = std::pow(10, u.uniform(-3, 0)), g.depth = g.radius * std::pow(10, u.uniform(-6, -1));
  g.energy_depth = g.depth, g.mass = 1e3 * g.radius * g.radius * g.radius;
  g.gyration = u.below(2) ? 0 : 0.3 * g.radius * u.uniform();
  g.rolling_inertia = g.mass * g.radius * g.radius;
  g.area = g.radius * g.radius * u.uniform(0.1, 1);
  g.axis = g.gyration * u.uniform(0.71, 1) * normalized(cross(g.normal, u.direction()));
  return g;
}

Motion random_motion(Random& u, const Geometry& g) {
  const double speed = std::pow(10, u.uniform(-4, 1));
  return {speed * u.direction(), speed / g.radius * u.direction(), speed / g.radius * u.direction(),
          g.depth / speed * std::pow(10, u.uniform(-4, -1))};
}
/// With what the step's end is foreseen to bring, and with dashpots that may be too strong for the step.
Motion random_damped_motion(Random& u, const Geometry& g) {
  Motion m = random_motion(u, g);
  m.gain = 0.1 * norm(m.velocity) * u.direction(), m.angular_gain = 0.1 * norm(m.angular_velocity) * u.direction();
  m.braking = u.below(2) ? 0 : u.uniform(0, 3);
  return m;
}

/// N: of a contact at hand.
template <class Law>
double force_scale(const Law& law, const Geometry& g, const Motion& m) {
  const contact::Dashpots d = law.dashpots(g);
  return law.elastic_normal_force(g) + law.shear_stiffness(g) * norm(m.velocity) * m.dt +
         (d.normal + d.shear) * (norm(m.velocity_now()) + g.gyration * norm(m.angular_velocity_now()));
}

template <class Law>
Memory random_memory(Random& u, const Law& law, const Geometry& g) {
  Memory memory;
  memory.normal = normalized(g.normal + 0.1 * u.direction());
  const double force = law.elastic_normal_force(g);
  memory.damping = 0.1 * force * u.direction(), memory.damping_moment = 0.1 * force * g.gyration * u.direction();
  if (!Law::kTraits.history) return memory;
  memory.grip = 0.5 * g.gyration * normalized(cross(memory.normal, u.direction()));
  memory.shear = 0.5 * force * normalized(cross(memory.normal, u.direction()));
  memory.torsion = 0.1 * force * g.gyration, memory.stored = force * g.depth * u.uniform();
  return memory;
}

template <class List>
struct TypesOf;
template <class... L>
struct TypesOf<LawList<L...>> {
  using type = testing::Types<L...>;
};
template <class Law>
class AnyLaw : public testing::Test {};
struct NameOfLaw {
  template <class L>
  static std::string GetName(int) {
    return std::string(L::kName);
  }
};
TYPED_TEST_SUITE(AnyLaw, TypesOf<Laws>::type, NameOfLaw);

TYPED_TEST(AnyLaw, CoulombsLimitIsNeverExceeded) {
  Random u(1);
  int slid = 0, stuck = 0;
  for (int i = 0; i < 20000; ++i) {
    const TypeParam law = any_law<TypeParam>(u).make();
    Geometry g = random_geometry(u);
    Memory memory;
    for (int k = 0; k < 5; ++k) {  // a contact's life, jerked about
      g.normal = normalized(g.normal + 0.05 * u.direction()), g.depth *= u.uniform(0.7, 1.4);
      g.axis = g.gyration * normalized(cross(g.normal, g.axis));
      if (g.gyration == 0) g.axis = {};
      const Wrench w = law(g, random_motion(u, g), memory);
      const double pressed = std::max(0.0, w.normal_force), limit = law.mu * pressed * (1 + 1e-12) + 1e-300;
      const double rounding = 1e-13 * norm(w.force), mean_radius = 0.94 * g.gyration;
      ASSERT_NEAR(dot(w.force, g.normal), w.normal_force, rounding);
      // Shear and torsion, read as a force at the patch's mean radius, together.
      const auto held = [&](Vec3 force, double moment) {
        return std::hypot(norm(force - dot(force, g.normal) * g.normal), mean_radius > 0 ? moment / mean_radius : 0);
      };
      const double moment_rounding = mean_radius > 0 ? 1e-13 * norm(w.moment) / mean_radius : 0;
      const double all = held(w.force, dot(w.moment, g.normal));
      const double springs = held(w.force - w.damping, dot(w.moment - w.damping_moment, g.normal));
      const double of_parts = 1e-13 * (norm(w.damping) + (mean_radius > 0 ? norm(w.damping_moment) / mean_radius : 0));
      ASSERT_LE(springs, limit + 3 * (rounding + moment_rounding + of_parts));
      ASSERT_LE(held(memory.shear, memory.torsion), limit + rounding);
      ASSERT_NEAR(dot(memory.shear, g.normal), 0, rounding);
      if (TypeParam::kTraits.limits_dashpots) {
        ASSERT_LE(all, limit + rounding + moment_rounding);
        if (w.sliding) {
          ASSERT_NEAR(all, law.mu * pressed, 2e-9 * law.mu * pressed + rounding + moment_rounding);
        }
      }
      if (!law.tension_allowed()) {
        ASSERT_GE(w.normal_force, 0);
      }
      if (!TypeParam::kTraits.history) {
        ASSERT_EQ(norm(memory.shear) + std::abs(memory.torsion) + memory.stored, 0);
      }
      ASSERT_TRUE(is_finite(w.force) && is_finite(w.moment) && std::isfinite(w.energy) && w.energy >= 0);
      (w.sliding ? slid : stuck)++;
    }
  }
  EXPECT_GT(slid, 5000);
  EXPECT_GT(stuck, 5000);
}

// Where a patch held on before moves its shear spring along, and is nothing to a law without one.
TYPED_TEST(AnyLaw, WithoutHistoryNoPlaceIsHeld) {
  Random u(2);
  int same = 0;
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    const TypeParam law = any_law<TypeParam>(u).make();
    const Geometry g = random_geometry(u);
    const Motion m = random_damped_motion(u, g);
    Memory loose = random_memory(u, law, g), held = loose;
    loose.grip = {}, held.grip = 0.5 * g.radius * normalized(cross(g.normal, u.direction()));
    const Wrench a = law(g, m, loose), b = law(g, m, held);
    same += a.force == b.force && a.moment == b.moment && a.lost == b.lost ? 1 : 0;
  }
  if (TypeParam::kTraits.history)
    EXPECT_LT(same, kTries / 2);
  else
    EXPECT_EQ(same, kTries);
}

// A patch that turns at w without end while it is pushed along at v slides as a whole: the share of the limit that
// resists the push is v/hypot(v, w g^2/R), R its mean radius.
TYPED_TEST(AnyLaw, APatchThatTurnsYieldsToAPush) {
  Random u(7);
  int seen = 0;
  for (int i = 0; i < 300; ++i) {
    const TypeParam law = any_law<TypeParam>(u).make();
    Geometry g = random_geometry(u);
    g.gyration = g.radius * u.uniform(0.1, 1), g.axis = {};
    if (law.mu == 0 || (TypeParam::kTraits.history && law.shear_stiffness(g) == 0)) continue;
    const double radius = 0.94 * g.gyration, pressed = law.elastic_normal_force(g), ks = law.shear_stiffness(g);
    // Enough to reach the limit anew in a few steps, in either way; without a spring at once.
    constexpr double kStep = 1e-6;
    const double reach =
        TypeParam::kTraits.history ? law.mu * pressed / ks : 20 * kStep * law.mu * pressed / law.dashpots(g).shear;
    const double step = u.uniform(0.1, 1) * reach, turn = u.uniform(-2, 2) * step / g.gyration;
    Motion m;
    m.dt = kStep;
    m.velocity = step / m.dt * normalized(cross(g.normal, u.direction())), m.angular_velocity = turn / m.dt * g.normal;
    Memory memory;
    Wrench w;
    for (int k = 0; k < 500; ++k) w = law(g, m, memory);
    ASSERT_TRUE(w.sliding);
    const double push = step, spin = turn * g.gyration * g.gyration / radius;
    const double limit = law.mu * w.normal_force;
    const Vec3 force = TypeParam::kTraits.history ? memory.shear : w.force;
    const double moment = TypeParam::kTraits.history ? memory.torsion : dot(w.moment, g.normal);
    ASSERT_NEAR(dot(force, normalized(m.velocity)), -limit * push / std::hypot(push, spin), 1e-6 * limit);
    ASSERT_NEAR(moment, -limit * radius * spin / std::hypot(push, spin), 1e-6 * limit * radius);
    ++seen;
  }
  EXPECT_GT(seen, 150);
}

TYPED_TEST(AnyLaw, DashpotsOpposeTheMotion) {
  Random u(2);
  for (int i = 0; i < 20000; ++i) {
    const TypeParam law = any_law<TypeParam>(u).make();
    const Geometry g = random_geometry(u);
    Motion m = random_motion(u, g);
    m.dt = 0, m.mean_spin = {};  // the springs do not move
    const double elastic = law.elastic_normal_force(g);
    Memory memory;
    memory.normal = g.normal;
    if (TypeParam::kTraits.history)
      memory.shear = 0.9 * u.uniform() * law.mu * elastic * normalized(cross(g.normal, u.direction()));
    const Wrench w = law(g, m, memory);
    const Vec3 springs = elastic * g.normal + memory.shear;
    const double power = dot(w.force - springs, m.velocity) + dot(w.moment, m.angular_velocity);
    ASSERT_LE(power, 1e-12 * (norm(w.force) * norm(m.velocity) + norm(w.moment) * norm(m.angular_velocity))) << i;
  }
}

// Without dashpots and within the friction limit, the stored energy is the work done: depth, shear and twist grow.
TYPED_TEST(AnyLaw, SpringsStoreTheWorkDoneOnThem) {
  Random u(3);
  int held = 0;
  for (int i = 0; i < 50; ++i) {
    auto given = any_law<TypeParam>(u);
    given.undamp(), given.set("friction_angle", 1.55), given.set("friction", 48);
    const TypeParam law = given.make();
    Geometry g = random_geometry(u);
    g.axis = {};
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
    bool slid = false;
    for (int k = 1; k <= steps; ++k) {
      g.depth = g.energy_depth = start + (end - start) * k / steps;
      const Wrench w = law(g, m, memory);
      slid = slid || w.sliding;
      work -= 0.5 * dt * (dot(w.force + before.force, m.velocity) + dot(w.moment + before.moment, m.angular_velocity));
      before = w;
    }
    ASSERT_LE(before.energy - first, work * (1 + 1e-6)) << "no energy from nothing";
    if (slid || !TypeParam::kTraits.history) continue;
    // Springs that stiffen while they are strained store less than the work done on them.
    const bool stiffens =
        law.shear_stiffness(g) != law.shear_stiffness(contact::reference_contact(start, g.radius, g.mass));
    ASSERT_GE(before.energy - first, work * (stiffens ? 0.8 : 1 - 1e-6));
    ++held;
  }
  if (TypeParam::kTraits.history) {
    EXPECT_GE(held, 5);
  }
}

// In and out along the normal, by the same depths: springs give back what they took, dashpots keep some.
TYPED_TEST(AnyLaw, AClosedNormalCycleGainsNothing) {
  Random u(8);
  for (int i = 0; i < 500; ++i) {
    auto given = any_law<TypeParam>(u);
    const bool damped = i % 2 == 0;
    if (!damped) given.undamp();
    const TypeParam law = given.make();
    Geometry g = random_geometry(u);
    const double deepest = g.depth, dt = 1e-6;
    constexpr int kSteps = 500;
    Memory memory;
    double work = 0, most = 0, last = 0;
    for (int k = 1; k < 2 * kSteps; ++k) {
      const auto depth = [&](int at) { return deepest * (at <= kSteps ? at : 2 * kSteps - at) / kSteps; };
      g.depth = g.energy_depth = depth(k);
      Motion m;
      m.dt = dt, m.velocity = -((depth(k) - depth(k - 1)) / dt) * g.normal;
      const Wrench w = law(g, m, memory);
      if (k > 1) work += 0.5 * (w.normal_force + last) * dot(m.velocity, g.normal) * dt;
      last = w.normal_force, most = std::max(most, w.energy);
      if (!damped) {
        ASSERT_NEAR(w.normal_force, law.elastic_normal_force(g), 1e-12 * w.normal_force);
        ASSERT_GT(w.normal_force, 0);
      }
    }
    ASSERT_GT(most, 0);
    ASSERT_LE(work, 1e-9 * most);
    if (!damped) {
      ASSERT_GE(work, -1e-9 * most);
    }
  }
}

TYPED_TEST(AnyLaw, StiffnessIsTheDerivativeOfTheForce) {
  Random u(4);
  for (int i = 0; i < 500; ++i) {
    const TypeParam law = any_law<TypeParam>(u).make();
    Geometry g = random_geometry(u), low = g, high = g;
    const double h = 1e-5 * g.depth;
    low.depth -= h, high.depth += h, low.energy_depth -= h, high.energy_depth += h;
    const double slope = (law.elastic_normal_force(high) - law.elastic_normal_force(low)) / (2 * h);
    ASSERT_GE(law.normal_stiffness(g), slope * (1 - 1e-6));
    if (!TypeParam::kTraits.patch) {
      ASSERT_LE(law.normal_stiffness(g), slope * (1 + 1e-6));
    }
    const double force = (law.normal_energy(high) - law.normal_energy(low)) / (2 * h);
    ASSERT_NEAR(law.elastic_normal_force(g), force, 1e-6 * force);
  }
}

/// The same contact after f(vector) on every vector, f being a rotation or, of what A gets and B gives, -1.
struct Outcome {
  Wrench w;
  Memory memory;
};
void expect_same(const Outcome& a, const Outcome& b, double force, double length) {
  ASSERT_LT(norm(a.w.force - b.w.force), force);
  ASSERT_LT(norm(a.w.moment - b.w.moment), force * length);
  ASSERT_LT(norm(a.w.damping - b.w.damping), force);
  ASSERT_LT(norm(a.w.damping_moment - b.w.damping_moment), force * length);
  ASSERT_LT(norm(a.memory.shear - b.memory.shear), force);
  ASSERT_LT(std::abs(a.memory.torsion - b.memory.torsion), force * length);
  ASSERT_LT(norm(a.memory.grip - b.memory.grip), 1e-11 * length);
  ASSERT_LT(std::abs(a.w.energy - b.w.energy), 1e-10 * (a.w.energy + b.w.energy) + 1e-300);
}

TYPED_TEST(AnyLaw, DoesNotSeeTheFrame) {
  Random u(5);
  for (int i = 0; i < 5000; ++i) {
    const TypeParam law = any_law<TypeParam>(u).make();
    const Quat q = u.rotation();
    Geometry g = random_geometry(u);
    if (TypeParam::kTraits.patch) g.area_moment = 0.1 * g.area * g.radius * u.direction();
    const Motion m = random_damped_motion(u, g);
    Outcome here{{}, random_memory(u, law, g)}, there{{}, here.memory};
    Geometry tg = g;
    for (Vec3* v : {&tg.normal, &tg.axis, &tg.area_moment}) *v = rotate(q, *v);
    Motion tm = m;
    for (Vec3* v : {&tm.velocity, &tm.angular_velocity, &tm.mean_spin, &tm.gain, &tm.angular_gain}) *v = rotate(q, *v);
    Memory& t = there.memory;
    for (Vec3* v : {&t.shear, &t.normal, &t.grip, &t.damping, &t.damping_moment}) *v = rotate(q, *v);
    here.w = law(g, m, here.memory), there.w = law(tg, tm, there.memory);
    Wrench& w = here.w;
    for (Vec3* v : {&w.force, &w.moment, &w.damping, &w.damping_moment, &here.memory.shear, &here.memory.grip})
      *v = rotate(q, *v);
    const double scale = norm(w.force) + force_scale(law, g, m);
    expect_same(here, there, 1e-11 * scale, g.radius);
  }
}

// Which of the two is called A does not matter: the other gets the opposite.
TYPED_TEST(AnyLaw, IsTheSameWithTheBodiesExchanged) {
  Random u(6);
  for (int i = 0; i < 5000; ++i) {
    const TypeParam law = any_law<TypeParam>(u).make();
    Geometry g = random_geometry(u);
    if (TypeParam::kTraits.patch) g.area_moment = 0.1 * g.area * g.radius * u.direction();
    const Motion m = random_damped_motion(u, g);
    Outcome one{{}, random_memory(u, law, g)}, other{{}, one.memory};
    Geometry og = g;
    og.normal = -g.normal, og.area_moment = -g.area_moment;  // the two surfaces of an overlap close it
    Motion om = m;
    for (Vec3* v : {&om.velocity, &om.angular_velocity, &om.gain, &om.angular_gain}) *v = -*v;
    Memory& o = other.memory;
    for (Vec3* v : {&o.shear, &o.normal, &o.damping, &o.damping_moment}) *v = -*v;
    one.w = law(g, m, one.memory), other.w = law(og, om, other.memory);
    Wrench& w = other.w;
    for (Vec3* v : {&w.force, &w.moment, &w.damping, &w.damping_moment, &other.memory.shear}) *v = -*v;
    ASSERT_EQ(one.w.sliding, other.w.sliding);
    const double scale = norm(w.force) + force_scale(law, g, m);
    expect_same(one, other, 1e-11 * scale, g.radius);
  }
}

// Told in other units of mass, length and time, everything comes out in these units.
TYPED_TEST(AnyLaw, DoesNotKnowHowLongAMetreIs) {
  Random u(9);
  for (int i = 0; i < 5000; ++i) {
    const auto given = any_law<TypeParam>(u);
    const double kg = std::pow(10, u.uniform(-3, 3)), metre = std::pow(10, u.uniform(-3, 3)),
                 s = std::pow(10, u.uniform(-3, 3)), newton = kg * metre / (s * s);
    const TypeParam law = given.make(), scaled = given.make(kg, metre, s);
    Geometry g = random_geometry(u);
    if (TypeParam::kTraits.patch) g.area_moment = 0.1 * g.area * g.radius * u.direction();
    const Motion m = random_damped_motion(u, g);
    Outcome one{{}, random_memory(u, law, g)}, other{{}, one.memory};
    Geometry og = g;
    for (double* x : {&og.depth, &og.gyration, &og.energy_depth, &og.radius}) *x *= metre;
    og.mass *= kg, og.rolling_inertia *= kg * metre * metre, og.area *= metre * metre;
    og.area_moment *= metre * metre * metre, og.axis *= metre;
    Motion om = m;
    for (Vec3* v : {&om.velocity, &om.gain}) *v *= metre / s;
    for (Vec3* v : {&om.angular_velocity, &om.mean_spin, &om.angular_gain}) *v *= 1 / s;
    om.dt *= s;
    Memory& o = other.memory;
    o.shear *= newton, o.damping *= newton, o.torsion *= newton * metre, o.damping_moment *= newton * metre;
    o.grip *= metre, o.stored *= newton * metre;
    one.w = law(g, m, one.memory), other.w = scaled(og, om, other.memory);
    Wrench& w = other.w;
    w.force *= 1 / newton, w.damping *= 1 / newton, w.moment *= 1 / (newton * metre), w.energy /= newton * metre;
    w.damping_moment *= 1 / (newton * metre);
    o.shear *= 1 / newton, o.torsion /= newton * metre, o.grip *= 1 / metre;
    const double scale = norm(one.w.force) + force_scale(law, g, m);
    expect_same(one, other, 1e-10 * scale, g.radius);
  }
}

TYPED_TEST(AnyLaw, ToldWhatItIsMadeOf) {
  bool has_friction = false;
  for (const contact::Parameter<TypeParam>& p : TypeParam::parameters()) {
    EXPECT_TRUE((p.member != nullptr) != (p.set != nullptr)) << p.key;
    EXPECT_FALSE((p.fallback.empty() && p.member == nullptr) || p.what.empty() || p.what.back() != '.') << p.key;
    EXPECT_EQ(p.unit == contact::Unit::word, !p.words.empty()) << p.key;
    has_friction = has_friction || p.key == "friction_angle";
    TypeParam law;
    p.apply(law, 0.25);
    if (p.member == nullptr) continue;
    EXPECT_EQ(law.*p.member, 0.25) << p.key;
  }
  EXPECT_TRUE(has_friction);
}

}  // namespace
}  // namespace scree

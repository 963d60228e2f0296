// The law of the overlap volume on real overlaps: force and moment are the potential's derivatives, closed paths yield
// no work.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "contact/laws/energy_polyhedral.h"
#include "contact/laws/linear.h"
#include "narrow/bodies.h"
#include "narrow/common_plane.h"
#include "oracle/larger.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

/// A pair of grains as the engine poses it; B is moved by hand.
struct Pair {
  Simulation s;
  Vec3 home;
  Quat home_turn;

  Pair(const Law& law, const char* a, const char* b, Vec3 place, Quat turn_a, Quat turn_b)
      : s([&] {
          Case c = scenes::empty_case();
          c.gravity = {};
          c.contacts[0].law = law;
          c.time_step.fixed = 1e-7;
          c.detection.skin = 0.5;
          scenes::add_grain(c, a, 1, {}, turn_a);
          scenes::add_grain(c, b, 1, 3.0 * normalized(place), turn_b);
          return scenes::build(c);
        }()) {
    home = place, home_turn = turn_b;
  }

  /// B at home + x, turned by the rotation vector r; nothing slips.
  void pose(Vec3 x, Vec3 r) {
    s.particles.position[1] = home + x;
    const double angle = norm(r);
    s.particles.orientation[1] = angle > 0 ? axis_angle(r / angle, angle) * home_turn : home_turn;
    for (double& t : s.particles.travel) t += 1;
    refresh_forces(s);
  }
  double energy() const { return totals(s).elastic; }
  Vec3 force() const { return s.particles.force[1]; }
  Vec3 torque() const { return s.particles.torque[1]; }
};

contact::EnergyPolyhedral potential(double exponent) {
  contact::EnergyPolyhedral law;
  law.pressure = 1e6, law.exponent = exponent;
  return law;
}

TEST(EnergyLaw, ForceAndMomentAreDerivativesOfThePotential) {
  Random u(17);
  const char* shapes[] = {"cube", "tetrahedron", "grain14", "pyramid", "needle"};
  int tested = 0;
  for (int i = 0; i < 300; ++i) {
    const char *a = shapes[u.below(5)], *b = shapes[u.below(5)];
    const double exponent = u.below(3) == 0 ? 4.0 / 3 : (u.below(2) ? 2 : 3);
    Pair p(potential(exponent), a, b, u.uniform(0.2, 1.1) * u.direction(), u.rotation(), u.rotation());
    p.pose({}, {});
    if (p.s.contacts.size() == 0 || p.s.contacts.depth[0] < 1e-3) continue;
    if (p.s.contacts.area[0] == 0) continue;  // a needle right through a cube: no direction, and no force
    const Vec3 force = p.force(), torque = p.torque();
    const double h = 1e-6;
    Vec3 dx, dr;
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 e;
      e[k] = h;
      p.pose(e, {});
      const double up = p.energy();
      p.pose(-e, {});
      const double down = p.energy();
      dx[k] = -(up - down) / (2 * h);
      p.pose({}, e);
      const double left = p.energy();
      p.pose({}, -e);
      dr[k] = -(left - p.energy()) / (2 * h);
    }
    ASSERT_LT(norm(dx - force), 1e-5 * norm(force)) << a << " " << b << " " << i;
    ASSERT_LT(norm(dr - torque), 1e-5 * norm(force)) << a << " " << b << " " << i;
    ++tested;
  }
  EXPECT_GT(tested, 80);
}

/// Work against the contact along a closed loop of places and turns, as a share of the largest energy on the way.
double loop_work(const Law& law, double* largest = nullptr) {
  // A cube's corner and edges wander over and into the other cube's face, edge and corner.
  Pair p(law, "cube", "cube", {0.3, 0.2, 0.9}, {}, axis_angle(normalized(Vec3{1, 2, 0.5}), 0.4));
  const int steps = 6000;
  const auto place = [&](double t) {
    const double a = 2 * M_PI * t;
    return std::pair{Vec3{0.5 * std::sin(a), 0.4 * (1 - std::cos(a)), 0.06 * std::sin(2 * a) - 0.02},
                     Vec3{0.3 * std::sin(a), -0.4 * std::sin(2 * a), 0.5 * (1 - std::cos(a))}};
  };
  double work = 0, most = 0;
  Vec3 force, torque, x;
  Quat turn;
  for (int k = 0; k <= steps; ++k) {
    const auto [at, r] = place(static_cast<double>(k) / steps);
    p.pose(at, r);
    const Quat now = p.s.particles.orientation[1];
    if (k > 0) {
      const Quat step = now * conjugate(turn);  // a small rotation: its vector is twice the imaginary part
      work += 0.5 * dot(force + p.force(), at - x) + dot(torque + p.torque(), Vec3{step.x, step.y, step.z});
    }
    force = p.force(), torque = p.torque(), x = at, turn = now;
    most = oracle::larger(most, p.energy());
  }
  if (largest) *largest = most;
  return std::abs(work) / most;
}

TEST(EnergyLaw, ClosedPathsYieldNoWork) {
  double energy = 0;
  for (const double exponent : {4.0 / 3, 2.0, 3.0}) {
    EXPECT_LT(loop_work(potential(exponent), &energy), 2e-5) << exponent;
    EXPECT_GT(energy, 0);
  }
  // The linear law's force on the mean depth has no such promise where edges and corners slide off each other.
  contact::Linear linear;
  linear.kn = 1e6;
  const double other = loop_work(linear);
  RecordProperty("linear_work_share", std::to_string(other));
  EXPECT_GT(other, 1e-4);
}

TEST(EnergyLaw, CollidingGrainsKeepTheirEnergy) {
  Case c = scenes::empty_case();
  c.gravity = {};
  contact::EnergyPolyhedral law = potential(2);
  c.contacts[0].law = law;
  c.time_step.fraction = 0.02;
  scenes::add_grain(c, "cube", 0.03, {}, axis_angle(normalized(Vec3{1, 2, 3}), 0.7));
  scenes::add_grain(c, "grain14", 0.03, {0.01, 0.005, 0.06}, {}, {0, 0, -1}, {5, -3, 2});
  Simulation s = scenes::build(c);
  const Totals before = totals(s);
  const double start = before.kinetic_translation + before.kinetic_rotation;
  double worst = 0, stored = 0;
  while (s.time < 0.1 && !s.fault) {
    step(s);
    const Totals t = totals(s);
    worst = oracle::larger(worst, std::abs(t.kinetic_translation + t.kinetic_rotation + t.elastic - start));
    stored = oracle::larger(stored, t.elastic);
  }
  ASSERT_FALSE(s.fault) << s.fault->message;
  EXPECT_GT(stored, 0.05 * start);
  EXPECT_LT(worst, 2e-3 * start);
  const Totals after = totals(s);
  EXPECT_EQ(after.elastic, 0);
  EXPECT_NEAR(after.kinetic_translation + after.kinetic_rotation, start, 1e-3 * start);
}

TEST(EnergyLaw, IsRefusedWhereThereAreSpheres) {
  Case c = scenes::empty_case();
  c.contacts[0].law = potential(2);
  scenes::add_grain(c, "cube", 0.03, {});
  scenes::add_grain(c, "sphere", 0.03, {0, 0, 1});
  const Result<Simulation> s = set_up(c, scenes::library());
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message.find("sphere"), std::string::npos);
}

TEST(EnergyLaw, NeedsTheOverlap) {
  Case c = scenes::empty_case();
  c.contacts[0].law = potential(2);
  c.detection.contact_geometry = Case::ContactGeometry::contact_zone;
  scenes::add_grain(c, "cube", 0.03, {});
  scenes::add_grain(c, "cube", 0.03, {0, 0, 1});
  const Result<Simulation> s = set_up(c, scenes::library());
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message.find("contact_geometry: overlap"), std::string::npos);
}

}  // namespace
}  // namespace scree

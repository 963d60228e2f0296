// LIBS: scree_bond scree_integrate
// The parallel bond alone: no force after rigid motion, forces as derivatives of the energy, the published increments
// in the small, breakage in each mode, scatter of the strengths.
#include <gtest/gtest.h>

#include <algorithm>

#include "bond/bond_kernels.h"
#include "exec/parallel.h"
#include "oracle/bonded_world.h"
#include "oracle/larger.h"

namespace scree {
namespace {

using bond::Mode;
using bond::ParallelBond;
using bond::Pose;
using bond::Stiffness;
using bond::Wrench;
using oracle::BondedWorld;

ParallelBond law_of(double kn, double ks) {
  ParallelBond law;
  law.kn = kn, law.ks = ks;
  return law;
}

Quat small_turn(Vec3 w) {
  const double angle = norm(w);
  return angle > 0 ? axis_angle(w / angle, angle) : Quat{};
}

TEST(ParallelBond, CarriesNoForceAfterAnyRigidMotion) {
  Random draw(3);
  const double r = 2e-3;
  BondedWorld w;
  w.add_cluster(*bond::cube(3, r), law_of(1e12, 4e11), 1.05, {0.1, -0.2, 0.3}, draw.rotation());
  ASSERT_EQ(w.bonds.size(), 54u);
  for (int turn = 0; turn < 200; ++turn) {
    w.move_rigidly(draw.rotation(), {draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-1, 1)});
    if (norm(w.p.position[0]) > 3) w.move_rigidly({}, -w.p.position[0]);
    w.forces();
    for (std::size_t k = 0; k < w.bonds.size(); ++k) {
      // Against the force of a stretch by the bond's length, and its moment.
      const double force = w.bonds.axial[k] * w.bonds.length[k];
      ASSERT_LT(norm(w.bonds.force[k]), 1e-9 * force);
      ASSERT_LT(norm(w.bonds.torque_a[k]) + norm(w.bonds.torque_b[k]), 1e-9 * force * r);
      ASSERT_LT(w.bonds.energy[k], 1e-18 * force * w.bonds.length[k]);
    }
  }
}

/// A cluster shaken out of shape, some of its bonds damped and some broken.
BondedWorld shaken(std::uint64_t seed) {
  Random draw(seed);
  BondedWorld w;
  ParallelBond damped = law_of(1e12, 4e11);
  damped.damping = 0.1, damped.normal_strength = 2e8, damped.shear_strength = 1e8, damped.weibull_modulus = 5;
  w.add_cluster(*bond::cube(4, 2e-3), law_of(1e12, 4e11), 1.05);
  w.add_cluster(*bond::packed_sphere(1e-2, 2e-3), damped, 1.05, {0.05, 0, 0}, draw.rotation());
  for (std::size_t i = 0; i < w.p.size_rows(); ++i) {
    w.p.position[i] += 2e-4 * draw.direction(), w.p.velocity[i] = draw.direction();
    w.p.orientation[i] = normalized(small_turn(0.1 * draw.direction()) * w.p.orientation[i]);
    w.p.angular_velocity[i] = 100 * draw.direction();
  }
  for (std::size_t r = 0; r < w.bonds.size(); ++r) w.bonds.alive[r] = draw.below(7) > 0;
  return w;
}

TEST(ParallelBond, VectorsOfBondsHaveTheBitsOfOneBondAtATime) {
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    BondedWorld w = shaken(seed);
    bond::Bonds one = w.bonds, many = w.bonds;
    ASSERT_GT(one.size(), 200u);
    Random draw(seed, 9);
    for (std::size_t i = 0; i < w.p.size_rows(); ++i)
      w.p.force[i] = 10 * draw.direction(), w.p.torque[i] = 1e-3 * draw.direction();
    const double dt = seed % 2 ? 0 : 1e-6;
    for (std::size_t r = 0; r < one.size(); ++r) bond::force_of(one, w.p, r, dt);
    // From any row to any other.
    const std::size_t cut = 1 + seed * 13 % 100;
    bond::forces_of(many, w.p, 0, cut, dt), bond::forces_of(many, w.p, cut, many.size(), dt);
    std::size_t loaded = 0;
    for (std::size_t r = 0; r < one.size(); ++r) {
      ASSERT_EQ(many.force[r], one.force[r]) << r;
      ASSERT_EQ(many.torque_a[r], one.torque_a[r]) << r;
      ASSERT_EQ(many.torque_b[r], one.torque_b[r]) << r;
      ASSERT_EQ(many.normal_stress[r], one.normal_stress[r]) << r;
      ASSERT_EQ(many.shear_stress[r], one.shear_stress[r]) << r;
      ASSERT_EQ(many.energy[r], one.energy[r]) << r;
      loaded += norm(one.force[r]) > 0 && norm(one.torque_a[r]) > 0 ? 1 : 0;
      ASSERT_EQ(one.alive[r] == 0, one.energy[r] == 0) << r;
    }
    EXPECT_GT(loaded, one.size() / 2);
    std::size_t broken = 0;
    for (std::size_t r = 0; r < one.size(); ++r) {
      const double use =
          std::max(one.normal_stress[r] / one.normal_strength[r], one.shear_stress[r] / one.shear_strength[r]);
      one.damage[r] = oracle::larger(one.damage[r], use);
      broken += use >= 1 ? 1 : 0;
    }
    EXPECT_EQ(bond::take_damage(many, 0, many.size()), broken);
    EXPECT_GT(broken, 0u);
    EXPECT_LT(broken, loaded);
    EXPECT_EQ(many.damage, one.damage);
  }
}

TEST(ParallelBond, TurnedByNinetyDegreesWhileStrainedKeepsItsForceInItsFrame) {
  Random draw(31);
  for (int k = 0; k < 500; ++k) {
    const Stiffness s{2, 1, 0.3, 0.4};
    const Pose a{draw.direction(), draw.rotation()};
    const Pose b{a.position + rotate(a.orientation, {1.1, 0.1, -0.05}),
                 normalized(small_turn(0.2 * draw.direction()) * a.orientation)};
    const Quat turn = k == 0 ? axis_angle({0, 0, 1}, M_PI / 2) : draw.rotation();
    const Vec3 by = draw.direction();
    const Wrench before = elastic(a, b, 1, s);
    const Wrench after = elastic({rotate(turn, a.position) + by, normalized(turn * a.orientation)},
                                 {rotate(turn, b.position) + by, normalized(turn * b.orientation)}, 1, s);
    ASSERT_LT(norm(after.force - rotate(turn, before.force)), 1e-14);
    ASSERT_LT(norm(after.torque_a - rotate(turn, before.torque_a)), 1e-14);
    ASSERT_LT(norm(after.torque_b - rotate(turn, before.torque_b)), 1e-14);
    ASSERT_NEAR(after.energy, before.energy, 1e-14);
  }
}

TEST(ParallelBond, ForcesAreTheDerivativesOfItsEnergyAndBalance) {
  Random draw(5);
  for (int k = 0; k < 2000; ++k) {
    const double length = draw.uniform(0.5, 2), wide = draw.uniform(0, 1.5);
    const Stiffness s{draw.uniform(1, 3), draw.uniform(0.1, 3), draw.uniform(0.1, 1), draw.uniform(0.1, 1)};
    const Pose a{draw.direction(), draw.rotation()};
    Pose b{a.position + length * (rotate(a.orientation, {1, 0, 0}) + 0.4 * wide * draw.direction()),
           normalized(small_turn(wide * draw.direction()) * a.orientation)};
    if (k % 2) b.orientation = {-b.orientation.w, -b.orientation.x, -b.orientation.y, -b.orientation.z};
    const Wrench w = elastic(a, b, length, s);
    const Vec3 d = b.position - a.position;
    ASSERT_LT(norm(w.torque_a + w.torque_b + cross(d, w.force)), 1e-13 * (norm(w.torque_a) + norm(w.torque_b) + 1));
    const double h = 1e-5;
    const auto energy = [&](Vec3 xa, Vec3 ta, Vec3 xb, Vec3 tb) {
      return elastic({a.position + xa, small_turn(ta) * a.orientation},
                     {b.position + xb, small_turn(tb) * b.orientation}, length, s)
          .energy;
    };
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3 u{};
      u[i] = h;
      const Vec3 o{};
      const double tolerance = 1e-8;
      ASSERT_NEAR((energy(o, o, u, o) - energy(o, o, -u, o)) / (2 * h), -w.force[i], tolerance);
      ASSERT_NEAR((energy(u, o, o, o) - energy(-u, o, o, o)) / (2 * h), w.force[i], tolerance);
      ASSERT_NEAR((energy(o, u, o, o) - energy(o, -u, o, o)) / (2 * h), -w.torque_a[i], tolerance);
      ASSERT_NEAR((energy(o, o, o, u) - energy(o, o, o, -u)) / (2 * h), -w.torque_b[i], tolerance);
    }
  }
}

/// Huang et al. (2020), Eqs. 1-4, summed over many small increments, with the normal and the stored vectors turned
/// along with the bond; forces at the middle.
struct Increments {
  Vec3 shear, bend;
  double normal = 0, twist = 0;
  /// The bond's direction goes from e0 over e to e1 while the two turn together by `spin`; increments dv, dw.
  void add(const Stiffness& k, Vec3 e0, Vec3 e, Vec3 e1, Vec3 spin, Vec3 dv, Vec3 dw) {
    const Quat turn = small_turn(cross(e0, e1) + dot(spin, e) * e);
    shear = rotate(turn, shear), bend = rotate(turn, bend);
    normal -= k.axial * dot(dv, e), shear -= k.shear * (dv - dot(dv, e) * e);
    twist -= k.twist * dot(dw, e), bend -= k.bend * (dw - dot(dw, e) * e);
  }
};

TEST(ParallelBond, IsTheSumOfThePublishedIncrementsWhileStrainsAreSmall) {
  Random draw(8);
  for (int k = 0; k < 60; ++k) {
    const Stiffness s{2, 0.8, 0.3, 0.4};
    const double length = 1, strain = 1e-4;
    // The bodies turn together by a large angle while they strain by a little: poses at time t in [0, 1].
    const Quat start = draw.rotation();
    const Vec3 spin = 2.0 * draw.direction(), stretch = strain * draw.direction(), wring = strain * draw.direction();
    const auto turn_of_a = [&](double t) { return small_turn(t * spin) * start; };
    const auto apart = [&](double t) { return rotate(turn_of_a(t), Vec3{length, 0, 0} + t * stretch); };
    Increments sum;
    const int steps = 4000;
    const double dt = 1.0 / steps;
    for (int n = 0; n < steps; ++n) {
      const double t = (n + 0.5) * dt;
      const Quat frame = turn_of_a(t);
      const Vec3 d = apart(t), wb = spin + rotate(frame, wring), vb = cross(spin, d) + rotate(frame, stretch);
      const Vec3 v = vb - cross(wb, 0.5 * d) - cross(spin, 0.5 * d);
      sum.add(s, normalized(apart(n * dt)), normalized(d), normalized(apart((n + 1) * dt)), dt * 0.5 * (spin + wb),
              dt * v, dt * (wb - spin));
    }
    const Vec3 d = apart(1), e = normalized(d), force = sum.normal * e + sum.shear, moment = sum.twist * e + sum.bend;
    const Wrench w = elastic({{}, turn_of_a(1)}, {d, turn_of_a(1) * small_turn(wring)}, length, s);
    const double second_order = 1e-3 * strain;
    ASSERT_GT(norm(force) + norm(moment), 0.2 * strain);
    ASSERT_LT(norm(w.force - force), second_order) << k;
    ASSERT_LT(norm(w.torque_b - (moment - cross(0.5 * d, force))), second_order) << k;
    ASSERT_LT(norm(w.torque_a - (-moment - cross(0.5 * d, force))), second_order) << k;
  }
}

TEST(ParallelBond, StiffnessByModulusIsThatPerAreaOfTheSameBond) {
  ParallelBond law;
  law.given = ParallelBond::Stiffness::modulus, law.modulus = 3e9, law.ratio = 2.5;
  const Stiffness k = stiffness_of(law, 0.01, 0.004), same = stiffness_of(law_of(3e11, 1.2e11), 0.01, 0.004);
  EXPECT_DOUBLE_EQ(k.axial, 3e11 * M_PI * 16e-6);
  EXPECT_NEAR(k.bend / (3e11 * M_PI / 4 * 256e-12), 1, 1e-14);
  EXPECT_NEAR(k.twist / (1.2e11 * M_PI / 2 * 256e-12), 1, 1e-14);
  EXPECT_NEAR(k.axial / same.axial, 1, 1e-14);
  EXPECT_NEAR(k.shear / same.shear, 1, 1e-14);
  EXPECT_NEAR(k.twist / same.twist, 1, 1e-14);
  EXPECT_NEAR(k.bend / same.bend, 1, 1e-14);
}

/// Two spheres, b moved little by little in one way until the bond breaks.
struct Pull {
  BondedWorld w;
  std::vector<std::uint32_t> broken;
  bond::Event event;
  explicit Pull(const ParallelBond& law) {
    Random draw(12);
    const Quat turn = draw.rotation();
    w.add_sphere({}, 5e-3, 2500, draw.rotation());
    w.add_sphere(rotate(turn, {11e-3, 0, 0}), 6e-3, 2500, draw.rotation());
    bond::add_bond(w.bonds, w.p, 0, 1, law, 7, 1);
    w.adjacency.build(w.bonds, 2);
  }
  /// `by` per step along the bond and across it; `turn` about the bond and across it.
  void run(double along, double across, double twist, double bend) {
    const Vec3 e = normalized(w.p.position[1]), f = any_perpendicular(e);
    for (int k = 0; k < 100000 && broken.empty(); ++k) {
      w.p.position[1] += along * e + across * f;
      w.p.orientation[1] = normalized(small_turn(twist * e) * w.p.orientation[1]);
      // Bending about the middle: no shear.
      w.p.orientation[0] = normalized(small_turn(-0.5 * bend * f) * w.p.orientation[0]);
      w.p.orientation[1] = normalized(small_turn(0.5 * bend * f) * w.p.orientation[1]);
      w.forces();
      bond::find_broken(w.bonds, broken);
    }
    if (!broken.empty()) event = bond::event_of(w.bonds, w.p, broken[0], 2.5);
  }
};

TEST(BondBreakage, EachModeComesAtItsStrength) {
  ParallelBond law = law_of(1e12, 5e11);
  law.radius_factor = 0.8, law.normal_strength = 4e6, law.shear_strength = 3e6;
  const double r = 4e-3, a = M_PI * r * r, second = M_PI / 4 * r * r * r * r, polar = 2 * second;
  struct Way {
    double along, across, twist, bend;
    Mode mode;
    double strength;
  };
  for (const Way& way : {Way{1e-9, 0, 0, 0, Mode::tension, 4e6}, Way{0, 1e-9, 0, 0, Mode::shear, 3e6},
                         Way{0, 0, 1e-6, 0, Mode::torsion, 3e6}, Way{0, 0, 0, 1e-6, Mode::bending, 4e6}}) {
    Pull pull(law);
    if (way.mode == Mode::shear) pull.w.bonds.normal_strength[0] = std::numeric_limits<double>::infinity();
    pull.run(way.along, way.across, way.twist, way.bend);
    ASSERT_EQ(pull.broken.size(), 1u);
    EXPECT_EQ(pull.event.mode, way.mode);
    EXPECT_EQ(pull.event.id_a, 0u);
    EXPECT_EQ(pull.event.id_b, 1u);
    EXPECT_EQ(pull.event.cluster, 7u);
    EXPECT_EQ(pull.event.time, 2.5);
    EXPECT_GE(pull.w.bonds.damage[0], 1);
    // The load at that moment, from the forces on the sphere.
    const Vec3 e = normalized(pull.w.p.position[1] - pull.w.p.position[0]), f = pull.w.bonds.force[0];
    const Vec3 m = pull.w.bonds.torque_b[0] + cross(0.5 * (pull.w.p.position[1] - pull.w.p.position[0]), f);
    double stress = 0;
    switch (way.mode) {
      case Mode::tension:
        stress = std::abs(dot(f, e)) / a;
        break;
      case Mode::shear:
        stress = norm(f - dot(f, e) * e) / a;
        break;
      case Mode::torsion:
        stress = std::abs(dot(m, e)) * r / polar;
        break;
      case Mode::bending:
        stress = norm(m - dot(m, e) * e) * r / second;
        break;
    }
    EXPECT_NEAR(stress, way.strength, 5e-3 * way.strength) << name(way.mode);
    EXPECT_NEAR(pull.event.stress, way.strength, 5e-3 * way.strength) << name(way.mode);
    EXPECT_EQ(pull.event.strength, way.strength);
  }
}

/// Stresses by Potyondy & Cundall 2004, eqs. 18 and 19: what stretches by u and bends by t has kn u and kn t R.
TEST(BondBreakage, IsCalledByTheLargerPartOfItsStress) {
  ParallelBond law = law_of(1e12, 5e11);
  law.radius_factor = 0.8, law.normal_strength = 4e6, law.shear_strength = 3e6;
  constexpr double kMove = 1e-9, kRadius = 4e-3;
  for (const double times : {0.85, 1.15}) {
    const double turn = times * kMove / kRadius;
    Pull normal(law), shear(law);
    normal.run(kMove, 0, 0, turn);
    ASSERT_EQ(normal.broken.size(), 1u);
    EXPECT_EQ(normal.event.mode, times < 1 ? Mode::tension : Mode::bending) << times;
    shear.w.bonds.normal_strength[0] = std::numeric_limits<double>::infinity();
    shear.run(0, kMove, turn, 0);
    ASSERT_EQ(shear.broken.size(), 1u);
    EXPECT_EQ(shear.event.mode, times < 1 ? Mode::shear : Mode::torsion) << times;
  }
}

TEST(BondBreakage, CompressionAloneBreaksNothing) {
  ParallelBond law = law_of(1e12, 5e11);
  law.normal_strength = 1e3, law.shear_strength = 1e3;
  Pull pull(law);
  pull.run(-1e-8, 0, 0, 0);
  EXPECT_TRUE(pull.broken.empty());
}

TEST(BondBreakage, WithoutStrengthsNothingBreaks) {
  Pull pull(law_of(1e12, 5e11));
  pull.run(1e-7, 1e-7, 1e-6, 1e-6);
  EXPECT_TRUE(pull.broken.empty());
}

TEST(BondStrength, WeibullScatterHasItsMeanAndItsModulus) {
  ParallelBond law;
  law.weibull_modulus = 4;
  std::vector<double> x;
  for (std::uint32_t i = 0; i < 40000; ++i) x.push_back(strength_factor(law, 9, i, i + 7));
  double mean = 0;
  for (const double f : x) mean += f / 40000;
  EXPECT_NEAR(mean, 1, 5e-3);  // standard error .0014
  std::sort(x.begin(), x.end());
  EXPECT_GT(x.front(), 0);
  // ln(-ln(1 - F)) against ln x is a line of slope m.
  const auto at = [&](double f) { return x[static_cast<std::size_t>(f * 40000)]; };
  const double slope = (std::log(-std::log(0.1)) - std::log(-std::log(0.9))) / std::log(at(0.9) / at(0.1));
  EXPECT_NEAR(slope, 4, 0.1);
  EXPECT_EQ(strength_factor(law, 9, 3, 10), strength_factor(law, 9, 3, 10));
  EXPECT_NE(strength_factor(law, 9, 3, 10), strength_factor(law, 10, 3, 10));
  law.weibull_modulus = 0;
  EXPECT_EQ(strength_factor(law, 9, 3, 10), 1);
}

TEST(Bonds, TakeAtMostFourHundredBytesEach) {
  BondedWorld w;
  w.bonds.reserve(54);
  w.add_cluster(*bond::cube(3, 1e-3), law_of(1e12, 5e11), 1.05);
  EXPECT_LE(w.bonds.bytes() + w.adjacency.bytes(), 400 * w.bonds.size());
}

TEST(Bonds, SameBitsForAnyNumberOfThreads) {
  const auto run = [](int threads) {
    exec::set_threads(threads);
    BondedWorld w;
    ParallelBond law = law_of(1e12, 5e11);
    law.damping = 0.1;
    Random draw(2);
    w.add_cluster(*bond::packed_sphere(13e-3, 1e-3), law, 1.05);
    for (Vec3& v : w.p.velocity) v = 0.1 * draw.direction();
    const double dt = 0.2 * w.critical_time_step();
    w.forces();
    for (int k = 0; k < 40; ++k) w.step(dt);
    exec::set_threads(0);
    return std::pair{w.p.position, w.p.torque};
  };
  const auto one = run(1);
  EXPECT_GT(one.first.size(), 1000u);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(5));
}

}  // namespace
}  // namespace scree

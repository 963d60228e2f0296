// LIBS: scree_bond scree_integrate
// Chains and clusters of bonded spheres against beam theory and conservation laws.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "oracle/bonded_world.h"
#include "oracle/larger.h"

namespace scree {
namespace {

using bond::ParallelBond;
using oracle::BondedWorld;

constexpr double kR = 5e-3, kE = 1e9, kNu = 0.25, kDensity = 2500, kLength = 2 * kR;

ParallelBond beam() {
  ParallelBond law;
  law.given = ParallelBond::Stiffness::beam, law.modulus = kE, law.poisson = kNu;
  return law;
}

ParallelBond hinges(double ratio) {
  ParallelBond law;
  law.given = ParallelBond::Stiffness::modulus, law.modulus = kE, law.ratio = ratio;
  return law;
}

/// Spheres in a row along `turn` x, the first one held.
BondedWorld chain(std::size_t n, const ParallelBond& law, Quat turn) {
  BondedWorld w;
  Random draw(4);
  for (std::size_t k = 0; k < n; ++k)
    w.add_sphere(rotate(turn, {static_cast<double>(k) * kLength, 0, 0}), kR, kDensity, draw.rotation());
  for (std::size_t k = 0; k + 1 < n; ++k) bond::add_bond(w.bonds, w.p, k, k + 1, law, 0, 1);
  w.adjacency.build(w.bonds, n);
  w.fixed[0] = 1;
  return w;
}

/// Displacement of the last sphere at rest under `load` (N), in the frame of the chain.
Vec3 tip_at_rest(BondedWorld w, Quat turn, Vec3 load) {
  const std::size_t last = w.p.size_rows() - 1;
  const Vec3 start = w.p.position[last];
  w.load[last] = rotate(turn, load);
  const double dt = 0.5 * w.critical_time_step();
  const double slow = 190;  // rad/s, first bending mode
  w.forces();
  for (int k = 0; k < 60000; ++k) w.step(dt, slow);
  EXPECT_LT(w.kinetic_energy(), 1e-14 * w.elastic_energy());
  return rotate(conjugate(turn), w.p.position[last] - start);
}

TEST(BondedChain, CantileverOfBeamBondsBendsAsTimoshenkosBeam) {
  Random draw(6);
  const Quat turn = draw.rotation();
  const double n = 19, length = n * kLength, f = 0.01, area = M_PI * kR * kR, second = area * kR * kR / 4;
  const Vec3 tip = tip_at_rest(chain(20, beam(), turn), turn, {0, 0, -f});
  EXPECT_NEAR(-tip.z, 4.6577e-5, 0.01 * 4.6577e-5);
  const double g = kE / (2 * (1 + kNu)), kappa = 6 * (1 + kNu) / (7 + 6 * kNu);
  const double expected = f * length * length * length / (3 * kE * second) + f * length / (kappa * g * area);
  EXPECT_NEAR(-tip.z, expected, 1e-6 * expected);
  EXPECT_LT(std::abs(tip.y), 1e-6 * expected);
}

TEST(BondedChain, CantileverOfPotyondyAndCundallsBondsIsHingedAtTheMiddles) {
  Random draw(7);
  const Quat turn = draw.rotation();
  const double n = 19, length = n * kLength, f = 0.01, area = M_PI * kR * kR, second = area * kR * kR / 4;
  for (const double ratio : {1.0, 2.5}) {
    const Vec3 tip = tip_at_rest(chain(20, hinges(ratio), turn), turn, {0, f, 0});
    EXPECT_NEAR(tip.y, 4.6577e-5, 0.01 * 4.6577e-5);
    const double bending = f * length * length * length / (3 * kE * second) * (1 - 1 / (4 * n * n));
    const double shear = f * n / (kE / kLength / ratio * area);
    EXPECT_NEAR(tip.y, bending + shear, 1e-6 * tip.y);
  }
}

TEST(BondedChain, PulledAtItsEndStretchesByHooke) {
  Random draw(9);
  const Quat turn = draw.rotation();
  const double f = 20, area = M_PI * kR * kR;
  const Vec3 tip = tip_at_rest(chain(20, beam(), turn), turn, {f, 0, 0});
  EXPECT_NEAR(tip.x, f * 19 * kLength / (kE * area), 1e-6 * tip.x);
}

/// Angular frequency from the upward crossings of zero of what `value` gives.
template <class Value>
double frequency(BondedWorld& w, double dt, int periods, Value&& value) {
  double first = -1, last = 0, before = value();
  int crossings = 0;
  for (long k = 1; crossings <= periods && k < 3000000; ++k) {
    w.step(dt);
    const double now = value();
    if (before < 0 && now >= 0) {
      last = (static_cast<double>(k) - now / (now - before)) * dt;
      if (first < 0) first = last;
      ++crossings;
    }
    before = now;
  }
  EXPECT_EQ(crossings, periods + 1);
  return 2 * M_PI * periods / (last - first);
}

TEST(BondedChain, LongestAxialVibrationHasItsFrequency) {
  const std::size_t n = 19;  // that move
  BondedWorld w = chain(n + 1, beam(), {});
  for (std::size_t k = 1; k <= n; ++k)
    w.p.position[k].x += 1e-8 * std::sin(M_PI * static_cast<double>(k) / (2 * n + 1));
  const double dt = 0.1 * w.critical_time_step();
  w.forces();
  const double rest = n * kLength;
  const double omega = frequency(w, dt, 5, [&] { return w.p.position[n].x - rest; });
  // Masses on springs, one end held.
  const double expected = 2 * std::sqrt(w.bonds.axial[0] / w.p.mass[1]) * std::sin(M_PI / (2 * (2 * n + 1)));
  EXPECT_NEAR(omega, expected, 2e-4 * expected);
  // A rod held at one end: a quarter of a wave; the last sphere reaches half a length beyond its node.
  const double rod = M_PI / 2 * std::sqrt(w.bonds.axial[0] / w.p.mass[1]) / (n + 0.5);
  EXPECT_NEAR(omega, rod, 1e-3 * rod);
}

TEST(BondedChain, FirstBendingVibrationHasTheFrequencyOfTheBeamMatrices) {
  const Eigen::Index n = 19;
  BondedWorld w = chain(n + 1, beam(), {});
  const double area = M_PI * kR * kR, second = area * kR * kR / 4, g = kE / (2 * (1 + kNu));
  const double kappa = 6 * (1 + kNu) / (7 + 6 * kNu), l = kLength, phi = 12 * kE * second / (kappa * g * area * l * l);
  // Timoshenko's element (Przemieniecki 1968), deflection and turn at each node.
  Eigen::Matrix4d element;
  element << 12, 6 * l, -12, 6 * l, 6 * l, (4 + phi) * l * l, -6 * l, (2 - phi) * l * l, -12, -6 * l, 12, -6 * l, 6 * l,
      (2 - phi) * l * l, -6 * l, (4 + phi) * l * l;
  element *= kE * second / ((1 + phi) * l * l * l);
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(2 * n + 2, 2 * n + 2);
  for (Eigen::Index e = 0; e < n; ++e) k.block<4, 4>(2 * e, 2 * e) += element;
  Eigen::VectorXd root(2 * n);
  for (Eigen::Index i = 0; i < n; ++i)
    root[2 * i] = 1 / std::sqrt(w.p.mass[1]), root[2 * i + 1] = 1 / std::sqrt(w.p.inertia[1].x);
  const Eigen::MatrixXd free = k.bottomRightCorner(2 * n, 2 * n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(root.asDiagonal() * free * root.asDiagonal());
  const double expected = std::sqrt(solver.eigenvalues()[0]);

  Eigen::VectorXd mode = root.asDiagonal() * solver.eigenvectors().col(0);
  mode *= 1e-6 / mode[2 * n - 2];
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i + 1);
    w.p.position[row].y += mode[2 * i];
    w.p.orientation[row] = normalized(axis_angle({0, 0, 1}, mode[2 * i + 1]) * w.p.orientation[row]);
  }
  const double dt = 0.3 * w.critical_time_step();
  w.forces();
  const double omega = frequency(w, dt, 3, [&] { return w.p.position[static_cast<std::size_t>(n)].y; });
  EXPECT_NEAR(omega, expected, 2e-4 * expected);
  // The slender beam with evenly spread mass, half a length longer for the last sphere.
  const double line = w.p.mass[1] / l, whole = (n + 0.5) * l;
  const double slender = 1.8751040687 * 1.8751040687 * std::sqrt(kE * second / (line * whole * whole * whole * whole));
  EXPECT_NEAR(omega, slender, 0.02 * slender);
}

BondedWorld tumbling_cube(double damping) {
  Random draw(11);
  ParallelBond law = hinges(2.5);
  law.modulus = 3e7, law.damping = damping;
  BondedWorld w;
  w.add_cluster(*bond::cube(3, kR), law, 1.05, {0.2, 0.1, -0.3}, draw.rotation());
  for (std::size_t i = 0; i < w.p.size_rows(); ++i) {
    w.p.velocity[i] =
        cross({40, -90, 60}, w.p.position[i] - Vec3{0.2, 0.1, -0.3}) + Vec3{1, 2, -1} + 0.2 * draw.direction();
    w.p.angular_momentum[i] = w.p.inertia[i].x * (Vec3{40, -90, 60} + 20.0 * draw.direction());
  }
  w.forces();
  return w;
}

TEST(BondedCluster, FreeAndUndampedKeepsMomentumAndEnergy) {
  const auto worst = [](double fraction, double time) {
    BondedWorld w = tumbling_cube(0);
    const double dt = fraction * w.critical_time_step();
    const Vec3 p0 = w.momentum(), l0 = w.angular_momentum();
    const double e0 = w.kinetic_energy() + w.elastic_energy();
    double energy = 0;
    for (int k = 0; k < time / dt; ++k) {
      w.step(dt);
      energy = oracle::larger(energy, std::abs(w.kinetic_energy() + w.elastic_energy() - e0));
    }
    EXPECT_LT(norm(w.momentum() - p0), 1e-12 * norm(p0));
    EXPECT_LT(norm(w.angular_momentum() - l0), 1e-11 * norm(l0));
    return energy / e0;
  };
  // One turn of the cube. The leapfrog's energy error is of second order and does not grow.
  const double coarse = worst(0.2, 0.055), fine = worst(0.1, 0.055), finer = worst(0.05, 0.055);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(finer, 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.6);
  EXPECT_NEAR(fine / finer, 4, 0.6);
}

TEST(BondedCluster, DampingKeepsMomentumTakesEnergyAndLeavesARigidTurn) {
  BondedWorld w = tumbling_cube(0.2);
  const double dt = 0.1 * w.critical_time_step();
  const Vec3 p0 = w.momentum(), l0 = w.angular_momentum();
  double before = w.kinetic_energy() + w.elastic_energy();
  const double first = before;
  for (int k = 0; k < 20; ++k) {
    for (int n = 0; n < 500; ++n) w.step(dt);
    const double now = w.kinetic_energy() + w.elastic_energy();
    ASSERT_LT(now, before * (1 + 1e-6));
    before = now;
  }
  EXPECT_LT(before, 0.999 * first);
  EXPECT_LT(norm(w.momentum() - p0), 1e-12 * norm(p0));
  EXPECT_LT(norm(w.angular_momentum() - l0), 1e-11 * norm(l0));
  // What is left turns as one body: every sphere with the same angular velocity.
  Vec3 mean{};
  for (std::size_t i = 0; i < 27; ++i) mean += w.p.angular_momentum[i] / w.p.inertia[i].x / 27.0;
  EXPECT_GT(norm(mean), 50);
  for (std::size_t i = 0; i < 27; ++i)
    EXPECT_LT(norm(w.p.angular_momentum[i] / w.p.inertia[i].x - mean), 1e-3 * norm(mean));
}

TEST(BondedCluster, CriticalTimeStepIsABoundThatIsNotFarOff) {
  Random draw(17);
  for (int k = 0; k < 12; ++k) {
    // Spheres of different sizes, bonds of different stiffness.
    bond::Cluster c = *bond::cube(2 + k % 2, 1e-3);
    for (double& r : c.radius) r *= draw.uniform(0.6, 1);
    ParallelBond law = k % 3 == 0 ? beam() : hinges(draw.uniform(0.5, 4));
    BondedWorld w;
    w.add_cluster(c, law, 1.6);
    const std::size_t n = w.p.size_rows();
    // Tangent stiffness by differences, scaled by the masses.
    const auto dofs = static_cast<Eigen::Index>(6 * n);
    Eigen::MatrixXd m(dofs, dofs);
    Eigen::VectorXd root(dofs);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        root[static_cast<Eigen::Index>(6 * i + a)] = 1 / std::sqrt(w.p.mass[i]);
        root[static_cast<Eigen::Index>(6 * i + 3 + a)] = 1 / std::sqrt(w.p.inertia[i].x);
      }
    }
    for (std::size_t column = 0; column < 6 * n; ++column) {
      const std::size_t i = column / 6, a = column % 6;
      BondedWorld moved = w;
      Vec3 u{};
      const double h = a < 3 ? 1e-10 : 1e-7;
      u[a % 3] = h;
      if (a < 3) {
        moved.p.position[i] += u;
      } else {
        moved.p.orientation[i] = normalized(axis_angle(u / h, h) * moved.p.orientation[i]);
      }
      moved.forces();
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t b = 0; b < 6; ++b) {
          const double f = b < 3 ? moved.p.force[j][b] : moved.p.torque[j][b - 3];
          m(static_cast<Eigen::Index>(6 * j + b), static_cast<Eigen::Index>(column)) = -f / h;
        }
      }
    }
    const Eigen::MatrixXd scaled = root.asDiagonal() * (0.5 * (m + m.transpose())) * root.asDiagonal();
    const double omega2 = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled).eigenvalues().maxCoeff();
    const double exact = 2 / std::sqrt(omega2), bound = w.critical_time_step();
    EXPECT_LE(bound, exact * (1 + 1e-4)) << k;
    EXPECT_GE(bound, 0.5 * exact) << k;
  }
}

TEST(BondedCluster, DampedBondIsStableAtItsCriticalStepAndNotBeyond) {
  for (const double damping : {0.0, 0.3, 1.0}) {
    const auto grows = [&](double fraction) {
      ParallelBond law = hinges(2.5);
      law.damping = damping;
      BondedWorld w;
      w.add_sphere({}, kR, kDensity), w.add_sphere({kLength, 0, 0}, kR, kDensity);
      bond::add_bond(w.bonds, w.p, 0, 1, law, 0, 1);
      w.adjacency.build(w.bonds, 2);
      const double dt = fraction * w.critical_time_step();
      Random draw(3);
      for (std::size_t i = 0; i < 2; ++i)
        w.p.velocity[i] = 1e-6 * draw.direction(), w.p.angular_momentum[i] = 1e-6 * w.p.mass[i] * kR * draw.direction();
      w.forces();
      const double first = w.kinetic_energy();
      for (int k = 0; k < 2000; ++k) {
        w.step(dt);
        if (!(w.kinetic_energy() < 100 * first)) return true;
      }
      return false;
    };
    EXPECT_FALSE(grows(0.98)) << damping;
    EXPECT_TRUE(grows(1.03)) << damping;
  }
}

TEST(BondedCluster, DampedBondIsOfSecondOrder) {
  // Against ten times finer steps, with and without damping, all four ways of vibrating at once.
  for (const double damping : {0.0, 0.2}) {
    const auto end = [&](double parts) {
      ParallelBond law = hinges(2.5);
      law.damping = damping;
      BondedWorld w;
      w.add_sphere({}, kR, kDensity), w.add_sphere({kLength, 0, 0}, kR, kDensity);
      bond::add_bond(w.bonds, w.p, 0, 1, law, 0, 1);
      w.adjacency.build(w.bonds, 2);
      Random draw(3);
      for (std::size_t i = 0; i < 2; ++i)
        w.p.velocity[i] = 1e-4 * draw.direction(), w.p.angular_momentum[i] = 1e-4 * w.p.mass[i] * kR * draw.direction();
      law.damping = 0;
      BondedWorld free = w;
      free.bonds.axial_damping[0] = free.bonds.shear_damping[0] = free.bonds.twist_damping[0] =
          free.bonds.bend_damping[0] = 0;
      const double time = 12 * free.critical_time_step(), dt = time / parts;
      w.forces();
      for (double k = 0; k < parts; ++k) w.step(dt);
      return std::array{w.p.position[0], w.p.position[1], kR * w.p.angular_momentum[0] / w.p.inertia[0].x * time};
    };
    const auto exact = end(12000);
    const auto error = [&](double parts) {
      const auto at = end(parts);
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += norm(at[k] - exact[k]);
      return sum;
    };
    const double order = std::log2(error(120) / error(240));
    EXPECT_GT(order, 1.9) << damping;
    EXPECT_LT(order, 2.2) << damping;
  }
}

}  // namespace
}  // namespace scree

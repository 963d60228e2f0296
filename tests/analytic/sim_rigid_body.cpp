// Closed forms of single bodies: flight, spin, bounce, rest, slide (shared reference values in the comments).
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/random.h"
#include "integrate/rigid_body.h"
#include "oracle/larger.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

Case floor_case() {
  Case c = scenes::empty_case();
  scenes::add_plane(c, "floor", {}, {0, 0, 1});
  return c;
}

TEST(RigidBody, FreeFlightFollowsTheParabola) {
  Case c = scenes::empty_case();
  scenes::add_grain(c, "cube", 0.03, {0, 0, 10}, {}, {1, -2, 3});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.5);
  const double t = s.time;
  // Leapfrog is exact for constant acceleration.
  EXPECT_NEAR(s.particles.position[0].x, t, 1e-12);
  EXPECT_NEAR(s.particles.position[0].y, -2 * t, 1e-12);
  EXPECT_NEAR(s.particles.position[0].z, 10 + 3 * t - kG * t * t / 2, 1e-10);
  EXPECT_NEAR(s.particles.velocity[0].z, 3 - kG * t, 1e-10);
}

TEST(RigidBody, SymmetricTopPrecessesWithItsPeriod) {
  const Vec3 inertia{2, 2, 1};
  Quat q;
  const Vec3 l{2 * 0.1, 0, 1};
  const double dt = 1e-3, period = 4 * M_PI;  // body frame: I1/((I1 - I3) w3) 2 pi
  double angle = 0, before = 0;
  const int steps = static_cast<int>(period / dt);
  for (int k = 0; k < steps; ++k) {
    Vec3 body = transpose_times(rotation_matrix(q), l);
    q = integrate::rotate_free(q, body, inertia, dt);
    const double now = std::atan2(body.y, body.x);
    double turn = now - before;
    if (turn > M_PI) turn -= 2 * M_PI;
    if (turn < -M_PI) turn += 2 * M_PI;
    angle += turn, before = now;
    ASSERT_NEAR(std::hypot(body.x, body.y), 0.2, 1e-6);
  }
  EXPECT_NEAR(std::abs(angle), 2 * M_PI * steps * dt / period, 2 * M_PI * 1e-3);
}

TEST(RigidBody, TorqueFreeBoxFlipsAndConserves) {
  const Vec3 inertia{13.0 / 12, 10.0 / 12, 5.0 / 12};
  const Vec3 w0{0.01, 1, 0.02};
  Quat q;
  const Vec3 l = integrate::angular_momentum(q, w0, inertia);
  const double e0 = integrate::rotational_energy(q, l, inertia), dt = 1e-3;
  double worst = 0, lowest = 1, highest = -1;
  for (int k = 0; k < 90000; ++k) {
    Vec3 body = transpose_times(rotation_matrix(q), l);
    q = integrate::rotate_free(q, body, inertia, dt);
    worst = oracle::larger(worst, std::abs(integrate::rotational_energy(q, l, inertia) / e0 - 1));
    lowest = std::min(lowest, body.y / norm(l)), highest = oracle::larger(highest, body.y / norm(l));
    ASSERT_NEAR(norm2(q), 1, 1e-13);
    ASSERT_NEAR(norm(body), norm(l), 1e-12);
  }
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(lowest, -0.95);  // the middle axis turns over
  EXPECT_GT(highest, 0.95);
}

TEST(RigidBody, RotationIsSecondOrderAndReversible) {
  const Vec3 inertia{1.0, 2.0, 2.5}, l{0.3, 1.1, -0.7};
  const auto run = [&](double dt, int n) {
    Quat q;
    for (int k = 0; k < n; ++k) {
      Vec3 body = transpose_times(rotation_matrix(q), l);
      q = integrate::rotate_free(q, body, inertia, dt);
    }
    return q;
  };
  const auto apart = [](Quat a, Quat b) { return std::sqrt(norm2(Quat{a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z})); };
  const Quat fine = run(1e-4, 20000);
  const double coarse = apart(run(0.02, 100), fine), half = apart(run(0.01, 200), fine);
  EXPECT_NEAR(coarse / half, 4, 0.2);
  Quat q;
  Vec3 body = transpose_times(rotation_matrix(q), l);
  q = integrate::rotate_free(q, body, inertia, 0.05);
  q = integrate::rotate_free(q, body, inertia, -0.05);
  EXPECT_LT(apart(q, Quat{}), 1e-14);
}

/// Eight balls of other spins side by side, slow ones and ones that turn by more than half a turn within a step.
TEST(RigidBody, BallsTurnAboutTheirMomentumExactly) {
  Random u(5);
  std::array<Vec3, integrate::Rotations::kRows> axis;
  std::array<double, integrate::Rotations::kRows> angle;  // of one step
  std::array<Quat, integrate::Rotations::kRows> begun;
  integrate::Rotations r;
  const double dt = 1e-3;
  for (std::size_t k = 0; k < axis.size(); ++k) {
    axis[k] = u.direction(), angle[k] = k == 0 ? 0 : std::pow(10, u.uniform(-6, 0.7));
    begun[k] = u.rotation();
    r.w[k] = begun[k].w, r.x[k] = begun[k].x, r.y[k] = begun[k].y, r.z[k] = begun[k].z;
    r.ix[k] = std::pow(10, u.uniform(-9, 3));
    const Vec3 l = r.ix[k] * angle[k] / dt * axis[k];
    r.lx[k] = l.x, r.ly[k] = l.y, r.lz[k] = l.z;
  }
  constexpr int kSteps = 200;
  for (int n = 0; n < kSteps; ++n) integrate::rotate_balls(r, dt);
  for (std::size_t k = 0; k < axis.size(); ++k) {
    const Quat now{r.w[k], r.x[k], r.y[k], r.z[k]};
    if (k == 0) {
      EXPECT_TRUE(now == begun[k]) << "what does not turn keeps its bits";
    }
    EXPECT_NEAR(norm2(now), 1, 1e-14);
    const Quat off = now * conjugate(axis_angle(axis[k], kSteps * angle[k]) * begun[k]);
    EXPECT_LT(norm(Vec3{off.x, off.y, off.z}), 1e-15 * kSteps * (1 + angle[k])) << "turns by " << angle[k];
  }
}

TEST(RigidBody, MomentumIsExactWithoutWallsAndGravity) {
  Case c = scenes::box_fill(60);
  c.walls.clear(), c.gravity = {};
  for (auto& g : c.particles) std::get<Case::Lattice>(g.place).spacing = 0.05;
  Simulation s = scenes::build(c);
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {  // towards the middle: many collisions
    s.particles.velocity[i] = 5.0 * (Vec3{0.15, 0.15, 0.06} - s.particles.position[i]);
    s.particles.angular_momentum[i] = {};
  }
  const Totals before = totals(s);
  double scale = 0;
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i)
    scale += s.particles.mass[i] * norm(s.particles.velocity[i]);
  std::uint64_t most = 0;
  for (int k = 0; k < 9000; ++k) {
    step(s);
    most = std::max<std::uint64_t>(most, s.contacts.size());
  }
  ASSERT_FALSE(s.fault) << s.fault->message;
  ASSERT_GT(most, 10u);
  const Totals after = totals(s);
  EXPECT_LT(norm(after.momentum - before.momentum), 1e-12 * scale);
  EXPECT_LT(norm(after.angular_momentum - before.angular_momentum), 1e-11 * scale);
  EXPECT_LT(after.kinetic_translation + after.kinetic_rotation + after.elastic,
            before.kinetic_translation + before.kinetic_rotation + before.elastic);
}

TEST(RigidBody, UndampedBounceOnAPlaneReturnsItsSpeed) {
  Case c = floor_case();
  contact::Bloks3d law = scenes::stone_law();
  law.damping_ratio = 0, law.knn = 0;
  c.contacts[0].law = law;
  c.gravity = {};
  c.time_step.fraction = 0.02;
  scenes::add_grain(c, "cube", 0.03, {0, 0, 0.016}, {}, {0, 0, -1});
  Simulation s = scenes::build(c);
  const double m = s.particles.mass[0];
  double deepest = 0, begin = -1, end = -1;
  while (s.time < 0.02) {
    step(s);
    const double z = s.particles.position[0].z - 0.015;
    if (z < 0 && begin < 0) begin = s.time;
    if (z < 0) end = s.time;
    deepest = oracle::larger(deepest, -z);
  }
  // A flat face on a linear spring: half a period of sqrt(K/m).
  EXPECT_NEAR(deepest, std::sqrt(m / 130e3), 2e-3 * deepest);
  EXPECT_NEAR(end - begin, M_PI * std::sqrt(m / 130e3), 0.02 * (end - begin));
  EXPECT_NEAR(s.particles.velocity[0].z, 1, 2e-3);
  EXPECT_LT(norm(s.particles.angular_momentum[0]), 1e-12);
}

TEST(RigidBody, BlockComesToRestAtItsStaticDepth) {
  Case c = floor_case();
  scenes::add_grain(c, "cube", 0.03, {0, 0, 0.0151});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 1.0);
  ASSERT_EQ(s.wall_contacts.size(), 1u);
  const double weight = s.particles.mass[0] * kG, depth = s.wall_contacts.depth[0];
  EXPECT_NEAR(130e3 * depth + 1.4e9 * depth * depth * depth, weight, 1e-6 * weight);
  EXPECT_LT(norm(s.particles.velocity[0]), 1e-6);
  const Vec3 before = s.particles.position[0];
  scenes::run_for(s, 0.5);
  EXPECT_LT(norm(s.particles.position[0] - before), 1e-6 * 0.03);
}

/// A cube flat on a slope of 40 degrees; gravity is turned instead of the floor.
Simulation on_slope(double degrees, double sliding_damping, Vec3 velocity = {}, double mu_degrees = 35) {
  Case c = floor_case();
  contact::Bloks3d law = scenes::stone_law();
  // Lightly damped blocks chatter when they are let go at once: 0.3 of critical keeps the face on the slope.
  law.damping_ratio = 0.3;
  law.damping_sliding = sliding_damping, law.friction_angle = mu_degrees * M_PI / 180;
  c.contacts[0].law = law;
  const double a = degrees * M_PI / 180;
  c.gravity = {kG * std::sin(a), 0, -kG * std::cos(a)};
  const double m = 2650 * 0.03 * 0.03 * 0.03;
  scenes::add_grain(c, "cube", 0.03, {0, 0, 0.015 - m * kG * std::cos(a) / 130e3}, {}, velocity);
  return scenes::build(c);
}

TEST(RigidBody, SlideOnSlopeHasTheFrictionalAcceleration) {
  const double a = 40 * M_PI / 180, phi = 35 * M_PI / 180;
  Simulation s = on_slope(40, 0);
  scenes::run_for(s, 0.3);
  const double v1 = s.particles.velocity[0].x, t1 = s.time;
  scenes::run_for(s, 1.0);
  const double acceleration = (s.particles.velocity[0].x - v1) / (s.time - t1);
  const double expected = kG * (std::sin(a) - std::tan(phi) * std::cos(a));
  EXPECT_NEAR(expected, 1.04376, 1e-5);
  EXPECT_NEAR(acceleration, expected, 0.003 * expected);
  // With the paper's d1 = 0.01 the capped dashpot adds one per cent of friction.
  Simulation damped = on_slope(40, 0.01);
  scenes::run_for(damped, 0.3);
  const double w1 = damped.particles.velocity[0].x, u1 = damped.time;
  scenes::run_for(damped, 1.0);
  EXPECT_NEAR((damped.particles.velocity[0].x - w1) / (damped.time - u1),
              kG * (std::sin(a) - 1.01 * std::tan(phi) * std::cos(a)), 0.003);
}

TEST(RigidBody, StickBelowTheFrictionAngleDoesNotCreep) {
  Simulation s = on_slope(30, 0.01);
  scenes::run_for(s, 1.0);
  const Vec3 before = s.particles.position[0];
  scenes::run_for(s, 2.0);
  EXPECT_LT(norm(s.particles.position[0] - before), 0.2e-6);
}

TEST(RigidBody, SlideToRestStopsWhereCoulombSays) {
  Simulation s = on_slope(0, 0, {1, 0, 0}, std::atan(0.3) * 180 / M_PI);
  double stopped = 0;
  while (s.time < 0.6) {
    step(s);
    if (stopped == 0 && s.particles.velocity[0].x <= 0) stopped = s.time;
  }
  EXPECT_NEAR(stopped, 1 / (0.3 * kG), 0.003 / (0.3 * kG));
  EXPECT_NEAR(s.particles.position[0].x, 1 / (2 * 0.3 * kG), 0.003 / (2 * 0.3 * kG));
}

TEST(RigidBody, SpinningBlockComesToRest) {
  Case c = floor_case();
  const double m = 2650 * 0.03 * 0.03 * 0.03;
  scenes::add_grain(c, "cube", 0.03, {0, 0, 0.015 - m * kG / 130e3}, {}, {}, {0, 0, 20});
  Simulation s = scenes::build(c);
  // Uniform pressure: moment mu N r, with the mean radius of a square .3826 a; and I = m a^2/6.
  const double mu = std::tan(35 * M_PI / 180), rate = mu * kG * 0.3826 * 0.03 * 6 / (0.03 * 0.03);
  double stopped = 0;
  while (s.time < 0.4) {
    step(s);
    if (stopped == 0 && s.particles.angular_velocity[0].z <= 0) stopped = s.time;
  }
  EXPECT_NEAR(stopped, 20 / rate, 0.03 * 20 / rate);
  EXPECT_LT(norm(s.particles.angular_velocity[0]), 1e-3);
}

TEST(RigidBody, ColumnOfTenCubesStandsStill) {
  Case c = floor_case();
  contact::Bloks3d law = scenes::stone_law();
  law.damping_ratio = 0.2;
  c.contacts[0].law = law;
  for (int i = 0; i < 10; ++i) scenes::add_grain(c, "cube", 0.03, {0, 0, 0.015 + 0.03 * i});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 3.0);
  const double weight = 10 * s.particles.mass[0] * kG;
  EXPECT_NEAR(-s.walls[0].force.z, weight, 1e-3 * weight);
  const Particles settled = s.particles;
  const double kinetic = totals(s).kinetic_translation;
  scenes::run_for(s, 1.0);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_LT(norm(s.particles.position[i] - settled.position[i]), 1e-3 * 0.03);
  EXPECT_LE(totals(s).kinetic_translation, std::max(kinetic, 1e-12));
}

}  // namespace
}  // namespace scree

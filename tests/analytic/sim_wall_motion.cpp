// Walls that move: against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "oracle/larger.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

Case linear_case(double kn, double friction, double damping = 0.2) {
  Case c = scenes::empty_case();
  contact::Bloks3d law;
  law.kn = kn, law.ks = 0.8 * kn, law.friction_angle = std::atan(friction);
  law.damping_ratio = damping, law.damping_sticking = 0.9;
  c.contacts[0].law = law;
  return c;
}

Surface floor_sheet() { return scenes::sheet({-3, -3, 0}, {6, 0, 0}, {0, 6, 0}, 60, 60); }

/// The floor as a plane and as a mesh.
std::vector<Case> floors(const Case& c, const boundary::Motion& motion) {
  Case plane = c, mesh = c;
  scenes::add_plane(plane, "floor", {}, {0, 0, 1});
  plane.walls[0].motion = motion;
  scenes::add_mesh(mesh, "floor", floor_sheet()).motion = motion;
  return {plane, mesh};
}

TEST(Conveyor, CarriesACubeByFrictionUpToItsSpeed) {
  boundary::Motion belt;
  belt.surface_velocity = {0.8, 0, 0.5};  // what points off the surface does nothing
  for (Case c : floors(linear_case(1e6, 0.3), belt)) {
    scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05 - 2.65 * kG / 1e6});
    Simulation s = scenes::build(c);
    const Vec3 at = s.walls[0].point;
    scenes::run_for(s, 0.2);
    ASSERT_FALSE(s.fault) << s.fault->message;
    EXPECT_NEAR(s.particles.velocity[0].x, 0.3 * kG * s.time, 0.01);
    scenes::run_for(s, 0.3);
    EXPECT_NEAR(s.particles.velocity[0].x, 0.8, 0.01);
    EXPECT_NEAR(s.particles.position[0].z, 0.05, 1e-3);
    EXPECT_EQ(s.walls[0].point, at) << "the wall itself stands";
  }
}

TEST(Conveyor, ASphereSetDownOnItRollsOnWithTwoSevenths) {
  boundary::Motion belt;
  belt.surface_velocity = {0.7, 0, 0};
  for (Case c : floors(linear_case(1e6, 0.5), belt)) {
    scenes::add_grain(c, "sphere", 0.1, {0, 0, 0.05});
    Simulation s = scenes::build(c);
    scenes::run_for(s, 0.5);
    EXPECT_NEAR(s.particles.velocity[0].x, 2.0 / 7 * 0.7, 2e-3);
  }
}

TEST(Turntable, ASphereThatRollsOnItCirclesWithTwoSeventhsOfItsRate) {
  // A rolling sphere on a turntable of rate W goes round a circle with 2/7 W, whatever its velocity (Weltner 1979).
  boundary::Motion turns;
  const double rate = 3;
  turns.rotation = {{0, 0, 1}, {0, 0, 0}, rate};
  for (Case c : floors(linear_case(1e7, 1.0), turns)) {
    const double r = 0.05, x0 = 0.3, v = 2.0 / 7 * rate * x0;
    // Rolling without slip at v along y: v - w x r k = W x x0.
    const double slip = rate * x0;
    scenes::add_grain(c, "sphere", 2 * r, {x0, 0, r}, {}, {0, v, 0}, {(slip - v) / r, 0, 0});
    Simulation s = scenes::build(c);
    const double once = 2 * M_PI / (2.0 / 7 * rate);
    Vec3 half;
    while (s.time < once - 0.5 * s.dt && !s.fault) {
      step(s);
      if (s.time < 0.5 * once) half = s.particles.position[0];
    }
    ASSERT_FALSE(s.fault) << s.fault->message;
    EXPECT_NEAR(half.x, -x0, 0.02);
    EXPECT_LT(norm(s.particles.position[0] - Vec3{x0, 0, r}), 0.02) << "once round";
    EXPECT_NEAR(s.walls[0].spin.z, rate, 1e-15);
  }
}

TEST(Turntable, ACubeThatSticksTurnsWithIt) {
  boundary::Motion turns;
  const double rate = 2, x0 = 0.4;  // rate^2 x0 = 1.6 m/s^2, below mu g
  turns.rotation = {{0, 0, -1}, {0.1, 0, 7}, -rate};
  for (Case c : floors(linear_case(1e6, 0.5), turns)) {
    scenes::add_grain(c, "cube", 0.1, {0.1 + x0, 0, 0.05}, {}, {0, rate * x0, 0}, {0, 0, rate});
    Simulation s = scenes::build(c);
    scenes::run_for(s, 2 * M_PI / rate);
    ASSERT_FALSE(s.fault) << s.fault->message;
    EXPECT_LT(norm(s.particles.position[0] - Vec3{0.1 + x0, 0, 0.05}), 2e-3);
    EXPECT_NEAR(s.particles.angular_velocity[0].z, rate, 0.02);
  }
}

TEST(Oscillation, AFloorThatShakesBelowGravityCarriesACubeWithIt) {
  boundary::Motion shakes;
  const double f = 4, amplitude = 0.01, w = 2 * M_PI * f;  // w^2 A = 6.3 m/s^2
  shakes.oscillation = {{0, 0, amplitude}, f, 0.5};
  for (Case c : floors(linear_case(1e6, 0.3), shakes)) {
    c.walls[0].outline.reset();
    scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05}, {}, {0, 0, w * amplitude * std::cos(0.5)});
    Simulation s = scenes::build(c);
    double worst = 0;
    while (s.time < 1) {
      step(s);
      const double z = amplitude * (std::sin(w * s.time + 0.5) - std::sin(0.5));
      EXPECT_NEAR(s.walls[0].point.z, z, 1e-12);
      EXPECT_NEAR(s.walls[0].velocity.z, w * amplitude * std::cos(w * s.time + 0.5), 1e-9);
      worst = oracle::larger(worst, std::abs(s.particles.position[0].z - 0.05 - z));
    }
    ASSERT_FALSE(s.fault);
    EXPECT_LT(worst, 2e-4) << "it never leaves the floor";
  }
}

TEST(Path, IsFollowedAlongStraightLinesAndEndsAtRest) {
  Case c = linear_case(1e5, 0.3);
  c.gravity = {};
  boundary::Motion path;
  path.velocity = {0, 0, 0.1};
  path.rotation = {{0, 0, 1}, {1, 0, 0}, 0};
  path.table = {{0.1, {}, 0}, {0.2, {0.05, 0, 0}, 0.5}, {0.4, {0.05, 0.1, 0}, 0.5}};
  scenes::add_mesh(c, "plate", scenes::sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1, 1)).motion = path;
  scenes::add_grain(c, "sphere", 0.1, {5, 5, 5});
  Simulation s = scenes::build(c);
  const auto corner = [&] { return s.walls[0].point + rotate(s.walls[0].orientation, Vec3{1, 0, 0}); };
  scenes::run_for(s, 0.15);
  EXPECT_LT(norm(corner() - Vec3{1.025, 0, 0.1 * s.time}), 1e-3) << "the axis goes through this corner";
  EXPECT_NEAR(s.walls[0].velocity.x, 0.5, 1e-12);
  EXPECT_NEAR(s.walls[0].spin.z, 5, 1e-12);
  scenes::run_for(s, 0.35);
  EXPECT_LT(norm(corner() - Vec3{1.05, 0.1, 0.1 * s.time}), 1e-12);
  EXPECT_LT(norm(s.walls[0].point - (corner() - Vec3{std::cos(0.5), std::sin(0.5), 0})), 1e-12);
  EXPECT_EQ(s.walls[0].spin.z, 0);
  EXPECT_EQ(s.walls[0].velocity, (Vec3{0, 0, 0.1}));
}

TEST(Blade, HitsASphereAwayWithTwiceItsSpeed) {
  Case c = linear_case(1e5, 0, 0);
  c.gravity = {};
  boundary::Motion turns;
  turns.rotation = {{0, 0, 1}, {}, 2};
  scenes::add_mesh(c, "blade", scenes::sheet({0, 0, -0.2}, {1, 0, 0}, {0, 0, 0.4}, 3, 2)).motion = turns;
  scenes::add_grain(c, "sphere", 0.1, {0.6, 0.3, 0});
  c.time_step.fraction = 0.02;
  Simulation s = scenes::build(c);
  double torque = 0;
  while (s.time < 0.6) step(s), torque += s.dt * s.walls[0].torque.z;
  ASSERT_FALSE(s.fault) << s.fault->message;
  // It meets the blade where the foot of its centre is at the distance d along the blade.
  const double d = std::sqrt(0.6 * 0.6 + 0.3 * 0.3 - 0.05 * 0.05), speed = norm(s.particles.velocity[0]);
  EXPECT_NEAR(speed, 2 * 2 * d, 0.02 * speed);
  // What the blade gave about its axis.
  const Vec3 l = cross(s.particles.position[0], s.particles.mass[0] * s.particles.velocity[0]);
  EXPECT_NEAR(-torque, l.z, 1e-3 * l.z);
}

TEST(WallTorque, IsTheMomentOfTheWeightThatLiesOnIt) {
  Case c = linear_case(1e5, 0.5);
  Case::Wall& w = scenes::add_mesh(c, "floor", floor_sheet());
  w.point = {0.2, 0.1, 0};
  scenes::add_grain(c, "sphere", 0.1, {1, 0.5, 0.05}), scenes::add_grain(c, "cube", 0.1, {-1, 1.5, 0.05});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 1);
  const double a = s.particles.mass[0] * kG, b = s.particles.mass[1] * kG;
  const Vec3 expected = cross(Vec3{0.8, 0.4, 0}, {0, 0, -a}) + cross(Vec3{-1.2, 1.4, 0}, {0, 0, -b});
  EXPECT_LT(norm(s.walls[0].torque - expected), 1e-3 * norm(expected));
  EXPECT_NEAR(s.walls[0].force.z, -a - b, 1e-3 * (a + b));
}

TEST(Motion, BeginsAnewWithAStage) {
  Case c = linear_case(1e5, 0.5);
  c.gravity = {};
  boundary::Motion first, then;
  first.velocity = {1, 0, 0};
  then.rotation = {{0, 0, 1}, {0.2, 0, 0}, M_PI};
  scenes::add_mesh(c, "plate", scenes::sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1, 1)).motion = first;
  scenes::add_grain(c, "sphere", 0.1, {5, 5, 5});
  Case::Stage turn = c.stages[0];
  c.stages[0].duration = 0.2;
  turn.name = "turn", turn.move = {{"plate", then}};
  c.stages.push_back(turn);
  Simulation s = scenes::build(c);
  while (!stage_is_over(s, c, nullptr)) step(s);
  EXPECT_NEAR(s.walls[0].point.x, 0.2, 1e-3);
  const Result<bool> begun = begin_next_stage(s, c, scenes::library());
  ASSERT_TRUE(begun && *begun);
  const double start = s.time;
  while (s.time < start + 1) step(s);
  EXPECT_NEAR(s.walls[0].point.x, 0.2, 2e-3) << "half a turn about its corner";
  const Vec3 far = s.walls[0].point + rotate(s.walls[0].orientation, Vec3{1, 0, 0});
  EXPECT_NEAR(far.x, -0.8, 5e-3);
}

}  // namespace
}  // namespace scree

// Spheres, discs and squares against closed forms: impact, slip to roll, inclines; and what two dimensions promise.
#include <gtest/gtest.h>

#include <cmath>

#include "oracle/larger.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

contact::Bloks3d& law_of(Case& c) { return std::get<contact::Bloks3d>(c.contacts[0].law); }

/// Linear springs; no damping unless said.
Case linear_case(double kn, double ks, double friction) {
  Case c = scenes::empty_case();
  contact::Bloks3d law;
  law.kn = kn, law.ks = ks, law.friction_angle = std::atan(friction);
  c.contacts[0].law = law;
  return c;
}

Case planar_case(double kn, double ks, double friction) {
  Case c = linear_case(kn, ks, friction);
  c.dimensions = 2, c.gravity = {0, -kG, 0};
  return c;
}

TEST(Spheres, ImpactLastsHalfAPeriodAndKeepsMomentumAndEnergy) {
  Case c = linear_case(1e6, 0, 0);
  c.gravity = {};
  c.time_step.fraction = 0.01;
  const Vec3 along = normalized(Vec3{1, 2, -0.5});
  scenes::add_grain(c, "sphere", 0.02, {}, {}, 0.3 * along);
  scenes::add_grain(c, "sphere", 0.03, 0.0251 * along, {}, -0.1 * along);
  Simulation s = scenes::build(c);
  const double ma = s.particles.mass[0], mb = s.particles.mass[1], reduced = ma * mb / (ma + mb);
  EXPECT_NEAR(ma, 2650 * M_PI / 6 * 0.02 * 0.02 * 0.02, 1e-12 * ma);
  double touching = 0, deepest = 0;
  for (int k = 0; k < 100000 && (touching == 0 || !s.contacts.pair.empty()); ++k) {
    step(s);
    ASSERT_FALSE(s.fault);
    if (s.contacts.size() == 0) continue;
    touching += s.dt, deepest = oracle::larger(deepest, s.contacts.depth[0]);
  }
  EXPECT_NEAR(touching, M_PI * std::sqrt(reduced / 1e6), 2 * s.dt);
  EXPECT_NEAR(deepest, 0.4 * std::sqrt(reduced / 1e6), 1e-3 * deepest);
  const double va = dot(s.particles.velocity[0], along), vb = dot(s.particles.velocity[1], along);
  EXPECT_NEAR(va, 0.3 - 2 * mb / (ma + mb) * 0.4, 1e-4);
  EXPECT_NEAR(vb, -0.1 + 2 * ma / (ma + mb) * 0.4, 1e-4);
  const Totals t = totals(s);
  EXPECT_NEAR(norm(t.momentum - (0.3 * ma - 0.1 * mb) * along), 0, 1e-14 * ma);
  EXPECT_NEAR(t.kinetic_translation, 0.5 * (ma * 0.09 + mb * 0.01), 1e-4 * t.kinetic_translation);
}

TEST(Spheres, ALargeOneFeelsEachOfManySmallOnes) {
  constexpr int kSmall = 200;
  for (const bool large_first : {true, false}) {
    Case c = linear_case(1e6, 0, 0);
    c.gravity = {};
    Vec3 pressed;
    if (large_first) scenes::add_grain(c, "sphere", 0.1, {});
    for (int k = 0; k < kSmall; ++k) {  // evenly about it (a spiral), the deeper the higher
      const double z = 1 - (2 * k + 1.0) / kSmall, r = std::sqrt(1 - z * z), a = k * M_PI * (3 - std::sqrt(5));
      const Vec3 n{r * std::cos(a), r * std::sin(a), z};
      const double depth = (2 + z) * 1e-5;
      scenes::add_grain(c, "sphere", 0.01, (0.055 - depth) * n);
      pressed -= 1e6 * depth * n;
    }
    if (!large_first) scenes::add_grain(c, "sphere", 0.1, {});
    const Simulation s = scenes::build(c);
    ASSERT_EQ(s.contacts.size(), static_cast<std::size_t>(kSmall));
    const std::size_t large = large_first ? 0 : kSmall;
    ASSERT_GT(s.particles.radius[large], 0.04);
    EXPECT_NEAR(norm(s.particles.force[large] - pressed), 0, 1e-9 * kSmall * 20);
    EXPECT_NEAR(pressed.z, -1e6 * 1e-5 * kSmall / 3, 1);
  }
}

TEST(Spheres, ObliqueImpactKeepsAngularMomentum) {
  Case c = linear_case(1e6, 8e5, 0.4);
  c.gravity = {};
  scenes::add_grain(c, "sphere", 0.02, {}, {}, {0.5, 0.1, 0}, {3, 40, -20});
  scenes::add_grain(c, "sphere", 0.03, {0.026, 0.008, 0.004}, {}, {-0.5, 0, 0.2});
  Simulation s = scenes::build(c);
  const Totals before = totals(s);
  bool met = false;
  for (int k = 0; k < 20000 && !s.fault; ++k) step(s), met = met || s.contacts.size() > 0;
  ASSERT_TRUE(met);
  ASSERT_EQ(s.contacts.size(), 0u);
  const Totals after = totals(s);
  const double scale = norm(before.angular_momentum);
  EXPECT_NEAR(norm(after.angular_momentum - before.angular_momentum), 0, 1e-11 * scale);
  EXPECT_NEAR(norm(after.momentum - before.momentum), 0, 1e-13);
  EXPECT_LT(after.kinetic_translation + after.kinetic_rotation,
            before.kinetic_translation + before.kinetic_rotation + before.kinetic_rotation * 1e-6);
}

/// A round body set down on the floor with v0: it slides until it rolls at `share` of v0.
void slides_until_it_rolls(Case c, const std::string& shape, Vec3 up, double share) {
  const double v0 = 1, mu = 0.3, size = 0.1;
  scenes::add_plane(c, "floor", {}, up);
  scenes::add_grain(c, shape, size, (size / 2) * up, {}, {v0, 0, 0});
  Simulation s = scenes::build(c);
  // At rest on its spring.
  s.particles.position[0] = (size / 2 - s.particles.mass[0] * kG / law_of(c).kn) * up;
  s.list_is_valid = false;
  const double rolls_at = (1 - share) * v0 / (mu * kG);
  scenes::run_for(s, 0.5 * rolls_at);
  EXPECT_NEAR(s.particles.velocity[0].x, v0 - mu * kG * s.time, 1e-3) << "sliding";
  scenes::run_for(s, 0.48 * rolls_at);
  EXPECT_NEAR(s.particles.velocity[0].x, v0 - mu * kG * s.time, 1e-3) << "still sliding";
  scenes::run_for(s, 0.5 * rolls_at);
  EXPECT_NEAR(s.particles.velocity[0].x, share * v0, 1e-3) << "rolling";
  const Vec3 w = s.particles.angular_velocity[0];
  EXPECT_NEAR(norm(w) * size / 2, share * v0, 1e-3);
  EXPECT_NEAR(norm(s.particles.velocity[0] + cross(w, (-size / 2) * up)), 0, 1e-3) << "no slip";
  EXPECT_FALSE(s.fault);
}

TEST(Spheres, SlideUntilTheyRollAtFiveSevenths) {
  Case c = linear_case(1e7, 8e6, 0.3);
  law_of(c).damping_ratio = 0.2, law_of(c).damping_sticking = 0.9;
  slides_until_it_rolls(c, "sphere", {0, 0, 1}, 5.0 / 7);
}

TEST(Spheres, RestOnASlopeWhereTheRollingSpringHoldsThem) {
  // The spring's moment about the contact: m g sin(angle) R, at the limit where tan(angle) = mu_r.
  for (const double share : {0.5, 1.5}) {
    Case c = linear_case(1e6, 8e5, 0.5);
    law_of(c).damping_ratio = 0.2, law_of(c).damping_sticking = 0.9;
    c.contacts[0].beside.rolling = {contact::Rolling::Model::spring, 0.2, 0, 0.5};
    const double angle = std::atan(share * 0.2);
    c.gravity = {kG * std::sin(angle), 0, -kG * std::cos(angle)};
    scenes::add_plane(c, "slope", {}, {0, 0, 1});
    scenes::add_grain(c, "sphere", 0.1, {0, 0, 0.05});
    Simulation s = scenes::build(c);
    scenes::run_for(s, 0.5);
    ASSERT_FALSE(s.fault);
    if (share > 1) {
      EXPECT_GT(s.particles.velocity[0].x, 0.1);
      continue;
    }
    ASSERT_EQ(s.wall_contacts.size(), 1u);
    const double moment = s.particles.mass[0] * kG * std::sin(angle) * 0.05;
    EXPECT_NEAR(norm(s.wall_contacts.rolling[0]), moment, 0.01 * moment);
    EXPECT_NEAR(s.particles.velocity[0].x, 0, 1e-4);
  }
}

TEST(Discs, SlideUntilTheyRollAtTwoThirds) {
  Case c = planar_case(1e9, 8e8, 0.3);
  law_of(c).damping_ratio = 0.2, law_of(c).damping_sticking = 0.9;
  slides_until_it_rolls(c, "disc", {0, 1, 0}, 2.0 / 3);
}

/// Acceleration down a slope of the angle after half a second, by tilted gravity.
double acceleration_on_slope(const std::string& shape, double angle, double friction) {
  Case c = planar_case(1e9, 8e8, friction);
  law_of(c).damping_ratio = 0.2, law_of(c).damping_sticking = 0.9;
  c.gravity = {kG * std::sin(angle), -kG * std::cos(angle), 0};
  scenes::add_plane(c, "slope", {}, {0, 1, 0});
  scenes::add_grain(c, shape, 0.1, {0, 0.05, 0});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.1);
  const double v = s.particles.velocity[0].x, t = s.time;
  scenes::run_for(s, 0.2);
  EXPECT_FALSE(s.fault);
  EXPECT_EQ(s.particles.position[0].z, 0);
  return (s.particles.velocity[0].x - v) / (s.time - t);
}

TEST(Discs, RollDownASlopeWithTwoThirdsOfTheDownhillPull) {
  const double angle = 25 * M_PI / 180;  // tan 25 deg < 3 mu
  EXPECT_NEAR(acceleration_on_slope("disc", angle, 0.3), 2.0 / 3 * kG * std::sin(angle), 2e-3);
}

TEST(Discs, SlideDownASteepSlope) {
  const double angle = 50 * M_PI / 180;  // tan 50 deg > 3 mu
  EXPECT_NEAR(acceleration_on_slope("disc", angle, 0.3), kG * (std::sin(angle) - 0.3 * std::cos(angle)), 2e-3);
}

TEST(Squares, SlideDownASlope) {
  const double angle = 40 * M_PI / 180, friction = std::tan(35 * M_PI / 180);
  EXPECT_NEAR(acceleration_on_slope("square", angle, friction), kG * (std::sin(angle) - friction * std::cos(angle)),
              0.01 * 1.0438);
}

TEST(Squares, StandOnASlopeBelowTheAngleOfFriction) {
  EXPECT_NEAR(acceleration_on_slope("square", 30 * M_PI / 180, std::tan(35 * M_PI / 180)), 0, 1e-3);
}

/// Discs and polygons thrown into a box.
Case planar_heap(const std::vector<std::string>& shapes) {
  Case c = planar_case(1e6, 8e5, 0.5);
  law_of(c).damping_ratio = 0.3, law_of(c).damping_sliding = 0.1, law_of(c).damping_sticking = 0.9;
  scenes::add_plane(c, "floor", {}, {0, 1, 0});
  scenes::add_plane(c, "left", {}, {1, 0, 0});
  scenes::add_plane(c, "right", {0.3, 0, 0}, {-1, 0, 0});
  Case::Group g;
  g.name = "grains", g.count = 40, g.shapes = shapes, g.size = {Case::Size::Kind::uniform, 0.02, 0.04};
  g.place = Case::Lattice{0, 0, 0.06, Case::Region{{0, 0, 0}, {0.3, 0.6, 0}}};
  g.velocity = {0.2, -2, 0};
  c.particles.push_back(g);
  return c;
}

TEST(TwoDimensions, NothingLeavesThePlane) {
  const Case c = planar_heap({"disc", "square", "triangle", "hexagon"});
  Simulation s = scenes::build(c);
  std::size_t most = 0;
  for (int k = 0; k < 8000 && !s.fault; ++k) step(s), most = oracle::larger(most, s.contacts.size());
  ASSERT_FALSE(s.fault) << s.fault->message;
  EXPECT_GT(most, 30u);
  const Particles& p = s.particles;
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    EXPECT_EQ(p.position[i].z, 0);
    EXPECT_EQ(p.velocity[i].z, 0);
    EXPECT_EQ(p.force[i].z, 0);
    EXPECT_EQ(p.orientation[i].x, 0);
    EXPECT_EQ(p.orientation[i].y, 0);
    EXPECT_EQ(p.angular_momentum[i].x, 0);
    EXPECT_EQ(p.angular_momentum[i].y, 0);
    EXPECT_EQ(p.torque[i].x, 0);
    EXPECT_EQ(p.torque[i].y, 0);
  }
}

TEST(TwoDimensions, HeapsComeToRest) {
  for (const std::vector<std::string>& shapes : {std::vector<std::string>{"disc"}, {"square"}, {"disc", "pentagon"}}) {
    const Case c = planar_heap(shapes);
    Simulation s = scenes::build(c);
    const Totals start = totals(s);
    scenes::run_for(s, 1.5);
    ASSERT_FALSE(s.fault) << s.fault->message;
    const Totals end = totals(s);
    const double moving = end.kinetic_translation + end.kinetic_rotation;
    EXPECT_LT(moving, 2e-3 * start.kinetic_translation) << shapes[0];
    double weight = 0;
    for (const double m : s.particles.mass) weight += m * kG;
    EXPECT_NEAR(-s.walls[0].force.y, weight, 0.1 * weight) << shapes[0];
  }
}

TEST(TwoDimensions, PairsOfPolygonsAndDiscsKeepMomentum) {
  for (const auto& [a, b] :
       {std::pair("square", "disc"), std::pair("disc", "triangle"), std::pair("square", "octagon")}) {
    Case c = planar_case(1e6, 8e5, 0.4);
    c.gravity = {};
    scenes::add_grain(c, a, 0.1, {0, 0, 0}, axis_angle({0, 0, 1}, 0.3), {1, 0.1, 0}, {0, 0, 5});
    scenes::add_grain(c, b, 0.08, {0.16, 0.03, 0}, axis_angle({0, 0, 1}, 1.1), {-1, 0, 0});
    Simulation s = scenes::build(c);
    const Totals before = totals(s);
    bool met = false;
    for (int k = 0; k < 30000 && !s.fault; ++k) step(s), met = met || s.contacts.size() > 0;
    ASSERT_FALSE(s.fault);
    ASSERT_TRUE(met) << a << " " << b;
    const Totals after = totals(s);
    EXPECT_NEAR(norm(after.momentum - before.momentum), 0, 1e-11 * s.particles.mass[0]);
    double arms = 0;  // what the sum is made of: the two have flown far from the origin
    for (std::size_t i = 0; i < 2; ++i)
      arms += s.particles.mass[i] * norm(s.particles.position[i]) * norm(s.particles.velocity[i]);
    EXPECT_NEAR(after.angular_momentum.z, before.angular_momentum.z, 1e-11 * arms);
  }
}

TEST(TwoDimensions, AFrictionlessSquareBouncesWithItsEnergy) {
  Case c = planar_case(1e7, 0, 0);
  c.gravity = {};
  c.time_step.fraction = 0.02;
  scenes::add_plane(c, "wall", {}, {0, 1, 0});
  scenes::add_grain(c, "square", 0.1, {0, 0.09, 0}, axis_angle({0, 0, 1}, 0.5), {0.2, -1, 0}, {0, 0, 3});
  Simulation s = scenes::build(c);
  const Totals before = totals(s);
  bool met = false;
  for (int k = 0; k < 60000 && !s.fault; ++k) {
    step(s), met = met || s.wall_contacts.size() > 0;
    if (met && s.wall_contacts.size() == 0 && s.particles.position[0].y > 0.09) break;
  }
  ASSERT_TRUE(met);
  const Totals after = totals(s);
  const double e = before.kinetic_translation + before.kinetic_rotation;
  // A corner's force is .333 K z, its energy's derivative .3 K z (docs/contact-geometry.md): over a closed path the
  // force of a corner alone has a potential all the same.
  EXPECT_NEAR(after.kinetic_translation + after.kinetic_rotation, e, 0.02 * e);
}

TEST(Setup, SaysWhichShapesGoWithWhichDimensions) {
  Case c = planar_case(1e6, 0, 0);
  scenes::add_grain(c, "sphere", 0.1, {});
  const auto planar = set_up(c, scenes::library());
  ASSERT_FALSE(planar);
  EXPECT_NE(planar.error().message.find("shape 'sphere' is for simulations in three dimensions"), std::string::npos);
  Case d = linear_case(1e6, 0, 0);
  scenes::add_grain(d, "square", 0.1, {});
  const auto solid = set_up(d, scenes::library());
  ASSERT_FALSE(solid);
  EXPECT_NE(solid.error().message.find("shape 'square' is for simulations in two dimensions"), std::string::npos);
}

TEST(Setup, ALatticeInARegionSaysHowManyItHolds) {
  Case c = planar_heap({"disc"});
  c.particles[0].count = 4000;
  const auto s = set_up(c, scenes::library());
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message.find("the region holds"), std::string::npos) << s.error().message;
}

}  // namespace
}  // namespace scree

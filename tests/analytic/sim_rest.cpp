// What counts as rest, and what a stage says of its end.
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/meshes.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81, kInterval = 5e-3;

Case floor_case(double restitution) {
  Case c = scenes::empty_case();
  contact::Linear law;
  law.kn = 1e5, law.kt = 3e4, law.friction_angle = std::atan(0.5);
  law.damping_ratio = contact::damping_ratio_for(restitution, law.tension);
  c.contacts[0].law = law;
  return c;
}

Case::Stage until(double energy, double duration) {
  Case::Stage stage;
  stage.name = "settle", stage.kinetic_energy_below = energy, stage.duration = duration;
  return stage;
}

/// Steps until the stage is over, looking every few milliseconds.
StageEnd run_stage(Simulation& s, const Case& c) {
  for (int k = 1;; ++k) {
    scenes::run_for(s, k * kInterval - s.time);
    EXPECT_FALSE(s.fault) << s.fault->message;
    const Totals t = totals(s);
    if (s.fault || stage_is_over(s, c, &t)) return stage_end(s, c, t);
  }
}

TEST(Rest, ABedOfSpheresComesToItThoughOneOnAShelfSpins) {
  Case c = floor_case(0.3);
  c.gravity = {0, 0, -kG};
  scenes::add_open_box(c, "box", {0, 0, 0}, {0.12, 0.12, 0.5});
  scenes::add_mesh(c, "shelf", scenes::sheet({0, 0, 0.8}, {0.1, 0, 0}, {0, 0.1, 0}, 2, 2));
  Case::Group g;
  g.name = "bed", g.count = 100, g.shapes = {"sphere"}, g.size = {Case::Size::Kind::uniform, 0.016, 0.02};
  g.place = Case::Lattice{0, 0, 0.028, {}};
  c.particles.push_back(g);
  scenes::add_grain(c, "sphere", 0.02, {0.05, 0.05, 0.8101}, {}, {}, {0, 0, 300});
  c.stages = {until(1e-9, 4)};
  Simulation s = scenes::build(c);
  const StageEnd end = run_stage(s, c);
  EXPECT_TRUE(end.by_rest) << end.energy;
  EXPECT_GT(s.time, 0.1) << "the bed falls first";
  EXPECT_LT(s.time, 3.9);
  EXPECT_GT(end.sphere_spin, 1e4 * 1e-9) << "and the one on the shelf has all of its spin";
  EXPECT_TRUE(end.warnings.empty());
  EXPECT_EQ(end.text.rfind("rest: kinetic energy below 1e-09 J at t = ", 0), 0u) << end.text;
}

TEST(Rest, OfSpheresThatSpinOnTheSpotForever) {
  Case c = floor_case(0.3);
  c.gravity = {0, 0, -kG};
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  for (int k = 0; k < 100; ++k) scenes::add_grain(c, "sphere", 0.02, {0.03 * (k % 10), 0.03 * (k / 10), 0.0101});
  c.particles.back().angular_velocity = {0, 0, 300};
  c.stages = {until(1e-10, 4)};
  Simulation s = scenes::build(c);
  const double spin = totals(s).kinetic_rotation;
  ASSERT_GT(spin / 100, 1e3 * 1e-10);
  const StageEnd end = run_stage(s, c);
  EXPECT_TRUE(end.by_rest) << end.energy;
  EXPECT_LT(s.time, 1);
  EXPECT_NEAR(totals(s).kinetic_rotation, spin, 1e-9 * spin) << "nothing slows it";
  EXPECT_NEAR(end.sphere_spin, spin / 100, 1e-9 * spin);
}

TEST(Rest, NotOfASphereThatRolls) {
  Case c = floor_case(0.3);
  c.gravity = {0, 0, -kG};
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  const double v = 0.2, r = 0.01, mass = 2650 * M_PI / 6 * 8 * r * r * r;
  scenes::add_grain(c, "sphere", 2 * r, {0, 0, r - mass * kG / 1e5}, {}, {v, 0, 0}, {0, v / r, 0});
  c.stages = {until(1e-6, 0.5)};
  Simulation s = scenes::build(c);
  const StageEnd end = run_stage(s, c);
  EXPECT_FALSE(end.by_rest);
  EXPECT_NEAR(s.time, 0.5, s.dt);
  EXPECT_EQ(end.text, "duration");
  EXPECT_NEAR(end.energy, 0.5 * mass * v * v, 0.01 * end.energy);
  EXPECT_NEAR(end.sphere_spin, 0.2 * mass * v * v, 0.01 * end.energy);
  EXPECT_EQ(end.rotation, 0);
  ASSERT_EQ(end.warnings.size(), 1u);
  EXPECT_NE(end.warnings[0].find("stage 'settle': rest was not reached"), std::string::npos) << end.warnings[0];
}

TEST(Rest, NotOfACubeOrADiscThatSpins) {
  for (const bool planar : {false, true}) {
    Case c = floor_case(0.3);
    c.gravity = {}, c.dimensions = planar ? 2 : 3;
    scenes::add_grain(c, planar ? "disc" : "cube", 0.02, {0, 0, 0}, {}, {}, {0, 0, 10});
    c.time_step.fixed = 1e-5;
    c.stages = {until(1e-9, 0.02)};
    Simulation s = scenes::build(c);
    const StageEnd end = run_stage(s, c);
    EXPECT_FALSE(end.by_rest);
    EXPECT_NEAR(end.rotation, end.energy, 1e-9 * end.energy);
    ASSERT_EQ(end.warnings.size(), 1u);
    EXPECT_NE(end.warnings[0].find("100 % of it rotation"), std::string::npos) << end.warnings[0];
  }
}

}  // namespace
}  // namespace scree

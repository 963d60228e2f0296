// JKR's adhesive contact: the closed forms of Johnson, Kendall & Roberts (1971), and spheres in the engine that part,
// stick and rebound by them.
#include <gtest/gtest.h>

#include <cmath>

#include "contact/laws/hertz_mindlin.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

using contact::Jkr;

constexpr double kYoung = 1e9, kWork = 0.2, kRadius = 1e-4;  // Pa, J/m^2, m: of the pair

constexpr Jkr kPair{kYoung, kWork, kRadius};

TEST(Jkr, PullOffIsThreeHalvesPiWR) {
  double least = 0;
  for (int k = 0; k <= 10000; ++k) least = std::min(least, kPair.force(kPair.parting_depth() * (1 - 1e-4 * k)));
  EXPECT_NEAR(least, -1.5 * M_PI * kWork * kRadius, 1e-6 * kPair.pull_off());
  EXPECT_NEAR(kPair.pull_off(), 1.5 * M_PI * kWork * kRadius, 1e-12 * kPair.pull_off());
}

TEST(Jkr, ForceAndDepthFollowFromTheContactRadiusAsPrinted) {
  for (const double depth : {-2.9e-8, -1e-8, 0.0, 1e-9, 1e-7, 1e-6, 1e-5}) {
    if (depth < kPair.parting_depth()) continue;
    const double a = kPair.contact_radius(depth);
    EXPECT_NEAR(a * a / kRadius - std::sqrt(2 * M_PI * kWork * a / kYoung), depth, 1e-12 * (a * a / kRadius)) << depth;
    const double printed = 4 * kYoung * a * a * a / (3 * kRadius) - std::sqrt(8 * M_PI * kWork * kYoung * a * a * a);
    EXPECT_NEAR(kPair.force(depth), printed, 1e-11 * (std::abs(printed) + kPair.pull_off())) << depth;
  }
}

TEST(Jkr, RadiiWithoutLoadAndAtTheEnds) {
  const double r2 = M_PI * kWork * kRadius * kRadius / kYoung;
  EXPECT_NEAR(std::pow(kPair.least_radius(), 3), r2 / 8, 1e-12 * r2);
  EXPECT_NEAR(kPair.contact_radius(kPair.parting_depth()), kPair.least_radius(), 1e-12 * kPair.least_radius());
  // Where the force is 0: a^3 = 9 pi w R^2 / (2 E*).
  double low = 0, high = 1e-5;
  for (int k = 0; k < 200; ++k) (kPair.force(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
  EXPECT_NEAR(std::pow(kPair.contact_radius(low), 3), 4.5 * r2, 1e-10 * r2);
  // At first touch: a^3 = 2 pi w R^2 / E*, and the pull is 8/9 of the pull-off.
  EXPECT_NEAR(std::pow(kPair.contact_radius(0), 3), 2 * r2, 1e-12 * r2);
  EXPECT_NEAR(kPair.force(0), -8.0 / 9 * kPair.pull_off(), 1e-12 * kPair.pull_off());
}

TEST(Jkr, WithoutAdhesionItIsHertz) {
  const Jkr faint{kYoung, 1e-12, kRadius};
  for (const double depth : {1e-8, 1e-7, 1e-6})
    EXPECT_NEAR(faint.force(depth), 4.0 / 3 * kYoung * std::sqrt(kRadius) * std::pow(depth, 1.5),
                1e-5 * faint.force(depth));
}

TEST(Jkr, EnergyIsTheWorkOfTheForce) {
  const double step = 1e-4 * -kPair.parting_depth();
  for (double depth = kPair.parting_depth() + 20 * step; depth < 1e-6; depth = 1.2 * std::abs(depth) + 10 * step) {
    const double slope = (kPair.energy(depth + step) - kPair.energy(depth - step)) / (2 * step);
    EXPECT_NEAR(slope, kPair.force(depth), 1e-4 * (std::abs(slope) + kPair.pull_off())) << depth;
  }
}

/// Energy that a cycle of loading and parting costs: Thornton & Ning (1998), 7.09 (w^5 R^4 / E*^2)^(1/3).
TEST(Jkr, ACycleCostsThePublishedEnergy) {
  const double depth = kPair.parting_depth(), n = 20000, top = 5e-7;
  double work = 0;  // against the contact: in from the first touch, out to where it gives way
  const auto integrate = [&](double from, double to) {
    for (int k = 0; k < n; ++k) {
      // Finer towards the end where the force has a root.
      const double u0 = k / n, u1 = (k + 1) / n, x0 = from + (to - from) * (1 - (1 - u0) * (1 - u0)),
                   x1 = from + (to - from) * (1 - (1 - u1) * (1 - u1));
      work += 0.5 * (kPair.force(x0) + kPair.force(x1)) * (x1 - x0);
    }
  };
  integrate(0, top), integrate(top, depth);
  const double published = 7.09 * std::cbrt(std::pow(kWork, 5) * std::pow(kRadius, 4) / kYoung / kYoung);
  EXPECT_NEAR(work, published, 1e-3 * published);
  EXPECT_NEAR(kPair.energy(depth) - kPair.energy(0), published, 1e-3 * published);
}

// ---- in the engine

constexpr double kDiameter = 4e-4;  // of two equal spheres: R* = 1e-4

Case two_spheres(double zeta, double gap, double speed) {
  Case c = scenes::empty_case();
  contact::HertzMindlin law;
  law.young = kYoung, law.shear = 4e8, law.friction_angle = 0.3, law.damping_ratio = zeta, law.work_of_adhesion = kWork;
  c.contacts[0].law = law;
  c.gravity = {}, c.time_step.fraction = 0.02;
  scenes::add_grain(c, "sphere", kDiameter, {0, 0, 0}, {}, {0, 0, 0.5 * speed});
  scenes::add_grain(c, "sphere", kDiameter, {0, 0, kDiameter + gap}, {}, {0, 0, -0.5 * speed});
  return c;
}

double depth_without_load() {
  double low = 0, high = 1e-5;
  for (int k = 0; k < 200; ++k) (kPair.force(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
  return low;
}

TEST(Jkr, SpheresTornApartHoldUntilTheirSpeedBuysTheSurface) {
  // From the rest position: they part where the kinetic energy is above what separation costs.
  const double rest = depth_without_load(), cost = kPair.energy(kPair.parting_depth()) - kPair.energy(rest);
  const double m = 0.5 * 2650 * M_PI / 6 * std::pow(kDiameter, 3), needed = std::sqrt(2 * cost / m);
  for (const double share : {0.9, 0.99, 1.01, 1.2}) {
    Simulation s = scenes::build(two_spheres(0, -rest, -share * needed));
    double deepest = 1;
    for (int k = 0; k < 20000 && !s.fault; ++k) {
      step(s);
      for (const double d : s.contacts.depth) deepest = std::min(deepest, d);
    }
    ASSERT_FALSE(s.fault);
    if (share < 1) {
      EXPECT_EQ(s.contacts.size(), 1u) << share;
      EXPECT_GT(deepest, kPair.parting_depth());
    } else {
      ASSERT_EQ(s.contacts.size(), 0u) << share;
      EXPECT_NEAR(deepest, kPair.parting_depth(), 0.05 * -kPair.parting_depth());
      const double apart = norm(s.particles.velocity[1] - s.particles.velocity[0]);
      EXPECT_NEAR(apart, needed * std::sqrt(share * share - 1), 0.01 * needed) << share;
    }
  }
}

TEST(Jkr, ReboundLosesTheCyclesEnergyOrSticks) {
  const double lost = kPair.energy(kPair.parting_depth()) - kPair.energy(0);
  const double m = 0.5 * 2650 * M_PI / 6 * std::pow(kDiameter, 3), sticking = std::sqrt(2 * lost / m);
  for (const double share : {0.5, 0.9, 1.1, 2.0, 10.0}) {
    Simulation s = scenes::build(two_spheres(0, 1e-9, share * sticking));
    bool met = false;
    int after = 0;
    for (int k = 0; k < 100000 && !s.fault && after < 100; ++k) {
      step(s);
      met = met || s.contacts.size() > 0;
      after += met && s.contacts.size() == 0 ? 1 : 0;
      if (share < 1 && k > 20000) break;
    }
    ASSERT_FALSE(s.fault);
    ASSERT_TRUE(met);
    if (share < 1) {
      EXPECT_EQ(s.contacts.size(), 1u) << share;
    } else {
      EXPECT_EQ(s.contacts.size(), 0u) << share;
      const double apart = s.particles.velocity[1].z - s.particles.velocity[0].z;
      EXPECT_NEAR(apart, sticking * std::sqrt(share * share - 1), 0.02 * sticking * share) << share;
      EXPECT_EQ(norm(s.particles.velocity[1] + s.particles.velocity[0]), 0);
    }
  }
}

TEST(Jkr, NeverTouchedTheyDoNotFeelEachOther) {
  Simulation s = scenes::build(two_spheres(0, -0.5 * kPair.parting_depth(), 0));
  for (int k = 0; k < 1000; ++k) step(s);
  EXPECT_EQ(s.contacts.size(), 0u);
  EXPECT_EQ(s.particles.velocity[0], Vec3{});
  // A plane holds from twice as large a radius, and so farther.
  Case above = two_spheres(0, 0, 0);
  above.particles.resize(1);
  scenes::add_plane(above, "floor", {0, 0, -0.5 * kDiameter + 0.5 * kPair.parting_depth()}, {0, 0, 1});
  Simulation on_wall = scenes::build(above);
  for (int k = 0; k < 1000; ++k) step(on_wall);
  EXPECT_EQ(on_wall.wall_contacts.size(), 0u);
  EXPECT_EQ(on_wall.particles.velocity[0], Vec3{});
}

TEST(Jkr, ASphereHangsFromAPlaneByLessThanThePullOff) {
  const double m = 2650 * M_PI / 6 * std::pow(kDiameter, 3), pull_off = 1.5 * M_PI * kWork * 0.5 * kDiameter;
  for (const double share : {0.9, 1.1}) {
    Case c = two_spheres(0.2, 0, 0);
    c.particles.clear();
    scenes::add_plane(c, "ceiling", {0, 0, 0}, {0, 0, -1});
    scenes::add_grain(c, "sphere", kDiameter, {0, 0, -0.5 * kDiameter + 1e-9});
    Case::Stage rest, pull;
    rest.duration = 1e-3, pull.gravity = Vec3{0, 0, -share * pull_off / m};
    c.stages = {rest, pull};
    Simulation s = scenes::build(c);
    scenes::run_for(s, 1e-3);
    ASSERT_EQ(s.wall_contacts.size(), 1u);
    const Result<bool> next = begin_next_stage(s, c, scenes::library());
    ASSERT_TRUE(next && *next);
    // Slowly enough that it does not overshoot: in steps.
    for (int k = 1; k <= 50; ++k) {
      s.gravity = {0, 0, -share * pull_off / m * k / 50};
      scenes::run_for(s, 1e-4);
      if (s.wall_contacts.size() == 0) break;
    }
    scenes::run_for(s, 5e-4);
    EXPECT_EQ(s.wall_contacts.size(), share < 1 ? 1u : 0u) << share;
  }
}

TEST(Jkr, AFreeLidIsHeldByLessThanThePullOff) {
  const double pull_off = 1.5 * M_PI * kWork * 0.5 * kDiameter;
  for (const double share : {0.9, 1.1}) {
    Case c = two_spheres(0.2, 0, 0);
    c.particles.clear();
    scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
    scenes::add_grain(c, "sphere", kDiameter, {0, 0, 0.5 * kDiameter - 1e-9});
    scenes::add_plane(c, "lid", {0, 0, kDiameter - 2e-9}, {0, 0, -1});
    boundary::Motion::Drive free;
    free.mass = 4e-7;
    c.walls.back().motion.drive = free;
    Simulation s = scenes::build(c);
    scenes::run_for(s, 2e-4);
    ASSERT_EQ(s.wall_contacts.size(), 2u);
    // Slowly enough that it does not overshoot: in steps. A positive force presses it on.
    for (int k = 1; k <= 40; ++k) {
      s.walls.back().motion.drive->force = -share * pull_off * k / 40;
      scenes::run_for(s, 5e-5);
    }
    scenes::run_for(s, 2e-3);
    ASSERT_FALSE(s.fault) << s.fault->message;
    if (share < 1) {
      ASSERT_EQ(s.wall_contacts.size(), 2u);
      EXPECT_NEAR(s.walls.back().force.z, -share * pull_off, 1e-2 * pull_off) << "what the sphere bears it down with";
      EXPECT_LT(s.walls.back().point.z, 1.01 * kDiameter);
    } else {
      EXPECT_LT(s.wall_contacts.size(), 2u);
      EXPECT_GT(s.walls.back().point.z, 1.1 * kDiameter) << "it flew off";
    }
  }
}

TEST(Jkr, IsRefusedWhereItIsNotDefined) {
  Case cubes = two_spheres(0, 0, 0);
  scenes::add_grain(cubes, "cube", kDiameter, {1e-2, 0, 0});
  const Result<Simulation> with_cube = set_up(cubes, scenes::library());
  ASSERT_FALSE(with_cube);
  EXPECT_NE(with_cube.error().message.find("jkr is for runs of spheres alone"), std::string::npos);
  Case mesh = two_spheres(0, 0, 0);
  scenes::add_mesh(mesh, "floor", scenes::sheet({-1, -1, -1}, {2, 0, 0}, {0, 2, 0}, 1, 1));
  const Result<Simulation> with_mesh = set_up(mesh, scenes::library());
  ASSERT_FALSE(with_mesh);
  EXPECT_NE(with_mesh.error().message.find("is a mesh"), std::string::npos);
}

// From the start on, and not when a stage looks again.
TEST(Jkr, APeriodHasRoomForItsReach) {
  Case c = two_spheres(0, 0, 0);
  const double r = 0.5 * kDiameter, reach = adhesive_reach(scenes::build(c));
  ASSERT_GT(reach, 0);
  c.periodic.periodic[1] = true, c.periodic.low.y = -r;
  for (const double room : {1.0, 2.1}) {
    c.periodic.high.y = c.periodic.low.y + 2 * (2 * r + 0.05 * r) * (1 + 1e-6) + room * reach;
    const Result<Simulation> s = set_up(c, scenes::library());
    if (room > 2) {
      EXPECT_TRUE(s) << s.error().message;
    } else {
      ASSERT_FALSE(s);
      EXPECT_NE(s.error().message.find("which adhere over up to"), std::string::npos) << s.error().message;
    }
  }
}

}  // namespace
}  // namespace scree

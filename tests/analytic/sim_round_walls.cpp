// Cylinders and cones as walls.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "oracle/larger.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

Case linear_case(double kn, double friction, double damping) {
  Case c = scenes::empty_case();
  contact::Bloks3d law;
  law.kn = kn, law.ks = 0.8 * kn, law.friction_angle = std::atan(friction);
  law.damping_ratio = damping, law.damping_sticking = 0.9, law.damping_sliding = 0;
  c.contacts[0].law = law;
  return c;
}

/// About the axis from the wall's point along z turned by q.
Case::Wall& add_frustum(Case& c, Frustum f, Vec3 from, Quat q = {}) {
  Case::Wall w;
  w.name = "round", w.point = from, w.orientation = q, w.round = f;
  w.mesh = std::make_shared<const FacetMesh>(f.flat_sides());
  c.walls.push_back(w);
  return c.walls.back();
}

TEST(Frustum, TheFootIsTheNearestOfManyPointsOfTheSurface) {
  Random draw(4);
  for (const Frustum f : {Frustum{1, 1, 2}, Frustum{0.2, 1, 0.7}, Frustum{0, 0.5, 1}}) {
    for (int k = 0; k < 200; ++k) {
      const Vec3 x{draw.uniform(-1.5, 1.5), draw.uniform(-1.5, 1.5), draw.uniform(-1, 3)};
      double nearest = 1e9;
      for (int i = 0; i < 400; ++i) {
        for (int j = 0; j <= 100; ++j) {
          const double a = 2 * M_PI * i / 400, t = j / 100.0, r = f.bottom + t * (f.top - f.bottom);
          nearest = std::min(nearest, norm(x - Vec3{r * std::cos(a), r * std::sin(a), t * f.length}));
        }
      }
      const Frustum::Foot foot = f.foot(x);
      EXPECT_LE(foot.distance, nearest + 1e-12);
      EXPECT_NEAR(foot.distance, nearest, 0.015);
      // The foot itself is on the surface.
      EXPECT_NEAR(f.foot(x - foot.distance * foot.normal).distance, 0, 1e-12);
    }
  }
}

TEST(Frustum, NoPointOfItsFlatSidesIsFartherThanItSays) {
  for (const Frustum f : {Frustum{1, 1, 2}, Frustum{0.2, 1, 0.7}, Frustum{0, 0.5, 1}}) {
    const FacetMesh mesh(f.flat_sides());
    const Surface& s = mesh.surface();
    double farthest = 0;
    for (const auto& t : s.triangles) {
      for (int i = 0; i <= 10; ++i) {
        for (int j = 0; i + j <= 10; ++j) {
          const Vec3 x =
              0.1 * i * s.vertices[t[0]] + 0.1 * j * s.vertices[t[1]] + 0.1 * (10 - i - j) * s.vertices[t[2]];
          farthest = oracle::larger(farthest, f.foot(x).distance);
        }
      }
    }
    EXPECT_LE(farthest, 1.0001 * f.deviation());
    EXPECT_GT(farthest, 0.5 * f.deviation());
  }
}

TEST(Cylinder, ASphereSwingsInItAsAPendulum) {
  // Without friction it slides as a point on a circle of R - r does: period 2 pi sqrt((R - r)/g) for small angles.
  Case c = linear_case(1e7, 0, 0);
  c.gravity = {0, 0, -kG};
  const double big = 0.5, r = 0.05, angle = 0.05, length = big - r;
  add_frustum(c, {big, big, 1}, {0, -0.5, 0}, axis_angle({1, 0, 0}, -M_PI / 2));  // along y
  scenes::add_grain(c, "sphere", 2 * r, {length * std::sin(angle), 0, -length * std::cos(angle)});
  Simulation s = scenes::build(c);
  double crossed = 0, before = 0;
  int times = 0;
  while (times < 4 && s.time < 10) {
    before = s.particles.position[0].x;
    step(s);
    ASSERT_FALSE(s.fault) << s.fault->message;
    ASSERT_LE(s.wall_contacts.size(), 1u);
    const double now = s.particles.position[0].x;
    if ((before > 0) != (now > 0)) ++times, crossed = s.time - s.dt * now / (now - before);
  }
  // The fourth crossing is after 7/4 periods.
  EXPECT_NEAR(crossed, 1.75 * 2 * M_PI * std::sqrt(length / kG), 2e-3);
}

TEST(Cylinder, ASphereRestsOnItsInsideItsOutsideAndItsRimWithItsWeight) {
  const double kn = 1e5, r = 0.05;
  struct Place {
    Vec3 x;
    Vec3 normal;
  };
  const double off = r / std::sqrt(2.0);
  for (const Place& p : {Place{{0, 0, -0.45}, {0, 0, 1}}, Place{{0, 0, 0.55}, {0, 0, 1}},
                         Place{{0, 1 + off, 0.5 + off}, Vec3{0, 1, 1} / std::sqrt(2.0)}}) {
    Case c = linear_case(kn, 0, 0);
    c.gravity = {};
    add_frustum(c, {0.5, 0.5, 2}, {0, -1, 0}, axis_angle({1, 0, 0}, -M_PI / 2));
    scenes::add_grain(c, "sphere", 2 * r, p.x - 1e-4 * p.normal);
    Simulation s = scenes::build(c);
    ASSERT_EQ(s.wall_contacts.size(), 1u);
    EXPECT_NEAR(s.wall_contacts.depth[0], 1e-4, 1e-9);
    EXPECT_LT(norm(s.particles.force[0] - kn * 1e-4 * p.normal), 1e-5 * kn * 1e-4);
    EXPECT_LT(norm(s.walls[0].force + s.particles.force[0]), 1e-12);
  }
}

TEST(Cone, ASphereThatFitsInItRestsInTheMiddle) {
  // Two ends of a diameter stand for the ring: it must not be pushed aside.
  Case c = linear_case(1e5, 0.3, 0.3);
  add_frustum(c, {0.02, 0.2, 0.18}, {0, 0, 0});
  scenes::add_grain(c, "sphere", 0.1, {0, 0, 0.06}, {}, {1e-3, 2e-3, 0});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 1);
  ASSERT_FALSE(s.fault) << s.fault->message;
  // 45 degrees: the centre is r sqrt 2 above the tip, which is 0.02 below the end.
  EXPECT_NEAR(s.particles.position[0].z, 0.05 * std::sqrt(2.0) - 0.02, 1e-3);
  EXPECT_LT(std::hypot(s.particles.position[0].x, s.particles.position[0].y), 1e-3);
  EXPECT_NEAR(s.walls[0].force.z, -s.particles.mass[0] * kG, 0.02 * s.particles.mass[0] * kG);
}

TEST(Cone, CubesAndSpheresSlideDownItAsOnAPlaneOfItsSlope) {
  // 45 degrees without friction: the acceleration down the slope is g / sqrt 2.
  for (const char* shape : {"sphere", "cube"}) {
    Case c = linear_case(1e6, 0, 0.1);
    add_frustum(c, {0.5, 5.5, 5}, {0, 0, 0});
    const double half = 0.05, along = std::sqrt(0.5);
    // A cube lies on its face, which is tilted about y.
    const Vec3 foot{4, 0, 3.5}, normal{-along, 0, along};
    scenes::add_grain(c, shape, 2 * half, foot + (half + (shape[0] == 'c' ? 1e-3 : 0)) * normal,
                      axis_angle({0, 1, 0}, -M_PI / 4));
    Simulation s = scenes::build(c);
    const Vec3 from = s.particles.position[0];
    scenes::run_for(s, 0.4);
    ASSERT_FALSE(s.fault) << shape << s.fault->message;
    EXPECT_NEAR(norm(s.particles.position[0] - from), 0.5 * kG * along * 0.16, 0.02) << shape;
    EXPECT_NEAR(s.particles.velocity[0].x, s.particles.velocity[0].z, 0.05) << shape;
  }
}

TEST(Drum, FrictionCarriesSpheresAndCubesUpItsRisingSide) {
  for (const char* shape : {"sphere", "cube"}) {
    Case c = linear_case(1e6, 0.5, 0.3);
    c.gravity = {0, 0, -kG};
    Case::Wall& drum = add_frustum(c, {0.5, 0.5, 1}, {0, -0.5, 0}, axis_angle({1, 0, 0}, -M_PI / 2));
    drum.motion.rotation = {{0, 1, 0}, {0, 0, 0}, 1};
    scenes::add_grain(c, shape, 0.1, {0, 0, -0.4485});
    Simulation s = scenes::build(c);
    double up = 0;
    while (s.time < 1.2 && !s.fault) step(s), up = oracle::larger(up, std::abs(s.particles.position[0].x));
    ASSERT_FALSE(s.fault) << s.fault->message;
    if (shape[0] == 'c') {
      // It sticks up to the angle of friction a and comes there with the speed of the drum; from there, still pulled by
      // friction, it swings on by v / R / sqrt(g/R (cos a + mu sin a)).
      const double a = std::atan(0.5), arm = 0.449;
      const double swing = 0.5 / arm / std::sqrt(kG / arm * (std::cos(a) + 0.5 * std::sin(a)));
      EXPECT_NEAR(up, arm * std::sin(a + swing), 0.02);
    } else {
      EXPECT_LT(up, 0.15) << "a sphere rolls";
    }
  }
}

}  // namespace
}  // namespace scree

// LIBS: scree_geometry
// Hulls thinned out, held to the support functions of both bodies: the largest difference over all directions is the
// Hausdorff distance of two convex bodies.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "geometry/thinned_hull.h"

namespace scree {
namespace {

Vec3 direction(Random& r) {
  for (;;) {
    const Vec3 v{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1)};
    if (norm2(v) > 0.01 && norm2(v) <= 1) return normalized(v);
  }
}

/// Points of an ellipsoid with dimples, somewhere.
std::vector<Vec3> cloud(std::uint64_t seed, std::size_t n, Vec3 axes, double rough, Vec3 at) {
  Random r(seed, 1);
  std::vector<Vec3> points;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 d = direction(r);
    const double out = 1 + rough * r.uniform(-1, 1);
    points.push_back(at + Vec3{out * axes.x * d.x, out * axes.y * d.y, out * axes.z * d.z});
  }
  return points;
}

double support(std::span<const Vec3> points, Vec3 n) {
  double most = -INFINITY;
  for (const Vec3& p : points) most = std::max(most, dot(n, p));
  return most;
}

TEST(ThinnedHull, KeepsWhatItSaysOfVolumeInertiaAndDistance) {
  const std::vector<Vec3> points = cloud(1, 4000, {5, 4, 3}, 0.01, {100, -20, 7});
  const Result<ThinnedHull> thin = thinned_hull(points, kMaxVertices, 0.01);
  ASSERT_TRUE(thin) << thin.error().message;
  EXPECT_GT(thin->corners_before, 300u);
  EXPECT_LE(thin->body.vertices.size(), kMaxVertices);
  EXPECT_TRUE(validate(thin->body));
  EXPECT_LE(thin->error.worst(), 0.01);

  const Result<HullPlanes> hull = hull_planes(points);
  ASSERT_TRUE(hull);
  EXPECT_NEAR(mass_properties(thin->body).volume / hull->volume, 1, 1e-9);
  EXPECT_LT(thin->error.volume, 1e-9);
  Random r(5, 2);
  double farthest = 0;
  for (int k = 0; k < 20000; ++k) {
    const Vec3 n = direction(r);
    farthest = std::max(farthest, std::abs(support(points, n) - support(thin->body.vertices, n)));
  }
  const double told = thin->error.distance * 10.1;  // the longest side, to a per cent
  EXPECT_LE(farthest, 1.01 * told);
  EXPECT_GE(farthest, 0.8 * told);
}

TEST(ThinnedHull, TakesNoMoreCornersThanTheToleranceNeeds) {
  const std::vector<Vec3> points = cloud(2, 2000, {1, 1, 1}, 0, {});
  std::size_t before = 3;
  for (const double tolerance : {0.1, 0.05, 0.03, 0.02}) {
    const Result<ThinnedHull> thin = thinned_hull(points, kMaxVertices, tolerance);
    ASSERT_TRUE(thin);
    EXPECT_LE(thin->error.worst(), tolerance);
    EXPECT_GT(thin->body.vertices.size(), before) << tolerance;
    before = thin->body.vertices.size();
  }
  EXPECT_LT(before, kMaxVertices);
  const Result<ThinnedHull> few = thinned_hull(points, 20, 0.001);
  ASSERT_TRUE(few);
  EXPECT_LE(few->body.vertices.size(), 20u);
  EXPECT_GT(few->error.worst(), 0.001) << "20 corners are no sphere, and that is told";
}

TEST(ThinnedHull, LeavesABodyOfFewCornersAsItIs) {
  std::vector<Vec3> points = cloud(3, 500, {0.4, 0.4, 0.4}, 0.5, {0.5, 0.5, 0.5});
  std::erase_if(points, [](Vec3 p) { return std::min({p.x, p.y, p.z}) < 0 || std::max({p.x, p.y, p.z}) > 1; });
  for (const double x : {0.0, 1.0})
    for (const double y : {0.0, 1.0})
      for (const double z : {0.0, 1.0}) points.push_back({x, y, z});
  const Result<ThinnedHull> cube = thinned_hull(points, kMaxVertices, 0.01);
  ASSERT_TRUE(cube) << cube.error().message;
  EXPECT_EQ(cube->body.vertices.size(), 8u);
  EXPECT_LT(cube->error.worst(), 1e-6);
}

TEST(ThinnedHull, SizeAndPlaceDoNotMatter) {
  const std::vector<Vec3> points = cloud(4, 1000, {1, 0.7, 0.5}, 0.02, {});
  const Result<ThinnedHull> one = thinned_hull(points, 60, 1e-4);
  for (const double scale : {1e-12, 1e9}) {
    std::vector<Vec3> moved;
    for (const Vec3& p : points) moved.push_back(scale * (p + Vec3{3, -1, 2}));
    const Result<ThinnedHull> other = thinned_hull(moved, 60, 1e-4);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->body.vertices.size(), other->body.vertices.size());
    EXPECT_NEAR(one->error.distance, other->error.distance, 1e-6);
    EXPECT_NEAR(one->error.inertia, other->error.inertia, 1e-6);
  }
}

TEST(ThinnedHull, FlatAndEmptyCloudsAreRefused) {
  std::vector<Vec3> flat = cloud(6, 100, {1, 1, 0}, 0, {});
  EXPECT_FALSE(thinned_hull(flat, 20, 0.01));
  EXPECT_FALSE(hull_planes(flat));
  EXPECT_FALSE(thinned_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}}, 20, 0.01));
  flat[3].z = NAN;
  EXPECT_FALSE(thinned_hull(flat, 20, 0.01));
}

}  // namespace
}  // namespace scree

// Fewer triangles, none of the drawing's corners farther away than asked for.
#include <gtest/gtest.h>

#include <cmath>

#include "geometry/facet_mesh.h"
#include "geometry/thinned_surface.h"
#include "scenes/meshes.h"

namespace scree {
namespace {

/// From a triangle, by its plane, its edges and its corners.
double distance(Vec3 x, Vec3 a, Vec3 b, Vec3 c) {
  const auto from_edge = [&](Vec3 p, Vec3 q) {
    const double t = std::clamp(dot(x - p, q - p) / norm2(q - p), 0.0, 1.0);
    return norm(x - (p + t * (q - p)));
  };
  double least = std::min({from_edge(a, b), from_edge(b, c), from_edge(c, a)});
  const Vec3 n = cross(b - a, c - a);
  const bool inside =
      dot(cross(b - a, x - a), n) >= 0 && dot(cross(c - b, x - b), n) >= 0 && dot(cross(a - c, x - c), n) >= 0;
  if (inside) least = std::min(least, std::abs(dot(n, x - a)) / norm(n));
  return least;
}

double farthest_corner(const Surface& of, const Surface& from) {
  double farthest = 0;
  for (const Vec3& x : of.vertices) {
    double least = 1e300;
    for (const auto& t : from.triangles)
      least = std::min(least, distance(x, from.vertices[t[0]], from.vertices[t[1]], from.vertices[t[2]]));
    farthest = std::max(farthest, least);
  }
  return farthest;
}

Surface welded(Surface s) {
  repair(s, kCoplanarTolerance, Turn::as_neighbours);
  return s;
}

Surface hills(int n, double height) {
  Surface s = welded(scenes::sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, n, n));
  for (Vec3& v : s.vertices) v.z = height * std::sin(7 * v.x + 0.5) * std::cos(9 * v.y + 0.3);
  return s;
}

TEST(ThinnedSurface, KeepsEveryCornerWithinTheDistance) {
  const Surface drawn = hills(30, 0.02);
  std::size_t last = drawn.triangles.size();
  for (const double within : {1e-4, 5e-4, 2e-3, 1e-2}) {
    const Surface thinned = thinned_surface(drawn, within);
    EXPECT_LE(farthest_corner(drawn, thinned), within);
    EXPECT_LT(thinned.triangles.size(), last) << within;
    EXPECT_GT(thinned.triangles.size(), 1u) << within;
    last = thinned.triangles.size();
    // Its corners are the drawing's.
    for (const Vec3& v : thinned.vertices) EXPECT_NE(std::ranges::find(drawn.vertices, v), drawn.vertices.end());
  }
  EXPECT_LT(last, drawn.triangles.size() / 10);
}

TEST(ThinnedSurface, OfWhatHasNoFewerTrianglesIsTheDrawing) {
  const Surface drawn = hills(20, 0.2);
  const Surface same = thinned_surface(drawn, 1e-9);
  EXPECT_EQ(same.triangles, drawn.triangles);
  EXPECT_EQ(same.vertices, drawn.vertices);
}

TEST(ThinnedSurface, OfAFlatSquareHasFewTriangles) {
  const Surface drawn = welded(scenes::sheet({1, 2, 3}, {2, 0, 0}, {0, 3, 0}, 30, 30));
  const Surface thinned = thinned_surface(drawn, 1e-6);
  EXPECT_LT(thinned.triangles.size(), 100u);
  EXPECT_LE(farthest_corner(drawn, thinned), 1e-6);
}

TEST(ThinnedSurface, StaysClosedAndAsLarge) {
  Surface ball = welded(scenes::box_surface({-1, -1, -1}, {1, 1, 1}, 12));
  for (Vec3& v : ball.vertices) v = 3e-3 * normalized(v) + Vec3{40, -20, 10};  // small, and far from the origin
  const double volume = find_defects(ball).volume;
  for (const double within : {3e-5, 3e-4, 1e-3}) {
    const Surface thinned = thinned_surface(ball, within);
    const Defects d = find_defects(thinned);
    EXPECT_EQ(d.open_edges, 0u);
    EXPECT_TRUE(d.orientable);
    EXPECT_LT(thinned.triangles.size(), ball.triangles.size());
    EXPECT_LE(farthest_corner(ball, thinned), within);
    // A shell of this thickness.
    EXPECT_NEAR(d.volume, volume, 4 * M_PI * 9e-6 * within);
  }
}

TEST(ThinnedSurface, OfMoreThanItsSizeStillKeepsTheCorners) {
  const Surface drawn = hills(10, 0.1);
  for (const double within : {0.5, 1.0, 30.0, 1e12}) {
    const Surface thinned = thinned_surface(drawn, within);
    EXPECT_FALSE(thinned.triangles.empty());
    EXPECT_LE(farthest_corner(drawn, thinned), within);
  }
}

}  // namespace
}  // namespace scree

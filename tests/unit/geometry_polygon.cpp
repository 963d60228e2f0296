// LIBS: scree_geometry
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "geometry/polygon.h"

namespace scree {
namespace {

using Points = std::vector<Vec2>;

ConvexPolygon polygon(const Points& p) {
  const Result<ConvexPolygon> made = make_polygon(p);
  if (!made) {
    ADD_FAILURE() << made.error().message;
    return {};
  }
  const Status ok = validate(*made);
  EXPECT_TRUE(ok) << ok.error().message;
  return *made;
}

std::string refusal(const Points& p) {
  const Result<ConvexPolygon> made = make_polygon(p);
  return made ? "accepted" : made.error().message;
}

Points regular(int n, double radius = 1, double angle = 0, Vec2 centre = {}) {
  Points p;
  for (int i = 0; i < n; ++i) {
    const double t = angle + 2 * M_PI * i / n;
    p.push_back(centre + Vec2{radius * std::cos(t), radius * std::sin(t)});
  }
  return p;
}

TEST(Polygon, NormalsPointOutwardAndOffsetsLieOnTheEdges) {
  for (const int n : {3, 4, 7, 16, 64}) {
    const ConvexPolygon p = polygon(regular(n, 0.3, 0.1, {5, -2}));
    const Vec2 middle = area_properties(p).centroid;
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(norm(p.edge_normals[i]), 1, 1e-15);
      EXPECT_LT(dot(p.edge_normals[i], middle), p.edge_offsets[i]);
      for (const Vec2 v : {p.vertices[i], p.vertices[(i + 1) % p.size()]})
        EXPECT_NEAR(dot(p.edge_normals[i], v), p.edge_offsets[i], 1e-14);
      for (const Vec2 v : p.vertices) EXPECT_LE(dot(p.edge_normals[i], v), p.edge_offsets[i] + 1e-14);
      EXPECT_LE(norm(p.vertices[i]), p.outer_radius);
    }
  }
}

TEST(Polygon, RectangleAndTriangleInClosedForm) {
  const AreaProperties r = area_properties(polygon({{1, 2}, {4, 2}, {4, 4}, {1, 4}}));
  EXPECT_NEAR(r.area, 6, 1e-15);
  EXPECT_NEAR(r.centroid.x, 2.5, 1e-15);
  EXPECT_NEAR(r.centroid.y, 3, 1e-15);
  EXPECT_NEAR(r.xx, 2 * 27 / 12.0, 1e-14);
  EXPECT_NEAR(r.yy, 3 * 8 / 12.0, 1e-14);
  EXPECT_NEAR(r.xy, 0, 1e-14);
  const AreaProperties t = area_properties(polygon({{0, 0}, {3, 0}, {0, 6}}));  // b h^3/36, -b^2 h^2/72
  EXPECT_NEAR(t.area, 9, 1e-14);
  EXPECT_NEAR(t.centroid.x, 1, 1e-15);
  EXPECT_NEAR(t.centroid.y, 2, 1e-15);
  EXPECT_NEAR(t.yy, 3 * 216 / 36.0, 1e-13);
  EXPECT_NEAR(t.xx, 6 * 27 / 36.0, 1e-13);
  EXPECT_NEAR(t.xy, -9 * 36 / 72.0, 1e-13);
}

TEST(Polygon, RegularPolygonsInClosedForm) {
  for (const int n : {3, 5, 8, 31}) {
    const AreaProperties p = area_properties(polygon(regular(n, 2, 0.7)));
    const double s = std::sin(2 * M_PI / n), c = std::cos(2 * M_PI / n);
    EXPECT_NEAR(p.area, n * 2 * s, 1e-13);
    EXPECT_NEAR(p.xx + p.yy, n * 16.0 / 12 * s * (2 + c), 1e-12);  // n R^4/12 sin (2 + cos)
    EXPECT_NEAR(p.xx, p.yy, 1e-12);
    EXPECT_NEAR(p.xy, 0, 1e-12);
    EXPECT_LT(norm(p.centroid), 1e-14);
  }
}

TEST(Polygon, PropertiesMoveTurnAndScaleWithThePolygon) {
  Random u(3);
  for (int k = 0; k < 200; ++k) {
    Points drawn;
    double angle = 0;
    const int n = 3 + static_cast<int>(u.below(14));
    for (int i = 0; i < n; ++i) {
      angle += u.uniform(0.4, 1);
      drawn.push_back({angle, 0});
    }
    for (Vec2& v : drawn) v = {2 * std::cos(2 * M_PI * v.x / (angle + 0.5)), std::sin(2 * M_PI * v.x / (angle + 0.5))};
    const AreaProperties p = area_properties(polygon(drawn));
    const double t = u.uniform(0, 6), c = std::cos(t), s = std::sin(t), size = std::pow(10, u.uniform(-6, 6));
    const Vec2 to{u.uniform(-9, 9), u.uniform(-9, 9)};
    Points moved = drawn;
    for (Vec2& v : moved) v = size * (to + turned(v, c, s));
    const AreaProperties m = area_properties(polygon(moved));
    EXPECT_NEAR(m.area, size * size * p.area, 1e-13 * size * size);
    EXPECT_LT(norm(m.centroid - size * (to + turned(p.centroid, c, s))), 1e-13 * size);
    const double q = size * size * size * size;
    EXPECT_NEAR(m.xx, q * (c * c * p.xx - 2 * c * s * p.xy + s * s * p.yy), 1e-12 * q);
    EXPECT_NEAR(m.xx + m.yy, q * (p.xx + p.yy), 1e-12 * q);
    const ConvexPolygon at_origin = centred(polygon(moved));
    EXPECT_LT(norm(area_properties(at_origin).centroid), 1e-14 * size);
    EXPECT_TRUE(validate(at_origin));
  }
}

TEST(Polygon, RefusalsNameTheCorner) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_EQ(refusal({}), "a polygon needs at least 3 corners, got 0");
  EXPECT_EQ(refusal({{0, 0}, {1, 0}}), "a polygon needs at least 3 corners, got 2");
  EXPECT_EQ(refusal(regular(65)), "a polygon has at most 64 corners, got 65");
  EXPECT_EQ(refusal({{0, 0}, {1, 0}, {0, inf}}), "corner 2 is not finite");
  EXPECT_EQ(refusal({{0, 0}, {nan, 0}, {0, 1}}), "corner 1 is not finite");
  EXPECT_EQ(refusal({{2, 2}, {2, 2}, {2, 2}}), "the polygon's extent must lie between 1e-60 and 1e60");
  EXPECT_EQ(refusal({{0, 0}, {1e300, 0}, {0, 1}}), "the polygon's extent must lie between 1e-60 and 1e60");
  EXPECT_EQ(refusal({{-1e308, 0}, {1e308, 0}, {0, 1}}), "the polygon's extent must lie between 1e-60 and 1e60");
  EXPECT_EQ(refusal({{0, 0}, {1, 0}, {1, 0}, {0, 1}}), "corners 1 and 2 are in one place");
  EXPECT_EQ(refusal({{0, 0}, {1, 0}, {1, 1}, {0, 0}}), "corners 3 and 0 are in one place");
  EXPECT_EQ(refusal({{0, 0}, {1, 0}, {2, 0}, {1, 1}}), "corner 1 lies on the line through its neighbours");
  EXPECT_EQ(refusal({{0, 0}, {1, 1e-12}, {2, 0}, {1, 1}}), "corner 1 lies on the line through its neighbours");
  EXPECT_EQ(refusal({{0, 0}, {2, 0}, {1, 0}, {1, 1}}), "corner 1 lies on the line through its neighbours");  // a spike
  EXPECT_EQ(refusal({{0, 0}, {0, 1}, {1, 1}, {1, 0}}), "the corners run clockwise");
  EXPECT_EQ(refusal({{0, 0}, {2, 0}, {1, 0.5}, {1, 2}}), "not convex at corner 2");
  EXPECT_EQ(refusal({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), "the edges from corners 0 and 2 cross each other");
  Points star = regular(5), twice = regular(3);
  std::swap(star[1], star[2]), std::swap(star[2], star[4]), std::swap(star[3], star[4]);
  EXPECT_NE(refusal(star).find("cross each other"), std::string::npos) << refusal(star);
  twice.insert(twice.end(), {twice[0], twice[1], twice[2]});
  EXPECT_EQ(refusal(twice), "the corners go round more than once");
}

TEST(Polygon, RefusalsDoNotDependOnSizeOrPlace) {
  const Points square = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, dent = {{0, 0}, {2, 0}, {1, 0.5}, {1, 2}},
               flat = {{0, 0}, {1, 1e-10}, {2, 0}, {1, 1}}, slender = {{0, 0}, {1, -1e-6}, {2, 0}, {1, 1e-6}};
  for (const double size : {1e-30, 1e-6, 1.0, 1e6, 1e30}) {
    for (const Vec2 at : {Vec2{0, 0}, Vec2{3, -8}}) {
      const auto told = [&](Points p) {
        for (Vec2& v : p) v = size * (at + v);
        return refusal(p);
      };
      EXPECT_EQ(told(square), "accepted");
      EXPECT_EQ(told(slender), "accepted");
      EXPECT_EQ(told(dent), "not convex at corner 2");
      EXPECT_EQ(told(flat), "corner 1 lies on the line through its neighbours");
    }
  }
}

TEST(Polygon, TinyChamfersAreCorners) {
  const double e = 1e-5;
  EXPECT_EQ(refusal({{0, 0}, {1, 0}, {1, 1 - 2 * e}, {1 - 0.5 * e, 1 - 0.5 * e}, {1 - 2 * e, 1}, {0, 1}}), "accepted");
}

TEST(Polygon, ValidateSeesBrokenColumns) {
  const ConvexPolygon good = polygon(regular(6));
  ConvexPolygon p = good;
  std::swap(p.vertices[0], p.vertices[1]);
  EXPECT_FALSE(validate(p));
  p = good, p.edge_normals[2] = -p.edge_normals[2];
  EXPECT_FALSE(validate(p));
  p = good, p.edge_offsets.pop_back();
  EXPECT_FALSE(validate(p));
  p = good, p.outer_radius = 2;
  EXPECT_FALSE(validate(p));
}

}  // namespace
}  // namespace scree

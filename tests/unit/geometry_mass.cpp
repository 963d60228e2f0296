// LIBS: scree_geometry
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "geometry/polyhedron.h"
#include "oracle/larger.h"

namespace scree {
namespace {

using Points = std::vector<Vec3>;

Polyhedron hull(const Points& p) {
  const Result<Polyhedron> h = convex_hull(p);
  if (!h) {
    ADD_FAILURE() << h.error().message;
    return {};
  }
  return *h;
}

Shape shape(const Points& p) {
  const Result<Shape> s = make_shape("drawn", hull(p));
  if (!s) {
    ADD_FAILURE() << s.error().message;
    return {};
  }
  const Status ok = validate(s->body);
  EXPECT_TRUE(ok) << ok.error().message;
  return *s;
}

Points box(double a, double b, double c) {
  Points p;
  for (int i = 0; i < 8; ++i) p.push_back({a * ((i & 1) - 0.5), b * ((i >> 1 & 1) - 0.5), c * ((i >> 2 & 1) - 0.5)});
  return p;
}

Points turned(Points p, Quat q, Vec3 to = {}) {
  for (Vec3& v : p) v = to + rotate(q, v);
  return p;
}

void expect_near(Vec3 a, Vec3 b, double tolerance) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << k;
}

const double kPhi = (1 + std::sqrt(5.0)) / 2;

/// Platonic solids of unit edge.
Points tetrahedron() {
  const double a = 1 / std::sqrt(8.0);
  return {{a, a, a}, {a, -a, -a}, {-a, a, -a}, {-a, -a, a}};
}
Points octahedron() {
  const double a = std::sqrt(0.5);
  return {{a, 0, 0}, {-a, 0, 0}, {0, a, 0}, {0, -a, 0}, {0, 0, a}, {0, 0, -a}};
}
Points dodecahedron() {
  Points p;
  const double h = kPhi / 2;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-1.0, 1.0}) {
      for (const double c : {-1.0, 1.0}) p.push_back({a * h, b * h, c * h});
      p.push_back({0, a * h / kPhi, b * h * kPhi});
      p.push_back({a * h / kPhi, b * h * kPhi, 0});
      p.push_back({b * h * kPhi, 0, a * h / kPhi});
    }
  }
  return p;
}
Points icosahedron() {
  Points p;
  for (const double a : {-0.5, 0.5}) {
    for (const double b : {-0.5, 0.5})
      p.push_back({0, a, b * kPhi}), p.push_back({a, b * kPhi, 0}), p.push_back({b * kPhi, 0, a});
  }
  return p;
}

TEST(MassProperties, PlatonicSolidsOfUnitEdge) {
  struct Row {
    const char* name;
    Points points;
    double volume, inertia;
  };
  for (const Row& r :
       {Row{"tetrahedron", tetrahedron(), 0.117851130198, 1.0 / 20},
        Row{"octahedron", octahedron(), 0.471404520791, 0.1},
        Row{"dodecahedron", dodecahedron(), 7.663118960625, 0.607355503742},
        Row{"icosahedron", icosahedron(), 2.181694990625, 0.261803398875}, Row{"cube", box(1, 1, 1), 1, 1.0 / 6}}) {
    const MassProperties m = mass_properties(hull(turned(r.points, Random(1).rotation(), {3, -5, 7})));
    EXPECT_NEAR(m.volume / r.volume, 1, 1e-9) << r.name;
    expect_near(m.centroid, {3, -5, 7}, 1e-12);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(m.inertia(i, j) / m.volume, i == j ? r.inertia : 0, 1e-9 * r.inertia) << r.name;
      }
    }
  }
}

TEST(MassProperties, BoxAndCornerTetrahedron) {
  const MassProperties b = mass_properties(hull(box(1, 2, 3)));
  EXPECT_NEAR(b.volume, 6, 1e-14);
  EXPECT_NEAR(b.inertia(0, 0), 6 * (4.0 + 9) / 12, 1e-13);
  EXPECT_NEAR(b.inertia(1, 1), 6 * (1.0 + 9) / 12, 1e-13);
  EXPECT_NEAR(b.inertia(2, 2), 6 * (1.0 + 4) / 12, 1e-13);
  // x, y, z >= 0, x + y + z <= 1: int x^2 = 1/60, int xy = 1/120, centroid 1/4.
  const MassProperties t = mass_properties(hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_NEAR(t.volume, 1.0 / 6, 1e-15);
  expect_near(t.centroid, {0.25, 0.25, 0.25}, 1e-15);
  EXPECT_NEAR(t.inertia(0, 0), 2 * (1.0 / 60 - 1.0 / 96), 1e-15);
  EXPECT_NEAR(t.inertia(0, 1), -(1.0 / 120 - 1.0 / 96), 1e-15);
}

TEST(MassProperties, PositionAndSizeCostNoDigits) {
  for (const double size : {1e-9, 1.0, 1e9}) {
    Points p = turned(box(1, 2, 3), Random(2).rotation());
    for (Vec3& v : p) v = size * v;
    const MassProperties m = mass_properties(hull(p));
    EXPECT_NEAR(m.volume / (6 * size * size * size), 1, 1e-13);
    EXPECT_NEAR(m.inertia(0, 0) + m.inertia(1, 1) + m.inertia(2, 2), 14 * std::pow(size, 5), 1e-12 * std::pow(size, 5));
  }
  const MassProperties far = mass_properties(hull(turned(box(1, 2, 3), Quat{}, {1 << 20, 1 << 21, 1 << 22})));
  EXPECT_EQ(far.volume, 6);  // the coordinates are exact there, and so is the rest
  EXPECT_NEAR(far.inertia(2, 2), 2.5, 1e-14);
}

TEST(MakeShape, CubeAndTetrahedronKeepTheirDrawnOrientation) {
  for (const Points& p : {box(1, 1, 1), tetrahedron(), octahedron(), dodecahedron(), icosahedron()}) {
    const Shape s = shape(p);
    ASSERT_EQ(s.body.vertices.size(), p.size());
    for (std::size_t i = 0; i < p.size(); ++i) EXPECT_LT(norm(s.body.vertices[i] - p[i]), 1e-14);
    EXPECT_EQ(s.inertia.x, s.inertia.y);
    EXPECT_EQ(s.inertia.y, s.inertia.z);
    const Quat q = Random(9).rotation();
    const Shape t = shape(turned(p, q, {1, 2, 3}));  // any drawn orientation is kept when moments are equal
    for (std::size_t i = 0; i < p.size(); ++i) EXPECT_LT(norm(t.body.vertices[i] - rotate(q, p[i])), 1e-13);
  }
  EXPECT_EQ(shape(box(1, 1, 1)).body.vertices, box(1, 1, 1));
}

TEST(MakeShape, MomentsAscendAndBelongToTheAxes) {
  const Shape s = shape(turned(box(1, 2, 3), Random(4).rotation(), {5, 5, 5}));
  expect_near(s.inertia, {2.5, 5, 6.5}, 1e-13);
  const MassProperties m = mass_properties(s.body);
  expect_near(m.centroid, {}, 1e-14);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(m.inertia(i, j), i == j ? s.inertia[i] : 0, 1e-13);
  }
  Vec3 widest;  // ascending moments: the longest side lies along x
  for (const Vec3& v : s.body.vertices) {
    for (std::size_t k = 0; k < 3; ++k) widest[k] = oracle::larger(widest[k], std::abs(v[k]));
  }
  expect_near(widest, {1.5, 1, 0.5}, 1e-14);
}

TEST(MakeShape, PrincipalAxesStayAsDrawn) {
  // Sides descending: already the principal frame, and no axis may flip.
  const Points p = box(3, 2, 1);
  EXPECT_EQ(shape(p).body.vertices, p);
  const Quat small = axis_angle(normalized(Vec3{1, 2, 3}), 0.3);
  const Shape s = shape(turned(p, small));  // a drawing turned a little comes back
  for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(norm(s.body.vertices[i] - p[i]), 1e-14);
}

TEST(MakeShape, TwoEqualMomentsLeaveTheFreeAxesAsDrawn) {
  const Points slab = box(1, 1, 0.2), rod = box(4, 1, 1);
  EXPECT_EQ(shape(slab).body.vertices, slab);
  EXPECT_EQ(shape(rod).body.vertices, rod);
  EXPECT_EQ(shape(slab).inertia.x, shape(slab).inertia.y);
  EXPECT_EQ(shape(rod).inertia.y, shape(rod).inertia.z);
  const Shape s = shape(turned(slab, axis_angle({0, 0, 1}, 0.4)));  // about the free axis: kept
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_LT(norm(s.body.vertices[i] - turned(slab, axis_angle({0, 0, 1}, 0.4))[i]), 1e-14);
  for (const double angle : {0.4, -0.4}) {  // off the distinct axis: taken back
    const Shape t = shape(turned(slab, axis_angle({0, 1, 0}, angle)));
    for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(norm(t.body.vertices[i] - slab[i]), 1e-14);
  }
  // A standing rod: its long axis has to become x, and all other choices be made the same way each time.
  const Shape standing = shape(box(1, 1, 4));
  for (const Vec3& v : standing.body.vertices) {
    EXPECT_EQ(std::abs(v.x), 2.0);
    EXPECT_EQ(std::abs(v.y), 0.5);
    EXPECT_EQ(std::abs(v.z), 0.5);
  }
}

TEST(MakeShape, RoundingDoesNotChooseTheAxes) {
  // The axes have to change places, and several frames are equally near to the drawn one.
  for (const Points& p : {box(1, 2, 4), box(2, 1, 4), box(1, 4, 2), box(1, 1, 4), box(2, 2, 1)}) {
    const Shape first = shape(p);
    for (std::uint64_t i = 0; i < 20; ++i) {
      const Shape again = shape(turned(p, axis_angle(Random(i).direction(), 1e-12)));
      for (std::size_t k = 0; k < 8; ++k) EXPECT_LT(norm(again.body.vertices[k] - first.body.vertices[k]), 1e-10);
    }
  }
}

TEST(MakeShape, NeverMirrors) {
  const Points chiral{{0, 0, 0}, {3, 0, 0}, {0, 2, 0}, {0, 0, 1}};
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Shape s = shape(turned(chiral, Random(i).rotation()));
    const auto& v = s.body.vertices;
    EXPECT_NEAR(dot(v[1] - v[0], cross(v[2] - v[0], v[3] - v[0])), 6, 1e-12);
    EXPECT_NEAR(norm(v[1] - v[2]), std::sqrt(13.0), 1e-13);
  }
}

TEST(MakeShape, NameAndDescriptionArePassedOn) {
  const Result<Shape> s = make_shape("brick", hull(box(3, 2, 1)), "a brick");
  ASSERT_TRUE(s);
  EXPECT_EQ(s->name, "brick");
  EXPECT_EQ(s->description, "a brick");
  EXPECT_NEAR(s->volume, 6, 1e-14);
  EXPECT_FALSE(make_shape("nothing", Polyhedron{}));
}

}  // namespace
}  // namespace scree

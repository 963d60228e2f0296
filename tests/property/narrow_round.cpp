// Spheres and discs against polyhedra and polygons: closed forms, a brute reference, continuity; polygons of the plane
// against the same prisms in space; closed forms of the shapes themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "io/library/library.h"
#include "narrow/planar.h"
#include "narrow/round_contacts.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

using narrow::ClosestPoint;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::shared_ptr<const Shape> shape(const std::string& name) { return *io::load_shape(name); }

/// Two bodies, posed.
struct Posed {
  Particles p;
  narrow::Bodies bodies;
  Posed(std::shared_ptr<const Shape> a, double size_a, Quat qa, std::shared_ptr<const Shape> b = nullptr,
        double size_b = 1, Quat qb = {}, Vec3 d = {}) {
    shapes = {a, b ? b : a};
    p.resize(2);
    p.shape = {0, 1}, p.size = {size_a, size_b}, p.orientation = {qa, qb}, p.position = {Vec3{}, d};
    p.radius = {size_a * shapes[0]->outer_radius(), size_b * shapes[1]->outer_radius()};
    bodies.set_shapes(shapes);
    bodies.lay_out(p);
    bodies.pose(p, 0), bodies.pose(p, 1);
  }
  std::vector<std::shared_ptr<const Shape>> shapes;
};

/// Closest point of a triangle, by minimising over its inside and its three sides, in long double.
using Long = std::array<long double, 3>;
Long operator-(const Long& a, const Long& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
long double dot(const Long& a, const Long& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Long exact(Vec3 v) { return {v.x, v.y, v.z}; }
long double to_side(const Long& p, const Long& q, const Long& x) {
  const Long e = q - p, r = x - p;
  const long double t = std::clamp(dot(e, r) / dot(e, e), 0.0L, 1.0L);
  const Long d{r[0] - t * e[0], r[1] - t * e[1], r[2] - t * e[2]};
  return std::sqrt(dot(d, d));
}
long double to_triangle(const Long& a, const Long& b, const Long& c, const Long& x) {
  const Long u = b - a, v = c - a, w = x - a;
  const long double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
  const long double det = uu * vv - uv * uv, s = (vv * uw - uv * vw) / det, t = (uu * vw - uv * uw) / det;
  if (s >= 0 && t >= 0 && s + t <= 1) {
    const Long d{w[0] - s * u[0] - t * v[0], w[1] - s * u[1] - t * v[1], w[2] - s * u[2] - t * v[2]};
    return std::sqrt(dot(d, d));
  }
  return std::min({to_side(a, b, x), to_side(b, c, x), to_side(c, a, x)});
}
/// Signed distance from the surface: over all triangles of all faces.
double brute_distance(const Posed& posed, Vec3 x) {
  const narrow::BodyView body = posed.bodies.view(0);
  const Polyhedron& b = *body.shape->body;
  long double least = 1e300L;
  bool inside = true;
  for (std::size_t f = 0; f < b.face_normals.size(); ++f) {
    const auto loop = b.loop(f);
    inside = inside && scree::dot(body.face_normal(f), x - body.vertex(loop[0])) <= 0;
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      least = std::min(least, to_triangle(exact(body.vertex(loop[0])), exact(body.vertex(loop[i])),
                                          exact(body.vertex(loop[i + 1])), exact(x)));
    }
  }
  return static_cast<double>(inside ? -least : least);
}

TEST(ClosestPoint, OfACubeByItsRegions) {
  const Posed cube(shape("cube"), 2, {});
  const auto at = [&](Vec3 x) { return narrow::closest_point(cube.bodies.view(0), x, kInfinity); };
  const auto expect = [&](Vec3 x, double distance, Vec3 normal) {
    const ClosestPoint c = at(x);
    EXPECT_NEAR(c.distance, distance, 1e-15);
    EXPECT_NEAR(norm(c.normal - normal), 0, 1e-15);
  };
  expect({1.5, 0.3, -0.2}, 0.5, {1, 0, 0});         // face
  expect({1.3, -1.4, 0.2}, 0.5, {0.6, -0.8, 0});    // edge
  expect({1.1, 1.2, 1.2}, 0.3, Vec3{1, 2, 2} / 3);  // vertex
  expect({0, 0.9, 0.1}, -0.1, {0, 1, 0});           // inside
  expect({0.25, 0.25, -1}, 0, {0, 0, -1});          // on a face
  EXPECT_EQ(at({1, 1, 0.3}).distance, 0);           // on an edge
  EXPECT_EQ(at({1, 1, 1}).distance, 0);             // on a vertex
  EXPECT_DOUBLE_EQ(at({}).distance, -1);            // all faces alike
  EXPECT_NEAR(norm(at({1, 1, 1}).normal), 1, 1e-15);
}

TEST(ClosestPoint, IsThatOfAllTrianglesOnRandomAndDegenerateInput) {
  Random draw(11, 0);
  for (const char* name : {"tetrahedron", "pyramid", "cube", "grain14", "grain16", "needle", "plate", "icosahedron"}) {
    const std::shared_ptr<const Shape> s = shape(name);
    for (int k = 0; k < 400; ++k) {
      const double size = std::pow(10.0, draw.uniform(-3, 3));
      const Posed posed(s, size, draw.rotation());
      const narrow::BodyView body = posed.bodies.view(0);
      const double reach = size * s->outer_radius();
      Vec3 x = draw.uniform(0, 1.6) * reach * draw.direction();
      const auto v = [&] { return body.vertex(draw.below(body.shape->vertices)); };
      if (k % 4 == 1) x = v() + draw.uniform(-1e-9, 1e-9) * x;  // at a corner
      if (k % 4 == 2) x = 0.5 * (v() + v());                    // on an edge, a face, or inside
      if (k % 4 == 3) x = (1 + std::pow(10.0, draw.uniform(-16, -1))) * (0.5 * (v() + v()));
      const ClosestPoint c = narrow::closest_point(body, x, kInfinity);
      ASSERT_NEAR(c.distance, brute_distance(posed, x), 4e-15 * reach) << name << " " << k;
      ASSERT_NEAR(norm(c.normal), 1, 1e-14);
      // No point of the body reaches beyond the plane at the closest point.
      if (c.distance > 1e-9 * reach) {
        for (std::size_t i = 0; i < body.shape->vertices; ++i)
          ASSERT_LE(scree::dot(c.normal, body.vertex(i) - x) + c.distance, 1e-6 * reach) << name;
      }
    }
  }
}

TEST(ClosestPoint, FarAwayTheBoundStaysBelowTheDistance) {
  Random draw(12, 0);
  const Posed posed(shape("grain14"), 1, draw.rotation());
  for (int k = 0; k < 2000; ++k) {
    const Vec3 x = draw.uniform(0.2, 3) * draw.direction();
    const double enough = draw.uniform(0, 1),
                 exact = narrow::closest_point(posed.bodies.view(0), x, kInfinity).distance;
    const double found = narrow::closest_point(posed.bodies.view(0), x, enough).distance;
    EXPECT_LE(found, exact + 1e-14);
    if (exact <= enough) {
      EXPECT_EQ(found, exact);
    }
    if (found < exact) {
      EXPECT_GT(found, enough);
    }
  }
}

TEST(ClosestPoint, OfAPolygonIsThatOfItsPrism) {
  Random draw(13, 0);
  for (const char* name : {"triangle", "square", "pentagon", "octagon"}) {
    const std::shared_ptr<const Shape> s = shape(name);
    std::vector<Vec3> corners;
    for (const Vec2 v : s->outline.vertices)
      for (const double z : {-10.0, 10.0}) corners.push_back({v.x, v.y, z});
    auto prism = std::make_shared<Shape>();
    prism->body = *convex_hull(corners);
    for (int k = 0; k < 500; ++k) {
      const Quat q = axis_angle({0, 0, 1}, draw.uniform(0, 7));
      const Posed flat(s, 0.3, q), solid(prism, 0.3, q);
      Vec3 x{draw.uniform(-0.4, 0.4), draw.uniform(-0.4, 0.4), 0};
      if (k % 3 == 0) x = {flat.bodies.planar_view(0).corners[0].x, flat.bodies.planar_view(0).corners[0].y, 0};
      const ClosestPoint a = narrow::closest_point(flat.bodies.planar_view(0), Vec2{x.x, x.y}),
                         b = narrow::closest_point(solid.bodies.view(0), x, kInfinity);
      EXPECT_NEAR(a.distance, b.distance, 1e-15) << name;
      if (std::abs(a.distance) > 1e-9 && a.distance > 0) {
        EXPECT_NEAR(norm(a.normal - b.normal), 0, 1e-6) << name;
      }
    }
  }
}

/// The one contact of two bodies as the step finds it, from either side.
std::vector<narrow::FoundPoint> contacts_of(Posed& posed) {
  PairTable pairs;
  pairs.resize(1);
  pairs.a = {0}, pairs.b = {1};
  narrow::FoundPoints out;
  narrow::find_body_contacts(posed.p, posed.bodies, pairs, 0, 1, {}, narrow::ContactGeometry::overlap, out);
  return out.points;
}

TEST(RoundContacts, AgainstACubeFromEitherSide) {
  const double r = 0.5;
  struct Row {
    Vec3 centre;
    double depth;
    Vec3 normal;  // out of the cube
  };
  for (const Row& row : {Row{{1.4, 0.2, 0.1}, 0.1, {1, 0, 0}}, Row{{1.24, 1.32, 0}, 0.1, {0.6, 0.8, 0}},
                         Row{{1.1, 1.2, 1.2}, 0.2, Vec3{1, 2, 2} / 3}, Row{{0.9, 0, 0}, 0.6, {1, 0, 0}}}) {
    const Vec3 middle = row.centre + (-r + row.depth / 2) * row.normal;
    Posed cube_first(shape("cube"), 2, {}, shape("sphere"), 2 * r, {}, row.centre);
    Posed sphere_first(shape("sphere"), 2 * r, {}, shape("cube"), 2, {}, -row.centre);
    const auto a = contacts_of(cube_first), b = contacts_of(sphere_first);
    ASSERT_EQ(a.size(), 1u);
    ASSERT_EQ(b.size(), 1u);
    EXPECT_NEAR(a[0].depth, row.depth, 1e-14);
    EXPECT_NEAR(b[0].depth, row.depth, 1e-14);
    EXPECT_NEAR(norm(a[0].normal - row.normal), 0, 1e-14);
    EXPECT_NEAR(norm(b[0].normal + row.normal), 0, 1e-14);
    EXPECT_NEAR(norm(a[0].point - middle), 0, 1e-14);
    EXPECT_NEAR(norm(b[0].point - (middle - row.centre)), 0, 1e-14);
    EXPECT_EQ(a[0].gyration, 0);
    EXPECT_EQ(a[0].energy_depth, a[0].depth);
  }
}

TEST(RoundContacts, ChangeContinuouslyAsASphereRollsOverAnEdge) {
  const std::shared_ptr<const Shape> grain = shape("grain14"), sphere = shape("sphere");
  Random draw(14, 0);
  for (int k = 0; k < 20; ++k) {
    const Vec3 u = draw.direction(), w = any_perpendicular(u);
    std::vector<narrow::FoundPoint> before;
    const double step = 2 * M_PI / 4000;
    for (int i = 0; i <= 4000; ++i) {
      // Round the grain at a distance at which some of its features are touched and others are not.
      const Vec3 x = 0.8 * (std::cos(i * step) * u + std::sin(i * step) * w);
      Posed posed(grain, 1, {}, sphere, 0.8, {}, x);
      const auto now = contacts_of(posed);
      if (i > 0 && before.size() == 1 && now.size() == 1) {
        EXPECT_LT(std::abs(now[0].depth - before[0].depth), 0.8 * step * (1 + 1e-9));
        EXPECT_LT(norm(now[0].normal - before[0].normal), 8 * step);
        EXPECT_LT(norm(now[0].point - before[0].point), 8 * step);
      }
      if (before.size() != now.size() && i > 0) {
        EXPECT_LT((now.empty() ? before : now)[0].depth, 0.8 * step);
      }
      before = now;
    }
  }
}

TEST(RoundContacts, OnAWall) {
  Posed posed(shape("sphere"), 0.2, {}, nullptr, 0.2, {}, {5, 5, 5});
  PairTable pairs;
  pairs.resize(1);
  pairs.a = {0}, pairs.b = {0};
  const std::array<narrow::WallView, 1> walls{{{{0, 0, -0.09}, {0, 0, 1}, 0}}};
  narrow::FoundPoints out;
  narrow::NearFacets near;
  narrow::find_wall_contacts(posed.p, posed.bodies, walls, pairs, 0, 1, narrow::ContactGeometry::overlap, near, out);
  ASSERT_EQ(out.points.size(), 1u);
  EXPECT_NEAR(out.points[0].depth, 0.01, 1e-16);
  EXPECT_NEAR(norm(out.points[0].point - Vec3{0, 0, -0.095}), 0, 1e-16);
  EXPECT_EQ(out.points[0].normal, (Vec3{0, 0, -1}));
}

TEST(RoundContacts, ConcentricBodiesSayADirection) {
  Posed posed(shape("sphere"), 0.2, {}, shape("sphere"), 0.3, {}, {});
  const auto c = contacts_of(posed);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_DOUBLE_EQ(c[0].depth, 0.25);
  EXPECT_EQ(norm(c[0].normal), 1);
}

TEST(PlanarContacts, AreThoseOfThePrismsPerThickness) {
  Random draw(15, 0);
  int met = 0, on_one_face = 0;
  for (int k = 0; k < 4000; ++k) {
    const char* const names[] = {"triangle", "square", "pentagon", "hexagon", "octagon"};
    const std::shared_ptr<const Shape> a = shape(names[k % 5]), b = shape(names[draw.below(5)]);
    const auto prism_of = [](const Shape& s, double thickness) {
      std::vector<Vec3> corners;
      for (const Vec2 v : s.outline.vertices)
        for (const double z : {-thickness / 2, thickness / 2}) corners.push_back({v.x, v.y, z});
      auto prism = std::make_shared<Shape>();
      prism->body = *convex_hull(corners);
      return prism;
    };
    const Quat qa = axis_angle({0, 0, 1}, draw.uniform(0, 7)), qb = axis_angle({0, 0, 1}, draw.uniform(0, 7));
    const double sb = draw.uniform(0.5, 2), turn = draw.uniform(0, 7), far = draw.uniform(0.6, 1) * 0.5 * (1 + sb);
    const Vec3 d{far * std::cos(turn), far * std::sin(turn), 0};
    Posed flat(a, 1, qa, b, sb, qb, d), solid(prism_of(*a, 1), 1, qa, prism_of(*b, 1.3), sb, qb, d);
    const auto x = contacts_of(flat), y = contacts_of(solid);
    if (x.empty() || x[0].penetration < 1e-6 || x[0].penetration > 0.2 || y.empty()) {
      if (y.empty() && !x.empty()) {
        EXPECT_LT(x[0].penetration, 1e-6);
      }
      continue;
    }
    if (sb * 1.3 < 1) continue;  // B's ends would cut A's
    ++met;
    EXPECT_NEAR(x[0].penetration, y[0].penetration, 1e-12);
    EXPECT_NEAR(x[0].depth, y[0].depth, 1e-9 * y[0].depth);
    EXPECT_NEAR(norm(x[0].normal - y[0].normal), 0, 1e-8);
    EXPECT_EQ(x[0].point.z, 0);
    // Where one side alone carries the patch, its thickness is measured alike.
    const narrow::PlanarView va = flat.bodies.planar_view(0), vb = flat.bodies.planar_view(1);
    const auto is_side = [&](const narrow::PlanarView& v, Vec3 n) {
      return std::any_of(v.normals.begin(), v.normals.end(),
                         [&](Vec2 m) { return std::hypot(m.x - n.x, m.y - n.y) < 1e-9; });
    };
    if (!is_side(va, x[0].normal) && !is_side(vb, -x[0].normal)) continue;
    ++on_one_face;
    EXPECT_NEAR(norm(x[0].point - y[0].point), 0, 1e-7);
    EXPECT_NEAR(x[0].energy_depth, y[0].energy_depth, 1e-7 * y[0].energy_depth);
  }
  EXPECT_GT(met, 300);
  EXPECT_GT(on_one_face, 100);
}

TEST(PlanarContacts, OfASquareOnAWall) {
  Posed posed(shape("square"), 0.2, {});
  PairTable pairs;
  pairs.resize(1);
  pairs.a = {0}, pairs.b = {0};
  const std::array<narrow::WallView, 1> walls{{{{0, -0.09, 0}, {0, 1, 0}, 0}}};
  narrow::FoundPoints out;
  narrow::NearFacets near;
  narrow::find_wall_contacts(posed.p, posed.bodies, walls, pairs, 0, 1, narrow::ContactGeometry::overlap, near, out);
  ASSERT_EQ(out.points.size(), 1u);
  const narrow::FoundPoint& c = out.points[0];
  EXPECT_NEAR(c.depth, 0.01, 1e-15);
  EXPECT_NEAR(c.energy_depth, 0.01, 1e-15);
  EXPECT_NEAR(norm(c.point - Vec3{0, -0.095, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(c.normal - Vec3{0, -1, 0}), 0, 1e-15);
  EXPECT_NEAR(c.gyration, 0.2 / std::sqrt(6.0), 1e-15);
}

// A wedge: the thickness falls linearly from the deep corner to nothing over the whole side. The force acts at the deep
// corner (docs/contact-geometry.md), the mean depth is half the deepest, its energy's depth sqrt(1/2) of it.
TEST(PlanarContacts, OfATiltedSquareActAtItsDeepEdge) {
  const double tilt = 1e-3, deepest = 0.2 * std::sin(tilt);
  Posed posed(shape("square"), 0.2, axis_angle({0, 0, 1}, -tilt));
  const narrow::PlanarView v = posed.bodies.planar_view(0);
  const Vec2 low = *std::min_element(v.corners.begin(), v.corners.end(), [](Vec2 a, Vec2 b) { return a.y < b.y; });
  PairTable pairs;
  pairs.resize(1);
  pairs.a = {0}, pairs.b = {0};
  const std::array<narrow::WallView, 1> walls{{{{0, low.y + deepest, 0}, {0, 1, 0}, 0}}};
  narrow::FoundPoints out;
  narrow::NearFacets near;
  narrow::find_wall_contacts(posed.p, posed.bodies, walls, pairs, 0, 1, narrow::ContactGeometry::overlap, near, out);
  ASSERT_EQ(out.points.size(), 1u);
  EXPECT_NEAR(out.points[0].point.x, low.x, 1e-2 * tilt * 0.2 + 1e-6);
  EXPECT_NEAR(out.points[0].depth, deepest / 2, 1e-5 * deepest);
  EXPECT_NEAR(out.points[0].energy_depth, deepest * std::sqrt(0.5), 1e-5 * deepest);
  EXPECT_NEAR(out.points[0].penetration, deepest, 1e-12);
}

TEST(Shapes, ClosedFormsOfMassAndInertia) {
  const Shape& sphere = *shape("sphere");
  const double d = 0.3, rho = 2000, m = rho * M_PI / 6 * d * d * d;
  EXPECT_NEAR(sphere.mass(d, rho, 7), m, 1e-12 * m);
  EXPECT_NEAR(sphere.moments(d, rho, 7).x, 0.4 * m * d * d / 4, 1e-12 * m);
  const Shape& disc = *shape("disc");
  const double t = 0.05, md = rho * M_PI / 4 * d * d * t;
  EXPECT_NEAR(disc.mass(d, rho, t), md, 1e-12 * md);
  EXPECT_NEAR(disc.moments(d, rho, t).z, 0.5 * md * d * d / 4, 1e-12 * md);
  const Shape& square = *shape("square");
  EXPECT_NEAR(square.mass(d, rho, t), rho * d * d * t, 1e-12);
  EXPECT_NEAR(square.moments(d, rho, t).z, rho * d * d * t * d * d / 6, 1e-12);
  const Shape& triangle = *shape("triangle");
  const double mt = rho * std::sqrt(3) / 4 * d * d * t;
  EXPECT_NEAR(triangle.mass(d, rho, t), mt, 1e-12 * mt);
  EXPECT_NEAR(triangle.moments(d, rho, t).z, mt * d * d / 12, 1e-12 * mt);
}

}  // namespace
}  // namespace scree

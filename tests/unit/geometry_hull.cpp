// LIBS: scree_geometry
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "geometry/polyhedron.h"

namespace scree {
namespace {

using Points = std::vector<Vec3>;

Points box(double a, double b, double c) {
  Points p;
  for (int i = 0; i < 8; ++i) p.push_back({a * ((i & 1) - 0.5), b * ((i >> 1 & 1) - 0.5), c * ((i >> 2 & 1) - 0.5)});
  return p;
}

Points moved(Points p, double size, Quat q, Vec3 to) {
  for (Vec3& v : p) v = to + size * rotate(q, v);
  return p;
}

Polyhedron hull(const Points& p) {
  const Result<Polyhedron> h = convex_hull(p);
  if (!h) {
    ADD_FAILURE() << h.error().message;
    return {};
  }
  const Status s = validate(*h);
  EXPECT_TRUE(s) << s.error().message;
  return *h;
}

std::string refusal(const Points& p) {
  const Result<Polyhedron> h = convex_hull(p);
  EXPECT_FALSE(h);
  return h ? "" : h.error().message;
}

std::vector<std::size_t> face_sizes(const Polyhedron& p) {
  std::vector<std::size_t> n;
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) n.push_back(p.loop(f).size());
  std::sort(n.begin(), n.end());
  return n;
}

TEST(Hull, CubeHasSixSquaresAndKeepsItsDigits) {
  const Points drawn = box(1, 1, 1);
  const Polyhedron p = hull(drawn);
  EXPECT_EQ(p.vertices, drawn);
  EXPECT_EQ(face_sizes(p), std::vector<std::size_t>(6, 4));
  EXPECT_EQ(p.edges.size(), 12u);
  EXPECT_EQ(p.inner_radius, 0.5);
  EXPECT_NEAR(p.outer_radius, std::sqrt(0.75), 1e-15);
  for (std::size_t f = 0; f < 6; ++f) {
    EXPECT_EQ(p.face_offsets[f], 0.5);
    EXPECT_EQ(std::abs(p.face_normals[f].x) + std::abs(p.face_normals[f].y) + std::abs(p.face_normals[f].z), 1.0);
  }
  for (std::size_t v = 0; v < 8; ++v) {
    EXPECT_EQ(p.vertex_edge_start[v + 1] - p.vertex_edge_start[v], 3);
    EXPECT_EQ(p.vertex_face_start[v + 1] - p.vertex_face_start[v], 3);
  }
}

TEST(Hull, EdgesKnowTheFaceOnEitherSide) {
  const Polyhedron p = hull({{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0.1, 0.2, 1}});
  const auto runs = [&](std::uint16_t face, std::uint16_t a, std::uint16_t b) {
    const auto l = p.loop(face);
    for (std::size_t i = 0; i < l.size(); ++i) {
      if (l[i] == a && l[(i + 1) % l.size()] == b) return true;
    }
    return false;
  };
  ASSERT_EQ(p.edges.size(), 6u);
  for (const auto& e : p.edges) {
    EXPECT_TRUE(runs(e.left, e.v0, e.v1));
    EXPECT_TRUE(runs(e.right, e.v1, e.v0));
  }
}

TEST(Hull, PointsThatAreNoCornersGo) {
  Points p = box(1, 1, 1);
  for (const Vec3 v : {Vec3{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0.5, 0.1, 0.2}, {-0.5, -0.5, -0.5}}) p.push_back(v);
  for (int i = 0; i < 500; ++i) {  // noise far under the tolerance on and about the surface
    Random r(5, static_cast<std::uint64_t>(i));
    Vec3 v{r.uniform() - 0.5, r.uniform() - 0.5, r.uniform() - 0.5};
    v[i % 3] = (i & 1) - 0.5;
    p.push_back(v + 1e-8 * r.direction());
  }
  const Polyhedron h = hull(p);
  EXPECT_EQ(h.vertices.size(), 8u);
  EXPECT_EQ(h.face_normals.size(), 6u);
}

TEST(Hull, PlanePolygonsOfSevenDigitsComeOutPlane) {
  // A dodecahedron in floats has pentagons that are bent by 1e-8; they have to be one face each, and plane to rounding.
  const double phi = (1 + std::sqrt(5.0)) / 2;
  Points p;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-1.0, 1.0}) {
      for (const double c : {-1.0, 1.0}) p.push_back({a, b, c});
      p.push_back({0, a / phi, b * phi}), p.push_back({a / phi, b * phi, 0}), p.push_back({b * phi, 0, a / phi});
    }
  }
  for (Vec3& v : p) {
    v = rotate(Random(1).rotation(), v);
    v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  }
  const Polyhedron h = hull(p);
  ASSERT_EQ(face_sizes(h), std::vector<std::size_t>(12, 5));
  for (std::size_t f = 0; f < 12; ++f) {
    for (const std::uint16_t v : h.loop(f))
      EXPECT_NEAR(dot(h.face_normals[f], h.vertices[v]), h.face_offsets[f], 1e-13);
  }
  for (std::size_t v = 0; v < 20; ++v) EXPECT_LT(norm(h.vertices[v] - p[v]), 1e-6);
}

TEST(Hull, PlatesNeedlesAndSliversAtAnySizeAndPlace) {
  const Quat q = Random(3).rotation();
  for (const double size : {1e-9, 1e-3, 1.0, 1e9}) {
    for (const Points& p : {box(1, 1, 1e-3), box(1, 1e-3, 1e-3), box(1, 1, 1), box(1, 0.01, 1e-4)}) {
      for (const Vec3 to : {Vec3{}, Vec3{size, -3 * size, 2 * size}, Vec3{1e4 * size, 1e4 * size, 0}}) {
        const Polyhedron h = hull(moved(p, size, q, to));
        EXPECT_EQ(h.vertices.size(), 8u) << size;
        EXPECT_EQ(h.face_normals.size(), 6u) << size;
      }
    }
  }
}

TEST(Hull, FarFromTheOriginOnlyCoordinateRoundingIsLost) {
  const Polyhedron h = hull(moved(box(1, 1, 1), 1e-3, Quat{}, {1000, -2000, 500}));
  EXPECT_EQ(h.face_normals.size(), 6u);
  EXPECT_LT(h.inner_radius, 0);  // the origin is outside
  EXPECT_NEAR(mass_properties(h).volume / 1e-9, 1, 1e-8);
}

TEST(Hull, NearlyCoplanarFacetsOnEitherSideOfTheTolerance) {
  for (const double height : {1e-8, 1e-7, 1e-5, 1e-3}) {
    Points p = box(1, 1, 1);
    p.push_back({0.5 + height, 0.1, 0});
    const Polyhedron h = hull(p);
    EXPECT_EQ(h.face_normals.size(), height < kCoplanarTolerance ? 6u : 9u) << height;
  }
}

TEST(Hull, LongRunsOfSmallTurnsDoNotMergeIntoOneFace) {
  // Each neighbour is nearly coplanar with the next; creeping from one to the other would make one face of all.
  Points p;
  for (int i = 0; i < 60; ++i) {
    const double a = 2 * M_PI * i / 60;
    p.push_back({std::cos(a), std::sin(a), 0}), p.push_back({std::cos(a), std::sin(a), 1});
  }
  const Polyhedron h = hull(p);
  EXPECT_EQ(h.vertices.size(), 120u);
  EXPECT_EQ(h.face_normals.size(), 62u);
}

TEST(Hull, TheOrderOfThePointsChangesNoBit) {
  Points p;
  for (int i = 0; i < 30; ++i) p.push_back(Random(8, static_cast<std::uint64_t>(i)).direction());
  const Polyhedron a = hull(p);
  std::reverse(p.begin(), p.end());
  const Polyhedron b = hull(p);
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  EXPECT_TRUE(std::equal(a.vertices.begin(), a.vertices.end(), b.vertices.rbegin()));
  EXPECT_EQ(a.edges.size(), b.edges.size());
  EXPECT_EQ(hull(p).face_vertices, b.face_vertices);
}

TEST(Hull, FacesLoopsAndEdgesComeInACanonicalOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Points p;
    for (std::uint64_t i = 0; i < 25; ++i) p.push_back(Random(seed, i).direction());
    const Polyhedron h = hull(p);
    std::vector<std::vector<std::uint16_t>> loops;
    for (std::size_t f = 0; f < h.face_normals.size(); ++f) loops.emplace_back(h.loop(f).begin(), h.loop(f).end());
    EXPECT_TRUE(std::is_sorted(loops.begin(), loops.end()));
    for (const auto& l : loops) EXPECT_EQ(l[0], *std::min_element(l.begin(), l.end()));
    EXPECT_TRUE(std::is_sorted(h.edges.begin(), h.edges.end(), [](const auto& a, const auto& b) {
      return std::pair(a.v0, a.v1) < std::pair(b.v0, b.v1);
    }));
    for (const auto& e : h.edges) EXPECT_LT(e.v0, e.v1);
  }
}

TEST(Hull, ClustersOfPointsAreOneCorner) {
  Points p;
  for (const Vec3& corner : box(1, 2, 3)) {
    for (std::uint64_t i = 0; i < 12; ++i) p.push_back(corner + 1e-6 * Random(2, p.size() + i).direction());
  }
  const Polyhedron h = hull(p);
  EXPECT_EQ(h.vertices.size(), 8u);
  EXPECT_EQ(h.face_normals.size(), 6u);
}

TEST(Hull, RefusalsSayWhy) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_NE(refusal({}).find("at least 4 points"), std::string::npos);
  EXPECT_NE(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).find("at least 4 points, found 3"), std::string::npos);
  EXPECT_NE(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}).find("flat"), std::string::npos);
  EXPECT_NE(refusal({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {5, 5, 5}}).find("one line"), std::string::npos);
  EXPECT_NE(refusal(Points(10, Vec3{1, 2, 3})).find("the same"), std::string::npos);
  EXPECT_NE(refusal({{0, 0, 0}, {1, 0, 0}, {0, nan, 0}, {0, 0, 1}}).find("point 3 is not finite"), std::string::npos);
  EXPECT_NE(refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, inf}}).find("point 4 is not finite"), std::string::npos);
  EXPECT_NE(refusal(moved(box(1, 1, 1), 1e100, Quat{}, {})).find("extent"), std::string::npos);
  EXPECT_NE(refusal(moved(box(1, 1, 1e-8), 1, Random(2).rotation(), {})).find("flat"), std::string::npos);
  EXPECT_FALSE(convex_hull(Points{{1e308, 0, 0}, {-1e308, 0, 0}, {0, 1e308, 0}, {0, 0, 1e308}}));
}

TEST(Hull, LimitsAreNamed) {
  Points sphere;
  for (int i = 0; i < 129; ++i) sphere.push_back(Random(4, static_cast<std::uint64_t>(i)).direction());
  EXPECT_NE(refusal(sphere).find("129 vertices; the limit is 128"), std::string::npos);
  sphere.pop_back();
  EXPECT_EQ(hull(sphere).vertices.size(), 128u);
  Points cone{{0, 0, 1}};
  for (int i = 0; i < 65; ++i) cone.push_back({std::cos(2 * M_PI * i / 65), std::sin(2 * M_PI * i / 65), 0});
  EXPECT_NE(refusal(cone).find("face has 65 vertices; the limit is 64"), std::string::npos);
}

TEST(Hull, BigSpheresAreRefusedInBoundedTime) {
  Points sphere;
  for (int i = 0; i < 10'000; ++i) sphere.push_back(Random(6, static_cast<std::uint64_t>(i)).direction());
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(refusal(sphere).find("the limit is 128"), std::string::npos);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 20);
}

TEST(Hull, ManyPointsInsideAreNoHindrance) {
  Points p = box(1, 1, 1);
  for (int i = 0; i < 20'000; ++i) {
    Random r(7, static_cast<std::uint64_t>(i));
    p.push_back({r.uniform(-0.5, 0.5), r.uniform(-0.5, 0.5), r.uniform(-0.5, 0.5)});
  }
  EXPECT_EQ(hull(p).vertices.size(), 8u);
}

/// Every invariant broken on purpose: validate has to see it.
struct Broken : testing::Test {
  Polyhedron p = *convex_hull(box(1, 2, 3));
  void expect(const char* what) {
    const Status s = validate(p);
    ASSERT_FALSE(s);
    EXPECT_NE(s.error().message.find(what), std::string::npos) << s.error().message;
  }
};

TEST_F(Broken, Loop) {
  std::reverse(p.face_vertices.begin(), p.face_vertices.begin() + 4);
  expect("run through twice");
}
TEST_F(Broken, AllLoops) {
  for (std::size_t f = 0; f < 6; ++f)
    std::reverse(p.face_vertices.begin() + 4 * f, p.face_vertices.begin() + 4 * f + 4);
  expect("");
}
TEST_F(Broken, MissingFace) {
  p.face_start.pop_back();
  p.face_vertices.resize(20);
  expect("one face only");
}
TEST_F(Broken, Rows) {
  p.face_start.back() = 999;
  expect("face_start");
}
TEST_F(Broken, EdgeFaces) {
  std::swap(p.edges[3].left, p.edges[3].right);
  expect("edges are not");
}
TEST_F(Broken, Adjacency) {
  std::swap(p.vertex_faces[0], p.vertex_faces[1]);
  expect("adjacency");
}
TEST_F(Broken, Offset) {
  p.face_offsets[2] *= 1.001;
  expect("plane of face 2");
}
TEST_F(Broken, Normal) {
  p.face_normals[1] = -p.face_normals[1];
  expect("plane of face 1");
}
TEST_F(Broken, InnerRadius) {
  p.inner_radius *= 1.01;
  expect("radii");
}
TEST_F(Broken, OuterRadius) {
  p.outer_radius *= 0.99;
  expect("radii");
}
TEST_F(Broken, NotFinite) {
  p.vertices[0].x = std::numeric_limits<double>::quiet_NaN();
  expect("not finite");
}
TEST(Assemble, RefusesWhatIsNoConvexPolyhedron) {
  using Loops = std::vector<std::vector<std::uint16_t>>;
  const Points tetrahedron{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Loops good{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  const auto says = [](const Points& p, const Loops& l, const char* what) {
    const auto r = assemble(p, l);
    ASSERT_FALSE(r) << what;
    EXPECT_NE(r.error().message.find(what), std::string::npos) << r.error().message;
  };
  ASSERT_TRUE(assemble(tetrahedron, good));
  EXPECT_TRUE(validate(*assemble(tetrahedron, good)));
  Loops inside_out = good;
  for (auto& l : inside_out) std::reverse(l.begin(), l.end());
  says(tetrahedron, inside_out, "not strictly convex");
  says(tetrahedron, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 7}}, "names vertex 7 of 4");
  says(tetrahedron, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}}, "at least 4 faces");
  // An octahedron with its top pushed down between the others.
  const Points dented{{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -0.1}, {0, 0, -1}};
  says(dented, {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}},
       "not strictly convex");
  // Flat rings round a hole: 9 quadrilaterals on 9 vertices; then a tetrahedron beside it, which makes Euler's sum
  // right.
  Points ring;
  Loops torus;
  for (int i = 0; i < 9; ++i) {
    const double a = 2 * M_PI * (i / 3) / 3, b = 2 * M_PI * (i % 3) / 3;
    ring.push_back({(3 + std::cos(b)) * std::cos(a), (3 + std::cos(b)) * std::sin(a), std::sin(b)});
    const auto at = [&](int u, int v) { return static_cast<std::uint16_t>(3 * ((i / 3 + u) % 3) + (i % 3 + v) % 3); };
    torus.push_back({at(0, 0), at(1, 0), at(1, 1), at(0, 1)});
  }
  says(ring, torus, "edges 18 != vertices 9 + faces 9 - 2");
  for (const auto& l : good) {
    torus.push_back(l);
    for (auto& v : torus.back()) v = static_cast<std::uint16_t>(v + 9);
  }
  for (const Vec3& v : tetrahedron) ring.push_back(v + Vec3{9, 0, 0});
  says(ring, torus, "several pieces");
  // A vertex in the middle of an edge is no corner.
  says({{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{0, 2, 1, 4}, {0, 4, 1, 3}, {1, 2, 3}, {0, 3, 2}},
       "no corner");
}

}  // namespace
}  // namespace scree

// Templates of clusters and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "bond/cluster.h"
#include "bond/filling.h"
#include "io/grains/cluster_file.h"
#include "scenes/meshes.h"

namespace scree {
namespace {

using bond::Cluster;
using bond::Pairs;

Pairs all_pairs(const Cluster& c, double factor) {
  Pairs pairs;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    for (std::uint32_t j = i + 1; j < c.size(); ++j) {
      const double reach = factor * (c.radius[i] + c.radius[j]);
      if (norm2(c.position[j] - c.position[i]) <= reach * reach) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Cluster, CubeOf27HasItsSpheresAndBonds) {
  const auto c = bond::cube(3, 3.3e-3);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->size(), 27u);
  EXPECT_EQ(bond::bonds_by_distance(*c, 1.05)->size(), 54u);
  EXPECT_EQ(bond::bonds_by_distance(*c, 1.5)->size(), 54u + 72u);  // with the diagonals of the faces
  EXPECT_TRUE(bond::check_holds(*c, *bond::bonds_by_distance(*c, 1.05)));
  EXPECT_FALSE(bond::cube(0, 1e-3));
  EXPECT_FALSE(bond::cube(1000, 1e-3));
}

TEST(Cluster, PackingsAreCloseInsideAndHoldTogether) {
  const double r = 1e-3;
  const auto ball = bond::packed_sphere(8e-3, r), pill = bond::tablet(8e-3, 9e-3, r);
  ASSERT_TRUE(ball && pill);
  // Centres fill a sphere of radius 7 r at pi / (3 sqrt 2) per sphere volume, give or take the surface.
  EXPECT_NEAR(static_cast<double>(ball->size()), 0.7405 * 343, 0.12 * 0.7405 * 343);
  for (const Vec3& x : ball->position) EXPECT_LE(norm(x), 7e-3 * (1 + 0.02));
  for (const Vec3& x : pill->position) EXPECT_LE(std::hypot(x.x, x.y), 7e-3 * (1 + 0.05));
  for (const auto* c : {&*ball, &*pill}) {
    EXPECT_TRUE(all_pairs(*c, 1 - 1e-9).empty());  // no overlap
    const Pairs bonds = *bond::bonds_by_distance(*c, 1.05);
    EXPECT_GT(bonds.size(), 3 * c->size());  // twelve neighbours inside
    EXPECT_TRUE(bond::check_holds(*c, bonds));
    Vec3 sum{};
    for (const Vec3& x : c->position) sum += x;
    EXPECT_LT(norm(sum), 1e-12 * static_cast<double>(c->size()));
  }
  const auto layers = [&](double thickness) {
    std::vector<double> z;
    const Cluster pill_of = *bond::tablet(5e-3, thickness, r);
    for (const Vec3& x : pill_of.position) {
      if (std::none_of(z.begin(), z.end(), [&](double seen) { return std::abs(seen - x.z) < 0.1 * r; }))
        z.push_back(x.z);
    }
    return z.size();
  };
  const double layer = 2 * std::sqrt(2.0 / 3.0) * r;
  for (std::size_t n = 1; n < 6; ++n) {
    const double exact = 2 * r + static_cast<double>(n - 1) * layer;
    EXPECT_EQ(layers(exact), n);
    EXPECT_EQ(layers(exact + 0.9 * layer), n);
  }
  EXPECT_EQ(bond::packed_sphere(r, r)->size(), 1u);
  const auto none = bond::packed_sphere(0.9e-3, r);
  ASSERT_FALSE(none);
  EXPECT_TRUE(contains(none.error().message, "no sphere of radius 0.001 m fits"));
  EXPECT_FALSE(bond::packed_sphere(1, 1e-6));  // far more than there is memory for
}

TEST(Cluster, FillsAConvexMesh) {
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto hull = convex_hull(corners);
  ASSERT_TRUE(hull);
  const auto shape = make_shape("corner", *hull);
  ASSERT_TRUE(shape);
  const auto c = bond::filling(shape->body, 0.02, 5e-4);
  ASSERT_TRUE(c);
  EXPECT_GT(c->size(), 100u);
  EXPECT_TRUE(bond::check_holds(*c, *bond::bonds_by_distance(*c, 1.05)));
  EXPECT_TRUE(all_pairs(*c, 1 - 1e-9).empty());
  // The template's own centre moves by less than a sphere.
  for (const Vec3& x : c->position) {
    for (std::size_t f = 0; f < shape->body.face_normals.size(); ++f)
      EXPECT_LE(dot(shape->body.face_normals[f], x), 0.02 * shape->body.face_offsets[f]);
  }
}

/// Six boxes' skins as one: an L of two arms with a square section of 1, each 3 long, drawn as the outline of the
/// letter along z, so that the inner corner is a dent.
Surface letter() {
  const std::vector<Vec2> outline{{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
  const auto n = static_cast<std::uint32_t>(outline.size());
  Surface s;
  for (const double z : {0.0, 1.0})
    for (const Vec2 v : outline) s.vertices.push_back({v.x, v.y, z});
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t j = (i + 1) % n;
    s.triangles.push_back({i, j, j + n}), s.triangles.push_back({i, j + n, i + n});
  }
  // Seen from the corner at (0, 0) every triangle of the fan lies in the letter.
  for (std::uint32_t i = 1; i + 1 < n; ++i)
    s.triangles.push_back({0, i + 1, i}), s.triangles.push_back({n, n + i, n + i + 1});
  return s;
}
bool in_letter(Vec3 x, double r) {
  const auto box = [&](double w, double h) {
    return x.x >= r && x.x <= w - r && x.y >= r && x.y <= h - r && x.z >= r && x.z <= 1 - r;
  };
  return box(3, 1) || box(1, 3);
}

TEST(Cluster, FillsADentedMesh) {
  const double r = 0.07;
  const auto whole = bond::filling(FacetMesh(letter()), r);
  ASSERT_TRUE(whole) << whole.error().message;
  // As many as a packing of the bounding box has in the letter; the inner corner's fillet holds a few more.
  EXPECT_TRUE(all_pairs(*whole, 1 - 1e-9).empty());
  EXPECT_TRUE(bond::check_holds(*whole, *bond::bonds_by_distance(*whole, 1.05)));
  Vec3 low{9, 9, 9};
  for (const Vec3& x : whole->position) low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
  const double solid = static_cast<double>(whole->size()) * 4.0 / 3 * M_PI * r * r * r;
  EXPECT_GT(solid / 5, 0.45);
  EXPECT_LT(solid / 5, 0.7405);
  // Inside out it is the same; the template's own centre is that of its mass, near that of the letter, (1.1, 1.1, .5).
  Surface turned = letter();
  for (auto& t : turned.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(bond::filling(FacetMesh(turned), r)->position, whole->position);
  std::size_t outside = 0;
  Vec3 at{};  // of the template's origin in the drawing: the shift for which all spheres fit
  double best = 1e9;
  for (double u = -r; u <= r; u += r / 20)
    for (double v = -r; v <= r; v += r / 20) {
      std::size_t bad = 0;
      for (const Vec3& x : whole->position) bad += in_letter(x + Vec3{1.1 + u, 1.1 + v, 0.5}, 0.8 * r) ? 0 : 1;
      if (static_cast<double>(bad) < best) best = static_cast<double>(bad), at = {u, v, 0};
    }
  outside = static_cast<std::size_t>(best);
  EXPECT_EQ(outside, 0u) << at.x << " " << at.y;
}

TEST(Cluster, FillsAHollowMeshAndRefusesAnOpenOne) {
  const double r = 0.05;
  Surface shell = scenes::box_surface({-1, -1, -1}, {1, 1, 1}, 3);
  Surface inner = scenes::box_surface({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 2);
  for (auto& t : inner.triangles) std::swap(t[1], t[2]);
  Surface hollow = scenes::joined(shell, inner);
  repair(hollow, kCoplanarTolerance, Turn::as_neighbours);
  repair(shell, kCoplanarTolerance, Turn::as_neighbours);
  const auto full = bond::filling(FacetMesh(shell), r), ring = bond::filling(FacetMesh(hollow), r);
  ASSERT_TRUE(full && ring);
  EXPECT_LT(ring->size(), full->size());
  for (const Vec3& x : ring->position)
    EXPECT_GT(std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}), 0.5 + 0.9 * r);
  shell.triangles.pop_back();
  const auto open = bond::filling(FacetMesh(shell), r);
  ASSERT_FALSE(open);
  EXPECT_TRUE(contains(open.error().message, "the mesh is open: 3 edges have a triangle on one side only"));
  const auto coarse = bond::filling(FacetMesh(letter()), 0.6);
  ASSERT_FALSE(coarse);
  EXPECT_TRUE(contains(coarse.error().message, "no sphere of radius 0.6 m fits into the mesh"));
}

TEST(Cluster, IsReadFromCsv) {
  const auto c = io::read_cluster("x,y,z,r\r\n0,0,0,1\n2, 0, 0, 1 # second\n\n4;0;0;1\n", 1e-3, "a.csv");
  ASSERT_TRUE(c);
  ASSERT_EQ(c->size(), 3u);
  EXPECT_NEAR(c->position[0].x, -2e-3, 1e-18);
  EXPECT_EQ(c->radius[2], 1e-3);
  const auto wrong = [](const char* text) {
    const auto r = io::read_cluster(text, 1, "a.csv");
    return r ? std::string{} : r.error().message;
  };
  EXPECT_TRUE(contains(wrong("x,y,z,r\n0,0,0\n"), "a.csv:2:1: expected four numbers"));
  EXPECT_TRUE(contains(wrong("0,0,0,1\n0,zero,0,1\n"), "a.csv:2:3: expected x, y, z, r as numbers, got zero"));
  EXPECT_TRUE(contains(wrong("0,0,0,0\n"), "a.csv:1:1: "));
  EXPECT_TRUE(contains(wrong("0,0,nan,1\n"), "a.csv:1:1: "));
  // A line with a number in it is no header.
  EXPECT_TRUE(contains(wrong("0,0,1e999,1\n0,0,0,1\n"), "a.csv:1:5: "));
  EXPECT_TRUE(contains(wrong("0,0,O,1\n2,0,0,1\n"), "a.csv:1:5: expected x, y, z, r as numbers, got O"));
  EXPECT_TRUE(contains(wrong("# nothing\n"), "no sphere"));
  EXPECT_TRUE(contains(wrong(""), "no sphere"));
}

TEST(Cluster, BondsByDistanceAreThoseOfAllPairs) {
  Random draw(31);
  for (int k = 0; k < 60; ++k) {
    Cluster c;
    const std::size_t n = draw.below(80);
    for (std::size_t i = 0; i < n; ++i) {
      c.position.push_back({draw.uniform(), draw.uniform(), k % 3 ? draw.uniform() : 0});
      c.radius.push_back(k % 2 ? draw.uniform(0.02, 0.2) : 0.3 * std::pow(2, -draw.uniform(0, 8)));
    }
    for (const double factor : {0.7, 1.0, 1.3}) EXPECT_EQ(*bond::bonds_by_distance(c, factor), all_pairs(c, factor));
  }
}

TEST(Cluster, WithMoreBondsThanMemoryIsRefused) {
  Cluster c;
  for (int i = 0; i < 3000; ++i) c.position.push_back({1e-3 * i, 0, 0}), c.radius.push_back(1);
  EXPECT_FALSE(bond::bonds_by_distance(c, 2));
  EXPECT_TRUE(bond::check_places(c));
}

TEST(Cluster, ThatDoesNotHoldTogetherIsRefusedWithItsSpheres) {
  const auto c = io::read_cluster("0,0,0,1\n2,0,0,1\n9,0,0,1\n4,0,0,1\n11,0,0,1\n", 1, "a.csv");
  ASSERT_TRUE(c);
  const auto held = bond::check_holds(*c, *bond::bonds_by_distance(*c, 1.01));
  ASSERT_FALSE(held);
  EXPECT_TRUE(contains(held.error().message, "3 of 5 spheres, to spheres 2, 4")) << held.error().message;
  EXPECT_TRUE(bond::check_holds(*c, *bond::bonds_by_distance(*c, 3)));
}

TEST(Cluster, WithSpheresInOnePlaceIsRefused) {
  for (const char* text : {"0,0,0,1\n2,0,0,1\n2,0,0,1\n", "0,0,0,1\n2,0,0,1\n2,0.3,0,.5\n"}) {
    const auto c = io::read_cluster(text, 1, "a.csv");
    ASSERT_TRUE(c);
    const auto held = bond::check_places(*c);
    ASSERT_FALSE(held);
    EXPECT_TRUE(contains(held.error().message, "spheres 1 and 2")) << held.error().message;
  }
}

}  // namespace
}  // namespace scree

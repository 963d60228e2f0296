// LIBS: scree_bond
// Templates of clusters and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "bond/cluster.h"

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

TEST(Cluster, IsReadFromCsv) {
  const auto c = bond::read_cluster("x,y,z,r\r\n0,0,0,1\n2, 0, 0, 1 # second\n\n4;0;0;1\n", 1e-3, "a.csv");
  ASSERT_TRUE(c);
  ASSERT_EQ(c->size(), 3u);
  EXPECT_NEAR(c->position[0].x, -2e-3, 1e-18);
  EXPECT_EQ(c->radius[2], 1e-3);
  const auto wrong = [](const char* text) {
    const auto r = bond::read_cluster(text, 1, "a.csv");
    return r ? std::string{} : r.error().message;
  };
  EXPECT_TRUE(contains(wrong("x,y,z,r\n0,0,0\n"), "a.csv:2: expected four numbers"));
  EXPECT_TRUE(contains(wrong("0,0,0,1\n0,zero,0,1\n"), "a.csv:2: expected x, y, z, r as numbers"));
  EXPECT_TRUE(contains(wrong("0,0,0,0\n"), "a.csv:1: "));
  EXPECT_TRUE(contains(wrong("0,0,nan,1\n"), "a.csv:1: "));
  EXPECT_TRUE(contains(wrong("0,0,1e999,1\n"), "a.csv:"));
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
  const auto c = bond::read_cluster("0,0,0,1\n2,0,0,1\n9,0,0,1\n4,0,0,1\n11,0,0,1\n", 1, "a.csv");
  ASSERT_TRUE(c);
  const auto held = bond::check_holds(*c, *bond::bonds_by_distance(*c, 1.01));
  ASSERT_FALSE(held);
  EXPECT_TRUE(contains(held.error().message, "3 of 5 spheres, to spheres 2, 4")) << held.error().message;
  EXPECT_TRUE(bond::check_holds(*c, *bond::bonds_by_distance(*c, 3)));
}

TEST(Cluster, WithSpheresInOnePlaceIsRefused) {
  for (const char* text : {"0,0,0,1\n2,0,0,1\n2,0,0,1\n", "0,0,0,1\n2,0,0,1\n2,0.3,0,.5\n"}) {
    const auto c = bond::read_cluster(text, 1, "a.csv");
    ASSERT_TRUE(c);
    const auto held = bond::check_places(*c);
    ASSERT_FALSE(held);
    EXPECT_TRUE(contains(held.error().message, "spheres 1 and 2")) << held.error().message;
  }
}

}  // namespace
}  // namespace scree

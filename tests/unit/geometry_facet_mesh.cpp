// Surfaces cut into convex facets.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <map>

#include "base/random.h"
#include "exec/parallel.h"
#include "geometry/facet_mesh.h"
#include "scenes/meshes.h"

namespace scree {
namespace {

using Kind = FacetMesh::EdgeKind;

std::map<Kind, int> kinds(const FacetMesh& m) {
  std::map<Kind, int> n;
  for (std::size_t f = 0; f < m.size(); ++f)
    for (const auto& e : m.edges(f)) ++n[e.kind];
  return n;
}

double area(const FacetMesh& m) {
  double a = 0;
  for (std::size_t f = 0; f < m.size(); ++f) {
    const auto edges = m.edges(f);
    for (std::size_t k = 1; k + 1 < edges.size(); ++k)
      a += 0.5 * dot(m.facet(f).normal, cross(edges[k].a - edges[0].a, edges[k + 1].a - edges[0].a));
  }
  return a;
}

TEST(FacetMesh, AFinelyMeshedBoxHasSixFacetsAndTwelveRidges) {
  const auto m = scenes::facets(scenes::box_surface({-1, 0, 2}, {1, 3, 4}, 20));
  ASSERT_EQ(m->size(), 6u);
  EXPECT_EQ(kinds(*m), (std::map<Kind, int>{{Kind::ridge, 24}}));
  EXPECT_NEAR(area(*m), 2 * (6 + 4 + 6), 1e-9);
  for (std::size_t f = 0; f < 6; ++f) {
    EXPECT_EQ(m->edges(f).size(), 4u);
    EXPECT_GT(m->facet(f).offset - dot(m->facet(f).normal, Vec3{0, 1.5, 3}), 0.9) << "normals point outwards";
    for (std::size_t g = 0; g < 6; ++g) {
      const bool opposite = dot(m->facet(f).normal, m->facet(g).normal) < -0.5;
      EXPECT_EQ(m->are_joined(f, g, true), f != g && !opposite);
      EXPECT_FALSE(m->are_joined(f, g, false)) << "from inside every edge is a valley";
    }
  }
}

TEST(FacetMesh, APlateWithAHoleIsCutIntoConvexFacets) {
  // 3 x 3 cells, the middle one is missing.
  Surface s;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      if (i != 1 || j != 1) s = scenes::joined(s, scenes::sheet({double(i), double(j), 0}, {1, 0, 0}, {0, 1, 0}, 2, 2));
  const auto m = scenes::facets(s);
  EXPECT_NEAR(area(*m), 8, 1e-9);
  EXPECT_GE(m->size(), 4u);
  EXPECT_LE(m->size(), 12u) << "64 triangles";
  EXPECT_TRUE(kinds(*m).contains(Kind::rim));
  EXPECT_TRUE(kinds(*m).contains(Kind::flat));
  // Over the hole the nearest place is on its rim.
  double nearest = 1e9;
  for (std::size_t f = 0; f < m->size(); ++f) nearest = std::min(nearest, m->foot(f, {1.4, 1.5, 0.3}).distance);
  EXPECT_NEAR(nearest, 0.5, 1e-12);
}

TEST(FacetMesh, ASteppedFloorHasARidgeAndAValley) {
  Surface s = scenes::joined(scenes::sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 3, 3),
                             scenes::sheet({1, 0, 0}, {0, 1, 0}, {0, 0, -0.2}, 3, 1));
  s = scenes::joined(s, scenes::sheet({1, 0, -0.2}, {1, 0, 0}, {0, 1, 0}, 3, 3));
  // Seen from above: the top edge is a ridge, the bottom one a valley; the riser faces +x.
  const auto m = scenes::facets(s);
  ASSERT_EQ(m->size(), 3u);
  EXPECT_EQ(kinds(*m)[Kind::ridge], 2);
  EXPECT_EQ(kinds(*m)[Kind::valley], 2);
  EXPECT_EQ(kinds(*m)[Kind::rim], 8);
}

TEST(FacetMesh, ThreeSheetsThatMeetInALineHaveAJointWhereNoneGoesOn) {
  // A floor in two halves with a lifter on it.
  Surface s = scenes::joined(scenes::sheet({-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1, 2),
                             scenes::sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1, 2));
  s = scenes::joined(s, scenes::sheet({0, 0, 0}, {0, 1, 0}, {0, 0, 1}, 2, 1));
  const auto m = scenes::facets(s);
  EXPECT_EQ(m->size(), 3u);
  EXPECT_EQ(kinds(*m)[Kind::joint], 1) << "of the lifter";
  EXPECT_EQ(kinds(*m)[Kind::smooth] + kinds(*m)[Kind::flat], 2) << "of the floor";
}

TEST(FacetMesh, NearFacetsAreThoseThatALoopOverAllFinds) {
  const auto m = scenes::facets(scenes::pipe(1, 2, 60, 7));
  ASSERT_EQ(m->size(), 60u);
  EXPECT_EQ(kinds(*m)[Kind::ridge] + kinds(*m)[Kind::valley], 120) << "by 6 degrees";
  EXPECT_EQ(kinds(*scenes::facets(scenes::pipe(1, 2, 400, 1)))[Kind::smooth], 800) << "by .9 degrees";
  Random draw(7, 0);
  for (int k = 0; k < 300; ++k) {
    const Vec3 x{draw.uniform(-1.5, 1.5), draw.uniform(-1.5, 1.5), draw.uniform(-0.5, 2.5)};
    const double reach = draw.uniform(0, 1);
    std::vector<std::uint32_t> found, all;
    m->find_near(x, reach, found);
    for (std::uint32_t f = 0; f < m->size(); ++f)
      if (m->foot(f, x).distance <= reach) all.push_back(f);
    EXPECT_EQ(found, all);
    EXPECT_EQ(m->is_near(x, reach), !all.empty());
  }
}

TEST(FacetMesh, SliversAndFoldsDoNoHarm) {
  Surface s = scenes::sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1, 1);
  s.vertices.push_back({0.5, 0, 0});
  s.triangles.push_back({0, 4, 1});  // no area
  EXPECT_NEAR(area(*scenes::facets(s)), 1, 1e-12);
  Surface folded = scenes::sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 1, 1);
  folded = scenes::joined(folded, scenes::sheet({0, 0, 0}, {0, 0.5, 0}, {1, 0, 0}, 1, 1));  // lies on it
  EXPECT_GE(scenes::facets(folded)->size(), 2u);
}

/// More facets than are finished at once, and many for each thread.
TEST(FacetMesh, OfManyFacetsIsTheSameFromAnyNumberOfThreads) {
  Surface surface = scenes::box_surface({0, 0, 0}, {1, 1, 1}, 42);
  repair(surface);
  Random draw(3);
  for (Vec3& v : surface.vertices) v += 1e-3 * Vec3{draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-1, 1)};
  exec::set_threads(1);
  const FacetMesh one(surface);
  exec::set_threads(3);
  const FacetMesh three(surface);
  exec::set_threads(0);
  ASSERT_GT(one.size(), 20000u);
  ASSERT_EQ(one.size(), three.size());
  double drawn = 0;
  for (const auto& t : surface.triangles) {
    const Vec3 a = surface.vertices[t[0]];
    drawn += 0.5 * norm(cross(surface.vertices[t[1]] - a, surface.vertices[t[2]] - a));
  }
  EXPECT_NEAR(area(three), drawn, FacetMesh::kFlat * drawn);
  std::size_t sides = 0;
  for (std::size_t f = 0; f < one.size(); ++f) {
    const auto edges = one.edges(f), others = three.edges(f);
    ASSERT_EQ(edges.size(), others.size());
    ASSERT_EQ(one.facet(f).normal, three.facet(f).normal);
    ASSERT_EQ(one.facet(f).offset, three.facet(f).offset);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      ASSERT_EQ(edges[k].a, others[k].a);
      ASSERT_EQ(edges[k].limit, others[k].limit);
      ASSERT_EQ(edges[k].beyond, others[k].beyond);
      ASSERT_EQ(edges[k].kind, others[k].kind);
      ASSERT_NEAR(dot(edges[k].a, one.facet(f).normal), one.facet(f).offset, FacetMesh::kFlat * one.extent());
    }
    // Over each side of a closed surface is one other, which shares the two corners.
    const auto next = one.neighbours(f), same = three.neighbours(f);
    ASSERT_EQ(next.size(), same.size());
    for (std::size_t k = 0; k < next.size(); ++k) {
      const std::uint32_t g = next[k].facet;
      ASSERT_EQ(g, same[k].facet);
      ASSERT_EQ(next[k].from_front, same[k].from_front);
      ASSERT_EQ(next[k].from_back, same[k].from_back);
      std::size_t shared = 0;
      for (const auto& e : edges)
        for (const auto& o : one.edges(g)) shared += e.a == o.a ? 1 : 0;
      ASSERT_GE(shared, 2u);
      const auto back = one.neighbours(g);
      ASSERT_TRUE(std::any_of(back.begin(), back.end(), [&](const auto& n) { return n.facet == f; }));
    }
    sides += next.size();
  }
  EXPECT_GT(sides, 59 * one.size() / 20) << "nearly three each";
}

/// Pages of a book: what lies at its back would be compared each with each.
TEST(FacetMesh, ManyTrianglesAtOneEdgeAreAJointSoon) {
  Surface book;
  book.vertices = {{0, 0, 0}, {0, 0, 1}};
  constexpr std::uint32_t kPages = 200000;
  for (std::uint32_t k = 0; k < kPages; ++k) {
    const double turn = 2 * M_PI * k / kPages;
    book.vertices.push_back({std::cos(turn), std::sin(turn), 0.5});
    book.triangles.push_back({0, 1, k + 2});
  }
  const std::clock_t began = std::clock();
  const FacetMesh mesh(book);
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 20) << "s; each with each takes longer";
  EXPECT_EQ(mesh.size(), kPages);
  EXPECT_EQ(kinds(mesh)[Kind::joint], static_cast<int>(kPages));
  EXPECT_EQ(kinds(mesh)[Kind::rim], 2 * static_cast<int>(kPages));
}

}  // namespace
}  // namespace scree

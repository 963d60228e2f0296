// LIBS: scree_geometry
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/random.h"
#include "geometry/edge_table.h"
#include "geometry/surface.h"

namespace scree {
namespace {

/// Every triangle has corners of its own, as in an STL file.
Surface box(Vec3 lo, Vec3 hi) {
  std::vector<Vec3> p;
  for (int i = 0; i < 8; ++i) p.push_back({i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z});
  const Polyhedron h = *convex_hull(p);
  Surface s;
  for (std::size_t f = 0; f < h.face_normals.size(); ++f) {
    const auto l = h.loop(f);
    for (std::size_t i = 1; i + 1 < l.size(); ++i) {
      const auto n = static_cast<std::uint32_t>(s.vertices.size());
      s.triangles.push_back({n, n + 1, n + 2});
      for (const std::size_t k : {std::size_t{0}, i, i + 1}) s.vertices.push_back(h.vertices[l[k]]);
    }
  }
  return s;
}

Surface cube() { return box({0, 0, 0}, {1, 1, 1}); }

Surface both(Surface a, const Surface& b) {
  const auto n = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& t : b.triangles) a.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  return a;
}

void turn(Surface& s, std::size_t t) { std::swap(s.triangles[t][0], s.triangles[t][1]); }

TEST(Surface, ACleanCubeHasNoDefects) {
  Surface s = cube();
  const Repairs r = repair(s);
  EXPECT_EQ(s.vertices.size(), 8u);
  EXPECT_EQ(s.triangles.size(), 12u);
  EXPECT_EQ(r.degenerate + r.duplicates + r.turned, 0u);
  EXPECT_FALSE(r.inside_out);
  const Defects d = find_defects(s);
  EXPECT_EQ(d.open_edges, 0u);
  EXPECT_EQ(d.branched_edges, 0u);
  EXPECT_EQ(d.pieces, 1u);
  EXPECT_TRUE(d.orientable);
  EXPECT_NEAR(d.volume, 1, 1e-15);
  EXPECT_EQ(find_crossings(s).count, 0u);
  EXPECT_NEAR(deepest_dent(s, *convex_hull(s.vertices)), 0, 1e-15);
}

TEST(Surface, WeldsAcrossCellsOfItsGridAtAnyPlace) {
  for (const double at : {0.0, 1e-6, 0.3333333, 1e3}) {
    for (const double noise : {1e-8, 1e-7, 4e-7}) {
      Surface s = box({at, at, at}, {at + 1, at + 1, at + 1});
      for (std::size_t i = 0; i < s.vertices.size(); ++i) s.vertices[i][i % 3] += (i & 1) ? noise : -noise;
      repair(s);
      EXPECT_EQ(s.vertices.size(), 8u) << at << " " << noise;
    }
  }
}

/// Corners by the distance, the same ones, those a hair off, chains of near ones: as each against all before it says.
TEST(Surface, WeldsAsEachCornerAgainstAllBefore) {
  constexpr double kTolerance = 0x1p-10;  // so that what lies at the distance does so exactly
  std::size_t welded = 0, left = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random draw(seed, 1);
    Surface s;
    s.vertices = {{0, 0, -1}, {0, 0, 1}, {0.125, 0, 0}};  // the extent is 2: all that comes lies in its plane
    for (int k = 0; k < 40; ++k) {
      const Vec3 before = s.vertices[draw.below(s.vertices.size())], off{draw.below(7) - 3.0, draw.below(7) - 3.0, 0};
      const double step = draw.below(2) == 0 ? 2 * kTolerance : 0.7 * kTolerance;
      s.vertices.push_back(before + step * std::array{0.0, 0.5, 1.0, 1 + 1e-9}[draw.below(4)] * off);
    }
    for (std::uint32_t t = 0; t < 60; ++t) {
      const auto corner = [&] { return static_cast<std::uint32_t>(draw.below(s.vertices.size())); };
      s.triangles.push_back({corner(), corner(), corner()});
    }
    const double distance = kTolerance * extent(s);
    std::vector<std::uint32_t> to;
    for (std::uint32_t i = 0; i < s.vertices.size(); ++i) {
      to.push_back(i);
      for (std::uint32_t j = i; j-- > 0;)
        if (to[j] == j && norm(s.vertices[i] - s.vertices[j]) <= distance) to[i] = j;
      (to[i] == i ? left : welded) += 1;
    }
    std::vector<Vec3> expected;
    std::vector<char> seen(to.size());
    std::set<std::array<std::uint32_t, 3>> drawn;
    for (const auto& t : s.triangles) {
      std::array<std::uint32_t, 3> key{to[t[0]], to[t[1]], to[t[2]]};
      const auto as_drawn = key;
      std::sort(key.begin(), key.end());
      if (key[0] == key[1] || key[1] == key[2] || !drawn.insert(key).second) continue;
      for (const std::uint32_t i : as_drawn)
        if (!seen[i]) seen[i] = 1, expected.push_back(s.vertices[i]);
    }
    repair(s, kTolerance);
    EXPECT_EQ(s.triangles.size(), drawn.size()) << seed;
    EXPECT_EQ(s.vertices, expected) << seed;
  }
  EXPECT_GT(welded, 1000u);
  EXPECT_GT(left, 1000u);
}

/// Also where many edges meet in one corner, and where many things lie at one edge.
TEST(EdgeTable, HasWhatASearchOfAllRowsFinds) {
  std::size_t found = 0, most = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random draw(seed, 1);
    const std::uint64_t corners = 2 + draw.below(20), firsts = 1 + draw.below(corners);
    std::vector<EdgeTable::Row> rows;
    for (std::uint64_t n = draw.below(200); n > 0; --n)
      rows.push_back({static_cast<std::uint32_t>(draw.below(firsts)), static_cast<std::uint32_t>(draw.below(corners)),
                      static_cast<std::uint32_t>(draw.below(50)), draw.below(2) == 0});
    const EdgeTable table(rows, corners);
    EXPECT_EQ(table.rows().size(), rows.size());
    std::size_t of_edges = 0;
    for_each_edge(table, [&](std::span<const EdgeTable::Row> here) {
      EXPECT_EQ(here.data(), table.at(here[0].a, here[0].b).data());
      EXPECT_EQ(here.size(), table.at(here[0].a, here[0].b).size());
      of_edges += here.size();
    });
    EXPECT_EQ(of_edges, rows.size());
    for (std::uint32_t a = 0; a < corners; ++a) {
      for (std::uint32_t b = 0; b < corners; ++b) {
        std::vector<std::pair<std::uint32_t, bool>> expected, got;
        for (const auto& r : rows)
          if (r.a == a && r.b == b) expected.emplace_back(r.row, r.along);
        for (const auto& r : table.at(a, b)) got.emplace_back(r.row, r.along);
        EXPECT_TRUE(std::is_sorted(got.begin(), got.end(), [](auto x, auto y) { return x.first < y.first; }));
        std::sort(expected.begin(), expected.end());
        std::sort(got.begin(), got.end());
        EXPECT_EQ(got, expected) << seed;
        found += got.size(), most = std::max(most, got.size());
      }
    }
  }
  EXPECT_GT(found, 5000u);
  EXPECT_GT(most, 20u);
}

TEST(Surface, DropsDegenerateAndDoubleTriangles) {
  Surface s = cube();
  s.triangles.push_back({0, 0, 1});
  s.triangles.push_back({0, 1, 1});
  s.triangles.push_back(s.triangles[3]);
  const Repairs r = repair(s);
  EXPECT_EQ(r.degenerate, 2u);
  EXPECT_EQ(r.duplicates, 1u);
  EXPECT_EQ(s.triangles.size(), 12u);
}

TEST(Surface, TurnsWhatRunsAgainstItsNeighbours) {
  for (const std::size_t t : {0u, 5u, 11u}) {
    Surface s = cube();
    turn(s, t);
    const Repairs r = repair(s);
    EXPECT_EQ(r.turned, 1u);
    EXPECT_FALSE(r.inside_out);
    EXPECT_NEAR(find_defects(s).volume, 1, 1e-15);
    EXPECT_TRUE(find_defects(s).orientable);
  }
}

TEST(Surface, TurnsWhatIsInsideOut) {
  Surface s = cube();
  for (std::size_t t = 0; t < 12; ++t) turn(s, t);
  const Repairs r = repair(s);
  EXPECT_TRUE(r.inside_out);
  EXPECT_EQ(r.turned, 0u);
  EXPECT_NEAR(find_defects(s).volume, 1, 1e-15);
}

TEST(Surface, FindsHolesPiecesAndBranches) {
  Surface open = cube();
  open.triangles.pop_back();
  repair(open);
  EXPECT_EQ(find_defects(open).open_edges, 3u);

  Surface two = both(cube(), box({3, 0, 0}, {4, 1, 1}));
  repair(two);
  EXPECT_EQ(find_defects(two).pieces, 2u);
  EXPECT_EQ(find_defects(two).open_edges, 0u);

  Surface touching = both(cube(), box({1, 1, 0}, {2, 2, 1}));  // along one edge
  repair(touching);
  EXPECT_EQ(find_defects(touching).branched_edges, 1u);
}

TEST(Surface, AMoebiusStripHasNoInside) {
  Surface s;
  const int n = 12;
  for (int i = 0; i < n; ++i) {
    const double a = 2 * M_PI * i / n, h = a / 2;
    for (const double w : {-0.3, 0.3}) {
      s.vertices.push_back({(1 + w * std::cos(h)) * std::cos(a), (1 + w * std::cos(h)) * std::sin(a), w * std::sin(h)});
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t a = 2 * i, b = a + 1;
    const std::uint32_t c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? a + 3 : 0;  // the last joins turned over
    s.triangles.push_back({a, c, b}), s.triangles.push_back({b, c, d});
  }
  repair(s);
  EXPECT_FALSE(find_defects(s).orientable);
}

TEST(Surface, FindsTrianglesThatCutThroughEachOther) {
  Surface crossed = both(cube(), box({0.5, 0.25, 0.3}, {1.5, 0.75, 0.8}));
  repair(crossed);
  const Crossings c = find_crossings(crossed);
  EXPECT_GE(c.count, 4u);
  EXPECT_TRUE(c.complete);
  EXPECT_LE(c.at.x, 1.5);
  // Touching is no crossing: a face in a face, an edge on a face, a corner on a face.
  for (const Surface& other :
       {box({1, 0, 0}, {2, 1, 1}), box({1, 0.2, 0.2}, {2, 0.8, 0.8}), box({0, 0, 1}, {1, 1, 2})}) {
    Surface touching = both(cube(), other);
    repair(touching);
    EXPECT_EQ(find_crossings(touching).count, 0u);
  }
  // An octahedron's top pulled down and out through its side.
  Surface bow;
  bow.vertices = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {3, 0.2, -0.5}, {0, 0, -1}};
  bow.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}};
  repair(bow);
  EXPECT_GE(find_crossings(bow).count, 1u);
}

TEST(Surface, MeasuresTheDeepestDent) {
  for (const double depth : {0.001, 0.05, 0.4}) {
    Surface s;  // a cube whose top is a pit of four triangles
    s.vertices = {
        {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 1 - depth}};
    s.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5}, {2, 3, 7},
                   {2, 7, 6}, {3, 0, 4}, {3, 4, 7}, {4, 5, 8}, {5, 6, 8}, {6, 7, 8}, {7, 4, 8}};
    repair(s);
    EXPECT_EQ(find_defects(s).open_edges, 0u);
    EXPECT_NEAR(deepest_dent(s, *convex_hull(s.vertices)), depth, 1e-12);
  }
}

TEST(Surface, EmptyAndSinglePointsAreHarmless) {
  Surface s;
  repair(s);
  EXPECT_EQ(extent(s), 0);
  EXPECT_EQ(find_defects(s).pieces, 0u);
  s.vertices = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  s.triangles = {{0, 1, 2}};
  repair(s);
  EXPECT_EQ(find_crossings(s).count, 0u);
}

}  // namespace
}  // namespace scree

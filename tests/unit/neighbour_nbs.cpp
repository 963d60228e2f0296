// LIBS: scree_neighbour
// What NBS promises beyond the list that every method gives: which pairs it compares, and how little it keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "neighbour/nbs.h"

namespace scree {
namespace {

using neighbour::Bodies;
using neighbour::Nbs;

struct Set {
  std::vector<Vec3> x;
  std::vector<double> r;
};

/// Munjiza & Andrews (1998), Figs. 13 to 19: discs of diameter 1, `columns` in a row.
Set packing(int columns, int rows, double dx, double dy) {
  Set s;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) s.x.push_back({dx * i, dy * j, 0}), s.r.push_back(0.5);
  }
  return s;
}

Set random_set(int n, Vec3 side, double r) {
  Random u(5);
  Set s;
  for (int i = 0; i < n; ++i) {
    s.x.push_back({u.uniform(0, side.x), u.uniform(0, side.y), u.uniform(0, side.z)}), s.r.push_back(r);
  }
  return s;
}

/// Pairs whose cells of length 1 touch.
std::uint64_t pairs_in_touching_cells(const Set& s) {
  Vec3 low = s.x[0];
  for (const Vec3& p : s.x) low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
  std::uint64_t n = 0;
  for (std::size_t a = 0; a < s.x.size(); ++a) {
    for (std::size_t b = a + 1; b < s.x.size(); ++b) {
      bool touch = true;
      for (std::size_t k = 0; k < 3; ++k) {
        touch = touch && std::abs(std::floor(s.x[a][k] - low[k]) - std::floor(s.x[b][k] - low[k])) <= 1;
      }
      n += touch;
    }
  }
  return n;
}

TEST(Nbs, ComparesThePairsOfTouchingCellsAndNoOthers) {
  Nbs nbs;
  std::vector<neighbour::Pair> found;
  for (const Vec3 side : {Vec3{8, 8, 8}, Vec3{1.5, 30, 9}, Vec3{30, 9, 1.5}, Vec3{0.5, 0.5, 50}, Vec3{2.5, 0.1, 0.1}}) {
    const Set s = random_set(400, side, 0.5);
    ASSERT_TRUE(nbs.find({s.x, s.r}, found));
    EXPECT_EQ(nbs.checked(), pairs_in_touching_cells(s));
  }
  Set flat = random_set(400, {20, 15, 0}, 0.5);
  ASSERT_TRUE(nbs.find({.x = flat.x, .r = flat.r, .dimensions = 2}, found));
  EXPECT_EQ(nbs.checked(), pairs_in_touching_cells(flat));
}

// Eq. 13 and its like in three dimensions; each axis has one cell past the last.
TEST(Nbs, KeepsTheIntegersOfThePaper) {
  Nbs nbs;
  std::vector<neighbour::Pair> found;
  // Spacings in whole cells are a rounding away from a border: 0.99 of a cell is within.
  const Set s = packing(100, 100, 1.99, 200 - 0.01);
  const std::size_t n = 10000, columns = 197 + 1 + 1, rows = 19799 + 1 + 1;
  ASSERT_TRUE(nbs.find({.x = s.x, .r = s.r, .dimensions = 2}, found));
  EXPECT_EQ(nbs.integers(), rows + 2 * columns + 2 * n);
  EXPECT_TRUE(found.empty());
  const Set solid = random_set(1000, {20, 20, 20}, 0.5);
  ASSERT_TRUE(nbs.find({solid.x, solid.r}, found));
  EXPECT_EQ(nbs.integers(), 21 + 2 * 21 + 5 * 21 + 3 * 1000u);
}

TEST(Nbs, MemoryGrowsWithBodiesAndNeverWithSpace) {
  std::vector<neighbour::Pair> found;
  for (const double far : {1e3, 1e6, 1e9, 1e12, 1e100}) {
    for (const int dimensions : {2, 3}) {
      Nbs nbs;
      const std::vector<Vec3> x{{0, 0, 0}, {far, far, 0}, {far, 0, 0}};
      const std::vector<double> r{0.5, 0.5, 0.5};
      ASSERT_TRUE(nbs.find({.x = x, .r = r, .dimensions = dimensions}, found));
      EXPECT_LT(nbs.bytes(), 200000u) << far;
      EXPECT_LE(nbs.checked(), far > 1e10 ? 3u : 0u) << far;
    }
  }
}

}  // namespace
}  // namespace scree

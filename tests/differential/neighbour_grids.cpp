// LIBS: scree_neighbour
// The sorted grid and the multi-level grid find the same list as brute force, whatever the set, the frame, the
// numbering, the cells, the periodic axes and the threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/random.h"
#include "exec/parallel.h"
#include "neighbour/brute_force.h"
#include "neighbour/multi_level_grid.h"
#include "neighbour/size_levels.h"
#include "neighbour/sorted_grid.h"
#include "oracle/body_sets.h"

namespace scree {
namespace {

using neighbour::Bodies;
using neighbour::Domain;
using neighbour::Pair;
using oracle::lattice, oracle::random_set, oracle::Set;

/// Heaps of n bodies each, as far apart as `far` (m).
Set heaps(const std::string& name, int count, int n, double far, double ratio, std::uint64_t seed) {
  Random u(seed);
  Set s{name, {}, {}, 0.01};
  for (int h = 0; h < count; ++h) {
    const Vec3 middle{u.uniform(-far, far), u.uniform(-far, far), u.uniform(-far, far)};
    for (int i = 0; i < n; ++i) {
      s.x.push_back(middle + (3 * u.uniform()) * u.direction());
      s.r.push_back(0.2 * std::pow(ratio, -u.uniform()));
    }
  }
  return s;
}

/// Bodies on both borders of a periodic box, one unit in the last place inside them and within reach of them.
Set on_the_seam(Vec3 low, double side, std::array<bool, 3> periodic, bool sizes, std::uint64_t seed) {
  Random u(seed);
  Set s{"on the seam", {}, {}, 0.02, {low, low + Vec3{side, side, side}, periodic}};
  for (int i = 0; i < 350; ++i) {
    Vec3 p = low + Vec3{u.uniform(0, side), u.uniform(0, side), u.uniform(0, side)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double at[] = {s.domain.low[axis], s.domain.high[axis], std::nextafter(s.domain.low[axis], 1e9),
                           std::nextafter(s.domain.high[axis], -1e9)};
      const std::size_t which = u.below(8);
      if (which < 4) p[axis] = at[which];
    }
    s.x.push_back(p);
    s.r.push_back(sizes ? 0.24 * side * std::pow(20.0, -u.uniform()) : 0.05 * side);
  }
  return s;
}

/// Dust, pebbles and boulders, 1:10:100: three levels.
Set three_sizes(const std::string& name, double far, std::uint64_t seed) {
  Random u(seed);
  Set s{name, {}, {}, 0.001};
  std::vector<Vec3> at;
  for (int h = 0; h < (far > 0 ? 3 : 1); ++h) {
    at.push_back({u.uniform(-far, far), u.uniform(-far, far), u.uniform(-far, far)});
  }
  const double side = far > 0 ? 2 : 8;
  for (int i = 0; i < 900; ++i) {
    s.x.push_back(at[u.below(at.size())] + Vec3{u.uniform(0, side), u.uniform(0, side), u.uniform(0, side)});
    s.r.push_back((i % 300 == 150 ? 2.0 : (i % 30 == 7 ? 0.2 : 0.02)) * u.uniform(0.9, 1));
  }
  return s;
}

std::vector<Set> sets() {
  std::vector<Set> all;
  all.push_back({"empty", {}, {}, 0.1});
  all.push_back({"single", {{1, 2, 3}}, {0.5}, 0.1});
  all.push_back({"two", {{1, 2, 3}, {1, 2, 3.9}}, {0.5, 0.5}, 0});
  all.push_back({"coincident", std::vector<Vec3>(70, Vec3{1, 2, 3}), std::vector<double>(70, 0.5), 0});
  all.push_back({"points without extent", {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {0, 0, 0}, 0});
  all.push_back({"points on one spot, with a margin", {{5, 5, 5}, {5, 5, 5}}, {0, 0}, 1e-3});
  all.push_back(random_set("random", 400, {10, 10, 10}, 0.5, 0.5, 0.05, 1));
  all.push_back(random_set("random, long", 400, {500, 2, 3}, 0.5, 0.5, 0.05, 1));
  all.push_back(random_set("dense", 150, {2, 2, 2}, 0.5, 0.5, 0, 2));
  all.push_back(random_set("sizes 1:1.4", 300, {9, 9, 9}, 0.5, 0.7, 0.02, 3));
  all.push_back(random_set("sizes 1:12", 400, {12, 12, 12}, 0.1, 1.2, 0.02, 4));
  all.push_back(random_set("sizes 1:100", 500, {12, 12, 12}, 0.02, 2, 0.01, 5));
  all.push_back(random_set("sizes 1:1e9", 300, {12, 12, 12}, 2e-9, 2, 0, 5));
  all.push_back(three_sizes("three sizes", 0, 15));
  all.push_back(three_sizes("three sizes, heaps far apart", 1e6, 16));
  all.push_back(three_sizes("three sizes, periodic", 0, 17));
  all.back().domain = {{0, 0, 0}, {8.5, 8.2, 8.2}, {true, true, true}};
  all.push_back(three_sizes("three sizes, discs", 0, 18));
  all.back().dimensions = 2;
  for (Vec3& p : all.back().x) p.z = -3;
  Set giant = random_set("one giant among dust", 400, {20, 20, 20}, 0.05, 0.06, 0.01, 6);
  giant.r[17] = 8;
  all.push_back(giant);
  giant.x[17] = {1e5, 0, 0}, giant.r[17] = 1e5 - 4;
  all.push_back(giant);
  Set flat = random_set("discs", 400, {20, 20, 0}, 0.3, 0.6, 0.01, 7);
  flat.dimensions = 2;
  all.push_back(flat);
  for (Vec3& p : flat.x) p.z = 4.2;
  flat.domain = {{0, 0, 0}, {20, 20, 20}, {false, true, true}};
  all.push_back(flat);
  all.push_back(heaps("heaps", 6, 60, 500, 1, 8));
  all.push_back(heaps("heaps far apart", 8, 60, 1e6, 1, 9));
  all.push_back(heaps("mixed heaps far apart", 8, 60, 1e6, 30, 10));
  all.push_back(lattice("lattice, just overlapping", 1 - 1e-15, 0.5, {}, 6));
  all.push_back(lattice("lattice, exactly touching", 1, 0.5, {}, 6));
  all.push_back(lattice("lattice, decimal spacing", 0.2, 0.1, {0.3, 0.7, -0.1}, 6));
  all.push_back(lattice("lattice, decimal, far off", 0.2 * (1 - 1e-12), 0.1, {1e6, -1e6, 1e6}, 6));
  all.push_back(lattice("thin lattice", 40000, 0.5, {}, 6));
  for (int axes = 1; axes < 8; ++axes) {
    const std::array<bool, 3> periodic{(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0};
    all.push_back(on_the_seam({-1, 2, 0.1}, 3, periodic, false, 11));
    all.push_back(on_the_seam({1e5, -1e5, 0.3}, 1.1, periodic, true, 12));
  }
  Set wide = lattice("periodic lattice", 1, 0.5000001, {}, 6);
  wide.domain = {{0, 0, 0}, {6, 6, 6}, {true, true, true}};
  all.push_back(wide);
  return all;
}

struct Searches {
  neighbour::SortedGrid sorted;
  neighbour::MultiLevelGrid levels;
};

/// Levels of a factor each, also where one grid for all would be faster.
std::vector<neighbour::SizeLevel> levels_by(double factor, const Set& s) {
  std::vector<double> r = s.r;
  std::sort(r.begin(), r.end());
  std::vector<neighbour::SizeLevel> levels;
  for (const double size : r) {
    if (levels.empty() || size > factor * levels.back().smallest) levels.push_back({0, size, size});
    ++levels.back().count;
    levels.back().largest = size;
  }
  return levels;
}

/// Both methods, on searches that other sets have used before.
void expect_list(Searches& search, const Set& s, double cell, const std::vector<Pair>& expected) {
  std::vector<Pair> found{{7, 7}};
  search.sorted.find(s.bodies(cell), found);
  EXPECT_TRUE(found == expected) << "sorted_grid, " << s.name << ", cells times " << cell;
  found.assign(3, {7, 7});
  search.levels.find(s.bodies(cell), found);
  EXPECT_TRUE(found == expected) << "multi_level_grid, " << s.name << ", cells times " << cell;
  for (const double factor : {1.3, 2.0}) {
    const auto levels = levels_by(factor, s);
    if (levels.size() > 40) continue;
    found.assign(3, {7, 7});
    search.levels.find(s.bodies(cell), levels, found);
    EXPECT_TRUE(found == expected) << levels.size() << " levels, " << s.name << ", cells times " << cell;
  }
}

std::vector<Pair> reference(const Set& s) {
  std::vector<Pair> pairs;
  neighbour::brute_force(s.bodies(), pairs);
  return pairs;
}

class Grids : public testing::Test {
 protected:
  void TearDown() override { exec::set_threads(0); }
};

TEST_F(Grids, FindWhatBruteForceFinds) {
  Searches search;
  std::size_t of_levels = 0;
  for (const Set& s : sets()) {
    of_levels += levels_by(2, s).size() > 2 ? 1 : 0;
    const std::vector<Pair> expected = reference(s);
    for (const double cell : {0.5, 0.77, 1.0, 2.0, 4.0}) expect_list(search, s, cell, expected);
  }
  EXPECT_GE(of_levels, 10U) << "sets searched in three levels or more";
}

TEST_F(Grids, SameListInATranslatedOrTurnedFrame) {
  Searches search;
  for (const Set& s : sets()) {
    Set moved = s;
    for (Vec3& p : moved.x) p += Vec3{1000, 1000, s.dimensions == 2 ? 0.0 : 1000.0};
    moved.domain.low += Vec3{1000, 1000, 1000}, moved.domain.high += Vec3{1000, 1000, 1000};
    for (Vec3& p : moved.x) {  // rounding may have carried a body across the border
      for (std::size_t a = 0; a < 3; ++a) {
        if (s.domain.periodic[a]) p[a] = std::clamp(p[a], moved.domain.low[a], moved.domain.high[a]);
      }
    }
    expect_list(search, moved, 1, reference(moved));
    Set turned = s;
    for (Vec3& p : turned.x) p = {-p.y, p.x, p.z};
    std::swap(turned.domain.periodic[0], turned.domain.periodic[1]);
    turned.domain.low = {-s.domain.high.y, s.domain.low.x, s.domain.low.z};
    turned.domain.high = {-s.domain.low.y, s.domain.high.x, s.domain.high.z};
    const std::vector<Pair> expected = reference(turned);
    EXPECT_EQ(expected, reference(s)) << s.name;
    expect_list(search, turned, 1, expected);
  }
}

TEST_F(Grids, RenumberingRenumbersTheList) {
  Searches search;
  Random u(42);
  for (const Set& s : sets()) {
    const auto n = static_cast<std::uint32_t>(s.x.size());
    std::vector<std::uint32_t> place(n);
    std::iota(place.begin(), place.end(), 0u);
    for (std::uint32_t i = n; i > 1; --i) std::swap(place[i - 1], place[u.below(i)]);
    Set shuffled = s;
    for (std::uint32_t i = 0; i < n; ++i) shuffled.x[place[i]] = s.x[i], shuffled.r[place[i]] = s.r[i];
    std::vector<Pair> expected;
    for (const auto& [a, b] : reference(s))
      expected.emplace_back(std::min(place[a], place[b]), std::max(place[a], place[b]));
    std::sort(expected.begin(), expected.end());
    expect_list(search, shuffled, 1, expected);
  }
}

// Large enough for several chunks of every loop.
TEST_F(Grids, SameListOnAnyNumberOfThreads) {
  std::vector<Set> large;
  large.push_back(random_set("20000", 40000, {33, 33, 33}, 0.5, 0.5, 0.05, 21));
  large.push_back(random_set("20000, mixed", 30000, {60, 60, 60}, 0.05, 2, 0.02, 22));
  large.push_back(heaps("20000 in heaps", 40, 500, 1e6, 3, 23));
  large.push_back(random_set("periodic", 20000, {25, 25, 25}, 0.2, 0.6, 0.05, 24));
  large.back().domain = {{0, 0, 0}, {25, 25, 25}, {true, true, true}};
  for (const Set& s : large) {
    exec::set_threads(1);
    std::vector<Pair> expected, found;
    neighbour::SortedGrid one;
    one.find(s.bodies(), expected);
    EXPECT_TRUE(std::is_sorted(expected.begin(), expected.end()));
    EXPECT_GT(expected.size(), s.x.size() / 4) << s.name;
    // Brute force for the partners of some.
    for (std::uint32_t a = 0; a < s.x.size(); a += 997) {
      std::vector<Pair> of_a;
      for (std::uint32_t b = a + 1; b < s.x.size(); ++b) {
        if (neighbour::meets(s.bodies(), a, b)) of_a.emplace_back(a, b);
      }
      const auto lower = std::lower_bound(expected.begin(), expected.end(), Pair{a, 0}),
                 upper = std::lower_bound(expected.begin(), expected.end(), Pair{a + 1, 0});
      EXPECT_EQ(std::vector<Pair>(lower, upper), of_a) << s.name << ", body " << a;
    }
    for (const int threads : {1, 2, 4}) {
      exec::set_threads(threads);
      Searches search;
      expect_list(search, s, 1, expected);
      expect_list(search, s, 0.5, expected);
    }
  }
}

// r_a + r_b + margin, as `meets` rounds it, can exceed the exact reach; a border of the grid in that crack must not
// part the pair.
TEST_F(Grids, RoundingAtABorderLosesNoPair) {
  Random u(13);
  Searches search;
  std::ptrdiff_t kept = 0;
  for (int i = 0; i < 4000; ++i) {
    const double ra = u.uniform(0.1, 1), rb = u.below(2) ? ra : u.uniform(0.1, 1), margin = u.uniform(0, 0.1);
    const double far = u.below(2) ? 0.0 : u.uniform(-1e6, 1e6);
    Set s{"crack", {}, {ra, rb, 0.1, 0.1}, margin};
    const std::size_t axis = u.below(3);
    Vec3 a{far, far, far}, b = a;
    b[axis] += std::nextafter(ra + rb + margin, 0.0);
    s.x = {a, b, a, a};
    // Two more set the grid's origin and width, so that its borders fall anywhere.
    s.x[2][axis] -= u.uniform(0, 5), s.x[3][axis] += u.uniform(2, 9);
    const std::vector<Pair> expected = reference(s);
    kept += std::count(expected.begin(), expected.end(), Pair{0, 1});
    expect_list(search, s, u.uniform(0.5, 4), expected);
    if (HasFailure()) break;
  }
  EXPECT_GT(kept, 1000);
}

TEST_F(Grids, AbsurdCellsAndSpansStillEnd) {
  Searches search;
  const Set s = random_set("wide", 200, {1e5, 1e5, 1e5}, 1, 100, 0.1, 12);
  for (const double cell : {1e-300, 1e-12, 1e-3, 1e3, 1e12, 1e300}) expect_list(search, s, cell, reference(s));
  Set far = random_set("dust at the ends of the world", 200, {1, 1, 1}, 0.01, 0.02, 0, 14);
  for (std::size_t i = 0; i < far.x.size(); i += 2) far.x[i] += Vec3{1e300, -1e300, 1e12};
  expect_list(search, far, 1, reference(far));
  for (std::size_t i = 0; i < far.x.size(); i += 3) far.x[i].x = -1.7e308;
  expect_list(search, far, 1, reference(far));
}

TEST(SizeLevels, OneForLikeSizesMoreForUnlike) {
  const auto levels = [](const Set& s) { return neighbour::choose_levels(s.bodies()).levels; };
  EXPECT_TRUE(levels({"empty", {}, {}, 0}).empty());
  EXPECT_EQ(levels(random_set("alike", 5000, {20, 20, 20}, 0.5, 0.7, 0.05, 41)).size(), 1U);
  Set giant = random_set("a giant", 5000, {40, 40, 40}, 0.4, 0.5, 0.05, 42);
  giant.r[17] = 10;
  const auto found = levels(giant);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].count, 4999U);
  EXPECT_EQ(found[1].count, 1U);
  EXPECT_EQ(found[1].smallest, 10);
  EXPECT_EQ(found[1].largest, 10);
  std::erase(giant.r, 10);
  EXPECT_EQ(found[0].smallest, *std::min_element(giant.r.begin(), giant.r.end()));
  EXPECT_EQ(found[0].largest, *std::max_element(giant.r.begin(), giant.r.end()));
}

TEST(AutomaticChoice, FollowsNumberAndSpectrumAndSaysWhy) {
  const auto choice = [](const Set& s) { return neighbour::choose(s.bodies()); };
  EXPECT_EQ(choice({"empty", {}, {}, 0}).method, neighbour::Method::brute_force);
  const auto few = choice(random_set("few", 20, {3, 3, 3}, 0.5, 0.7, 0.05, 51));
  EXPECT_EQ(few.method, neighbour::Method::brute_force);
  EXPECT_NE(few.why.find("20 bodies"), std::string::npos) << few.why;
  const auto alike = choice(random_set("alike", 5000, {20, 20, 20}, 0.5, 0.7, 0.05, 52));
  EXPECT_EQ(alike.method, neighbour::Method::sorted_grid);
  EXPECT_NE(alike.why.find("1:1.4,"), std::string::npos) << alike.why;
  Set mixed = random_set("mixed", 20000, {40, 40, 40}, 0.5, 0.5, 0.05, 53);
  for (std::size_t i = 0; i < 5; ++i) mixed.r[100 * i] = 6;
  const auto levels = choice(mixed);
  EXPECT_EQ(levels.method, neighbour::Method::multi_level_grid);
  EXPECT_NE(levels.why.find("1:12,"), std::string::npos) << levels.why;
  EXPECT_NE(levels.why.find("2 levels"), std::string::npos) << levels.why;
}

// Memory follows the number of bodies, never the space between them.
TEST_F(Grids, EmptySpaceTakesNoMemory) {
  const auto bytes_per_body = [](double far) {
    Set s = heaps("heaps", 20, 100, far, 1, 31);
    Searches search;
    std::vector<Pair> found;
    search.sorted.find(s.bodies(), found);
    search.levels.find(s.bodies(), found);
    return static_cast<double>(search.sorted.bytes() + search.levels.bytes()) / static_cast<double>(s.x.size());
  };
  const double near = bytes_per_body(10);
  for (const double far : {1e3, 1e6, 1e9}) EXPECT_LT(bytes_per_body(far), 1.5 * near) << far;
  EXPECT_LT(near, 400);
}

}  // namespace
}  // namespace scree

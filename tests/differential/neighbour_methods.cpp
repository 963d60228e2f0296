// LIBS: scree_neighbour
// Every method finds the same list as brute force, whatever the set, the frame, the numbering, the cells, the periodic
// axes, the threads and what was searched before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <string>

#include "base/random.h"
#include "exec/parallel.h"
#include "neighbour/brute_force.h"
#include "neighbour/two_level.h"
#include "oracle/body_sets.h"

namespace scree {
namespace {

using neighbour::Bodies;
using neighbour::Domain;
using neighbour::Method;
using neighbour::Pair;
using neighbour::Search;
using oracle::lattice, oracle::random_set, oracle::Set;

std::vector<Pair> reference(const Set& s) {
  std::vector<Pair> pairs;
  neighbour::brute_force(s.bodies(), pairs);
  return pairs;
}

// ---- Sets -----------------------------------------------------------------------------------------------------------

Set flat(Set s, double z, int dimensions) {
  s.name += dimensions == 2 ? ", discs" : ", in a layer";
  for (Vec3& p : s.x) p.z = z;
  s.dimensions = dimensions;
  return s;
}

Set clustered(std::uint64_t seed) {
  Random u(seed);
  Set s{"clustered", {}, {}, 0.01};
  s.generic = true;
  for (int c = 0; c < 6; ++c) {
    const Vec3 middle{u.uniform(-500, 500), u.uniform(-500, 500), u.uniform(-500, 500)};
    for (int i = 0; i < 50; ++i)
      s.x.push_back(middle + u.uniform() * u.direction()), s.r.push_back(u.uniform(0.05, 0.2));
  }
  return s;
}

/// Chains whose spheres overlap by one or two units in the last place of their radius, each far from the last.
Set barely_touching(double far, std::uint64_t seed) {
  Random u(seed);
  Set s{"barely touching at " + std::to_string(far), {}, {}, 0};
  for (int i = 0; i < 200; ++i) {
    const double r = u.uniform(0.3, 1.5);
    const Vec3 at{far + 10.0 * (i % 7), far + 10.0 * (i / 7 % 7), far + 10.0 * (i / 49)};
    Vec3 b = at;
    b[u.below(3)] += 2 * r;
    s.x.push_back(at), s.x.push_back(b);
    const double gap = norm(b - at);  // as it came out after rounding
    s.r.push_back(std::nextafter(gap / 2, 10.0)), s.r.push_back(std::nextafter(gap / 2, u.below(2) ? 10.0 : 0.0));
  }
  return s;
}

/// A heap and one body so far away that cells between them are past counting.
Set one_far_away(double far) {
  Set s = random_set("one body far away", 300, 6, 0.3, 0.6, 0, 21);
  s.x[123] = {far, -far, far};
  return s;
}

std::vector<Set> open_sets() {
  std::vector<Set> all;
  all.push_back({"empty", {}, {}, 0.1});
  all.push_back({"single", {{1, 2, 3}}, {0.5}, 0.1});
  all.push_back({"coincident", std::vector<Vec3>(20, Vec3{1, 2, 3}), std::vector<double>(20, 0.5), 0});
  all.push_back({"almost points", {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {1e-100, 1e-100, 1e-100}, 0});
  all.push_back({"almost points, with a margin", {{5, 5, 5}, {5, 5, 5}}, {1e-100, 1e-100}, 1e-3});
  all.push_back(random_set("random", 300, 10, 0.5, 0.5, 0.05, 1));
  all.push_back(random_set("dense", 150, 2, 0.5, 0.5, 0, 2));
  all.push_back(random_set("sizes 1:4", 300, 12, 0.25, 1, 0.02, 3));
  all.push_back(random_set("sizes 1:12", 300, 12, 0.1, 1.2, 0.02, 4));
  all.push_back(random_set("sizes 1:100", 400, 12, 0.02, 2, 0.01, 5));
  Set one_giant = random_set("one giant among dust", 300, 20, 0.05, 0.06, 0.01, 6);
  one_giant.r[17] = 8;
  all.push_back(one_giant);
  all.push_back(flat(random_set("random", 300, 20, 0.3, 0.6, 0.01, 7), 0, 3));
  all.push_back(flat(random_set("random", 300, 20, 0.3, 0.6, 0.01, 7), 3.7, 2));
  all.push_back(flat(random_set("sizes 1:100", 400, 40, 0.03, 3, 0.01, 14), -1, 2));
  Set row = random_set("a row", 300, 200, 0.3, 0.6, 0.01, 15);
  for (Vec3& p : row.x) p.y = p.z = 1;
  all.push_back(row);
  all.push_back(clustered(8));
  all.push_back(one_far_away(1e9));
  all.push_back(one_far_away(1e15));
  all.push_back(lattice("lattice, just overlapping", 1 - 1e-15, 0.5, {}, 6));
  all.push_back(lattice("lattice, exactly touching", 1, 0.5, {}, 6));
  all.push_back(lattice("lattice, decimal spacing", 0.2, 0.1, {0.3, 0.7, -0.1}, 6));
  all.push_back(lattice("lattice, decimal, far off", 0.2 * (1 - 1e-12), 0.1, {1e6, -1e6, 1e6}, 6));
  all.push_back(barely_touching(0, 9));
  all.push_back(barely_touching(1e6, 10));
  all.push_back(barely_touching(-3e5, 11));
  return all;
}

/// `s` in a domain of these periods along the axes of the mask, from `low`; bodies outside are put back inside, some of
/// them exactly onto the borders.
Set periodic(Set s, unsigned axes, Vec3 low, Vec3 period, std::uint64_t seed) {
  Random u(seed);
  s.name += ", periodic axes " + std::to_string(axes) + ", periods from " + std::to_string(period.x);
  s.domain.low = low, s.domain.high = low + period;
  for (std::size_t k = 0; k < 3; ++k) {
    s.domain.periodic[k] = (axes >> k & 1u) != 0;
    if (!s.domain.periodic[k]) continue;
    for (Vec3& p : s.x) {
      p[k] = std::clamp(low[k] + std::fmod(p[k], period[k]), low[k], s.domain.high[k]);
      if (s.dimensions == 3 && u.below(15) == 0) p[k] = u.below(2) ? low[k] : s.domain.high[k];
    }
  }
  s.generic = false;  // borders
  return s;
}

/// Pairs across the border of a periodic axis that overlap or miss by an ulp or two.
Set touching_across(std::uint64_t seed) {
  Random u(seed);
  Set s{"touching across the border", {}, {}, 0};
  const double period = 37.3;
  s.domain = {{-11.1, -11.1, -11.1}, {-11.1 + period, -11.1 + period, -11.1 + period}, {true, true, true}};
  for (int i = 0; i < 100; ++i) {
    const double r = u.uniform(0.3, 1.5);
    Vec3 a = s.domain.low + Vec3{u.uniform(0, period), u.uniform(0, period), u.uniform(0, period)}, b = a;
    const std::size_t k = u.below(3);
    a[k] = s.domain.low[k] + u.uniform(0, r), b[k] = std::min(a[k] + period - 2 * r, s.domain.high[k]);
    const double gap = norm(neighbour::nearest_image(s.domain, b - a));
    s.x.push_back(a), s.x.push_back(b);
    s.r.push_back(std::nextafter(gap / 2, 10.0)), s.r.push_back(std::nextafter(gap / 2, u.below(2) ? 10.0 : 0.0));
  }
  return s;
}

std::vector<Set> periodic_sets() {
  std::vector<Set> all;
  for (unsigned axes = 1; axes < 8; ++axes) {
    const std::uint64_t seed = 100 + axes;
    all.push_back(periodic(random_set("random", 200, 30, 0.5, 0.5, 0.05, seed), axes, {-3, 5, 0.1}, {8, 7, 9}, seed));
    // Periods of little more than twice the longest reach (2.04), of two cells, of three and of four.
    all.push_back(periodic(random_set("sizes 1:12", 60, 30, 0.08, 1, 0.04, seed), axes, {-3, 5, 0.1},
                           {std::nextafter(4.08, 5.0) + 1e-15, 4.3, 6.2}, seed));
    all.push_back(
        periodic(random_set("sizes 1:12", 60, 30, 0.08, 1, 0.04, seed), axes, {1e3, 0, -1e3}, {6.13, 8.2, 4.1}, seed));
    all.push_back(
        periodic(random_set("sizes 1:100", 200, 30, 0.02, 2, 0, seed), axes, {-7, -7, -7}, {14, 14.1, 8.1}, seed));
    all.push_back(periodic(random_set("thin", 200, 1e7, 0.3, 0.6, 0, seed), axes, {0, 0, 0}, {1e7, 7, 7}, seed));
  }
  for (unsigned axes = 1; axes < 4; ++axes) {
    all.push_back(
        periodic(flat(random_set("random", 200, 30, 0.3, 0.6, 0.01, axes), 2.5, 2), axes, {-3, 5, 0}, {9, 8, 1}, axes));
  }
  all.push_back(touching_across(31));
  all.push_back({"coincident and periodic",
                 std::vector<Vec3>(20, Vec3{1, 2, 3}),
                 std::vector<double>(20, 0.5),
                 0,
                 {{1, 0, 0}, {9, 9, 9}, {true, true, true}}});
  return all;
}

std::vector<Set> sets() {
  std::vector<Set> all = open_sets();
  for (Set& s : periodic_sets()) all.push_back(std::move(s));
  return all;
}

// ---- Frames ---------------------------------------------------------------------------------------------------------

Set moved(Set s, Vec3 shift) {
  for (Vec3& p : s.x) p += shift;
  s.domain.low += shift, s.domain.high += shift;
  // Rounding may have put a body outside.
  for (std::size_t k = 0; k < 3; ++k) {
    if (!s.domain.periodic[k]) continue;
    for (Vec3& p : s.x) p[k] = std::clamp(p[k], s.domain.low[k], s.domain.high[k]);
  }
  return s;
}

/// By 90 degrees about z: every distance keeps its bits.
Set turned(Set s) {
  for (Vec3& p : s.x) p = {-p.y, p.x, p.z};
  const Domain d = s.domain;
  s.domain = {
      {-d.high.y, d.low.x, d.low.z}, {-d.low.y, d.high.x, d.high.z}, {d.periodic[1], d.periodic[0], d.periodic[2]}};
  return s;
}

/// x to y, y to z, z to x.
Set cycled(Set s) {
  const auto cycle = [](Vec3 v) { return Vec3{v.z, v.x, v.y}; };
  for (Vec3& p : s.x) p = cycle(p);
  s.domain = {
      cycle(s.domain.low), cycle(s.domain.high), {s.domain.periodic[2], s.domain.periodic[0], s.domain.periodic[1]}};
  return s;
}

// ---- Tests ----------------------------------------------------------------------------------------------------------

class EveryMethod : public testing::TestWithParam<Method> {
 protected:
  void TearDown() override { exec::set_threads(0); }

  /// One object throughout: nothing may be left over from the last search.
  void expect_same_list(const Set& s) {
    const std::vector<Pair> expected = reference(s);
    for (const double cell : {0.5, 1.0 / 3, 1.0, 2.0, 2.7, 4.0}) {
      const Status status = search.find(GetParam(), s.bodies(cell), found);
      ASSERT_TRUE(status) << s.name << ": " << status.error().message;
      ASSERT_EQ(found, expected) << s.name << ", cell factor " << cell;
    }
  }

  Search search;
  std::vector<Pair> found;
};

TEST_P(EveryMethod, FindsWhatBruteForceFinds) {
  for (const int threads : {1, 2, 4}) {
    exec::set_threads(threads);
    for (const Set& s : sets()) expect_same_list(s);
  }
}

TEST_P(EveryMethod, SameListInATranslatedOrTurnedFrame) {
  for (const Set& s : sets()) {
    for (const Vec3 shift : {Vec3{1000, 1000, 1000}, Vec3{-0.3, 17, 1e3}, Vec3{1e6, 1e6, -1e6}}) {
      const Set there = moved(s, shift);
      if (s.generic) {
        EXPECT_EQ(reference(there), reference(s)) << s.name;
      }
      expect_same_list(there);
    }
    EXPECT_EQ(reference(turned(s)), reference(s)) << s.name;
    expect_same_list(turned(s));
    if (s.dimensions == 3) expect_same_list(cycled(turned(s)));
  }
}

TEST_P(EveryMethod, RenumberingRenumbersTheList) {
  for (const Set& s : sets()) {
    const auto n = static_cast<std::uint32_t>(s.x.size());
    std::vector<std::uint32_t> place(n);
    std::iota(place.begin(), place.end(), 0u);
    Random u(42);
    for (std::uint32_t i = n; i > 1; --i) std::swap(place[i - 1], place[u.below(i)]);
    Set shuffled = s;
    for (std::uint32_t i = 0; i < n; ++i) shuffled.x[place[i]] = s.x[i], shuffled.r[place[i]] = s.r[i];
    std::vector<Pair> expected;
    for (const auto& [a, b] : reference(s))
      expected.emplace_back(std::min(place[a], place[b]), std::max(place[a], place[b]));
    std::sort(expected.begin(), expected.end());
    ASSERT_TRUE(search.find(GetParam(), shuffled.bodies(), found));
    EXPECT_EQ(found, expected) << s.name;
  }
}

TEST_P(EveryMethod, SameListOfRandomSets) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random u(seed, 7);
    const double spread = std::pow(10, u.uniform(0, 2)), r = std::pow(10, u.uniform(-3, 3));
    const std::size_t n = u.below(120);
    Set s =
        random_set("seed " + std::to_string(seed), n, r * u.uniform(1, 40), r / spread, r, r * u.uniform(0, 0.2), seed);
    if (u.below(3) == 0) s = flat(s, u.uniform(-9, 9), 2);
    if (u.below(2) == 0) {
      const auto period = [&] { return r * (4.4 + 1e-9 + std::pow(u.uniform(), 3) * 30); };
      s = periodic(s, static_cast<unsigned>(u.below(s.dimensions == 2 ? 4 : 8)),
                   {u.uniform(-9, 9), u.uniform(-9, 9), u.uniform(-9, 9)}, {period(), period(), period()}, seed);
    }
    const std::vector<Pair> expected = reference(s);
    const Status status = search.find(GetParam(), s.bodies(u.uniform(0.5, 4)), found);
    ASSERT_TRUE(status) << s.name << ": " << status.error().message;
    ASSERT_EQ(found, expected) << s.name;
  }
}

/// Bodies that move, jump, come and go, while the search keeps what it likes from call to call.
TEST_P(EveryMethod, SameListAlongAMotion) {
  for (const unsigned axes : {0u, 5u, 7u}) {
    Set s = periodic(random_set("motion", 250, 9, 0.1, 0.8, 0.05, 3), axes, {}, {9, 9, 9}, 3);
    Random u(17);
    for (int step = 0; step < 50; ++step) {
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        s.x[i] += (step % 10 == 9 && i % 50 == 0 ? 5.0 : 0.1) * u.direction();
        for (std::size_t k = 0; k < 3; ++k) {
          if (!s.domain.periodic[k]) continue;
          if (s.x[i][k] < 0) s.x[i][k] += 9;
          if (s.x[i][k] > 9) s.x[i][k] -= 9;
          s.x[i][k] = std::clamp(s.x[i][k], 0.0, 9.0);
        }
      }
      if (step == 20) s.x.resize(200), s.r.resize(200);
      if (step == 30) s.x.push_back({1, 1, 1}), s.r.push_back(1.2);
      if (step == 35) std::swap(s.r[3], s.r[4]), std::swap(s.x[7], s.x[190]);
      const Status status = search.find(GetParam(), s.bodies(), found);
      ASSERT_TRUE(status) << status.error().message;
      ASSERT_EQ(found, reference(s)) << "step " << step << ", axes " << axes;
    }
  }
}

// r_a + r_b + margin, as brute force rounds it, can exceed what the two halves reach; a border of the cells in that
// crack must not part the pair.
TEST_P(EveryMethod, RoundingAtABorderLosesNoPair) {
  Random u(13);
  int cracks = 0;
  for (int i = 0; i < 20000; ++i) {
    const double ra = u.uniform(0.1, 1), rb = u.uniform(0.1, 1), margin = u.uniform(0, 0.1);
    const double d = std::nextafter(ra + rb + margin, 0.0), box = d - (rb + margin / 2);
    if (!(box > ra + margin / 2)) continue;
    ++cracks;
    const Set s{"crack", {{0, 0, 0}, {d, 0, 0}}, {ra, rb}, margin};
    ASSERT_TRUE(search.find(GetParam(), s.bodies(box / neighbour::two_level_box(s.r)), found));
    ASSERT_EQ(found, reference(s));
  }
  EXPECT_GT(cracks, 10);
}

// The same where cells are as long as the reach and so many that the number of a cell is rounded.
TEST_P(EveryMethod, RoundingOfFarCellsLosesNoPair) {
  Random u(14);
  for (int i = 0; i < 20000; ++i) {
    const double far = std::pow(10, u.uniform(0, 14.5)), a = far * u.uniform(1, 2), b = a + u.uniform(0.7, 1.4);
    if (a == b) continue;
    const double r = std::nextafter((b - a) / 2, 9.0);  // they overlap by an ulp or two of their radius
    const Set s{"crack", {{-far, 0, 0}, {a, 0, 0}, {b, 0, 0}}, {r, r, r}, 0};
    ASSERT_EQ(reference(s).size(), 1u);
    ASSERT_TRUE(search.find(GetParam(), s.bodies(), found));
    ASSERT_EQ(found, reference(s)) << "at " << far;
  }
}

// Images are a period apart but for rounding: pairs across a border that overlap by an ulp or two, far from the origin
// or near, with cells of any length.
TEST_P(EveryMethod, RoundingAtAPeriodicBorderLosesNoPair) {
  Random u(15);
  for (int i = 0; i < 20000; ++i) {
    const double period = u.uniform(7, 50), low = u.below(2) ? u.uniform(-1e5, 1e5) : 0, reach = u.uniform(1, 2.4);
    // Half of them touch at the border, which is one of cells too.
    const double share = u.uniform(0.3, 0.7), part = u.below(2) ? share : u.uniform();
    Set s{"crack", {{low + part * reach, 1, 1}, {0, 1, 1}}, {0, 0}, 0};
    s.domain = {{low, 0, 0}, {low + period, 9, 9}, {true, u.below(2) == 0, false}};
    s.x[1].x = std::clamp(s.x[0].x + period - reach, s.domain.low.x, s.domain.high.x);
    const double d = norm(neighbour::nearest_image(s.domain, s.x[1] - s.x[0]));
    s.r[0] = share * d, s.r[1] = d - s.r[0];
    while (!(s.r[0] + s.r[1] > d)) s.r[1] = std::nextafter(s.r[1], 9.0);
    ASSERT_EQ(reference(s).size(), 1u);
    ASSERT_TRUE(search.find(GetParam(), s.bodies(u.uniform(0.3, 1.5)), found));
    ASSERT_EQ(found, reference(s)) << "trial " << i;
  }
}

// A period of just more than twice the reach, and pairs half a period apart: nearly as near one way round as the other.
TEST_P(EveryMethod, PairsHalfAPeriodApartMeetOnce) {
  Random u(16);
  int met = 0;
  for (int i = 0; i < 20000; ++i) {
    const double r = u.uniform(0.5, 1), low = u.uniform(-3, 3);
    Set s{"halfway", {{low + u.uniform(0, 2 * r), 1, 1}, {0, 1, 1}}, {r, r}, 0};
    s.domain = {{low, 0, 0}, {low + 4 * r, 9, 9}, {true, false, false}};
    while (!(s.domain.high.x - low > 4 * r)) s.domain.high.x = std::nextafter(s.domain.high.x, 99.0);
    s.x[1].x = s.x[0].x + 2 * r;
    for (std::uint64_t ulps = u.below(5); ulps > 0; --ulps)
      s.x[1].x = std::nextafter(s.x[1].x, u.below(2) ? 99.0 : -99.0);
    if (s.x[1].x > s.domain.high.x) continue;
    if (u.below(2)) std::swap(s.x[0], s.x[1]);
    met += !reference(s).empty();
    const Status status = search.find(GetParam(), s.bodies(u.uniform(0.3, 1.5)), found);
    ASSERT_TRUE(status) << status.error().message;
    ASSERT_EQ(found, reference(s)) << "trial " << i;
  }
  EXPECT_GT(met, 3000);
}

TEST_P(EveryMethod, AbsurdCellsStillEnd) {
  const Set s = random_set("wide", 200, 1e5, 1, 100, 0.1, 12);
  const std::vector<Pair> expected = reference(s);
  for (const double cell : {1e-300, 1e-15, 1e-6, 1e-3, 1e3, 1e12, 1e300}) {
    ASSERT_TRUE(search.find(GetParam(), s.bodies(cell), found));
    EXPECT_EQ(found, expected) << "cell factor " << cell;
  }
}

std::string word(const testing::TestParamInfo<Method>& info) { return std::string(neighbour::name(info.param)); }

INSTANTIATE_TEST_SUITE_P(Neighbours, EveryMethod,
                         testing::Values(Method::brute_force, Method::nbs, Method::two_level, Method::dess,
                                         Method::sorted_grid, Method::multi_level_grid, Method::single_level,
                                         Method::multi_level),
                         word);

Set read_spheres(const std::string& path) {
  Set s{path, {}, {}, 0};
  std::ifstream in(path);
  double x, y, z, r;
  while (in >> x >> y >> z >> r) s.x.push_back({x, y, z}), s.r.push_back(r);
  return s;
}

class PublishedPairCounts : public testing::TestWithParam<Method> {
 protected:
  static void expect_counts(const std::string& file, std::size_t bodies,
                            const std::vector<std::pair<double, std::size_t>>& counts) {
    const std::string path = std::string(SCREE_SOURCE_DIR) + "/../shared/data/pairs/" + file;
    if (!std::ifstream(path)) GTEST_SKIP() << "the shared data folder is not beside this checkout: " << path;
    const Set s = read_spheres(path);
    ASSERT_EQ(s.x.size(), bodies);
    Search search;
    std::vector<Pair> found;
    for (const auto& [f, expected] : counts) {
      Set grown = s;
      for (double& r : grown.r) r *= f;
      const Status status = search.find(GetParam(), grown.bodies(), found);
      ASSERT_TRUE(status) << status.error().message;
      EXPECT_EQ(found.size(), expected) << "f " << f;
      if (bodies < 5000) {
        EXPECT_EQ(found, reference(grown)) << "f " << f;
      }
    }
  }
};

TEST_P(PublishedPairCounts, BidispersePile) {
  expect_counts("kleinert2048.xyzr", 2048, {{1.0, 154}, {1.05, 4328}, {1.2, 6225}, {1.5, 10139}});
}

TEST_P(PublishedPairCounts, PenetrationBed) {
  expect_counts("pen25k.xyzr", 25000, {{1.0, 53876}, {1.05, 76891}, {1.2, 105419}, {1.5, 164925}});
}

INSTANTIATE_TEST_SUITE_P(Neighbours, PublishedPairCounts,
                         testing::Values(Method::brute_force, Method::nbs, Method::two_level, Method::dess,
                                         Method::sorted_grid, Method::multi_level_grid, Method::single_level,
                                         Method::multi_level),
                         word);

}  // namespace
}  // namespace scree

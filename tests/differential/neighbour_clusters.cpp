// LIBS: scree_neighbour hwy::hwy
// Every search for contacts between clusters finds the list of brute force: clusters, fragments, single spheres,
// clusters inside others' bounding spheres, whatever the frame, the numbering, the cells, the periodic axes, the
// threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/random.h"
#include "exec/parallel.h"
#include "neighbour/bounding_spheres.h"
#include "neighbour/cluster_search.h"
#include "oracle/vector_widths.h"

namespace scree {
namespace {

using neighbour::Bodies;
using neighbour::ClusterMethod;
using neighbour::Clusters;
using neighbour::ClusterSearch;
using neighbour::Domain;
using neighbour::Pair;
using neighbour::Units;

constexpr ClusterMethod kFast[] = {ClusterMethod::single_level_max, ClusterMethod::single_level_min,
                                   ClusterMethod::multi_level, ClusterMethod::parts};

struct Set {
  std::string name;
  std::vector<Vec3> x;
  std::vector<double> r;
  std::vector<std::uint32_t> unit;
  double margin = 0;
  Domain domain{};

  std::uint32_t next_unit() const { return unit.empty() ? 0 : *std::max_element(unit.begin(), unit.end()) + 1; }
  void add(Vec3 centre, double radius, std::uint32_t u) { x.push_back(centre), r.push_back(radius), unit.push_back(u); }
};

/// n spheres of radius r within `size` of the centre, in one unit, or in two where a plane cuts it.
void add_cluster(Set& s, Random& u, Vec3 centre, double size, int n, double r, bool broken) {
  const std::uint32_t unit = s.next_unit();
  const Vec3 cut = u.direction();
  for (int i = 0; i < n; ++i) {
    const Vec3 d = size * std::cbrt(u.uniform()) * u.direction();
    s.add(centre + d, r * u.uniform(0.8, 1.2), broken && dot(d, cut) > 0 ? unit + 1 : unit);
  }
}

/// Clusters of 1 to 40 spheres, every third broken, and single spheres.
Set crowd(const std::string& name, int clusters, int singles, double side, double margin, std::uint64_t seed) {
  Random u(seed);
  Set s{name, {}, {}, {}, margin};
  const auto place = [&] { return Vec3{u.uniform(0, side), u.uniform(0, side), u.uniform(0, side)}; };
  for (int c = 0; c < clusters; ++c) add_cluster(s, u, place(), 1, 1 + static_cast<int>(u.below(40)), 0.25, c % 3 == 0);
  for (int c = 0; c < singles; ++c) s.add(place(), u.uniform(0.1, 0.6), s.next_unit());
  return s;
}

/// The same spheres, numbered unit by unit.
Set in_order(Set s) {
  std::vector<std::size_t> order(s.x.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return s.unit[a] < s.unit[b]; });
  Set sorted{s.name + ", in order", {}, {}, {}, s.margin, s.domain};
  for (const std::size_t i : order) sorted.add(s.x[i], s.r[i], s.unit[i]);
  return sorted;
}

/// A ring of spheres with small clusters and single spheres in its hole, some of which touch it.
Set ring(Vec3 centre) {
  Random u(5);
  Set s{"clusters in the hole of a ring", {}, {}, {}, 0.01};
  for (int i = 0; i < 60; ++i) {
    const double a = 2 * M_PI * i / 60;
    s.add(centre + 10.0 * Vec3{std::cos(a), std::sin(a), 0}, 0.6, 0);
  }
  for (int c = 0; c < 12; ++c) add_cluster(s, u, centre + u.uniform(0, 10.5) * u.direction(), 0.8, 8, 0.3, c % 4 == 0);
  for (int c = 0; c < 20; ++c) s.add(centre + u.uniform(0, 11) * u.direction(), 0.3, s.next_unit());
  return s;
}

/// Chains along x, one per place, of spheres that touch; through the seam of a periodic axis where there is one.
Set chains(const std::string& name, double length, bool periodic) {
  Set s{name, {}, {}, {}, 0.02};
  Random u(8);
  for (std::uint32_t c = 0; c < 8; ++c) {
    const Vec3 from{u.uniform(0, length), u.uniform(0, 3), u.uniform(0, 3)};
    const int n = c == 0 ? static_cast<int>(length / 0.5) : 3 + static_cast<int>(u.below(12));
    for (int i = 0; i < n; ++i) {
      Vec3 p = from + Vec3{0.5 * i, 0, 0};
      if (periodic) p.x -= length * std::floor(p.x / length);
      s.add(p, 0.26, c);
    }
  }
  if (periodic) s.domain = {{0, 0, 0}, {length, 1, 1}, {true, false, false}};
  return s;
}

Set periodic_crowd(Vec3 low, std::array<bool, 3> axes, double side, std::uint64_t seed) {
  Set s = crowd("periodic", 25, 40, side, 0.03, seed);
  s.domain = {low, low + Vec3{side, side, side}, axes};
  for (Vec3& p : s.x) {
    p += low;
    for (std::size_t a = 0; a < 3; ++a) {
      if (!axes[a]) continue;
      p[a] -= side * std::floor((p[a] - low[a]) / side);
      p[a] = std::clamp(p[a], s.domain.low[a], s.domain.high[a]);
    }
  }
  return s;
}

std::vector<Set> sets() {
  std::vector<Set> all;
  all.push_back({"empty", {}, {}, {}});
  all.push_back({"one", {{1, 2, 3}}, {0.5}, {0}});
  all.push_back({"two of one unit", {{1, 2, 3}, {1, 2, 3}}, {0.5, 0.5}, {1, 1}});
  all.push_back({"two units", {{1, 2, 3}, {1, 2, 3}}, {0.5, 0.5}, {0, 1}});
  Set same{"coincident", std::vector<Vec3>(60, Vec3{1, 2, 3}), std::vector<double>(60, 0.5), {}};
  for (std::uint32_t i = 0; i < 60; ++i) same.unit.push_back(i / 7);
  all.push_back(same);
  all.push_back(crowd("crowd", 30, 60, 6, 0, 1));
  all.push_back(crowd("crowd with a margin", 30, 60, 8, 0.2, 2));
  all.push_back(crowd("loose", 30, 60, 25, 0.05, 3));
  all.push_back(crowd("clusters only", 30, 0, 5, 0, 4));
  all.push_back(in_order(crowd("crowd", 30, 60, 6, 0, 4)));
  all.push_back(in_order(crowd("dense", 40, 60, 3, 0.1, 4)));
  all.push_back(crowd("single spheres only", 0, 200, 5, 0, 5));
  all.push_back(ring({0, 0, 0}));
  all.push_back(ring({1e6, -1e6, 3e5}));
  Set far = crowd("far origin", 30, 60, 6, 0.01, 6);
  for (Vec3& p : far.x) p += Vec3{1e7, 1e7, -1e7};
  all.push_back(far);
  Set heaps = crowd("heaps far apart", 30, 60, 4, 0.01, 7);
  for (std::size_t i = 0; i < heaps.x.size(); ++i) heaps.x[i].y += heaps.unit[i] % 5 * 1e6;
  all.push_back(heaps);
  Set dust = crowd("dust and a giant", 20, 100, 12, 0.001, 8);
  for (double& r : dust.r) r *= 0.02;
  dust.r.back() = 5;
  all.push_back(dust);
  Set one = crowd("all in one unit", 30, 30, 6, 0.01, 9);
  std::fill(one.unit.begin(), one.unit.end(), 3u);
  all.push_back(one);
  Set large = crowd("a few large units", 60, 60, 6, 0.01, 10);
  for (std::uint32_t& u : large.unit) u %= 3;
  all.push_back(large);
  Set mixed = crowd("units of scattered numbers", 30, 60, 6, 0.01, 11);
  Random u(3);
  for (std::size_t i = mixed.x.size(); i > 1; --i) {
    const std::size_t k = u.below(i);
    std::swap(mixed.x[i - 1], mixed.x[k]), std::swap(mixed.r[i - 1], mixed.r[k]);
    std::swap(mixed.unit[i - 1], mixed.unit[k]);
  }
  for (std::uint32_t& v : mixed.unit) v = v * 5 % static_cast<std::uint32_t>(mixed.x.size());
  all.push_back(mixed);
  Set ends = crowd("at the ends of the world", 20, 20, 4, 0, 12);
  for (std::size_t i = 0; i < ends.x.size(); i += 3) ends.x[i] += Vec3{1e150, -1e150, 1e12};
  for (std::size_t i = 1; i < ends.x.size(); i += 3) ends.x[i].y = 1e150;
  all.push_back(ends);
  all.push_back(chains("chains", 40, false));
  all.push_back(chains("chains through the seam", 12, true));
  for (int axes = 1; axes < 8; ++axes) {
    const std::array<bool, 3> periodic{(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0};
    // Sides of two and a half to seven diameters of the largest unit.
    all.push_back(periodic_crowd({-1, 2, 0.1}, periodic, 5.5, 13));
    all.push_back(periodic_crowd({1e5, -1e5, 0.3}, periodic, 15, 14));
    all.push_back(in_order(all.back()));
  }
  return all;
}

struct Prepared {
  Set set;
  Units units;
  explicit Prepared(Set s) : set(std::move(s)), units(*Units::make(Bodies{set.x, set.r, 0, set.domain}, set.unit)) {}
  Clusters view(bool within, double cell = 1) const {
    return {{set.x, set.r, set.margin, set.domain, 3, cell}, &units, within};
  }
  std::vector<Pair> reference(bool within) const {
    std::vector<Pair> pairs;
    neighbour::brute_force(view(within), pairs);
    return pairs;
  }
};

void expect_list(ClusterSearch& search, const Prepared& p, bool within, double cell,
                 const std::vector<Pair>& expected) {
  for (const ClusterMethod method : kFast) {
    std::vector<Pair> found{{7, 7}};
    const Status done = search.find(method, p.view(within, cell), found);
    EXPECT_TRUE(done) << done.error().message << ": " << p.set.name;
    EXPECT_TRUE(found == expected) << name(method) << ", " << p.set.name << ", cells times " << cell << ", within "
                                   << within << ": " << found.size() << " for " << expected.size();
  }
}

struct ClusterContacts : testing::Test {
  ClusterSearch search;
  void TearDown() override { exec::set_threads(0); }

  /// Brute force for the partners of some.
  void expect_same_on_threads(const Prepared& p, bool within) {
    exec::set_threads(1);
    std::vector<Pair> expected;
    ASSERT_TRUE(search.find(ClusterMethod::single_level_max, p.view(within), expected));
    EXPECT_GT(expected.size(), p.set.x.size() / 4);
    for (std::uint32_t a = 0; a < p.set.x.size(); a += 997) {
      std::vector<Pair> of_a;
      for (std::uint32_t b = a + 1; b < p.set.x.size(); ++b) {
        if (p.view(within).wanted(a, b) && meets(p.view(within).spheres, a, b)) of_a.emplace_back(a, b);
      }
      const auto lower = std::lower_bound(expected.begin(), expected.end(), Pair{a, 0}),
                 upper = std::lower_bound(expected.begin(), expected.end(), Pair{a + 1, 0});
      EXPECT_EQ(std::vector<Pair>(lower, upper), of_a) << "body " << a;
    }
    for (const int threads : {1, 2, 4}) {
      exec::set_threads(threads);
      expect_list(search, p, within, 1, expected);
    }
  }
};

TEST_F(ClusterContacts, EveryMethodFindsWhatBruteForceFinds) {
  std::size_t between = 0, inside = 0;
  for (Set& s : sets()) {
    const Prepared p(std::move(s));
    const std::vector<Pair> apart = p.reference(false), all = p.reference(true);
    between += apart.size(), inside += all.size() - apart.size();
    for (const double cell : {1e-300, 0.6, 1.0, 2.5, 1e300}) {
      expect_list(search, p, false, cell, apart);
      expect_list(search, p, true, cell, all);
    }
  }
  EXPECT_GT(between, 5000u);
  EXPECT_GT(inside, 5000u);
}

// The engine's way in: pairs within units too, which are those of any other search.
TEST_F(ClusterContacts, AsASearchAmongTheOthersItFindsAllPairs) {
  neighbour::Search any;
  for (Set& s : sets()) {
    const Prepared p(std::move(s));
    std::vector<Pair> found{{7, 7}};
    Bodies bodies = p.view(true).spheres;
    const Status untold = any.find(neighbour::Method::clusters, bodies, found);
    ASSERT_FALSE(untold);
    EXPECT_NE(untold.error().message.find("each body belongs to one unit"), std::string::npos);
    EXPECT_TRUE(found.empty());
    bodies.units = &p.units;
    ASSERT_TRUE(any.find(neighbour::Method::clusters, bodies, found));
    EXPECT_TRUE(found == p.reference(true)) << p.set.name;
    EXPECT_EQ(any.choice().method, neighbour::Method::clusters);
  }
}

// Shifted by whole numbers: no coordinate of the crowd is rounded differently enough to part a pair but those at the
// very reach, which the reference of the shifted set decides.
TEST_F(ClusterContacts, SameListInATranslatedOrTurnedFrame) {
  for (Set& s : sets()) {
    if (s.domain.periodic[0] || s.domain.periodic[1] || s.domain.periodic[2]) continue;
    Set moved = s;
    for (Vec3& p : moved.x) p += Vec3{512, -1024, 2048};
    const Prepared shifted(std::move(moved));
    expect_list(search, shifted, false, 1, shifted.reference(false));
    Set turned = s;
    for (Vec3& p : turned.x) p = {-p.z, p.x, -p.y};
    const Prepared before(std::move(s)), after(std::move(turned));
    EXPECT_EQ(after.reference(false), before.reference(false));
    expect_list(search, after, false, 1, before.reference(false));
  }
}

TEST_F(ClusterContacts, NumbersOfTheUnitsMeanNothing) {
  Set s = crowd("crowd", 30, 60, 6, 0, 1);
  const Prepared before(s);
  const auto n = static_cast<std::uint32_t>(s.x.size());
  for (std::uint32_t& u : s.unit) u = n - 1 - u;
  const Prepared after(s);
  EXPECT_EQ(before.reference(false), after.reference(false));
  expect_list(search, after, false, 1, before.reference(false));
}

// A cluster that breaks keeps its contacts with others and gets new ones between its parts.
TEST_F(ClusterContacts, AFragmentIsAUnitOfItsOwn) {
  Set s = crowd("crowd", 20, 20, 6, 0.01, 21);
  const Prepared whole(s);
  const std::vector<Pair> before = whole.reference(false);
  const std::uint32_t fresh = s.next_unit();
  std::size_t cut = 0;
  for (std::size_t i = 0; i < s.unit.size(); ++i) {
    if (s.unit[i] == s.unit[30] && i > 30) s.unit[i] = fresh, ++cut;
  }
  ASSERT_GT(cut, 3u);
  const Prepared broken(s);
  const std::vector<Pair> after = broken.reference(false);
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  EXPECT_GT(after.size(), before.size());
  expect_list(search, broken, false, 1, after);
}

TEST_F(ClusterContacts, SameListOnAnyNumberOfThreads) {
  Set many = crowd("many", 900, 4000, 30, 0.02, 31);
  // Two large units among them: of many parts each.
  for (std::uint32_t& u : many.unit) u = u < 200 ? u % 2 : u;
  for (const bool ordered : {false, true}) {
    const Prepared p(ordered ? in_order(crowd("many", 900, 4000, 30, 0.02, 32)) : many);
    EXPECT_EQ(p.units.in_order(), ordered);
    for (const bool within : {false, true}) expect_same_on_threads(p, within);
  }
}

TEST_F(ClusterContacts, SameListWithAnyVectorWidth) {
  const Prepared p(crowd("many", 200, 400, 12, 0.02, 33));
  for (const bool within : {false, true}) {
    const std::vector<Pair> expected = p.reference(within);
    EXPECT_GT(expected.size(), 1000u);
    oracle::expect_same_for_any_vector_width([&] {
      expect_list(search, p, within, 1, expected);
      std::vector<Pair> found;
      EXPECT_TRUE(search.find(ClusterMethod::parts, p.view(within), found));
      return found;
    });
  }
}

// r_a + r_b + margin, as `meets` rounds it, can exceed the exact reach; neither a bounding sphere nor a border of cells
// in that crack may part the pair.
TEST_F(ClusterContacts, RoundingLosesNoPair) {
  Random u(13);
  std::size_t kept = 0;
  for (int i = 0; i < 3000; ++i) {
    Set s{"crack", {}, {}, {}, u.below(2) ? 0 : u.uniform(0, 0.1)};
    const double far = u.below(2) ? 0.0 : u.uniform(-1e6, 1e6), rb = u.uniform(0.1, 1);
    // A giant's reach is rounded by more than a small cluster's bounding sphere.
    const bool giant = u.below(3) == 0;
    const double ra = giant ? u.uniform(1e4, 1e6) : u.uniform(0.1, 1);
    const std::size_t axis = u.below(3);
    Vec3 a{far, far, far}, b = a, back{}, fore{};
    b[axis] += std::nextafter(ra + rb + s.margin, 0.0);
    back[axis] = -u.uniform(0, 3), fore[axis] = u.uniform(0, 3);
    // Both are the ends of rods, so that their bounding spheres touch where they do.
    s.add(a, ra, 0), s.add(b, rb, 1);
    if (!giant && u.below(4)) s.add(a + back, ra * u.uniform(0.2, 1), 0);
    if (u.below(4)) s.add(b + fore, rb * u.uniform(0.2, 1), 1);
    const Prepared p(std::move(s));
    const std::vector<Pair> expected = p.reference(false);
    kept += static_cast<std::size_t>(std::count(expected.begin(), expected.end(), Pair{0, 1}));
    expect_list(search, p, false, 1, expected);
    if (HasFailure()) break;
  }
  EXPECT_GT(kept, 1000u);
}

// Eqs. 12 and 13.
TEST(BoundingSphere, LiesAboutTheCentroidByVolumeAndHoldsAllSurfaces) {
  Set s{"two", {{0, 0, 0}, {3, 0, 0}, {7, 7, 7}}, {1, 2, 0.5}, {1, 1, 0}};
  const Prepared p(s);
  neighbour::BoundingSpheres b;
  b.find(p.view(false));
  ASSERT_EQ(b.radius.size(), 2u);
  EXPECT_EQ(b.centre[0], (Vec3{7, 7, 7}));
  EXPECT_EQ(b.radius[0], 0.5);
  EXPECT_NEAR(b.centre[1].x, 3 * 8.0 / 9, 1e-15);  // volumes 1 and 8
  EXPECT_NEAR(b.radius[1], 3 * 8.0 / 9 + 1, 1e-15);
  for (const Set& each : sets()) {
    const Prepared q(each);
    b.find(q.view(false));
    for (std::uint32_t i = 0; i < each.x.size(); ++i) {
      const std::uint32_t u = q.units.of(i);
      EXPECT_LE(norm(nearest_image(each.domain, each.x[i] - b.centre[u])) + each.r[i], b.radius[u]) << each.name;
    }
  }
}

TEST(ClusterInput, IsRefusedWithTheBodyThatIsWrong) {
  const std::vector<Vec3> three(3);
  const std::vector<double> ones(3, 1);
  const Bodies bodies{three, ones};
  auto units = Units::make(bodies, std::vector<std::uint32_t>{0, 1, 3});
  ASSERT_FALSE(units);
  EXPECT_EQ(units.error().message, "body 2: its unit 3 is not below the number of bodies, 3");
  units = Units::make(bodies, std::vector<std::uint32_t>{0, 1});
  ASSERT_FALSE(units);
  EXPECT_NE(units.error().message.find("3 bodies and 2 numbers"), std::string::npos) << units.error().message;
  EXPECT_TRUE(Units::make(Bodies{}, {}));

  ClusterSearch search;
  const Prepared p(crowd("crowd", 3, 3, 6, 0.01, 1));
  for (const ClusterMethod method : {ClusterMethod::brute_force, kFast[0], kFast[1], kFast[2], kFast[3]}) {
    std::vector<Pair> found{{1, 2}};
    Clusters s = p.view(false);
    s.units = nullptr;
    Status done = search.find(method, s, found);
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("each body belongs to one unit"), std::string::npos);
    EXPECT_TRUE(found.empty());
    const Units fewer =
        *Units::make({std::span(three).first(2), std::span(ones).first(2)}, std::vector<std::uint32_t>{0, 0});
    s.units = &fewer;
    EXPECT_FALSE(search.find(method, s, found));
    std::vector<double> r = p.set.r;
    r[4] = -1;
    s = p.view(false), s.spheres.r = r;
    done = search.find(method, s, found);
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("body 4"), std::string::npos) << done.error().message;
    std::vector<Vec3> x = p.set.x;
    x[2].y = NAN;
    s = p.view(false), s.spheres.x = x;
    done = search.find(method, s, found);
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("body 2"), std::string::npos) << done.error().message;
  }
}

}  // namespace
}  // namespace scree

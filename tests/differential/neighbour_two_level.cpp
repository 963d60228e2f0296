// LIBS: scree_neighbour
// Every method finds the same list as brute force, whatever the set, the frame, the numbering, the box and the threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>

#include "base/random.h"
#include "exec/parallel.h"
#include "neighbour/brute_force.h"
#include "neighbour/two_level.h"

namespace scree {
namespace {

using neighbour::Pair;

struct Set {
  std::string name;
  std::vector<Vec3> x;
  std::vector<double> r;
  double margin = 0;
};

std::vector<Pair> reference(const Set& s) {
  std::vector<Pair> pairs;
  neighbour::brute_force({s.x, s.r, s.margin}, pairs);
  return pairs;
}

/// With boxes of `box` (m).
void find_with(neighbour::TwoLevel& search, const Set& s, double box, std::vector<Pair>& found) {
  const double usual = neighbour::two_level_box(s.r);
  search.find({s.x, s.r, s.margin, {}, 3, usual > 0 ? box / usual : 1}, found);
}

Set random_set(const std::string& name, std::size_t n, double side, double r_min, double r_max, double margin,
               std::uint64_t seed) {
  Random u(seed);
  Set s{name, {}, {}, margin};
  for (std::size_t i = 0; i < n; ++i) {
    s.x.push_back({u.uniform(0, side), u.uniform(0, side), u.uniform(0, side)});
    s.r.push_back(r_min * std::pow(r_max / r_min, u.uniform()));
  }
  return s;
}

Set clustered(std::uint64_t seed) {
  Random u(seed);
  Set s{"clustered", {}, {}, 0.01};
  for (int c = 0; c < 6; ++c) {
    const Vec3 middle{u.uniform(-500, 500), u.uniform(-500, 500), u.uniform(-500, 500)};
    for (int i = 0; i < 50; ++i)
      s.x.push_back(middle + u.uniform() * u.direction()), s.r.push_back(u.uniform(0.05, 0.2));
  }
  return s;
}

/// Neighbours of a cubic lattice whose spheres overlap by less than one part in 1e15, or miss by as little; boxes of
/// 0.5, 1, 2 r end exactly where they touch.
Set lattice(const std::string& name, double spacing_over_2r, double r, Vec3 origin, int n) {
  Set s{name, {}, {}, 0};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        s.x.push_back(origin + (2 * r * spacing_over_2r) * Vec3{double(i), double(j), double(k)});
        s.r.push_back(r);
      }
    }
  }
  return s;
}

/// Chains whose spheres overlap by one or two units in the last place of their radius, each far from the last.
Set barely_touching(double far, std::uint64_t seed) {
  Random u(seed);
  Set s{"barely touching", {}, {}, 0};
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

std::vector<Set> sets() {
  std::vector<Set> all;
  all.push_back({"empty", {}, {}, 0.1});
  all.push_back({"single", {{1, 2, 3}}, {0.5}, 0.1});
  all.push_back({"coincident", std::vector<Vec3>(20, Vec3{1, 2, 3}), std::vector<double>(20, 0.5), 0});
  all.push_back({"points without extent", {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {0, 0, 0}, 0});
  all.push_back({"points on one spot, with a margin", {{5, 5, 5}, {5, 5, 5}}, {0, 0}, 1e-3});
  all.push_back(random_set("random", 300, 10, 0.5, 0.5, 0.05, 1));
  all.push_back(random_set("dense", 150, 2, 0.5, 0.5, 0, 2));
  all.push_back(random_set("sizes 1:4", 300, 12, 0.25, 1, 0.02, 3));
  all.push_back(random_set("sizes 1:12", 300, 12, 0.1, 1.2, 0.02, 4));
  all.push_back(random_set("sizes 1:100", 400, 12, 0.02, 2, 0.01, 5));
  Set one_giant = random_set("one giant among dust", 300, 20, 0.05, 0.06, 0.01, 6);
  one_giant.r[17] = 8;
  all.push_back(one_giant);
  Set flat = random_set("a layer", 300, 20, 0.3, 0.6, 0.01, 7);
  for (Vec3& p : flat.x) p.z = 0;
  all.push_back(flat);
  all.push_back(clustered(8));
  all.push_back(lattice("lattice, just overlapping", 1 - 1e-15, 0.5, {}, 6));
  all.push_back(lattice("lattice, exactly touching", 1, 0.5, {}, 6));
  all.push_back(lattice("lattice, decimal spacing", 1, 0.1, {0.3, 0.7, -0.1}, 6));
  all.push_back(lattice("lattice, decimal, far off", 1 - 1e-12, 0.1, {1e6, -1e6, 1e6}, 6));
  all.push_back(barely_touching(0, 9));
  all.push_back(barely_touching(1e6, 10));
  all.push_back(barely_touching(-3e5, 11));
  return all;
}

void expect_same_list(const Set& s) {
  const std::vector<Pair> expected = reference(s);
  ASSERT_TRUE(std::is_sorted(expected.begin(), expected.end()));
  const double box = std::max(neighbour::two_level_box(s.r), 1e-6);
  neighbour::TwoLevel search;  // one object throughout: nothing may be left over from the last search
  std::vector<Pair> found;
  for (const double factor : {1.0 / 3, 0.5, 1.0, 2.0, 2.7, 4.0}) {
    find_with(search, s, factor * box, found);
    ASSERT_EQ(found, expected) << s.name << ", box " << factor << " times the usual";
  }
}

class TwoLevelSearch : public testing::Test {
 protected:
  void TearDown() override { exec::set_threads(0); }
};

TEST_F(TwoLevelSearch, FindsWhatBruteForceFinds) {
  for (const int threads : {1, 2, 4}) {
    exec::set_threads(threads);
    for (const Set& s : sets()) expect_same_list(s);
  }
}

TEST_F(TwoLevelSearch, SameListInATranslatedOrTurnedFrame) {
  for (const Set& s : sets()) {
    for (const Vec3 shift : {Vec3{-0.3, 17, 1e3}, Vec3{1e6, 1e6, -1e6}}) {
      Set moved = s;
      for (Vec3& p : moved.x) p += shift;
      expect_same_list(moved);
    }
    Set turned = s;
    for (Vec3& p : turned.x) p = {-p.y, p.x, p.z};
    EXPECT_EQ(reference(turned), reference(s)) << s.name;
    expect_same_list(turned);
    for (Vec3& p : turned.x) p = {p.z, p.x, p.y};
    expect_same_list(turned);
  }
}

TEST_F(TwoLevelSearch, RenumberingRenumbersTheList) {
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
    std::vector<Pair> found;
    neighbour::TwoLevel search;
    search.find({shuffled.x, shuffled.r, shuffled.margin}, found);
    EXPECT_EQ(found, expected) << s.name;
  }
}

// r_a + r_b + margin, as brute force rounds it, can exceed what the two halves reach; a border of the grid in that
// crack must not part the pair.
TEST_F(TwoLevelSearch, RoundingAtABorderLosesNoPair) {
  Random u(13);
  int cracks = 0;
  for (int i = 0; i < 20000; ++i) {
    const double ra = u.uniform(0.1, 1), rb = u.uniform(0.1, 1), margin = u.uniform(0, 0.1);
    const double d = std::nextafter(ra + rb + margin, 0.0), box = d - (rb + margin / 2);
    if (!(box > ra + margin / 2)) continue;
    ++cracks;
    const Set s{"crack", {{0, 0, 0}, {d, 0, 0}}, {ra, rb}, margin};
    neighbour::TwoLevel search;
    std::vector<Pair> found;
    find_with(search, s, box, found);
    ASSERT_EQ(found, reference(s));
  }
  EXPECT_GT(cracks, 10);
}

TEST_F(TwoLevelSearch, AbsurdBoxesStillEnd) {
  const Set s = random_set("wide", 200, 1e5, 1, 100, 0.1, 12);
  const std::vector<Pair> expected = reference(s);
  neighbour::TwoLevel search;
  std::vector<Pair> found;
  for (const double box : {0.0, 1e-12, 1e-3, 1e3, 1e12}) {
    find_with(search, s, box, found);
    EXPECT_EQ(found, expected) << "box " << box;
  }
  find_with(search, {"no extent", std::vector<Vec3>(3), std::vector<double>(3)}, 0, found);
  EXPECT_TRUE(found.empty());
}

TEST(TwoLevelBox, IsOneAndAHalfTimesTheMedianDiameterByVolume) {
  EXPECT_EQ(neighbour::two_level_box({}), 0);
  EXPECT_DOUBLE_EQ(neighbour::two_level_box(std::vector<double>{0.5, 0.5, 0.5}), 1.5);
  // One sphere of radius 2 outweighs seven of radius 1 (8 > 7) - but not nine.
  EXPECT_DOUBLE_EQ(neighbour::two_level_box(std::vector<double>{1, 1, 2, 1, 1, 1, 1, 1}), 6);
  EXPECT_DOUBLE_EQ(neighbour::two_level_box(std::vector<double>{1, 1, 2, 1, 1, 1, 1, 1, 1, 1}), 3);
}

Set read_spheres(const std::string& path) {
  Set s{path, {}, {}, 0};
  std::ifstream in(path);
  double x, y, z, r;
  while (in >> x >> y >> z >> r) s.x.push_back({x, y, z}), s.r.push_back(r);
  return s;
}

void expect_counts(const std::string& file, std::size_t bodies,
                   const std::vector<std::pair<double, std::size_t>>& counts, bool brute) {
  const std::string path = std::string(SCREE_SOURCE_DIR) + "/../shared/data/pairs/" + file;
  if (!std::ifstream(path)) GTEST_SKIP() << "the shared data folder is not beside this checkout: " << path;
  const Set s = read_spheres(path);
  ASSERT_EQ(s.x.size(), bodies);
  neighbour::TwoLevel search;
  std::vector<Pair> found;
  for (const auto& [f, expected] : counts) {
    Set grown = s;
    for (double& r : grown.r) r *= f;
    search.find({grown.x, grown.r}, found);
    EXPECT_EQ(found.size(), expected) << "f " << f;
    if (!brute) continue;
    EXPECT_EQ(found, reference(grown)) << "f " << f;
  }
}

TEST(PublishedPairCounts, BidispersePile) {
  expect_counts("kleinert2048.xyzr", 2048, {{1.0, 154}, {1.05, 4328}, {1.2, 6225}, {1.5, 10139}}, true);
}

TEST(PublishedPairCounts, PenetrationBed) {
  expect_counts("pen25k.xyzr", 25000, {{1.0, 53876}, {1.05, 76891}, {1.2, 105419}, {1.5, 164925}}, false);
}

}  // namespace
}  // namespace scree

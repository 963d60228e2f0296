// LIBS: scree_neighbour
// Whatever is handed to the search: an error that names what is wrong, or the right list; no crash, no hang, and no
// memory beyond what so few bodies can need.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "base/random.h"
#include "neighbour/brute_force.h"

namespace scree {
namespace {

using neighbour::Bodies;
using neighbour::Domain;
using neighbour::Method;
using neighbour::Pair;
using neighbour::Search;

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // they reserve address space without end
#else
constexpr bool kSanitized = false;
#endif

class BadInput : public testing::TestWithParam<Method> {
 protected:
  static void SetUpTestSuite() {
    if (kSanitized) return;
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 2ull << 30);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  }

  std::string error_of(const Bodies& s) {
    found.assign(1, {7, 9});
    const Status status = search.find(GetParam(), s, found);
    EXPECT_TRUE(found.empty() || status) << "an error leaves no pairs";
    return status ? "" : status.error().message;
  }

  Search search;
  std::vector<Pair> found;
};

void expect_contains(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << '"' << message << "\" does not say \"" << part << '"';
}

TEST_P(BadInput, IsNamed) {
  const std::vector<Vec3> good_x{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  const std::vector<double> good_r{0.6, 0.6, 0.6, 0.6};
  for (const double bad : {kNaN, kInf, -kInf, 1e300, -1e151}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<Vec3> x = good_x;
      x[2][axis] = bad;
      expect_contains(error_of({x, good_r}), "body 2: its centre");
    }
  }
  for (const double bad : {kNaN, kInf, -kInf, 0.0, -0.0, -1.0, 1e300, 1e-300, 5e-324}) {
    std::vector<double> r = good_r;
    r[3] = bad;
    expect_contains(error_of({good_x, r}), "body 3: its radius");
  }
  expect_contains(error_of({good_x, std::span(good_r).first(3)}), "4 centres and 3 radii");
  expect_contains(error_of({std::span(good_x).first(0), good_r}), "0 centres and 4 radii");
  for (const double bad : {kNaN, kInf, -1e-9, 1e300}) expect_contains(error_of({good_x, good_r, bad}), "margin");
  for (const double bad : {kNaN, kInf, 0.0, -1.0}) {
    expect_contains(error_of({.x = good_x, .r = good_r, .cell = bad}), "cell size");
  }
  for (const int bad : {-1, 0, 1, 4}) {
    expect_contains(error_of({.x = good_x, .r = good_r, .dimensions = bad}), "dimensions must be 2 or 3");
  }
  std::vector<Vec3> tilted = good_x;
  tilted[1].z = 1e-12;
  expect_contains(error_of({.x = tilted, .r = good_r, .dimensions = 2}), "body 1: two dimensions");
  // After all of this the search still works.
  EXPECT_EQ(error_of({good_x, good_r}), "");
  EXPECT_EQ(found, (std::vector<Pair>{{0, 1}, {1, 2}, {2, 3}}));
}

TEST_P(BadInput, OfPeriodicDomainsIsNamed) {
  const std::vector<Vec3> x{{0.5, 0, 0}, {4, 0, 0}, {9.5, 0, 0}};
  const std::vector<double> r{0.6, 0.7, 0.6};
  const auto error = [&](double low, double high, std::size_t axis = 0) {
    Domain d;
    d.periodic[axis] = true, d.low[axis] = low, d.high[axis] = high;
    return error_of({x, r, 0, d});
  };
  EXPECT_EQ(error(0, 10), "");
  EXPECT_EQ(found, (std::vector<Pair>{{0, 2}}));
  for (const auto& [low, high] :
       {std::pair{kNaN, 10.0}, {0.0, kNaN}, {0.0, kInf}, {-kInf, 0.0}, {10.0, 0.0}, {0.0, 0.0}, {-1e300, 1e300}}) {
    expect_contains(error(low, high), "domain's ends along x");
    expect_contains(error(low, high, 2), "domain's ends along z");
  }
  expect_contains(error(1, 11), "body 0: its centre lies outside");
  expect_contains(error(0, 9), "body 2: its centre lies outside");
  expect_contains(error(-1, 1.8, 1),
                  "the period along y must exceed twice the longest reach of a pair; the widest is body 1");
}

/// Mostly harmless numbers and now and then one that is not.
struct Hostile {
  Random u;
  double harm;

  double one_of(std::initializer_list<double> list) { return list.begin()[u.below(list.size())]; }
  double coordinate() {
    if (u.uniform() > harm) return u.uniform(-2, 2);
    return one_of(
        {0.0, -0.0, 1e-300, -5e-324, 1e16, -1e16, 1e9, -1e12, 1e100, 1e150, -1e150, 1.0000000000000002, 1e-16});
  }
  double radius() {
    if (u.uniform() > harm) return u.uniform(0.05, 0.5);
    return one_of({1e-150, 1e-149, 1e-20, 1e-9, 1e3, 1e9, 1e100, 1e150});
  }
  /// What `check` refuses.
  double poison() { return one_of({kNaN, kInf, -kInf, 1e300, -1e300, 1e-300, 0.0, -1.0, 1.7e308, 1e151}); }
};

TEST_P(BadInput, HostileNumbersGiveAnErrorOrTheRightList) {
  int refused = 0, pairs = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    Hostile h{Random(seed, 3), seed % 2 ? 0.02 : 0.4};
    Random& u = h.u;
    const std::size_t n = u.below(30);
    std::vector<Vec3> x(n);
    std::vector<double> r(n);
    Bodies s;
    s.dimensions = u.below(3) == 0 ? 2 : 3;
    const double z = h.coordinate();
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = {h.coordinate(), h.coordinate(), s.dimensions == 2 ? z : h.coordinate()}, r[i] = h.radius();
    }
    if (u.below(8) == 0 && n > 0) x[u.below(n)][u.below(3)] = h.poison();
    if (u.below(8) == 0 && n > 0) r[u.below(n)] = h.poison();
    s.x = x, s.r = r;
    s.margin = u.below(3) ? 0 : h.one_of({1e-300, 1e-9, 0.1, 3, 1e9, 1e150, kNaN, kInf, -1});
    s.cell =
        u.below(2) ? u.uniform(0.5, 4) : h.one_of({1e-300, 5e-324, 1e-12, 1e-3, 1e3, 1e12, 1e300, 1.7e308, kNaN, 0});
    for (std::size_t k = 0; k < 3; ++k) {
      s.domain.periodic[k] = u.below(4) == 0;
      s.domain.low[k] = u.below(2) ? -2 : h.one_of({-1e150, -1e16, -1e9, -2, kNaN, -kInf});
      s.domain.high[k] = u.below(2) ? 2.5 : h.one_of({1e150, 1e16, 1e9, 2, 2.5, kNaN, kInf});
    }
    const std::string error = error_of(s);
    if (!error.empty()) {
      ++refused;
      continue;
    }
    std::vector<Pair> expected;
    neighbour::brute_force(s, expected);
    ASSERT_EQ(found, expected) << "seed " << seed;
    ASSERT_LT(search.bytes(), 32u << 20) << "seed " << seed;
    pairs += static_cast<int>(found.size());
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 5000);
  EXPECT_GT(pairs, 10000);
}

// Of all but brute force, which always looks at all pairs. A body that has escaped, as far as positions still tell
// bodies apart, must not put all the others into one cell.
class FarBody : public BadInput {};

TEST_P(FarBody, CostsNothing) {
  Random u(7);
  std::vector<Vec3> x;
  for (int i = 0; i < 20000; ++i) x.push_back({u.uniform(0, 30), u.uniform(0, 30), u.uniform(0, 30)});
  const std::vector<double> r(x.size() + 1, 0.5);
  const auto seconds = [&](const Bodies& s, std::vector<Pair>& pairs) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(search.find(GetParam(), s, pairs));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<Pair> expected, pairs;
  const double usual = seconds({x, std::span(r).first(x.size())}, expected);
  for (const double far : {1e6, 1e10, 1e14, -1e12}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<Vec3> with = x;
      Vec3 at{15, 15, 15};
      at[axis] = far;
      with.push_back(at);
      // Quadratic cost would be hundreds of times the usual one.
      EXPECT_LT(seconds({with, r}, pairs), 20 * usual + 1) << far;
      EXPECT_EQ(pairs, expected) << far;
    }
  }
}

std::string word(const testing::TestParamInfo<Method>& info) { return std::string(neighbour::name(info.param)); }

INSTANTIATE_TEST_SUITE_P(Neighbours, BadInput,
                         testing::Values(Method::brute_force, Method::nbs, Method::two_level, Method::dess,
                                         Method::sorted_grid, Method::multi_level_grid, Method::automatic),
                         word);
INSTANTIATE_TEST_SUITE_P(Neighbours, FarBody,
                         testing::Values(Method::nbs, Method::two_level, Method::dess, Method::sorted_grid,
                                         Method::multi_level_grid, Method::automatic),
                         word);

}  // namespace
}  // namespace scree

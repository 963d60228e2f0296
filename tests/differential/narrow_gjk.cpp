// GJK and EPA against an oracle that tries every candidate over all features in long double.
#include <gtest/gtest.h>

#include <cstdio>

#include "oracle/most_of.h"
#include "oracle/plane_cases.h"

namespace scree {
namespace {

using oracle::PosedPair;

/// Of the pair's scale; measured: 1e-15.
constexpr double kRounding = 1e-14;

narrow::Plane gjk(const PosedPair& p, const narrow::Plane* previous, narrow::SearchCounters* c) {
  return narrow::gjk_plane(p.a(), p.b(), p.d(), previous, *c);
}

void check(const PosedPair& p, const narrow::Plane* previous, narrow::Plane* out, oracle::Shortfalls* found) {
  narrow::SearchCounters c;
  const narrow::Plane plane = gjk(p, previous, &c);
  const auto exact = static_cast<double>(oracle::exact_gap(p).gap);
  ASSERT_TRUE(std::isfinite(plane.gap) && is_finite(plane.n));
  ASSERT_NEAR(norm(plane.n), 1, 1e-14);
  EXPECT_NEAR(plane.gap, exact, kRounding * (p.scale() + 0.1 * norm(p.d()))) << "scale " << p.scale();
  EXPECT_EQ(plane.gap, narrow::evaluate_plane(p.a(), p.b(), p.d(), plane.n).gap) << "on the true pose";
  found->add(exact, plane.gap, p, c);
  oracle::note_feature(p, plane, found);
  if (out) *out = plane;
}

/// Every plane has a feature that gives it again, but where the bodies all but touch (the feature's normal is lost in
/// rounding) or lie deep in each other (an edge pair's other normal).
void expect_features(const oracle::Shortfalls& f) {
  EXPECT_LE(f.unnamed - f.unnamed_close, f.pairs() * oracle::most_of(0.05, f.pairs()));
  EXPECT_LT(f.not_rebuilt, 1e-8);
  EXPECT_LE(f.iterations_max, 400u);
}

void compare(const oracle::Shapes& shapes, double ratio, int count, std::uint64_t seed, oracle::Shortfalls* found) {
  Random u(seed);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("pair " + std::to_string(i));
    check(oracle::random_pair(u, shapes, ratio), nullptr, nullptr, found);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Gjk, ColdOnCompactShapes) {
  oracle::Shortfalls one_size, sizes;
  compare(oracle::compact(), 2, 1500, 1, &one_size);
  compare(oracle::compact(), 1000, 1500, 2, &sizes);
  one_size.print("cold, compact 1:2"), sizes.print("cold, compact 1:1000");
  expect_features(one_size), expect_features(sizes);
}

TEST(Gjk, ColdOnNeedlesAndPlates) {
  oracle::Shortfalls one_size, sizes;
  compare(oracle::thin(), 2, 1500, 3, &one_size);
  compare(oracle::thin(), 1000, 1500, 4, &sizes);
  one_size.print("cold, thin 1:2"), sizes.print("cold, thin 1:1000");
  expect_features(one_size), expect_features(sizes);
}

TEST(Gjk, ColdOnManyVertices) {
  oracle::Shortfalls found;
  compare({oracle::boulder("32", 32, {1, 1, 1}, 5), oracle::boulder("32 flat", 32, {1, 0.7, 0.3}, 6)}, 3, 50, 5,
          &found);
  compare({oracle::boulder("128", 128, {1, 1, 1}, 7)}, 1.2, 2, 6, &found);
  found.print("cold, 32 and 128 vertices");
  expect_features(found);
}

TEST(Gjk, TrackedAlongSmoothMotion) {
  oracle::Shortfalls found;
  Random u(7);
  for (int k = 0; k < 80; ++k) {
    narrow::Plane previous;
    oracle::along_path(u, k % 3 == 0 ? oracle::thin() : oracle::compact(), 120, [&](const PosedPair& p, int step) {
      SCOPED_TRACE("path " + std::to_string(k) + " step " + std::to_string(step));
      if (step % 6 == 5) return check(p, &previous, &previous, &found);
      narrow::SearchCounters c;
      previous = gjk(p, step == 0 ? nullptr : &previous, &c);
    });
  }
  found.print("tracked");
  expect_features(found);
}

TEST(Gjk, FromAnyPlane) {
  oracle::Shortfalls found;
  Random u(8);
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE("pair " + std::to_string(i));
    const PosedPair p = oracle::random_pair(u, i % 3 == 0 ? oracle::thin() : oracle::compact(), 10);
    const narrow::Plane start = oracle::random_plane(u, p);
    check(p, &start, nullptr, &found);
  }
  found.print("from any plane");
}

TEST(Gjk, FarApartAtAnyScale) {
  oracle::Shortfalls found;
  Random u(9);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE("pair " + std::to_string(i));
    check(oracle::far_pair(u, oracle::compact()), nullptr, nullptr, &found);
  }
  found.print("far");
}

TEST(Gjk, DegeneratePoses) {
  oracle::Shortfalls found;
  for (const oracle::DegenerateCase& c : oracle::degenerate_cases()) {
    SCOPED_TRACE(c.name);
    const PosedPair p(c.a, c.b, c.pa, c.pb), swapped(c.b, c.a, c.pb, c.pa);
    narrow::Plane plane;
    check(p, nullptr, &plane, &found);
    check(p, &plane, nullptr, &found);
    check(swapped, nullptr, nullptr, &found);
  }
  found.print("degenerate");
  expect_features(found);
}

}  // namespace
}  // namespace scree

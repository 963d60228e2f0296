// The shortest link against an oracle that tries every candidate over all features in long double.
#include <gtest/gtest.h>

#include <cstdio>

#include "oracle/most_of.h"
#include "oracle/plane_cases.h"

namespace scree {
namespace {

using oracle::PosedPair;

constexpr narrow::ShortestLinkSettings kRobust{}, kLiteral{true, 1e-3};

narrow::Plane slm(const narrow::ShortestLinkSettings& s, const PosedPair& p, const narrow::Plane* previous,
                  narrow::SearchCounters* c) {
  return narrow::shortest_link(s, p.a(), p.b(), p.d(), previous, *c);
}

/// Of the pair's scale: what a separated pair may lack.
constexpr double kRounding = 1e-14;

void check(const narrow::ShortestLinkSettings& s, const PosedPair& p, const narrow::Plane* previous, narrow::Plane* out,
           oracle::Shortfalls* found) {
  narrow::SearchCounters c;
  const narrow::Plane plane = slm(s, p, previous, &c);
  const auto exact = static_cast<double>(oracle::exact_gap(p).gap);
  ASSERT_TRUE(std::isfinite(plane.gap) && is_finite(plane.n));
  ASSERT_NEAR(norm(plane.n), 1, 1e-14);
  EXPECT_LE(plane.gap, exact + 4e-15 * (p.scale() + norm(p.d())));
  if (!s.literal && exact > 0) {
    EXPECT_NEAR(plane.gap, exact, kRounding * (p.scale() + 0.1 * norm(p.d()))) << "scale " << p.scale();
  }
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
  EXPECT_LE(f.iterations_max, 80u);
}

void compare(const narrow::ShortestLinkSettings& s, const oracle::Shapes& shapes, double ratio, int count,
             std::uint64_t seed, oracle::Shortfalls* found) {
  Random u(seed);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("pair " + std::to_string(i));
    check(s, oracle::random_pair(u, shapes, ratio), nullptr, nullptr, found);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ShortestLink, ColdOnCompactShapes) {
  oracle::Shortfalls one_size, sizes;
  compare(kRobust, oracle::compact(), 2, 2000, 1, &one_size);
  compare(kRobust, oracle::compact(), 1000, 1000, 2, &sizes);
  one_size.print("cold, compact 1:2"), sizes.print("cold, compact 1:1000");
  expect_features(one_size), expect_features(sizes);
  // Overlapping bodies: local. Half of the deep ones here are nearly concentric.
  EXPECT_LT(one_size.shallow.share(), 0.03);
  EXPECT_LT(one_size.shallow.worst, 2e-3);
  EXPECT_LT(one_size.deep.share(), 0.35);
  EXPECT_LT(sizes.shallow.share(), 0.03);
  EXPECT_LT(sizes.deep.share(), 0.2);
}

TEST(ShortestLink, ColdOnNeedlesAndPlates) {
  oracle::Shortfalls one_size, sizes;
  compare(kRobust, oracle::thin(), 2, 2000, 3, &one_size);
  compare(kRobust, oracle::thin(), 1000, 1000, 4, &sizes);
  one_size.print("cold, thin 1:2"), sizes.print("cold, thin 1:1000");
  expect_features(one_size), expect_features(sizes);
  EXPECT_LT(one_size.shallow.share(), 0.06);
  EXPECT_LT(one_size.shallow.worst, 0.05);
  EXPECT_LT(one_size.deep.share(), 0.35);
  EXPECT_LT(sizes.shallow.share(), 0.06);
  EXPECT_LT(sizes.deep.share(), 0.25);
}

TEST(ShortestLink, ColdOnManyVertices) {
  oracle::Shortfalls found;
  compare(kRobust, {oracle::boulder("32", 32, {1, 1, 1}, 5), oracle::boulder("32 flat", 32, {1, 0.7, 0.3}, 6)}, 3, 50,
          5, &found);
  found.print("cold, 32 vertices");
  expect_features(found);
  EXPECT_LT(found.shallow.worst, 2e-3);
}

TEST(ShortestLink, LiteralFromCold) {
  oracle::Shortfalls compact, thin;
  compare(kLiteral, oracle::compact(), 2, 1000, 1, &compact);
  compare(kLiteral, oracle::thin(), 2, 1000, 3, &thin);
  compact.print("literal, compact 1:2"), thin.print("literal, thin 1:2");
  // What the closed forms and the repetition are for.
  EXPECT_LT(compact.apart.share(), 0.08);
  EXPECT_GT(compact.apart.share(), 0.01);
  EXPECT_LT(compact.shallow.share(), 0.35);
  EXPECT_LT(thin.apart.share(), 0.3);
}

void track(const narrow::ShortestLinkSettings& s, const oracle::Shapes& shapes, int paths, std::uint64_t seed,
           oracle::Shortfalls* found) {
  Random u(seed);
  for (int k = 0; k < paths; ++k) {
    narrow::Plane previous;
    oracle::along_path(u, shapes, 120, [&](const PosedPair& p, int step) {
      SCOPED_TRACE("path " + std::to_string(k) + " step " + std::to_string(step));
      if (step % 6 == 5) return check(s, p, &previous, &previous, found);
      narrow::SearchCounters c;
      previous = slm(s, p, step == 0 ? nullptr : &previous, &c);
    });
  }
}

TEST(ShortestLink, TrackedAlongSmoothMotion) {
  oracle::Shortfalls compact, thin, literal;
  track(kRobust, oracle::compact(), 80, 7, &compact);
  track(kRobust, oracle::thin(), 40, 8, &thin);
  track(kLiteral, oracle::compact(), 80, 7, &literal);
  compact.print("tracked, compact"), thin.print("tracked, thin"), literal.print("tracked, literal");
  expect_features(compact), expect_features(thin);
  EXPECT_LT(compact.shallow.share(), 0.05);
  EXPECT_LT(compact.deep.share(), 0.25);
  EXPECT_LT(thin.shallow.share(), 0.1);
  EXPECT_LT(thin.deep.share(), oracle::most_of(0.15, thin.deep.pairs));
  EXPECT_LT(compact.iterations, compact.pairs() * 8);
  EXPECT_LT(literal.apart.share(), 0.02);
  EXPECT_LT(literal.shallow.share(), 0.1);
}

TEST(ShortestLink, FromAnyPlane) {
  oracle::Shortfalls found, literal;
  Random u(18);
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE("pair " + std::to_string(i));
    const PosedPair p = oracle::random_pair(u, i % 3 == 0 ? oracle::thin() : oracle::compact(), 10);
    const narrow::Plane start = oracle::random_plane(u, p);
    check(kRobust, p, &start, nullptr, &found);
    check(kLiteral, p, &start, nullptr, &literal);
  }
  found.print("from any plane"), literal.print("from any plane, literal");
  EXPECT_LE(found.iterations_max, 80u);
}

TEST(ShortestLink, FarApartAtAnyScale) {
  oracle::Shortfalls found;
  Random u(9);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE("pair " + std::to_string(i));
    check(kRobust, oracle::far_pair(u, oracle::compact()), nullptr, nullptr, &found);
  }
  found.print("far");
}

TEST(ShortestLink, DegeneratePoses) {
  oracle::Shortfalls found, literal;
  for (const oracle::DegenerateCase& c : oracle::degenerate_cases()) {
    SCOPED_TRACE(c.name);
    const PosedPair p(c.a, c.b, c.pa, c.pb), swapped(c.b, c.a, c.pb, c.pa);
    narrow::Plane plane;
    check(kRobust, p, nullptr, &plane, &found);
    check(kRobust, p, &plane, nullptr, &found);
    check(kRobust, swapped, nullptr, nullptr, &found);
    check(kLiteral, p, nullptr, nullptr, &literal);
  }
  found.print("degenerate"), literal.print("degenerate, literal");
  EXPECT_LT(found.shallow.share(), 0.08);
  EXPECT_LE(found.iterations_max, 80u);
}

}  // namespace
}  // namespace scree

// LIBS: scree_io scree_narrow
// Cundall's search for the common plane against the exact gap: how far it falls short, and what accuracy costs.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <limits>

#include "base/random.h"
#include "narrow/plane_method.h"
#include "oracle/larger.h"
#include "oracle/long_double.h"
#include "oracle/posed_pair.h"

namespace scree {
namespace {

using narrow::CundallSettings;
using narrow::Plane;
using narrow::SearchCounters;
using oracle::Pose;
using oracle::PosedPair;

oracle::Gap best(const PosedPair& p) {
  return oracle::largest_gap(oracle::solid(p.a(), {}), oracle::solid(p.b(), p.d()));
}

struct Sample {
  PosedPair pair;
  double gap, smaller;
};

/// Compact shapes within a factor of two of size: a third each up to 0.3 sizes apart, overlapping by up to a twentieth,
/// and pushed together along a random line by a tenth to four fifths.
const std::vector<Sample>& samples() {
  static const std::vector<Sample> held = [] {
    std::vector<Sample> out;
    Random u(1);
    const auto& names = oracle::compact_shapes();
    for (int i = 0; i < 900; ++i) {
      const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
      Pose pa{1, u.rotation(), {}}, pb{u.uniform(0.5, 1), u.rotation(), {}};
      PosedPair pair(a, b, pa, pb);
      const Vec3 line = u.direction();
      const double touching = -narrow::evaluate_plane(pair.a(), pair.b(), {}, line).gap;
      pb.position = (i % 3 == 2 ? u.uniform(0.2, 0.9) : 1) * touching * line;
      pair.move(pa, pb);
      oracle::Gap g = best(pair);
      const double wanted = i % 3 == 0 ? u.uniform(0, 0.3) : -pb.size * std::pow(10, u.uniform(-4, -1.3));
      for (int k = 0; i % 3 != 2 && k < 3; ++k) {
        pb.position += (wanted - static_cast<double>(g.gap)) * oracle::narrowed(g.n);
        pair.move(pa, pb);
        g = best(pair);
      }
      out.push_back({pair, static_cast<double>(g.gap), pb.size});
    }
    return out;
  }();
  return held;
}

CundallSettings steps(double largest, double smallest, double shrink, bool random_axes) {
  CundallSettings s;
  s.largest = largest, s.smallest = smallest, s.shrink = shrink, s.random_axes = random_axes;
  return s;
}

/// By state: 0 apart, 1 overlapping by up to a twentieth of the smaller size, 2 deeper.
struct Shortfall {
  int pairs = 0, coarse = 0, fine = 0;  ///< short of the best gap by more than 1e-3 and 1e-6 sizes
  double worst = 0, evaluations = 0, sweeps = 0;
  double coarse_share() const { return static_cast<double>(coarse) / pairs; }
  double fine_share() const { return static_cast<double>(fine) / pairs; }
};
using Shortfalls = std::array<Shortfall, 3>;

template <class Search>
Shortfalls measure(const Search& search) {
  Shortfalls found;
  for (const Sample& s : samples()) {
    SearchCounters c;
    const Plane p = search(s.pair, c);
    Shortfall& f = found[s.gap > 0 ? 0u : s.gap > -0.05 * s.smaller ? 1u : 2u];
    const double share = (s.gap - p.gap) / s.smaller;
    ++f.pairs, f.coarse += share > 1e-3, f.fine += share > 1e-6;
    f.worst = oracle::larger(f.worst, share);
    f.evaluations += static_cast<double>(c.evaluations), f.sweeps += static_cast<double>(c.iterations);
    EXPECT_GE(share, -1e-14) << "above the exact gap";
  }
  return found;
}

void print(const char* what, const Shortfalls& found) {
  static const char* state[3] = {"apart", "overlap < 5 %", "deeper"};
  for (std::size_t k = 0; k < 3; ++k) {
    const Shortfall& f = found[k];
    std::printf(
        "%-34s %-14s %4d pairs: %4.1f %% short by > 1e-3, %5.1f %% by > 1e-6, worst %.0e; %6.1f sweeps, %7.1f "
        "evaluations\n",
        what, state[k], f.pairs, 100 * f.coarse_share(), 100 * f.fine_share(), f.worst, f.sweeps / f.pairs,
        f.evaluations / f.pairs);
  }
}

Shortfalls cundall(const char* what, const CundallSettings& s) {
  const Shortfalls f = measure([&](const PosedPair& p, SearchCounters& c) {
    return narrow::cundall_common_plane(s, p.a(), p.b(), p.d(), nullptr, c);
  });
  print(what, f);
  return f;
}

// The shares are what the method is worth, so they are held from both sides: a search that does better is not
// Cundall's.
TEST(Cundall, ColdStartsJamOnRidges) {
  const Shortfalls fixed = cundall("as quoted, fixed axes", {});
  const Shortfalls random =
      cundall("as quoted, random axes", steps(std::tan(M_PI / 36), std::tan(M_PI / 18000), 0.5, true));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GT(fixed[k].coarse_share(), 0.3);
    EXPECT_LT(fixed[k].coarse_share(), 0.6);
    EXPECT_LT(random[k].coarse_share(), 0.92 * fixed[k].coarse_share());
    EXPECT_GT(random[k].coarse_share(), 0.1);
    EXPECT_LT(fixed[k].evaluations / fixed[k].pairs, 150);
  }
}

TEST(Cundall, WhatAccuracyCosts) {
  const Shortfalls fast = measure(
      [](const PosedPair& p, SearchCounters& c) { return narrow::fast_common_plane(p.a(), p.b(), p.d(), nullptr, c); });
  print("fast common plane", fast);
  const double tan5 = std::tan(M_PI / 36), fine = std::tan(M_PI / 18000);
  cundall("5 deg .. 0.01 deg x .9, random", steps(tan5, fine, 0.9, true));
  cundall("5 deg .. 1e-6 x .5, fixed", steps(tan5, 1e-6, 0.5, false));
  const Shortfalls slow_fixed = cundall("45 deg .. 1e-6 x .97, fixed", steps(1, 1e-6, 0.97, false));
  cundall("45 deg .. 1e-6 x .9, random", steps(1, 1e-6, 0.9, true));
  const Shortfalls slow = cundall("45 deg .. 1e-6 x .97, random", steps(1, 1e-6, 0.97, true));
  const Shortfalls slowest = cundall("45 deg .. 1e-6 x .99, random", steps(1, 1e-6, 0.99, true));
  EXPECT_LT(slow[0].coarse_share(), 0.02);
  EXPECT_LT(slowest[0].coarse_share(), 0.005);
  EXPECT_LT(slowest[0].fine_share(), 0.12);
  EXPECT_LT(slowest[1].fine_share(), 0.15);
  EXPECT_GT(slow_fixed[0].fine_share(), 0.25) << "no step size frees fixed axes from a ridge";
  EXPECT_GT(slowest[0].evaluations / slowest[0].pairs, 30 * fast[0].evaluations / fast[0].pairs);
}

// The previous normal saves most sweeps, and jams all the same.
TEST(Cundall, TrackedAlongSmoothMotion) {
  Random u(2);
  const auto& names = oracle::compact_shapes();
  for (const bool random_axes : {false, true}) {
    CundallSettings settings;
    settings.random_axes = random_axes;
    int steps_seen = 0, coarse = 0, fine = 0;
    double evaluations = 0;
    for (int path = 0; path < 30; ++path) {
      const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
      Pose pa{1, u.rotation(), {}}, pb{u.uniform(0.5, 1), u.rotation(), {}};
      PosedPair pair(a, b, pa, pb);
      const Vec3 line = u.direction(), axis_a = u.direction(), axis_b = u.direction();
      const double reach = -narrow::evaluate_plane(pair.a(), pair.b(), {}, line).gap;
      Plane plane;
      for (int step = 0; step < 120; ++step) {
        pb.position = (reach + 0.1 - 0.25 * std::sin(M_PI * step / 119.0)) * line;
        pa.orientation = normalized(axis_angle(axis_a, 0.005) * pa.orientation);
        pb.orientation = normalized(axis_angle(axis_b, -0.004) * pb.orientation);
        pair.move(pa, pb);
        SearchCounters c;
        plane = narrow::cundall_common_plane(settings, pair.a(), pair.b(), pair.d(), step == 0 ? nullptr : &plane, c);
        evaluations += static_cast<double>(c.evaluations);
        ASSERT_EQ(c.cold, step == 0 ? 1u : 0u);
        ++steps_seen;
        if (step % 6 != 5) continue;
        const double share = (static_cast<double>(best(pair).gap) - plane.gap) / pb.size;
        coarse += share > 1e-3, fine += share > 1e-6;
      }
    }
    const double checked = steps_seen / 6.0;
    std::printf("tracked, %s axes: %.1f %% short by > 1e-3, %.1f %% by > 1e-6; %.1f evaluations a step\n",
                random_axes ? "random" : "fixed ", 100 * coarse / checked, 100 * fine / checked,
                evaluations / steps_seen);
    EXPECT_LT(coarse / checked, random_axes ? 0.25 : 0.45);
    EXPECT_LT(evaluations / steps_seen, 110);
  }
}

// Corner against corner the gap is smooth, |AB| cos(angle): nothing to jam on, and the last step decides.
TEST(Cundall, ConvergesWhereTheGapIsSmooth) {
  Random u(3);
  const auto octahedron = oracle::shape("octahedron");
  const double corner = octahedron->body.outer_radius;
  for (int i = 0; i < 100; ++i) {
    const Quat q = u.rotation();
    // The link from corner to corner leans by up to 0.2; the line of centroids leans less.
    const Vec3 link = 0.3 * normalized(Vec3{u.uniform(-0.2, 0.2), u.uniform(-0.2, 0.2), 1});
    const PosedPair p(octahedron, octahedron, {1, q, {}}, {1, q, rotate(q, link + Vec3{0, 0, 2 * corner})});
    const double exact = norm(link);
    for (const double smallest : {1e-2, 1e-4, 1e-6}) {
      for (const bool random_axes : {false, true}) {
        SearchCounters c;
        const Plane plane =
            narrow::cundall_common_plane(steps(0.1, smallest, 0.5, random_axes), p.a(), p.b(), p.d(), nullptr, c);
        // The last failed turn was by less than 2 k: along each axis the angle is within k, the gap within k^2 |AB|.
        EXPECT_NEAR(plane.gap, exact, 4 * smallest * smallest * exact + 1e-13) << smallest << " " << random_axes;
      }
    }
  }
}

// Where the start is the best plane, every sweep fails: the steps alone say how many there are.
TEST(Cundall, CountsSweepsAndEvaluations) {
  const auto cube = oracle::shape("cube");
  const PosedPair p(cube, cube, {1, {}, {}}, {1, {}, {0, 0, 1.25}});
  SearchCounters c;
  const Plane plane = narrow::cundall_common_plane(steps(0.5, 0.5 / 64, 0.5, false), p.a(), p.b(), p.d(), nullptr, c);
  EXPECT_EQ(plane.n, (Vec3{0, 0, 1}));
  EXPECT_EQ(plane.gap, 0.25);
  EXPECT_EQ(plane.feature.kind, PlaneFeature::Kind::none);
  EXPECT_EQ(c.iterations, 7u);
  EXPECT_EQ(c.iterations_max, 7u);
  EXPECT_EQ(c.evaluations, 1u + 4 * 7);
  EXPECT_EQ(c.searched, 1u);
  EXPECT_EQ(c.cold, 1u);

  // Farther apart than TOL: the first plane says so.
  CundallSettings near;
  near.tolerance = 0.1;
  SearchCounters far;
  EXPECT_EQ(narrow::cundall_common_plane(near, p.a(), p.b(), p.d(), nullptr, far).gap, 0.25);
  EXPECT_EQ(far.evaluations, 1u);
}

void expect_sound(const PosedPair& p, const CundallSettings& s, const Plane* previous) {
  SearchCounters c, again;
  const Plane plane = narrow::cundall_common_plane(s, p.a(), p.b(), p.d(), previous, c);
  const Plane twin = narrow::cundall_common_plane(s, p.a(), p.b(), p.d(), previous, again);
  ASSERT_TRUE(std::isfinite(plane.gap) && is_finite(plane.n));
  ASSERT_NEAR(norm(plane.n), 1, 1e-14);
  ASSERT_LE(c.iterations, s.most_sweeps);
  ASSERT_EQ(plane.gap, narrow::evaluate_plane(p.a(), p.b(), p.d(), plane.n).gap);
  ASSERT_NEAR(dot(plane.n, p.d() + p.b().vertex(plane.vb) - p.a().vertex(plane.va)), plane.gap,
              4e-15 * (p.scale() + norm(p.d())));
  ASSERT_EQ(std::memcmp(&plane.n, &twin.n, sizeof plane.n), 0) << "the axes are drawn from the pair alone";
  ASSERT_EQ(c.evaluations, again.evaluations);
}

TEST(Cundall, FiniteAndBoundedForAnyPoseAndAnySteps) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Random u(4);
  const std::vector<CundallSettings> odd = {steps(0.1, 1e-3, 0.5, false), steps(0.1, 1e-3, 0.5, true),
                                            steps(0.1, 0.1, 1, true),     steps(0.1, 0, 0.5, false),
                                            steps(0.1, -1, 2, true),      steps(nan, nan, nan, false),
                                            steps(1e300, 1, 0.5, true),   steps(1e-300, 0, 0.9, true)};
  for (int i = 0; i < 40; ++i) {
    const auto& names = oracle::all_shapes();
    const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
    const double reach[] = {0, 1e-300, 1e-9, 0.3, 1, 1e6, 1e150, 1e300};
    const Vec3 far = reach[u.below(8)] * u.direction();
    const PosedPair p(a, b, {1, u.rotation(), {}}, {std::pow(10, u.uniform(-3, 3)), u.rotation(), far});
    Plane previous;
    previous.n = u.direction();
    const Plane zero, broken{{nan, 0, 0}, nan, 0, 0, {}};
    for (const CundallSettings& s : odd) {
      for (const Plane* start :
           {static_cast<const Plane*>(nullptr), &static_cast<const Plane&>(previous), &zero, &broken})
        ASSERT_NO_FATAL_FAILURE(expect_sound(p, s, start));
    }
  }
}

// Sizes and coordinates in any unit: the same turns, digit by digit.
TEST(Cundall, BlindToTheUnitOfLength) {
  Random u(5);
  for (int i = 0; i < 100; ++i) {
    const auto a = oracle::shape("grain14"), b = oracle::shape("cube");
    const Quat qa = u.rotation(), qb = u.rotation();
    const Vec3 at = u.uniform(0.3, 1.2) * u.direction();
    const PosedPair p(a, b, {1, qa, {}}, {1, qb, at});
    for (const double unit : {0x1p-20, 0x1p20}) {
      const PosedPair scaled(a, b, {unit, qa, {}}, {unit, qb, unit * at});
      SearchCounters c, d;
      const Plane one = narrow::cundall_common_plane({}, p.a(), p.b(), p.d(), nullptr, c);
      const Plane two = narrow::cundall_common_plane({}, scaled.a(), scaled.b(), scaled.d(), nullptr, d);
      ASSERT_EQ(two.gap, unit * one.gap);
      ASSERT_EQ(c.evaluations, d.evaluations);
    }
  }
}

}  // namespace
}  // namespace scree

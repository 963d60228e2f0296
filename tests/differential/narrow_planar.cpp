// LIBS: scree_exact
// The common plane of two convex polygons, and their overlap, against oracles in rational and long double arithmetic.
#include <gtest/gtest.h>

#include <cstdio>
#include <tuple>

#include "base/random.h"
#include "oracle/larger.h"
#include "oracle/most_of.h"
#include "oracle/planar.h"
#include "oracle/posed_pair.h"

namespace scree {
namespace {

using narrow::PlanarBody;
using narrow::PlanarMethod;
using narrow::PlanarPlane;
using narrow::PlanarSettings;
using narrow::PlanarView;

ConvexPolygon polygon(const std::vector<Vec2>& corners) {
  const Result<ConvexPolygon> p = make_polygon(corners);
  if (!p) ADD_FAILURE() << p.error().message;
  return centred(*p);
}
ConvexPolygon regular(int n) {
  std::vector<Vec2> v;
  for (int i = 0; i < n; ++i) v.push_back({std::cos(2 * M_PI * i / n), std::sin(2 * M_PI * i / n)});
  return polygon(v);
}
ConvexPolygon rectangle(double a, double b) { return polygon({{0, 0}, {a, 0}, {a, b}, {0, b}}); }

/// 3 to 16 corners on an ellipse of the given slenderness.
ConvexPolygon random_polygon(Random& u, double slender) {
  const std::size_t n = 3 + u.below(14);
  std::vector<double> at;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) at.push_back(sum += u.uniform(0.3, 1));
  const double start = u.uniform(0, 6);
  std::vector<Vec2> v;
  for (const double t : at)
    v.push_back({std::cos(start + 2 * M_PI * t / sum), std::sin(start + 2 * M_PI * t / sum) / slender});
  return polygon(v);
}

struct Pair {
  ConvexPolygon shape_a, shape_b;
  double size_a = 1, size_b = 1, angle_a = 0, angle_b = 0;
  Vec2 d;

  PlanarBody a() const { return PlanarBody(shape_a, size_a, angle_a); }
  PlanarBody b() const { return PlanarBody(shape_b, size_b, angle_b); }
  double smaller() const { return std::min(size_a * shape_a.outer_radius, size_b * shape_b.outer_radius); }
  /// What rounding is measured against: sums run over coordinates of this size.
  double scale() const { return size_a * shape_a.outer_radius + size_b * shape_b.outer_radius + norm(d); }
};

PlanarPlane find(const Pair& p, const PlanarSettings& s, const PlanarPlane* previous = nullptr,
                 narrow::SearchCounters* counters = nullptr) {
  narrow::SearchCounters own;
  const PlanarBody a = p.a(), b = p.b();
  return narrow::find_plane(s, a.view(), b.view(), p.d, previous, counters == nullptr ? own : *counters);
}
PlanarPlane find(const Pair& p, PlanarMethod method) {
  PlanarSettings s;
  s.method = method;
  return find(p, s);
}
double oracle_gap(const Pair& p) {
  const PlanarBody a = p.a(), b = p.b();
  return static_cast<double>(oracle::largest_gap(a.view(), b.view(), p.d));
}
double rational_gap(const Pair& p) {
  const PlanarBody a = p.a(), b = p.b();
  return oracle::exact_gap(a.view(), b.view(), p.d);
}

constexpr double kRounding = 4e-15;

/// A third each: down to coincident centroids and up to three sizes apart; just apart; just overlapping.
Pair random_pair(Random& u, double slender, double ratio) {
  Pair p;
  const auto body = [&] { return random_polygon(u, std::pow(slender, u.uniform())); };
  p.shape_a = body(), p.shape_b = body();
  p.size_b = std::pow(ratio, u.uniform(-1, 1));
  p.angle_a = u.uniform(0, 6.3), p.angle_b = u.uniform(0, 6.3);
  const double t = u.uniform(0, 6.3), reach = u.uniform(0, 2) * (1 + p.size_b);
  p.d = reach * Vec2{std::cos(t), std::sin(t)};
  const std::uint64_t kind = u.below(3);
  if (kind == 0) return p;
  const PlanarPlane plane = find(p, PlanarMethod::exact);
  const double gap = p.smaller() * std::pow(10, u.uniform(-8, -1)) * (kind == 1 ? 1 : -1);
  p.d += (gap - plane.gap) * plane.n;
  return p;
}

/// How often, and by how much, a search ends below the largest gap.
struct Shortfall {
  int pairs = 0, below = 0, wrong_side = 0;
  double worst = 0;  // of the smaller size
  std::uint64_t iterations = 0, iterations_max = 0, evaluations = 0;
  double share() const { return pairs == 0 ? 0 : static_cast<double>(below) / pairs; }
};
struct Shortfalls {
  Shortfall apart, shallow, deep;  // deep: by more than a twentieth of the smaller size
  double threshold = 1e-6;

  void add(const Pair& p, double exact, const PlanarPlane& found, const narrow::SearchCounters& c) {
    Shortfall& s = exact > 0 ? apart : exact > -0.05 * p.smaller() ? shallow : deep;
    const double share = (exact - found.gap) / p.smaller();
    ++s.pairs, s.below += share > threshold, s.worst = oracle::larger(s.worst, share);
    s.wrong_side += exact > 1e-9 * p.smaller() && found.gap <= 0;
    s.iterations += c.iterations, s.evaluations += c.evaluations;
    s.iterations_max = oracle::larger(s.iterations_max, c.iterations_max);
  }
  void print(const char* what) const {
    for (const auto& [name, s] :
         {std::pair("apart", &apart), std::pair("overlap < 5 %", &shallow), std::pair("deeper", &deep)}) {
      const double n = std::max(s->pairs, 1);
      std::printf(
          "%-24s %-14s %6d pairs, %5d short by > %.0e sizes (%.2f %%), worst %.1e, %d taken for touching; iterations "
          "%.2f, at most %d, "
          "evaluations %.1f\n",
          what, name, s->pairs, s->below, threshold, 100 * s->share(), s->worst, s->wrong_side,
          static_cast<double>(s->iterations) / n, static_cast<int>(s->iterations_max),
          static_cast<double>(s->evaluations) / n);
    }
  }
};

void expect_exact(const Pair& p, double gap, const char* what) {
  const double rounding = kRounding * p.scale();
  const PlanarPlane exact = find(p, PlanarMethod::exact), sat = find(p, PlanarMethod::separating_axis);
  ASSERT_NEAR(exact.gap, gap, rounding) << what;
  ASSERT_NEAR(norm(exact.n), 1, 1e-15) << what;
  ASSERT_LE(sat.gap, gap + rounding) << what;
  ASSERT_EQ(sat.gap > rounding, gap > rounding) << what << " " << sat.gap << " " << gap;
  if (gap < rounding) {
    ASSERT_NEAR(sat.gap, gap, rounding) << what;
  }
  const PlanarBody a = p.a(), b = p.b();
  ASSERT_EQ(narrow::evaluate_plane(a.view(), b.view(), p.d, exact.n).gap, exact.gap) << what;
  ASSERT_NEAR(dot(exact.n, p.d + b.view().corners[exact.vb] - a.view().corners[exact.va]), exact.gap, rounding)
      << what << ": its corners define the gap";
}

PlanarSettings fast_settings(bool draw_apart = false) {
  PlanarSettings s;
  s.method = PlanarMethod::fast, s.draw_apart = draw_apart;
  return s;
}
PlanarSettings cundall_settings(double smallest = narrow::CundallSettings{}.smallest) {
  PlanarSettings s;
  s.method = PlanarMethod::common_plane, s.cundall.smallest = smallest;
  return s;
}

void compare(double slender, double ratio, int count, std::uint64_t seed, Shortfalls* fast, Shortfalls* cundall) {
  Random u(seed);
  for (int i = 0; i < count; ++i) {
    const Pair p = random_pair(u, slender, ratio);
    const double gap = oracle_gap(p);
    expect_exact(p, gap, "random");
    for (const auto& [settings, sum] : {std::pair(fast_settings(), fast), std::pair(cundall_settings(), cundall)}) {
      narrow::SearchCounters counters;
      const PlanarPlane found = find(p, settings, nullptr, &counters);
      ASSERT_LE(found.gap, gap + kRounding * p.scale()) << i;
      ASSERT_NEAR(norm(found.n), 1, 1e-15);
      ASSERT_GE(counters.evaluations, 1u);
      sum->add(p, gap, found, counters);
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Planar, OraclesAgree) {
  Random u(1);
  for (int i = 0; i < 150; ++i) {
    const Pair p = random_pair(u, 10, 3);
    const double exact = rational_gap(p);
    ASSERT_NEAR(oracle_gap(p), exact, 1e-16 * p.scale()) << i;
    expect_exact(p, exact, "rational");
    if (HasFatalFailure()) return;
  }
}

// Apart, gap(n) has one maximum where it is positive; overlapping, each edge of the Minkowski difference can be a
// maximum of its own, and the line of centroids need not lead to the highest.
TEST(Planar, CompactPolygonsOfOneSize) {
  Shortfalls fast, cundall;
  cundall.threshold = 1e-3;
  compare(1.5, 2, 6000, 2, &fast, &cundall);
  fast.print("fast, compact"), cundall.print("common_plane, compact");
  EXPECT_EQ(fast.apart.below + fast.shallow.below, 0);
  EXPECT_LT(fast.deep.share(), 0.05);
  EXPECT_LT(cundall.apart.share(), 2e-3);
  EXPECT_LT(cundall.shallow.share(), 5e-3);
  EXPECT_LT(cundall.deep.share(), 0.3);
  EXPECT_LE(fast.apart.iterations_max, 4u);
}

TEST(Planar, SizesUpToOneToAThousand) {
  Shortfalls fast, cundall;
  cundall.threshold = 1e-3;
  compare(1.5, 1000, 3000, 3, &fast, &cundall);
  fast.print("fast, 1:1000"), cundall.print("common_plane, 1:1000");
  EXPECT_EQ(fast.apart.below + fast.shallow.below, 0);
  EXPECT_LT(fast.deep.share(), 0.06);
  // Its smallest angle times the larger body's size is what remains: up to a tenth of the smaller body.
  EXPECT_LT(std::max(cundall.apart.worst, cundall.shallow.worst), 0.15);
}

// Needles side by side can start on a line that cuts both, and the five candidates at its closest corners can all be
// worse: a local maximum of the gap where it is negative, although the bodies are apart.
TEST(Planar, NeedlesToOneInAHundred) {
  Shortfalls fast, cundall;
  cundall.threshold = 1e-3;
  compare(100, 3, 6000, 4, &fast, &cundall);
  fast.print("fast, needles"), cundall.print("common_plane, needles");
  EXPECT_LT(fast.apart.share(), 3e-3);
  EXPECT_EQ(fast.apart.below, fast.apart.wrong_side) << "where it finds a gap, it is the largest";
  EXPECT_LT(fast.shallow.share(), oracle::most_of(3e-3, fast.shallow.pairs));
  EXPECT_LT(fast.deep.share(), 0.08);
  EXPECT_LT(cundall.apart.share(), 3e-3);
  EXPECT_LT(cundall.shallow.share(), 6e-3);
  EXPECT_LT(cundall.deep.share(), 0.25);
}

/// Smooth relative motion in steps of a hundredth of a size; the searches start from the plane of the step before.
void track(double slender, int paths, std::uint64_t seed, PlanarSettings settings, Shortfalls* found) {
  Random u(seed);
  for (int k = 0; k < paths; ++k) {
    Pair p;
    p.shape_a = random_polygon(u, std::pow(slender, u.uniform()));
    p.shape_b = random_polygon(u, std::pow(slender, u.uniform()));
    p.size_b = u.uniform(0.5, 2);
    p.angle_a = u.uniform(0, 6.3), p.angle_b = u.uniform(0, 6.3);
    const double t = u.uniform(0, 6.3), deepest = u.uniform(0.02, 0.3), slide = u.uniform(-0.6, 0.6);
    const Vec2 along{std::cos(t), std::sin(t)};
    const PlanarBody a = p.a(), b = p.b();
    const double touching = -narrow::evaluate_plane(a.view(), b.view(), {}, along).gap;
    PlanarPlane previous;
    for (int step = 0; step < 120; ++step) {
      const double s = step / 119.0;
      p.d = (touching + 0.2 - (0.2 + deepest) * std::sin(M_PI * s)) * along + (slide * (s - 0.5)) * left_of(along);
      p.angle_a += 0.01, p.angle_b -= 0.008;
      narrow::SearchCounters counters;
      previous = find(p, settings, step == 0 ? nullptr : &previous, &counters);
      const double gap = oracle_gap(p);
      ASSERT_LE(previous.gap, gap + kRounding * p.scale());
      if (step > 0) found->add(p, gap, previous, counters);
    }
  }
}

TEST(Planar, TrackedAlongSmoothMotion) {
  Shortfalls fast, paper, cundall;
  cundall.threshold = 1e-3;
  track(3, 240, 5, fast_settings(), &fast);
  track(3, 240, 5, fast_settings(true), &paper);
  track(3, 240, 5, cundall_settings(), &cundall);
  fast.print("fast, tracked"), paper.print("fast, drawn apart"), cundall.print("common_plane, tracked");
  EXPECT_EQ(fast.apart.below, 0);
  EXPECT_LT(fast.shallow.share(), 0.01);
  EXPECT_LT(fast.deep.share(), 0.01);
  EXPECT_LT(cundall.apart.share(), 2e-3);
  EXPECT_LT(cundall.shallow.share(), 0.02);
  EXPECT_LT(cundall.deep.share(), 0.08);
  // Drawing overlapping bodies apart ends on wrong planes, and some are still followed after the bodies have parted.
  EXPECT_GT(paper.deep.share(), 0.05);
  EXPECT_LT(paper.deep.share(), 0.25);
  EXPECT_LT(paper.apart.share(), 0.01);
}

// With ever smaller turns Cundall's search comes as near as rounding lets it, where the gap has one maximum.
TEST(Planar, CundallConvergesWithItsSmallestTurn) {
  double last = 1;
  for (const double smallest : {1e-2, 1e-4, 1e-8}) {
    Random u(6);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
      const Pair p = random_pair(u, 1.5, 2);
      const double gap = oracle_gap(p);
      if (gap > 0) worst = oracle::larger(worst, (gap - find(p, cundall_settings(smallest)).gap) / p.smaller());
    }
    EXPECT_LT(worst, 4 * smallest);
    EXPECT_LT(worst, last);
    last = worst;
  }
  const ConvexPolygon square = rectangle(1, 1);
  for (const narrow::CundallSettings odd :
       {narrow::CundallSettings{0.1, 0, 0.5, false}, narrow::CundallSettings{0.1, 1e-3, 1, false},
        narrow::CundallSettings{-1, 1e-3, 0.5, false}, narrow::CundallSettings{std::nan(""), std::nan(""), 0, false}}) {
    PlanarSettings s = cundall_settings();
    s.cundall = odd;
    const PlanarPlane p = find({square, square, 1, 1, 0, 0.3, {1.6, 0.2}}, s);
    EXPECT_TRUE(std::isfinite(p.gap));
  }
}

TEST(Planar, ALargeEnoughGapEndsTheSearch) {
  const ConvexPolygon hexagon = regular(6);
  const Pair p{hexagon, hexagon, 1, 1, 0.2, 0.5, {3, 1}};
  for (PlanarSettings s : {fast_settings(), cundall_settings()}) {
    s.enough = 0.1;
    narrow::SearchCounters counters;
    EXPECT_GT(find(p, s, nullptr, &counters).gap, s.enough);
    EXPECT_EQ(counters.evaluations, 1u);
    EXPECT_EQ(counters.iterations, 0u);
  }
}

/// The plane that a search starts from.
PlanarPlane start(const Pair& p, const PlanarPlane& previous) {
  PlanarSettings s = fast_settings();
  s.enough = -1e300;
  return find(p, s, &previous);
}

TEST(Planar, AStartFollowsTheFeatureOfTheStepBefore) {
  const ConvexPolygon square = rectangle(1, 1);
  const double r = std::sqrt(0.5);
  Pair p{square, square, 1, 1, M_PI / 4, M_PI / 4, {2 * r + 0.1, 0.02}};
  const PlanarPlane link = find(p, PlanarMethod::exact);
  ASSERT_EQ(link.feature.kind, PlaneFeature::Kind::vertex_vertex);
  p.d = {2 * r - 0.1, 0.01};  // the corners have passed each other: the link has turned inside out
  EXPECT_NEAR(start(p, link).n.x, 0.1 / std::hypot(0.1, 0.01), 1e-12) << "still from A to B";
  PlanarPlane stale = link;  // of a body with more corners
  stale.n = {0, 1}, stale.feature.b = 40;
  EXPECT_EQ(start(p, stale).n, (Vec2{0, 1}));
  stale.feature.a = 40, stale.feature.b = 0;
  EXPECT_EQ(start(p, stale).n, (Vec2{0, 1}));
  stale.feature.kind = PlaneFeature::Kind::face_a;
  EXPECT_EQ(start(p, stale).n, (Vec2{0, 1}));
  stale.feature.a = 1;
  EXPECT_EQ(start(p, stale).n, p.a().view().normals[1]);
}

/// Every method at a degenerate pose: finite, bounded, no better than the oracle, and the same gap for the exact ones
/// when the bodies are swapped, turned, mirrored, renumbered or scaled.
void expect_sane(const char* what, const Pair& p) {
  SCOPED_TRACE(what);
  const double gap = rational_gap(p), rounding = kRounding * p.scale();
  expect_exact(p, gap, what);
  Pair swapped{p.shape_b, p.shape_a, p.size_b, p.size_a, p.angle_b, p.angle_a, -p.d};
  EXPECT_NEAR(find(swapped, PlanarMethod::exact).gap, gap, rounding);
  for (const double t : {0.1, 1.0, M_PI / 2, 4.0}) {
    Pair q = p;
    q.angle_a += t, q.angle_b += t, q.d = turned(p.d, std::cos(t), std::sin(t));
    EXPECT_NEAR(find(q, PlanarMethod::exact).gap, gap, rounding);
  }
  for (const double scale : {1e-6, 1e6}) {
    Pair q = p;
    q.size_a *= scale, q.size_b *= scale, q.d = scale * p.d;
    EXPECT_NEAR(find(q, PlanarMethod::exact).gap, scale * gap, scale * rounding);
    for (const PlanarSettings& s : {fast_settings(), cundall_settings()}) {
      EXPECT_LE(find(q, s).gap, scale * (gap + rounding));
    }
  }
  const auto mirrored = [](const ConvexPolygon& s) {
    std::vector<Vec2> v(s.vertices.rbegin(), s.vertices.rend());
    for (Vec2& c : v) c.y = -c.y;
    return polygon(v);
  };
  const Pair mirror{mirrored(p.shape_a), mirrored(p.shape_b), p.size_a,       p.size_b,
                    -p.angle_a,          -p.angle_b,          {p.d.x, -p.d.y}};
  EXPECT_NEAR(find(mirror, PlanarMethod::exact).gap, gap, 2 * rounding);
  for (const PlanarSettings& s : {fast_settings(), fast_settings(true), cundall_settings()}) {
    narrow::SearchCounters counters;
    const PlanarPlane cold = find(p, s, nullptr, &counters);
    EXPECT_TRUE(std::isfinite(cold.gap) && is_finite(cold.n));
    EXPECT_NEAR(norm(cold.n), 1, 1e-15);
    EXPECT_LE(cold.gap, gap + rounding);
    EXPECT_LT(counters.iterations_max, s.method == PlanarMethod::fast ? 12u : 400u);
    const PlanarPlane warm = find(p, s, &cold);
    if (!s.draw_apart) {
      EXPECT_GE(warm.gap, cold.gap - rounding) << "a search does not lose what it is given";
    }
  }
}

TEST(Planar, DegeneratePoses) {
  const ConvexPolygon square = rectangle(1, 1), triangle = regular(3), hexagon = regular(6), octagon = regular(8),
                      needle = rectangle(1, 0.01);
  const double e[] = {0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-3, -1e-3};
  for (const double gap : e) {
    for (const double shift : {0.0, 1e-15, 1e-9, 0.3, 0.5, 1 - 1e-12, 1.0}) {
      expect_sane("parallel edges", {square, square, 1, 1, 0, 0, {shift, 1 + gap}});
      expect_sane("needles along each other", {needle, needle, 1, 1, 0, 0, {shift, 0.01 + gap}});
    }
    for (const double angle : {1e-15, 1e-12, 1e-9, 1e-6, -1e-3}) {
      expect_sane("nearly parallel edges", {square, square, 1, 1, 0, angle, {0.2, 1 + gap}});
      expect_sane("nearly parallel needles", {needle, needle, 1, 1, 0, angle, {0.7, 0.01 + gap}});
    }
    const double r = std::sqrt(0.5);
    expect_sane("vertex on vertex in line", {square, square, 1, 1, M_PI / 4, M_PI / 4, {2 * r + gap, 0}});
    expect_sane("vertex beside vertex", {square, square, 1, 1, M_PI / 4, M_PI / 4, {2 * r + gap, 1e-9}});
    expect_sane("vertex on edge", {square, square, 1, 1, 0, M_PI / 4, {0.1, 0.5 + r + gap}});
    expect_sane("vertex on edge's end", {square, square, 1, 1, 0, M_PI / 4, {0.5, 0.5 + r + gap}});
    expect_sane("corner to corner of aligned squares", {square, square, 1, 1, 0, 0, {1 + gap, 1 + gap}});
    expect_sane("two depths alike", {square, square, 1, 1, 0, 0, {0.9 + gap, 0.9}});
    expect_sane("needles end to end", {needle, needle, 1, 1, 0, 0, {1 + gap, 0}});
    expect_sane("needle's tip on an octagon", {octagon, needle, 1, 1, M_PI / 8, 0, {1.5 + gap, 0}});
  }
  for (const ConvexPolygon* s : {&square, &triangle, &hexagon, &octagon, &needle}) {
    expect_sane("identical pose", {*s, *s, 1, 1, 0.3, 0.3, {}});
    expect_sane("coincident centroids", {*s, hexagon, 1, 0.7, 0.3, 1.1, {}});
    expect_sane("one deep inside the other", {*s, triangle, 1, 1e-3, 0.3, 0.2, {1e-3, -2e-3}});
    expect_sane("far apart", {*s, octagon, 1, 1, 0.3, 0.2, {1e6, -3e6}});
    expect_sane("a grain on a boulder", {*s, triangle, 1e3, 1e-3, 0.3, 0.2, {10, 1e3}});
  }
}

TEST(Planar, SameGapSwappedTurnedAndScaled) {
  Random u(10);
  int differ_fast = 0, differ_cundall = 0, compared = 0;
  for (int i = 0; i < 1500; ++i) {
    const Pair p = random_pair(u, 10, 10);
    const double t = u.uniform(0, 6.3);
    Pair turned_pair = p;
    turned_pair.angle_a += t, turned_pair.angle_b += t, turned_pair.d = turned(p.d, std::cos(t), std::sin(t));
    const Pair swapped{p.shape_b, p.shape_a, p.size_b, p.size_a, p.angle_b, p.angle_a, -p.d};
    const double rounding = kRounding * p.scale();
    std::vector<std::pair<Pair, double>> same = {{turned_pair, 1}, {swapped, 1}};
    for (const double scale : {1e-6, 1e6}) {
      Pair q = p;
      q.size_a *= scale, q.size_b *= scale, q.d = scale * p.d;
      same.emplace_back(q, scale);
    }
    for (const auto& [q, scale] : same) {
      for (const PlanarMethod m : {PlanarMethod::exact, PlanarMethod::separating_axis}) {
        ASSERT_NEAR(find(q, m).gap / scale, find(p, m).gap, rounding) << i;
      }
      ++compared;
      differ_fast += std::abs(find(q, PlanarMethod::fast).gap / scale - find(p, PlanarMethod::fast).gap) > rounding;
      differ_cundall += std::abs(find(q, PlanarMethod::common_plane).gap / scale -
                                 find(p, PlanarMethod::common_plane).gap) > 1e-3 * p.scale();
    }
  }
  std::printf("of %d: fast differs in %d, common_plane by more than 1e-3 in %d\n", compared, differ_fast,
              differ_cundall);
  EXPECT_LT(differ_fast, compared / 100);
  EXPECT_LT(differ_cundall, compared / 20);
}

TEST(Planar, AnyFinitePoseGivesAFinitePlane) {
  Random u(7);
  for (int i = 0; i < 4000; ++i) {
    Pair p;
    p.shape_a = random_polygon(u, 10), p.shape_b = random_polygon(u, 10);
    p.size_a = std::pow(10, u.uniform(-60, 60)), p.size_b = std::pow(10, u.uniform(-60, 60));
    p.angle_a = u.uniform(-1e3, 1e3);
    p.d = std::pow(10, u.uniform(-300, 200)) * Vec2{u.uniform(-1, 1), u.uniform(-1, 1)};
    for (const PlanarMethod m :
         {PlanarMethod::common_plane, PlanarMethod::fast, PlanarMethod::separating_axis, PlanarMethod::exact}) {
      PlanarSettings s;
      s.method = m;
      PlanarPlane seed;
      if (u.below(2) == 0) {  // whatever an older pair may have left behind
        const auto any = [&] { return static_cast<std::uint16_t>(u.below(40)); };
        seed.feature = {static_cast<PlaneFeature::Kind>(u.below(7)), any(), any(), any(), any()};
        seed.n = {u.uniform(-1, 1), 0};
      }
      narrow::SearchCounters counters;
      const PlanarPlane plane = find(p, s, u.below(2) == 0 ? &seed : nullptr, &counters);
      ASSERT_TRUE(std::isfinite(plane.gap)) << i;
      ASSERT_NEAR(norm(plane.n), 1, 1e-14) << i;
      const PlanarBody a = p.a(), b = p.b();
      const narrow::PlanarOverlap o = narrow::exact_overlap(a.view(), b.view(), p.d, plane);
      ASSERT_TRUE(std::isfinite(o.area) && std::isfinite(o.depth) && is_finite(o.centroid) && is_finite(o.normal)) << i;
    }
  }
}

narrow::PlanarOverlap overlap(const Pair& p) {
  const PlanarBody a = p.a(), b = p.b();
  return narrow::exact_overlap(a.view(), b.view(), p.d, find(p, PlanarMethod::exact));
}

void expect_overlap(const Pair& p, double relative, const char* what) {
  const PlanarBody a = p.a(), b = p.b();
  const oracle::PlanarClip exact = oracle::exact_clip(a.view(), b.view(), p.d);
  const narrow::PlanarOverlap o = overlap(p);
  const double scale = p.scale(), width = norm(exact.chord) + std::sqrt(exact.area);
  ASSERT_NEAR(o.area, exact.area, relative * exact.area + 1e-15 * scale * width) << what;
  ASSERT_LT(norm(o.chord - exact.chord), relative * width + 1e-14 * scale) << what;
  ASSERT_LT(norm(o.centroid - exact.centroid), relative * width + 1e-14 * scale) << what;
  ASSERT_NEAR(norm(o.normal), 1, 1e-14) << what;
  if (norm(exact.chord) > 1e-9 * scale) {
    ASSERT_NEAR(o.depth, exact.area / norm(exact.chord), 3 * relative * o.depth + 1e-14 * scale) << what;
  }
}

TEST(PlanarOverlap, AgainstRationalClipping) {
  Random u(8);
  int overlapping = 0, skipped = 0;
  for (int i = 0; i < 3000; ++i) {
    Pair p = random_pair(u, 10, 5);
    const PlanarPlane plane = find(p, PlanarMethod::exact);
    if (plane.gap > 0) {
      const PlanarBody a = p.a(), b = p.b();
      ASSERT_EQ(overlap(p).area, 0);
      ASSERT_EQ(oracle::exact_clip(a.view(), b.view(), p.d).area, 0);
      ++skipped;
      continue;
    }
    ++overlapping;
    expect_overlap(p, 1e-12 + 1e-14 * p.scale() / -plane.gap, "random");
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(skipped, 500);
}

TEST(PlanarOverlap, InClosedForm) {
  const ConvexPolygon square = rectangle(1, 1);
  for (const double depth : {1e-12, 1e-6, 0.1}) {
    const double slack = 1e-14 + 1e-15 / depth;
    // Of A's boundary the upper side, over 3/4, and as much of the right side as B reaches down.
    const narrow::PlanarOverlap flat = overlap({square, square, 1, 1, 0, 0, {0.25, 1 - depth}});
    const double length = std::hypot(0.75, depth);
    EXPECT_NEAR(flat.area, 0.75 * depth, slack * depth);
    EXPECT_NEAR(flat.depth, 0.75 * depth / length, slack * depth);
    EXPECT_NEAR(flat.chord.x, depth, slack * depth);
    EXPECT_NEAR(flat.chord.y, 0.75, 1e-14);
    EXPECT_NEAR(flat.normal.y, 0.75 / length, 1e-14);
    EXPECT_NEAR(flat.centroid.x, 0.125, slack);
    EXPECT_NEAR(flat.centroid.y, 0.5 - depth / 2, 1e-15);
    const narrow::PlanarOverlap corner =
        overlap({square, square, 1, 1, 0, M_PI / 4, {0.1, 0.5 + std::sqrt(0.5) - depth}});
    EXPECT_NEAR(corner.area, depth * depth, 4 * slack * depth * depth);
    EXPECT_NEAR(norm(corner.chord), depth > 1e-12 ? 2 * depth : norm(corner.chord), 4 * slack * depth);
    EXPECT_NEAR(corner.depth, depth / 2, depth > 1e-11 ? 4 * slack * depth : depth);
    EXPECT_NEAR(corner.centroid.x, 0.1, 1e-14);
  }
  // Below 1e-12 sizes the plane's depth stands in.
  EXPECT_NEAR(overlap({square, square, 1, 1, 0, 0, {0.25, 1 - 4e-16}}).depth, 4e-16, 3e-16);
}

/// Where the line x = from + t dir, lowest <= t <= highest, is inside the polygon moved by d.
std::pair<double, double> inside(const PlanarView& v, Vec2 d, Vec2 from, Vec2 dir, double lowest, double highest) {
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double along = dot(v.normals[i], dir), room = dot(v.normals[i], v.corners[i] + d - from);
    if (along > 0) highest = std::min(highest, room / along);
    if (along < 0) lowest = std::max(lowest, room / along);
    if (along == 0 && room < 0) highest = lowest;
  }
  return {lowest, std::max(lowest, highest)};
}

/// Share of the chord that the longest stretch of A's boundary inside B has.
double longest_side(const PlanarView& a, Vec2 at, const PlanarView& b, Vec2 d, const narrow::PlanarOverlap& o) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Vec2 e = a.corners[a.after(i)] - a.corners[i];
    const auto [from, to] = inside(b, d, a.corners[i] + at, e, 0, 1);
    most = std::max(most, (to - from) * std::abs(cross(e, o.normal)) / norm(o.chord));
  }
  return most;
}

// docs/contact-geometry.md, summed over strips across the chord: where no side of either body carries all of it.
TEST(PlanarOverlap, ActsByItsThicknessWhereCornersMeet) {
  constexpr int kStrips = 20000;
  Random u(10);
  int seen = 0;
  for (int i = 0; i < 20000 && seen < 300; ++i) {
    const Pair p = random_pair(u, 4, 3);
    const narrow::PlanarOverlap o = overlap(p);
    const PlanarBody body_a = p.a(), body_b = p.b();
    const PlanarView a = body_a.view(), b = body_b.view();
    if (!(o.area > 0) || o.seeds || o.depth < 1e-3 * p.smaller()) continue;
    if (std::max(longest_side(a, {}, b, p.d, o), longest_side(b, p.d, a, {}, o)) > 0.98) continue;
    ++seen;
    const Vec2 t{-o.normal.y, o.normal.x};
    const double reach = p.scale();
    const auto thickness = [&](double s) {
      const auto [la, ha] = inside(a, {}, o.centroid + s * t, o.normal, -reach, reach);
      const auto [lb, hb] = inside(b, p.d, o.centroid + s * t, o.normal, la, ha);
      return std::max(0.0, hb - lb);
    };
    // Its ends, from strips that are next to each other with and without thickness.
    double low = 0, high = 0;
    for (const double sign : {-1.0, 1.0}) {
      double in = 0, out = sign * reach;
      for (int k = 0; k < 100; ++k) (thickness((in + out) / 2) > 0 ? in : out) = (in + out) / 2;
      (sign < 0 ? low : high) = in;
    }
    double h1 = 0, h2 = 0, h3 = 0, x0 = 0, x2 = 0;
    const double ds = (high - low) / kStrips;
    for (int k = 0; k < kStrips; ++k) {
      const double s = low + (k + 0.5) * ds, h = thickness(s);
      h1 += h * ds, h2 += h * h * ds, h3 += h * h * h * ds, x0 += s * ds, x2 += s * h * h * ds;
    }
    const double depth = std::sqrt(h3 / h1), curl = h3 / (2 * h1 * h1), chord = high - low;
    const double below = 1.5 * h2 / h1 - chord * curl;
    ASSERT_NEAR(h1, o.area, 1e-6 * o.area) << "the strips are those of the overlap";
    ASSERT_NEAR(o.energy_depth, depth, 1e-6 * depth);
    if (below < 1e-3 * h2 / h1) continue;  // a small difference of strips
    const Vec2 centre = o.centroid + (1.5 * x2 / h1 - curl * x0) / below * t;
    ASSERT_LT(norm(o.centre - centre), 1e-5 * chord);
  }
  EXPECT_EQ(seen, 300);
}

TEST(PlanarOverlap, FlushInsideAndIdentical) {
  const ConvexPolygon square = rectangle(1, 1), hexagon = regular(6);
  for (const double depth : {1e-3, 0.25, 0.5}) {
    expect_overlap({square, square, 1, 1, 0, 0, {0, 1 - depth}}, 1e-12, "flush at two sides");
    expect_overlap({square, square, 1, 0.5, 0, 0, {0.25, 0.75 - depth}}, 1e-12, "small one flush at one side");
    const narrow::PlanarOverlap o = overlap({square, square, 1, 1, 0, 0, {0, 1 - depth}});
    EXPECT_NEAR(o.normal.y, 1, 1e-14);
    EXPECT_NEAR(o.depth, depth, 1e-14);
  }
  for (const auto& s : {square, hexagon}) {
    const narrow::PlanarOverlap same = overlap({s, s, 1, 1, 0.2, 0.2, {}});
    const double area = area_properties(s).area;
    EXPECT_NEAR(same.area, area, 1e-14);
    EXPECT_LT(norm(same.centroid), 1e-14);
    EXPECT_LT(norm(same.chord), 1e-13);
    EXPECT_NEAR(same.depth, -find({s, s, 1, 1, 0.2, 0.2, {}}, PlanarMethod::exact).gap, 0);
    const Pair inside{s, s, 1, 0.1, 0.2, 0.9, {0.1, 0.05}};
    const narrow::PlanarOverlap o = overlap(inside);
    EXPECT_NEAR(o.area, 0.01 * area, 1e-15);
    EXPECT_LT(norm(o.centroid - inside.d), 1e-14);
    EXPECT_NEAR(o.depth, -find(inside, PlanarMethod::exact).gap, 0);
  }
}

TEST(PlanarOverlap, ForgetsWhoIsA) {
  Random u(9);
  for (int i = 0; i < 2000; ++i) {
    const Pair p = random_pair(u, 10, 5), swapped{p.shape_b, p.shape_a, p.size_b, p.size_a, p.angle_b, p.angle_a, -p.d};
    const narrow::PlanarOverlap o = overlap(p), s = overlap(swapped);
    const double slack = o.area > 0 ? (1e-12 + 1e-14 * p.scale() / o.depth) : 1;
    ASSERT_NEAR(o.area, s.area, slack * o.area);
    ASSERT_LT(norm(o.chord + s.chord), slack * norm(o.chord) + 1e-13 * p.scale());
    ASSERT_LT(norm(o.centroid - p.d - s.centroid), slack * norm(o.chord) + 1e-13 * p.scale());
  }
}

// What a run does with a pair: whatever the search, contacts are those of all edges, for the overlap is exact from any
// plane and an empty one is looked at again.
TEST(PlanarRun, EverySearchFindsTheSameContacts) {
  Random u(10);
  const std::vector<std::string> names = {"triangle", "square", "pentagon", "hexagon", "octagon"};
  int touching = 0, apart = 0;
  for (int i = 0; i < 300; ++i) {
    const double size = u.uniform(0.3, 1);
    oracle::Pose a{1, axis_angle({0, 0, 1}, u.uniform(0, 6)), {}}, b{size, axis_angle({0, 0, 1}, u.uniform(0, 6)), {}};
    const double way = u.uniform(0, 6);
    const double begin = i % 3 == 0 ? 0.2 : 1;  // some deep inside each other, where a search may end on a poor line
    b.position = begin * (0.5 + 0.6 * size) * Vec3{std::cos(way), std::sin(way), 0};
    oracle::PosedPair pair(oracle::shape(names[u.below(5)]), oracle::shape(names[u.below(5)]), a, b);
    const std::vector<narrow::PlaneMethod> methods = {narrow::PlaneMethod::automatic, narrow::PlaneMethod::fast,
                                                      narrow::PlaneMethod::common_plane};
    std::vector<PairTable> tables(methods.size());
    for (std::size_t m = 0; m < methods.size(); ++m) {
      narrow::PlaneSettings settings;
      settings.method = methods[m];
      tables[m].keeps_tracked = narrow::keeps_track(settings, true);
      EXPECT_EQ(tables[m].keeps_tracked, m > 0);
      tables[m].resize(1);
      tables[m].a[0] = 0, tables[m].b[0] = 1;
      if (tables[m].keeps_tracked) tables[m].tracked[0] = {};
    }
    const double stride = std::pow(10, u.uniform(-4, -1.5));
    for (int step = 0; step < 100; ++step) {
      const Vec3 dx = stride * Vec3{u.uniform(-1, 1), u.uniform(-1, 1), 0};
      const double turn = stride * u.uniform(-1, 1);
      b.position += dx, b.orientation = axis_angle({0, 0, 1}, turn) * b.orientation;
      pair.move(a, b);
      std::vector<narrow::FoundPoint> expected;
      for (std::size_t m = 0; m < methods.size(); ++m) {
        narrow::PlaneSettings settings;
        settings.method = methods[m];
        // The step's motion counts once for every table, which only makes them look more often.
        const narrow::FoundPoints found =
            pair.step(tables[m], norm(dx) + 2 * std::abs(turn), narrow::ContactGeometry::overlap, settings);
        if (m == 0) expected = found.points;
        ASSERT_EQ(found.points.size(), expected.size()) << i << " " << step << " " << m;
        for (std::size_t k = 0; k < expected.size(); ++k) {
          const double slack = 1e-13 * pair.scale() + 1e-9 * expected[k].depth;
          ASSERT_NEAR(found.points[k].depth, expected[k].depth, slack) << i << " " << step << " " << m;
          const double beyond = found.points[k].penetration - expected[k].penetration;
          ASSERT_GE(beyond, -slack);
          if (m > 0) {
            ASSERT_LE(beyond, 0.02 * pair.scale() + slack) << i << " " << step << " " << m;
          }
          // Of an overlap the same to rounding; where there is none to speak of, the direction is the plane's.
          if (expected[k].depth < 1e-6 * pair.scale()) continue;
          ASSERT_GT(dot(found.points[k].normal, expected[k].normal), 1 - 1e-9) << i << " " << step << " " << m;
          ASSERT_LT(norm(found.points[k].point - expected[k].point), 1e-7 * pair.scale())
              << i << " " << step << " " << m;
        }
      }
      ++(expected.empty() ? apart : touching);
    }
  }
  EXPECT_GT(touching, 5000);
  EXPECT_GT(apart, 3000);
}

}  // namespace
}  // namespace scree

// The common plane against an oracle that tries every candidate over all features in long double.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/random.h"
#include "oracle/larger.h"
#include "oracle/long_double.h"
#include "oracle/posed_pair.h"

namespace scree {
namespace {

using oracle::Pose;
using oracle::PosedPair;

oracle::Gap best(const PosedPair& p) {
  return oracle::largest_gap(oracle::solid(p.a(), {}), oracle::solid(p.b(), p.d()));
}

/// Random shapes and poses: a quarter each down to coincident centroids, up to three sizes apart, and just apart or
/// just overlapping.
PosedPair random_pair(Random& u, const std::vector<std::string>& names, double ratio_max) {
  const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
  Pose pa, pb;
  pa.size = 0.03, pb.size = 0.03 * std::pow(ratio_max, u.uniform(-1, 1));
  pa.orientation = u.rotation(), pb.orientation = u.rotation();
  PosedPair pair(a, b, pa, pb);
  const Vec3 dir = u.direction();
  const double touching =
      -narrow::evaluate_plane(pair.a(), pair.b(), {}, dir).gap;  // along dir, with the centroids together
  const double smaller = std::min(pa.size, pb.size);
  const std::uint64_t kind = u.below(4);
  pb.position = (kind == 0 ? u.uniform() * touching : touching + smaller * u.uniform(0, 3)) * dir;
  pair.move(pa, pb);
  if (kind < 2) return pair;
  narrow::SearchCounters counters;
  const narrow::Plane plane = narrow::fast_common_plane(pair.a(), pair.b(), pair.d(), nullptr, counters);
  const double gap = smaller * std::pow(10, u.uniform(-6, -1)) * (kind == 2 ? 1 : -1);
  pb.position += (gap - plane.gap) * plane.n;
  pair.move(pa, pb);
  return pair;
}

/// How often, and by how much, a search ends below the best gap.
struct Shortfall {
  int pairs = 0, below = 0, wrong_side = 0;
  double worst = 0;  // of the smaller size
  void add(double exact, double found, double size) {
    ++pairs;
    const double share = (exact - found) / size;
    below += share > 1e-6, wrong_side += exact > 1e-9 * size && found <= 0;
    worst = oracle::larger(worst, share);
  }
  double share() const { return pairs == 0 ? 0 : static_cast<double>(below) / pairs; }
};
struct Shortfalls {
  Shortfall apart, shallow, deep;  // deep: by more than a twentieth of the smaller size
  void add(double exact, double found, double size) {
    (exact > 0 ? apart : exact > -0.05 * size ? shallow : deep).add(exact, found, size);
  }
  void print(const char* what) const {
    for (const auto& [name, s] :
         {std::pair("apart", &apart), std::pair("overlap < 5 %", &shallow), std::pair("deeper", &deep)}) {
      std::printf("%-28s %-14s %6d pairs, %3d below the best gap (%.1e), worst %.1e sizes, %d taken for touching\n",
                  what, name, s->pairs, s->below, s->share(), s->worst, s->wrong_side);
    }
  }
};

double smaller(const PosedPair& p) { return std::min(p.a().size, p.b().size); }

void compare(const std::vector<std::string>& names, double ratio, int count, std::uint64_t seed, Shortfalls* found) {
  Random u(seed);
  for (int i = 0; i < count; ++i) {
    const PosedPair p = random_pair(u, names, ratio);
    const oracle::Gap g = best(p);
    const auto exact = static_cast<double>(g.gap);
    const double rounding = 4e-15 * p.scale();
    const narrow::Plane sat = p.plane();
    ASSERT_LE(sat.gap, exact + rounding) << names.size() << " " << i;
    ASSERT_EQ(sat.gap > rounding, exact > rounding) << sat.gap << " " << exact;
    if (exact < 0) {
      ASSERT_NEAR(sat.gap, exact, rounding);
    }
    ASSERT_NEAR(sat.gap, narrow::evaluate_plane(p.a(), p.b(), p.d(), sat.n).gap, 0);
    narrow::SearchCounters counters;
    const narrow::Plane fast = narrow::fast_common_plane(p.a(), p.b(), p.d(), nullptr, counters);
    ASSERT_LE(fast.gap, exact + rounding);
    ASSERT_NEAR(norm(fast.n), 1, 1e-14);
    ASSERT_LT(counters.iterations_max, 40u);
    ASSERT_NEAR(dot(fast.n, p.d() + p.b().vertex(fast.vb) - p.a().vertex(fast.va)), fast.gap, rounding)
        << "its vertices define the gap";
    found->add(exact, fast.gap, smaller(p));
  }
}

TEST(CommonPlane, ColdSearchOnCompactShapesOfOneSize) {
  Shortfalls f;
  compare(oracle::compact_shapes(), 2, 2400, 1, &f);
  f.print("cold, compact 1:2");
  EXPECT_LT(f.apart.share(), 4e-3);
  EXPECT_LT(f.shallow.share(), 4e-3);
  EXPECT_LT(f.deep.share(), 0.03);
  EXPECT_LT(std::max({f.apart.worst, f.shallow.worst, f.deep.worst}), 0.05);
  EXPECT_LE(f.apart.wrong_side, 3);  // contact is made only after the exact check: see ContactsOnlyWhereBodiesMeet
}

TEST(CommonPlane, ColdSearchAcrossSizes) {
  Shortfalls f;
  compare(oracle::compact_shapes(), 100, 2000, 2, &f);
  f.print("cold, compact 1:100");
  EXPECT_LT(f.apart.share(), 8e-3);
  EXPECT_LT(f.shallow.share(), 8e-3);
  EXPECT_LT(f.deep.share(), 0.04);
}

TEST(CommonPlane, ColdSearchOnNeedlesAndPlates) {
  Shortfalls f;
  compare({"needle", "plate", "grain14"}, 3, 2000, 3, &f);
  f.print("cold, thin");
  EXPECT_LT(f.apart.share(), 8e-3);
  EXPECT_LT(f.shallow.share(), 0.01);
  EXPECT_LT(f.deep.share(), 0.05);
}

/// Smooth relative motion in steps of a hundredth of a size; the search starts from the plane of the last step.
void track(const std::vector<std::string>& names, int paths, std::uint64_t seed, Shortfalls* found) {
  Random u(seed);
  for (int k = 0; k < paths; ++k) {
    const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
    Pose pa{1, u.rotation(), {}}, pb{u.uniform(0.5, 2), u.rotation(), {}};
    PosedPair pair(a, b, pa, pb);
    const Vec3 dir = u.direction(), side = normalized(cross(dir, u.direction()));
    const double reach = -narrow::evaluate_plane(pair.a(), pair.b(), {}, dir).gap;
    const Vec3 axis_a = u.direction(), axis_b = u.direction();
    const double deepest = u.uniform(0.02, 0.3);
    PlaneFeature feature;
    for (int step = 0; step < 120; ++step) {
      const double t = step / 119.0;
      pb.position = (reach + 0.2 - (0.2 + deepest) * std::sin(M_PI * t)) * dir + (0.6 * (t - 0.5)) * side;
      pa.orientation = normalized(axis_angle(axis_a, 0.01) * pa.orientation);
      pb.orientation = normalized(axis_angle(axis_b, -0.008) * pb.orientation);
      pair.move(pa, pb);
      narrow::SearchCounters counters;
      const narrow::Plane p =
          narrow::fast_common_plane(pair.a(), pair.b(), pair.d(), step == 0 ? nullptr : &feature, counters);
      feature = p.feature;
      ASSERT_LE(counters.iterations_max, 12u);
      if (step % 6 != 5) continue;
      const auto exact = static_cast<double>(best(pair).gap);
      ASSERT_LE(p.gap, exact + 4e-15 * pair.scale());
      found->add(exact, p.gap, smaller(pair));
    }
  }
}

TEST(CommonPlane, TrackedSearchAlongSmoothMotion) {
  Shortfalls compact, thin;
  track(oracle::compact_shapes(), 120, 4, &compact);
  track({"needle", "plate", "grain14"}, 60, 5, &thin);
  compact.print("tracked, compact"), thin.print("tracked, thin");
  EXPECT_LT(compact.apart.share(), 8e-3);
  EXPECT_LT(compact.shallow.share(), 0.02);
  EXPECT_LT(compact.deep.share(), 0.06);
  EXPECT_LT(thin.apart.share(), 0.03);
  EXPECT_LT(thin.shallow.share(), 0.03);
  EXPECT_LT(thin.deep.share(), 0.06);
  EXPECT_EQ(compact.apart.wrong_side + thin.apart.wrong_side, 0);
}

double cold_gap(const PosedPair& p) {
  narrow::SearchCounters c;
  return narrow::fast_common_plane(p.a(), p.b(), p.d(), nullptr, c).gap;
}

/// Both searches at a degenerate pose: finite, bounded, and blind to which body is called A and to where the origin is.
void expect_sane(const std::string& sa, const std::string& sb, Pose pa, Pose pb, bool exact_cold) {
  const PosedPair p(oracle::shape(sa), oracle::shape(sb), pa, pb),
      swapped(oracle::shape(sb), oracle::shape(sa), pb, pa);
  const auto exact = static_cast<double>(best(p).gap);
  const double rounding = 4e-15 * p.scale();
  const narrow::Plane sat = p.plane();
  ASSERT_TRUE(std::isfinite(sat.gap) && is_finite(sat.n));
  if (exact <= rounding) {
    EXPECT_NEAR(sat.gap, exact, rounding) << sa << " " << sb;
  }
  EXPECT_EQ(sat.gap > rounding, exact > rounding);
  EXPECT_NEAR(swapped.plane().gap, sat.gap, rounding);
  const double fast = cold_gap(p);
  ASSERT_TRUE(std::isfinite(fast));
  EXPECT_LE(fast, exact + rounding);
  if (exact_cold) {
    EXPECT_NEAR(fast, exact, rounding) << sa << " " << sb;
    EXPECT_NEAR(cold_gap(swapped), fast, rounding);
  }
  // The same digits far away: the pair sees the difference of the centroids alone. (Moved by a power of two, so that
  // the difference is exact.)
  Pose fa = pa, fb = pb;
  const double far = std::ldexp(1.0, 20) * std::max(pa.size, pb.size);
  fa.position += {far, -far, far}, fb.position += {far, -far, far};
  const PosedPair moved(oracle::shape(sa), oracle::shape(sb), fa, fb);
  const double lost = 2.4e-16 * 2 * far;  // positions themselves round
  EXPECT_NEAR(moved.plane().gap, sat.gap, 2 * lost + rounding);
  const PosedPair again(oracle::shape(sa), oracle::shape(sb), pa, [&] {
    Pose q = pb;
    q.position = pa.position + moved.d();
    return q;
  }());
  EXPECT_NEAR(again.plane().gap, moved.plane().gap, rounding);
}

TEST(CommonPlane, DegeneratePoses) {
  const double turn = M_PI / 4;
  const Quat z = axis_angle({0, 0, 1}, turn), x = axis_angle({1, 0, 0}, turn), y = axis_angle({0, 1, 0}, turn);
  for (const double depth : {-0.3, -1e-3, -1e-9, 0.0, 1e-9, 1e-3, 0.3}) {
    expect_sane("cube", "cube", {1, {}, {}}, {1, {}, {0, 0, 1 + depth}}, true);             // stacked, aligned
    expect_sane("cube", "cube", {1, {}, {}}, {1, {}, {0.5, 0.5, 1 + depth}}, true);         // edges above edges
    expect_sane("cube", "cube", {1, {}, {}}, {0.1, {}, {0.45, 0, 0.55 + depth}}, true);     // flush at one side
    expect_sane("cube", "cube", {1, {}, {}}, {1, z, {0, 0, 1 + depth}}, true);              // turned by 45 degrees
    expect_sane("cube", "cube", {1, x, {}}, {1, x, {0, 0, std::sqrt(2.0) + depth}}, true);  // parallel edges
    expect_sane("cube", "cube", {1, x, {}}, {1, y, {0, 0, std::sqrt(2.0) + depth}}, true);  // crossed edges
    expect_sane("cube", "octahedron", {1, {}, {}}, {1, {}, {0, 0, 0.5 + std::sqrt(0.5) + depth}},
                true);  // corner on face
    expect_sane("octahedron", "octahedron", {1, {}, {}}, {1, {}, {0, 0, std::sqrt(2.0) + depth}},
                false);  // corner on corner
  }
}

TEST(CommonPlane, CoincidentAndContainedBodies) {
  Random u(6);
  for (const std::string& name : oracle::all_shapes()) {
    const Quat q = u.rotation();
    expect_sane(name, name, {1, q, {1, 2, 3}}, {1, q, {1, 2, 3}}, false);               // one and the same
    expect_sane(name, name, {1, q, {1, 2, 3}}, {1, u.rotation(), {1, 2, 3}}, false);    // centroids together
    expect_sane(name, name, {1, q, {}}, {0.01, u.rotation(), {0.01, 0, 0.01}}, false);  // one inside the other
    expect_sane(name, "cube", {0.01, q, {}}, {1, u.rotation(), {0.1, 0.02, 0}}, false);
  }
}

// What a step makes of such pairs: a contact exactly where the bodies overlap, whatever the search ended on.
TEST(CommonPlane, ContactsOnlyWhereBodiesMeet) {
  Random u(8);
  for (int i = 0; i < 3000; ++i) {
    const PosedPair p = random_pair(u, oracle::all_shapes(), 10);
    const double gap = p.plane().gap;  // held to the oracle above
    if (std::abs(gap) < 1e-9 * p.scale()) continue;
    for (const auto geometry : {narrow::ContactGeometry::overlap, narrow::ContactGeometry::contact_zone}) {
      const auto points = p.points(geometry);
      ASSERT_EQ(!points.empty(), gap < 0) << "pair " << i << ", gap " << gap;
      for (const narrow::FoundPoint& c : points) {
        ASSERT_NEAR(norm(c.normal), 1, 1e-12);
        ASSERT_GT(c.depth, 0);
        ASSERT_GE(c.penetration, -gap - 1e-14 * p.scale());
        if (geometry == narrow::ContactGeometry::contact_zone) {
          ASSERT_NEAR(c.penetration, -gap, 1e-14 * p.scale()) << "a first contact gets the exact plane";
        }
      }
    }
  }
}

TEST(CommonPlane, EveryNormalIsALowerBound) {
  Random u(7);
  for (int i = 0; i < 300; ++i) {
    const PosedPair p = random_pair(u, oracle::all_shapes(), 10);
    const auto exact = static_cast<double>(best(p).gap);
    for (int k = 0; k < 20; ++k) {
      const Vec3 n = u.direction();
      const narrow::Plane at = narrow::evaluate_plane(p.a(), p.b(), p.d(), n);
      ASSERT_LE(at.gap, exact + 4e-15 * p.scale());
      double low = 1e300, high = -1e300;
      for (std::size_t v = 0; v < p.a().shape->vertices; ++v) high = oracle::larger(high, dot(n, p.a().vertex(v)));
      for (std::size_t v = 0; v < p.b().shape->vertices; ++v) low = std::min(low, dot(n, p.d() + p.b().vertex(v)));
      ASSERT_NEAR(at.gap, low - high, 2e-15 * p.scale());
    }
  }
}

// Any two edges as the feature of the step before, also ones that lie behind by now.
TEST(CommonPlane, NoStaleEdgesPassForTheShortestLink) {
  Random u(12);
  narrow::SearchCounters c;
  narrow::PlaneSettings settings;
  int apart = 0;
  for (int i = 0; i < 4000; ++i) {
    PosedPair pair = random_pair(u, oracle::all_shapes(), 2);
    const Pose a = {1, u.rotation(), {}}, b = {u.uniform(0.5, 2), u.rotation(), u.uniform(1.5, 6) * u.direction()};
    pair.move(a, b);
    narrow::Plane before = narrow::find_plane(settings, pair.a(), pair.b(), pair.d(), nullptr, c);
    if (!(before.gap > 0)) continue;
    ++apart;
    const double best = before.gap;
    for (int k = 0; k < 20; ++k) {
      before.feature = {PlaneFeature::Kind::edge_edge,
                        static_cast<std::uint16_t>(u.below(pair.a().shape->body->edges.size())),
                        static_cast<std::uint16_t>(u.below(pair.b().shape->body->edges.size())), 0, 0};
      const narrow::Plane plane = narrow::find_plane(settings, pair.a(), pair.b(), pair.d(), &before, c);
      ASSERT_NEAR(plane.gap, best, 2e-14 * pair.scale()) << i;
    }
  }
  EXPECT_GT(apart, 2000);
}

// What `auto` is certain of in a run: the plane of a contact is at most a thousandth of the pair's size (overlap), or
// 1e-8 of it (contact zone), worse than the best one, however the bodies move; and it is not searched for in every
// step.
TEST(CommonPlane, FollowedPlanesKeepTheirPromise) {
  for (const auto& [geometry, promise] :
       {std::pair(narrow::ContactGeometry::overlap, 1e-3), std::pair(narrow::ContactGeometry::contact_zone, 1e-8)}) {
    Random u(9);
    std::uint64_t cached = 0, solved = 0, skipped = 0;
    int contacts = 0, touching = 0, apart = 0;
    double worst = 0;
    for (int path = 0; path < 150; ++path) {
      PosedPair pair = random_pair(u, oracle::all_shapes(), 2);
      Pose a = {0.03, u.rotation(), {}}, b = {0.03, u.rotation(), {}};
      pair.move(a, b);
      const narrow::Plane start = pair.plane();
      b.position = -(start.gap + 0.03 * std::pow(10, u.uniform(-3, -1))) * start.n;
      pair.move(a, b);
      PairTable pairs;
      pairs.resize(1);
      pairs.a[0] = 0, pairs.b[0] = 1;
      const double length = 0.03 * std::pow(10, u.uniform(-10, -2.5)), angle = std::pow(10, u.uniform(-10, -2.5));
      const Vec3 n = pair.plane().n, way = cross(n, u.direction()), axis = u.direction();
      for (int k = 0; k < 60; ++k) {
        b.position += length * normalized(way);
        b.orientation = normalized(axis_angle(axis, angle) * b.orientation);
        pair.move(a, b);
        const narrow::FoundPoints found = pair.step(pairs, length + angle * pair.b().radius, geometry);
        cached += found.counters.cached, solved += found.counters.solved;
        const double exact = pair.plane().gap;
        // Neither the motion bound nor a certificate may hide a contact.
        ASSERT_EQ(found.points.empty(), exact > 0) << path << " " << k << ", gap " << exact;
        touching += exact < 0 ? 1 : 0, apart += exact > 0 ? 1 : 0, skipped += found.counters.skipped;
        for (const narrow::FoundPoint& p : found.points) {
          ++contacts;
          worst = oracle::larger(worst, (p.penetration + exact) / pair.scale());
          ASSERT_LE(p.penetration + exact, promise * pair.scale() * (1 + 1e-6)) << path << " " << k;
        }
      }
    }
    std::printf("promise %.0e: %d contact points, planes cached %llu times, solved %llu, worst %.1e of the size\n",
                promise, contacts, static_cast<unsigned long long>(cached), static_cast<unsigned long long>(solved),
                worst);
    EXPECT_GT(contacts, 3000);
    EXPECT_GT(touching, 1000);
    EXPECT_GT(apart, 100);
    EXPECT_GT(skipped, 10u);
    EXPECT_GT(cached, 500u) << "a cached plane is used where it can be";
    EXPECT_GT(solved, 100u);
  }
}

}  // namespace
}  // namespace scree

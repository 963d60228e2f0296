// The exact overlap against polygon clipping in long double and against rays.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/random.h"
#include "geometry/principal_frame.h"
#include "oracle/larger.h"
#include "oracle/long_double.h"
#include "oracle/posed_pair.h"

namespace scree {
namespace {

using oracle::Pose;
using oracle::PosedPair;

oracle::Intersection reference(const PosedPair& p) {
  return oracle::intersect(oracle::solid(p.a(), {}), oracle::solid(p.b(), p.d()));
}

/// Two bodies with exactly this depth along their common plane, or deeper where another plane takes over.
PosedPair overlapping_pair(Random& u, const std::vector<std::string>& names, double ratio_max, double depth_in_sizes) {
  const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
  Pose pa{0.03, u.rotation(), {}}, pb{0.03 * std::pow(ratio_max, u.uniform(-1, 1)), u.rotation(), {}};
  PosedPair pair(a, b, pa, pb);
  const Vec3 dir = u.direction();
  pb.position = -narrow::evaluate_plane(pair.a(), pair.b(), {}, dir).gap * dir;
  pair.move(pa, pb);
  narrow::SearchCounters counters;
  const narrow::Plane plane = narrow::fast_common_plane(pair.a(), pair.b(), pair.d(), nullptr, counters);
  pb.position -= (plane.gap + depth_in_sizes * std::min(pa.size, pb.size)) * plane.n;
  pair.move(pa, pb);
  return pair;
}

/// Digits that a thin overlap can have: its planes are known to rounding of the pair's size.
double tolerance(const PosedPair& p, double depth) { return 1e-13 + 5e-15 * p.scale() / depth; }

void expect_same(const PosedPair& p, const narrow::Overlap& o, const oracle::Intersection& exact, double depth,
                 double slack, const char* what) {
  const double share = slack * tolerance(p, depth);
  const auto volume = static_cast<double>(exact.volume), area = static_cast<double>(norm(exact.area));
  ASSERT_NEAR(o.volume, volume, 100 * share * volume) << what << ", depth " << depth;
  ASSERT_LE(norm(o.area - oracle::narrowed(exact.area)), 100 * share * area) << what << ", depth " << depth;
  ASSERT_LT(norm(o.centroid - oracle::narrowed(exact.centroid)), 1e-13 * p.scale() + 300 * share * std::sqrt(area))
      << what;
}

TEST(ExactOverlap, EqualsClippingInLongDouble) {
  Random u(1);
  int compared = 0;
  double worst_of[4] = {0, 0, 0, 0};  // by depth: down to 1e-2, 1e-4, 1e-6, 1e-8 sizes
  for (int i = 0; i < 2500; ++i) {
    const double depth = std::pow(10, u.uniform(-8, -0.3));
    const PosedPair p = overlapping_pair(u, oracle::all_shapes(), i % 2 ? 3 : 100, depth);
    const double d = -p.plane().gap;
    if (!(d > 0)) continue;
    const oracle::Intersection exact = reference(p);
    if (!(exact.volume > 0)) continue;
    expect_same(p, p.overlap(), exact, d, 1, "common plane");
    auto& worst = worst_of[std::min(3, static_cast<int>(-std::log10(depth) / 2))];
    worst = oracle::larger(worst, static_cast<double>(std::abs(p.overlap().volume / exact.volume - 1)));
    if (HasFatalFailure()) return;
    ++compared;
  }
  std::printf("volume, largest relative error at depths over 1e-2, 1e-4, 1e-6, 1e-8 sizes: %.0e %.0e %.0e %.0e\n",
              worst_of[0], worst_of[1], worst_of[2], worst_of[3]);
  EXPECT_GT(compared, 2400);
}

// Any plane with gap <= 0 seeds the same overlap: the slab between its supports holds all of it.
TEST(ExactOverlap, DoesNotDependOnTheSeed) {
  Random u(2);
  for (int i = 0; i < 400; ++i) {
    const PosedPair p = overlapping_pair(u, oracle::all_shapes(), 5, std::pow(10, u.uniform(-6, -0.3)));
    const narrow::Plane best = p.plane();
    if (!(best.gap < 0)) continue;
    const narrow::Overlap o = p.overlap();
    const oracle::Intersection exact = reference(p);
    for (int k = 0; k < 6; ++k) {
      const Vec3 n = k < 3 ? u.direction() : normalized(best.n + 1e-4 * u.direction());
      const narrow::Plane seed = narrow::evaluate_plane(p.a(), p.b(), p.d(), n);
      const narrow::Overlap other = narrow::exact_overlap(p.a(), p.b(), p.d(), seed);
      if (k < 3) {  // the origin of the sums is then far from the overlap: digits of the pair's size remain
        const auto volume = static_cast<double>(exact.volume);
        ASSERT_NEAR(other.volume, volume, 1e-12 * volume + 2e-15 * std::pow(p.scale(), 3)) << i;
        ASSERT_LT(norm(other.area - oracle::narrowed(exact.area)),
                  20 * tolerance(p, -best.gap) * norm(o.area) + 2e-15 * std::pow(p.scale(), 2));
        continue;
      }
      expect_same(p, other, exact, -best.gap, 10, "nearby plane");
      if (HasFatalFailure()) return;
      // A tracked plane may lag behind the best by 1e-4 of the pair's size; the point of action must not feel it.
      if (best.gap - seed.gap > 1e-4 * p.scale()) continue;
      const double mean = o.volume / norm(o.area);
      ASSERT_LT(norm(other.centre - o.centre), 1e-3 * std::sqrt(norm(o.area)) + 1e-6 * mean) << i;
    }
  }
}

TEST(ExactOverlap, SwappingTheBodiesTurnsTheAreaRound) {
  Random u(3);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const auto names = oracle::all_shapes();
    const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
    const Pose pa{1, u.rotation(), {}};
    Pose pb{1, u.rotation(), 0.3 * u.direction()};
    const PosedPair ab(a, b, pa, pb), ba(b, a, pb, pa);
    if (!(ab.plane().gap < 0)) continue;  // thin ones may lie beside each other
    const narrow::Overlap o = ab.overlap(), s = ba.overlap();
    ASSERT_GT(o.volume, 0);
    ASSERT_NEAR(o.volume, s.volume, 1e-13 * o.volume);
    ASSERT_LT(norm(o.area + s.area), 1e-13 * (norm(o.area) + 1e-3));
    ASSERT_LT(norm(o.centroid - (s.centroid + pb.position)), 1e-12);
    ++compared;
  }
  EXPECT_GT(compared, 350);
}

TEST(ExactOverlap, OfAContainedBodyIsThatBody) {
  Random u(4);
  for (const std::string& name : oracle::all_shapes()) {
    const auto small = oracle::shape(name), big = oracle::shape("cube");
    const Pose inner{0.05, u.rotation(), 0.1 * u.direction()}, outer{1, {}, {}};
    const double volume = small->volume * std::pow(0.05, 3);
    const PosedPair in(big, small, outer, inner), out(small, big, inner, outer);
    const narrow::Overlap o = in.overlap(), p = out.overlap();
    EXPECT_NEAR(o.volume, volume, 1e-12 * volume) << name;
    EXPECT_NEAR(p.volume, volume, 1e-12 * volume) << name;
    EXPECT_LT(norm(o.area), 1e-12) << "no surface of the cube is inside";
    EXPECT_LT(norm(p.area), 1e-12) << "a closed surface";
    EXPECT_LT(norm(o.centroid - inner.position), 1e-12);
    EXPECT_LT(norm(p.centroid), 1e-12);
    // The surface does not say which way to push; the common plane does, and how deep, so that a run can stop and name
    // the pair.
    for (const PosedPair* pair : {&in, &out}) {
      const auto points = pair->points(narrow::ContactGeometry::overlap);
      ASSERT_EQ(points.size(), 1u) << name;
      EXPECT_NEAR(points[0].depth, -pair->plane().gap, 1e-12) << name;
      EXPECT_NEAR(norm(points[0].normal), 1, 1e-12);
      EXPECT_GT(points[0].penetration, 0.3);
    }
  }
}

/// Faces and edges in one plane or line, where the sums have closed forms: two boxes of edge 1 and `e`, their lower
/// corners aligned or not.
TEST(ExactOverlap, AlignedCubesHaveClosedForms) {
  const auto cube = oracle::shape("cube");
  for (const double e : {1.0, 0.5, 0.01}) {
    for (const double depth : {0.3, 1e-2, 1e-6, 1e-9}) {
      for (const double shift :
           {0.0, 0.5 * (1 - e), 0.25 * (1 - e), 0.4}) {  // centred, flush at one side, inside, overhanging
        if (depth >= e) continue;
        const PosedPair p(cube, cube, {1, {}, {}}, {e, {}, {shift, 0, 0.5 + 0.5 * e - depth}});
        const double width = std::min(0.5, shift + 0.5 * e) - (shift - 0.5 * e), volume = depth * width * e;
        const narrow::Overlap o = p.overlap();
        const double share = 1e-13 + 4e-15 / depth;
        EXPECT_NEAR(o.volume, volume, share * volume) << e << " " << depth << " " << shift;
        EXPECT_NEAR(o.area.z, width * e, 1e-12 * width * e);
        EXPECT_NEAR(o.area.y, 0, 1e-12 * e);
        const Vec3 middle{0.5 * (shift - 0.5 * e + std::min(0.5, shift + 0.5 * e)), 0, 0.5 - depth / 2};
        EXPECT_LT(norm(o.centroid - middle), 1e-12 + share * depth) << e << " " << depth << " " << shift;
      }
    }
  }
  const PosedPair same(cube, cube, {1, {}, {}}, {1, {}, {}});
  EXPECT_NEAR(same.overlap().volume, 1, 1e-13);
  // A seed without a feature is clipped in full: faces in one plane must count once.
  const auto clipped = [](const PosedPair& p) {
    return narrow::exact_overlap(p.a(), p.b(), p.d(), narrow::evaluate_plane(p.a(), p.b(), p.d(), {0, 0, 1}));
  };
  EXPECT_NEAR(clipped(PosedPair(cube, cube, {1, {}, {}}, {1, {}, {0, 0, 0.25}})).volume, 0.75, 1e-13);
  for (const double depth : {1e-3, 0.25, 0.5}) {  // 0.5: the lower and the upper face of the small one are both flush
    const PosedPair flush(cube, cube, {1, {}, {}}, {0.5, {}, {0.25, 0.25, 0.75 - depth}});
    EXPECT_NEAR(clipped(flush).volume, 0.25 * depth, 1e-12 * depth) << depth;
    EXPECT_NEAR(flush.overlap().volume, 0.25 * depth, 1e-12 * depth) << depth;
  }
}

TEST(ExactOverlap, GyrationOfASquarePatch) {
  const auto cube = oracle::shape("cube");
  for (const double e : {1.0, 0.2}) {
    const PosedPair p(cube, cube, {1, {}, {}}, {e, {}, {0.01, 0.02, 0.5 + 0.5 * e - 1e-4}});
    const double w = e < 1 ? e : 0.99, h = e < 1 ? e : 0.98;
    EXPECT_NEAR(p.overlap().gyration, std::sqrt((w * w + h * h) / 12),
                1e-4 * e);  // the sides of the overlap add their thickness
  }
}

/// A hull drawn in space, as a shape and the pose in which it lies there.
struct Drawn {
  std::shared_ptr<const Shape> shape;
  Pose pose;
};
Drawn drawn(const char* name, const std::vector<Vec3>& points) {
  const Result<Polyhedron> hull = convex_hull(points);
  EXPECT_TRUE(hull);
  const MassProperties m = mass_properties(*hull);
  return {std::make_shared<const Shape>(*make_shape(name, *hull)),
          {1, quaternion_of(transpose(principal_frame(m.inertia).axes)), m.centroid}};
}

// A beam whose upper side is a strip 2 w wide between slopes a0 and a1, and a beam across it whose lower side is an
// edge between slopes b0 and b1, D deep in the strip: no face carries the patch, and h = D - b |y| over the strip, D -
// b |y| - a (|x| - w) over the slopes.
TEST(ExactOverlap, AnEdgeAcrossAStripBetweenSlopesHasAClosedForm) {
  Random u(8);
  double worst = 0, worst_energy = 0;
  int others = 0;
  for (int i = 0; i < 400; ++i) {
    const double depth = std::pow(10, u.uniform(-3, -1)), w = depth * u.uniform(0.2, 2);
    const double a[2] = {u.uniform(0.3, 1.5), u.uniform(0.3, 1.5)}, b[2] = {u.uniform(0.3, 1.5), u.uniform(0.3, 1.5)};
    std::vector<Vec3> lower, upper;
    for (const double end : {-3.0, 3.0}) {
      for (const Vec2 x :
           {Vec2{-w, 0}, Vec2{w, 0}, Vec2{-w - 1, -a[0]}, Vec2{w + 1, -a[1]}, Vec2{-w - 1, -2}, Vec2{w + 1, -2}})
        lower.push_back({x.x, end, x.y});
      for (const Vec2 x : {Vec2{0, -depth}, Vec2{-1, b[0] - depth}, Vec2{1, b[1] - depth}, Vec2{-1, 3}, Vec2{1, 3}})
        upper.push_back({end, x.x, x.y});
    }
    double area = 0, h[4] = {}, s = 0;
    Vec3 x0, x2;
    for (std::size_t j = 0; j < 2; ++j) {
      const double up = j == 0 ? -1 : 1, d = depth, bb = b[j];
      area += 2 * w * d / bb;
      x0.y += up * w * d * d / (bb * bb), x2.y += up * w * std::pow(d, 4) / (6 * bb * bb);
      for (int k = 1; k < 4; ++k) h[k] += 2 * w * std::pow(d, k + 1) / ((k + 1) * bb);
      for (std::size_t k = 0; k < 2; ++k) {
        const double to = k == 0 ? -1 : 1, aa = a[k];
        area += d * d / (2 * aa * bb);
        for (int m = 1; m < 4; ++m) h[m] += std::pow(d, m + 2) / ((m + 1) * (m + 2) * aa * bb);
        x0.x += to * (w * d * d / (2 * aa * bb) + std::pow(d, 3) / (6 * aa * aa * bb));
        x2.x += to * (w * std::pow(d, 4) / (12 * aa * bb) + std::pow(d, 5) / (60 * aa * aa * bb));
        x0.y += up * std::pow(d, 3) / (6 * aa * bb * bb), x2.y += up * std::pow(d, 5) / (60 * aa * bb * bb);
      }
    }
    s = 1.5 * h[2] / h[1] - 0.5 * h[3] * area / (h[1] * h[1]);
    const Vec3 force = (1 / s) * ((1.5 / h[1]) * x2 - (0.5 * h[3] / (h[1] * h[1])) * x0);

    const Quat whole = u.rotation();
    Drawn below = drawn("strip", lower), above = drawn("roof", upper);
    const Vec3 centroid = i % 2 == 0 ? below.pose.position : above.pose.position;
    for (Drawn* x : {&below, &above})
      x->pose = {1, whole * x->pose.orientation, rotate(whole, x->pose.position - centroid)};
    if (i % 2 == 1) std::swap(below, above);
    const PosedPair p(below.shape, above.shape, below.pose, above.pose);
    const narrow::Overlap o = p.overlap();
    narrow::Overlap simple;
    others += narrow::simple_overlap(p.a(), p.b(), p.d(), p.plane(), simple) != narrow::OverlapForm::any;
    ASSERT_NEAR(o.volume, h[1], (1e-12 + 1e-14 / depth) * h[1]);
    const Vec3 found = rotate(conjugate(whole), o.centre) + centroid;
    worst = oracle::larger(worst, std::hypot(found.x - force.x, found.y - force.y));
    worst_energy = oracle::larger(worst_energy, depth * std::abs(o.energy_depth / std::sqrt(h[3] / h[1]) - 1));
  }
  std::printf("centre off by %.1e, energy depth by %.1e of a width; %d of a simple form\n", worst, worst_energy,
              others);
  EXPECT_EQ(others, 0) << "the walk along all edges is what is tried";
  EXPECT_LT(worst, 1e-13);
  EXPECT_LT(worst_energy, 1e-13);
}

/// Centre and energy depth against the formulas of docs/contact-geometry.md over rays through the overlap.
// Against sums over rays. Where A's surface looks away from B it has turned back over itself: the patch's area and
// first moment are net, and thickness is measured from the face that carries the patch, so that U = K/2 int h^3 / int h
// has the derivative that the formula says.
TEST(ExactOverlap, CentreAndEnergyDepthEqualTheirIntegrals) {
  Random u(6);
  double worst = 0, worst_energy = 0;
  int undercut = 0, compared = 0, far_off = 0;
  for (int i = 0; i < 310; ++i) {
    const PosedPair p = overlapping_pair(u, oracle::compact_shapes(), 2, std::pow(10, u.uniform(-3, -1)));
    if (!(p.plane().gap < 0)) continue;  // another plane may part them
    const narrow::Overlap o = p.overlap();
    ASSERT_GT(o.volume, 0);
    const oracle::Intersection in = reference(p);
    const Vec3 n = normalized(o.area);
    const double area = norm(o.area);
    Vec3 x0;
    for (const auto& [middle, dA] : in.of_a)
      x0 += static_cast<double>(oracle::dot(dA, oracle::wide(n))) * oracle::narrowed(middle);
    oracle::RaySums t = oracle::thickness_by_rays(in, n, 300);
    if (std::abs(t.h[1] / o.volume - 1) > 2e-3 || t.seen < 0.999 * area) continue;  // slivers between the rays
    ++compared;
    if (t.seen > 1.002 * area) {
      const PlaneFeature feature = p.plane().feature;
      const bool of_a = feature.kind == PlaneFeature::Kind::face_a;
      if (!of_a && feature.kind != PlaneFeature::Kind::face_b) continue;  // no one face carries it
      const oracle::Solid face = of_a ? oracle::solid(p.a(), {}) : oracle::solid(p.b(), p.d());
      const std::size_t k = of_a ? feature.a : feature.b;
      if (std::abs(oracle::dot(face.normal[k], oracle::wide(n))) < 1 - 1e-12) continue;
      t = oracle::thickness_by_rays(in, n, 300, &face.normal[k], face.offset[k]);
      ++undercut;
    }
    const double force = 1.5 * t.h[2] / t.h[1] - 0.5 * t.h[3] * area / (t.h[1] * t.h[1]);
    const Vec3 x = (1 / force) * ((1.5 / t.h[1]) * t.x2 - (0.5 * t.h[3] / (t.h[1] * t.h[1])) * x0);
    const Vec3 across = (o.centre - x) - dot(n, o.centre - x) * n;
    worst = oracle::larger(worst, norm(across) / std::sqrt(area));
    const double off = std::abs(o.energy_depth / std::sqrt(t.h[3] / t.h[1]) - 1);
    worst_energy = oracle::larger(worst_energy, off), far_off += off > 0.003;
  }
  std::printf("centre off by %.1e patch widths, energy depth by %.1e; undercut: %d of %d\n", worst, worst_energy,
              undercut, compared);
  EXPECT_GT(compared, 290);
  EXPECT_LT(worst, 0.03);
  // Where no one face carries the patch, heights are taken under the plane of most of a triangle's corners.
  EXPECT_LT(worst_energy, 0.01);
  EXPECT_LE(far_off, compared / 100);
  EXPECT_GT(undercut, 10);
}

}  // namespace
}  // namespace scree

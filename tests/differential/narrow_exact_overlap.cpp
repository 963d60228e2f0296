// LIBS: scree_exact
// The exact overlap against clipping in rationals, from contacts of rounding's size to containment.
#include <gtest/gtest.h>

#include <cstdio>
#include <string_view>

#include "base/random.h"
#include "oracle/degenerate_pairs.h"
#include "oracle/rational_clip.h"

namespace scree {
namespace {

namespace exact = oracle::exact;
namespace degenerate = oracle::degenerate;
using oracle::Pose;
using oracle::PosedPair;

exact::Overlap reference(const PosedPair& p) { return exact::overlap(exact::Pair(p.a(), p.b(), p.d())); }

TEST(RationalClipping, OfCubesIsWhatItIs) {
  const auto cube = oracle::shape("cube");
  const auto at = [&](double e, Vec3 d) { return reference(PosedPair(cube, cube, {}, {e, {}, d})); };
  for (const double depth : {0.25, 0x1p-30, 0x1p-50}) {
    const exact::Overlap o = at(1, {0, 0, 1 - depth});
    EXPECT_EQ(o.volume, depth);
    EXPECT_EQ(o.area, (Vec3{0, 0, 1}));
    EXPECT_EQ(o.centroid, (Vec3{0, 0, 0.5 - depth / 2}));
    EXPECT_EQ(o.surface, 2 + 4 * depth);
    EXPECT_NEAR(o.flush, 4 * depth, 2e-14);
    const exact::Overlap c = at(1, {1 - depth, 1 - depth, 1 - depth});
    EXPECT_EQ(c.volume, depth * depth * depth);
    EXPECT_EQ(c.area, (depth * depth) * (Vec3{1, 1, 1}));
  }
  EXPECT_EQ(at(0.5, {0.25, 0, 0}).volume, 0.125);
  EXPECT_NEAR(at(0.5, {0.25, 0, 0}).flush, 0.25, 1e-12);
  EXPECT_EQ(at(0.5, {0.25, 0, 0}).area, (Vec3{0.25, 0, 0})) << "flush faces count for A";
  EXPECT_EQ(at(1, {0, 0, 1}).volume, 0) << "touching";
  EXPECT_EQ(at(1, {2, 0, 0}).volume, 0);
}

/// Errors in units of what rounding must cost: planes are known to 1e-16 of the pair's size, so a share
/// 1e-16 scale surface / volume of an overlap is.
struct Worst {
  double volume = 0, area = 0, centroid = 0;
  int pairs = 0;
  void print(const char* what) const {
    std::printf("%-30s %4d pairs; worst error of volume %7.1f, area %7.1f, centroid %7.1f x 1e-16 size/thickness\n",
                what, pairs, volume, area, centroid);
  }
};

/// Compares where the overlap is thicker than rounding; else only that the result is sound.
void compare(const PosedPair& p, double depth, Worst* worst) {
  narrow::Plane seed = p.plane();
  const narrow::Overlap o = narrow::exact_overlap(p.a(), p.b(), p.d(), seed);
  EXPECT_TRUE(std::isfinite(o.volume) && is_finite(o.area) && is_finite(o.centroid));
  EXPECT_GE(o.volume, 0);
  const exact::Overlap e = reference(p);
  const double share = e.volume > 0 ? 1e-16 * p.scale() * e.surface / e.volume : 1;
  if (!(depth > 1e-14 * p.scale() && share < 0.1)) {
    EXPECT_LE(o.volume, 2 * e.volume + 1e-13 * std::pow(p.scale(), 3));
    return;
  }
  ++worst->pairs;
  worst->volume = std::max(worst->volume, std::abs(o.volume / e.volume - 1) / share);
  const double off = std::max(0.0, norm(o.area - e.area) - e.flush);
  worst->area = std::max(worst->area, off / e.surface / share);
  worst->centroid = std::max(worst->centroid, norm(o.centroid - e.centroid) / (e.width * share + 1e-16 * p.scale()));
}

/// Two bodies at this depth along their common plane, or where another plane takes over, less.
PosedPair overlapping_pair(Random& u, const std::vector<std::string>& names, double ratio_max, double depth_in_sizes) {
  const auto a = oracle::shape(names[u.below(names.size())]), b = oracle::shape(names[u.below(names.size())]);
  Pose pa{1, u.rotation(), {}}, pb{std::pow(ratio_max, u.uniform(-1, 1)), u.rotation(), {}};
  pb.position = (3 * (pa.size + pb.size)) * u.direction();
  PosedPair pair(a, b, pa, pb);
  narrow::SearchCounters counters;
  for (int k = 0; k < 6; ++k) {
    const narrow::Plane plane = narrow::fast_common_plane(pair.a(), pair.b(), pair.d(), nullptr, counters);
    pb.position -= (plane.gap + (k == 5 ? depth_in_sizes * std::min(pa.size, pb.size) : 0)) * plane.n;
    pair.move(pa, pb);
  }
  return pair;
}

TEST(ExactOverlap, EqualsClippingInRationals) {
  Random u(1);
  for (const double decade : {-1.0, -3.0, -5.0, -7.0, -9.0, -11.0, -13.0}) {
    Worst worst;
    for (int i = 0; i < 60; ++i) {
      const double depth = std::pow(10, decade + u.uniform(-0.5, 0.5));
      const PosedPair p = overlapping_pair(u, oracle::all_shapes(), i % 2 ? 3 : 100, depth);
      compare(p, -exact::largest_gap(p.a(), p.b(), p.d()).value(), &worst);
    }
    char what[40];
    std::snprintf(what, sizeof what, "random, depth 1e%g", decade);
    worst.print(what);
    EXPECT_GT(worst.pairs, 30);
    EXPECT_LT(worst.volume, 5);
    EXPECT_LT(worst.area, 3);
    EXPECT_LT(worst.centroid, 3);
  }
}

TEST(ExactOverlap, OfDegeneratePairsEqualsClippingInRationals) {
  for (const auto& [name, cases] : degenerate::all()) {
    Worst worst;
    const degenerate::Cases list = cases();
    for (std::size_t i = 0; i < list.size(); i += 1 + list.size() / 40) {
      const PosedPair p = list[i].pair();
      const double gap = exact::largest_gap(p.a(), p.b(), p.d()).value();
      if (gap < 0) compare(p, -gap, &worst);
    }
    worst.print(name);
    EXPECT_LT(worst.volume, 10) << name;
    EXPECT_LT(worst.area, 3) << name;
    // A grain swallowed whole is summed about a point of the other one's surface, far away beside its size.
    EXPECT_LT(worst.centroid, std::string_view(name) == "containment" ? 500 : 3) << name;
  }
}

}  // namespace
}  // namespace scree

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes/sphere_sets.h"

namespace {

using namespace scree;
using neighbour::Method;
using neighbour::Pair;
using scenes::Packing;
using scenes::Spheres;

std::vector<Pair> pairs_of(const neighbour::Bodies& bodies, Method method) {
  neighbour::Search search;
  std::vector<Pair> pairs;
  const Status found = search.find(method, bodies, pairs);
  EXPECT_TRUE(bool(found)) << (found ? "" : found.error().message);
  return pairs;
}

double volume(const std::vector<double>& r) {
  double sum = 0;
  for (const double x : r) sum += 4 * M_PI / 3 * x * x * x;
  return sum;
}

/// Deepest and mean overlap of pairs that overlap, in smaller radii.
std::pair<double, double> overlaps(const neighbour::Bodies& b, Method method) {
  double deepest = 0, sum = 0;
  const std::vector<Pair> pairs = pairs_of(b, method);
  for (const auto& [i, j] : pairs) {
    const double d = norm(neighbour::nearest_image(b.domain, b.x[j] - b.x[i]));
    const double o = (b.r[i] + b.r[j] - d) / std::min(b.r[i], b.r[j]);
    deepest = std::max(deepest, o), sum += o;
  }
  return {deepest, pairs.empty() ? 0 : sum / static_cast<double>(pairs.size())};
}

TEST(SphereSets, RandomPackingHasItsFractionAndHardlyOverlaps) {
  for (const double ratio : {1.0, 4.0, 12.0}) {
    const scenes::Block b = scenes::graded_block(ratio, 1000);
    ASSERT_EQ(b.x.size(), 1000u);
    EXPECT_NEAR(volume(b.r) / std::pow(b.edge, 3), 0.6, 1e-9);
    const auto [least, most] = std::minmax_element(b.r.begin(), b.r.end());
    EXPECT_NEAR(*most / *least, ratio, 0.1 * ratio);
    const neighbour::Bodies view{b.x, b.r, 0, {{}, {b.edge, b.edge, b.edge}, {true, true, true}}};
    const auto [deepest, mean] = overlaps(view, Method::brute_force);
    EXPECT_LT(deepest, 0.2) << ratio;
    EXPECT_LT(mean, 0.03) << ratio;
  }
}

TEST(SphereSets, GradingCurvesAreStraightOverTheDiameterOrItsLogarithm) {
  for (const auto grading : {scenes::Grading::linear, scenes::Grading::logarithmic}) {
    const std::vector<double> r = scenes::graded_radii(200000, 12, grading, 1);
    const double all = volume(r);
    for (const double share : {0.25, 0.5, 0.75}) {
      const double limit = grading == scenes::Grading::linear ? 1 + 11 * share : std::pow(12, share);
      std::vector<double> below;
      for (const double x : r) {
        if (2 * x < 1e-3 * limit) below.push_back(x);
      }
      EXPECT_NEAR(volume(below) / all, share, 0.01);
    }
  }
}

TEST(SphereSets, EqualBedIsThatOfThePeers) {
  const Spheres s = scenes::equal_bed(100000);
  ASSERT_EQ(s.x.size(), 100000u);
  for (const Vec3& p : s.x)
    ASSERT_TRUE(p.x >= 1e-3 && p.y >= 1e-3 && p.z >= 1e-3 && p.x <= 0.119 && p.y <= 0.119 && p.z < 0.06);
  // LAMMPS finds 362 708 pairs within the skin of its bed of 100 000, settled from shared inputs.
  const auto pairs = pairs_of(s.bodies(), Method::two_level);
  EXPECT_NEAR(static_cast<double>(pairs.size()), 362708, 0.02 * 362708);
  const Spheres other = scenes::shuffled(s);
  EXPECT_NE(other.x, s.x);
  EXPECT_EQ(pairs_of(other.bodies(), Method::two_level).size(), pairs.size());
}

TEST(SphereSets, OneToTwelveHasItsSpheresApart) {
  const Spheres s = scenes::one_to_twelve();
  ASSERT_EQ(s.x.size(), 21346u);
  EXPECT_EQ(std::count(s.r.begin(), s.r.end(), 6e-3), 24);
  EXPECT_EQ(std::count(s.r.begin(), s.r.end(), 0.5e-3), 21322);
  neighbour::Bodies touching = s.bodies();
  touching.margin = 0;
  EXPECT_LT(overlaps(touching, Method::brute_force).first, 0.2);
}

TEST(SphereSets, ClustersAndLooseSetsFillLittleSpace) {
  const Spheres loose = scenes::loose(5000), clusters = scenes::clusters(5000);
  ASSERT_EQ(loose.x.size(), 5000u);
  ASSERT_EQ(clusters.x.size(), 5000u);
  EXPECT_LT(pairs_of(loose.bodies(), Method::brute_force).size(), 100u);
  EXPECT_GT(pairs_of(clusters.bodies(), Method::brute_force).size(), 3 * 5000u);
  double far = 0;
  for (const Vec3& p : clusters.x) far = std::max(far, norm(p - clusters.x[0]));
  EXPECT_GT(far, 0.2 * std::cbrt(1e5 * volume(clusters.r)));
}

TEST(SphereSets, GrainsInABoxAndHeapsHaveTheirNumbers) {
  const scenes::Block block = scenes::graded_block(5, 500);
  const Spheres box = scenes::grains_in_box(block, 3000, {1.2, 1.6}), slope = scenes::heap(block, 3000, {1.2});
  EXPECT_EQ(box.x.size(), 3000u);
  ASSERT_EQ(slope.x.size(), 3000u);
  double width = 0, near = 0, far = 0;
  for (const Vec3& p : slope.x) width = std::max(width, p.x);
  for (const Vec3& p : slope.x) {
    double& top = p.x < 0.3 * width ? near : far;
    if (p.x < 0.3 * width || p.x > 0.7 * width) top = std::max(top, p.z);
  }
  EXPECT_GT(near, 1.5 * far);
}

TEST(SphereSets, DiscsThatTouchAreAsManyAsThePackingSays) {
  for (const Packing packing : {Packing::a, Packing::b, Packing::c, Packing::d}) {
    for (const std::size_t n : {1u, 2u, 7u, 100u, 150u, 157u}) {
      for (const double spacing : {1.0, 2.0, 200.0}) {
        const Spheres s = scenes::discs(packing, n, spacing);
        EXPECT_EQ(pairs_of(s.bodies(), Method::brute_force).size(), scenes::touching(packing, n, spacing))
            << static_cast<int>(packing) << " " << n << " " << spacing;
      }
    }
  }
}

}  // namespace

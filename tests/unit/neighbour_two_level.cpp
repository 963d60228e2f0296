// LIBS: scree_neighbour
// What the two-level search tells of its boxes, and that empty space does not change them.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "neighbour/two_level.h"

namespace scree {
namespace {

using neighbour::TwoLevel;

TEST(TwoLevelBox, IsOneAndAHalfTimesTheMedianDiameterByVolume) {
  EXPECT_EQ(neighbour::two_level_box({}), 0);
  EXPECT_DOUBLE_EQ(neighbour::two_level_box(std::vector<double>{0.5, 0.5, 0.5}), 1.5);
  // One sphere of radius 2 outweighs seven of radius 1 (8 > 7) - but not nine.
  EXPECT_DOUBLE_EQ(neighbour::two_level_box(std::vector<double>{1, 1, 2, 1, 1, 1, 1, 1}), 6);
  EXPECT_DOUBLE_EQ(neighbour::two_level_box(std::vector<double>{1, 1, 2, 1, 1, 1, 1, 1, 1, 1}), 3);
  EXPECT_DOUBLE_EQ(neighbour::two_level_box(std::vector<double>{1e-120, 1e-120, 2e-120}), 6e-120);
}

// Cubes of side 1 at random touch on average 1 + 1/S boxes of length S along each axis.
TEST(TwoLevel, TellsItsBoxAndTheLengthOfItsBoxLists) {
  Random u(3);
  std::vector<Vec3> x;
  for (int i = 0; i < 20000; ++i) x.push_back({u.uniform(0, 300), u.uniform(0, 300), u.uniform(0, 300)});
  const std::vector<double> r(x.size(), 0.5);
  TwoLevel search;
  std::vector<neighbour::Pair> found;
  for (const double cell : {0.5, 1.0, 2.0}) {
    const double box = 1.5 * cell;
    ASSERT_TRUE(search.find({.x = x, .r = r, .cell = cell}, found));
    EXPECT_DOUBLE_EQ(search.box(), box);
    EXPECT_NEAR(search.mean_boxes(), std::pow(1 + 1 / box, 3), 0.02 * std::pow(1 + 1 / box, 3));
  }
}

TEST(TwoLevel, BoxesDoNotGrowWithSpace) {
  for (const double far : {1e3, 1e6, 1e9, 1e12, 1e14}) {
    const std::vector<Vec3> x{{0, 0, 0}, {far, -far, 0}, {0.9, 0, 0}};
    const std::vector<double> r{0.5, 0.5, 0.5};
    TwoLevel search;
    std::vector<neighbour::Pair> found;
    ASSERT_TRUE(search.find({x, r}, found));
    EXPECT_EQ(search.box(), 1.5) << far;
    EXPECT_EQ(found, (std::vector<neighbour::Pair>{{0, 2}})) << far;
    EXPECT_LT(search.bytes(), 100000u);
  }
}

}  // namespace
}  // namespace scree

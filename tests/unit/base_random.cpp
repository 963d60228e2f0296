// Random numbers: those of the published generator, in the order in which they are promised.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace scree {
namespace {

using Words = std::array<std::uint64_t, 2>;

// Known answers of Threefry-2x64 with 20 rounds, as they are published with Random123.
TEST(Random, BlocksAreThoseOfThreefry) {
  constexpr std::uint64_t ones = ~0ull;
  EXPECT_EQ(Random::block({0, 0}, 0, 0), (Words{0xc2b6e3a8c2c69865, 0x6f81ed42f350084d}));
  EXPECT_EQ(Random::block({ones, ones}, ones, ones), (Words{0xe02cb7c4d95d277a, 0xd06633d0893b8b68}));
  EXPECT_EQ(Random::block({0xa4093822299f31d0, 0x082efa98ec4e6c89}, 0x243f6a8885a308d3, 0x13198a2e03707344),
            (Words{0x263c7d30bb0f0af1, 0x56be8361d3311526}));
}

TEST(Random, NumbersAreTheBlocksOfTheirCounters) {
  Random draw(7, 11, 13);
  for (std::uint64_t k = 0; k < 5; ++k) {
    const Words words = Random::block({7, 13}, k, 11);
    EXPECT_EQ(draw.bits(), words[0]);
    EXPECT_EQ(draw.bits(), words[1]);
  }
}

// Means and variances of 10^5 draws, within five of their deviations.
TEST(Random, DrawsAreUniform) {
  constexpr int n = 100'000;
  Random draw(1);
  double sum = 0, square = 0, turned = 0;
  std::vector<int> times(7, 0);
  Vec3 points;
  for (int k = 0; k < n; ++k) {
    const double u = draw.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u, square += (u - 0.5) * (u - 0.5);
    ++times[draw.below(7)];
    points = points + draw.direction();
    const Quat q = draw.rotation();
    EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14);
    turned += q.w * q.w;
  }
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(sum / n, 0.5, 5 / std::sqrt(12.0) / root);
  EXPECT_NEAR(square / n, 1 / 12.0, 5 / std::sqrt(180.0) / root);
  EXPECT_NEAR(turned / n, 0.25, 5 * 0.25 / root) << "each part of a turn alike";
  for (const double x : {points.x, points.y, points.z}) EXPECT_NEAR(x / n, 0, 5 / std::sqrt(3.0) / root);
  for (const int t : times) EXPECT_NEAR(t, n / 7.0, 5 * std::sqrt(n / 7.0));
}

}  // namespace
}  // namespace scree

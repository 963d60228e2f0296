// A shuffle without a table: one to one, other for other keys, and as mixed as a shuffle that is drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "base/bijection.h"

namespace scree {
namespace {

Bijection deal(std::uint64_t n, std::uint64_t seed, std::uint64_t stream = 0) {
  Random keys(seed, stream);
  return {n, keys};
}

TEST(Bijection, IsOneToOneForEveryNumber) {
  for (std::uint64_t n = 1; n <= 2000; ++n) {
    const Bijection b = deal(n, n);
    std::vector<bool> taken(n, false);
    for (std::uint64_t k = 0; k < n; ++k) {
      const std::uint64_t i = b.at(k);
      ASSERT_LT(i, n);
      ASSERT_FALSE(taken[i]) << n << ": " << i << " twice";
      ASSERT_EQ(b.where(i), k) << n;
      taken[i] = true;
    }
  }
}

TEST(Bijection, GoesThereAndBackForLargeNumbers) {
  const std::uint64_t large[] = {65535,      65536, 65537, 100'000'000, (1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1,
                                 1ull << 53, ~0ull};
  for (const std::uint64_t n : large) {
    const Bijection b = deal(n, 3);
    Random draw(n);
    std::vector<std::uint64_t> some{0, 1, n / 2, n - 2, n - 1};
    while (some.size() < 2000) some.push_back(draw.below(n));
    for (const std::uint64_t k : some) {
      ASSERT_LT(b.at(k), n);
      ASSERT_LT(b.where(k), n);
      ASSERT_EQ(b.where(b.at(k)), k);
      ASSERT_EQ(b.at(b.where(k)), k);
    }
  }
}

// Of two shuffles about one value in all is at the same place.
TEST(Bijection, OtherKeysDealOtherwise) {
  for (const std::uint64_t n : {500ull, 5000ull, 100'000ull}) {
    const Bijection a = deal(n, 1), seed = deal(n, 2), stream = deal(n, 1, 1);
    std::uint64_t stay = 0, same_seed = 0, same_stream = 0;
    for (std::uint64_t k = 0; k < n; ++k)
      stay += a.at(k) == k, same_seed += a.at(k) == seed.at(k), same_stream += a.at(k) == stream.at(k);
    EXPECT_LT(stay, 8u) << n;
    EXPECT_LT(same_seed, 8u) << n;
    EXPECT_LT(same_stream, 8u) << n;
  }
}

TEST(Bijection, OfAFewEveryOrderIsAboutAsLikely) {
  for (const auto& [n, orders] : {std::pair(1ull, 1.0), std::pair(2ull, 2.0), std::pair(3ull, 6.0),
                                  std::pair(4ull, 24.0), std::pair(5ull, 120.0)}) {
    const double keys = 2000 * orders;
    std::map<std::vector<std::uint64_t>, double> times;
    for (std::uint64_t seed = 0; static_cast<double>(seed) < keys; ++seed) {
      const Bijection b = deal(n, seed);
      std::vector<std::uint64_t> order;
      for (std::uint64_t k = 0; k < n; ++k) order.push_back(b.at(k));
      ++times[order];
    }
    EXPECT_EQ(static_cast<double>(times.size()), orders);
    for (const auto& [order, t] : times) EXPECT_NEAR(t / 2000, 1, 0.25) << "of " << n;
  }
}

/// Correlation of two rows of numbers.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sx += x[k] / n, sy += y[k] / n;
  for (std::size_t k = 0; k < x.size(); ++k)
    xx += (x[k] - sx) * (x[k] - sx), yy += (y[k] - sy) * (y[k] - sy), xy += (x[k] - sx) * (y[k] - sy);
  return xy / std::sqrt(xx * yy);
}

TEST(Bijection, MovesFarAndLeavesNoTraceOfTheOrder) {
  for (const std::uint64_t n : {200ull, 1000ull, 4096ull, 4097ull, 20'000ull}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Bijection b = deal(n, seed);
      std::vector<double> from, to;
      double moved = 0;
      const double all = static_cast<double>(n), few = 5 / std::sqrt(all);
      for (std::uint64_t k = 0; k < n; ++k) {
        from.push_back(static_cast<double>(k)), to.push_back(static_cast<double>(b.at(k)));
        moved += std::abs(to[k] - from[k]) / all / all;
      }
      EXPECT_NEAR(moved, 1.0 / 3, few / std::sqrt(18)) << n << " seed " << seed;
      EXPECT_NEAR(correlation(from, to), 0, few) << n << " seed " << seed;
      for (const std::size_t apart : {1, 2, 7, 64}) {
        const std::vector<double> there(to.begin() + static_cast<std::ptrdiff_t>(apart), to.end()),
            here(to.begin(), to.end() - static_cast<std::ptrdiff_t>(apart));
        EXPECT_NEAR(correlation(here, there), 0, 1.5 * few) << n << " seed " << seed << ", " << apart << " apart";
      }
    }
  }
}

// Two materials grain by grain, dealt to 20 layers of 100: a layer's share scatters as that of a drawn hand does.
TEST(Bijection, MixesTwoMaterialsOverLayers) {
  constexpr std::uint64_t layers = 20, each = 100, n = layers * each;
  constexpr double variance = each * 0.25 * (n - each) / (n - 1.0);
  double scatter = 0;
  constexpr int deals = 50;
  for (std::uint64_t seed = 1; seed <= deals; ++seed) {
    const Bijection b = deal(n, seed);
    for (std::uint64_t layer = 0; layer < layers; ++layer) {
      double first = 0;
      for (std::uint64_t k = 0; k < each; ++k) first += b.at(layer * each + k) % 2 == 0;
      EXPECT_NEAR(first, each / 2.0, 5 * std::sqrt(variance)) << "seed " << seed << " layer " << layer;
      scatter += (first - each / 2.0) * (first - each / 2.0) / variance / (layers * deals);
    }
  }
  EXPECT_NEAR(scatter, 1, 5 * std::sqrt(2.0 / (layers * deals)));
}

}  // namespace
}  // namespace scree

// Random draws: no two uses share one.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bond/parallel_bond.h"
#include "particles/streams.h"

namespace scree {
namespace {

TEST(Streams, NoTwoUsesShareANumber) {
  std::map<std::uint64_t, std::string> user;
  const auto take = [&](Stream use, std::uint64_t a, std::uint64_t k) {
    const std::string name =
        std::to_string(static_cast<int>(use)) + ": " + std::to_string(a) + ", " + std::to_string(k);
    const auto [known, is_new] = user.try_emplace(stream_number(use, a, k), name);
    EXPECT_TRUE(is_new) << name << " has the number of " << known->second;
  };
  // About all borders of the fields that make up a number.
  std::vector<std::uint64_t> grains, ids;
  for (const std::uint64_t border : {1ull, 1ull << 16, 1ull << 31, 1ull << 32, (1ull << 33) - 4})
    for (std::uint64_t k = border - 1; k < border + 2; ++k) grains.push_back(k);
  for (const std::uint64_t k : grains)
    if (k < 0xfffffff0u) ids.push_back(k);
  for (const std::uint64_t group : {0ull, 1ull, 2ull, 1ull << 28, (1ull << 29) - 1}) {
    take(Stream::group, group, 0);
    for (const std::uint64_t k : grains) take(Stream::grain, group, k), take(Stream::place, group, k);
  }
  ids.push_back(0xffffffeeu), ids.push_back(0xffffffefu);
  for (const std::uint64_t b : ids)
    for (const std::uint64_t a : ids)
      if (a < b) take(Stream::bond_strength, a, b);
}

// Cluster k of the first group and the bond of grains 0 and 1 + k once drew the same numbers.
TEST(Streams, BondsAreNotAsStrongAsTheirClustersAreTurned) {
  bond::ParallelBond law;
  law.weibull_modulus = 1;
  double product = 0;
  constexpr std::uint32_t n = 4000;
  for (std::uint32_t k = 0; k < n; ++k) {
    const double strength = bond::strength_factor(law, 7, 0, 1 + k);  // -ln(1 - u), mean 1, variance 1
    const double turn = draws(7, Stream::grain, 0, k).uniform();      // mean 1/2, variance 1/12
    product += (strength - 1) * (turn - 0.5) * std::sqrt(12.0) / n;
  }
  EXPECT_NEAR(product, 0, 5 / std::sqrt(n)) << "their correlation";
}

}  // namespace
}  // namespace scree

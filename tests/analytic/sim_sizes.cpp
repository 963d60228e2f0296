// LIBS: scree_sim
// Size distributions against closed-form moments, quantiles and, for sieve curves, the mass that passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "sim/size.h"

namespace scree {
namespace {

using Kind = SizeDistribution::Kind;
constexpr std::size_t kDraws = 400'000;

std::vector<double> draws(const SizeDistribution& s) {
  std::vector<double> d(kDraws);
  for (std::size_t k = 0; k < kDraws; ++k) {
    Random own(42, k);
    d[k] = s.quantile(own.uniform());
  }
  return d;
}
double mean(const std::vector<double>& d) {
  return std::accumulate(d.begin(), d.end(), 0.0) / static_cast<double>(d.size());
}
double deviation(const std::vector<double>& d) {
  const double m = mean(d);
  double sum = 0;
  for (const double x : d) sum += (x - m) * (x - m);
  return std::sqrt(sum / static_cast<double>(d.size()));
}
double density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI); }
/// Four standard errors of a mean of that many draws.
double four_errors(double deviation) { return 4 * deviation / std::sqrt(static_cast<double>(kDraws)); }

TEST(NormalQuantile, InvertsTheShare) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-16);
  for (const double x : {-8.0, -5.0, -3.0, -1.5, -0.1, 0.0, 0.7, 2.0})
    EXPECT_NEAR(normal_quantile(normal_share(x)), x, 1e-13 * std::max(1.0, std::abs(x))) << x;
}

TEST(Sizes, NormalCutOnBothSidesHasTheMomentsOfATruncatedNormal) {
  const double mu = 2e-3, sigma = 0.5e-3, low = 1.2e-3, high = 2.6e-3;
  const auto s = cut_distribution(Kind::normal, mu, sigma, low, high);
  ASSERT_TRUE(s);
  const double a = (low - mu) / sigma, b = (high - mu) / sigma, z = normal_share(b) - normal_share(a);
  const double m = mu + sigma * (density(a) - density(b)) / z;
  const double shift = (density(a) - density(b)) / z;
  const double v = sigma * sigma * (1 + (a * density(a) - b * density(b)) / z - shift * shift);
  const std::vector<double> d = draws(*s);
  EXPECT_NEAR(mean(d), m, four_errors(std::sqrt(v)));
  EXPECT_NEAR(deviation(d), std::sqrt(v), 0.01 * std::sqrt(v));
  EXPECT_GE(*std::min_element(d.begin(), d.end()), low);
  EXPECT_LE(*std::max_element(d.begin(), d.end()), high);
  EXPECT_EQ(s->smallest(), low);
  EXPECT_EQ(s->largest(), high);
}

TEST(Sizes, UniformHasItsQuantilesAndMoments) {
  const double low = 2e-3, high = 5e-3;
  const SizeDistribution s{Kind::uniform, low, high};
  EXPECT_EQ(s.smallest(), low);
  EXPECT_EQ(s.largest(), high);
  for (const double u : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) EXPECT_NEAR(s.quantile(u), low + u * (high - low), 1e-17) << u;
  const double m = (low + high) / 2, deviates = (high - low) / std::sqrt(12.0);
  const std::vector<double> d = draws(s);
  EXPECT_NEAR(mean(d), m, four_errors(deviates));
  EXPECT_NEAR(deviation(d), deviates, 0.01 * deviates);
  EXPECT_GE(*std::min_element(d.begin(), d.end()), low);
  EXPECT_LE(*std::max_element(d.begin(), d.end()), high);
  // As many in each tenth: four deviations of a binomial count.
  for (int k = 0; k < 10; ++k) {
    const auto in = std::count_if(d.begin(), d.end(), [&](double x) {
      return x >= low + k * (high - low) / 10 && x < low + (k + 1) * (high - low) / 10;
    });
    EXPECT_NEAR(static_cast<double>(in), 0.1 * kDraws, 4 * std::sqrt(0.09 * kDraws)) << k;
  }
}

TEST(Sizes, LogNormalHasItsMedianAndMean) {
  const double median = 3e-3, s = std::log(1.4);
  // Cut far out, where nothing is lost: mean = median exp(s^2 / 2).
  const auto wide = cut_distribution(Kind::log_normal, median, s, median * std::exp(-8 * s), median * std::exp(8 * s));
  ASSERT_TRUE(wide);
  EXPECT_NEAR(wide->quantile(0.5), median, 1e-12 * median);
  EXPECT_NEAR(wide->quantile(normal_share(1)), median * 1.4, 1e-12 * median);
  const double m = median * std::exp(s * s / 2), v = m * m * std::expm1(s * s);
  const std::vector<double> d = draws(*wide);
  EXPECT_NEAR(mean(d), m, four_errors(std::sqrt(v)));
  EXPECT_NEAR(deviation(d), std::sqrt(v), 0.02 * std::sqrt(v));
  // Not cut by the user: at three deviations.
  const auto cut = cut_distribution(Kind::log_normal, median, s, {}, {});
  ASSERT_TRUE(cut);
  EXPECT_NEAR(cut->smallest(), median / std::pow(1.4, 3), 1e-9 * median);
  EXPECT_NEAR(cut->largest(), median * std::pow(1.4, 3), 1e-9 * median);
}

TEST(Sizes, WeibullHasTheMomentsOfGamma) {
  const double scale = 5e-3, modulus = 2.5;
  const auto s = cut_distribution(Kind::weibull, scale, modulus, 1e-9, 1);
  ASSERT_TRUE(s);
  const double m = scale * std::tgamma(1 + 1 / modulus);
  const double v = scale * scale * std::tgamma(1 + 2 / modulus) - m * m;
  const std::vector<double> d = draws(*s);
  EXPECT_NEAR(mean(d), m, four_errors(std::sqrt(v)));
  EXPECT_NEAR(deviation(d), std::sqrt(v), 0.01 * std::sqrt(v));
  EXPECT_NEAR(s->quantile(1 - std::exp(-1.0)), scale, 1e-9);
}

/// Mass of spheres no larger than x, as a share.
double mass_passing(const std::vector<double>& d, double x) {
  double below = 0, all = 0;
  for (const double v : d) (v <= x ? below : all) += v * v * v;
  return below / (below + all);
}

TEST(Sizes, SieveCurveComesOutByMassAndNotByNumber) {
  const std::vector<double> openings{0.5e-3, 1e-3, 2e-3, 4e-3}, passing{0, 0.2, 0.7, 1};
  const auto s = sieve_distribution(openings, passing, 3);
  ASSERT_TRUE(s);
  const std::vector<double> d = draws(*s);
  for (std::size_t k = 1; k + 1 < openings.size(); ++k)
    EXPECT_NEAR(mass_passing(d, openings[k]), passing[k], 0.01) << k;
  // Between openings: straight over the logarithm.
  EXPECT_NEAR(mass_passing(d, std::sqrt(2.0) * 1e-3), 0.45, 0.01);
  EXPECT_NEAR(mass_passing(d, std::sqrt(8.0) * 1e-3), 0.85, 0.01);
  // Number of the finest class: its mass over that of a grain of its size; by number it would be 20 %.
  const auto number = [&](double lo, double hi, double mass) {
    return mass / std::log(hi / lo) * (std::pow(lo, -3) - std::pow(hi, -3)) / 3;
  };
  const double n0 = number(0.5e-3, 1e-3, 0.2), n1 = number(1e-3, 2e-3, 0.5), n2 = number(2e-3, 4e-3, 0.3);
  const double fine =
      static_cast<double>(std::count_if(d.begin(), d.end(), [](double x) { return x <= 1e-3; })) / kDraws;
  EXPECT_NEAR(fine, n0 / (n0 + n1 + n2), 0.005);
  EXPECT_GT(fine, 0.7);
}

TEST(Sizes, OpeningsThatHoldNothingAreNoSizes) {
  const auto s = sieve_distribution({1e-3, 2e-3, 3e-3, 4e-3, 8e-3}, {0, 0, 0.5, 1, 1}, 3);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->smallest(), 2e-3);
  EXPECT_EQ(s->largest(), 4e-3);
  EXPECT_NEAR(s->quantile(0), 2e-3, 1e-15);
  EXPECT_LE(s->quantile(0x1.fffffffffffffp-1), 4e-3);
}

TEST(Sizes, ValuesByMassAreFewerTheLargerTheyAre) {
  const auto by_number = values_distribution({1e-3, 2e-3}, {3, 1}, false, 3),
             by_mass = values_distribution({1e-3, 2e-3}, {1, 1}, true, 3);
  ASSERT_TRUE(by_number && by_mass);
  const auto large = [](const SizeDistribution& s) {
    const std::vector<double> d = draws(s);
    return static_cast<double>(std::count(d.begin(), d.end(), 2e-3)) / kDraws;
  };
  EXPECT_NEAR(large(*by_number), 0.25, 0.003);
  EXPECT_NEAR(large(*by_mass), 1.0 / 9, 0.003);
}

TEST(Sizes, WhatHasNoSizesIsRefused) {
  EXPECT_FALSE(cut_distribution(Kind::normal, 1e-3, 0.5e-3, {}, {})) << "three deviations below the mean is below 0";
  EXPECT_TRUE(cut_distribution(Kind::normal, 1e-3, 0.5e-3, 1e-4, {}));
  EXPECT_FALSE(cut_distribution(Kind::normal, 1e-3, 1e-4, 2e-3, 1e-3));
  EXPECT_FALSE(cut_distribution(Kind::normal, 1e-3, 1e-6, 0.5, 0.6)) << "nothing lies there";
  EXPECT_FALSE(sieve_distribution({1e-3, 2e-3}, {0, 0.5, 1}, 3));
  EXPECT_FALSE(sieve_distribution({1e-3, 2e-3, 3e-3}, {0, 1}, 3));
  EXPECT_FALSE(sieve_distribution({1e-3}, {1}, 3));
  EXPECT_FALSE(sieve_distribution({1e-3, 2e-3}, {0.1, 1}, 3));
  EXPECT_FALSE(sieve_distribution({1e-3, 2e-3}, {0, 0.9}, 3));
  EXPECT_FALSE(sieve_distribution({2e-3, 1e-3}, {0, 1}, 3));
  EXPECT_FALSE(sieve_distribution({1e-3, 2e-3, 3e-3}, {0, 0.5, 0.4}, 3));
  EXPECT_FALSE(sieve_distribution({1e-300, 1}, {0, 1}, 3));
  EXPECT_FALSE(values_distribution({1e-3}, {0}, false, 3));
  EXPECT_FALSE(values_distribution({1e-3, 2e-3}, {1}, false, 3));
}

}  // namespace
}  // namespace scree

#pragma once
#include <optional>
#include <vector>

#include "base/result.h"

namespace scree {

/// How sizes are distributed over the grains of a group, by number. One uniform draw makes one size, so that a grain's
/// size depends on the seed and on its place in the group alone.
struct SizeDistribution {
  enum class Kind { fixed, uniform, normal, log_normal, weibull, sieve, values } kind = Kind::fixed;
  /// m; fixed: a; uniform: [a, b]; normal: mean, standard deviation; log_normal: median, and the logarithm of the
  /// geometric standard deviation (1); weibull: scale, and the modulus (1).
  double a = 0, b = 0;
  double low = 0, high = 0;        ///< m; normal, log_normal, weibull: nothing lies outside
  double from = 0, to = 1;         ///< the same as shares of the whole distribution
  std::vector<double> size = {};   ///< m; sieve: openings, ascending; values: in the order given
  std::vector<double> share = {};  ///< sieve, values: of the grains up to and with each, the last is 1
  double power = 3;                ///< sieve: mass grows with this power of the size

  /// The size that the share u of the grains does not exceed, u in [0, 1); values: the one that u falls to.
  double quantile(double u) const;
  double smallest() const;
  double largest() const;
};

/// x with the share u of the standard normal distribution below it; -inf for 0, inf for 1.
double normal_quantile(double u);
/// Share of the standard normal distribution below x.
double normal_share(double x);

/// What is outside [min, max] is cut off and what is left scaled up. Where a bound is not given, the share that a
/// normal distribution has beyond three standard deviations (0.135 %) is cut off there. Errors: nothing is left; the
/// lower bound is not above 0.
Result<SizeDistribution> cut_distribution(SizeDistribution::Kind kind, double a, double b, std::optional<double> min,
                                          std::optional<double> max);

/// Shares of the mass that pass the openings (m, ascending; the first passes none, the last all): between two openings
/// a straight line over the logarithm of the size, as on the usual chart. `power`: 3, in the plane 2. Errors: openings
/// or shares that do not ascend, openings too far apart for a double.
Result<SizeDistribution> sieve_distribution(std::vector<double> openings, const std::vector<double>& passing,
                                            double power);

/// Given sizes with their shares of the number, or of the mass, of the grains (any scale); no shares: equal ones.
Result<SizeDistribution> values_distribution(std::vector<double> sizes, std::vector<double> shares, bool by_mass,
                                             double power);

}  // namespace scree

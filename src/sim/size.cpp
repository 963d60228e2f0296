#include "sim/size.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {

namespace {

constexpr double kCut = 3;  // standard deviations

double cut_quantile(const SizeDistribution& s, double share) {
  if (s.kind == SizeDistribution::Kind::normal) return s.a + s.b * normal_quantile(share);
  if (s.kind == SizeDistribution::Kind::log_normal) return s.a * std::exp(s.b * normal_quantile(share));
  return s.a * std::pow(-std::log1p(-share), 1 / s.b);
}

double share_below(const SizeDistribution& s, double size) {
  if (s.kind == SizeDistribution::Kind::normal) return normal_share((size - s.a) / s.b);
  if (s.kind == SizeDistribution::Kind::log_normal) return normal_share(std::log(size / s.a) / s.b);
  return -std::expm1(-std::pow(size / s.a, s.b));
}

/// Running sums, scaled so that the last is 1; false: they are no finite numbers, or all 0.
bool accumulate_shares(std::vector<double>& share) {
  double sum = 0;
  for (double& s : share) s = sum += s;
  if (!(sum > 0) || !std::isfinite(sum)) return false;
  for (double& s : share) s /= sum;
  share.back() = 1;
  return true;
}

/// First row whose running share is above u.
std::size_t row_of(const std::vector<double>& share, double u) {
  const auto at = std::upper_bound(share.begin(), share.end(), u);
  return std::min(static_cast<std::size_t>(at - share.begin()), share.size() - 1);
}

}  // namespace

double normal_share(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double normal_quantile(double u) {
  if (u > 0.5) return -normal_quantile(1 - u);
  if (!(u > 0)) return -std::numeric_limits<double>::infinity();
  // Abramowitz & Stegun 26.2.23, then Halley's steps to rounding.
  const double t = std::sqrt(-2 * std::log(u));
  double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int k = 0; k < 3; ++k) {
    const double e = (normal_share(x) - u) * std::sqrt(2 * M_PI) * std::exp(0.5 * x * x);
    x -= e / (1 + 0.5 * x * e);
  }
  return x;
}

double SizeDistribution::quantile(double u) const {
  switch (kind) {
    case Kind::fixed:
      return a;
    case Kind::uniform:
      return a + (b - a) * u;
    case Kind::normal:
    case Kind::log_normal:
    case Kind::weibull:
      return std::clamp(cut_quantile(*this, from + (to - from) * u), low, high);
    case Kind::sieve: {
      const std::size_t k = std::max<std::size_t>(1, row_of(share, u));
      const double below = share[k - 1], v = (u - below) / (share[k] - below);
      // Numbers go as size^-(1 + power) where the mass is spread evenly over the logarithm of the size.
      const double ratio = std::pow(size[k] / size[k - 1], -power);
      return std::clamp(size[k - 1] * std::pow(1 - v * (1 - ratio), -1 / power), size[k - 1], size[k]);
    }
    case Kind::values:
      return size[row_of(share, u)];
  }
  return a;
}

double SizeDistribution::smallest() const {
  if (kind == Kind::fixed || kind == Kind::uniform) return a;
  if (kind == Kind::sieve) return size.front();
  return kind == Kind::values ? *std::min_element(size.begin(), size.end()) : low;
}

double SizeDistribution::largest() const {
  if (kind == Kind::fixed) return a;
  if (kind == Kind::uniform) return b;
  if (kind == Kind::sieve) return size.back();
  return kind == Kind::values ? *std::max_element(size.begin(), size.end()) : high;
}

Result<SizeDistribution> cut_distribution(SizeDistribution::Kind kind, double a, double b, std::optional<double> min,
                                          std::optional<double> max) {
  SizeDistribution s;
  s.kind = kind, s.a = a, s.b = b;
  s.from = min ? share_below(s, *min) : normal_share(-kCut), s.to = max ? share_below(s, *max) : normal_share(kCut);
  s.low = min ? *min : cut_quantile(s, s.from), s.high = max ? *max : cut_quantile(s, s.to);
  if (!(s.low > 0)) return Error{"three standard deviations below the mean no size is left; give a min above 0"};
  if (!std::isfinite(s.high)) return Error{"its largest size is beyond all numbers; give a max"};
  if (!(s.from < s.to) || !(s.low < s.high)) return Error{"no size of the distribution lies between min and max"};
  return s;
}

Result<SizeDistribution> sieve_distribution(std::vector<double> openings, const std::vector<double>& passing,
                                            double power) {
  if (openings.size() != passing.size() || openings.size() < 2)
    return Error{"needs as many shares in passing as there are openings, two at least"};
  for (std::size_t k = 1; k < openings.size(); ++k) {
    if (!(openings[k] > openings[k - 1])) return Error{"the openings have to grow from one to the next"};
    if (!(passing[k] >= passing[k - 1])) return Error{"passing must not fall from one opening to the next"};
  }
  if (passing.front() != 0 || passing.back() != 1)
    return Error{"passing has to begin with 0 and to end with 1: nothing passes the finest sieve, all the widest"};
  SizeDistribution s;
  s.kind = SizeDistribution::Kind::sieve, s.power = power;
  s.share.push_back(0);
  for (std::size_t k = 1; k < openings.size(); ++k) {
    // By number: the integral of d^-(1 + power) over the class, against the widest opening.
    const double lower = std::pow(openings[k - 1] / openings.back(), -power),
                 upper = std::pow(openings[k] / openings.back(), -power);
    s.share.push_back((passing[k] - passing[k - 1]) / std::log(openings[k] / openings[k - 1]) * (lower - upper));
  }
  s.size = std::move(openings);
  if (!accumulate_shares(s.share)) return Error{"the openings are too far apart"};
  // Sieves below the finest grain, and above the coarsest, are not sizes that grains have.
  std::size_t first = 0, last = s.size.size() - 1;
  while (passing[first + 1] == 0) ++first;
  while (passing[last - 1] == 1) --last;
  s.size = {s.size.begin() + static_cast<std::ptrdiff_t>(first),
            s.size.begin() + static_cast<std::ptrdiff_t>(last) + 1};
  s.share = {s.share.begin() + static_cast<std::ptrdiff_t>(first),
             s.share.begin() + static_cast<std::ptrdiff_t>(last) + 1};
  s.share.back() = 1;
  return s;
}

Result<SizeDistribution> values_distribution(std::vector<double> sizes, std::vector<double> shares, bool by_mass,
                                             double power) {
  if (sizes.empty()) return Error{"there are no sizes"};
  if (shares.empty()) shares.assign(sizes.size(), 1);
  if (shares.size() != sizes.size()) return Error{"needs as many shares as there are sizes"};
  const double widest = *std::max_element(sizes.begin(), sizes.end());
  for (std::size_t k = 0; by_mass && k < sizes.size(); ++k) shares[k] *= std::pow(sizes[k] / widest, -power);
  SizeDistribution s;
  s.kind = SizeDistribution::Kind::values, s.size = std::move(sizes), s.share = std::move(shares), s.power = power;
  if (!accumulate_shares(s.share)) return Error{"the shares have to be above 0 in sum, and the sizes less far apart"};
  return s;
}

}  // namespace scree

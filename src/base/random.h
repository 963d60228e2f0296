#pragma once
#include <cmath>
#include <cstdint>

#include "base/vec.h"

namespace scree {

/// Counter-based generator: the k-th number of stream (seed, stream) depends on nothing else, so draws do not
/// depend on threads, on order, or on the standard library's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mix(mix(seed) ^ (stream * 0xd1342543de82ef95ULL))) {}

  std::uint64_t bits() { return mix(key_ + 0x9e3779b97f4a7c15ULL * ++counter_); }
  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  double uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }
  /// Uniform integer in [0, n), n > 0.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits()) * n) >> 64);
  }
  /// Uniform on the rotation group (Shoemake 1992).
  Quat rotation() {
    const double u = uniform(), a = 2 * M_PI * uniform(), b = 2 * M_PI * uniform();
    const double r = std::sqrt(1 - u), s = std::sqrt(u);
    return {s * std::cos(b), r * std::sin(a), r * std::cos(a), s * std::sin(b)};
  }
  /// Uniform on the unit sphere.
  Vec3 direction() {
    const double z = uniform(-1, 1), a = 2 * M_PI * uniform(), r = std::sqrt(1 - z * z);
    return {r * std::cos(a), r * std::sin(a), z};
  }

  /// One to one on 64 bits, each bit of which changes about half of the others (Stafford 2011, variant 13).
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace scree

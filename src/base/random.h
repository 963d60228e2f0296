#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "base/vec.h"

namespace scree {

/// Counter-based generator, Threefry-2x64 with 20 rounds of Random123 (Salmon et al. 2011): the k-th number of what it
/// is about, (seed, occasion, stream), depends on nothing else, so draws do not depend on threads, on order, or on the
/// standard library's distributions.
class Random {
 public:
  using Key = std::array<std::uint64_t, 2>;

  explicit Random(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t occasion = 0)
      : key_{seed, occasion}, stream_(stream) {}

  std::uint64_t bits() {
    if (counter_ % 2 == 0) block_ = block(key_, counter_ / 2, stream_);
    return block_[counter_++ % 2];
  }
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

  /// One to one from (low, high), for each key another order.
  static std::array<std::uint64_t, 2> block(const Key& key, std::uint64_t low, std::uint64_t high);

 private:
  Key key_;
  std::uint64_t stream_, counter_ = 0;
  std::array<std::uint64_t, 2> block_{};
};

}  // namespace scree

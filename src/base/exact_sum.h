#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vec.h"

namespace scree {

/// A sum of doubles without rounding, so that neither order nor grouping of the terms matters: rounded once, to
/// nearest, when its value is asked for. The small superaccumulator of Neal (2015, arXiv:1505.05571), with the mantissa
/// dealt out to three words of 32 bits: words may be added as integers, those of up to 2^30 sums that are carried.
class ExactSum {
 public:
  static constexpr std::size_t kWords = 70;

  void add(double x);
  void add(const ExactSum& other);
  /// Infinite where the sum is beyond all doubles or has an infinite term; NaN with one, or with both infinities.
  double value() const;
  /// Carries, so that each word but the last is in [0, 2^32).
  void carry();
  std::span<const std::int64_t, kWords> words() const { return words_; }

  /// As integers that may be added up with those of 2^20 other sums, word by word.
  static constexpr std::size_t kPacked = kWords + 1;
  void pack(std::span<std::int64_t, kPacked> to);
  static ExactSum unpack(std::span<const std::int64_t, kPacked> from);

 private:
  static constexpr std::uint32_t kUncarried = 1u << 30;

  std::array<std::int64_t, kWords> words_{};  ///< word w counts 2^(32 w - 1075)
  std::uint32_t terms_ = 0;                   ///< since the last carry
  bool infinite_ = false, minus_infinite_ = false, nan_ = false;
};

inline ExactSum& operator+=(ExactSum& sum, double x) {
  sum.add(x);
  return sum;
}
inline ExactSum& operator+=(ExactSum& sum, const ExactSum& other) {
  sum.add(other);
  return sum;
}

/// The same of vectors, by components.
struct ExactVec {
  ExactSum x, y, z;

  ExactVec& operator+=(Vec3 v) {
    x += v.x, y += v.y, z += v.z;
    return *this;
  }
  ExactVec& operator+=(const ExactVec& v) {
    x += v.x, y += v.y, z += v.z;
    return *this;
  }
  Vec3 value() const { return {x.value(), y.value(), z.value()}; }
};

}  // namespace scree

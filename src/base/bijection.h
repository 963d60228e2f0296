#pragma once
#include <bit>
#include <cassert>
#include <cstdint>
#include <utility>

#include "base/random.h"

namespace scree {

/// A shuffle of [0, n) without a table: each of its values, either way, is known without the others. A balanced
/// Feistel network (Luby & Rackoff 1988) on the least even number of bits that holds n; what falls beyond n goes
/// through it again (cycle walking, Black & Rogaway 2002), four times on average at most.
class Bijection {
 public:
  /// n > 0; the key is the next two numbers of `draw`.
  Bijection(std::uint64_t n, Random& draw) : n_(n), half_((static_cast<int>(std::bit_width(n - 1)) + 1) / 2) {
    assert(n > 0);
    for (std::uint64_t& part : key_) part = draw.bits();
  }

  /// Both: of and to [0, n); where(at(k)) == k.
  std::uint64_t at(std::uint64_t k) const {
    assert(k < n_);
    do k = forth(k);
    while (k >= n_);
    return k;
  }
  std::uint64_t where(std::uint64_t i) const {
    assert(i < n_);
    do i = back(i);
    while (i >= n_);
    return i;
  }

 private:
  static constexpr int kRounds = 8;  // with four, some orders of six things are six times as likely as others

  std::uint64_t round(int r, std::uint64_t x) const {
    return Random::block(key_, x, static_cast<std::uint64_t>(r))[0] & mask();
  }
  std::uint64_t mask() const { return (std::uint64_t{1} << half_) - 1; }
  std::uint64_t forth(std::uint64_t x) const {
    std::uint64_t left = x >> half_, right = x & mask();
    for (int r = 0; r < kRounds; ++r) left = std::exchange(right, left ^ round(r, right));
    return left << half_ | right;
  }
  std::uint64_t back(std::uint64_t x) const {
    std::uint64_t left = x >> half_, right = x & mask();
    for (int r = kRounds; r-- > 0;) right = std::exchange(left, right ^ round(r, left));
    return left << half_ | right;
  }

  std::uint64_t n_;
  int half_;  ///< bits of each half
  Random::Key key_;
};

}  // namespace scree

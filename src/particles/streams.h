#pragma once
#include <cassert>
#include <cstdint>

#include "base/random.h"

namespace scree {

/// Everything that a run draws by its seed. Each use has numbers of its own, which no other use can have.
enum class Stream : std::uint8_t {
  group,         ///< of a group as a whole: how it is dealt to the cells of a lattice
  grain,         ///< of grain k of a group: its size and orientation
  place,         ///< of grain or cluster k of a group: where it comes to lie, and turns tried there
  bond_strength  ///< of a bond, by the ids of its ends
};

/// The counter of a stream's part: one to one, from bit 63 (bonds), 62 to 32 (the group) and the rest (use and grain).
/// `a`: the group, < 2^29, or a bond's lower id; `k`: the grain, < 2^33 - 1, or the bond's higher id. 0 for groups.
constexpr std::uint64_t stream_number(Stream use, std::uint64_t a, std::uint64_t k = 0) {
  constexpr std::uint64_t half = 0x80000000u;
  if (use == Stream::bond_strength) {
    assert(a < k && k <= 0xffffffffu);
    return (std::uint64_t{1} << 63) + k * (k - 1) / 2 + a;  // pairs of ids counted through: 63 bits
  }
  assert(a < std::uint64_t{1} << 29 && k < 4 * half - 1);
  if (use == Stream::grain) ++k;  // 0 is the group's own
  return (k / half << 61) + (a << 32) + (use == Stream::place ? half : 0) + k % half;
}

/// `step`: for what is drawn anew at every step.
inline Random draws(std::uint64_t seed, Stream use, std::uint64_t a, std::uint64_t k = 0, std::uint64_t step = 0) {
  return Random(seed, stream_number(use, a, k), step);
}

}  // namespace scree

#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "narrow/find_contacts.h"

namespace scree::oracle {

/// All that a contact point holds, to the last bit.
inline std::vector<std::uint64_t> bits_of(const narrow::FoundPoint& x) {
  std::vector<std::uint64_t> bits{x.pair, x.key};
  for (const double v : {x.point.x, x.point.y, x.point.z, x.normal.x, x.normal.y, x.normal.z, x.depth, x.penetration,
                         x.gyration, x.energy_depth})
    bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}

}  // namespace scree::oracle

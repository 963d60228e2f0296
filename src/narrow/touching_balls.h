#pragma once
#include <cstdint>
#include <vector>

#include "base/aligned_vector.h"
#include "base/domain.h"
#include "base/vec.h"
#include "narrow/contacts.h"

namespace scree::narrow {

/// A round body, for whoever asks no more than whether it touches another.
struct Ball {
  Vec3 centre;    ///< m
  double radius;  ///< m
};

/// A pair that touches.
struct TouchingPair {
  static constexpr std::uint32_t kNew = 0xffffffffu;
  std::uint32_t row;   ///< of the pair table
  std::uint32_t last;  ///< the contact row that it had in the last step, or kNew
};

/// Appends those of the rows [begin, end) that touch, in their order, and sets `count` of all of them to 1 or 0. They
/// are those to which round_contacts (narrow/round_contacts.h) gives a point: what touched in the last step is there
/// until it is `reach` (m) apart. Of `balls` there is one row more than there are bodies, which is read and means
/// nothing.
void find_touching(const AlignedVector<Ball>& balls, const Domain& domain, PairTable& pairs, std::size_t begin,
                   std::size_t end, double reach, std::vector<TouchingPair>& out);

}  // namespace scree::narrow

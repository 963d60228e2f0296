#pragma once
#include <array>

#include "base/vec.h"

namespace scree {

/// Rows of `axes` are the principal axes, in the order of ascending moments; its determinant is +1.
struct PrincipalFrame {
  Mat3 axes;
  std::array<bool, 2> equal{};  ///< moments 0 and 1, 1 and 2 count as equal

  /// Principal moments of the tensor whose frame this is; those that count as equal are.
  Vec3 moments(const Mat3& inertia) const;
};

/// Of an inertia tensor: of the frames that there are the one nearest to the drawn axes.
PrincipalFrame principal_frame(const Mat3& inertia);

}  // namespace scree

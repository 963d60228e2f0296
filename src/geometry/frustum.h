#pragma once
#include "geometry/surface.h"

namespace scree {

/// The side of a cylinder or cone about z, without its ends: at z = 0 of radius `bottom`, at z = length of radius
/// `top`.
struct Frustum {
  double bottom = 0, top = 0, length = 0;  ///< m

  /// The point of the surface that is nearest to x in the half-plane of x about the axis, or in the opposite one.
  struct Foot {
    Vec3 normal;      ///< unit, from the surface towards x
    double distance;  ///< m
    bool inside;      ///< x is nearer to the axis
  };
  Foot foot(Vec3 x, bool opposite = false) const;

  /// Of the flat sides that stand for the surface, as a share of the larger radius.
  static constexpr double kDeviation = 1e-3;
  double deviation() const { return kDeviation * (bottom > top ? bottom : top); }

  /// Flat sides none of whose points is farther than deviation() from the surface, half inside and half outside; the
  /// front is inside.
  Surface flat_sides() const;
};

}  // namespace scree

#pragma once
#include <cstddef>
#include <span>

#include "base/vec2.h"

namespace scree::narrow {

/// One posed polygon: corners turned and scaled, relative to its centroid; edge i runs from corner i to corner i + 1.
struct PlanarView {
  std::span<const Vec2> corners;  ///< m, counter-clockwise
  std::span<const Vec2> normals;  ///< unit, outward
  double radius = 0;              ///< m, of the circle about the centroid

  std::size_t size() const { return corners.size(); }
  std::size_t before(std::size_t i) const { return i == 0 ? corners.size() - 1 : i - 1; }
  std::size_t after(std::size_t i) const { return i + 1 == corners.size() ? 0 : i + 1; }
};

}  // namespace scree::narrow

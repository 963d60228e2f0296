#pragma once

namespace scree {

/// Longest sides of bounding boxes that points and meshes may have, in the unit of their coordinates: volumes and
/// moments of them stay finite and above zero.
inline constexpr double kLeastExtent = 1e-50, kMostExtent = 1e50;

}  // namespace scree

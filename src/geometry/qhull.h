#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/vec.h"

/// The two questions put to Qhull. Points have to be finite and of about unit extent.
namespace scree::qhull {

/// Indices (ascending) of points that span the hull; points nearer than `within` to the hull of the others may be left
/// out.
Result<std::vector<std::size_t>> extreme_points(std::span<const Vec3> points, double within);

/// Hull as a closed surface of triangles, counter-clockwise from outside. Coplanar and cospherical points are decided
/// by Qhull's joggling (about 1e-10 of the extent, the same each time), so the surface is always a topological sphere,
/// and convex only within that.
Result<std::vector<std::array<std::size_t, 3>>> triangulated_hull(std::span<const Vec3> points);

}  // namespace scree::qhull

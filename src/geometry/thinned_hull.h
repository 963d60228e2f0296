#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/result.h"
#include "geometry/polyhedron.h"
#include "geometry/surface.h"

namespace scree {

/// How far a body is from the one that it stands for, with their centroids in one place.
struct BodyError {
  double volume = 0;    ///< share of the volume
  double inertia = 0;   ///< of the difference of the tensors about the centroid, over the tensor (Frobenius norms)
  double distance = 0;  ///< Hausdorff distance of the surfaces, as a share of the longest side
  double worst() const { return std::max({volume, inertia, distance}); }
};

struct ThinnedHull {
  Polyhedron body;
  std::size_t corners_before = 0;
  BodyError error;
};

/// Convex hull of points that may have any number of corners, by a polyhedron with as few as keep every error within
/// the tolerance, and no more than `most` (4 to kMaxVertices): whether they do, `error` says. The corner that lies
/// farthest outside is added, one by one; what is left out around them is made up for by a factor about the centroid,
/// so that the volume is that of the hull. Deterministic. Errors: those of convex_hull but for the number of corners.
Result<ThinnedHull> thinned_hull(std::span<const Vec3> points, std::size_t most, double tolerance);

/// Planes of the convex hull of points that may have any number of corners, and its volume: what convex_hull has no
/// room for.
struct HullPlanes {
  std::vector<Vec3> normals;  ///< unit, outward
  std::vector<double> offsets;
  double volume = 0;
};
Result<HullPlanes> hull_planes(std::span<const Vec3> points);

/// Largest distance of the surface (corners, middles of edges and triangles) from the planes of its convex hull,
/// inwards.
double deepest_dent(const Surface& s, const HullPlanes& hull);

}  // namespace scree

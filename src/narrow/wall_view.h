#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/facet_mesh.h"
#include "geometry/frustum.h"

namespace scree::narrow {

/// A wall as it stands now: a plane, or a mesh.
struct WallView {
  Vec3 point, normal;                ///< of a mesh the origin of its frame
  double travel;                     ///< m
  const FacetMesh* mesh = nullptr;   ///< none: a plane
  Mat3 rotation = Mat3::identity();  ///< of the mesh
  bool front_only = false;
  const Frustum* round = nullptr;  ///< in the mesh's frame: what spheres touch instead of the mesh
  Vec3 velocity = {};              ///< m/s, of `centre`
  Vec3 spin = {}, centre = {};     ///< rad/s; m, a point of its axis
  /// Whether what touches the front only now may have come through from behind: at x (m) with the velocity v (m/s) it
  /// is on its way out.
  bool lets_through(Vec3 outwards, Vec3 x, Vec3 v) const {
    return front_only && dot(outwards, v - velocity - cross(spin, x - centre)) > 0;
  }
};

/// The facets near the bodies of a range of wall pairs.
struct NearFacets {
  std::size_t first_pair = 0;
  double limit = 0;  ///< m: facets that are not listed are farther from the body than this
  std::vector<std::uint32_t> start, facets;
  std::vector<double> clear_until;  ///< m, per facet: travel before which it cannot touch
  std::span<const std::uint32_t> of(std::size_t pair) const {
    const std::size_t k = pair - first_pair;
    return std::span(facets).subspan(start[k], start[k + 1] - start[k]);
  }
  std::span<double> clear_of(std::size_t pair) {
    const std::size_t k = pair - first_pair;
    return std::span(clear_until).subspan(start[k], start[k + 1] - start[k]);
  }
  std::size_t bytes() const {
    return (start.capacity() + facets.capacity()) * sizeof(std::uint32_t) + clear_until.capacity() * sizeof(double);
  }
};

}  // namespace scree::narrow

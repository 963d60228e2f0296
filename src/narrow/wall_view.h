#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/facet_mesh.h"
#include "geometry/frustum.h"
#include "particles/particles.h"

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
  /// m/s, along `outwards`, of what is at x (m) and moves with v (m/s).
  double leaving_speed(Vec3 outwards, Vec3 x, Vec3 v) const {
    return dot(outwards, v - velocity - cross(spin, x - centre));
  }
};

/// A body, or a part of one, that touches a wall only now.
struct Newcomer {
  Vec3 position;        ///< m, of the body
  Vec3 velocity, spin;  ///< m/s of the whole's centroid; rad/s
  double radius;        ///< m
  const Vec3* arm;      ///< m, of the body from the whole's centroid; null: it is the whole
  /// What comes from the front is no deeper than this share of its radius when it is first seen, unless it moves by
  /// more than that in a step.
  static constexpr double kShallow = 0.02;

  /// Whether it may have come through from behind, to be `depth` (m) deep in the front at its `point` (m, relative to
  /// its position): it is on its way out, and this is no corner that strikes while the whole rebounds already.
  bool came_through(const WallView& wall, Vec3 outwards, Vec3 point, double depth) const {
    if (!(wall.leaving_speed(outwards, position, velocity) > 0)) return false;
    const Vec3 at_point = velocity + cross(spin, arm != nullptr ? point + *arm : point);
    return !(depth < kShallow * radius && wall.leaving_speed(outwards, position + point, at_point) < 0);
  }
};

/// The facets near the bodies of a range of wall pairs.
struct NearFacets {
  /// What is known of one pair. Not a part of the state: who knows nothing finds the same contacts.
  struct Known {
    double same_side_until = 0;  ///< m: travel before which the centroid has no two planes on different sides of it
    bool at_rim = false;         ///< the surface ends at one of the facets
  };
  std::size_t first_pair = 0;
  double limit = 0;  ///< m: facets that are not listed are farther from the body than this
  std::vector<std::uint32_t> start, facets;
  std::vector<double> clear_until;  ///< m, per facet: travel before which it cannot touch
  std::vector<Known> known;         ///< per pair
  const Vec3* arms = nullptr;       ///< m, of the bodies, which are parts, from the wholes' centroids
  /// Lists nothing; what follows is of the pairs from `pair` on.
  void clear(std::size_t pair, double within) {
    first_pair = pair, limit = within;
    start.assign(1, 0), facets.clear(), clear_until.clear(), known.clear();
  }
  /// What has been appended to `facets` is of the next pair.
  void end_pair(bool at_rim) {
    start.push_back(static_cast<std::uint32_t>(facets.size()));
    clear_until.resize(facets.size(), 0), known.push_back({0, at_rim});
  }
  Newcomer newcomer(const Particles& p, std::size_t i) const {
    return {p.position[i], p.velocity[i], p.angular_velocity[i], p.radius[i], arms != nullptr ? arms + i : nullptr};
  }
  std::span<const std::uint32_t> of(std::size_t pair) const {
    const std::size_t k = pair - first_pair;
    return std::span(facets).subspan(start[k], start[k + 1] - start[k]);
  }
  std::span<double> clear_of(std::size_t pair) {
    const std::size_t k = pair - first_pair;
    return std::span(clear_until).subspan(start[k], start[k + 1] - start[k]);
  }
  Known& known_of(std::size_t pair) { return known[pair - first_pair]; }
  const Known& known_of(std::size_t pair) const { return known[pair - first_pair]; }
  std::size_t bytes() const {
    return (start.capacity() + facets.capacity()) * sizeof(std::uint32_t) + clear_until.capacity() * sizeof(double) +
           known.capacity() * sizeof(Known);
  }
};

}  // namespace scree::narrow

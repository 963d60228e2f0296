#pragma once
#include <span>
#include <vector>

#include "geometry/facet_mesh.h"
#include "geometry/frustum.h"
#include "narrow/plane_method.h"

namespace scree::narrow {

/// `shared_zone`: each point with its part of the zone.
enum class ContactGeometry { overlap, contact_zone, shared_zone };

/// A contact point as found, before it gets its memory.
struct FoundPoint {
  std::uint32_t pair;
  std::uint32_t key;
  Vec3 point;   ///< m, relative to A's centroid
  Vec3 normal;  ///< unit, A -> B
  double depth;
  double penetration;
  double gyration;
  double energy_depth;
  Vec3 axis = {};    ///< m, of the patch: contact::Geometry::axis
  double share = 1;  ///< of a zone's point: its part of the pair's springs and dashpots
};

/// The patch of a contact point, for laws that need it.
struct FoundPatch {
  double area = 0;   ///< m^2, |S|
  Vec3 area_moment;  ///< m^3, int (x - point) cross dA over A's surface inside B
};

/// What one chunk of pairs yields; kept from step to step, so that once warm no pair costs an allocation.
struct FoundPoints {
  std::vector<FoundPoint> points;
  std::vector<FoundPatch> patches;   ///< of each point, or none
  std::vector<std::uint32_t> parts;  ///< of each point as in ContactTable::part, ascending in a pair, or none
  bool wants_patches = false, wants_parts = false;
  double adhesive_reach =
      0;  ///< m: round bodies that touched in the last step have points until they are this far apart
  SearchCounters counters;
  double seconds_planes = 0, seconds_points = 0;
  void clear() { points.clear(), patches.clear(), parts.clear(), counters = {}, seconds_planes = seconds_points = 0; }
};

/// Rows [begin, end) of `pairs`: common plane and contact points of bodies against bodies. Updates feature and
/// clear_until of these rows, reads `count` to know which pairs touched, appends to `out` in the order of the rows.
void find_body_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::size_t begin, std::size_t end,
                        const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out);

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
/// Of the pairs [begin, end): what may come as near as `limit` (m) while the bodies move by no more than `motion` (m)
/// against the wall.
void list_near_facets(const Particles& p, std::span<const WallView> walls, const PairTable& pairs, std::size_t begin,
                      std::size_t end, double motion, double limit, NearFacets& out);

/// The same for bodies against walls. `near`: of a range that holds [begin, end); unused where no wall is a mesh.
void find_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                        std::size_t begin, std::size_t end, ContactGeometry geometry, NearFacets& near,
                        FoundPoints& out);

/// The contact zone of one pair about a plane with gap < 0, without any search; in place of what `out` holds.
void contact_zone(const BodyView& a, const BodyView& b, Vec3 d, const Plane& plane, std::vector<FoundPoint>& out);

}  // namespace scree::narrow

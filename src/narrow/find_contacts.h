#pragma once
#include <span>
#include <vector>

#include "narrow/plane_method.h"

namespace scree::narrow {

enum class ContactGeometry { overlap, contact_zone };

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
};

/// The patch of a contact point, for laws that need it.
struct FoundPatch {
  double area = 0;   ///< m^2, |S|
  Vec3 area_moment;  ///< m^3, int (x - point) cross dA over A's surface inside B
};

/// What one chunk of pairs yields; kept from step to step, so that once warm no pair costs an allocation.
struct FoundPoints {
  std::vector<FoundPoint> points;
  std::vector<FoundPatch> patches;  ///< of each point, or none
  bool wants_patches = false;
  SearchCounters counters;
  double seconds_planes = 0, seconds_points = 0;
  void clear() { points.clear(), patches.clear(), counters = {}, seconds_planes = seconds_points = 0; }
};

/// Rows [begin, end) of `pairs`: common plane and contact points of bodies against bodies. Updates feature and
/// clear_until of these rows, reads `count` to know which pairs touched, appends to `out` in the order of the rows.
void find_body_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::size_t begin, std::size_t end,
                        const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out);

/// The same for bodies against plane walls.
struct WallPlane {
  Vec3 point, normal;
  double travel;
};
void find_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallPlane> walls, PairTable& pairs,
                        std::size_t begin, std::size_t end, ContactGeometry geometry, FoundPoints& out);

/// The contact zone of one pair about a plane with gap < 0, without any search; in place of what `out` holds.
void contact_zone(const BodyView& a, const BodyView& b, Vec3 d, const Plane& plane, std::vector<FoundPoint>& out);

}  // namespace scree::narrow

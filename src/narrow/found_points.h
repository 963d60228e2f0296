#pragma once
#include <cstdint>
#include <vector>

#include "base/vec.h"
#include "narrow/contacts.h"
#include "narrow/search_counters.h"

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

/// Which parts of clumps a contact point is of, and what their next search begins with.
struct FoundPart {
  std::uint32_t code = 0;  ///< see ContactTable::part
  PlaneFeature plane;      ///< see PairTable::feature
  double bound = 0;        ///< see PairTable::gap_bound
  SolvedGap solved = {};   ///< see PairTable::solved
};

/// What one chunk of pairs yields; kept from step to step, so that once warm no pair costs an allocation.
struct FoundPoints {
  std::vector<FoundPoint> points;
  std::vector<FoundPatch> patches;  ///< of each point, or none
  std::vector<FoundPart> parts;     ///< of each point, their codes ascending in a pair, or none
  std::vector<PaperPair> tracked;   ///< of each point: see PairTable::tracked; or none
  bool wants_patches = false, wants_parts = false, wants_tracked = false;
  double adhesive_reach =
      0;  ///< m: round bodies that touched in the last step have points until they are this far apart
  SearchCounters counters;
  double seconds_planes = 0, seconds_points = 0;
  std::size_t bytes() const {
    return points.capacity() * sizeof(FoundPoint) + patches.capacity() * sizeof(FoundPatch) +
           parts.capacity() * sizeof(FoundPart) + tracked.capacity() * sizeof(PaperPair);
  }
  void clear() {
    points.clear(), patches.clear(), parts.clear(), tracked.clear(), counters = {}, seconds_planes = seconds_points = 0;
  }
};

}  // namespace scree::narrow

#include "narrow/plane_method.h"

namespace scree::narrow {

Plane exact_plane(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters) {
  const Plane axis = separating_axis(a, b, d, previous, counters);
  if (!(axis.gap > 0)) return axis;
  // Apart: the nearest points may be corners, whose direction is no candidate of the separating axis.
  const Plane distance = gjk_plane(a, b, d, &axis, counters);
  return distance.gap > axis.gap ? distance : axis;
}

Plane find_plane(const PlaneSettings& settings, const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous,
                 SearchCounters& counters) {
  switch (settings.method) {
    case PlaneMethod::common_plane:
      return cundall_common_plane(settings.cundall, a, b, d, previous, counters);
    case PlaneMethod::fast:
      return fast_common_plane(a, b, d, previous != nullptr ? &previous->feature : nullptr, counters);
    case PlaneMethod::shortest_link:
      return shortest_link(settings.shortest_link, a, b, d, previous, counters);
    case PlaneMethod::separating_axis:
      return separating_axis(a, b, d, nullptr, counters);
    case PlaneMethod::gjk:
      return gjk_plane(a, b, d, previous, counters);
    case PlaneMethod::automatic:
      break;
  }
  return exact_plane(a, b, d, previous, counters);
}

}  // namespace scree::narrow

// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_NARROW_FOUND_POINTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_FOUND_POINTS_INL_H
#undef SCREE_NARROW_FOUND_POINTS_INL_H
#else
#define SCREE_NARROW_FOUND_POINTS_INL_H
#endif

#include "narrow/contact_zone-inl.h"
#include "narrow/overlap-inl.h"
#include "narrow/shared_zone-inl.h"

/// From overlaps and zones to found points.
HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// False where the overlap says no direction: it is empty, or one body has swallowed the other and its surface is
/// closed.
HWY_INLINE bool AppendOverlap(const Overlap& o, double penetration, double scale, std::uint32_t pair, FoundPoints* out,
                              std::uint32_t key = 0) {
  const double area = norm(o.area);
  if (!(o.volume > 0) || !(area * scale > o.volume)) return false;
  out->points.push_back(
      {pair, key, o.centre, o.area / area, o.volume / area, penetration, o.gyration, o.energy_depth, o.axis});
  if (out->wants_patches) out->patches.push_back({area, o.area_moment + cross(o.centroid - o.centre, o.area)});
  return true;
}

HWY_INLINE void AppendZone(const Query& q, const Plane& plane, std::uint32_t pair, ZoneWorkspace* zone,
                           std::vector<FoundPoint>* out) {
  const ZoneAxes axes = ContactZone(q, plane, zone);
  const std::size_t at = out->size();
  out->resize(at + zone->contacts);  // written in place: a copy would wait for its own stores
  std::size_t n = at;
  for (std::size_t c = 0; c < zone->contacts; ++c) {
    const double depth = zone->depth[c];
    FoundPoint& x = (*out)[n];
    x.pair = pair, x.key = static_cast<std::uint32_t>(static_cast<std::int64_t>(zone->key[c]));
    x.point = axes.middle + zone->u[c] * axes.e1 + zone->v[c] * axes.e2;
    x.normal = plane.n, x.depth = x.energy_depth = depth, x.penetration = -plane.gap, x.gyration = 0, x.axis = {},
    x.share = 1;
    n += depth > 0 ? 1 : 0;
  }
  out->resize(n);
}

HWY_INLINE void AppendSharedZone(const Query& q, const Plane& plane, std::uint32_t pair, SharedZone* zone,
                                 std::vector<FoundPoint>* out) {
  zone->Find(q, plane);
  for (std::size_t i = 0; i < zone->n; ++i) {
    const SharedZone::Corner& c = zone->corner[i];
    if (!(c.depth > 0)) continue;
    const Vec3 point = zone->middle + c.u * zone->e1 + c.v * zone->e2;
    out->push_back({pair, c.key, point, zone->normal, c.depth, -plane.gap, c.gyration, c.depth, {}, c.share});
  }
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#include "narrow/plane_method.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/gjk.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "narrow/epa-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

Plane GjkPlane(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters) {
  const Query q{a, b, d, a.radius + b.radius, &counters};
  if (previous != nullptr) {
    Vec3 n;
    if (NormalOf(q, previous->feature, &n)) return Gjk(q, n);
    if (std::abs(norm2(previous->n) - 1) < 1e-6) return Gjk(q, normalized(previous->n));
  }
  ++counters.cold;
  return Gjk(q, line_of_centroids(d));
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(GjkPlane);

Plane gjk_plane(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters) {
  return HWY_DYNAMIC_DISPATCH(GjkPlane)(a, b, d, previous, counters);
}

}  // namespace scree::narrow
#endif

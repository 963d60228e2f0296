#include <algorithm>
#include <cmath>

#include "narrow/plane_method.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/cundall.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "narrow/cundall-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

Plane Cundall(const CundallSettings& settings, const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous,
              SearchCounters& counters) {
  return CundallPlane({a, b, d, a.radius + b.radius, &counters}, settings, previous);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(Cundall);

Plane cundall_common_plane(const CundallSettings& settings, const BodyView& a, const BodyView& b, Vec3 d,
                           const Plane* previous, SearchCounters& counters) {
  return HWY_DYNAMIC_DISPATCH(Cundall)(settings, a, b, d, previous, counters);
}

}  // namespace scree::narrow
#endif

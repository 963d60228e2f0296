#include "narrow/paper_fcp.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/paper_fcp.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "narrow/paper_fcp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

Plane PaperFcp(const FastSettings& settings, const BodyView& a, const BodyView& b, Vec3 d, PaperPair& state,
               SearchCounters& counters) {
  const double size = 0.5 * (a.size + b.size);
  return PaperPlane(
      {{a, b, d, a.radius + b.radius, &counters}, settings, settings.tolerance * size, settings.pad * size, state});
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(PaperFcp);

Plane paper_fast_common_plane(const FastSettings& settings, const BodyView& a, const BodyView& b, Vec3 d,
                              double motion_a, double motion_b, PaperPair& state, SearchCounters& counters) {
  state.path_a += motion_a, state.path_b += motion_b;
  return HWY_DYNAMIC_DISPATCH(PaperFcp)(settings, a, b, d, state, counters);
}

}  // namespace scree::narrow
#endif

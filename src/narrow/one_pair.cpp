// What the stepping loops do, on one pair.
#include <memory>

#include "narrow/common_plane.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/one_pair.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "narrow/found_points-inl.h"
#include "narrow/separating_axis-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// One thread's.
struct PairBuffers {
  Workspace overlap;
  ZoneWorkspace zone;
};
inline PairBuffers& ThreadPairBuffers() {
  thread_local const std::unique_ptr<PairBuffers> buffers = std::make_unique<PairBuffers>();
  return *buffers;
}

Plane Fcp(const BodyView& a, const BodyView& b, Vec3 d, const PlaneFeature* start, SearchCounters& counters) {
  const Query q{a, b, d, a.radius + b.radius, &counters};
  Vec3 n;
  if (start == nullptr || !NormalOf(q, *start, &n)) return ColdPlane(q, 1e300);
  Plane p = Evaluate(q, n);
  p.feature = *start;
  FastCommonPlane(q, &p, 1e300);
  return p;
}

Plane Sat(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters) {
  const Query q{a, b, d, a.radius + b.radius, &counters};
  Vec3 n;
  ++(previous == nullptr ? counters.cold : counters.solved);
  if (previous == nullptr || !NormalOf(q, previous->feature, &n)) return SeparatingAxis(q);
  Plane p = Evaluate(q, n);
  p.feature = previous->feature;
  return SeparatingAxis(q, &p);
}

Plane At(const BodyView& a, const BodyView& b, Vec3 d, Vec3 n) {
  SearchCounters counters;
  return Evaluate({a, b, d, a.radius + b.radius, &counters}, n);
}

Overlap OverlapOf(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed) {
  SearchCounters counters;
  return ExactOverlap({a, b, d, a.radius + b.radius, &counters}, seed, &ThreadPairBuffers().overlap);
}

void ZoneOf(const BodyView& a, const BodyView& b, Vec3 d, const Plane& plane, std::vector<FoundPoint>& out) {
  SearchCounters counters;
  out.clear();
  AppendZone({a, b, d, a.radius + b.radius, &counters}, plane, 0, &ThreadPairBuffers().zone, &out);
}

OverlapForm SimpleOf(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed, Overlap& out) {
  SearchCounters counters;
  return SimpleOverlap({a, b, d, a.radius + b.radius, &counters}, seed, &ThreadPairBuffers().overlap, &out);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(Fcp);
HWY_EXPORT(Sat);
HWY_EXPORT(At);
HWY_EXPORT(OverlapOf);
HWY_EXPORT(SimpleOf);
HWY_EXPORT(ZoneOf);
Plane fast_common_plane(const BodyView& a, const BodyView& b, Vec3 d, const PlaneFeature* start,
                        SearchCounters& counters) {
  return HWY_DYNAMIC_DISPATCH(Fcp)(a, b, d, start, counters);
}
Plane separating_axis(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters) {
  return HWY_DYNAMIC_DISPATCH(Sat)(a, b, d, previous, counters);
}
Plane separating_axis(const BodyView& a, const BodyView& b, Vec3 d) {
  SearchCounters counters;
  return separating_axis(a, b, d, nullptr, counters);
}
Plane evaluate_plane(const BodyView& a, const BodyView& b, Vec3 d, Vec3 n) {
  return HWY_DYNAMIC_DISPATCH(At)(a, b, d, n);
}
Overlap exact_overlap(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed) {
  return HWY_DYNAMIC_DISPATCH(OverlapOf)(a, b, d, seed);
}
void contact_zone(const BodyView& a, const BodyView& b, Vec3 d, const Plane& plane, std::vector<FoundPoint>& out) {
  HWY_DYNAMIC_DISPATCH(ZoneOf)(a, b, d, plane, out);
}
OverlapForm simple_overlap(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed, Overlap& out) {
  return HWY_DYNAMIC_DISPATCH(SimpleOf)(a, b, d, seed, out);
}

}  // namespace scree::narrow
#endif

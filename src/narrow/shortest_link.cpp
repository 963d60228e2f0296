#include "narrow/plane_method.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/shortest_link.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "narrow/shortest_link-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

Plane Slm(const ShortestLinkSettings& settings, const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous,
          SearchCounters& counters) {
  const Query q{a, b, d, a.radius + b.radius, &counters};
  if (previous != nullptr) {
    Vec3 n;
    if (NormalOf(q, previous->feature, &n)) return ShortestLink(settings, q, previous, n, previous->feature);
    if (std::abs(norm2(previous->n) - 1) < 1e-6) {
      return ShortestLink(settings, q, previous, normalized(previous->n), {});
    }
  }
  ++counters.cold;
  return ShortestLink(settings, q, nullptr, line_of_centroids(d), {});
}

bool Parted(const BodyView& a, const BodyView& b, Vec3 d, const Plane& start, SearchCounters& counters, Plane* best) {
  const Query q{a, b, d, a.radius + b.radius, &counters};
  // Of a body that is small against its distance the corners are one point, and a link proves nothing.
  if (!(norm2(d) < 1e12 * std::min(norm2(a.vertex(0)), norm2(b.vertex(0))))) return false;
  LinkSearch search({}, q, nullptr, start.n, start.feature);
  const bool proved = search.parts();
  const Plane found = search.done();  // counts the sweeps in any case
  if (proved) *best = found;
  return proved;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(Slm);
HWY_EXPORT(Parted);

bool parted(const BodyView& a, const BodyView& b, Vec3 d, const Plane& start, SearchCounters& counters, Plane* best) {
  return HWY_DYNAMIC_DISPATCH(Parted)(a, b, d, start, counters, best);
}

Plane shortest_link(const ShortestLinkSettings& settings, const BodyView& a, const BodyView& b, Vec3 d,
                    const Plane* previous, SearchCounters& counters) {
  return HWY_DYNAMIC_DISPATCH(Slm)(settings, a, b, d, previous, counters);
}

}  // namespace scree::narrow
#endif

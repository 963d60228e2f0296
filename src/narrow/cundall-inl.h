// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_CUNDALL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_CUNDALL_INL_H
#undef SCREE_NARROW_CUNDALL_INL_H
#else
#define SCREE_NARROW_CUNDALL_INL_H
#endif

#include <bit>

#include "base/random.h"
#include "narrow/common_plane-inl.h"
#include "narrow/plane_method.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Two orthogonal axes in the plane of n: always the same ones, or turned by a random angle below a right one.
struct PerturbationAxes {
  bool random;
  Random draw;

  HWY_INLINE void Find(Vec3 n, Vec3* u, Vec3* v) {
    *u = any_perpendicular(n);
    *v = cross(n, *u);
    if (!random) return;
    const double t = draw.uniform(), c = (1 - t * t) / (1 + t * t), s = 2 * t / (1 + t * t);
    const Vec3 w = c * *u + s * *v;
    *v = c * *v - s * *u;
    *u = w;
  }
};

/// Tangent of what is a right angle for all purposes; the settings may ask for anything.
inline constexpr double kRightAngle = 1e6;

/// Cundall's search for the common plane (Nezami et al. 2004, section 4). The reference point, halfway between the
/// closest vertices, does not enter the gap and so is left to whoever needs it.
inline Plane CundallPlane(const Query& q, const CundallSettings& settings, const Plane* previous) {
  const bool warm = previous != nullptr && std::abs(norm2(previous->n) - 1) < 1e-6;
  Plane best = Evaluate(q, warm ? normalized(previous->n) : line_of_centroids(q.d));
  const double enough = settings.tolerance * 0.5 * (q.a.size + q.b.size);
  PerturbationAxes axes{settings.random_axes,
                        Random(std::bit_cast<std::uint64_t>(q.d.x) ^ std::rotl(std::bit_cast<std::uint64_t>(q.d.y), 21),
                               std::bit_cast<std::uint64_t>(q.d.z))};
  std::uint64_t sweeps = 0;
  for (double k = std::min(settings.largest, kRightAngle);
       k >= settings.smallest && best.gap <= enough && sweeps < settings.most_sweeps;) {
    ++sweeps;
    const double before = best.gap;
    Vec3 u, v;
    axes.Find(best.n, &u, &v);
    for (const Vec3 axis : {u, v}) {
      for (const double side : {k, -k}) {
        const Plane turned = Evaluate(q, normalized(best.n + side * axis));
        if (!(turned.gap > best.gap + 1e-14 * q.scale)) continue;
        best = turned;
        break;  // the opposite turn would undo this one
      }
    }
    if (!(best.gap > before)) k = std::min(k * settings.shrink, kRightAngle);
  }
  q.counters->cold += warm ? 0 : 1;
  q.counters->searched += 1;
  q.counters->iterations += sweeps;
  q.counters->iterations_max = std::max(q.counters->iterations_max, sweeps);
  best.feature.va = static_cast<std::uint16_t>(best.va), best.feature.vb = static_cast<std::uint16_t>(best.vb);
  return best;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

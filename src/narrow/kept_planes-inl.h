// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_NARROW_KEPT_PLANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_KEPT_PLANES_INL_H
#undef SCREE_NARROW_KEPT_PLANES_INL_H
#else
#define SCREE_NARROW_KEPT_PLANES_INL_H
#endif

#include "narrow/paper_fcp.h"
#include "narrow/separating_axis-inl.h"

/// What a pair keeps of its common plane from step to step, and whether it still serves.
HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// A gap above this share of the pair's size ends the search: the motion bound then settles the pair for a while.
inline constexpr double kEnough = 0.01;
/// With `automatic`: how much worse than the best, as a share of it, a plane in contact may be; for the overlap, which
/// is exact from any plane, and for the zone, which lies about the plane.
inline constexpr double kNearBest = 1e-3, kBest = 1e-8;
/// With `fast`: an overlap above this share of it is checked by the exact search.
inline constexpr double kDeep = 0.02;

/// Do the vertices that defined the cached plane still define it? `slack` (m): how far they may fall behind.
HWY_INLINE bool SameVertices(const Query& q, const Plane& p, const PlaneFeature& cached, double slack) {
  return dot(p.n, q.d + q.b.vertex(cached.vb) - q.a.vertex(cached.va)) - p.gap <= slack;
}

/// Nezami et al. 2004, section 6.3: the cached plane, or a full search when a potential contact becomes real, when the
/// closest vertices change, when the geometry degenerates.
HWY_INLINE Plane Follow(const Query& q, const PlaneFeature& cached, bool touched, double slack) {
  const double enough = kEnough * q.scale;
  Vec3 n;
  if (!NormalOf(q, cached, &n)) {
    ++q.counters->cold;
    return ColdPlane(q, enough);
  }
  Plane p = PlaneAlong(q, n);
  p.feature = cached;
  if (p.gap > enough || ((touched || p.gap > 0) && SameVertices(q, p, cached, slack))) {
    ++q.counters->cached;
    return p;
  }
  ++q.counters->solved;
  FastCommonPlane(q, &p, enough);
  return p;
}

/// The least gap with which a plane in contact, made anew from a cached feature, is certain to be good enough: the best
/// gap has grown by no more than the bodies have travelled since it was last known, so the plane is at most `slack` (m)
/// worse than the best while it keeps up with that. `bound`: PairTable::gap_bound.
HWY_INLINE double LeastGap(double bound, double travel, double slack) {
  return bound < 0 ? bound + travel - slack : 1e300;
}
/// A gap above this share of the pair's size is no rounding: every exact search finds one.
inline constexpr double kSurelyApart = 1e-12;
/// Apart, any positive gap is proof; that of a guess has to convince every other search too.
HWY_INLINE bool Parts(const Query& q, const Plane& plane, double slack, double bound) {
  return plane.gap > (bound > 0 ? kSurelyApart * q.scale : 0) &&
         (plane.gap > kEnough * q.scale || SameVertices(q, plane, plane.feature, slack));
}

/// What a pair keeps of the best gap, and how its bodies stand now.
struct KeptGap {
  double travel;  ///< m, of both
  const Quat *turn_a, *turn_b;
  double* bound;      ///< PairTable::gap_bound
  SolvedGap* solved;  ///< PairTable::solved; or null
};
/// How the two stand now, without a gap.
HWY_INLINE SolvedGap Stand(const Query& q, const KeptGap& k) {
  const bool from_a = q.a.radius >= q.b.radius;
  const Quat back = conjugate(from_a ? *k.turn_a : *k.turn_b);
  return {0, transpose_times((from_a ? q.a : q.b).rotation, from_a ? q.d : -q.d),
          back * (from_a ? *k.turn_b : *k.turn_a)};
}
/// What no point of the smaller body has moved more than (m), as the larger one sees it: its centroid's way, and its
/// radius times twice the way of its quaternion, which is twice the sine of a quarter of the angle.
HWY_INLINE double MovedSince(const SolvedGap& then, const SolvedGap& now, double radius) {
  const Quat &a = then.turn, &b = now.turn;
  const double same = norm2(Quat{a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z});
  const double opposite = norm2(Quat{a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z});
  return norm(now.d - then.d) + 2 * radius * std::sqrt(std::min(same, opposite));
}
/// Lowers the bound of what has travelled far, but together, to what the two have moved against each other.
HWY_INLINE void Renew(const Query& q, const KeptGap& k) {
  if (k.solved == nullptr || !(k.solved->gap < 0 && *k.bound < 0)) return;
  const double moved = MovedSince(*k.solved, Stand(q, k), std::min(q.a.radius, q.b.radius));
  *k.bound = std::min(*k.bound, k.solved->gap + moved - k.travel);
}

/// `known`: a cached plane, which may be `plane`, or null.
inline void SolveExactly(const Query& q, const Plane* known, const KeptGap& k, Plane* plane) {
  if (*k.bound > 0) known = nullptr;
  ++(known != nullptr ? q.counters->solved : q.counters->cold);
  *plane = SeparatingAxis(q, known);
  // Apart, the exact search knows a lower bound only.
  *k.bound = plane->gap < 0 ? plane->gap - k.travel : 0;
  if (k.solved == nullptr) return;
  *k.solved = plane->gap < 0 ? Stand(q, k) : SolvedGap{};
  k.solved->gap = std::min(plane->gap, 0.0);
}
/// Is a plane in contact certain to be good enough?
HWY_INLINE bool IsCertain(const Query& q, const Plane& plane, const KeptGap& k, double slack) {
  if (!(plane.gap <= 0)) return false;
  if (plane.gap >= LeastGap(*k.bound, k.travel, slack)) return true;
  Renew(q, k);
  return plane.gap >= LeastGap(*k.bound, k.travel, slack);
}
/// The cached plane where it is certain, else the exact one. `cached` by value: it may be that of `plane`.
HWY_INLINE void Certify(const Query& q, PlaneFeature cached, const KeptGap& k, double slack, Plane* plane) {
  Vec3 n;
  const bool known = NormalOf(q, cached, &n);
  if (known) {
    *plane = PlaneAlong(q, n);
    plane->feature = cached;
    if (IsCertain(q, *plane, k, slack) || Parts(q, *plane, slack, *k.bound)) {
      ++q.counters->cached;
      return;
    }
  }
  SolveExactly(q, known ? plane : nullptr, k, plane);
}

/// The methods that work on a pair alone, with what they keep of it.
inline Plane Track(const Query& q, const PlaneSettings& settings, PaperPair& kept) {
  if (settings.method == PlaneMethod::fast)
    return paper_fast_common_plane(settings.fast, q.a, q.b, q.d, 0, 0, kept, *q.counters);
  const bool known = kept.status != PaperPair::Status::unknown;
  const Plane previous{kept.n, kept.gap, kept.feature.va, kept.feature.vb, kept.feature};
  const std::uint64_t cold = q.counters->cold;
  Plane p = find_plane(settings, q.a, q.b, q.d, known ? &previous : nullptr, *q.counters);
  q.counters->solved += q.counters->cold == cold ? 1 : 0;
  p.feature.va = static_cast<std::uint16_t>(p.va), p.feature.vb = static_cast<std::uint16_t>(p.vb);
  kept.n = p.n, kept.gap = p.gap, kept.feature = p.feature;
  kept.status = p.gap > 0 ? PaperPair::Status::apart : PaperPair::Status::touching;
  return p;
}

/// The plane of a touching pair before its points are looked for. False: it turns out to part the bodies.
HWY_INLINE bool MendPlane(const Query& q, bool touched, PlaneMethod method, ContactGeometry geometry, Plane* plane) {
  if (method != PlaneMethod::fast) return true;
  // A followed plane may have fallen behind the best one; where that looks deep, the exact search has the last word.
  if (-plane->gap > kDeep * q.scale) {
    const Plane exact = SeparatingAxis(q);
    if (exact.gap > plane->gap) *plane = exact;
    if (plane->gap > 0) return false;
  }
  // The zone lies about the plane itself; with `fast` it is the best one at a first contact and followed from there.
  if (geometry != ContactGeometry::overlap && !touched) {
    const Plane exact = SeparatingAxis(q, plane);
    if (exact.gap > plane->gap) *plane = exact;
  }
  return true;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

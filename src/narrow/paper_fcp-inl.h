// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_PAPER_FCP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_PAPER_FCP_INL_H
#undef SCREE_NARROW_PAPER_FCP_INL_H
#else
#define SCREE_NARROW_PAPER_FCP_INL_H
#endif

#include "narrow/cundall-inl.h"
#include "narrow/paper_fcp.h"
#include "narrow/separating_axis-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// A pair in this step, with its settings in metres.
struct PaperStep {
  Query q;
  const FastSettings& settings;
  double tolerance, pad;
  PaperPair& state;
};

/// Most that any vertex can have turned: |R - R0| of two rotations is their Frobenius distance over root two.
HWY_INLINE double Turned(const Mat3& now, const Mat3& then, double radius) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += norm2(now.row[i] - then.row[i]);
  return radius * std::sqrt(0.5 * sum);
}

/// No gap along any fixed normal can have changed by more since the last full check: it sees where the bodies are, not
/// which way they came, and no translation that both have in common.
HWY_INLINE double ChangeOfPose(const Query& q, const PaperPair& s) {
  return norm(q.d - s.d) + Turned(q.a.rotation, s.rotation_a, q.a.radius) +
         Turned(q.b.rotation, s.rotation_b, q.b.radius);
}

/// The search from `start`. A start without a feature gives way to any candidate as good, so that there is something
/// to follow; to a face first, which its body carries along.
inline Plane Climb(const Query& q, Plane start, double enough) {
  using Kind = PlaneFeature::Kind;
  if (start.feature.kind == Kind::none) {
    const Polyhedron &pa = *q.a.shape->body, &pb = *q.b.shape->body;
    const std::uint32_t va = start.va, vb = start.vb;
    start.gap -= 4e-14 * q.scale;
    for (std::size_t i = pa.vertex_face_start[va]; i < pa.vertex_face_start[va + 1u]; ++i)
      Try(q, {Kind::face_a, pa.vertex_faces[i], 0, 0, 0}, &start);
    for (std::size_t i = pb.vertex_face_start[vb]; i < pb.vertex_face_start[vb + 1u]; ++i)
      Try(q, {Kind::face_b, 0, pb.vertex_faces[i], 0, 0}, &start);
  }
  FastCommonPlane(q, &start, enough);
  return start;
}

/// Normal and feature of a plane found elsewhere, on the true poses.
HWY_INLINE Plane AsTheyLie(const Query& q, const Plane& found) {
  Plane p = Evaluate(q, found.n);
  p.feature = found.feature;
  p.feature.va = static_cast<std::uint16_t>(p.va), p.feature.vb = static_cast<std::uint16_t>(p.vb);
  return p;
}

/// Without a plane to go on from; exact where the bodies overlap.
inline Plane SolveFromNothing(const PaperStep& s) {
  const Query& q = s.q;
  ++q.counters->cold;
  const Plane first = Evaluate(q, line_of_centroids(q.d));
  if (first.gap > s.tolerance) return first;
  Plane p = ColdPlane(q, s.tolerance);
  if (!(p.gap > 0)) {
    const Plane exact = SeparatingAxis(q);
    if (exact.gap > p.gap) p = exact;
    if (p.gap > 0) p = Climb(q, p, s.tolerance);
  }
  return p.feature.kind == PlaneFeature::Kind::none ? AsTheyLie(q, Climb(q, p, 1e300)) : p;
}

/// How far apart bodies in contact are drawn: each by the gap of the step before (TRAN), or by what parts them along
/// its normal where they came closer since. Thin overlaps by a share of their size, so that the link is more than
/// rounding.
HWY_INLINE double DrawnApart(const Query& q, double gap_before, double gap_now) {
  return 2 * std::max({std::abs(gap_before), -gap_now, 1e-6 * q.scale});
}

/// The bodies drawn apart along the last normal, if they are to be.
HWY_INLINE Query Parted(const PaperStep& s, double gap_now) {
  Query q = s.q;
  if (s.settings.paper) q.d += DrawnApart(s.q, s.state.gap, gap_now) * s.state.n;
  return q;
}

/// Full solve from the last step's feature, or else its normal (sections 6.1 and 6.2).
inline Plane SolveFromLast(const PaperStep& s) {
  ++s.q.counters->solved;
  const Plane last = Evaluate(s.q, s.state.n);
  if (s.state.status != PaperPair::Status::touching || last.gap > 0) {
    Plane start = last;
    if (Vec3 n; NormalOf(s.q, s.state.feature, &n)) {
      start = Evaluate(s.q, n);
      start.feature = s.state.feature;
    }
    if (last.gap > start.gap) start = last;
    const Plane p = AsTheyLie(s.q, Climb(s.q, start, s.tolerance));
    if (p.gap > 0 || !s.settings.paper) return p;
  }
  const Query parted = Parted(s, last.gap);
  Plane start = Evaluate(parted, s.state.n);
  if (Vec3 n; NormalOf(parted, s.state.feature, &n)) {
    start = Evaluate(parted, n);
    start.feature = s.state.feature;
  }
  return AsTheyLie(s.q, Climb(parted, start, 1e300));
}

/// The plane that its features make in this step (section 6.3); false where a full solve is due.
HWY_INLINE bool Follow(const PaperStep& s, bool used_up, Plane* plane) {
  const bool touching = s.state.status == PaperPair::Status::touching;
  Vec3 n;
  if (!NormalOf(touching ? Parted(s, 0) : s.q, s.state.feature, &n)) return false;
  *plane = Evaluate(s.q, n);
  plane->feature = s.state.feature;
  if (plane->gap > s.tolerance) return true;
  // The vertices that defined the plane still do, but for ties of a face or an edge that lies flat.
  const PlaneFeature& f = s.state.feature;
  const double link = dot(n, s.q.d + s.q.b.vertex(f.vb) - s.q.a.vertex(f.va));
  const bool same_vertices = link - plane->gap <= 1e-12 * s.q.scale;
  return s.settings.approximation && !used_up && same_vertices && (plane->gap > 0) != touching;
}

HWY_INLINE Plane Remember(const PaperStep& s, const Plane& p, bool checked) {
  PaperPair& state = s.state;
  state.n = p.n, state.gap = p.gap, state.feature = p.feature;
  state.status = p.gap > s.tolerance ? PaperPair::Status::far
                 : p.gap > 0         ? PaperPair::Status::apart
                                     : PaperPair::Status::touching;
  if (!checked) return p;
  state.path_a = state.path_b = 0;
  state.rotation_a = s.q.a.rotation, state.rotation_b = s.q.b.rotation, state.d = s.q.d;
  return p;
}

inline Plane PaperPlane(const PaperStep& s) {
  PaperPair& state = s.state;
  const double moved = ChangeOfPose(s.q, state);
  const auto paths_within = [&](double budget) { return state.path_a <= budget / 2 && state.path_b <= budget / 2; };
  // A leap leaves nothing to go on from.
  if (state.status == PaperPair::Status::unknown || !(moved < std::min(s.q.a.radius, s.q.b.radius)))
    return Remember(s, SolveFromNothing(s), true);
  if (state.status == PaperPair::Status::far) {
    const double spent = s.settings.path_length ? state.path_a + state.path_b : moved;
    if (s.settings.path_length ? paths_within(s.tolerance) : moved < state.gap * (1 - 1e-9) - 1e-13 * s.q.scale) {
      ++s.q.counters->skipped;
      return {state.n, state.gap - spent, state.feature.va, state.feature.vb, state.feature};
    }
    const Plane p = SolveFromLast(s);
    return Remember(s, p.gap > 0 ? p : SolveFromNothing(s), true);
  }
  Plane p;
  if (Follow(s, s.settings.path_length ? !paths_within(s.pad) : !(moved <= s.pad), &p)) {
    ++s.q.counters->cached;
    return Remember(s, p, p.gap > s.tolerance);
  }
  return Remember(s, SolveFromLast(s), true);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

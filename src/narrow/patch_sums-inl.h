// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_PATCH_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_PATCH_SUMS_INL_H
#undef SCREE_NARROW_PATCH_SUMS_INL_H
#else
#define SCREE_NARROW_PATCH_SUMS_INL_H
#endif

#include "narrow/lanes-inl.h"

/// The integrals over the overlap of two faces that look at each other, side by side; the frame is that of FacePatches.
HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE::face_patch {

/// What is left of a side: its ends at the top and at the bottom; zero where nothing is. `cut`: 1 where an end is not
/// the side's own.
struct Piece {
  Reals pu, pv, qu, qv;
  Reals3 r, s;
  Reals cut_start, cut_end;
};
struct Patch {
  FrameOfLanes frame;
  Reals3 origin;  ///< relative to x's centroid
  Reals3 plane;   ///< of the other face
  Reals offset;
  Truths wrong;   ///< not known to have this form
  bool crossed;   ///< the two planes may cross within a patch
  Truths inside;  ///< a piece has been found; (ou, ov) is where it starts
  Reals ou, ov;
  Reals leave[2], meet[2], leaves, meets;  ///< ends of the edge between the planes, and how many were found
  Reals ring[2];                           ///< from where the pieces' round starts to where it ends
  Reals pieces[2];                         ///< how many sides of either body something is left of
  Truths by_edges;
  bool any_by_edges;
  FrameOfLanes seen;  ///< about the direction along which the polar moment is seen
};
struct Sums {
  Reals det, det_x[3], det_xx[6], bottom[6], top, area[3], first[9], polar, rim;
};

HWY_INLINE void AddTo(Reals* sum, Reals x) { *sum = *sum + x; }

/// The polar moment of the base's surface as seen along seen.n, in place of that along z: by Green's theorem from its
/// rim alone. That runs along the bottom of the base's sides, the top of the other's, and down or up between the two
/// where one of the base's is cut off.
struct Seen {
  Reals x, y;
};
HWY_INLINE Seen See(const Patch& patch, Reals u, Reals v) {
  return {patch.seen.u.x * u + patch.seen.u.y * v, patch.seen.v.x * u + patch.seen.v.y * v};
}
HWY_INLINE Reals RimMoment(const Seen& p, const Seen& q) {
  const Reals x = p.x + q.x, y = p.y + q.y;
  const Reals squares = (x * x + p.x * p.x + q.x * q.x) + (y * y + p.y * p.y + q.y * q.y);
  return All(0.5) * (p.x * q.y - p.y * q.x) * squares;
}
template <bool kBase>
HWY_INLINE Reals OfRim(const Patch& patch, const Piece& x) {
  const auto flat = [&](Reals u, Reals v) HWY_ATTR { return See(patch, u - patch.ou, v - patch.ov); };
  const Seen p = flat(x.pu, x.pv), q = flat(x.qu, x.qv);
  if constexpr (!kBase) return RimMoment(q, p);
  const auto deep = [&](const Reals3& a) HWY_ATTR {
    const Seen f = flat(a.x, a.y);
    return Seen{f.x + patch.seen.u.z * a.z, f.y + patch.seen.v.z * a.z};
  };
  const Seen r = deep(x.r), s = deep(x.s);
  return RimMoment(r, s) + x.cut_start * RimMoment(p, r) + x.cut_end * RimMoment(s, q);
}

/// What a side brings to the sums. Cones from the origin, which lies in the top's plane, over the bottom and over the
/// sides: as triangles p r s and p s q.
template <bool kBase>
HWY_INLINE void AddSide(const Patch& patch, const Piece& x, Sums* sums) {
  Sums& a = *sums;
  const Reals pu = x.pu - patch.ou, pv = x.pv - patch.ov, qu = x.qu - patch.ou, qv = x.qv - patch.ov;
  const Reals ru = x.r.x - patch.ou, rv = x.r.y - patch.ov, rz = x.r.z;
  const Reals su = x.s.x - patch.ou, sv = x.s.y - patch.ov, sz = x.s.z;
  const auto across = [&](Reals bu, Reals bv, Reals cu, Reals cv) HWY_ATTR { return bu * cv - bv * cu; };
  const auto way = [](Reals r) HWY_ATTR { return kBase ? r : hn::Neg(r); };
  const Reals ct = way(across(pu, pv, qu, qv)), cb = way(across(ru, rv, su, sv));
  const Reals d1 = way(pu * across(rv, rz, sv, sz) + pv * across(rz, ru, sz, su)), d2 = hn::Neg(sz * ct);
  const Reals u1 = pu + ru + su, v1 = pv + rv + sv, z1 = rz + sz, u2 = pu + su + qu, v2 = pv + sv + qv;
  const Reals puu = pu * pu, quu = qu * qu, ruu = ru * ru, suu = su * su;
  const Reals puv = pu * pv, quv = qu * qv, ruv = ru * rv, suv = su * sv;
  const Reals pvv = pv * pv, qvv = qv * qv, rvv = rv * rv, svv = sv * sv;
  const Reals uu1 = u1 * u1 + (puu + ruu + suu), uu2 = u2 * u2 + (puu + suu + quu);
  const Reals vv1 = v1 * v1 + (pvv + rvv + svv), vv2 = v2 * v2 + (pvv + svv + qvv);
  AddTo(&a.det, d1 + d2);
  AddTo(&a.det_x[0], d1 * u1 + d2 * u2), AddTo(&a.det_x[1], d1 * v1 + d2 * v2), AddTo(&a.det_x[2], d1 * z1 + d2 * sz);
  AddTo(&a.det_xx[0], d1 * uu1 + d2 * uu2);
  AddTo(&a.det_xx[1], d1 * (u1 * v1 + (puv + ruv + suv)) + d2 * (u2 * v2 + (puv + suv + quv)));
  AddTo(&a.det_xx[2], d1 * vv1 + d2 * vv2);
  const Reals d2z = d2 * sz;
  AddTo(&a.det_xx[3], d1 * (u1 * z1 + ru * rz + su * sz) + d2z * (u2 + su));
  AddTo(&a.det_xx[4], d1 * (v1 * z1 + rv * rz + sv * sz) + d2z * (v2 + sv));
  AddTo(&a.det_xx[5], d1 * (z1 * z1 + rz * rz + sz * sz) + d2z * (sz + sz));
  // Moments of the bottom and of the top polygon by their edges.
  const Reals bu2 = ru + su, bv2 = rv + sv, tu2 = pu + qu, tv2 = pv + qv;
  AddTo(&a.bottom[0], cb), AddTo(&a.bottom[1], cb * bu2), AddTo(&a.bottom[2], cb * bv2);
  AddTo(&a.bottom[3], cb * (bu2 * bu2 + ruu + suu)), AddTo(&a.bottom[4], cb * (bu2 * bv2 + ruv + suv));
  AddTo(&a.bottom[5], cb * (bv2 * bv2 + rvv + svv));
  AddTo(&a.top, ct);
  // The base's surface: its own sides and the top.
  const Reals half = All(0.5), flat = half * ct;
  Reals fu = flat * tu2, fv = flat * tv2, polar = flat * (tu2 * tu2 + tv2 * tv2 + ((puu + quu) + (pvv + qvv)));
  if constexpr (kBase) {
    const Reals au = ru - pu, av = rv - pv, eu = su - pu, ev = sv - pv, gu = qu - pu, gv = qv - pv;
    const Reals x1 = half * across(av, rz, ev, sz), y1 = half * across(rz, au, sz, eu),
                w1 = half * across(au, av, eu, ev);
    const Reals hz = half * sz, x2 = hn::Neg(hz * gv), y2 = hz * gu, w2 = half * across(eu, ev, gu, gv);
    AddTo(&a.area[0], x1 + x2), AddTo(&a.area[1], y1 + y2), AddTo(&a.area[2], w1 + w2);
    AddTo(&a.first[0], u1 * x1 + u2 * x2), AddTo(&a.first[1], u1 * y1 + u2 * y2);
    AddTo(&a.first[3], v1 * x1 + v2 * x2), AddTo(&a.first[4], v1 * y1 + v2 * y2);
    AddTo(&a.first[6], z1 * x1 + sz * x2), AddTo(&a.first[7], z1 * y1 + sz * y2), AddTo(&a.first[8], z1 * w1 + sz * w2);
    fu = fu + (u1 * w1 + u2 * w2), fv = fv + (v1 * w1 + v2 * w2);
    polar = polar + (w1 * (uu1 + vv1) + w2 * (uu2 + vv2));
  }
  AddTo(&a.first[2], fu), AddTo(&a.first[5], fv), AddTo(&a.polar, polar);
  if (patch.any_by_edges) AddTo(&a.rim, OfRim<kBase>(patch, x));
}

/// The edge in which the two planes meet, where they do: from where the patch is left for it to where it is met
/// again.
HWY_INLINE void AddEdgeBetweenPlanes(Patch* patch, Sums* sums) {
  const Patch& p = *patch;
  Sums& a = *sums;
  const Reals zero = All(0), one = All(1);
  const Truths none = hn::And(hn::Eq(p.leaves, zero), hn::Eq(p.meets, zero));
  const Truths is_edge = hn::And(hn::Eq(p.leaves, one), hn::Eq(p.meets, one));
  // One side of each is the tetrahedron of two edges that cross: where its force acts is not a matter of its faces.
  const Truths crossing = hn::And(hn::Eq(p.pieces[0], one), hn::Eq(p.pieces[1], one));
  patch->wrong = hn::Or(p.wrong, hn::Or(hn::And(is_edge, crossing), hn::Not(hn::Or(none, is_edge))));
  const Reals pu = p.leave[0] - p.ou, pv = p.leave[1] - p.ov, qu = p.meet[0] - p.ou, qv = p.meet[1] - p.ov;
  const Reals c = hn::IfThenElseZero(is_edge, pu * qv - pv * qu), u = pu + qu, v = pv + qv;
  AddTo(&patch->ring[0], hn::IfThenElseZero(is_edge, qu - pu)),
      AddTo(&patch->ring[1], hn::IfThenElseZero(is_edge, qv - pv));
  const Reals uu = u * u + pu * pu + qu * qu, uv = u * v + pu * pv + qu * qv, vv = v * v + pv * pv + qv * qv;
  AddTo(&a.bottom[0], c), AddTo(&a.bottom[1], c * u), AddTo(&a.bottom[2], c * v);
  AddTo(&a.bottom[3], c * uu), AddTo(&a.bottom[4], c * uv), AddTo(&a.bottom[5], c * vv);
  const Reals half = All(0.5) * c;
  AddTo(&a.top, c), AddTo(&a.first[2], half * u), AddTo(&a.first[5], half * v), AddTo(&a.polar, half * (uu + vv));
  if (p.any_by_edges) AddTo(&a.rim, hn::IfThenElseZero(is_edge, RimMoment(See(p, pu, pv), See(p, qu, qv))));
}

}  // namespace scree::narrow::HWY_NAMESPACE::face_patch
HWY_AFTER_NAMESPACE();
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_OVERLAP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_OVERLAP_INL_H
#undef SCREE_NARROW_OVERLAP_INL_H
#else
#define SCREE_NARROW_OVERLAP_INL_H
#endif

#include "narrow/boundary-inl.h"
#include "narrow/edge_crossing-inl.h"
#include "narrow/face_patch-inl.h"
#include "narrow/overlap_clipping-inl.h"
#include "narrow/tip_overlap-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Buffers of one thread; members are left as they were, for zeroing them would cost more than the overlap.
struct Workspace {
  Side a, b;
  Boundary boundary;
  ClippingBuffers clipping;
  FacePatches patches;
  EdgeCrossings crossings;
};

/// `along`: unit vector in the frame, along which m.polar is seen.
HWY_INLINE Overlap Describe(const Frame& f, const Moments& m, Vec3 along = {0, 0, 1}) {
  Overlap o;
  if (!(m.volume > 0)) return o;
  const Vec3 c = (1 / m.volume) * m.first;
  o.volume = m.volume, o.area = f.out(m.area), o.centroid = o.centre = f.origin + f.out(c);
  const Vec3* first = m.area_first;
  const Vec3 about_origin{first[1].z - first[2].y, first[2].x - first[0].z, first[0].y - first[1].x};
  o.area_moment = f.out(about_origin - cross(c, m.area));
  const double seen = dot(m.area, along);
  if (seen > 0) {
    const Vec3 moment{dot(first[0], along), dot(first[1], along), dot(first[2], along)};
    const double up = dot(c, along);
    const double about = m.polar - 2 * (dot(c, moment) - up * dot(moment, along)) + seen * (norm2(c) - up * up);
    o.gyration = about > 0 ? std::sqrt(about / seen) : 0;
    // The volume is weighted by depth, as the patch's springs are.
    const double per = 1 / m.volume;
    const LongAxis<double> axis(per * m.uu - c.x * c.x, per * m.uv - c.x * c.y, per * m.vv - c.y * c.y, o.gyration);
    o.axis = f.out({axis.u, axis.v, 0});
  }
  return o;
}

/// The face that carries the patch on one side, and how far its share of the patch is from the whole. Shares add up to
/// one, but beside what has turned back over itself a single one may exceed it: not the widest face is looked for.
struct Carrier {
  std::size_t plane = 0;
  double missing = 1;
};
HWY_INLINE Carrier FindCarrier(const Side& s, const double* face_area, double sign, Vec3 n, double area) {
  Carrier best;
  for (std::size_t k = 0; k < s.planes; ++k) {
    const Vec3 m = s.normal[k];
    const double missing = std::abs(1 - sign * face_area[k] * dot(m, n) / (m.z * area));
    if (sign * m.z > kFacing && missing < best.missing) best = {k, missing};
  }
  return best;
}

/// Integrals of the thickness h along n over the patch, h being measured from a face's plane: moments of the volume,
/// for int zeta^k dV is int h^(k+1)/(k+1) dA.
HWY_INLINE Thickness ThicknessUnder(const Moments& m, Vec3 n, double area, Vec3 plane, double offset) {
  const double slope = 1 / std::abs(dot(plane, n)), c0 = offset * slope;
  const Vec3 c = -slope * plane;
  const Vec3 mc{m.uu * c.x + m.uv * c.y + m.uz * c.z, m.uv * c.x + m.vv * c.y + m.vz * c.z,
                m.uz * c.x + m.vz * c.y + m.zz * c.z};
  Thickness t;
  t.area = area, t.h1 = m.volume;
  t.h2 = 2 * (c0 * m.volume + dot(c, m.first));
  t.h3 = 3 * (c0 * (c0 * m.volume + 2 * dot(c, m.first)) + dot(c, mc));
  t.x0 = {dot(m.area_first[0], n), dot(m.area_first[1], n), dot(m.area_first[2], n)};
  t.x2 = 2.0 * (c0 * m.first + mc);
  return t;
}

/// Two edges that cross: the overlap is the tetrahedron between the stretch of A's edge inside B (p) and of B's inside
/// A (r). Its thickness falls linearly from the crossing to the rim of the patch, so the integrals of PlaceForce are
/// known: the force acts at the crossing, also where that lies beside a stretch (see EdgeCrossings).
HWY_INLINE bool PlaceForceAtCrossing(const Vec3* p, const Vec3* r, Vec3 centroid, Vec3* centre, double* energy_depth) {
  const Vec3 u = p[1] - p[0], v = r[1] - r[0], w = r[0] - p[0], twice = cross(u, v);
  const double area = norm(twice);
  if (!(area > 1e-13 * (norm(u) * norm(v)))) return false;  // parallel to rounding: they cross anywhere
  const Vec3 n = twice / area;
  const Vec3 crossing = p[0] + (dot(cross(w, v), n) / area) * u;
  *centre = crossing + dot(n, centroid - crossing) * n;
  *energy_depth = kConeDepth * std::abs(dot(w, n));
  return true;
}

/// Three corners of four triangles seen along the patch's normal, with a height at each.
template <class V>
struct FlatCorners {
  V u[3], v[3], h[3];
};
/// int h dA, int h^2 dA, int h^3 dA, int h^2 u dA and int h^2 v dA, times 3, 12, 60, 60, 60 over dA.
template <class V>
struct HeightPowers {
  V h1, h2, h3, u, v;
  explicit HWY_INLINE HeightPowers(const FlatCorners<V>& x) {
    const V a = x.h[0], b = x.h[1], c = x.h[2], aa = a * a, bb = b * b, cc = c * c;
    const V s2 = aa + bb + cc, s3 = a * aa + b * bb + c * cc;
    h1 = a + b + c, h2 = h1 * h1 + s2;
    const V part = h1 * s2;
    h3 = h1 * h1 * h1 + (part + part + part) + (s3 + s3);
    const auto along = [&](const V* y) HWY_ATTR {
      const V hy = a * y[0] + b * y[1] + c * y[2], hhy = aa * y[0] + bb * y[1] + cc * y[2];
      const V half = h1 * hy + hhy;
      return h2 * (y[0] + y[1] + y[2]) + (half + half);
    };
    u = along(x.u), v = along(x.v);
  }
};

/// Integrals of the thickness over triangles of one body under one or two planes of the other, which is what an edge
/// has about it: AddTriangleUnder for four triangles at a time, whatever the machine. Where the ridge between the two
/// planes parts a corner from the other two, the triangle counts under the plane of the two, and what the third brings
/// less than that comes on top. `corner`: of `count` triangles, padded to four with what has no area. `up`: out of the
/// body that has the triangles; along it the integrals of x are left out.
inline Thickness ThicknessUnderRidge(const Envelope& e, const Boundary& boundary,
                                     const std::uint16_t (*corner)[Boundary::kMaxTriangles + 4], std::size_t count,
                                     Vec3 up) {
  constexpr std::size_t kLanes = 4, kSums = 8;
  using D = hn::CappedTag<double, kLanes>;
  const D d;
  using V = decltype(hn::Zero(d));
  const std::size_t lanes = hn::Lanes(d);
  const Frame flat = FrameAbout(up, {});
  const auto along = [&](Vec3 a, const Corners<D>& x)
                         HWY_ATTR { return hn::Set(d, a.x) * x.u + hn::Set(d, a.y) * x.v + hn::Set(d, a.z) * x.z; };
  const std::size_t second = e.n == 2 ? 1 : 0;
  const V zero = hn::Zero(d);
  HWY_ALIGN double sums[kSums] = {};
  [[maybe_unused]] double third[kSums] = {};
  for (std::size_t part = 0; part < kLanes; part += lanes) {
    V s[kSums];
    for (auto& x : s) x = zero;
    for (std::size_t t = part; t < count; t += kLanes) {
      FlatCorners<V> whole;
      V less[3];  // how much the plane that is nearer to most corners is nearer
      const auto of_most = [&](const V* over) HWY_ATTR {
        const auto a = hn::Gt(over[0], zero), b = hn::Gt(over[1], zero), c = hn::Gt(over[2], zero);
        return hn::Or(hn::And(a, b), hn::And(c, hn::Or(a, b)));
      };
      V over[3], far[3];
      for (std::size_t i = 0; i < 3; ++i) {
        const auto x = LoadCorners(d, boundary, corner[i] + t);
        whole.u[i] = along(flat.u, x), whole.v[i] = along(flat.v, x);
        whole.h[i] = hn::Set(d, e.level[0]) + along(e.slope[0], x);
        far[i] = hn::Set(d, e.level[second]) + along(e.slope[second], x);
        over[i] = whole.h[i] - far[i];
      }
      const auto is_second = of_most(over);
      for (std::size_t i = 0; i < 3; ++i) {
        whole.h[i] = hn::IfThenElse(is_second, far[i], whole.h[i]);
        less[i] = hn::IfThenElse(is_second, over[i], hn::Neg(over[i]));
      }
      const V au = whole.u[1] - whole.u[0], av = whole.v[1] - whole.v[0], bu = whole.u[2] - whole.u[0],
              bv = whole.v[2] - whole.v[0];
      const V dA = hn::Set(d, 0.5) * (au * bv - av * bu);
      const HeightPowers<V> of_whole(whole);
      // The corner beyond the ridge comes first.
      const auto lone1 = hn::Lt(less[1], zero), lone2 = hn::Lt(less[2], zero);
      const auto first = [&](const V* x, V* out) HWY_ATTR {
        for (std::size_t i = 0; i < 3; ++i)
          out[i] = hn::IfThenElse(lone1, x[(i + 1) % 3], hn::IfThenElse(lone2, x[(i + 2) % 3], x[i]));
      };
      FlatCorners<V> tip;
      V g[3];
      first(whole.u, tip.u), first(whole.v, tip.v), first(whole.h, tip.h), first(less, g);
      const auto parted = hn::Lt(g[0], zero);
      V share = dA;
      for (std::size_t i = 1; i < 3; ++i) {
        const V way = hn::IfThenElseZero(parted, g[0] / (g[0] - g[i]));
        share = share * way;
        const auto cut = [&](V* x) HWY_ATTR { x[i] = x[0] + way * (x[i] - x[0]); };
        cut(tip.u), cut(tip.v), cut(tip.h);
      }
      const HeightPowers<V> under_most(tip);
      tip.h[0] = tip.h[0] + hn::IfThenElseZero(parted, g[0]);
      const HeightPowers<V> under_own(tip);
      const auto add = [&](std::size_t k, V all, V own, V most)
                           HWY_ATTR { s[k] = s[k] + (dA * all + share * (own - most)); };
      s[0] = s[0] + dA;
      add(1, of_whole.h1, under_own.h1, under_most.h1), add(2, of_whole.h2, under_own.h2, under_most.h2);
      add(3, of_whole.h3, under_own.h3, under_most.h3);
      s[4] = s[4] + dA * (whole.u[0] + whole.u[1] + whole.u[2]);
      s[5] = s[5] + dA * (whole.v[0] + whole.v[1] + whole.v[2]);
      add(6, of_whole.u, under_own.u, under_most.u), add(7, of_whole.v, under_own.v, under_most.v);
    }
    AddLanes(d, s, part, third, sums);
  }
  Thickness t;
  t.area = sums[0], t.h1 = sums[1] / 3, t.h2 = sums[2] / 12, t.h3 = sums[3] / 60;
  t.x0 = flat.out({sums[4] / 3, sums[5] / 3, 0}), t.x2 = flat.out({sums[6] / 60, sums[7] / 60, 0});
  return t;
}

/// The general case: the surface of one body, triangle by triangle, under the envelope of the other's planes. Centre
/// and energy depth alone, in the frame of the contact.
inline Overlap PlaceForceUnderEnvelope(const Workspace& work, Vec3 centroid, Vec3 n, ClippingBuffers* buffers) {
  const Boundary& boundary = work.boundary;
  Overlap o;
  o.centroid = o.centre = centroid;
  // Both ways give the same, and fewer planes cut less; only a surface that turns back over itself must be the one that
  // is laid out.
  std::size_t planes[2] = {0, 0};
  bool turned_back[2] = {false, false};
  const auto count = [&](const Side& side, std::size_t first, Vec3 out, std::size_t which) {
    for (std::size_t k = 0; k < side.planes; ++k) {
      if (boundary.first[first + k] == Boundary::kNone) continue;
      const double along = dot(side.normal[k], out);
      planes[which] += along > kFacing ? 1 : 0;
      turned_back[which] = turned_back[which] || along < 0;
    }
  };
  count(work.a, 0, n, 0), count(work.b, boundary.planes_a, -n, 1);
  const bool lay_a = turned_back[0] || (!turned_back[1] && planes[1] <= planes[0]);
  const Side& over = lay_a ? work.b : work.a;
  const std::size_t first = lay_a ? boundary.planes_a : 0;
  const Vec3 up = lay_a ? n : -n;
  Envelope& e = buffers->envelope;
  e.n = 0;
  for (std::size_t k = 0; k < over.planes; ++k) {
    if (boundary.first[first + k] != Boundary::kNone) e.Add(over.normal[k], over.offset[k], -up);
  }
  if (e.n == 0) return o;
  std::uint16_t corner[3][Boundary::kMaxTriangles + 4];
  std::size_t laid = 0;
  for (std::size_t i = 0; i < boundary.triangles; ++i) {
    const Boundary::Triangle x = boundary.triangle[i];
    corner[0][laid] = x.p, corner[1][laid] = x.q, corner[2][laid] = x.r;
    laid += (x.face < boundary.planes_a) == lay_a ? 1 : 0;
  }
  Thickness t;
  if (e.n <= 2) {
    for (std::size_t i = laid; i < laid + 4; ++i) corner[0][i] = corner[1][i] = corner[2][i] = 0;
    t = ThicknessUnderRidge(e, boundary, corner, laid, up);
  } else {
    for (std::size_t i = 0; i < laid; ++i) {
      const Vec3 corners[3] = {boundary.At(corner[0][i]), boundary.At(corner[1][i]), boundary.At(corner[2][i])};
      AddTriangleUnder(e, corners, up, buffers->polygon, &t);
    }
  }
  PlaceForce(t, n, &o, {});
  return o;
}

/// A face that may carry the patch: its plane, and how far its share of the patch is from the whole.
struct Carrying {
  Vec3 normal;
  double offset, missing;
};
/// Thickness measured from the face that carries the patch; from both, weighted by how nearly each is the whole, where
/// a face on either side does. Centre and energy depth alone.
HWY_INLINE Overlap PlaceForceUnderFaces(const Moments& m, Vec3 centroid, Vec3 n, double area, const Carrying& a,
                                        const Carrying& b) {
  const auto weight = [](double own, double other) { return own < kPatchy ? (kPatchy - own) * other : 0; };
  const double wa = weight(a.missing, b.missing), wb = weight(b.missing, a.missing);
  const double by_a = wa > 0 ? wa / (wa + wb) : 0;
  Thickness t{};
  if (by_a > 0) t.Add(by_a, ThicknessUnder(m, n, area, a.normal, a.offset));
  if (by_a < 1) t.Add(1 - by_a, ThicknessUnder(m, n, area, b.normal, b.offset));
  Overlap o;
  o.centroid = centroid;
  PlaceForce(t, n, &o, {});
  return o;
}

/// Where the force acts and at which depth its energy is read off. Where one face carries the patch, thickness is
/// measured from its plane (where a face on either side does, from both, weighted by how nearly each is the whole);
/// else facet by facet of A's surface up to the envelope of B's planes.
HWY_INLINE void PlaceForceOn(const Frame& f, const Moments& m, const double* face_area, Workspace* work, Overlap* o) {
  const Boundary& boundary = work->boundary;
  const Vec3 c = (1 / m.volume) * m.first;
  const double area = norm(m.area);
  const Vec3 n = m.area / area;
  if (boundary.points == 4 && boundary.stretches[0] == 1 && boundary.stretches[1] == 1) {
    const auto ends = [&](std::size_t side, Vec3* e) {
      e[0] = boundary.At(boundary.last[side][0]), e[1] = boundary.At(boundary.last[side][1]);
    };
    Vec3 p[2], r[2], centre;
    ends(0, p), ends(1, r);
    if (PlaceForceAtCrossing(p, r, c, &centre, &o->energy_depth)) {
      o->centre = f.origin + f.out(centre);
      return;
    }
  }
  const Carrier a = FindCarrier(work->a, face_area, 1, n, area);
  const Carrier b = FindCarrier(work->b, face_area + boundary.planes_a, -1, n, area);
  const double missing = a.missing < b.missing ? a.missing : b.missing;
  Overlap laid;
  if (missing > kWhole) laid = PlaceForceUnderEnvelope(*work, c, n, &work->clipping);
  const double share = missing > kWhole ? (missing < kPatchy ? (kPatchy - missing) / (kPatchy - kWhole) : 0) : 1;
  if (share > 0) {
    const Carrying by_a{work->a.normal[a.plane], work->a.offset[a.plane], a.missing};
    const Carrying by_b{work->b.normal[b.plane], work->b.offset[b.plane], b.missing};
    const Overlap local = PlaceForceUnderFaces(m, c, n, area, by_a, by_b);
    o->centre = f.origin + f.out(local.centre), o->energy_depth = local.energy_depth;
  }
  if (share < 1) {
    o->centre = share * o->centre + (1 - share) * (f.origin + f.out(laid.centre));
    o->energy_depth = share * o->energy_depth + (1 - share) * laid.energy_depth;
  }
}

/// Part of a body beyond a plane with the unit normal m into the domain: the overlap with a wall. The body is A, the
/// normal from A to the wall is -m; `height`: of the body's vertices over the plane.
inline Overlap OverlapWithPlane(const BodyView& a, Vec3 m, const double* height, Workspace* work) {
  Overlap o;
  if (OverlapAtCorner(a, m, height, VerticesBelow(a, height, 0), &o)) return o;
  std::uint32_t deepest = 0;
  for (std::uint32_t v = 1; v < a.shape->vertices; ++v) {
    if (height[v] < height[deepest]) deepest = v;
  }
  const Frame f = FrameAbout(-m, a.vertex(deepest) - height[deepest] * m);
  Side &body = work->a, &wall = work->b;
  wall.planes = 1, wall.normal[0] = {0, 0, -1}, wall.offset[0] = 0;
  PoseInFrame(a, f, -f.origin, &body);
  Boundary& boundary = work->boundary;
  // Neither can fail: a body has no more faces, and one plane has no more chords than they.
  if (!SelectPlanes(a, f, -f.origin, 1, 0, kMaxFaces, &body) || !boundary.Clear(body.planes, 1)) return o;
  MeasureHeights(a, wall, 0, &body);
  AddEdges<true>(a, body, &boundary);
  // One plane alone cannot be told two things.
  AddChords(&boundary);
  Moments moments;
  Integrate(boundary, nullptr, &moments);
  o = Describe(f, moments);
  if (!(o.volume > 0 && norm2(o.area) > 0)) return o;
  const double area = norm(moments.area);
  const Vec3 n = moments.area / area;
  Overlap local;
  local.centroid = (1 / moments.volume) * moments.first;
  PlaceForce(ThicknessUnder(moments, n, area, wall.normal[0], 0), n, &local, {});
  o.centre = f.origin + f.out(local.centre), o.energy_depth = local.energy_depth;
  return o;
}

/// The general way: every edge of either body is cut.
inline Overlap OverlapFromEdges(const Query& q, const Plane& seed, Workspace* work) {
  const Frame f = FrameAbout(seed.n, 0.5 * (q.a.vertex(seed.va) + q.d + q.b.vertex(seed.vb)));
  const Vec3 at_a = -f.origin, at_b = q.d - f.origin;
  Side &a = work->a, &b = work->b;
  Boundary& boundary = work->boundary;
  PoseInFrame(q.a, f, at_a, &a), PoseInFrame(q.b, f, at_b, &b);
  const double top_a = Farthest(q.a, a, 1), low_b = -Farthest(q.b, b, -1);
  const double rounding = 1e-14 * q.scale;
  if (!SelectPlanes(q.a, f, at_a, 1, low_b - rounding, Side::kMaxPlanes, &a) ||
      !SelectPlanes(q.b, f, at_b, -1, -top_a - rounding, Side::kMaxPlanes, &b) || !boundary.Clear(a.planes, b.planes))
    return OverlapByClipping(q, seed, &work->clipping);
  // Of two faces in one plane each vertex may say something else; the clipping treats faces as a whole.
  if (!MeasureHeights(q.a, b, kInPlane * q.scale, &a) || !MeasureHeights(q.b, a, kInPlane * q.scale, &b))
    return OverlapByClipping(q, seed, &work->clipping);
  AddEdges<true>(q.a, a, &boundary), AddEdges<false>(q.b, b, &boundary);
  if (!AddChords(&boundary)) return OverlapByClipping(q, seed, &work->clipping);
  double face_area[2 * Side::kMaxPlanes];  // SelectPlanes has seen to the bounds
  Moments moments;
  Integrate(boundary, face_area, &moments);
  Overlap o = Describe(f, moments);
  if (o.volume > 0 && norm2(o.area) > 0) PlaceForceOn(f, moments, face_area, work, &o);
  return o;
}

/// Most contacts have one of three forms that need no general search for edges. Of one pair; a step finds edges that
/// cross and faces on each other by the vector.
HWY_INLINE OverlapForm SimpleOverlap(const Query& q, const Plane& seed, Workspace* work, Overlap* o) {
  EdgeCrossings& crossings = work->crossings;
  if (crossings.Add(q, seed)) {
    crossings.Find();
    const bool crossing = crossings.Result(0, o);
    crossings.clear();
    if (crossing) return OverlapForm::crossing;
  }
  VertexMask deep{};
  if (OverlapAtCorner(q, seed, &deep, o)) return OverlapForm::corner;
  FacePatches::Pair pair;
  if (!FacePatches::Meet(q, seed, deep, &pair)) return OverlapForm::any;
  FacePatches& patches = work->patches;
  patches.Add(pair), patches.Find();
  const bool found = patches.Result(0, o);
  patches.clear();
  return found ? OverlapForm::faces : OverlapForm::any;
}

/// Exact overlap polyhedron of A and B from a plane with gap <= 0.
inline Overlap ExactOverlap(const Query& q, const Plane& seed, Workspace* work) {
  Overlap simple;
  return SimpleOverlap(q, seed, work, &simple) != OverlapForm::any ? simple : OverlapFromEdges(q, seed, work);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

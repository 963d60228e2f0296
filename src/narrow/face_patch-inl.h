// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_FACE_PATCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_FACE_PATCH_INL_H
#undef SCREE_NARROW_FACE_PATCH_INL_H
#else
#define SCREE_NARROW_FACE_PATCH_INL_H
#endif

#include "narrow/common_plane-inl.h"
#include "narrow/lanes-inl.h"
#include "narrow/patch_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Two faces that look at each other this nearly (cosine to the plane's normal) are tried as a patch also where the
/// plane is that of two edges.
inline constexpr double kFlat = 0.7;

/// Between `kWhole` and `kPatchy` of the patch missing from the face that carries it, the two ways to measure its
/// thickness pass into each other.
inline constexpr double kWhole = 0.005, kPatchy = 0.01;
/// A face with more than this of the patch missing hardly takes part.
inline constexpr double kPoor = 0.9;

/// A round of sides that ends nearer to its start than this share of the pair's size is closed.
inline constexpr double kClosed = 2e-14;

/// Pairs face on face, a vector of them at a time. The overlap lies between the planes of two faces that look at each
/// other, and beside them only the faces around these two cut it. Seen from either plane it is then the same polygon of
/// sides, and every side is a quadrangle. Frame: z along the outward normal of the one face, called the base; its plane
/// is z = 0; the polygons at z = 0 and in the other face's plane are its top and its bottom. The result is what
/// OverlapFromEdges finds, but for rounding.
class FacePatches {
 public:
  static constexpr std::size_t kMax = FaceRim::kMax;

  bool full() const { return pairs_ == hn::Lanes(Lanes()); }
  void clear() { pairs_ = 0; }

  /// The two faces of a pair and what surrounds them; false where they are not to be met face on face.
  struct Pair {
    const BodyView *x, *y;  ///< with the base, with the other face
    std::size_t base, other;
    const FaceRim *rim_x, *rim_y;  ///< none: y is a plane
    Vec3 n, m;                     ///< outward unit normals of the two faces
    double at_base, at_other;      ///< m, their offsets from their bodies' centroids
    Vec3 d;                        ///< centroid of y - centroid of x
    bool on_a, by_edges;           ///< by_edges: the plane of the contact is not the base's
    Vec3 link;                     ///< m, a point near the contact, relative to x's centroid
    Vec3 along;                    ///< unit vector along which the polar moment is seen
    double scale;
  };
  /// `deep`: see OverlapAtCorner.
  static HWY_INLINE bool Meet(const Query& q, const Plane& seed, const VertexMask& deep, Pair* pair) {
    using Kind = PlaneFeature::Kind;
    const Kind kind = seed.feature.kind;
    Pair& p = *pair;
    p.by_edges = kind == Kind::edge_edge;
    if (!p.by_edges && kind != Kind::face_a && kind != Kind::face_b) return false;
    p.on_a = kind != Kind::face_b;
    p.x = p.on_a ? &q.a : &q.b, p.y = p.on_a ? &q.b : &q.a;
    const Vec3 n = p.on_a ? seed.n : -seed.n;
    p.base = p.by_edges ? FaceAlong(*p.x, seed.va, n) : p.on_a ? seed.feature.a : seed.feature.b;
    p.n = p.x->face_normal(p.base);
    if (p.by_edges && !(dot(p.n, n) > kFlat)) return false;
    p.other = FaceAlong(*p.y, p.on_a ? seed.vb : seed.va, -n);
    p.m = p.y->face_normal(p.other);
    if (p.by_edges && !(dot(p.m, n) < -kFlat)) return false;
    p.rim_x = &p.x->shape->rims[p.base], p.rim_y = &p.y->shape->rims[p.other];
    if (p.rim_x->corners == 0 || p.rim_y->corners == 0) return false;
    p.at_base = p.x->face_offset(p.base), p.at_other = p.y->face_offset(p.other);
    p.d = p.on_a ? q.d : -q.d;
    // All but the corners of the two faces must lie beyond the other's plane.
    if (p.by_edges ? !OthersBeyond(*p.y, p.other, p.n, p.at_base - dot(p.n, p.d))
                   : !AreOf(deep, p.y->shape->face_vertices[p.other]))
      return false;
    if (!OthersBeyond(*p.x, p.base, p.m, dot(p.m, p.d) + p.at_other)) return false;
    const Vec3 link = 0.5 * (q.a.vertex(seed.va) + q.d + q.b.vertex(seed.vb));
    p.link = p.on_a ? link : link - q.d, p.along = seed.n, p.scale = q.scale;
    return true;
  }
  /// The same for a body (A) and a plane with the unit normal m into the domain, `offset` from the body's centroid
  /// along m. `deep`: the vertices behind it, `deepest` one of them. Pairs with planes and pairs of bodies do not mix.
  static HWY_INLINE bool MeetPlane(const BodyView& a, Vec3 m, double offset, const VertexMask& deep,
                                   std::uint32_t deepest, Pair* pair) {
    Pair& p = *pair;
    p.x = p.y = &a;
    p.base = FaceAlong(a, deepest, -m), p.n = a.face_normal(p.base), p.m = m;
    p.rim_x = &a.shape->rims[p.base], p.rim_y = nullptr;
    if (p.rim_x->corners == 0 || !(dot(p.n, m) < -kFlat) || !AreOf(deep, a.shape->face_vertices[p.base])) return false;
    p.at_base = a.face_offset(p.base), p.at_other = 0, p.d = offset * m;
    p.on_a = p.by_edges = true;
    p.link = a.vertex(deepest), p.along = -m, p.scale = a.radius;
    return true;
  }
  static HWY_INLINE bool IsSmall(const Pair& p) { return p.rim_x->corners <= kMax / 2 && p.rim_y->corners <= kMax / 2; }

  HWY_INLINE void Add(const Pair& p) {
    const std::size_t k = pairs_++;
    Put(p.n, normal_, k), Put(p.x->rotation * p.rim_x->u_axis, u_, k);
    Put(p.m, other_normal_, k);
    Put(p.rim_y != nullptr ? p.y->rotation * p.rim_y->u_axis : Vec3{}, other_u_, k);
    Put(p.d, d_, k), Put(p.link, link_, k), Put(p.along, along_, k);
    at_base_[k] = p.at_base, at_other_[k] = p.at_other, scale_[k] = p.scale;
    size_[0][k] = p.x->size, size_[1][k] = p.y->size;
    way_[k] = p.on_a ? 1 : -1, by_edges_[k] = p.by_edges ? 1 : 0;
    const auto add = [&](const FaceRim* rim, std::size_t whose) {
      const std::uint32_t corners = rim != nullptr ? rim->corners : 0;
      rim_[whose][k] = rim != nullptr ? rim->corner[0] : nullptr;
      corners_[whose] = k == 0 || corners > corners_[whose] ? corners : corners_[whose];
    };
    add(p.rim_x, 0), add(p.rim_y, 1);
  }

  /// The overlaps of the pairs, in the order in which they were added.
  void Find() {
    Pad();
    Ring rings[2];
    Patch p;
    Pose(&p, rings);
    Piece pieces[2][kMax];
    CutSides<true>(rings[0], rings[1], &p, pieces[0]);
    CutSides<false>(rings[1], rings[0], &p, pieces[1]);
    MoveInto(&p);
    Sums s{};
    for (std::size_t i = 0; i < corners_[0]; ++i) face_patch::AddSide<true>(p, pieces[0][i], &s);
    for (std::size_t i = 0; i < corners_[1]; ++i) face_patch::AddSide<false>(p, pieces[1][i], &s);
    if (p.crossed) face_patch::AddEdgeBetweenPlanes(&p, &s);
    // Three planes that meet in one point of an edge may each leave the cut to the others.
    const Reals open = hn::Max(hn::Abs(p.ring[0]), hn::Abs(p.ring[1]));
    p.wrong = hn::Or(p.wrong, hn::Gt(open, All(kClosed) * Row(scale_)));
    Describe(p, s);
  }
  /// Of the k-th pair. False: the overlap is not known to have this form.
  HWY_INLINE bool Result(std::size_t k, Overlap* o) const {
    if ((found_ >> k & 1) == 0) return false;
    o->volume = out_volume_[k], o->area = Take(out_area_, k), o->area_moment = Take(out_moment_, k);
    o->centroid = Take(out_centroid_, k), o->centre = Take(out_centre_, k);
    o->energy_depth = out_energy_[k], o->gyration = out_gyration_[k], o->axis = Take(out_axis_, k);
    return true;
  }

 private:
  /// One body's sides by corner, in the frame: each runs from its corner to the next.
  struct Ring {
    std::size_t corners;
    Reals top_u[kMax], top_v[kMax], bottom_u[kMax], bottom_v[kMax], bottom_z[kMax];
    Reals top_height[kMax];  ///< of the top over the other face's plane
    Reals3 normal[kMax];     ///< of the face across the side
    Reals at[kMax];
  };
  using Piece = face_patch::Piece;
  using Patch = face_patch::Patch;
  using Sums = face_patch::Sums;

  static HWY_INLINE Reals Row(const LaneRow& row) { return hn::Load(Lanes(), row); }

  /// Lanes without a pair repeat the first one.
  HWY_INLINE void Pad() {
    for (std::size_t k = pairs_; k < hn::Lanes(Lanes()); ++k) {
      for (LaneRow* const row : {normal_, u_, other_normal_, other_u_, d_, link_, along_}) {
        for (std::size_t j = 0; j < 3; ++j) row[j][k] = row[j][0];
      }
      for (LaneRow* const row : {&at_base_, &at_other_, &scale_, &size_[0], &size_[1], &way_, &by_edges_})
        (*row)[k] = (*row)[0];
      rim_[0][k] = rim_[0][0], rim_[1][k] = rim_[1][0];
    }
  }

  /// A rim's columns, corner by corner. Corners that a face does not have repeat its first one: a side between them has
  /// no length and cuts nothing anew.
  struct RimColumns {
    Reals c[kMax * FaceRim::kColumns];
    Reals at(std::size_t corner, std::size_t column) const { return c[corner * FaceRim::kColumns + column]; }
    Reals3 vector(std::size_t corner, std::size_t column) const {
      const Reals* const x = c + corner * FaceRim::kColumns + column;
      return {x[0], x[1], x[2]};
    }
  };
  HWY_INLINE void LoadRims(std::size_t whose, RimColumns* out) const {
    for (std::size_t i = 0; i < corners_[whose] * FaceRim::kColumns; i += hn::Lanes(Lanes()))
      Transpose(rim_[whose], i, out->c + i);
  }

  HWY_INLINE void Pose(Patch* patch, Ring* rings) const {
    Patch& p = *patch;
    const Reals zero = All(0);
    const Reals3 n = Load(normal_), u = Load(u_), v = cross(n, u);
    const Reals3 yn = Load(other_normal_), yu = Load(other_u_), yv = cross(yn, yu), d = Load(d_), link = Load(link_);
    const Reals at_base = Row(at_base_), at_other = Row(at_other_);
    p.frame = {u, v, n};
    p.origin = link + (at_base - dot(n, link)) * n;
    const Reals3 from{dot(u, link), dot(v, link), at_base};
    const Reals3 there = p.frame.in(d), t = there - from;
    p.plane = p.frame.in(yn), p.offset = at_other + dot(p.plane, t);
    p.ou = p.ov = p.ring[0] = p.ring[1] = p.pieces[0] = p.pieces[1] = p.leaves = p.meets = p.leave[0] = p.leave[1] =
        p.meet[0] = p.meet[1] = zero;
    p.by_edges = hn::Gt(Row(by_edges_), zero);
    p.any_by_edges = !hn::AllFalse(Lanes(), p.by_edges);
    if (p.any_by_edges) p.seen = FramesAbout(p.frame.in(Load(along_)));
    p.inside = hn::Ne(zero, zero);
    auto sound = hn::Eq(zero, zero);
    Reals highest = All(-1e300);
    const Reals size_x = Row(size_[0]), size_y = Row(size_[1]);
    Ring &x = rings[0], &y = rings[1];
    x.corners = corners_[0], y.corners = corners_[1];
    RimColumns rim;
    LoadRims(0, &rim);
    for (std::size_t i = 0; i < x.corners; ++i) {
      const Reals fu = size_x * rim.at(i, FaceRim::kU) - from.x, fv = size_x * rim.at(i, FaceRim::kV) - from.y;
      const Reals3 rise = rim.vector(i, FaceRim::kRise), side = rim.vector(i, FaceRim::kSide);
      const Reals height = p.plane.x * fu + p.plane.y * fv - p.offset, climb = dot(p.plane, rise);
      // A corner beyond the other plane has its edge drawn on by no more than its own length.
      sound = hn::And(sound, hn::And(hn::Gt(climb, zero), hn::Le(height, size_x * climb)));
      const Reals along = height / climb;
      x.top_u[i] = fu, x.top_v[i] = fv, x.top_height[i] = height;
      x.bottom_u[i] = fu - along * rise.x, x.bottom_v[i] = fv - along * rise.y, x.bottom_z[i] = hn::Neg(along * rise.z);
      x.normal[i] = side, x.at[i] = size_x * rim.at(i, FaceRim::kSide + 3) - dot(side, from);
      highest = hn::Max(highest, hn::Max(height, x.bottom_z[i]));
    }
    const Reals3 turn[3] = {
        {dot(u, yu), dot(u, yv), p.plane.x}, {dot(v, yu), dot(v, yv), p.plane.y}, {dot(n, yu), dot(n, yv), p.plane.z}};
    const auto turned = [&](const Reals3& a) HWY_ATTR {
      return Reals3{dot(turn[0], a), dot(turn[1], a), dot(turn[2], a)};
    };
    LoadRims(1, &rim);
    for (std::size_t i = 0; i < y.corners; ++i) {
      const Reals3 foot = turned({size_y * rim.at(i, FaceRim::kU), size_y * rim.at(i, FaceRim::kV), at_other}) + t;
      const Reals3 rise = turned(rim.vector(i, FaceRim::kRise)), side = turned(rim.vector(i, FaceRim::kSide));
      sound = hn::And(sound, hn::And(hn::Gt(rise.z, zero), hn::Le(foot.z, size_y * rise.z)));
      const Reals along = foot.z / rise.z;
      y.bottom_u[i] = foot.x, y.bottom_v[i] = foot.y, y.bottom_z[i] = foot.z;
      y.top_u[i] = foot.x - along * rise.x, y.top_v[i] = foot.y - along * rise.y;
      y.top_height[i] = p.plane.x * y.top_u[i] + p.plane.y * y.top_v[i] - p.offset;
      y.normal[i] = side, y.at[i] = size_y * rim.at(i, FaceRim::kSide + 3) + dot(side, t);
      highest = hn::Max(highest, hn::Max(y.top_height[i], foot.z));
    }
    p.wrong = hn::Not(sound);
    p.crossed = !hn::AllFalse(Lanes(), hn::Gt(highest, zero));
  }

  /// Are all vertices of x but those of the face `base` above the plane m.p = at?
  static HWY_INLINE bool OthersBeyond(const BodyView& x, std::size_t base, Vec3 m, double at) {
    const hn::ScalableTag<double> tag;
    const auto mx = hn::Set(tag, m.x), my = hn::Set(tag, m.y), mz = hn::Set(tag, m.z), level = hn::Set(tag, at);
    const VertexMask below = VerticesWhere(x, [&](std::size_t i) HWY_ATTR {
      const auto xy = hn::Add(hn::Mul(mx, hn::LoadU(tag, x.x + i)), hn::Mul(my, hn::LoadU(tag, x.y + i)));
      return hn::Le(hn::Add(xy, hn::Mul(mz, hn::LoadU(tag, x.z + i))), level);
    });
    return AreOf(below, x.shape->face_vertices[base]);
  }

  /// Stretch of an edge at the top inside the other body's sides (Cyrus & Beck 1978), its two ends as fractions, and
  /// what the planes that cut it there make of the edge at the bottom.
  struct Stretch {
    Reals n0, d0, low_n0, low_d0, n1, d1, low_n1, low_d1;
    Truths outside, enters, leaves;  ///< the latter two: of the last plane
    HWY_INLINE Stretch()
        : n0(All(0)),
          d0(All(1)),
          low_n0(n0),
          low_d0(d0),
          n1(All(-1)),
          d1(n1),
          low_n1(n1),
          low_d1(n1),
          outside(hn::Ne(n0, n0)),
          enters(outside),
          leaves(outside) {}
    /// Heights over the plane of the edge's ends at the top and at the bottom.
    HWY_INLINE void Cut(Reals from, Reals to, Reals low_from, Reals low_to) {
      const Reals zero = All(0), d = from - to, low_d = low_from - low_to;
      const Truths out0 = hn::Gt(from, zero), out1 = hn::Gt(to, zero);
      // Both are positive where it enters, negative where it leaves.
      enters = hn::And(hn::AndNot(out1, out0), hn::Gt(from * d0, n0 * d));
      leaves = hn::And(hn::AndNot(out0, out1), hn::Lt(from * d1, n1 * d));
      n0 = Select(enters, from, n0), d0 = Select(enters, d, d0);
      low_n0 = Select(enters, low_from, low_n0), low_d0 = Select(enters, low_d, low_d0);
      n1 = Select(leaves, from, n1), d1 = Select(leaves, d, d1);
      low_n1 = Select(leaves, low_from, low_n1), low_d1 = Select(leaves, low_d, low_d1);
      outside = hn::Or(outside, hn::And(out0, out1));
    }
  };

  /// Cuts a body's sides by the other's planes, at the top. The bottom must be the same polygon: its corners, made by
  /// the same planes, lie below all of them, and its sides run the same way; then it is what they bound.
  template <bool kBase>
  HWY_INLINE void CutSides(const Ring& own, const Ring& other, Patch* p, Piece* pieces) const {
    const Reals zero = All(0), one = All(1), rounding = All(kInPlane) * Row(scale_);
    // Heights of the corners over the other's sides; the last: of the top over the other face's plane, and of the
    // bottom over the base's.
    Reals top[kMax][kMax + 1], bottom[kMax][kMax + 1];
    Reals least = All(1e300), low[kMax];  // low: the highest of each corner at the bottom
    for (std::size_t i = 0; i < own.corners; ++i) {
      low[i] = own.bottom_z[i];
      for (std::size_t j = 0; j < other.corners; ++j) {
        const Reals3 m = other.normal[j];
        top[i][j] = m.x * own.top_u[i] + m.y * own.top_v[i] - other.at[j];
        bottom[i][j] = m.x * own.bottom_u[i] + m.y * own.bottom_v[i] - other.at[j] + m.z * own.bottom_z[i];
        least = hn::Min(least, hn::Abs(top[i][j])), low[i] = hn::Max(low[i], bottom[i][j]);
      }
      least = hn::Min(least, hn::Min(hn::Abs(own.top_height[i]), hn::Abs(own.bottom_z[i])));
      top[i][other.corners] = own.top_height[i], bottom[i][other.corners] = own.bottom_z[i];
    }
    const std::size_t planes = other.corners + (p->crossed ? 1 : 0);
    p->wrong = hn::Or(p->wrong, hn::Le(least, rounding));
    for (std::size_t i = 0; i < own.corners; ++i) {
      const std::size_t next = i + 1 < own.corners ? i + 1 : 0;
      Stretch t;
      for (std::size_t j = 0; j < planes; ++j) t.Cut(top[i][j], top[next][j], bottom[i][j], bottom[next][j]);
      // One division for two.
      const Reals per0 = one / (t.d0 * t.low_d0), per1 = one / (t.d1 * t.low_d1);
      const Reals ts = t.n0 * t.low_d0 * per0, te = t.n1 * t.low_d1 * per1, bs = t.low_n0 * t.d0 * per0,
                  be = t.low_n1 * t.d1 * per1;
      // Its own corners; where it is cut, the base's sides speak for the other's.
      const Truths cut0 = hn::Gt(ts, zero), cut1 = hn::Lt(te, one);
      Reals highest = hn::Max(Select(cut0, All(-1e300), low[i]), Select(cut1, All(-1e300), low[next]));
      if constexpr (kBase) {
        for (std::size_t j = 0; j < planes; ++j) {
          const Reals from = bottom[i][j], d = from - bottom[next][j];
          highest = hn::Max(highest, hn::Max(from - bs * d, from - be * d));
        }
      }
      const Reals tu = own.top_u[i], tv = own.top_v[i], bu = own.bottom_u[i], bv = own.bottom_v[i],
                  bz = own.bottom_z[i];
      const Reals dtu = own.top_u[next] - tu, dtv = own.top_v[next] - tv, dbu = own.bottom_u[next] - bu,
                  dbv = own.bottom_v[next] - bv, dbz = own.bottom_z[next] - bz;
      const Truths inside = hn::AndNot(t.outside, hn::Lt(ts, te));
      // Along the bottom a plane that cuts the top may be parallel to the side: 1/0, and nothing is known.
      p->wrong = hn::Or(p->wrong, hn::AndNot(t.outside, hn::Not(hn::Or(inside, hn::Ge(ts, te)))));
      const Truths ordered = hn::And(hn::And(hn::Ge(bs, zero), hn::Le(be, one)), hn::Le(bs, be));
      const Reals turned = dtu * dbu + dtv * dbv;  // 0: it has no length
      const Truths same = hn::And(hn::And(ordered, hn::Le(highest, rounding)), hn::Ge(turned, zero));
      Reals& pieces_left = p->pieces[kBase ? 0 : 1];
      pieces_left = pieces_left + hn::IfThenElseZero(hn::And(inside, hn::Gt(turned, zero)), one);
      p->wrong = hn::Or(p->wrong, hn::AndNot(same, inside));
      const auto point = [&](Reals from, Reals along, Reals by)
                             HWY_ATTR { return hn::IfThenElseZero(inside, from + along * by); };
      Piece& x = pieces[i];
      x.pu = point(tu, ts, dtu), x.pv = point(tv, ts, dtv), x.qu = point(tu, te, dtu), x.qv = point(tv, te, dtv);
      x.r = {point(bu, bs, dbu), point(bv, bs, dbv), point(bz, bs, dbz)};
      x.s = {point(bu, be, dbu), point(bv, be, dbv), point(bz, be, dbz)};
      p->ring[0] = p->ring[0] + (kBase ? x.qu - x.pu : x.pu - x.qu);
      p->ring[1] = p->ring[1] + (kBase ? x.qv - x.pv : x.pv - x.qv);
      const Truths fresh = hn::AndNot(p->inside, inside);
      p->ou = Select(fresh, x.pu, p->ou), p->ov = Select(fresh, x.pv, p->ov);
      p->inside = hn::Or(p->inside, inside);
      if (kBase && p->any_by_edges) {
        x.cut_start = hn::IfThenElseZero(hn::And(inside, cut0), one);
        x.cut_end = hn::IfThenElseZero(hn::And(inside, cut1), one);
      }
      if (p->crossed) {
        // The last plane was the other face's. Round the patch the other's sides run from their ends to their starts.
        const Truths at_p = hn::And(inside, t.enters), at_q = hn::And(inside, t.leaves);
        const auto note = [&](Truths at, Reals u, Reals v, Reals* end, Reals* count) HWY_ATTR {
          end[0] = end[0] + hn::IfThenElseZero(at, u), end[1] = end[1] + hn::IfThenElseZero(at, v);
          *count = *count + hn::IfThenElseZero(at, one);
        };
        note(kBase ? at_q : at_p, kBase ? x.qu : x.pu, kBase ? x.qv : x.pv, p->leave, &p->leaves);
        note(kBase ? at_p : at_q, kBase ? x.pu : x.qu, kBase ? x.pv : x.qv, p->meet, &p->meets);
      }
    }
  }

  /// Puts the origin where a side starts: sums about a point far from a small patch would lose its digits.
  static HWY_INLINE void MoveInto(Patch* p) {
    p->wrong = hn::Or(p->wrong, hn::Not(p->inside));
    p->origin = p->origin + (p->ou * p->frame.u + p->ov * p->frame.v);
    p->offset = p->offset - (p->plane.x * p->ou + p->plane.y * p->ov);
  }

  /// Integrals of the thickness h along n over the patch, h being measured from the plane of a face; see
  /// ThicknessUnder. What does not depend on the plane is left out.
  struct Depths {
    Reals h2, h3;
    Reals3 x2;
  };

  /// From the sums to the overlap; see Describe and PlaceForceUnderFaces. Long, for it is one chain of values that most
  /// of what follows needs again: parts of it would hand twenty of them on.
  HWY_INLINE void Describe(const Patch& p, const Sums& s) {
    const Lanes tag;
    const Reals zero = All(0), one = All(1);
    // The bottom: z = -h, h linear over it.
    const Reals per = one / p.plane.z, h0 = hn::Neg(p.offset * per), hu = p.plane.x * per, hv = p.plane.y * per;
    const Reals sixth = All(1.0 / 6), part24 = All(1.0 / 24), part120 = All(1.0 / 120);
    const Reals b = All(0.5) * s.bottom[0], bu = sixth * s.bottom[1], bv = sixth * s.bottom[2];
    const Reals buu = part24 * s.bottom[3], buv = part24 * s.bottom[4], bvv = part24 * s.bottom[5];
    const Reals h = h0 * b + hu * bu + hv * bv, uh = h0 * bu + hu * buu + hv * buv, vh = h0 * bv + hu * buv + hv * bvv;
    const Reals q = All(0.25) * h0, f = All(0.2) * h0;
    const Reals volume = All(1.0 / 3) * (h0 * b) + sixth * s.det;
    const Reals3 first{q * bu + part24 * s.det_x[0], q * bv + part24 * s.det_x[1], part24 * s.det_x[2] - q * h};
    const Reals uu = f * buu + part120 * s.det_xx[0], uv = f * buv + part120 * s.det_xx[1],
                vv = f * bvv + part120 * s.det_xx[2], uz = part120 * s.det_xx[3] - f * uh,
                vz = part120 * s.det_xx[4] - f * vh, zz = f * (h0 * h + hu * uh + hv * vh) + part120 * s.det_xx[5];
    const Reals base_area = All(0.5) * s.top;
    const Reals3 area{s.area[0], s.area[1], s.area[2] + base_area};
    const Reals third = All(1.0 / 3);
    const Reals3 area_first[3] = {third * Reals3{s.first[0], s.first[1], s.first[2]},
                                  third * Reals3{s.first[3], s.first[4], s.first[5]},
                                  third * Reals3{s.first[6], s.first[7], s.first[8]}};
    const Reals polar = All(1.0 / 12) * (p.any_by_edges ? Select(p.by_edges, s.rim, s.polar) : s.polar);

    const Reals3 c = (one / volume) * first;
    const Reals whole = hn::Sqrt(dot(area, area)), per_whole = one / whole;
    const Reals3 n = per_whole * area;
    const Reals3 about{area_first[1].z - area_first[2].y, area_first[2].x - area_first[0].z,
                       area_first[0].y - area_first[1].x};
    const Reals3 along =
        p.any_by_edges ? Select(p.by_edges, p.seen.n, Reals3{zero, zero, one}) : Reals3{zero, zero, one};
    const Reals seen = dot(area, along), up = dot(c, along);
    const Reals3 moment{dot(area_first[0], along), dot(area_first[1], along), dot(area_first[2], along)};
    const Reals turning = polar - All(2) * (dot(c, moment) - up * dot(moment, along)) + seen * (dot(c, c) - up * up);
    const Truths has_gyration = hn::And(hn::Gt(seen, zero), hn::Gt(turning, zero));
    const Reals gyration = hn::IfThenElseZero(has_gyration, hn::Sqrt(turning / seen));

    // The spread of the volume, which is weighted by depth as springs are, seen along the plane's normal.
    const Reals per_volume_too = one / volume;
    const auto spread = [&](Reals sum, Reals x, Reals y) HWY_ATTR { return per_volume_too * sum - x * y; };
    const Reals cuu = spread(uu, c.x, c.x), cuv = spread(uv, c.x, c.y), cvv = spread(vv, c.y, c.y),
                cuz = spread(uz, c.x, c.z), cvz = spread(vz, c.y, c.z), czz = spread(zz, c.z, c.z);
    Reals3 e1{one, zero, zero}, e2{zero, one, zero};
    if (p.any_by_edges) e1 = Select(p.by_edges, p.seen.u, e1), e2 = Select(p.by_edges, p.seen.v, e2);
    const auto of = [&](const Reals3& a) HWY_ATTR {
      return Reals3{cuu * a.x + cuv * a.y + cuz * a.z, cuv * a.x + cvv * a.y + cvz * a.z,
                    cuz * a.x + cvz * a.y + czz * a.z};
    };
    const Reals3 along_e1 = of(e1);
    const LongAxis<Reals> axis(dot(e1, along_e1), dot(e2, along_e1), dot(e2, of(e2)), gyration);
    // How much of the patch either face carries.
    const Reals facing = dot(p.plane, n);
    const Reals under = hn::Abs(one - base_area * n.z * per_whole),
                over = hn::Abs(one - b * facing / (p.plane.z * whole));
    const auto weight = [](Reals own, Reals other) HWY_ATTR {
      return hn::IfThenElseZero(hn::Lt(own, All(kPatchy)), (All(kPatchy) - own) * other);
    };
    const Reals wa = weight(under, over), wb = weight(over, under);
    const Reals by_base = hn::IfThenElseZero(hn::Gt(wa, zero), wa / (wa + wb)), by_other = one - by_base;
    const auto depths = [&](Reals c0, const Reals3& k) HWY_ATTR {
      const Reals3 mk{uu * k.x + uv * k.y + uz * k.z, uv * k.x + vv * k.y + vz * k.z, uz * k.x + vz * k.y + zz * k.z};
      const Reals kf = dot(k, first);
      return Depths{All(2) * (c0 * volume + kf), All(3) * (c0 * (c0 * volume + All(2) * kf) + dot(k, mk)),
                    All(2) * (c0 * first + mk)};
    };
    const Reals slope = one / hn::Abs(n.z), other_slope = one / hn::Abs(facing);
    const Depths from_base = depths(zero, {zero, zero, hn::Neg(slope)});
    const Depths from_other = depths(p.offset * other_slope, hn::Neg(other_slope) * p.plane);
    const auto both = [&](Reals x, Reals y) HWY_ATTR {
      return hn::IfThenElseZero(hn::Gt(by_base, zero), by_base * x) +
             hn::IfThenElseZero(hn::Lt(by_base, one), by_other * y);
    };
    const Reals h2 = both(from_base.h2, from_other.h2), h3 = both(from_base.h3, from_other.h3);
    const Reals3 x2{both(from_base.x2.x, from_other.x2.x), both(from_base.x2.y, from_other.x2.y),
                    both(from_base.x2.z, from_other.x2.z)};
    const Reals3 x0{dot(area_first[0], n), dot(area_first[1], n), dot(area_first[2], n)};
    // PlaceForce, lane by lane.
    const Truths is_deep = hn::And(hn::Gt(volume, zero), hn::Gt(h3, zero));
    const Reals per_volume = one / volume;
    const Reals a = All(1.5) * h2 * per_volume, most = All(0.6) * a;
    const Reals given = All(0.5) * h3 * whole * per_volume * per_volume, ratio = most / given;
    const Reals bounded = Select(hn::Gt(given, most), most * ratio * ratio, given);
    const Reals energy_depth = hn::IfThenElseZero(is_deep, hn::Sqrt(h3 * per_volume));
    const Reals3 x = (one / (a - bounded)) * ((All(1.5) * per_volume) * x2 - (bounded * per_whole) * x0) - c;
    const Truths is_placed = hn::And(is_deep, hn::Gt(a - bounded, zero));
    const Reals3 centre = Select(is_placed, c + (x - dot(n, x) * n), c);

    // One of the two is to carry the patch, and if the other carries next to nothing, a face beside it may.
    const Reals poor = All(corners_[1] > 0 ? kPoor : 1e300);
    const Truths is_whole = hn::Or(hn::And(hn::Le(under, All(kWhole)), hn::Le(over, poor)),
                                   hn::And(hn::Le(over, All(kWhole)), hn::Le(under, poor)));
    const Truths sound = hn::And(hn::And(hn::Gt(volume, zero), hn::Gt(whole, zero)), is_whole);
    std::uint8_t bytes[8];
    hn::StoreMaskBits(tag, hn::AndNot(p.wrong, sound), bytes);
    found_ = bytes[0];
    const Reals way = Row(way_);
    const Reals3 origin =
        p.origin + Select(hn::Lt(way, zero), Reals3{zero, zero, zero} - Load(d_), Reals3{zero, zero, zero});
    hn::Store(volume, tag, out_volume_), hn::Store(gyration, tag, out_gyration_);
    hn::Store(energy_depth, tag, out_energy_);
    Store(p.frame.out(axis.u * e1 + axis.v * e2), out_axis_);
    Store(way * p.frame.out(area), out_area_), Store(way * p.frame.out(about - cross(c, area)), out_moment_);
    Store(origin + p.frame.out(c), out_centroid_), Store(origin + p.frame.out(centre), out_centre_);
  }

  std::size_t pairs_ = 0, corners_[2];
  std::uint32_t found_;  ///< bit per pair
  const double* rim_[2][kMostLanes];
  HWY_ALIGN LaneRow normal_[3], u_[3], other_normal_[3], other_u_[3], d_[3], link_[3], along_[3];
  HWY_ALIGN LaneRow at_base_, at_other_, scale_, size_[2], way_, by_edges_;
  HWY_ALIGN LaneRow out_volume_, out_gyration_, out_energy_;
  HWY_ALIGN LaneRow out_axis_[3], out_area_[3], out_moment_[3], out_centroid_[3], out_centre_[3];
};

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_FACE_PATCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_FACE_PATCH_INL_H
#undef SCREE_NARROW_FACE_PATCH_INL_H
#else
#define SCREE_NARROW_FACE_PATCH_INL_H
#endif

#include <bit>

#include "narrow/boundary-inl.h"
#include "narrow/common_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Two bodies face on face: the overlap lies between the planes of two faces that look at each other, and beside them
/// only the faces around these two cut it. Seen from either plane it is then the same polygon of sides, and every side
/// is a quadrangle. Frame: z along the outward normal of the one face, called the base; its plane is z = 0; the
/// polygons at z = 0 and in the other face's plane are its top and its bottom. Lanes are sides: the base's, then the
/// other's.
class FacePatch {
 public:
  static constexpr std::size_t kMax = FaceRim::kMax, kLanes = 2 * kMax;
  Moments moments;  ///< in the frame; areas are the base's
  Frame frame;
  Vec3 plane;  ///< of the other face, outward unit normal
  double offset;
  double base_area, other_area;  ///< m^2 of the two faces, seen along z

  /// False where the overlap is not known to have this form; then nothing of the above is set. `base`, `other`: faces
  /// of x and y. `d` = centroid of y - centroid of x; `link`: a point near the contact, relative to x's centroid.
  /// `along`: unit vector in space along which the polar moment is seen; null: the base's normal.
  bool Find(const BodyView& x, std::size_t base, const BodyView& y, std::size_t other, Vec3 d, Vec3 link, double scale,
            const Vec3* along) {
    const FaceRim &rx = x.shape->rims[base], &ry = y.shape->rims[other];
    if (rx.corners == 0 || ry.corners == 0) return false;
    second_ = rx.corners <= kMax / 2 && ry.corners <= kMax / 2 ? kMax / 2 : kMax;
    planes_ = rx.corners > ry.corners ? rx.corners : ry.corners;
    rounding_ = kInPlane * scale;
    if (!Pose(x, base, rx, y, other, ry, d, link)) return false;
    double crossing[4];
    bool crossed = false;
    const hn::CappedTag<double, kMax> tag;
    inside_ = 0;
    for (std::size_t lane = 0; lane < 2 * second_; lane += hn::Lanes(tag)) {
      if (!CutSides(tag, lane, &crossed)) return false;
    }
    if (inside_ == 0) return false;
    MoveInto(static_cast<std::size_t>(std::countr_zero(inside_)));
    if (crossed && !EdgeBetweenPlanes(crossing)) return false;
    for (std::size_t lane = 0; lane < 2 * second_; lane += hn::Lanes(tag)) SumSides(tag, lane);
    Frame seen;
    if (along != nullptr) {
      seen = FrameAbout(frame.in(*along), {});
      for (std::size_t lane = 0; lane < 2 * second_; lane += hn::Lanes(tag)) SumRim(tag, lane, seen);
    }
    AddUp(crossed ? crossing : nullptr, along != nullptr ? &seen : nullptr);
    return moments.volume > 0;
  }

 private:
  enum Column : std::size_t { kTopU, kTopV, kBottomU, kBottomV, kBottomZ, kColumns };
  enum Row : std::size_t {
    kDet,
    kDetX,
    kDetXx = kDetX + 3,
    kBottom = kDetXx + 6,
    kTop = kBottom + 6,
    kArea,
    kFirst = kArea + 3,
    kPolar = kFirst + 9,
    kRows = 32
  };
  /// Of the four sums by which the edge between the two planes is found: where it is left, and where it is met.
  static constexpr std::size_t kEdgeRows = 4;

  bool Pose(const BodyView& x, std::size_t base, const FaceRim& rx, const BodyView& y, std::size_t other,
            const FaceRim& ry, Vec3 d, Vec3 link) {
    const Vec3 u = x.rotation * rx.u_axis, v = x.rotation * rx.v_axis, n = x.face_normal(base);
    const Vec3 yu = y.rotation * ry.u_axis, yv = y.rotation * ry.v_axis, yn = y.face_normal(other);
    const double base_offset = x.face_offset(base), other_offset = y.face_offset(other);
    frame = {link + (base_offset - dot(n, link)) * n, u, v, n};
    const Vec3 from{dot(u, link), dot(v, link), base_offset}, t = frame.in(d)-from;
    plane = {dot(u, yn), dot(v, yn), dot(n, yn)};
    offset = other_offset + dot(plane, t);
    // All but the corners of the two faces must lie beyond the other's plane.
    const double past = dot(yn, d) + other_offset;
    if (!OthersBeyond(x, base, yn, past) || !OthersBeyond(y, other, n, base_offset - dot(n, d))) return false;

    const hn::CappedTag<double, kMax> tag;
    const std::size_t lanes = hn::Lanes(tag);
    const auto set = [&](double value) HWY_ATTR { return hn::Set(tag, value); };
    const auto zero = hn::Zero(tag);
    auto sound = hn::Eq(zero, zero);
    for (std::size_t i = 0; i < kMax; i += lanes) {
      const auto fu = hn::Sub(hn::Mul(set(x.size), hn::Load(tag, rx.u + i)), set(from.x));
      const auto fv = hn::Sub(hn::Mul(set(x.size), hn::Load(tag, rx.v + i)), set(from.y));
      const auto ru = hn::Load(tag, rx.rise[0] + i), rv = hn::Load(tag, rx.rise[1] + i),
                 rz = hn::Load(tag, rx.rise[2] + i);
      const auto height = hn::Sub(hn::Add(hn::Mul(set(plane.x), fu), hn::Mul(set(plane.y), fv)), set(offset));
      const auto climb =
          hn::Add(hn::Add(hn::Mul(set(plane.x), ru), hn::Mul(set(plane.y), rv)), hn::Mul(set(plane.z), rz));
      // A corner beyond the other plane has its edge drawn on by no more than its own length.
      sound = hn::And(sound, hn::And(hn::Gt(climb, zero), hn::Le(height, hn::Mul(set(x.size), climb))));
      const auto along = hn::Div(height, climb);
      Store(tag, i, 0, fu, fv, hn::Sub(fu, hn::Mul(along, ru)), hn::Sub(fv, hn::Mul(along, rv)),
            hn::Neg(hn::Mul(along, rz)));
      const auto mx = hn::Load(tag, rx.side[0] + i), my = hn::Load(tag, rx.side[1] + i),
                 mz = hn::Load(tag, rx.side[2] + i);
      const auto shift = hn::Add(hn::Add(hn::Mul(mx, set(from.x)), hn::Mul(my, set(from.y))), hn::Mul(mz, set(from.z)));
      StorePlanes(tag, i, 0, mx, my, mz, hn::Sub(hn::Mul(set(x.size), hn::Load(tag, rx.side[3] + i)), shift));
    }
    const Vec3 row[3] = {
        {dot(u, yu), dot(u, yv), plane.x}, {dot(v, yu), dot(v, yv), plane.y}, {dot(n, yu), dot(n, yv), plane.z}};
    for (std::size_t i = 0; i < kMax; i += lanes) {
      const auto pu = hn::Mul(set(y.size), hn::Load(tag, ry.u + i)), pv = hn::Mul(set(y.size), hn::Load(tag, ry.v + i));
      const auto foot = [&](Vec3 r, double at) HWY_ATTR {
        return hn::Add(hn::Add(hn::Mul(set(r.x), pu), hn::Mul(set(r.y), pv)), set(r.z * other_offset + at));
      };
      const auto turned = [&](Vec3 r, const double(*c)[kMax]) HWY_ATTR {
        return hn::Add(hn::Add(hn::Mul(set(r.x), hn::Load(tag, c[0] + i)), hn::Mul(set(r.y), hn::Load(tag, c[1] + i))),
                       hn::Mul(set(r.z), hn::Load(tag, c[2] + i)));
      };
      const auto fu = foot(row[0], t.x), fv = foot(row[1], t.y), fz = foot(row[2], t.z);
      const auto ru = turned(row[0], ry.rise), rv = turned(row[1], ry.rise), rz = turned(row[2], ry.rise);
      sound = hn::And(sound, hn::And(hn::Gt(rz, zero), hn::Le(fz, hn::Mul(set(y.size), rz))));
      const auto along = hn::Div(fz, rz);
      Store(tag, i, second_, hn::Sub(fu, hn::Mul(along, ru)), hn::Sub(fv, hn::Mul(along, rv)), fu, fv, fz);
      const auto mx = turned(row[0], ry.side), my = turned(row[1], ry.side), mz = turned(row[2], ry.side);
      const auto shift = hn::Add(hn::Add(hn::Mul(mx, set(t.x)), hn::Mul(my, set(t.y))), hn::Mul(mz, set(t.z)));
      StorePlanes(tag, i, 1, mx, my, mz, hn::Add(hn::Mul(set(y.size), hn::Load(tag, ry.side[3] + i)), shift));
    }
    if (!hn::AllTrue(tag, sound)) return false;
    FollowRims(rx, ry);
    return true;
  }

  /// Are all vertices of x but those of the face `base` above the plane m.p = at?
  static HWY_INLINE bool OthersBeyond(const BodyView& x, std::size_t base, Vec3 m, double at) {
    const hn::ScalableTag<double> tag;
    const std::size_t lanes = hn::Lanes(tag), count = x.shape->padded;
    const VertexMask& own = x.shape->face_vertices[base];
    for (std::size_t i = 0; i < count; i += lanes) {
      const auto xy = hn::Add(hn::Mul(hn::Set(tag, m.x), hn::LoadU(tag, x.x + i)),
                              hn::Mul(hn::Set(tag, m.y), hn::LoadU(tag, x.y + i)));
      const auto h = hn::Add(xy, hn::Mul(hn::Set(tag, m.z), hn::LoadU(tag, x.z + i)));
      std::uint8_t bytes[8];
      hn::StoreMaskBits(tag, hn::Le(h, hn::Set(tag, at)), bytes);
      std::uint64_t below = bytes[0];
      // The padding repeats vertex 0.
      if (i + lanes > x.shape->vertices)
        below &= i < x.shape->vertices ? (std::uint64_t{1} << (x.shape->vertices - i)) - 1 : 0;
      if ((below & ~(own[i / 64] >> (i % 64))) != 0) return false;
    }
    return true;
  }

  template <class D, class V>
  HWY_INLINE void Store(D tag, std::size_t i, std::size_t at, V tu, V tv, V bu, V bv, V bz) {
    hn::StoreU(tu, tag, from_[kTopU] + at + i), hn::StoreU(tv, tag, from_[kTopV] + at + i);
    hn::StoreU(bu, tag, from_[kBottomU] + at + i), hn::StoreU(bv, tag, from_[kBottomV] + at + i);
    hn::StoreU(bz, tag, from_[kBottomZ] + at + i);
  }
  template <class D, class V>
  HWY_INLINE void StorePlanes(D tag, std::size_t i, std::size_t whose, V mx, V my, V mz, V at) {
    hn::Store(mx, tag, side_[whose][0] + i), hn::Store(my, tag, side_[whose][1] + i);
    hn::Store(mz, tag, side_[whose][2] + i), hn::Store(at, tag, side_[whose][3] + i);
  }
  /// Where each side ends: at the corner at which the next one starts.
  HWY_INLINE void FollowRims(const FaceRim& rx, const FaceRim& ry) {
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<double, kMax> tag;
    if constexpr (hn::MaxLanes(decltype(tag)()) == kMax) {
      const auto next_x = hn::SetTableIndices(tag, rx.next), next_y = hn::SetTableIndices(tag, ry.next);
      for (std::size_t c = 0; c < kColumns; ++c) {
        const auto of_x = hn::TableLookupLanes(hn::LoadU(tag, from_[c]), next_x);
        const auto of_y = hn::TableLookupLanes(hn::LoadU(tag, from_[c] + second_), next_y);
        hn::StoreU(of_x, tag, to_[c]), hn::StoreU(of_y, tag, to_[c] + second_);
      }
      return;
    }
#endif
    for (std::size_t c = 0; c < kColumns; ++c) {
      for (std::size_t i = 0; i < second_; ++i) {
        to_[c][i] = from_[c][static_cast<std::size_t>(rx.next[i])];
        to_[c][second_ + i] = from_[c][second_ + static_cast<std::size_t>(ry.next[i])];
      }
    }
  }

  /// Stretch of an edge inside the other body's sides (Cyrus & Beck 1978), the two ends as fractions, and which plane
  /// cuts it there.
  template <class D>
  struct Stretch {
    hn::Vec<D> n0, d0, by0, n1, d1, by1;
    hn::Mask<D> outside;
    explicit HWY_INLINE Stretch(D tag)
        : n0(hn::Zero(tag)),
          d0(hn::Set(tag, 1)),
          by0(hn::Set(tag, -1)),
          n1(d0),
          d1(d0),
          by1(by0),
          outside(hn::Ne(n0, n0)) {}
    HWY_INLINE void Cut(D tag, hn::Vec<D> from, hn::Vec<D> to, double plane) {
      const auto zero = hn::Zero(tag);
      const auto out0 = hn::Gt(from, zero), out1 = hn::Gt(to, zero);
      const auto n = hn::Abs(from), d = hn::Abs(hn::Sub(from, to));
      const auto enters = hn::And(hn::AndNot(out1, out0), hn::Gt(hn::Mul(n, d0), hn::Mul(n0, d)));
      const auto leaves = hn::And(hn::AndNot(out0, out1), hn::Lt(hn::Mul(n, d1), hn::Mul(n1, d)));
      n0 = hn::IfThenElse(enters, n, n0), d0 = hn::IfThenElse(enters, d, d0);
      by0 = hn::IfThenElse(enters, hn::Set(tag, plane), by0);
      n1 = hn::IfThenElse(leaves, n, n1), d1 = hn::IfThenElse(leaves, d, d1);
      by1 = hn::IfThenElse(leaves, hn::Set(tag, plane), by1);
      outside = hn::Or(outside, hn::And(out0, out1));
    }
  };

  /// Cuts the sides in the lanes from `lane` on; the corners of what is left go to end_, zero where nothing is.
  template <class D>
  HWY_INLINE bool CutSides(D tag, std::size_t lane, bool* crossed) {
    const auto set = [&](double value) HWY_ATTR { return hn::Set(tag, value); };
    const auto load = [&](const double(*c)[kLanes], Column k) HWY_ATTR { return hn::LoadU(tag, c[k] + lane); };
    const auto zero = hn::Zero(tag);
    const auto of_base = hn::Lt(hn::Iota(tag, static_cast<double>(lane)), set(static_cast<double>(second_)));
    const auto tu = load(from_, kTopU), tv = load(from_, kTopV), bu = load(from_, kBottomU), bv = load(from_, kBottomV),
               bz = load(from_, kBottomZ);
    const auto tu1 = load(to_, kTopU), tv1 = load(to_, kTopV), bu1 = load(to_, kBottomU), bv1 = load(to_, kBottomV),
               bz1 = load(to_, kBottomZ);
    const auto dtu = hn::Sub(tu1, tu), dtv = hn::Sub(tv1, tv), dbu = hn::Sub(bu1, bu), dbv = hn::Sub(bv1, bv),
               dbz = hn::Sub(bz1, bz);
    Stretch<D> top(tag), bottom(tag);
    auto least = set(1e300);
    for (std::size_t j = 0; j < planes_; ++j) {
      const auto plane_of = [&](std::size_t k)
                                HWY_ATTR { return hn::IfThenElse(of_base, set(side_[1][k][j]), set(side_[0][k][j])); };
      const auto mx = plane_of(0), my = plane_of(1), mz = plane_of(2), at = plane_of(3);
      const auto over = [&](auto u, auto v) HWY_ATTR { return hn::Sub(hn::Add(hn::Mul(mx, u), hn::Mul(my, v)), at); };
      const auto t0 = over(tu, tv), t1 = over(tu1, tv1);
      const auto b0 = hn::Add(over(bu, bv), hn::Mul(mz, bz)), b1 = hn::Add(over(bu1, bv1), hn::Mul(mz, bz1));
      least = hn::Min(least, hn::Min(hn::Abs(t0), hn::Abs(b0)));
      top.Cut(tag, t0, t1, static_cast<double>(j)), bottom.Cut(tag, b0, b1, static_cast<double>(j));
    }
    // The two planes may cross within the patch.
    const auto height = [&](auto u, auto v) HWY_ATTR {
      return hn::Sub(hn::Add(hn::Mul(set(plane.x), u), hn::Mul(set(plane.y), v)), set(offset));
    };
    const auto t0 = height(tu, tv), t1 = height(tu1, tv1);
    least = hn::Min(least, hn::Min(hn::Abs(t0), hn::Abs(bz)));
    constexpr double kOther = kMax;
    const bool cut = !hn::AllFalse(tag, hn::Gt(hn::Max(hn::Max(t0, t1), hn::Max(bz, bz1)), zero));
    if (cut) {
      *crossed = true;
      top.Cut(tag, t0, t1, kOther), bottom.Cut(tag, bz, bz1, kOther);
    }
    const auto ts = hn::Div(top.n0, top.d0), te = hn::Div(top.n1, top.d1);
    const auto bs = hn::Div(bottom.n0, bottom.d0), be = hn::Div(bottom.n1, bottom.d1);
    const auto inside = hn::AndNot(top.outside, hn::Lt(ts, te)), below = hn::AndNot(bottom.outside, hn::Lt(bs, be));
    const auto differ = hn::Or(hn::Ne(top.by0, bottom.by0), hn::Ne(top.by1, bottom.by1));
    const auto turned = hn::Lt(hn::Add(hn::Mul(dtu, dbu), hn::Mul(dtv, dbv)), zero);
    const auto wrong =
        hn::Or(hn::Or(hn::Xor(inside, below), hn::And(inside, differ)), hn::Or(turned, hn::Le(least, set(rounding_))));
    if (!hn::AllFalse(tag, wrong)) return false;
    const auto point = [&](auto from, auto along, auto by)
                           HWY_ATTR { return hn::IfThenElseZero(inside, hn::Add(from, hn::Mul(along, by))); };
    const auto pu = point(tu, ts, dtu), pv = point(tv, ts, dtv), qu = point(tu, te, dtu), qv = point(tv, te, dtv);
    const auto store = [&](std::size_t row, auto value) HWY_ATTR { hn::StoreU(value, tag, end_[row] + lane); };
    store(0, pu), store(1, pv), store(2, qu), store(3, qv);
    store(4, point(bu, bs, dbu)), store(5, point(bv, bs, dbv)), store(6, point(bz, bs, dbz));
    store(7, point(bu, be, dbu)), store(8, point(bv, be, dbv)), store(9, point(bz, be, dbz));
    const auto cut_off = [&](auto by)
                             HWY_ATTR { return hn::IfThenElseZero(hn::And(inside, hn::Ge(by, zero)), set(1)); };
    store(10, cut_off(top.by0)), store(11, cut_off(top.by1));
    std::uint8_t bytes[8];
    hn::StoreMaskBits(tag, inside, bytes);
    inside_ |= static_cast<std::uint32_t>(bytes[0]) << lane;
    if (cut) {
      // Round the patch the other's sides run from their ends to their starts.
      const auto leaves0 = hn::And(inside, hn::AndNot(of_base, hn::Eq(top.by0, set(kOther))));
      const auto leaves1 = hn::And(inside, hn::And(of_base, hn::Eq(top.by1, set(kOther))));
      const auto meets0 = hn::And(inside, hn::And(of_base, hn::Eq(top.by0, set(kOther))));
      const auto meets1 = hn::And(inside, hn::AndNot(of_base, hn::Eq(top.by1, set(kOther))));
      const auto one = set(1);
      const auto put = [&](std::size_t row, auto value) HWY_ATTR { hn::StoreU(value, tag, edge_[row] + lane); };
      put(0, hn::Add(hn::IfThenElseZero(leaves0, pu), hn::IfThenElseZero(leaves1, qu)));
      put(1, hn::Add(hn::IfThenElseZero(leaves0, pv), hn::IfThenElseZero(leaves1, qv)));
      put(2, hn::Add(hn::IfThenElseZero(meets0, pu), hn::IfThenElseZero(meets1, qu)));
      put(3, hn::Add(hn::IfThenElseZero(meets0, pv), hn::IfThenElseZero(meets1, qv)));
      put(4, hn::IfThenElseZero(hn::Or(leaves0, leaves1), one));
      put(5, hn::IfThenElseZero(hn::Or(meets0, meets1), one));
    } else {
      for (auto& row : edge_) hn::StoreU(zero, tag, row + lane);
    }
    return true;
  }

  /// Puts the origin where a side starts: sums about a point far from a small patch would lose its digits.
  HWY_INLINE void MoveInto(std::size_t lane) {
    origin_[0] = end_[0][lane], origin_[1] = end_[1][lane];
    frame.origin += origin_[0] * frame.u + origin_[1] * frame.v;
    offset -= plane.x * origin_[0] + plane.y * origin_[1];
  }

  /// What the sides in the lanes from `lane` on bring to the sums.
  template <class D>
  HWY_INLINE void SumSides(D tag, std::size_t lane) {
    const auto set = [&](double value) HWY_ATTR { return hn::Set(tag, value); };
    const auto zero = hn::Zero(tag);
    const auto of_base = hn::Lt(hn::Iota(tag, static_cast<double>(lane)), set(static_cast<double>(second_)));
    const auto ou = set(origin_[0]), ov = set(origin_[1]);
    const auto end = [&](std::size_t row) HWY_ATTR { return hn::LoadU(tag, end_[row] + lane); };
    // p, q: ends at the top; r, s: at the bottom.
    const auto pu = hn::Sub(end(0), ou), pv = hn::Sub(end(1), ov), qu = hn::Sub(end(2), ou), qv = hn::Sub(end(3), ov);
    const auto ru = hn::Sub(end(4), ou), rv = hn::Sub(end(5), ov), rz = end(6);
    const auto su = hn::Sub(end(7), ou), sv = hn::Sub(end(8), ov), sz = end(9);
    // Cones from the origin, which lies in the top's plane, over the bottom and over the sides: as triangles p r s and
    // p s q.
    const auto put = [&](std::size_t row, auto value) HWY_ATTR { hn::StoreU(value, tag, sum_[row] + lane); };
    const auto add = [&](auto... x) HWY_ATTR { return Sum(x...); };
    const auto mul = [&](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); };
    const auto way = hn::IfThenElse(of_base, set(1), set(-1));
    const auto across = [&](auto au, auto av, auto cu, auto cv) HWY_ATTR { return hn::Sub(mul(au, cv), mul(av, cu)); };
    const auto ct = mul(way, across(pu, pv, qu, qv)), cb = mul(way, across(ru, rv, su, sv));
    const auto d1 = mul(way, add(mul(pu, across(rv, rz, sv, sz)), mul(pv, across(rz, ru, sz, su))));
    const auto d2 = hn::Neg(mul(sz, ct));
    const auto u1 = add(pu, ru, su), v1 = add(pv, rv, sv), z1 = add(rz, sz);
    const auto u2 = add(pu, su, qu), v2 = add(pv, sv, qv);
    const auto puu = mul(pu, pu), quu = mul(qu, qu), ruu = mul(ru, ru), suu = mul(su, su);
    const auto puv = mul(pu, pv), quv = mul(qu, qv), ruv = mul(ru, rv), suv = mul(su, sv);
    const auto pvv = mul(pv, pv), qvv = mul(qv, qv), rvv = mul(rv, rv), svv = mul(sv, sv);
    put(kDet, add(d1, d2));
    put(kDetX, add(mul(d1, u1), mul(d2, u2)));
    put(kDetX + 1, add(mul(d1, v1), mul(d2, v2)));
    put(kDetX + 2, add(mul(d1, z1), mul(d2, sz)));
    const auto uu1 = add(mul(u1, u1), add(puu, ruu, suu)), uu2 = add(mul(u2, u2), add(puu, suu, quu));
    const auto vv1 = add(mul(v1, v1), add(pvv, rvv, svv)), vv2 = add(mul(v2, v2), add(pvv, svv, qvv));
    put(kDetXx, add(mul(d1, uu1), mul(d2, uu2)));
    put(kDetXx + 1, add(mul(d1, add(mul(u1, v1), add(puv, ruv, suv))), mul(d2, add(mul(u2, v2), add(puv, suv, quv)))));
    put(kDetXx + 2, add(mul(d1, vv1), mul(d2, vv2)));
    const auto d2z = mul(d2, sz);
    put(kDetXx + 3, add(mul(d1, add(mul(u1, z1), mul(ru, rz), mul(su, sz))), mul(d2z, add(u2, su))));
    put(kDetXx + 4, add(mul(d1, add(mul(v1, z1), mul(rv, rz), mul(sv, sz))), mul(d2z, add(v2, sv))));
    put(kDetXx + 5, add(mul(d1, add(mul(z1, z1), mul(rz, rz), mul(sz, sz))), mul(d2z, add(sz, sz))));
    // Moments of the bottom and of the top polygon by their edges.
    const auto bu2 = add(ru, su), bv2 = add(rv, sv), tu2 = add(pu, qu), tv2 = add(pv, qv);
    put(kBottom, cb), put(kBottom + 1, mul(cb, bu2)), put(kBottom + 2, mul(cb, bv2));
    put(kBottom + 3, mul(cb, add(mul(bu2, bu2), ruu, suu)));
    put(kBottom + 4, mul(cb, add(mul(bu2, bv2), ruv, suv)));
    put(kBottom + 5, mul(cb, add(mul(bv2, bv2), rvv, svv)));
    put(kTop, ct);
    // The base's surface: its own sides and the top.
    const auto half = hn::IfThenElseZero(of_base, set(0.5));
    const auto au = hn::Sub(ru, pu), av = hn::Sub(rv, pv), eu = hn::Sub(su, pu), ev = hn::Sub(sv, pv),
               fu = hn::Sub(qu, pu), fv = hn::Sub(qv, pv);
    const auto x1 = mul(half, across(av, rz, ev, sz)), y1 = mul(half, across(rz, au, sz, eu)),
               w1 = mul(half, across(au, av, eu, ev));
    const auto hz = mul(half, sz);
    const auto x2 = hn::Neg(mul(hz, fv)), y2 = mul(hz, fu), w2 = mul(half, across(eu, ev, fu, fv));
    put(kArea, add(x1, x2)), put(kArea + 1, add(y1, y2)), put(kArea + 2, add(w1, w2));
    const auto flat = mul(set(0.5), ct);
    put(kFirst, add(mul(u1, x1), mul(u2, x2))), put(kFirst + 1, add(mul(u1, y1), mul(u2, y2)));
    put(kFirst + 2, add(mul(u1, w1), mul(u2, w2), mul(flat, tu2)));
    put(kFirst + 3, add(mul(v1, x1), mul(v2, x2))), put(kFirst + 4, add(mul(v1, y1), mul(v2, y2)));
    put(kFirst + 5, add(mul(v1, w1), mul(v2, w2), mul(flat, tv2)));
    put(kFirst + 6, add(mul(z1, x1), mul(sz, x2))), put(kFirst + 7, add(mul(z1, y1), mul(sz, y2)));
    put(kFirst + 8, add(mul(z1, w1), mul(sz, w2)));
    const auto polar = add(mul(tu2, tu2), mul(tv2, tv2), add(add(puu, quu), add(pvv, qvv)));
    put(kPolar, add(mul(w1, add(uu1, vv1)), mul(w2, add(uu2, vv2)), mul(flat, polar)));
    for (std::size_t row = kPolar + 1; row < kRows; ++row) put(row, zero);
  }
  /// The polar moment of the base's surface as seen along seen.n, in place of that along z: by Green's theorem from its
  /// rim alone. That runs along the bottom of the base's sides, the top of the other's, and down or up between the two
  /// where one of the base's is cut off.
  template <class D>
  HWY_INLINE void SumRim(D tag, std::size_t lane, const Frame& seen) {
    const auto set = [&](double value) HWY_ATTR { return hn::Set(tag, value); };
    const auto of_base = hn::Lt(hn::Iota(tag, static_cast<double>(lane)), set(static_cast<double>(second_)));
    const auto end = [&](std::size_t row) HWY_ATTR { return hn::LoadU(tag, end_[row] + lane); };
    const auto mul = [&](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); };
    struct Point {
      hn::Vec<D> x, y;
    };
    const auto flat = [&](std::size_t row) HWY_ATTR {
      const auto u = hn::Sub(end(row), set(origin_[0])), v = hn::Sub(end(row + 1), set(origin_[1]));
      return Point{hn::Add(mul(set(seen.u.x), u), mul(set(seen.u.y), v)),
                   hn::Add(mul(set(seen.v.x), u), mul(set(seen.v.y), v))};
    };
    const auto deep = [&](std::size_t row) HWY_ATTR {
      const Point p = flat(row);
      const auto z = end(row + 2);
      return Point{hn::Add(p.x, mul(set(seen.u.z), z)), hn::Add(p.y, mul(set(seen.v.z), z))};
    };
    const auto moment = [&](const Point& p, const Point& q) HWY_ATTR {
      const auto x = hn::Add(p.x, q.x), y = hn::Add(p.y, q.y);
      const auto squares =
          Sum(Sum(mul(x, x), mul(p.x, p.x), mul(q.x, q.x)), Sum(mul(y, y), mul(p.y, p.y), mul(q.y, q.y)));
      return mul(mul(set(0.5), hn::Sub(mul(p.x, q.y), mul(p.y, q.x))), squares);
    };
    const Point p = flat(0), q = flat(2), r = deep(4), s = deep(7);
    const auto own = Sum(moment(r, s), mul(end(10), moment(p, r)), mul(end(11), moment(s, q)));
    hn::StoreU(hn::IfThenElse(of_base, own, moment(q, p)), tag, sum_[kPolar] + lane);
  }
  template <class V>
  static HWY_INLINE V Sum(V a, V b) {
    return hn::Add(a, b);
  }
  template <class V>
  static HWY_INLINE V Sum(V a, V b, V c) {
    return hn::Add(hn::Add(a, b), c);
  }

  /// Ends of the edge in which the two planes meet: where the patch is left for it, and where it is met again.
  bool EdgeBetweenPlanes(double* ends) const {
    double count[2] = {0, 0};
    for (std::size_t k = 0; k < kEdgeRows; ++k) ends[k] = 0;
    for (std::size_t lane = 0; lane < 2 * second_; ++lane) {
      for (std::size_t k = 0; k < kEdgeRows; ++k) ends[k] += edge_[k][lane];
      count[0] += edge_[kEdgeRows][lane], count[1] += edge_[kEdgeRows + 1][lane];
    }
    if (count[0] == 0 && count[1] == 0) return true;
    for (std::size_t k = 0; k < kEdgeRows; ++k) ends[k] -= origin_[k % 2];
    return count[0] == 1 && count[1] == 1;
  }

  /// `seen`: see SumRim; null: along z.
  HWY_INLINE void AddUp(const double* crossing, const Frame* seen) {
    constexpr std::size_t kGroup = 4;
    const hn::CappedTag<double, kGroup> tag;
    const std::size_t lanes = hn::Lanes(tag);
    HWY_ALIGN double s[kRows];
    for (std::size_t k = 0; k < kRows; k += kGroup) {
      for (std::size_t part = 0; part < kGroup; part += lanes) {
        decltype(hn::Zero(tag)) x[kGroup];
        for (std::size_t i = 0; i < kGroup; ++i) {
          const double* row = sum_[k + i] + part;
          x[i] = hn::Add(hn::Load(tag, row), hn::Load(tag, row + 4));
          if (second_ == kMax) x[i] = hn::Add(x[i], hn::Add(hn::Load(tag, row + 8), hn::Load(tag, row + 12)));
        }
        AddLanes(tag, x, part, s + k);
      }
    }
    if (crossing != nullptr) {
      const double pu = crossing[0], pv = crossing[1], qu = crossing[2], qv = crossing[3], c = pu * qv - pv * qu;
      const double u = pu + qu, v = pv + qv;
      const double uu = u * u + pu * pu + qu * qu, uv = u * v + pu * pv + qu * qv, vv = v * v + pv * pv + qv * qv;
      s[kBottom] += c, s[kBottom + 1] += c * u, s[kBottom + 2] += c * v;
      s[kBottom + 3] += c * uu, s[kBottom + 4] += c * uv, s[kBottom + 5] += c * vv;
      s[kTop] += c, s[kFirst + 2] += 0.5 * c * u, s[kFirst + 5] += 0.5 * c * v;
      if (seen == nullptr) {
        s[kPolar] += 0.5 * c * (uu + vv);
      } else {
        const auto flat = [&](double a, double b) {
          return Vec3{seen->u.x * a + seen->u.y * b, seen->v.x * a + seen->v.y * b, 0};
        };
        const Vec3 p = flat(pu, pv), q = flat(qu, qv);
        s[kPolar] += 0.5 * (p.x * q.y - p.y * q.x) * (norm2(p + q) + norm2(p) + norm2(q));
      }
    }
    // The bottom: z = -h, h linear over it.
    const double per = 1 / plane.z, h0 = -offset * per, hu = plane.x * per, hv = plane.y * per;
    const double b = 0.5 * s[kBottom], bu = s[kBottom + 1] / 6, bv = s[kBottom + 2] / 6;
    const double buu = s[kBottom + 3] / 24, buv = s[kBottom + 4] / 24, bvv = s[kBottom + 5] / 24;
    const double h = h0 * b + hu * bu + hv * bv, uh = h0 * bu + hu * buu + hv * buv, vh = h0 * bv + hu * buv + hv * bvv;
    Moments& m = moments;
    m.volume = h0 * b / 3 + s[kDet] / 6;
    const double q = h0 / 4, f = h0 / 5;
    m.first = {q * bu + s[kDetX] / 24, q * bv + s[kDetX + 1] / 24, s[kDetX + 2] / 24 - q * h};
    m.uu = f * buu + s[kDetXx] / 120, m.uv = f * buv + s[kDetXx + 1] / 120, m.vv = f * bvv + s[kDetXx + 2] / 120;
    m.uz = s[kDetXx + 3] / 120 - f * uh, m.vz = s[kDetXx + 4] / 120 - f * vh;
    m.zz = f * (h0 * h + hu * uh + hv * vh) + s[kDetXx + 5] / 120;
    base_area = 0.5 * s[kTop], other_area = b;
    m.area = {s[kArea], s[kArea + 1], s[kArea + 2] + base_area};
    for (std::size_t i = 0; i < 3; ++i)
      m.area_first[i] = {s[kFirst + 3 * i] / 3, s[kFirst + 3 * i + 1] / 3, s[kFirst + 3 * i + 2] / 3};
    m.polar = s[kPolar] / 12;
  }

  std::size_t second_, planes_;
  double rounding_;
  HWY_ALIGN double from_[kColumns][kLanes];
  HWY_ALIGN double to_[kColumns][kLanes];
  HWY_ALIGN double side_[2][4][kMax];
  double origin_[2];
  std::uint32_t inside_;              ///< bit per side: something of it is left
  HWY_ALIGN double end_[12][kLanes];  ///< the last two: 1 where the start, the end is a cut
  HWY_ALIGN double sum_[kRows][kLanes];
  HWY_ALIGN double edge_[kEdgeRows + 2][kLanes];
};

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

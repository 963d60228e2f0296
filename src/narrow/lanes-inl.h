// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_LANES_INL_H
#undef SCREE_NARROW_LANES_INL_H
#else
#define SCREE_NARROW_LANES_INL_H
#endif

#include "narrow/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Contacts as lanes: one formula for as many as a vector holds. No lane sees another, so that its bits depend neither
/// on the width nor on its neighbours.
inline constexpr std::size_t kMostLanes = 8;
using Lanes = hn::CappedTag<double, kMostLanes>;
using Reals = hn::Vec<Lanes>;
using Truths = hn::Mask<Lanes>;
/// One number of each contact, in memory.
using LaneRow = double[kMostLanes];

HWY_INLINE Reals All(double x) { return hn::Set(Lanes(), x); }
HWY_INLINE Reals Select(Truths t, Reals yes, Reals no) { return hn::IfThenElse(t, yes, no); }

struct Reals3 {
  Reals x, y, z;
  HWY_INLINE Reals3() = default;
  HWY_INLINE Reals3(Reals a, Reals b, Reals c) : x(a), y(b), z(c) {}
  explicit HWY_INLINE Reals3(const LaneRow* rows)
      : x(hn::Load(Lanes(), rows[0])), y(hn::Load(Lanes(), rows[1])), z(hn::Load(Lanes(), rows[2])) {}
};
HWY_INLINE Reals3 operator+(const Reals3& a, const Reals3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HWY_INLINE Reals3 operator-(const Reals3& a, const Reals3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE Reals3 operator*(Reals s, const Reals3& a) { return {s * a.x, s * a.y, s * a.z}; }
HWY_INLINE Reals Dot(const Reals3& a, const Reals3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HWY_INLINE Reals3 Cross(const Reals3& a, const Reals3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HWY_INLINE Reals3 Select(Truths t, const Reals3& yes, const Reals3& no) {
  return {Select(t, yes.x, no.x), Select(t, yes.y, no.y), Select(t, yes.z, no.z)};
}

/// Right-handed, u and v perpendicular to n.
struct FrameOfLanes {
  Reals3 u, v, n;
  HWY_INLINE Reals3 in(const Reals3& x) const { return {Dot(u, x), Dot(v, x), Dot(n, x)}; }
  HWY_INLINE Reals3 out(const Reals3& x) const { return x.x * u + (x.y * v + x.z * n); }
};
/// See FrameAbout.
HWY_INLINE FrameOfLanes FramesAbout(const Reals3& n) {
  const Reals one = All(1), sign = hn::CopySign(one, n.z), a = hn::Neg(one / (sign + n.z)), b = n.x * n.y * a;
  return {{one + sign * n.x * n.x * a, sign * b, hn::Neg(sign * n.x)}, {b, sign + n.y * n.y * a, hn::Neg(n.y)}, n};
}

/// Puts a vector into three rows at one lane.
HWY_INLINE void Put(Vec3 x, LaneRow* rows, std::size_t lane) {
  rows[0][lane] = x.x, rows[1][lane] = x.y, rows[2][lane] = x.z;
}
HWY_INLINE void Store(const Reals3& x, LaneRow* rows) {
  hn::Store(x.x, Lanes(), rows[0]), hn::Store(x.y, Lanes(), rows[1]), hn::Store(x.z, Lanes(), rows[2]);
}
HWY_INLINE Vec3 Take(const LaneRow* rows, std::size_t lane) { return {rows[0][lane], rows[1][lane], rows[2][lane]}; }

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

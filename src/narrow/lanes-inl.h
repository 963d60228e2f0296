// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_LANES_INL_H
#undef SCREE_NARROW_LANES_INL_H
#else
#define SCREE_NARROW_LANES_INL_H
#endif

#include "base/lanes-inl.h"
#include "narrow/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

using namespace scree::HWY_NAMESPACE;

/// Right-handed, u and v perpendicular to n.
struct FrameOfLanes {
  Reals3 u, v, n;
  HWY_INLINE Reals3 in(const Reals3& x) const { return {dot(u, x), dot(v, x), dot(n, x)}; }
  HWY_INLINE Reals3 out(const Reals3& x) const { return x.x * u + (x.y * v + x.z * n); }
};
/// See FrameAbout.
HWY_INLINE FrameOfLanes FramesAbout(const Reals3& n) {
  const Reals one = All(1), sign = hn::CopySign(one, n.z), a = hn::Neg(one / (sign + n.z)), b = n.x * n.y * a;
  return {{one + sign * n.x * n.x * a, sign * b, hn::Neg(sign * n.x)}, {b, sign + n.y * n.y * a, hn::Neg(n.y)}, n};
}

/// Unit vector perpendicular to e and f, along d; `plain`: they are so far from parallel that their plain product gives
/// what Perpendicular does.
HWY_INLINE Reals3 AcrossEdges(const Reals3& e, const Reals3& f, const Reals3& d, Truths* plain) {
  const Reals3 c = cross(e, f);
  const Reals c2 = norm2(c);
  *plain = hn::Gt(c2, All(0.01) * (norm2(e) * norm2(f)));
  const Reals3 n = (All(1) / hn::Sqrt(c2)) * c;
  return Select(dot(n, d) < 0, -n, n);
}

/// Puts a vector into three rows of n numbers at one place; from one place on as many as there are lanes.
template <std::size_t n>
HWY_INLINE void Put(Vec3 x, double (*rows)[n], std::size_t at) {
  rows[0][at] = x.x, rows[1][at] = x.y, rows[2][at] = x.z;
}
template <std::size_t n>
HWY_INLINE void Store(const Reals3& x, double (*rows)[n], std::size_t at = 0) {
  const Lanes tag;
  hn::Store(x.x, tag, rows[0] + at), hn::Store(x.y, tag, rows[1] + at), hn::Store(x.z, tag, rows[2] + at);
}
template <std::size_t n>
HWY_INLINE Reals3 Load(const double (*rows)[n], std::size_t at = 0) {
  const Lanes tag;
  return {hn::Load(tag, rows[0] + at), hn::Load(tag, rows[1] + at), hn::Load(tag, rows[2] + at)};
}
template <std::size_t n>
HWY_INLINE Vec3 Take(const double (*rows)[n], std::size_t at) {
  return {rows[0][at], rows[1][at], rows[2][at]};
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

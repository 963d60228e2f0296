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

/// Origin near the contact, z along the seed's normal: an overlap far thinner than the bodies then keeps its digits.
struct Frame {
  Vec3 origin;  ///< relative to A's centroid
  Vec3 u, v, n;
  HWY_INLINE Vec3 in(Vec3 x) const { return {dot(u, x), dot(v, x), dot(n, x)}; }
  HWY_INLINE Vec3 out(Vec3 x) const { return x.x * u + x.y * v + x.z * n; }
};

/// Right-handed frame about a unit normal without a branch (Duff et al. 2017, JCGT 6(1)).
HWY_INLINE Frame FrameAbout(Vec3 n, Vec3 origin) {
  const double sign = std::copysign(1.0, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  return {origin, {1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}, n};
}

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

/// In the plane of a patch with the covariance (uu, uv; uv, vv): the direction of the longest extent, as long as the
/// radius of gyration that way where that about the normal is `gyration`.
template <class Real>
struct LongAxis {
  Real u, v;
  HWY_INLINE LongAxis(Real uu, Real uv, Real vv, Real gyration) {
    const Real half = 0.5 * (uu - vv), root = Sqrt(half * half + uv * uv), sum = uu + vv;
    const auto along_u = half > 0;
    const Real a = Select(along_u, half + root, uv), b = Select(along_u, uv, root - half);
    const Real length = Sqrt(a * a + b * b), share = Select(sum > 0, 0.5 + root / sum, 0.5 + Real{});
    const Real size = gyration * Sqrt(Least(share, 1.0 + Real{}));
    const auto is_long = length > 0;
    u = Select(is_long, size * a / length, size), v = Select(is_long, size * b / length, Real{});
  }
};

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

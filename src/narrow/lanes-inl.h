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

/// Contacts as lanes: one formula for as many as a vector holds. What one of them needs and others do not must leave
/// the others' bits alone, so that these depend neither on the width nor on the neighbours.
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

/// out[c] = rows[k][at + c] at lane k; as many columns as there are lanes.
HWY_INLINE void Transpose(const double* const* rows, std::size_t at, Reals* out) {
  const Lanes tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Lanes());
  Reals r[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) r[k] = hn::LoadU(tag, rows[k] + at);
  if constexpr (kLanes == 1) {
    out[0] = r[0];
  }
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kLanes == 2) {
    out[0] = hn::InterleaveLower(tag, r[0], r[1]), out[1] = hn::InterleaveUpper(tag, r[0], r[1]);
  }
  if constexpr (kLanes == 4) {
    for (std::size_t c = 0; c < 2; ++c) {
      const auto pair = [&](std::size_t k) HWY_ATTR {
        return c == 0 ? hn::InterleaveLower(tag, r[k], r[k + 1]) : hn::InterleaveUpper(tag, r[k], r[k + 1]);
      };
      const Reals low = pair(0), high = pair(2);  // columns c and c + 2
      out[c] = hn::ConcatLowerLower(tag, high, low), out[c + 2] = hn::ConcatUpperUpper(tag, high, low);
    }
  }
  if constexpr (kLanes == 8) {
    for (std::size_t c = 0; c < 2; ++c) {
      const auto pair = [&](std::size_t k) HWY_ATTR {
        return c == 0 ? hn::InterleaveLower(tag, r[k], r[k + 1]) : hn::InterleaveUpper(tag, r[k], r[k + 1]);
      };
      // Of rows 2 k and 2 k + 1: columns c, c + 2, c + 4, c + 6.
      const Reals a = pair(0), b = pair(2), e = pair(4), f = pair(6);
      const auto half = [&](Reals x, Reals y, std::size_t first) HWY_ATTR {
        out[first] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y), x);
        out[first + 2] = hn::OddEvenBlocks(y, hn::SwapAdjacentBlocks(x));
      };
      half(hn::ConcatLowerLower(tag, e, a), hn::ConcatLowerLower(tag, f, b), c);
      half(hn::ConcatUpperUpper(tag, e, a), hn::ConcatUpperUpper(tag, f, b), c + 4);
    }
  }
#endif
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

// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_BASE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_BASE_LANES_INL_H
#undef SCREE_BASE_LANES_INL_H
#else
#define SCREE_BASE_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>

#include "base/vec.h"

HWY_BEFORE_NAMESPACE();
namespace scree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// As many numbers as a vector holds, one a lane. What is a template over the number is written once for `double` and
/// for these: the same operations in the same order, so that a lane's bits are those of the number alone, whatever the
/// width and the neighbours. A choice is a Select; what the lane not chosen has made is never read.
inline constexpr std::size_t kMostLanes = 8;
using Lanes = hn::CappedTag<double, kMostLanes>;
using Reals = hn::Vec<Lanes>;
using Truths = hn::Mask<Lanes>;
/// One number of each lane, in memory.
using LaneRow = double[kMostLanes];

HWY_INLINE Reals All(double x) { return hn::Set(Lanes(), x); }
HWY_INLINE Reals operator*(double a, Reals b) { return All(a) * b; }
HWY_INLINE Reals operator+(double a, Reals b) { return All(a) + b; }
HWY_INLINE Reals operator-(Reals a) { return hn::Neg(a); }
HWY_INLINE Truths operator<(Reals a, double b) { return a < All(b); }
HWY_INLINE Truths operator>(Reals a, double b) { return a > All(b); }
HWY_INLINE Truths operator==(Reals a, double b) { return a == All(b); }
HWY_INLINE Truths operator!=(Reals a, double b) { return a != All(b); }
HWY_INLINE Truths operator<=(Reals a, double b) { return a <= All(b); }
HWY_INLINE Truths operator>=(Reals a, double b) { return a >= All(b); }

struct Reals3 {
  Reals x, y, z;
};
HWY_INLINE Reals3 operator+(const Reals3& a, const Reals3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HWY_INLINE Reals3 operator-(const Reals3& a, const Reals3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE Reals3 operator-(const Reals3& a) { return {-a.x, -a.y, -a.z}; }
HWY_INLINE Reals3 operator*(Reals s, const Reals3& a) { return {s * a.x, s * a.y, s * a.z}; }
HWY_INLINE Reals3 operator*(double s, const Reals3& a) { return All(s) * a; }
HWY_INLINE Reals3 operator/(const Reals3& a, Reals s) { return {a.x / s, a.y / s, a.z / s}; }
HWY_INLINE Truths operator==(const Reals3& a, const Reals3& b) {
  return hn::And(hn::And(a.x == b.x, a.y == b.y), a.z == b.z);
}
HWY_INLINE Reals dot(const Reals3& a, const Reals3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HWY_INLINE Reals3 cross(const Reals3& a, const Reals3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
HWY_INLINE Reals norm2(const Reals3& a) { return dot(a, a); }

// Those of Reals are Highway's.
HWY_INLINE double Sqrt(double x) { return std::sqrt(x); }
HWY_INLINE double Abs(double x) { return std::abs(x); }
HWY_INLINE double Cbrt(double x) { return std::cbrt(x); }
HWY_INLINE double Pow(double x, double y) { return std::pow(x, y); }
HWY_INLINE bool Any(bool t) { return t; }
HWY_INLINE bool Untrue(bool t) { return !t; }
HWY_INLINE bool Both(bool t, bool u) { return t && u; }
template <class T>
HWY_INLINE T Select(bool t, const T& yes, const T& no) {
  return t ? yes : no;
}
/// What has no text over a vector: lane by lane.
template <class F>
HWY_INLINE Reals EachLane(Reals x, Reals y, F&& f) {
  HWY_ALIGN LaneRow a, b;
  hn::Store(x, Lanes(), a), hn::Store(y, Lanes(), b);
  for (std::size_t k = 0; k < hn::MaxLanes(Lanes()); ++k) a[k] = f(a[k], b[k]);
  return hn::Load(Lanes(), a);
}
HWY_INLINE Reals Cbrt(Reals x) {
  return EachLane(x, x, [](double a, double) { return std::cbrt(a); });
}
HWY_INLINE Reals Pow(Reals x, Reals y) {
  return EachLane(x, y, [](double a, double b) { return std::pow(a, b); });
}
HWY_INLINE Truths Untrue(Truths t) { return hn::Not(t); }
HWY_INLINE Truths Both(Truths t, Truths u) { return hn::And(t, u); }
HWY_INLINE bool Any(Truths t) { return !hn::AllFalse(Lanes(), t); }
HWY_INLINE Reals Select(Truths t, Reals yes, Reals no) { return hn::IfThenElse(t, yes, no); }
HWY_INLINE Reals Select(Truths t, Reals yes, double no) { return Select(t, yes, All(no)); }
HWY_INLINE Reals3 Select(Truths t, const Reals3& yes, const Reals3& no) {
  return {Select(t, yes.x, no.x), Select(t, yes.y, no.y), Select(t, yes.z, no.z)};
}

/// As std::min and std::max choose: `a` where they are equal or not ordered.
template <class R>
HWY_INLINE R Least(R a, R b) {
  return Select(b < a, b, a);
}
template <class R>
HWY_INLINE R Greatest(R a, R b) {
  return Select(a < b, b, a);
}

/// From and to as many vectors one behind the other as there are lanes.
HWY_INLINE Reals3 Load3(const Vec3* rows) {
#if HWY_TARGET == HWY_SCALAR
  return {All(rows->x), All(rows->y), All(rows->z)};
#else
  Reals3 v;
  hn::LoadInterleaved3(Lanes(), &rows->x, v.x, v.y, v.z);
  return v;
#endif
}
HWY_INLINE void Store3(const Reals3& v, Vec3* rows) {
#if HWY_TARGET == HWY_SCALAR
  *rows = {hn::GetLane(v.x), hn::GetLane(v.y), hn::GetLane(v.z)};
#else
  hn::StoreInterleaved3(v.x, v.y, v.z, Lanes(), &rows->x);
#endif
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

}  // namespace scree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

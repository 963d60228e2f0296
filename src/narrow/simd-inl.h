// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_NARROW_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_SIMD_INL_H
#undef SCREE_NARROW_SIMD_INL_H
#else
#define SCREE_NARROW_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include <bit>

#include "narrow/bodies.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Support {
  double value;
  std::uint32_t vertex;  ///< lowest index among equals
};

/// The vertices i for which `test(i)`, a mask over the lanes from i on, holds; the padding, which repeats vertex 0,
/// does not count.
template <class Test>
HWY_INLINE VertexMask VerticesWhere(const BodyView& body, Test&& test) {
  const hn::ScalableTag<double> d;
  VertexMask out{};
  for (std::size_t i = 0; i < body.shape->padded; i += hn::Lanes(d)) {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(d, test(i), bytes);
    out[i / 64] |= std::uint64_t{bytes[0]} << (i % 64);
  }
  for (std::size_t w = 0; w < out.size(); ++w) {
    const std::size_t own = body.shape->vertices < 64 * w ? 0 : body.shape->vertices - 64 * w;
    if (own < 64) out[w] &= (std::uint64_t{1} << own) - 1;
  }
  return out;
}

HWY_INLINE VertexMask VerticesBelow(const BodyView& body, const double* height, double level) {
  const hn::ScalableTag<double> d;
  return VerticesWhere(body,
                       [&](std::size_t i) HWY_ATTR { return hn::Lt(hn::LoadU(d, height + i), hn::Set(d, level)); });
}
HWY_INLINE bool AreOf(const VertexMask& some, const VertexMask& all) {
  return ((some[0] & ~all[0]) | (some[1] & ~all[1])) == 0;
}

/// out[i] = n . v_i - shift over all padded vertices; returns the largest value.
/// Sums run in one fixed order without fused operations: the bits do not depend on the vector width.
HWY_INLINE double Heights(const BodyView& body, Vec3 n, double shift, double* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const auto nx = hn::Set(d, n.x), ny = hn::Set(d, n.y), nz = hn::Set(d, n.z), s = hn::Set(d, shift);
  const std::size_t count = body.shape->padded, lanes = hn::Lanes(d);
  auto top = hn::Set(d, -1e300);
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto xy = hn::Add(hn::Mul(nx, hn::LoadU(d, body.x + i)), hn::Mul(ny, hn::LoadU(d, body.y + i)));
    const auto v = hn::Sub(hn::Add(xy, hn::Mul(nz, hn::LoadU(d, body.z + i))), s);
    hn::StoreU(v, d, out + i);
    top = hn::Max(top, v);
  }
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

/// Largest n . v and the first vertex that attains it, `height_at(i)` being that of the lanes from i on: of kVectors
/// whole vectors, without a branch.
template <std::size_t kVectors, class Height>
HWY_INLINE Support FarthestOf(Height&& height_at) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  decltype(hn::Zero(d)) v[kVectors];
  for (std::size_t k = 0; k < kVectors; ++k) v[k] = height_at(k * lanes);
  auto most = v[0];
  for (std::size_t k = 1; k < kVectors; ++k) most = hn::Max(most, v[k]);
  const auto top = hn::MaxOfLanes(d, most);
  std::uint32_t hit = 0;
  for (std::size_t k = 0; k < kVectors; ++k) {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(d, hn::Eq(v[k], top), bytes);
    hit |= std::uint32_t{bytes[0]} << (k * lanes);
  }
  // Only of NaN nothing is the largest, which makes 0 of 32: the step's check has named the particle, or n is not used.
  return {hn::GetLane(top), static_cast<std::uint32_t>(std::countr_zero(hit)) & 31u};
}
HWY_INLINE Support FarthestVertex(const BodyView& body, Vec3 n) {
  const hn::ScalableTag<double> d;
  const auto nx = hn::Set(d, n.x), ny = hn::Set(d, n.y), nz = hn::Set(d, n.z);
  const std::size_t count = body.shape->padded, lanes = hn::Lanes(d);
  const auto height_at = [&](std::size_t i) HWY_ATTR {
    const auto xy = hn::Add(hn::Mul(nx, hn::LoadU(d, body.x + i)), hn::Mul(ny, hn::LoadU(d, body.y + i)));
    return hn::Add(xy, hn::Mul(nz, hn::LoadU(d, body.z + i)));
  };
  if (count == lanes) return FarthestOf<1>(height_at);
  if (count == 2 * lanes) return FarthestOf<2>(height_at);
  if (count == 4 * lanes) return FarthestOf<4>(height_at);
  HWY_ALIGN double height[kMaxVertices];
  auto most = hn::Set(d, -1e300);
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto v = height_at(i);
    hn::Store(v, d, height + i);
    most = hn::Max(most, v);
  }
  const auto top = hn::MaxOfLanes(d, most);
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto hit = hn::Eq(hn::Load(d, height + i), top);
    if (!hn::AllFalse(d, hit))
      return {hn::GetLane(top), static_cast<std::uint32_t>(i + static_cast<std::size_t>(hn::FindFirstTrue(d, hit)))};
  }
  return {hn::GetLane(top), 0};  // NaN, as above
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

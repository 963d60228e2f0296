#include "narrow/touching_balls.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/touching_balls.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "base/domain-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {
using namespace scree::HWY_NAMESPACE;

constexpr std::size_t kWidth = hn::MaxLanes(Lanes());

struct BallsOfLanes {
  Reals3 centre;
  Reals radius;

  HWY_INLINE BallsOfLanes(const Ball* balls, const std::uint32_t* row) {
    const double* rows[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) rows[k] = &balls[row[k]].centre.x;
    Reals c[std::max<std::size_t>(4, kWidth)];
    for (std::size_t at = 0; at < 4; at += kWidth) Transpose(rows, at, c + at);
    centre = {c[0], c[1], c[2]}, radius = c[3];
  }
};

/// kReach: `reach` is above 0. Appends without a branch: which pairs touch is hard to foretell.
template <bool kReach>
HWY_INLINE void FindAll(const Ball* balls, const Domain& domain, PairTable& pairs, std::size_t begin, std::size_t end,
                        double reach, std::vector<TouchingPair>& out) {
  std::size_t n = out.size();
  out.resize(n + (end - begin) + kWidth);
  const bool ring = domain.any();
  for (std::size_t k = begin; k < end; k += kWidth) {
    // Where fewer are left, the last one fills the lanes.
    std::uint32_t a[kWidth], b[kWidth];
    const std::size_t count = std::min(kWidth, end - k);
    for (std::size_t l = 0; l < kWidth; ++l) {
      const std::size_t row = k + std::min(l, count - 1);
      a[l] = pairs.a[row], b[l] = pairs.b[row];
    }
    const BallsOfLanes x(balls, a), y(balls, b);
    Reals3 d = y.centre - x.centre;
    if (ring) d = NearestImage(domain, d);
    const Reals both = x.radius + y.radius, squared = norm2(d);
    Reals beyond = All(0);
    if constexpr (kReach) {
      HWY_ALIGN LaneRow of;
      for (std::size_t l = 0; l < kWidth; ++l) of[l] = pairs.count[k + std::min(l, count - 1)] > 0 ? reach : 0;
      beyond = hn::Load(Lanes(), of);
    }
    const Reals farthest = both + beyond;
    Truths touch = squared < farthest * farthest;
    if (Any(touch)) touch = Both(touch, both - hn::Sqrt(squared) > -beyond);
    std::uint8_t bytes[8];
    hn::StoreMaskBits(Lanes(), touch, bytes);
    for (std::size_t l = 0; l < count; ++l) {
      const std::size_t row = k + l;
      const std::uint32_t touches = bytes[0] >> l & 1;
      out[n] = {static_cast<std::uint32_t>(row), pairs.count[row] > 0 ? pairs.first[row] : TouchingPair::kNew};
      n += touches, pairs.count[row] = touches;
    }
  }
  out.resize(n);
}

void Find(const Ball* balls, const Domain& domain, PairTable& pairs, std::size_t begin, std::size_t end, double reach,
          std::vector<TouchingPair>& out) {
  reach > 0 ? FindAll<true>(balls, domain, pairs, begin, end, reach, out)
            : FindAll<false>(balls, domain, pairs, begin, end, reach, out);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(Find);

void find_touching(const AlignedVector<Ball>& balls, const Domain& domain, PairTable& pairs, std::size_t begin,
                   std::size_t end, double reach, std::vector<TouchingPair>& out) {
  HWY_DYNAMIC_DISPATCH(Find)(balls.data(), domain, pairs, begin, end, reach, out);
}

}  // namespace scree::narrow
#endif

#include "neighbour/part_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "neighbour/bounding_spheres.h"
#include "neighbour/dense_grid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbour/part_kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree::neighbour::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

constexpr std::size_t kRoom = Units::kMostOfAPart + HWY_MAX_BYTES / sizeof(double);

/// A part's columns where they lie, or copied together where they lie apart or too close to the columns' end to be read
/// by whole vectors.
struct Loaded {
  const double* x = nullptr;  ///< three by three
  const double* r = nullptr;
  std::uint32_t size = 0;

  HWY_INLINE void load(const Bodies& b, std::span<const std::uint32_t> part) {
    size = static_cast<std::uint32_t>(part.size());
    if (part.back() - part.front() + 1 == size && part.front() + size + hn::Lanes(D()) <= b.x.size()) {
      x = &b.x[part.front()].x, r = &b.r[part.front()];
      return;
    }
    for (std::size_t k = 0; k < size; ++k) {
      const Vec3 p = b.x[part[k]];
      copy_x_[3 * k] = p.x, copy_x_[3 * k + 1] = p.y, copy_x_[3 * k + 2] = p.z;
      copy_r_[k] = b.r[part[k]];
    }
    for (std::size_t k = size; k < size + hn::Lanes(D()); ++k) {
      copy_x_[3 * k] = copy_x_[3 * k + 1] = copy_x_[3 * k + 2] = copy_r_[k] = 0;
    }
    x = copy_x_, r = copy_r_;
  }

 private:
  double copy_x_[3 * kRoom], copy_r_[kRoom];
};

/// Spheres of one part, column by column.
struct Few {
  HWY_ALIGN double x[kRoom], y[kRoom], z[kRoom], r[kRoom];
  std::uint32_t id[kRoom];
  std::uint32_t size = 0;
};

/// The periodic axes' halves and periods; infinite along the others.
struct Periods {
  Vec3 half, period;
  explicit Periods(const Domain& d) {
    for (std::size_t a = 0; a < 3; ++a) {
      period[a] = d.periodic[a] ? d.high[a] - d.low[a] : 0;
      half[a] = d.periodic[a] ? 0.5 * period[a] : std::numeric_limits<double>::infinity();
    }
  }
};

HWY_INLINE V Nearest(V d, double half, double period) {
  const D tag;
  const V h = hn::Set(tag, half), p = hn::Set(tag, period);
  return hn::IfThenElse(hn::Gt(d, h), hn::Sub(d, p), hn::IfThenElse(hn::Lt(d, hn::Neg(h)), hn::Add(d, p), d));
}

template <bool kPeriodic>
HWY_INLINE V Square(V dx, V dy, V dz, const Periods& s) {
  if constexpr (kPeriodic) {
    dx = Nearest(dx, s.half.x, s.period.x);
    dy = Nearest(dy, s.half.y, s.period.y);
    dz = Nearest(dz, s.half.z, s.period.z);
  }
  return hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
}

HWY_INLINE std::uint64_t Bits(hn::Mask<D> m) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(D(), m, bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, 8);
  return bits;
}

/// Spheres of the part that reach as near to c as `reach` besides their own radius.
template <bool kPeriodic>
HWY_INLINE void Keep(const Loaded& part, std::span<const std::uint32_t> id, Vec3 c, double reach, const Periods& s,
                     Few& out) {
  const D d;
  const V cx = hn::Set(d, c.x), cy = hn::Set(d, c.y), cz = hn::Set(d, c.z), far = hn::Set(d, reach),
          rounding = hn::Set(d, 1 + 1e-14);
  std::uint32_t n = 0;
  for (std::uint32_t k = 0; k < part.size; k += static_cast<std::uint32_t>(hn::Lanes(d))) {
    V x, y, z;
    hn::LoadInterleaved3(d, part.x + 3ul * k, x, y, z);
    const V r = hn::LoadU(d, part.r + k), to = hn::Mul(hn::Add(r, far), rounding);
    const V d2 = Square<kPeriodic>(hn::Sub(x, cx), hn::Sub(y, cy), hn::Sub(z, cz), s);
    const auto kept = hn::And(hn::Le(d2, hn::Mul(to, to)), hn::FirstN(d, part.size - k));
    std::uint64_t bits = Bits(kept);
    if (bits == 0) continue;
    hn::CompressStore(x, kept, d, out.x + n);
    hn::CompressStore(y, kept, d, out.y + n);
    hn::CompressStore(z, kept, d, out.z + n);
    hn::CompressStore(r, kept, d, out.r + n);
    for (; bits != 0; bits &= bits - 1) out.id[n++] = id[k + static_cast<std::uint32_t>(std::countr_zero(bits))];
  }
  out.size = n;
}

/// All of `a` against all of `b`, as `meets` computes it. Same: one part against itself.
template <bool kPeriodic>
HWY_INLINE void Compare(const Few& a, const Few& b, bool same, double margin, const Periods& s,
                        std::vector<Pair>& out) {
  const D d;
  const V m = hn::Set(d, margin);
  for (std::uint32_t i = 0; i < a.size; ++i) {
    const V x = hn::Set(d, a.x[i]), y = hn::Set(d, a.y[i]), z = hn::Set(d, a.z[i]), r = hn::Set(d, a.r[i]);
    for (std::uint32_t k = 0; k < b.size; k += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const V reach = hn::Add(hn::Add(r, hn::LoadU(d, b.r + k)), m);
      const V d2 = Square<kPeriodic>(hn::Sub(hn::LoadU(d, b.x + k), x), hn::Sub(hn::LoadU(d, b.y + k), y),
                                     hn::Sub(hn::LoadU(d, b.z + k), z), s);
      std::uint64_t bits = Bits(hn::And(hn::Lt(d2, hn::Mul(reach, reach)), hn::FirstN(d, b.size - k)));
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t j = k + static_cast<std::uint32_t>(std::countr_zero(bits));
        if (!same || i < j) out.push_back(std::minmax(a.id[i], b.id[j]));
      }
    }
  }
}

/// Pairs of one part with higher ones, in which each sphere's partners already rise: counting sort by the sphere.
void SortRun(std::vector<Pair>& out, std::size_t begin, std::span<const std::uint32_t> part,
             std::vector<Pair>& scratch) {
  if (part.size() == 1 || out.size() < begin + 2) return;
  std::uint32_t start[Units::kMostOfAPart + 1] = {};
  const std::uint32_t first = part[0];
  for (std::size_t k = begin; k < out.size(); ++k) ++start[out[k].first - first + 1];
  for (std::size_t k = 1; k < part.size(); ++k) start[k] += start[k - 1];
  scratch.assign(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  for (const Pair& p : scratch) out[begin + start[p.first - first]++] = p;
}

/// A part that will be looked at next.
HWY_INLINE void Prefetch(const Bodies& b, std::span<const std::uint32_t> part) {
  if (part.size() == 1) return;
  const std::size_t first = part[0], end = first + part.size();  // where they lie side by side
  const auto* x = reinterpret_cast<const char*>(b.x.data());
  for (std::size_t at = first * sizeof(Vec3); at < end * sizeof(Vec3); at += 64) hwy::Prefetch(x + at);
  const auto* r = reinterpret_cast<const char*>(b.r.data());
  for (std::size_t at = first * sizeof(double); at < end * sizeof(double); at += 64) hwy::Prefetch(r + at);
}

template <bool kPeriodic>
void Resolve(const Clusters& s, const PartBounds& bounds, std::span<const Pair> near, std::vector<Pair>& out) {
  const Bodies& b = s.spheres;
  const Units& units = *s.units;
  const Periods periods(b.domain);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Loaded one, two;
  Few some, others;
  std::uint32_t loaded = ~0u;
  std::vector<Pair> scratch;
  std::size_t run = out.size();
  for (std::size_t n = 0; n < near.size(); ++n) {
    const auto [p, q] = near[n];
    if (units.in_order() && n > 0 && near[n - 1].first != p) {
      SortRun(out, run, units.part(near[n - 1].first), scratch);
      run = out.size();
    }
    if (n + 1 < near.size()) Prefetch(b, units.part(near[n + 1].second));
    if (!s.within && units.unit_of_part(p) == units.unit_of_part(q)) continue;
    const auto ids = units.part(p), other = units.part(q);
    if (ids.size() == 1 && other.size() == 1) {
      if (p != q) out.push_back(std::minmax(ids[0], other[0]));  // their bounding spheres meet, and are exact
      continue;
    }
    if (loaded != p) one.load(b, ids);
    loaded = p;
    if (p == q) {
      Keep<kPeriodic>(one, ids, bounds.centre[p], kInfinite, periods, some);
      Compare<kPeriodic>(some, some, true, b.margin, periods, out);
      continue;
    }
    two.load(b, other);
    Keep<kPeriodic>(two, other, bounds.centre[p], bounds.radius[p] + b.margin, periods, others);
    if (others.size == 0) continue;
    Keep<kPeriodic>(one, ids, bounds.centre[q], bounds.radius[q] + b.margin, periods, some);
    if (some.size < others.size) {
      Compare<kPeriodic>(some, others, false, b.margin, periods, out);
    } else {
      Compare<kPeriodic>(others, some, false, b.margin, periods, out);
    }
  }
  if (units.in_order() && !near.empty()) SortRun(out, run, units.part(near.back().first), scratch);
}

void ResolveParts(const Clusters& s, const PartBounds& bounds, std::span<const Pair> near, std::vector<Pair>& out) {
  const auto& periodic = s.spheres.domain.periodic;
  const auto resolve = periodic[0] || periodic[1] || periodic[2] ? &Resolve<true> : &Resolve<false>;
  resolve(s, bounds, near, out);
}

/// Middle and radius of one part; along periodic axes relative to `origin`, its first sphere.
template <bool kPeriodic>
void Bound(const Loaded& part, Vec3 origin, const Periods& s, Vec3& centre, double& radius) {
  const D d;
  const std::uint32_t lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  const V inf = hn::Set(d, std::numeric_limits<double>::infinity()), minus = hn::Neg(inf);
  V low[3] = {inf, inf, inf}, high[3] = {minus, minus, minus}, r_low = inf, r_high = minus;
  const auto place = [&](std::uint32_t k, V* v) {
    hn::LoadInterleaved3(d, part.x + 3ul * k, v[0], v[1], v[2]);
    if constexpr (!kPeriodic) return;
    for (std::size_t a = 0; a < 3; ++a) {
      v[a] = Nearest(hn::Sub(v[a], hn::Set(d, origin[a])), s.half[a], s.period[a]);
    }
  };
  for (std::uint32_t k = 0; k < part.size; k += lanes) {
    V v[3];
    place(k, v);
    const V r = hn::LoadU(d, part.r + k);
    if (k + lanes <= part.size) {
      for (std::size_t a = 0; a < 3; ++a) low[a] = hn::Min(low[a], v[a]), high[a] = hn::Max(high[a], v[a]);
      r_low = hn::Min(r_low, r), r_high = hn::Max(r_high, r);
      continue;
    }
    const auto there = hn::FirstN(d, part.size - k);
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = hn::Min(low[a], hn::IfThenElse(there, v[a], inf));
      high[a] = hn::Max(high[a], hn::IfThenElse(there, v[a], minus));
    }
    r_low = hn::Min(r_low, hn::IfThenElse(there, r, inf)), r_high = hn::Max(r_high, hn::IfThenElse(there, r, minus));
  }
  Vec3 middle;
  V m[3];
  for (std::size_t a = 0; a < 3; ++a) {
    middle[a] = 0.5 * hn::GetLane(hn::MinOfLanes(d, low[a])) + 0.5 * hn::GetLane(hn::MaxOfLanes(d, high[a]));
    m[a] = hn::Set(d, middle[a]);
  }
  const double smallest = hn::GetLane(hn::MinOfLanes(d, r_low)), largest = hn::GetLane(hn::MaxOfLanes(d, r_high));
  const bool equal = smallest == largest;
  V far = hn::Zero(d);
  for (std::uint32_t k = 0; k < part.size; k += lanes) {
    V v[3];
    place(k, v);
    const V dx = hn::Sub(v[0], m[0]), dy = hn::Sub(v[1], m[1]), dz = hn::Sub(v[2], m[2]);
    V reach = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
    if (!equal) reach = hn::Add(hn::Sqrt(reach), hn::LoadU(d, part.r + k));
    far = hn::Max(far, hn::IfThenElseZero(hn::FirstN(d, part.size - k), reach));
  }
  const double most = hn::GetLane(hn::MaxOfLanes(d, far));
  radius = equal ? std::sqrt(most) + largest : most;
  centre = middle;
}

void BoundParts(const Clusters& s, std::size_t begin, std::size_t end, Vec3* centre, double* radius) {
  const Bodies& b = s.spheres;
  const Periods periods(b.domain);
  const auto& periodic = b.domain.periodic;
  const bool any = periodic[0] || periodic[1] || periodic[2];
  const auto bound = any ? &Bound<true> : &Bound<false>;
  const double slack = seam_slack(b.domain);
  Loaded part;
  for (std::size_t p = begin; p < end; ++p) {
    const auto ids = s.units->part(p);
    const Vec3 first = b.x[ids[0]];
    if (ids.size() == 1) {
      centre[p] = first, radius[p] = b.r[ids[0]];
      continue;
    }
    part.load(b, ids);
    bound(part, first, periods, centre[p], radius[p]);
    if (any) centre[p] = wrapped(b.domain, first + centre[p]);
    radius[p] = radius[p] * (1 + 4e-14) + slack;
  }
}

}  // namespace scree::neighbour::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::neighbour {

HWY_EXPORT(BoundParts);
HWY_EXPORT(ResolveParts);

void bound_parts(const Clusters& s, std::size_t begin, std::size_t end, Vec3* centre, double* radius) {
  HWY_DYNAMIC_DISPATCH(BoundParts)(s, begin, end, centre, radius);
}

void resolve_parts(const Clusters& s, const PartBounds& bounds, std::span<const Pair> near, std::vector<Pair>& out) {
  HWY_DYNAMIC_DISPATCH(ResolveParts)(s, bounds, near, out);
}

}  // namespace scree::neighbour
#endif

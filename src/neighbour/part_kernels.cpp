#include "neighbour/part_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "neighbour/bounding_spheres.h"
#include "neighbour/dense_grid.h"
#include "neighbour/raw_array.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbour/part_kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "base/compress-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::neighbour::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using D32 = hn::Rebind<std::uint32_t, D>;
using D64 = hn::RebindToUnsigned<D>;

constexpr std::size_t kRoom = Units::kMostOfAPart + HWY_MAX_BYTES / sizeof(double);

/// A part's columns where they lie, or copied where they are too close to the end to be read by whole vectors.
struct Loaded {
  const double* x = nullptr;  ///< three by three
  const double* r = nullptr;
  const std::uint32_t* id = nullptr;  ///< Units::kPadding more can be read
  std::uint32_t size = 0;

  HWY_INLINE void load(const PartColumns& c, const Units& units, std::size_t part) {
    const std::size_t first = units.begin_of_part(part);
    id = units.members().data() + first, size = units.size_of_part(part);
    x = c.x + 3 * first, r = c.r + first;
    if (HWY_LIKELY(first + size + hn::Lanes(D()) <= c.size)) return;
    std::copy_n(x, 3ul * size, copy_x_), std::copy_n(r, size, copy_r_);
    std::fill_n(copy_x_ + 3ul * size, 3 * hn::Lanes(D()), 0.0), std::fill_n(copy_r_ + size, hn::Lanes(D()), 0.0);
    x = copy_x_, r = copy_r_;
  }

 private:
  double copy_x_[3 * kRoom], copy_r_[kRoom];
};

/// Spheres of one part, column by column; `id` in the low half.
struct Few {
  HWY_ALIGN double x[kRoom], y[kRoom], z[kRoom], r[kRoom];
  HWY_ALIGN std::uint64_t id[kRoom];
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

/// Spheres of the part that reach as near to c as `reach` besides their own radius.
template <bool kPeriodic>
HWY_INLINE void Keep(const Loaded& part, Vec3 c, double reach, const Periods& s, Few& out) {
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
    if (hn::AllFalse(d, kept)) continue;
    scree::HWY_NAMESPACE::StoreWhere(x, kept, d, out.x + n);
    scree::HWY_NAMESPACE::StoreWhere(y, kept, d, out.y + n);
    scree::HWY_NAMESPACE::StoreWhere(z, kept, d, out.z + n);
    scree::HWY_NAMESPACE::StoreWhere(r, kept, d, out.r + n);
    const auto id = hn::PromoteTo(D64(), hn::LoadU(D32(), part.id + k));
    n += static_cast<std::uint32_t>(
        scree::HWY_NAMESPACE::StoreWhere(id, hn::RebindMask(D64(), kept), D64(), out.id + n));
  }
  out.size = n;
}

/// Pairs of spheres that were found, the smaller number in the low half, which is where a Pair has its first.
struct Found {
  RawArray<std::uint64_t> pairs;
  std::size_t used = 0;

  HWY_INLINE std::uint64_t* room(std::size_t more) {
    const std::size_t need = used + more + HWY_MAX_BYTES / sizeof(std::uint64_t);
    if (HWY_UNLIKELY(need > pairs.size())) pairs.grow(need + need / 2, used);
    return pairs.data() + used;
  }
  HWY_INLINE void add(std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax(a, b);
    *room(1) = low | std::uint64_t{high} << 32, ++used;
  }
};

/// Appends at `out` the pairs of sphere `own` with those spheres of a vector that are near; returns the new end.
template <class Mask>
HWY_INLINE std::uint64_t* Emit(hn::Vec<D64> own, hn::Vec<D64> id, Mask near, std::uint64_t* HWY_RESTRICT out) {
  const D64 d64;
  const auto bits = hn::RebindMask(d64, near);
  const auto pair = hn::Or(hn::Min(id, own), hn::ShiftLeft<32>(hn::Max(id, own)));
  return out + scree::HWY_NAMESPACE::StoreWhere(pair, bits, d64, out);
}

/// One sphere against all of a part, as `meets` computes it.
template <bool kPeriodic>
HWY_INLINE void CompareOne(Vec3 c, double radius, std::uint32_t number, const Loaded& part, double margin,
                           const Periods& s, Found& found) {
  const D d;
  const V cx = hn::Set(d, c.x), cy = hn::Set(d, c.y), cz = hn::Set(d, c.z), cr = hn::Set(d, radius),
          m = hn::Set(d, margin);
  const auto own = hn::Set(D64(), number);
  std::uint64_t* const first = found.room(part.size);
  std::uint64_t* out = first;
  for (std::uint32_t k = 0; k < part.size; k += static_cast<std::uint32_t>(hn::Lanes(d))) {
    V x, y, z;
    hn::LoadInterleaved3(d, part.x + 3ul * k, x, y, z);
    const V reach = hn::Add(hn::Add(cr, hn::LoadU(d, part.r + k)), m);
    const V d2 = Square<kPeriodic>(hn::Sub(x, cx), hn::Sub(y, cy), hn::Sub(z, cz), s);
    const auto near = hn::And(hn::Lt(d2, hn::Mul(reach, reach)), hn::FirstN(d, part.size - k));
    if (!hn::AllFalse(d, near)) out = Emit(own, hn::PromoteTo(D64(), hn::LoadU(D32(), part.id + k)), near, out);
  }
  found.used += static_cast<std::size_t>(out - first);
}

/// All of `a` against all of `b`, as `meets` computes it. Same: one part against itself.
template <bool kPeriodic>
HWY_INLINE void Compare(const Few& a, const Few& b, bool same, double margin, const Periods& s, Found& found) {
  const D d;
  const V m = hn::Set(d, margin);
  for (std::uint32_t i = 0; i < a.size; ++i) {
    const V x = hn::Set(d, a.x[i]), y = hn::Set(d, a.y[i]), z = hn::Set(d, a.z[i]), r = hn::Set(d, a.r[i]);
    const auto own = hn::Set(D64(), a.id[i]);
    std::uint64_t* const first = found.room(b.size);
    std::uint64_t* out = first;
    for (std::uint32_t k = same ? i + 1 : 0; k < b.size; k += static_cast<std::uint32_t>(hn::Lanes(d))) {
      const V reach = hn::Add(hn::Add(r, hn::LoadU(d, b.r + k)), m);
      const V d2 = Square<kPeriodic>(hn::Sub(hn::LoadU(d, b.x + k), x), hn::Sub(hn::LoadU(d, b.y + k), y),
                                     hn::Sub(hn::LoadU(d, b.z + k), z), s);
      const auto near = hn::And(hn::Lt(d2, hn::Mul(reach, reach)), hn::FirstN(d, b.size - k));
      if (!hn::AllFalse(d, near)) out = Emit(own, hn::LoadU(D64(), b.id + k), near, out);
    }
    found.used += static_cast<std::size_t>(out - first);
  }
}

Pair PairOf(std::uint64_t p) { return {static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(p >> 32)}; }

/// Moves what one part has found to the list. In order: sorted by the first sphere; each sphere's partners rise
/// already.
void Append(Found& found, bool in_order, const Loaded& part, std::vector<Pair>& out) {
  const std::size_t n = std::exchange(found.used, 0), at = out.size();
  if (n == 0) return;
  out.resize(at + n);
  const std::uint64_t* const pairs = found.pairs.data();
  if (!in_order || part.size == 1 || n == 1) {
    for (std::size_t k = 0; k < n; ++k) out[at + k] = PairOf(pairs[k]);
    return;
  }
  std::uint32_t start[Units::kMostOfAPart + 1];
  std::fill_n(start, part.size + 1, 0u);
  const std::uint32_t first = part.id[0];
  for (std::size_t k = 0; k < n; ++k) ++start[static_cast<std::uint32_t>(pairs[k]) - first + 1];
  for (std::uint32_t k = 1; k < part.size; ++k) start[k] += start[k - 1];
  for (std::size_t k = 0; k < n; ++k)
    out[at + start[static_cast<std::uint32_t>(pairs[k]) - first]++] = PairOf(pairs[k]);
}

/// A part that will be looked at next.
HWY_INLINE void Prefetch(const PartColumns& c, const Units& units, std::size_t part) {
  const std::size_t first = units.begin_of_part(part), size = units.size_of_part(part);
  if (size == 1) return;
  const auto* x = reinterpret_cast<const char*>(c.x + 3 * first);
  for (std::size_t at = 0; at < 3 * size * sizeof(double); at += 64) hwy::Prefetch(x + at);
  const auto* r = reinterpret_cast<const char*>(c.r + first);
  for (std::size_t at = 0; at < size * sizeof(double); at += 64) hwy::Prefetch(r + at);
}

template <bool kPeriodic>
void Resolve(const Clusters& s, const PartColumns& columns, const PartBounds& bounds, const NearParts& near,
             std::size_t begin, std::size_t end, std::vector<Pair>& out) {
  const Units& units = *s.units;
  const Periods periods(s.spheres.domain);
  const double margin = s.spheres.margin;
  Loaded one, two;
  Few some, others;
  Found found;
  for (std::size_t p = begin; p < end; ++p) {
    const bool self = s.within && units.size_of_part(p) > 1;
    if (near.start[p] == near.start[p + 1] && !self) continue;
    one.load(columns, units, p);
    if (self) {
      Keep<kPeriodic>(one, bounds.centre[p], std::numeric_limits<double>::infinity(), periods, some);
      Compare<kPeriodic>(some, some, true, margin, periods, found);
    }
    for (std::uint32_t k = near.start[p]; k < near.start[p + 1]; ++k) {
      const std::uint32_t q = near.partner[k];
      if (k + 1 < near.start[p + 1]) Prefetch(columns, units, near.partner[k + 1]);
      if (!s.within && units.unit_of_part(p) == units.unit_of_part(q)) continue;
      const bool single = units.size_of_part(q) == 1;
      if (one.size == 1 && single) {
        found.add(one.id[0], units.members()[units.begin_of_part(q)]);  // their bounding spheres are exact
        continue;
      }
      two.load(columns, units, q);
      if (one.size == 1) {
        CompareOne<kPeriodic>(bounds.centre[p], bounds.radius[p], one.id[0], two, margin, periods, found);
        continue;
      }
      if (single) {
        CompareOne<kPeriodic>(bounds.centre[q], bounds.radius[q], two.id[0], one, margin, periods, found);
        continue;
      }
      Keep<kPeriodic>(two, bounds.centre[p], bounds.radius[p] + margin, periods, others);
      if (others.size == 0) continue;
      Keep<kPeriodic>(one, bounds.centre[q], bounds.radius[q] + margin, periods, some);
      if (some.size < others.size) {
        Compare<kPeriodic>(some, others, false, margin, periods, found);
      } else {
        Compare<kPeriodic>(others, some, false, margin, periods, found);
      }
    }
    Append(found, units.in_order(), one, out);
  }
}

void ResolveParts(const Clusters& s, const PartColumns& columns, const PartBounds& bounds, const NearParts& near,
                  std::size_t begin, std::size_t end, std::vector<Pair>& out) {
  const auto& periodic = s.spheres.domain.periodic;
  const auto resolve = periodic[0] || periodic[1] || periodic[2] ? &Resolve<true> : &Resolve<false>;
  resolve(s, columns, bounds, near, begin, end, out);
}

/// Mean and radius of one part; along periodic axes relative to `origin`, its first sphere.
template <bool kPeriodic>
void Bound(const Loaded& part, Vec3 origin, const Periods& s, Vec3& centre, double& radius) {
  const D d;
  const std::uint32_t lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  const V first_r = hn::Set(d, part.r[0]);
  const auto place = [&](std::uint32_t k, V* v) HWY_ATTR {
    hn::LoadInterleaved3(d, part.x + 3ul * k, v[0], v[1], v[2]);
    if constexpr (!kPeriodic) return;
    for (std::size_t a = 0; a < 3; ++a) {
      v[a] = Nearest(hn::Sub(v[a], hn::Set(d, origin[a])), s.half[a], s.period[a]);
    }
  };
  V sum[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  auto unlike = hn::FirstN(d, 0);
  for (std::uint32_t k = 0; k < part.size; k += lanes) {
    V v[3];
    place(k, v);
    const auto there = hn::FirstN(d, part.size - k);
    for (std::size_t a = 0; a < 3; ++a) sum[a] = hn::Add(sum[a], hn::IfThenElseZero(there, v[a]));
    unlike = hn::Or(unlike, hn::And(there, hn::Ne(hn::LoadU(d, part.r + k), first_r)));
  }
  V m[3];
  for (std::size_t a = 0; a < 3; ++a) {
    m[a] = hn::Mul(hn::SumOfLanes(d, sum[a]), hn::Set(d, 1.0 / part.size));
    centre[a] = hn::GetLane(m[a]);
  }
  const bool equal = hn::AllFalse(d, unlike);
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
  radius = equal ? std::sqrt(most) + part.r[0] : most;
}

void BoundParts(const Clusters& s, const PartColumns& columns, std::size_t begin, std::size_t end, Vec3* centre,
                double* radius) {
  const Bodies& b = s.spheres;
  const Units& units = *s.units;
  const Periods periods(b.domain);
  const auto& periodic = b.domain.periodic;
  const bool any = periodic[0] || periodic[1] || periodic[2];
  const auto bound = any ? &Bound<true> : &Bound<false>;
  const double slack = seam_slack(b.domain);
  Loaded part;
  for (std::size_t p = begin; p < end; ++p) {
    const std::size_t at = units.begin_of_part(p);
    const Vec3 first{columns.x[3 * at], columns.x[3 * at + 1], columns.x[3 * at + 2]};
    if (units.size_of_part(p) == 1) {
      centre[p] = first, radius[p] = columns.r[at];
      continue;
    }
    part.load(columns, units, p);
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

void bound_parts(const Clusters& s, const PartColumns& columns, std::size_t begin, std::size_t end, Vec3* centre,
                 double* radius) {
  HWY_DYNAMIC_DISPATCH(BoundParts)(s, columns, begin, end, centre, radius);
}

void resolve_parts(const Clusters& s, const PartColumns& columns, const PartBounds& bounds, const NearParts& near,
                   std::size_t begin, std::size_t end, std::vector<Pair>& out) {
  HWY_DYNAMIC_DISPATCH(ResolveParts)(s, columns, bounds, near, begin, end, out);
}

}  // namespace scree::neighbour
#endif

#include "neighbour/grid_pairs.h"

#include <algorithm>
#include <limits>

#include "exec/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "neighbour/grid_pairs.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#ifndef SCREE_NEIGHBOUR_GRID_PAIRS_ONCE
#define SCREE_NEIGHBOUR_GRID_PAIRS_ONCE
namespace scree::neighbour {

/// Bodies [begin, end) of levels[level], in the order of its cells.
struct GridTask {
  std::span<const CellGrid> levels;
  std::size_t level, begin, end;
  std::uint32_t chunk;
};

}  // namespace scree::neighbour
#endif

HWY_BEFORE_NAMESPACE();
namespace scree::neighbour::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Querier {
  Vec3 x;
  double r;
  std::uint32_t id;
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

template <class V>
HWY_INLINE V Nearest(V d, double half, double period) {
  const hn::DFromV<V> tag;
  const V h = hn::Set(tag, half), p = hn::Set(tag, period);
  return hn::IfThenElse(hn::Gt(d, h), hn::Sub(d, p), hn::IfThenElse(hn::Lt(d, hn::Neg(h)), hn::Add(d, p), d));
}

/// Appends to `out` the numbers of the bodies [begin, end) of `g` that meet q, as `meets` computes it; kHigher: only
/// those above q's. Writes up to a vector beyond what it returns.
template <bool kPeriodic, bool kEqual, bool kHigher>
HWY_INLINE std::uint32_t* Scan(const CellGrid& g, const Querier& q, double margin, const Periods& s,
                               std::uint32_t begin, std::uint32_t end, std::uint32_t* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::uint32_t, decltype(d)> d32;
  const auto qx = hn::Set(d, q.x.x), qy = hn::Set(d, q.x.y), qz = hn::Set(d, q.x.z), m = hn::Set(d, margin);
  const auto equal_reach = hn::Add(hn::Add(hn::Set(d, q.r), hn::Set(d, g.largest())), m);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    auto dx = hn::Sub(hn::LoadU(d, g.x() + i), qx), dy = hn::Sub(hn::LoadU(d, g.y() + i), qy),
         dz = hn::Sub(hn::LoadU(d, g.z() + i), qz);
    if constexpr (kPeriodic) {
      dx = Nearest(dx, s.half.x, s.period.x);
      dy = Nearest(dy, s.half.y, s.period.y);
      dz = Nearest(dz, s.half.z, s.period.z);
    }
    auto reach = equal_reach;
    if constexpr (!kEqual) reach = hn::Add(hn::Add(hn::Set(d, q.r), hn::LoadU(d, g.r() + i)), m);
    const auto d2 = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
    const auto near = hn::And(hn::Lt(d2, hn::Mul(reach, reach)), hn::FirstN(d, end - i));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, near, bits);
    auto hit = hn::LoadMaskBits(d32, bits);
    const auto id = hn::LoadU(d32, g.id() + i);
    if constexpr (kHigher) hit = hn::And(hit, hn::Gt(id, hn::Set(d32, q.id)));
    out += hn::CompressStore(id, hit, d32, out);
  }
  return out;
}

/// Ascending order of different numbers. Few: each one's rank is the number of smaller ones, without a branch.
HWY_INLINE void SortFew(std::uint32_t* HWY_RESTRICT v, std::size_t n) {
  const hn::ScalableTag<std::uint32_t> d;
  if (n > hn::Lanes(d)) {
    std::sort(v, v + n);
    return;
  }
  HWY_ALIGN std::uint32_t copy[HWY_MAX_BYTES / 4];
  const auto all = hn::IfThenElse(hn::FirstN(d, n), hn::LoadU(d, v), hn::Set(d, ~0u));
  hn::Store(all, d, copy);
  for (std::size_t k = 0; k < n; ++k) v[hn::CountTrue(d, hn::Lt(all, hn::Set(d, copy[k])))] = copy[k];
}

/// The bodies of `g` in the cells (i0..i1, j, k) that meet q, appended to c.partners at `used`; returns the new end.
template <bool kPeriodic, bool kEqual, bool kHigher>
HWY_INLINE std::size_t Row(const CellGrid& g, const Querier& q, double margin, const Periods& s, std::int32_t i0,
                           std::int32_t i1, std::int32_t j, std::int32_t k, RunChunk& c, std::size_t used) {
  for (std::int32_t from = i0, to; from <= i1; from = to + 1) {
    to = g.hashed() ? std::min(i1, from / CellGrid::kBlock * CellGrid::kBlock + CellGrid::kBlock - 1) : i1;
    const std::uint32_t* const start = g.start() + g.slot_of(from, j, k);
    const std::uint32_t begin = start[0], end = start[to - from + 1];
    const std::size_t need = used + (end - begin) + CellGrid::kPadding;
    if (HWY_UNLIKELY(need > c.partners.size())) c.partners.grow(need, used);
    std::uint32_t* const out = c.partners.data() + used;
    used += static_cast<std::size_t>(Scan<kPeriodic, kEqual, kHigher>(g, q, margin, s, begin, end, out) - out);
  }
  return used;
}

/// The bodies of `g` around q that meet it, appended to c.partners at `used`; returns the new end.
template <bool kPeriodic, bool kEqual, bool kHigher>
HWY_INLINE std::size_t Around(const CellGrid& g, const Querier& q, double margin, const Periods& s, RunChunk& c,
                              std::size_t used) {
  // A little farther than the rounded reach of any pair.
  const double half = (q.r + g.largest() + margin) * (1 + 4e-15);
  const CellAxis &x = g.axis(0), &y = g.axis(1), &z = g.axis(2);
  const auto [i0, i1] = x.within(q.x.x, half);
  const auto [j0, j1] = y.within(q.x.y, half);
  const auto [k0, k1] = z.within(q.x.z, half);
  // Along x a range across the seam is two: up to the last cell, and from the first on.
  const bool seam = kPeriodic && (i0 < 0 || i1 >= x.cells);
  const std::int32_t before = i0 < 0 ? i0 + x.cells : i0, after = i0 < 0 ? i1 : i1 - x.cells;
  for (std::int32_t k = k0; k <= k1; ++k) {
    const std::int32_t kw = kPeriodic ? z.wrapped(k) : k;
    for (std::int32_t j = j0; j <= j1; ++j) {
      const std::int32_t jw = kPeriodic ? y.wrapped(j) : j;
      if (!seam) {
        used = Row<kPeriodic, kEqual, kHigher>(g, q, margin, s, i0, i1, jw, kw, c, used);
      } else {
        used = Row<kPeriodic, kEqual, kHigher>(g, q, margin, s, before, x.cells - 1, jw, kw, c, used);
        used = Row<kPeriodic, kEqual, kHigher>(g, q, margin, s, 0, after, jw, kw, c, used);
      }
    }
  }
  return used;
}

template <bool kPeriodic, bool kEqual>
HWY_INLINE std::size_t Partners(const CellGrid& g, const Querier& q, double margin, const Periods& s, RunChunk& c,
                                std::size_t used, bool own) {
  return own ? Around<kPeriodic, kEqual, true>(g, q, margin, s, c, used)
             : Around<kPeriodic, kEqual, false>(g, q, margin, s, c, used);
}

constexpr std::size_t kAhead = 12;

/// kPeriodic: some axis is a ring.
template <bool kPeriodic>
void Chunk(const Bodies& bodies, const GridTask& t, RunChunk& c, Run* runs) {
  const CellGrid& home = t.levels[t.level];
  const Periods periods(bodies.domain);
  bool repeats = false;
  for (std::size_t l = t.level; l < t.levels.size(); ++l) repeats = repeats || t.levels[l].hashed();
  for (std::size_t p = t.begin; p < t.end; ++p) {
    const Querier q{{home.x()[p], home.y()[p], home.z()[p]}, home.equal() ? home.largest() : home.r()[p], home.id()[p]};
    // Runs lie in the order of the numbers: a far place for each, where numbers are random in space.
    __builtin_prefetch(runs + home.id()[std::min(p + kAhead, t.end - 1)], 1);
    const std::size_t first = c.used;
    std::size_t used = first;
    for (std::size_t l = t.level; l < t.levels.size(); ++l) {
      const CellGrid& g = t.levels[l];
      const std::size_t before = used;
      used = g.equal() ? Partners<kPeriodic, true>(g, q, bodies.margin, periods, c, used, l == t.level)
                       : Partners<kPeriodic, false>(g, q, bodies.margin, periods, c, used, l == t.level);
      if (l == t.level || used == before) continue;
      std::uint32_t* const v = c.partners.data();
      if (g.hashed()) {
        std::sort(v + before, v + used);
        used = static_cast<std::size_t>(std::unique(v + before, v + used) - v);
      }
      std::size_t kept = before;
      for (std::size_t k = before; k < used; ++k) {
        if (v[k] > q.id) {
          v[kept++] = v[k];
        } else {
          c.foreign.emplace_back(v[k], q.id);
        }
      }
      used = kept;
    }
    std::uint32_t* const v = c.partners.data();
    if (repeats) {
      std::sort(v + first, v + used);
      used = static_cast<std::size_t>(std::unique(v + first, v + used) - v);
    } else if (used > first) {
      SortFew(v + first, used - first);
    }
    runs[q.id] = {t.chunk, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(used - first)};
    c.used = used;
  }
}

void GridChunk(const Bodies& bodies, const GridTask& t, RunChunk& c, Run* runs) {
  bool rings = false;
  for (const CellGrid& g : t.levels) rings = rings || g.axis(0).ring || g.axis(1).ring || g.axis(2).ring;
  if (rings) {
    Chunk<true>(bodies, t, c, runs);
  } else {
    Chunk<false>(bodies, t, c, runs);
  }
}

/// Bodies [begin, end) of the sorted columns that meet q, as pairs of numbers. Writes up to a vector beyond what it
/// returns.
template <bool kEqual>
HWY_INLINE std::uint64_t* LooseScan(const CellGrid& g, const Querier& q, double margin, std::size_t begin,
                                    std::size_t end, std::uint64_t* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> d64;
  const hn::Rebind<std::uint32_t, decltype(d)> d32;
  const auto qx = hn::Set(d, q.x.x), qy = hn::Set(d, q.x.y), qz = hn::Set(d, q.x.z), m = hn::Set(d, margin);
  const auto equal_reach = hn::Add(hn::Add(hn::Set(d, q.r), hn::Set(d, g.largest())), m);
  const auto own = hn::Set(d64, q.id);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const auto dx = hn::Sub(hn::LoadU(d, g.x() + i), qx), dy = hn::Sub(hn::LoadU(d, g.y() + i), qy),
               dz = hn::Sub(hn::LoadU(d, g.z() + i), qz);
    auto reach = equal_reach;
    if constexpr (!kEqual) reach = hn::Add(hn::Add(hn::Set(d, q.r), hn::LoadU(d, g.r() + i)), m);
    const auto d2 = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
    const auto near = hn::RebindMask(d64, hn::And(hn::Lt(d2, hn::Mul(reach, reach)), hn::FirstN(d, end - i)));
    const auto id = hn::PromoteTo(d64, hn::LoadU(d32, g.id() + i));
    const auto pair = hn::Or(hn::Min(id, own), hn::ShiftLeft<32>(hn::Max(id, own)));
    out += hn::CompressStore(pair, near, d64, out);
  }
  return out;
}

/// Bodies [begin, end) in the order of the cells, each against those behind it.
template <bool kEqual>
void LooseChunk(const CellGrid& g, double margin, std::size_t begin, std::size_t end, LoosePairs& c) {
  const CellAxis &x = g.axis(0), &y = g.axis(1), &z = g.axis(2);
  c.used = 0;
  for (std::size_t p = begin; p < end; ++p) {
    const Querier q{{g.x()[p], g.y()[p], g.z()[p]}, kEqual ? g.largest() : g.r()[p], g.id()[p]};
    // A little farther than the rounded reach of any pair.
    const double half = (q.r + g.largest() + margin) * (1 + 4e-15);
    // No structured bindings: clang 14 captures none of them.
    const CellAxis::Range along_x = x.within(q.x.x, half), along_y = y.within(q.x.y, half);
    const std::int32_t i0 = along_x.first, i1 = along_x.last, j0 = along_y.first, j1 = along_y.last;
    const std::int32_t j = y.of(q.x.y), k = z.of(q.x.z), k1 = z.within(q.x.z, half).last;
    const auto scan = [&](std::size_t first, std::size_t last) HWY_ATTR {
      const std::size_t need = c.used + (last - first) + CellGrid::kPadding;
      if (HWY_UNLIKELY(need > c.pairs.size())) c.pairs.grow(need, c.used);
      std::uint64_t* const out = c.pairs.data() + c.used;
      c.used += static_cast<std::size_t>(LooseScan<kEqual>(g, q, margin, first, last, out) - out);
    };
    const auto row = [&](std::int32_t v, std::int32_t w) HWY_ATTR {
      const std::uint32_t* const start = g.start() + g.slot_of(i0, v, w);
      scan(start[0], start[i1 - i0 + 1]);
    };
    scan(p + 1, g.start()[g.slot_of(i1, j, k) + 1]);
    for (std::int32_t v = j + 1; v <= j1; ++v) row(v, k);
    for (std::int32_t w = k + 1; w <= k1; ++w) {
      for (std::int32_t v = j0; v <= j1; ++v) row(v, w);
    }
  }
}

void LooseGridChunk(const CellGrid& g, double margin, std::size_t begin, std::size_t end, LoosePairs& c) {
  const auto chunk = g.equal() ? &LooseChunk<true> : &LooseChunk<false>;
  chunk(g, margin, begin, end, c);
}

}  // namespace scree::neighbour::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::neighbour {

HWY_EXPORT(GridChunk);
HWY_EXPORT(LooseGridChunk);

void find_loose_pairs(const Bodies& bodies, const CellGrid& grid, std::vector<LoosePairs>& chunks) {
  constexpr std::size_t kGrain = 2048;
  chunks.resize((grid.size() + kGrain - 1) / kGrain);
  exec::parallel_chunks(grid.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(LooseGridChunk)(grid, bodies.margin, begin, end, chunks[begin / kGrain]);
  });
}

void find_grid_pairs(const Bodies& bodies, std::span<const CellGrid> levels, PairRuns& found) {
  constexpr std::size_t kGrain = 2048;
  std::vector<GridTask> tasks;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    for (std::size_t p = 0; p < levels[l].size(); p += kGrain) {
      tasks.push_back({levels, l, p, std::min(p + kGrain, levels[l].size()), static_cast<std::uint32_t>(tasks.size())});
    }
  }
  found.reset(bodies.x.size(), tasks.size());
  exec::parallel_for(tasks.size(), 1, [&](std::size_t t) {
    HWY_DYNAMIC_DISPATCH(GridChunk)(bodies, tasks[t], found.chunk(t), found.runs());
  });
}

}  // namespace scree::neighbour
#endif

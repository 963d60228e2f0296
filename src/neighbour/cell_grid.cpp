#include "neighbour/cell_grid.h"

#include <algorithm>
#include <bit>

#include "exec/parallel.h"
#include "neighbour/size_levels.h"

namespace scree::neighbour {

namespace {

constexpr std::size_t kCellGrain = 4096;
// Cells that an axis can have, and to which number they are counted before they fold.
constexpr double kMostCells = 1 << 28, kMostNumbered = 1e15;

struct Bound {
  Vec3 low, high;
};

Bound join(Bound a, const Bound& b) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    a.low[axis] = std::min(a.low[axis], b.low[axis]);
    a.high[axis] = std::max(a.high[axis], b.high[axis]);
  }
  return a;
}

}  // namespace

void CellGrid::bound(const Bodies& s, const std::uint32_t* members) {
  const Vec3 first = s.x[members == nullptr ? 0 : members[0]];
  const Bound all = exec::parallel_reduce(
      count_, kCellGrain, Bound{first, first},
      [&](std::size_t begin, std::size_t end) {
        Bound b{first, first};
        for (std::size_t m = begin; m < end; ++m) {
          const Vec3 p = s.x[members == nullptr ? m : members[m]];
          b = join(b, {p, p});
        }
        return b;
      },
      join);
  low_ = all.low, high_ = all.high;
  // A period without bodies takes cells all the same.
  for (std::size_t a = 0; a < static_cast<std::size_t>(s.dimensions); ++a) {
    if (s.domain.periodic[a]) low_[a] = s.domain.low[a], high_[a] = s.domain.high[a];
  }
}

void CellGrid::lay_out(const Bodies& s, double width) {
  for (std::size_t a = 0; a < 3; ++a) {
    CellAxis& axis = axis_[a];
    axis = {};
    const bool periodic = s.domain.periodic[a] && !(s.dimensions == 2 && a == 2);
    axis.low = low_[a];
    const double span = high_[a] - axis.low;
    // Cells along x are finer: a row's range then ends closer to what is sought, at no cost but the table's.
    const double fit = std::min(span / (a == 0 ? width / 2 : width), kMostNumbered);
    axis.folded = !periodic && fit > kMostCells;
    axis.ring = periodic || axis.folded;
    axis.cells = axis.folded ? static_cast<std::int32_t>(kMostCells)
                             : std::max(1, static_cast<std::int32_t>(std::min(fit, kMostCells)) + (periodic ? 0 : 1));
    axis.inverse = span > 0 ? (periodic ? axis.cells : fit) / span : 0;
    if (periodic) axis.slack = 64 * 2.3e-16 * (std::abs(axis.low) + std::abs(high_[a]));
  }
}

// A query costs its rows and its candidates; evenly spread bodies are assumed, and `crowding` checks it afterwards.
void CellGrid::choose_width(const Bodies& s) {
  const double reach = 2 * largest_ + s.margin;
  const Vec3 span = high_ - low_;
  const double widest = std::max({span.x, span.y, span.z});
  const double n = static_cast<double>(count_);
  const double most = 2 * n + 1024, factor = std::max(s.cell, 0.25);
  double width = std::max(reach, 2 * widest / kMostCells), best_width = 0, best = 0;
  if (!(width > 0)) width = 1;
  for (bool last = false; !last; width *= 1.25) {
    lay_out(s, width * factor);
    double cells = 1, touched = 1, rows = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      const double across = 2 * reach * axis_[a].inverse + 1;
      cells *= axis_[a].cells;
      touched *= std::min<double>(across, axis_[a].cells);
      if (a > 0) rows *= std::min<double>(across, axis_[a].cells);
    }
    last = width > widest;
    const double cost = kCostOfRow * rows + kCostOfCandidate * n / cells * touched;
    if (cells <= most && (best == 0 || cost < best)) best = cost, best_width = width;
  }
  if (best > 0) width = best_width;
  lay_out(s, width * factor);
  grown_ = width > 1.01 * reach;
}

double CellGrid::crowding() const {
  const std::size_t blocks = (slots_ + kCellGrain - 1) / kCellGrain;
  std::vector<double> part(blocks, 0);
  exec::parallel_chunks(slots_, kCellGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t c = begin; c < end; ++c) sum += std::pow(static_cast<double>(start_[c + 1] - start_[c]), 2);
    part[begin / kCellGrain] = sum;
  });
  double sum = 0;
  for (const double p : part) sum += p;
  return sum / static_cast<double>(count_);
}

void CellGrid::sort(const Bodies& s, const std::uint32_t* members) {
  const std::size_t n = count_;
  // First step: parts of the table, so many that each is sorted in cache and so few that all can be written at once.
  const int wanted = std::min(static_cast<int>(std::bit_width(n / 2048)), 9);
  const int shift = std::max(0, static_cast<int>(std::bit_width(slots_)) - wanted);
  const std::size_t parts = ((slots_ - 1) >> shift) + 1;
  const std::size_t grain = std::max<std::size_t>(4096, (n + 63) / 64), blocks = (n + grain - 1) / grain;
  const auto slot = [&](std::uint32_t body) {
    const Vec3 p = s.x[body];
    return static_cast<std::uint32_t>(slot_of(axis_[0].of(p.x), axis_[1].of(p.y), axis_[2].of(p.z)));
  };
  entry_.reserve_anew(n);
  histogram_.assign(blocks * parts + parts + 1, 0);
  std::uint32_t* const part_start = histogram_.data() + blocks * parts;
  exec::parallel_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const h = histogram_.data() + begin / grain * parts;
    for (std::size_t m = begin; m < end; ++m) {
      ++h[slot(members == nullptr ? static_cast<std::uint32_t>(m) : members[m]) >> shift];
    }
  });
  std::uint32_t total = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    part_start[p] = total;
    for (std::size_t b = 0; b < blocks; ++b) total += std::exchange(histogram_[b * parts + p], total);
  }
  part_start[parts] = total;
  exec::parallel_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const h = histogram_.data() + begin / grain * parts;
    for (std::size_t m = begin; m < end; ++m) {
      const std::uint32_t body = members == nullptr ? static_cast<std::uint32_t>(m) : members[m], c = slot(body);
      entry_[h[c >> shift]++] = {c, body};
    }
  });
  start_.reserve_anew(slots_ + 1);
  x_.reserve_anew(n + kPadding), y_.reserve_anew(n + kPadding), z_.reserve_anew(n + kPadding);
  id_.reserve_anew(n + kPadding);
  if (!equal()) r_.reserve_anew(n + kPadding);
  start_[0] = 0;
  exec::parallel_chunks(parts, 1, [&](std::size_t p, std::size_t) {
    // start[c + 1] counts cell c, then is where its next body goes, and at last where it ends.
    std::uint32_t* const next = start_.data() + 1;
    const std::size_t first = p << shift, last = std::min((p + 1) << shift, slots_);
    std::fill(next + first, next + last, 0u);
    const std::uint32_t begin = part_start[p], end = part_start[p + 1];
    for (std::uint32_t e = begin; e < end; ++e) ++next[entry_[e].slot];
    std::uint32_t at = begin;
    for (std::size_t c = first; c < last; ++c) at += std::exchange(next[c], at);
    for (std::uint32_t e = begin; e < end; ++e) id_[next[entry_[e].slot]++] = entry_[e].body;
    for (std::uint32_t e = begin; e < end; ++e) {
      const Vec3 c = s.x[id_[e]];
      x_[e] = c.x, y_[e] = c.y, z_[e] = c.z;
    }
    if (equal()) return;
    for (std::uint32_t e = begin; e < end; ++e) r_[e] = s.r[id_[e]];
  });
  for (std::size_t e = n; e < n + kPadding; ++e) {
    x_[e] = y_[e] = z_[e] = 0, id_[e] = 0;
    if (!equal()) r_[e] = 0;
  }
}

void CellGrid::build(const Bodies& s, const std::uint32_t* members, std::size_t count, double smallest,
                     double largest) {
  count_ = count, smallest_ = smallest, largest_ = largest, hashed_ = false;
  bound(s, members);
  choose_width(s);
  const auto slots = [&] {
    return static_cast<double>(axis_[0].cells) * axis_[1].cells * static_cast<double>(axis_[2].cells);
  };
  slots_ = static_cast<std::size_t>(slots());
  sort(s, members);
  // Where bodies crowd in few of wide cells: cells as narrow as the longest reach.
  if (!grown_ || crowding() <= 8 + 4 * static_cast<double>(count) / slots()) return;
  lay_out(s, std::max(2 * largest + s.margin, 1e-300) * std::max(s.cell, 0.25));
  hashed_ = slots() > 4 * static_cast<double>(count) + 1024;
  mask_ = std::bit_ceil(2 * count + 1024) - 1;
  slots_ = hashed_ ? mask_ + 1 + 256 : static_cast<std::size_t>(slots());
  sort(s, members);
}

std::size_t CellGrid::bytes() const {
  return x_.bytes() + y_.bytes() + z_.bytes() + r_.bytes() + id_.bytes() + start_.bytes() + entry_.bytes() +
         histogram_.capacity() * sizeof(histogram_[0]);
}

}  // namespace scree::neighbour

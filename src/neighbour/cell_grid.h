#pragma once
#include <cmath>

#include "neighbour/pair_runs.h"

namespace scree::neighbour {

/// Cells along one axis.
struct CellAxis {
  double low = 0, inverse = 0;  ///< m, 1/m
  double slack = 0;             ///< m: what rounding can shift across the seam of a periodic axis
  std::int32_t cells = 1;
  bool ring = false;    ///< the last cell is beside the first
  bool folded = false;  ///< a ring because the bodies span more cells than can be numbered: far places share cells

  /// Does not decrease with x along the unfolded axis, whatever the rounding.
  std::int32_t of(double x) const {
    const double c = (x - low) * inverse;
    if (folded) [[unlikely]]
      return fold(std::floor(c));
    return c > 0 ? (c < cells ? static_cast<std::int32_t>(c) : cells - 1) : 0;
  }
  /// Cell on the ring of the whole number c, 0 <= c < 2^53.
  std::int32_t fold(double c) const {
    double rest = c - std::floor(c / cells) * cells;
    rest = rest < 0 ? rest + cells : rest;
    return static_cast<std::int32_t>(rest >= cells ? rest - cells : rest);
  }
  std::int32_t wrapped(std::int32_t i) const { return i < 0 ? i + cells : (i >= cells ? i - cells : i); }
  struct Range {
    std::int32_t first, last;
  };
  /// Cells of [x - half, x + half]; on a ring first may be negative and last beyond the end: to be wrapped.
  [[gnu::always_inline]] Range within(double x, double half) const {
    const double from = (x - half - slack - low) * inverse, to = (x + half + slack - low) * inverse;
    if (!ring) {
      if (to < 0 || from >= cells) return {0, -1};
      return {from > 0 ? static_cast<std::int32_t>(from) : 0, to < cells ? static_cast<std::int32_t>(to) : cells - 1};
    }
    if (to - from >= cells - 1) return {0, cells - 1};
    if (folded) {
      const double first = std::floor(from > 0 ? from : 0), last = std::floor(to > 0 ? to : 0);
      const std::int32_t i = fold(first);
      return {i, i + static_cast<std::int32_t>(last - first)};
    }
    const auto floor = [](double c) {
      const auto i = static_cast<std::int32_t>(c);
      return i - (c < i ? 1 : 0);
    };
    const Range r{floor(from), floor(to)};
    return r.last - r.first >= cells - 1 ? Range{0, cells - 1} : r;
  }
};

/// Bodies sorted by cell (counting sort in two steps, in parallel, in the order of their numbers within a cell), their
/// columns copied in that order. Cells of a row along x lie side by side. A table of all cells where that is of the
/// order of the bodies; else blocks of 16 x 4 x 4 cells, hashed: memory grows with the bodies, never with the empty
/// space.
class CellGrid {
 public:
  static constexpr std::size_t kPadding = 16;  ///< elements that may be read past the end of a column

  /// `members`: numbers of the bodies, rising; null: all of them. `smallest`, `largest`: their radii (m).
  void build(const Bodies& bodies, const std::uint32_t* members, std::size_t count, double smallest, double largest);

  std::size_t size() const { return count_; }
  double largest() const { return largest_; }
  bool equal() const { return smallest_ == largest_; }
  /// Cells of different places share slots: a body may turn up twice around a place.
  bool hashed() const { return hashed_; }
  const CellAxis& axis(std::size_t a) const { return axis_[a]; }
  const double* x() const { return x_.data(); }
  const double* y() const { return y_.data(); }
  const double* z() const { return z_.data(); }
  const double* r() const { return r_.data(); }  ///< not there where all are equal
  const std::uint32_t* id() const { return id_.data(); }

  /// Bodies of the slots [s, t) are those from start()[s] to start()[t] - 1.
  const std::uint32_t* start() const { return start_.data(); }
  /// Slot of a cell. Those of i rising follow each other: all of a row's, or where hashed those of equal i / kBlock.
  [[gnu::always_inline]] std::size_t slot_of(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if (!hashed_) {
      return (static_cast<std::size_t>(k) * static_cast<std::size_t>(axis_[1].cells) + static_cast<std::size_t>(j)) *
                 static_cast<std::size_t>(axis_[0].cells) +
             static_cast<std::size_t>(i);
    }
    std::uint64_t h = static_cast<std::uint32_t>(i / kBlock) * 0x9e3779b97f4a7c15ULL;
    h = (h ^ (h >> 32) ^ static_cast<std::uint32_t>(j >> 2)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 32) ^ static_cast<std::uint32_t>(k >> 2)) * 0x94d049bb133111ebULL;
    return ((h >> 32) & mask_) + static_cast<std::size_t>((k & 3) << 6 | (j & 3) << 4 | (i % kBlock));
  }
  static constexpr std::int32_t kBlock = 16;

  std::size_t bytes() const;

 private:
  void bound(const Bodies& bodies, const std::uint32_t* members);
  void lay_out(const Bodies& bodies, double width);
  void choose_width(const Bodies& bodies);
  void sort(const Bodies& bodies, const std::uint32_t* members);
  double crowding() const;

  struct Entry {
    std::uint32_t slot, body;
  };
  std::size_t count_ = 0, slots_ = 0, mask_ = 0;
  double smallest_ = 0, largest_ = 0;
  bool hashed_ = false, grown_ = false;  // grown: cells wider than the longest reach
  Vec3 low_{}, high_{};
  std::array<CellAxis, 3> axis_;
  RawArray<double> x_, y_, z_, r_;
  RawArray<std::uint32_t> id_, start_;
  RawArray<Entry> entry_;
  std::vector<std::uint32_t> histogram_;
};

}  // namespace scree::neighbour

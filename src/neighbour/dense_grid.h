#pragma once
#include "neighbour/neighbour.h"

namespace scree::neighbour {

/// The grid of the textbooks: a box cut into equal cells, each with its place in a table, and what lies in a cell side
/// by side (counting sort). Memory grows with the box; cells are widened where the table would grow beyond `most`.
class DenseGrid {
 public:
  /// `cell` (m): wanted width; along periodic axes cells fill the period. Places lie inside a periodic domain.
  void lay_out(const Domain& domain, std::span<const Vec3> places, double cell, std::size_t most);
  void sort(std::span<const Vec3> places);

  std::size_t cells() const { return start_.empty() ? 0 : start_.size() - 1; }
  /// Indices into `places`, rising.
  std::span<const std::uint32_t> in(std::size_t cell) const {
    return std::span(order_).subspan(start_[cell], start_[cell + 1] - start_[cell]);
  }
  std::span<const std::uint32_t> order() const { return order_; }
  std::uint32_t start(std::size_t cell) const { return start_[cell]; }

  /// f(other cell) for 13 of the 26 cells around, so that two neighbours are seen from one of them only.
  template <class F>
  void half_around(std::size_t cell, F&& f) const {
    const std::int64_t nx = axis_[0].cells, ny = axis_[1].cells;
    const auto c = static_cast<std::int64_t>(cell);
    const std::array<std::int64_t, 3> at{c % nx, c / nx % ny, c / (nx * ny)};
    for (int d = 14; d < 27; ++d) {
      const std::array<int, 3> step{d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
      std::array<std::int64_t, 3> to{};
      bool there = true;
      for (std::size_t a = 0; a < 3 && there; ++a) there = axis_[a].step(at[a], step[a], to[a]);
      if (there) f(static_cast<std::size_t>((to[2] * ny + to[1]) * nx + to[0]));
    }
  }
  /// f(cell) for the cells that touch the cube of half a side `half` (m) about x, each once.
  template <class F>
  void within(Vec3 x, double half, F&& f) const {
    const Range i = axis_[0].range(x.x, half), j = axis_[1].range(x.y, half), k = axis_[2].range(x.z, half);
    for (std::int64_t w = k.first; w <= k.last; ++w) {
      for (std::int64_t v = j.first; v <= j.last; ++v) {
        for (std::int64_t u = i.first; u <= i.last; ++u) {
          f(static_cast<std::size_t>((axis_[2].wrap(w) * axis_[1].cells + axis_[1].wrap(v)) * axis_[0].cells +
                                     axis_[0].wrap(u)));
        }
      }
    }
  }
  std::size_t bytes() const { return (start_.capacity() + order_.capacity() + cell_.capacity()) * sizeof(start_[0]); }

 private:
  struct Range {
    std::int64_t first, last;
  };
  struct Axis {
    double low = 0, inverse = 0;
    std::int64_t cells = 1;
    bool periodic = false;

    std::int64_t of(double x) const {
      const double c = (x - low) * inverse;
      return c > 0 ? (c < static_cast<double>(cells) ? static_cast<std::int64_t>(c) : cells - 1) : 0;
    }
    /// Whether there is a cell beyond; with fewer than three along a periodic axis there is one, and it is alone.
    bool step(std::int64_t from, int by, std::int64_t& to) const {
      to = from + by;
      if (by == 0 || (to >= 0 && to < cells)) return true;
      if (!periodic || cells < 3) return false;
      to = wrap(to);
      return true;
    }
    std::int64_t wrap(std::int64_t c) const { return c < 0 ? c + cells : (c >= cells ? c - cells : c); }
    Range range(double x, double half) const;
  };
  std::array<Axis, 3> axis_;
  std::vector<std::uint32_t> start_, order_, cell_;
};

/// What rounding can add to a distance across the seam of a periodic axis (m).
double seam_slack(const Domain& domain);

}  // namespace scree::neighbour

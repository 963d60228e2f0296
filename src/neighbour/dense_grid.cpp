#include "neighbour/dense_grid.h"

#include <algorithm>
#include <cmath>

namespace scree::neighbour {

double seam_slack(const Domain& domain) {
  double slack = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (domain.periodic[a]) slack = std::max(slack, 1.5e-14 * (std::abs(domain.low[a]) + std::abs(domain.high[a])));
  }
  return slack;
}

DenseGrid::Range DenseGrid::Axis::range(double x, double half) const {
  const double last = static_cast<double>(cells) - 1;
  const double from = std::floor((x - half - low) * inverse), to = std::floor((x + half - low) * inverse);
  if (periodic && !(to - from < last)) return {0, cells - 1};
  if (periodic) return {static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)};
  // The borders' cells take what lies beyond them: rounding may have put it there.
  return {from > 0 ? static_cast<std::int64_t>(std::min(from, last)) : 0,
          to < last ? static_cast<std::int64_t>(std::max(to, 0.0)) : cells - 1};
}

void DenseGrid::lay_out(const Domain& domain, std::span<const Vec3> places, double cell, std::size_t most) {
  Vec3 low = places[0], high = places[0];
  for (const Vec3& p : places) {
    for (std::size_t a = 0; a < 3; ++a) low[a] = std::min(low[a], p[a]), high[a] = std::max(high[a], p[a]);
  }
  // Indices stay below a million, so that their rounding stays below 1e-9 of a cell.
  double width = cell * (1 + 1e-8) + seam_slack(domain), total = 0;
  do {
    total = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      Axis& axis = axis_[a];
      axis.periodic = domain.periodic[a];
      axis.low = axis.periodic ? domain.low[a] : low[a];
      const double span = axis.periodic ? domain.high[a] - domain.low[a] : high[a] - low[a];
      const double fit = std::isfinite(span) ? std::floor(std::min(span / width, 1e6)) : 0;
      axis.cells = static_cast<std::int64_t>(axis.periodic ? (fit < 3 ? 1 : fit) : fit + 1);
      axis.inverse = !(span > 0) || !std::isfinite(span)
                         ? 0
                         : (axis.periodic ? static_cast<double>(axis.cells) / span : std::min(1 / width, 1e6 / span));
      total *= static_cast<double>(axis.cells);
    }
    width *= 1.1;
  } while (total > static_cast<double>(most));
  start_.assign(static_cast<std::size_t>(total) + 1, 0);
}

void DenseGrid::sort(std::span<const Vec3> places) {
  cell_.resize(places.size()), order_.resize(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    const Vec3 x = places[p];
    cell_[p] = static_cast<std::uint32_t>((axis_[2].of(x.z) * axis_[1].cells + axis_[1].of(x.y)) * axis_[0].cells +
                                          axis_[0].of(x.x));
    ++start_[cell_[p]];
  }
  // start_[c] counts cell c, then is where it ends, and at last where it begins.
  for (std::size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
  for (std::size_t p = places.size(); p-- > 0;) order_[--start_[cell_[p]]] = static_cast<std::uint32_t>(p);
}

}  // namespace scree::neighbour

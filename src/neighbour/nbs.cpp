#include "neighbour/nbs.h"

#include <algorithm>
#include <cmath>

namespace scree::neighbour {

namespace {

using Body = std::uint32_t;
using Heads = std::vector<Body>;

constexpr Body old = 0x80000000, none = 0x7fffffff;

Body first(Body head) { return head & none; }
bool is_new(Body head) { return head < none; }

void push(Heads& heads, std::vector<Body>& next, std::uint32_t cell, Body p) {
  next[p] = heads[cell];
  heads[cell] = p;
}

template <class F>
void each(Body list, const std::vector<Body>& next, F&& f) {
  for (Body p = list; p != none; p = next[p]) f(p);
}

/// Cells not shorter than `cell` from low to high (m), at most `cap` of them.
NbsAxis make_axis(double low, double high, double cell, bool periodic, std::uint32_t cap) {
  const double length = high - low;
  // Integerised coordinates of bodies a cell apart must differ by no more than 1 after rounding; and they fit 64 bits.
  cell += 2e-15 * length;
  NbsAxis axis{low, 1 / cell, 1, 1};
  if (periodic) {
    axis.cells = static_cast<std::uint64_t>(length / cell);
    if (axis.cells > cap) axis.cells -= axis.cells % cap;  // the fold must meet itself at the border
    if (axis.cells < 3) axis.cells = 1;                    // all of them neighbours: one does as well
    axis.per_length = static_cast<double>(axis.cells) / length;
    axis.m = static_cast<std::uint32_t>(std::min<std::uint64_t>(axis.cells, cap));
  } else {
    axis.cells = static_cast<std::uint64_t>(length * axis.per_length) + 1;
    axis.m = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(axis.cells + 1, 3, cap));
  }
  return axis;
}

}  // namespace

void Nbs::set_axes(const Bodies& s) {
  double widest = 0;
  Vec3 low = s.x[0], high = s.x[0];
  for (std::size_t p = 0; p < s.x.size(); ++p) {
    widest = std::max(widest, s.r[p]);
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], s.x[p][k]), high[k] = std::max(high[k], s.x[p][k]);
  }
  const double cell = std::max(s.cell, 1.0) * (2 * widest + s.margin);
  const auto cap = static_cast<std::uint32_t>(std::min<std::size_t>(4 * s.x.size() + 4096, none));
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.dimensions); ++k) {
    if (s.domain.periodic[k]) low[k] = s.domain.low[k], high[k] = s.domain.high[k];
    axis_[k] = make_axis(low[k], high[k], cell, s.domain.periodic[k], cap);
  }
}

void Nbs::allocate(const Bodies& s) {
  const bool flat = s.dimensions == 2;
  const std::size_t n = s.x.size(), rows = axis_[1].m, cells = axis_[0].m;
  // Heads only grow, empty ones at the end: no loop over cells from call to call.
  const auto grow = [](Heads& heads, std::size_t m) {
    if (heads.size() < m) heads.resize(m, none);
  };
  integers_ = flat ? rows + 2 * cells + 2 * n : axis_[2].m + 2 * rows + 5 * cells + 3 * n;
  if (!flat) grow(heads_z_, axis_[2].m), next_z_.resize(n);
  for (std::size_t k = 0; k < (flat ? 1 : 2); ++k) grow(heads_y_[k], rows);
  for (std::size_t k = 0; k < (flat ? 2 : 5); ++k) grow(heads_x_[k], cells);
  next_y_.resize(n);
  next_x_.resize(n);
  found_.reset(1);
  checked_ = 0;
}

Status Nbs::find(const Bodies& s, std::vector<Pair>& pairs) {
  pairs.clear();
  checked_ = integers_ = 0;
  if (s.x.empty()) return ok();
  if (s.x.size() >= none) return Error{"nbs numbers bodies with 31 bits: choose another method for more than 2^31 - 2"};
  set_axes(s);
  allocate(s);
  const auto n = static_cast<Body>(s.x.size());
  if (s.dimensions == 2) {
    const NbsAxis& y = axis_[1];
    Heads& heads = heads_y_[0];
    for (Body p = 0; p < n; ++p) push(heads, next_y_, y.of(s.x[p].y), p);  // loop 1
    for (Body p = 0; p < n; ++p) {                                         // loop 2
      const std::uint32_t iy = y.of(s.x[p].y);
      if (is_new(heads[iy])) heads[iy] |= old, row(s, iy, 2);
    }
    for (Body p = 0; p < n; ++p) heads[y.of(s.x[p].y)] = none;  // loop 8
  } else {
    const NbsAxis& z = axis_[2];
    for (Body p = 0; p < n; ++p) push(heads_z_, next_z_, z.of(s.x[p].z), p);
    for (Body p = 0; p < n; ++p) {
      const std::uint32_t iz = z.of(s.x[p].z);
      if (!is_new(heads_z_[iz])) continue;
      heads_z_[iz] |= old;
      layer(s, first(heads_z_[iz]), z.m == 1 ? none : first(heads_z_[z.below(iz)]));
    }
    for (Body p = 0; p < n; ++p) heads_z_[z.of(s.x[p].z)] = none;
  }
  found_.join(n, pairs);
  return ok();
}

void Nbs::layer(const Bodies& s, Body here, Body below) {
  const NbsAxis& y = axis_[1];
  each(here, next_z_, [&](Body p) { push(heads_y_[0], next_y_, y.of(s.x[p].y), p); });
  each(below, next_z_, [&](Body p) { push(heads_y_[1], next_y_, y.of(s.x[p].y), p); });
  each(here, next_z_, [&](Body p) {
    const std::uint32_t iy = y.of(s.x[p].y);
    if (is_new(heads_y_[0][iy])) heads_y_[0][iy] |= old, row(s, iy, 5);
  });
  each(here, next_z_, [&](Body p) { heads_y_[0][y.of(s.x[p].y)] = none; });
  each(below, next_z_, [&](Body p) { heads_y_[1][y.of(s.x[p].y)] = none; });
}

void Nbs::row(const Bodies& s, std::uint32_t iy, std::size_t lists) {
  const NbsAxis &x = axis_[0], &y = axis_[1];
  const bool ring = y.m > 1;
  const auto of = [&](std::size_t k, std::uint32_t i) { return first(heads_y_[k][i]); };
  std::array<Body, 5> bodies{of(0, iy), ring ? of(0, y.below(iy)) : none, none, none, none};
  if (lists == 5) {
    bodies[2] = ring ? of(1, y.below(iy)) : none;
    bodies[3] = of(1, iy);
    bodies[4] = ring ? of(1, y.above(iy)) : none;
  }
  for (std::size_t k = 0; k < lists; ++k) {  // loops 3 and 4
    each(bodies[k], next_y_, [&](Body p) { push(heads_x_[k], next_x_, x.of(s.x[p].x), p); });
  }
  each(bodies[0], next_y_, [&](Body p) {  // loop 5
    const std::uint32_t ix = x.of(s.x[p].x);
    if (is_new(heads_x_[0][ix])) heads_x_[0][ix] |= old, cell(s, ix, lists);
  });
  for (std::size_t k = 0; k < lists; ++k) {  // loops 6 and 7
    each(bodies[k], next_y_, [&](Body p) { heads_x_[k][x.of(s.x[p].x)] = none; });
  }
}

void Nbs::cell(const Bodies& s, std::uint32_t ix, std::size_t lists) {
  const NbsAxis& x = axis_[0];
  const bool ring = x.m > 1;
  std::array<Body, 13> others;
  std::size_t n = 0;
  const auto add = [&](const Heads& heads, std::uint32_t i) {
    if (const Body list = first(heads[i]); list != none) others[n++] = list;
  };
  if (ring) add(heads_x_[0], x.below(ix));
  for (std::size_t k = 1; k < lists; ++k) {
    if (ring) add(heads_x_[k], x.below(ix));
    add(heads_x_[k], ix);
    if (ring) add(heads_x_[k], x.above(ix));
  }
  each(first(heads_x_[0][ix]), next_x_, [&](Body p) {
    compare(s, p, next_x_[p]);
    for (std::size_t k = 0; k < n; ++k) compare(s, p, others[k]);
  });
}

void Nbs::compare(const Bodies& s, Body a, Body others) {
  std::vector<Pair>& found = found_.chunk(0);
  each(others, next_x_, [&](Body b) {
    ++checked_;
    if (meets(s, a, b)) found.emplace_back(std::min(a, b), std::max(a, b));
  });
}

std::size_t Nbs::bytes() const {
  std::size_t integers = heads_z_.capacity() + next_z_.capacity() + next_y_.capacity() + next_x_.capacity();
  for (const Heads& heads : heads_y_) integers += heads.capacity();
  for (const Heads& heads : heads_x_) integers += heads.capacity();
  return integers * sizeof(Body) + found_.bytes();
}

}  // namespace scree::neighbour

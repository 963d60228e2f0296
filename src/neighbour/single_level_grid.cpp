#include "neighbour/single_level_grid.h"

#include <algorithm>

namespace scree::neighbour {

namespace {

template <class Sphere>
bool contact(const Clusters& s, const Sphere& a, const Sphere& b) {
  if (a.unit == b.unit && !s.within) return false;
  const double reach = a.r + b.r + s.spheres.margin;
  return norm2(nearest_image(s.spheres.domain, b.x - a.x)) < reach * reach;
}

}  // namespace

void SingleLevelGrid::sort(Rule rule, const Clusters& s) {
  rule_ = rule;
  const Bodies& b = s.spheres;
  const std::size_t n = b.x.size();
  sorted_.resize(n);
  if (n == 0) return;
  const auto [smallest, largest] = std::minmax_element(b.r.begin(), b.r.end());
  largest_ = *largest;
  const double cell = rule == Rule::largest ? std::max(b.cell, 1.0) * (2 * largest_ + b.margin)
                                            : std::max(b.cell, 0.25) * std::sqrt(2.0) * *smallest;
  grid_.lay_out(b.domain, b.x, cell, 64 * n + 4096);
  grid_.sort(b.x);
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t i = grid_.order()[k];
    sorted_[k] = {b.x[i], b.r[i], i, s.units->of(i)};
  }
}

void SingleLevelGrid::by_cells(const Clusters& s, std::vector<Pair>& out) const {
  for (std::size_t c = 0; c < grid_.cells(); ++c) {
    const std::uint32_t begin = grid_.start(c), end = grid_.start(c + 1);
    if (begin == end) continue;
    const auto against = [&](std::uint32_t k, std::uint32_t from, std::uint32_t to) {
      const Sphere a = sorted_[k];
      for (std::uint32_t l = from; l < to; ++l) {
        if (contact(s, a, sorted_[l])) out.push_back(std::minmax(a.id, sorted_[l].id));
      }
    };
    for (std::uint32_t k = begin; k < end; ++k) against(k, k + 1, end);
    grid_.half_around(c, [&](std::size_t other) {
      for (std::uint32_t k = begin; k < end; ++k) against(k, grid_.start(other), grid_.start(other + 1));
    });
  }
}

void SingleLevelGrid::by_spheres(const Clusters& s, std::vector<Pair>& out) const {
  const double slack = seam_slack(s.spheres.domain);
  for (const Sphere& a : sorted_) {
    grid_.within(a.x, (a.r + largest_ + s.spheres.margin) * (1 + 4e-15) + slack, [&](std::size_t cell) {
      for (std::uint32_t l = grid_.start(cell); l < grid_.start(cell + 1); ++l) {
        if (sorted_[l].id > a.id && contact(s, a, sorted_[l])) out.emplace_back(a.id, sorted_[l].id);
      }
    });
  }
}

void SingleLevelGrid::resolve(const Clusters& s, std::vector<Pair>& pairs) {
  pairs.clear();
  if (sorted_.empty()) return;
  found_.reset(1);
  rule_ == Rule::largest ? by_cells(s, found_.chunk(0)) : by_spheres(s, found_.chunk(0));
  found_.join(sorted_.size(), pairs);
}

std::size_t SingleLevelGrid::bytes() const {
  return grid_.bytes() + sorted_.capacity() * sizeof(Sphere) + found_.bytes();
}

}  // namespace scree::neighbour

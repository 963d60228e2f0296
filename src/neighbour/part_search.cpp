#include "neighbour/part_search.h"

#include <algorithm>

#include "exec/parallel.h"

namespace scree::neighbour {

namespace {
/// Ratio of sizes below which one grid finds bounding spheres sooner than one per size.
constexpr double kOneLevel = 3;
constexpr std::size_t kPartGrain = 256;  // parts
}  // namespace

void PartSearch::order_columns(const Clusters& s) {
  const Bodies& b = s.spheres;
  const std::size_t n = b.x.size();
  if (s.units->in_order() || n == 0) {
    columns_ = {n == 0 ? nullptr : &b.x[0].x, b.r.data(), n};
    return;
  }
  const std::span<const std::uint32_t> members = s.units->members();
  columns_.size = n + Units::kPadding;
  x_.reserve_anew(3 * columns_.size), r_.reserve_anew(columns_.size);
  exec::parallel_for(n, 16 * kPartGrain, [&](std::size_t k) {
    const Vec3 x = b.x[members[k]];
    x_[3 * k] = x.x, x_[3 * k + 1] = x.y, x_[3 * k + 2] = x.z, r_[k] = b.r[members[k]];
  });
  std::fill(x_.data() + 3 * n, x_.data() + 3 * columns_.size, 0.0);
  std::fill(r_.data() + n, r_.data() + columns_.size, 0.0);
  columns_.x = x_.data(), columns_.r = r_.data();
}

// By the second number, then by the first: both counting sorts.
void PartSearch::sort_loose(std::size_t parts) {
  start_.assign(parts + 1, 0), next_.assign(parts + 1, 0);
  std::size_t total = 0;
  for (const LoosePairs& c : loose_) {
    total += c.used;
    for (std::size_t k = 0; k < c.used; ++k) {
      ++start_[static_cast<std::uint32_t>(c.pairs[k]) + 1u], ++next_[(c.pairs[k] >> 32) + 1u];
    }
  }
  for (std::size_t p = 1; p <= parts; ++p) start_[p] += start_[p - 1], next_[p] += next_[p - 1];
  by_second_.reserve_anew(total);
  for (const LoosePairs& c : loose_) {
    for (std::size_t k = 0; k < c.used; ++k) by_second_[next_[c.pairs[k] >> 32]++] = c.pairs[k];
  }
  next_ = start_;
  partner_.resize(total);
  for (std::size_t k = 0; k < total; ++k) {
    partner_[next_[static_cast<std::uint32_t>(by_second_[k])]++] = static_cast<std::uint32_t>(by_second_[k] >> 32);
  }
}

void PartSearch::find_near(const Bodies& bounds) {
  const std::size_t parts = bounds.x.size();
  const auto [low, high] = std::minmax_element(radius_.begin(), radius_.end());
  if (parts > 1 && *high < kOneLevel * *low) {
    grid_.build(bounds, nullptr, parts, *low, *high);
    if (!grid_.hashed() && !grid_.axis(0).ring && !grid_.axis(1).ring && !grid_.axis(2).ring) {
      find_loose_pairs(bounds, grid_, loose_);
      return sort_loose(parts);
    }
  }
  levels_.find(bounds, near_);
  start_.assign(parts + 1, 0), partner_.resize(near_.size());
  for (std::size_t k = 0; k < near_.size(); ++k) ++start_[near_[k].first + 1u], partner_[k] = near_[k].second;
  for (std::size_t p = 1; p <= parts; ++p) start_[p] += start_[p - 1];
}

void PartSearch::sort(const Clusters& s) {
  const std::size_t parts = s.units->parts();
  order_columns(s);
  centre_.resize(parts), radius_.resize(parts);
  exec::parallel_chunks(parts, kPartGrain, [&](std::size_t begin, std::size_t end) {
    bound_parts(s, columns_, begin, end, centre_.data(), radius_.data());
  });
  // Sums with the largest radius are rounded by more than a small part's own.
  double largest = 0;
  for (const double r : radius_) largest = std::max(largest, r);
  const double slack = 4e-15 * (largest + s.spheres.margin);
  for (std::size_t p = 0; p < parts; ++p) radius_[p] += s.units->size_of_part(p) > 1 ? slack : 0;
  Bodies bounds = s.spheres;
  bounds.x = centre_, bounds.r = radius_;
  find_near(bounds);
}

void PartSearch::resolve(const Clusters& s, std::vector<Pair>& pairs) {
  const std::size_t parts = s.units->parts();
  found_.reset((parts + kPartGrain - 1) / kPartGrain);
  exec::parallel_chunks(parts, kPartGrain, [&](std::size_t begin, std::size_t end) {
    resolve_parts(s, columns_, {centre_, radius_}, {start_, partner_}, begin, end, found_.chunk(begin / kPartGrain));
  });
  if (s.units->in_order()) return found_.concatenate(pairs);
  found_.join(s.spheres.x.size(), pairs);
}

std::size_t PartSearch::bytes() const {
  std::size_t b = x_.bytes() + r_.bytes() + centre_.capacity() * sizeof(Vec3) + radius_.capacity() * sizeof(double) +
                  grid_.bytes() + levels_.bytes() + by_second_.bytes() + near_.capacity() * sizeof(Pair) +
                  (start_.capacity() + partner_.capacity() + next_.capacity()) * sizeof(start_[0]) + found_.bytes();
  for (const LoosePairs& c : loose_) b += c.pairs.bytes();
  return b;
}

}  // namespace scree::neighbour

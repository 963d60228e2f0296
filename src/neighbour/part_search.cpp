#include "neighbour/part_search.h"

#include <algorithm>

#include "exec/parallel.h"
#include "neighbour/part_kernels.h"

namespace scree::neighbour {

namespace {
/// Ratio of sizes below which one grid finds bounding spheres sooner than one per size.
constexpr double kOneLevel = 3;
}  // namespace

void PartSearch::sort(const Clusters& s) {
  const std::size_t parts = s.units->parts();
  centre_.resize(parts), radius_.resize(parts);
  exec::parallel_chunks(parts, 256, [&](std::size_t begin, std::size_t end) {
    bound_parts(s, begin, end, centre_.data(), radius_.data());
  });
  // Sums with the largest radius are rounded by more than a small part's own.
  double largest = 0;
  for (const double r : radius_) largest = std::max(largest, r);
  const double slack = 4e-15 * (largest + s.spheres.margin);
  for (std::size_t p = 0; p < parts; ++p) radius_[p] += s.units->part(p).size() > 1 ? slack : 0;
  Bodies bounds = s.spheres;
  bounds.x = centre_, bounds.r = radius_;
  const auto [low, high] = std::minmax_element(radius_.begin(), radius_.end());
  if (parts > 0 && *high < kOneLevel * *low) {
    one_level_.find(bounds, near_);
  } else {
    levels_.find(bounds, near_);
  }
}

void PartSearch::resolve(const Clusters& s, std::vector<Pair>& pairs) {
  constexpr std::size_t kGrain = 512;
  const std::size_t between = (near_.size() + kGrain - 1) / kGrain;
  const std::size_t parts = s.within ? s.units->parts() : 0;
  found_.reset(between + (parts + kGrain - 1) / kGrain);
  const PartBounds bounds{centre_, radius_};
  // All pairs of a part stay together.
  const auto border = [&](std::size_t k) {
    while (k > 0 && k < near_.size() && near_[k].first == near_[k - 1].first) ++k;
    return k;
  };
  exec::parallel_chunks(near_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    const std::size_t from = border(begin), to = border(end);
    resolve_parts(s, bounds, std::span(near_).subspan(from, to - from), found_.chunk(begin / kGrain));
  });
  if (s.units->in_order() && !s.within) return found_.concatenate(pairs);
  exec::parallel_chunks(parts, kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Pair> self;
    for (std::size_t p = begin; p < end; ++p) {
      if (s.units->part(p).size() > 1) self.emplace_back(p, p);
    }
    resolve_parts(s, bounds, self, found_.chunk(between + begin / kGrain));
  });
  found_.join(s.spheres.x.size(), pairs);
}

std::size_t PartSearch::bytes() const {
  return centre_.capacity() * sizeof(Vec3) + radius_.capacity() * sizeof(double) + levels_.bytes() +
         one_level_.bytes() + near_.capacity() * sizeof(Pair) + found_.bytes();
}

}  // namespace scree::neighbour

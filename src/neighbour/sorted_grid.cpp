#include "neighbour/sorted_grid.h"

#include <algorithm>

#include "exec/parallel.h"
#include "neighbour/grid_pairs.h"

namespace scree::neighbour {

void SortedGrid::find(const Bodies& bodies, std::vector<Pair>& pairs) {
  if (bodies.x.size() < 2) return pairs.clear();
  using Sizes = std::pair<double, double>;
  const auto [smallest, largest] = exec::parallel_reduce(
      bodies.r.size(), 4096, Sizes{bodies.r[0], bodies.r[0]},
      [&](std::size_t begin, std::size_t end) {
        Sizes part{bodies.r[begin], bodies.r[begin]};
        for (std::size_t p = begin; p < end; ++p) {
          part = {std::min(part.first, bodies.r[p]), std::max(part.second, bodies.r[p])};
        }
        return part;
      },
      [](Sizes a, Sizes b) {
        return Sizes{std::min(a.first, b.first), std::max(a.second, b.second)};
      });
  grid_.build(bodies, nullptr, bodies.x.size(), smallest, largest);
  find_grid_pairs(bodies, {&grid_, 1}, found_);
  found_.join(bodies.x.size(), pairs);
}

}  // namespace scree::neighbour

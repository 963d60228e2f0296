#include "neighbour/sorted_grid.h"

#include <algorithm>

#include "neighbour/grid_pairs.h"

namespace scree::neighbour {

void SortedGrid::find(const Bodies& bodies, std::vector<Pair>& pairs) {
  if (bodies.x.size() < 2) return pairs.clear();
  const auto [smallest, largest] = std::minmax_element(bodies.r.begin(), bodies.r.end());
  grid_.build(bodies, nullptr, bodies.x.size(), *smallest, *largest);
  find_grid_pairs(bodies, {&grid_, 1}, found_);
  found_.join(bodies.x.size(), pairs);
}

}  // namespace scree::neighbour

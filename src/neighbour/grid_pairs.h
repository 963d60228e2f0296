#pragma once
#include <span>

#include "neighbour/cell_grid.h"

namespace scree::neighbour {

/// Pairs in any order, each once: the smaller number in the low half.
struct LoosePairs {
  RawArray<std::uint64_t> pairs;
  std::size_t used = 0;
};

/// All pairs that meet among the bodies of one grid without rings and hashing, chunk by chunk. Each body looks at what
/// comes after it in the order of the cells: about half the work of `find_grid_pairs`, for a list without order.
void find_loose_pairs(const Bodies& bodies, const CellGrid& grid, std::vector<LoosePairs>& chunks);

/// All pairs that meet among the bodies of `levels`, which rise in size: each body searches its own level and the
/// coarser ones. Every body of `bodies` is in one level.
void find_grid_pairs(const Bodies& bodies, std::span<const CellGrid> levels, PairRuns& found);

}  // namespace scree::neighbour

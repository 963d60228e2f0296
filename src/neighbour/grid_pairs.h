#pragma once
#include <span>

#include "neighbour/cell_grid.h"

namespace scree::neighbour {

/// All pairs that meet among the bodies of `levels`, which rise in size: each body searches its own level and the
/// coarser ones. Every body of `bodies` is in one level.
void find_grid_pairs(const Bodies& bodies, std::span<const CellGrid> levels, PairRuns& found);

}  // namespace scree::neighbour

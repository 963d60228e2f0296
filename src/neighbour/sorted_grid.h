#pragma once
#include "neighbour/cell_grid.h"

namespace scree::neighbour {

/// One grid for all bodies, its cells as wide as the longest reach of a pair where they lie close, wider where they lie
/// apart. Counting sort by cell, then each body against the rows of cells around it. Linear where sizes are alike; the
/// largest body's reach serves all, so that the cost grows with the cube of the size ratio.
class SortedGrid {
 public:
  void find(const Bodies& bodies, std::vector<Pair>& pairs);
  std::size_t bytes() const { return grid_.bytes() + found_.bytes(); }

 private:
  CellGrid grid_;
  PairRuns found_;
};

}  // namespace scree::neighbour

#pragma once
#include "neighbour/cell_grid.h"

namespace scree::neighbour {

/// Hierarchical grid (He 2007; Ogarko and Luding 2012): bodies in levels by size, each level a grid of its own; a body
/// searches its level and the coarser ones. Linear at any ratio of sizes.
class MultiLevelGrid {
 public:
  void find(const Bodies& bodies, std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  std::vector<CellGrid> levels_;
  std::vector<std::uint32_t> members_;
  PairRuns found_;
};

}  // namespace scree::neighbour

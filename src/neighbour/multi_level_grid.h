#pragma once
#include "neighbour/cell_grid.h"
#include "neighbour/size_levels.h"

namespace scree::neighbour {

/// Hierarchical grid (He 2007; Ogarko and Luding 2012): bodies in levels by size, each level a grid of its own; a body
/// searches its level and the coarser ones. Linear at any ratio of sizes. How many levels, and which sizes in each,
/// follows from the spectrum (`choose_levels`); bodies of like size are all in one.
class MultiLevelGrid {
 public:
  void find(const Bodies& bodies, std::vector<Pair>& pairs);
  /// With levels of one's own: the finest first, their sizes apart, every body in one.
  void find(const Bodies& bodies, const std::vector<SizeLevel>& levels, std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  void sort_members(const Bodies& bodies, const std::vector<SizeLevel>& levels);

  std::vector<CellGrid> grids_;
  RawArray<std::uint32_t> members_;  // level by level
  std::vector<std::uint32_t> next_;
  PairRuns found_;
};

}  // namespace scree::neighbour

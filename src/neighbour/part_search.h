#pragma once
#include "neighbour/cluster_search.h"
#include "neighbour/grid_pairs.h"
#include "neighbour/multi_level_grid.h"
#include "neighbour/pair_list.h"
#include "neighbour/part_kernels.h"

namespace scree::neighbour {

/// The engine's own search for contacts between units. Bounding spheres of all parts meet in one sorted grid, each
/// looking at what comes after it only, or in the multi-level grid where their sizes differ much; parts of one unit are
/// dropped. Of two parts, the spheres that reach into the other's bounding sphere are compared, a vector at a time. No
/// grid is cut for a pair: so few spheres are left that it would cost more than it saves.
class PartSearch {
 public:
  void sort(const Clusters& s);
  void resolve(const Clusters& s, std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  void order_columns(const Clusters& s);
  void find_near(const Bodies& bounds);
  void sort_loose(std::size_t parts);

  PartColumns columns_;
  RawArray<double> x_, r_;  // part by part, where the spheres are not numbered so
  std::vector<Vec3> centre_;
  std::vector<double> radius_;
  CellGrid grid_;
  MultiLevelGrid levels_;
  std::vector<LoosePairs> loose_;
  RawArray<std::uint64_t> by_second_;
  std::vector<Pair> near_;                             // of the multi-level grid
  std::vector<std::uint32_t> start_, partner_, next_;  // NearParts
  PairList found_;
};

}  // namespace scree::neighbour

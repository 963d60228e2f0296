#pragma once
#include "neighbour/cluster_search.h"
#include "neighbour/multi_level_grid.h"
#include "neighbour/pair_list.h"
#include "neighbour/sorted_grid.h"

namespace scree::neighbour {

/// The engine's own search for contacts between units. Bounding spheres of all parts meet in one sorted grid, or
/// in the multi-level grid where their sizes differ much; parts of one unit are dropped. Of two parts, the spheres that
/// reach into the other's bounding sphere are compared, a vector at a time. No grid is cut for a pair: so few spheres
/// are left that it would cost more than it saves.
class PartSearch {
 public:
  void sort(const Clusters& s);
  void resolve(const Clusters& s, std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  std::vector<Vec3> centre_;
  std::vector<double> radius_;
  MultiLevelGrid levels_;
  SortedGrid one_level_;
  std::vector<Pair> near_;
  PairList found_;
};

}  // namespace scree::neighbour

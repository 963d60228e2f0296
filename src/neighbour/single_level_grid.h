#pragma once
#include "neighbour/cluster_search.h"
#include "neighbour/dense_grid.h"
#include "neighbour/pair_list.h"

namespace scree::neighbour {

/// The traditional search: one grid for all spheres, whatever unit they belong to (Huang et al. 2020, section 2).
/// Largest diameter (Eq. 8): each cell against itself and 13 of its 26 neighbours. Smallest diameter (Eqs. 10 and 11,
/// along z as well): each sphere against the cells within its own radius and the largest.
class SingleLevelGrid {
 public:
  enum class Rule : std::uint8_t { largest, smallest };

  void sort(Rule rule, const Clusters& s);
  void resolve(const Clusters& s, std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  struct Sphere {
    Vec3 x;
    double r;
    std::uint32_t id, unit;
  };
  void by_cells(const Clusters& s, std::vector<Pair>& out) const;
  void by_spheres(const Clusters& s, std::vector<Pair>& out) const;

  Rule rule_ = Rule::largest;
  double largest_ = 0;
  DenseGrid grid_;
  std::vector<Sphere> sorted_;
  PairList found_;
};

}  // namespace scree::neighbour

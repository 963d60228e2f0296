#pragma once
#include "neighbour/pair_list.h"

namespace scree::neighbour {

/// Two-level search (Zhao et al. 2006, section 3.2.1): boxes of S = 1.5 D50, each with the particles whose bounding
/// cubes touch it, then the bounding spheres. A pair is accepted only in the box that holds the lower corner of the
/// intersection of its two cubes, so none comes twice. Boxes are hashed: memory grows with the particles, never with
/// the empty space. Where particles far larger than a box would fill boxes without end, the box grows until they do
/// not.
class TwoLevel {
 public:
  void find(const Bodies& bodies, std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  struct Entry {
    std::uint32_t particle;
    std::int32_t i, j, k;
  };
  std::vector<Entry> entries_, sorted_;
  std::vector<std::uint32_t> start_;
  PairList found_;
};

/// 1.5 D50, D50 the median of the bounding-sphere diameters by volume (m); 0 for no particles.
double two_level_box(std::span<const double> r);

}  // namespace scree::neighbour

#pragma once
#include <cstddef>
#include <vector>

#include "base/vec.h"

/// Which rank owns which part of space.
namespace scree::ranks {

/// All of space, cut by planes in two and again in two until every rank has a part. Every place has one owner; where
/// places are few, some ranks own none of them.
class Regions {
 public:
  struct Sample {
    Vec3 x;             ///< m; a coordinate that is no number counts as the farthest
    double weight = 1;  ///< of what lies there: the parts get about the same of it
  };
  Regions() = default;
  /// The same for the same samples in the same order.
  Regions(std::vector<Sample> samples, int ranks);

  int owner(Vec3 x) const;

 private:
  /// Along `axis`, what has the same coordinate there along the next one, and so on: places that lie in layers are told
  /// apart.
  struct Cut {
    std::size_t axis = 0;
    Vec3 at;
    bool is_before(Vec3 x) const;
  };
  using Samples = std::vector<Sample>::iterator;
  void divide(Samples begin, Samples end, std::size_t cut, std::size_t ranks);

  int ranks_ = 1;
  // A cut for n ranks gives n / 2 to the side before it, whose cuts follow it, and then come those of the other.
  std::vector<Cut> cuts_;
};

}  // namespace scree::ranks

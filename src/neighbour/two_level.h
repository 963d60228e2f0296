#pragma once
#include "neighbour/pair_list.h"

namespace scree::neighbour {

/// Two-level search (Zhao et al. 2006, section 3.2.1): boxes of S = 1.5 D50 times `Bodies::cell`, each with the bodies
/// whose bounding cubes touch it, then the bounding spheres. A pair is accepted only in the box that holds the lower
/// corner of the intersection of its two cubes, so none comes twice. Boxes are hashed: memory grows with the bodies,
/// never with the empty space. Where bodies far larger than a box would fill boxes without end, the box grows until
/// they do not. Along periodic axes boxes divide the period and are numbered around it.
class TwoLevel {
 public:
  /// Errors: more than 2^28 bodies.
  Status find(const Bodies& bodies, std::vector<Pair>& pairs);
  /// Of the last find: S (m), stretched along periodic axes by less than twice; 0 for no bodies.
  double box() const { return box_; }
  /// Of the last find: mean length of the box lists, the number of boxes that a bounding cube touches.
  double mean_boxes() const { return mean_boxes_; }
  std::size_t bytes() const;

 private:
  /// Boxes of a bounding cube, not yet wrapped around periodic axes.
  struct Range {
    std::array<std::int64_t, 3> first;
    std::array<std::int32_t, 3> count;
  };
  struct Entry {
    std::uint32_t body;
    std::array<std::int32_t, 3> box;  ///< Axis::number
  };
  struct Axis {
    double low = 0, per_length = 0, slack = 0;  ///< m, boxes per m, m
    double longest = 0, half_period = 0;        ///< m, half cubes at most, and half a period
    std::int64_t boxes = 0;                     ///< of a period; 0: open

    /// Wrapped around a period, and then around 2^30: boxes that far apart share a number, which no cube can tell, for
    /// it is never so long, and no pair, for the sphere check parts them.
    std::int32_t number(std::int64_t i) const {
      if (boxes != 0) i = (i % boxes + boxes) % boxes;
      return static_cast<std::int32_t>(i & 0x3fffffff);
    }
  };
  void set_axes(const Bodies& bodies);
  void list_boxes(const Bodies& bodies);
  void sort_by_box();
  void sort_group(std::size_t group, std::size_t begin, std::size_t end);
  void search_buckets(const Bodies& bodies, std::size_t begin, std::size_t end, std::vector<Pair>& out) const;
  bool lower_corner(const Bodies& bodies, std::uint32_t p, std::uint32_t q, const Entry& entry) const;

  std::array<Axis, 3> axis_;
  double box_ = 0, mean_boxes_ = 0;
  std::vector<Range> ranges_;
  std::vector<Entry> entries_, scattered_;
  std::vector<std::uint32_t> end_;  ///< by bucket, into entries_
  std::vector<std::uint64_t> first_of_chunk_;
  std::vector<std::uint32_t> counts_;  ///< by group and chunk
  std::uint32_t mask_ = 0;
  int group_bits_ = 0;  ///< buckets of one group, as a power of two
  PairList found_;
};

/// 1.5 D50, D50 the median of the bounding-sphere diameters by volume (m); 0 for no bodies.
double two_level_box(std::span<const double> r);

}  // namespace scree::neighbour

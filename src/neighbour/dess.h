#pragma once
#include "neighbour/pair_list.h"

namespace scree::neighbour {

/// DESS, double-ended spatial sorting (Perkins & Williams 2001; here from its description in Zhao et al. 2006, section
/// 3.2.1): the low and the high ends of the bounding cubes are kept sorted along each axis. Ends move little between
/// calls, so insertion sort puts them right again; where that takes long (a first call, a jump) they are sorted afresh,
/// in O(N log N). From the sorted ends it follows how many intervals overlap along each axis: the axis with fewest is
/// swept, and each body compared with those whose interval begins inside its own.
///
/// Sizes do not matter to it, but dimensions do: a sweep finds O(N^(5/3)) overlaps in a cube of bodies, O(N^(3/2)) in a
/// square and O(N) in a tower; N^2 / 2 where all overlap along every axis. `Bodies::cell` says nothing here.
class Dess {
 public:
  void find(const Bodies& bodies, std::vector<Pair>& pairs);
  /// Axis of the last sweep, and the overlaps along it.
  std::size_t swept_axis() const { return axis_; }
  std::uint64_t checked() const { return checked_; }
  /// Lists of ends that the last find sorted afresh, of 4 in two dimensions and 6 in three; none on an idle call.
  std::size_t sorted_afresh() const { return sorted_afresh_; }
  std::size_t bytes() const;

 private:
  struct End {
    double at;  ///< m
    std::uint32_t body;
  };
  struct Cube {
    std::array<double, 3> low, high;  ///< m, along the swept axis and the two after it
    std::uint32_t body;
  };
  bool sort_ends(const Bodies& bodies, std::size_t axis, bool high);
  std::uint64_t overlaps(std::size_t axis) const;
  void lay_out(const Bodies& bodies);
  void sweep(const Bodies& bodies, std::size_t begin, std::size_t end, std::vector<Pair>& out) const;
  void sweep_border(const Bodies& bodies, std::size_t begin, std::size_t end, std::vector<Pair>& out) const;

  std::array<std::array<std::vector<End>, 2>, 3> ends_;  ///< by axis; low, high
  std::vector<Cube> cubes_;                              ///< in the order of their low ends along the swept axis
  PairList found_;
  std::size_t axis_ = 0, sorted_afresh_ = 0;
  std::uint64_t checked_ = 0;
};

}  // namespace scree::neighbour

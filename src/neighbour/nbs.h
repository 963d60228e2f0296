#pragma once
#include "neighbour/pair_list.h"

namespace scree::neighbour {

/// One axis of cells, numbered 0 .. m-1 around a ring, so that every cell has one below and one above: along a periodic
/// axis that is space itself; along others cell m-1 stays empty and parts the two ends. Space so wide that it would
/// need more cells than the cap is folded: cells m apart share a number, and the sphere check parts what that brings
/// together. A ring of one cell has no neighbours.
struct NbsAxis {
  double low = 0;           ///< m
  double per_length = 0;    ///< cells per m
  std::uint64_t cells = 1;  ///< before folding
  std::uint32_t m = 1;

  /// Integerised coordinate (Munjiza & Andrews 1998, Eqs. 8 and 9).
  std::uint32_t of(double x) const {
    const auto i = static_cast<std::uint64_t>((x - low) * per_length);
    if (i < m) return static_cast<std::uint32_t>(i);
    return static_cast<std::uint32_t>((i < cells ? i : cells - 1) % m);
  }
  std::uint32_t below(std::uint32_t i) const { return i == 0 ? m - 1 : i - 1; }
  std::uint32_t above(std::uint32_t i) const { return i + 1 == m ? 0 : i + 1; }
};

/// NBS, "no binary search" (Munjiza & Andrews 1998, section 5): cells as long as the longest reach of a pair, bodies in
/// singly linked lists, loops over bodies and never over cells. In two dimensions loops 1 to 8 as printed: each row of
/// cells against itself and the row below. In three the same once more, for layers: a cell against itself and 13 of
/// its 26 neighbours. One thread. `Bodies::cell` enlarges cells; smaller ones would lose pairs, so factors below 1
/// count as 1.
///
/// Made for bodies of similar size: cells are those of the largest, and small ones in them are checked in vain
/// (`checked` counts). The sphere check keeps the list right all the same: Zhao et al. (2006) call it "modified NBS".
class Nbs {
 public:
  /// Errors: more than 2^31 - 2 bodies.
  Status find(const Bodies& bodies, std::vector<Pair>& pairs);
  /// Pairs whose spheres the last find compared.
  std::uint64_t checked() const { return checked_; }
  /// Integers of the lists in the last find (Eq. 13): ncely + 2 ncelx + 2 N in two dimensions, ncelz + 2 ncely + 5
  /// ncelx
  /// + 3 N in three, with the empty cell of `NbsAxis` counted.
  std::size_t integers() const { return integers_; }
  std::size_t bytes() const;

 private:
  using Body = std::uint32_t;
  /// By cell, row or layer: the first body of its list, marked once the list is old. All empty between finds.
  using Heads = std::vector<Body>;
  void set_axes(const Bodies& bodies);
  void allocate(const Bodies& bodies);
  void layer(const Bodies& bodies, Body here, Body below);
  void row(const Bodies& bodies, std::uint32_t iy, std::size_t lists);
  void cell(const Bodies& bodies, std::uint32_t ix, std::size_t lists);
  void compare(const Bodies& bodies, Body a, Body others);

  std::array<NbsAxis, 3> axis_;
  Heads heads_z_;
  std::array<Heads, 2> heads_y_;  ///< of this layer and of the one below
  std::array<Heads, 5> heads_x_;  ///< rows y, y-1 of this layer and y-1, y, y+1 of the one below
  std::vector<Body> next_z_, next_y_, next_x_;
  PairList found_;
  std::uint64_t checked_ = 0;
  std::size_t integers_ = 0;
};

}  // namespace scree::neighbour

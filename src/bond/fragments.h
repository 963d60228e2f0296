#pragma once
#include <cstdint>
#include <vector>

#include "bond/bonds.h"

namespace scree::bond {

/// Which particles hold together: connected components of the bonds that are alive. A fragment is named by the lowest
/// id in it, so that the names follow from the bonds alone.
class Fragments {
 public:
  /// From nothing: O(particles + bonds).
  void build(const Particles& p, const Bonds& bonds, const Adjacency& adjacency);
  /// After one bond, `row`, was marked as broken; call once per bond, before the next is marked. Searches from both
  /// ends at once, so that the cost is that of the smaller part, or of the way around.
  /// Returns whether the fragment fell in two.
  bool split(const Particles& p, const Bonds& bonds, const Adjacency& adjacency, std::uint32_t row);

  /// Name of the fragment of each particle row; a particle without bonds is a fragment of its own.
  const std::vector<std::uint32_t>& names() const { return name_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const;

 private:
  struct Front {
    std::vector<std::uint32_t> reached;  ///< rows, in the order of the search
    std::size_t next = 0;                ///< first of them whose bonds were not followed yet
    std::uint32_t mark = 0;
  };
  /// Follows the bonds of one more row; true when the other front was met.
  bool advance(Front& front, const Bonds& bonds, const Adjacency& adjacency, std::uint32_t other);
  void rename(const Particles& p, const Front& front);

  std::vector<std::uint32_t> name_, mark_;
  Front a_, b_;
  std::uint32_t marks_ = 0;
  std::size_t count_ = 0;
};

}  // namespace scree::bond

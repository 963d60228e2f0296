#pragma once
#include "neighbour/units.h"

/// Contacts between clusters of bonded spheres (Huang et al. 2020).
/// Contract of every method: the pairs (a, b) of spheres, a < b, sorted and unique, that meet (`meets`) and belong to
/// different units - or, where asked for, to any: exactly the same list whichever method finds it, on any number of
/// threads.
namespace scree::neighbour {

enum class ClusterMethod : std::uint8_t {
  brute_force,
  single_level_max,  ///< one grid for all spheres, cells as wide as the largest (Eq. 8)
  single_level_min,  ///< one grid for all spheres, cells that hold one of the smallest (Eqs. 10 and 11)
  multi_level,       ///< units in a primary grid, spheres in secondary ones (Huang et al. 2020, Algorithm 2)
  parts,             ///< the engine's own: parts of units in a grid, then the spheres that may meet
};

/// "brute_force", "single_level_max", ...
std::string_view name(ClusterMethod method);

struct Clusters {
  Bodies spheres;
  const Units* units = nullptr;
  bool within = false;  ///< pairs inside a unit are wanted as well

  bool wanted(std::uint32_t a, std::uint32_t b) const { return within || units->of(a) != units->of(b); }
};

/// What `check` of neighbour.h asks of the spheres, and as many spheres in the units as in the columns.
Status check(const Clusters& s);

/// The second of these alone.
Status check_units(const Clusters& s);

/// All n(n-1)/2 pairs: the reference of the others.
void brute_force(const Clusters& s, std::vector<Pair>& pairs);

/// Any method, with its buffers kept from call to call.
class ClusterSearch {
 public:
  /// Processor time of all threads in the last find (s): sorting in space; comparing spheres and joining the list.
  /// Checks are in neither.
  struct Times {
    double grid = 0, resolve = 0;
  };

  ClusterSearch();
  ClusterSearch(ClusterSearch&&) noexcept;
  ClusterSearch& operator=(ClusterSearch&&) noexcept;
  ~ClusterSearch();

  /// Errors: what `check` finds. `pairs` is empty then.
  Status find(ClusterMethod method, const Clusters& s, std::vector<Pair>& pairs);
  const Times& times() const { return times_; }
  /// Memory of the buffers.
  std::size_t bytes() const;

 private:
  struct Methods;
  std::unique_ptr<Methods> methods_;
  Times times_;
};

}  // namespace scree::neighbour

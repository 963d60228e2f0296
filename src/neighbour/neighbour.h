#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/domain.h"
#include "base/result.h"
#include "base/vec.h"

/// Neighbour search: bounding spheres in, candidate pairs out.
/// Contract of every method: the pairs (a, b), a < b, sorted and unique, for which `meets` holds: exactly the same list
/// whichever method finds it, on any number of threads.
namespace scree::neighbour {

using scree::Domain, scree::nearest_image, scree::wrapped;
using Pair = std::pair<std::uint32_t, std::uint32_t>;

enum class Method : std::uint8_t {
  brute_force,
  nbs,
  two_level,
  dess,
  sorted_grid,
  multi_level_grid,
  clusters,  ///< by units of bodies that belong together (cluster_search.h)
  automatic,
  single_level,  ///< one grid for all bodies (single_level_grid.h), as Huang et al. 2020 compare with
  multi_level,   ///< units in a primary grid, bodies in secondary ones (cluster_multi_level.h), as Huang et al. 2020
};

/// Whether the method takes bodies by the units that they belong to.
inline bool goes_by_units(Method m) { return m == Method::clusters || m == Method::multi_level; }

/// The word of case files: "brute_force" ... "auto".
std::string_view name(Method method);

/// Of `two_level`.
struct TwoLevelSettings {
  double box = 1.5;  ///< S/D50: edge of a box over the median diameter of the bounding spheres by volume
};

class Units;

/// What is searched: views of the caller's columns.
struct Bodies {
  std::span<const Vec3> x;    ///< m, centres
  std::span<const double> r;  ///< m, radii of the bounding spheres
  double margin = 0;          ///< m, added to the reach of every pair
  Domain domain{};
  int dimensions = 3;  ///< 2: all z are equal; searches may then spare the third axis
  double cell = 1;     ///< factor on the cell size that a method chooses by itself; changes its cost, never its pairs
  const Units* units =
      nullptr;  ///< which bodies belong together, of all of them; only `clusters` and `multi_level` ask
};

/// The definition of a candidate pair: |x_b - x_a| < r_a + r_b + margin, nearest images along periodic axes.
inline bool meets(const Bodies& s, std::uint32_t a, std::uint32_t b) {
  const double reach = s.r[a] + s.r[b] + s.margin;
  return norm2(nearest_image(s.domain, s.x[b] - s.x[a])) < reach * reach;
}

/// Half a bounding cube (m). It reaches a little farther than half of the rounded reach of any of its pairs: the cubes
/// of two bodies that meet overlap, even after their ends have been rounded.
inline double half_cube(const Bodies& s, std::size_t p) { return (s.r[p] + s.margin / 2) * (1 + 2e-15); }

/// What every method relies on. Errors name the first body or number that breaks it: columns of equal length, finite
/// centres and radii > 0, both within 1e150 m (so that squares neither overflow nor vanish), margin finite and >= 0,
/// cell factor finite and > 0, at most 2^32 - 1 bodies; a period longer than twice the longest reach (so that no pair
/// meets twice); centres inside the domain along periodic axes; all z equal in two dimensions.
Status check(const Bodies& bodies);

/// The method that `automatic` stands for, and why, as a sentence without a full stop.
struct Choice {
  Method method = Method::brute_force;
  std::string why;
};
Choice choose(const Bodies& bodies);

/// Any method, with its buffers kept from call to call.
class Search {
 public:
  Search();
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;
  ~Search();

  /// Errors: what `check` finds; a method whose precondition the bodies do not meet. `pairs` is empty then.
  Status find(Method method, const Bodies& bodies, std::vector<Pair>& pairs);
  /// Of the last find.
  const Choice& choice() const { return choice_; }
  /// Memory of the buffers.
  std::size_t bytes() const;

 private:
  struct Methods;
  std::unique_ptr<Methods> methods_;
  Choice choice_;
};

}  // namespace scree::neighbour

#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/vec.h"

/// Neighbour search: bounding spheres in, candidate pairs out.
/// Contract of every method: the pairs (a, b), a < b, sorted and unique, with
///   |x_b - x_a| < r_a + r_b + margin,
/// exactly the same list whichever method finds it. Positions and radii must be finite.
namespace scree::neighbour {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// All n(n-1)/2 pairs: the reference of the others.
void brute_force(const std::vector<Vec3>& x, const std::vector<double>& r, double margin, std::vector<Pair>& pairs);

/// Two-level search (Zhao et al. 2006, section 3.2.1): boxes of `box` (m), each with the particles whose bounding cubes
/// touch it, then the bounding spheres. A pair is accepted only in the box that holds the lower corner of the
/// intersection of its two cubes, so none comes twice. Boxes are hashed: memory grows with the particles, never with
/// the empty space. Where particles far larger than `box` would fill boxes without end, the box grows until they do
/// not.
class TwoLevel {
 public:
  void find(const std::vector<Vec3>& x, const std::vector<double>& r, double margin, double box,
            std::vector<Pair>& pairs);

 private:
  struct Entry {
    std::uint32_t particle;
    std::int32_t i, j, k;
  };
  std::vector<Entry> entries_, sorted_;
  std::vector<std::uint32_t> start_;
  std::vector<std::vector<Pair>> found_;
};

/// 1.5 D50, D50 the median of the bounding-sphere diameters by volume (m); 0 for no particles.
double two_level_box(const std::vector<double>& r);

}  // namespace scree::neighbour

#pragma once
#include "neighbour/bounding_spheres.h"
#include "neighbour/dense_grid.h"
#include "neighbour/pair_list.h"

namespace scree::neighbour {

/// The algorithm of Huang et al. 2020, section 3.2, corrected: units by their bounding spheres in a primary grid of
/// cells >= 2 R_max; two single spheres are compared, a single sphere with each sphere of a cluster, and of two
/// clusters the spheres that reach into the other's bounding sphere, in a secondary grid of their own.
/// Corrections: a sphere i of cluster 1 stays iff |x_i - O_2| < R_2 + r_i, which is exact where the region D' is not;
/// secondary cells of 2 r_min / sqrt(3) (the sqrt(2) r_min of Eq. 20 is that of the plane), in x, y and z, with lists,
/// so that any number of spheres may share one; the space's own axes, for the local frame of Eqs. 18 and 19 does not
/// exist where the origin lies on the line of centres.
class ClusterMultiLevel {
 public:
  void sort(const Clusters& s);
  void resolve(const Clusters& s, std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  using Members = std::span<const std::uint32_t>;
  bool near(const Clusters& s, Vec3 x, double r, std::size_t unit) const;
  void two_units(const Clusters& s, std::uint32_t p, std::uint32_t q, std::vector<Pair>& out);
  void reach_into(const Clusters& s, std::size_t unit, std::size_t other, std::vector<std::uint32_t>& out) const;
  void secondary(const Clusters& s, Members a, Members b, std::vector<Pair>& out);

  BoundingSpheres bounds_;
  DenseGrid primary_;
  double slack_ = 0;
  std::vector<std::uint32_t> one_, two_, head_, next_;
  PairList found_;
};

}  // namespace scree::neighbour

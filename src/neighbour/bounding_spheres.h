#pragma once
#include "neighbour/cluster_search.h"

namespace scree::neighbour {

/// Bounding sphere of each unit (Huang et al. 2020, Eqs. 12 and 13): about the centroid by volume, as far as the
/// farthest surface. A unit so large that its centroid is beyond numbers gets an infinite one about its first sphere.
/// Lengths are those of nearest images, so that a bounding sphere is one on the periodic domain as well.
struct BoundingSpheres {
  std::vector<Vec3> centre;    ///< m, inside the periodic domain
  std::vector<double> radius;  ///< m

  void find(const Clusters& s);
};

}  // namespace scree::neighbour

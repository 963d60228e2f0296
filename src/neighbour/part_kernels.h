#pragma once
#include "neighbour/cluster_search.h"

namespace scree::neighbour {

/// Bounding spheres of the parts [begin, end): about the middle of the spheres' bounding box, a little larger than
/// rounded; of a single sphere that sphere itself, exactly.
void bound_parts(const Clusters& s, std::size_t begin, std::size_t end, Vec3* centre, double* radius);

/// Bounding spheres of all parts.
struct PartBounds {
  std::span<const Vec3> centre;
  std::span<const double> radius;
};

/// Appends the pairs of spheres that meet among `near`, sorted pairs (p, q) of parts whose bounding spheres meet; of
/// one unit where s.within is set; p = q stands for the spheres of one part among themselves. Where the units are in
/// order, and no p = q, the pairs come sorted.
void resolve_parts(const Clusters& s, const PartBounds& bounds, std::span<const Pair> near, std::vector<Pair>& out);

}  // namespace scree::neighbour

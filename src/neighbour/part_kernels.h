#pragma once
#include "neighbour/cluster_search.h"

namespace scree::neighbour {

/// The spheres' columns, part by part (Units::members); `size` elements, where at the end no vector may be read beyond.
struct PartColumns {
  const double* x = nullptr;  ///< m, three by three
  const double* r = nullptr;  ///< m
  std::size_t size = 0;
};

/// Bounding spheres of the parts [begin, end): about the mean of the centres, a little larger than rounded; of a single
/// sphere that sphere itself, exactly.
void bound_parts(const Clusters& s, const PartColumns& columns, std::size_t begin, std::size_t end, Vec3* centre,
                 double* radius);

/// Bounding spheres of all parts.
struct PartBounds {
  std::span<const Vec3> centre;
  std::span<const double> radius;
};

/// Of each part p the higher ones, rising, whose bounding spheres meet p's: partner[start[p]] ... partner[start[p + 1]
/// - 1].
struct NearParts {
  std::span<const std::uint32_t> start, partner;
};

/// Appends the pairs of spheres of the parts [begin, end) with their near ones that meet; and, where s.within is set,
/// within a part. Sorted where the units are in order.
void resolve_parts(const Clusters& s, const PartColumns& columns, const PartBounds& bounds, const NearParts& near,
                   std::size_t begin, std::size_t end, std::vector<Pair>& out);

}  // namespace scree::neighbour

#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/vec.h"
#include "geometry/polyhedron.h"

namespace scree::bond {

/// Template of a cluster: spheres in its own frame, the origin at their centre of mass (equal densities).
struct Cluster {
  std::vector<Vec3> position;  ///< m
  std::vector<double> radius;  ///< m
  std::size_t size() const { return radius.size(); }
};

/// Most spheres of one cluster.
inline constexpr std::size_t kMaxSpheres = 1'000'000;
/// Most bonds of a cluster, per sphere.
inline constexpr std::size_t kMostBonds = 100;

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Spheres of one size, as close as they can be (hexagonal layers across z), wholly inside a sphere. Errors: none fits.
Result<Cluster> packed_sphere(double radius, double sphere_radius);
/// edge x edge x edge spheres on a cubic lattice; 3: the cube of 27.
Result<Cluster> cube(std::uint32_t edge, double sphere_radius);
/// Close packing wholly inside an upright cylinder, its axis along z.
Result<Cluster> tablet(double radius, double thickness, double sphere_radius);
/// Close packing wholly inside a convex polyhedron whose coordinates are multiplied by `size` (m).
Result<Cluster> filling(const Polyhedron& mesh, double size, double sphere_radius);
/// Moves the origin to the centre of mass.
void centre(Cluster& cluster);

/// Errors: two spheres in one place, or one inside the other, named by their numbers in the template, from 0.
Status check_places(const Cluster& cluster);

/// Pairs (i < j, ascending) of spheres with |x_j - x_i| <= factor (r_i + r_j). Errors: more than kMostBonds a sphere.
Result<Pairs> bonds_by_distance(const Cluster& cluster, double factor);

/// Errors: spheres that the bonds leave outside the largest part, by their numbers.
Status check_holds(const Cluster& cluster, const Pairs& bonds);

}  // namespace scree::bond

#pragma once
#include <cstdint>
#include <vector>

#include "neighbour/cluster_search.h"

/// The rotating drum with clusters and single spheres of Huang et al. (2020), section 5, for benches of detection; the
/// same bits everywhere.
namespace scree::scenes {

struct BondedSpheres {
  std::vector<Vec3> x;              ///< m
  std::vector<double> r;            ///< m
  std::vector<std::uint32_t> unit;  ///< a cluster's spheres share a number; each other sphere has its own

  neighbour::Bodies bodies() const { return {x, r}; }
};

/// One of Table 7: spheres that together fit a sphere of radius 20 mm.
struct ClusterShape {
  char name;
  std::uint32_t spheres;
  double radius;  ///< m
};
inline constexpr double kClusterRadius = 0.020;  ///< m, Table 6
inline constexpr ClusterShape kClusterShapes[] = {{'A', 6, 0.00828}, {'B', 10, 0.0075}, {'C', 25, 0.0058},
                                                  {'D', 50, 0.0047}, {'E', 75, 0.0041}, {'F', 100, 0.00373}};

/// Centres (m) about the origin of the shape's spheres, all inside the sphere of 20 mm and as far apart as pushing
/// finds.
std::vector<Vec3> packed_cluster(const ClusterShape& shape);
/// How deep the worst pair of its spheres overlaps, of their diameter.
double worst_overlap(const ClusterShape& shape, const std::vector<Vec3>& centres);

/// What lies in the drum.
struct DrumFill {
  std::uint32_t singles = 0;  ///< radius 10 mm
  std::uint32_t clusters = 0;
  bool at_rest = true;  ///< heaped up under gravity; else thrown up, half as dense
  double diameter = 1;  ///< m, of the drum, whose axis is x
  double length = 1;    ///< m
};

/// One of Table 6, 1 to 4; `share` of its objects in a drum smaller in proportion.
DrumFill drum_fill(int distribution, double share = 1);

/// Objects at random places in the lower part of the drum, pushed apart: first as spheres, then, each cluster turned at
/// random and rigid, sphere by sphere, until the worst of the overlaps are a few per cent of a diameter. At rest they
/// sink while they are pushed. In motion they take twice the room (solid fraction 0.3 by the objects' own radii).
/// Objects are numbered at random.
BondedSpheres bonded_drum(const DrumFill& fill, const ClusterShape& shape, std::uint64_t seed = 1);

}  // namespace scree::scenes

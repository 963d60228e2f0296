#pragma once
#include "bond/cluster.h"
#include "geometry/facet_mesh.h"

namespace scree::bond {

/// Close packing wholly inside a closed surface, which may be dented, hollow or in several pieces. Errors: it is open
/// (how many edges, where), or has one side only; none fits.
Result<Cluster> filling(const FacetMesh& surface, double sphere_radius);

}  // namespace scree::bond

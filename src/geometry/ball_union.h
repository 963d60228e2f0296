#pragma once
#include <span>

#include "geometry/polyhedron.h"

namespace scree {

struct Ball {
  Vec3 centre;
  double radius = 0;
};

/// Of the union of balls, at density 1, in closed form: the divergence theorem over the spherical patches that no other
/// ball covers, and Stokes' theorem from these to the circular arcs that bound them. Exact to about 1e-12 of the
/// volume, coincident and tangent balls included. Time: balls x neighbours^2 at most.
MassProperties mass_properties(std::span<const Ball> balls);

}  // namespace scree

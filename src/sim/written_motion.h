#pragma once
#include <vector>

#include "base/result.h"
#include "sim/simulation.h"

/// Velocities and angular momenta that a program beside the run writes into the rows, between two steps.
namespace scree {

/// m/s and kg m^2/s (about the centroid, space frame), a row each.
struct GrainMotion {
  std::vector<Vec3> velocity, angular_momentum;
};
GrainMotion motion_of(const Simulation& s);

/// Takes what has been written over `before`, with as many rows: the ledger has as `exchanged` what that brings.
/// @returns whether anything is other than before
/// Errors, which put `before` back: a number that is not finite or makes the energy so, and in two dimensions a
/// velocity out of the plane or an angular momentum that is not about z.
Result<bool> take_motion(Simulation& s, const GrainMotion& before);

}  // namespace scree

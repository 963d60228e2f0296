#pragma once
#include <span>

#include "base/result.h"
#include "sim/simulation.h"

/// Forces on grains that no case knows of: of a fluid, a field, a control loop beside the run.
namespace scree {

/// From now on, until it is called again: `force` (N) and `torque` (N m, about the centroid, space frame) act on each
/// grain, a row each in the order of the particles' rows. They are a part of the state, and the ledger has their work.
/// Errors, which change nothing: lengths that differ, a number that is not finite, and in two dimensions a force out of
/// the plane or a torque that is not about z.
Status set_outer_forces(Simulation& s, std::span<const Vec3> force, std::span<const Vec3> torque);

/// Books their work of half a step, at an instant whose velocities are known: of both ends of a step that is what the
/// kicks bring (exactly so for what moves, of second order for what turns).
void book_outer_work(Simulation& s);

}  // namespace scree

#pragma once
#include "sim/contact_rows.h"

namespace scree {

/// What all dashpots of each body, and of each wall that is free to move, take of its velocity within a step, at most:
/// Scratch::dashpots, wall_dashpots.
void gather_dashpots(const Simulation& s, const ContactRows<BodyPartner>& bodies, const ContactRows<WallPartner>& walls,
                     Scratch& scratch);

}  // namespace scree

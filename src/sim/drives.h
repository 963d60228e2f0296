#pragma once
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace scree {

/// How stiff and how viscous the contacts of walls with a drive are: Wall::stiffness and dashpot. After the forces.
void measure_drives(Simulation& s);

/// Force that a drive is asked for, along its direction (N).
double force_asked(const Simulation& s, const Wall& w);

/// What a servo misses goes into its running means, when a step begins. One that does nothing but swing, for long, is
/// remarked upon.
void note_missed(Simulation& s, Wall& w, double net);

/// Servos whose force is not what they are asked for, in sentences.
std::vector<std::string> servos_that_fail(const Simulation& s);

}  // namespace scree

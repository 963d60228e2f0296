#pragma once
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace scree {

/// Half a kick for free walls, as particles get it; a servo sets its speed for the whole step when the step begins. One
/// that does nothing but swing, for long, is remarked upon.
void kick_walls(Simulation& s, bool step_begins);

/// How stiff and how viscous the contacts of walls with a drive are: Wall::stiffness and dashpot. After the forces.
void measure_drives(Simulation& s);

/// Force that a drive is asked for, along its direction (N).
double force_asked(const Simulation& s, const Wall& w);

/// Of the side of a box between the four planes beside it, as they stand: m^2. 0: they are not there.
double area_of_side(const Simulation& s, const Wall& w);

/// Servos whose force is not what they are asked for, in sentences.
std::vector<std::string> servos_that_fail(const Simulation& s);

}  // namespace scree

#pragma once
#include "sim/simulation.h"

namespace scree::app {

/// A copy with the smallest and the largest grain of each shape that inlets will pour.
Simulation with_grains_to_come(Simulation s);

/// Critical time step (s) of the grains that are there and of those that inlets will pour.
double critical_time_step_of_all(const Simulation& s);

}  // namespace scree::app

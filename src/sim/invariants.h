#pragma once
#include <cstdint>
#include <string>

#include "sim/simulation.h"

namespace scree {

/// What step() goes through, by what has just been done.
enum class Phase : std::uint8_t { drift, walls, pairs, contacts, forces, sums, end };

/// What must hold after that phase and does not, as a sentence: the phase, the row, its particles. Empty: all holds.
/// Numbers that have run away are the flight recorder's affair (sim/checks.cpp): of such a state only the tables are
/// checked; of one with a fault nothing. O(particles + pairs + contacts), on one thread.
std::string breach(const Simulation& s, Phase phase);

/// step(), looked at after each phase: the first breach, after which the rest of the step is done without a look.
/// Builds with SCREE_CHECKS have it in step() itself, and end there.
std::string step_and_check(Simulation& s);

}  // namespace scree

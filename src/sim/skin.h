#pragma once
#include "sim/simulation.h"

namespace scree {

/// Costs of a rebuild, of a particle and of a pair, in looks at a pair that the motion bound settles (docs/speed.md).
inline constexpr double kRebuildBody = 10, kRebuildPair = 20;

/// How much of the skin may be used up (m): by the two particles that have moved most since the pairs were made, or by
/// one of them and a wall. Infinite where there is no list.
double skin_used(const Simulation& s);

/// With `detection.skin: auto`: takes note of a list that has ended, or of one that lasts, and sets s.skin for the
/// next. True: a list must be made now; because this one is used up, or because a thinner one will have paid for itself
/// when it has lasted as long as this one has. From counts alone, so that the bits are those of the case: steps, pairs,
/// particles, displacements.
bool tune_skin(Simulation& s, double used);

}  // namespace scree

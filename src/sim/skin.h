#pragma once
#include <limits>

#include "sim/simulation.h"

namespace scree {

/// Costs of a rebuild, of a particle and of a pair, in looks at a pair that the motion bound settles
/// (docs/measured/speed.md).
inline constexpr double kRebuildBody = 10, kRebuildPair = 20;

/// How much of the skin may be used up (m): by the two particles that have moved most since the pairs were made, or by
/// one of them and a wall. Infinite where there is no list.
double skin_used(const Simulation& s);

/// With `detection.skin: auto`: takes note of a list that has ended, or of one that lasts, and sets s.skin for the
/// next. True: a list must be made now; because this one is used up, or because a thinner one will have paid for itself
/// when it has lasted as long as this one has. From counts alone, so that the bits are those of the case: steps, pairs,
/// particles, displacements.
bool tune_skin(Simulation& s, double used);

/// The thickest skin for which no pair meets twice along a periodic axis, and no grain that is put back comes from or
/// to a mesh that it did not know of; infinite without periodic axes. Each grain comes less than a skin beyond a face.
struct SeamRoom {
  double adhesive = 0;                                    ///< m: how far apart what adheres may be
  double skin = std::numeric_limits<double>::infinity();  ///< m
  std::size_t axis = 0;                                   ///< along which it is so narrow
  const Wall* wall = nullptr;                             ///< because of this mesh; null: of the period
};
SeamRoom room_at_seams(const Simulation& s);
/// How far the mesh goes on beyond both ends of the domain, or how far it stays away from both (m); below 0: neither.
double overhang(const Wall& w, const Domain& domain, std::size_t axis);

}  // namespace scree

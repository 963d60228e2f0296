#pragma once
#include <cstddef>

#include "sim/scratch.h"

namespace scree {

/// Pairs per chunk of found points.
inline constexpr std::size_t kPairGrain = 256;

/// The found points of the scratch's chunks become the contact tables, with the memory of the last step; each pair
/// learns its rows.
void assemble_contacts(Simulation& s, Scratch& scratch);

}  // namespace scree

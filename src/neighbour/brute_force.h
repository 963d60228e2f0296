#pragma once
#include "neighbour/neighbour.h"

namespace scree::neighbour {

/// All n(n-1)/2 pairs: the reference of the others.
void brute_force(const Bodies& bodies, std::vector<Pair>& pairs);

}  // namespace scree::neighbour

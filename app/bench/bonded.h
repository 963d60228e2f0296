#pragma once
#include <string>

namespace scree::app {

/// `scree bench bonded`: steps of clusters of bonded spheres that collide, up to a million spheres, with the memory of
/// a bond; and the search for their pairs with clusters as units beside the general one. Tables and, where `json` names
/// a file, JSON rows. Returns an exit code: 1 if the searches' lists differ or a run fails.
int bench_bonded(const std::string& json, bool quick);

}  // namespace scree::app

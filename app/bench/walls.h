#pragma once
#include <string>

namespace scree::app {

/// `scree bench walls`: the same bed in a box of planes and in meshes of 10^5 triangles. Returns an exit code.
int bench_walls(const std::string& json, bool quick);

}  // namespace scree::app

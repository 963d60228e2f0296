#pragma once
#include <string>
#include <vector>

namespace scree::app {

/// scree bench spheres: a settled bed of equal spheres with every law that spheres use, on each of these numbers of
/// threads. Returns the exit code.
int bench_spheres(const std::string& json, const std::vector<int>& threads, bool quick);

}  // namespace scree::app

#pragma once
#include <string>
#include <vector>

namespace scree::app {

/// scree bench spheres: a settled bed of equal spheres with Hertz-Mindlin, and with linear springs, rolling resistance
/// and JKR in its place or beside it, on each of these numbers of threads. Returns the exit code.
int bench_spheres(const std::string& json, const std::vector<int>& threads, bool quick);

}  // namespace scree::app

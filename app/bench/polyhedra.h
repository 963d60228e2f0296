#pragma once
#include <string>
#include <vector>

namespace scree::app {

/// scree bench polyhedra: settled beds of cubes and of mixed grains on each of these numbers of threads; `only`: all,
/// cubes or mixed. Returns the exit code.
int bench_polyhedra(const std::string& json, const std::vector<int>& threads, const std::string& only, bool quick);

}  // namespace scree::app

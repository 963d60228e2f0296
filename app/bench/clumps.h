#pragma once
#include <string>

namespace scree::app {

/// Settled beds of clumps of ten spheres beside one of single spheres, on one thread.
int bench_clumps(const std::string& json, bool quick);

}  // namespace scree::app

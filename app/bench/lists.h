#pragma once
#include <string>

namespace scree::app {

/// `scree bench skin`: steps with the tuned Verlet skin and with fixed ones, from the same states. Returns an exit
/// code.
int bench_skin(const std::string& json, bool quick);
/// `scree bench order`: steps with particles numbered anywhere, in memory by number and along the Morton curve. Returns
/// an exit code.
int bench_order(const std::string& json, bool quick);

}  // namespace scree::app

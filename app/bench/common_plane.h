#pragma once
#include <string>

namespace scree::app {

/// `scree bench common-plane`: every way of finding the common plane, over shapes, states and starts: time per call
/// beside what it gets wrong; then the pieces of the step's contact search. `rows`: prints every row, not the summary
/// alone. `quick`: two shapes, few pairs. Returns an exit code.
int bench_common_plane(const std::string& json, bool rows, bool quick);

}  // namespace scree::app

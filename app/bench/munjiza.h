#pragma once
#include <string>

namespace scree::app {

/// `scree bench munjiza`: examples I to IV of Munjiza and Andrews 1998: discs in packings A to D, ten detections each,
/// against the number of discs and against their spacing. Returns an exit code; 1 also when lists differ or the number
/// of touching pairs is not that of the packing.
int bench_munjiza(const std::string& json, bool quick);

}  // namespace scree::app

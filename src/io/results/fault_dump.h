#pragma once
#include <filesystem>

#include "base/result.h"
#include "sim/simulation.h"

namespace scree::io {

/// The particles that a fault names and those around its place, in the format of frames: FOLDER/neighbourhood.vtkhdf. A
/// particle whose pose is not finite any more is drawn where it was last known. Errors: those of the disk; no fault.
Result<std::filesystem::path> write_fault(const std::filesystem::path& folder, const Simulation& s);

}  // namespace scree::io

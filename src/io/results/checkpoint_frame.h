#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"
#include "io/results/frame.h"
#include "io/results/hdf5_file.h"

namespace scree::io {

/// What io/checkpoint/ writes, and all that can be read.
inline constexpr std::uint32_t kCheckpointVersion = 4;

/// Error: no checkpoint, or of another version.
Status is_checkpoint(hdf5::Reader& r, const std::string& name);

/// The grains as a frame of the same instant has them, angular velocities included, and the bonds that hold; without
/// walls, contacts, fragments and damage. Errors: no checkpoint of this version, one from before they named their
/// shapes, rows that contradict each other.
Result<Frame> frame_of_checkpoint(hdf5::Reader& r, const std::string& name);

}  // namespace scree::io

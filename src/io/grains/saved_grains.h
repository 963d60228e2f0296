#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/grains/grain_file.h"

namespace scree::io {

/// What a file is, by its first bytes and, where they say nothing, by its name.
enum class GrainFileKind { text, run_output, other };
GrainFileKind kind_of_grain_file(std::span<const std::byte> bytes, const std::string& name);

/// "; ... can be read": what to take in place of a file that cannot.
std::string readable_grain_files();

/// Grains of a frame (frames/*.vtkhdf) or a checkpoint (checkpoint/*.h5) as rows, in the order of their ids. The
/// columns are the file's own bits, in SI units; angular velocities are those of the instant. Errors: damaged or cut
/// short, another file of HDF5, values that no grain has, grains held by bonds, shapes that the library does not have
/// or has otherwise.
Result<GrainTable> saved_grains(std::vector<std::byte> bytes, const GrainFileAs& as);

}  // namespace scree::io

#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "base/result.h"

namespace scree::io {

/// Runs `work` in a process of its own with bounded memory and time and hands back the bytes it made: a reader that we
/// did not write can crash, run wild or hang on a damaged file without taking the program along. The process says
/// nothing on the terminal. Errors: those of `work`; that it crashed; that it took more than `seconds` of a processor
/// (whole ones are counted; of waiting twenty times as many) or more than `memory` bytes.
Result<std::vector<std::byte>> isolated(const std::function<Result<std::vector<std::byte>>()>& work, double seconds,
                                        std::size_t memory = std::size_t{4} << 30);

}  // namespace scree::io

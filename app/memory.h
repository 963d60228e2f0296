#pragma once
#include <cstddef>

namespace scree::app {

/// Bytes of the machine.
std::size_t physical_memory();

/// Most resident memory since the last call of `forget_peak` (bytes), or since the start; 0: the system does not tell.
std::size_t peak_memory();
/// Gives free memory back and begins anew.
void forget_peak();

/// From now on an allocation that the machine cannot serve fails (std::bad_alloc) in place of the whole process being
/// killed.
void fail_before_memory_is_out();

}  // namespace scree::app

#pragma once
#include <cstdio>
#include <cstdlib>

// The programmer's errors. SCREE_CHECKS (CMake option, on in the presets debug, checked, asan and tsan) keeps assert()
// and the invariants of the step; without it they cost nothing.

namespace scree {
/// Ends the program with that sentence.
[[noreturn]] inline void give_up(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
  std::abort();
}
}  // namespace scree

#pragma once
#include <cstdio>
#include <cstdlib>

// The programmer's errors. SCREE_CHECKS (CMake option, on in the presets debug, checked, asan and tsan) keeps the
// checks; without it they cost nothing, and their condition is not evaluated.

namespace scree {
/// Ends the program with that sentence.
[[noreturn]] inline void give_up(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
  std::abort();
}
}  // namespace scree

#ifdef SCREE_CHECKS
#define SCREE_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : scree::give_up(__FILE__, __LINE__, "does not hold: " #condition))
#else
#define SCREE_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif

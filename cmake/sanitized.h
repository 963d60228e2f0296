#pragma once
// Ahead of every source of a build with a sanitizer: functions of this project over vectors are not forced into their
// callers. Inlined they are functions of tens of thousands of instrumented accesses, with which the compiler takes
// minutes; what a sanitizer sees is the same. Highway's own one-liners stay inline.
#include <hwy/base.h>
#undef HWY_API
#define HWY_API static inline __attribute__((always_inline, flatten)) HWY_MAYBE_UNUSED
#undef HWY_INLINE
#define HWY_INLINE inline

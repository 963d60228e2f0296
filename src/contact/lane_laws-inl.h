// Per-target code: included once for every instruction set by the files that end in foreach_target.
// The laws with Traits::lanes. One that is missing here does not compile where it is applied.
#include "contact/laws/bloks3d-inl.h"
#include "contact/laws/hertz_coulomb-inl.h"
#include "contact/laws/hertz_mindlin-inl.h"
#include "contact/laws/linear-inl.h"

#pragma once
#include <cstdint>

namespace scree::app {

/// A hash of what this program makes of the same numbers on this machine: the mathematical functions of the C library,
/// and small beds of polyhedra and of spheres that fall, with every law's loop in the width that was chosen; the
/// program's version and commit.
std::uint64_t arithmetic_probe();

}  // namespace scree::app

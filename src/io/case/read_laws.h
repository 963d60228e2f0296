#pragma once
#include <string>

#include "io/case/reading.h"

namespace scree::io {

/// The contact law of an entry of `contacts` and what stands beside it, for the pair of materials that `c` names.
/// False: its mistake has been told, and leaves no law.
bool read_law(const Node& n, const std::string& path, Reading& in, Case::Contact& c);

/// Angle of friction of an entry of `contacts` or of a stage's `friction` (rad); 0 where it has a mistake.
double read_friction_angle(const Node& map, const std::string& path, Reading& in);

}  // namespace scree::io

#pragma once
#include <string>

#include "sim/case.h"

namespace scree {

/// How a message of set_up or of a stage begins that is about one group. No key of a case file begins alike.
inline std::string about(const Case::Group& g) { return "group '" + g.name + "': "; }

}  // namespace scree

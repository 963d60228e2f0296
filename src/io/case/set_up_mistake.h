#pragma once
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sim/case.h"

namespace scree::io {

/// What set_up or a stage says of a case, with the place in its file (or in --set) of the group or the key that the
/// message begins with. Reads the file once more.
Diagnostic set_up_mistake(const Case& c, const std::vector<std::string>& overrides, const std::string& message);

}  // namespace scree::io

#pragma once
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "sim/case.h"

namespace scree::io {

/// What set_up or a stage says of a case, with the place in its file (or in --set) of the key that it is about. Reads
/// the file once more.
Diagnostic set_up_mistake(const Case& c, const std::vector<std::string>& overrides, const Error& mistake);

}  // namespace scree::io

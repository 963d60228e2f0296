#pragma once
#include <string>

#include "base/result.h"
#include "sim/case.h"

namespace scree {

/// A mistake of a key of the case that shows when a stage begins.
inline Error about(const std::string& key, const std::string& what) { return {key + ": " + what, key}; }

/// One of a group.
inline Error about(const Case::Group& g, const Error& what) {
  return {"group '" + g.name + "': " + what.message, g.key};
}

}  // namespace scree

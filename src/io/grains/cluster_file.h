#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "bond/cluster.h"

namespace scree::io {

/// A template of a cluster from lines "x, y, z, r" (m, multiplied by `scale`), between blanks, tabs, commas or
/// semicolons; a first line that is no numbers is a heading; # begins a comment. Errors name `file`, line and column.
Result<bond::Cluster> read_cluster(std::string_view text, double scale, const std::string& file);

}  // namespace scree::io

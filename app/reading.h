#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "io/case/read_case.h"

namespace scree::app {

/// io::read_case, and unless `mute` a word on stderr when it takes long, as with a mesh of a million triangles.
io::ReadCase read_case(std::string_view command, const std::string& file, const std::vector<std::string>& set = {},
                       bool mute = false);

}  // namespace scree::app

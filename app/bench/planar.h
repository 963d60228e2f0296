#pragma once
#include <string>

namespace scree::app {

/// `scree bench nezami-fig14`: the 2-D pairs of Nezami et al. 2004, section 7.1, by Cundall's search, by the fast
/// common plane and exactly, as a table and, where `json` names a file, as JSON rows. A few seconds. Returns an exit
/// code.
int bench_nezami_2d(const std::string& json, bool quick);

}  // namespace scree::app

#pragma once
#include <string>

namespace scree::app {

/// `scree bench huang`: detection between bonded clusters in the 24 cases of Huang et al. 2020, Tables 6 to 11, by the
/// traditional grid, by the paper's multi-level algorithm and by the engine's own search; then the engine's search over
/// a growing number of clusters. Tables and, where `json` names a file, JSON rows. `rows`: every row, not the summary
/// alone. Returns an exit code: 1 if two methods differ in a list.
int bench_huang(const std::string& json, bool rows, bool quick);

}  // namespace scree::app

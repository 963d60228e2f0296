#pragma once
#include <optional>
#include <string>
#include <vector>

#include "scenes/sphere_sets.h"

namespace scree::app {

struct NeighbourOptions {
  std::string positions;             ///< file of the user's own spheres; empty: the built-in sets
  double factor = 1;                 ///< with `positions`: pairs closer than factor (r_i + r_j)
  double margin = 0;                 ///< with `positions`: added to every such reach
  std::vector<std::string> methods;  ///< empty: all, brute force only for few bodies
  std::string json, write;           ///< `write`: folder for the built-in sets as files, in place of timing them
  std::vector<int> threads{1, 2};
  bool quick = false;
};

/// The bounding spheres of what `place: {file: ...}` of a case reads, times `factor`. Mistakes go to stderr.
std::optional<scenes::Spheres> read_spheres(const std::string& file, double factor, double margin);

/// `scree bench neighbours`: pairs, time and memory by every method of the neighbour search. Returns an exit code; 1
/// also when two methods' lists differ.
int bench_neighbours(const NeighbourOptions& options);

}  // namespace scree::app

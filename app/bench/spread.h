#pragma once
#include <string>
#include <vector>

namespace scree::app {

struct SpreadOptions {
  std::vector<int> ranks{1, 2, 4, 8};
  std::string scene = "all";  ///< spheres or grains
  int grains = 0;             ///< of a rank, settled anew for each number of ranks; 0: one bed for all numbers
  int threads = 1;            ///< of each rank
};

/// Steps of beds that are spread over ranks: those of mpirun, or threads of this process that stand for them.
int bench_spread(const SpreadOptions& o, const std::string& json, bool quick);

}  // namespace scree::app

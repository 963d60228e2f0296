#pragma once
#include <cstdlib>
#include <string>

namespace scree::mpi {

/// How many processes a launcher says that it has started with this one; 0: there is no launcher.
inline int launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  if (std::getenv("PMIX_RANK") == nullptr) return 0;
  const char* tasks = std::getenv("SLURM_NTASKS");  // which is there outside of srun too
  return tasks == nullptr ? 1 : std::atoi(tasks);
}

}  // namespace scree::mpi

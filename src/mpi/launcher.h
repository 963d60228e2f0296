#pragma once
#include <cstdlib>
#include <string>

namespace scree::mpi {

/// What the environment says of the launcher of this process.
struct Launch {
  int processes = 0;         ///< that it has started, this one among them; 0: there is no launcher
  bool tells_of_all = true;  ///< false: srun that gives MPI no way to find the others
};

inline Launch launch() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (const char* value = std::getenv(name)) return {std::atoi(value), true};
  // Of a job there is SLURM_NTASKS outside of srun too, and what srun gives a terminal is a shell.
  const bool pmix = std::getenv("PMIX_RANK") != nullptr, shell = std::getenv("SLURM_PTY_PORT") != nullptr;
  const char *step = std::getenv("SLURM_STEP_NUM_TASKS"), *tasks = step != nullptr ? step : std::getenv("SLURM_NTASKS");
  if (pmix) return {tasks == nullptr ? 1 : std::atoi(tasks), true};
  return step == nullptr || shell ? Launch{} : Launch{std::atoi(step), false};
}

}  // namespace scree::mpi

#pragma once
#include <algorithm>
#include <cstdlib>

namespace scree::mpi {

/// What the environment says of the launcher of this process.
struct Launch {
  int processes = 0;         ///< that it has started, this one among them; 0: there is no launcher
  bool tells_of_all = true;  ///< false: srun that gives MPI no way to find the others
};

inline Launch launch() {
  const auto number = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? 0 : std::atoi(value);
  };
  if (const int n = number("OMPI_COMM_WORLD_SIZE"); n > 0) return {n, true};
  // Of a job there is SLURM_NTASKS outside of srun too, of a step the other only; what srun gives a terminal is a
  // shell.
  const int step = number("SLURM_STEP_NUM_TASKS");
  if (std::getenv("PMIX_RANK") != nullptr) return {std::max({1, step, step == 0 ? number("SLURM_NTASKS") : 0}), true};
  if (step > 0 && std::getenv("SLURM_PTY_PORT") == nullptr) return {step, false};
  return {std::max(number("PMI_SIZE"), number("MV2_COMM_WORLD_SIZE")), true};
}

}  // namespace scree::mpi

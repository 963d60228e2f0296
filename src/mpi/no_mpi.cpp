// In place of mpi_ranks.cpp where there is no MPI.
#include "mpi/launch.h"
#include "mpi/launcher.h"

namespace scree::mpi {

Result<std::unique_ptr<ranks::Ranks>> join() {
  if (const int n = launch().processes; n > 1)
    return Error{
        "started as one of " + std::to_string(n) +
        " processes, but this program was built without MPI: each would make the whole run by itself; build it "
        "with MPI (libopenmpi-dev) or start it once"};
  return std::unique_ptr<ranks::Ranks>(std::make_unique<ranks::OneRank>());
}

}  // namespace scree::mpi

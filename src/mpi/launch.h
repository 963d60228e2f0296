#pragma once
#include <memory>

#include "base/result.h"
#include "ranks/ranks.h"

namespace scree::mpi {

/// Those that a launcher (mpirun, srun) has started this process with, until it goes; without one OneRank. To be called
/// once, from the thread that makes all collective calls. Errors: this process is one of several, and the program was
/// built without MPI, or MPI does not find the others.
Result<std::unique_ptr<ranks::Ranks>> join();

}  // namespace scree::mpi

#pragma once
#include <filesystem>
#include <string>

#include "app/progress.h"
#include "io/results/run_record.h"
#include "sim/incident.h"
#include "sim/simulation.h"

namespace scree::app {

/// A run that has failed, and what is known of it.
struct FailedRun {
  const Case& run;
  ShapeSource shapes;
  const Simulation& state;
  std::filesystem::path checkpoints;  ///< the folder
  std::uint64_t from_step = 0;        ///< those before it are of an earlier session, whose case may have been another
  double seconds_per_step = 0;        ///< wall clock, lately
  double seconds_allowed = 0;         ///< to look back
  io::RunRecord record;               ///< so far
};

/// What is to be said of a fault.
struct Incident {
  std::string text;  ///< sentences: what failed, the likely cause, advice, where it can be looked at
  Status written = ok();
};

/// Fills the folder fault/: what is around the grains that the fault names, the steps before it, made again from the
/// last checkpoint, and why it came about, as far as they tell. Ends early, and says so, on Ctrl-C.
Incident look_into(const std::filesystem::path& folder, FailedRun failed, Progress& progress);

}  // namespace scree::app

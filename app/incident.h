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
  std::filesystem::path checkpoint;  ///< the last one; empty: there is none
  double seconds_per_step = 0;       ///< wall clock, lately
  double seconds_allowed = 0;        ///< to look back
  io::RunRecord record;              ///< so far
};

/// What is to be said of a fault behind its message.
struct Incident {
  std::string text;  ///< sentences: the likely cause, advice, where it can be looked at
  Status written = ok();
};

/// Fills the folder fault/: what is around the grains that the fault names, the steps before it, made again from the
/// last checkpoint, and why it came about, as far as they tell. Ends early, and says so, on Ctrl-C.
Incident look_into(const std::filesystem::path& folder, FailedRun failed, Progress& progress);

}  // namespace scree::app

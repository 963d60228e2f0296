#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/results/run_record.h"
#include "sim/incident.h"
#include "sim/simulation.h"

namespace scree::io {

/// A run that has failed, and what is known of it.
struct FailedRun {
  const Case& run;
  ShapeSource shapes;
  const Simulation& state;
  std::filesystem::path folder;                   ///< of its results, with its checkpoints
  std::uint64_t from_step = 0;                    ///< from states before it other steps led here than the case makes
  RunRecord record;                               ///< so far
  std::function<bool()> gives_up;                 ///< asked before every step that is made again
  std::function<void(const std::string&)> tells;  ///< of what takes a while; may be empty
};

/// What is to be said of a fault.
struct Incident {
  std::string text;  ///< sentences: what failed, the likely cause, advice, where it can be looked at
  Status written = ok();
};

/// Fills the folder fault/ of the results: what is around the grains that the fault names, the steps before it, made
/// again from a checkpoint where that does not take too long, and why it came about, as far as they tell.
Incident look_into(FailedRun failed);

}  // namespace scree::io

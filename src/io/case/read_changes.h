#pragma once
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "sim/simulation.h"

namespace scree::io {

struct ReadChanges {
  Case::Stage value;                    ///< meaningful only when has_errors(diagnostics) is false
  std::vector<Diagnostic> diagnostics;  ///< keys as in a stage: "move.lid.velocity"
};

/// Reads what a run is to be changed by while a stage goes on: a map of those keys of a stage that a checkpoint can
/// hold (remove, move, gravity, damping, cut_above, insert, open, close). `s`: the run as it stands. Files that the map
/// names are sought from the case's folder. Never throws, whatever the text holds.
ReadChanges read_changes(const std::string& text, const Case& c, const Simulation& s);

/// Gives the walls of a state that was read again the motions that came from outside (Wall::steered).
Status steer_again(Simulation& s, const Case& c);

}  // namespace scree::io

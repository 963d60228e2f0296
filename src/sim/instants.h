#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/simulation.h"

namespace scree {

/// Whether the state is the step nearest to the instant t, or later; stage_is_over() rounds alike.
inline bool reached(const Simulation& s, double t) { return s.time >= t - 0.5 * s.dt; }

/// Time between output instants (s) in the running stage. Instants closer than steps are the steps.
inline double output_every(const Simulation& s, const Case& c) {
  const bool of_stage = s.stage < c.stages.size() && c.stages[s.stage].output_every;
  return std::max(of_stage ? *c.stages[s.stage].output_every : c.output.every, s.dt);
}

/// Instants origin, origin + every, origin + 2 every, ... that have been reached; every >= s.dt.
inline std::uint64_t instants_reached(const Simulation& s, double origin, double every) {
  std::uint64_t k = static_cast<std::uint64_t>(std::max(0.0, std::floor((s.time - origin) / every)));
  while (reached(s, origin + static_cast<double>(k) * every)) ++k;
  while (k > 0 && !reached(s, origin + static_cast<double>(k - 1) * every)) --k;
  return k;
}

}  // namespace scree

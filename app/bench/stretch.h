#pragma once
#include <cstdint>
#include <vector>

#include "sim/simulation.h"

namespace scree::app {

/// One stretch of steps. Times in ns per particle and step.
struct Stretch {
  double cpu = 0, neighbours = 0, planes = 0, points = 0, forces = 0, integrate = 0;
  double pairs = 0, contacts = 0;  ///< per particle, at the end
  std::size_t wall_contacts = 0;   ///< at the end
  double skin = 0;                 ///< of the median diameter, at the end
  double steps_per_list = 0;
  std::uint64_t hash = 0;  ///< of what the particles do
  bool failed = false;
};

Stretch stretch(Simulation s, int warm, int steps);

/// The stretch of median time of each of `starts`, which take turns.
std::vector<Stretch> medians(const std::vector<Simulation>& starts, int warm, int steps, int turns);

}  // namespace scree::app

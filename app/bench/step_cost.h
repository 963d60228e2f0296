#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/case.h"
#include "sim/simulation.h"

namespace scree::app {

/// Gives the world the laws and the time step of `c` and lets it run for so long (s). Error: laws that cannot be, a
/// fault.
Status change_laws(Simulation& s, const Case& c, double seconds);

/// Steps `soft`, the case with laws and a time step to settle in, for so long (s), then changes to
/// those of `c` for a fiftieth of that. Error: the bed faulted.
Result<Simulation> settled(const Case& c, const Case& soft, double seconds, const std::string& name);

/// What a step of one state costs, by wall clock, on one number of threads. Times are in ns per particle and step.
struct StepCost {
  std::string name;
  int threads = 1;
  std::size_t particles = 0, steps = 0;
  double seconds = 0, rate = 0;  ///< s in all; particle-steps/s
  double bytes = 0;              ///< of the state, per particle
  double neighbours = 0, planes = 0, points = 0, forces = 0, integrate = 0;
  double contacts = 0;         ///< per particle, those with walls too, at the end
  std::size_t between = 0;     ///< contact points between particles, at the end
  double cached = 0;           ///< share of the planes that the cached feature gave
  double kinetic = 0;          ///< J per particle, at the end
  std::uint64_t rebuilds = 0;  ///< of the list of pairs
};

/// `steps` steps from the same state for each number of threads: the one of median rate of `turns`, which the numbers
/// of threads take in turns, because machines drift. A fault ends a stretch early (StepCost::steps).
std::vector<StepCost> median_costs(const Simulation& start, const std::string& name, const std::vector<int>& threads,
                                   int steps, int turns);

/// Prints the rows and writes them to the file, if one is named. Returns the exit code.
int tell(const std::vector<StepCost>& rows, const std::string& bench, const std::string& json, bool quick);

}  // namespace scree::app

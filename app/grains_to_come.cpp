#include "app/grains_to_come.h"

#include "sim/scratch.h"

namespace scree::app {

Simulation with_grains_to_come(Simulation s) {
  add_grains_to_come(s);
  return s;
}

double critical_time_step_of_all(const Simulation& s) {
  return s.flows.inlets.empty() ? critical_time_step(s) : critical_time_step(with_grains_to_come(s));
}

}  // namespace scree::app

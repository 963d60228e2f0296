// Steps of a case of the user's own: what they cost, where the time goes, and what two threads gain.
#include "app/bench/case.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/bench/step_cost.h"
#include "app/commands.h"
#include "app/reading.h"
#include "base/diagnostic.h"
#include "exec/parallel.h"
#include "io/library/library.h"
#include "sim/simulation.h"

namespace scree::app {

int bench_case(const CaseOptions& o, const std::string& json, const std::vector<int>& threads, bool quick) {
  const int steps = quick ? 20 : o.steps;
  const io::ReadCase read = read_case("bench", o.file, o.set);
  for (const Diagnostic& d : read.diagnostics) fmt::print(stderr, "{}\n", format(d));
  if (has_errors(read.diagnostics)) return kBadInput;
  exec::set_threads(0);
  const Result<Simulation> start = set_up(read.value, io::load_shape);
  if (!start) return refuse("bench", start.error().message);
  if (start->particles.size_rows() == 0) {
    fmt::print(stderr, "scree bench: {} has no grains at its start; nothing to time\n", o.file);
    return kBadInput;
  }
  const std::string name = std::filesystem::path(o.file).stem().string();
  const std::vector<StepCost> rows = median_costs(*start, name, threads, steps, quick ? 1 : o.turns);
  const int told = tell(rows, "case", json, quick);
  for (const StepCost& r : rows) {
    if (r.steps == static_cast<std::size_t>(steps)) continue;
    fmt::print(stderr, "scree bench: the case faults after {} steps; scree run tells why\n", r.steps);
    return kRunFailed;
  }
  return told;
}

}  // namespace scree::app

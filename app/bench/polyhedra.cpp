// What a step costs on settled beds of polyhedra. The scenes are built and settled here, so a number needs no input.
#include "app/bench/polyhedra.h"

#include <fmt/format.h>

#include "app/bench/step_cost.h"
#include "app/commands.h"
#include "exec/parallel.h"
#include "scenes/scenes.h"

namespace scree::app {

namespace {

/// The scene with more damping and a time step of its own, to settle in. Still more damping would take shorter steps
/// (docs/time-step.md).
Case damped(Case c) {
  c.time_step = {};
  c.time_step.fraction = 0.4;
  for (Case::Contact& given : c.contacts) std::get<contact::Bloks3d>(given.law).damping_ratio = 0.1;
  return c;
}

}  // namespace

int bench_polyhedra(const std::string& json, const std::vector<int>& threads, const std::string& only, bool quick) {
  const int steps = quick ? 50 : 400, turns = quick ? 1 : 5;
  std::vector<StepCost> rows;
  const auto run = [&](const Case& c, const std::string& name, double seconds, bool with_zone) -> Status {
    exec::set_threads(0);
    Result<Simulation> bed = settled(c, damped(c), quick ? 0.1 * seconds : seconds, name);
    if (!bed) return bed.error();
    for (StepCost& r : median_costs(*bed, name, threads, steps, turns)) rows.push_back(std::move(r));
    if (!with_zone) return ok();
    bed->detection.contact_geometry = Case::ContactGeometry::contact_zone;
    for (StepCost& r : median_costs(*bed, name + ", contact zone", threads, steps, turns)) rows.push_back(std::move(r));
    return ok();
  };
  Status done = ok();
  if (only != "mixed") done = run(scenes::cube_bed(quick ? 144 : 2016), "settled cubes", 6, false);
  if (done && only != "cubes") done = run(scenes::mixed_bed(quick ? 400 : 5000), "settled mixed grains", 1.2, true);
  if (!done) return fail("bench", done.error().message);
  return tell(rows, "polyhedra", json, quick);
}

}  // namespace scree::app

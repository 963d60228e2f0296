#include "app/bench/step_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/bench/record.h"
#include "app/bench/table.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree::app {

namespace {

constexpr int kWarm = 20;  // steps after which buffers have their size

StepCost measure(const Simulation& start, const std::string& name, int threads, int steps) {
  exec::set_threads(threads);
  Simulation s = start;
  for (int k = 0; k < kWarm && !s.fault; ++k) step(s);
  s.counters = {};
  const Stopwatch watch;
  std::size_t done = 0;
  for (; done < static_cast<std::size_t>(steps) && !s.fault; ++done) step(s);
  const double seconds = watch.seconds();
  const double n = static_cast<double>(s.particles.size_rows()),
               n_steps = static_cast<double>(std::max<std::size_t>(done, 1)), per = 1e9 / (n * n_steps);
  const Counters& c = s.counters;
  const Totals t = totals(s);
  const auto asked = static_cast<double>(c.planes_cached + c.planes_solved + c.planes_cold);
  return {.name = name,
          .threads = threads,
          .particles = s.particles.size_rows(),
          .steps = done,
          .seconds = seconds,
          .rate = n * n_steps / seconds,
          .bytes = static_cast<double>(s.bytes()) / n,
          .neighbours = c.seconds_neighbours * per,
          .planes = c.seconds_planes * per,
          .points = c.seconds_points * per,
          .forces = c.seconds_forces * per,
          .integrate = c.seconds_integrate * per,
          .contacts = static_cast<double>(t.contacts) / n,
          .between = s.contacts.size(),
          .cached = asked > 0 ? static_cast<double>(c.planes_cached) / asked : 1,
          .kinetic = (t.kinetic_translation + t.kinetic_rotation) / n,
          .rebuilds = c.rebuilds};
}

}  // namespace

Status change_laws(Simulation& s, const Case& c, double seconds) {
  s.contacts_given = c.contacts;
  if (Status prepared = prepare_laws(s, s.flows.lightest); !prepared) return prepared.error();
  s.dt = c.time_step.fixed.value_or(auto_time_step(s, c.time_step.fraction));
  s.braked = dashpots_are_slow(s) ? 0 : 1;
  scenes::run_for(s, seconds);
  if (s.fault) return Error{s.fault->text()};
  return ok();
}

Result<Simulation> settled(const Case& c, const Case& soft, double seconds, const std::string& name) {
  fmt::print(stderr, "{}: settling ...", name);
  std::fflush(stderr);
  const Stopwatch watch;
  Simulation s = scenes::build(soft);
  scenes::run_for(s, seconds);
  const Status changed = s.fault ? Status(Error{s.fault->text()}) : change_laws(s, c, 0.02 * seconds);
  fmt::print(stderr, " {:.0f} s\n", watch.seconds());
  if (!changed) return Error{name + ": " + changed.error().message};
  return s;
}

std::vector<StepCost> median_costs(const Simulation& start, const std::string& name, const std::vector<int>& threads,
                                   int steps, int turns) {
  std::vector<std::vector<StepCost>> rows(threads.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t k = 0; k < threads.size(); ++k) rows[k].push_back(measure(start, name, threads[k], steps));
  std::vector<StepCost> out;
  for (auto& r : rows) {
    std::sort(r.begin(), r.end(), [](const StepCost& a, const StepCost& b) { return a.rate < b.rate; });
    out.push_back(r[r.size() / 2]);
  }
  return out;
}

int tell(const std::vector<StepCost>& rows, const std::string& bench, const std::string& json, bool quick) {
  Table table({"case", "threads", "particles", "M particle-steps/s", "B/particle", "ns neighbours", "planes", "points",
               "forces", "integrate", "contacts/particle", "cached"});
  nlohmann::ordered_json out = json_head(bench, quick);
  for (const StepCost& r : rows) {
    const auto whole = [](double x) { return fmt::format("{:.0f}", x); };
    table.add({r.name, std::to_string(r.threads), std::to_string(r.particles), fmt::format("{:.3f}", 1e-6 * r.rate),
               whole(r.bytes), whole(r.neighbours), whole(r.planes), whole(r.points), whole(r.forces),
               whole(r.integrate), fmt::format("{:.2f}", r.contacts), percent(r.cached)});
    out["rows"].push_back({{"case", r.name},
                           {"threads", r.threads},
                           {"particles", r.particles},
                           {"steps", r.steps},
                           {"seconds", r.seconds},
                           {"particle_steps_per_s", r.rate},
                           {"bytes_per_particle", r.bytes},
                           {"ns_neighbours", r.neighbours},
                           {"ns_planes", r.planes},
                           {"ns_points", r.points},
                           {"ns_forces", r.forces},
                           {"ns_integrate", r.integrate},
                           {"contacts_per_particle", r.contacts},
                           {"points_between_particles", r.between},
                           {"share_cached", r.cached},
                           {"kinetic_energy_per_particle", r.kinetic},
                           {"rebuilds", r.rebuilds}});
  }
  fmt::print("Steps by phase: bench {}\n\n", bench);
  table.print();
  return write_record(json, out);
}

}  // namespace scree::app

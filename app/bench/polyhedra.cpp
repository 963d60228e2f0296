// What a step costs on settled beds of polyhedra. The scenes are built and settled here, so a number needs no input.
#include "app/bench/polyhedra.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/bench/record.h"
#include "app/commands.h"
#include "exec/parallel.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree::app {

namespace {

struct Row {
  std::string name;
  int threads = 1;
  std::size_t particles = 0;
  double rate = 0, bytes = 0, neighbours = 0, planes = 0, points = 0, forces = 0, integrate = 0;
  double contacts = 0, cached = 0, kinetic = 0;
};

/// Steps the scene with more damping and a long time step until it lies still, then gives it its own law and step back.
/// Still more damping would take shorter steps (docs/time-step.md).
Result<Simulation> settled(const Case& c, double seconds, const std::string& name) {
  fmt::print(stderr, "{}: settling ...", name);
  std::fflush(stderr);
  const auto start = std::chrono::steady_clock::now();
  const Case::TimeStep own_step = c.time_step;
  Case soft = c;
  soft.time_step = {};
  soft.time_step.fraction = 0.4;
  for (Case::Contact& given : soft.contacts) std::get<contact::Bloks3d>(given.law).damping_ratio = 0.1;
  Simulation s = scenes::build(soft);
  scenes::run_for(s, seconds);
  s.contacts_given = c.contacts;
  if (Status prepared = prepare_laws(s, s.flows.lightest); !prepared) return prepared.error();
  s.dt = own_step.fixed.value_or(auto_time_step(s, own_step.fraction));
  s.braked = dashpots_are_slow(s) ? 0 : 1;
  scenes::run_for(s, 0.02 * seconds);
  fmt::print(stderr, " {:.0f} s\n", seconds_since(start));
  if (s.fault) return Error{name + ": " + s.fault->message};
  return s;
}

/// One timed stretch from the same settled state.
Row measure(const Simulation& start, const std::string& name, int threads, std::size_t steps) {
  exec::set_threads(threads);
  Simulation s = start;
  for (int k = 0; k < 20; ++k) step(s);  // buffers grow to their size
  s.counters = {};
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < steps && !s.fault; ++k) step(s);
  const double seconds = seconds_since(begin);
  const auto n = static_cast<double>(s.particles.size_rows());
  const double per = 1e9 / (n * static_cast<double>(steps));
  const Counters& c = s.counters;
  const Totals t = totals(s);
  const auto asked = static_cast<double>(c.planes_cached + c.planes_solved + c.planes_cold);
  return {name,
          threads,
          s.particles.size_rows(),
          n * static_cast<double>(steps) / seconds,
          static_cast<double>(s.bytes()) / n,
          c.seconds_neighbours * per,
          c.seconds_planes * per,
          c.seconds_points * per,
          c.seconds_forces * per,
          c.seconds_integrate * per,
          static_cast<double>(t.contacts) / n,
          asked > 0 ? static_cast<double>(c.planes_cached) / asked : 1,
          (t.kinetic_translation + t.kinetic_rotation) / n};
}

/// Median by rate of several stretches, thread counts taken in turns because these machines drift.
std::vector<Row> medians(const Simulation& start, const std::string& name, const std::vector<int>& threads,
                         std::size_t steps, int turns) {
  std::vector<std::vector<Row>> rows(threads.size());
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t k = 0; k < threads.size(); ++k) rows[k].push_back(measure(start, name, threads[k], steps));
  }
  std::vector<Row> out;
  for (auto& r : rows) {
    std::sort(r.begin(), r.end(), [](const Row& a, const Row& b) { return a.rate < b.rate; });
    out.push_back(r[r.size() / 2]);
  }
  return out;
}

}  // namespace

int bench_polyhedra(const std::string& json, const std::vector<int>& threads, const std::string& only, bool quick) {
  const std::size_t steps = quick ? 50 : 400;
  const int turns = quick ? 1 : 5;
  std::vector<Row> rows;
  const auto run = [&](const Case& c, const std::string& name, double seconds, bool with_zone) -> Status {
    exec::set_threads(0);
    Result<Simulation> bed = settled(c, quick ? 0.1 * seconds : seconds, name);
    if (!bed) return bed.error();
    for (const Row& r : medians(*bed, name, threads, steps, turns)) rows.push_back(r);
    if (!with_zone) return ok();
    bed->detection.contact_geometry = Case::ContactGeometry::contact_zone;
    for (const Row& r : medians(*bed, name + ", contact zone", threads, steps, turns)) rows.push_back(r);
    return ok();
  };
  Status done = ok();
  if (only != "mixed") done = run(scenes::cube_bed(quick ? 144 : 2016), "settled cubes", 6, false);
  if (done && only != "cubes") done = run(scenes::mixed_bed(quick ? 400 : 5000), "settled mixed grains", 1.2, true);
  if (!done) {
    fmt::print(stderr, "scree bench: {}\n", done.error().message);
    return kRunFailed;
  }
  fmt::print("{:<36} {:>7} {:>9} {:>16} {:>8} {:>10} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8}\n", "case", "threads",
             "particles", "particle-steps/s", "B/part.", "ns neighb.", "planes", "points", "forces", "integrate",
             "contacts", "cached");
  nlohmann::ordered_json out = json_head("polyhedra", quick);
  for (const Row& r : rows) {
    fmt::print(
        "{:<36} {:>7} {:>9} {:>16.4g} {:>8.0f} {:>10.1f} {:>8.0f} {:>8.0f} {:>8.0f} {:>9.0f} {:>9.2f} {:>7.1f}%\n",
        r.name, r.threads, r.particles, r.rate, r.bytes, r.neighbours, r.planes, r.points, r.forces, r.integrate,
        r.contacts, 100 * r.cached);
    out["rows"].push_back({{"case", r.name},
                           {"threads", r.threads},
                           {"particles", r.particles},
                           {"particle_steps_per_s", r.rate},
                           {"bytes_per_particle", r.bytes},
                           {"ns_neighbours", r.neighbours},
                           {"ns_planes", r.planes},
                           {"ns_points", r.points},
                           {"ns_forces", r.forces},
                           {"ns_integrate", r.integrate},
                           {"contacts_per_particle", r.contacts},
                           {"share_cached", r.cached},
                           {"kinetic_energy_per_particle", r.kinetic}});
  }
  return write_record(json, out);
}

}  // namespace scree::app

// scree bench: what the engine costs, as a table and as JSON. Scenes are built and settled here, so a number needs no
// input.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/bench_bonded.h"
#include "app/bench_common_plane.h"
#include "app/bench_huang.h"
#include "app/bench_lists.h"
#include "app/bench_munjiza.h"
#include "app/bench_neighbours.h"
#include "app/bench_nezami.h"
#include "app/bench_planar.h"
#include "app/bench_walls.h"
#include "app/bench_zhao.h"
#include "app/commands.h"
#include "exec/parallel.h"
#include "io/build_info.h"
#include "io/files.h"
#include "io/machine.h"
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

double seconds_since(std::chrono::steady_clock::time_point t) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

/// Steps the scene with strong damping and a long time step until it lies still, then gives it its own law and step
/// back.
Result<Simulation> settled(const Case& c, double seconds, const std::string& name) {
  fmt::print(stderr, "{}: settling ...", name);
  std::fflush(stderr);
  const auto start = std::chrono::steady_clock::now();
  const Case::TimeStep own_step = c.time_step;
  Case soft = c;
  soft.time_step = {};
  soft.time_step.fraction = 0.4;
  for (Case::Contact& given : soft.contacts) std::get<contact::Bloks3d>(given.law).damping_ratio = 0.4;
  Simulation s = scenes::build(soft);
  scenes::run_for(s, seconds);
  s.contacts_given = c.contacts;
  s.dt = own_step.fixed.value_or(own_step.fraction * critical_time_step(s));
  if (Status prepared = prepare_laws(s, s.flows.lightest); !prepared) return prepared.error();
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

int polyhedra(const std::string& json, const std::vector<int>& threads, const std::string& only, bool quick) {
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
  nlohmann::ordered_json out{{"bench", "polyhedra"},
                             {"machine", io::machine_json()},
                             {"version", io::kBuildInfo.version},
                             {"commit", io::kBuildInfo.commit}};
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
  if (json.empty()) return kDone;
  const Status written = io::write_file(json, out.dump(2) + "\n");
  if (!written) fmt::print(stderr, "{}\n", written.error().message);
  return written ? kDone : kRunFailed;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  struct Options {
    std::string name, json, scene = "all";
    std::vector<int> threads{1, 2};
    bool quick = false, rows = false;
    NeighbourOptions neighbours;
  };
  auto options = std::make_shared<Options>();
  CLI::App* bench = app.add_subcommand("bench", "Time the engine on scenes of its own");
  bench->footer(
      "Example: scree bench polyhedra --json polyhedra.json\n"
      "polyhedra: ns columns are nanoseconds per particle and step; planes and points are summed over threads, the "
      "others are wall clock.\n"
      "neighbours: your own spheres, one a line as 'x y z r':\n"
      "  scree bench neighbours --positions bed.xyzr --factor 1.2 --methods two_level,sorted_grid\n"
      "The others are explained in docs/common-plane.md, docs/neighbours.md and docs/clusters.md.");
  bench
      ->add_option(
          "name", options->name,
          "polyhedra: settled beds of cubes and of mixed grains\n"
          "common-plane: every way of finding the common plane of a pair\n"
          "nezami-fig14, -fig16, -fig17: the figures of Nezami et al. 2004: pairs in the plane, speed-up over "
          "Cundall's search, time against the number of corners\n"
          "neighbours: every neighbour search on built-in sets of spheres, or on --positions\n"
          "munjiza: examples I to IV of Munjiza and Andrews 1998: time against number and spacing\n"
          "zhao-fig6, -fig7, -fig8, -fig9: the figures of Zhao et al. 2006: box size, shape, size ratio, "
          "two-level search against NBS\n"
          "skin, order: steps with the tuned and with fixed Verlet skins; with particles in memory by number and in "
          "spatial order\n"
          "walls: a bed in a box of planes and in meshes of 10^5 triangles\n"
          "huang: contacts between bonded clusters, the 24 cases of Huang et al. 2020, Tables 6 to 11\n"
          "bonded: steps of up to a million bonded spheres in clusters, and the search for their pairs")
      ->required()
      ->check(CLI::IsMember({"polyhedra", "common-plane", "nezami-fig14", "nezami-fig16", "nezami-fig17", "neighbours",
                             "munjiza", "zhao-fig6", "zhao-fig7", "zhao-fig8", "zhao-fig9", "skin", "order", "walls",
                             "huang", "bonded"}));
  bench->add_option("--json", options->json, "Write the rows to this file as well");
  CLI::Option* threads =
      bench
          ->add_option("--threads", options->threads,
                       "polyhedra, neighbours: thread counts to compare (1 and 2; for --positions 1)")
          ->check(CLI::Range(1, 1024))
          ->expected(1, 16);
  const CLI::Option* scene =
      bench->add_option("--scene", options->scene, "polyhedra: only one of the scenes: cubes or mixed")
          ->check(CLI::IsMember({"all", "cubes", "mixed"}));
  const CLI::Option* rows =
      bench->add_flag("--rows", options->rows, "common-plane, huang: print every row, not the summary alone");
  bench->add_flag("--quick", options->quick, "Small scenes, for a look at the output; not a measurement");
  NeighbourOptions& n = options->neighbours;
  std::vector<CLI::Option*> of_neighbours{
      bench->add_option("--positions", n.positions, "neighbours: file of spheres, one a line: x y z r"),
      bench->add_option("--factor", n.factor, "neighbours: pairs closer than FACTOR (r_i + r_j); needs --positions")
          ->check(CLI::PositiveNumber),
      bench->add_option("--margin", n.margin, "neighbours: added to every such reach, in the unit of the file")
          ->check(CLI::NonNegativeNumber),
      bench->add_option("--methods", n.methods, "neighbours: only these methods, separated by commas")->delimiter(','),
      bench->add_option("--write-sets", n.write,
                        "neighbours: write the built-in sets up to 100 000 spheres into this folder, time nothing")};
  of_neighbours[1]->needs(of_neighbours[0]), of_neighbours[2]->needs(of_neighbours[0]);
  of_neighbours[4]->excludes(of_neighbours[0])->excludes(of_neighbours[3]);
  bench->callback([options, of_neighbours, threads, scene, rows, &exit_code] {
    const Options& o = *options;
    const auto only_for = [&o](const CLI::Option* given, std::initializer_list<const char*> names) {
      if (given->count() == 0 || std::find(names.begin(), names.end(), o.name) != names.end()) return;
      throw CLI::ValidationError(given->get_name(), fmt::format("is for scree bench {} alone", fmt::join(names, ", ")));
    };
    for (const CLI::Option* given : of_neighbours) only_for(given, {"neighbours"});
    only_for(threads, {"polyhedra", "neighbours"});
    only_for(scene, {"polyhedra"});
    only_for(rows, {"common-plane", "huang"});
    NeighbourOptions& own = options->neighbours;
    own.json = o.json, own.quick = o.quick, own.threads = o.threads;
    if (!own.positions.empty() && threads->count() == 0) own.threads = {1};
    if (o.name == "neighbours") exit_code = bench_neighbours(own);
    if (o.name == "munjiza") exit_code = bench_munjiza(o.json, o.quick);
    if (o.name == "zhao-fig6") exit_code = bench_zhao_box_size(o.json, o.quick);
    if (o.name == "zhao-fig7") exit_code = bench_zhao_shape(o.json, o.quick);
    if (o.name == "zhao-fig8") exit_code = bench_zhao_size_ratio(o.json, o.quick);
    if (o.name == "zhao-fig9") exit_code = bench_zhao_speed_up(o.json, o.quick);
    if (o.name == "skin") exit_code = bench_skin(o.json, o.quick);
    if (o.name == "order") exit_code = bench_order(o.json, o.quick);
    if (o.name == "walls") exit_code = bench_walls(o.json, o.quick);
    if (o.name == "common-plane") exit_code = bench_common_plane(o.json, o.rows, o.quick);
    if (o.name == "bonded") exit_code = bench_bonded(o.json, o.quick);
    if (o.name == "huang") exit_code = bench_huang(o.json, o.rows, o.quick);
    if (o.name == "nezami-fig14") exit_code = bench_nezami_2d(o.json);
    if (o.name == "nezami-fig16") exit_code = bench_nezami_speed_up(o.json, o.quick);
    if (o.name == "nezami-fig17") exit_code = bench_nezami_corners(o.json, o.quick);
    if (o.name == "polyhedra") exit_code = polyhedra(o.json, o.threads, o.scene, o.quick);
  });
}

}  // namespace scree::app

// scree bench: what the engine costs, as a table and as JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/bonded.h"
#include "app/bench/case.h"
#include "app/bench/clumps.h"
#include "app/bench/common_plane.h"
#include "app/bench/huang.h"
#include "app/bench/lists.h"
#include "app/bench/munjiza.h"
#include "app/bench/neighbours.h"
#include "app/bench/nezami.h"
#include "app/bench/planar.h"
#include "app/bench/polyhedra.h"
#include "app/bench/spheres.h"
#include "app/bench/spread.h"
#include "app/bench/vectors.h"
#include "app/bench/walls.h"
#include "app/bench/zhao.h"
#include "app/commands.h"

namespace scree::app {

void add_bench(CLI::App& app, int& exit_code) {
  struct Options {
    std::string name, json, scene = "all", vectors;
    std::vector<int> threads{1, 2};
    bool quick = false, rows = false;
    NeighbourOptions neighbours;
    CaseOptions of_case;
    SpreadOptions spread;
  };
  auto options = std::make_shared<Options>();
  CLI::App* bench = app.add_subcommand("bench", "Time the engine on scenes of its own");
  bench->footer(
      "Example: scree bench polyhedra --json polyhedra.json\n"
      "polyhedra, spheres, case: ns columns are nanoseconds of wall clock per particle and step; planes and points "
      "share that of their one loop.\n"
      "neighbours: your own spheres, one a line as 'x y z r':\n"
      "  scree bench neighbours --positions bed.xyzr --factor 1.2 --methods two_level,sorted_grid\n"
      "The others are explained in docs/measured/.");
  bench
      ->add_option(
          "name", options->name,
          "polyhedra: settled beds of cubes and of mixed grains\n"
          "spheres: a settled bed of 20 000 equal spheres, law by law\n"
          "case: steps of a case of your own, --case, from the state that it begins with\n"
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
          "bonded: steps of up to a million bonded spheres in clusters, and the search for their pairs\n"
          "clumps: settled beds of clumps of ten spheres, and of single spheres\n"
          "spread: beds that are spread over ranks: those of mpirun, or --ranks threads that stand for them")
      ->required()
      ->check(CLI::IsMember({"polyhedra",    "spheres",      "case",       "common-plane", "nezami-fig14",
                             "nezami-fig16", "nezami-fig17", "neighbours", "munjiza",      "zhao-fig6",
                             "zhao-fig7",    "zhao-fig8",    "zhao-fig9",  "skin",         "order",
                             "walls",        "huang",        "bonded",     "clumps",       "spread"}));
  bench->add_option("--json", options->json, "Write the rows to this file as well")->type_name("FILE");
  CLI::Option* threads =
      bench
          ->add_option("--threads", options->threads,
                       "polyhedra, spheres, case, neighbours: thread counts to compare (1 and 2; for --positions 1); "
                       "spread: of each rank (1)")
          ->check(CLI::Range(1, 1024))
          ->expected(1, 16);
  const CLI::Option* scene = bench
                                 ->add_option("--scene", options->scene,
                                              "polyhedra: only one of the scenes: cubes or mixed; "
                                              "spread: spheres or grains")
                                 ->check(CLI::IsMember({"all", "cubes", "mixed", "spheres", "grains"}));
  const CLI::Option* rows =
      bench->add_flag("--rows", options->rows, "common-plane, huang: print every row, not the summary alone");
  bench->add_flag("--quick", options->quick, "Small scenes, for a look at the output; not a measurement");
  bench->add_option("--vectors", options->vectors, "Time with no wider instructions than these")
      ->check(CLI::IsMember(vector_names()));
  const std::vector<CLI::Option*> of_case{
      bench->add_option("--case", options->of_case.file, "case: the case file")->type_name("FILE"),
      bench->add_option("--set", options->of_case.set, "case: change a key, as scree run does")
          ->allow_extra_args(false),
      bench->add_option("--steps", options->of_case.steps, "case: steps in each stretch (400)")
          ->check(CLI::Range(1, 1000000000)),
      bench->add_option("--turns", options->of_case.turns, "case: stretches, of which the median counts (5)")
          ->check(CLI::Range(1, 1000))};
  const std::vector<CLI::Option*> of_spread{
      bench->add_option("--ranks", options->spread.ranks, "spread: numbers of ranks, without mpirun (1, 2, 4 and 8)")
          ->check(CLI::Range(1, 1024))
          ->expected(1, 16),
      bench
          ->add_option("--grains", options->spread.grains,
                       "spread: so many for each rank, in place of one bed for any number of ranks")
          ->check(CLI::Range(1, 10000000))};
  NeighbourOptions& n = options->neighbours;
  std::vector<CLI::Option*> of_neighbours{
      bench
          ->add_option(
              "--positions", n.positions,
              "neighbours, zhao-fig6: file of grains as of place: {file: ...}: a line x y z r for each, columns with a "
              "header, a frame or a checkpoint")
          ->type_name("FILE"),
      bench->add_option("--factor", n.factor, "neighbours: pairs closer than FACTOR (r_i + r_j); needs --positions")
          ->check(CLI::PositiveNumber),
      bench->add_option("--margin", n.margin, "neighbours: added to every such reach, m")
          ->check(CLI::NonNegativeNumber),
      bench->add_option("--methods", n.methods, "neighbours: only these methods, separated by commas")->delimiter(','),
      bench
          ->add_option("--write-sets", n.write,
                       "neighbours: write the built-in sets up to 100 000 spheres into this folder, time nothing")
          ->type_name("DIR")};
  of_neighbours[1]->needs(of_neighbours[0]), of_neighbours[2]->needs(of_neighbours[0]);
  of_neighbours[4]->excludes(of_neighbours[0])->excludes(of_neighbours[3]);
  bench->callback([options, of_neighbours, of_case, of_spread, threads, scene, rows, &exit_code] {
    const Options& o = *options;
    const auto only_for = [&o](const CLI::Option* given, std::initializer_list<const char*> names) {
      if (given->count() == 0 || std::find(names.begin(), names.end(), o.name) != names.end()) return;
      throw CLI::ValidationError(given->get_name(), fmt::format("is for scree bench {} alone", fmt::join(names, ", ")));
    };
    only_for(of_neighbours[0], {"neighbours", "zhao-fig6"});
    for (std::size_t k = 1; k < of_neighbours.size(); ++k) only_for(of_neighbours[k], {"neighbours"});
    only_for(threads, {"polyhedra", "spheres", "case", "neighbours", "spread"});
    for (const CLI::Option* given : of_spread) only_for(given, {"spread"});
    for (const CLI::Option* given : of_case) only_for(given, {"case"});
    if (o.name == "case" && o.of_case.file.empty())
      throw CLI::ValidationError("--case", "scree bench case needs a case file: --case FILE");
    only_for(scene, {"polyhedra", "spread"});
    const bool is_bed = o.scene == "cubes" || o.scene == "mixed";
    if (o.scene != "all" && is_bed != (o.name == "polyhedra"))
      throw CLI::ValidationError("--scene", o.name + " has no scene " + o.scene);
    if (o.name == "spread" && o.threads.size() > 1 && threads->count() > 0)
      throw CLI::ValidationError("--threads", "spread takes one number");
    only_for(rows, {"common-plane", "huang"});
    if (!o.vectors.empty() && !limit_vectors(o.vectors))
      throw CLI::ValidationError("--vectors", "this processor has no " + o.vectors);
    NeighbourOptions& own = options->neighbours;
    own.json = o.json, own.quick = o.quick, own.threads = o.threads;
    if (!own.positions.empty() && threads->count() == 0) own.threads = {1};
    if (o.name == "neighbours") exit_code = bench_neighbours(own);
    if (o.name == "munjiza") exit_code = bench_munjiza(o.json, o.quick);
    if (o.name == "zhao-fig6") exit_code = bench_zhao_box_size(o.json, o.quick, own.positions);
    if (o.name == "zhao-fig7") exit_code = bench_zhao_shape(o.json, o.quick);
    if (o.name == "zhao-fig8") exit_code = bench_zhao_size_ratio(o.json, o.quick);
    if (o.name == "zhao-fig9") exit_code = bench_zhao_speed_up(o.json, o.quick);
    if (o.name == "skin") exit_code = bench_skin(o.json, o.quick);
    if (o.name == "order") exit_code = bench_order(o.json, o.quick);
    if (o.name == "walls") exit_code = bench_walls(o.json, o.quick);
    if (o.name == "common-plane") exit_code = bench_common_plane(o.json, o.rows, o.quick);
    if (o.name == "bonded") exit_code = bench_bonded(o.json, o.quick);
    if (o.name == "clumps") exit_code = bench_clumps(o.json, o.quick);
    if (o.name == "huang") exit_code = bench_huang(o.json, o.rows, o.quick);
    if (o.name == "nezami-fig14") exit_code = bench_nezami_2d(o.json, o.quick);
    if (o.name == "nezami-fig16") exit_code = bench_nezami_speed_up(o.json, o.quick);
    if (o.name == "nezami-fig17") exit_code = bench_nezami_corners(o.json, o.quick);
    if (o.name == "spheres") exit_code = bench_spheres(o.json, o.threads, o.quick);
    if (o.name == "case") exit_code = bench_case(o.of_case, o.json, o.threads, o.quick);
    if (o.name == "spread") {
      SpreadOptions& spread = options->spread;
      spread.scene = o.scene, spread.threads = threads->count() > 0 ? o.threads[0] : 1;
      exit_code = bench_spread(spread, o.json, o.quick);
    }
    if (o.name == "polyhedra") exit_code = bench_polyhedra(o.json, o.threads, o.scene, o.quick);
  });
}

}  // namespace scree::app

// Figs. 16 and 17 of Nezami et al. 2004. One run by the default method makes the states; at instants along it every
// method goes on from the same state for a while, and only the time for its common planes is taken. All see the same
// contacts, for the force acts on the exact overlap, whatever plane found it.
#include "app/bench/nezami.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "app/bench/record.h"
#include "app/bench/table.h"
#include "app/commands.h"
#include "exec/parallel.h"
#include "narrow/bodies.h"
#include "narrow/plane_method.h"
#include "scenes/scenes.h"
#include "sim/simulation.h"

namespace scree::app {

namespace {

using narrow::PlaneMethod;
using narrow::PlaneSettings;

constexpr double kTimeStep = 2.5e-5;                       ///< s: 0.5 s in 20 000 steps, section 7.2
constexpr double kPaperLow = 12, kPaperHigh = 38;          ///< R of Fig. 16, section 7.2
constexpr double kPaperIterations = 1.54, kPaperMost = 4;  ///< of the run of 30 000 grains, section 7.2

struct PlaneSearch {
  std::string name;
  PlaneSettings settings;
};

std::vector<PlaneSearch> methods() {
  std::vector<PlaneSearch> all;
  const auto add = [&](const char* name, PlaneMethod method) -> PlaneSettings& {
    all.push_back({name, {}});
    all.back().settings.method = method;
    return all.back().settings;
  };
  // TOL as for the fast common plane: both stop where the bodies are known to be that far apart.
  add("common_plane", PlaneMethod::common_plane).cundall.tolerance = narrow::FastSettings{}.tolerance;
  narrow::CundallSettings& fine = add("common_plane, fine", PlaneMethod::common_plane).cundall;
  fine.tolerance = narrow::FastSettings{}.tolerance;
  fine.random_axes = true, fine.smallest = 1e-6, fine.shrink = 0.9;
  narrow::FastSettings& every = add("fast, paper, each step anew", PlaneMethod::fast).fast;
  every.paper = true, every.approximation = false;
  add("fast, paper", PlaneMethod::fast).fast.paper = true;
  add("fast", PlaneMethod::fast);
  add("shortest_link, literal", PlaneMethod::shortest_link).shortest_link.literal = true;
  add("shortest_link", PlaneMethod::shortest_link);
  add("separating_axis", PlaneMethod::separating_axis);
  add("auto", PlaneMethod::automatic);
  return all;
}

/// What one method took and how well it did; adds up over instants.
struct Cost {
  double ns = 0, steps = 0;  ///< ns for common planes; grains times steps
  std::uint64_t searched = 0, iterations = 0, iterations_max = 0;
  std::uint64_t contacts = 0, short_6 = 0, short_3 = 0;  ///< gaps short by 1e-6 and 1e-3 of the smaller size
  double worst = 0;                                      ///< of the smaller size
  std::uint64_t stopped = 0;  ///< runs that ended early, for a plane so bad that the overlap looked too deep
  void add(const Cost& o) {
    ns += o.ns, steps += o.steps, searched += o.searched, iterations += o.iterations;
    iterations_max = std::max(iterations_max, o.iterations_max);
    contacts += o.contacts, short_6 += o.short_6, short_3 += o.short_3, worst = std::max(worst, o.worst);
    stopped += o.stopped;
  }
  double per_grain_step() const { return steps > 0 ? ns / steps : 0; }
};

/// The planes of this step's contacts against the exact ones.
void judge(const Simulation& s, Cost& cost) {
  narrow::Bodies bodies;
  bodies.set_shapes(s.shapes);
  bodies.lay_out(s.particles);
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) bodies.pose(s.particles, i);
  narrow::SearchCounters counters;
  for (std::size_t c = 0; c < s.contacts.size(); ++c) {
    const std::uint32_t k = s.contacts.pair[c], i = s.pairs.a[k], j = s.pairs.b[k];
    const Vec3 d = s.particles.position[j] - s.particles.position[i];
    const double exact = narrow::exact_plane(bodies.view(i), bodies.view(j), d, nullptr, counters).gap;
    const double share = (exact + s.contacts.penetration[c]) / std::min(s.particles.size[i], s.particles.size[j]);
    ++cost.contacts;
    cost.short_6 += share > 1e-6, cost.short_3 += share > 1e-3;
    cost.worst = std::max(cost.worst, share);
  }
}

struct Plan {
  int warm, timed, turns;  ///< steps until a method has its own planes; steps timed; how often
};

Cost go_on(const Simulation& from, const PlaneSettings& settings, const Plan& plan) {
  Simulation s = from;
  s.detection.common_plane = settings;
  s.pairs.keeps_tracked = narrow::keeps_track(settings);
  s.pairs.resize(s.pairs.size());
  for (int i = 0; i < plan.warm && !s.fault; ++i) step(s);
  s.counters = {};
  int done = 0;
  for (; done < plan.timed && !s.fault; ++done) step(s);
  Cost cost;
  cost.ns = 1e9 * s.counters.seconds_planes;
  cost.steps = static_cast<double>(s.particles.size_rows()) * done;
  cost.stopped = s.fault ? 1 : 0;
  cost.searched = s.counters.planes_searched, cost.iterations = s.counters.iterations;
  cost.iterations_max = s.counters.iterations_max;
  judge(s, cost);
  return cost;
}

/// Every method from this state, in turns, on one thread; medians are added to `sums`.
void compare(const Simulation& from, const std::vector<PlaneSearch>& all, const Plan& plan, std::vector<Cost>& sums) {
  exec::set_threads(1);
  std::vector<std::vector<double>> ns(all.size());
  std::vector<Cost> last(all.size());
  for (int turn = 0; turn < plan.turns; ++turn) {
    for (std::size_t m = 0; m < all.size(); ++m) {
      last[m] = go_on(from, all[m].settings, plan);
      ns[m].push_back(last[m].ns);
    }
  }
  sums.resize(all.size());
  for (std::size_t m = 0; m < all.size(); ++m) {
    last[m].ns = median(ns[m]);
    sums[m].add(last[m]);
  }
  exec::set_threads(0);
}

/// Runs the stage that has begun for `seconds` and compares at `instants` evenly spread over it.
Status run_stage(Simulation& s, double seconds, int instants, const std::vector<PlaneSearch>& all, const Plan& plan,
                 std::vector<Cost>& sums) {
  for (int i = 0; i < instants; ++i) {
    scenes::run_for(s, seconds / instants / (i == 0 ? 2 : 1));
    if (s.fault) return Error{s.fault->text()};
    compare(s, all, plan, sums);
  }
  scenes::run_for(s, seconds / instants / 2);
  return s.fault ? Status(Error{s.fault->text()}) : ok();
}

nlohmann::ordered_json cost_json(const Cost& c) {
  return {{"ns_per_grain_step", c.per_grain_step()},
          {"contacts", c.contacts},
          {"short_by_1e-6", c.short_6},
          {"short_by_1e-3", c.short_3},
          {"worst_error", c.worst},
          {"runs_stopped", c.stopped},
          {"searches", c.searched},
          {"iterations_mean", c.searched > 0 ? static_cast<double>(c.iterations) / static_cast<double>(c.searched) : 0},
          {"iterations_max", c.iterations_max}};
}

void print_accuracy(const std::vector<PlaneSearch>& all, const std::vector<Cost>& sums) {
  Table table({"method", "ns/grain/step", "short by > 1e-6", "> 1e-3", "worst error", "stopped", "iterations",
               "at most", "contacts"});
  for (std::size_t m = 0; m < all.size(); ++m) {
    const Cost& c = sums[m];
    const auto n = static_cast<double>(std::max<std::uint64_t>(c.contacts, 1));
    const auto searched = static_cast<double>(std::max<std::uint64_t>(c.searched, 1));
    table.add({all[m].name, fmt::format("{:.1f}", c.per_grain_step()), percent(static_cast<double>(c.short_6) / n),
               percent(static_cast<double>(c.short_3) / n), short_number(std::max(c.worst, 0.0)),
               std::to_string(c.stopped),
               c.searched > 0 ? fmt::format("{:.2f}", static_cast<double>(c.iterations) / searched) : "",
               c.searched > 0 ? std::to_string(c.iterations_max) : "", std::to_string(c.contacts)});
  }
  table.print();
  fmt::print(
      "\nerror: how far the gap falls short of the exact one, of the smaller size; stopped: stretches that ended "
      "early, "
      "for a plane\nso bad that an overlap looked too deep; iterations: of full searches. Nezami et al. 2004: mean "
      "{:.2f}, "
      "at most {:.0f} for the\nfast common plane (30 000 grains).\n",
      kPaperIterations, kPaperMost);
}

nlohmann::ordered_json head(const char* bench, bool quick) {
  nlohmann::ordered_json out = json_head(bench, quick);
  out["time_step"] = kTimeStep;
  return out;
}

/// Speed-ups of one method over all scenes.
struct Range {
  double least = 1e300, most = 0, logs = 0;
  int n = 0;
  void add(double ratio) { least = std::min(least, ratio), most = std::max(most, ratio), logs += std::log(ratio), ++n; }
  std::string text() const { return fmt::format("{:.1f} to {:.1f}, mean {:.1f}", least, most, std::exp(logs / n)); }
};

void print_ranges(const std::vector<PlaneSearch>& all, const std::vector<std::array<Range, 2>>& ranges) {
  fmt::print("Range of the speed-up over all grains and stages, and its geometric mean\n\n");
  Table table({"method", "over Cundall's search as quoted", "with fine turns"});
  for (std::size_t m = 2; m < all.size(); ++m) table.add({all[m].name, ranges[m][0].text(), ranges[m][1].text()});
  table.print();
  fmt::print("\nNezami et al. 2004, Fig. 16: {:.0f} to {:.0f} for `fast, paper` over Cundall's search.\n\n", kPaperLow,
             kPaperHigh);
}

struct Stage {
  const char* name;
  std::vector<Cost> cost;  ///< by method
};

/// Box filled, then the wall on the right taken away.
Result<std::array<Stage, 2>> fill_and_flow(std::uint64_t grains, double seconds, int instants, const Plan& plan) {
  Case c = scenes::box_fill(grains);
  c.time_step.fixed = kTimeStep;
  Case::Stage release;
  release.name = "release", release.remove = {"box.x_max"}, release.duration = 1e9;
  c.stages.push_back(release);
  Simulation s = scenes::build(c);
  std::array<Stage, 2> stages{{{"fill", {}}, {"flow", {}}}};
  if (Status done = run_stage(s, seconds, instants, methods(), plan, stages[0].cost); !done) return done.error();
  if (const Result<bool> begun = begin_next_stage(s, c, scenes::library()); !begun) return begun.error();
  if (Status done = run_stage(s, seconds, instants, methods(), plan, stages[1].cost); !done) return done.error();
  return stages;
}

}  // namespace

int bench_nezami_speed_up(const std::string& json, bool quick) {
  const std::vector<PlaneSearch> all = methods();
  const std::vector<std::uint64_t> counts =
      quick ? std::vector<std::uint64_t>{60} : std::vector<std::uint64_t>{180, 270, 360, 450, 540};
  const Plan plan = quick ? Plan{5, 10, 1} : Plan{20, 40, 3};
  nlohmann::ordered_json out = head("nezami-fig16", quick);
  out["paper_ratio"] = {kPaperLow, kPaperHigh};
  std::vector<std::string> first{"grains, stage", "common_plane ns"};
  for (std::size_t m = 2; m < all.size(); ++m) first.push_back(all[m].name);
  Table quoted(first), fine(first);
  std::vector<Cost> sums(all.size());
  std::vector<std::array<Range, 2>> ranges(all.size());
  for (const std::uint64_t grains : counts) {
    fmt::print(stderr, "{} grains ...\n", grains);
    const Result<std::array<Stage, 2>> stages = fill_and_flow(grains, quick ? 0.1 : 0.5, quick ? 1 : 5, plan);
    if (!stages) return fail("bench", stages.error().message);
    for (const Stage& stage : *stages) {
      const std::string name = fmt::format("{}, {}", grains, stage.name);
      std::vector<std::string> rows[2];
      for (std::size_t k = 0; k < 2; ++k) rows[k] = {name, fmt::format("{:.0f}", stage.cost[k].per_grain_step())};
      for (std::size_t m = 0; m < all.size(); ++m) {
        sums[m].add(stage.cost[m]);
        const double own = stage.cost[m].per_grain_step(), ratio = stage.cost[0].per_grain_step() / own,
                     ratio_fine = stage.cost[1].per_grain_step() / own;
        ranges[m][0].add(ratio), ranges[m][1].add(ratio_fine);
        if (m >= 2)
          rows[0].push_back(fmt::format("{:.1f}", ratio)), rows[1].push_back(fmt::format("{:.1f}", ratio_fine));
        nlohmann::ordered_json row{{"grains", grains}, {"stage", stage.name}, {"method", all[m].name}};
        row.update(cost_json(stage.cost[m]));
        row["speed_up"] = ratio, row["speed_up_over_fine"] = ratio_fine;
        out["rows"].push_back(row);
      }
      quoted.add(rows[0]), fine.add(rows[1]);
    }
  }
  fmt::print("Speed-up over Cundall's search as quoted\n\n");
  quoted.print();
  fmt::print("\nSpeed-up over Cundall's search with fine turns\n\n");
  fine.print();
  fmt::print(
      "\ncommon_plane ns: per grain and step, by Cundall's search; as quoted: turns of 5 down to 0.01 degree by halves "
      "about fixed\naxes; fine: random axes, by tenths down to 1e-6.\n\n");
  print_ranges(all, ranges);
  fmt::print("Planes of the contacts in the box, all grains and stages\n\n");
  print_accuracy(all, sums);
  return write_record(json, out);
}

namespace {

struct Prototype {
  const char* shape;
  int corners;
};
constexpr Prototype kPrototypes[] = {{"tetrahedron", 4}, {"pyramid", 5}, {"cube", 8}, {"grain14", 14}};

/// Grains of one shape dropped on the ground, with nothing around it.
Case heap(const char* shape, std::uint64_t grains) {
  Case c = scenes::box_fill(grains);
  c.particles[0].shapes = {shape};
  std::erase_if(c.walls, [](const Case::Wall& w) { return w.name != "box.z_min"; });
  std::get<Case::Lattice>(c.particles[0].place).from = 0.2;
  c.time_step.fixed = 2 * kTimeStep;
  return c;
}

}  // namespace

int bench_nezami_corners(const std::string& json, bool quick) {
  std::vector<PlaneSearch> all = methods();
  std::erase_if(all, [](const PlaneSearch& m) {
    return m.name != "common_plane" && m.name != "fast, paper" && m.name != "shortest_link" && m.name != "auto";
  });
  const std::vector<std::uint64_t> counts =
      quick ? std::vector<std::uint64_t>{40} : std::vector<std::uint64_t>{162, 243, 324, 405};
  const Plan plan = quick ? Plan{5, 10, 1} : Plan{20, 40, 3};
  const double seconds = quick ? 0.3 : 1.25;
  nlohmann::ordered_json out = head("nezami-fig17", quick);
  std::map<std::pair<std::uint64_t, int>, std::vector<Cost>> cost;
  std::vector<Cost> sums(all.size());
  for (const std::uint64_t grains : counts) {
    for (const Prototype& p : kPrototypes) {
      fmt::print(stderr, "{} grains, {} ...\n", grains, p.shape);
      Simulation s = scenes::build(heap(p.shape, grains));
      std::vector<Cost>& of = cost[{grains, p.corners}];
      if (Status done = run_stage(s, seconds, quick ? 1 : 5, all, plan, of); !done)
        return fail("bench", done.error().message);
      for (std::size_t m = 0; m < all.size(); ++m) {
        sums[m].add(of[m]);
        nlohmann::ordered_json row{{"grains", grains}, {"shape", p.shape}, {"corners", p.corners}};
        row["method"] = all[m].name,
        row["time_over_four_corners"] = of[m].per_grain_step() / cost[{grains, 4}][m].per_grain_step();
        row.update(cost_json(of[m]));
        out["rows"].push_back(row);
      }
    }
  }
  for (std::size_t m = 0; m < all.size(); ++m) {
    fmt::print("{}Time by `{}` over that for 4 corners (ns per grain and step)\n\n", m == 0 ? "" : "\n", all[m].name);
    std::vector<std::string> first{"corners"};
    for (const std::uint64_t grains : counts) first.push_back(fmt::format("{} grains", grains));
    Table table(first);
    for (const Prototype& p : kPrototypes) {
      std::vector<std::string> row{fmt::format("{} ({})", p.corners, p.shape)};
      for (const std::uint64_t grains : counts) {
        const Cost& c = cost[{grains, p.corners}][m];
        row.push_back(fmt::format("{:.2f} ({:.0f})", c.per_grain_step() / cost[{grains, 4}][m].per_grain_step(),
                                  c.per_grain_step()));
      }
      table.add(row);
    }
    table.print();
  }
  fmt::print(
      "\nNezami et al. 2004, Fig. 17, in words (the text gives no values): the time \"does not monotonically increase "
      "with number of\nparticle vertices\", and falls from 4 to 5 vertices always.\n\n"
      "Planes of the contacts in the heaps, all shapes\n\n");
  print_accuracy(all, sums);
  return write_record(json, out);
}

}  // namespace scree::app

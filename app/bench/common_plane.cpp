// Every strategy on the same pairs, in turns, with its error against the exact gap beside its time.
#include "app/bench/common_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/bench/kernels.h"
#include "app/bench/record.h"
#include "app/bench/table.h"
#include "app/commands.h"
#include "base/timer.h"
#include "io/library/library.h"
#include "narrow/paper_fcp.h"
#include "scenes/posed_pairs.h"

namespace scree::app {

namespace {

using narrow::Plane;
using narrow::PlaneMethod;
using scenes::PosedPairs;

constexpr double kWrong = 1e-6;    ///< of the size: a gap short by more counts as wrong
constexpr double kCoarse = 1e-3;   ///< of the size: the same for methods that are not made for six digits
constexpr double kMotion = 1e-4;   ///< sizes and radians per step of the tracked pairs
constexpr std::size_t kSteps = 8;  ///< of the tracked pairs

struct State {
  const char* name;
  double gap;  ///< of the size
};
constexpr State kStates[] = {{"apart 5 %", 0.05},
                             {"apart 0.05 %", 0.0005},
                             {"overlap 0.1 %", -0.001},
                             {"overlap 1 %", -0.01},
                             {"overlap 20 %", -0.2}};

struct Strategy {
  std::string name;
  narrow::PlaneSettings settings;
  bool keeps() const { return settings.method == PlaneMethod::fast && settings.fast.paper; }
  bool tracked_only = false;
};

std::vector<Strategy> strategies() {
  std::vector<Strategy> all;
  const auto add = [&](const char* name, PlaneMethod method) -> Strategy& {
    all.push_back({name, {}});
    all.back().settings.method = method;
    return all.back();
  };
  add("common_plane", PlaneMethod::common_plane);
  add("common_plane, random axes", PlaneMethod::common_plane).settings.cundall.random_axes = true;
  narrow::CundallSettings& fine = add("common_plane, fine", PlaneMethod::common_plane).settings.cundall;
  fine.random_axes = true, fine.smallest = 1e-6, fine.shrink = 0.9;
  add("fast", PlaneMethod::fast);
  Strategy& every = add("fast, paper, each step anew", PlaneMethod::fast);
  every.tracked_only = every.settings.fast.paper = true, every.settings.fast.approximation = false;
  Strategy& paper = add("fast, paper", PlaneMethod::fast);
  paper.tracked_only = paper.settings.fast.paper = true;
  add("shortest_link, literal", PlaneMethod::shortest_link).settings.shortest_link.literal = true;
  add("shortest_link", PlaneMethod::shortest_link);
  add("separating_axis", PlaneMethod::separating_axis);
  add("gjk", PlaneMethod::gjk);
  add("auto", PlaneMethod::automatic);
  return all;
}

/// What a strategy has of each pair from the step before.
struct Kept {
  Plane plane;
  narrow::PaperPair paper;
  bool known = false;
};

double find(const Strategy& s, const PosedPairs& pairs, std::size_t k, Kept& kept, narrow::SearchCounters& counters) {
  Plane p;
  if (s.keeps()) {
    p = paper_fast_common_plane(s.settings.fast, pairs.a(k), pairs.b(k), pairs.d(k), 0, 0, kept.paper, counters);
  } else {
    p = find_plane(s.settings, pairs.a(k), pairs.b(k), pairs.d(k), kept.known ? &kept.plane : nullptr, counters);
    p.feature.va = static_cast<std::uint16_t>(p.va), p.feature.vb = static_cast<std::uint16_t>(p.vb);
  }
  kept.plane = p, kept.known = true;
  return p.gap;
}

/// Pairs at one gap, as they are met and in the steps that follow, with their exact gaps.
struct PairScene {
  std::vector<PosedPairs> step;
  std::vector<std::vector<double>> exact;
};
PairScene make_scene(const std::shared_ptr<const Shape>& shape, double gap, std::size_t pairs) {
  PairScene s;
  s.step.push_back(scenes::random_pairs(shape, pairs, gap, 5));
  for (std::size_t i = 0; i < kSteps; ++i) s.step.push_back(scenes::step_later(s.step.back(), kMotion, gap, 6));
  narrow::SearchCounters counters;
  for (const PosedPairs& p : s.step) {
    std::vector<double>& gaps = s.exact.emplace_back();
    for (std::size_t k = 0; k < p.size(); ++k)
      gaps.push_back(narrow::exact_plane(p.a(k), p.b(k), p.d(k), nullptr, counters).gap);
  }
  return s;
}

struct StrategyRow {
  std::string strategy, shape, state, start;
  double ns = 0, iterations = 0, evaluations = 0, worst_error = 0;
  double above = 0;  ///< of the size: most by which a gap exceeds the exact one, which no plane's can
  std::uint64_t iterations_max = 0, wrong = 0, coarse = 0, pairs = 0;
};

StrategyRow judged(const Strategy& s, const PairScene& scene, bool tracked) {
  StrategyRow row;
  narrow::SearchCounters counters;
  std::vector<Kept> kept(scene.step[0].size());
  const auto look = [&](std::size_t i, bool counts) {
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const std::uint64_t skipped = counters.skipped;
      double short_by = scene.exact[i][k] - find(s, scene.step[i], k, kept[k], counters);
      if (!counts) continue;
      // A pair skipped because it has not moved far enough has no plane, but a bound of its gap.
      if (counters.skipped > skipped) short_by = 0;
      ++row.pairs;
      row.wrong += short_by > kWrong, row.coarse += short_by > kCoarse;
      row.worst_error = std::max(row.worst_error, short_by), row.above = std::max(row.above, -short_by);
    }
  };
  look(0, !tracked);
  if (tracked) {
    counters = {};
    for (std::size_t i = 1; i < scene.step.size(); ++i) look(i, true);
  }
  const auto n = static_cast<double>(row.pairs);
  row.iterations = static_cast<double>(counters.iterations) / n, row.iterations_max = counters.iterations_max;
  row.evaluations = static_cast<double>(counters.evaluations) / n;
  return row;
}

/// ns per call over the first `pairs` pairs, which stay in cache.
double timed(const Strategy& s, const PairScene& scene, bool tracked, std::size_t pairs,
             const std::vector<Kept>& first) {
  narrow::SearchCounters counters;
  std::vector<Kept> kept = first;
  double sum = 0;
  const Stopwatch watch;
  if (tracked) {
    for (std::size_t i = 1; i < scene.step.size(); ++i) {
      for (std::size_t k = 0; k < pairs; ++k) sum += find(s, scene.step[i], k, kept[k], counters);
    }
  } else {
    for (std::size_t round = 0; round < 4; ++round) {
      for (std::size_t k = 0; k < pairs; ++k) {
        kept[k].known = false;
        sum += find(s, scene.step[0], k, kept[k], counters);
      }
    }
  }
  const double ns = 1e9 * watch.seconds();
  volatile double keep = sum;
  static_cast<void>(keep);
  return ns / (static_cast<double>(pairs) * (tracked ? static_cast<double>(kSteps) : 4.0));
}

/// One shape in one state by all strategies, which take turns so that a drift of the machine meets all of them.
void measure(const std::string& shape, const State& state, const PairScene& scene, int turns, std::size_t pairs,
             std::vector<StrategyRow>& rows) {
  const std::vector<Strategy> all = strategies();
  struct Run {
    const Strategy* strategy;
    bool tracked;
    std::vector<Kept> first;
    std::vector<double> ns;
  };
  std::vector<Run> runs;
  for (const Strategy& s : all) {
    for (const bool tracked : {false, true}) {
      if (s.tracked_only && !tracked) continue;
      Run run{&s, tracked, std::vector<Kept>(pairs), {}};
      narrow::SearchCounters counters;
      for (std::size_t k = 0; tracked && k < pairs; ++k) find(s, scene.step[0], k, run.first[k], counters);
      runs.push_back(std::move(run));
    }
  }
  for (int turn = 0; turn <= turns; ++turn) {
    for (Run& r : runs) {
      const double ns = timed(*r.strategy, scene, r.tracked, pairs, r.first);
      if (turn > 0) r.ns.push_back(ns);  // the first turn warms up
    }
  }
  for (const Run& r : runs) {
    StrategyRow row = judged(*r.strategy, scene, r.tracked);
    row.strategy = r.strategy->name, row.shape = shape, row.state = state.name;
    row.start = r.tracked ? "tracked" : "cold";
    row.ns = median(r.ns);
    rows.push_back(std::move(row));
  }
}

void print_times(const std::vector<StrategyRow>& rows, const std::vector<std::shared_ptr<const Shape>>& shapes,
                 const char* state, const char* start) {
  fmt::print("\nns per call, {}, {}\n\n", state, start);
  std::vector<std::string> head{"strategy"};
  for (const auto& s : shapes) head.push_back(s->name);
  Table table(head);
  for (const Strategy& s : strategies()) {
    std::vector<std::string> line{s.name};
    for (const auto& shape : shapes) {
      for (const StrategyRow& r : rows) {
        if (r.strategy == s.name && r.shape == shape->name && r.state == state && r.start == start)
          line.push_back(fmt::format("{:.0f}", r.ns));
      }
    }
    if (line.size() > 1) table.add(line);
  }
  table.print();
}

/// Over all shapes.
void print_accuracy(const std::vector<StrategyRow>& rows, const char* state, const char* start) {
  fmt::print("\nAccuracy over all shapes, {}, {}\n\n", state, start);
  Table table({"strategy", "wrong", "by > 1e-3", "worst error", "iterations", "at most", "evaluations", "pairs"});
  for (const Strategy& s : strategies()) {
    StrategyRow sum;
    for (const StrategyRow& r : rows) {
      if (r.strategy != s.name || r.state != state || r.start != start) continue;
      const auto n = static_cast<double>(r.pairs);
      sum.pairs += r.pairs, sum.wrong += r.wrong, sum.coarse += r.coarse;
      sum.iterations += n * r.iterations, sum.evaluations += n * r.evaluations;
      sum.worst_error = std::max(sum.worst_error, r.worst_error);
      sum.iterations_max = std::max(sum.iterations_max, r.iterations_max);
    }
    if (sum.pairs == 0) continue;
    const auto n = static_cast<double>(sum.pairs);
    table.add({s.name, percent(static_cast<double>(sum.wrong) / n), percent(static_cast<double>(sum.coarse) / n),
               short_number(sum.worst_error), fmt::format("{:.2f}", sum.iterations / n),
               std::to_string(sum.iterations_max), fmt::format("{:.1f}", sum.evaluations / n),
               std::to_string(sum.pairs)});
  }
  table.print();
}

void print_rows(const std::vector<StrategyRow>& rows) {
  fmt::print("\n");
  Table table({"strategy", "shape", "state", "start", "ns", "iterations mean", "max", "evaluations mean", "wrong",
               "worst error", "pairs"});
  for (const StrategyRow& r : rows) {
    table.add({r.strategy, r.shape, r.state, r.start, fmt::format("{:.0f}", r.ns), fmt::format("{:.2f}", r.iterations),
               std::to_string(r.iterations_max), fmt::format("{:.1f}", r.evaluations), std::to_string(r.wrong),
               short_number(r.worst_error), std::to_string(r.pairs)});
  }
  table.print();
}

nlohmann::ordered_json to_json(const std::vector<StrategyRow>& rows) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const StrategyRow& r : rows) {
    out.push_back({{"strategy", r.strategy},
                   {"shape", r.shape},
                   {"state", r.state},
                   {"start", r.start},
                   {"ns", r.ns},
                   {"iterations_mean", r.iterations},
                   {"iterations_max", r.iterations_max},
                   {"evaluations_mean", r.evaluations},
                   {"wrong", r.wrong},
                   {"short_by_1e-3", r.coarse},
                   {"worst_error", r.worst_error},
                   {"above_exact", r.above},
                   {"pairs", r.pairs}});
  }
  return out;
}

}  // namespace

int bench_common_plane(const std::string& json, bool all_rows, bool quick) {
  std::vector<std::shared_ptr<const Shape>> shapes;
  const std::vector<const char*> names =
      quick ? std::vector{"cube", "grain14"}
            : std::vector{"tetrahedron", "cube", "grain14", "grain16", "dodecahedron", "icosahedron"};
  for (const char* name : names) {
    const Result<std::shared_ptr<const Shape>> s = io::load_shape(name);
    if (!s) return fail("bench", s.error().message);
    shapes.push_back(*s);
  }
  shapes.push_back(scenes::boulder32());
  const std::size_t pairs = quick ? 16 : 512, in_cache = quick ? 16 : 64;
  const int turns = quick ? 1 : 15;
  std::vector<StrategyRow> rows;
  for (const auto& shape : shapes) {
    fmt::print(stderr, "{} ...\n", shape->name);
    for (const State& state : kStates)
      measure(shape->name, state, make_scene(shape, state.gap, pairs), turns, in_cache, rows);
  }
  const std::vector<KernelRow> kernels = measure_kernels(shapes, turns);
  for (const State& state : kStates) {
    for (const char* start : {"cold", "tracked"}) {
      print_times(rows, shapes, state.name, start);
      print_accuracy(rows, state.name, start);
    }
  }
  if (all_rows) print_rows(rows);
  print_kernels(kernels);
  fmt::print(
      "\nwrong: gaps short of the exact one by more than {:.0e} of the size; error: of the size. tracked: from the\n"
      "method's own plane of the step before, bodies slide by {:.0e} sizes and turn by as many radians in each of {}\n"
      "steps. Medians of {} turns on {} pairs in cache; pairs: those on which the accuracy was judged.\n",
      kWrong, kMotion, kSteps, turns, in_cache);
  nlohmann::ordered_json out = json_head("common-plane", quick);
  out["wrong_above"] = kWrong, out["motion_per_step"] = kMotion;
  out["rows"] = to_json(rows), out["kernels"] = kernels_json(kernels);
  return write_record(json, out);
}

}  // namespace scree::app

// What it takes to spread a run over ranks: copies, pairs that two compute, messages, waiting.
#include "app/bench/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/bench/record.h"
#include "app/bench/step_cost.h"
#include "app/bench/table.h"
#include "app/commands.h"
#include "app/spread_model.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "mpi/launch.h"
#include "ranks/thread_ranks.h"
#include "scenes/scenes.h"
#include "sim/spread.h"

namespace scree::app {

namespace {

constexpr int kRanksForModel = 8;  // fewer have no borders along all axes

struct SpreadScene {
  std::string name;
  Case bed;
  double seconds;  ///< to settle in
};

/// Spheres of one size, or grains of four shapes.
SpreadScene scene_of(const std::string& name, std::uint64_t grains, bool quick) {
  const double share = quick ? 0.1 : 1;
  if (name == "grains") return {name, scenes::mixed_bed(grains), 0.6 * share};
  return {name, scenes::sphere_bed(grains), 0.1 * share};
}

struct SpreadRow {
  std::string scene;
  int ranks = 1, threads = 1;
  std::uint64_t grains = 0;
  double rate = 0;  ///< particle-steps/s
  Shares shares;
  double messages = 0, bytes = 0, waiting = 0;  ///< per step and rank; share of the time
  std::uint64_t hash = 0;
  bool failed = false;
};

/// One stretch of steps by those ranks. Collective.
SpreadRow stretch_of(const SpreadScene& scene, const Simulation& bed, ranks::Ranks& ranks, int steps) {
  constexpr int kWarm = 20;
  SpreadRow row;
  row.scene = scene.name, row.ranks = ranks.size(), row.threads = exec::threads(),
  row.grains = bed.particles.size_rows();
  Simulation s = bed;
  if (ranks.size() > 1) deal(s, ranks);
  for (int k = 0; k < kWarm && !s.fault; ++k) step(s);
  const ranks::Traffic before = ranks.traffic();
  const Stopwatch watch;
  for (int k = 0; k < steps && !s.fault; ++k) step(s);
  const double seconds = watch.seconds(), per_step = 1.0 / steps;
  row.rate = static_cast<double>(row.grains) * steps / seconds;
  const ranks::Traffic& now = ranks.traffic();
  const auto sum = [&](std::uint64_t v) {
    return static_cast<double>(ranks.sum_of(static_cast<std::int64_t>(v))) * per_step / ranks.size();
  };
  row.messages = sum(now.messages - before.messages), row.bytes = sum(now.bytes - before.bytes);
  row.waiting = sum(static_cast<std::uint64_t>(1e9 * (now.seconds - before.seconds))) / (1e9 * seconds * per_step);
  if (ranks.size() > 1) row.shares = shares_of(s);
  make_whole(s);
  row.hash = state_hash(s), row.failed = s.fault.has_value();
  return row;
}

/// `n` threads of this process.
SpreadRow stretch_of_threads(const SpreadScene& scene, const Simulation& bed, int n, int threads, int steps) {
  SpreadRow row;
  ranks::run_as_threads(n, threads, [&](ranks::Ranks& ranks) {
    SpreadRow mine = stretch_of(scene, bed, ranks, steps);
    if (ranks.is_first()) row = std::move(mine);
  });
  return row;
}

/// Borders as a row has them, for the model.
BorderCounts border_of(const SpreadRow& r, const BorderCounts& otherwise) {
  BorderCounts border = otherwise;
  const double n = r.shares.grains.mean, per = 1 / (faces_of(r.ranks, 3) * std::pow(n, 2.0 / 3));
  const double pairs = r.shares.pairs.mean, across = 2 * (pairs - pairs / (1 + r.shares.twice));
  border.copies = r.shares.copies.mean * per, border.pairs = across * per;
  return border;
}

void print_model(const SpreadRow& r) {
  constexpr int kCores = 1024;
  constexpr double kOfCore = 1e4;
  const BorderCounts border = border_of(r, r.scene == "grains" ? kAngularBorder : kRoundBorder);
  const Network network;
  fmt::print(
      "\n{}, {:.0f} of a core on {} cores, by a model with the copies and pairs across borders of {} ranks above "
      "({:.2f} and {:.2f} for each (grains of a rank)^(2/3) of a border), {:.2g} contacts likewise; {:.0f} ns a "
      "step of a grain, {:.0f} of a copy, {:.0f} of a pair, {:.0f} of a contact; {:.2g} us latency, {:.2g} us a "
      "message, {:.0f} GB/s, {:.0f} % imbalance:\n",
      r.scene, kOfCore, kCores, r.ranks, border.copies, border.pairs, border.contacts, 1e9 * border.grain,
      1e9 * border.copy, 1e9 * border.look, 1e9 * border.contact, 1e6 * network.latency, 1e6 * network.message,
      1e-9 * network.bandwidth, 100 * network.imbalance);
  for (const int threads : {1, 8, 16}) {
    const SpreadModel m = spread_model(kOfCore * kCores, kCores / threads, threads, 3, border, network);
    fmt::print("  {:>2} thread{} a rank: {:.0f} % copies, {:.1f} % of the work twice, efficiency {:.2f}\n", threads,
               threads == 1 ? " " : "s", 100 * m.copies / m.grains, 100 * m.twice, m.efficiency);
  }
}

SpreadRow median_of(std::vector<SpreadRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const SpreadRow& a, const SpreadRow& b) { return a.rate < b.rate; });
  return rows[rows.size() / 2];
}

}  // namespace

int bench_spread(const SpreadOptions& o, const std::string& json, bool quick) {
  const Result<std::unique_ptr<ranks::Ranks>> joined = mpi::join();
  if (!joined) return refuse("bench", joined.error().message);
  ranks::Ranks& all = **joined;
  const bool launched = all.size() > 1;
  const int steps = quick ? 20 : 400, turns = quick ? 1 : 3;
  const std::vector<int> counts = launched ? std::vector{all.size()} : o.ranks;
  Table table({"scene", "ranks", "threads", "grains", "M particle-steps/s", "of one rank", "grains of a rank", "copies",
               "pairs twice", "messages/step", "kB/step", "in calls"});
  nlohmann::ordered_json out = json_head("spread", quick);
  bool failed = false;
  std::vector<SpreadRow> widest;  // of each scene
  for (const std::string name : {"spheres", "grains"}) {
    if (o.scene != "all" && o.scene != name) continue;
    const std::uint64_t of_one_bed = quick ? 400 : name == "grains" ? 5000 : 20000;
    std::optional<Simulation> bed;
    std::vector<SpreadRow> rows;
    for (const int n : counts) {
      const SpreadScene scene = scene_of(
          name, o.grains > 0 ? static_cast<std::uint64_t>(o.grains) * static_cast<std::uint64_t>(n) : of_one_bed,
          quick);
      if (!bed || o.grains > 0) {
        // Ranks of mpirun settle it each by itself, with the same bits.
        exec::set_threads(launched ? std::max(1, exec::cores() / all.on_this_machine()) : 0);
        Result<Simulation> made = settled(scene.bed, scene.bed, scene.seconds, name);
        if (!made) return fail("bench", made.error().message);
        bed = std::move(*made);
      }
      exec::set_threads(o.threads);
      std::vector<SpreadRow> of_turns, of_one;
      for (int turn = 0; turn < turns; ++turn) {
        of_turns.push_back(launched ? stretch_of(scene, *bed, all, steps)
                                    : stretch_of_threads(scene, *bed, n, o.threads, steps));
        if (!launched) of_one.push_back(stretch_of_threads(scene, *bed, 1, o.threads, steps));
      }
      rows.push_back(median_of(std::move(of_turns)));
      const SpreadRow& r = rows.back();
      failed = failed || r.failed;
      const double gain = of_one.empty() ? NAN : r.rate / median_of(of_one).rate;
      if (!of_one.empty() && of_one[0].hash != r.hash) {
        fmt::print(stderr, "scree bench: {} on {} ranks has other bits than on one\n", name, n);
        failed = true;
      }
      const auto whole = [](double v) { return fmt::format("{:.0f}", v); };
      table.add({name, std::to_string(r.ranks), std::to_string(r.threads), std::to_string(r.grains),
                 fmt::format("{:.3f}", 1e-6 * r.rate), std::isnan(gain) ? "" : fmt::format("{:.2f}", gain),
                 whole(r.shares.grains.mean), whole(r.shares.copies.mean), percent(r.shares.twice),
                 fmt::format("{:.1f}", r.messages), fmt::format("{:.1f}", 1e-3 * r.bytes), percent(r.waiting)});
      nlohmann::ordered_json row{{"scene", name},
                                 {"ranks", r.ranks},
                                 {"threads", r.threads},
                                 {"by", launched ? "mpi" : "threads"},
                                 {"grains", r.grains},
                                 {"particle_steps_per_s", r.rate},
                                 {"own_most", r.shares.grains.most},
                                 {"copies", r.shares.copies.mean},
                                 {"pairs", r.shares.pairs.mean},
                                 {"pairs_twice", r.shares.twice},
                                 {"messages_per_step", r.messages},
                                 {"bytes_per_step", r.bytes},
                                 {"share_in_calls", r.waiting},
                                 {"imbalance", r.shares.imbalance},
                                 {"state_hash", fmt::format("{:016x}", r.hash)}};
      if (!std::isnan(gain)) row["over_one_rank"] = gain;
      out["rows"].push_back(std::move(row));
    }
    if (rows.back().ranks >= kRanksForModel) widest.push_back(rows.back());
  }
  exec::set_threads(0);
  if (!all.is_first()) return failed ? kRunFailed : kDone;
  fmt::print("Steps of beds that are spread over ranks ({})\n\n",
             launched ? "of mpirun" : "threads that stand for them");
  table.print();
  for (const SpreadRow& r : widest) print_model(r);
  if (failed) {
    fmt::print(stderr, "scree bench: a run stopped, or its bits were not those of one rank\n");
    return kRunFailed;
  }
  return write_record(json, out);
}

}  // namespace scree::app

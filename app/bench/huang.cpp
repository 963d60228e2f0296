// The 24 cases of Huang et al. 2020, section 5. The paper gives the drum, the objects and the clusters' spheres; where
// the objects lie is only drawn, so the beds are our own (scenes/bonded_drum.h). Nor does it say which of its two rules
// for the cells of the single-level grid was timed: both are here.
#include "app/bench/huang.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/bench/record.h"
#include "app/bench/table.h"
#include "app/commands.h"
#include "base/hash.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "neighbour/cluster_search.h"
#include "scenes/bonded_drum.h"

namespace scree::app {

namespace {

using neighbour::ClusterMethod;
using scenes::kClusterShapes;

constexpr ClusterMethod kMethods[] = {ClusterMethod::single_level_max, ClusterMethod::single_level_min,
                                      ClusterMethod::multi_level, ClusterMethod::parts};
constexpr std::size_t kMax = 0, kMin = 1, kPaper = 2, kOurs = 3;  // places in kMethods

/// The paper's milliseconds: grid subdivision, contact resolution, total; by distribution and cluster.
/// Table 9 prints 8.05 for the resolution of distribution 1, cluster F; 814.05 is what its sum and Table 11 say.
struct PaperTime {
  double grid, resolve, total;
};
constexpr PaperTime kTable9[4][6] = {{{128.9, 613.3, 742.2},
                                      {128.9, 636.7, 765.6},
                                      {128.95, 672.65, 801.6},
                                      {128.9, 725.8, 854.7},
                                      {128.1, 782.05, 910.15},
                                      {128.9, 814.05, 942.95}},
                                     {{138.3, 331.25, 469.55},
                                      {139.05, 337.5, 476.55},
                                      {138.3, 342.95, 481.25},
                                      {138.3, 353.1, 491.4},
                                      {138.25, 367.2, 505.45},
                                      {138.3, 366.4, 504.7}},
                                     {{146.1, 356.25, 502.35},
                                      {145.35, 431.25, 576.6},
                                      {145.3, 561.75, 707.05},
                                      {146.9, 797.65, 944.55},
                                      {146.85, 1057.85, 1204.7},
                                      {147.65, 1188.3, 1335.95}},
                                     {{154.7, 182, 336.7},
                                      {155.5, 228.1, 383.6},
                                      {155.5, 278.9, 434.4},
                                      {153.9, 385.15, 539.05},
                                      {154.65, 503.15, 657.8},
                                      {153.9, 536.75, 690.65}}};
constexpr PaperTime kTable10[4][6] = {{{286.7, 114.1, 400.8},
                                       {328.95, 165.6, 494.55},
                                       {454.7, 509.35, 964.05},
                                       {637.5, 1599.25, 2236.75},
                                       {807.8, 3342.95, 4150.75},
                                       {973.45, 5731.25, 6704.7}},
                                      {{284.35, 74.25, 358.6},
                                       {327.35, 105.45, 432.8},
                                       {466.4, 299.25, 765.65},
                                       {664.05, 899.2, 1563.25},
                                       {844.55, 1846.1, 2690.65},
                                       {1013.3, 3130.45, 4143.75}},
                                      {{551.55, 221.85, 773.4},
                                       {782.8, 497.65, 1280.45},
                                       {1472.7, 2546.05, 4018.75},
                                       {2457.8, 9503.15, 11960.95},
                                       {3383.6, 20901.5, 24285.1},
                                       {4282, 36709.4, 40991.4}},
                                      {{543.75, 164.05, 707.8},
                                       {785.95, 357.8, 1143.75},
                                       {1526.55, 1787.5, 3314.05},
                                       {2572.65, 6637.5, 9210.15},
                                       {3541.4, 14578.1, 18119.5},
                                       {4464.05, 25544.5, 30008.55}}};

struct ClusterTimes {
  double grid = 0, resolve = 0;  // ms
  std::uint64_t hash = 0;
  std::size_t pairs = 0;
  double total() const { return grid + resolve; }
};

struct ClusterScene {
  scenes::BondedSpheres spheres;
  neighbour::Units units;
  double units_ms;  // of making the units, once per breakage
  explicit ClusterScene(scenes::BondedSpheres s) : spheres(std::move(s)) {
    const Stopwatch watch;
    units = *neighbour::Units::make(spheres.bodies(), spheres.unit);
    units_ms = 1e3 * watch.seconds();
  }
  neighbour::Clusters view() const { return {spheres.bodies(), &units}; }
};

std::uint64_t hash_of_pairs(const std::vector<neighbour::Pair>& pairs) {
  Hash64 hash;
  for (const auto& [a, b] : pairs) hash.value(a), hash.value(b);
  return hash.digest();
}

/// Methods take turns, so that a drift of the machine meets all of them; medians by total. The first turn warms up.
std::vector<ClusterTimes> measure(const ClusterScene& scene, std::span<const ClusterMethod> methods, int turns) {
  std::vector<std::vector<ClusterTimes>> all(methods.size());
  neighbour::ClusterSearch search;
  std::vector<neighbour::Pair> pairs;
  for (int turn = 0; turn <= turns; ++turn) {
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (Status found = search.find(methods[m], scene.view(), pairs); !found) {
        say("bench", found.error().message);
        return {};
      }
      const neighbour::ClusterSearch::Times t = search.times();
      if (turn > 0) all[m].push_back({1e3 * t.grid, 1e3 * t.resolve, hash_of_pairs(pairs), pairs.size()});
    }
  }
  std::vector<ClusterTimes> out;
  for (auto& rows : all) {
    std::sort(rows.begin(), rows.end(),
              [](const ClusterTimes& a, const ClusterTimes& b) { return a.total() < b.total(); });
    out.push_back(rows[rows.size() / 2]);
  }
  return out;
}

struct DrumRow {
  int distribution;  // 1 to 4
  char cluster;
  std::size_t spheres, units;
  double units_ms;
  std::array<ClusterTimes, 4> by_method;
  PaperTime paper_single, paper_multi;

  double paper_ratio() const { return paper_single.total / paper_multi.total; }
  double ratio() const { return by_method[kMax].total() / by_method[kPaper].total(); }
  double over_paper() const { return by_method[kPaper].total() / by_method[kOurs].total(); }
  double over_single() const {
    return std::min(by_method[kMax].total(), by_method[kMin].total()) / by_method[kOurs].total();
  }
  bool same() const {
    return std::all_of(by_method.begin(), by_method.end(), [&](const ClusterTimes& m) {
      return m.hash == by_method[0].hash && m.pairs == by_method[0].pairs;
    });
  }
};

nlohmann::ordered_json json_rows(const DrumRow& row) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t m = 0; m < std::size(kMethods); ++m) {
    const ClusterTimes& x = row.by_method[m];
    out.push_back({{"distribution", row.distribution},
                   {"cluster", std::string(1, row.cluster)},
                   {"method", name(kMethods[m])},
                   {"grid_ms", x.grid},
                   {"resolve_ms", x.resolve},
                   {"total_ms", x.total()},
                   {"ratio", row.by_method[kMax].total() / x.total()},
                   {"paper_ratio", row.paper_ratio()},
                   {"spheres", row.spheres},
                   {"units", row.units},
                   {"units_ms", row.units_ms},
                   {"pairs", x.pairs},
                   {"hash", to_hex(x.hash)}});
    const PaperTime* paper = m == kMax ? &row.paper_single : (m == kPaper ? &row.paper_multi : nullptr);
    if (paper != nullptr) {
      out.back().push_back({"paper_grid_ms", paper->grid});
      out.back().push_back({"paper_resolve_ms", paper->resolve});
      out.back().push_back({"paper_total_ms", paper->total});
    }
  }
  return out;
}

std::string ms(double x) { return fmt::format("{:.{}f}", x, x < 10 ? 2 : (x < 100 ? 1 : 0)); }

void print_summary(const std::vector<DrumRow>& rows) {
  fmt::print("Detection between bonded clusters, ms\n\n");
  Table table({"distribution, cluster", "spheres", "contacts", "single-level, max", "single-level, min", "multi-level",
               "parts", "single/multi", "the paper's", "multi/parts", "single/parts"});
  for (const DrumRow& r : rows) {
    table.add({fmt::format("{} {}", r.distribution, r.cluster), std::to_string(r.spheres),
               std::to_string(r.by_method[kOurs].pairs), ms(r.by_method[kMax].total()), ms(r.by_method[kMin].total()),
               ms(r.by_method[kPaper].total()), ms(r.by_method[kOurs].total()), fmt::format("{:.2f}", r.ratio()),
               fmt::format("{:.2f}", r.paper_ratio()), fmt::format("{:.1f}", r.over_paper()),
               fmt::format("{:.1f}", r.over_single())});
  }
  table.print();
}

void print_phases(const std::vector<DrumRow>& rows) {
  fmt::print("\nGrid and resolution, ms\n\n");
  Table table({"distribution, cluster", "single-level, max: grid", "resolve", "multi-level: grid", "resolve",
               "parts: grid", "resolve", "units"});
  for (const DrumRow& r : rows) {
    std::vector<std::string> cells{fmt::format("{} {}", r.distribution, r.cluster)};
    for (const std::size_t m : {kMax, kPaper, kOurs}) {
      cells.push_back(ms(r.by_method[m].grid)), cells.push_back(ms(r.by_method[m].resolve));
    }
    cells.push_back(ms(r.units_ms));
    table.add(cells);
  }
  table.print();
}

void print_rows(const std::vector<DrumRow>& rows) {
  fmt::print("\nEvery row\n\n");
  Table table(
      {"distribution", "cluster", "method", "grid_ms", "resolve_ms", "total_ms", "paper_ratio", "pairs", "hash"});
  for (const DrumRow& r : rows) {
    for (std::size_t m = 0; m < std::size(kMethods); ++m) {
      const ClusterTimes& x = r.by_method[m];
      table.add({std::to_string(r.distribution), std::string(1, r.cluster), std::string(name(kMethods[m])), ms(x.grid),
                 ms(x.resolve), ms(x.total()), fmt::format("{:.2f}", r.paper_ratio()), std::to_string(x.pairs),
                 to_hex(x.hash)});
    }
  }
  table.print();
}

/// Clusters F alone, in drums of one diameter that are longer the more there are.
nlohmann::ordered_json cluster_growth(bool quick) {
  fmt::print("\nClusters of 100 spheres, parts\n\n");
  Table table({"spheres", "clusters", "contacts", "ms", "ns per sphere"});
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  constexpr ClusterMethod kOurMethod[] = {ClusterMethod::parts};
  for (const std::uint32_t clusters : {100u, 1000u, 10000u}) {
    if (quick && clusters > 100) break;
    scenes::DrumFill fill;
    fill.clusters = clusters, fill.diameter = 0.3, fill.length = 0.002 * clusters;
    const ClusterScene scene(scenes::bonded_drum(fill, kClusterShapes[5]));
    const std::vector<ClusterTimes> m = measure(scene, kOurMethod, quick ? 1 : 9);
    const std::size_t n = scene.spheres.x.size();
    const double ns = 1e6 * m[0].total() / static_cast<double>(n);
    table.add({std::to_string(n), std::to_string(clusters), std::to_string(m[0].pairs), ms(m[0].total()),
               fmt::format("{:.1f}", ns)});
    rows.push_back({{"spheres", n},
                    {"clusters", clusters},
                    {"method", "parts"},
                    {"grid_ms", m[0].grid},
                    {"resolve_ms", m[0].resolve},
                    {"total_ms", m[0].total()},
                    {"ns_per_sphere", ns},
                    {"pairs", m[0].pairs},
                    {"hash", to_hex(m[0].hash)}});
  }
  table.print();
  return rows;
}

void print_foot(const std::vector<DrumRow>& rows) {
  double over_paper = 1e300, over_single = 1e300;
  for (const DrumRow& r : rows) {
    over_paper = std::min(over_paper, r.over_paper()), over_single = std::min(over_single, r.over_single());
  }
  fmt::print(
      "\nparts against multi-level: at least {:.2f} times as fast; against the faster single-level grid: at least "
      "{:.2f} times\n",
      over_paper, over_single);
  for (const scenes::ClusterShape& shape : kClusterShapes) {
    fmt::print("cluster {}: {} spheres of {:.2f} mm in a sphere of 20 mm overlap by at most {:.1f} % of a diameter\n",
               shape.name, shape.spheres, 1e3 * shape.radius, 100 * worst_overlap(shape, packed_cluster(shape)));
  }
}

}  // namespace

int bench_huang(const std::string& json, bool all_rows, bool quick) {
  exec::set_threads(1);
  std::vector<DrumRow> rows;
  bool same = true;
  for (int distribution = 1; distribution <= 4; ++distribution) {
    for (std::size_t c = 0; c < std::size(kClusterShapes); ++c) {
      const scenes::ClusterShape& shape = kClusterShapes[c];
      const ClusterScene scene(scenes::bonded_drum(scenes::drum_fill(distribution, quick ? 0.01 : 1), shape));
      const std::vector<ClusterTimes> m = measure(scene, kMethods, quick ? 1 : 5);
      if (m.size() != std::size(kMethods)) return kRunFailed;
      const auto k = static_cast<std::size_t>(distribution - 1);
      DrumRow row{distribution,   shape.name, scene.spheres.x.size(), scene.units.size(),
                  scene.units_ms, {},         kTable10[k][c],         kTable9[k][c]};
      std::copy(m.begin(), m.end(), row.by_method.begin());
      fmt::print(stderr, "distribution {}, cluster {}: multi-level {} ms, parts {} ms\n", distribution, shape.name,
                 ms(row.by_method[kPaper].total()), ms(row.by_method[kOurs].total()));
      if (!row.same()) {
        fmt::print(stderr, "scree bench: distribution {}, cluster {}: the lists differ\n", distribution, shape.name);
        same = false;
      }
      rows.push_back(row);
    }
  }
  print_summary(rows);
  print_phases(rows);
  if (all_rows) print_rows(rows);
  nlohmann::ordered_json out = json_head("huang", quick);
  out["threads"] = 1, out["clock"] = "processor";
  out["cluster_growth"] = cluster_growth(quick);
  print_foot(rows);
  for (const DrumRow& r : rows) {
    for (auto& line : json_rows(r)) out["rows"].push_back(std::move(line));
  }
  const int written = write_record(json, out);
  return same ? written : kRunFailed;
}

}  // namespace scree::app

// Bonded spheres in motion: ten thousand clusters of about a hundred spheres each, thrown at each other in a closed
// crowd, their bonds damped and strong. Processor time of one thread.
#include "app/bench/bonded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/bench/record.h"
#include "app/bench/table.h"
#include "app/commands.h"
#include "base/random.h"
#include "exec/parallel.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree::app {

namespace {

constexpr double kBondedSphere = 1e-3;  // m, radius
constexpr double kSpeed = 4;            // m/s, between neighbouring clusters
constexpr double kMet = 0.1;            // contacts for each sphere at which the clock starts

struct Template {
  const char* name;
  bond::Cluster spheres;
};

/// 100 spheres, 4 x 5 x 5 in a cubic packing; and a ball of close packing with about as many.
std::vector<Template> templates() {
  bond::Cluster brick;
  for (int k = 0; k < 100; ++k) {
    const int x = k % 5, y = k / 5 % 5, z = k / 25;
    brick.position.push_back(2 * kBondedSphere * Vec3{x - 2.0, y - 2.0, z - 1.5});
    brick.radius.push_back(kBondedSphere);
  }
  return {{"brick of 4 x 5 x 5", brick},
          {"close-packed ball", *bond::packed_sphere(5.2 * kBondedSphere, kBondedSphere)}};
}

/// `count` clusters on a cubic lattice as close as their bounding spheres allow, turned at random and driven together.
Simulation thrown(const Template& t, std::uint64_t count) {
  Case c = scenes::empty_case();
  c.gravity = {};
  Case::Cluster made;
  made.name = t.name, made.spheres = t.spheres, made.bonds = *bond::bonds_by_distance(t.spheres, 1.05);
  made.law.given = bond::ParallelBond::Stiffness::beam, made.law.modulus = 1e8, made.law.poisson = 0.25;
  made.law.damping = 0.05, made.law.normal_strength = made.law.shear_strength = 1e9;
  c.clusters.push_back(made);
  double reach = 0;
  for (const Vec3& x : t.spheres.position) reach = std::max(reach, norm(x) + kBondedSphere);
  const auto along = static_cast<std::uint64_t>(std::ceil(std::cbrt(static_cast<double>(count)) - 1e-9));
  Case::Group g;
  g.name = "clusters", g.count = count, g.shapes = {"sphere"}, g.cluster = 0;
  Case::AtPoints at;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t x = k % along, y = k / along % along, z = k / along / along;
    at.points.push_back(2.0001 * reach * Vec3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
  }
  g.place = at;
  c.particles.push_back(g);
  Simulation s = scenes::build(c);
  const std::size_t each = t.spheres.size();
  const double middle = 0.5 * static_cast<double>(along - 1);
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const std::size_t cluster = s.particles.id[i] / each;
    Random u(3, cluster);
    s.particles.velocity[i] = 0.2 * kSpeed * u.direction() -
                              kSpeed * (1 / (2.0001 * reach) * at.points[cluster] - Vec3{middle, middle, middle});
  }
  return s;
}

struct BondedRow {
  std::string name;
  std::size_t spheres = 0, clusters = 0;
  double bonds = 0, contacts = 0, pairs = 0;  // for each sphere
  double rate = 0;                            // sphere-steps/s
  double bytes = 0;                           // of a bond
  double rebuilds = 0;                        // for each step
  double by_clusters = 0, by_grid = 0;        // ns per sphere of a search
  bool same = true;
};

/// One search for all pairs from nothing, the best of a few.
double search_ns(const Simulation& s, neighbour::Method method, const neighbour::Units* units,
                 std::vector<neighbour::Pair>& pairs) {
  neighbour::Search search;
  double best = INFINITY;
  for (int turn = 0; turn < 4; ++turn) {
    const double start = cpu_seconds();
    static_cast<void>(search.find(
        method, {.x = s.particles.position, .r = s.particles.radius, .margin = s.skin, .units = units}, pairs));
    best = std::min(best, cpu_seconds() - start);
  }
  return 1e9 * best / static_cast<double>(s.particles.size_rows());
}

Result<BondedRow> measure(const Template& t, std::uint64_t clusters, int steps) {
  Simulation s = thrown(t, clusters);
  for (int k = 0;
       k < 300 && static_cast<double>(s.contacts.size()) < kMet * static_cast<double>(s.particles.size_rows()); ++k)
    step(s);
  const std::uint64_t rebuilds = s.counters.rebuilds;
  const double start = cpu_seconds();
  for (int k = 0; k < steps && !s.fault; ++k) step(s);
  const double seconds = cpu_seconds() - start;
  if (s.fault) return Error{s.fault->text()};
  const double n = static_cast<double>(s.particles.size_rows());
  const Scratch& scratch = scratch_of(s);
  BondedRow r{t.name, s.particles.size_rows(), clusters};
  r.rate = n * steps / seconds;
  r.bonds = static_cast<double>(s.bonds.size()) / n, r.contacts = static_cast<double>(s.contacts.size()) / n;
  r.pairs = static_cast<double>(s.pairs.size()) / n;
  r.bytes = static_cast<double>(s.bonds.bytes() + scratch.bonds_of.bytes()) / static_cast<double>(s.bonds.size());
  r.rebuilds = static_cast<double>(s.counters.rebuilds - rebuilds) / steps;
  std::vector<neighbour::Pair> one, other;
  const neighbour::Units units = units_of(s, scratch_of(s));
  r.by_clusters = search_ns(s, neighbour::Method::clusters, &units, one);
  r.by_grid = search_ns(s, neighbour::Method::sorted_grid, nullptr, other);
  r.same = one == other;
  return r;
}

}  // namespace

int bench_bonded(const std::string& json, bool quick) {
  exec::set_threads(1);
  Table table({"clusters of", "spheres", "clusters", "bonds/sphere", "contacts/sphere", "pairs/sphere",
               "sphere-steps/s", "B/bond", "steps/rebuild", "search: clusters, ns", "sorted_grid, ns"});
  nlohmann::ordered_json out = json_head("bonded", quick);
  out["threads"] = 1, out["clock"] = "processor";
  bool same = true;
  for (const Template& t : templates()) {
    for (const std::uint64_t clusters : {100u, 1000u, 10000u}) {
      if (quick && clusters > 100) break;
      fmt::print(stderr, "{}, {} clusters ...\n", t.name, clusters);
      const Result<BondedRow> row = measure(t, clusters, clusters == 10000 ? 40 : 200);
      if (!row) return fail("bench", row.error().message);
      const BondedRow& r = *row;
      if (!r.same) fmt::print(stderr, "scree bench: {}, {} clusters: the lists differ\n", r.name, r.clusters);
      same = same && r.same;
      table.add({r.name, std::to_string(r.spheres), std::to_string(r.clusters), fmt::format("{:.2f}", r.bonds),
                 fmt::format("{:.3f}", r.contacts), fmt::format("{:.2f}", r.pairs), fmt::format("{:.3g}", r.rate),
                 fmt::format("{:.0f}", r.bytes), fmt::format("{:.0f}", 1 / std::max(r.rebuilds, 1e-9)),
                 fmt::format("{:.0f}", r.by_clusters), fmt::format("{:.0f}", r.by_grid)});
      out["rows"].push_back({{"cluster", r.name},
                             {"spheres", r.spheres},
                             {"clusters", r.clusters},
                             {"bonds_per_sphere", r.bonds},
                             {"contacts_per_sphere", r.contacts},
                             {"pairs_per_sphere", r.pairs},
                             {"sphere_steps_per_s", r.rate},
                             {"bytes_per_bond", r.bytes},
                             {"rebuilds_per_step", r.rebuilds},
                             {"search_clusters_ns", r.by_clusters},
                             {"search_sorted_grid_ns", r.by_grid}});
    }
  }
  fmt::print("Bonded clusters that collide\n\n");
  table.print();
  const int written = write_record(json, out);
  return same ? written : kRunFailed;
}

}  // namespace scree::app

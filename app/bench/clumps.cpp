// Beds of clumps of ten spheres each, compact and in a row, settled in a box, beside a bed of as many single spheres.
// Processor time of one thread.
#include "app/bench/clumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/bench/record.h"
#include "app/bench/table.h"
#include "app/commands.h"
#include "exec/parallel.h"
#include "geometry/clump.h"
#include "scenes/scenes.h"

namespace scree::app {

namespace {

constexpr double kClumpSphere = 4e-3;  // m, diameter of every sphere
constexpr std::size_t kEach = 10;

struct Shapes {
  const char* name;
  std::vector<DrawnPart> parts;  ///< in units of a sphere's diameter; empty: single spheres
};

/// A pyramid of 1, 3 and 6 spheres in close packing, drawn together until they overlap by a fifth; a row of ten that
/// overlap by a half.
std::vector<Shapes> shapes() {
  std::vector<DrawnPart> stone, row;
  constexpr double apart = 0.8;
  for (int layer = 0; layer < 3; ++layer) {
    for (int i = 0; i <= layer; ++i)
      for (int j = 0; j <= layer - i; ++j)
        stone.emplace_back(
            Ball{apart * Vec3{i + 0.5 * j - layer / 2.0, std::sqrt(0.75) * j - layer * std::sqrt(0.75) / 3,
                              -std::sqrt(2.0 / 3) * layer},
                 0.5});
  }
  for (std::size_t k = 0; k < kEach; ++k) row.emplace_back(Ball{{0.5 * static_cast<double>(k), 0, 0}, 0.5});
  return {{"stone", stone}, {"row", row}, {"single spheres", {}}};
}

/// As many spheres as make `clumps` clumps, on a lattice, falling into a box.
Result<Simulation> falling(const Shapes& of, std::uint64_t clumps) {
  const bool single = of.parts.empty();
  Case c = scenes::empty_case();
  contact::Linear law;
  law.kn = 2e4, law.kt = 1e4, law.friction_angle = 0.4, law.damping_ratio = 0.3;
  c.contacts[0].law = law;
  const ShapeSource source = [&](const std::string& name) -> Result<std::shared_ptr<const Shape>> {
    if (name != "clump") return scenes::library()(name);
    Result<Shape> made = make_clump(name, of.parts);
    if (!made) return made.error();
    return std::make_shared<const Shape>(std::move(*made));
  };
  const double reach = single ? 0.5 : make_clump("clump", of.parts)->outer_radius();
  const std::uint64_t n = clumps * (single ? kEach : 1);
  const double cell = 2 * reach * kClumpSphere * 1.01,
               side = cell * std::ceil(std::cbrt(static_cast<double>(n) * (single ? 1 : 0.6)));
  scenes::add_open_box(c, "box", {0, 0, 0}, {side, side, 100 * side});
  Case::Group g;
  g.name = "bed", g.count = n, g.shapes = {single ? "sphere" : "clump"},
  g.size = {Case::Size::Kind::fixed, kClumpSphere, 0};
  Case::Lattice lattice;
  lattice.box = static_cast<int>(c.boxes.size()) - 1, lattice.from = 0.1 * cell;
  g.place = lattice, g.velocity = {0, 0, -1};
  c.particles.push_back(g);
  c.gravity = {0, 0, -50};
  return set_up(c, source);
}

struct ClumpRow {
  std::string name;
  std::size_t bodies = 0, spheres = 0;
  double contacts = 0, points = 0, pairs = 0;  // for each body
  double steps_rate = 0, points_rate = 0;      // sphere-steps/s, contact points/s
  double rebuilds = 0;                         // steps for each
};

Result<ClumpRow> measure(const Shapes& of, std::uint64_t clumps, int steps) {
  Result<Simulation> built = falling(of, clumps);
  if (!built) return built.error();
  Simulation& s = *built;
  double top = 0;
  for (const Vec3& x : s.particles.position) top = std::max(top, x.z);
  const double settled = 1.6 * std::sqrt(2 * top / norm(s.gravity));
  while (s.time < settled && !s.fault) step(s);
  const std::uint64_t rebuilds = s.counters.rebuilds;
  double points = 0;
  const double start = cpu_seconds();
  for (int k = 0; k < steps && !s.fault; ++k)
    step(s), points += static_cast<double>(s.contacts.size() + s.wall_contacts.size());
  const double seconds = cpu_seconds() - start;
  if (s.fault) return Error{s.fault->text()};
  const double n = static_cast<double>(s.particles.size_rows());
  ClumpRow r;
  r.name = of.name, r.bodies = s.particles.size_rows(), r.spheres = r.bodies * (of.parts.empty() ? 1 : kEach);
  const Totals t = totals(s);
  r.contacts = static_cast<double>(t.contacts) / n, r.points = static_cast<double>(t.contact_points) / n;
  r.pairs = static_cast<double>(s.pairs.size()) / n;
  r.steps_rate = static_cast<double>(r.spheres) * steps / seconds, r.points_rate = points / seconds;
  r.rebuilds = steps / std::max(1.0, static_cast<double>(s.counters.rebuilds - rebuilds));
  return r;
}

}  // namespace

int bench_clumps(const std::string& json, bool quick) {
  exec::set_threads(1);
  Table table({"bed of", "bodies", "spheres", "contacts/body", "points/body", "pairs/body", "sphere-steps/s",
               "points/s", "steps/rebuild"});
  nlohmann::ordered_json out = json_head("clumps", quick);
  out["threads"] = 1, out["clock"] = "processor";
  for (const Shapes& of : shapes()) {
    fmt::print(stderr, "{} ...\n", of.name);
    const Result<ClumpRow> row = quick ? measure(of, 60, 50) : measure(of, 1000, 300);
    if (!row) return fail("bench", row.error().message);
    const ClumpRow& r = *row;
    table.add({r.name, std::to_string(r.bodies), std::to_string(r.spheres), fmt::format("{:.2f}", r.contacts),
               fmt::format("{:.2f}", r.points), fmt::format("{:.1f}", r.pairs), fmt::format("{:.3g}", r.steps_rate),
               fmt::format("{:.3g}", r.points_rate), fmt::format("{:.0f}", r.rebuilds)});
    out["rows"].push_back({{"bed", r.name},
                           {"bodies", r.bodies},
                           {"spheres", r.spheres},
                           {"contacts_per_body", r.contacts},
                           {"points_per_body", r.points},
                           {"pairs_per_body", r.pairs},
                           {"sphere_steps_per_s", r.steps_rate},
                           {"points_per_s", r.points_rate},
                           {"steps_per_rebuild", r.rebuilds}});
  }
  fmt::print("Clumps of ten spheres, settled\n\n");
  table.print();
  return write_record(json, out);
}

}  // namespace scree::app

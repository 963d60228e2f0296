// What a mesh costs as a wall, beside planes: beds that have settled in a box go on in a mesh of the same box.
#include "app/bench/walls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/bench/record.h"
#include "app/bench/stretch.h"
#include "app/bench/table.h"
#include "app/commands.h"
#include "base/random.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "geometry/thinned_surface.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"

namespace scree::app {

namespace {

/// The bed with a mesh in place of its walls.
Simulation in_mesh(const Simulation& bed, Surface surface) {
  Simulation s = bed;
  s.walls.clear();
  Wall w;
  w.id = s.next_wall_id++, w.name = "box", w.mesh = scenes::facets(std::move(surface));
  s.walls.push_back(w);
  s.wall_pairs.resize(0), s.wall_contacts.resize(0);
  s.list_is_valid = false, s.scratch.reset();
  return s;
}

/// Each corner moved by up to `by` (m): no two triangles are in one plane any more.
Surface crumpled(Surface s, double by) {
  repair(s);
  Random draw(5);
  for (Vec3& v : s.vertices) v += Vec3{draw.uniform(-by, by), draw.uniform(-by, by), draw.uniform(-by, by)};
  return s;
}

/// Where the walls have moved a little.
Simulation settled_anew(Simulation s) {
  scenes::run_for(s, 0.05);
  if (s.fault) fmt::print(stderr, "{}\n", s.fault->message);
  return s;
}

/// A shaft as wide as the box, its triangles as large as the grains and so many that most are far above them; its
/// corners are moved outwards by up to `by` (m), and the bed settles anew.
Simulation in_shaft(const Simulation& bed, const Case::Box& box, int along, double by) {
  const double side = box.max.x - box.min.x, cell = 0.05;
  const int across = static_cast<int>(std::lround(side / cell));
  Surface s = scenes::shaft_surface(box.min, side, along * cell, across, along);
  repair(s);
  Random draw(6);
  for (Vec3& v : s.vertices) {
    const Vec3 from = v - box.min;
    v += Vec3{from.x <= 0      ? draw.uniform(-by, 0)
              : from.x >= side ? draw.uniform(0, by)
                               : 0,
              from.y <= 0      ? draw.uniform(-by, 0)
              : from.y >= side ? draw.uniform(0, by)
                               : 0,
              from.z <= 0 ? draw.uniform(-by, 0) : 0};
  }
  return settled_anew(in_mesh(bed, std::move(s)));
}

/// The surface as a file of STL has it: each triangle with corners of its own.
Surface in_pieces(const Surface& s) {
  Surface out;
  for (const auto& t : s.triangles) {
    const auto n = static_cast<std::uint32_t>(out.vertices.size());
    for (const std::uint32_t i : t) out.vertices.push_back(s.vertices[i]);
    out.triangles.push_back({n, n + 1, n + 2});
  }
  return out;
}

/// What a crumpled mesh costs before the first step.
void set_up(const std::vector<int>& cells, int turns, nlohmann::ordered_json& out) {
  Table table({"triangles", "facets", "s to weld", "s to cut into facets", "MB"});
  for (const int n : cells) {
    const Surface drawn = in_pieces(crumpled(scenes::box_surface({0, 0, 0}, {1, 1, 1}, n), 1e-5));
    std::vector<double> welding, cutting;
    std::size_t facets = 0, bytes = 0;
    for (int k = 0; k < turns; ++k) {
      Surface s = drawn;
      const Stopwatch weld;
      repair(s);
      welding.push_back(weld.seconds());
      const Stopwatch cut;
      const FacetMesh mesh(std::move(s));
      cutting.push_back(cut.seconds());
      facets = mesh.size(), bytes = mesh.bytes();
    }
    const double weld = median(welding), cut = median(cutting);
    table.add({fmt::format("{}", drawn.triangles.size()), fmt::format("{}", facets), fmt::format("{:.2f}", weld),
               fmt::format("{:.2f}", cut), fmt::format("{:.0f}", 1e-6 * static_cast<double>(bytes))});
    out["set_up"].push_back({{"triangles", drawn.triangles.size()},
                             {"facets", facets},
                             {"seconds_to_weld", weld},
                             {"seconds_to_cut", cut},
                             {"bytes", bytes}});
  }
  fmt::print("\nWhat a mesh costs before the first step, on all threads where they share it\n\n");
  table.print();
}

}  // namespace

int bench_walls(const std::string& json, bool quick) {
  const std::uint64_t grains = quick ? 200 : 2000;
  const int cells = quick ? 20 : 91, warm = quick ? 20 : 100, steps = quick ? 30 : 400, turns = quick ? 1 : 5;
  nlohmann::ordered_json out = json_head("walls", quick);
  Table table({"grains", "walls", "triangles", "facets", "wall contacts", "ns per particle and step", "over planes"});
  bool failed = false;
  for (const bool round : {false, true}) {
    Case c = scenes::mixed_bed(grains);
    if (round) c.particles[0].shapes = {"sphere"};
    const std::string name = fmt::format("{} {}", grains, round ? "spheres" : "mixed grains");
    fmt::print(stderr, "{} ...\n", name);
    exec::set_threads(0);
    Simulation bed = scenes::build(c);
    scenes::run_for(bed, quick ? 0.05 : 0.6);
    exec::set_threads(1);
    const Case::Box& box = c.boxes[0];
    const Surface fine = scenes::box_surface(box.min, box.max, cells);
    const double diagonal = norm(box.max - box.min);
    const Surface uneven = crumpled(fine, 1e-5 * diagonal);
    const std::vector<std::pair<std::string, Simulation>> worlds{
        {"planes", bed},
        {"flat mesh", in_mesh(bed, fine)},
        {"crumpled, as coarse as the grains", in_shaft(bed, box, quick ? 20 : 1250, 1e-3)},
        {"crumpled mesh", in_mesh(bed, uneven)},
        {"crumpled mesh, simplified", settled_anew(in_mesh(bed, thinned_surface(uneven, 1e-4 * diagonal)))}};
    const std::vector<Stretch> found = medians(
        {worlds[0].second, worlds[1].second, worlds[2].second, worlds[3].second, worlds[4].second}, warm, steps, turns);
    const double planes = found[0].cpu;
    for (std::size_t k = 0; k < worlds.size(); ++k) {
      const Stretch& m = found[k];
      failed = failed || m.failed;
      const FacetMesh* mesh = worlds[k].second.walls[0].mesh.get();
      const std::size_t triangles = mesh ? mesh->surface().triangles.size() : 0, facets = mesh ? mesh->size() : 0;
      table.add({name, worlds[k].first, fmt::format("{}", triangles), fmt::format("{}", facets),
                 fmt::format("{}", m.wall_contacts), fmt::format("{:.0f}", m.cpu),
                 fmt::format("{:.2f}", m.cpu / planes)});
      out["rows"].push_back({{"scene", name},
                             {"walls", worlds[k].first},
                             {"triangles", triangles},
                             {"facets", facets},
                             {"wall_contacts", m.wall_contacts},
                             {"ns_per_particle_step", m.cpu},
                             {"over_planes", m.cpu / planes}});
    }
  }
  exec::set_threads(0);
  fmt::print("A bed at rest in a box of planes and in meshes of it: ns of processor time, one thread\n\n");
  table.print();
  set_up(quick ? std::vector{20} : std::vector{91, 289}, turns, out);
  if (failed) {
    fmt::print(stderr, "scree bench: a run stopped\n");
    return kRunFailed;
  }
  return write_record(json, out);
}

}  // namespace scree::app

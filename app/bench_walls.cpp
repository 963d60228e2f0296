// What a mesh costs as a wall, beside planes: beds that have settled in a box go on in a mesh of the same box.
#include "app/bench_walls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "app/bench_search.h"
#include "app/bench_table.h"
#include "app/commands.h"
#include "base/random.h"
#include "exec/parallel.h"
#include "io/files.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"

namespace scree::app {

namespace {

double cpu_seconds() {
  std::timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Stretch {
  double ns = 0;        ///< of processor time per particle and step
  double contacts = 0;  ///< with walls
  bool failed = false;
};

Stretch stretch(Simulation s, int warm, int steps) {
  for (int k = 0; k < warm && !s.fault; ++k) step(s);
  const double begin = cpu_seconds();
  for (int k = 0; k < steps && !s.fault; ++k) step(s);
  const double n = static_cast<double>(s.particles.size_rows());
  return {(cpu_seconds() - begin) * 1e9 / (n * steps), static_cast<double>(s.wall_contacts.size()),
          s.fault.has_value()};
}

/// The bed with a mesh in place of its walls.
Simulation in_mesh(const Simulation& bed, Surface surface) {
  Simulation s = bed;
  s.walls.clear();
  Wall w;
  w.id = s.next_wall_id++, w.name = "box", w.mesh = scenes::facets(std::move(surface));
  s.walls.push_back(w);
  s.wall_pairs.resize(0), s.wall_contacts.resize(0);
  s.position_at_rebuild.clear(), s.scratch.reset();
  return s;
}

/// Each corner moved by up to `by` (m): no two triangles are in one plane any more.
Surface crumpled(Surface s, double by) {
  repair(s);
  Random draw(5);
  for (Vec3& v : s.vertices) v += Vec3{draw.uniform(-by, by), draw.uniform(-by, by), draw.uniform(-by, by)};
  return s;
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
    const std::vector<std::pair<std::string, Simulation>> worlds{
        {"planes", bed},
        {"flat mesh", in_mesh(bed, fine)},
        {"crumpled mesh", in_mesh(bed, crumpled(fine, 1e-5 * norm(box.max - box.min)))}};
    std::vector<std::vector<Stretch>> all(worlds.size());
    for (int turn = 0; turn < turns; ++turn)
      for (std::size_t k = 0; k < worlds.size(); ++k) all[k].push_back(stretch(worlds[k].second, warm, steps));
    double planes = 0;
    for (std::size_t k = 0; k < worlds.size(); ++k) {
      std::sort(all[k].begin(), all[k].end(), [](const Stretch& a, const Stretch& b) { return a.ns < b.ns; });
      const Stretch& m = all[k][all[k].size() / 2];
      failed = failed || m.failed;
      planes = k == 0 ? m.ns : planes;
      const FacetMesh* mesh = worlds[k].second.walls[0].mesh.get();
      const std::size_t triangles = mesh ? mesh->surface().triangles.size() : 0, facets = mesh ? mesh->size() : 0;
      table.add({name, worlds[k].first, fmt::format("{}", triangles), fmt::format("{}", facets),
                 fmt::format("{:.0f}", m.contacts), fmt::format("{:.0f}", m.ns), fmt::format("{:.2f}", m.ns / planes)});
      out["rows"].push_back({{"scene", name},
                             {"walls", worlds[k].first},
                             {"triangles", triangles},
                             {"facets", facets},
                             {"wall_contacts", m.contacts},
                             {"ns_per_particle_step", m.ns},
                             {"over_planes", m.ns / planes}});
    }
  }
  exec::set_threads(0);
  fmt::print("A bed at rest in a box of planes and in meshes of it: ns of processor time, one thread\n\n");
  table.print();
  if (failed) {
    fmt::print(stderr, "scree bench: a run stopped\n");
    return kRunFailed;
  }
  if (json.empty()) return kDone;
  const Status written = io::write_file(json, out.dump(2) + "\n");
  if (!written) fmt::print(stderr, "{}\n", written.error().message);
  return written ? kDone : kRunFailed;
}

}  // namespace scree::app

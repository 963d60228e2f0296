// What the pair list costs: how thick its skin is, and in which order the particles stand in memory. Neither changes
// the contacts, so all that is compared here goes through the same motion and does the same work on it.
#include "app/bench/lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "app/bench/record.h"
#include "app/bench/stretch.h"
#include "app/bench/table.h"
#include "app/commands.h"
#include "base/random.h"
#include "exec/parallel.h"
#include "scenes/scenes.h"
#include "sim/simulation.h"

namespace scree::app {

namespace {

bool agree(const std::vector<Stretch>& all) {
  return std::all_of(all.begin(), all.end(), [&](const Stretch& s) { return !s.failed && s.hash == all.front().hash; });
}

int finish(const std::string& json, const nlohmann::ordered_json& out, bool all_agree) {
  if (!all_agree) {
    fmt::print(stderr, "scree bench: the motion differs between the rows of one scene, or a run stopped\n");
    return kRunFailed;
  }
  return write_record(json, out);
}

/// Spheres of 9 to 11 mm in a closed box, without gravity, each eighth of them with a velocity of its own.
Case gas(int across) {
  const double spacing = 0.02, side = spacing * across;
  Case c = scenes::empty_case();
  scenes::add_open_box(c, "box", {0, 0, 0}, {side, side, side});
  scenes::add_plane(c, "lid", {side, side, side}, {0, 0, -1});
  c.gravity = {};
  std::array<std::vector<Vec3>, 8> places;
  for (int k = 0; k < across; ++k) {
    for (int j = 0; j < across; ++j) {
      for (int i = 0; i < across; ++i) {
        places[static_cast<std::size_t>(i + 3 * j + 5 * k) % 8].push_back(
            {spacing * (i + 0.5), spacing * (j + 0.5), spacing * (k + 0.5)});
      }
    }
  }
  Random random(11);
  for (std::size_t k = 0; k < places.size(); ++k) {
    Case::Group g;
    g.name = fmt::format("spheres{}", k);
    g.count = places[k].size(), g.shapes = {"sphere"};
    g.size = {Case::Size::Kind::uniform, 0.009, 0.011};
    g.place = Case::AtPoints{places[k]};
    g.velocity = {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
    c.particles.push_back(g);
  }
  return c;
}

/// From where the skins are compared.
struct SkinScene {
  std::string name;
  Simulation at;
};

std::vector<SkinScene> skin_scenes(bool quick) {
  std::vector<SkinScene> scenes;
  exec::set_threads(0);
  {
    Simulation s = scenes::build(scenes::mixed_bed(quick ? 200 : 2000));
    scenes::run_for(s, 0.02);
    scenes.push_back({"mixed grains, falling", s});
    if (!quick) scenes::run_for(s, 0.6);
    scenes.push_back({"mixed grains, a bed that settles", s});
    std::erase_if(s.walls, [](const Wall& w) { return w.name == "box.x_max"; });
    s.list_is_valid = false;
    scenes::run_for(s, quick ? 0.01 : 0.1);
    scenes.push_back({"mixed grains, flowing out", s});
  }
  Simulation s = scenes::build(gas(quick ? 10 : 20));
  scenes::run_for(s, quick ? 0.002 : 0.02);
  scenes.push_back({"spheres, a gas", s});
  return scenes;
}

}  // namespace

int bench_skin(const std::string& json, bool quick) {
  const std::vector<double> shares{0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.8};
  const int warm = quick ? 50 : 300, steps = quick ? 100 : 1500, turns = quick ? 1 : 5;
  nlohmann::ordered_json out = json_head("skin", quick);
  std::vector<std::string> head{"scene", "particles", "tuned", "chose", "best fixed", "at", "tuned over best"};
  for (const double f : shares) head.push_back(fmt::format("{}", f));
  Table table(head);
  bool all_agree = true;
  for (const SkinScene& scene : skin_scenes(quick)) {
    fmt::print(stderr, "{} ...\n", scene.name);
    exec::set_threads(1);
    std::vector<Simulation> starts{scene.at};
    for (const double f : shares) {
      Simulation fixed = scene.at;
      fixed.skin = f * fixed.skin_tuning.diameter;
      fixed.detection.skin = fixed.skin;
      fixed.list_is_valid = false;
      starts.push_back(fixed);
    }
    const std::vector<Stretch> found = medians(starts, warm, steps, turns);
    all_agree = all_agree && agree(found);
    const auto best = std::min_element(found.begin() + 1, found.end(),
                                       [](const Stretch& a, const Stretch& b) { return a.cpu < b.cpu; });
    std::vector<std::string> row{scene.name,
                                 fmt::format("{}", scene.at.particles.size_rows()),
                                 fmt::format("{:.0f}", found[0].cpu),
                                 fmt::format("{:.3f}", found[0].skin),
                                 fmt::format("{:.0f}", best->cpu),
                                 fmt::format("{}", shares[static_cast<std::size_t>(best - found.begin()) - 1]),
                                 fmt::format("{:.3f}", found[0].cpu / best->cpu)};
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Stretch& f = found[k];
      if (k > 0) row.push_back(fmt::format("{:.0f}", f.cpu));
      out["rows"].push_back({{"scene", scene.name},
                             {"skin", k == 0 ? "tuned" : "fixed"},
                             {"share_of_diameter", f.skin},
                             {"ns_per_particle_step", f.cpu},
                             {"steps_per_list", f.steps_per_list},
                             {"pairs_per_particle", f.pairs},
                             {"contacts_per_particle", f.contacts}});
    }
    table.add(row);
  }
  exec::set_threads(0);
  fmt::print(
      "Skin, tuned and fixed (shares of the median bounding diameter): ns of processor time per particle and "
      "step, one thread\n\n");
  table.print();
  return finish(json, out, all_agree);
}

int bench_order(const std::string& json, bool quick) {
  const int warm = quick ? 2 : 5, steps = quick ? 5 : 20, turns = quick ? 1 : 3;
  const int side = quick ? 12 : 47;
  nlohmann::ordered_json out = json_head("order", quick);
  Table table(
      {"scene", "in memory", "all", "neighbours", "planes", "points", "forces", "integrate", "pairs", "contacts"});
  bool all_agree = true;
  for (const bool cubes : {true, false}) {
    // Layers that are shifted by half an edge: each body rests on four and carries four.
    const double edge = 0.01;
    std::vector<Vec3> points;
    for (int k = 0; k < side; ++k) {
      for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
          const double shift = k % 2 == 0 ? 0 : 0.5;
          points.push_back({edge * 1.01 * (i + shift), edge * 1.01 * (j + shift), edge * (cubes ? 0.999 : 0.69) * k});
        }
      }
    }
    Random random(3);
    for (std::size_t k = points.size(); k > 1; --k) std::swap(points[k - 1], points[random.below(k)]);
    Case c = scenes::empty_case();
    c.gravity = {};
    Case::Group g;
    g.name = "bodies", g.count = points.size(), g.shapes = {cubes ? "cube" : "sphere"}, g.size.a = edge;
    g.orientation = {false, Quat{}};
    g.place = Case::AtPoints{points};
    c.particles.push_back(g);
    const std::string name = cubes ? "cubes" : "spheres";
    fmt::print(stderr, "{} {} ...\n", points.size(), name);
    exec::set_threads(0);
    std::vector<Simulation> starts;
    for (const Case::MemoryOrder order : {Case::MemoryOrder::id, Case::MemoryOrder::spatial}) {
      c.detection.memory_order = order;
      starts.push_back(scenes::build(c));
    }
    exec::set_threads(1);
    const std::vector<Stretch> found = medians(starts, warm, steps, turns);
    all_agree = all_agree && agree(found);
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Stretch& f = found[k];
      std::vector<std::string> row{fmt::format("{} {}", points.size(), name), k == 0 ? "by id" : "spatial"};
      for (const double ns : {f.cpu, f.neighbours, f.planes, f.points, f.forces, f.integrate}) {
        row.push_back(fmt::format("{:.0f}", ns));
      }
      row.push_back(fmt::format("{:.1f}", f.pairs)), row.push_back(fmt::format("{:.1f}", f.contacts));
      table.add(row);
      out["rows"].push_back({{"scene", name},
                             {"particles", points.size()},
                             {"memory_order", k == 0 ? "id" : "spatial"},
                             {"ns_per_particle_step", f.cpu},
                             {"ns_neighbours", f.neighbours},
                             {"ns_planes", f.planes},
                             {"ns_points", f.points},
                             {"ns_forces", f.forces},
                             {"ns_integrate", f.integrate},
                             {"pairs_per_particle", f.pairs},
                             {"contacts_per_particle", f.contacts}});
    }
  }
  exec::set_threads(0);
  fmt::print(
      "Particles numbered at random in space, in memory by id or in spatial order: ns per particle and step, one "
      "thread\n\n");
  table.print();
  return finish(json, out, all_agree);
}

}  // namespace scree::app

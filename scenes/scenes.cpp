#include "scenes/scenes.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "io/library/library.h"

namespace scree::scenes {

ShapeSource library() {
  return [](const std::string& name) { return io::load_shape(name); };
}

contact::Bloks3d stone_law() {
  contact::Bloks3d law;
  law.kn = 130e3, law.knn = 1.4e9, law.exponent = 3, law.ks = 102e3;
  law.friction_angle = 35 * M_PI / 180;
  law.damping_ratio = 0.02, law.damping_sliding = 0.01, law.damping_sticking = 0.9;
  return law;
}

Case empty_case() {
  Case c;
  c.title = "scene";
  c.materials = {{"stone", 2650}};
  c.contacts = {{0, 0, stone_law()}};
  Case::Stage stage;
  stage.name = "run", stage.duration = 1e9;
  c.stages = {stage};
  return c;
}

void add_plane(Case& c, const std::string& name, Vec3 point, Vec3 normal) {
  Case::Wall p;
  p.name = name, p.point = point, p.normal = normalized(normal);
  c.walls.push_back(p);
}

void add_open_box(Case& c, const std::string& name, Vec3 min, Vec3 max) {
  add_plane(c, name + ".x_min", min, {1, 0, 0});
  add_plane(c, name + ".x_max", max, {-1, 0, 0});
  add_plane(c, name + ".y_min", min, {0, 1, 0});
  add_plane(c, name + ".y_max", max, {0, -1, 0});
  add_plane(c, name + ".z_min", min, {0, 0, 1});
  c.boxes.push_back({name, min, max});
}

void add_grain(Case& c, const std::string& shape, double size, Vec3 position, Quat orientation, Vec3 velocity,
               Vec3 angular_velocity) {
  Case::Group g;
  g.name = "grain" + std::to_string(c.particles.size());
  g.count = 1, g.shapes = {shape}, g.size.a = size;
  g.orientation = {false, orientation};
  g.place = Case::AtPoints{{position}};
  g.velocity = velocity, g.angular_velocity = angular_velocity;
  c.particles.push_back(g);
}

Simulation build(const Case& c) {
  Result<Simulation> s = set_up(c, library());
  if (!s) {
    std::fprintf(stderr, "scene: %s\n", s.error().message.c_str());
    std::abort();
  }
  return std::move(*s);
}

void run_for(Simulation& s, double seconds) {
  const double end = s.time + seconds - 0.5 * s.dt;
  while (s.time < end && !s.fault) step(s);
}

Case box_fill(std::uint64_t count, std::uint64_t seed) {
  Case c = empty_case();
  c.seed = seed;
  add_open_box(c, "box", {0, 0, 0}, {0.3, 0.3, 0.6});
  Case::Group g;
  g.name = "grains", g.count = count, g.shapes = {"tetrahedron", "pyramid", "cube", "grain14"};
  g.size = {Case::Size::Kind::uniform, 0.02, 0.04};
  g.place = Case::Lattice{0, 0, 0.05, {}};
  c.particles.push_back(g);
  return c;
}

Case cube_bed(std::uint64_t count) {
  Case c = empty_case();
  contact::Bloks3d law;
  law.kn = law.ks = 5e4, law.friction_angle = std::atan(0.5);
  law.damping_ratio = 0.02, law.damping_sliding = 0.01, law.damping_sticking = 0.9;
  c.contacts[0].law = law;
  c.materials[0].density = 8;  // a cube of 1 kg; the published input does not say
  add_open_box(c, "box", {0, 0, 0}, {10.8, 10.8, 13});
  Case::Group g;
  g.name = "cubes", g.count = count, g.shapes = {"cube"}, g.size.a = 0.5;
  g.place = Case::Lattice{0, 0, 0.9, {}};
  c.particles.push_back(g);
  c.time_step.fixed = 1e-4;
  return c;
}

Case sphere_bed(std::uint64_t count) {
  constexpr double diameter = 2e-3;
  Case c = empty_case();
  c.materials[0].density = 2500;
  contact::HertzMindlin law;
  const contact::ElasticPair pair = contact::elastic_pair(1e7, 0.3, 1e7, 0.3);
  law.young = pair.young, law.shear = pair.shear, law.friction_angle = std::atan(0.5);
  law.damping_ratio = contact::damping_ratio_for(0.5, law.tension);
  c.contacts[0].law = law;
  const double side = 1.03 * diameter * std::ceil(std::cbrt(static_cast<double>(count)));
  add_open_box(c, "box", {0, 0, 0}, {side, side, 2 * side});
  Case::Group g;
  g.name = "spheres", g.count = count, g.shapes = {"sphere"};
  g.size = {Case::Size::Kind::uniform, 0.98 * diameter, 1.02 * diameter};
  g.place = Case::Lattice{0, 0, 1.025 * diameter, {}};
  c.particles.push_back(g);
  c.time_step.fixed = 1e-5;
  return c;
}

Case mixed_bed(std::uint64_t count) {
  Case c = box_fill(count);
  const double side = 0.05 * std::ceil(std::cbrt(static_cast<double>(count) / 2.0));
  c.walls.clear(), c.boxes.clear();
  add_open_box(c, "box", {0, 0, 0}, {side, side, 2 * side});
  return c;
}

}  // namespace scree::scenes

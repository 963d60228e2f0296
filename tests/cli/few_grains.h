#pragma once
#include <filesystem>
#include <fstream>
#include <string>

namespace scree::testing_cli {

/// Writes a case of twelve grains that fall into a box; `rest`: its output and stages. Returns the file.
inline std::string write_few_grains(const std::filesystem::path& file, const std::string& rest) {
  std::ofstream(file) << R"(
materials: {stone: {density: 2650 kg/m^3}}
contacts:
  - {between: [stone, stone], law: bloks3d, kn: 130 kN/m, ks: 102 kN/m, friction_angle: 35 degree, damping: {ratio: 0.2, sliding: 0.5, sticking: 0.9}}
walls: {box: {box: {min: [0, 0, 0], max: [15 cm, 15 cm, 60 cm], open: [z_max]}, material: stone}}
particles:
  - {name: grains, count: 12, shapes: [cube, tetrahedron], size: {uniform: [2 cm, 4 cm]}, place: {lattice: {above: box}}, material: stone}
)" << rest;
  return file.string();
}

}  // namespace scree::testing_cli

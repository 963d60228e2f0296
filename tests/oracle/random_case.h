#pragma once
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/key_draws.h"

namespace scree::oracle {

namespace why {

inline constexpr const char* kUnbounded = "without an upper bound; what is usual";
inline constexpr const char* kSoft = "hard enough for shallow overlaps, soft enough for a step that moves something";
inline constexpr const char* kGrain = "grains that fit the box by the dozen";
inline constexpr const char* kPlace = "parts of the box";
inline constexpr const char* kSlow = "nothing moves farther in a step than overlaps may be deep";
inline constexpr const char* kPrinted = "printed searches miss contacts by it, which ends in deep overlaps";

}  // namespace why

/// Keys whose bounds leave more room than a case of some grains of 6 to 14 mm in a box of 10 cm, which has to begin and
/// to run without a fault.
inline constexpr Narrowed kNarrowed[] = {
    {"seed", 0, 1e6, why::kUnbounded},
    {"thickness", 0.01, 0.03, why::kSoft},
    {"damping.global", 0.1, 100, why::kUnbounded},
    {"materials.*.density", 1500, 4000, why::kSoft},
    {"materials.*.young_modulus", 1e7, 3e7, why::kSoft},
    {"materials.*.poisson_ratio", -0.5, 0.5, "towards -1 a body resists shear without limit"},
    {"contacts[].kn", 5e4, 2e5, why::kSoft},
    {"contacts[].exponent", 1, 3, "the pressure is that of the default, 2"},
    {"contacts[].ks", 0, 5e4, why::kSoft},
    {"contacts[].kt", 0, 5e4, why::kSoft},
    {"contacts[].kt_over_kn", 0, 1, why::kUnbounded},
    {"contacts[].pressure", 3e7, 7e7, why::kSoft},
    {"contacts[].slip_speed", 0.01, 0.2, why::kUnbounded},
    {"contacts[].friction", 0, 2, why::kUnbounded},
    {"contacts[].damping.ratio", 0, 0.3, why::kUnbounded},
    {"contacts[].damping.sliding", 0, 0.2, why::kUnbounded},
    {"contacts[].damping.sticking", 0, 1, why::kUnbounded},
    {"contacts[].damping_ratio", 0, 0.5, why::kUnbounded},
    {"contacts[].rolling.friction", 0, 0.5, why::kUnbounded},
    {"contacts[].rolling.twisting", 0, 0.2, why::kUnbounded},
    {"contacts[].rolling.damping_ratio", 0, 0.5, why::kUnbounded},
    {"contacts[].cohesion.work_of_adhesion", 0.01, 0.2, "pulls that do not press grains together"},
    {"bonds.*.kn", 5e9, 2e10, why::kSoft},
    {"bonds.*.ks", 2e9, 1e10, why::kSoft},
    {"bonds.*.modulus", 5e7, 2e8, why::kSoft},
    {"bonds.*.kn_over_ks", 1, 4, why::kUnbounded},
    {"bonds.*.radius_factor", 0.5, 1, why::kUnbounded},
    {"bonds.*.normal_strength", 1e4, 1e6, why::kUnbounded},
    {"bonds.*.shear_strength", 1e4, 1e6, why::kUnbounded},
    {"bonds.*.damping", 0, 0.3, why::kUnbounded},
    {"clusters.*.distance", 1.02, 1.5, "at 1 rounding says which hold; far ones are bonds by the hundred"},
    {"clusters.*.packed_sphere.radius", 0.007, 0.009, why::kGrain},
    {"clusters.*.packed_sphere.sphere_radius", 0.0025, 0.003, why::kGrain},
    {"clusters.*.cube.edge", 2, 3, why::kGrain},
    {"clusters.*.cube.sphere_radius", 0.0025, 0.003, why::kGrain},
    {"clusters.*.tablet.radius", 0.007, 0.008, why::kGrain},
    {"clusters.*.tablet.thickness", 0.007, 0.008, why::kGrain},
    {"clusters.*.tablet.sphere_radius", 0.002, 0.0025, why::kGrain},
    {"clusters.*.filling.size", 0.014, 0.016, why::kGrain},
    {"clusters.*.filling.sphere_radius", 0.0025, 0.003, why::kGrain},
    {"clusters.*.mesh.scale", 0.9e-3, 1.1e-3, why::kGrain},
    {"clusters.*.mesh.sphere_radius", 0.0025, 0.003, why::kGrain},
    {"clusters.*.csv.scale", 0.9e-3, 1.1e-3, why::kGrain},
    {"detection.cundall.largest_step", 0.03, 0.2, "not below smallest_step"},
    {"detection.cundall.smallest_step", 1e-4, 1e-3, why::kPrinted},
    {"detection.cundall.shrink", 0.3, 0.7, "near 1 one search takes thousands of turns"},
    {"detection.cundall.tolerance", 0.5, 10, why::kPrinted},
    {"detection.fast.tolerance", 5e-4, 2e-3, why::kPrinted},
    {"detection.fast.pad", 5e-4, 2e-3, why::kPrinted},
    {"detection.shortest_link.tolerance", 5e-4, 2e-3, why::kPrinted},
    {"detection.skin", 0, 2e-3, why::kUnbounded},
    {"detection.deepest_overlap", 0.4, 1, "less stops the run, as it should"},
    {"walls.*.mesh.scale", 0.9e-3, 1.1e-3, why::kPlace},
    {"walls.*.mesh.simplify", 1e-5, 4e-4, "more of a thick plate is another plate"},
    {"walls.*.mesh.orientation.angle", -7, 7, why::kUnbounded},
    {"walls.*.velocity", -0.1, 0.1, why::kSlow},
    {"walls.*.oscillation.amplitude", -3e-4, 3e-4, why::kSlow},
    {"walls.*.oscillation.frequency", 10, 60, why::kSlow},
    {"walls.*.oscillation.phase", -7, 7, why::kUnbounded},
    {"walls.*.rotation.rate", -7, 7, why::kSlow},
    {"walls.*.rotation.swing", -0.1, 0.1, why::kSlow},
    {"walls.*.rotation.swing_frequency", 1, 20, why::kSlow},
    {"walls.*.free.mass", 0.3, 2, why::kSlow},
    {"walls.*.free.force", -5, 10, why::kSlow},
    {"walls.*.free.stress", 0, 1000, why::kSlow},
    {"walls.*.free.area", 5e-3, 1e-2, why::kSlow},
    {"walls.*.free.damping", 0, 10, why::kSlow},
    {"walls.*.servo.force", 1, 20, why::kSlow},
    {"walls.*.servo.stress", 0, 1000, why::kSlow},
    {"walls.*.servo.area", 5e-3, 1e-2, why::kSlow},
    {"walls.*.servo.max_velocity", 0.05, 0.2, why::kSlow},
    {"particles[].size", 0.008, 0.012, why::kGrain},
    {"particles[].size.uniform", 0.007, 0.013, why::kGrain},
    {"particles[].size.normal.mean", 0.009, 0.011, why::kGrain},
    {"particles[].size.normal.deviation", 1e-4, 1e-3, why::kGrain},
    {"particles[].size.normal.min", 0.007, 0.0085, why::kGrain},
    {"particles[].size.normal.max", 0.0115, 0.013, why::kGrain},
    {"particles[].size.log_normal.median", 0.009, 0.011, why::kGrain},
    {"particles[].size.log_normal.geometric_deviation", 1.01, 1.1, why::kGrain},
    {"particles[].size.log_normal.min", 0.007, 0.0085, why::kGrain},
    {"particles[].size.log_normal.max", 0.0115, 0.013, why::kGrain},
    {"particles[].size.weibull.scale", 0.009, 0.011, why::kGrain},
    {"particles[].size.weibull.modulus", 10, 100, why::kGrain},
    {"particles[].size.weibull.min", 0.006, 0.007, why::kGrain},
    {"particles[].size.weibull.max", 0.0115, 0.013, why::kGrain},
    {"particles[].size.sieve.openings", 0.006, 0.013, why::kGrain},
    {"particles[].size.values.sizes", 0.006, 0.013, why::kGrain},
    {"particles[].size.values.shares", 0.5, 5, why::kUnbounded},
    {"particles[].place.lattice.from", 0, 0.005, why::kPlace},
    {"particles[].place.lattice.spacing", 0.025, 0.03, "wide enough for every shape"},
    {"particles[].place.random.gap", 0, 5e-4, why::kGrain},
    {"particles[].place.pour.mass_rate", 1, 20, "they come while the few steps last"},
    {"particles[].place.pour.number_rate", 1e3, 2e4, "they come while the few steps last"},
    {"particles[].place.pour.duration", 1e-3, 0.1, why::kUnbounded},
    {"particles[].place.pour.gap", 0, 1e-3, why::kGrain},
    {"particles[].velocity", -1.5, 1.5, why::kSlow},
    {"measure.*.flow.point", 0, 0.1, why::kPlace},
    {"measure.*.mixing.cells", 1, 5, "cells by the thousand million take their time"},
    {"measure.*.repose.centre", 0, 0.1, why::kPlace},
    {"measure.*.track", 0, 1, "ids that there are"},
    {"stages[].until.kinetic_energy_below", 1e-6, 2e-3, why::kUnbounded},
    {"stages[].friction[].friction", 0, 2, why::kUnbounded},
    {"stages[].move.*.velocity", -0.1, 0.1, why::kSlow},
    {"stages[].move.*.surface_velocity", -0.5, 0.5, why::kSlow},
    {"walls.*.surface_velocity", -0.5, 0.5, why::kSlow},
    {"stages[].cut_above", 0.05, 0.12, why::kPlace},
    {"stages[].output.every", 1e-3, 5e-3, why::kUnbounded},
    {"time_step", 1e-6, 2e-6, "below the critical one of the hardest contacts"},
    {"time_step.fraction", 0.1, 0.2, "the default is the largest that is known to be safe"},
    {"output.every", 1e-3, 5e-3, why::kUnbounded},
    {"output.checkpoint", 1e-3, 5e-3, why::kUnbounded},
};

/// Keys that no random case has, and why.
inline const std::set<std::string>& keys_left_out() {
  static const std::set<std::string> all{
      // Needs a run's output; tests/unit/io_saved_grains.cpp has it.
      "particles[].place.file.of_material",
  };
  return all;
}

/// A slab from z = 0 to z = `top`, whose upper side is `cells` by `cells` uneven cells.
inline std::string uneven_plate(int low, int high, int top, int cells) {
  std::ostringstream text;
  text << "v " << low << " " << low << " 0\nv " << high << " " << low << " 0\nv " << high << " " << high << " 0\nv "
       << low << " " << high << " 0\n";
  const auto at = [cells](int i, int j) { return 5 + i * (cells + 1) + j; };
  const auto inner = [cells](int i) { return i > 0 && i < cells; };
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j)
      text << "v " << low + (high - low) * i / cells << " " << low + (high - low) * j / cells << " "
           << top + (inner(i) && inner(j) ? 0.2 * std::sin(1.7 * i) * std::cos(2.3 * j) : 0) << "\n";
  }
  text << "f 1 4 3 2\n";
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j)
      text << "f " << at(i, j) << " " << at(i + 1, j) << " " << at(i + 1, j + 1) << "\nf " << at(i, j) << " "
           << at(i + 1, j + 1) << " " << at(i, j + 1) << "\n";
  const auto side = [&](int a, int b, auto&& upper) {
    text << "f " << a << " " << b;
    for (int k = 0; k <= cells; ++k) text << " " << upper(k);
    text << "\n";
  };
  side(1, 2, [&](int k) { return at(cells - k, 0); });
  side(2, 3, [&](int k) { return at(cells, cells - k); });
  side(3, 4, [&](int k) { return at(k, cells); });
  side(4, 1, [&](int k) { return at(0, k); });
  return text.str();
}

/// The files that random cases name.
inline void write_files_of_cases(const std::filesystem::path& folder) {
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  const auto block = [&](const char* name, int low, int high, int z) {
    std::ostringstream text;
    for (const int top : {0, z})
      text << "v " << low << " " << low << " " << top << "\nv " << high << " " << low << " " << top << "\nv " << high
           << " " << high << " " << top << "\nv " << low << " " << high << " " << top << "\n";
    text << "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    write(name, text.str());
  };
  // As wide as the floor, however it is turned, and thick: what runs into a thin plate's rim is pressed below it.
  write("plate.obj", uneven_plate(-90, 90, 6, 12)), block("brick.obj", 0, 14, 12);
  write("spheres.csv", "x, y, z, r\n0, 0, 0, 3\n6, 0, 0, 3\n0, 6, 0, 3\n0, 0, 6, 2.9\n");
  write("sizes.txt", "8\n9.5\n# a comment\n7 1\n11\n");
  write("path.csv", "0, 0, 0, 0\n0.004, 0.0002, 0.0001, 0\n0.02, -0.0005, 0, 0\n");
  write("places.txt", "1 2 2 3 9\n2 5 2 3 9\n3 8 2 3.5 9\nrow 4\n5 2 7 3 9\n");
}

}  // namespace scree::oracle

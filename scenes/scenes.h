#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/case.h"
#include "sim/simulation.h"

/// Worlds that tests, benches and examples share, built without a file.
namespace scree::scenes {

/// The library's shapes (io/), or fewer words for it.
ShapeSource library();

/// BLOKS3D's parameters of the examples: kn 130 kN/m, knn 1.4e6 kN/m^3, b 3, ks 102 kN/m, phi 35 deg, damping
/// .02/.01/.9.
contact::Bloks3d stone_law();

/// A case with one material "stone" (2650 kg/m^3) and that law; no walls, no particles, one endless stage.
Case empty_case();

/// Adds a plane wall through `point` with the unit normal into the domain.
void add_plane(Case& c, const std::string& name, Vec3 point, Vec3 normal);
/// Adds the planes of a box, without z_max.
void add_open_box(Case& c, const std::string& name, Vec3 min, Vec3 max);
/// Adds one grain at rest.
void add_grain(Case& c, const std::string& shape, double size, Vec3 position, Quat orientation = {}, Vec3 velocity = {},
               Vec3 angular_velocity = {});

/// set_up with the library; a test or bench has no use for a world that cannot be built, so this ends the program with
/// the message.
Simulation build(const Case& c);
/// Steps until s.time + seconds; stops at a fault.
void run_for(Simulation& s, double seconds);

/// 540 grains of four shapes above a 30 x 30 cm box (Nezami et al. 2004, section 7.2), or `count` of them.
Case box_fill(std::uint64_t count = 540, std::uint64_t seed = 7);
/// Cubes of edge 0.5 m, randomly turned, dropped from a 0.9 m lattice into a square box of 10.8 m, kn = kt = 5e4 N/m,
/// mu .5, dt 1e-4 s: 2016 of them are the bed that exaDEM was timed on.
Case cube_bed(std::uint64_t count = 2016);
/// `count` spheres of 2 mm (+- 2 %) on a tight lattice in a box as deep as wide that they sink in, Hertz-Mindlin with
/// E 10 MPa, nu .3, restitution .5, mu .5, dt 1e-5 s.
Case sphere_bed(std::uint64_t count = 20000);
/// `count` grains of tetrahedron, pyramid, cube and grain14, 2-4 cm, in a box whose footprint keeps the bed about as
/// deep as wide.
Case mixed_bed(std::uint64_t count = 5000);

}  // namespace scree::scenes

#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/vec.h"
#include "contact/rolling.h"

/// What maps of a case file say where the case itself keeps it in another form. Keys are bound to these members as to
/// those of the case; all in SI units.
namespace scree::io::given {

struct Friction {
  std::optional<double> angle, coefficient;  ///< rad; 1
};
struct Rolling {
  contact::Rolling::Model model = contact::Rolling::Model::none;
  double friction = 0, twisting = 0, damping_ratio = 0.3;
};
struct Cohesion {
  bool is_jkr = false;
  double work_of_adhesion = 0;  ///< J/m^2
};

// Clusters.
struct PackedSphere {
  double radius = 0, sphere_radius = 0;
};
struct Cube {
  std::uint32_t edge = 3;
  double sphere_radius = 0;
};
struct Tablet {
  double radius = 0, thickness = 0, sphere_radius = 0;
};
struct Filling {
  std::string shape;
  double size = 0, sphere_radius = 0;
};
struct FilledMesh {
  std::string file;
  double scale = 0, sphere_radius = 0;
};
struct SphereFile {
  std::string file;
  double scale = 1;
};
struct Cluster {
  double distance = 1.05;  ///< over the sum of the radii
};

// Walls.
struct Corners {
  Vec3 min, max{1, 1, 1};
};
struct Plane {
  Vec3 point, normal;
};
struct Cylinder {
  Vec3 from, to;
  double radius = 0;
};
struct Cone {
  Vec3 from, to;
  double radius_from = 0, radius_to = 0;
};
struct Mesh {
  std::string file;
  double scale = 0;
  std::optional<double> simplify;
  Vec3 position;
  bool front_only = false;
};
struct Turn {
  Vec3 axis;
  double angle = 0;
};
struct Path {
  std::string file;
};

// Sizes.
struct Uniform {
  std::vector<double> ends;
};
struct Normal {
  double mean = 0, deviation = 0;
  std::optional<double> min, max;
};
struct LogNormal {
  double median = 0, deviation = 0;
  std::optional<double> min, max;
};
struct Weibull {
  double scale = 0, modulus = 0;
  std::optional<double> min, max;
};
struct Sieve {
  std::vector<double> openings, passing;
};
struct Values {
  std::vector<double> sizes, shares;
  bool by_mass = false;
};

// Regions and periods.
struct Box {
  Vec3 min, max;
};
struct Tube {
  Vec3 from, to;
  double radius = 0;
};

struct Periods {
  std::vector<double> x, y, z;  ///< lower and upper end
};

}  // namespace scree::io::given

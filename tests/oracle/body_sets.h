#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "neighbour/neighbour.h"

/// Sets of bounding spheres that the tests of the neighbour searches share.
namespace scree::oracle {

struct Set {
  std::string name;
  std::vector<Vec3> x;
  std::vector<double> r;
  double margin = 0;
  neighbour::Domain domain{};
  int dimensions = 3;
  /// No pair within rounding of touching: the list is the same in every frame.
  bool generic = false;

  neighbour::Bodies bodies(double cell = 1) const { return {x, r, margin, domain, dimensions, cell}; }
};

inline Set random_set(const std::string& name, std::size_t n, Vec3 side, double r_min, double r_max, double margin,
                      std::uint64_t seed) {
  Random u(seed);
  Set s{name, {}, {}, margin};
  s.generic = true;
  for (std::size_t i = 0; i < n; ++i) {
    s.x.push_back({u.uniform(0, side.x), u.uniform(0, side.y), u.uniform(0, side.z)});
    s.r.push_back(r_min * std::pow(r_max / r_min, u.uniform()));
  }
  return s;
}
inline Set random_set(const std::string& name, std::size_t n, double side, double r_min, double r_max, double margin,
                      std::uint64_t seed) {
  return random_set(name, n, Vec3{side, side, side}, r_min, r_max, margin, seed);
}

/// n bodies along each axis of a cubic lattice.
inline Set lattice(const std::string& name, double spacing, double r, Vec3 origin, int n) {
  Set s{name, {}, {}, 0};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        s.x.push_back(origin + spacing * Vec3{double(i), double(j), double(k)});
        s.r.push_back(r);
      }
    }
  }
  return s;
}

}  // namespace scree::oracle

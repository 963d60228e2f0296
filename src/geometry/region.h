#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/random.h"
#include "base/vec.h"

namespace scree {

/// A part of space that has no walls: a box along the axes, or a cylinder.
struct Region {
  enum class Kind : std::uint32_t { box, cylinder };
  Vec3 min, max;  ///< m; box: corners; cylinder: the centres of its two ends
  Kind kind = Kind::box;
  double radius = 0;  ///< m, of the cylinder

  bool contains(Vec3 x) const {
    if (kind == Kind::box)
      return x.x >= min.x && x.x <= max.x && x.y >= min.y && x.y <= max.y && x.z >= min.z && x.z <= max.z;
    const Vec3 d = x - min, axis = normalized(max - min);
    const double h = dot(d, axis);
    return h >= 0 && h <= norm(max - min) && norm2(d - h * axis) <= radius * radius;
  }

  /// m^3; of a box in the plane (`planar`) its area, m^2.
  double volume(bool planar = false) const {
    const Vec3 side = max - min;
    if (kind == Kind::cylinder) return M_PI * radius * radius * norm(side);
    return side.x * side.y * (planar ? 1 : side.z);
  }

  /// Corners of the box along the axes that holds it.
  std::pair<Vec3, Vec3> bounds() const {
    if (kind == Kind::box) return {min, max};
    const Vec3 axis = normalized(max - min);
    Vec3 low, high;
    for (std::size_t k = 0; k < 3; ++k) {
      const double across = radius * std::sqrt(std::max(0.0, 1 - axis[k] * axis[k]));
      low[k] = std::min(min[k], max[k]) - across, high[k] = std::max(min[k], max[k]) + across;
    }
    return {low, high};
  }

  /// Where the centres of spheres of radius r lie that are wholly inside; in the plane no room is taken along z.
  Region inset(double r, bool planar = false) const {
    Region in = *this;
    if (kind == Kind::cylinder) {
      const Vec3 axis = normalized(max - min);
      in.min += r * axis, in.max -= r * axis, in.radius -= r;
      if (dot(in.max - in.min, axis) < 0) in.radius = -1;
      return in;
    }
    const Vec3 by{r, r, planar ? 0 : r};
    in.min += by, in.max -= by;
    return in;
  }
  bool is_empty() const {
    if (kind == Kind::cylinder) return !(radius >= 0);
    return !(min.x <= max.x && min.y <= max.y && min.z <= max.z);
  }

  /// Shares [first, second] of the way from p to q between which it lies inside; first >= second: nowhere.
  std::pair<double, double> inside_of(Vec3 p, Vec3 q) const;

  /// Volume of the sphere's part inside (m^3): sections across z or the axis in closed form, and their integral by
  /// Gauss' quadrature between the points where sections begin to touch sides, to 1e-10 of the sphere.
  double sphere_inside(Vec3 centre, double r) const;
  /// Area of the disc's part inside a box, in the plane (m^2); closed form.
  double disc_inside(Vec3 centre, double r) const;

  /// A point of it, all equally likely. Three draws.
  Vec3 sample(Random& draw) const {
    if (kind == Kind::box) {
      const double x = draw.uniform(min.x, max.x), y = draw.uniform(min.y, max.y);
      return {x, y, draw.uniform(min.z, max.z)};
    }
    const Vec3 axis = normalized(max - min), u = any_perpendicular(axis), v = cross(axis, u);
    const double along = draw.uniform(), rho = radius * std::sqrt(draw.uniform()), a = 2 * M_PI * draw.uniform();
    return min + along * (max - min) + (rho * std::cos(a)) * u + (rho * std::sin(a)) * v;
  }
};

}  // namespace scree

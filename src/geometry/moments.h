#pragma once
#include <array>

#include "geometry/polyhedron.h"

namespace scree {

/// Integrals of 1, x, y, z, xx, yy, zz, xy, xz, yz over a body.
using Moments = std::array<double, 10>;

inline void add(Moments& sum, const Moments& m) {
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += m[k];
}

/// At density 1; the moments are about `origin`.
inline MassProperties properties_of(const Moments& m, Vec3 origin) {
  MassProperties p;
  p.volume = m[0];
  const Vec3 c = Vec3{m[1], m[2], m[3]} / m[0];
  p.centroid = origin + c;
  const double xx = m[4] - m[0] * c.x * c.x, yy = m[5] - m[0] * c.y * c.y, zz = m[6] - m[0] * c.z * c.z;
  const double xy = m[7] - m[0] * c.x * c.y, xz = m[8] - m[0] * c.x * c.z, yz = m[9] - m[0] * c.y * c.z;
  p.inertia = {{Vec3{yy + zz, -xy, -xz}, Vec3{-xy, xx + zz, -yz}, Vec3{-xz, -yz, xx + yy}}};
  return p;
}

}  // namespace scree

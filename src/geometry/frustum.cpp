#include "geometry/frustum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {

Frustum::Foot Frustum::foot(Vec3 x, bool opposite) const {
  // In the plane through the axis and x, where the side is a segment.
  const double from_axis = std::hypot(x.x, x.y), sign = opposite ? -1 : 1, across = sign * from_axis;
  const Vec3 radial = sign * (from_axis > 0 ? Vec3{x.x / from_axis, x.y / from_axis, 0} : Vec3{1, 0, 0});
  const double dr = top - bottom, whole = dr * dr + length * length;
  const double along = std::clamp(((across - bottom) * dr + x.z * length) / whole, 0.0, 1.0);
  const double r = across - (bottom + along * dr), z = x.z - along * length, distance = std::hypot(r, z);
  // On the surface its own normal, to the inside.
  const double slant = std::sqrt(whole);
  if (!(distance > 1e-12 * (slant + bottom + top)))
    return {(-length / slant) * radial + Vec3{0, 0, dr / slant}, distance, true};
  return {(r / distance) * radial + Vec3{0, 0, z / distance}, distance, r < 0};
}

Surface Frustum::flat_sides() const {
  // A chord between circles of radius R (1 + e) has its middle at R (1 - e) where cos(pi / n) = (1 - e) / (1 + e).
  constexpr double e = kDeviation;
  const int n = static_cast<int>(std::ceil(std::numbers::pi / std::acos((1 - e) / (1 + e))));
  const double out = 2 / (1 + std::cos(std::numbers::pi / n));
  Surface s;
  for (int k = 0; k < n; ++k) {
    const double a = 2 * std::numbers::pi * k / n;
    const Vec3 d{std::cos(a), std::sin(a), 0};
    s.vertices.push_back(out * bottom * d);
    s.vertices.push_back(out * top * d + Vec3{0, 0, length});
  }
  for (int k = 0; k < n; ++k) {
    const auto a = static_cast<std::uint32_t>(2 * k), b = static_cast<std::uint32_t>(2 * ((k + 1) % n));
    // A cone's tip has triangles alone.
    if (bottom > 0) s.triangles.push_back({a, a + 1, b});
    if (top > 0) s.triangles.push_back({b, a + 1, b + 1});
  }
  return s;
}

}  // namespace scree

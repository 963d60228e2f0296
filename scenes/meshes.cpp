#include "scenes/meshes.h"

#include <cmath>

namespace scree::scenes {

Surface sheet(Vec3 corner, Vec3 u, Vec3 v, int n, int m) {
  Surface s;
  for (int j = 0; j <= m; ++j)
    for (int i = 0; i <= n; ++i) s.vertices.push_back(corner + (double(i) / n) * u + (double(j) / m) * v);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < n; ++i) {
      const auto a = static_cast<std::uint32_t>(j * (n + 1) + i), b = a + 1, d = a + static_cast<std::uint32_t>(n) + 1,
                 c = d + 1;
      if ((i + j) % 2 == 0) {
        s.triangles.push_back({a, b, c}), s.triangles.push_back({a, c, d});
      } else {
        s.triangles.push_back({a, b, d}), s.triangles.push_back({b, c, d});
      }
    }
  }
  return s;
}

Surface joined(const Surface& a, const Surface& b) {
  Surface s = a;
  const auto first = static_cast<std::uint32_t>(s.vertices.size());
  s.vertices.insert(s.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& t : b.triangles) s.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return s;
}

Surface box_surface(Vec3 low, Vec3 high, int n) {
  const Vec3 x{high.x - low.x, 0, 0}, y{0, high.y - low.y, 0}, z{0, 0, high.z - low.z};
  Surface s = sheet(low, y, x, n, n);
  for (const Surface& side : {sheet(low + z, x, y, n, n), sheet(low, x, z, n, n), sheet(low + y, z, x, n, n),
                              sheet(low, z, y, n, n), sheet(low + x, y, z, n, n)})
    s = joined(s, side);
  return s;
}

Surface shaft_surface(Vec3 low, double side, double height, int n, int m) {
  const Vec3 x{side, 0, 0}, y{0, side, 0}, z{0, 0, height};
  Surface s = sheet(low, x, y, n, n);
  for (const Surface& part :
       {sheet(low, y, z, n, m), sheet(low + x, y, z, n, m), sheet(low, x, z, n, m), sheet(low + y, x, z, n, m)})
    s = joined(s, part);
  return s;
}

Surface pipe(double radius, double height, int n, int m) {
  Surface s;
  for (int k = 0; k < n; ++k) {
    const double a = 2 * M_PI * k / n, b = 2 * M_PI * (k + 1) / n;
    const Vec3 from{radius * std::cos(a), radius * std::sin(a), 0}, to{radius * std::cos(b), radius * std::sin(b), 0};
    s = joined(s, sheet(from, {0, 0, height}, to - from, m, 1));
  }
  return s;
}

std::shared_ptr<const FacetMesh> facets(Surface s) {
  repair(s, kCoplanarTolerance, Turn::as_neighbours);
  return std::make_shared<const FacetMesh>(std::move(s));
}

Case::Wall& add_mesh(Case& c, const std::string& name, Surface s) {
  Case::Wall w;
  w.name = name, w.mesh = facets(std::move(s));
  c.walls.push_back(std::move(w));
  return c.walls.back();
}

}  // namespace scree::scenes

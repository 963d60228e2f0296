#include "bond/cluster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "bond/filling.h"

namespace scree::bond {

namespace {

constexpr double kRounding = 1e-9;  // of a sphere's radius: what lies on the border by construction is inside

std::string metres(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g m", x);
  return text;
}

const double kLayer = 2 * std::sqrt(2.0 / 3.0);  // between the layers of a close packing, in radii

/// Close packing of the box [-reach, reach] with a sphere at (0, 0, lift), kept where inside(centre).
template <class Inside>
Result<Cluster> pack(Vec3 reach, double lift, double r, const std::string& what, Inside&& inside) {
  const double row = std::sqrt(3.0) * r, layer = kLayer * r;
  const double sites = (2 * reach.x / (2 * r) + 2) * (2 * reach.y / row + 2) * (2 * reach.z / layer + 2);
  if (!(sites < 4.0 * static_cast<double>(kMaxSpheres)))
    return Error{"spheres of radius " + metres(r) + " are too small for " + what + ": more than a million"};
  const auto count = [](double length, double step) { return static_cast<int>(std::ceil(length / step)) + 1; };
  const int nx = count(reach.x, 2 * r), ny = count(reach.y, row), nz = count(reach.z, layer);
  Cluster c;
  for (int k = -nz; k <= nz; ++k) {
    const bool odd_layer = k % 2 != 0;
    for (int j = -ny; j <= ny; ++j) {
      const double shift = (j % 2 != 0 ? r : 0) + (odd_layer ? r : 0);
      for (int i = -nx - 1; i <= nx; ++i) {
        const Vec3 x{2 * r * i + shift, row * j + (odd_layer ? row / 3 : 0), lift + layer * k};
        if (inside(x)) c.position.push_back(x), c.radius.push_back(r);
      }
    }
  }
  if (c.size() == 0) return Error{"no sphere of radius " + metres(r) + " fits into " + what};
  if (c.size() > kMaxSpheres)
    return Error{"spheres of radius " + metres(r) + " are too small for " + what + ": more than a million"};
  centre(c);
  return c;
}

std::string place(Vec3 x) {
  char text[96];
  std::snprintf(text, sizeof text, "(%.4g, %.4g, %.4g) m", x.x, x.y, x.z);
  return text;
}

/// How often a closed surface goes around x, by the solid angles of its triangles (van Oosterom & Strackee 1983, IEEE
/// Trans. Biomed. Eng. 30:125, Eq. 8); x not on it.
double winding_number(const Surface& s, Vec3 x) {
  double angle = 0;
  for (const auto& t : s.triangles) {
    const Vec3 a = s.vertices[t[0]] - x, b = s.vertices[t[1]] - x, c = s.vertices[t[2]] - x;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    angle += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return angle / (4 * M_PI);
}

std::string list(const std::vector<std::uint32_t>& spheres) {
  std::string text;
  const std::size_t shown = std::min<std::size_t>(spheres.size(), 8);
  for (std::size_t k = 0; k < shown; ++k) text += (k ? ", " : "") + std::to_string(spheres[k]);
  if (shown < spheres.size()) text += " and " + std::to_string(spheres.size() - shown) + " more";
  return text;
}

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/// Spheres whose radii lie within a factor of two, sorted by the cell of a grid that no bond of theirs is longer than.
struct Level {
  double width = 0;
  std::vector<std::pair<std::array<std::int64_t, 3>, std::uint32_t>> cells;
  std::array<std::int64_t, 3> cell(Vec3 x) const {
    const auto at = [this](double v) {
      return static_cast<std::int64_t>(std::floor(std::clamp(v / width, -1e15, 1e15)));
    };
    return {at(x.x), at(x.y), at(x.z)};
  }
};

std::map<int, Level> levels_of(const Cluster& c, double factor) {
  std::map<int, Level> levels;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const int l = std::ilogb(c.radius[i]);
    Level& level = levels[l];
    level.width = 2 * factor * std::ldexp(1.0, l + 1);
    level.cells.emplace_back(level.cell(c.position[i]), i);
  }
  for (auto& [l, level] : levels) std::sort(level.cells.begin(), level.cells.end());
  return levels;
}

/// f(i, j) for the pairs i < j with |x_j - x_i| <= factor (r_i + r_j) until f returns false. Each sphere looks for
/// those of its own level and above.
template <class F>
void for_close_pairs(const Cluster& c, double factor, F&& f) {
  const std::map<int, Level> levels = levels_of(c, factor);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const int own = std::ilogb(c.radius[i]);
    for (auto it = levels.lower_bound(own); it != levels.end(); ++it) {
      const Level& level = it->second;
      const auto [x, y, z] = level.cell(c.position[i]);
      for (std::int64_t u = x - 1; u <= x + 1; ++u) {
        for (std::int64_t v = y - 1; v <= y + 1; ++v) {
          const std::array<std::int64_t, 3> low{u, v, z - 1}, high{u, v, z + 1};
          for (auto k = std::lower_bound(level.cells.begin(), level.cells.end(), std::pair(low, 0u));
               k != level.cells.end() && k->first <= high; ++k) {
            const std::uint32_t j = k->second;
            if (it->first == own && j <= i) continue;
            const double reach = factor * (c.radius[i] + c.radius[j]);
            if (norm2(c.position[j] - c.position[i]) > reach * reach) continue;
            if (!f(std::min(i, j), std::max(i, j))) return;
          }
        }
      }
    }
  }
}

}  // namespace

void centre(Cluster& c) {
  Vec3 sum{};
  double mass = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double m = c.radius[i] * c.radius[i] * c.radius[i];
    sum += m * c.position[i], mass += m;
  }
  for (Vec3& x : c.position) x -= sum / mass;
}

Result<Cluster> packed_sphere(double radius, double r) {
  return pack({radius, radius, radius}, 0, r, "a sphere of radius " + metres(radius),
              [&](Vec3 x) { return norm(x) <= radius - r + kRounding * r; });
}

Result<Cluster> cube(std::uint32_t edge, double r) {
  if (edge == 0 || edge > 100) return Error{"a cube has 1 to 100 spheres along its edge, not " + std::to_string(edge)};
  Cluster c;
  const double middle = 0.5 * (edge - 1);
  for (std::uint32_t k = 0; k < edge; ++k) {
    for (std::uint32_t j = 0; j < edge; ++j) {
      for (std::uint32_t i = 0; i < edge; ++i) {
        c.position.push_back(2 * r * Vec3{i - middle, j - middle, k - middle});
        c.radius.push_back(r);
      }
    }
  }
  return c;
}

Result<Cluster> tablet(double radius, double thickness, double r) {
  // As many layers as there is room for, in the middle.
  const double gaps = std::floor((thickness / 2 / r - 1) * 2 / kLayer + kRounding);
  const double lift = std::fmod(gaps, 2) == 1 ? kLayer * r / 2 : 0;
  return pack({radius, radius, thickness / 2}, lift, r,
              "a tablet of radius " + metres(radius) + " and thickness " + metres(thickness), [&](Vec3 x) {
                return std::hypot(x.x, x.y) <= radius - r + kRounding * r &&
                       std::abs(x.z) <= thickness / 2 - r + kRounding * r;
              });
}

Result<Cluster> filling(const Polyhedron& mesh, double size, double r) {
  const double reach = size * mesh.outer_radius;
  return pack({reach, reach, reach}, 0, r, "the mesh at size " + metres(size), [&](Vec3 x) {
    for (std::size_t f = 0; f < mesh.face_normals.size(); ++f) {
      if (dot(mesh.face_normals[f], x) > size * mesh.face_offsets[f] - r + kRounding * r) return false;
    }
    return true;
  });
}

Result<Cluster> filling(const FacetMesh& surface, double r) {
  const Defects d = find_defects(surface.surface());
  if (d.open_edges > 0)
    return Error{"the mesh is open: " + std::to_string(d.open_edges) +
                 " edges have a triangle on one side only, the first from " + place(d.open_edge[0]) + " to " +
                 place(d.open_edge[1]) + "; only a closed one has an inside"};
  if (!d.orientable) return Error{"the mesh has one side only, like a Klein bottle, and so no inside"};
  const Vec3 middle = 0.5 * (surface.low() + surface.high());
  // Along a row what lies between two centres is seldom near the surface: both are on the same side of it.
  Vec3 last;
  bool known = false, was_inside = false;
  return pack(0.5 * (surface.high() - surface.low()), 0, r, "the mesh", [&](Vec3 from_middle) {
    const Vec3 x = middle + from_middle;
    if (surface.is_near(x, r - kRounding * r)) return known = false;
    const bool same = known && norm(x - last) < 2.5 * r && !surface.is_near(0.5 * (x + last), 1.25 * r);
    if (!same) was_inside = std::abs(winding_number(surface.surface(), x)) > 0.5;
    known = true, last = x;
    return was_inside;
  });
}

Status check_places(const Cluster& c) {
  std::string wrong;
  for_close_pairs(c, 1, [&](std::uint32_t i, std::uint32_t j) {
    const double least = std::max(std::abs(c.radius[i] - c.radius[j]), 1e-6 * (c.radius[i] + c.radius[j]));
    if (norm(c.position[j] - c.position[i]) > least) return true;
    wrong = "spheres " + std::to_string(i) + " and " + std::to_string(j) +
            " of the cluster share a place: one lies wholly inside the other";
    return false;
  });
  return wrong.empty() ? ok() : Status(Error{wrong});
}

Result<Pairs> bonds_by_distance(const Cluster& c, double factor) {
  Pairs bonds;
  const std::size_t most = kMostBonds * c.size();
  for_close_pairs(c, factor, [&](std::uint32_t i, std::uint32_t j) {
    bonds.emplace_back(i, j);
    return bonds.size() <= most;
  });
  if (bonds.size() > most) {
    return Error{"more than " + std::to_string(kMostBonds) +
                 " bonds for each sphere; the distance factor is too large, or the spheres overlap too much"};
  }
  std::sort(bonds.begin(), bonds.end());
  return bonds;
}

Status check_holds(const Cluster& c, const Pairs& bonds) {
  std::vector<std::uint32_t> parent(c.size()), members(c.size(), 0);
  std::iota(parent.begin(), parent.end(), 0u);
  for (const auto& [i, j] : bonds) parent[root(parent, j)] = root(parent, i);
  for (std::uint32_t i = 0; i < c.size(); ++i) ++members[root(parent, i)];
  const auto main = static_cast<std::uint32_t>(std::max_element(members.begin(), members.end()) - members.begin());
  std::vector<std::uint32_t> loose;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (root(parent, i) != main) loose.push_back(i);
  }
  if (loose.empty()) return ok();
  return Error{"the cluster does not hold together: no bonds lead from its largest part, " +
               std::to_string(members[main]) + " of " + std::to_string(c.size()) + " spheres, to sphere" +
               (loose.size() > 1 ? "s " : " ") + list(loose) + " (a larger distance factor makes more bonds)"};
}

}  // namespace scree::bond

#include "io/results/vtk_grid.h"

#include <algorithm>

#include "io/results/vtk_cells.h"

namespace scree::io {

namespace {

bool is_round(const Frame::ShapeRow& s) {
  return s.radius > 0 || std::any_of(s.parts.begin(), s.parts.end(), [](const auto& part) { return part.radius > 0; });
}

bool has_clumps(const Frame& f) {
  return std::any_of(f.shapes.begin(), f.shapes.end(), [](const Frame::ShapeRow& s) { return !s.parts.empty(); });
}

Vec3 triangle_normal(const Frame::WallRow& w, const std::array<std::uint32_t, 3>& t) {
  return normalized(cross(w.vertices[t[1]] - w.vertices[t[0]], w.vertices[t[2]] - w.vertices[t[0]]));
}

}  // namespace

std::vector<double> lengths(const std::vector<Vec3>& v) {
  std::vector<double> l(v.size());
  std::transform(v.begin(), v.end(), l.begin(), [](Vec3 a) { return norm(a); });
  return l;
}

VtkGrid grid_of_particles(const Frame& f) {
  std::vector<std::vector<VtkCell>> cells(f.shapes.size());
  for (std::size_t k = 0; k < f.shapes.size(); ++k) {
    for (const Frame::ShapeRow& part : f.shapes[k].parts) cells[k].push_back(vtk_cell(part));
    if (f.shapes[k].parts.empty()) cells[k].push_back(vtk_cell(f.shapes[k]));
  }
  VtkGrid g;
  const bool any_round = std::any_of(f.shapes.begin(), f.shapes.end(), is_round), clumps = has_clumps(f);
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const Frame::ShapeRow& whole = f.shapes[f.shape[i]];
    const Mat3 r = rotation_matrix(f.orientation[i]);
    for (std::size_t part = 0; part < cells[f.shape[i]].size(); ++part) {
      const Frame::ShapeRow& s = whole.parts.empty() ? whole : whole.parts[part];
      const VtkCell& cell = cells[f.shape[i]][part];
      const auto first = static_cast<std::int64_t>(g.points.size());
      for (const Vec3& v : s.vertices) g.points.push_back(f.position[i] + r * (f.size[i] * (s.centre + v)));
      if (s.radius > 0) g.points.push_back(f.position[i] + r * (f.size[i] * s.centre));
      if (any_round) g.radius.resize(g.points.size(), s.radius * f.size[i]);
      for (const std::uint16_t v : cell.order) g.connectivity.push_back(first + v);
      g.offsets.push_back(static_cast<std::int64_t>(g.connectivity.size()));
      g.types.push_back(cell.type);
      if (clumps) g.rows.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return g;
}

VtkContacts grid_of_contacts(const Frame& f) {
  const std::size_t n = f.contact_point.size();
  VtkContacts c;
  VtkGrid& g = c.grid;
  g.points = f.contact_point;
  for (std::size_t k = 0; k < n; ++k) {
    g.connectivity.push_back(static_cast<std::int64_t>(k));
    g.offsets.push_back(static_cast<std::int64_t>(k + 1));
    g.types.push_back(1);
  }
  c.force = f.contact_force, c.normal = f.contact_normal, c.depth = f.contact_depth, c.ids = f.contact_ids;
  c.damage.assign(n, 0), c.is_wall.assign(n, 0), c.is_bond.assign(n, 0);
  const auto close = [&](std::uint8_t type) {
    g.offsets.push_back(static_cast<std::int64_t>(g.connectivity.size()));
    g.types.push_back(type);
  };
  const auto corner = [&](Vec3 x) {
    g.connectivity.push_back(static_cast<std::int64_t>(g.points.size()));
    g.points.push_back(x);
  };
  for (std::size_t k = 0; k < f.bond_rows.size(); ++k) {
    const auto [a, b] = f.bond_rows[k];
    corner(f.position[a]), corner(f.position[a] + nearest_image(f.domain, f.position[b] - f.position[a]));
    close(3);
    c.force.push_back({}), c.normal.push_back({}), c.depth.push_back(0), c.damage.push_back(f.bond_damage[k]);
    c.ids.push_back({std::int64_t{f.id[a]}, std::int64_t{f.id[b]}});
    c.is_wall.push_back(0), c.is_bond.push_back(1);
  }
  const auto add_wall = [&](const Frame::WallRow& w, std::uint8_t type, Vec3 normal) {
    close(type);
    c.force.push_back(w.force), c.normal.push_back(normal), c.depth.push_back(0), c.damage.push_back(0);
    c.ids.push_back({-1 - std::int64_t{w.id}, -1 - std::int64_t{w.id}});
    c.is_wall.push_back(1), c.is_bond.push_back(0);
  };
  for (const Frame::WallRow& w : f.walls) {
    const Mat3 turned = rotation_matrix(w.orientation);
    const auto first = static_cast<std::int64_t>(g.points.size());
    for (const Vec3& v : w.vertices) g.points.push_back(w.point + turned * v);
    for (const auto& t : w.triangles) {
      for (const std::uint32_t v : t) g.connectivity.push_back(first + v);
      add_wall(w, 5, turned * triangle_normal(w, t));
    }
    if (!w.outline) continue;
    for (const Vec3& x : *w.outline) corner(x);
    add_wall(w, 9, w.normal);
  }
  return c;
}

}  // namespace scree::io

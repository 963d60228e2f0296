#include "geometry/polyhedron.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace scree {
namespace {

using Loop = std::vector<std::uint16_t>;

/// Bounds of what double coordinates can hold: the first is a share of the extent, the second of the distance from the
/// frame's origin.
struct Tolerances {
  Vec3 centre;
  double extent = 0;
  double rounding = 0;
};

Tolerances tolerances_of(const std::vector<Vec3>& vertices) {
  Vec3 lo = vertices[0], hi = vertices[0];
  double largest = 0;
  for (const Vec3& v : vertices) {
    for (std::size_t k = 0; k < 3; ++k) {
      lo[k] = std::min(lo[k], v[k]);
      hi[k] = std::max(hi[k], v[k]);
      largest = std::max(largest, std::abs(v[k]));
    }
  }
  const Vec3 d = hi - lo;
  return {lo + 0.5 * d, std::max({d.x, d.y, d.z}), 1e-15 * largest};
}

/// Newell's normal, about the loop's first corner: position costs no digits. Length: twice the area.
Vec3 newell(std::span<const std::uint16_t> loop, const std::vector<Vec3>& v) {
  Vec3 n;
  const Vec3 o = v[loop[0]];
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) n += cross(v[loop[i]] - o, v[loop[i + 1]] - o);
  return n;
}

Status check_counts(std::size_t nv, const std::vector<Loop>& loops) {
  if (nv < 4) return Error{"a polyhedron needs at least 4 vertices, found " + std::to_string(nv)};
  if (nv > kMaxVertices) {
    return Error{std::to_string(nv) + " vertices; the limit is " + std::to_string(kMaxVertices)};
  }
  if (loops.size() < 4) return Error{"a polyhedron needs at least 4 faces, found " + std::to_string(loops.size())};
  if (loops.size() > kMaxFaces) {
    return Error{std::to_string(loops.size()) + " faces; the limit is " + std::to_string(kMaxFaces)};
  }
  for (const Loop& l : loops) {
    if (l.size() < 3) return Error{"a face with fewer than 3 vertices"};
    if (l.size() > kMaxFaceVertices) {
      return Error{"a face with " + std::to_string(l.size()) + " vertices; the limit is " +
                   std::to_string(kMaxFaceVertices)};
    }
    for (const std::uint16_t i : l) {
      if (i >= nv) return Error{"a face names vertex " + std::to_string(i) + " of " + std::to_string(nv)};
    }
  }
  return ok();
}

/// Directed edge (from, to) -> the face whose loop runs that way.
using Sides = std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint16_t>;

Result<Sides> sides_of(const std::vector<Loop>& loops) {
  Sides sides;
  for (std::size_t f = 0; f < loops.size(); ++f) {
    for (std::size_t i = 0; i < loops[f].size(); ++i) {
      const std::pair key{loops[f][i], loops[f][(i + 1) % loops[f].size()]};
      if (key.first == key.second || !sides.emplace(key, static_cast<std::uint16_t>(f)).second) {
        return Error{"edge " + std::to_string(key.first) + "-" + std::to_string(key.second) + " is run through twice"};
      }
    }
  }
  for (const auto& [key, face] : sides) {
    if (!sides.contains({key.second, key.first})) {
      return Error{"edge " + std::to_string(key.first) + "-" + std::to_string(key.second) + " has one face only"};
    }
  }
  return sides;
}

void to_rows(const std::vector<std::vector<std::uint16_t>>& lists, std::vector<std::uint16_t>& start,
             std::vector<std::uint16_t>& values) {
  start.assign(1, 0);
  values.clear();
  for (const auto& l : lists) {
    values.insert(values.end(), l.begin(), l.end());
    start.push_back(static_cast<std::uint16_t>(values.size()));
  }
}

void set_adjacency(Polyhedron& p, const std::vector<Loop>& loops, const Sides& sides) {
  std::vector<std::vector<std::uint16_t>> edges(p.vertices.size()), faces(p.vertices.size());
  for (const auto& [key, left] : sides) {
    if (key.first > key.second) continue;
    const auto e = static_cast<std::uint16_t>(p.edges.size());
    p.edges.push_back({key.first, key.second, left, sides.at({key.second, key.first})});
    edges[key.first].push_back(e);
    edges[key.second].push_back(e);
  }
  for (std::size_t f = 0; f < loops.size(); ++f) {
    for (const std::uint16_t v : loops[f]) faces[v].push_back(static_cast<std::uint16_t>(f));
  }
  to_rows(loops, p.face_start, p.face_vertices);
  to_rows(edges, p.vertex_edge_start, p.vertex_edges);
  to_rows(faces, p.vertex_face_start, p.vertex_faces);
}

Status set_planes(Polyhedron& p) {
  const Tolerances t = tolerances_of(p.vertices);
  for (std::size_t f = 0; f + 1 < p.face_start.size(); ++f) {
    const auto loop = p.loop(f);
    const Vec3 n = newell(loop, p.vertices);
    // Unit extent first: squares of 1e-200 would be lost.
    const Vec3 unit = normalized(n / (t.extent * t.extent));
    if (!(norm2(unit) > 0.5)) return Error{"face " + std::to_string(f) + " has no area"};
    double offset = 0;
    for (const std::uint16_t v : loop) offset += dot(unit, p.vertices[v] - t.centre);
    p.face_normals.push_back(unit);
    p.face_offsets.push_back(offset / static_cast<double>(loop.size()) + dot(unit, t.centre));
  }
  p.inner_radius = *std::min_element(p.face_offsets.begin(), p.face_offsets.end());
  p.outer_radius = 0;
  for (const Vec3& v : p.vertices) p.outer_radius = std::max(p.outer_radius, norm(v));
  return ok();
}

/// One piece, and no handle: with two faces at every edge, Euler's formula says both at once only for a connected
/// surface.
Status check_topology(const Polyhedron& p) {
  const std::size_t nv = p.vertices.size(), nf = p.face_normals.size(), ne = p.edges.size();
  if (ne + 2 != nv + nf) {
    return Error{"edges " + std::to_string(ne) + " != vertices " + std::to_string(nv) + " + faces " +
                 std::to_string(nf) + " - 2"};
  }
  std::vector<char> seen(nv, 0);
  std::vector<std::size_t> pending{0};
  seen[0] = 1;
  std::size_t reached = 1;
  while (!pending.empty()) {
    const std::size_t v = pending.back();
    pending.pop_back();
    for (std::size_t k = p.vertex_edge_start[v]; k < p.vertex_edge_start[v + 1]; ++k) {
      const auto& e = p.edges[p.vertex_edges[k]];
      const std::size_t w = e.v0 == v ? e.v1 : e.v0;
      if (seen[w] == 0) seen[w] = 1, ++reached, pending.push_back(w);
    }
  }
  if (reached != nv) return Error{"the surface is in several pieces"};
  for (std::size_t v = 0; v < nv; ++v) {
    const int edges = p.vertex_edge_start[v + 1] - p.vertex_edge_start[v];
    if (edges < 3) return Error{"vertex " + std::to_string(v) + " is no corner: " + std::to_string(edges) + " edges"};
    if (edges != p.vertex_face_start[v + 1] - p.vertex_face_start[v]) {
      return Error{"vertex " + std::to_string(v) + " has as many faces as edges no more"};
    }
  }
  return ok();
}

/// Corners of each face lie on it, and every other vertex lies below it; loops turn left at every corner.
Status check_convex(const Polyhedron& p) {
  const Tolerances t = tolerances_of(p.vertices);
  const double on = 1e-5 * t.extent + 16 * t.rounding, below = 1e-9 * t.extent;
  std::vector<char> in_loop(p.vertices.size());
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    const Vec3 n = p.face_normals[f];
    const auto loop = p.loop(f);
    const std::string name = "face " + std::to_string(f);
    if (std::abs(norm(n) - 1) > 1e-12) return Error{name + " has a normal that is not of unit length"};
    std::fill(in_loop.begin(), in_loop.end(), char{0});
    const double offset = p.face_offsets[f] - dot(n, t.centre);
    for (const std::uint16_t v : loop) {
      in_loop[v] = 1;
      if (!(std::abs(dot(n, p.vertices[v] - t.centre) - offset) <= on)) return Error{name + " is not plane"};
    }
    for (std::size_t v = 0; v < p.vertices.size(); ++v) {
      if (in_loop[v] == 0 && !(dot(n, p.vertices[v] - t.centre) - offset < -below)) {
        return Error{"not strictly convex: vertex " + std::to_string(v) + " is not below " + name};
      }
    }
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec3 a = p.vertices[loop[i]], b = p.vertices[loop[(i + 1) % loop.size()]],
                 c = p.vertices[loop[(i + 2) % loop.size()]];
      const Vec3 in = normalized((b - a) / t.extent), out = normalized((c - b) / t.extent);
      if (!(dot(n, cross(in, out)) > 1e-12))
        return Error{name + " does not turn left at vertex " + std::to_string(loop[(i + 1) % loop.size()])};
    }
  }
  return ok();
}

std::vector<Loop> loops_of(const Polyhedron& p) {
  std::vector<Loop> loops;
  for (std::size_t f = 0; f + 1 < p.face_start.size(); ++f) {
    const auto l = p.loop(f);
    loops.emplace_back(l.begin(), l.end());
  }
  return loops;
}

/// Everything but the geometry: the columns that follow from the loops, and those that follow from the vertices.
Result<Polyhedron> derive(std::vector<Vec3> vertices, const std::vector<Loop>& loops) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!is_finite(vertices[i])) return Error{"vertex " + std::to_string(i) + " is not finite"};
  }
  if (Status s = check_counts(vertices.size(), loops); !s) return s.error();
  Result<Sides> sides = sides_of(loops);
  if (!sides) return sides.error();
  Polyhedron p;
  p.vertices = std::move(vertices);
  set_adjacency(p, loops, *sides);
  if (Status s = set_planes(p); !s) return s.error();
  return p;
}

bool same_edges(const std::vector<Polyhedron::Edge>& a, const std::vector<Polyhedron::Edge>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.v0 == y.v0 && x.v1 == y.v1 && x.left == y.left && x.right == y.right;
  });
}

/// The columns have to be what the vertices and loops say.
Status check_derived(const Polyhedron& p, const Polyhedron& fresh) {
  if (!same_edges(p.edges, fresh.edges)) return Error{"the edges are not those of the loops"};
  if (p.vertex_edge_start != fresh.vertex_edge_start || p.vertex_edges != fresh.vertex_edges ||
      p.vertex_face_start != fresh.vertex_face_start || p.vertex_faces != fresh.vertex_faces) {
    return Error{"the adjacency is not that of the loops"};
  }
  const Tolerances t = tolerances_of(p.vertices);
  const double near = 1e-9 * t.extent + 16 * t.rounding;
  if (p.face_normals.size() != fresh.face_normals.size() || p.face_offsets.size() != fresh.face_offsets.size()) {
    return Error{"as many planes as faces are needed"};
  }
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    if (!(norm(p.face_normals[f] - fresh.face_normals[f]) < 1e-9) ||
        !(std::abs(p.face_offsets[f] - fresh.face_offsets[f]) <= near)) {
      return Error{"the plane of face " + std::to_string(f) + " is not that of its corners"};
    }
  }
  if (!(std::abs(p.inner_radius - fresh.inner_radius) <= near) ||
      !(std::abs(p.outer_radius - fresh.outer_radius) <= near)) {
    return Error{"the radii are not those of the planes and vertices"};
  }
  return ok();
}

Status check_rows(const Polyhedron& p) {
  if (p.face_start.empty() || p.face_start.front() != 0 || !std::is_sorted(p.face_start.begin(), p.face_start.end()) ||
      p.face_start.back() != p.face_vertices.size()) {
    return Error{"face_start does not index face_vertices"};
  }
  return ok();
}

}  // namespace

Result<Polyhedron> assemble(std::vector<Vec3> vertices, const std::vector<std::vector<std::uint16_t>>& loops) {
  Result<Polyhedron> p = derive(std::move(vertices), loops);
  if (!p) return p;
  if (Status s = check_topology(*p); !s) return s.error();
  if (Status s = check_convex(*p); !s) return s.error();
  return p;
}

Status validate(const Polyhedron& p) {
  if (Status s = check_rows(p); !s) return s;
  const Result<Polyhedron> fresh = derive(p.vertices, loops_of(p));
  if (!fresh) return fresh.error();
  if (Status s = check_derived(p, *fresh); !s) return s;
  if (Status s = check_topology(p); !s) return s;
  return check_convex(p);
}

std::vector<double> vertex_shares(const Polyhedron& p) {
  std::vector<double> share(p.vertices.size(), 0);
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    const auto loop = p.loop(f);
    const std::size_t n = loop.size();
    Vec3 mean;
    for (const std::uint16_t v : loop) mean += (1.0 / static_cast<double>(n)) * p.vertices[v];
    std::vector<double> triangle(n);
    double whole = 0;
    for (std::size_t i = 0; i < n; ++i) {
      triangle[i] = norm(cross(p.vertices[loop[i]] - mean, p.vertices[loop[i + 1 < n ? i + 1 : 0]] - mean));
      whole += triangle[i];
    }
    for (std::size_t i = 0; i < n; ++i) share[loop[i]] += (triangle[i] + triangle[i > 0 ? i - 1 : n - 1]) / (2 * whole);
  }
  for (std::size_t v = 0; v < share.size(); ++v)
    share[v] /= static_cast<double>(p.vertex_face_start[v + 1] - p.vertex_face_start[v]);
  return share;
}

}  // namespace scree

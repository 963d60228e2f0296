#include "narrow/shape_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scree::narrow {

std::optional<BoxFrame> box_frame(const Polyhedron& p) {
  constexpr double rounding = 1e-15;
  if (p.vertices.size() != 8 || p.face_normals.size() != 6 || p.edges.size() != 12) return std::nullopt;
  BoxFrame box;
  std::array<std::array<int, 2>, 3> faces{};
  std::array<std::array<double, 2>, 3> offset{};
  const auto axis_of = [&](Vec3 v, double* along) {
    const double length = norm(v);
    for (std::size_t k = 0; k < 3; ++k) {
      *along = v[k] / length;
      if (norm(v - v[k] * Vec3{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}) <= rounding * length)
        return k;
    }
    return std::size_t{3};
  };
  double along = 0;
  for (std::size_t f = 0; f < 6; ++f) {
    const std::size_t k = axis_of(p.face_normals[f], &along);
    if (k == 3) return std::nullopt;
    const std::size_t side = along > 0 ? 0 : 1;
    box.face[k][side] = static_cast<std::uint16_t>(f), offset[k][side] = p.face_offsets[f], ++faces[k][side];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (faces[k][0] != 1 || faces[k][1] != 1) return std::nullopt;
    if (std::abs(offset[k][0] - offset[k][1]) > rounding * p.outer_radius) return std::nullopt;
    box.half[k] = box.half[k + 3] = std::max(offset[k][0], offset[k][1]);
  }
  const auto octant = [&](std::size_t v) {
    const Vec3 x = p.vertices[v];
    return (x.x > 0 ? 1u : 0u) | (x.y > 0 ? 2u : 0u) | (x.z > 0 ? 4u : 0u);
  };
  for (std::size_t e = 0; e < 12; ++e) {
    const Polyhedron::Edge& edge = p.edges[e];
    const std::size_t k = axis_of(p.vertices[edge.v1] - p.vertices[edge.v0], &along);
    if (k == 3) return std::nullopt;
    box.edge[octant(edge.v0)][k] = box.edge[octant(edge.v1)][k] = static_cast<std::uint16_t>(e);
  }
  return box;
}

namespace {

/// The face on the other side of the edge from the k-th corner of a face to the next.
std::size_t face_across(const Polyhedron& p, std::size_t face, std::size_t k) {
  const auto loop = p.loop(face);
  const std::uint16_t v = loop[k], next = loop[(k + 1) % loop.size()];
  for (std::size_t e = p.vertex_edge_start[v]; e < p.vertex_edge_start[v + 1u]; ++e) {
    const Polyhedron::Edge& edge = p.edges[p.vertex_edges[e]];
    if (edge.v0 == next || edge.v1 == next) return edge.left == face ? edge.right : edge.left;
  }
  return face;
}

FaceRim face_rim(const Polyhedron& p, std::size_t face) {
  FaceRim rim;
  const auto loop = p.loop(face);
  if (loop.size() > FaceRim::kMax) return rim;
  const Vec3 n = p.face_normals[face];
  rim.u_axis = any_perpendicular(n);
  const Vec3 v_axis = cross(n, rim.u_axis);
  const auto in = [&](Vec3 x) { return Vec3{dot(rim.u_axis, x), dot(v_axis, x), dot(n, x)}; };
  for (std::size_t k = 0; k < FaceRim::kMax; ++k) {
    double* const corner = rim.corner[k];
    const auto put = [&](std::size_t column, Vec3 x) {
      for (std::size_t j = 0; j < 3; ++j) corner[column + j] = x[j];
    };
    const std::size_t i = k < loop.size() ? k : 0;
    const std::uint16_t v = loop[i];
    if (p.vertex_edge_start[v + 1u] - p.vertex_edge_start[v] != 3) return rim;
    const Vec3 x = p.vertices[v], at = in(x);
    corner[FaceRim::kU] = at.x, corner[FaceRim::kV] = at.y;
    for (std::size_t e = p.vertex_edge_start[v]; e < p.vertex_edge_start[v + 1u]; ++e) {
      const Polyhedron::Edge& edge = p.edges[p.vertex_edges[e]];
      if (edge.left != face && edge.right != face)
        put(FaceRim::kRise, in(p.vertices[edge.v0 == v ? edge.v1 : edge.v0] - x));
    }
    const std::size_t side = face_across(p, face, i);
    put(FaceRim::kSide, in(p.face_normals[side]));
    corner[FaceRim::kSide + 3] = p.face_offsets[side];
  }
  rim.corners = static_cast<std::uint32_t>(loop.size());
  return rim;
}

FaceLoop face_loop(const Polyhedron& p, std::size_t face) {
  FaceLoop out;
  const auto loop = p.loop(face);
  const std::size_t n = loop.size();
  if (n > FaceLoop::kMax) return out;
  out.corners = static_cast<std::uint32_t>(n);
  out.width = p.outer_radius;
  for (std::size_t k = 0; k < FaceLoop::kColumn; ++k) {
    const std::uint16_t v = loop[k % n], next = loop[(k + 1) % n];
    const Vec3 x = p.vertices[v], y = p.vertices[next], across = p.vertices[loop[(k + 2) % n]] - x;
    out.x[k] = x.x, out.y[k] = x.y, out.z[k] = x.z;
    out.corner[k] = v, out.edge[k] = edge_key(v, next);
    out.width = std::min({out.width, norm(y - x), dot(cross(y - x, across), p.face_normals[face]) / norm(across)});
  }
  for (std::size_t k = 0; k < FaceLoop::kMax; ++k) {
    const std::size_t beyond = face_across(p, face, k < n ? k : 0);
    for (std::size_t j = 0; j < 3; ++j) out.across[j][k] = p.face_normals[beyond][j];
    out.across[3][k] = p.face_offsets[beyond];
  }
  return out;
}

/// Across a face at v, counter-clockwise, lies its edge to the vertex before v.
void append_fan(const Polyhedron& p, std::uint16_t v, HotShape& shape) {
  const auto before_and_after = [&](std::size_t face) {
    const auto loop = p.loop(face);
    const auto at = static_cast<std::size_t>(std::find(loop.begin(), loop.end(), v) - loop.begin());
    return std::pair(loop[(at + loop.size() - 1) % loop.size()], loop[(at + 1) % loop.size()]);
  };
  const std::span faces = std::span(p.vertex_faces).first(p.vertex_face_start[v + 1u]).subspan(p.vertex_face_start[v]);
  if (shape.fan_start.empty()) shape.fan_start.push_back(0);
  std::uint16_t next = before_and_after(faces[0]).second;
  for (std::size_t k = 0; k < faces.size(); ++k) {
    shape.fans.push_back(next);
    for (const std::uint16_t f : faces) {
      const auto [before, after] = before_and_after(f);
      if (after != shape.fans.back()) continue;
      next = before;
      break;
    }
  }
  shape.fan_start.push_back(static_cast<std::uint16_t>(shape.fans.size()));
}

}  // namespace

HotShape::HotShape(const Polyhedron& p)
    : body(&p),
      vertices(static_cast<std::uint32_t>(p.vertices.size())),
      padded(static_cast<std::uint32_t>((p.vertices.size() + kPad - 1) / kPad * kPad)),
      columns(3 * padded),
      faces(static_cast<std::uint32_t>(p.face_normals.size())),
      padded_faces(static_cast<std::uint32_t>((p.face_normals.size() + kPad - 1) / kPad * kPad)),
      planes(4 * padded_faces),
      padded_edges(static_cast<std::uint32_t>((p.edges.size() + kPad - 1) / kPad * kPad)),
      edges(kEdgeColumns * padded_edges),
      vertex_edges(p.vertices.size(), EdgeMask{}),
      vertex_faces(p.vertices.size(), FaceMask{}),
      face_vertices(p.face_normals.size(), VertexMask{}),
      box(box_frame(p)),
      vertex_share(vertex_shares(p)) {
  for (std::size_t i = 0; i < padded; ++i) {
    const Vec3 v = p.vertices[i < vertices ? i : 0];
    columns[i] = v.x, columns[padded + i] = v.y, columns[2 * padded + i] = v.z;
  }
  for (std::size_t i = 0; i < padded_faces; ++i) {
    const std::size_t f = i < faces ? i : 0;
    const Vec3 n = p.face_normals[f];
    planes[i] = n.x, planes[padded_faces + i] = n.y, planes[2 * padded_faces + i] = n.z;
    planes[3 * padded_faces + i] = p.face_offsets[f];
  }
  for (std::size_t i = 0; i < padded_edges; ++i) {
    const Polyhedron::Edge& edge = p.edges[i < p.edges.size() ? i : 0];
    const Vec3 e = normalized(p.vertices[edge.v1] - p.vertices[edge.v0]);
    const Vec3 left = p.face_normals[edge.left], right = p.face_normals[edge.right];
    std::size_t column = 0;
    for (const Vec3 x : {e, left, right, cross(e, left), cross(right, e)}) {
      for (const double value : {x.x, x.y, x.z}) edges[column++ * padded_edges + i] = value;
    }
  }
  for (std::size_t f = 0; f < faces; ++f) rims.push_back(face_rim(p, f)), loops.push_back(face_loop(p, f));
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const Vec3 v0 = p.vertices[p.edges[e].v0], along = p.vertices[p.edges[e].v1] - v0;
    const Vec3 left = p.face_normals[p.edges[e].left], right = p.face_normals[p.edges[e].right];
    cut_edges.push_back(
        {{v0.x, v0.y, v0.z}, {along.x, along.y, along.z}, {left.x, left.y, left.z}, {right.x, right.y, right.z}});
    for (const std::uint16_t v : {p.edges[e].v0, p.edges[e].v1})
      vertex_edges[v][e / 64] |= std::uint64_t{1} << (e % 64);
  }
  for (std::uint32_t v = 0; v < vertices; ++v) append_fan(p, static_cast<std::uint16_t>(v), *this);
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    for (const std::uint16_t v : p.loop(f)) {
      vertex_faces[v][f / 64] |= std::uint64_t{1} << (f % 64);
      face_vertices[f][v / 64] |= std::uint64_t{1} << (v % 64);
    }
  }
}

ShapeTables::ShapeTables(std::vector<std::shared_ptr<const Shape>> of) : shapes(std::move(of)) {
  for (const auto& s : shapes) hot.emplace_back(s->body), kinds.push_back(s->kind);
  if (std::find(kinds.begin(), kinds.end(), ShapeKind::clump) == kinds.end()) return;
  std::vector<std::shared_ptr<const Shape>> all;
  for (const auto& s : shapes) {
    first_part.push_back(static_cast<std::uint32_t>(all.size()));
    if (s->kind != ShapeKind::clump) all.push_back(s);
    for (const Shape::Part& part : s->parts) all.push_back(part.shape);
  }
  parts = std::make_shared<const ShapeTables>(std::move(all));
}

}  // namespace scree::narrow

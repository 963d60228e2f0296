#include "narrow/bodies.h"

#include <algorithm>
#include <cmath>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/bodies.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// out = m (scale v) for padded columns of n entries; every product and sum rounded on its own, so that the bits do
/// not depend on the vector width.
void Turn(const double* in, const Mat3& m, double scale, std::size_t n, double* out) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto s = hn::Set(d, scale);
  for (std::size_t i = 0; i < n; i += lanes) {
    const auto x = hn::Mul(s, hn::LoadU(d, in + i));
    const auto y = hn::Mul(s, hn::LoadU(d, in + n + i));
    const auto z = hn::Mul(s, hn::LoadU(d, in + 2 * n + i));
    for (std::size_t r = 0; r < 3; ++r) {
      const auto xy = hn::Add(hn::Mul(hn::Set(d, m.row[r].x), x), hn::Mul(hn::Set(d, m.row[r].y), y));
      hn::StoreU(hn::Add(xy, hn::Mul(hn::Set(d, m.row[r].z), z)), d, out + r * n + i);
    }
  }
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(Turn);

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

Bodies::Bodies() = default;
Bodies::Bodies(Bodies&&) noexcept = default;
Bodies::Bodies(const Bodies& o)
    : hot_(o.hot_),
      kinds_(o.kinds_),
      outlines_(o.outlines_),
      mix_(o.mix_),
      start_(o.start_),
      shape_(o.shape_),
      views_(o.views_),
      columns_(o.columns_),
      planar_(o.planar_),
      parts_(o.parts_ ? std::make_unique<Parts>(*o.parts_) : nullptr) {
  point_views();
}
Bodies& Bodies::operator=(const Bodies& o) {
  if (this != &o) *this = Bodies(o);
  return *this;
}
Bodies& Bodies::operator=(Bodies&&) noexcept = default;
Bodies::~Bodies() = default;

/// Into this object's own columns and shapes.
void Bodies::point_views() {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const HotShape& s = hot_[shape_[i]];
    BodyView& v = views_[i];
    v.shape = &s;
    if (s.padded == 0) continue;
    v.x = columns_.data() + start_[i], v.y = v.x + s.padded, v.z = v.y + s.padded;
  }
}

void Bodies::set_shapes(const std::vector<std::shared_ptr<const Shape>>& shapes) {
  hot_.clear(), kinds_.clear(), outlines_.clear(), parts_.reset();
  views_.clear(), shape_.clear(), start_.clear();  // until lay_out
  for (const auto& s : shapes) hot_.emplace_back(s->body), kinds_.push_back(s->kind), outlines_.push_back(&s->outline);
  if (std::find(kinds_.begin(), kinds_.end(), ShapeKind::clump) == kinds_.end()) return;
  parts_ = std::make_unique<Parts>();
  parts_->wholes = shapes;
  std::vector<std::shared_ptr<const Shape>> all;
  for (const auto& s : shapes) {
    parts_->first_shape.push_back(static_cast<std::uint32_t>(all.size()));
    if (s->kind != ShapeKind::clump) all.push_back(s);
    for (const Shape::Part& part : s->parts) all.push_back(part.shape);
  }
  parts_->bodies.set_shapes(all);
}

void Bodies::lay_out_parts(const Particles& p) {
  Parts& parts = *parts_;
  parts.start.assign(1, 0);
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    const Shape& whole = *parts.wholes[p.shape[i]];
    parts.start.push_back(parts.start.back() +
                          static_cast<std::uint32_t>(std::max<std::size_t>(1, whole.parts.size())));
  }
  Particles& r = parts.rows;
  r.domain = p.domain;
  const std::size_t n = parts.start.back();
  r.id.resize(n), r.shape.resize(n), r.size.resize(n), r.radius.resize(n), r.position.resize(n), r.velocity.resize(n);
  r.orientation.resize(n), r.travel.resize(n), parts.arm.resize(n);
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    const Shape& whole = *parts.wholes[p.shape[i]];
    const std::uint32_t first = parts.start[i], shape = parts.first_shape[p.shape[i]];
    r.shape[first] = shape, r.size[first] = p.size[i], r.radius[first] = p.radius[i];
    for (std::uint32_t k = 0; k < whole.parts.size(); ++k) {
      const Shape::Part& part = whole.parts[k];
      const double size = p.size[i] * part.size;
      r.shape[first + k] = shape + k, r.size[first + k] = size;
      r.radius[first + k] = size * part.shape->outer_radius();
    }
  }
  parts.bodies.lay_out(r);
}

void Bodies::pose_parts(const Particles& p, std::size_t i) {
  Parts& parts = *parts_;
  const std::vector<Shape::Part>& of_shape = parts.wholes[p.shape[i]]->parts;
  for (std::uint32_t r = parts.start[i]; r < parts.start[i + 1]; ++r) {
    const Vec3 centre = of_shape.empty() ? Vec3{} : of_shape[r - parts.start[i]].centre;
    parts.arm[r] = views_[i].rotation * (views_[i].size * centre);
    parts.rows.position[r] = p.position[i] + parts.arm[r];
    parts.rows.velocity[r] = p.velocity[i], parts.rows.orientation[r] = p.orientation[i];
    parts.bodies.pose(parts.rows, r);
  }
}

void Bodies::lay_out(const Particles& p) {
  const std::size_t n = p.size_rows();
  start_.resize(n), shape_ = p.shape, views_.resize(n);
  std::size_t at = 0, at_planar = 0, round = 0, polyhedra = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const ShapeKind kind = kinds_[p.shape[i]];
    round += is_round(kind) ? 1 : 0, polyhedra += kind == ShapeKind::polyhedron ? 1 : 0;
    start_[i] = kind == ShapeKind::polygon ? at_planar : at;
    views_[i].size = p.size[i], views_[i].radius = p.radius[i];
    at += 3 * hot_[p.shape[i]].padded, at_planar += 2 * outlines_[p.shape[i]]->size();
  }
  columns_.resize(at), planar_.resize(at_planar);
  point_views();
  mix_ = polyhedra == n ? BodyMix::polyhedra : (round == n ? BodyMix::round : BodyMix::mixed);
  if (parts_) lay_out_parts(p);
}

void Bodies::pose_polygon(std::size_t i) {
  const ConvexPolygon& p = *outlines_[shape_[i]];
  // The plane's rotation: the orientation turns about z alone.
  const BodyView& view = views_[i];
  const double c = view.rotation.row[0].x, s = view.rotation.row[1].x;
  Vec2* out = planar_.data() + start_[i];
  for (const Vec2 v : p.vertices) *out++ = turned(view.size * v, c, s);
  for (const Vec2 n : p.edge_normals) *out++ = turned(n, c, s);
}

void Bodies::pose(const Particles& p, std::size_t i) {
  const HotShape& s = hot_[shape_[i]];
  BodyView& view = views_[i];
  view.rotation = rotation_matrix(p.orientation[i]);
  if (kinds_[shape_[i]] == ShapeKind::polygon) return pose_polygon(i);
  if (parts_) pose_parts(p, i);
  if (s.padded == 0) return;
  HWY_DYNAMIC_DISPATCH(Turn)(s.columns.data(), view.rotation, view.size, s.padded, columns_.data() + start_[i]);
}

std::size_t Bodies::bytes() const {
  return start_.capacity() * sizeof(std::size_t) + shape_.capacity() * sizeof(std::uint32_t) +
         columns_.capacity() * sizeof(double) + planar_.capacity() * sizeof(Vec2) +
         views_.capacity() * sizeof(BodyView) +
         (parts_ ? parts_->rows.bytes() + parts_->bodies.bytes() + parts_->arm.capacity() * sizeof(Vec3) : 0);
}

}  // namespace scree::narrow
#endif

#include "narrow/bodies.h"

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
      face_vertices(p.face_normals.size(), VertexMask{}) {
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
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    for (const std::uint16_t v : {p.edges[e].v0, p.edges[e].v1})
      vertex_edges[v][e / 64] |= std::uint64_t{1} << (e % 64);
  }
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    for (const std::uint16_t v : p.loop(f)) {
      vertex_faces[v][f / 64] |= std::uint64_t{1} << (f % 64);
      face_vertices[f][v / 64] |= std::uint64_t{1} << (v % 64);
    }
  }
}

void Bodies::set_shapes(const std::vector<std::shared_ptr<const Shape>>& shapes) {
  hot_.clear();
  for (const auto& s : shapes) hot_.emplace_back(s->body);
}

void Bodies::lay_out(const Particles& p) {
  const std::size_t n = p.size_rows();
  start_.resize(n), shape_ = p.shape, size_ = p.size, radius_ = p.radius, rotation_.resize(n);
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    start_[i] = at;
    at += 3 * hot_[p.shape[i]].padded;
  }
  columns_.resize(at);
}

void Bodies::pose(const Particles& p, std::size_t i) {
  const HotShape& s = hot_[shape_[i]];
  rotation_[i] = rotation_matrix(p.orientation[i]);
  HWY_DYNAMIC_DISPATCH(Turn)(s.columns.data(), rotation_[i], size_[i], s.padded, columns_.data() + start_[i]);
}

std::size_t Bodies::bytes() const {
  return start_.capacity() * sizeof(std::size_t) + shape_.capacity() * sizeof(std::uint32_t) +
         (size_.capacity() + radius_.capacity() + columns_.capacity()) * sizeof(double) +
         rotation_.capacity() * sizeof(Mat3);
}

}  // namespace scree::narrow
#endif

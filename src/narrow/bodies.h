#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "narrow/planar_view.h"
#include "narrow/shape_tables.h"
#include "particles/particles.h"

namespace scree::narrow {

/// One posed body: vertices turned and scaled, relative to its centroid, so that no digits are lost far from the
/// origin.
struct alignas(64) BodyView {
  const double* x;
  const double* y;
  const double* z;
  const HotShape* shape;
  Mat3 rotation;  ///< body -> space
  double size;
  double radius;

  Vec3 vertex(std::size_t i) const { return {x[i], y[i], z[i]}; }
  Vec3 face_normal(std::size_t f) const { return rotation * shape->body->face_normals[f]; }
  double face_offset(std::size_t f) const { return size * shape->body->face_offsets[f]; }
  Vec3 edge(std::size_t e) const {
    const auto& edge = shape->body->edges[e];
    return vertex(edge.v1) - vertex(edge.v0);
  }
};

/// Which kinds of bodies there are: a run of one kind has one loop, and pays for no other.
enum class BodyMix : std::uint8_t { polyhedra, round, mixed };

struct Parts;

/// Posed vertices of all particles; refreshed once per step.
class Bodies {
 public:
  Bodies();
  Bodies(const Bodies& o);
  Bodies(Bodies&&) noexcept;
  Bodies& operator=(const Bodies& o);
  Bodies& operator=(Bodies&&) noexcept;
  ~Bodies();

  void set_shapes(std::shared_ptr<const ShapeTables> shapes);
  /// The same with tables of these bodies' own.
  void set_shapes(const std::vector<std::shared_ptr<const Shape>>& shapes) {
    set_shapes(std::make_shared<const ShapeTables>(shapes));
  }
  /// Lays out the columns for these particles; call when rows or shapes have changed.
  void lay_out(const Particles& p);
  /// Poses row i, whose travel is that of its new pose; different rows may be posed in parallel.
  void pose(const Particles& p, std::size_t i);
  /// Of row i, which is no sphere, body -> space, as last posed.
  const Mat3& rotation(std::size_t i) const { return views_[i].rotation; }

  BodyMix mix() const { return mix_; }
  ShapeKind kind(std::size_t i) const { return shapes_->kinds[shape_[i]]; }
  /// nullptr: no shape is a clump.
  const Parts* parts() const { return parts_.get(); }

  /// Of a polyhedron.
  const BodyView& view(std::size_t i) const { return views_[i]; }
  const BodyView* views() const { return views_.data(); }
  /// Asks for what view(i) is made of, and for its vertices, before they are needed: rows of a large bed are far apart.
  void prefetch_view(std::size_t i) const {
    const char* const v = reinterpret_cast<const char*>(&views_[i]);
    __builtin_prefetch(v), __builtin_prefetch(v + 64);
  }
  void prefetch_vertices(std::size_t i) const {
    const BodyView& v = views_[i];
    for (std::size_t k = 0; k < v.shape->padded; k += 8)
      __builtin_prefetch(v.x + k), __builtin_prefetch(v.y + k), __builtin_prefetch(v.z + k);
  }
  /// Of a polygon.
  PlanarView planar_view(std::size_t i) const {
    const std::size_t n = shapes_->shapes[shape_[i]]->outline.size();
    const std::span<const Vec2> own = std::span(planar_).subspan(start_[i], 2 * n);
    return {own.first(n), own.last(n), views_[i].radius};
  }
  std::size_t bytes() const;

 private:
  void point_views();
  void pose_polygon(std::size_t i);
  void lay_out_parts(const Particles& p);
  void pose_parts(const Particles& p, std::size_t i);

  std::shared_ptr<const ShapeTables> shapes_;
  BodyMix mix_ = BodyMix::polyhedra;
  bool has_views_ = true;           ///< false: all are spheres, and none is a clump
  std::vector<std::size_t> start_;  ///< of a row's vertices in columns_, of a polygon's in planar_
  std::vector<std::uint32_t> shape_;
  AlignedVector<BodyView> views_;
  AlignedVector<double> columns_;
  std::vector<Vec2> planar_;  ///< corners, then normals of each polygon
  std::unique_ptr<Parts> parts_;
};

/// Where there are clumps: all rows' convex parts, as rows of their own. A row that is no clump is its only part.
struct Parts {
  /// position, velocity (that of the whole's centroid), spin, orientation, size, radius; and the whole's travel
  Particles rows;
  Bodies bodies;
  std::vector<std::uint32_t> start;  ///< of each row of particles, and the end
  std::vector<Vec3> arm;             ///< m, from the centroid of the whole
};

}  // namespace scree::narrow

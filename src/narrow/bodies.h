#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "geometry/polyhedron.h"
#include "narrow/planar_view.h"
#include "particles/particles.h"

namespace scree::narrow {

/// Vertex columns are padded to a multiple of this, so that every vector width divides them.
inline constexpr std::size_t kPad = 8;

using VertexMask = std::array<std::uint64_t, 2>;  ///< one bit per vertex, kMaxVertices
using FaceMask = std::array<std::uint64_t, 4>;    ///< one bit per face, kMaxFaces
using EdgeMask = std::array<std::uint64_t, 6>;    ///< one bit per edge, at most 3 kMaxVertices - 6

/// Columns of HotShape::edges, body frame: unit direction e from v0 to v1; outward normals of the left and right face;
/// e x left and right x e, which bound the arc of normals that the edge supports.
enum EdgeColumn : std::size_t {
  kDirection = 0,
  kLeft = 3,
  kRight = 6,
  kFromLeft = 9,
  kToRight = 12,
  kEdgeColumns = 15
};

/// A box about its centroid with its faces across the axes of its frame.
struct BoxFrame {
  std::array<double, 6> half{};                        ///< half sizes along x, y, z, and again; size 1
  std::array<std::array<std::uint16_t, 2>, 3> face{};  ///< across each axis: on its positive, its negative side
  /// At the vertex in each octant, along each axis; bit k of the octant: on the positive side along axis k.
  std::array<std::array<std::uint16_t, 3>, 8> edge{};
};
/// Of a polyhedron that is such a box to rounding; nothing for any other.
std::optional<BoxFrame> box_frame(const Polyhedron& p);

/// A face and what surrounds it, for contacts face on face: by corner, in the frame of the face - u, v in its plane, z
/// along its outward normal, origin at the body's centroid; size 1.
struct FaceRim {
  static constexpr std::size_t kMax = 8;
  enum Column : std::size_t {
    kU,
    kV,
    kRise,             ///< the edge at the corner that leaves the face, to its far end
    kSide = kRise + 3  ///< face across the edge from this corner to the next: outward normal, offset
  };
  static constexpr std::size_t kColumns = kSide + 4;
  std::uint32_t corners = 0;                  ///< 0: too many, or a corner where more than three edges meet
  Vec3 u_axis;                                ///< in the frame of the body
  alignas(64) double corner[kMax][kColumns];  ///< behind the last: corner 0 again
};

/// The corners of a face as a loop, counter-clockwise from outside. Columns by corner; after the last come the first
/// ones again, so that the corner after each can be read by lanes too.
struct FaceLoop {
  static constexpr std::size_t kMax = 8, kColumn = 2 * kMax;
  std::uint32_t corners = 0;  ///< 0: too many
  double width = 0;  ///< least of the edges and of the corners' heights over the line between their neighbours; size 1
  alignas(64) double x[kColumn], y[kColumn], z[kColumn];  ///< body frame; size 1
  alignas(64) double corner[kColumn];                     ///< the vertex's number
  alignas(64) double edge[kColumn];                       ///< edge_key() of the edge to the next corner
  /// The faces across the edges, which are what bounds the face in its plane: outward normal, offset; padding repeats
  /// the first.
  alignas(64) double across[4][kMax];
};
/// An edge and its two faces, in the frame of the body; size 1.
struct CutEdge {
  static constexpr std::size_t kNumbers = 12;  ///< one behind the other
  double v0[3], along[3];                      ///< a point of it, and from there to its other end
  double left[3], right[3];                    ///< outward normals of its faces
};
static_assert(sizeof(CutEdge) == CutEdge::kNumbers * sizeof(double));
/// Names an edge by its two vertices.
constexpr std::uint32_t edge_key(std::uint32_t v, std::uint32_t w) { return v < w ? v << 7 | w : w << 7 | v; }

/// A shape as the contact code reads it.
struct HotShape {
  explicit HotShape(const Polyhedron& p);  ///< an empty one has no vertices: round and planar shapes
  const Polyhedron* body;
  std::uint32_t vertices, padded;
  AlignedVector<double> columns;  ///< x | y | z of `padded` entries each, size 1; the padding repeats vertex 0
  std::uint32_t faces, padded_faces;
  AlignedVector<double>
      planes;  ///< normal x | y | z | offset of `padded_faces` entries each, size 1; padding repeats face 0
  std::uint32_t padded_edges;
  AlignedVector<double> edges;            ///< EdgeColumn-many columns of `padded_edges` entries; padding repeats edge 0
  std::vector<CutEdge> cut_edges;         ///< by edge
  std::vector<EdgeMask> vertex_edges;     ///< edges at each vertex
  std::vector<FaceMask> vertex_faces;     ///< faces at each vertex
  std::vector<VertexMask> face_vertices;  ///< vertices of each face
  std::optional<BoxFrame> box;            ///< where the shape is one
  std::vector<std::uint16_t> fan_start;   ///< vertices + 1, into fans
  std::vector<std::uint16_t> fans;        ///< the other ends of the edges at each vertex, see fan()
  std::vector<FaceRim> rims;              ///< by face
  std::vector<FaceLoop> loops;            ///< by face
  std::vector<double> vertex_share;       ///< see vertex_shares()

  /// The other ends of the edges at a vertex, counter-clockwise seen from outside.
  std::span<const std::uint16_t> fan(std::size_t vertex) const {
    return std::span(fans).subspan(fan_start[vertex],
                                   static_cast<std::size_t>(fan_start[vertex + 1] - fan_start[vertex]));
  }
};

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

  void set_shapes(const std::vector<std::shared_ptr<const Shape>>& shapes);
  /// Lays out the columns for these particles; call when rows or shapes have changed.
  void lay_out(const Particles& p);
  /// Poses row i; different rows may be posed in parallel.
  void pose(const Particles& p, std::size_t i);
  /// Of row i, body -> space, as last posed.
  const Mat3& rotation(std::size_t i) const { return views_[i].rotation; }

  BodyMix mix() const { return mix_; }
  ShapeKind kind(std::size_t i) const { return kinds_[shape_[i]]; }
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
    const std::size_t n = outlines_[shape_[i]]->size();
    const std::span<const Vec2> own = std::span(planar_).subspan(start_[i], 2 * n);
    return {own.first(n), own.last(n), views_[i].radius};
  }
  std::size_t bytes() const;

 private:
  void point_views();
  void pose_polygon(std::size_t i);
  void lay_out_parts(const Particles& p);
  void pose_parts(const Particles& p, std::size_t i);

  std::vector<HotShape> hot_;
  std::vector<ShapeKind> kinds_;                ///< by shape
  std::vector<const ConvexPolygon*> outlines_;  ///< by shape
  BodyMix mix_ = BodyMix::polyhedra;
  std::vector<std::size_t> start_;  ///< of a row's vertices in columns_, of a polygon's in planar_
  std::vector<std::uint32_t> shape_;
  AlignedVector<BodyView> views_;
  AlignedVector<double> columns_;
  std::vector<Vec2> planar_;  ///< corners, then normals of each polygon
  std::unique_ptr<Parts> parts_;
};

/// Where there are clumps: all rows' convex parts, as rows of their own. A row that is no clump is its only part.
struct Parts {
  Particles rows;  ///< position, velocity (that of the whole's centroid), orientation, size, radius; `travel` stays 0
  Bodies bodies;
  std::vector<std::uint32_t> start;  ///< of each row of particles, and the end
  std::vector<Vec3> arm;             ///< m, from the centroid of the whole
  std::vector<std::shared_ptr<const Shape>> wholes;
  std::vector<std::uint32_t> first_shape;  ///< by shape of particles, of its parts' shapes
};

}  // namespace scree::narrow

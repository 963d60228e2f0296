#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "geometry/polyhedron.h"

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

/// All shapes of a run as the contact code reads them. Made once, never changed: bodies share it.
struct ShapeTables {
  explicit ShapeTables(std::vector<std::shared_ptr<const Shape>> of);

  std::vector<std::shared_ptr<const Shape>> shapes;
  std::vector<HotShape> hot;
  std::vector<ShapeKind> kinds;
  std::shared_ptr<const ShapeTables> parts;  ///< of the convex parts of all shapes; nullptr: no shape is a clump
  std::vector<std::uint32_t> first_part;     ///< by shape, among these: a shape that is no clump is its only part
};

}  // namespace scree::narrow

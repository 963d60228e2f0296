#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/vec.h"
#include "geometry/polygon.h"

namespace scree {

/// Limits of one convex polyhedron; they size the stack buffers of the contact code.
inline constexpr std::size_t kMaxVertices = 128;
inline constexpr std::size_t kMaxFaces = 252;  ///< 2 kMaxVertices - 4, Euler's bound
inline constexpr std::size_t kMaxFaceVertices = 64;

/// Convex polyhedron in its own frame (lengths in the unit of its coordinates).
/// Invariants: strictly convex hull of its vertices (every vertex is a corner), coplanar facets merged into one face,
/// face loops counter-clockwise seen from outside, edges == vertices + faces - 2, every edge has two faces.
struct Polyhedron {
  struct Edge {
    std::uint16_t v0, v1;       ///< the left face's loop runs v0 -> v1, the right face's v1 -> v0
    std::uint16_t left, right;  ///< faces
  };
  std::vector<Vec3> vertices;                    ///< nv
  std::vector<Vec3> face_normals;                ///< nf, unit, outward
  std::vector<double> face_offsets;              ///< nf, n.x == offset on the face
  std::vector<std::uint16_t> face_start;         ///< nf + 1, into face_vertices
  std::vector<std::uint16_t> face_vertices;      ///< loops
  std::vector<Edge> edges;                       ///< ne
  std::vector<std::uint16_t> vertex_edge_start;  ///< nv + 1, into vertex_edges
  std::vector<std::uint16_t> vertex_edges;       ///< edges at each vertex, ascending
  std::vector<std::uint16_t> vertex_face_start;  ///< nv + 1, into vertex_faces
  std::vector<std::uint16_t> vertex_faces;       ///< faces at each vertex, ascending
  double inner_radius = 0;  ///< largest sphere about the origin that fits inside (<= 0: origin not inside)
  double outer_radius = 0;  ///< smallest sphere about the origin that holds every vertex

  std::span<const std::uint16_t> loop(std::size_t face) const {
    return std::span(face_vertices)
        .subspan(face_start[face], static_cast<std::size_t>(face_start[face + 1] - face_start[face]));
  }
};

/// Of each vertex its part of a face, as a mean over its faces: half of the two triangles that it spans with its
/// neighbours and the face's centre, over the whole. Of a cube 1/4 each.
std::vector<double> vertex_shares(const Polyhedron& p);

/// Volume, centroid and inertia tensor about the centroid, at density 1.
struct MassProperties {
  double volume = 0;
  Vec3 centroid;
  Mat3 inertia;
};

/// Relative to the longest side of the bounding box: facets within it are one face, points within it one corner.
/// Wide enough for coordinates stored as floats or printed with seven digits.
inline constexpr double kCoplanarTolerance = 1e-6;

/// Convex hull of points (Qhull), with facets coplanar within `tolerance` merged and points that are no corner dropped.
/// Corners keep the order of the input; those of faces with four or more corners are moved (by less than the tolerance)
/// until the faces are plane to rounding. No point lies outside by more than a few tolerances. Errors: fewer than 4
/// points, flat, not finite, over the limits above.
Result<Polyhedron> convex_hull(std::span<const Vec3> points, double tolerance = kCoplanarTolerance);

/// Polyhedron from its corners and face loops (counter-clockwise from outside): edges, adjacency, planes and radii.
/// Errors: the first invariant of Polyhedron that is broken.
Result<Polyhedron> assemble(std::vector<Vec3> vertices, const std::vector<std::vector<std::uint16_t>>& loops);

/// Checks every invariant of Polyhedron, the derived columns included. The error names the first one broken.
Status validate(const Polyhedron& p);

/// Closed forms over the tetrahedra (reference corner, face fan) (Zhao et al. 2006, Appendix A, in the simpler form
/// int x_a x_b = sum det/120 (S_a S_b + sum p_a p_b)); evaluated relative to a corner, so that position costs no
/// digits.
MassProperties mass_properties(const Polyhedron& p);

/// What a prototype is. Discs and polygons live in the plane z = 0 of two-dimensional simulations only.
enum class ShapeKind : std::uint8_t { polyhedron, sphere, disc, polygon, clump };
inline constexpr bool is_planar(ShapeKind k) { return k == ShapeKind::disc || k == ShapeKind::polygon; }
inline constexpr bool is_round(ShapeKind k) { return k == ShapeKind::sphere || k == ShapeKind::disc; }

/// A prototype of the particle library: in the body frame, with the centroid at the origin and the principal axes of
/// inertia along x, y, z. A particle of size s (m) has the coordinates multiplied by s; spheres and discs have the
/// diameter 1.
struct Shape {
  std::string name;
  std::string description;
  ShapeKind kind = ShapeKind::polyhedron;
  Polyhedron body;        ///< of a polyhedron; else empty
  ConvexPolygon outline;  ///< of a polygon; else empty
  /// A rigidly held convex piece, unturned in the frame of the whole, at size 1.
  struct Part {
    Vec3 centre;                         ///< of the sphere; of a polyhedron its centroid
    double size = 1;                     ///< a sphere's diameter; 1 for polyhedra
    std::shared_ptr<const Shape> shape;  ///< sphere or polyhedron about its own centroid
  };
  std::vector<Part> parts;  ///< of a clump; else empty
  double volume = 0;        ///< at size 1; planar: area
  Vec3 inertia;  ///< principal moments at size 1 and density 1, ascending; planar: second moments of area about
                 ///< x and y, and their sum, the polar one

  /// About the centroid, at size 1.
  double outer_radius() const;
  /// Of a clump the smallest among its parts, each about its own centre.
  double inner_radius() const;
  /// What an overlap is compared with, at size 1: 1; of a clump the diameter of the sphere of its smallest part's
  /// volume.
  double overlap_length() const;
  /// Of a particle of that size (m), density (kg/m^3) and thickness (m, planar shapes only): kg, kg m^2.
  double mass(double size, double density, double thickness) const;
  Vec3 moments(double size, double density, double thickness) const;
};

/// Shape from a polyhedron in any frame: moves the centroid to the origin and turns it into its principal frame
/// (Eigen's symmetric eigensolver; axes are chosen deterministically, also for equal moments, as close to the drawn
/// axes as they can be).
Result<Shape> make_shape(std::string name, const Polyhedron& drawn, std::string description = {});

/// Diameter 1: volume pi/6, moments m d^2/10.
Shape make_sphere(std::string name, std::string description = {});
/// Diameter 1: area pi/4, polar moment m d^2/8, that of a cylinder about its axis.
Shape make_disc(std::string name, std::string description = {});
/// The outline's centroid moves to the origin; its axes stay as they are drawn.
Shape make_prism(std::string name, const ConvexPolygon& outline, std::string description = {});

}  // namespace scree

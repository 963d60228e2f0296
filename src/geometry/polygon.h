#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/vec2.h"

namespace scree {

/// Limit of one convex polygon; it sizes the stack buffers of the contact code.
inline constexpr std::size_t kMaxPolygonVertices = 64;

/// Convex polygon in its own frame (lengths in the unit of its coordinates).
/// Invariants: vertices counter-clockwise; every vertex is a corner that stands out of the line through its neighbours
/// by more than kCollinearTolerance; edge i runs from vertex i to vertex i + 1 (the last to vertex 0).
struct ConvexPolygon {
  std::vector<Vec2> vertices;        ///< n
  std::vector<Vec2> edge_normals;    ///< n, unit, outward
  std::vector<double> edge_offsets;  ///< n, normal.x == offset on the edge
  double outer_radius = 0;           ///< smallest circle about the origin that holds every vertex

  std::size_t size() const { return vertices.size(); }
};

/// Relative to the longest side of the bounding box.
inline constexpr double kCollinearTolerance = 1e-9;

/// Convex polygon from its corners in counter-clockwise order. Errors: fewer than 3 or more than kMaxPolygonVertices
/// corners, not finite, an extent outside 1e-60 to 1e60, two corners in one place, collinear corners, clockwise,
/// self-intersecting, not convex; the message names the corners, counted from 0.
Result<ConvexPolygon> make_polygon(std::span<const Vec2> vertices);

/// Checks every invariant of ConvexPolygon, the derived columns included. The error names the first one broken.
Status validate(const ConvexPolygon& p);

/// Area, centroid, and second moments of area about the centroid: xx = int x^2 dA, ...; their sum xx + yy is the polar
/// one.
struct AreaProperties {
  double area = 0;
  Vec2 centroid;
  double xx = 0, yy = 0, xy = 0;
};

/// Closed forms over the fan of triangles at vertex 0 (the plane case of int x_a x_b = sum det/24 (S_a S_b + sum p_a
/// p_b)), relative to that vertex, so that position costs no digits.
AreaProperties area_properties(const ConvexPolygon& p);

/// The same polygon with its centroid at the origin, as src/narrow/planar.h expects it.
ConvexPolygon centred(const ConvexPolygon& p);

}  // namespace scree

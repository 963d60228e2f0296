#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/vec.h"
#include "geometry/polyhedron.h"

namespace scree {

/// Triangles over shared corners, as a drawing program leaves them: nothing is promised.
struct Surface {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Longest side of the bounding box; 0: no vertices.
double extent(const Surface& s);

/// What `repair` did.
struct Repairs {
  std::size_t degenerate = 0;  ///< triangles dropped: two corners in one place
  std::size_t duplicates = 0;  ///< triangles dropped: drawn twice
  std::size_t turned = 0;      ///< triangles turned: they ran against their neighbours
  bool inside_out = false;     ///< all turned: the volume was negative
};

/// Corners within `tolerance` (relative to the extent) become one, degenerate and duplicate triangles go, and triangles
/// are turned so that neighbours agree, and pieces as `turn` says. Corners that no triangle uses go too.
enum class Turn {
  outward,       ///< every piece to a positive volume
  as_neighbours  ///< every piece to how most of its triangles run
};
Repairs repair(Surface& s, double tolerance = kCoplanarTolerance, Turn turn = Turn::outward);

/// What keeps a repaired surface from being the skin of one solid.
struct Defects {
  std::size_t open_edges = 0;      ///< with one triangle
  std::array<Vec3, 2> open_edge;   ///< the first of them
  std::size_t branched_edges = 0;  ///< with more than two triangles
  std::size_t pieces = 0;          ///< connected over edges
  bool orientable = true;
  double volume = 0;  ///< signed; meaningful for closed surfaces
};
Defects find_defects(const Surface& s);

/// Pairs of triangles that cut through each other; touching and sharing corners do not count.
struct Crossings {
  std::size_t count = 0;
  Vec3 at;               ///< about where the first is
  bool complete = true;  ///< false: given up after too many pairs, `count` is a lower bound
};
Crossings find_crossings(const Surface& s);

/// Largest distance of the surface (corners, middles of edges and triangles) from the boundary of its convex hull,
/// inwards.
double deepest_dent(const Surface& s, const Polyhedron& hull);

}  // namespace scree

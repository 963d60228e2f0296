#pragma once
#include <vector>

#include "base/result.h"
#include "geometry/surface.h"

namespace scree {

struct DecomposeOptions {
  double tolerance = 0.02;  ///< dents this deep, of the longest side, stay, and together this much volume, of the whole
  std::size_t most = 50;    ///< parts
};

/// A solid as convex parts, in the frame of the surface.
struct Decomposition {
  std::vector<Polyhedron> parts;
  MassProperties whole;      ///< of the solid within the surface, exact
  double parts_volume = 0;   ///< of the parts one by one
  double shared_volume = 0;  ///< of the parts two by two: hulls bulge into each other where both are dented
  double deepest_dent = 0;   ///< left in a part, of the longest side
  bool complete = true;      ///< false: `most` was reached before the tolerance
};

/// Approximate convex decomposition of the solid within a repaired surface (`repair` with Turn::as_neighbours): the
/// part that is farthest from its hull is cut by the plane through one of its concave edges (along either face, or
/// between them) that leaves least, and so on. The parts are the hulls of the pieces, with at most 100 corners; where
/// nothing is left out they share faces. Deterministic. Errors: open, branched, one-sided, inside out, in separate
/// pieces, crossing itself, flat, or with more than kMaxDecomposed triangles.
Result<Decomposition> decompose(const Surface& surface, const DecomposeOptions& options = {});

/// The refusals of `decompose` but for those of size, with places in the frame of the surface.
Status check_solid(const Surface& surface);

inline constexpr std::size_t kMaxDecomposed = 20'000;

}  // namespace scree

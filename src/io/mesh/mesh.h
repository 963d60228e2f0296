#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/decompose.h"
#include "geometry/polyhedron.h"
#include "geometry/surface.h"
#include "geometry/thinned_hull.h"

namespace scree::io {

/// Limits of one mesh file.
inline constexpr std::size_t kMaxMeshBytes = std::size_t{256} << 20;
inline constexpr std::size_t kMaxTriangles = 1'000'000;

/// Triangles of an STL, OBJ or PLY file (as floats; binary STL apart, through Assimp) or of an OFF file (read_off),
/// polygons cut into triangles, in the file's unit and as drawn: not welded, not checked. Errors: not there, another
/// format, empty, cut short, garbage, not finite, an extent outside 1e-50 to 1e50, over the limits.
Result<Surface> read_mesh(const std::filesystem::path& file);

/// What thinning a hull out may change by default: of volume and inertia, and of the longest side.
inline constexpr double kThinnedWithin = 0.01;

struct ImportOptions {
  bool take_hull = false;  ///< open, dented or crossing surfaces: take their convex hull
  std::optional<double>
      scale;  ///< size 1 is the drawing times this; else size 1 has 1 as the longest side of its bounding box
  bool names_ways = false;             ///< refusals name --hull and --decompose: for the command that has them
  std::size_t corners = kMaxVertices;  ///< most that may be left; a hull with more is thinned out
  double tolerance = kThinnedWithin;   ///< of each error that thinning may make (geometry/thinned_hull.h)
};

struct ImportedShape {
  Polyhedron body;                 ///< about the middle of its bounding box
  double drawn_size = 0;           ///< longest side of the drawing, in the file's unit
  std::vector<std::string> notes;  ///< what was repaired, one sentence each
};

/// Convex polyhedron of a surface. Welds, turns what is inside out, takes the hull of what is convex within kMaxDent,
/// thins out one of too many corners, and says so in the notes. Errors: every reason why it is no convex solid, with a
/// measure and a place; that so few corners cannot keep the tolerance.
Result<ImportedShape> shape_of(Surface surface, const ImportOptions& options = {});

/// Dents up to this share of the size are repaired by taking the hull; deeper ones are refused.
inline constexpr double kMaxDent = 0.01;

Result<ImportedShape> import_shape(const std::filesystem::path& file, const ImportOptions& options = {});

struct ImportedClump {
  Decomposition solid;             ///< about the middle of its bounding box
  double drawn_size = 0;           ///< longest side of the drawing, in the file's unit
  std::vector<std::string> notes;  ///< what was repaired, one sentence each
};

/// Convex parts of the closed solid that a file draws (see decompose). The hull option does not apply.
Result<ImportedClump> import_clump(const std::filesystem::path& file, const ImportOptions& options,
                                   const DecomposeOptions& how);

}  // namespace scree::io

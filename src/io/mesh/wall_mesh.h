#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "boundary/motion.h"
#include "geometry/facet_mesh.h"

namespace scree::io {

struct WallMesh {
  std::shared_ptr<const FacetMesh> facets;
  std::vector<std::string> remarks;  ///< what may not be meant, with place and remedy, one sentence each
  std::size_t drawn_triangles = 0;   ///< with an area, in the file
};
/// The triangles of a mesh file as a wall. `scale`: metres per unit of the file. `front_only`: whether it matters which
/// way triangles run. `simplify`: by fewer triangles, that far (m) from corners of the drawing (see thinned_surface).
/// Errors: those of read_mesh; nothing left with an area; too large or too small for the scale.
Result<WallMesh> read_wall_mesh(const std::filesystem::path& file, double scale, bool front_only,
                                std::optional<double> simplify = {});

/// A motion's table: lines "time, x, y, z" or "time, x, y, z, angle" in s, m, rad; commas, blanks or tabs between; '#'
/// starts a comment, one line of names may stand first. Shifts and angles are made relative to the first row. Errors
/// name the line: text, a number that is not finite, another number of columns, times that do not rise.
Result<std::vector<boundary::Motion::Row>> read_path(const std::filesystem::path& file);
/// The same from memory; `name` is what the messages call it.
Result<std::vector<boundary::Motion::Row>> motion_rows(std::string_view text, const std::string& name);

}  // namespace scree::io

#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/polyhedron.h"

namespace scree::io {

/// The particle library: data files NAME.yaml, looked for in this order: folders of $SCREE_SHAPES (':'-separated), the user's
/// own ($XDG_DATA_HOME/scree/shapes, else ~/.local/share/scree/shapes), the installed or source tree's shapes/, and last the copy built into
/// the binary.
struct LibraryEntry {
  std::string name;
  std::string description;
  std::string origin;  ///< path of the file, or "built in"
};
std::vector<LibraryEntry> list_shapes();

/// The prototype of that name. Errors name the folders searched and the nearest name.
Result<std::shared_ptr<const Shape>> load_shape(const std::string& name);

}  // namespace scree::io

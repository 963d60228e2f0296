#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "geometry/clump.h"
#include "geometry/polyhedron.h"

namespace scree::io {

/// The particle library: data files NAME.yaml, looked for in this order: folders of $SCREE_SHAPES (':'-separated), the
/// user's own ($XDG_DATA_HOME/scree/shapes, else ~/.local/share/scree/shapes), the installed or source tree's shapes/,
/// and last the copy built into the binary. The first file of a name counts.
struct LibraryEntry {
  std::string name;
  std::string description;
  std::string origin;   ///< path of the file, or "built in"
  std::string problem;  ///< empty: the shape can be used
  ShapeKind kind = ShapeKind::polyhedron;
};
/// Sorted by name; a file that is not a shape is listed with its problem.
std::vector<LibraryEntry> list_shapes();

/// The prototype of that name. Errors name the folders searched and the nearest name.
Result<std::shared_ptr<const Shape>> load_shape(const std::string& name);

/// Where load_shape would find it. Errors as load_shape's.
Result<LibraryEntry> find_shape(const std::string& name);

/// One to 64 of the characters a-z 0-9 _ -, the first a letter or digit.
bool is_shape_name(std::string_view name);

/// The shape of a data file; `file` is what messages call it. Errors: every mistake, one per line as file:line:column:
/// what.
Result<Shape> parse_shape(const std::string& text, const std::string& file);
Result<Shape> read_shape(const std::filesystem::path& file);

/// Data file of a shape. Vertices are written so that they read back to the same bits.
std::string format_shape(const std::string& name, const std::string& description, std::span<const Vec3> vertices);

/// The same of a clump of spheres, and of one of polyhedra with the mass properties of the whole.
std::string format_clump(const std::string& name, const std::string& description, std::span<const Ball> balls);
std::string format_clump(const std::string& name, const std::string& description, std::span<const Polyhedron> bodies,
                         const MassProperties& whole);

/// The user's own folder. Errors: neither $XDG_DATA_HOME nor $HOME says where it is.
Result<std::filesystem::path> user_shape_folder();

/// Writes NAME.yaml into the user's own folder, aside and renamed, and returns its path.
/// Errors: bad name, not a shape, already there (without `replace`), full disk, lost permission.
Result<std::filesystem::path> save_shape(const std::string& name, const std::string& description,
                                         std::span<const Vec3> vertices, bool replace = false);

/// The same of a clump.
Result<std::filesystem::path> save_clump(const std::string& name, const std::string& description,
                                         std::span<const Ball> balls, bool replace = false);
Result<std::filesystem::path> save_clump(const std::string& name, const std::string& description,
                                         std::span<const Polyhedron> bodies, const MassProperties& whole,
                                         bool replace = false);

/// Removes NAME.yaml from the user's own folder and returns what its path was.
/// Errors: not there (says where the shape comes from instead), lost permission.
Result<std::filesystem::path> remove_shape(const std::string& name);

}  // namespace scree::io

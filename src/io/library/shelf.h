#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/library/builtin_files.h"

namespace scree::io {

/// Data files NAME.yaml of one kind, looked for in this order: folders of an environment variable (':'-separated), the
/// user's own ($XDG_DATA_HOME/scree/FOLDER, else ~/.local/share/scree/FOLDER), the installed or source tree's FOLDER/,
/// and last the copies built into the binary. The first file of a name counts.
struct Shelf {
  const char* what;      ///< "shape"
  const char* folder;    ///< "shapes"
  const char* variable;  ///< "SCREE_SHAPES"
  std::span<const BuiltinFile> (*built_in)();

  /// FOLDER/ beside an installed binary (PREFIX/bin/scree), or beside the build folder of a source tree.
  std::optional<std::filesystem::path> shipped_folder() const;
  /// Errors: neither $XDG_DATA_HOME nor $HOME says where it is.
  Result<std::filesystem::path> own_folder() const;
  std::vector<std::filesystem::path> folders() const;

  const BuiltinFile* builtin(std::string_view name) const;
  /// Name -> where its file is; an empty path: built in.
  std::map<std::string, std::filesystem::path> all_files() const;
  /// Path of the first file of that name; empty: built in. Errors name the folders searched and the nearest name.
  Result<std::filesystem::path> locate(const std::string& name) const;
};

/// One to 64 of the characters a-z 0-9 _ -, the first a letter or digit.
bool is_shelf_name(std::string_view name);

/// "built in", or the path.
std::string origin_of(const std::filesystem::path& path);

}  // namespace scree::io

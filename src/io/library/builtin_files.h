#pragma once
#include <span>
#include <string_view>

namespace scree::io {

/// A file of shapes/ or materials/ as it was when the binary was built (cmake/embed.cmake); sorted by name.
struct BuiltinFile {
  std::string_view name;
  std::string_view text;
};
std::span<const BuiltinFile> builtin_shapes();
std::span<const BuiltinFile> builtin_materials();

}  // namespace scree::io

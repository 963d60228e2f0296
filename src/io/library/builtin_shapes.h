#pragma once
#include <span>
#include <string_view>

namespace scree::io {

/// A file of shapes/ as it was when the binary was built (cmake/embed.cmake); sorted by name.
struct BuiltinShape {
  std::string_view name;
  std::string_view text;
};
std::span<const BuiltinShape> builtin_shapes();

}  // namespace scree::io

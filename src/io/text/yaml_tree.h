#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace scree::io {

struct Form;

/// A YAML value that knows where it stands. Aliases are copied out.
struct Node {
  enum class Kind : std::uint8_t { nothing, scalar, list, map };
  struct Key {
    std::string name;
    int line = 0, column = 0;
  };
  Kind kind = Kind::nothing;
  bool quoted = false;         ///< scalar in quotes: never a null, written back in quotes
  bool valid = false;          ///< fits the schema; set by check()
  int source = 0;              ///< 0: the file; k: the k-th override
  int line = 0, column = 0;    ///< from 1
  std::string text;            ///< scalar
  std::vector<Key> keys;       ///< map: one per item
  std::vector<Node> items;     ///< list, map
  const Form* form = nullptr;  ///< the form that the value has; set by check()
  double si = 0;               ///< number or quantity; set by check()
  std::uint64_t integer = 0;   ///< integer; set by check()

  /// Value of a map's key; null: not a map, or not there.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key) { return const_cast<Node*>(static_cast<const Node*>(this)->find(key)); }
};

/// Limits that keep hostile files from filling the memory or the stack.
inline constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxNodes = 1'000'000;  ///< after aliases are copied out
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxKey = 200;
inline constexpr std::size_t kMaxDiagnostics = 200;

/// Parses one YAML document (yaml-cpp's events). Mistakes (syntax, duplicate keys, limits, a second document) are
/// appended to `diagnostics` with `file` as their file; a syntax error ends the reading. False: the tree is not usable.
bool parse_yaml(const std::string& text, const std::string& file, Node& root, std::vector<Diagnostic>& diagnostics);

/// Encoding and control characters: a binary file, UTF-16 or broken UTF-8 is named as such. Drops a UTF-8 byte order
/// mark and turns CRLF and CR into LF. False: not text.
bool normalise_text(std::string& text, const std::string& file, std::vector<Diagnostic>& diagnostics);

/// Applies "key.path[3].name=value" to the tree; what is new gets `source`. Empty: done; else what is wrong.
/// Mistakes in the value go to `diagnostics` under `file`.
std::string apply_override(Node& root, const std::string& assignment, int source, const std::string& file,
                           std::vector<Diagnostic>& diagnostics);

/// The tree as YAML text that reads back to the same tree.
std::string to_yaml(const Node& root);

}  // namespace scree::io

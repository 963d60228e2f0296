#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "base/diagnostic.h"
#include "io/library/library.h"
#include "io/text/units.h"
#include "io/text/yaml_tree.h"
#include "sim/case.h"

namespace scree::io {

/// The value of a map's key, when it fits its form; what does not has its mistake already.
inline const Node* get(const Node& map, std::string_view key) {
  const Node* n = map.find(key);
  return n && n->valid ? n : nullptr;
}
/// A map below a map, with mistakes or without.
inline const Node* map_at(const Node& map, std::string_view key) {
  const Node* n = map.find(key);
  return n && n->kind == Node::Kind::map ? n : nullptr;
}
inline Vec3 vec3(const Node& n) { return {n.items[0].si, n.items[1].si, n.items[2].si}; }

/// A case file on its way to become a Case: what the readers of its sections share.
class Reading {
 public:
  Reading(const Units& u, const std::vector<std::string>& files, std::vector<Diagnostic>& diagnostics, const Node& tree,
          Case& made);

  const Units& units;
  std::vector<Diagnostic>& out;
  const Node& root;
  Case& c;
  std::filesystem::path folder;  ///< of the case: files are named from there
  bool whole = true;             ///< no mistake so far
  bool dimensions_known = true;  ///< false: they have a mistake of their own
  bool materials_known = false;
  std::vector<std::string> material_names;
  std::vector<bool> elastic;  ///< by material: young_modulus and poisson_ratio are given
  std::uint64_t total = 0;    ///< grains so far

  void report(const Node& n, const std::string& path, std::string message);
  void warn(const Node& n, const std::string& path, std::string message);

  /// Sets the members of `into` that keys of the map give and returns whether all that T requires were there. The keys
  /// are those of the table that are bound to T.
  template <class T>
  bool take(const Node& map, const std::string& path, T& into) {
    return take_members(typeid(T), map, path, &into);
  }
  /// What the map gives of T; nothing: something that T requires is missing or wrong.
  template <class T>
  std::optional<T> taken(const Node& map, const std::string& path) {
    T t;
    if (!take(map, path, t)) return std::nullopt;
    return t;
  }

  /// Row of a named thing; -1: not there, and said so.
  int resolve(const Node& n, const std::string& path, const std::vector<std::string>& names, const std::string& kind) {
    return resolve(n, path, n.text, names, kind);
  }
  int resolve(const Node& n, const std::string& path, const std::string& name, const std::vector<std::string>& names,
              const std::string& kind);
  /// "; did you mean ...?", or what there is.
  std::string hint(const std::string& text, const std::vector<std::string>& names, const std::string& kind) const;
  const std::string& named(int material) const { return material_names[static_cast<std::size_t>(material)]; }
  /// Row of the map's material; -1: none, and said so.
  int material(const Node& map, const std::string& path);
  /// Whether the library has a shape of this name that can be used in so many dimensions; else it is told.
  bool check_shape(const Node& n, const std::string& path, const std::string& name);
  std::filesystem::path beside_case(const std::string& file) const { return folder / file; }

  /// A vector of the world; in two dimensions it has to lie in the plane.
  Vec3 placed(const Node& n, const std::string& path);
  /// An angular velocity; in two dimensions it has to be about z.
  Vec3 spin(const Node& n, const std::string& path);
  /// A unit vector, `is_flat`: placed; nothing: it was [0, 0, 0] or out of the plane, and said so.
  std::optional<Vec3> direction(const Node& n, const std::string& path, bool is_flat = false);
  std::optional<Quat> unit_quaternion(const Node& n, const std::string& path);
  /// Is each coordinate of the upper corner above that of the lower one?
  bool is_ordered(const Node& low, const Node& high, const std::string& path);
  /// Calls one(item, path) for a text or for each of a list of them.
  template <class F>
  static void each(const Node& n, const std::string& path, F&& one) {
    if (n.kind == Node::Kind::scalar) return one(n, path);
    for (std::size_t i = 0; i < n.items.size(); ++i) one(n.items[i], path + "[" + std::to_string(i) + "]");
  }

 private:
  bool take_members(std::type_index owner, const Node& map, const std::string& path, void* into);

  const std::vector<std::string>& files_;
  std::vector<LibraryEntry> library_;  ///< shapes that were asked for
};

}  // namespace scree::io

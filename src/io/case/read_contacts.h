#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>

#include "io/case/reading.h"

namespace scree::io {

void read_materials(Reading& in);

/// The laws of the pairs of materials.
class Contacts {
 public:
  explicit Contacts(Reading& in) : in_(in) {}

  void read();
  /// When walls and grains are known: every pair of materials that can meet needs a law. A pair of equal grains needs
  /// two of them; walls never meet walls.
  void complete();
  /// stages[].friction
  void friction(const Node& stage, const std::string& path, Case::Stage& s);
  /// Changes of friction for any material become those of all pairs that have a law and none of their own in the stage.
  void friction_of_any();

 private:
  /// The two materials of a `between`, or kAny; false: unknown.
  bool between(const Node& map, const std::string& path, int& a, int& b);
  void contact(const Node& n, const std::string& path, int a, int b);
  /// Whether the pair has a law: its own, or that of an entry that names one of the materials and any, or any twice,
  /// which becomes its own.
  bool has_law(int a, int b);

  Reading& in_;
  std::map<std::pair<int, int>, std::size_t> laws_;  ///< the entries by their materials, kAny among them
  std::set<std::size_t> spoiled_;                    ///< entries for any material that have a mistake, told once
};

}  // namespace scree::io

#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/vec.h"

namespace scree {

enum class FieldRole { state, fixed, derived };

/// All rigid bodies, one column per row of fields.def; row i of every column is one particle.
struct Particles {
#define FIELD(type, name, unit, role, what) std::vector<type> name;
#include "particles/fields.def"
#undef FIELD

  std::size_t size_rows() const { return id.size(); }
  void resize(std::size_t n);
  void reserve(std::size_t n);
  /// Keeps the rows with keep[i] != 0, in order.
  void compact(const std::vector<char>& keep);
  std::size_t bytes() const;

  /// f(name, unit, role, column) for every column, in the order of fields.def.
  template <class F>
  void for_each_column(F&& f) {
#define FIELD(type, name, unit, role, what) f(std::string_view(#name), std::string_view(unit), FieldRole::role, name);
#include "particles/fields.def"
#undef FIELD
  }
  template <class F>
  void for_each_column(F&& f) const {
#define FIELD(type, name, unit, role, what) f(std::string_view(#name), std::string_view(unit), FieldRole::role, name);
#include "particles/fields.def"
#undef FIELD
  }
};

}  // namespace scree

#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/columns.h"
#include "base/domain.h"
#include "base/vec.h"

namespace scree {

enum class FieldRole { state, fixed, derived };

/// All rigid bodies, one column per row of fields.def; row i of every column is one particle.
struct Particles {
#define FIELD(type, name, unit, role, what) std::vector<type> name;
#include "particles/fields.def"
#undef FIELD

  /// Whether the columns of what acts from outside are there; else they are empty.
  bool keeps_outer = false;

  /// Where space repeats. Positions leave it by no more than the skin before they are put back; what counts are
  /// from_to and place.
  Domain domain;

  /// Rows of grains that count elsewhere, on another rank: the last ones.
  std::size_t copies = 0;

  std::size_t size_rows() const { return id.size(); }
  /// Rows that count. So: over size_rows() where a copy is a grain like any other (it moves, is met, leaves by an
  /// outlet), over own_rows() where something is summed, counted, checked or written.
  std::size_t own_rows() const { return size_rows() - copies; }
  /// From the centroid of row i to the nearest image of that of row j (m).
  Vec3 from_to(std::size_t i, std::size_t j) const {
    const Vec3 d = position[j] - position[i];
    return domain.any() ? nearest_image(domain, d) : d;
  }
  /// The centroid within the domain (m).
  Vec3 place(std::size_t i) const { return domain.any() ? wrapped(domain, position[i]) : position[i]; }
  /// Given d = from_to(i, j): a lower bound on the gaps to all other images of j (m); infinite where there are none.
  double gap_of_images(std::size_t i, std::size_t j, Vec3 d) const {
    double farthest = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < 3; ++a)
      if (domain.periodic[a]) farthest = std::min(farthest, domain.period(a) - std::abs(d[a]));
    return farthest - (radius[i] + radius[j]);
  }
  /// The columns of another.
  void keep_as(const Particles& p) { keeps_outer = p.keeps_outer; }
  void resize(std::size_t n) { columns::resize(*this, n); }
  void reserve(std::size_t n) { columns::reserve(*this, n); }
  /// Keeps the rows with keep[i] != 0, in order.
  void compact(const std::vector<char>& keep) {
    copies = static_cast<std::size_t>(std::count_if(keep.begin() + static_cast<std::ptrdiff_t>(own_rows()), keep.end(),
                                                    [](char k) { return k != 0; }));
    columns::compact(*this, keep);
  }
  std::size_t bytes() const { return columns::bytes(*this); }

  /// f(name, unit, role, column) for every column that is kept, in the order of fields.def.
  template <class F>
  void for_each_column(F&& f) {
    with_columns(f, *this);
  }
  template <class F>
  void for_each_column(F&& f) const {
    with_columns(f, *this);
  }
  /// f(name, unit, role, column...) of each of the tables.
  template <class F, class... Tables>
  static void with_columns(F&& f, Tables&... t) {
#define FIELD(type, name, unit, role, what) \
  f(std::string_view(#name), std::string_view(unit), FieldRole::role, t.name...);
#define OUTER_FIELD(type, name, unit, role, what) \
  if (columns::first_of(t...).keeps_outer) FIELD(type, name, unit, role, what)
#include "particles/fields.def"
#undef FIELD
  }
};

}  // namespace scree

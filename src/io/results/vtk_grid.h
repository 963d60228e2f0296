#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "io/results/frame.h"

namespace scree::io {

/// An unstructured grid as VTK knows it, for VTKHDF and VTU alike.
struct VtkGrid {
  std::vector<Vec3> points;    ///< m
  std::vector<double> radius;  ///< of the sphere or disc around a point, 0 for corners (m); empty: nothing is round
  std::vector<std::int64_t> connectivity, offsets{0};  ///< cell i: offsets[i] ... offsets[i + 1]
  std::vector<std::uint8_t> types;
  std::vector<std::uint32_t> rows;  ///< the particle of each cell; empty: cell i is particle i
};

/// Every vertex of every particle, in space; cell i is particle i, but a clump has a cell for each of its parts.
VtkGrid grid_of_particles(const Frame& f);

/// Contacts as vertices, then bonds as lines, then walls as quadrilaterals and triangles, with a row of each column.
struct VtkContacts {
  VtkGrid grid;
  std::vector<Vec3> force, normal;               ///< N, on the second body; unit, from the first to the second
  std::vector<double> depth, damage;             ///< m; largest stress over strength of a bond
  std::vector<std::array<std::int64_t, 2>> ids;  ///< a wall is -1 - its id
  std::vector<std::int32_t> is_wall, is_bond;
};
VtkContacts grid_of_contacts(const Frame& f);

/// The length of each.
std::vector<double> lengths(const std::vector<Vec3>& v);

}  // namespace scree::io

#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "narrow/shape_tables.h"

namespace scree {

/// What a run reads of its shapes at every step. Never changed once made: a grain that comes or goes makes none of it
/// anew, and copies of a simulation share it.
struct RunShapes {
  explicit RunShapes(const std::vector<std::shared_ptr<const Shape>>& shapes);

  std::shared_ptr<const narrow::ShapeTables> tables;
  std::vector<double> unit_radius;        ///< of each shape, of a clump of each part: equivalent radius at size 1
  std::vector<std::uint32_t> first_part;  ///< by shape: its first row in unit_radius
  std::vector<double> unit_inner;         ///< by shape: inner radius at size 1
  std::vector<double> unit_overlap;       ///< by shape: what overlaps are compared with at size 1
};

/// Radius at size 1 of the sphere of the shape's volume, of a planar shape the circle of its area.
double equivalent_radius(const Shape& shape);

}  // namespace scree

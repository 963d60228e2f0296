#include "sim/run_shapes.h"

#include <cmath>

namespace scree {

RunShapes::RunShapes(const std::vector<std::shared_ptr<const Shape>>& shapes)
    : tables(std::make_shared<const narrow::ShapeTables>(shapes)) {
  for (const auto& shape : shapes) {
    first_part.push_back(static_cast<std::uint32_t>(unit_radius.size()));
    if (shape->kind != ShapeKind::clump) unit_radius.push_back(equivalent_radius(*shape));
    for (const Shape::Part& part : shape->parts) unit_radius.push_back(part.size * equivalent_radius(*part.shape));
    unit_inner.push_back(shape->inner_radius());
    unit_overlap.push_back(shape->overlap_length());
  }
}

double equivalent_radius(const Shape& shape) {
  if (is_round(shape.kind)) return shape.outer_radius();
  return is_planar(shape.kind) ? std::sqrt(shape.volume / M_PI) : std::cbrt(3 * shape.volume / (4 * M_PI));
}

}  // namespace scree

#pragma once
#include <cstdint>
#include <vector>

#include "io/results/frame.h"

namespace scree::io {

/// VTK_CONVEX_POINT_SET.
inline constexpr std::uint8_t kConvexPointSet = 41;

/// How VTK sees one shape: its cell type and the order of its vertices.
struct VtkCell {
  std::uint8_t type = kConvexPointSet;
  std::vector<std::uint16_t> order;  ///< vertex of the shape at each place of the cell
};

/// A sphere or disc becomes a vertex (1), a polygon a polygon (7).
/// Tetrahedron, pyramid, wedge and hexahedron become VTK's own cells (10, 14, 13, 12); every other convex polyhedron
/// becomes a convex point set (41), whose hull VTK draws: VTKHDF 1.0 cannot hold the face lists of VTK_POLYHEDRON.
VtkCell vtk_cell(const Frame::ShapeRow& shape);

}  // namespace scree::io

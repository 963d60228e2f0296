#include "io/results/vtk_cells.h"

#include <algorithm>
#include <numeric>

namespace scree::io {

namespace {

constexpr std::uint8_t kVertex = 1, kPolygon = 7;
constexpr std::uint8_t kTetrahedron = 10, kHexahedron = 12, kWedge = 13, kPyramid = 14;

using Loop = std::vector<std::uint16_t>;

std::size_t faces_with(const Frame::ShapeRow& s, std::size_t corners) {
  return static_cast<std::size_t>(
      std::count_if(s.faces.begin(), s.faces.end(), [&](const Loop& l) { return l.size() == corners; }));
}

const Loop& first_face_with(const Frame::ShapeRow& s, std::size_t corners) {
  return *std::find_if(s.faces.begin(), s.faces.end(), [&](const Loop& l) { return l.size() == corners; });
}

bool holds(const Loop& l, std::uint16_t v) { return std::find(l.begin(), l.end(), v) != l.end(); }

/// The neighbour of v along an edge that leaves the base; every vertex of the base has exactly one in a prism.
std::uint16_t above(const Frame::ShapeRow& s, const Loop& base, std::uint16_t v) {
  for (const Loop& l : s.faces) {
    for (std::size_t k = 0; k < l.size(); ++k) {
      const std::uint16_t next = l[(k + 1) % l.size()];
      if (l[k] == v && !holds(base, next)) return next;
      if (next == v && !holds(base, l[k])) return l[k];
    }
  }
  return v;
}

std::uint16_t apex_over(const Frame::ShapeRow& s, const Loop& base) {
  for (std::uint16_t v = 0; v < s.vertices.size(); ++v) {
    if (!holds(base, v)) return v;
  }
  return 0;
}

VtkCell cone(const Frame::ShapeRow& s, std::uint8_t type, const Loop& outward) {
  VtkCell c{type, {outward.rbegin(), outward.rend()}};  // VTK looks at the base from the apex
  c.order.push_back(apex_over(s, outward));
  return c;
}

VtkCell prism(const Frame::ShapeRow& s, std::uint8_t type, const Loop& outward, bool base_inward) {
  VtkCell c{type, outward};
  if (base_inward) std::reverse(c.order.begin(), c.order.end());
  for (std::size_t k = 0; k < outward.size(); ++k) c.order.push_back(above(s, outward, c.order[k]));
  return c;
}

bool is_permutation(const VtkCell& c, std::size_t n) {
  Loop sorted = c.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] != k) return false;
  }
  return sorted.size() == n;
}

}  // namespace

VtkCell vtk_cell(const Frame::ShapeRow& s) {
  const std::size_t nv = s.vertices.size(), nf = s.faces.size(), triangles = faces_with(s, 3), quads = faces_with(s, 4);
  VtkCell c;
  if (s.radius > 0) return {kVertex, {0}};
  if (nf == 1) return {kPolygon, s.faces[0]};
  if (nv == 4 && nf == 4 && triangles == 4) {
    c = cone(s, kTetrahedron, s.faces[0]);
  } else if (nv == 5 && nf == 5 && triangles == 4 && quads == 1) {
    c = cone(s, kPyramid, first_face_with(s, 4));
  } else if (nv == 6 && nf == 5 && triangles == 2 && quads == 3) {
    c = prism(s, kWedge, first_face_with(s, 3), false);  // unlike the others, a wedge's first face looks outward
  } else if (nv == 8 && nf == 6 && quads == 6) {
    c = prism(s, kHexahedron, s.faces[0], true);
  }
  if (c.type != kConvexPointSet && is_permutation(c, nv)) return c;
  c.type = kConvexPointSet;
  c.order.resize(nv);
  std::iota(c.order.begin(), c.order.end(), std::uint16_t{0});
  return c;
}

}  // namespace scree::io

#pragma once
#include <string>

#include "geometry/facet_mesh.h"
#include "sim/case.h"

/// Surfaces for walls, built without a file.
namespace scree::scenes {

/// Cells of n x m over the parallelogram at `corner` spanned by u and v, two triangles each, the diagonals in turn this
/// way and that; the front is where u x v points.
Surface sheet(Vec3 corner, Vec3 u, Vec3 v, int n, int m);
/// The skin of a box, its sides sheets of n x n cells, seen from outside.
Surface box_surface(Vec3 low, Vec3 high, int n);
/// A square shaft of `height` over the square at `low`, open above: n x n cells on its floor, n x m on each side.
Surface shaft_surface(Vec3 low, double side, double height, int n, int m);
/// The inside of a cylinder about z of n flat sides around and m along, without ends; its front is inside.
Surface pipe(double radius, double height, int n, int m);
/// One surface of both; corners are not shared.
Surface joined(const Surface& a, const Surface& b);

/// Welded and cut into facets.
std::shared_ptr<const FacetMesh> facets(Surface s);
Case::Wall& add_mesh(Case& c, const std::string& name, Surface s);

}  // namespace scree::scenes

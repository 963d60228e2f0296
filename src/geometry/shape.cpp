#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "geometry/polyhedron.h"

namespace scree {

namespace {

using std::numbers::pi;

Shape round_shape(ShapeKind kind, std::string name, std::string description) {
  Shape s;
  s.name = std::move(name), s.description = std::move(description), s.kind = kind;
  return s;
}

}  // namespace

double Shape::outer_radius() const {
  if (is_round(kind)) return 0.5;
  if (kind == ShapeKind::clump) {
    double r = 0;
    for (const Part& part : parts) {
      if (is_round(part.shape->kind)) r = std::max(r, norm(part.centre) + 0.5 * part.size);
      for (const Vec3& v : part.shape->body.vertices) r = std::max(r, norm(part.centre + part.size * v));
    }
    return r;
  }
  return kind == ShapeKind::polygon ? outline.outer_radius : body.outer_radius;
}

double Shape::inner_radius() const {
  if (is_round(kind)) return 0.5;
  if (kind == ShapeKind::polyhedron) return body.inner_radius;
  double r = std::numeric_limits<double>::infinity();
  for (const Part& part : parts) r = std::min(r, part.size * part.shape->inner_radius());
  for (const double offset : outline.edge_offsets) r = std::min(r, offset);
  return r;
}

double Shape::overlap_length() const {
  if (kind != ShapeKind::clump) return 1;
  double least = std::numeric_limits<double>::infinity();
  for (const Part& part : parts) least = std::min(least, part.size * std::cbrt(6 * part.shape->volume / pi));
  return least;
}

double Shape::mass(double size, double density, double thickness) const {
  return density * volume * size * size * (is_planar(kind) ? thickness : size);
}

Vec3 Shape::moments(double size, double density, double thickness) const {
  return (density * size * size * size * size * (is_planar(kind) ? thickness : size)) * inertia;
}

Shape make_sphere(std::string name, std::string description) {
  Shape s = round_shape(ShapeKind::sphere, std::move(name), std::move(description));
  s.volume = pi / 6;
  const double i = s.volume / 10;
  s.inertia = {i, i, i};
  return s;
}

Shape make_disc(std::string name, std::string description) {
  Shape s = round_shape(ShapeKind::disc, std::move(name), std::move(description));
  s.volume = pi / 4;
  const double i = s.volume / 16;
  s.inertia = {i, i, 2 * i};
  return s;
}

Shape make_prism(std::string name, const ConvexPolygon& outline, std::string description) {
  Shape s;
  s.name = std::move(name), s.description = std::move(description), s.kind = ShapeKind::polygon;
  s.outline = centred(outline);
  const AreaProperties a = area_properties(s.outline);
  s.volume = a.area;
  s.inertia = {a.yy, a.xx, a.xx + a.yy};
  return s;
}

}  // namespace scree

#include "geometry/polygon.h"

#include <algorithm>
#include <utility>

namespace scree {

namespace {

std::string corner(std::size_t i) { return "corner " + std::to_string(i); }
std::string corners(std::size_t i, std::size_t j) {
  return "corners " + std::to_string(i) + " and " + std::to_string(j);
}

struct Rectangle {
  Vec2 low, high;
  double extent() const { return std::max(high.x - low.x, high.y - low.y); }
};

Rectangle bounding_rectangle(std::span<const Vec2> v) {
  Rectangle b{v[0], v[0]};
  for (const Vec2 p : v) {
    b.low = {std::min(b.low.x, p.x), std::min(b.low.y, p.y)};
    b.high = {std::max(b.high.x, p.x), std::max(b.high.y, p.y)};
  }
  return b;
}

/// Do the segments (a, b) and (c, d) cross in their inner points?
bool cross_properly(Vec2 a, Vec2 b, Vec2 c, Vec2 d) {
  const auto side = [](Vec2 p, Vec2 q, Vec2 r) { return cross(q - p, r - p); };
  const double c_side = side(a, b, c), d_side = side(a, b, d), a_side = side(c, d, a), b_side = side(c, d, b);
  return ((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) &&
         ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0));
}

/// Height of the turn at each corner: how far the end of the shorter edge stands off the line of the longer one, left
/// turns positive. Coordinates are divided by the extent.
Status check_corners(const std::vector<Vec2>& v) {
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = (i + 1) % n;
    if (!(norm(v[j] - v[i]) > kCollinearTolerance)) return Error{corners(i, j) + " are in one place"};
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = (i + 1) % n, k = (i + 2) % n;
    const Vec2 e = v[j] - v[i], f = v[k] - v[j];
    if (!(std::abs(cross(e, f)) > kCollinearTolerance * std::max(norm(e), norm(f))))
      return Error{corner(j) + " lies on the line through its neighbours"};
  }
  return ok();
}

Status check_loop(const std::vector<Vec2>& v) {
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 2; j < n; ++j) {
      if (cross_properly(v[i], v[(i + 1) % n], v[j], v[(j + 1) % n]))
        return Error{"the edges from " + corners(i, j) + " cross each other"};
    }
  }
  double twice_area = 0;
  for (std::size_t i = 2; i < n; ++i) twice_area += cross(v[i - 1] - v[0], v[i] - v[0]);
  if (twice_area < 0) return Error{"the corners run clockwise"};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = (i + 1) % n;
    if (cross(v[j] - v[i], v[(i + 2) % n] - v[j]) < 0) return Error{"not convex at " + corner(j)};
  }
  // Left turns alone could still go round more than once.
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 2; k < n; ++k) {
      if (!(cross(v[(i + 1) % n] - v[i], v[(i + k) % n] - v[i]) > 0))
        return Error{"the corners go round more than once"};
    }
  }
  return ok();
}

ConvexPolygon derived(std::vector<Vec2> vertices) {
  ConvexPolygon p;
  p.vertices = std::move(vertices);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 v = p.vertices[i], normal = normalized(-left_of(p.vertices[(i + 1) % p.size()] - v));
    p.edge_normals.push_back(normal);
    p.edge_offsets.push_back(dot(normal, v));
    p.outer_radius = std::max(p.outer_radius, norm(v));
  }
  return p;
}

}  // namespace

Result<ConvexPolygon> make_polygon(std::span<const Vec2> vertices) {
  const std::size_t n = vertices.size();
  if (n < 3) return Error{"a polygon needs at least 3 corners, got " + std::to_string(n)};
  if (n > kMaxPolygonVertices)
    return Error{"a polygon has at most " + std::to_string(kMaxPolygonVertices) + " corners, got " + std::to_string(n)};
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_finite(vertices[i])) return Error{corner(i) + " is not finite"};
  }
  const Rectangle box = bounding_rectangle(vertices);
  const double extent = box.extent();
  if (!(extent > 1e-60 && extent < 1e60)) return Error{"the polygon's extent must lie between 1e-60 and 1e60"};

  std::vector<Vec2> unit;  // extent 1, lower corner of the box at the origin
  for (const Vec2 v : vertices) unit.push_back({(v.x - box.low.x) / extent, (v.y - box.low.y) / extent});
  if (Status s = check_corners(unit); !s) return s.error();
  if (Status s = check_loop(unit); !s) return s.error();

  return derived({vertices.begin(), vertices.end()});
}

Status validate(const ConvexPolygon& p) {
  const Result<ConvexPolygon> again = make_polygon(p.vertices);
  if (!again) return again.error();
  if (p.edge_normals != again->edge_normals) return Error{"the edge normals are not those of the corners"};
  if (p.edge_offsets != again->edge_offsets) return Error{"the edge offsets are not those of the corners"};
  if (p.outer_radius != again->outer_radius) return Error{"the outer radius is not that of the corners"};
  return ok();
}

AreaProperties area_properties(const ConvexPolygon& p) {
  const Vec2 origin = p.vertices[0];
  double twice_area = 0, xx = 0, yy = 0, xy = 0;
  Vec2 moment;
  for (std::size_t i = 2; i < p.size(); ++i) {
    const Vec2 a = p.vertices[i - 1] - origin, b = p.vertices[i] - origin, s = a + b;
    const double det = cross(a, b);
    twice_area += det;
    moment += (det / 6) * s;
    xx += det / 24 * (s.x * s.x + a.x * a.x + b.x * b.x);
    yy += det / 24 * (s.y * s.y + a.y * a.y + b.y * b.y);
    xy += det / 24 * (s.x * s.y + a.x * a.y + b.x * b.y);
  }
  AreaProperties r;
  r.area = twice_area / 2;
  const Vec2 c = (1 / r.area) * moment;
  r.centroid = origin + c;
  r.xx = xx - r.area * c.x * c.x, r.yy = yy - r.area * c.y * c.y, r.xy = xy - r.area * c.x * c.y;
  return r;
}

ConvexPolygon centred(const ConvexPolygon& p) {
  const Vec2 c = area_properties(p).centroid;
  std::vector<Vec2> moved = p.vertices;
  for (Vec2& v : moved) v -= c;
  return derived(std::move(moved));
}

}  // namespace scree

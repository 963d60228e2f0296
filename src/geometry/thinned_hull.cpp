#include "geometry/thinned_hull.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "geometry/extent.h"
#include "geometry/moments.h"
#include "geometry/qhull.h"

namespace scree {

namespace {

/// The hull as triangles, moved and scaled to unit extent about its own middle.
struct Skin {
  std::vector<Vec3> corners;
  std::vector<std::array<std::size_t, 3>> triangles;
  std::vector<Vec3> normals;  ///< of the triangles, unit
  Vec3 middle;
  double extent = 0;
};

Result<Skin> skin_of(std::span<const Vec3> points) {
  if (points.size() < 4) return Error{"a polyhedron needs at least 4 points, found " + std::to_string(points.size())};
  Vec3 low = points[0], high = low;
  for (const Vec3& p : points) {
    if (!is_finite(p)) return Error{"a point is not finite"};
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  }
  Skin s;
  const Vec3 side = high - low;
  s.extent = std::max({side.x, side.y, side.z}), s.middle = low + 0.5 * side;
  if (!(s.extent > kLeastExtent) || !(s.extent < kMostExtent))
    return Error{"the extent of the points is outside 1e-50 to 1e50"};
  if (std::min({side.x, side.y, side.z}) <= kCoplanarTolerance * s.extent)
    return Error{"flat: all points lie in one plane"};
  std::vector<Vec3> scaled;
  for (const Vec3& p : points) scaled.push_back((p - s.middle) / s.extent);
  const Result<std::vector<std::size_t>> extreme = qhull::extreme_points(scaled, 1e-9);
  if (!extreme) return extreme.error();
  for (const std::size_t i : *extreme) s.corners.push_back(scaled[i]);
  auto triangles = qhull::triangulated_hull(s.corners);
  if (!triangles) return triangles.error();
  for (const auto& t : *triangles) {
    const Vec3 twice = cross(s.corners[t[1]] - s.corners[t[0]], s.corners[t[2]] - s.corners[t[0]]);
    if (!(norm(twice) > 1e-18)) continue;  // a sliver, whose neighbours cover it
    s.triangles.push_back(t), s.normals.push_back(normalized(twice));
  }
  return s;
}

/// The same closed form as that of polyhedra, over tetrahedra from the middle.
MassProperties properties(const Skin& s) {
  Moments sum{};
  for (const auto& t : s.triangles) {
    const Vec3 a = s.corners[t[0]], b = s.corners[t[1]], c = s.corners[t[2]], all = a + b + c;
    const double det = dot(a, cross(b, c));
    const auto second = [&](std::size_t i, std::size_t j) {
      return det / 120 * (all[i] * all[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
    };
    add(sum, {det / 6, det / 24 * all.x, det / 24 * all.y, det / 24 * all.z, second(0, 0), second(1, 1), second(2, 2),
              second(0, 1), second(0, 2), second(1, 2)});
  }
  return properties_of(sum, {});
}

double distance_to_segment(Vec3 x, Vec3 a, Vec3 b) {
  const Vec3 way = b - a;
  const double t = std::clamp(dot(x - a, way) / std::max(norm2(way), 1e-300), 0.0, 1.0);
  return norm(x - (a + t * way));
}

/// Distance of a point outside of a convex body from one of its faces, a loop of corners.
template <class Corner>
double distance_to_face(Vec3 x, Vec3 normal, std::size_t corners, Corner&& corner) {
  double nearest = std::numeric_limits<double>::infinity();
  bool is_over = true;
  for (std::size_t k = 0; k < corners; ++k) {
    const Vec3 a = corner(k), b = corner(k + 1 == corners ? 0 : k + 1);
    is_over = is_over && dot(cross(normal, b - a), x - a) >= 0;
    nearest = std::min(nearest, distance_to_segment(x, a, b));
  }
  return is_over ? std::abs(dot(normal, x - corner(0))) : nearest;
}

/// Of a point from a convex body; 0 inside.
double distance_to(const Polyhedron& p, Vec3 x) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    if (dot(p.face_normals[f], x) <= p.face_offsets[f]) continue;
    const auto loop = p.loop(f);
    nearest = std::min(nearest, distance_to_face(x, p.face_normals[f], loop.size(),
                                                 [&](std::size_t k) { return p.vertices[loop[k]]; }));
  }
  return std::isfinite(nearest) ? nearest : 0;
}
double distance_to(const Skin& s, Vec3 x) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < s.triangles.size(); ++t) {
    const auto& corners = s.triangles[t];
    if (dot(s.normals[t], x - s.corners[corners[0]]) <= 0) continue;
    nearest =
        std::min(nearest, distance_to_face(x, s.normals[t], 3, [&](std::size_t k) { return s.corners[corners[k]]; }));
  }
  return std::isfinite(nearest) ? nearest : 0;
}

/// Of two convex bodies the farthest corner of one from the other decides.
double hausdorff(const Skin& skin, const Polyhedron& body) {
  double farthest = 0;
  for (const Vec3& v : skin.corners) farthest = std::max(farthest, distance_to(body, v));
  for (const Vec3& v : body.vertices) farthest = std::max(farthest, distance_to(skin, v));
  return farthest;
}

double frobenius(const Mat3& m) { return std::sqrt(norm2(m.row[0]) + norm2(m.row[1]) + norm2(m.row[2])); }

BodyError error_of(const Skin& skin, const MassProperties& wanted, const Polyhedron& body) {
  const MassProperties is = mass_properties(body);
  Mat3 off = is.inertia;
  for (std::size_t k = 0; k < 3; ++k) off.row[k] -= wanted.inertia.row[k];
  return {std::abs(is.volume / wanted.volume - 1), frobenius(off) / frobenius(wanted.inertia), hausdorff(skin, body)};
}

/// With the volume and the centroid that are wanted.
Result<Polyhedron> fitted(const Polyhedron& body, const MassProperties& wanted) {
  const MassProperties is = mass_properties(body);
  const double factor = std::cbrt(wanted.volume / is.volume);
  std::vector<Vec3> moved;
  for (const Vec3& v : body.vertices) moved.push_back(wanted.centroid + factor * (v - is.centroid));
  return convex_hull(moved);
}

/// Corners farthest along the axes and the diagonals: a body to begin with.
std::vector<std::size_t> first_corners(const Skin& s, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (const Vec3 way : {Vec3{1, 1, 1}, Vec3{-1, -1, 1}, Vec3{-1, 1, -1}, Vec3{1, -1, -1}, Vec3{1, 0, 0},
                         Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}}) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < s.corners.size(); ++i)
      if (dot(way, s.corners[i]) > dot(way, s.corners[best])) best = i;
    if (std::find(chosen.begin(), chosen.end(), best) == chosen.end()) chosen.push_back(best);
    if (chosen.size() == most) break;
  }
  return chosen;
}

}  // namespace

Result<ThinnedHull> thinned_hull(std::span<const Vec3> points, std::size_t most, double tolerance) {
  const Result<Skin> skin = skin_of(points);
  if (!skin) return skin.error();
  const MassProperties wanted = properties(*skin);
  std::vector<std::size_t> chosen = first_corners(*skin, most);
  ThinnedHull best;
  best.corners_before = skin->corners.size();
  for (;;) {
    std::vector<Vec3> corners;
    for (const std::size_t i : chosen) corners.push_back(skin->corners[i]);
    const Result<Polyhedron> body = convex_hull(corners);
    if (!body) return body.error();
    std::size_t farthest = 0;
    double outside = -1;
    for (std::size_t i = 0; i < skin->corners.size(); ++i) {
      double out = -1;
      for (std::size_t f = 0; f < body->face_normals.size(); ++f)
        out = std::max(out, dot(body->face_normals[f], skin->corners[i]) - body->face_offsets[f]);
      if (out > outside) outside = out, farthest = i;
    }
    const bool is_last = chosen.size() >= most || outside <= kCoplanarTolerance ||
                         std::find(chosen.begin(), chosen.end(), farthest) != chosen.end();
    // About half of what is outside is made up for by the factor.
    if (is_last || outside <= 3 * tolerance) {
      Result<Polyhedron> whole = fitted(*body, wanted);
      if (!whole) return whole.error();
      best.body = std::move(*whole);
      best.error = error_of(*skin, wanted, best.body);
      if (is_last || best.error.worst() <= tolerance) break;
    }
    chosen.push_back(farthest);
  }
  for (Vec3& v : best.body.vertices) v = skin->middle + skin->extent * v;
  Result<Polyhedron> placed = convex_hull(best.body.vertices);
  if (!placed) return placed.error();
  best.body = std::move(*placed);
  return best;
}

Result<HullPlanes> hull_planes(std::span<const Vec3> points) {
  const Result<Skin> skin = skin_of(points);
  if (!skin) return skin.error();
  HullPlanes p;
  p.normals = skin->normals;
  for (std::size_t t = 0; t < skin->triangles.size(); ++t)
    p.offsets.push_back(dot(skin->normals[t], skin->middle + skin->extent * skin->corners[skin->triangles[t][0]]));
  p.volume = properties(*skin).volume * skin->extent * skin->extent * skin->extent;
  return p;
}

double deepest_dent(const Surface& s, const HullPlanes& hull) {
  double deepest = 0;
  std::size_t near = 0;  // the plane nearest to the point before: most often it shows that the next one is no deeper
  const auto look = [&](Vec3 x) {
    double depth = hull.offsets[near] - dot(hull.normals[near], x);
    for (std::size_t f = 0; f < hull.normals.size() && depth > deepest; ++f) {
      const double d = hull.offsets[f] - dot(hull.normals[f], x);
      if (d < depth) depth = d, near = f;
    }
    deepest = std::max(deepest, depth);
  };
  for (const auto& t : s.triangles) {
    const Vec3 a = s.vertices[t[0]], b = s.vertices[t[1]], c = s.vertices[t[2]];
    for (const Vec3 x : {a, b, c, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a), (a + b + c) / 3}) look(x);
  }
  return deepest;
}

}  // namespace scree

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "geometry/extent.h"
#include "geometry/polyhedron.h"
#include "geometry/qhull.h"

namespace scree {
namespace {

using Loop = std::vector<std::uint16_t>;
using Triangle = std::array<std::size_t, 3>;

/// More corners than this before merging and nothing near the limit can come out: stop before the slow parts.
constexpr std::size_t kMaxCandidates = 4096;
constexpr std::size_t kMaxPoints = std::size_t{1} << 20;

/// Input moved and scaled to unit extent about its own middle.
struct UnitCloud {
  std::vector<Vec3> points;
  Vec3 centre;
  double extent = 0;
};

Result<UnitCloud> to_unit(std::span<const Vec3> points) {
  if (points.size() < 4) return Error{"a polyhedron needs at least 4 points, found " + std::to_string(points.size())};
  if (points.size() > kMaxPoints) {
    return Error{std::to_string(points.size()) + " points; the limit is " + std::to_string(kMaxPoints)};
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) return Error{"point " + std::to_string(i + 1) + " is not finite"};
  }
  Vec3 lo = points[0], hi = points[0];
  for (const Vec3& p : points) {
    for (std::size_t k = 0; k < 3; ++k) lo[k] = std::min(lo[k], p[k]), hi[k] = std::max(hi[k], p[k]);
  }
  const Vec3 d = hi - lo;
  UnitCloud cloud;
  cloud.extent = std::max({d.x, d.y, d.z});
  cloud.centre = lo + 0.5 * d;
  if (cloud.extent == 0) return Error{"all points are the same"};
  // Volumes go with the third power, moments with the fifth: outside this range they leave the numbers a double has.
  if (!(cloud.extent > kLeastExtent) || !(cloud.extent < kMostExtent))
    return Error{"the extent of the points is outside 1e-50 to 1e50"};
  cloud.points.reserve(points.size());
  for (const Vec3& p : points) cloud.points.push_back((p - cloud.centre) / cloud.extent);
  return cloud;
}

/// Points on one line or plane, to within the tolerance: the widest triangle from two far points, then the distance
/// from its plane.
Status check_not_flat(const std::vector<Vec3>& p, double tolerance) {
  const auto farthest = [&](auto&& measure) {
    std::size_t best = 0;
    double value = -1;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (const double m = measure(p[i]); m > value) best = i, value = m;
    }
    return std::pair{best, value};
  };
  const Vec3 a = p[farthest([&](Vec3 v) { return norm(v - p[0]); }).first];
  const Vec3 b = p[farthest([&](Vec3 v) { return norm(v - a); }).first];
  const Vec3 along = normalized(b - a);
  const auto [third, width] = farthest([&](Vec3 v) { return norm(cross(along, v - a)); });
  if (width <= tolerance) return Error{"all points lie on one line"};
  const Vec3 n = normalized(cross(along, p[third] - a));
  if (farthest([&](Vec3 v) { return std::abs(dot(n, v - a)); }).second <= tolerance) {
    return Error{"flat: all points lie in one plane"};
  }
  return ok();
}

/// For each triangle the three across its edges (i, i+1).
std::optional<std::vector<Triangle>> neighbours_of(const std::vector<Triangle>& triangles) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> side;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!side.emplace(std::pair{triangles[t][i], triangles[t][(i + 1) % 3]}, t).second) return std::nullopt;
    }
  }
  std::vector<Triangle> result(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto twin = side.find({triangles[t][(i + 1) % 3], triangles[t][i]});
      if (twin == side.end()) return std::nullopt;
      result[t][i] = twin->second;
    }
  }
  return result;
}

/// Region of each triangle. A region grows from its largest triangle over the edges while all corners stay within the
/// tolerance of that triangle's plane. (Comparing neighbours with each other instead lets a rounded surface creep into
/// one face.)
struct Regions {
  std::vector<std::size_t> of;
  std::size_t count = 0;
};

Regions grow_regions(const std::vector<Vec3>& p, const std::vector<Triangle>& triangles,
                     const std::vector<Triangle>& across, double tolerance) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<Vec3> normal;
  for (const Triangle& t : triangles) normal.push_back(cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]));
  std::vector<std::size_t> order(triangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return norm2(normal[a]) > norm2(normal[b]); });
  Regions regions{std::vector(triangles.size(), none), 0};
  std::vector<std::size_t> pending;
  for (const std::size_t seed : order) {
    if (regions.of[seed] != none) continue;
    const Vec3 n = normalized(normal[seed]), o = p[triangles[seed][0]];
    const auto on_plane = [&](std::size_t t) {
      return std::all_of(triangles[t].begin(), triangles[t].end(),
                         [&](std::size_t v) { return std::abs(dot(n, p[v] - o)) <= tolerance; });
    };
    regions.of[seed] = regions.count;
    pending.assign(1, seed);
    while (!pending.empty()) {
      const std::size_t t = pending.back();
      pending.pop_back();
      for (const std::size_t u : across[t]) {
        if (regions.of[u] == none && on_plane(u)) regions.of[u] = regions.count, pending.push_back(u);
      }
    }
    ++regions.count;
  }
  return regions;
}

/// Boundary of each region as one closed loop; nothing when a region is no disc.
std::optional<std::vector<std::vector<std::size_t>>> outlines(const std::vector<Triangle>& triangles,
                                                              const std::vector<Triangle>& across,
                                                              const Regions& regions) {
  std::vector<std::map<std::size_t, std::size_t>> next(regions.count);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const std::size_t r = regions.of[t];
    for (std::size_t i = 0; i < 3; ++i) {
      if (regions.of[across[t][i]] == r) continue;
      if (!next[r].emplace(triangles[t][i], triangles[t][(i + 1) % 3]).second) return std::nullopt;
    }
  }
  std::vector<std::vector<std::size_t>> loops;
  for (const auto& edges : next) {
    if (edges.size() < 3) return std::nullopt;
    std::vector<std::size_t> loop;
    for (std::size_t v = edges.begin()->first; loop.size() <= edges.size();) {
      loop.push_back(v);
      const auto e = edges.find(v);
      if (e == edges.end()) return std::nullopt;
      v = e->second;
      if (v == loop.front()) break;
    }
    if (loop.size() != edges.size()) return std::nullopt;
    loops.push_back(std::move(loop));
  }
  return loops;
}

/// Corners (indices into the cloud, ascending) and faces (loops of positions in `corners`).
struct Faces {
  std::vector<std::size_t> corners;
  std::vector<std::vector<std::size_t>> loops;
};

/// Vertices to drop: those left with fewer than three faces, and those within the tolerance of the chord between their
/// neighbours in a loop, or on the wrong side of it. Dropping either moves the hull by less than the tolerance. Of two
/// neighbours only one goes at a time, so that a rounded edge does not lose both ends of a chord.
std::vector<char> no_corners(const std::vector<Vec3>& p, const std::vector<std::vector<std::size_t>>& loops,
                             double tolerance) {
  std::vector<std::size_t> faces(p.size(), 0);
  for (const auto& loop : loops) {
    for (const std::size_t v : loop) ++faces[v];
  }
  std::vector<char> drop(p.size(), 0), keep(p.size(), 0);
  for (std::size_t v = 0; v < p.size(); ++v) drop[v] = faces[v] < 3 ? 1 : 0;
  for (const auto& loop : loops) {
    if (loop.size() == 3) continue;
    Vec3 n;
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) n += cross(p[loop[i]] - p[loop[0]], p[loop[i + 1]] - p[loop[0]]);
    n = normalized(n);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::size_t a = loop[i], v = loop[(i + 1) % loop.size()], b = loop[(i + 2) % loop.size()];
      if (drop[a] != 0 || drop[v] != 0 || drop[b] != 0 || keep[v] != 0) continue;
      if (dot(n, cross(normalized(p[b] - p[a]), p[a] - p[v])) <= 0.5 * tolerance) drop[v] = keep[a] = keep[b] = 1;
    }
  }
  return drop;
}

/// Merges facets, drops vertices that are no corners, and starts again without them, until all are.
Result<Faces> merged_faces(const std::vector<Vec3>& p, std::vector<std::size_t> candidates, double tolerance) {
  const Error degenerate{"too nearly degenerate for a convex polyhedron"};
  for (int round = 0; round < 64; ++round) {
    if (candidates.size() < 4) return Error{"flat: fewer than 4 corners are left"};
    std::vector<Vec3> points;
    for (const std::size_t i : candidates) points.push_back(p[i]);
    const auto triangles = qhull::triangulated_hull(points);
    if (!triangles) return triangles.error();
    const auto across = neighbours_of(*triangles);
    if (!across) return degenerate;
    const Regions regions = grow_regions(points, *triangles, *across, tolerance);
    if (regions.count < 4) return Error{"flat: fewer than 4 faces are left"};
    const auto loops = outlines(*triangles, *across, regions);
    if (!loops) return degenerate;
    const std::vector<char> drop = no_corners(points, *loops, tolerance);
    std::vector<std::size_t> corners;
    for (std::size_t v = 0; v < points.size(); ++v) {
      if (drop[v] == 0) corners.push_back(candidates[v]);
    }
    if (corners.size() == candidates.size()) return Faces{std::move(candidates), *loops};
    candidates = std::move(corners);
  }
  return degenerate;
}

Status check_limits(const Faces& faces) {
  if (faces.corners.size() > kMaxVertices) {
    return Error{"the hull has " + std::to_string(faces.corners.size()) + " vertices; the limit is " +
                 std::to_string(kMaxVertices)};
  }
  for (const auto& loop : faces.loops) {
    if (loop.size() > kMaxFaceVertices) {
      return Error{"a face has " + std::to_string(loop.size()) + " vertices; the limit is " +
                   std::to_string(kMaxFaceVertices)};
    }
  }
  return ok();
}

/// Loops start at their lowest vertex and come in lexicographic order: nothing hangs on the order of Qhull's facets.
std::vector<Loop> canonical(const std::vector<std::vector<std::size_t>>& loops) {
  std::vector<Loop> result;
  for (const auto& l : loops) {
    Loop loop(l.begin(), l.end());
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    result.push_back(std::move(loop));
  }
  std::sort(result.begin(), result.end());
  return result;
}

struct Plane {
  Vec3 normal;
  double offset = 0;
};

Plane plane_of(const Loop& loop, const std::vector<Vec3>& v) {
  Vec3 n, middle;
  const Vec3 o = v[loop[0]];
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) n += cross(v[loop[i]] - o, v[loop[i + 1]] - o);
  for (const std::uint16_t i : loop) middle += v[i] - o;
  n = normalized(n);
  return {n, dot(n, o + middle / static_cast<double>(loop.size()))};
}

/// Largest distance of a corner from its face.
double bulge(const std::vector<Loop>& loops, const std::vector<Vec3>& v) {
  double worst = 0;
  for (const Loop& l : loops) {
    const Plane p = plane_of(l, v);
    for (const std::uint16_t i : l) worst = std::max(worst, std::abs(dot(p.normal, v[i]) - p.offset));
  }
  return worst;
}

/// Moves corners by the shortest way onto the planes of their faces, and fits the planes anew, until the faces are
/// plane. Triangles are plane as they are and follow. Damped, because planes that meet at a small angle would send a
/// corner far away.
std::vector<Vec3> flatten(const std::vector<Loop>& loops, std::vector<Vec3> v, double tolerance) {
  constexpr double enough = 1e-14, damping = 1e-6;
  const std::vector<Vec3> drawn = v;
  double before = bulge(loops, v);
  for (int pass = 0; pass < 200 && before > enough; ++pass) {
    std::vector<std::vector<Plane>> planes(v.size());
    for (const Loop& l : loops) {
      if (l.size() == 3) continue;
      for (const std::uint16_t i : l) planes[i].push_back(plane_of(l, v));
    }
    std::vector<Vec3> moved = v;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(planes[i].size());
      if (k == 0) continue;
      Eigen::MatrixX3d a(k, 3);
      Eigen::VectorXd r(k);
      for (Eigen::Index j = 0; j < k; ++j) {
        const Plane& p = planes[i][static_cast<std::size_t>(j)];
        a.row(j) << p.normal.x, p.normal.y, p.normal.z;
        r(j) = p.offset - dot(p.normal, v[i]);
      }
      const Eigen::MatrixXd square = a * a.transpose() + damping * Eigen::MatrixXd::Identity(k, k);
      const Eigen::Vector3d step = a.transpose() * square.ldlt().solve(r);
      moved[i] += Vec3{step(0), step(1), step(2)};
      if (norm(moved[i] - drawn[i]) > 10 * tolerance) return drawn;
    }
    const double after = bulge(loops, moved);
    if (!(after < before)) break;
    v = std::move(moved);
    before = after;
  }
  return v;
}

/// A vertex that is not clearly below a face it is not on (clearly: by more than `validate` asks, whatever the frame).
std::optional<std::size_t> knot(const std::vector<Loop>& loops, const std::vector<Vec3>& v) {
  for (const Loop& l : loops) {
    const Plane p = plane_of(l, v);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const bool below = dot(p.normal, v[i]) < p.offset - 1e-8;
      if (!below && std::find(l.begin(), l.end(), i) == l.end()) return i;
    }
  }
  return std::nullopt;
}

/// Whatever was merged, moved and dropped: no point of the drawing is left outside by more than a few tolerances.
Status check_holds(const Polyhedron& p, const std::vector<Vec3>& points, double tolerance) {
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    const Vec3 n = p.face_normals[f];
    const double limit = p.face_offsets[f] + 8 * tolerance;
    if (std::any_of(points.begin(), points.end(), [&](Vec3 v) { return dot(n, v) > limit; })) {
      return Error{"too nearly degenerate for a convex polyhedron"};
    }
  }
  return ok();
}

Result<Polyhedron> hull_within(const UnitCloud& cloud, std::span<const Vec3> drawn, std::vector<std::size_t> candidates,
                               double tolerance) {
  for (int attempt = 0; attempt < 16; ++attempt) {
    const Result<Faces> faces = merged_faces(cloud.points, candidates, tolerance);
    if (!faces) return faces.error();
    if (Status s = check_limits(*faces); !s) return s.error();
    const std::vector<Loop> loops = canonical(faces->loops);
    std::vector<Vec3> corners;
    for (const std::size_t i : faces->corners) corners.push_back(cloud.points[i]);
    std::vector<Vec3> flat = flatten(loops, corners, tolerance);
    candidates = faces->corners;
    if (const auto i = knot(loops, flat)) {
      // Features about as small as the tolerance; whether the vertex can be spared is decided by check_holds.
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(*i));
      continue;
    }
    const Result<Polyhedron> unit = assemble(flat, loops);
    if (!unit) return unit.error();
    if (Status s = check_holds(*unit, cloud.points, tolerance); !s) return s.error();
    for (std::size_t i = 0; i < flat.size(); ++i) {
      // Corners that did not move keep every digit that was drawn.
      flat[i] = flat[i] == corners[i] ? drawn[candidates[i]] : cloud.centre + cloud.extent * flat[i];
    }
    return assemble(std::move(flat), loops);
  }
  return Error{"too nearly degenerate for a convex polyhedron"};
}

}  // namespace

Result<Polyhedron> convex_hull(std::span<const Vec3> points, double tolerance) {
  Result<UnitCloud> cloud = to_unit(points);
  if (!cloud) return cloud.error();
  tolerance = std::clamp(tolerance, 1e-12, 1e-2);
  if (Status s = check_not_flat(cloud->points, tolerance); !s) return s.error();
  const auto extreme = qhull::extreme_points(cloud->points, 0.1 * tolerance);
  // Where Qhull's merging gives up, every point is a candidate, as far as that is affordable.
  std::vector<std::size_t> candidates(cloud->points.size());
  std::iota(candidates.begin(), candidates.end(), std::size_t{0});
  if (extreme) candidates = *extreme;
  if (candidates.size() > kMaxCandidates) {
    return extreme ? Error{"the hull has " + std::to_string(candidates.size()) + " vertices; the limit is " +
                           std::to_string(kMaxVertices)}
                   : extreme.error();
  }
  // Features about as small as the tolerance can end in a knot; a little more tolerance merges them.
  Result<Polyhedron> result = hull_within(*cloud, points, candidates, tolerance);
  for (const double more : {1.5, 2.0, 3.0, 5.0, 7.0, 10.0}) {
    if (result) break;
    Result<Polyhedron> again = hull_within(*cloud, points, candidates, more * tolerance);
    if (again) return again;
  }
  return result;
}

}  // namespace scree

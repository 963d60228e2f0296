#include "narrow/round_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "narrow/planar.h"

namespace scree::narrow {

namespace {

/// Rows [begin, end) as a list.
struct RowRange {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
  std::uint32_t operator[](std::size_t m) const { return static_cast<std::uint32_t>(begin + m); }
};

/// Closer than this share of the body's size to an edge or a corner, the line to it has lost its direction.
constexpr double kOnSurface = 1e-12;

void append_point(std::uint32_t pair, Vec3 point, Vec3 normal, double depth, FoundPoints& out) {
  out.points.push_back({pair, 0, point, normal, depth, depth, 0, depth});
}

/// Two round bodies. Rows that are apart cost a distance and no more.
template <bool kAdhesive, class Rows>
void round_round(const Particles& p, const PairTable& pairs, const Rows& rows, FoundPoints& out) {
  const bool ring = p.domain.any();
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const std::uint32_t k = rows[m], i = pairs.a[k], j = pairs.b[k];
    Vec3 d = p.position[j] - p.position[i];
    if (ring) d = nearest_image(p.domain, d);
    const double reach = p.radius[i] + p.radius[j], d2 = norm2(d);
    const double beyond = kAdhesive && pairs.count[k] > 0 ? out.adhesive_reach : 0, farthest = reach + beyond;
    if (d2 >= farthest * farthest) continue;
    const double distance = std::sqrt(d2), depth = reach - distance;
    if (!(depth > -beyond)) continue;
    const Vec3 n = distance > 0 ? (1 / distance) * d : Vec3{1, 0, 0};
    append_point(k, (p.radius[i] - 0.5 * depth) * n, n, depth, out);
  }
}

template <bool kAdhesive, class Rows>
void round_wall(const Particles& p, std::span<const WallView> walls, const PairTable& pairs, const Rows& rows,
                FoundPoints& out) {
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const std::uint32_t k = rows[m], i = pairs.a[k];
    const WallView& wall = walls[pairs.b[k]];
    const double depth = p.radius[i] - dot(wall.normal, p.position[i] - wall.point);
    const double beyond = kAdhesive && pairs.count[k] > 0 ? out.adhesive_reach : 0;
    if (depth > -beyond) append_point(k, (0.5 * depth - p.radius[i]) * wall.normal, -wall.normal, depth, out);
  }
}

/// Round bodies against others, whose closest point `closest(row of the other, centre relative to it, enough)` gives.
template <class Closest>
void round_other(const Particles& p, const Bodies& bodies, PairTable& pairs, std::span<const std::uint32_t> rows,
                 FoundPoints& out, Closest&& closest) {
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = pairs.a[k], j = pairs.b[k];
    const double travel = p.travel[i] + p.travel[j];
    if (travel < pairs.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    const bool a_is_round = is_round(bodies.kind(i));
    const std::uint32_t round = a_is_round ? i : j, other = a_is_round ? j : i;
    const double r = p.radius[round];
    const Vec3 x = p.from_to(other, round);
    const ClosestPoint c = closest(other, x, r * (1 + 1e-9));
    const double depth = r - c.distance;
    keep_clear(std::min(-depth, p.gap_of_images(i, j, x)), travel, &pairs.clear_until[k]);
    if (!(depth > 0)) continue;
    // Halfway between the round body's deepest point and the other's closest one.
    const Vec3 from_centre = (-0.5 * (r + c.distance)) * c.normal;
    if (a_is_round)
      append_point(k, from_centre, -c.normal, depth, out);
    else
      append_point(k, x + from_centre, c.normal, depth, out);
  }
}

Vec3 in_space(Vec2 v) { return {v.x, v.y, 0}; }
Vec2 in_plane(Vec3 v) { return {v.x, v.y}; }

void append_overlap(std::uint32_t pair, const PlanarOverlap& o, double penetration, FoundPoints& out) {
  if (o.depth > 0)
    out.points.push_back({pair, 0, in_space(o.centre), in_space(o.normal), o.depth, penetration, o.gyration,
                          o.energy_depth, in_space((o.gyration * std::sqrt(0.5)) * left_of(o.normal))});
}

PlanarPlane axis_of(const PlanarView& a, const PlanarView& b, Vec2 d, SearchCounters& counters) {
  PlanarSettings settings;
  settings.method = PlanarMethod::separating_axis;
  return find_plane(settings, a, b, d, nullptr, counters);
}

/// Is the foot of x on the plane of the face within its loop?
bool foot_is_inside(const Polyhedron& body, std::size_t face, Vec3 x) {
  const Vec3 n = body.face_normals[face];
  const auto loop = body.loop(face);
  Vec3 from = body.vertices[loop.back()];
  for (const std::uint16_t v : loop) {
    const Vec3 to = body.vertices[v];
    if (dot(cross(n, to - from), x - from) < 0) return false;
    from = to;
  }
  return true;
}

/// From the segment to x.
Vec3 from_segment(Vec3 p, Vec3 q, Vec3 x) {
  const Vec3 e = q - p, r = x - p;
  const double along = dot(e, r), whole = norm2(e);
  return along <= 0 ? r : (along >= whole ? x - q : r - (along / whole) * e);
}

/// In the body's own frame, at size 1.
ClosestPoint closest_in_body(const HotShape& shape, Vec3 x, double enough) {
  const Polyhedron& body = *shape.body;
  const std::size_t n = shape.padded_faces;
  std::array<double, kMaxFaces + kPad> height;
  const double *nx = shape.planes.data(), *ny = nx + n, *nz = ny + n, *offset = nz + n;
  for (std::size_t f = 0; f < n; ++f) height[f] = nx[f] * x.x + ny[f] * x.y + nz[f] * x.z - offset[f];
  std::size_t top = 0;
  for (std::size_t f = 1; f < shape.faces; ++f) top = height[f] > height[top] ? f : top;
  const ClosestPoint on_top{body.face_normals[top], height[top]};
  // Inside, or so far out that the plane of the face is proof enough, or over the face.
  if (height[top] <= 0 || height[top] > enough || foot_is_inside(body, top, x)) return on_top;
  // No face but the top one can be nearest: the distance is no less than any height. So it is an edge or an end of one.
  Vec3 line;
  double least = std::numeric_limits<double>::infinity();
  for (const Polyhedron::Edge& e : body.edges) {
    if (!(height[e.left] > 0) && !(height[e.right] > 0)) continue;
    const Vec3 d = from_segment(body.vertices[e.v0], body.vertices[e.v1], x);
    if (norm2(d) < least) least = norm2(d), line = d;
  }
  const double distance = std::sqrt(least);
  if (!(distance > kOnSurface * body.outer_radius)) return {on_top.normal, distance};
  return {line / distance, distance};
}

}  // namespace

ClosestPoint closest_point(const BodyView& body, Vec3 x, double enough) {
  ClosestPoint c = closest_in_body(*body.shape, transpose_times(body.rotation, x) / body.size, enough / body.size);
  c.normal = body.rotation * c.normal, c.distance *= body.size;
  return c;
}

ClosestPoint closest_point(const PlanarView& body, Vec2 x) {
  std::size_t top = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < body.size(); ++i) {
    const double h = dot(body.normals[i], x - body.corners[i]);
    if (h > highest) highest = h, top = i;
  }
  const ClosestPoint on_top{in_space(body.normals[top]), highest};
  if (highest <= 0) return on_top;
  Vec2 line;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Vec2 p = body.corners[i], e = body.corners[body.after(i)] - p, r = x - p;
    const double h = dot(body.normals[i], r), along = dot(e, r), whole = norm2(e);
    if (h > 0 && along >= 0 && along <= whole) return {in_space(body.normals[i]), h};
    if (norm2(r) < least) least = norm2(r), line = r;
  }
  const double distance = std::sqrt(least);
  if (!(distance > kOnSurface * body.radius)) return {on_top.normal, distance};
  return {in_space((1 / distance) * line), distance};
}

void round_contacts(const Particles& p, const PairTable& pairs, std::size_t begin, std::size_t end, FoundPoints& out) {
  const RowRange rows{begin, end};
  out.adhesive_reach > 0 ? round_round<true>(p, pairs, rows, out) : round_round<false>(p, pairs, rows, out);
}
void round_contacts(const Particles& p, const PairTable& pairs, std::span<const std::uint32_t> rows, FoundPoints& out) {
  out.adhesive_reach > 0 ? round_round<true>(p, pairs, rows, out) : round_round<false>(p, pairs, rows, out);
}

void round_polyhedron_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs,
                               std::span<const std::uint32_t> rows, FoundPoints& out) {
  round_other(p, bodies, pairs, rows, out,
              [&](std::uint32_t row, Vec3 x, double enough) { return closest_point(bodies.view(row), x, enough); });
}

void round_polygon_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs,
                            std::span<const std::uint32_t> rows, FoundPoints& out) {
  round_other(p, bodies, pairs, rows, out,
              [&](std::uint32_t row, Vec3 x, double) { return closest_point(bodies.planar_view(row), in_plane(x)); });
}

namespace {

/// `fast` ends at a gap above this share of the pair's size; an overlap above that share is checked by all edges.
constexpr double kEnough = 0.01, kDeep = 0.02;

/// The plane of two polygons by a search that goes on from that of the step before, and keeps it. `size` (m): mean.
PlanarPlane tracked_axis(const PlanarView& a, const PlanarView& b, Vec2 d, double size, const PlaneSettings& planes,
                         PaperPair& kept, SearchCounters& counters) {
  const bool is_fast = planes.method == PlaneMethod::fast;
  const double scale = a.radius + b.radius;
  PlanarSettings settings;
  settings.method = is_fast ? PlanarMethod::fast : PlanarMethod::common_plane;
  settings.cundall = planes.cundall;
  settings.enough = is_fast ? kEnough * scale : planes.cundall.tolerance * size;
  const PlanarPlane previous{in_plane(kept.n), kept.gap, kept.feature.va, kept.feature.vb, kept.feature};
  const bool known = kept.status != PaperPair::Status::unknown;
  PlanarPlane plane = find_plane(settings, a, b, d, known ? &previous : nullptr, counters);
  if (plane.gap < -kDeep * scale) {
    const PlanarPlane exact = axis_of(a, b, d, counters);
    if (exact.gap > plane.gap) plane = exact;
  }
  kept.n = in_space(plane.n), kept.gap = plane.gap, kept.feature = plane.feature;
  kept.status = plane.gap > 0 ? PaperPair::Status::apart : PaperPair::Status::touching;
  counters.solved += known ? 1 : 0;  // the others count as cold
  return plane;
}

}  // namespace

void polygon_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::span<const std::uint32_t> rows,
                      const PlaneSettings& planes, FoundPoints& out) {
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = pairs.a[k], j = pairs.b[k];
    const double travel = p.travel[i] + p.travel[j];
    if (travel < pairs.clear_until[k]) {
      ++out.counters.skipped;
      continue;
    }
    const PlanarView a = bodies.planar_view(i), b = bodies.planar_view(j);
    const Vec3 apart = p.from_to(i, j);
    const Vec2 d = in_plane(apart);
    PlanarPlane plane;
    PlanarOverlap overlap;
    if (pairs.keeps_tracked) {
      plane = tracked_axis(a, b, d, 0.5 * (p.size[i] + p.size[j]), planes, pairs.tracked[k], out.counters);
      // The overlap is exact from any plane; where it is empty or has no depth of its own, all edges have the last
      // word.
      if (plane.gap < 0) overlap = exact_overlap(a, b, d, plane);
      if (plane.gap < 0 && overlap.seeds) {
        plane = axis_of(a, b, d, out.counters);
        overlap = exact_overlap(a, b, d, plane);
      }
    } else {
      ++out.counters.solved;
      plane = axis_of(a, b, d, out.counters);
      if (plane.gap < 0) overlap = exact_overlap(a, b, d, plane);
    }
    keep_clear(std::min(plane.gap, p.gap_of_images(i, j, apart)), travel, &pairs.clear_until[k]);
    if (plane.gap < 0) append_overlap(k, overlap, -plane.gap, out);
  }
}

void round_wall_contacts(const Particles& p, std::span<const WallView> walls, const PairTable& pairs, std::size_t begin,
                         std::size_t end, FoundPoints& out) {
  const RowRange rows{begin, end};
  out.adhesive_reach > 0 ? round_wall<true>(p, walls, pairs, rows, out) : round_wall<false>(p, walls, pairs, rows, out);
}
void round_wall_contacts(const Particles& p, std::span<const WallView> walls, const PairTable& pairs,
                         std::span<const std::uint32_t> rows, FoundPoints& out) {
  out.adhesive_reach > 0 ? round_wall<true>(p, walls, pairs, rows, out) : round_wall<false>(p, walls, pairs, rows, out);
}

namespace {

/// A facet that a sphere reaches, in the mesh's frame.
struct Touch {
  std::uint32_t facet;
  double side;
  FacetMesh::Foot foot;
};

/// From the surface to the centre of the sphere.
Vec3 direction(const FacetMesh& mesh, const Touch& t, Vec3 x, double radius) {
  const Vec3 flat = t.side * mesh.facet(t.facet).normal;
  if (t.foot.inside || !(t.foot.distance > kOnSurface * radius)) return flat;
  return (x - t.foot.point) / t.foot.distance;
}

/// Keeps the touches that are contacts: those at places of the surface that are nearer to the centre than all places
/// around them. An edge within a flat face never is one, the ridge of a step is. Of several whose normals nearly agree,
/// as on the inside of a cylinder of facets, the deepest counts.
void keep_nearest_places(const FacetMesh& mesh, Vec3 x, double radius, std::vector<Touch>& touches) {
  const double same = std::max(2 * FacetMesh::kFlat * mesh.extent(), 1e-9 * radius);
  const auto nearer = [](const Touch& a, const Touch& b) {
    return a.foot.distance != b.foot.distance ? a.foot.distance < b.foot.distance : a.facet < b.facet;
  };
  std::sort(touches.begin(), touches.end(), nearer);
  // The facets are convex: where one holds the place but is nearer elsewhere, one gets nearer along it.
  std::size_t kept = 0;
  const std::vector<Touch>::size_type n = touches.size();
  std::array<bool, 64> drop{};
  std::size_t judged = std::min(n, drop.size());
  for (std::size_t i = 1; i < judged; ++i) {
    for (std::size_t j = 0; j < i && !drop[i]; ++j)
      drop[i] = mesh.foot(touches[j].facet, touches[i].foot.point).distance <= same;
  }
  const double smooth = std::cos(FacetMesh::kSmooth);
  for (std::size_t i = 0; i < judged; ++i) {
    if (drop[i]) continue;
    const Vec3 normal = direction(mesh, touches[i], x, radius);
    bool merged = false;
    for (std::size_t j = 0; j < kept && !merged; ++j)
      merged = dot(normal, direction(mesh, touches[j], x, radius)) > smooth;
    if (!merged) touches[kept++] = touches[i];
  }
  touches.resize(kept);
}

}  // namespace

void round_mesh_contacts(const Particles& p, std::span<const WallView> walls, PairTable& pairs,
                         std::span<const std::uint32_t> rows, NearFacets& near, FoundPoints& out) {
  thread_local std::vector<Touch> touches;
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = pairs.a[k];
    const WallView& wall = walls[pairs.b[k]];
    const double travel = p.travel[i] + wall.travel, radius = p.radius[i];
    if (travel < pairs.clear_until[k]) continue;
    const FacetMesh& mesh = *wall.mesh;
    const Vec3 x = transpose_times(wall.rotation, p.position[i] - wall.point);
    if (wall.round != nullptr) {
      const Frustum::Foot foot = wall.round->foot(x);
      keep_clear(std::min(foot.distance - radius, near.limit), travel, &pairs.clear_until[k]);
      const auto touch = [&](const Frustum::Foot& at, std::uint32_t key) {
        const double depth = radius - at.distance;
        const Vec3 normal = wall.rotation * at.normal;
        if (depth > 0) out.points.push_back({k, key, (0.5 * depth - radius) * normal, -normal, depth, depth, 0, depth});
      };
      touch(foot, 0);
      // What sits in a funnel touches all around; the two ends of a diameter stand for the ring.
      if (foot.inside) touch(wall.round->foot(x, true), 1);
      continue;
    }
    const std::span<const std::uint32_t> facets = near.of(k);
    const std::span<double> clear = near.clear_of(k);
    touches.clear();
    // A body that rests on many facets looks only at those that it may have come to since it last looked.
    const auto look = [&](std::size_t m) {
      const FacetMesh::Foot foot = mesh.foot(facets[m], x);
      const bool behind = wall.front_only && foot.height < 0;
      const double gap = std::max(foot.distance - radius, behind ? -foot.height : -radius);
      keep_clear(gap, travel, &clear[m]);
      if (!behind && foot.distance < radius) touches.push_back({facets[m], foot.height < 0 ? -1.0 : 1.0, foot});
      return gap;
    };
    bool looked_at_all = true;
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < facets.size(); ++m) {
      if (travel < clear[m])
        looked_at_all = false;
      else
        gap = std::min(gap, look(m));
    }
    // Nothing touches: what is kept of the pair must not depend on what was left out.
    if (gap > 0 && !looked_at_all) {
      gap = std::numeric_limits<double>::infinity();
      for (std::size_t m = 0; m < facets.size(); ++m) gap = std::min(gap, look(m));
    }
    keep_clear(std::min(gap, near.limit), travel, &pairs.clear_until[k]);
    if (touches.empty()) continue;
    keep_nearest_places(mesh, x, radius, touches);
    for (const Touch& t : touches) {
      const double depth = radius - t.foot.distance;
      const Vec3 normal = wall.rotation * direction(mesh, t, x, radius);
      const Vec3 point = (0.5 * depth - radius) * normal;
      if (wall.front_only && pairs.count[k] == 0 && near.newcomer(p, i).came_through(wall, normal, point, depth))
        continue;
      out.points.push_back({k, t.facet, point, -normal, depth, depth, 0, depth});
    }
  }
}

void polygon_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls,
                           const PairTable& pairs, std::span<const std::uint32_t> rows, FoundPoints& out) {
  for (const std::uint32_t k : rows) {
    const std::uint32_t i = pairs.a[k];
    const WallView& wall = walls[pairs.b[k]];
    const double offset = dot(wall.normal, wall.point - p.position[i]);
    const double depth = offset - lowest_point(p, bodies, i, wall.normal);
    if (depth > 0)
      append_overlap(k, overlap_with_line(bodies.planar_view(i), in_plane(wall.normal), offset), depth, out);
  }
}

double gap_between(const Particles& p, const Bodies& bodies, std::size_t i, std::size_t j) {
  const ShapeKind a = bodies.kind(i), b = bodies.kind(j);
  if (a == ShapeKind::clump || b == ShapeKind::clump) {
    const Parts& parts = *bodies.parts();
    double gap = std::numeric_limits<double>::infinity();
    for (std::uint32_t q = parts.start[i]; q < parts.start[i + 1]; ++q)
      for (std::uint32_t r = parts.start[j]; r < parts.start[j + 1]; ++r)
        gap = std::min(gap, gap_between(parts.rows, parts.bodies, q, r));
    return gap;
  }
  const Vec3 d = p.from_to(i, j);
  if (is_round(a) && is_round(b)) return norm(d) - p.radius[i] - p.radius[j];
  if (is_round(a) || is_round(b)) {
    const std::size_t other = is_round(a) ? j : i;
    const Vec3 x = is_round(a) ? -d : d;
    const double r = p.radius[is_round(a) ? i : j];
    return (is_planar(a) ? closest_point(bodies.planar_view(other), in_plane(x))
                         : closest_point(bodies.view(other), x, std::numeric_limits<double>::infinity()))
               .distance -
           r;
  }
  SearchCounters uncounted;
  if (is_planar(a)) return axis_of(bodies.planar_view(i), bodies.planar_view(j), in_plane(d), uncounted).gap;
  const double fast = fast_common_plane(bodies.view(i), bodies.view(j), d, nullptr, uncounted).gap;
  return fast > 0 ? fast : separating_axis(bodies.view(i), bodies.view(j), d).gap;
}

double lowest_point(const Particles& p, const Bodies& bodies, std::size_t i, Vec3 normal) {
  const ShapeKind kind = bodies.kind(i);
  if (is_round(kind)) return -p.radius[i];
  double low = std::numeric_limits<double>::infinity();
  if (kind == ShapeKind::clump) {
    const Parts& parts = *bodies.parts();
    for (std::uint32_t r = parts.start[i]; r < parts.start[i + 1]; ++r)
      low = std::min(low, dot(normal, parts.arm[r]) + lowest_point(parts.rows, parts.bodies, r, normal));
    return low;
  }
  if (kind == ShapeKind::polygon) {
    for (const Vec2 v : bodies.planar_view(i).corners) low = std::min(low, dot(in_plane(normal), v));
    return low;
  }
  const BodyView& a = bodies.view(i);
  for (std::size_t v = 0; v < a.shape->vertices; ++v) low = std::min(low, dot(normal, a.vertex(v)));
  return low;
}

}  // namespace scree::narrow

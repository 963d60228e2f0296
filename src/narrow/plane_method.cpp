#include "narrow/plane_method.h"

namespace scree::narrow {

namespace {

/// Does the foot of the point x (relative to the centroid of `body`) on the face lie within it?
bool foot_in_face(const BodyView& body, std::size_t face, Vec3 x) {
  const Vec3 n = body.face_normal(face);
  const auto loop = body.shape->body->loop(face);
  Vec3 from = body.vertex(loop.back());
  for (const std::uint16_t v : loop) {
    const Vec3 to = body.vertex(v);
    if (dot(cross(n, to - from), x - from) < 0) return false;
    from = to;
  }
  return true;
}

/// Do the feet of the common perpendicular of the edges p + s u and q + t v lie on both, and is it no longer than
/// `gap`? Edges of an earlier pose make a plane of which other corners may have come nearer.
bool linked_by_edges(Vec3 p, Vec3 u, Vec3 q, Vec3 v, double gap) {
  const Vec3 n = cross(u, v), w = q - p;
  const double n2 = norm2(n), s = dot(cross(w, v), n), t = dot(cross(w, u), n);
  return s >= 0 && s <= n2 && t >= 0 && t <= n2 && std::abs(dot(w, n)) <= gap * std::sqrt(n2);
}

/// Whether a link between the bodies is as short as the plane's gap: no plane can then be better.
bool has_link(const Plane& plane, const BodyView& a, const BodyView& b, Vec3 d) {
  const PlaneFeature& f = plane.feature;
  switch (f.kind) {
    case PlaneFeature::Kind::face_a:
      return foot_in_face(a, f.a, d + b.vertex(plane.vb));
    case PlaneFeature::Kind::face_b:
      return foot_in_face(b, f.b, a.vertex(plane.va) - d);
    case PlaneFeature::Kind::edge_edge: {
      const auto &ea = a.shape->body->edges[f.a], &eb = b.shape->body->edges[f.b];
      const double rounding = 4e-15 * (a.radius + b.radius);
      return linked_by_edges(a.vertex(ea.v0), a.edge(f.a), d + b.vertex(eb.v0), b.edge(f.b), plane.gap + rounding);
    }
    default:
      return false;
  }
}

/// Where the search begins: the plane of the step before, or the line of centroids.
Plane start_of(Vec3 d, const Plane* previous) {
  Plane start;
  if (previous != nullptr && std::abs(norm2(previous->n) - 1) < 1e-6) {
    start.n = normalized(previous->n), start.feature = previous->feature;
  } else {
    start.n = line_of_centroids(d);
  }
  return start;
}

}  // namespace

Plane exact_plane(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters) {
  Plane best;
  // Few normals of small bodies are sooner looked at than a link is slid.
  const bool few = a.shape->box && b.shape->box;
  if (!few && parted(a, b, d, start_of(d, previous), counters, &best)) return best;
  const Plane axis = separating_axis(a, b, d, previous, counters);
  if (!(axis.gap > 0) || has_link(axis, a, b, d)) return axis;
  // Apart: the nearest points may be corners, whose direction is no candidate of the separating axis.
  if (parted(a, b, d, axis, counters, &best)) return best;
  const Plane distance = gjk_plane(a, b, d, &axis, counters);
  return distance.gap > axis.gap ? distance : axis;
}

Plane find_plane(const PlaneSettings& settings, const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous,
                 SearchCounters& counters) {
  switch (settings.method) {
    case PlaneMethod::common_plane:
      return cundall_common_plane(settings.cundall, a, b, d, previous, counters);
    case PlaneMethod::fast:
      return fast_common_plane(a, b, d, previous != nullptr ? &previous->feature : nullptr, counters);
    case PlaneMethod::shortest_link:
      return shortest_link(settings.shortest_link, a, b, d, previous, counters);
    case PlaneMethod::separating_axis:
      return separating_axis(a, b, d, nullptr, counters);
    case PlaneMethod::gjk:
      return gjk_plane(a, b, d, previous, counters);
    case PlaneMethod::automatic:
      break;
  }
  return exact_plane(a, b, d, previous, counters);
}

}  // namespace scree::narrow

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_COMMON_PLANE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_COMMON_PLANE_INL_H
#undef SCREE_NARROW_COMMON_PLANE_INL_H
#else
#define SCREE_NARROW_COMMON_PLANE_INL_H
#endif

#include "narrow/common_plane.h"
#include "narrow/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Heights below this share of the pair's size are rounding.
inline constexpr double kInPlane = 2e-15;

/// The search between one pair: bodies, their separation, and what is being counted.
struct Query {
  const BodyView& a;
  const BodyView& b;
  Vec3 d;        ///< centroid of B - centroid of A
  double scale;  ///< sum of the bounding radii: what rounding is measured against
  SearchCounters* counters;
};

HWY_INLINE Plane PlaneAlong(const Query& q, Vec3 n) {
  const Support sa = FarthestVertex(q.a, n), sb = FarthestVertex(q.b, -n);
  return {n, dot(n, q.d) - sb.value - sa.value, sa.vertex, sb.vertex, {}};
}
/// Counted.
HWY_INLINE Plane Evaluate(const Query& q, Vec3 n) {
  ++q.counters->evaluations;
  return PlaneAlong(q, n);
}

/// Of the faces at a vertex, the one that looks most nearly along n.
HWY_INLINE std::size_t FaceAlong(const BodyView& x, std::uint32_t vertex, Vec3 n) {
  const Polyhedron& p = *x.shape->body;
  const Vec3 m = transpose_times(x.rotation, n);
  std::size_t best = p.vertex_faces[p.vertex_face_start[vertex]];
  double most = dot(p.face_normals[best], m);
  for (std::size_t i = p.vertex_face_start[vertex] + 1u; i < p.vertex_face_start[vertex + 1u]; ++i) {
    const double along = dot(p.face_normals[p.vertex_faces[i]], m);
    const bool more = along > most;  // a toss: no branch
    most = more ? along : most, best = more ? p.vertex_faces[i] : best;
  }
  return best;
}

/// Turns n so that A lies on its negative side (condition 1 of Nezami et al. 2004, section 3).
HWY_INLINE Vec3 Orient(const Query& q, Vec3 n) { return dot(n, q.d) < 0 ? -n : n; }

/// Unit vector perpendicular to both to the last digit of each: where they are nearly parallel the digits of a plain
/// cross product are lost along both. False where they are parallel to rounding.
HWY_INLINE bool Perpendicular(Vec3 e, Vec3 f, Vec3* n) {
  const Vec3 c = cross(e, f);
  const double e2 = norm2(e), both = e2 * norm2(f), c2 = norm2(c);
  if (c2 > 0.01 * both) {  // a plain product loses one digit at most
    *n = (1 / std::sqrt(c2)) * c;
    return true;
  }
  if (!(c2 > 1e-26 * both)) return false;
  const double per_e2 = 1 / e2;
  const Vec3 g = f - (dot(f, e) * per_e2) * e;
  const double per_g2 = 1 / norm2(g);
  Vec3 u = c - (dot(c, e) * per_e2) * e;
  u -= (dot(u, g) * per_g2) * g;
  *n = normalized(u - (dot(u, e) * per_e2) * e);
  return true;
}

/// Normal that a feature has in the present pose; false where the geometry degenerates.
HWY_INLINE bool NormalOf(const Query& q, const PlaneFeature& f, Vec3* n) {
  using Kind = PlaneFeature::Kind;
  Vec3 v{};
  double reference = 0;  // |v| far below this is rounding error
  switch (f.kind) {
    case Kind::none:
      return false;
    case Kind::face_a:
    case Kind::face_b: {  // which of the two is a coin toss: no branch
      const bool of_a = f.kind == Kind::face_a;
      *n = (of_a ? 1 : -1) * (of_a ? q.a : q.b).face_normal(of_a ? f.a : f.b);
      return true;
    }
    case Kind::edge_edge: {
      if (!Perpendicular(q.a.edge(f.a), q.b.edge(f.b), &v)) return false;
      *n = Orient(q, v);
      return true;
    }
    case Kind::vertex_vertex:
      v = q.d + q.b.vertex(f.b) - q.a.vertex(f.a);
      reference = q.scale;
      break;
    case Kind::edge_a: {
      const Vec3 e = q.a.edge(f.a), ab = q.d + q.b.vertex(f.b) - q.a.vertex(q.a.shape->body->edges[f.a].v0);
      v = ab - (dot(ab, e) / norm2(e)) * e;
      reference = q.scale;
      break;
    }
    case Kind::edge_b: {
      const Vec3 e = q.b.edge(f.b), ab = q.d + q.b.vertex(q.b.shape->body->edges[f.b].v0) - q.a.vertex(f.a);
      v = ab - (dot(ab, e) / norm2(e)) * e;
      reference = q.scale;
      break;
    }
  }
  const double length = norm(v);
  if (!(length > 1e-10 * reference)) return false;
  *n = Orient(q, v / length);
  return true;
}

HWY_INLINE void Try(const Query& q, PlaneFeature f, Plane* best) {
  Vec3 n;
  if (!NormalOf(q, f, &n)) return;
  Plane p = Evaluate(q, n);
  // A new plane must be better by more than rounding, so the gap rises over a finite set and the search cannot cycle.
  if (p.gap > best->gap + 1e-14 * q.scale) {
    p.feature = f;
    *best = p;
  }
}

/// Among the vertices equally close to the plane, the pair with the shortest link, then the lowest indices.
HWY_INLINE void ClosestVertices(const Query& q, Plane* p) {
  HWY_ALIGN double ha[kMaxVertices];
  HWY_ALIGN double hb[kMaxVertices];
  const double ta = Heights(q.a, p->n, 0, ha) - 1e-9 * q.scale, tb = Heights(q.b, -p->n, 0, hb) - 1e-9 * q.scale;
  double shortest = 1e300;
  for (std::uint32_t i = 0; i < q.a.shape->vertices; ++i) {
    if (ha[i] < ta) continue;  // NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult): Heights has filled them
    for (std::uint32_t j = 0; j < q.b.shape->vertices; ++j) {
      if (hb[j] < tb) continue;  // NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult)
      const double l = norm2(q.d + q.b.vertex(j) - q.a.vertex(i));
      if (l < shortest) shortest = l, p->va = i, p->vb = j;
    }
  }
}

/// Fast common plane in direct mode (Nezami et al. 2004, sections 5.2 and 6.1): from `best`, the candidates a-d at the
/// closest vertices, each evaluated with true support, until none is better. Stops early at a gap above `enough`.
inline void FastCommonPlane(const Query& q, Plane* best, double enough) {
  using Kind = PlaneFeature::Kind;
  const Polyhedron &pa = *q.a.shape->body, &pb = *q.b.shape->body;
  std::uint64_t iterations = 0;
  for (bool better = true; better && best->gap <= enough && iterations < 64;) {
    ++iterations;
    Plane current = *best;
    ClosestVertices(q, &current);
    const auto va = static_cast<std::uint16_t>(current.va), vb = static_cast<std::uint16_t>(current.vb);
    const double before = best->gap;
    Try(q, {Kind::vertex_vertex, va, vb, 0, 0}, best);
    for (std::size_t i = pa.vertex_face_start[va]; i < pa.vertex_face_start[va + 1u]; ++i)
      Try(q, {Kind::face_a, pa.vertex_faces[i], 0, 0, 0}, best);
    for (std::size_t i = pb.vertex_face_start[vb]; i < pb.vertex_face_start[vb + 1u]; ++i)
      Try(q, {Kind::face_b, 0, pb.vertex_faces[i], 0, 0}, best);
    for (std::size_t i = pa.vertex_edge_start[va]; i < pa.vertex_edge_start[va + 1u]; ++i) {
      const std::uint16_t ea = pa.vertex_edges[i];
      Try(q, {Kind::edge_a, ea, vb, 0, 0}, best);
      for (std::size_t j = pb.vertex_edge_start[vb]; j < pb.vertex_edge_start[vb + 1u]; ++j)
        Try(q, {Kind::edge_edge, ea, pb.vertex_edges[j], 0, 0}, best);
    }
    for (std::size_t j = pb.vertex_edge_start[vb]; j < pb.vertex_edge_start[vb + 1u]; ++j)
      Try(q, {Kind::edge_b, va, pb.vertex_edges[j], 0, 0}, best);
    better = best->gap > before;
  }
  q.counters->iterations += iterations;
  q.counters->searched += iterations > 0 ? 1 : 0;
  q.counters->iterations_max = q.counters->iterations_max > iterations ? q.counters->iterations_max : iterations;
  best->feature.va = static_cast<std::uint16_t>(best->va), best->feature.vb = static_cast<std::uint16_t>(best->vb);
}

/// Robust start without a previous plane: the search from the line of centroids; where that ends in contact, again from
/// the best face, which mends the few starts that end on a local optimum.
inline Plane ColdPlane(const Query& q, double enough) {
  using Kind = PlaneFeature::Kind;
  Plane best = Evaluate(q, line_of_centroids(q.d));
  FastCommonPlane(q, &best, enough);
  if (best.gap > 0) return best;
  Plane face;
  for (std::size_t f = 0; f < q.a.shape->body->face_normals.size(); ++f)
    Try(q, {Kind::face_a, static_cast<std::uint16_t>(f), 0, 0, 0}, &face);
  for (std::size_t f = 0; f < q.b.shape->body->face_normals.size(); ++f)
    Try(q, {Kind::face_b, 0, static_cast<std::uint16_t>(f), 0, 0}, &face);
  if (face.gap > best.gap) {
    FastCommonPlane(q, &face, enough);
    best = face;
  }
  return best;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

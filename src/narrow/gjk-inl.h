// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_GJK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_GJK_INL_H
#undef SCREE_NARROW_GJK_INL_H
#else
#define SCREE_NARROW_GJK_INL_H
#endif

#include "narrow/plane_features-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Difference of a vertex of B and one of A: a point of the Minkowski difference B - A, whose distance from the origin
/// is that of the bodies.
struct Corner {
  Vec3 w;
  std::uint16_t a = 0, b = 0;
  bool same(const Corner& o) const { return a == o.a && b == o.b; }
};

HWY_INLINE Corner CornerOf(const Query& q, std::uint32_t a, std::uint32_t b) {
  return {q.d + (q.b.vertex(b) - q.a.vertex(a)), static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)};
}

/// From corner s to corner t, without the separation of the bodies: exact to the size of the features, not of d.
HWY_INLINE Vec3 Side(const Query& q, const Corner& s, const Corner& t) {
  return (q.b.vertex(t.b) - q.b.vertex(s.b)) - (q.a.vertex(t.a) - q.a.vertex(s.a));
}

struct Simplex {
  Corner corner[4];
  std::uint32_t size = 0;
};

/// Point of a simplex nearest to the origin, |v| = distance, and the corners that carry it.
struct NearestPoint {
  Vec3 v, n;  ///< n = v/|v|, but taken from the sides where v itself is all rounding
  double distance = 1e300;
  std::uint32_t used = 0;  ///< bit per corner
  bool inside = false;     ///< of the tetrahedron: the bodies overlap
};

HWY_INLINE void NearestOfCorner(const Simplex& s, std::uint32_t i, NearestPoint* best) {
  const Vec3 v = s.corner[i].w;
  const double l = norm(v);
  if (l < best->distance) *best = {v, l > 0 ? v / l : Vec3{}, l, 1u << i, false};
}

HWY_INLINE void NearestOfSide(const Query& q, const Simplex& s, std::uint32_t i, std::uint32_t j, NearestPoint* best) {
  const Vec3 p = s.corner[i].w, e = Side(q, s.corner[i], s.corner[j]);
  const double e2 = norm2(e), t = -dot(p, e) / e2;
  if (!(t > 0 && t < 1)) return;
  Vec3 v = t < 0.5 ? p + t * e : s.corner[j].w + (t - 1) * e;
  v -= (dot(v, e) / e2) * e;  // a second time: perpendicular to the digits of v, not of p
  v -= (dot(v, e) / e2) * e;
  const double l = norm(v);
  if (l < best->distance) *best = {v, l > 0 ? v / l : Vec3{}, l, 1u << i | 1u << j, false};
}

/// Offers the triangle; says in `beyond` whether its plane parts the origin from `other` (null: not asked).
HWY_INLINE void NearestOfTriangle(const Query& q, const Simplex& s, std::uint32_t i, std::uint32_t j, std::uint32_t k,
                                  const Corner* other, bool* beyond, NearestPoint* best) {
  const Corner &p = s.corner[i], &r = s.corner[j], &t = s.corner[k];
  Vec3 n;
  if (!Perpendicular(Side(q, p, r), Side(q, p, t), &n)) {
    if (beyond) *beyond = true;
    return;
  }
  const double h = dot(n, p.w);
  if (other) *beyond = h * dot(n, Side(q, p, *other)) >= 0;
  if (!(std::abs(h) < best->distance)) return;
  const Vec3 v = h * n, x = p.w - v, y = r.w - v, z = t.w - v;
  if (!(dot(n, cross(x, y)) > 0 && dot(n, cross(y, z)) > 0 && dot(n, cross(z, x)) > 0)) return;
  *best = {v, h < 0 ? -n : n, std::abs(h), 1u << i | 1u << j | 1u << k, false};
}

/// Point of the simplex nearest to the origin. Every face that has the newest corner is tried and the nearest point
/// inside one is taken: no sign of a small determinant decides alone, which is what makes slivers harmless.
HWY_INLINE NearestPoint NearestOf(const Query& q, const Simplex& s) {
  NearestPoint best;
  const std::uint32_t last = s.size - 1;
  NearestOfCorner(s, last, &best);
  for (std::uint32_t i = 0; i < last; ++i) NearestOfSide(q, s, i, last, &best);
  if (s.size == 3) NearestOfTriangle(q, s, 0, 1, 2, nullptr, nullptr, &best);
  if (s.size < 4) return best;
  bool beyond[4];
  for (std::uint32_t i = 0; i < 3; ++i)
    NearestOfTriangle(q, s, i, (i + 1) % 3, 3, &s.corner[(i + 2) % 3], &beyond[i], &best);
  NearestOfTriangle(q, s, 0, 1, 2, &s.corner[3], &beyond[3], &best);
  best.inside = !beyond[0] && !beyond[1] && !beyond[2] && !beyond[3];
  return best;
}

HWY_INLINE void Keep(std::uint32_t used, Simplex* s) {
  std::uint32_t size = 0;
  for (std::uint32_t i = 0; i < s->size; ++i) {
    if (used >> i & 1u) s->corner[size++] = s->corner[i];
  }
  s->size = size;
}

HWY_INLINE bool Holds(const Simplex& s, const Corner& c) {
  for (std::uint32_t i = 0; i < s.size; ++i) {
    if (s.corner[i].same(c)) return true;
  }
  return false;
}

/// What the distance search ends with: the best lower bound and the simplex it was read from.
struct Distance {
  Plane best;
  Simplex at;                ///< of `best`
  Simplex last;              ///< nearest the origin; holds it where `meets`
  double above = 1e300;      ///< upper bound of the distance
  bool meets = false;        ///< the bodies touch or overlap, to rounding
  std::uint32_t rounds = 0;  ///< supports asked for
};

/// Distances of this share of the scale are rounding.
inline constexpr double kGjkRounding = 1e-14;

/// Distance of the origin from the Minkowski difference (Gilbert, Johnson & Keerthi 1988), from support points alone.
/// Ends when the lower bound gap(n) has met the upper bound |v|, to rounding.
HWY_INLINE Distance GjkDistance(const Query& q, Vec3 n) {
  Distance r;
  r.best = Evaluate(q, n);
  r.last.corner[0] = CornerOf(q, r.best.va, r.best.vb), r.last.size = 1;
  r.at = r.last;
  while (r.rounds < 64) {
    ++r.rounds;
    const NearestPoint near = NearestOf(q, r.last);
    if (near.inside || near.distance <= kGjkRounding * q.scale) {
      if (!near.inside) Keep(near.used, &r.last);
      r.meets = true;
      break;
    }
    if (!(near.distance < r.above)) break;  // rounding has stopped the descent
    r.above = near.distance;
    Keep(near.used, &r.last);
    const Plane p = Evaluate(q, near.n);
    if (p.gap > r.best.gap) r.best = p, r.at = r.last;
    if (r.above - r.best.gap <= 2e-15 * q.scale) break;
    const Corner c = CornerOf(q, p.va, p.vb);
    if (Holds(r.last, c)) break;
    r.last.corner[r.last.size++] = c;
  }
  return r;
}

/// Tries what the corners of a simplex say.
HWY_INLINE void TryCorners(const Simplex& s, FeatureTrial trial) {
  VertexSet a, b;
  for (std::uint32_t i = 0; i < s.size; ++i) a.add(s.corner[i].a), b.add(s.corner[i].b);
  trial.of(a, b);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

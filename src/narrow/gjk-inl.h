// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_GJK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_GJK_INL_H
#undef SCREE_NARROW_GJK_INL_H
#else
#define SCREE_NARROW_GJK_INL_H
#endif

#include "narrow/common_plane-inl.h"

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

/// Unit vector perpendicular to both to the last digit of each: where they are nearly parallel the digits of a plain
/// cross product are lost along both. False where they are parallel to rounding.
HWY_INLINE bool Perpendicular(Vec3 e, Vec3 f, Vec3* n) {
  const Vec3 c = cross(e, f);
  const double length = norm(c), e2 = norm2(e);
  if (!(length > 1e-13 * std::sqrt(e2 * norm2(f)))) return false;
  Vec3 u = c / length;
  u -= (dot(u, e) / e2) * e;
  const Vec3 g = f - (dot(f, e) / e2) * e;
  u -= (dot(u, g) / norm2(g)) * g;
  *n = normalized(u - (dot(u, e) / e2) * e);
  return true;
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

/// Distinct vertices of one body among the corners.
struct VertexSet {
  std::uint16_t v[8];
  std::uint32_t size = 0;
  void add(std::uint16_t x) {
    if (size == 8) return;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (v[i] == x) return;
    }
    v[size++] = x;
  }
};

/// Edge between two vertices; false if there is none.
HWY_INLINE bool EdgeBetween(const Polyhedron& p, std::uint16_t v0, std::uint16_t v1, std::uint16_t* edge) {
  for (std::size_t i = p.vertex_edge_start[v0]; i < p.vertex_edge_start[v0 + 1u]; ++i) {
    const auto& e = p.edges[p.vertex_edges[i]];
    if (e.v0 == v1 || e.v1 == v1) {
      *edge = p.vertex_edges[i];
      return true;
    }
  }
  return false;
}

/// Tries features and keeps the best plane; a feature whose plane is as good but for rounding names one without.
class FeatureTrial {
 public:
  /// `n`: the direction that the features must roughly have (it decides the sign of an edge pair's normal). A named
  /// plane with a gap of `enough` needs no rival.
  FeatureTrial(const Query& q, Vec3 n, double enough, Plane* best) : q_(q), n_(n), enough_(enough), best_(best) {}
  void of(const Simplex& s) {
    VertexSet a, b;
    for (std::uint32_t i = 0; i < s.size; ++i) a.add(s.corner[i].a), b.add(s.corner[i].b);
    faces(q_.a, a, PlaneFeature::Kind::face_a), faces(q_.b, b, PlaneFeature::Kind::face_b);
    edge_pairs(a, b);
    edges(q_.a, a, b, PlaneFeature::Kind::edge_a), edges(q_.b, b, a, PlaneFeature::Kind::edge_b);
    if (a.size == 1 && b.size == 1) rebuilt({PlaneFeature::Kind::vertex_vertex, a.v[0], b.v[0], 0, 0});
  }
  void edge_pairs(const VertexSet& a, const VertexSet& b) {
    for (std::uint32_t i = 0; i < a.size; ++i) {
      for (std::uint32_t j = i + 1; j < a.size; ++j) {
        std::uint16_t ea = 0, eb = 0;
        if (!EdgeBetween(*q_.a.shape->body, a.v[i], a.v[j], &ea)) continue;
        for (std::uint32_t k = 0; k < b.size; ++k) {
          for (std::uint32_t l = k + 1; l < b.size; ++l) {
            if (EdgeBetween(*q_.b.shape->body, b.v[k], b.v[l], &eb)) edge_pair(ea, eb);
          }
        }
      }
    }
  }

 private:
  /// The faces of a body that hold all the vertices, if these are two or more.
  void faces(const BodyView& body, const VertexSet& s, PlaneFeature::Kind kind) {
    if (s.size < 2) return;
    FaceMask common = body.shape->vertex_faces[s.v[0]];
    for (std::uint32_t i = 1; i < s.size; ++i) {
      for (std::size_t w = 0; w < common.size(); ++w) common[w] &= body.shape->vertex_faces[s.v[i]][w];
    }
    for (std::size_t w = 0; w < common.size(); ++w) {
      for (std::uint64_t m = common[w]; m != 0; m &= m - 1) {
        const auto f = static_cast<std::uint16_t>(64 * w + static_cast<std::size_t>(__builtin_ctzll(m)));
        rebuilt({kind, kind == PlaneFeature::Kind::face_a ? f : std::uint16_t{0},
                 kind == PlaneFeature::Kind::face_a ? std::uint16_t{0} : f, 0, 0});
      }
    }
  }
  /// NormalOf may turn the normal of an edge pair the other way (bodies deep in each other) or lose digits (edges
  /// nearly parallel): the plane is then kept, but its feature only where it gives the plane again.
  void edge_pair(std::uint16_t ea, std::uint16_t eb) {
    const PlaneFeature f{PlaneFeature::Kind::edge_edge, ea, eb, 0, 0};
    Vec3 n;
    if (!Perpendicular(q_.a.edge(ea), q_.b.edge(eb), &n)) return;
    if (dot(n, n_) < 0) n = -n;
    Vec3 again;
    const bool same = NormalOf(q_, f, &again) && norm2(again - n) < 1e-20;
    offer(n, same ? f : PlaneFeature{});
    if (!same) rebuilt(f);
  }
  void edges(const BodyView& body, const VertexSet& own, const VertexSet& other, PlaneFeature::Kind kind) {
    for (std::uint32_t i = 0; i < own.size; ++i) {
      for (std::uint32_t j = i + 1; j < own.size; ++j) {
        std::uint16_t e = 0;
        if (!EdgeBetween(*body.shape->body, own.v[i], own.v[j], &e)) continue;
        for (std::uint32_t k = 0; k < other.size; ++k) {
          const bool of_a = kind == PlaneFeature::Kind::edge_a;
          rebuilt({kind, of_a ? e : other.v[k], of_a ? other.v[k] : e, 0, 0});
        }
      }
    }
  }
  void rebuilt(const PlaneFeature& f) {
    Vec3 n;
    if (done() || !NormalOf(q_, f, &n)) return;
    offer(n, f);
  }
  void offer(Vec3 n, const PlaneFeature& f) {
    if (done()) return;
    const Plane p = Evaluate(q_, n);
    if (p.gap > best_->gap + 1e-15 * q_.scale) {
      *best_ = p;
      best_->feature = f;
    } else if (best_->feature.kind == PlaneFeature::Kind::none && p.gap >= best_->gap - 1e-12 * q_.scale) {
      best_->feature = f;
    }
  }
  bool done() const { return best_->feature.kind != PlaneFeature::Kind::none && best_->gap >= enough_; }

  const Query& q_;
  Vec3 n_;
  double enough_;
  Plane* best_;
};

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

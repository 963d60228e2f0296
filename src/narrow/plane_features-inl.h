// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_PLANE_FEATURES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_PLANE_FEATURES_INL_H
#undef SCREE_NARROW_PLANE_FEATURES_INL_H
#else
#define SCREE_NARROW_PLANE_FEATURES_INL_H
#endif

#include "narrow/common_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

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

/// NormalOf to the last digit, also for bodies almost in touch and edges almost parallel, where NormalOf says no. Of
/// the two normals of an edge pair, the one along `n`.
HWY_INLINE bool RefinedNormal(const Query& q, const PlaneFeature& f, Vec3 n, Vec3* out) {
  using Kind = PlaneFeature::Kind;
  if (f.kind == Kind::edge_edge) {
    if (!Perpendicular(q.a.edge(f.a), q.b.edge(f.b), out)) return false;
    if (dot(*out, n) < 0) *out = -*out;
    return true;
  }
  if (f.kind != Kind::vertex_vertex && f.kind != Kind::edge_a && f.kind != Kind::edge_b) return NormalOf(q, f, out);
  const std::size_t va = f.kind == Kind::edge_a ? q.a.shape->body->edges[f.a].v0 : f.a;
  const std::size_t vb = f.kind == Kind::edge_b ? q.b.shape->body->edges[f.b].v0 : f.b;
  Vec3 v = q.d + (q.b.vertex(vb) - q.a.vertex(va));
  if (f.kind != Kind::vertex_vertex) {
    const Vec3 e = f.kind == Kind::edge_a ? q.a.edge(f.a) : q.b.edge(f.b);
    for (int i = 0; i < 3; ++i) v -= (dot(v, e) / norm2(e)) * e;
  }
  const double length = norm(v);
  if (!(length > 1e-15 * q.scale)) return false;
  *out = v / length;
  return true;
}

/// Tries features and keeps the best plane; a feature whose plane is as good but for rounding names one without.
class FeatureTrial {
 public:
  /// `n`: the direction that the features must roughly have (it decides the sign of an edge pair's normal). A named
  /// plane with a gap of `enough` needs no rival.
  FeatureTrial(const Query& q, Vec3 n, double enough, Plane* best) : q_(q), n_(n), enough_(enough), best_(best) {}
  /// All features that these vertices span.
  void of(const VertexSet& a, const VertexSet& b) {
    faces(q_.a, a, PlaneFeature::Kind::face_a), faces(q_.b, b, PlaneFeature::Kind::face_b);
    edge_pairs(a, b);
    edges(q_.a, a, b, PlaneFeature::Kind::edge_a), edges(q_.b, b, a, PlaneFeature::Kind::edge_b);
    if (a.size == 1 && b.size == 1) feature({PlaneFeature::Kind::vertex_vertex, a.v[0], b.v[0], 0, 0});
  }
  void edge_pairs(const VertexSet& a, const VertexSet& b) {
    for (std::uint32_t i = 0; i < a.size; ++i) {
      for (std::uint32_t j = i + 1; j < a.size; ++j) {
        std::uint16_t ea = 0, eb = 0;
        if (!EdgeBetween(*q_.a.shape->body, a.v[i], a.v[j], &ea)) continue;
        for (std::uint32_t k = 0; k < b.size; ++k) {
          for (std::uint32_t l = k + 1; l < b.size; ++l) {
            if (EdgeBetween(*q_.b.shape->body, b.v[k], b.v[l], &eb))
              feature({PlaneFeature::Kind::edge_edge, ea, eb, 0, 0});
          }
        }
      }
    }
  }

  /// The plane is kept with the better of the normals; the feature only where NormalOf gives that normal again.
  void feature(const PlaneFeature& f) {
    Vec3 n, again;
    if (done() || !RefinedNormal(q_, f, n_, &n)) return;
    const bool same = NormalOf(q_, f, &again) && norm2(again - n) < 1e-20;
    offer(n, same ? f : PlaneFeature{});
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
        feature({kind, kind == PlaneFeature::Kind::face_a ? f : std::uint16_t{0},
                 kind == PlaneFeature::Kind::face_a ? std::uint16_t{0} : f, 0, 0});
      }
    }
  }
  void edges(const BodyView& body, const VertexSet& own, const VertexSet& other, PlaneFeature::Kind kind) {
    for (std::uint32_t i = 0; i < own.size; ++i) {
      for (std::uint32_t j = i + 1; j < own.size; ++j) {
        std::uint16_t e = 0;
        if (!EdgeBetween(*body.shape->body, own.v[i], own.v[j], &e)) continue;
        for (std::uint32_t k = 0; k < other.size; ++k) {
          const bool of_a = kind == PlaneFeature::Kind::edge_a;
          feature({kind, of_a ? e : other.v[k], of_a ? other.v[k] : e, 0, 0});
        }
      }
    }
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

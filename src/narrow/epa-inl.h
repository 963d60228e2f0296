// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_EPA_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_EPA_INL_H
#undef SCREE_NARROW_EPA_INL_H
#else
#define SCREE_NARROW_EPA_INL_H
#endif

#include "narrow/gjk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// How far the corners are shaken, as a share of the scale: far above rounding, so that no three corners of the
/// Minkowski difference lie in line (aligned cubes have many) and no facet of the polytope is without a normal; far
/// below what matters, because the planes are evaluated on the bodies as they are.
inline constexpr double kShake = 1e-11;

constexpr std::array<double, 6 * kMaxVertices> ShakeTable() {
  std::array<double, 6 * kMaxVertices> t{};
  std::uint64_t s = 0x9e3779b97f4a7c15ULL;
  for (double& x : t) {
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    x = static_cast<double>(static_cast<std::int64_t>(s) >> 11) * 0x1.0p-52;
  }
  return t;
}
inline constexpr std::array<double, 6 * kMaxVertices> kShakes = ShakeTable();  ///< in [-1, 1)

/// A body's vertices, shaken.
struct ShakenColumns {
  HWY_ALIGN double x[3][kMaxVertices];
  BodyView shake(const BodyView& body, double by, std::size_t table) {
    const double* from[3] = {body.x, body.y, body.z};
    const std::size_t count = body.shape->vertices;
    for (std::size_t c = 0; c < 3; ++c) {
      const double* t = kShakes.data() + (table + c) * kMaxVertices;
      for (std::size_t i = 0; i < count; ++i) x[c][i] = from[c][i] + by * t[i];
      for (std::size_t i = count; i < body.shape->padded; ++i) x[c][i] = x[c][0];
    }
    BodyView shaken = body;
    shaken.x = x[0], shaken.y = x[1], shaken.z = x[2];
    return shaken;
  }
};

/// Convex hull of known corners of the Minkowski difference, as triangles with neighbours. Its arrays start
/// uninitialised: clearing them would cost more than most searches.
class Polytope {
 public:
  static constexpr std::size_t kMaxCorners = 1024, kMaxFacets = 2 * kMaxCorners;
  static constexpr double kSettled = 1e300;

  explicit Polytope(double rounding) : rounding_(rounding) {}
  Vec3 outward(std::size_t f) const { return wide(facet_[f].u); }
  void settle(std::size_t f) { key_[f] = kSettled; }
  Simplex corners(std::size_t f) const {
    Simplex s;
    for (const std::uint16_t v : facet_[f].v) s.corner[s.size++] = {wide(corner_[v].w), corner_[v].a, corner_[v].b};
    return s;
  }

  /// A corner may stand above a sliver that it belongs to, by the rounding of the sliver's normal: it must not come
  /// twice.
  bool holds(const Corner& c) const {
    for (std::size_t i = 0; i < corners_; ++i) {
      if (corner_[i].a == c.a && corner_[i].b == c.b) return true;
    }
    return false;
  }

  /// Facet whose plane lies least far outside of the origin, of those not settled; `offset` is kSettled if none is
  /// left.
  std::size_t nearest(double* offset) const {
    std::size_t best = 0;
    *offset = kSettled;
    for (std::size_t f = 0; f < facets_; ++f) {
      if (key_[f] < *offset) *offset = key_[f], best = f;
    }
    return best;
  }

  /// False if the four lie in a plane.
  bool start(const Corner (&c)[4]) {
    for (const Corner& each : c) append(each);
    const bool left = dot(cross(c[1].w - c[0].w, c[2].w - c[0].w), c[3].w - c[0].w) < 0;
    const std::uint16_t i = left ? 1 : 2, j = left ? 2 : 1;
    facets_ = 4;
    return set(0, {i, 3, j}, {2, 1, 3}) && set(1, {0, j, 3}, {3, 0, 2}) && set(2, {0, 3, i}, {1, 0, 3}) &&
           set(3, {0, i, j}, {2, 0, 1});
  }

  /// Adds a corner that lies outside of facet `seed`. False when the buffers are full or rounding has torn the surface.
  bool insert(const Corner& c, std::size_t seed) {
    if (corners_ == kMaxCorners) return false;
    const std::uint16_t w = append(c);
    collect(c.w, seed);
    return gather_rim() && sew(w);
  }
  /// The same for a corner that may lie inside.
  bool insert(const Corner& c) {
    if (holds(c)) return true;
    double top = rounding_;
    std::size_t seed = kMaxFacets;
    for (std::size_t f = 0; f < facets_; ++f) {
      if (key_[f] == kDead) continue;
      const double h = height(f, c.w);
      if (h > top) top = h, seed = f;
    }
    return seed == kMaxFacets || insert(c, seed);
  }

 private:
  static constexpr double kDead = 1.1e300;
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::size_t kMaxRim = 512;
  struct Raw {
    double x, y, z;
  };
  struct Facet {
    Raw u;                              // unit, outward
    double offset;                      // u.x on the facet
    std::array<std::uint16_t, 3> v;     // counter-clockwise from outside
    std::array<std::uint16_t, 3> next;  // facet beyond the edge v[i], v[i + 1]
  };
  struct RawCorner {
    Raw w;
    std::uint16_t a, b;
  };
  struct Rim {
    std::uint16_t from, to, beyond, facet, before;
  };

  static Vec3 wide(const Raw& r) { return {r.x, r.y, r.z}; }
  double height(std::size_t f, Vec3 w) const { return dot(wide(facet_[f].u), w) - facet_[f].offset; }
  std::uint16_t append(const Corner& c) {
    corner_[corners_] = {{c.w.x, c.w.y, c.w.z}, c.a, c.b};
    return static_cast<std::uint16_t>(corners_++);
  }

  bool set(std::size_t f, std::array<std::uint16_t, 3> v, std::array<std::uint16_t, 3> next) {
    const Vec3 p = wide(corner_[v[0]].w), n = cross(wide(corner_[v[1]].w) - p, wide(corner_[v[2]].w) - p);
    const double l = norm(n);
    if (!(l > 0)) return false;
    const Vec3 u = n / l;
    facet_[f] = {{u.x, u.y, u.z}, dot(u, p), v, next};
    key_[f] = facet_[f].offset;
    return true;
  }

  /// The facets seen from w, connected with the seed: [seen_, seen_ + seen_count_). They are dead from here on.
  void collect(Vec3 w, std::size_t seed) {
    seen_count_ = 0;
    seen_[seen_count_++] = static_cast<std::uint16_t>(seed), key_[seed] = kDead;
    for (std::size_t i = 0; i < seen_count_; ++i) {
      for (const std::uint16_t g : facet_[seen_[i]].next) {
        if (key_[g] == kDead || !(height(g, w) > rounding_)) continue;
        seen_[seen_count_++] = g, key_[g] = kDead;
      }
    }
  }

  /// Edges between what is seen and what is not; each gets a facet, in the place of a dead one where there is one.
  /// (A rim is at most two longer than the facets seen, so kMaxFacets is never passed.)
  bool gather_rim() {
    rim_count_ = 0;
    for (std::size_t i = 0; i < seen_count_; ++i) {
      const Facet& f = facet_[seen_[i]];
      for (std::size_t k = 0; k < 3; ++k) {
        if (key_[f.next[k]] == kDead) continue;
        if (rim_count_ == kMaxRim) return false;
        const bool reuse = rim_count_ < seen_count_;
        if (!reuse && facets_ == kMaxFacets) return false;
        const std::uint16_t slot = reuse ? seen_[rim_count_] : static_cast<std::uint16_t>(facets_++);
        key_[slot] = kDead;
        rim_[rim_count_++] = {f.v[k], f.v[(k + 1) % 3], f.next[k], slot, kNone};
      }
    }
    return rim_count_ > 2;
  }

  /// Joins w to the rim; false unless that is one where every corner has one edge before and one after it.
  bool sew(std::uint16_t w) {
    for (std::size_t i = 0; i < rim_count_; ++i) starts_[rim_[i].to] = kNone;
    for (std::size_t i = 0; i < rim_count_; ++i) starts_[rim_[i].from] = static_cast<std::uint16_t>(i);
    for (std::size_t i = 0; i < rim_count_; ++i) {
      const std::uint16_t after = starts_[rim_[i].to];
      if (after == kNone || rim_[after].before != kNone) return false;
      rim_[after].before = rim_[i].facet;
    }
    for (std::size_t i = 0; i < rim_count_; ++i) {
      const Rim& r = rim_[i];
      if (r.before == kNone) return false;
      if (!set(r.facet, {r.from, r.to, w}, {r.beyond, rim_[starts_[r.to]].facet, r.before})) return false;
      for (std::size_t k = 0; k < 3; ++k) {
        if (facet_[r.beyond].v[k] == r.to) facet_[r.beyond].next[k] = r.facet;
      }
    }
    return true;
  }

  Facet facet_[kMaxFacets];
  double key_[kMaxFacets];  // offset, kSettled or kDead
  RawCorner corner_[kMaxCorners];
  std::uint16_t seen_[kMaxFacets], starts_[kMaxCorners];  // starts_: rim edge that begins at a corner
  Rim rim_[kMaxRim];
  std::size_t facets_ = 0, corners_ = 0, seen_count_ = 0, rim_count_ = 0;
  double rounding_;
};

HWY_INLINE Corner SupportCorner(const Query& q, Vec3 n) {
  const Plane p = Evaluate(q, n);
  return CornerOf(q, p.va, p.vb);
}

/// Four corners far from lying in a plane.
HWY_INLINE bool StartPolytope(const Query& q, Vec3 n, Polytope* hull) {
  Corner c[4] = {SupportCorner(q, n), SupportCorner(q, -n), {}, {}};
  const Vec3 axis = c[1].w - c[0].w, u = any_perpendicular(normalized(axis)), v = cross(normalized(axis), u);
  double far = -1;
  for (const Vec3 way : {u, -u, v, -v}) {
    const Corner s = SupportCorner(q, way);
    const double area = norm2(cross(axis, s.w - c[0].w));
    if (area > far) far = area, c[2] = s;
  }
  const Vec3 m = normalized(cross(axis, c[2].w - c[0].w));
  far = -1;
  for (const Vec3 way : {m, -m}) {
    const Corner s = SupportCorner(q, way);
    const double h = std::abs(dot(m, s.w - c[0].w));
    if (h > far) far = h, c[3] = s;
  }
  return hull->start(c);
}

/// Penetration (van den Bergen 2001): the polytope grows where it is nearest to the origin, until nothing that is left
/// can beat the best plane. Every facet found to belong to the difference itself names features, and these are
/// evaluated on the bodies as they are. When the polytope outgrows its buffers, `best` stays what it is: a lower bound
/// of the gap.
inline void ExpandPolytope(const Query& q, const Simplex& around, std::uint64_t* rounds, Plane* best) {
  const double by = kShake * q.scale;
  ShakenColumns columns_a, columns_b;
  const BodyView a = columns_a.shake(q.a, by, 0), b = columns_b.shake(q.b, by, 3);
  const Query shaken{a, b, q.d, q.scale, q.counters};
  Polytope hull(kGjkRounding * q.scale);
  if (!StartPolytope(shaken, best->n, &hull)) return;
  for (std::uint32_t i = 0; i < around.size; ++i) {
    if (!hull.insert(CornerOf(shaken, around.corner[i].a, around.corner[i].b))) return;
  }
  for (;;) {  // every round settles a facet or adds a corner
    double offset = 0;
    const std::size_t f = hull.nearest(&offset);
    if (offset >= -best->gap + 8 * by) return;  // shaking moves a corner of the difference by less than 4 `by`
    ++*rounds;
    const Vec3 n = -hull.outward(f);
    const Plane p = Evaluate(shaken, n);
    const Corner c = CornerOf(shaken, p.va, p.vb);
    const Simplex own = hull.corners(f);
    if (-p.gap - offset > 2 * kGjkRounding * q.scale && !hull.holds(c)) {
      if (!hull.insert(c, f)) return;
      continue;
    }
    hull.settle(f);
    const Plane as_found = Evaluate(q, n);
    if (as_found.gap > best->gap) *best = as_found;
    TryCorners(own, FeatureTrial(q, n, 1e300, best));
  }
}

/// The vertices closest to the plane, up to eight.
HWY_INLINE VertexSet Closest(const BodyView& body, Vec3 n, double within) {
  HWY_ALIGN double height[kMaxVertices];
  const double top = Heights(body, n, 0, height);
  VertexSet set;
  for (std::uint32_t i = 0; i < body.shape->vertices; ++i) {
    if (height[i] >= top - within) set.add(static_cast<std::uint16_t>(i));
  }
  return set;
}

/// Facets that nearly lie in one plane, or are narrower than the polytope was shaken, are one to it; the features of
/// all vertices close to the plane found tell them apart.
HWY_INLINE void RefinePlane(const Query& q, Plane* best) {
  using Kind = PlaneFeature::Kind;
  const Vec3 n = best->n;
  const VertexSet a = Closest(q.a, n, 1e3 * kShake * q.scale), b = Closest(q.b, -n, 1e3 * kShake * q.scale);
  if (a.size + b.size < 5) return;  // a facet of its own
  FeatureTrial trial(q, n, 1e300, best);
  const auto faces = [&](const BodyView& body, const VertexSet& s, Kind kind, Vec3 out) {
    const Polyhedron& p = *body.shape->body;
    for (std::uint32_t i = 0; i < s.size; ++i) {
      for (std::size_t k = p.vertex_face_start[s.v[i]]; k < p.vertex_face_start[s.v[i] + 1u]; ++k) {
        const std::uint16_t f = p.vertex_faces[k];
        if (dot(body.face_normal(f), out) < 1 - 1e-6) continue;
        trial.feature(kind == Kind::face_a ? PlaneFeature{kind, f, 0, 0, 0} : PlaneFeature{kind, 0, f, 0, 0});
      }
    }
  };
  faces(q.a, a, Kind::face_a, n), faces(q.b, b, Kind::face_b, -n);
  trial.edge_pairs(a, b);
}

/// Distance or penetration; the plane's feature is what the simplex or the facet says, none where nothing rebuilds it.
inline Plane Gjk(const Query& q, Vec3 start) {
  Distance r = GjkDistance(q, start);
  std::uint64_t rounds = r.rounds;
  Plane best = r.best;
  if (r.meets) {
    ExpandPolytope(q, r.last, &rounds, &best);
    RefinePlane(q, &best);
  } else {
    const FeatureTrial trial(q, best.n, r.above - 2e-15 * q.scale, &best);
    TryCorners(r.last, trial), TryCorners(r.at, trial);
  }
  q.counters->iterations += rounds;
  ++q.counters->searched;
  q.counters->iterations_max = q.counters->iterations_max > rounds ? q.counters->iterations_max : rounds;
  best.feature.va = static_cast<std::uint16_t>(best.va), best.feature.vb = static_cast<std::uint16_t>(best.vb);
  return best;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_SHORTEST_LINK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_SHORTEST_LINK_INL_H
#undef SCREE_NARROW_SHORTEST_LINK_INL_H
#else
#define SCREE_NARROW_SHORTEST_LINK_INL_H
#endif

#include <algorithm>

#include "narrow/plane_features-inl.h"
#include "narrow/plane_method.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// One end of the link: a point of a body's surface and the vertex, edge or face that it lies on.
struct LinkEnd {
  enum class On : std::uint8_t { vertex, edge, face };
  On on = On::vertex;
  std::uint16_t feature = 0;
  Vec3 p;  ///< in A's frame
  void set(On o, std::size_t f, Vec3 x) { on = o, feature = static_cast<std::uint16_t>(f), p = x; }
};

/// A body as the link sees it: vertices relative to A's centroid.
struct LinkBody {
  const BodyView& view;
  Vec3 at;          ///< of its centroid
  double rounding;  ///< m, lengths that decide nothing
  const Polyhedron& shape() const { return *view.shape->body; }
  Vec3 vertex(std::size_t i) const { return at + view.vertex(i); }
  double height(std::size_t f, Vec3 x) const { return dot(view.face_normal(f), x - vertex(shape().loop(f)[0])); }
};

/// In the plane of face f, from edge (v0, v1) of its loop towards the inside; unit.
HWY_INLINE Vec3 Inward(Vec3 n, Vec3 v0, Vec3 v1) { return normalized(cross(n, v1 - v0)); }

/// Puts the end on its edge at parameter t, or on the vertex that ends it.
HWY_INLINE void PutOnEdge(const LinkBody& s, std::size_t e, double t, LinkEnd* end) {
  const auto& edge = s.shape().edges[e];
  const Vec3 v0 = s.vertex(edge.v0), v1 = s.vertex(edge.v1);
  if (t <= 0)
    end->set(LinkEnd::On::vertex, edge.v0, v0);
  else if (t >= 1)
    end->set(LinkEnd::On::vertex, edge.v1, v1);
  else
    end->set(LinkEnd::On::edge, e, t < 0.5 ? v0 + t * (v1 - v0) : v1 + (t - 1) * (v1 - v0));
}

/// From a face: project, or leave through the side that the goal lies farthest beyond. True: arrived.
HWY_INLINE bool StepOnFace(const LinkBody& s, Vec3 goal, LinkEnd* end) {
  const std::size_t f = end->feature;
  const Vec3 n = s.view.face_normal(f);
  const auto loop = s.shape().loop(f);
  double most = -s.rounding;
  std::size_t leave = loop.size();
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3 v0 = s.vertex(loop[i]), v1 = s.vertex(loop[i + 1 < loop.size() ? i + 1 : 0]);
    const double inside = dot(Inward(n, v0, v1), goal - v0);
    if (inside < most) most = inside, leave = i;
  }
  if (leave == loop.size()) {
    end->p = goal - s.height(f, goal) * n;
    return true;
  }
  std::uint16_t edge = 0;
  EdgeBetween(s.shape(), loop[leave], loop[leave + 1 < loop.size() ? leave + 1 : 0], &edge);
  end->set(LinkEnd::On::edge, edge, end->p);
  return false;
}

/// From an edge: one of its two faces, else a vertex that ends it, else the foot of the goal. True: arrived.
HWY_INLINE bool StepOnEdge(const LinkBody& s, Vec3 goal, LinkEnd* end) {
  const std::size_t e = end->feature;
  const auto& edge = s.shape().edges[e];
  const Vec3 v0 = s.vertex(edge.v0), v1 = s.vertex(edge.v1), u = v1 - v0;
  const double t = dot(goal - v0, u) / norm2(u);
  PutOnEdge(s, e, t, end);
  if (end->on == LinkEnd::On::vertex) return false;
  const double left = dot(Inward(s.view.face_normal(edge.left), v0, v1), goal - v0);
  const double right = dot(Inward(s.view.face_normal(edge.right), v1, v0), goal - v0);
  if (!(left > s.rounding || right > s.rounding)) return true;
  end->set(LinkEnd::On::face, left > right ? edge.left : edge.right, end->p);
  return false;
}

/// From a vertex: along the edge that leads most directly to the goal; none: arrived. (A face that the goal lies over
/// has such an edge at each of its corners.)
HWY_INLINE bool StepOnVertex(const LinkBody& s, Vec3 goal, LinkEnd* end) {
  const std::size_t v = end->feature;
  const Polyhedron& shape = s.shape();
  const Vec3 p = s.vertex(v), way = goal - p;
  double most = s.rounding;
  std::size_t best = shape.edges.size();
  for (std::size_t i = shape.vertex_edge_start[v]; i < shape.vertex_edge_start[v + 1]; ++i) {
    const auto& edge = shape.edges[shape.vertex_edges[i]];
    const double along = dot(way, normalized(s.vertex(edge.v0 == v ? edge.v1 : edge.v0) - p));
    if (along > most) most = along, best = shape.vertex_edges[i];
  }
  end->p = p;
  if (best == shape.edges.size()) return true;
  end->set(LinkEnd::On::edge, best, p);
  return false;
}

/// Face whose plane the goal lies highest above; false if that is below all of them: inside.
HWY_INLINE bool HighestFace(const LinkBody& s, Vec3 goal, std::uint16_t* face) {
  double most = -s.rounding;
  for (std::size_t f = 0; f < s.shape().face_normals.size(); ++f) {
    const double h = dot(s.view.face_normal(f), goal - s.at) - s.view.face_offset(f);
    if (h > most) most = h, *face = static_cast<std::uint16_t>(f);
  }
  return most > -s.rounding;
}

/// Slides one end to the point of its body nearest to `goal`; false if that lies inside. An end that arrives on a face
/// turned away from the goal is trapped (the local minimum of Lin & Canny that Mirtich 1998 mends): it goes on from a
/// face that is turned to it.
HWY_INLINE bool SlideEnd(const LinkBody& s, Vec3 goal, LinkEnd* end) {
  for (int step = 0; step < 256; ++step) {
    const bool arrived = end->on == LinkEnd::On::face   ? StepOnFace(s, goal, end)
                         : end->on == LinkEnd::On::edge ? StepOnEdge(s, goal, end)
                                                        : StepOnVertex(s, goal, end);
    if (!arrived) continue;
    if (end->on != LinkEnd::On::face || s.height(end->feature, goal) >= -s.rounding) return true;
    if (!HighestFace(s, goal, &end->feature)) return false;
  }
  return true;
}

/// Both ends on edges: the points of the two where they are closest.
HWY_INLINE void MoveEdgeEdge(const LinkBody& a, const LinkBody& b, LinkEnd* ea, LinkEnd* eb) {
  const auto &fa = a.shape().edges[ea->feature], &fb = b.shape().edges[eb->feature];
  const Vec3 p = a.vertex(fa.v0), u = a.vertex(fa.v1) - p, q = b.vertex(fb.v0), v = b.vertex(fb.v1) - q;
  Vec3 n;
  if (!Perpendicular(u, v, &n)) return;  // parallel: sliding one end alone is exact
  const Vec3 w = q - p;
  const auto clamp = [](double t) { return t < 0 ? 0.0 : (t > 1 ? 1.0 : t); };
  // Across the other edge, in the plane of both: well conditioned down to the smallest angle.
  const Vec3 across_v = cross(v, n), across_u = cross(u, n);
  double t = clamp(dot(w, across_v) / dot(u, across_v)), r = clamp(-dot(w, across_u) / dot(v, across_u));
  r = clamp(dot(p + t * u - q, v) / norm2(v));
  t = clamp(dot(q + r * v - p, u) / norm2(u));
  PutOnEdge(a, ea->feature, t, ea), PutOnEdge(b, eb->feature, r, eb);
}

/// Part of the ray x + t w, t in [0, to], over face f; `side` says which side of the loop ends it (loop size: none).
HWY_INLINE double LeaveFace(const LinkBody& s, std::size_t f, Vec3 x, Vec3 w, double to, std::size_t* side) {
  const Vec3 n = s.view.face_normal(f);
  const auto loop = s.shape().loop(f);
  *side = loop.size();
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3 v0 = s.vertex(loop[i]), v1 = s.vertex(loop[i + 1 < loop.size() ? i + 1 : 0]), in = Inward(n, v0, v1);
    const double inside = dot(in, x - v0), speed = dot(in, w);
    if (!(speed < 0) || inside + to * speed >= 0) continue;
    to = inside > 0 ? inside / -speed : 0;
    *side = i;
  }
  return to;
}

HWY_INLINE void PutOnSide(const LinkBody& s, std::size_t f, std::size_t side, Vec3 x, LinkEnd* end) {
  const auto loop = s.shape().loop(f);
  std::uint16_t edge = 0;
  EdgeBetween(s.shape(), loop[side], loop[side + 1 < loop.size() ? side + 1 : 0], &edge);
  end->set(LinkEnd::On::edge, edge, x);
}

/// One end on an edge, the other on a face: down the edge until it ends or the face does; false if it goes through.
HWY_INLINE bool MoveEdgeFace(const LinkBody& s, const LinkBody& other, LinkEnd* on_edge, LinkEnd* on_face) {
  const auto& edge = s.shape().edges[on_edge->feature];
  const std::size_t f = on_face->feature;
  const Vec3 n = other.view.face_normal(f), v0 = s.vertex(edge.v0), v1 = s.vertex(edge.v1);
  const double slope = dot(n, v1 - v0);
  if (slope == 0) return true;
  const Vec3 low = slope < 0 ? v1 : v0, x = on_edge->p;
  std::size_t side = 0;
  const double t = LeaveFace(other, f, x, low - x, 1, &side);
  const Vec3 y = x + t * (low - x);
  const double h = other.height(f, y);
  if (!(h > 0)) return false;
  if (t >= 1)
    on_edge->set(LinkEnd::On::vertex, slope < 0 ? edge.v1 : edge.v0, low);
  else
    on_edge->p = y;
  on_face->p = y - h * n;
  if (t < 1) PutOnSide(other, f, side, on_face->p, on_face);
  return true;
}

/// Both on faces: along the steepest way of B's face down to A's, until one of the two ends; false if they cross first.
HWY_INLINE bool MoveFaceFace(const LinkBody& a, const LinkBody& b, LinkEnd* ea, LinkEnd* eb) {
  const Vec3 na = a.view.face_normal(ea->feature), nb = b.view.face_normal(eb->feature);
  const Vec3 down = dot(na, nb) * nb - na;
  const double steep = norm(down);
  if (!(steep > 1e-15)) return true;
  const Vec3 way = ((a.view.radius + b.view.radius) / steep) * down;
  std::size_t side_a = 0, side_b = 0;
  const Vec3 x = eb->p;
  const double tb = LeaveFace(b, eb->feature, x, way, 1e3, &side_b);
  const double ta = LeaveFace(a, ea->feature, x, way, tb, &side_a);
  const Vec3 y = x + ta * way;
  const double h = a.height(ea->feature, y);
  if (!(h > 0)) return false;
  eb->p = y, ea->p = y - h * na;
  if (side_a < a.shape().loop(ea->feature).size())
    PutOnSide(a, ea->feature, side_a, ea->p, ea);
  else if (side_b < b.shape().loop(eb->feature).size())
    PutOnSide(b, eb->feature, side_b, y, eb);
  return true;
}

/// Both ends at once, where sliding one at a time would creep: by cos^2 of the angle between the features per sweep.
/// False if the features cross: the bodies overlap.
HWY_INLINE bool MoveBoth(const LinkBody& a, const LinkBody& b, LinkEnd* ea, LinkEnd* eb) {
  using On = LinkEnd::On;
  if (ea->on == On::vertex || eb->on == On::vertex) return true;
  if (ea->on == On::face) return eb->on == On::face ? MoveFaceFace(a, b, ea, eb) : MoveEdgeFace(b, a, eb, ea);
  if (eb->on == On::face) return MoveEdgeFace(a, b, ea, eb);
  MoveEdgeEdge(a, b, ea, eb);
  return true;
}

/// The link: both ends, and how far B is drawn away from where it is.
struct Link {
  LinkEnd a, b;
  Vec3 shift;
  bool meets = false;  ///< where they lie, the bodies touch or overlap
  Vec3 vector() const { return b.p - a.p; }
};

/// Slides until the link gets no shorter; returns the number of sweeps.
inline std::uint64_t SlideLink(const Query& q, bool literal, Link* link) {
  const LinkBody a{q.a, {}, 1e-15 * q.scale}, b{q.b, q.d + link->shift, 1e-15 * q.scale};
  std::uint64_t sweeps = 0, stalled = 0;
  double last = 1e300;
  while (sweeps < 64) {
    ++sweeps;
    const LinkEnd before_a = link->a, before_b = link->b;
    link->meets = !SlideEnd(a, link->b.p, &link->a) || !SlideEnd(b, link->a.p, &link->b);
    const double length = norm(link->vector());
    if (link->meets || length == 0) break;
    const bool same = before_a.on == link->a.on && before_a.feature == link->a.feature && before_b.on == link->b.on &&
                      before_b.feature == link->b.feature;
    stalled = length >= last - 1e-15 * q.scale ? stalled + 1 : 0;
    if (stalled > 0 && (same || stalled > 3)) break;
    last = length;
    if (!literal && !MoveBoth(a, b, &link->a, &link->b)) {
      link->meets = true;
      break;
    }
  }
  return sweeps;
}

/// What the two ends lie on, as the feature of a plane. Of two faces A's is named.
HWY_INLINE PlaneFeature FeatureOf(const Query& q, const Link& link) {
  using On = LinkEnd::On;
  using Kind = PlaneFeature::Kind;
  const std::uint16_t a = link.a.feature, b = link.b.feature;
  if (link.a.on == On::face) return {Kind::face_a, a, 0, 0, 0};
  if (link.b.on == On::face) return {Kind::face_b, 0, b, 0, 0};
  if (link.a.on == On::edge && link.b.on == On::edge) {
    Vec3 n;
    if (Perpendicular(q.a.edge(a), q.b.edge(b), &n)) return {Kind::edge_edge, a, b, 0, 0};
    return {Kind::edge_a, a, q.b.shape->body->edges[b].v0, 0, 0};
  }
  if (link.a.on == On::edge) return {Kind::edge_a, a, b, 0, 0};
  if (link.b.on == On::edge) return {Kind::edge_b, a, b, 0, 0};
  return {Kind::vertex_vertex, a, b, 0, 0};
}

/// Ends on the features that a plane was left with.
HWY_INLINE Link LinkFrom(const Query& q, const PlaneFeature& f, std::uint32_t va, std::uint32_t vb) {
  using On = LinkEnd::On;
  using Kind = PlaneFeature::Kind;
  Link link;
  link.a.set(On::vertex, va, q.a.vertex(va)), link.b.set(On::vertex, vb, q.d + q.b.vertex(vb));
  const LinkBody a{q.a, {}, 0}, b{q.b, q.d, 0};
  if (f.kind == Kind::face_a) link.a.set(On::face, f.a, link.a.p);
  if (f.kind == Kind::face_b) link.b.set(On::face, f.b, link.b.p);
  if (f.kind == Kind::edge_a || f.kind == Kind::edge_edge) PutOnEdge(a, f.a, 0.5, &link.a);
  if (f.kind == Kind::edge_b || f.kind == Kind::edge_edge) PutOnEdge(b, f.b, 0.5, &link.b);
  return link;
}

/// The edges and faces that meet in an end: what the plane may lean on next when the bodies are put back together.
struct EndNeighbours {
  std::uint16_t edge[kMaxVertices], face[kMaxVertices];
  std::uint32_t edges = 0, faces = 0;
  EndNeighbours(const Polyhedron& p, const LinkEnd& end) {
    if (end.on == LinkEnd::On::face) {
      face[faces++] = end.feature;
    } else if (end.on == LinkEnd::On::edge) {
      edge[edges++] = end.feature;
      face[faces++] = p.edges[end.feature].left, face[faces++] = p.edges[end.feature].right;
    } else {
      const std::size_t v = end.feature;
      for (std::size_t i = p.vertex_edge_start[v]; i < p.vertex_edge_start[v + 1]; ++i)
        edge[edges++] = p.vertex_edges[i];
      for (std::size_t i = p.vertex_face_start[v]; i < p.vertex_face_start[v + 1]; ++i)
        face[faces++] = p.vertex_faces[i];
    }
  }
};

HWY_INLINE void TryNeighbours(const Query& q, const Link& link, Plane* best) {
  using Kind = PlaneFeature::Kind;
  const EndNeighbours a(*q.a.shape->body, link.a), b(*q.b.shape->body, link.b);
  FeatureTrial trial(q, best->n, 1e300, best);
  for (std::uint32_t i = 0; i < a.faces; ++i) trial.feature({Kind::face_a, a.face[i], 0, 0, 0});
  for (std::uint32_t i = 0; i < b.faces; ++i) trial.feature({Kind::face_b, 0, b.face[i], 0, 0});
  for (std::uint32_t i = 0; i < a.edges; ++i) {
    for (std::uint32_t j = 0; j < b.edges; ++j) trial.feature({Kind::edge_edge, a.edge[i], b.edge[j], 0, 0});
  }
  if (link.shift == Vec3{}) {
    for (std::uint32_t i = 0; link.b.on == LinkEnd::On::vertex && i < a.edges; ++i)
      trial.feature({Kind::edge_a, a.edge[i], link.b.feature, 0, 0});
    for (std::uint32_t j = 0; link.a.on == LinkEnd::On::vertex && j < b.edges; ++j)
      trial.feature({Kind::edge_b, link.a.feature, b.edge[j], 0, 0});
  }
}

/// The plane that a link says: normal from its features where they are drawn apart, gap where the bodies really are.
HWY_INLINE Plane PlaneOf(const Query& q, const Link& link, bool literal) {
  const Query apart{q.a, q.b, q.d + link.shift, q.scale, q.counters};
  const PlaneFeature f = FeatureOf(q, link);
  Plane best;
  best.n = link.vector();
  Vec3 n, again;
  if (literal ? NormalOf(apart, f, &n) : RefinedNormal(apart, f, link.vector(), &n)) {
    best = Evaluate(q, n);
    if (NormalOf(q, f, &again) && norm2(again - n) < 1e-20) best.feature = f;
  }
  if (literal) return best;
  // A long link says its direction better than nearly parallel edges do.
  const double length = norm(link.vector());
  if (length > 1e-8 * q.scale && f.kind == PlaneFeature::Kind::edge_edge) {
    const Plane p = Evaluate(q, link.vector() / length);
    if (p.gap > best.gap + 1e-15 * q.scale) best = p;
  }
  return best;
}

/// How far to draw overlapping bodies apart along the plane's normal: gap(n) grows by just as much, so they are clear
/// of each other by TOL at least. The literal method doubles, as it does not know the depth; the less they are drawn,
/// the less the link is bent towards the old normal.
HWY_INLINE double DrawApart(const ShortestLinkSettings& s, const Query& q, double gap, const Plane* previous) {
  const double tolerance = s.tolerance * std::min(q.a.size, q.b.size);
  if (!s.literal) return tolerance - gap;
  double by = previous != nullptr && -previous->gap > tolerance ? -previous->gap : tolerance;
  for (int i = 0; i < 64 && gap + by < tolerance; ++i) by *= 2;
  return by;
}

/// One search; the link and the best plane so far. Measured from cold starts on random pairs: apart, 3 in 220 000 short
/// of the distance by more than 1e-14 of the scale, at most 1.4e-13; overlaps under 5 % of a size, 1.3 % short of the
/// best gap (by 1e-4 of a size at most; needles and plates 4 %, 7e-3); deeper overlaps, a quarter.
class LinkSearch {
 public:
  LinkSearch(const ShortestLinkSettings& s, const Query& q, const Plane* previous, Vec3 n, const PlaneFeature& start)
      : settings_(s), q_(q), previous_(previous), best_(Evaluate(q, n)) {
    best_.feature = start;
    link_ = LinkFrom(q, start, best_.va, best_.vb);
  }

  /// As printed: overlapping bodies are drawn apart once.
  Plane literal() {
    if (!(best_.gap > 0)) slide(DrawApart(settings_, q_, best_.gap, previous_) * best_.n);
    if (best_.gap > 0) slide({});
    return done();
  }

  /// Whether the link proves a plane between bodies that the first plane parts; done() tells it.
  bool parts() { return best_.gap > 0 && in_place() && norm(link_.vector()) - best_.gap <= 2e-15 * q_.scale; }

  /// A link that neither end can shorten is the shortest, and gap(n) = its length proves it: for bodies that are apart
  /// the answer is exact. For bodies that overlap it is local. Drawn apart along the plane at hand and slid, they say a
  /// plane that is no worse (gap(m) + s m.n is largest for the link's m, so gap(m) >= gap(n) + s (1 - m.n)), and that
  /// is repeated until a plane is its own answer; but one on the other side of a deep body is never seen.
  Plane robust() {
    const Link link = link_;
    const Plane start = best_;
    if (in_place()) return done();
    if (best_.gap > 0) {
      draw_apart();
      return done();
    }
    // The ends have slid through the bodies and lie nowhere; the plane they left is tried second.
    const Plane second = best_;
    link_ = link, best_ = start;
    draw_apart();
    if (second.gap > best_.gap + rounding()) {
      best_ = second, link_ = LinkFrom(q_, second.feature, second.va, second.vb);
      draw_apart();
    }
    return done();
  }

  Plane done() {
    q_.counters->iterations += sweeps_;
    ++q_.counters->searched;
    q_.counters->iterations_max = std::max(q_.counters->iterations_max, sweeps_);
    best_.feature.va = static_cast<std::uint16_t>(best_.va), best_.feature.vb = static_cast<std::uint16_t>(best_.vb);
    return best_;
  }

 private:
  double rounding() const { return 1e-14 * q_.scale; }

  Plane slide(Vec3 shift) {
    link_.b.p += shift - link_.shift;
    link_.shift = shift;
    sweeps_ += SlideLink(q_, settings_.literal, &link_);
    const Plane p = PlaneOf(q_, link_, settings_.literal);
    const bool names = best_.feature.kind == PlaneFeature::Kind::none && p.feature.kind != PlaneFeature::Kind::none;
    if (p.gap > best_.gap + (names ? -1e-15 : 1e-15) * q_.scale) best_ = p;
    return p;
  }

  void draw_apart() {
    for (int round = 0; round < 16; ++round) {
      const double before = best_.gap;
      const Plane p = slide(DrawApart(settings_, q_, before, previous_) * best_.n);
      if (p.feature.kind == PlaneFeature::Kind::none) TryNeighbours(q_, link_, &best_);
      if (!(best_.gap > before + rounding()) || (best_.gap > 0 && in_place())) return;
    }
  }

  /// Slides the bodies as they lie: once from the features at hand, and again from the vertices closest to the plane
  /// reached. True: they are apart, and the link's length proves the plane best.
  bool in_place() {
    for (int start = 0; start < 4; ++start) {
      const double before = best_.gap;
      const Plane p = slide({});
      const double length = norm(link_.vector());
      if (best_.gap > 0 && length - best_.gap <= rounding()) return true;
      if (!(best_.gap > 0) && (start > 0 || link_.meets)) return false;
      if (best_.gap > 0 && length < 1e-3 * q_.scale) {
        TryNeighbours(q_, link_, &best_);
        if (length - best_.gap <= rounding()) return true;
      }
      if (start > 1 && !(best_.gap > before + rounding())) return false;
      link_ = LinkFrom(q_, {}, p.va, p.vb);
    }
    return false;
  }

  const ShortestLinkSettings settings_;
  const Query& q_;
  const Plane* previous_;
  Plane best_;
  Link link_;
  std::uint64_t sweeps_ = 0;
};

inline Plane ShortestLink(const ShortestLinkSettings& s, const Query& q, const Plane* previous, Vec3 n,
                          const PlaneFeature& start) {
  LinkSearch search(s, q, previous, n, start);
  return s.literal ? search.literal() : search.robust();
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "geometry/polyhedron.h"
#include "narrow/plane_method.h"
#include "oracle/long_double.h"
#include "oracle/posed_pair.h"

/// Pairs that every way of finding the common plane is tried on, and how far a result may be from the exact gap.
namespace scree::oracle {

using Search = std::function<narrow::Plane(const PosedPair&, const narrow::Plane* previous, narrow::SearchCounters&)>;

/// largest_gap, and for near contact its candidates once more with normals perpendicular to their edges to the last
/// digit: at a gap of 1e-8 of the size, subtracting a projection once leaves 1e-11 of the normal along the edge, which
/// costs the gap 1e-5 of itself.
inline Gap exact_gap(const PosedPair& posed) {
  const Solid a = solid(posed.a(), {}), b = solid(posed.b(), posed.d());
  Gap best = largest_gap(a, b);
  if (std::abs(best.gap) > 1e-3L * (a.reach + b.reach)) return best;
  const auto try_both = [&](V3 v) {
    const Real l = norm(v);
    if (!(l > 0)) return;
    try_normal(a, b, (1 / l) * v, &best);
    try_normal(a, b, (-1 / l) * v, &best);
  };
  const auto remove = [](V3 v, V3 u) {
    for (int i = 0; i < 3; ++i) v = v - (dot(v, u) / dot(u, u)) * u;
    return v;
  };
  const auto vertex_edge = [&](const std::vector<V3>& points, const Solid& s) {
    for (const auto& e : s.edge) {
      for (const V3& q : points) try_both(remove(q - s.vertex[e[0]], s.vertex[e[1]] - s.vertex[e[0]]));
    }
  };
  vertex_edge(b.vertex, a), vertex_edge(a.vertex, b);
  for (const V3& p : a.vertex) {
    for (const V3& q : b.vertex) try_both(q - p);
  }
  for (const auto& ea : a.edge) {
    const V3 u = a.vertex[ea[1]] - a.vertex[ea[0]];
    for (const auto& eb : b.edge) {
      const V3 v = b.vertex[eb[1]] - b.vertex[eb[0]], c = cross(u, v), w = remove(v, u);
      if (norm(c) > 1e-15L * norm(u) * norm(v)) try_both(remove(remove(remove(c, u), w), u));
    }
  }
  return best;
}
inline double smaller_size(const PosedPair& p) { return std::min(p.a().size, p.b().size); }

inline std::shared_ptr<const Shape> hull_shape(const char* name, const std::vector<Vec3>& points) {
  const Result<Polyhedron> hull = convex_hull(points);
  if (!hull) std::fprintf(stderr, "%s\n", hull.error().message.c_str()), std::abort();
  const Result<Shape> s = make_shape(name, *hull);
  if (!s) std::fprintf(stderr, "%s\n", s.error().message.c_str()), std::abort();
  return std::make_shared<const Shape>(*s);
}
inline std::shared_ptr<const Shape> box(const char* name, Vec3 half) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  return hull_shape(name, corners);
}
/// Corners drawn on the sphere of diameter 1, stretched.
inline std::shared_ptr<const Shape> boulder(const char* name, std::size_t vertices, Vec3 stretch, std::uint64_t seed) {
  Random u(seed);
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < vertices; ++i) {
    const Vec3 p = 0.5 * u.direction();
    corners.push_back({stretch.x * p.x, stretch.y * p.y, stretch.z * p.z});
  }
  return hull_shape(name, corners);
}

using Shapes = std::vector<std::shared_ptr<const Shape>>;
inline Shapes compact() {
  Shapes s;
  for (const std::string& n : compact_shapes()) s.push_back(shape(n));
  return s;
}
/// Longest to shortest side 100.
inline Shapes thin() {
  return {box("rod", {0.5, 0.005, 0.005}), box("sheet", {0.5, 0.5, 0.005}), boulder("splinter", 12, {1, 0.01, 0.01}, 1),
          boulder("flake", 16, {1, 1, 0.01}, 2), shape("grain14")};
}

/// Pairs in random poses: deep to centroids together, three sizes apart, and at gaps of 1e-15 to 0.1 of the smaller
/// size either way.
inline PosedPair random_pair(Random& u, const Shapes& shapes, double ratio) {
  const auto a = shapes[u.below(shapes.size())], b = shapes[u.below(shapes.size())];
  Pose pa{0.03, u.rotation(), {}}, pb{0.03 * std::pow(ratio, u.uniform(-1, 1)), u.rotation(), {}};
  PosedPair pair(a, b, pa, pb);
  const Vec3 dir = u.direction();
  const double touching = -narrow::evaluate_plane(pair.a(), pair.b(), {}, dir).gap, s = smaller_size(pair);
  const std::uint64_t kind = u.below(4);
  pb.position = (kind == 0 ? u.uniform() * touching : touching + s * u.uniform(0, 3)) * dir;
  pair.move(pa, pb);
  if (kind < 2) return pair;
  const double gap = s * std::pow(10, u.uniform(-15, -1)) * (kind == 2 ? 1 : -1);
  const Gap found = exact_gap(pair);
  pb.position += (gap - static_cast<double>(found.gap)) * narrowed(found.n);
  pair.move(pa, pb);
  return pair;
}

/// How often, and by how much, a search ends below the best gap.
struct Shortfall {
  int pairs = 0, below = 0, wrong_side = 0;
  double worst = 0;  ///< of the smaller size
  void add(double exact, double found, double size) {
    ++pairs;
    const double share = (exact - found) / size;
    below += share > 1e-6, wrong_side += exact > 1e-9 * size && found <= 0;
    worst = std::max(worst, share);
  }
  double share() const { return pairs == 0 ? 0 : static_cast<double>(below) / pairs; }
};
struct Shortfalls {
  Shortfall apart, shallow, deep;  ///< deep: by more than a twentieth of the smaller size
  std::uint64_t iterations_max = 0, iterations = 0, evaluations = 0;
  int unnamed = 0, unnamed_close = 0;  ///< planes without a feature; of these, gaps below 1e-9 of scale
  double of_scale = 0;                 ///< worst shortfall as a share of the sum of the bounding radii
  double not_rebuilt = 0;  ///< worst loss of gap, share of that, when the plane is built again from its feature
  int pairs() const { return apart.pairs + shallow.pairs + deep.pairs; }
  void add(double exact, double found, const PosedPair& p, const narrow::SearchCounters& c) {
    const double size = smaller_size(p);
    (exact > 0 ? apart : exact > -0.05 * size ? shallow : deep).add(exact, found, size);
    of_scale = std::max(of_scale, (exact - found) / p.scale());
    iterations += c.iterations, evaluations += c.evaluations;
    iterations_max = std::max(iterations_max, c.iterations_max);
  }
  void print(const char* what) const {
    for (const auto& [name, s] :
         {std::pair("apart", &apart), std::pair("overlap < 5 %", &shallow), std::pair("deeper", &deep)}) {
      std::printf("%-24s %-14s %6d pairs, %4d below the best gap (%.1e), worst %.1e sizes, %d taken for touching\n",
                  what, name, s->pairs, s->below, s->share(), s->worst, s->wrong_side);
    }
    std::printf(
        "%-24s worst %.1e of scale; iterations mean %.2f, at most %d; evaluations %.1f; %d (%d close) without a "
        "feature, "
        "rebuilding loses %.1e\n",
        what, of_scale, static_cast<double>(iterations) / pairs(), static_cast<int>(iterations_max),
        static_cast<double>(evaluations) / pairs(), unnamed, unnamed_close, not_rebuilt);
  }
};

/// Normal that a feature has in this pose, from its definition (src/narrow/contacts.h); zero where there is none.
inline Vec3 normal_of(const PosedPair& p, const PlaneFeature& f) {
  using Kind = PlaneFeature::Kind;
  const narrow::BodyView a = p.a(), b = p.b();
  const Vec3 d = p.d();
  Vec3 v;
  if (f.kind == Kind::face_a) return a.face_normal(f.a);
  if (f.kind == Kind::face_b) return -b.face_normal(f.b);
  if (f.kind == Kind::edge_edge) v = scree::cross(a.edge(f.a), b.edge(f.b));
  if (f.kind == Kind::vertex_vertex) v = d + b.vertex(f.b) - a.vertex(f.a);
  if (f.kind == Kind::edge_a) {
    const Vec3 e = normalized(a.edge(f.a)), w = d + b.vertex(f.b) - a.vertex(a.shape->body->edges[f.a].v0);
    v = w - scree::dot(w, e) * e;
  }
  if (f.kind == Kind::edge_b) {
    const Vec3 e = normalized(b.edge(f.b)), w = d + b.vertex(b.shape->body->edges[f.b].v0) - a.vertex(f.a);
    v = w - scree::dot(w, e) * e;
  }
  return normalized(scree::dot(v, d) < 0 ? -v : v);
}

inline void note_feature(const PosedPair& p, const narrow::Plane& plane, Shortfalls* found) {
  if (plane.feature.kind == PlaneFeature::Kind::none) {
    ++found->unnamed, found->unnamed_close += std::abs(plane.gap) < 1e-9 * p.scale();
    return;
  }
  const double again = narrow::evaluate_plane(p.a(), p.b(), p.d(), normal_of(p, plane.feature)).gap;
  found->not_rebuilt = std::max(found->not_rebuilt, (plane.gap - again) / p.scale());
}

/// One path: B passes A on a sine, both turn; `look` sees every step.
inline void along_path(Random& u, const Shapes& shapes, int steps,
                       const std::function<void(const PosedPair&, int)>& look) {
  const auto a = shapes[u.below(shapes.size())], b = shapes[u.below(shapes.size())];
  Pose pa{1, u.rotation(), {}}, pb{u.uniform(0.5, 2), u.rotation(), {}};
  PosedPair pair(a, b, pa, pb);
  const Vec3 dir = u.direction(), side = normalized(scree::cross(dir, u.direction()));
  const double reach = -narrow::evaluate_plane(pair.a(), pair.b(), {}, dir).gap, deepest = u.uniform(0.02, 0.3);
  const Vec3 axis_a = u.direction(), axis_b = u.direction();
  for (int step = 0; step < steps; ++step) {
    const double t = step / (steps - 1.0);
    pb.position = (reach + 0.2 - (0.2 + deepest) * std::sin(M_PI * t)) * dir + (0.6 * (t - 0.5)) * side;
    pa.orientation = normalized(axis_angle(axis_a, 0.01) * pa.orientation);
    pb.orientation = normalized(axis_angle(axis_b, -0.008) * pb.orientation);
    pair.move(pa, pb);
    look(pair, step);
  }
}

/// A plane that some other pose might have left behind.
inline narrow::Plane random_plane(Random& u, const PosedPair& p) {
  const Polyhedron &a = *p.a().shape->body, &b = *p.b().shape->body;
  narrow::Plane plane;
  plane.n = u.direction(), plane.gap = u.uniform(-1, 1) * p.scale();
  plane.va = static_cast<std::uint32_t>(u.below(a.vertices.size()));
  plane.vb = static_cast<std::uint32_t>(u.below(b.vertices.size()));
  using Kind = PlaneFeature::Kind;
  const auto kind = static_cast<Kind>(u.below(7));
  const bool face_a = kind == Kind::face_a, face_b = kind == Kind::face_b;
  const bool edge_a = kind == Kind::edge_edge || kind == Kind::edge_a,
             edge_b = kind == Kind::edge_edge || kind == Kind::edge_b;
  plane.feature.kind = kind;
  plane.feature.a = static_cast<std::uint16_t>(u.below(face_a   ? a.face_normals.size()
                                                       : edge_a ? a.edges.size()
                                                                : a.vertices.size()));
  plane.feature.b = static_cast<std::uint16_t>(u.below(face_b   ? b.face_normals.size()
                                                       : edge_b ? b.edges.size()
                                                                : b.vertices.size()));
  return plane;
}

/// A pair many sizes apart, and everything scaled by up to 10^6 either way.
inline PosedPair far_pair(Random& u, const Shapes& shapes) {
  const double size = std::pow(10, u.uniform(-6, 6)), apart = size * std::pow(10, u.uniform(0, 6));
  const auto a = shapes[u.below(shapes.size())], b = shapes[u.below(shapes.size())];
  return {a, b, {size, u.rotation(), {}}, {size * u.uniform(0.1, 1), u.rotation(), apart * u.direction()}};
}

struct DegenerateCase {
  std::string name;
  std::shared_ptr<const Shape> a, b;
  Pose pa, pb;
};

/// Poses without a unique link, normal or order of features, each at several gaps.
inline std::vector<DegenerateCase> degenerate_cases() {
  std::vector<DegenerateCase> cases;
  const Quat x = axis_angle({1, 0, 0}, M_PI / 4), y = axis_angle({0, 1, 0}, M_PI / 4),
             z = axis_angle({0, 0, 1}, M_PI / 4);
  const double r = std::sqrt(2.0);
  const auto cube = shape("cube"), octahedron = shape("octahedron");
  for (const double g : {-0.3, -1e-3, -1e-9, -1e-12, -1e-15, 0.0, 1e-15, 1e-12, 1e-9, 1e-3, 0.3}) {
    const auto add = [&](const char* name, const std::shared_ptr<const Shape>& a, const std::shared_ptr<const Shape>& b,
                         Pose pa, Pose pb) {
      char text[128];
      std::snprintf(text, sizeof text, "%s at %g", name, g);
      cases.push_back({text, a, b, pa, pb});
    };
    add("stacked", cube, cube, {1, {}, {}}, {1, {}, {0, 0, 1 + g}});
    add("stacked, shifted", cube, cube, {1, {}, {}}, {1, {}, {0.3, 0.2, 1 + g}});
    add("stacked, shifted a little", cube, cube, {1, {}, {}}, {1, {}, {1e-9, 1e-14, 1 + g}});
    add("edges above edges", cube, cube, {1, {}, {}}, {1, {}, {0.5, 0.5, 1 + g}});
    add("edges meet", cube, cube, {1, {}, {}}, {1, {}, {1, 0, 1 + g}});
    add("corners meet", cube, cube, {1, {}, {}}, {1, {}, {1, 1, 1 + g}});
    add("flush", cube, cube, {1, {}, {}}, {0.1, {}, {0.45, 0, 0.55 + g}});
    add("turned 45", cube, cube, {1, {}, {}}, {1, z, {0, 0, 1 + g}});
    add("edge on face", cube, cube, {1, {}, {}}, {1, x, {0, 0, 0.5 + r / 2 + g}});
    add("parallel edges", cube, cube, {1, x, {}}, {1, x, {0, 0, r + g}});
    add("parallel edges, end to end", cube, cube, {1, x, {}}, {1, x, {1, 0, r + g}});
    add("collinear edges", cube, cube, {1, x, {}}, {1, x, {1 + g, 0, 0}});
    add("crossed edges", cube, cube, {1, x, {}}, {1, y, {0, 0, r + g}});
    for (const double angle : {1e-3, 1e-5, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12})
      add("edges nearly parallel", cube, cube, {1, x, {}}, {1, axis_angle({0, 0, 1}, angle) * x, {0, 0, r + g}});
    for (const double angle : {1e-3, 1e-6, 1e-9, 1e-12})
      add("faces nearly parallel", cube, cube, {1, {}, {}},
          {1, axis_angle(normalized(Vec3{1, 0.3, 0}), angle), {0.2, 0, 1 + g}});
    add("corner on face", cube, octahedron, {1, {}, {}}, {1, {}, {0, 0, 0.5 + std::sqrt(0.5) + g}});
    add("corner on corner", octahedron, octahedron, {1, {}, {}}, {1, {}, {0, 0, r + g}});
    add("corner over edge", octahedron, cube, {1, {}, {}}, {1, x, {0, 0, std::sqrt(0.5) + r / 2 + g}});
    add("three depths alike", cube, cube, {1, {}, {}}, {1, {}, {1 + g, 1 + g, 1 + g}});
  }
  Random u(6);
  for (const std::string& name : all_shapes()) {
    const auto s = shape(name);
    const Quat o = u.rotation();
    cases.push_back({"identical " + name, s, s, {1, o, {1, 2, 3}}, {1, o, {1, 2, 3}}});
    cases.push_back({"identical, straight " + name, s, s, {1, {}, {}}, {1, {}, {}}});
    cases.push_back({"same pose, smaller " + name, s, s, {1, o, {}}, {0.5, o, {}}});
    cases.push_back({"centroids together " + name, s, s, {1, o, {1, 2, 3}}, {1, u.rotation(), {1, 2, 3}}});
    cases.push_back({"contains " + name, s, s, {1, o, {}}, {0.01, u.rotation(), {0.01, 0, 0.01}}});
    cases.push_back({"contained " + name, s, cube, {0.01, o, {}}, {1, u.rotation(), {0.1, 0.02, 0}}});
    cases.push_back({"vanishing " + name, s, cube, {1e-6, o, {}}, {1, u.rotation(), {0.4, 0.02, 0}}});
    cases.push_back({"face to face " + name,
                     s,
                     s,
                     {1, o, {}},
                     {1, o, (2 * s->body.face_offsets[0]) * (rotation_matrix(o) * s->body.face_normals[0])}});
    cases.push_back({"far " + name, s, cube, {1, o, {1e6, -1e6, 1e6}}, {1, o, {1e6 + 0.9, -1e6, 1e6 + 0.1}}});
  }
  return cases;
}

}  // namespace scree::oracle

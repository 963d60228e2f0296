#include "narrow/planar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace scree::narrow {

namespace {

using Kind = PlaneFeature::Kind;

/// The search between one pair: bodies, their separation, and what is being counted.
struct PlanarQuery {
  const PlanarView& a;
  const PlanarView& b;
  Vec2 d;        ///< centroid of B - centroid of A
  double scale;  ///< sum of the bounding radii: what rounding is measured against
  SearchCounters* counters;
};

struct Farthest {
  double value;
  std::uint32_t corner;  ///< lowest index among equals
};

Farthest farthest(const PlanarView& body, Vec2 n) {
  Farthest best{dot(n, body.corners[0]), 0};
  for (std::uint32_t i = 1; i < body.size(); ++i) {
    const double h = dot(n, body.corners[i]);
    if (h > best.value) best = {h, i};
  }
  return best;
}

PlanarPlane evaluate(const PlanarQuery& q, Vec2 n) {
  const Farthest fa = farthest(q.a, n), fb = farthest(q.b, -n);
  ++q.counters->evaluations;
  return {n, dot(n, q.d) - fb.value - fa.value, fa.corner, fb.corner, {}};
}

PlaneFeature feature(Kind kind, std::size_t a, std::size_t b) {
  return {kind, static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b), 0, 0};
}

/// Turns n so that A lies on its negative side (condition 1 of Nezami et al. 2004, section 3).
Vec2 orient(const PlanarQuery& q, Vec2 n) { return dot(n, q.d) < 0 ? -n : n; }

/// Normal that a feature has in the present pose; zero where there is none.
Vec2 normal_of(const PlanarQuery& q, const PlaneFeature& f) {
  switch (f.kind) {
    case Kind::face_a:
      return f.a < q.a.size() ? q.a.normals[f.a] : Vec2{};
    case Kind::face_b:
      return f.b < q.b.size() ? -q.b.normals[f.b] : Vec2{};
    case Kind::vertex_vertex:
      if (f.a >= q.a.size() || f.b >= q.b.size()) return {};
      return orient(q, normalized(q.d + q.b.corners[f.b] - q.a.corners[f.a]));
    default:
      return {};
  }
}

void try_feature(const PlanarQuery& q, PlaneFeature f, double margin, PlanarPlane* best) {
  if (f.kind == best->feature.kind && f.a == best->feature.a && f.b == best->feature.b) return;
  const Vec2 n = normal_of(q, f);
  if (n == Vec2{}) return;
  PlanarPlane p = evaluate(q, n);
  if (p.gap > best->gap + margin) {
    p.feature = f;
    *best = p;
  }
}

/// A new plane must be better by more than rounding, so the gap rises over a finite set and no search cycles.
double rounding(const PlanarQuery& q) { return 1e-14 * q.scale; }

PlanarPlane first_guess(const PlanarQuery& q, const PlanarPlane* previous) {
  if (previous != nullptr) {
    const Vec2 n = normal_of(q, previous->feature);
    if (!(n == Vec2{})) {
      PlanarPlane p = evaluate(q, n);
      p.feature = previous->feature;
      return p;
    }
    const Vec2 held = normalized(previous->n);
    if (!(held == Vec2{})) return evaluate(q, held);
  }
  ++q.counters->cold;
  const Vec2 n = normalized(q.d);
  return evaluate(q, n == Vec2{} ? Vec2{1, 0} : n);
}

void count_search(const PlanarQuery& q, std::uint64_t iterations) {
  ++q.counters->searched;
  q.counters->iterations += iterations;
  q.counters->iterations_max = std::max(q.counters->iterations_max, iterations);
}

/// Cundall's search in the plane (Nezami et al. 2004, section 4): n turns by k to either side; a turn that widens the
/// gap is kept, and tried first the next time; else k shrinks.
PlanarPlane cundall(const PlanarQuery& q, const PlanarSettings& settings, const PlanarPlane* previous) {
  constexpr std::uint64_t kMost = 10000;  // ends the loops also where shrink >= 1 or smallest <= 0
  const CundallSettings& turn = settings.cundall;
  PlanarPlane best = first_guess(q, previous);
  std::uint64_t iterations = 0;
  double side = 1;
  for (double k = turn.largest; k >= turn.smallest && iterations < kMost; k *= turn.shrink) {
    for (bool better = true; better && !(best.gap > settings.enough) && iterations < kMost;) {
      ++iterations;
      better = false;
      for (int attempt = 0; attempt < 2 && !better; ++attempt) {
        const PlanarPlane p = evaluate(q, normalized(best.n + (side * k) * left_of(best.n)));
        better = p.gap > best.gap + rounding(q);
        if (better)
          best = p;
        else
          side = -side;
      }
    }
  }
  count_search(q, iterations);
  return best;
}

/// The corners that define the plane; where an edge lies along it to rounding, its end with the shortest link to the
/// other body (section 6.1, step 2), then the lowest indices.
void closest_corners(const PlanarQuery& q, PlanarPlane* p) {
  const auto ends = [&](const PlanarView& body, std::uint32_t v, Vec2 n) {
    std::array<std::uint32_t, 3> corner{v, v, v};
    std::size_t count = 1;
    const double level = dot(n, body.corners[v]) - 1e-9 * q.scale;
    for (const std::size_t w : {body.before(v), body.after(v)}) {
      if (dot(n, body.corners[w]) >= level) corner[count++] = static_cast<std::uint32_t>(w);
    }
    return std::pair(corner, count);
  };
  const auto [of_a, count_a] = ends(q.a, p->va, p->n);
  const auto [of_b, count_b] = ends(q.b, p->vb, -p->n);
  if (count_a == 1 && count_b == 1) return;
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count_a; ++i) {
    for (std::size_t j = 0; j < count_b; ++j) {
      const double l = norm2(q.d + q.b.corners[of_b[j]] - q.a.corners[of_a[i]]);
      const bool lower = std::pair(of_a[i], of_b[j]) < std::pair(p->va, p->vb);
      if (l < shortest || (l == shortest && lower)) shortest = l, p->va = of_a[i], p->vb = of_b[j];
    }
  }
}

/// From `best`: the bisector of AB and the parallels to the two edges at A and the two at B, each evaluated with true
/// support, until none is better or the closest corners, and with them the five candidates, are those of the last
/// round.
void improve(const PlanarQuery& q, double enough, PlanarPlane* best) {
  std::uint64_t iterations = 0;
  std::uint32_t a = ~0u, b = ~0u;
  while (!(best->gap > enough) && iterations < 64) {
    PlanarPlane current = *best;
    closest_corners(q, &current);
    if (current.va == a && current.vb == b) break;
    ++iterations;
    a = current.va, b = current.vb;
    const double before = best->gap, margin = rounding(q);
    try_feature(q, feature(Kind::vertex_vertex, a, b), margin, best);
    try_feature(q, feature(Kind::face_a, q.a.before(a), 0), margin, best);
    try_feature(q, feature(Kind::face_a, a, 0), margin, best);
    try_feature(q, feature(Kind::face_b, 0, q.b.before(b)), margin, best);
    try_feature(q, feature(Kind::face_b, 0, b), margin, best);
    if (!(best->gap > before)) break;
  }
  count_search(q, iterations);
}

PlanarPlane fast(const PlanarQuery& q, const PlanarSettings& settings, const PlanarPlane* previous) {
  PlanarPlane best = first_guess(q, previous);
  if (!settings.draw_apart || !(best.gap < 0)) {
    improve(q, settings.enough, &best);
    return best;
  }
  // Section 6.2, step by step: each body moves by TRAN, the gap last seen; the plane found there is taken as it is.
  const double tran = std::max(-best.gap, previous == nullptr ? 0 : std::min(std::abs(previous->gap), q.scale));
  const PlanarQuery apart{q.a, q.b, q.d + (2 * tran) * best.n, q.scale, q.counters};
  best.gap += 2 * tran;
  improve(apart, settings.enough, &best);
  PlanarPlane p = evaluate(q, best.n);
  p.feature = best.feature;
  return p;
}

/// Gap along the normal m of edge i of `mine`, which is its own support there; `shift`: centroid of `other` relative to
/// that of `mine`. No more than `floor` where it cannot exceed that.
double gap_at_edge(const PlanarView& mine, std::size_t i, const PlanarView& other, Vec2 shift, double floor) {
  const Vec2 m = mine.normals[i];
  const double offset = dot(m, shift) - dot(m, mine.corners[i]);
  double gap = std::numeric_limits<double>::infinity();
  for (const Vec2 v : other.corners) {
    const double h = offset + dot(m, v);
    if (h <= floor) return floor;
    gap = h < gap ? h : gap;
  }
  return gap;
}

/// All edges: with the links below, all normals at which gap(n) can be largest.
PlanarPlane all_edges(const PlanarQuery& q) {
  double largest = -std::numeric_limits<double>::infinity();
  PlaneFeature best;
  const auto try_edges = [&](const PlanarView& mine, const PlanarView& other, Vec2 shift, Kind kind) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const double gap = gap_at_edge(mine, i, other, shift, largest);
      if (gap > largest) largest = gap, best = kind == Kind::face_a ? feature(kind, i, 0) : feature(kind, 0, i);
    }
    q.counters->evaluations += mine.size();
  };
  try_edges(q.a, q.b, q.d, Kind::face_a);
  try_edges(q.b, q.a, -q.d, Kind::face_b);
  PlanarPlane p = evaluate(q, normal_of(q, best));
  p.feature = best;
  return p;
}

/// Bodies apart are nearest either on an edge of the Minkowski difference, whose normal then has the gap G, or at one
/// of its corners, which then is the shortest link between two corners of the bodies.
PlanarPlane exact(const PlanarQuery& q) {
  PlanarPlane best = all_edges(q);
  if (!(best.gap > -rounding(q))) return best;
  double shortest = std::numeric_limits<double>::infinity();
  std::size_t a = 0, b = 0;
  for (std::size_t i = 0; i < q.a.size(); ++i) {
    const Vec2 from = q.d - q.a.corners[i];
    for (std::size_t j = 0; j < q.b.size(); ++j) {
      const double l = norm2(from + q.b.corners[j]);
      if (l < shortest) shortest = l, a = i, b = j;
    }
  }
  try_feature(q, feature(Kind::vertex_vertex, a, b), 0, &best);
  return best;
}

PlanarPlane search(const PlanarQuery& q, const PlanarSettings& settings, const PlanarPlane* previous) {
  switch (settings.method) {
    case PlanarMethod::common_plane:
      return cundall(q, settings, previous);
    case PlanarMethod::fast:
      return fast(q, settings, previous);
    case PlanarMethod::separating_axis:
      return all_edges(q);
    case PlanarMethod::exact:
      break;
  }
  return exact(q);
}

}  // namespace

PlanarBody::PlanarBody(const ConvexPolygon& shape, double size, double angle) : radius_(size * shape.outer_radius) {
  const double c = std::cos(angle), s = std::sin(angle);
  for (const Vec2 v : shape.vertices) corners_.push_back(turned(size * v, c, s));
  for (const Vec2 n : shape.edge_normals) normals_.push_back(turned(n, c, s));
}

PlanarPlane find_plane(const PlanarSettings& settings, const PlanarView& a, const PlanarView& b, Vec2 d,
                       const PlanarPlane* previous, SearchCounters& counters) {
  const PlanarQuery q{a, b, d, a.radius + b.radius, &counters};
  PlanarPlane p = search(q, settings, previous);
  p.feature.va = static_cast<std::uint16_t>(p.va), p.feature.vb = static_cast<std::uint16_t>(p.vb);
  return p;
}

PlanarPlane evaluate_plane(const PlanarView& a, const PlanarView& b, Vec2 d, Vec2 n) {
  SearchCounters uncounted;
  return evaluate({a, b, d, a.radius + b.radius, &uncounted}, n);
}

namespace {

/// Loop whose edge i, from p[i] to p[i + 1], lies on edge `edge[i]` of A or of B.
struct TaggedLoop {
  std::size_t n = 0;
  std::array<Vec2, 2 * kMaxPolygonVertices> p;
  std::array<std::uint16_t, 2 * kMaxPolygonVertices> edge;
  std::array<bool, 2 * kMaxPolygonVertices> of_a;

  // A convex loop gains one corner per cut; rounding on a flush edge could add more, and nothing is lost without them.
  void add(Vec2 point, std::uint16_t e, bool a) {
    if (n < p.size()) p[n] = point, edge[n] = e, of_a[n] = a, ++n;
  }
};

/// Keeps the part with m.x <= offset (Sutherland & Hodgman 1974); the cut lies on edge `cutting` of B.
void clip(const TaggedLoop& in, Vec2 m, double offset, std::uint16_t cutting, TaggedLoop* out) {
  out->n = 0;
  if (in.n == 0) return;
  std::size_t last = in.n - 1;
  double h_last = dot(m, in.p[last]) - offset;
  for (std::size_t i = 0; i < in.n; ++i) {
    const double h = dot(m, in.p[i]) - offset;
    if ((h > 0) != (h_last > 0)) {
      const Vec2 at = in.p[last] + (h_last / (h_last - h)) * (in.p[i] - in.p[last]);
      if (h > 0)
        out->add(at, cutting, false);
      else
        out->add(at, in.edge[last], in.of_a[last]);
    }
    if (!(h > 0)) out->add(in.p[i], in.edge[i], in.of_a[i]);
    last = i, h_last = h;
  }
}

/// Does the stretch from p to q, on an edge with the normal m, run along an edge of `other` to rounding? `shift`:
/// centroid of `other`.
bool runs_along(const PlanarView& other, Vec2 shift, Vec2 p, Vec2 q, Vec2 m, double width) {
  for (std::size_t k = 0; k < other.size(); ++k) {
    const Vec2 n = other.normals[k], on = shift + other.corners[k];
    if (dot(m, n) > 0 && std::abs(dot(n, p - on)) <= width && std::abs(dot(n, q - on)) <= width) return true;
  }
  return false;
}

/// Half the difference of what is A's and what is B's: on a closed loop that is A's own plus half of what both share.
Vec2 chord_of(const TaggedLoop& loop, const PlanarView& a, Vec2 at_a, const PlanarView& b, Vec2 at_b, double width) {
  Vec2 chord;
  for (std::size_t i = 0; i < loop.n; ++i) {
    const Vec2 p = loop.p[i], q = loop.p[i + 1 == loop.n ? 0 : i + 1];
    const bool of_a = loop.of_a[i];
    const bool shared = of_a ? runs_along(b, at_b, p, q, a.normals[loop.edge[i]], width)
                             : runs_along(a, at_a, p, q, b.normals[loop.edge[i]], width);
    if (!shared) chord += (of_a ? -0.5 : 0.5) * left_of(q - p);
  }
  return chord;
}

/// Area and centroid, about the loop's own corner.
void measure(const TaggedLoop& loop, PlanarOverlap* o) {
  double twice_area = 0;
  Vec2 moment;
  for (std::size_t i = 2; i < loop.n; ++i) {
    const Vec2 u = loop.p[i - 1] - loop.p[0], v = loop.p[i] - loop.p[0];
    const double det = cross(u, v);
    twice_area += det;
    moment += (det / 3) * (u + v);
  }
  if (!(twice_area > 0)) return;
  o->area = 0.5 * twice_area;
  o->centroid = loop.p[0] + (1 / twice_area) * moment;
}

/// Extent of the loop along n over the point `s` of the tangent.
double thickness_at(const TaggedLoop& loop, const std::array<Vec2, 2 * kMaxPolygonVertices>& q, double s) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto take = [&](double h) { low = std::min(low, h), high = std::max(high, h); };
  for (std::size_t i = 0; i < loop.n; ++i) {
    const Vec2 a = q[i], b = q[i + 1 == loop.n ? 0 : i + 1];
    if (a.x == s) take(a.y);
    if ((a.x < s && s < b.x) || (b.x < s && s < a.x)) take(a.y + (s - a.x) / (b.x - a.x) * (b.y - a.y));
  }
  return high > low ? high - low : 0;
}

/// Integrals over the chord, s being the tangent's coordinate from the centroid and h the overlap's thickness there.
struct Thickness {
  double chord = 0, h1 = 0, h2 = 0, h3 = 0;  ///< int 1, h, h^2, h^3 ds
  double x0 = 0, x2 = 0;                     ///< int s, s h^2 ds
};

/// The formula of docs/contact-geometry.md.
void place_force(const Thickness& i, Vec2 tangent, PlanarOverlap* o) {
  o->centre = o->centroid;
  if (!(i.h1 > 0) || !(i.h3 > 0)) return;
  o->energy_depth = std::sqrt(i.h3 / i.h1);
  const double curl = i.h3 / (2 * i.h1 * i.h1), below = 1.5 * i.h2 / i.h1 - i.chord * curl;
  if (below > 0) o->centre += ((1.5 * i.x2 / i.h1 - curl * i.x0) / below) * tangent;
}

/// True thickness along n: linear between the loop's corners.
Thickness thickness_between(const TaggedLoop& loop, const PlanarOverlap& o) {
  const Vec2 n = o.normal, t = left_of(n);
  std::array<Vec2, 2 * kMaxPolygonVertices> q;
  std::array<double, 2 * kMaxPolygonVertices> s{};
  for (std::size_t i = 0; i < loop.n; ++i) {
    const Vec2 r = loop.p[i] - o.centroid;
    q[i] = {dot(t, r), dot(n, r)}, s[i] = q[i].x;
  }
  std::sort(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(loop.n));
  Thickness sum;
  sum.chord = s[loop.n - 1] - s[0];
  double from = thickness_at(loop, q, s[0]);
  for (std::size_t i = 1; i < loop.n; ++i) {
    const double to = thickness_at(loop, q, s[i]), length = s[i] - s[i - 1], d = to - from;
    const double square = (from * from + from * to + to * to) / 3;
    sum.h1 += length * (from + to) / 2, sum.h2 += length * square;
    sum.h3 += length * (from + to) * (from * from + to * to) / 4;
    sum.x0 += length * (s[i] + s[i - 1]) / 2;
    sum.x2 += length * (s[i - 1] * square + length * (from * from / 2 + 2 * from * d / 3 + d * d / 4));
    from = to;
  }
  return sum;
}

/// Thickness measured from the line of the loop's stretch `side` along n: moments of the area, for int zeta^k dA is
/// int h^(k + 1)/(k + 1) ds. Of a cut by one line it gives U its derivative, leaning or not.
Thickness thickness_under(const TaggedLoop& loop, const PlanarOverlap& o, std::size_t side) {
  const Vec2 n = o.normal, t = left_of(n);
  double xx = 0, xy = 0, yy = 0;  // second moments about the centroid
  Thickness sum;
  sum.chord = norm(o.chord);
  for (std::size_t i = 0; i < loop.n; ++i) {
    const Vec2 p = loop.p[i] - o.centroid, q = loop.p[i + 1 == loop.n ? 0 : i + 1] - o.centroid;
    const double det = cross(p, q) / 24;
    const Vec2 both = p + q;
    xx += det * (both.x * both.x + p.x * p.x + q.x * q.x), yy += det * (both.y * both.y + p.y * p.y + q.y * q.y);
    xy += det * (both.x * both.y + p.x * p.y + q.x * q.y);
    sum.x0 += (loop.of_a[i] ? -0.25 : 0.25) * dot(left_of(q - p), n) * dot(both, t);
  }
  const Vec2 p = loop.p[side] - o.centroid, e = loop.p[side + 1 == loop.n ? 0 : side + 1] - loop.p[side];
  const Vec2 m = normalized(left_of(e));  // into the loop
  const double slope = 1 / std::abs(dot(m, n)), c0 = -slope * dot(m, p);
  const Vec2 c = slope * m, mc{xx * c.x + xy * c.y, xy * c.x + yy * c.y};
  sum.h1 = o.area, sum.h2 = 2 * c0 * o.area, sum.h3 = 3 * (c0 * c0 * o.area + dot(c, mc)), sum.x2 = 2 * dot(mc, t);
  return sum;
}

/// The loop's longest stretch on one of the bodies, and how far its share of the chord is from the whole.
struct Carrier {
  std::size_t side = 0;
  double missing = 1;
};
Carrier find_carrier(const TaggedLoop& loop, const PlanarOverlap& o, bool of_a) {
  double widest = 0;
  Carrier c;
  for (std::size_t i = 0; i < loop.n; ++i) {
    if (loop.of_a[i] != of_a) continue;
    const Vec2 e = loop.p[i + 1 == loop.n ? 0 : i + 1] - loop.p[i];
    const double across = std::abs(dot(left_of(e), o.normal));
    if (across > widest && across > 1e-3 * norm(e)) widest = across, c.side = i;
  }
  if (widest > 0) c.missing = std::abs(1 - widest / norm(o.chord));
  return c;
}

/// Between these shares of the chord missing from the side that carries it, the two ways to measure the thickness pass
/// into each other; the same shares as in three dimensions.
constexpr double kWhole = 0.005, kPatchy = 0.01;

void place_force(const TaggedLoop& loop, PlanarOverlap* o) {
  const Vec2 t = left_of(o->normal);
  if (!(norm(o->chord) > 0)) return place_force(thickness_between(loop, *o), t, o);
  const Carrier a = find_carrier(loop, *o, true), b = find_carrier(loop, *o, false);
  const double missing = std::min(a.missing, b.missing);
  const double share = std::clamp((kPatchy - missing) / (kPatchy - kWhole), 0.0, 1.0);
  PlanarOverlap between = *o, under = *o;
  if (share < 1) place_force(thickness_between(loop, *o), t, &between);
  if (share > 0) {
    const auto weight = [](double own, double other) { return own < kPatchy ? (kPatchy - own) * other : 0; };
    const double wa = weight(a.missing, b.missing), wb = weight(b.missing, a.missing);
    const double by_a = wa > 0 ? wa / (wa + wb) : 0;
    Thickness sum;
    const auto add = [&sum](double w, const Thickness& i) {
      sum.chord += w * i.chord, sum.h1 += w * i.h1, sum.h2 += w * i.h2, sum.h3 += w * i.h3, sum.x0 += w * i.x0,
          sum.x2 += w * i.x2;
    };
    if (by_a > 0) add(by_a, thickness_under(loop, *o, a.side));
    if (by_a < 1) add(1 - by_a, thickness_under(loop, *o, b.side));
    place_force(sum, t, &under);
  }
  o->centre = share * under.centre + (1 - share) * between.centre;
  o->energy_depth = share * under.energy_depth + (1 - share) * between.energy_depth;
}

/// From coordinates about `origin` to those about A's centroid.
void finish(const TaggedLoop& loop, Vec2 origin, double scale, PlanarOverlap* o) {
  const double length = norm(o->chord);
  if (length > 1e-12 * scale) o->normal = (1 / length) * o->chord, o->depth = o->area / length, o->seeds = false;
  o->gyration = length / std::sqrt(6.0);
  place_force(loop, o);
  o->centroid += origin, o->centre += origin;
}

}  // namespace

PlanarOverlap exact_overlap(const PlanarView& a, const PlanarView& b, Vec2 d, const PlanarPlane& seed) {
  PlanarOverlap o;
  const double scale = a.radius + b.radius;
  // All coordinates relative to the middle of the link, where the overlap is: the area of a corner shrinks like
  // depth^2.
  const Vec2 origin = 0.5 * (a.corners[seed.va] + (d + b.corners[seed.vb]));
  o.normal = seed.n, o.centroid = o.centre = origin;
  if (!(seed.gap <= 0)) return o;
  o.depth = o.energy_depth = -seed.gap;
  const Vec2 at_a = -origin, at_b = d - origin;
  std::array<TaggedLoop, 2> buffer;
  TaggedLoop *now = &buffer[0], *next = &buffer[1];
  for (std::size_t i = 0; i < a.size(); ++i) now->add(at_a + a.corners[i], static_cast<std::uint16_t>(i), true);
  for (std::size_t k = 0; k < b.size() && now->n > 2; ++k) {
    clip(*now, b.normals[k], dot(b.normals[k], at_b + b.corners[k]), static_cast<std::uint16_t>(k), next);
    std::swap(now, next);
  }
  if (now->n < 3) return o;
  measure(*now, &o);
  if (!(o.area > 0)) return o;
  o.chord = chord_of(*now, a, at_a, b, at_b, 1e-14 * scale);
  finish(*now, origin, scale, &o);
  return o;
}

PlanarOverlap overlap_with_line(const PlanarView& a, Vec2 m, double offset) {
  PlanarOverlap o;
  o.normal = -m;
  std::size_t deepest = 0;
  for (std::size_t i = 1; i < a.size(); ++i) {
    if (dot(m, a.corners[i]) < dot(m, a.corners[deepest])) deepest = i;
  }
  const Vec2 origin = a.corners[deepest];
  const double depth = offset - dot(m, origin);
  o.centroid = o.centre = origin;
  if (!(depth > 0)) return o;
  o.depth = o.energy_depth = depth;
  TaggedLoop whole, cut;
  for (std::size_t i = 0; i < a.size(); ++i) whole.add(a.corners[i] - origin, static_cast<std::uint16_t>(i), true);
  clip(whole, m, depth, 0, &cut);
  if (cut.n < 3) return o;
  measure(cut, &o);
  if (!(o.area > 0)) return o;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < cut.n; ++i) {
    if (cut.of_a[i]) continue;
    for (const Vec2 p : {cut.p[i], cut.p[i + 1 == cut.n ? 0 : i + 1]}) {
      const double s = dot(left_of(m), p);
      low = std::min(low, s), high = std::max(high, s);
    }
  }
  if (high > low) o.chord = (low - high) * m;
  finish(cut, origin, a.radius, &o);
  return o;
}

}  // namespace scree::narrow

#include "narrow/inspect_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/timer.h"
#include "narrow/paper_fcp.h"

namespace scree::narrow {

namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
/// Fourth powers of lengths this far apart are still numbers.
constexpr int kMostOctaves = 200;

double saturated(double x) { return std::clamp(x, -kLargest, kLargest); }
Vec3 saturated(Vec3 v) { return {saturated(v.x), saturated(v.y), saturated(v.z)}; }
Vec3 scaled(Vec3 v, int octaves) {
  return {std::ldexp(v.x, octaves), std::ldexp(v.y, octaves), std::ldexp(v.z, octaves)};
}
double largest(Vec3 v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }
int octave(double x) { return x > 0 ? std::ilogb(x) : -10000; }

/// A pair about A's centroid, in a unit of 2^octaves m in which the larger body's radius is 1 to 2: a power of two, so
/// that all bits are those of metres where nothing leaves the range of a double.
class Pair {
 public:
  Pair(const PosedShape& a, const PosedShape& b) : origin_(a.position) {
    Vec3 d = b.position - a.position;
    const bool halved = !is_finite(d);
    if (halved) d = 0.5 * b.position - 0.5 * a.position;
    const int far = octave(largest(d)) + (halved ? 1 : 0);
    octaves_ = std::max({radius_octave(a), radius_octave(b), far - kMostOctaves});
    particles_.resize(2);
    bodies_.set_shapes({a.shape, b.shape});
    particles_.shape = {0, 1};
    place(0, a, {});
    d = scaled(d, (halved ? 1 : 0) - octaves_);
    // Squares of less are no numbers any more; of the larger body it is far below rounding.
    place(1, b, octave(largest(d)) < -kMostOctaves ? Vec3{} : d);
  }

  const BodyView& a() const { return bodies_.view(0); }
  const BodyView& b() const { return bodies_.view(1); }
  Vec3 d() const { return particles_.position[1]; }
  double scale() const { return particles_.radius[0] + particles_.radius[1]; }
  bool clamped() const { return clamped_; }

  double metres(double x, int power = 1) const { return saturated(std::ldexp(x, power * octaves_)); }
  Vec3 in_space(Vec3 v) const { return saturated(origin_ + saturated(scaled(v, octaves_))); }
  Vec3 in_metres(Vec3 v) const { return saturated(scaled(v, octaves_)); }

  std::vector<FoundPoint> points(const PlaneSettings& settings, ContactGeometry geometry) const {
    PairTable pairs;
    pairs.keeps_tracked = keeps_track(settings);
    pairs.resize(1);
    pairs.a[0] = 0, pairs.b[0] = 1;
    FoundPoints out;
    find_body_contacts(particles_, bodies_, pairs, 0, 1, settings, geometry, out);
    for (FoundPoint& p : out.points) {
      p.point = in_space(p.point);
      for (double* length : {&p.depth, &p.penetration, &p.gyration, &p.energy_depth}) *length = metres(*length);
    }
    return out.points;
  }

 private:
  static int radius_octave(const PosedShape& s) { return octave(s.size) + octave(s.shape->body.outer_radius); }
  void place(std::size_t i, const PosedShape& s, Vec3 position) {
    const int octaves = std::max(octave(s.size) - octaves_, -kMostOctaves - octave(s.shape->body.outer_radius));
    clamped_ = clamped_ || octaves != octave(s.size) - octaves_;
    particles_.size[i] = std::ldexp(s.size, octaves - octave(s.size));
    particles_.radius[i] = particles_.size[i] * s.shape->body.outer_radius;
    particles_.orientation[i] = s.orientation, particles_.position[i] = position;
    if (i == 0) return;
    bodies_.lay_out(particles_);
    for (std::size_t k = 0; k < 2; ++k) bodies_.pose(particles_, k);
  }

  Vec3 origin_;
  int octaves_ = 0;
  bool clamped_ = false;
  Particles particles_;
  Bodies bodies_;
};

Plane find(const Strategy& s, const BodyView& a, const BodyView& b, Vec3 d, SearchCounters& counters) {
  if (s.settings.method != PlaneMethod::fast || !s.settings.fast.paper)
    return find_plane(s.settings, a, b, d, nullptr, counters);
  PaperPair pair;
  pair.n = line_of_centroids(d);
  pair.gap = evaluate_plane(a, b, d, pair.n).gap;
  pair.rotation_a = a.rotation, pair.rotation_b = b.rotation, pair.d = d;
  pair.status = pair.gap > 0 ? PaperPair::Status::apart : PaperPair::Status::touching;
  return paper_fast_common_plane(s.settings.fast, a, b, d, 0, 0, pair, counters);
}

/// Vertices within 1e-9 of the pair's size of the farthest along n.
std::vector<std::uint16_t> support(const BodyView& body, Vec3 n, double scale) {
  double most = -kLargest;
  for (std::size_t v = 0; v < body.shape->vertices; ++v) most = std::max(most, dot(n, body.vertex(v)));
  std::vector<std::uint16_t> found;
  for (std::size_t v = 0; v < body.shape->vertices; ++v) {
    if (dot(n, body.vertex(v)) >= most - 1e-9 * scale) found.push_back(static_cast<std::uint16_t>(v));
  }
  return found;
}

/// Median over batches of at least 20 us, for 20 ms or 51 batches.
double nanoseconds_per_call(const Strategy& s, const Pair& pair) {
  const BodyView &a = pair.a(), &b = pair.b();
  SearchCounters counters;
  const auto batch = [&](std::size_t calls) {
    const Stopwatch watch;
    for (std::size_t i = 0; i < calls; ++i) find(s, a, b, pair.d(), counters);
    return 1e9 * watch.seconds();
  };
  std::size_t calls = 1;
  while (calls < 1u << 16 && batch(calls) < 2e4) calls *= 2;
  std::vector<double> times;
  const Stopwatch watch;
  while (times.empty() || (times.size() < 51 && watch.seconds() < 20e-3))
    times.push_back(batch(calls) / static_cast<double>(calls));
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

struct Link {
  Vec3 a, b;
  double length2 = kLargest;
  void offer(Vec3 pa, Vec3 pb) {
    const double l = norm2(pb - pa);
    if (l < length2) *this = {pa, pb, l};
  }
};

/// Points p + s u and q + t v, s and t in [0, 1], nearest to each other. Not of parallel edges: at a vertex where one
/// of them ends, another edge of its body does that is not parallel.
void link_edges(Vec3 p, Vec3 u, Vec3 q, Vec3 v, Link* best) {
  const Vec3 r = p - q;
  const double uu = norm2(u), vv = norm2(v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
  const double crossed = uu * vv - uv * uv;
  if (!(crossed > 1e-14 * uu * vv)) return;
  const double crossing = std::clamp((uv * vr - ur * vv) / crossed, 0.0, 1.0);
  const double t = std::clamp((uv * crossing + vr) / vv, 0.0, 1.0);
  const double s = std::clamp((uv * t - ur) / uu, 0.0, 1.0);
  best->offer(p + s * u, q + t * v);
}

/// From a vertex square to the faces of the other body, where the foot is inside the face. `at`: of the body's
/// centroid.
template <class Offer>
void link_faces(const BodyView& body, Vec3 at, Vec3 vertex, Offer&& offer) {
  const Polyhedron& p = *body.shape->body;
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    const Vec3 n = body.face_normal(f);
    const double height = dot(n, vertex - at - body.vertex(p.loop(f)[0]));
    if (!(height > 0)) continue;
    const Vec3 foot = vertex - height * n;
    const auto loop = p.loop(f);
    bool inside = true;
    for (std::size_t i = 0; i < loop.size() && inside; ++i) {
      const Vec3 v0 = body.vertex(loop[i]), v1 = body.vertex(loop[(i + 1) % loop.size()]);
      inside = dot(cross(n, v1 - v0), foot - at - v0) >= 0;
    }
    if (inside) offer(foot);
  }
}

/// All pairs of edges, and all vertices over faces: the shortest link of two bodies apart ends on one of these.
Link shortest_of_all_links(const BodyView& a, const BodyView& b, Vec3 d) {
  Link best;
  for (std::size_t i = 0; i < a.shape->body->edges.size(); ++i) {
    const Vec3 p = a.vertex(a.shape->body->edges[i].v0), u = a.edge(i);
    for (std::size_t j = 0; j < b.shape->body->edges.size(); ++j)
      link_edges(p, u, d + b.vertex(b.shape->body->edges[j].v0), b.edge(j), &best);
  }
  for (std::size_t v = 0; v < b.shape->vertices; ++v)
    link_faces(a, {}, d + b.vertex(v), [&](Vec3 foot) { best.offer(foot, d + b.vertex(v)); });
  for (std::size_t v = 0; v < a.shape->vertices; ++v)
    link_faces(b, d, a.vertex(v), [&](Vec3 foot) { best.offer(a.vertex(v), foot); });
  return best;
}

MethodResult look(const Strategy& s, const Pair& pair, bool timed) {
  MethodResult r;
  r.name = s.name;
  SearchCounters counters;
  const BodyView &a = pair.a(), &b = pair.b();
  r.plane = find(s, a, b, pair.d(), counters);
  r.support_a = support(a, r.plane.n, pair.scale()), r.support_b = support(b, -r.plane.n, pair.scale());
  r.iterations = counters.iterations, r.evaluations = counters.evaluations;
  r.points = pair.points(s.settings, ContactGeometry::contact_zone);
  if (timed) r.nanoseconds = nanoseconds_per_call(s, pair);
  return r;
}

void describe_touching(const Pair& pair, const Plane& best, PairInspection* found) {
  found->contact = pair.points({}, ContactGeometry::overlap);
  const Overlap o = exact_overlap(pair.a(), pair.b(), pair.d(), best);
  found->volume = pair.metres(o.volume, 3), found->area = pair.metres(norm(o.area), 2);
  found->centroid = pair.in_space(o.centroid);
}

}  // namespace

std::span<const Strategy> strategies() {
  static const std::vector<Strategy> all = [] {
    std::vector<Strategy> s = {{"common_plane", {}},    {"fast", {}}, {"fast_paper", {}}, {"shortest_link", {}},
                               {"separating_axis", {}}, {"gjk", {}},  {"auto", {}}};
    const PlaneMethod methods[] = {
        PlaneMethod::common_plane,    PlaneMethod::fast, PlaneMethod::fast,     PlaneMethod::shortest_link,
        PlaneMethod::separating_axis, PlaneMethod::gjk,  PlaneMethod::automatic};
    for (std::size_t i = 0; i < s.size(); ++i) s[i].settings.method = methods[i];
    s[2].settings.fast.paper = true, s[2].settings.fast.tolerance = 1e100;
    return s;
  }();
  return all;
}

PairInspection inspect_pair(const PosedShape& a, const PosedShape& b, std::span<const Strategy> methods, bool timed) {
  const Pair pair(a, b);
  PairInspection found;
  found.clamped = pair.clamped();
  SearchCounters counters;
  found.best = exact_plane(pair.a(), pair.b(), pair.d(), nullptr, counters);
  for (const Strategy& s : methods) {
    found.methods.push_back(look(s, pair, timed));
    if (found.methods.back().plane.gap > found.best.gap) found.best = found.methods.back().plane;
  }
  found.touching = found.best.gap <= 0;
  if (found.touching) {
    describe_touching(pair, found.best, &found);
  } else {
    const Link link = shortest_of_all_links(pair.a(), pair.b(), pair.d());
    found.nearest_a = pair.in_space(link.a), found.nearest_b = pair.in_space(link.b);
    found.link = pair.metres(std::sqrt(link.length2));
  }
  for (MethodResult& r : found.methods) {
    r.below_best = pair.metres(found.best.gap - r.plane.gap);
    r.plane.gap = pair.metres(r.plane.gap);
  }
  found.best.gap = pair.metres(found.best.gap);
  return found;
}

Vec3 position_on_top(const PosedShape& a, const PosedShape& b) {
  PosedShape above = b;
  above.position = a.position;
  Pair pair(a, above);
  const BodyView &va = pair.a(), &vb = pair.b();
  const double inner_a = va.size * a.shape->body.inner_radius, inner_b = vb.size * b.shape->body.inner_radius;
  const double depth = 0.02 * std::min(inner_a, inner_b);
  SearchCounters counters;
  // Concentric bodies overlap by both inner radii, bodies farther apart than both outer ones not at all.
  double low = 0, high = pair.scale();
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (exact_plane(va, vb, {0, 0, middle}, nullptr, counters).gap < -depth ? low : high) = middle;
  }
  return pair.in_space({0, 0, high});
}

}  // namespace scree::narrow

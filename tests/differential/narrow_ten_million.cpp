// LIBS: scree_exact
// No wrong plane in many pairs. SCREE_PAIRS=10000000 in the environment for the run that the documentation quotes;
// unset, as many as fit a test. SCREE_SEED: other pairs, to share a long run out. SCREE_METHOD: one method alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/random.h"
#include "oracle/degenerate_pairs.h"
#include "oracle/larger.h"
#include "oracle/long_double.h"
#include "oracle/plane_methods.h"
#include "oracle/rational.h"

namespace scree {
namespace {

using narrow::Plane;
using oracle::Method;
using oracle::Pose;
using oracle::PosedPair;
using oracle::Real;
using oracle::V3;

/// Of the pair's size: what a right gap may fall short by. Twice the margin by which searches want a candidate to be
/// better before they take it.
constexpr double kRounding = 2e-14;

struct Corners {
  std::vector<V3> v;
  const Polyhedron* body;
  explicit Corners(const narrow::BodyView& view, Vec3 shift) : body(view.shape->body) {
    for (std::size_t i = 0; i < view.shape->vertices; ++i)
      v.push_back(oracle::wide(view.vertex(i)) + oracle::wide(shift));
  }
  V3 farthest(V3 n) const {
    std::size_t best = 0;
    Real top = dot(n, v[0]);
    for (std::size_t i = 1; i < v.size(); ++i) {
      const Real h = dot(n, v[i]);
      if (h > top) top = h, best = i;
    }
    return v[best];
  }
};

/// Point nearest to the origin of the hull of up to four points, among all their subsets; as a convex combination, so
/// that it belongs to the hull whatever rounding does. Keeps the points that carry it.
V3 nearest(std::vector<V3>* points) {
  const std::vector<V3> p = *points;
  V3 best;
  Real least = -1;
  for (unsigned set = 1; set < (1u << p.size()); ++set) {
    std::vector<V3> s;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if ((set >> i & 1u) != 0) s.push_back(p[i]);
    }
    Real l[4] = {1, 0, 0, 0};
    const V3 o = s[0];
    if (s.size() == 2) {
      const V3 u = s[1] - o;
      l[1] = -dot(o, u) / dot(u, u);
    } else if (s.size() == 3) {
      const V3 u = s[1] - o, w = s[2] - o, n = cross(u, w);
      const Real nn = dot(n, n);
      l[1] = dot(cross(-o, w), n) / nn, l[2] = dot(cross(u, -o), n) / nn;
    } else if (s.size() == 4) {
      const V3 u = s[1] - o, w = s[2] - o, x = s[3] - o;
      const Real det = dot(u, cross(w, x));
      l[1] = dot(-o, cross(w, x)) / det, l[2] = dot(u, cross(-o, x)) / det, l[3] = dot(u, cross(w, -o)) / det;
    }
    l[0] = 1 - l[1] - l[2] - l[3];
    V3 x;
    bool inside = true;
    for (std::size_t i = 0; i < s.size(); ++i) inside = inside && l[i] >= 0 && l[i] <= 1, x = x + l[i] * s[i];
    if (!inside || (least >= 0 && !(dot(x, x) < least))) continue;
    least = dot(x, x), best = x, *points = s;
  }
  return best;
}

/// An upper bound of the distance: the length of a link between two points of the bodies, shortened until it is within
/// `enough`, or no more. Gilbert's search by support points, begun at the normal `n`.
Real short_link(const Corners& a, const Corners& b, V3 n, Real enough) {
  std::vector<V3> carry = {b.farthest(-n) - a.farthest(n)};
  V3 x = carry[0];
  Real length = norm(x);
  for (int i = 0; i < 100 && length > enough; ++i) {
    const V3 next = b.farthest(-x) - a.farthest(x);
    if (!(dot(x, next) < dot(x, x) * (1 - 1e-18L))) break;
    carry.push_back(next);
    x = nearest(&carry);
    const Real shorter = norm(x);
    if (!(shorter < length)) break;
    length = shorter;
    if (carry.size() == 4) break;  // around the origin: they meet
  }
  return length;
}

/// Of overlapping bodies, the largest gap over all faces and all pairs of edges, stopping at one above `enough`: each
/// is a lower bound of the best gap, and one of them is it.
Real best_of_all(const Corners& a, const Corners& b, Real enough) {
  Real best = -1e300L;
  const auto attempt = [&](V3 n) {
    Real low = 1e300L, high = -1e300L;
    for (const V3& v : b.v) {
      low = std::min(low, dot(n, v));
      if (low - dot(n, a.v[0]) <= best) return;
    }
    for (const V3& v : a.v) {
      high = oracle::larger(high, dot(n, v));
      if (low - high <= best) return;
    }
    best = low - high;
  };
  const auto face_normal = [](const Corners& s, std::size_t f) {
    const auto l = s.body->loop(f);
    V3 n;
    for (std::size_t i = 2; i < l.size(); ++i) n = n + cross(s.v[l[i - 1]] - s.v[l[0]], s.v[l[i]] - s.v[l[0]]);
    return (1 / norm(n)) * n;
  };
  std::vector<V3> na, nb;
  for (std::size_t f = 0; f < a.body->face_normals.size(); ++f) attempt(na.emplace_back(face_normal(a, f)));
  for (std::size_t f = 0; f < b.body->face_normals.size(); ++f) attempt(-nb.emplace_back(face_normal(b, f)));
  for (const auto& eb : b.body->edges) {
    const V3 w = b.v[eb.v1] - b.v[eb.v0];
    for (const auto& ea : a.body->edges) {
      if (best > enough) return best;
      const V3 u = a.v[ea.v1] - a.v[ea.v0];
      // Only where the edge of A reaches across the plane of normals of B's edge, and the other way round; to rounding.
      const Real ul = dot(u, nb[eb.left]), ur = dot(u, nb[eb.right]), wl = dot(w, na[ea.left]),
                 wr = dot(w, na[ea.right]);
      const Real slack = 1e-15L * (norm(u) + norm(w));
      if ((ul > slack && ur > slack) || (ul < -slack && ur < -slack) || (wl > slack && wr > slack) ||
          (wl < -slack && wr < -slack))
        continue;
      const V3 c = cross(u, w);
      const Real length = norm(c);
      if (!(length > 1e-17L * norm(u) * norm(w))) continue;
      attempt((1 / length) * c), attempt((-1 / length) * c);
    }
  }
  return best;
}

/// How far `plane` falls short of the best gap, of the pair's size; negative: it claims more than its normal has.
struct Verdict {
  double shortfall = 0;
  bool by_integers = false;
};
Verdict judge(const PosedPair& p, const Plane& plane) {
  const Corners a(p.a(), {}), b(p.b(), p.d());
  const Real scale = p.scale(), gap = plane.gap, enough = gap + 0.5L * kRounding * scale;
  const V3 n = oracle::wide(plane.n);
  const Real own = dot(n, b.farthest(-n) - a.farthest(n));
  if (std::abs(own - gap) > 4e-15L * scale) return {-1, false};
  // A certificate that holds to rounding settles most pairs; the rest are done exactly.
  const Real best = gap > 0 ? short_link(a, b, n, enough) : best_of_all(a, b, enough);
  if (best <= enough) return {static_cast<double>((best - gap) / scale), false};
  const Real exact = oracle::exact::largest_gap(p.a(), p.b(), p.d()).wide_value();
  return {static_cast<double>((exact - gap) / scale), true};
}

struct Count {
  std::uint64_t pairs = 0, by_integers = 0, wrong = 0;
  double worst = 0;
};
/// By how the pair lies, in its smaller size.
struct Tally {
  std::array<Count, 5> of;
  static std::size_t kind(double gap, double smaller) {
    const double g = gap / smaller;
    return g < -0.05 ? 0 : g <= -1e-6 ? 1 : g < 1e-6 ? 2 : g < 0.1 ? 3 : 4;
  }
  void print(const char* method, const char* what) const {
    const char* names[] = {"deep overlap", "overlap to 5 %", "within 1e-6", "near", "far"};
    for (std::size_t k = 0; k < of.size(); ++k) {
      std::printf("%-8s %-8s %-15s %9llu pairs, %6llu settled in integers, %3llu wrong, worst %.1e of the size\n",
                  method, what, names[k], static_cast<unsigned long long>(of[k].pairs),
                  static_cast<unsigned long long>(of[k].by_integers), static_cast<unsigned long long>(of[k].wrong),
                  of[k].worst);
    }
  }
  std::uint64_t wrong() const {
    std::uint64_t n = 0;
    for (const Count& c : of) n += c.wrong;
    return n;
  }
};

/// Hulls of 4 to 32 points: blunt, needles and plates down to 1:100; and the library's shapes.
const std::vector<std::shared_ptr<const Shape>>& shapes() {
  static const std::vector<std::shared_ptr<const Shape>> pool = [] {
    std::vector<std::shared_ptr<const Shape>> out;
    for (const std::string& s : oracle::all_shapes()) out.push_back(oracle::shape(s));
    Random u(31);
    while (out.size() < 200) {
      const std::size_t n = 4 + u.below(29), form = u.below(3);
      const double thin = form == 0 ? u.uniform(0.5, 1) : std::pow(10, u.uniform(-2, 0));
      std::vector<Vec3> points;
      for (std::size_t i = 0; i < n; ++i) {
        const Vec3 v = u.below(2) == 0 ? u.direction() : u.uniform(0.5, 1) * u.direction();
        points.push_back(form == 1 ? Vec3{thin * v.x, thin * v.y, v.z} : Vec3{v.x, v.y, thin * v.z});
      }
      const Result<Polyhedron> hull = convex_hull(points);
      if (!hull) continue;
      const Result<Shape> s = make_shape("random", *hull);
      if (s) out.push_back(std::make_shared<const Shape>(*s));
    }
    return out;
  }();
  return pool;
}

/// Two shapes, the second up to 1000 times smaller or larger; anywhere up to a million sizes from the origin.
struct Setting {
  PosedPair pair;
  Pose a, b;
  double smaller;
  void place() { pair.move(a, b); }
};
Setting random_setting(Random& u) {
  const auto& pool = shapes();
  const auto sa = pool[u.below(pool.size())], sb = pool[u.below(pool.size())];
  Pose a{1, u.rotation(), {}},
      b{std::pow(10, u.uniform(-1.5, 1.5) * static_cast<double>(1 + u.below(2))), u.rotation(), {}};
  if (u.below(2) == 0) a.position = std::pow(10, u.uniform(0, 6)) * u.direction();
  return {PosedPair(sa, sb, a, b), a, b, std::min(a.size, b.size)};
}

/// A quarter each: from coincident centroids outwards, up to three sizes apart, just apart, just overlapping.
void random_pose(Random& u, Setting* s) {
  s->a.orientation = u.rotation(), s->b.orientation = u.rotation();
  s->b.position = s->a.position;
  s->place();
  const Vec3 dir = u.direction();
  const double touching = -narrow::evaluate_plane(s->pair.a(), s->pair.b(), {}, dir).gap;
  const std::uint64_t kind = u.below(4);
  s->b.position += (kind == 0 ? u.uniform() * touching : touching + s->smaller * u.uniform(0, 3)) * dir;
  s->place();
  if (kind < 2) return;
  narrow::SearchCounters c;
  const Plane plane = narrow::fast_common_plane(s->pair.a(), s->pair.b(), s->pair.d(), nullptr, c);
  const double gap = s->smaller * std::pow(10, u.uniform(-15, -1)) * (kind == 2 ? 1 : -1);
  s->b.position += (gap - plane.gap) * plane.n;
  s->place();
}

void add(const Setting& s, const Method& m, const Plane& plane, Tally* tally) {
  const Verdict v = judge(s.pair, plane);
  Count& c = tally->of[Tally::kind(plane.gap, s.smaller)];
  const bool wrong = !(v.shortfall >= -kRounding && v.shortfall <= kRounding) || !is_finite(plane.n);
  ++c.pairs, c.by_integers += v.by_integers, c.wrong += wrong;
  c.worst = oracle::larger(c.worst, v.shortfall);
  if (wrong && c.wrong <= 3)
    std::printf("%s: %zu and %zu vertices, sizes %g and %g, gap %.17g falls short by %.1e of the size\n", m.name,
                s.pair.a().shape->body->vertices.size(), s.pair.b().shape->body->vertices.size(), s.a.size, s.b.size,
                plane.gap, v.shortfall);
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

void many_random(const Method& m, std::uint64_t count, Tally* tally) {
  Random u(41, from_environment("SCREE_SEED", 0));
  for (std::uint64_t i = 0; i < count;) {
    Setting s = random_setting(u);
    for (int k = 0; k < 8 && i < count; ++k, ++i) {
      random_pose(u, &s);
      narrow::SearchCounters c;
      add(s, m, m.find(s.pair, nullptr, c), tally);
    }
  }
}

/// Paths past each other or sliding along each other, in steps from 1e-5 of the smaller size to a third of it, both
/// bodies turning; every search starts from the plane before.
void many_tracked(const Method& m, std::uint64_t count, Tally* tally) {
  Random u(42, from_environment("SCREE_SEED", 0));
  for (std::uint64_t i = 0; i < count;) {
    Setting s = random_setting(u);
    random_pose(u, &s);
    const double step = std::pow(10, u.uniform(-5, -0.5));
    const Vec3 axis_a = u.direction(), axis_b = u.direction();
    Vec3 way = (step * s.smaller) * u.direction();
    double turn = step * s.smaller;
    if (u.below(2) == 0) {  // along the plane, so that the gap stays what it is
      narrow::SearchCounters c;
      const Vec3 n = m.find(s.pair, nullptr, c).n;
      way -= dot(way, n) * n, turn *= std::pow(10, u.uniform(-9, 0));
    }
    const double turn_a = turn * u.uniform(-1, 1) / s.a.size, turn_b = turn * u.uniform(-1, 1) / s.b.size;
    Plane plane;
    for (int k = 0; k < 40 && i < count; ++k, ++i) {
      s.b.position += way;
      s.a.orientation = normalized(axis_angle(axis_a, turn_a) * s.a.orientation);
      s.b.orientation = normalized(axis_angle(axis_b, turn_b) * s.b.orientation);
      s.place();
      narrow::SearchCounters c;
      const Plane previous = plane;
      plane = m.find(s.pair, k == 0 ? nullptr : &previous, c);
      add(s, m, plane, tally);
    }
  }
}

TEST(ManyPairs, NoPlaneIsWrong) {
  const char* only = std::getenv("SCREE_METHOD");
  const std::uint64_t pairs = from_environment("SCREE_PAIRS", 12000);
  for (const Method& m : oracle::methods()) {
    if (!m.exact() || (only != nullptr && std::string(only) != m.name)) continue;
    Tally random, tracked;
    const auto start = std::chrono::steady_clock::now();
    many_random(m, pairs / 2, &random), many_tracked(m, pairs - pairs / 2, &tracked);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    random.print(m.name, "random"), tracked.print(m.name, "tracked");
    std::printf("%s: %.0f s, %.1f us a pair\n", m.name, seconds, 1e6 * seconds / static_cast<double>(pairs));
    // The search by support points alone gives up on a few overlapping pairs in a million.
    const std::uint64_t allowed = std::string(m.name) == "gjk" ? 1 + pairs / 100000 : 0;
    EXPECT_LE(random.wrong() + tracked.wrong(), allowed) << m.name;
  }
}

}  // namespace
}  // namespace scree

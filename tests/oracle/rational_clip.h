#pragma once
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "oracle/rational.h"

/// The overlap of two bodies by clipping in rationals: every corner is exact, and so is which corners there are.
///
/// The bodies are the hulls of their posed vertices (oracle/rational.h): half-spaces through triples of a face's
/// corners that have all vertices on one side. A box around both is cut by those of A, then by those of B; of what is
/// left, sums are taken in floats of 512 bits.
namespace scree::oracle::exact {

using Rational = mpq_class;
using Long = mpf_class;
inline constexpr mp_bitcnt_t kBits = 512;

struct Q3 {
  Rational x, y, z;
};

/// n.x <= offset.
struct HalfSpace {
  I3 n;
  Integer offset;
  V3 near;  ///< n and offset in long double, |n| = 1, for lengths in units of the pair's extent
  Real near_offset = 0;
  bool of_a = true;
};

inline Real in_long_double(const Rational& q) {
  // Numerator and denominator may leave the range of long double; 128 bits of each suffice.
  const auto top = [](const Integer& i, long* e) {
    const auto bits = static_cast<long>(mpz_sizeinbase(i.get_mpz_t(), 2));
    *e = std::max(0L, bits - 64);
    const Integer cut = abs(i) >> static_cast<unsigned long>(*e);
    return static_cast<Real>(mpz_get_ui(cut.get_mpz_t())) * sgn(i);
  };
  long en = 0, ed = 0;
  const Real n = top(q.get_num(), &en), d = top(q.get_den(), &ed);
  return std::ldexp(n / d, static_cast<int>(en - ed));
}

/// Half-spaces of a hull, once for each facet plane.
inline void add_half_spaces(const Body& body, bool of_a, Real unit, std::vector<HalfSpace>* out) {
  const std::size_t first = out->size();
  for (const auto& t : body.triple) {
    I3 n = triple_normal(body.vertex, t);
    Integer offset = dot(n, body.vertex[t[0]]);
    int above = 0, below = 0;
    for (const I3& v : body.vertex) {
      const int side = cmp(dot(n, v), offset);
      above += side > 0, below += side < 0;
    }
    if (above > 0 && below > 0) continue;
    if (above > 0) n = {-n.x, -n.y, -n.z}, offset = -offset;
    const bool known =
        std::any_of(out->begin() + static_cast<std::ptrdiff_t>(first), out->end(), [&](const HalfSpace& h) {
          const I3 c = cross(h.n, n);
          return c.x == 0 && c.y == 0 && c.z == 0 && dot(h.n, n) > 0;
        });
    if (known) continue;
    const Rational x(n.x), y(n.y), z(n.z), o(offset);
    V3 near{in_long_double(x), in_long_double(y), in_long_double(z)};
    const Real length = norm(near);
    out->push_back({n, offset, (1 / length) * near, in_long_double(o) / length / unit, of_a});
  }
}

/// A convex polyhedron that is cut by half-spaces.
class Clipper {
 public:
  struct Face {
    std::vector<std::size_t> loop;  ///< counter-clockwise from outside
    bool of_a = true;
    std::size_t plane = 0;
  };

  /// Starts with a cube of half edge `reach` about the origin. `unit`: for the near coordinates.
  Clipper(const Integer& reach, Real unit) : unit_(unit) {
    for (int i = 0; i < 8; ++i) {
      const auto at = [&](int bit) { return Rational((i & bit) != 0 ? reach : Integer(-reach)); };
      add({at(1), at(2), at(4)});
    }
    for (const auto& l : std::vector<std::vector<std::size_t>>{
             {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}})
      faces_.push_back({l, true, kBox});
  }

  void cut(const HalfSpace& h, std::size_t plane) {
    std::vector<int> side(corners_.size(), 2);
    bool in = false, out = false;
    for (const Face& f : faces_) {
      for (const std::size_t v : f.loop) {
        if (side[v] == 2) side[v] = side_of(h, v);
        in |= side[v]<0, out |= side[v]> 0;
      }
    }
    if (!out) return;
    if (!in) return faces_.clear();
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> cuts;
    std::map<std::size_t, std::size_t> next;  // along the rim of the cut
    std::vector<Face> kept;
    for (const Face& f : faces_) {
      Face g{{}, f.of_a, f.plane};
      bool inside = false;
      for (std::size_t i = 0; i < f.loop.size(); ++i) {
        const std::size_t v = f.loop[i], w = f.loop[(i + 1) % f.loop.size()];
        inside |= side[v] < 0;
        if (side[v] <= 0) g.loop.push_back(v);
        if (side[v] * side[w] >= 0) continue;
        const auto [it, fresh] = cuts.try_emplace(std::minmax(v, w), corners_.size());
        if (fresh) cross_edge(h, v, w), side.push_back(0);
        g.loop.push_back(it->second);
      }
      if (!inside) continue;
      for (std::size_t i = 0; i < g.loop.size(); ++i) {
        const std::size_t v = g.loop[i], w = g.loop[(i + 1) % g.loop.size()];
        if (side[v] == 0 && side[w] == 0) next[w] = v;
      }
      kept.push_back(std::move(g));
    }
    Face lid{{}, h.of_a, plane};
    for (std::size_t v = next.begin()->first; lid.loop.size() < next.size(); v = next.at(v)) lid.loop.push_back(v);
    kept.push_back(std::move(lid));
    faces_ = std::move(kept);
  }

  const std::vector<Face>& faces() const { return faces_; }
  const Q3& corner(std::size_t i) const { return corners_[i]; }
  V3 near(std::size_t i) const { return near_[i]; }

 private:
  static constexpr std::size_t kBox = static_cast<std::size_t>(-1);

  void add(Q3 c) {
    near_.push_back({in_long_double(c.x) / unit_, in_long_double(c.y) / unit_, in_long_double(c.z) / unit_});
    corners_.push_back(std::move(c));
  }
  static Rational height(const HalfSpace& h, const Q3& c) { return h.n.x * c.x + h.n.y * c.y + h.n.z * c.z - h.offset; }
  int side_of(const HalfSpace& h, std::size_t v) const {
    const Real near = dot(h.near, near_[v]) - h.near_offset;
    if (std::abs(near) > 1e-17L) return near > 0 ? 1 : -1;
    return sgn(height(h, corners_[v]));
  }
  void cross_edge(const HalfSpace& h, std::size_t v, std::size_t w) {
    const Q3 p = corners_[v], q = corners_[w];
    const Rational hp = height(h, p), t = hp / (hp - height(h, q));
    add({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z)});
  }

  Real unit_;
  std::vector<Q3> corners_;
  std::vector<V3> near_;
  std::vector<Face> faces_;
};

/// In m; rounded to double only at the very end.
struct Overlap {
  double volume = 0;
  Vec3 area;           ///< vector area of A's surface inside B
  Vec3 centroid;       ///< relative to A's centroid
  double surface = 0;  ///< of the whole overlap
  double flush = 0;    ///< of that surface, what rounding may count for either: faces of A and B that look the same way
                       ///< in planes that meet at an angle t are told apart only beyond 1e-15 scale/t of their meeting
  double width = 0;    ///< largest distance of a corner from the centroid
};

inline Overlap overlap(const Pair& p) {
  const Real unit = std::ldexp(p.extent, -p.exponent);
  std::vector<HalfSpace> planes;
  add_half_spaces(p.a, true, unit, &planes);
  add_half_spaces(p.b, false, unit, &planes);
  Integer reach = 1;
  for (const Body* s : {&p.a, &p.b}) {
    for (const I3& v : s->vertex)
      reach = std::max({reach, Integer(2 * abs(v.x)), Integer(2 * abs(v.y)), Integer(2 * abs(v.z))});
  }
  Clipper body(reach, unit * static_cast<Real>(2));
  for (HalfSpace& h : planes) h.near_offset /= 2;
  for (std::size_t k = 0; k < planes.size() && !(k > 0 && body.faces().empty()); ++k) body.cut(planes[k], k);

  Overlap o;
  if (body.faces().empty()) return o;
  const Q3 origin = body.corner(body.faces()[0].loop[0]);
  struct L3 {
    Long x{0, kBits}, y{0, kBits}, z{0, kBits};
  };
  const auto at = [&](std::size_t i) {
    const Q3& c = body.corner(i);
    L3 l;
    l.x = Long(Rational(c.x - origin.x), kBits), l.y = Long(Rational(c.y - origin.y), kBits),
    l.z = Long(Rational(c.z - origin.z), kBits);
    return l;
  };
  const auto minus = [](const L3& a, const L3& b) {
    L3 l;
    l.x = a.x - b.x, l.y = a.y - b.y, l.z = a.z - b.z;
    return l;
  };
  const auto times = [](const L3& a, const L3& b) {
    L3 l;
    l.x = a.y * b.z - a.z * b.y, l.y = a.z * b.x - a.x * b.z, l.z = a.x * b.y - a.y * b.x;
    return l;
  };
  Long six{0, kBits};
  L3 moment, twice;
  double flush = 0, surface = 0;
  const double m = std::ldexp(1.0, p.exponent);
  const auto rounded = [&](const L3& l) { return Vec3{l.x.get_d(), l.y.get_d(), l.z.get_d()}; };
  const auto doubtful = [&](const Clipper::Face& f) {
    double most = 0, rim = 0;
    for (std::size_t i = 0; i < f.loop.size(); ++i)
      rim +=
          static_cast<double>(norm(body.near(f.loop[i]) - body.near(f.loop[(i + 1) % f.loop.size()])) * 2 * p.extent);
    for (const HalfSpace& h : planes) {
      if (h.of_a || dot(h.near, planes[f.plane].near) < 0) continue;
      const bool meets = std::any_of(f.loop.begin(), f.loop.end(), [&](std::size_t v) {
        return std::abs(dot(h.near, body.near(v)) - h.near_offset) < 1e-15L;
      });
      const Real angle = norm(cross(h.near, planes[f.plane].near));
      if (meets) most = std::max(most, static_cast<double>(1e-15L * p.extent / (angle + 1e-30L)) * rim);
    }
    return most;
  };
  for (const Clipper::Face& f : body.faces()) {
    const L3 a = at(f.loop[0]);
    double of_face = 0;
    for (std::size_t i = 2; i < f.loop.size(); ++i) {
      const L3 b = at(f.loop[i - 1]), c = at(f.loop[i]), n = times(minus(b, a), minus(c, a));
      const Long v(a.x * n.x + a.y * n.y + a.z * n.z, kBits);
      six += v;
      moment.x += v * (a.x + b.x + c.x), moment.y += v * (a.y + b.y + c.y), moment.z += v * (a.z + b.z + c.z);
      if (f.of_a) twice.x += n.x, twice.y += n.y, twice.z += n.z;
      const double area = 0.5 * norm(m * (m * rounded(n)));
      surface += area, of_face += area;
    }
    if (f.of_a) flush += std::min(of_face, doubtful(f));
  }
  o.volume = m * (m * (m * (six.get_d() / 6)));
  o.area = 0.5 * (m * (m * rounded(twice)));
  o.surface = surface, o.flush = flush;
  moment.x /= 4 * six, moment.y /= 4 * six, moment.z /= 4 * six;
  L3 corner;
  corner.x = Long(origin.x, kBits), corner.y = Long(origin.y, kBits), corner.z = Long(origin.z, kBits);
  const L3 zero;
  o.centroid = m * rounded(minus(moment, minus(zero, corner)));
  for (const Clipper::Face& f : body.faces()) {
    for (const std::size_t v : f.loop) o.width = std::max(o.width, m * norm(rounded(minus(at(v), moment))));
  }
  return o;
}

}  // namespace scree::oracle::exact

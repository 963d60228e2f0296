#pragma once
#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "narrow/bodies.h"
#include "oracle/long_double.h"

/// The largest gap of two bodies without any rounding (docs/common-plane.md).
///
/// The bodies are the convex hulls of the vertices as the engine holds them: doubles, relative to each body's centroid,
/// and d. Doubles are integers times a power of two, so a pair is a set of integer points times one common power, and
/// rationals need no fractions: candidate normals are integer vectors n, their gaps are g/|n| with integer g, and
/// sign(g) g^2/|n|^2 compares by cross-multiplying.
///
/// Why the largest candidate is the largest gap, and not only a lower bound of it: posed faces with more than three
/// corners are plane to rounding alone, so the hull of the rounded vertices has other facets than the shape: triangles
/// of a face's corners, and as edges diagonals of faces besides the edges. All triples and all pairs of corners of each
/// face are candidates here, hence every facet and edge of that hull, as long as no two faces meet at an angle of
/// rounding (shapes merge faces within 1e-6). Candidates that are no facets or edges do no harm: for any n the gap with
/// true support is a lower bound.
namespace scree::oracle::exact {

using Integer = mpz_class;

struct I3 {
  Integer x, y, z;
};
inline I3 operator+(const I3& a, const I3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline I3 operator-(const I3& a, const I3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline I3 operator*(const Integer& s, const I3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Integer dot(const I3& a, const I3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline I3 cross(const I3& a, const I3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Integer power_of_two(unsigned long k) {
  Integer p;
  mpz_ui_pow_ui(p.get_mpz_t(), 2, k);
  return p;
}

/// x = integer 2^exponent, the integer odd; 0 = 0 2^0.
struct Dyadic {
  Integer integer;
  int exponent = 0;
  explicit Dyadic(double x) {
    if (x == 0) return;
    int e = 0;
    integer = std::ldexp(std::frexp(x, &e), 53);
    const auto zeros = mpz_scan1(integer.get_mpz_t(), 0);
    integer >>= zeros;
    exponent = e - 53 + static_cast<int>(zeros);
  }
  Integer at(int lower) const { return integer << static_cast<unsigned long>(exponent - lower); }
};

/// Corners and the features that candidates are made of.
struct Body {
  std::vector<I3> vertex;
  std::vector<V3> near;                              ///< the same in m, relative to the own centroid
  std::vector<std::array<std::uint16_t, 2>> line;    ///< edges and diagonals of faces
  std::vector<std::array<std::uint16_t, 3>> triple;  ///< corners of one face
};

/// Two bodies in A's frame; lengths in units of 2^exponent m.
struct Pair {
  Body a, b;
  V3 d;
  int exponent = 0;
  Real extent = 0;  ///< m, |d| + both radii: what the rounding of long double is measured against

  Pair(const narrow::BodyView& va, const narrow::BodyView& vb, Vec3 separation) {
    d = wide(separation);
    exponent = 1100;
    const auto lower = [&](double x) {
      if (x != 0) exponent = std::min(exponent, Dyadic(x).exponent);
    };
    for (const narrow::BodyView* v : {&va, &vb}) {
      for (std::size_t i = 0; i < v->shape->vertices; ++i) lower(v->x[i]), lower(v->y[i]), lower(v->z[i]);
    }
    lower(separation.x), lower(separation.y), lower(separation.z);
    a = body(va, {}), b = body(vb, separation);
    extent = norm(d);
    for (const Body* s : {&a, &b}) {
      Real reach = 0;
      for (const V3& v : s->near) reach = std::max(reach, norm(v));
      extent += reach;
    }
  }

  I3 integers(Vec3 v) const { return {Dyadic(v.x).at(exponent), Dyadic(v.y).at(exponent), Dyadic(v.z).at(exponent)}; }

 private:
  Body body(const narrow::BodyView& view, Vec3 shift) const {
    Body s;
    const Polyhedron& p = *view.shape->body;
    for (std::size_t i = 0; i < p.vertices.size(); ++i) {
      s.vertex.push_back(integers(view.vertex(i)) + integers(shift));
      s.near.push_back(wide(view.vertex(i)));
    }
    for (const auto& e : p.edges) s.line.push_back({e.v0, e.v1});
    for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
      const auto l = p.loop(f);
      for (std::size_t i = 0; i < l.size(); ++i) {
        for (std::size_t j = i + 1; j < l.size(); ++j) {
          if (j > i + 1 && !(i == 0 && j + 1 == l.size())) s.line.push_back({l[i], l[j]});
          for (std::size_t k = j + 1; k < l.size(); ++k) s.triple.push_back({l[i], l[j], l[k]});
        }
      }
    }
    return s;
  }
};

/// g/|n| in units of 2^exponent m, kept as integers.
struct Gap {
  Integer g, n2 = 0;  ///< n2 == |n|^2; 0: nothing found yet
  I3 n;
  int exponent = 0;

  int sign() const { return sgn(g); }
  /// Correctly rounded (to nearest, ties to even).
  double value() const {
    const Root r = root();
    return sgn(g) * std::ldexp(static_cast<double>(r.digits), r.exponent);
  }
  /// To 2^-61 of itself.
  Real wide_value() const {
    const Root r = root();
    return sgn(g) * std::ldexp(static_cast<Real>(r.digits), r.exponent);
  }
  /// Unit normal, to rounding.
  Vec3 normal() const {
    const auto bits = static_cast<long>(mpz_sizeinbase(n2.get_mpz_t(), 2)) / 2;
    const auto near = [&](const Integer& x) {
      long e = 0;
      const double m = mpz_get_d_2exp(&e, x.get_mpz_t());
      return std::ldexp(m, static_cast<int>(e - bits));
    };
    return normalized(Vec3{near(n.x), near(n.y), near(n.z)});
  }

 private:
  struct Root {
    std::uint64_t digits = 0;
    int exponent = 0;
  };
  /// |g|/|n| = digits 2^exponent, cut to 62 or 63 bits; the lowest one is set where something was cut off, which then
  /// cannot look like a tie.
  Root root() const {
    if (g == 0) return {};
    Integer num = g * g, den = n2, quotient, rest, low, left;
    const long bits =
        static_cast<long>(mpz_sizeinbase(num.get_mpz_t(), 2)) - static_cast<long>(mpz_sizeinbase(den.get_mpz_t(), 2));
    const long up = (126 - bits) / 2;  // the quotient has 124 to 127 bits
    if (up >= 0)
      num <<= static_cast<unsigned long>(2 * up);
    else
      den <<= static_cast<unsigned long>(-2 * up);
    mpz_fdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), num.get_mpz_t(), den.get_mpz_t());
    mpz_sqrtrem(low.get_mpz_t(), left.get_mpz_t(), quotient.get_mpz_t());
    return {mpz_get_ui(low.get_mpz_t()) | (rest != 0 || left != 0 ? 1u : 0u), exponent - static_cast<int>(up)};
  }
};

/// sign(g) g^2/|n|^2 of x above that of y?
inline bool above(const Gap& x, const Gap& y) {
  if (y.n2 == 0 || sgn(x.g) != sgn(y.g)) return y.n2 == 0 || sgn(x.g) > sgn(y.g);
  const int c = cmp(Integer(x.g * x.g * y.n2), Integer(y.g * y.g * x.n2));
  return sgn(x.g) > 0 ? c > 0 : c < 0;
}

/// gap(n) and gap(-n) with true support over all vertices; keeps the larger in `best` if that is above it.
inline void try_integer_normal(const Pair& p, const I3& n, Gap* best) {
  if (n.x == 0 && n.y == 0 && n.z == 0) return;
  Integer low[2], high[2], h;
  for (int k = 0; k < 2; ++k) {
    const auto& vertex = k == 0 ? p.a.vertex : p.b.vertex;
    for (std::size_t i = 0; i < vertex.size(); ++i) {
      h = dot(n, vertex[i]);
      if (i == 0 || h < low[k]) low[k] = h;
      if (i == 0 || h > high[k]) high[k] = h;
    }
  }
  Gap forth, back;
  forth.g = low[1] - high[0], back.g = low[0] - high[1];
  forth.n2 = back.n2 = dot(n, n);
  forth.exponent = back.exponent = p.exponent;
  forth.n = n, back.n = {-n.x, -n.y, -n.z};
  if (above(forth, *best)) *best = forth;
  if (above(back, *best)) *best = back;
}

enum class Kind : std::uint8_t { face_a, face_b, lines, vertices, line_a, line_b };
struct Candidate {
  Kind kind;
  std::uint32_t i, j;
};

template <class F>
void for_each_candidate(const Pair& p, F&& f) {
  const auto count = [](const auto& v) { return static_cast<std::uint32_t>(v.size()); };
  const auto each = [&](Kind kind, std::uint32_t ni, std::uint32_t nj) {
    for (std::uint32_t i = 0; i < ni; ++i) {
      for (std::uint32_t j = 0; j < nj; ++j) f(Candidate{kind, i, j});
    }
  };
  each(Kind::face_a, count(p.a.triple), 1), each(Kind::face_b, count(p.b.triple), 1);
  each(Kind::vertices, count(p.a.vertex), count(p.b.vertex));
  each(Kind::line_a, count(p.a.line), count(p.b.vertex)), each(Kind::line_b, count(p.b.line), count(p.a.vertex));
  each(Kind::lines, count(p.a.line), count(p.b.line));
}

inline I3 triple_normal(const std::vector<I3>& v, const std::array<std::uint16_t, 3>& t) {
  return cross(v[t[1]] - v[t[0]], v[t[2]] - v[t[0]]);
}
/// |u|^2 w - (w.u) u: perpendicular to u, in the plane of u and w.
inline I3 across(const I3& w, const I3& u) { return dot(u, u) * w - dot(w, u) * u; }

inline I3 integer_normal(const Pair& p, Candidate c) {
  const std::vector<I3>&a = p.a.vertex, &b = p.b.vertex;
  const auto line = [](const std::vector<I3>& v, const std::array<std::uint16_t, 2>& e) { return v[e[1]] - v[e[0]]; };
  switch (c.kind) {
    case Kind::face_a:
      return triple_normal(a, p.a.triple[c.i]);
    case Kind::face_b:
      return triple_normal(b, p.b.triple[c.i]);
    case Kind::vertices:
      return b[c.j] - a[c.i];
    case Kind::lines:
      return cross(line(a, p.a.line[c.i]), line(b, p.b.line[c.j]));
    case Kind::line_a:
      return across(b[c.j] - a[p.a.line[c.i][0]], line(a, p.a.line[c.i]));
    case Kind::line_b:
      return across(b[p.b.line[c.i][0]] - a[c.j], line(b, p.b.line[c.i]));
  }
  return {};
}

/// The same in long double, with a bound of its error: |computed - true| <= 2^-58 reference.
inline V3 wide_normal(const Pair& p, Candidate c, Real* reference) {
  const std::vector<V3>&a = p.a.near, &b = p.b.near;
  const auto of_cross = [&](V3 u, V3 w) {
    *reference = norm(u) * norm(w);
    return cross(u, w);
  };
  const auto of_line = [&](V3 w, V3 u) {
    *reference = dot(u, u) * p.extent;
    return dot(u, u) * w - dot(w, u) * u;
  };
  const auto line = [](const std::vector<V3>& v, const std::array<std::uint16_t, 2>& e) { return v[e[1]] - v[e[0]]; };
  const auto triple = [&](const std::vector<V3>& v, const std::array<std::uint16_t, 3>& t) {
    return of_cross(v[t[1]] - v[t[0]], v[t[2]] - v[t[0]]);
  };
  switch (c.kind) {
    case Kind::face_a:
      return triple(a, p.a.triple[c.i]);
    case Kind::face_b:
      return triple(b, p.b.triple[c.i]);
    case Kind::vertices:
      *reference = p.extent;
      return p.d + b[c.j] - a[c.i];
    case Kind::lines:
      return of_cross(line(a, p.a.line[c.i]), line(b, p.b.line[c.j]));
    case Kind::line_a:
      return of_line(p.d + b[c.j] - a[p.a.line[c.i][0]], line(a, p.a.line[c.i]));
    case Kind::line_b:
      return of_line(p.d + b[p.b.line[c.i][0]] - a[c.j], line(b, p.b.line[c.i]));
  }
  return {};
}

/// The largest gap, exactly. Long double sorts out the candidates that cannot be the best: it gives each gap with a
/// bound of its error, and only those that reach the largest lower bound are taken in integers. `filter` = false takes
/// all.
inline Gap largest_gap(const Pair& p, bool filter = true) {
  struct Kept {
    Candidate c;
    Real high;
  };
  Gap best;
  std::vector<Kept> kept;
  Real floor = -1e4000L;
  for_each_candidate(p, [&](Candidate c) {
    if (!filter) return try_integer_normal(p, integer_normal(p, c), &best);
    Real reference = 0;
    const V3 v = wide_normal(p, c, &reference);
    const Real length = norm(v);
    const Real error = length > 0x1p-50L * reference
                           ? p.extent * (0x1p-56L * reference / length + 0x1p-58L)
                           : 4 * p.extent;  // its direction is not known: |gap| <= extent, and it must stay
    Real gap = -p.extent;
    if (length > 0x1p-50L * reference) {
      const V3 n = (1 / length) * v;
      Real low[2] = {1e4000L, 1e4000L}, high[2] = {-1e4000L, -1e4000L};
      for (int k = 0; k < 2; ++k) {
        for (const V3& x : k == 0 ? p.a.near : p.b.near) {
          const Real h = dot(n, x);
          low[k] = std::min(low[k], h), high[k] = std::max(high[k], h);
        }
      }
      const Real along = dot(n, p.d);
      gap = std::max(along + low[1] - high[0], -along + low[0] - high[1]);
      floor = std::max(floor, gap - error);
    }
    if (gap + error >= floor) kept.push_back({c, gap + error});
  });
  for (const Kept& k : kept) {
    if (k.high >= floor) try_integer_normal(p, integer_normal(p, k.c), &best);
  }
  return best;
}

inline Gap largest_gap(const narrow::BodyView& a, const narrow::BodyView& b, Vec3 d) {
  return largest_gap(Pair(a, b, d));
}

/// The same from the points b - a alone, without faces or edges: the hull of all differences is nearest to the origin
/// (or, around it, deepest) at a point, a line of two or a plane of three of them. For pairs of a few vertices.
inline Gap largest_gap_of_differences(const Pair& p) {
  std::vector<I3> x;
  for (const I3& b : p.b.vertex) {
    for (const I3& a : p.a.vertex) x.push_back(b - a);
  }
  Gap best;
  for (std::size_t i = 0; i < x.size(); ++i) {
    try_integer_normal(p, x[i], &best);
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      const I3 u = x[j] - x[i];
      try_integer_normal(p, across(x[i], u), &best);
      for (std::size_t k = j + 1; k < x.size(); ++k) try_integer_normal(p, cross(u, x[k] - x[i]), &best);
    }
  }
  return best;
}

}  // namespace scree::oracle::exact

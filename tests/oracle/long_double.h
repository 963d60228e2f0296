#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "narrow/bodies.h"

/// Slow references in long double: they share the posed vertices with the engine, and nothing else.
namespace scree::oracle {

using Real = long double;

struct V3 {
  Real x = 0, y = 0, z = 0;
};
inline V3 wide(Vec3 v) { return {v.x, v.y, v.z}; }
inline Vec3 narrowed(V3 v) { return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)}; }
inline V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline V3 operator-(V3 a) { return {-a.x, -a.y, -a.z}; }
inline V3 operator*(Real s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline Real dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline Real norm(V3 a) { return std::sqrt(dot(a, a)); }

struct Solid {
  std::vector<V3> vertex;
  std::vector<std::vector<std::uint16_t>> loop;
  std::vector<std::array<std::uint16_t, 2>> edge;
  std::vector<V3> normal;  ///< unit, outward, from the loops (Newell)
  std::vector<Real> offset;
  Real reach = 0;
};

/// The body in a frame whose origin is `shift` before the body's centroid.
inline Solid solid(const narrow::BodyView& view, Vec3 shift) {
  const Polyhedron& p = *view.shape->body;
  Solid s;
  for (std::size_t i = 0; i < p.vertices.size(); ++i) {
    s.vertex.push_back(wide(shift) + wide(view.vertex(i)));
    s.reach = std::max(s.reach, norm(wide(view.vertex(i))));
  }
  for (const auto& e : p.edges) s.edge.push_back({e.v0, e.v1});
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    const auto l = p.loop(f);
    s.loop.emplace_back(l.begin(), l.end());
    V3 n;
    for (std::size_t i = 2; i < l.size(); ++i)
      n = n + cross(s.vertex[l[i - 1]] - s.vertex[l[0]], s.vertex[l[i]] - s.vertex[l[0]]);
    n = (1 / norm(n)) * n;
    Real o = 0;
    for (const std::uint16_t v : l) o += dot(n, s.vertex[v]) / static_cast<Real>(l.size());
    s.normal.push_back(n), s.offset.push_back(o);
  }
  return s;
}

struct Gap {
  V3 n;
  Real gap = -1e300L;
};

/// gap(n) where it exceeds best->gap; the running bound ends most evaluations after a few vertices.
inline void try_normal(const Solid& a, const Solid& b, V3 n, Gap* best) {
  Real low = 1e300L, high = -1e300L;
  for (const V3& v : b.vertex) low = std::min(low, dot(n, v));
  for (const V3& v : a.vertex) {
    high = std::max(high, dot(n, v));
    if (low - high <= best->gap) return;
  }
  best->n = n, best->gap = low - high;
}

/// max over |n| = 1 of min_B n.b - max_A n.a: the candidates of Nezami et al. 2004 (a-d) over all features, of which
/// one attains it.
inline Gap largest_gap(const Solid& a, const Solid& b) {
  Gap best;
  const Real scale = a.reach + b.reach;
  const auto try_unit = [&](V3 v, Real reference) {
    const Real l = norm(v);
    if (!(l > 1e-12L * reference)) return;
    const V3 n = (1 / l) * v;
    try_normal(a, b, n, &best);
    try_normal(a, b, -n, &best);
  };
  for (const V3& n : a.normal) try_normal(a, b, n, &best);
  for (const V3& n : b.normal) try_normal(a, b, -n, &best);
  for (const auto& ea : a.edge) {
    const V3 u = a.vertex[ea[1]] - a.vertex[ea[0]];
    for (const auto& eb : b.edge) {
      const V3 v = b.vertex[eb[1]] - b.vertex[eb[0]];
      try_unit(cross(u, v), norm(u) * norm(v));
    }
  }
  for (const V3& p : a.vertex) {
    for (const V3& q : b.vertex) try_unit(q - p, scale);
  }
  const auto vertex_edge = [&](const std::vector<V3>& points, const Solid& s) {
    for (const auto& e : s.edge) {
      const V3 u = s.vertex[e[1]] - s.vertex[e[0]];
      for (const V3& p : points) {
        const V3 w = p - s.vertex[e[0]];
        try_unit(w - (dot(w, u) / dot(u, u)) * u, scale);
      }
    }
  };
  vertex_edge(b.vertex, a);
  vertex_edge(a.vertex, b);
  return best;
}

struct Intersection {
  Real volume = 0;
  V3 area;                              ///< of A's surface inside B
  std::vector<std::pair<V3, V3>> of_a;  ///< that surface in triangles: middle and vector area
  V3 centroid;                          ///< in the frame of the solids
  std::vector<V3> corner;               ///< of the clipped faces, with repetitions
  std::vector<V3> normal;               ///< of all planes of both, for rays
  std::vector<Real> offset;
};

inline std::vector<V3> clip(const std::vector<V3>& in, V3 n, Real offset) {
  std::vector<V3> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const V3 p = in[i], q = in[(i + 1) % in.size()];
    const Real sp = dot(n, p) - offset, sq = dot(n, q) - offset;
    if (sp <= 0) out.push_back(p);
    if ((sp > 0) != (sq > 0)) out.push_back(p + (sp / (sp - sq)) * (q - p));
  }
  return out;
}

/// A and B: every face of each clipped by every plane of the other; sums relative to a point of the overlap's surface.
/// For poses in general position: faces in one plane are counted twice.
inline Intersection intersect(const Solid& a, const Solid& b) {
  std::vector<std::vector<V3>> of_a, of_b;
  const auto inside = [](const Solid& s, const Solid& other, std::vector<std::vector<V3>>* kept) {
    for (const auto& loop : s.loop) {
      std::vector<V3> f;
      for (const std::uint16_t v : loop) f.push_back(s.vertex[v]);
      for (std::size_t k = 0; k < other.normal.size() && f.size() > 2; ++k)
        f = clip(f, other.normal[k], other.offset[k]);
      if (f.size() > 2) kept->push_back(f);
    }
  };
  inside(a, b, &of_a), inside(b, a, &of_b);
  Intersection r;
  if (of_a.empty() && of_b.empty()) return r;
  const V3 origin = of_a.empty() ? of_b[0][0] : of_a[0][0];
  V3 moment;
  const auto add = [&](const std::vector<V3>& f, bool is_a) {
    for (std::size_t i = 2; i < f.size(); ++i) {
      const V3 p = f[0] - origin, q = f[i - 1] - origin, s = f[i] - origin;
      const Real v = dot(p, cross(q, s)) / 6;
      r.volume += v;
      moment = moment + (v / 4) * (p + q + s);
      if (!is_a) continue;
      const V3 dA = 0.5L * cross(q - p, s - p);
      r.area = r.area + dA;
      r.of_a.emplace_back(origin + (1.0L / 3) * (p + q + s), dA);
    }
  };
  for (const auto& f : of_a) add(f, true);
  for (const auto& f : of_b) add(f, false);
  r.centroid = origin + (1 / r.volume) * moment;
  for (const auto* faces : {&of_a, &of_b}) {
    for (const auto& f : *faces) r.corner.insert(r.corner.end(), f.begin(), f.end());
  }
  for (const Solid* s : {&a, &b}) {
    r.normal.insert(r.normal.end(), s->normal.begin(), s->normal.end());
    r.offset.insert(r.offset.end(), s->offset.begin(), s->offset.end());
  }
  return r;
}

/// int h^k dA for k = 1..3, and int h^2 x dA, of the thickness h of the overlap along the unit vector n: rays on a
/// grid. Thickness is measured from the plane m.x = offset that carries the patch: a ray that enters and leaves on one
/// side of it counts with the difference, as where a leaning grain overhangs its cut. Null: from end to end.
struct RaySums {
  double seen = 0;  ///< int dA
  double h[4] = {0, 0, 0, 0};
  Vec3 x2;
};
inline RaySums thickness_by_rays(const Intersection& in, Vec3 n, int rays, const V3* plane = nullptr, Real offset = 0) {
  RaySums sums;
  const Vec3 u = any_perpendicular(n), v = scree::cross(n, u), middle = narrowed(in.centroid);
  double low_u = 0, high_u = 0, low_v = 0, high_v = 0;
  for (const V3& c : in.corner) {
    const Vec3 x = narrowed(c) - middle;
    low_u = std::min(low_u, scree::dot(u, x)), high_u = std::max(high_u, scree::dot(u, x));
    low_v = std::min(low_v, scree::dot(v, x)), high_v = std::max(high_v, scree::dot(v, x));
  }
  const double du = (high_u - low_u) / rays, dv = (high_v - low_v) / rays;
  for (int i = 0; i < rays; ++i) {
    for (int j = 0; j < rays; ++j) {
      const Vec3 p = middle + (low_u + (i + 0.5) * du) * u + (low_v + (j + 0.5) * dv) * v;
      double low = -1e300, high = 1e300;
      for (std::size_t k = 0; k < in.normal.size() && low < high; ++k) {
        const Vec3 m = narrowed(in.normal[k]);
        const double along = scree::dot(m, n), room = static_cast<double>(in.offset[k]) - scree::dot(m, p);
        if (along > 1e-12)
          high = std::min(high, room / along);
        else if (along < -1e-12)
          low = std::max(low, room / along);
        else if (room < 0)
          high = low;
      }
      if (!(high > low)) continue;
      double near = 0, far = high - low;
      if (plane != nullptr) {
        const double room = static_cast<double>(offset) - scree::dot(narrowed(*plane), p),
                     along = scree::dot(narrowed(*plane), n);
        near = std::abs(room / along - low), far = std::abs(room / along - high);
        if (near > far) std::swap(near, far);
      }
      const double dA = du * dv;
      sums.seen += dA, sums.h[1] += (far - near) * dA, sums.h[2] += (far * far - near * near) * dA;
      sums.h[3] += (far * far * far - near * near * near) * dA;
      sums.x2 += ((far * far - near * near) * dA) * p;
    }
  }
  return sums;
}

}  // namespace scree::oracle

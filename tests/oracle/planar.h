#pragma once
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "narrow/planar.h"

/// Slow references for two convex polygons: they share the posed corners with the engine, and nothing else.
namespace scree::oracle {

template <class Real>
struct Point {
  Real x, y;
};
template <class Real>
Point<Real> operator-(const Point<Real>& a, const Point<Real>& b) {
  return {a.x - b.x, a.y - b.y};
}
template <class Real>
Real dot(const Point<Real>& a, const Point<Real>& b) {
  return a.x * b.x + a.y * b.y;
}
template <class Real>
Real cross(const Point<Real>& a, const Point<Real>& b) {
  return a.x * b.y - a.y * b.x;
}

/// The body in a frame whose origin is `shift` before its centroid; sums in Real, so exact for rationals.
template <class Real>
std::vector<Point<Real>> outline(const narrow::PlanarView& view, Vec2 shift) {
  std::vector<Point<Real>> p;
  for (const Vec2 v : view.corners) p.push_back({Real(shift.x) + Real(v.x), Real(shift.y) + Real(v.y)});
  return p;
}

/// Calls use(n), n of any length, for every candidate normal: perpendiculars to all edges and all links between
/// corners, to both sides.
template <class Real, class Use>
void for_each_normal(const std::vector<Point<Real>>& a, const std::vector<Point<Real>>& b, Use&& use) {
  const auto both = [&](const Point<Real>& n) {
    if (n.x == 0 && n.y == 0) return;
    use(n);
    use(Point<Real>{-n.x, -n.y});
  };
  for (const auto* body : {&a, &b}) {
    for (std::size_t i = 0; i < body->size(); ++i) {
      const Point<Real> e = (*body)[(i + 1) % body->size()] - (*body)[i];
      both(Point<Real>{e.y, -e.x});
    }
  }
  for (const auto& p : a) {
    for (const auto& q : b) both(q - p);
  }
}

/// |n| gap(n), given up once it cannot reach `floor`.
template <class Real>
Real gap_along(const std::vector<Point<Real>>& a, const std::vector<Point<Real>>& b, const Point<Real>& n,
               const Real* floor = nullptr) {
  Real low = dot(n, b[0]), high = dot(n, a[0]);
  for (const auto& q : b) {
    const Real h = dot(n, q);
    if (h < low) low = h;
  }
  for (const auto& p : a) {
    const Real h = dot(n, p);
    if (h > high) high = h;
    if (floor != nullptr && low - high <= *floor) return low - high;
  }
  return low - high;
}

/// max over |n| = 1 of gap(n), in long double.
inline long double largest_gap(const narrow::PlanarView& va, const narrow::PlanarView& vb, Vec2 d) {
  using Real = long double;
  const auto a = outline<Real>(va, {}), b = outline<Real>(vb, d);
  Real best = -1e300L;
  for_each_normal<Real>(a, b, [&](Point<Real> n) {
    const Real l = std::sqrt(dot(n, n));
    n = {n.x / l, n.y / l};
    best = std::max(best, gap_along<Real>(a, b, n, &best));
  });
  return best;
}

/// The same in rational arithmetic, comparing sign(g) g^2/|n|^2: no root, no tolerance; rounded once at the end.
inline double exact_gap(const narrow::PlanarView& va, const narrow::PlanarView& vb, Vec2 d) {
  using Real = mpq_class;
  const auto a = outline<Real>(va, {}), b = outline<Real>(vb, d);
  bool any = false;
  Real best;  // sign(g) g^2/|n|^2
  for_each_normal<Real>(a, b, [&](const Point<Real>& n) {
    const Real g = gap_along<Real>(a, b, n), square = g * abs(g) / dot(n, n);
    if (!any || square > best) best = square, any = true;
  });
  const double root = std::sqrt(std::abs(best.get_d()));
  return sgn(best) < 0 ? -root : root;
}

/// Overlap polygon in rational arithmetic: A clipped by B's edges. Its area, centroid and A's part of its boundary.
struct PlanarClip {
  double area = 0;
  Vec2 centroid, chord;
};
inline PlanarClip exact_clip(const narrow::PlanarView& va, const narrow::PlanarView& vb, Vec2 d) {
  using Real = mpq_class;
  using P = Point<Real>;
  const auto a = outline<Real>(va, {}), b = outline<Real>(vb, d);
  const auto clipped = [](std::vector<P> loop, const std::vector<P>& by) {
    for (std::size_t k = 0; k < by.size() && loop.size() > 1; ++k) {
      const P e = by[(k + 1) % by.size()] - by[k];
      std::vector<P> out;
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const P p = loop[i], q = loop[(i + 1) % loop.size()];
        const Real sp = cross(e, p - by[k]), sq = cross(e, q - by[k]);  // left is inside
        if (sp >= 0) out.push_back(p);
        if (sgn(sp) * sgn(sq) < 0) {
          const Real t = sp / (sp - sq);
          out.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
        }
      }
      loop = std::move(out);
    }
    return loop;
  };
  const std::vector<P> loop = clipped(a, b);
  PlanarClip r;
  Real area = 0, mx = 0, my = 0;
  for (std::size_t i = 2; i < loop.size(); ++i) {
    const P u = loop[i - 1] - loop[0], v = loop[i] - loop[0];
    const Real det = cross(u, v);
    area += det, mx += det * (u.x + v.x), my += det * (u.y + v.y);
  }
  if (!(area > 0)) return r;
  r.area = Real(area / 2).get_d();
  const Real cx = loop[0].x + mx / (3 * area), cy = loop[0].y + my / (3 * area);
  r.centroid = {cx.get_d(), cy.get_d()};
  // Each edge of A clipped alone: independent of the order in which the loop was cut.
  Real sx = 0, sy = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const P p = a[i], q = a[(i + 1) % a.size()];
    Real from = 0, to = 1, weight = 1;
    for (std::size_t k = 0; k < b.size() && from < to; ++k) {
      const P e = b[(k + 1) % b.size()] - b[k];
      const Real sp = cross(e, p - b[k]), sq = cross(e, q - b[k]);
      if (sp <= 0 && sq <= 0) {
        // In one line with an edge of B that looks the same way: shared, half; else outside.
        weight = sp == 0 && sq == 0 && dot(e, q - p) > 0 ? Real(0.5) : Real(0);
      } else if (sp < 0) {
        from = std::max(from, Real(sp / (sp - sq)));
      } else if (sq < 0) {
        to = std::min(to, Real(sp / (sp - sq)));
      }
    }
    if (!(from < to)) continue;
    weight *= to - from;
    sx += weight * (q.y - p.y), sy -= weight * (q.x - p.x);
  }
  r.chord = {sx.get_d(), sy.get_d()};
  return r;
}

}  // namespace scree::oracle

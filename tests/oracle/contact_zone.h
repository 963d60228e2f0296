#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "narrow/find_contacts.h"

/// The contact zone as printed, slowly: hulls by sorting, every corner against every edge, every edge against every
/// edge.
namespace scree::oracle::zone {

struct Point {
  double u, v, penetration;
  std::uint32_t vertex;
};
using Points = std::vector<Point>;

inline double turn(const Point& a, const Point& b, const Point& c) {
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

/// Counter-clockwise hull by Andrew's monotone chain; points nearer than `eps` to another or to an edge are dropped.
inline Points hull_of(Points p, double eps) {
  std::sort(p.begin(), p.end(), [](const Point& a, const Point& b) {
    return a.u != b.u ? a.u < b.u : (a.v != b.v ? a.v < b.v : a.vertex < b.vertex);
  });
  Points distinct;
  for (const Point& x : p) {
    if (std::none_of(distinct.begin(), distinct.end(),
                     [&](const Point& y) { return std::hypot(x.u - y.u, x.v - y.v) <= eps; }))
      distinct.push_back(x);
  }
  if (distinct.size() < 3) return distinct;
  Points hull;
  const auto add = [&](const Point& c, std::size_t least) {
    while (hull.size() >= least && turn(hull[hull.size() - 2], hull.back(), c) <=
                                       eps * std::hypot(c.u - hull[hull.size() - 2].u, c.v - hull[hull.size() - 2].v))
      hull.pop_back();
    hull.push_back(c);
  };
  for (const Point& x : distinct) add(x, 2);
  const std::size_t lower = hull.size() + 1;
  for (std::size_t i = distinct.size() - 1; i-- > 0;) add(distinct[i], lower);
  hull.pop_back();
  return hull;
}

inline bool inside(const Points& h, const Point& x, double eps) {
  if (h.size() == 1) return std::hypot(x.u - h[0].u, x.v - h[0].v) <= eps;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const Point &a = h[i], &b = h[(i + 1) % h.size()];
    const double length = std::hypot(b.u - a.u, b.v - a.v);
    if (turn(a, b, x) < -eps * length) return false;
    if (h.size() == 2 && (x.u - a.u) * (b.u - a.u) + (x.v - a.v) * (b.v - a.v) < -eps * length) return false;
  }
  return true;
}

/// Points of the zone about `plane`, with the keys of src/narrow/contact_zone-inl.h.
inline std::vector<narrow::FoundPoint> contact_zone(const narrow::BodyView& a, const narrow::BodyView& b, Vec3 d,
                                                    const narrow::Plane& plane) {
  const double scale = a.radius + b.radius, h = -0.5 * plane.gap, eps = 1e-9 * scale;
  const Vec3 n = plane.n, e1 = any_perpendicular(n), e2 = cross(n, e1);
  const Vec3 middle = 0.5 * (a.vertex(plane.va) + d + b.vertex(plane.vb));
  const auto projected = [&](const narrow::BodyView& x, Vec3 shift, double sign, std::uint32_t defining) {
    Points p;
    for (std::uint32_t v = 0; v < x.shape->vertices; ++v) {
      const Vec3 at = shift + x.vertex(v);
      const double z = sign * dot(n, at);
      if (z + h >= -1e-12 * scale || v == defining) p.push_back({dot(e1, at), dot(e2, at), std::max(0.0, z + h), v});
    }
    return hull_of(p, eps);
  };
  const Points alpha = projected(a, -middle, 1, plane.va), beta = projected(b, d - middle, -1, plane.vb);
  std::vector<narrow::FoundPoint> out;
  const auto add = [&](double u, double v, double depth, std::uint32_t key) {
    const Vec3 x = middle + u * e1 + v * e2;
    for (const narrow::FoundPoint& p : out) {
      if (norm(p.point - x) <= eps) return;
    }
    out.push_back({0, key, x, n, depth, -plane.gap, 0, depth});
  };
  for (const Point& p : alpha) {
    if (inside(beta, p, eps)) add(p.u, p.v, p.penetration, 1u << 28 | p.vertex);
  }
  for (const Point& p : beta) {
    if (inside(alpha, p, eps)) add(p.u, p.v, p.penetration, 2u << 28 | p.vertex);
  }
  const std::size_t na = alpha.size(), nb = beta.size();
  for (std::size_t i = 0; i < (na > 2 ? na : na - 1); ++i) {
    for (std::size_t j = 0; j < (nb > 2 ? nb : nb - 1); ++j) {
      const Point &a0 = alpha[i], &a1 = alpha[(i + 1) % na], &b0 = beta[j], &b1 = beta[(j + 1) % nb];
      const double s0 = turn(b0, b1, a0), s1 = turn(b0, b1, a1), t0 = turn(a0, a1, b0), t1 = turn(a0, a1, b1);
      // An end that lies on the other edge to rounding is on neither side of it.
      const double on_a = 1e-5 * eps * std::hypot(a1.u - a0.u, a1.v - a0.v),
                   on_b = 1e-5 * eps * std::hypot(b1.u - b0.u, b1.v - b0.v);
      if (!(s0 * s1 < 0 && t0 * t1 < 0) || std::min(std::abs(s0), std::abs(s1)) <= on_b ||
          std::min(std::abs(t0), std::abs(t1)) <= on_a)
        continue;
      const double s = s0 / (s0 - s1), t = t0 / (t0 - t1);
      const std::uint32_t ka = std::min(a0.vertex, a1.vertex) << 7 | std::max(a0.vertex, a1.vertex);
      const std::uint32_t kb = std::min(b0.vertex, b1.vertex) << 7 | std::max(b0.vertex, b1.vertex);
      add(a0.u + s * (a1.u - a0.u), a0.v + s * (a1.v - a0.v),
          0.5 * ((1 - s) * a0.penetration + s * a1.penetration + (1 - t) * b0.penetration + t * b1.penetration),
          3u << 28 | ka << 14 | kb);
    }
  }
  if (out.empty()) add(0, 0, 2 * h, 0);
  std::erase_if(out, [](const narrow::FoundPoint& p) { return !(p.depth > 0); });
  return out;
}

}  // namespace scree::oracle::zone

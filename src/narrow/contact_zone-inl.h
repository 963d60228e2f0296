// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_CONTACT_ZONE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_CONTACT_ZONE_INL_H
#undef SCREE_NARROW_CONTACT_ZONE_INL_H
#else
#define SCREE_NARROW_CONTACT_ZONE_INL_H
#endif

#include <algorithm>

#include "narrow/common_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// A vertex of one body in the contact zone, projected on the common plane.
struct ZonePoint {
  double u, v;         ///< m, in the plane, relative to the middle of the link
  double penetration;  ///< m, into the zone
  std::uint32_t vertex;
};

struct ZoneContact {
  Vec3 point;  ///< m, relative to A's centroid, on the common plane
  double depth;
  std::uint32_t key;
};

inline constexpr std::size_t kMaxZonePoints = 2 * kMaxVertices;

struct ZoneWorkspace {
  ZonePoint hull[2][2 * kMaxVertices];
  std::size_t n[2];
  ZonePoint sorted[kMaxVertices];
  ZoneContact contact[kMaxZonePoints];
  std::size_t contacts;
};

HWY_INLINE double Turn2(const ZonePoint& a, const ZonePoint& b, const ZonePoint& c) {
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

/// Counter-clockwise hull by Andrew's monotone chain; 1 or 2 points where the projection is a point or a segment.
/// Points nearer than `eps` to another one or to a hull edge are dropped.
inline std::size_t Hull2(ZonePoint* p, std::size_t n, double eps, ZonePoint* hull) {
  std::sort(p, p + n, [](const ZonePoint& a, const ZonePoint& b) {
    return a.u != b.u ? a.u < b.u : (a.v != b.v ? a.v < b.v : a.vertex < b.vertex);
  });
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < n; ++i) {
    bool same = false;
    for (std::size_t j = 0; j < distinct && !same; ++j) same = std::hypot(p[i].u - p[j].u, p[i].v - p[j].v) <= eps;
    if (!same) p[distinct++] = p[i];
  }
  n = distinct;
  if (n < 3) {
    std::copy(p, p + n, hull);
    return n;
  }
  std::size_t k = 0;
  const auto bent = [&](std::size_t from, const ZonePoint& c) {
    const ZonePoint &a = hull[from - 2], &b = hull[from - 1];
    return Turn2(a, b, c) > eps * std::hypot(c.u - a.u, c.v - a.v);
  };
  for (std::size_t i = 0; i < n; ++i) {
    while (k >= 2 && !bent(k, p[i])) --k;
    hull[k++] = p[i];
  }
  for (std::size_t i = n - 1, lower = k + 1; i-- > 0;) {
    while (k >= lower && !bent(k, p[i])) --k;
    hull[k++] = p[i];
  }
  return k - 1;
}

/// Is x inside the convex polygon, segment or point h, closed, to within eps?
inline bool Inside2(const ZonePoint* h, std::size_t n, const ZonePoint& x, double eps) {
  if (n == 1) return std::hypot(x.u - h[0].u, x.v - h[0].v) <= eps;
  for (std::size_t i = 0; i < n; ++i) {
    const ZonePoint &a = h[i], &b = h[(i + 1) % n];
    const double length = std::hypot(b.u - a.u, b.v - a.v);
    if (Turn2(a, b, x) < -eps * length) return false;
    if (n == 2) {
      const double along = (x.u - a.u) * (b.u - a.u) + (x.v - a.v) * (b.v - a.v);
      if (along < -eps * length) return false;
    }
  }
  return true;
}

/// Contact points of Zhao et al. 2006, section 3.3: the corners of the common part of the two projected hulls.
inline void ContactZone(const Query& q, const Plane& plane, ZoneWorkspace* w) {
  const double h = -0.5 * plane.gap, eps = 1e-9 * q.scale, reach = 1e-12 * q.scale;
  const Vec3 n = plane.n, e1 = any_perpendicular(n), e2 = cross(n, e1);
  const Vec3 middle = 0.5 * (q.a.vertex(plane.va) + q.d + q.b.vertex(plane.vb));
  const Vec3 shift[2] = {-middle, q.d - middle};
  const BodyView* body[2] = {&q.a, &q.b};
  const std::uint32_t defining[2] = {plane.va, plane.vb};
  for (std::size_t side = 0; side < 2; ++side) {
    std::size_t found = 0;
    const double sign = side == 0 ? 1 : -1;
    for (std::uint32_t v = 0; v < body[side]->shape->vertices; ++v) {
      const Vec3 x = shift[side] + body[side]->vertex(v);
      const double z = sign * dot(n, x);
      // A face parallel to the plane lies exactly on the border of the zone: rounding must not drop the defining
      // vertices.
      if (z + h < -reach && v != defining[side]) continue;
      w->sorted[found++] = {dot(e1, x), dot(e2, x), std::max(0.0, z + h), v};
    }
    w->n[side] = Hull2(w->sorted, found, eps, w->hull[side]);
  }
  w->contacts = 0;
  const ZonePoint *alpha = w->hull[0], *beta = w->hull[1];
  const std::size_t na = w->n[0], nb = w->n[1];
  const auto add = [&](double u, double v, double depth, std::uint32_t key) {
    const Vec3 x = middle + u * e1 + v * e2;
    for (std::size_t i = 0; i < w->contacts; ++i) {
      if (norm(w->contact[i].point - x) <= eps) return;
    }
    if (w->contacts < kMaxZonePoints) w->contact[w->contacts++] = {x, depth, key};
  };
  for (std::size_t i = 0; i < na; ++i) {
    if (Inside2(beta, nb, alpha[i], eps)) add(alpha[i].u, alpha[i].v, alpha[i].penetration, 1u << 28 | alpha[i].vertex);
  }
  for (std::size_t j = 0; j < nb; ++j) {
    if (Inside2(alpha, na, beta[j], eps)) add(beta[j].u, beta[j].v, beta[j].penetration, 2u << 28 | beta[j].vertex);
  }
  const std::size_t edges_a = na > 2 ? na : na - 1, edges_b = nb > 2 ? nb : nb - 1;
  for (std::size_t i = 0; i < edges_a; ++i) {
    for (std::size_t j = 0; j < edges_b; ++j) {
      const ZonePoint &a0 = alpha[i], &a1 = alpha[(i + 1) % na], &b0 = beta[j], &b1 = beta[(j + 1) % nb];
      const double s0 = Turn2(b0, b1, a0), s1 = Turn2(b0, b1, a1), t0 = Turn2(a0, a1, b0), t1 = Turn2(a0, a1, b1);
      if (!(s0 * s1 < 0 && t0 * t1 < 0)) continue;
      const double s = s0 / (s0 - s1), t = t0 / (t0 - t1);
      const double depth =
          0.5 * ((1 - s) * a0.penetration + s * a1.penetration + (1 - t) * b0.penetration + t * b1.penetration);
      const std::uint32_t ka = std::min(a0.vertex, a1.vertex) << 7 | std::max(a0.vertex, a1.vertex);
      const std::uint32_t kb = std::min(b0.vertex, b1.vertex) << 7 | std::max(b0.vertex, b1.vertex);
      add(a0.u + s * (a1.u - a0.u), a0.v + s * (a1.v - a0.v), depth, 3u << 28 | ka << 14 | kb);
    }
  }
  // Two edges whose projections only touch, or hulls that rounding parts: one point at the middle of the link.
  if (w->contacts == 0) add(0, 0, 2 * h, 0);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_CONTACT_ZONE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_CONTACT_ZONE_INL_H
#undef SCREE_NARROW_CONTACT_ZONE_INL_H
#else
#define SCREE_NARROW_CONTACT_ZONE_INL_H
#endif

#include <algorithm>
#include <bit>

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

/// Corners of a projected hull that can be looked at as one word of bits.
inline constexpr std::size_t kMaxZoneCorners = 64;

struct ZoneWorkspace {
  ZonePoint hull[2][2 * kMaxVertices];
  std::size_t n[2];
  ZonePoint sorted[kMaxVertices];
  HWY_ALIGN double height[kMaxVertices];
  HWY_ALIGN double u[2][kMaxZoneCorners], v[2][kMaxZoneCorners];  ///< of the hulls' corners
  ZoneContact contact[kMaxZonePoints];
  double contact_u[kMaxZonePoints], contact_v[kMaxZonePoints];
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

/// The corners of a face, counter-clockwise as seen along the common plane's normal, are a hull as they stand unless
/// some of them are one to within eps.
HWY_INLINE bool IsHull2(const ZonePoint* p, std::size_t n, double eps) {
  for (std::size_t i = 0; i < n; ++i) {
    const ZonePoint &a = p[i], &b = p[i + 1 < n ? i + 1 : 0], &c = p[i + 2 < n ? i + 2 : i + 2 - n];
    const double turn = Turn2(a, b, c), du = c.u - a.u, dv = c.v - a.v, su = b.u - a.u, sv = b.v - a.v;
    if (!(turn > 0 && turn * turn > eps * eps * (du * du + dv * dv) && su * su + sv * sv > eps * eps)) return false;
  }
  return true;
}

/// Sides of a polygon against points: bit k of a word is point k.
struct SidesOfPoints {
  std::uint64_t out = 0;                                        ///< farther than eps beyond some edge
  std::uint64_t left[kMaxZoneCorners], right[kMaxZoneCorners];  ///< of each edge, strictly
};
HWY_INLINE void CompareSides(const double* eu, const double* ev, std::size_t edges, const double* pu, const double* pv,
                             std::size_t points, double eps, SidesOfPoints* s) {
  const hn::CappedTag<double, 8> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const std::uint64_t all = points < 64 ? (std::uint64_t{1} << points) - 1 : ~std::uint64_t{0};
  for (std::size_t j = 0; j < edges; ++j) {
    const std::size_t k = j + 1 < edges ? j + 1 : 0;
    const double du = eu[k] - eu[j], dv = ev[k] - ev[j], beyond = -eps * std::sqrt(du * du + dv * dv);
    const auto u0 = hn::Set(tag, eu[j]), v0 = hn::Set(tag, ev[j]), zero = hn::Zero(tag);
    std::uint64_t left = 0, right = 0, out = 0;
    for (std::size_t i = 0; i < points; i += lanes) {
      const auto turn = hn::Sub(hn::Mul(hn::Set(tag, du), hn::Sub(hn::Load(tag, pv + i), v0)),
                                hn::Mul(hn::Set(tag, dv), hn::Sub(hn::Load(tag, pu + i), u0)));
      const auto bits = [&](auto mask) HWY_ATTR {
        std::uint8_t bytes[8];
        hn::StoreMaskBits(tag, mask, bytes);
        return static_cast<std::uint64_t>(bytes[0]) << i;
      };
      left |= bits(hn::Gt(turn, zero)), right |= bits(hn::Lt(turn, zero));
      out |= bits(hn::Lt(turn, hn::Set(tag, beyond)));
    }
    s->left[j] = left & all, s->right[j] = right & all, s->out |= out & all;
  }
}

/// The part of a hull that one body brings: its vertices within the zone, projected.
HWY_INLINE void CollectZone(const BodyView& body, Vec3 n, Vec3 shift, Vec3 e1, Vec3 e2, double sign, double h,
                            std::uint32_t defining, double eps, double reach, std::size_t side, ZoneWorkspace* w) {
  const hn::ScalableTag<double> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const HotShape& shape = *body.shape;
  const Vec3 m = sign * n;
  Heights(body, m, -(dot(m, shift) + h), w->height);
  VertexMask within{};
  for (std::size_t i = 0; i < shape.padded; i += lanes) {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(tag, hn::Ge(hn::Load(tag, w->height + i), hn::Set(tag, -reach)), bytes);
    within[i / 64] |= static_cast<std::uint64_t>(bytes[0]) << (i % 64);
  }
  // A face parallel to the plane lies exactly on the border of the zone: rounding must not drop the defining vertices.
  within[defining / 64] |= std::uint64_t{1} << (defining % 64);
  const std::uint32_t count = shape.vertices;  // the padding repeats vertex 0
  if (count < 64) within[0] &= (std::uint64_t{1} << count) - 1, within[1] = 0;
  if (count >= 64 && count < 128) within[1] &= (std::uint64_t{1} << (count - 64)) - 1;
  const double au = dot(e1, shift), av = dot(e2, shift);
  const auto put = [&](std::uint32_t v, ZonePoint* to) {
    const Vec3 x = body.vertex(v);
    *to = {dot(e1, x) + au, dot(e2, x) + av, std::max(0.0, w->height[v]), v};
  };
  // Where they are the corners of one face, its loop is their hull.
  const std::size_t face = FaceAlong(body, defining, m);
  ZonePoint* hull = w->hull[side];
  if (within == shape.face_vertices[face]) {
    const auto loop = shape.body->loop(face);
    const std::size_t corners = loop.size();
    for (std::size_t i = 0; i < corners; ++i) put(side == 0 ? loop[i] : loop[corners - 1 - i], hull + i);
    if (IsHull2(hull, corners, eps)) {
      w->n[side] = corners;
      return;
    }
  }
  std::size_t found = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::uint64_t bits = within[k]; bits != 0; bits &= bits - 1)
      put(static_cast<std::uint32_t>(64 * k) + static_cast<std::uint32_t>(std::countr_zero(bits)), w->sorted + found++);
  }
  w->n[side] = Hull2(w->sorted, found, eps, hull);
}

/// Contact points of Zhao et al. 2006, section 3.3: the corners of the common part of the two projected hulls.
inline void ContactZone(const Query& q, const Plane& plane, ZoneWorkspace* w) {
  const double h = -0.5 * plane.gap, eps = 1e-9 * q.scale, reach = 1e-12 * q.scale;
  const Vec3 n = plane.n, e1 = any_perpendicular(n), e2 = cross(n, e1);
  const Vec3 middle = 0.5 * (q.a.vertex(plane.va) + q.d + q.b.vertex(plane.vb));
  CollectZone(q.a, n, -middle, e1, e2, 1, h, plane.va, eps, reach, 0, w);
  CollectZone(q.b, n, q.d - middle, e1, e2, -1, h, plane.vb, eps, reach, 1, w);
  w->contacts = 0;
  const ZonePoint *alpha = w->hull[0], *beta = w->hull[1];
  const std::size_t na = w->n[0], nb = w->n[1];
  const auto add = [&](double u, double v, double depth, std::uint32_t key) {
    for (std::size_t i = 0; i < w->contacts; ++i) {
      const double du = w->contact_u[i] - u, dv = w->contact_v[i] - v;
      if (du * du + dv * dv <= eps * eps) return;
    }
    if (w->contacts == kMaxZonePoints) return;
    w->contact_u[w->contacts] = u, w->contact_v[w->contacts] = v;
    w->contact[w->contacts++] = {middle + u * e1 + v * e2, depth, key};
  };
  const auto cross_edges = [&](std::size_t i, std::size_t j) {
    const ZonePoint &a0 = alpha[i], &a1 = alpha[i + 1 < na ? i + 1 : 0], &b0 = beta[j],
                    &b1 = beta[j + 1 < nb ? j + 1 : 0];
    const double s0 = Turn2(b0, b1, a0), s1 = Turn2(b0, b1, a1), t0 = Turn2(a0, a1, b0), t1 = Turn2(a0, a1, b1);
    if (!(s0 * s1 < 0 && t0 * t1 < 0)) return;
    const double s = s0 / (s0 - s1), t = t0 / (t0 - t1);
    const double depth =
        0.5 * ((1 - s) * a0.penetration + s * a1.penetration + (1 - t) * b0.penetration + t * b1.penetration);
    const std::uint32_t ka = std::min(a0.vertex, a1.vertex) << 7 | std::max(a0.vertex, a1.vertex);
    const std::uint32_t kb = std::min(b0.vertex, b1.vertex) << 7 | std::max(b0.vertex, b1.vertex);
    add(a0.u + s * (a1.u - a0.u), a0.v + s * (a1.v - a0.v), depth, 3u << 28 | ka << 14 | kb);
  };
  const auto add_a = [&](std::size_t i) {
    add(alpha[i].u, alpha[i].v, alpha[i].penetration, 1u << 28 | alpha[i].vertex);
  };
  const auto add_b = [&](std::size_t j) { add(beta[j].u, beta[j].v, beta[j].penetration, 2u << 28 | beta[j].vertex); };
  if (na > 2 && nb > 2 && na <= kMaxZoneCorners && nb <= kMaxZoneCorners) {
    for (std::size_t side = 0; side < 2; ++side) {
      // Lanes beyond the last are never looked at.
      for (std::size_t i = 0; i < w->n[side]; ++i)
        w->u[side][i] = w->hull[side][i].u, w->v[side][i] = w->hull[side][i].v;
    }
    SidesOfPoints a_of_b, b_of_a;  // A's corners and the edges of B; B's corners and the edges of A
    CompareSides(w->u[1], w->v[1], nb, w->u[0], w->v[0], na, eps, &a_of_b);
    CompareSides(w->u[0], w->v[0], na, w->u[1], w->v[1], nb, eps, &b_of_a);
    for (std::size_t i = 0; i < na; ++i) {
      if ((a_of_b.out >> i & 1) == 0) add_a(i);
    }
    for (std::size_t j = 0; j < nb; ++j) {
      if ((b_of_a.out >> j & 1) == 0) add_b(j);
    }
    for (std::size_t i = 0; i < na; ++i) {
      const auto turned = [&](std::uint64_t x) { return x >> 1 | (x & 1) << (nb - 1); };
      const std::uint64_t left = b_of_a.left[i], right = b_of_a.right[i];
      const std::size_t next = i + 1 < na ? i + 1 : 0;
      for (std::uint64_t bits = (left & turned(right)) | (right & turned(left)); bits != 0; bits &= bits - 1) {
        const auto j = static_cast<std::size_t>(std::countr_zero(bits));
        const std::uint64_t l = a_of_b.left[j], r = a_of_b.right[j];
        if (((l >> i & r >> next) | (r >> i & l >> next)) & 1) cross_edges(i, j);
      }
    }
  } else {
    for (std::size_t i = 0; i < na; ++i) {
      if (Inside2(beta, nb, alpha[i], eps)) add_a(i);
    }
    for (std::size_t j = 0; j < nb; ++j) {
      if (Inside2(alpha, na, beta[j], eps)) add_b(j);
    }
    const std::size_t edges_a = na > 2 ? na : na - 1, edges_b = nb > 2 ? nb : nb - 1;
    for (std::size_t i = 0; i < edges_a; ++i) {
      for (std::size_t j = 0; j < edges_b; ++j) cross_edges(i, j);
    }
  }
  // Two edges whose projections only touch, or hulls that rounding parts: one point at the middle of the link.
  if (w->contacts == 0) add(0, 0, 2 * h, 0);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_CONTACT_ZONE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_CONTACT_ZONE_INL_H
#undef SCREE_NARROW_CONTACT_ZONE_INL_H
#else
#define SCREE_NARROW_CONTACT_ZONE_INL_H
#endif

#include <algorithm>
#include <bit>

#include "base/compress-inl.h"
#include "narrow/common_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// A vertex of one body in the contact zone, projected on the common plane.
struct ZonePoint {
  double u, v;         ///< m, in the plane, relative to the middle of the link
  double penetration;  ///< m, into the zone
  std::uint32_t vertex;
};

/// Corners of a projected hull that are cut by lanes; larger ones are cut one by one.
inline constexpr std::size_t kMaxZoneCorners = 64;
inline constexpr std::size_t kMaxZonePoints = 4 * kMaxZoneCorners;

/// A face this many times as long as it is wide has no corner so sharp that, no corner being nearer than twice this
/// times eps to an edge of the other hull, two points of the common part can be within eps of each other.
inline constexpr double kZoneSharpest = 16;

/// An end of an edge this share of eps from another edge lies on it to rounding: the two do not cross there.
inline constexpr double kOnLine = 1e-5;

/// A hull as columns by corner, after the last the first ones again: u, v, penetration = rows x + at. A's runs
/// counter-clockwise as seen along the normal, B's clockwise, as faces do that look at each other.
struct ZonePolygon {
  std::size_t n;
  bool sharp;  ///< a corner may be, see kZoneSharpest
  const double *x, *y, *z;
  const double *corner, *edge;  ///< see FaceLoop
  Vec3 row[3], at;
};

/// The same by columns in the plane's frame, with the edges: A's from each corner to the next, B's back to each from
/// the next, so that either body is on its edges' left.
struct ZoneColumns {
  using Column = double[kMaxZoneCorners + kPad];
  HWY_ALIGN Column u, v, depth, next_u, next_v, next_depth;
  HWY_ALIGN Column du, dv, at;  ///< du y - dv x - at: on its left positive
  HWY_ALIGN Column width;       ///< nearer to the edge than this, times its length, is in doubt
  HWY_ALIGN Column key;
};

struct ZoneWorkspace {
  ZonePoint hull[2][2 * kMaxVertices];
  ZonePoint sorted[kMaxVertices];
  HWY_ALIGN double height[kMaxVertices];
  HWY_ALIGN double laid_out[2][5][2 * kMaxZoneCorners];  ///< ZonePolygon's columns of hulls that are not a face
  ZoneColumns a, b;
  // The contacts.
  std::size_t contacts;
  HWY_ALIGN double u[kMaxZonePoints + kPad], v[kMaxZonePoints + kPad];  ///< m, in the plane
  HWY_ALIGN double depth[kMaxZonePoints + kPad];                        ///< m
  HWY_ALIGN double key[kMaxZonePoints + kPad];                          ///< a whole number
};

/// How the plane's frame sees a body.
struct ZoneFrame {
  Vec3 n, e1, e2;
  double h;  ///< m, half the overlap
};

/// Right-handed with the unit vector n (Duff et al. 2017), without branches.
HWY_INLINE ZoneFrame FrameOfPlane(Vec3 n, double h) {
  const double sign = std::copysign(1.0, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  return {n, {1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}, h};
}

HWY_INLINE double Turn2(const ZonePoint& a, const ZonePoint& b, const ZonePoint& c) {
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

HWY_INLINE double Distance2(const ZonePoint& a, const ZonePoint& b) {
  return std::sqrt((b.u - a.u) * (b.u - a.u) + (b.v - a.v) * (b.v - a.v));
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
    for (std::size_t j = 0; j < distinct && !same; ++j) same = Distance2(p[i], p[j]) <= eps;
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
    return Turn2(a, b, c) > eps * Distance2(a, c);
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
  if (n == 1) return Distance2(h[0], x) <= eps;
  for (std::size_t i = 0; i < n; ++i) {
    const ZonePoint &a = h[i], &b = h[(i + 1) % n];
    const double length = Distance2(a, b);
    if (Turn2(a, b, x) < -eps * length) return false;
    if (n == 2) {
      const double along = (x.u - a.u) * (b.u - a.u) + (x.v - a.v) * (b.v - a.v);
      if (along < -eps * length) return false;
    }
  }
  return true;
}

/// The body's vertices within the zone; their heights over its border go to w->height.
HWY_INLINE VertexMask VerticesInZone(const BodyView& body, Vec3 m, double at, double reach, std::uint32_t defining,
                                     ZoneWorkspace* w) {
  const hn::ScalableTag<double> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const HotShape& shape = *body.shape;
  const auto mx = hn::Set(tag, m.x), my = hn::Set(tag, m.y), mz = hn::Set(tag, m.z), border = hn::Set(tag, -reach);
  VertexMask within{};
  for (std::size_t i = 0; i < shape.padded; i += lanes) {
    const auto xy = hn::Add(hn::Mul(mx, hn::LoadU(tag, body.x + i)), hn::Mul(my, hn::LoadU(tag, body.y + i)));
    const auto height = hn::Add(hn::Add(xy, hn::Mul(mz, hn::LoadU(tag, body.z + i))), hn::Set(tag, at));
    hn::Store(height, tag, w->height + i);
    std::uint8_t bytes[8];
    hn::StoreMaskBits(tag, hn::Ge(height, border), bytes);
    within[i / 64] |= static_cast<std::uint64_t>(bytes[0]) << (i % 64);
  }
  // A face parallel to the plane lies exactly on the border of the zone: rounding must not drop the defining vertices.
  within[defining / 64] |= std::uint64_t{1} << (defining % 64);
  const std::uint32_t count = shape.vertices;  // the padding repeats vertex 0
  if (count < 64) within[0] &= (std::uint64_t{1} << count) - 1, within[1] = 0;
  if (count >= 64 && count < 128) within[1] &= (std::uint64_t{1} << (count - 64)) - 1;
  return within;
}

/// The hull that one body brings: its vertices within the zone, projected. False where it has fewer than three corners
/// or more than lanes are kept for: it is then in w->hull[side], counter-clockwise. `n` = corners.
HWY_INLINE bool CollectZone(const BodyView& body, const ZoneFrame& frame, Vec3 shift, double sign,
                            std::uint32_t defining, double eps, double reach, std::size_t side, ZoneWorkspace* w,
                            ZonePolygon* out) {
  const Polyhedron& p = *body.shape->body;
  const Vec3 m = sign * frame.n, at{dot(frame.e1, shift), dot(frame.e2, shift), dot(m, shift) + frame.h};
  const VertexMask within = VerticesInZone(body, m, at.z, reach, defining, w);
  // Where they are the corners of one face, its loop is their hull, if it is wide enough as seen along the normal.
  std::size_t face = p.face_normals.size();
  for (std::size_t i = p.vertex_face_start[defining]; i < p.vertex_face_start[defining + 1u]; ++i)
    face = within == body.shape->face_vertices[p.vertex_faces[i]] ? p.vertex_faces[i] : face;
  if (face < p.face_normals.size()) {
    const FaceLoop& loop = body.shape->loops[face];
    const Vec3 along = transpose_times(body.rotation, m);
    if (loop.corners > 0 && dot(along, p.face_normals[face]) * body.size * loop.width > 2 * eps) {
      *out = {loop.corners,
              kZoneSharpest * loop.width < 2 * p.outer_radius,
              loop.x,
              loop.y,
              loop.z,
              loop.corner,
              loop.edge,
              {body.size * transpose_times(body.rotation, frame.e1),
               body.size * transpose_times(body.rotation, frame.e2), body.size * along},
              at};
      return true;
    }
  }
  std::size_t found = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::uint64_t bits = within[k]; bits != 0; bits &= bits - 1) {
      const auto v = static_cast<std::uint32_t>(64 * k) + static_cast<std::uint32_t>(std::countr_zero(bits));
      const Vec3 x = body.vertex(v);
      w->sorted[found++] = {dot(frame.e1, x) + at.x, dot(frame.e2, x) + at.y, std::max(0.0, w->height[v]), v};
    }
  }
  ZonePoint* hull = w->hull[side];
  const std::size_t n = Hull2(w->sorted, found, eps, hull);
  out->n = n;
  if (n < 3 || n > kMaxZoneCorners) return false;
  auto& c = w->laid_out[side];
  for (std::size_t k = 0; k < n + kPad; ++k) {
    const std::size_t i = k % n, next = (k + 1) % n;
    const ZonePoint &x = hull[side == 0 ? i : n - 1 - i], &y = hull[side == 0 ? next : n - 1 - next];
    c[0][k] = x.u, c[1][k] = x.v, c[2][k] = x.penetration, c[3][k] = x.vertex, c[4][k] = edge_key(x.vertex, y.vertex);
  }
  *out = {n, true, c[0], c[1], c[2], c[3], c[4], {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {}};
  return true;
}

/// `padded`: how many corners to do. `way`: 1 for A, -1 for B. `width`: see ZoneColumns.
HWY_INLINE void ProjectPolygon(const ZonePolygon& p, std::size_t padded, double way, double width, ZoneColumns* out) {
  const hn::CappedTag<double, kPad> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto set = [&](double x) HWY_ATTR { return hn::Set(tag, x); };
  const auto zero = hn::Zero(tag);
  for (std::size_t i = 0; i < padded; i += lanes) {
    const auto project = [&](std::size_t k, std::size_t from) HWY_ATTR {
      const Vec3 r = p.row[k];
      const auto x = hn::LoadU(tag, p.x + from), y = hn::LoadU(tag, p.y + from), z = hn::LoadU(tag, p.z + from);
      const auto xy = hn::Add(hn::Mul(set(r.x), x), hn::Mul(set(r.y), y));
      return hn::Add(hn::Add(xy, hn::Mul(set(r.z), z)), set(p.at[k]));
    };
    const auto u = project(0, i), v = project(1, i), u1 = project(0, i + 1), v1 = project(1, i + 1);
    const auto du = hn::Mul(set(way), hn::Sub(u1, u)), dv = hn::Mul(set(way), hn::Sub(v1, v));
    hn::Store(u, tag, out->u + i), hn::Store(v, tag, out->v + i);
    hn::Store(u1, tag, out->next_u + i), hn::Store(v1, tag, out->next_v + i);
    hn::Store(hn::Max(zero, project(2, i)), tag, out->depth + i);
    hn::Store(hn::Max(zero, project(2, i + 1)), tag, out->next_depth + i);
    hn::Store(du, tag, out->du + i), hn::Store(dv, tag, out->dv + i);
    hn::Store(hn::Sub(hn::Mul(du, v), hn::Mul(dv, u)), tag, out->at + i);
    hn::Store(hn::Mul(set(width), hn::Add(hn::Abs(du), hn::Abs(dv))), tag, out->width + i);
    hn::Store(hn::LoadU(tag, p.edge + i), tag, out->key + i);
  }
}

template <class D, class M, class V>
HWY_INLINE void AddContacts(D tag, M mask, V u, V v, V depth, V key, ZoneWorkspace* w) {
  if (hn::AllFalse(tag, mask)) return;
  const std::size_t n = w->contacts;
  scree::HWY_NAMESPACE::StoreWhere(u, mask, tag, w->u + n), scree::HWY_NAMESPACE::StoreWhere(v, mask, tag, w->v + n);
  scree::HWY_NAMESPACE::StoreWhere(depth, mask, tag, w->depth + n);
  w->contacts = n + scree::HWY_NAMESPACE::StoreWhere(key, mask, tag, w->key + n);
}
/// The corners that `in` has a bit for.
HWY_INLINE void AddCorners(const ZonePolygon& p, const ZoneColumns& c, std::uint64_t in, double whose,
                           ZoneWorkspace* w) {
  const hn::CappedTag<double, kPad> tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t i = 0; i < p.n; i += lanes) {
    const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(in >> i)};
    AddContacts(tag, hn::LoadMaskBits(tag, bytes), hn::Load(tag, c.u + i), hn::Load(tag, c.v + i),
                hn::Load(tag, c.depth + i), hn::Add(hn::LoadU(tag, p.corner + i), hn::Set(tag, whose)), w);
  }
}

/// Of contacts within eps of each other only one stays: a corner if there is one; `crossings`: how many come first and
/// are none.
inline void MergeContacts(std::size_t crossings, double eps, ZoneWorkspace* w) {
  const std::size_t n = w->contacts;
  for (double* column : {w->u, w->v, w->depth, w->key}) std::rotate(column, column + crossings, column + n);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < n; ++k) {
    bool same = false;
    for (std::size_t i = 0; i < kept && !same; ++i) {
      const double du = w->u[i] - w->u[k], dv = w->v[i] - w->v[k];
      same = du * du + dv * dv <= eps * eps;
    }
    if (same) continue;
    w->u[kept] = w->u[k], w->v[kept] = w->v[k], w->depth[kept] = w->depth[k], w->key[kept++] = w->key[k];
  }
  w->contacts = kept;
}

/// The corners of the common part of two convex polygons, a's and b's columns being filled: the crossings of edges,
/// whose ends lie strictly on different sides of each other, then A's and B's corners. Lanes are A's corners, and the
/// edges from them to the next ones, for one edge of B; kTwo: for two, A having no more than four.
/// kMerge: corners count as inside to within eps, and points within eps of each other as one; false where rounding
/// makes too many. Without it, false where a corner is so near an edge of the other that this may make a difference.
template <bool kTwo, bool kMerge>
HWY_INLINE bool CommonPart(const ZonePolygon& a, const ZonePolygon& b, double eps, ZoneWorkspace* w) {
  const hn::CappedTag<double, kPad> tag;
  using V = decltype(hn::Zero(tag));
  const std::size_t lanes = hn::Lanes(tag);
  const auto set = [&](double x) HWY_ATTR { return hn::Set(tag, x); };
  const auto zero = hn::Zero(tag);
  const ZoneColumns &ca = w->a, &cb = w->b;
  const std::uint64_t all_a = ~std::uint64_t{0} >> (64 - a.n), all_b = ~std::uint64_t{0} >> (64 - b.n);
  const auto bits_of = [&](auto mask) HWY_ATTR {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(tag, mask, bytes);
    return static_cast<std::uint64_t>(bytes[0]);
  };
  const auto of_a = [&](const double* column) HWY_ATTR {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (kTwo) return hn::ConcatLowerLower(tag, hn::Load(tag, column), hn::Load(tag, column));
#endif
    return hn::Load(tag, column);
  };
  std::uint64_t out_a = 0, out_b = 0, near = 0;
  w->contacts = 0;
  for (std::size_t j = 0; j < b.n; j += kTwo ? 2 : 1) {
    const auto of_b = [&](const double* column) HWY_ATTR {
#if HWY_TARGET != HWY_SCALAR
      if constexpr (kTwo) return hn::ConcatLowerLower(tag, set(column[j + 1]), set(column[j]));
#endif
      return set(column[j]);
    };
    const V eu = of_b(cb.du), ev = of_b(cb.dv), ec = of_b(cb.at), e_width = of_b(cb.width);
    const V bu = of_b(cb.u), bv = of_b(cb.v), bu1 = of_b(cb.next_u), bv1 = of_b(cb.next_v);
    for (std::size_t i = 0; i < a.n; i += lanes) {
      const auto side = [](V along_u, V along_v, V at, V u, V v)
                            HWY_ATTR { return hn::Sub(hn::Sub(hn::Mul(along_u, v), hn::Mul(along_v, u)), at); };
      const V au = of_a(ca.u + i), av = of_a(ca.v + i);
      const V du = of_a(ca.du + i), dv = of_a(ca.dv + i), dc = of_a(ca.at + i), d_width = of_a(ca.width + i);
      const V p = side(eu, ev, ec, au, av), q = side(eu, ev, ec, of_a(ca.next_u + i), of_a(ca.next_v + i));
      const V t = side(du, dv, dc, bu, bv), t1 = side(du, dv, dc, bu1, bv1);
      std::uint64_t beyond_a = 0, beyond_b = 0;
      if constexpr (kMerge) {
        beyond_a = bits_of(hn::Lt(p, hn::Neg(e_width))), beyond_b = bits_of(hn::Lt(t, hn::Neg(d_width)));
      } else {
        beyond_a = bits_of(hn::Lt(p, zero)), beyond_b = bits_of(hn::Lt(t, zero));
        near |= bits_of(hn::Or(hn::Le(hn::Abs(p), e_width), hn::Le(hn::Abs(t), d_width)));
      }
      auto cross = hn::And(hn::Lt(hn::Mul(p, q), zero), hn::Lt(hn::Mul(t, t1), zero));
      if constexpr (kMerge) {
        const auto off = [&](V x, V y, V width)
                             HWY_ATTR { return hn::Gt(hn::Min(hn::Abs(x), hn::Abs(y)), hn::Mul(set(kOnLine), width)); };
        cross = hn::And(cross, hn::And(off(p, q, e_width), off(t, t1, d_width)));
      }
      std::uint64_t crossed = bits_of(cross);
      if constexpr (kTwo) {
        out_a |= beyond_a | beyond_a >> 4;
        out_b |= static_cast<std::uint64_t>((beyond_b & 15) != 0) << j;
        out_b |= static_cast<std::uint64_t>(beyond_b >> 4 != 0) << (j + 1);
        crossed &= j + 1 < b.n ? all_a | all_a << 4 : all_a;
      } else {
        out_a |= beyond_a << i, out_b |= static_cast<std::uint64_t>(beyond_b != 0) << j;
        crossed &= all_a >> i;
      }
      if (w->contacts > kMaxZonePoints - 3 * kMaxZoneCorners) return false;
      // But for rounding, p - q = t - t1.
      const V r = hn::Div(set(1), hn::Sub(p, q)), s = hn::Mul(p, r), ap = of_a(ca.depth + i);
      const V own = hn::Add(ap, hn::Mul(s, hn::Sub(of_a(ca.next_depth + i), ap)));
      const V other = hn::Mul(hn::Sub(hn::Mul(t, of_b(cb.next_depth)), hn::Mul(t1, of_b(cb.depth))), r);
      const V key = hn::Add(hn::Add(hn::Mul(of_a(ca.key + i), set(1u << 14)), set(3u << 28)), of_b(cb.key));
      const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(crossed)};
      AddContacts(tag, hn::LoadMaskBits(tag, bytes), hn::Add(au, hn::Mul(s, du)), hn::Add(av, hn::Mul(s, dv)),
                  hn::Mul(set(0.5), hn::Add(own, other)), key, w);
    }
  }
  if (near != 0) return false;
  const std::size_t crossings = w->contacts;
  AddCorners(a, ca, ~out_a & all_a, 1u << 28, w), AddCorners(b, cb, ~out_b & all_b, 2u << 28, w);
  if constexpr (kMerge) MergeContacts(crossings, eps, w);
  return true;
}
HWY_INLINE bool CommonPart(const ZonePolygon& a, const ZonePolygon& b, double eps, ZoneWorkspace* w) {
  const auto project = [&](double width) HWY_ATTR {
    ProjectPolygon(a, a.n, 1, width, &w->a), ProjectPolygon(b, b.n, -1, width, &w->b);
  };
  if (!a.sharp && !b.sharp) {
    project(2 * kZoneSharpest * eps);
    constexpr bool kEight = hn::MaxLanes(hn::CappedTag<double, kPad>()) == kPad;
    bool eight = false;
    if constexpr (kEight) eight = a.n <= 4;
    if (eight && CommonPart<kEight, false>(a, b, eps, w)) return true;
    if (!eight && CommonPart<false, false>(a, b, eps, w)) return true;
  }
  project(eps);
  return CommonPart<false, true>(a, b, eps, w);
}

/// The same, corner by corner and edge by edge, for points, segments and hulls of very many corners.
inline void CommonPartSlowly(std::size_t na, std::size_t nb, double eps, ZoneWorkspace* w) {
  const ZonePoint *alpha = w->hull[0], *beta = w->hull[1];
  w->contacts = 0;
  const auto add = [&](double u, double v, double depth, std::uint32_t key) {
    for (std::size_t i = 0; i < w->contacts; ++i) {
      const double du = w->u[i] - u, dv = w->v[i] - v;
      if (du * du + dv * dv <= eps * eps) return;
    }
    if (w->contacts == kMaxZonePoints) return;
    const std::size_t k = w->contacts++;
    w->u[k] = u, w->v[k] = v, w->depth[k] = depth, w->key[k] = key;
  };
  for (std::size_t i = 0; i < na; ++i) {
    const ZonePoint& x = alpha[i];
    if (Inside2(beta, nb, x, eps)) add(x.u, x.v, x.penetration, 1u << 28 | x.vertex);
  }
  for (std::size_t j = 0; j < nb; ++j) {
    const ZonePoint& x = beta[j];
    if (Inside2(alpha, na, x, eps)) add(x.u, x.v, x.penetration, 2u << 28 | x.vertex);
  }
  const std::size_t edges_a = na > 2 ? na : na - 1, edges_b = nb > 2 ? nb : nb - 1;
  for (std::size_t i = 0; i < edges_a; ++i) {
    for (std::size_t j = 0; j < edges_b; ++j) {
      const ZonePoint &a0 = alpha[i], &a1 = alpha[i + 1 < na ? i + 1 : 0], &b0 = beta[j],
                      &b1 = beta[j + 1 < nb ? j + 1 : 0];
      const double s0 = Turn2(b0, b1, a0), s1 = Turn2(b0, b1, a1), t0 = Turn2(a0, a1, b0), t1 = Turn2(a0, a1, b1);
      const double on_a = kOnLine * eps * Distance2(a0, a1), on_b = kOnLine * eps * Distance2(b0, b1);
      const auto ends = [](double x, double y, double on) {
        return x * y < 0 && std::min(std::abs(x), std::abs(y)) > on;
      };
      if (!ends(s0, s1, on_b) || !ends(t0, t1, on_a)) continue;
      const double s = s0 / (s0 - s1), t = t0 / (t0 - t1);
      const double depth =
          0.5 * ((1 - s) * a0.penetration + s * a1.penetration + (1 - t) * b0.penetration + t * b1.penetration);
      add(a0.u + s * (a1.u - a0.u), a0.v + s * (a1.v - a0.v), depth,
          3u << 28 | edge_key(a0.vertex, a1.vertex) << 14 | edge_key(b0.vertex, b1.vertex));
    }
  }
}

/// The corners of a polygon as the slow way wants them, counter-clockwise.
inline void LayOutHull(const ZonePolygon& p, std::size_t side, ZoneWorkspace* w) {
  for (std::size_t k = 0; k < p.n; ++k) {
    const std::size_t i = side == 0 ? k : p.n - 1 - k;
    const Vec3 x{p.x[i], p.y[i], p.z[i]};
    w->hull[side][k] = {dot(p.row[0], x) + p.at.x, dot(p.row[1], x) + p.at.y, std::max(0.0, dot(p.row[2], x) + p.at.z),
                        static_cast<std::uint32_t>(p.corner[i])};
  }
}

/// Contact points of Zhao et al. 2006, section 3.3: the corners of the common part of the two projected hulls, which
/// are left in `w`. Returns what their u and v are measured in.
struct ZoneAxes {
  Vec3 middle, e1, e2;
};
inline ZoneAxes ContactZone(const Query& q, const Plane& plane, ZoneWorkspace* w) {
  const double eps = 1e-9 * q.scale, reach = 1e-12 * q.scale;
  const ZoneFrame frame = FrameOfPlane(plane.n, -0.5 * plane.gap);
  const Vec3 middle = 0.5 * (q.a.vertex(plane.va) + q.d + q.b.vertex(plane.vb));
  ZonePolygon a, b;
  const bool wide_a = CollectZone(q.a, frame, -middle, 1, plane.va, eps, reach, 0, w, &a);
  const bool wide_b = CollectZone(q.b, frame, q.d - middle, -1, plane.vb, eps, reach, 1, w, &b);
  if (!wide_a || !wide_b || !CommonPart(a, b, eps, w)) {
    if (wide_a) LayOutHull(a, 0, w);
    if (wide_b) LayOutHull(b, 1, w);
    CommonPartSlowly(a.n, b.n, eps, w);
  }
  // Two edges whose projections only touch, or hulls that rounding parts: one point at the middle of the link.
  if (w->contacts == 0) w->contacts = 1, w->u[0] = w->v[0] = w->key[0] = 0, w->depth[0] = -plane.gap;
  return {middle, frame.e1, frame.e2};
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

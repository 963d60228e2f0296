// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_OVERLAP_CLIPPING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_OVERLAP_CLIPPING_INL_H
#undef SCREE_NARROW_OVERLAP_CLIPPING_INL_H
#else
#define SCREE_NARROW_OVERLAP_CLIPPING_INL_H
#endif

#include <algorithm>
#include <bit>

#include "narrow/common_plane-inl.h"
#include "narrow/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// A face loop gains at most one vertex per cutting plane.
inline constexpr std::size_t kMaxPolygon = kMaxFaceVertices + kMaxFaces;
/// Faces steeper to the normal than this (cosine) carry no thickness: the sides of the overlap.
inline constexpr double kFacing = 1e-3;

struct Polygon {
  std::size_t n = 0;
  Vec3 p[kMaxPolygon];
};

/// Keeps the part with m.x <= offset (Sutherland & Hodgman 1974).
inline void Clip(const Polygon& in, Vec3 m, double offset, Polygon* out) {
  out->n = 0;
  if (in.n == 0) return;
  Vec3 previous = in.p[in.n - 1];
  double sp = dot(m, previous) - offset;
  for (std::size_t i = 0; i < in.n; ++i) {
    const Vec3 here = in.p[i];
    const double s = dot(m, here) - offset;
    if ((s > 0) != (sp > 0)) out->p[out->n++] = previous + (sp / (sp - s)) * (here - previous);
    if (!(s > 0)) out->p[out->n++] = here;
    previous = here, sp = s;
  }
}

/// Sums over the clipped faces of both bodies. Volume and first moments come from the flux of (n.x) n and (n.x) x n
/// through them: faces along n then carry next to nothing, so a side face that the two bodies share costs no accuracy.
struct Flux {
  Vec3 n;                         ///< the seed's normal; the sums do not depend on it beyond rounding
  double volume = 0;              ///< m^3
  Vec3 moment;                    ///< m^4: tangential parts of int x dV; the normal part twice
  Vec3 area;                      ///< m^2, of A's faces
  double area_n = 0;              ///< m^2, the same along n
  Vec3 area_moment;               ///< m^3, int x (n.dA) over A's faces
  Vec3 turning;                   ///< m^3, int x cross dA over A's faces
  double polar = 0;               ///< m^4, int |x|^2 (n.dA) over A's faces
  Vec3 e1, e2;                    ///< unit, perpendicular to n
  double uu = 0, uv = 0, vv = 0;  ///< m^4, int x x^T (n.dA) along e1 and e2

  HWY_INLINE void Add(const Polygon& f, bool of_a) {
    for (std::size_t i = 2; i < f.n; ++i) {
      const Vec3 p = f.p[0], q = f.p[i - 1], r = f.p[i];
      const Vec3 dA = 0.5 * cross(q - p, r - p);
      const double dAn = dot(n, dA), zp = dot(n, p), zq = dot(n, q), zr = dot(n, r), z = zp + zq + zr;
      const Vec3 sum = p + q + r;
      volume += dAn * z / 3;
      moment += (dAn / 12) * (z * sum + zp * p + zq * q + zr * r);
      if (!of_a) continue;
      area += dA, area_n += dAn;
      area_moment += (dAn / 3) * sum;
      turning += (1.0 / 3) * cross(sum, dA);
      const Vec3 tp = p - zp * n, tq = q - zq * n, tr = r - zr * n, ts = tp + tq + tr;
      polar += (dAn / 12) * (norm2(ts) + norm2(tp) + norm2(tq) + norm2(tr));
      const auto both = [&](Vec3 a, Vec3 b) {
        return dot(a, ts) * dot(b, ts) + dot(a, tp) * dot(b, tp) + dot(a, tq) * dot(b, tq) + dot(a, tr) * dot(b, tr);
      };
      uu += (dAn / 12) * both(e1, e1), uv += (dAn / 12) * both(e1, e2), vv += (dAn / 12) * both(e2, e2);
    }
  }

  /// x = origin + ...: the origin of the sums, relative to A's centroid.
  Overlap Finish(Vec3 origin) const {
    Overlap o;
    if (!(volume > 0)) return o;
    Vec3 c = moment / volume;
    c -= (0.5 * dot(n, c)) * n;
    o.volume = volume, o.area = area, o.centroid = o.centre = origin + c;
    o.area_moment = turning - cross(c, area);
    if (area_n > 0) {
      const Vec3 t = c - dot(n, c) * n, first = area_moment - dot(n, area_moment) * n;
      const double about = polar - 2 * dot(t, first) + area_n * norm2(t);
      o.gyration = about > 0 ? std::sqrt(about / area_n) : 0;
      const double per = 1 / area_n;
      const Vec3 m = per * first;
      const auto spread = [&](double s, Vec3 a, Vec3 b) { return per * s - dot(a, m) * dot(b, m); };
      const LongAxis<double> axis(spread(uu, e1, e1), spread(uv, e1, e2), spread(vv, e2, e2), o.gyration);
      o.axis = axis.u * e1 + axis.v * e2;
    }
    return o;
  }
};

/// The faces of one body that reach into the slab, their planes relative to the origin of the sums, and which vertices
/// of the other body lie beyond each.
struct SlabFaces {
  std::size_t n = 0;
  std::uint16_t face[kMaxFaces];
  Vec3 normal[kMaxFaces];
  double offset[kMaxFaces];
  VertexMask beyond[kMaxFaces];  ///< vertices of the other body outside the plane
  VertexMask on[kMaxFaces];      ///< ... in the plane to rounding
};

/// Clipped faces of one body, kept until the normal is known.
struct Facets {
  std::size_t n = 0;
  std::size_t start[kMaxFaces + 1];
  Vec3 normal[kMaxFaces];
  double offset[kMaxFaces];
  // Faces of one body against each other and against the other's: at most 2 (3 kMaxFaces) + 2 (2 kMaxFaces) corners,
  // for their borders form planar graphs.
  static constexpr std::size_t kMaxPoints = 10 * kMaxFaces;
  Vec3 points[kMaxPoints];

  HWY_INLINE void Clear() { n = 0, start[0] = 0; }
  HWY_INLINE void Keep(const Polygon& f, Vec3 m, double o) {
    if (n == kMaxFaces || start[n] + f.n > kMaxPoints) return;  // never, see above; but rounding knows no theorem
    std::copy(f.p, f.p + f.n, points + start[n]);
    normal[n] = m, offset[n] = o;
    start[n + 1] = start[n] + f.n;
    ++n;
  }
};

/// The surface of one body over its patch, seen from inside along the unit vector n: the least of the distances to its
/// planes.
struct Envelope {
  std::size_t n = 0;
  Vec3 slope[kMaxFaces];
  double level[kMaxFaces];  ///< distance to plane k along n: level + slope.x

  /// Takes the plane m.x = offset if it looks along `direction` (n or -n).
  HWY_INLINE void Add(Vec3 m, double offset, Vec3 direction) {
    const double along = dot(m, direction);
    if (!(along > kFacing)) return;
    slope[n] = (-1 / along) * m, level[n++] = offset / along;
  }
  HWY_INLINE double At(std::size_t k, Vec3 x) const { return level[k] + dot(slope[k], x); }
};

struct ClippingBuffers {
  Polygon polygon[2];
  SlabFaces of_a, of_b;
  Facets top, bottom;
  Envelope envelope;
};

/// Integrals over the patch of powers of the thickness h along n.
struct Thickness {
  double area = 0, h1 = 0, h2 = 0, h3 = 0;  ///< int h^k dA
  Vec3 x0, x2;                              ///< int x dA, int h^2 x dA

  HWY_INLINE void Add(double share, const Thickness& t) {
    area += share * t.area, h1 += share * t.h1, h2 += share * t.h2, h3 += share * t.h3;
    x0 += share * t.x0, x2 += share * t.x2;
  }
  /// Adds the polygon p of A's surface, seen along n, with the thickness given at its corners by `h`. Where A's surface
  /// looks away from B it has turned back over itself and counts against what lies below.
  template <class H>
  HWY_INLINE void Add(const Vec3* p, std::size_t count, Vec3 n, H&& h) {
    for (std::size_t i = 2; i < count; ++i) {
      const Vec3 a = p[0], b = p[i - 1], c = p[i];
      const double dA = 0.5 * dot(n, cross(b - a, c - a));
      const double ha = h(a), hb = h(b), hc = h(c);
      const double s1 = ha + hb + hc, s2 = ha * ha + hb * hb + hc * hc, s3 = ha * ha * ha + hb * hb * hb + hc * hc * hc;
      const Vec3 x = a + b + c, hx = ha * a + hb * b + hc * c, hhx = (ha * ha) * a + (hb * hb) * b + (hc * hc) * c;
      area += dA, h1 += dA / 3 * s1, h2 += dA / 12 * (s1 * s1 + s2),
          h3 += dA / 60 * (s1 * s1 * s1 + 3 * s1 * s2 + 2 * s3);
      x0 += dA / 3 * x;
      x2 += dA / 60 * ((s1 * s1 + s2) * x + 2 * s1 * hx + 2.0 * hhx);
    }
  }
};

/// The mean-depth force K V/A is the gradient of U = K/2 int h^3 / int h for a face at any tilt. Rotating the patch
/// changes U by the force at this point - not at the centroid of the volume, where a rocking block would gain energy at
/// every turn.
HWY_INLINE void PlaceForce(const Thickness& t, Vec3 n, Overlap* o, Vec3 origin) {
  o->centre = o->centroid;
  if (!(t.h1 > 0) || !(t.h3 > 0)) return;
  // Convex bodies have a concave h and b <= 0.6 a (Berwald 1947), equal for a cone. Over several cells of a mesh h need
  // not be concave, and the point would run to infinity as b nears a: the less concave, the more the mean of h^2
  // counts.
  const double a = 1.5 * t.h2 / t.h1, most = 0.6 * a;
  double b = 0.5 * t.h3 * t.area / (t.h1 * t.h1);
  if (b > most) b = most * (most / b) * (most / b);
  o->energy_depth = std::sqrt(t.h3 / t.h1);
  if (!(a - b > 0) || !(t.area > 0)) return;
  const Vec3 x = (1 / (a - b)) * ((1.5 / t.h1) * t.x2 - (b / t.area) * t.x0);
  const Vec3 from_centroid = origin + x - o->centroid;
  o->centre += from_centroid - dot(n, from_centroid) * n;
}

HWY_INLINE void CollectSlabFaces(const BodyView& body, Vec3 shift, const double* height, double above, SlabFaces* s) {
  s->n = 0;
  FaceMask faces{};
  for (std::uint32_t v = 0; v < body.shape->vertices; ++v) {
    if (!(height[v] >= above)) continue;
    for (std::size_t w = 0; w < faces.size(); ++w) faces[w] |= body.shape->vertex_faces[v][w];
  }
  for (std::size_t w = 0; w < faces.size(); ++w) {
    for (std::uint64_t bits = faces[w]; bits != 0; bits &= bits - 1) {
      const auto f = static_cast<std::uint16_t>(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
      s->face[s->n] = f;
      s->normal[s->n] = body.face_normal(f);
      s->offset[s->n] = body.face_offset(f) + dot(s->normal[s->n], shift);
      ++s->n;
    }
  }
}

/// `shift`: centroid of `other` relative to the origin of the sums.
HWY_INLINE void MarkVertices(const BodyView& other, Vec3 shift, double rounding, SlabFaces* s) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d), count = other.shape->padded;
  const auto zero = hn::Zero(d), width = hn::Set(d, rounding);
  HWY_ALIGN double height[kMaxVertices];
  for (std::size_t k = 0; k < s->n; ++k) {
    Heights(other, s->normal[k], s->offset[k] - dot(s->normal[k], shift), height);
    VertexMask beyond{}, on{};
    for (std::size_t i = 0; i < count; i += lanes) {
      const auto h = hn::Load(d, height + i);
      std::uint64_t bits[2] = {0, 0};
      std::uint8_t bytes[8];
      hn::StoreMaskBits(d, hn::Gt(h, zero), bytes);
      bits[0] = bytes[0];
      hn::StoreMaskBits(d, hn::Le(hn::Abs(h), width), bytes);
      bits[1] = bytes[0];
      beyond[i / 64] |= bits[0] << (i % 64);
      on[i / 64] |= bits[1] << (i % 64);
    }
    s->beyond[k] = beyond, s->on[k] = on;
  }
}

/// Adds the parts of `mine` (faces of `body`) that lie inside all planes of `theirs`. A face in one plane with a face
/// of the other body, turned the same way, counts for A alone.
inline void AddInside(const BodyView& body, Vec3 shift, const SlabFaces& mine, const SlabFaces& theirs, bool of_a,
                      Polygon* buffer, Facets* kept, Flux* flux) {
  for (std::size_t i = 0; i < mine.n; ++i) {
    const VertexMask& own = body.shape->face_vertices[mine.face[i]];
    std::uint16_t cutting[kMaxFaces];
    std::size_t cuts = 0;
    bool inside = true;
    for (std::size_t k = 0; k < theirs.n && inside; ++k) {
      const VertexMask &out = theirs.beyond[k], &on = theirs.on[k];
      if ((own[0] & ~on[0]) == 0 && (own[1] & ~on[1]) == 0) {
        inside = of_a && dot(mine.normal[i], theirs.normal[k]) > 0;
      } else if (((own[0] & out[0]) | (own[1] & out[1])) != 0) {
        inside = (own[0] & ~out[0]) != 0 || (own[1] & ~out[1]) != 0;
        cutting[cuts++] = static_cast<std::uint16_t>(k);
      }
    }
    if (!inside) continue;
    Polygon *now = &buffer[0], *next = &buffer[1];
    now->n = 0;
    for (const std::uint16_t v : body.shape->body->loop(mine.face[i])) now->p[now->n++] = shift + body.vertex(v);
    for (std::size_t c = 0; c < cuts && now->n > 2; ++c) {
      Clip(*now, theirs.normal[cutting[c]], theirs.offset[cutting[c]], next);
      std::swap(now, next);
    }
    if (now->n < 3) continue;
    flux->Add(*now, of_a);
    kept->Keep(*now, mine.normal[i], mine.offset[i]);
  }
}

/// Adds a triangle of one body's surface, its thickness being measured up to the other's envelope: cut where the
/// envelope has its ridges. `n`: out of the body.
inline void AddTriangleUnder(const Envelope& e, const Vec3* p, Vec3 n, Polygon* buffer, Thickness* t) {
  if (e.n == 0) return;
  double height[kMaxFaces][3];
  std::size_t nearest[3] = {0, 0, 0};
  for (std::size_t k = 0; k < e.n; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      height[k][i] = e.At(k, p[i]);
      if (height[k][i] < height[nearest[i]][i]) nearest[i] = k;
    }
  }
  // A plane that is nearest at every corner is nearest in between.
  const auto least = [&](std::size_t k, std::size_t i) { return height[k][i] == height[nearest[i]][i]; };
  if (const std::size_t k = nearest[0]; least(k, 1) && least(k, 2)) {
    t->Add(p, 3, n, [&, k](Vec3 x) { return e.At(k, x); });
    return;
  }
  for (std::size_t k = 0; k < e.n; ++k) {
    std::uint16_t cutting[kMaxFaces];
    std::size_t cuts = 0;
    bool empty = false;
    for (std::size_t j = 0; j < e.n && !empty; ++j) {
      if (j == k) continue;
      const double over[3] = {height[k][0] - height[j][0], height[k][1] - height[j][1], height[k][2] - height[j][2]};
      empty = over[0] >= 0 && over[1] >= 0 && over[2] >= 0 && (j < k || over[0] > 0 || over[1] > 0 || over[2] > 0);
      if (over[0] > 0 || over[1] > 0 || over[2] > 0) cutting[cuts++] = static_cast<std::uint16_t>(j);
    }
    if (empty) continue;
    Polygon *now = &buffer[0], *next = &buffer[1];
    now->n = 3;
    std::copy(p, p + 3, now->p);
    for (std::size_t c = 0; c < cuts && now->n > 2; ++c) {
      const std::size_t j = cutting[c];
      Clip(*now, e.slope[k] - e.slope[j], e.level[j] - e.level[k], next);
      std::swap(now, next);
    }
    if (now->n > 2) t->Add(now->p, now->n, n, [&, k](Vec3 x) { return e.At(k, x); });
  }
}

/// Overlap polyhedron of A and B, whatever its form, from a plane with gap <= 0 (algorithm: faces of each body clipped
/// by the other; only faces that reach into the slab between the two supports along the seed's normal can bound it).
inline Overlap OverlapByClipping(const Query& q, const Plane& seed, ClippingBuffers* work) {
  // All coordinates relative to the middle of the link, where the overlap is: V shrinks like depth^3 at a corner.
  const Vec3 origin = 0.5 * (q.a.vertex(seed.va) + q.d + q.b.vertex(seed.vb));
  const Vec3 at_a = -origin, at_b = q.d - origin;
  const double rounding = 1e-14 * q.scale;
  HWY_ALIGN double za[kMaxVertices];
  HWY_ALIGN double zb[kMaxVertices];
  const double top_a = Heights(q.a, seed.n, -dot(seed.n, at_a), za),
               top_b = Heights(q.b, -seed.n, dot(seed.n, at_b), zb);
  SlabFaces &fa = work->of_a, &fb = work->of_b;
  CollectSlabFaces(q.a, at_a, za, -top_b - rounding, &fa);
  CollectSlabFaces(q.b, at_b, zb, -top_a - rounding, &fb);
  MarkVertices(q.b, at_b, rounding, &fa);
  MarkVertices(q.a, at_a, rounding, &fb);
  Flux flux;
  flux.n = seed.n;
  const Frame about = FrameAbout(seed.n, {});
  flux.e1 = about.u, flux.e2 = about.v;
  work->top.Clear(), work->bottom.Clear();
  AddInside(q.a, at_a, fa, fb, true, work->polygon, &work->top, &flux);
  AddInside(q.b, at_b, fb, fa, false, work->polygon, &work->bottom, &flux);
  Overlap o = flux.Finish(origin);
  if (!(o.volume > 0 && norm2(o.area) > 0)) return o;
  const Vec3 n = normalized(o.area);
  Envelope& e = work->envelope;
  e.n = 0;
  for (std::size_t k = 0; k < work->bottom.n; ++k) e.Add(work->bottom.normal[k], work->bottom.offset[k], -n);
  if (e.n == 0) return o;
  Thickness t;
  const Facets& top = work->top;
  for (std::size_t k = 0; k < top.n; ++k) {
    const Vec3* const p = top.points + top.start[k];
    for (std::size_t i = 2; i < top.start[k + 1] - top.start[k]; ++i) {
      const Vec3 corners[3] = {p[0], p[i - 1], p[i]};
      AddTriangleUnder(e, corners, n, work->polygon, &t);
    }
  }
  PlaceForce(t, n, &o, origin);
  return o;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

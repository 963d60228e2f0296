// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_OVERLAP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_OVERLAP_INL_H
#undef SCREE_NARROW_OVERLAP_INL_H
#else
#define SCREE_NARROW_OVERLAP_INL_H
#endif

#include <bit>

#include "narrow/common_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// A face loop gains at most one vertex per cutting plane.
inline constexpr std::size_t kMaxPolygon = kMaxFaceVertices + kMaxFaces;

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
  Vec3 n;              ///< the seed's normal; the sums do not depend on it beyond rounding
  double volume = 0;   ///< m^3
  Vec3 moment;         ///< m^4: tangential parts of int x dV; the normal part twice
  Vec3 area;           ///< m^2, of A's faces
  double area_n = 0;   ///< m^2, the same along n
  Vec3 area_moment;    ///< m^3, int x (n.dA) over A's faces
  double polar = 0;    ///< m^4, int |x|^2 (n.dA) over A's faces

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
      const Vec3 tp = p - zp * n, tq = q - zq * n, tr = r - zr * n, ts = tp + tq + tr;
      polar += (dAn / 12) * (norm2(ts) + norm2(tp) + norm2(tq) + norm2(tr));
    }
  }

  /// x = origin + ...: the origin of the sums, relative to A's centroid.
  Overlap Finish(Vec3 origin) const {
    Overlap o;
    if (!(volume > 0) || !(norm2(area) > 0)) return o;
    Vec3 c = moment / volume;
    c -= (0.5 * dot(n, c)) * n;
    o.volume = volume, o.area = area, o.centroid = origin + c;
    if (area_n > 0) {
      const Vec3 t = c - dot(n, c) * n, first = area_moment - dot(n, area_moment) * n;
      const double about = polar - 2 * dot(t, first) + area_n * norm2(t);
      o.gyration = about > 0 ? std::sqrt(about / area_n) : 0;
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

/// Buffers of one thread; members are left as they were, for zeroing them would cost more than the overlap.
struct Workspace {
  Polygon polygon[2];
  SlabFaces of_a, of_b;
};

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
  HWY_ALIGN double height[kMaxVertices];
  for (std::size_t k = 0; k < s->n; ++k) {
    Heights(other, s->normal[k], s->offset[k] - dot(s->normal[k], shift), height);
    VertexMask beyond{}, on{};
    for (std::uint32_t v = 0; v < other.shape->vertices; ++v) {
      beyond[v / 64] |= static_cast<std::uint64_t>(height[v] > 0) << (v % 64);
      on[v / 64] |= static_cast<std::uint64_t>(std::abs(height[v]) <= rounding) << (v % 64);
    }
    s->beyond[k] = beyond, s->on[k] = on;
  }
}

/// Adds the parts of `mine` (faces of `body`) that lie inside all planes of `theirs`. A face in one plane with a face of
/// the other body, turned the same way, counts for A alone.
inline void AddInside(const BodyView& body, Vec3 shift, const SlabFaces& mine, const SlabFaces& theirs, bool of_a, Polygon* buffer,
                      Flux* flux) {
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
    flux->Add(*now, of_a);
  }
}

/// Exact overlap polyhedron of A and B from a plane with gap <= 0 (algorithm: faces of each body clipped by the other;
/// only faces that reach into the slab between the two supports along the seed's normal can bound it).
inline Overlap ExactOverlap(const Query& q, const Plane& seed, Workspace* work) {
  // All coordinates relative to the middle of the link, where the overlap is: V shrinks like depth^3 at a corner.
  const Vec3 origin = 0.5 * (q.a.vertex(seed.va) + q.d + q.b.vertex(seed.vb));
  const Vec3 at_a = -origin, at_b = q.d - origin;
  const double rounding = 1e-14 * q.scale;
  HWY_ALIGN double za[kMaxVertices];
  HWY_ALIGN double zb[kMaxVertices];
  const double top_a = Heights(q.a, seed.n, -dot(seed.n, at_a), za), top_b = Heights(q.b, -seed.n, dot(seed.n, at_b), zb);
  SlabFaces &fa = work->of_a, &fb = work->of_b;
  CollectSlabFaces(q.a, at_a, za, -top_b - rounding, &fa);
  CollectSlabFaces(q.b, at_b, zb, -top_a - rounding, &fb);
  MarkVertices(q.b, at_b, rounding, &fa);
  MarkVertices(q.a, at_a, rounding, &fb);
  Flux flux;
  flux.n = seed.n;
  AddInside(q.a, at_a, fa, fb, true, work->polygon, &flux);
  AddInside(q.b, at_b, fb, fa, false, work->polygon, &flux);
  return flux.Finish(origin);
}

/// Part of a body beyond the plane m.x = offset (x relative to its centroid, m into the domain): the overlap with a wall.
/// The body is A, the normal from A to the wall is -m.
inline Overlap OverlapWithPlane(const BodyView& a, Vec3 m, double offset, const double* height, Workspace* work) {
  const HotShape& shape = *a.shape;
  FaceMask faces{};
  std::uint32_t deepest = 0;
  for (std::uint32_t v = 0; v < shape.vertices; ++v) {
    if (height[v] < height[deepest]) deepest = v;
    if (!(height[v] < 0)) continue;
    for (std::size_t w = 0; w < faces.size(); ++w) faces[w] |= shape.vertex_faces[v][w];
  }
  // Origin in the plane: the cut itself then carries no flux and need not be built.
  const Vec3 origin = a.vertex(deepest) - height[deepest] * m;
  Flux flux;
  flux.n = -m;
  Polygon &whole = work->polygon[0], &cut = work->polygon[1];
  for (std::size_t w = 0; w < faces.size(); ++w) {
    for (std::uint64_t bits = faces[w]; bits != 0; bits &= bits - 1) {
      const std::size_t f = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
      whole.n = 0;
      for (const std::uint16_t v : shape.body->loop(f)) whole.p[whole.n++] = a.vertex(v) - origin;
      Clip(whole, m, offset - dot(m, origin), &cut);
      flux.Add(cut, true);
    }
  }
  return flux.Finish(origin);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

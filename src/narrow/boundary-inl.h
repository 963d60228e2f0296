// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_BOUNDARY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_BOUNDARY_INL_H
#undef SCREE_NARROW_BOUNDARY_INL_H
#else
#define SCREE_NARROW_BOUNDARY_INL_H
#endif

#include <bit>

#include "narrow/lanes-inl.h"
#include "narrow/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// What one body brings to the overlap, in the frame of the contact.
struct Side {
  static constexpr std::size_t kMaxPlanes = 64;  ///< that can cut the other body: one bit each
  HWY_ALIGN double u[kMaxVertices], v[kMaxVertices], z[kMaxVertices];
  HWY_ALIGN std::uint64_t outside[kMaxVertices];       ///< bit k: beyond plane k of the other side
  HWY_ALIGN double height[kMaxPlanes * kMaxVertices];  ///< of this side's vertices over the planes of the other
  VertexMask reaches;                                  ///< vertices that reach past the other body's support along z
  std::size_t planes;                                  ///< faces at these vertices; only they can bound the overlap
  std::uint16_t face[kMaxFaces];
  Vec3 normal[kMaxFaces];
  double offset[kMaxFaces];
  std::uint8_t slot[kMaxFaces];    ///< row of a face in `face`; set for these alone
  std::uint16_t at[kMaxVertices];  ///< the boundary's point at a vertex that lies inside the other body
};

HWY_INLINE void PoseInFrame(const BodyView& body, const Frame& f, Vec3 shift, Side* s) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const Vec3 t = f.in(shift);
  const auto along = [&](Vec3 axis, double from, std::size_t i) HWY_ATTR {
    const auto xy = hn::Add(hn::Mul(hn::Set(d, axis.x), hn::LoadU(d, body.x + i)),
                            hn::Mul(hn::Set(d, axis.y), hn::LoadU(d, body.y + i)));
    return hn::Add(hn::Add(xy, hn::Mul(hn::Set(d, axis.z), hn::LoadU(d, body.z + i))), hn::Set(d, from));
  };
  for (std::size_t i = 0; i < body.shape->padded; i += lanes) {
    hn::Store(along(f.u, t.x, i), d, s->u + i);
    hn::Store(along(f.v, t.y, i), d, s->v + i);
    hn::Store(along(f.n, t.z, i), d, s->z + i);
  }
}

/// Largest sign z of a posed body.
HWY_INLINE double Farthest(const BodyView& body, const Side& s, double sign) {
  const hn::ScalableTag<double> d;
  auto most = hn::Set(d, -1e300);
  for (std::size_t i = 0; i < body.shape->padded; i += hn::Lanes(d))
    most = hn::Max(most, hn::Mul(hn::Set(d, sign), hn::Load(d, s.z + i)));
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

/// Vertices with sign z >= level, and the faces at them. False where these are more than `most`.
HWY_INLINE bool SelectPlanes(const BodyView& body, const Frame& f, Vec3 shift, double sign, double level,
                             std::size_t most, Side* s) {
  const HotShape& shape = *body.shape;
  FaceMask faces{};
  const hn::ScalableTag<double> d;
  s->reaches = VerticesWhere(body, [&](std::size_t i) HWY_ATTR {
    return hn::Ge(hn::Mul(hn::Set(d, sign), hn::Load(d, s->z + i)), hn::Set(d, level));
  });
  const std::size_t words = (shape.faces + 63) / 64;
  for (std::size_t v = 0; v < 2; ++v) {
    for (std::uint64_t bits = s->reaches[v]; bits != 0; bits &= bits - 1) {
      const FaceMask& at = shape.vertex_faces[64 * v + static_cast<std::size_t>(std::countr_zero(bits))];
      for (std::size_t w = 0; w < words; ++w) faces[w] |= at[w];
    }
  }
  s->planes = 0;
  const Vec3 t = f.in(shift);
  const Mat3 r = Mat3{{f.u, f.v, f.n}} * body.rotation;
  for (std::size_t w = 0; w < words; ++w) {
    for (std::uint64_t bits = faces[w]; bits != 0; bits &= bits - 1) {
      if (s->planes == most) return false;
      const std::size_t face = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
      const Vec3 m = r * shape.body->face_normals[face];
      s->slot[face] = static_cast<std::uint8_t>(s->planes);
      s->face[s->planes] = static_cast<std::uint16_t>(face);
      s->normal[s->planes] = m;
      s->offset[s->planes++] = body.face_offset(face) + dot(m, t);
    }
  }
  return true;
}

/// Heights of x's vertices over the planes of y, and which lie beyond. False where one is in a plane to `rounding`.
HWY_INLINE bool MeasureHeights(const BodyView& body, const Side& y, double rounding, Side* x) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  const std::size_t lanes = hn::Lanes(d), stride = body.shape->padded;
  auto least = hn::Set(d, 1e300);
  for (std::size_t i = 0; i < stride; i += lanes) {
    const auto u = hn::Load(d, x->u + i), v = hn::Load(d, x->v + i), z = hn::Load(d, x->z + i);
    auto outside = hn::Zero(bits);
    for (std::size_t k = 0; k < y.planes; ++k) {
      const Vec3 m = y.normal[k];
      const auto uv = hn::Add(hn::Mul(hn::Set(d, m.x), u), hn::Mul(hn::Set(d, m.y), v));
      const auto h = hn::Sub(hn::Add(uv, hn::Mul(hn::Set(d, m.z), z)), hn::Set(d, y.offset[k]));
      hn::Store(h, d, x->height + k * stride + i);
      least = hn::Min(least, hn::Abs(h));
      const auto beyond = hn::RebindMask(bits, hn::Gt(h, hn::Zero(d)));
      outside = hn::Or(outside, hn::IfThenElseZero(beyond, hn::Set(bits, std::uint64_t{1} << k)));
    }
    hn::Store(outside, bits, x->outside + i);
  }
  return hn::AllTrue(d, hn::Gt(least, hn::Set(d, rounding)));
}

/// The boundary of the overlap polyhedron: every face of either body that takes part is walked around by directed
/// segments - stretches of the body's own edges inside the other, and chords where a face of A meets a face of B. The
/// ends of chords are the points where edges pierce faces, so nothing is intersected but edges with planes; which chord
/// starts and which ends at such a point follows from the topology alone. Segments become triangles from the first
/// point met on their face.
struct Boundary {
  static constexpr std::size_t kMaxPoints = 768, kMaxTriangles = 1024, kMaxChords = 1024;
  static constexpr std::uint16_t kNone = 0xffff;
  struct Chord {
    std::uint16_t start, end;  ///< as the loop of A's face runs
  };
  struct Triangle {
    std::uint16_t p, q, r, face;  ///< points; faces are A's, then B's
  };
  struct alignas(32) Point {
    double x, y, z, unused;
  };
  std::size_t points, triangles, planes_a, planes_b;
  bool consistent;
  std::size_t stretches[2];  ///< how many edges of A and of B reach inside the other
  std::uint16_t last[2][2];  ///< ends of the last of them
  Point point[kMaxPoints];
  Chord chord[kMaxChords];                            ///< planes_a x planes_b
  std::uint64_t met[kMaxFaces];                       ///< per face of A: with which faces of B it has a chord
  std::uint16_t first[kMaxFaces + Side::kMaxPlanes];  ///< first point met on each face
  Triangle triangle[kMaxTriangles + 4];

  HWY_INLINE bool Clear(std::size_t a, std::size_t b) {
    points = triangles = 0, planes_a = a, planes_b = b, consistent = true;
    stretches[0] = stretches[1] = 0;
    if (a * b > kMaxChords) return false;
    for (std::size_t i = 0; i < a * b; ++i) chord[i] = {kNone, kNone};
    for (std::size_t i = 0; i < a; ++i) met[i] = 0;
    for (std::size_t i = 0; i < a + b; ++i) first[i] = kNone;
    return true;
  }
  HWY_INLINE std::uint16_t AddPoint(Vec3 p) {
    point[points] = {p.x, p.y, p.z, 0};
    return static_cast<std::uint16_t>(points++);
  }
  HWY_INLINE Vec3 At(std::size_t i) const { return {point[i].x, point[i].y, point[i].z}; }
  HWY_INLINE void AddSegment(std::size_t face, std::uint16_t from, std::uint16_t to) {
    const std::uint16_t apex = first[face];
    // The last one is overwritten where there are too many; AddChords then says so.
    triangle[triangles] = {apex, from, to, static_cast<std::uint16_t>(face)};
    triangles += apex != kNone && apex != from && apex != to && triangles < kMaxTriangles ? 1 : 0;
    first[face] = apex == kNone ? from : apex;
  }
  HWY_INLINE void StartChord(std::size_t a, std::size_t b, std::uint16_t p) {
    Chord& c = chord[a * planes_b + b];
    consistent = consistent && c.start == kNone;
    c.start = p;
    met[a] |= std::uint64_t{1} << b;
  }
  HWY_INLINE void EndChord(std::size_t a, std::size_t b, std::uint16_t p) {
    Chord& c = chord[a * planes_b + b];
    consistent = consistent && c.end == kNone;
    c.end = p;
    met[a] |= std::uint64_t{1} << b;
  }
};

/// Cuts the edges of x by the planes of y (Cyrus & Beck 1978) and adds what lies inside.
template <bool kOfA>
HWY_INLINE void AddEdges(const BodyView& body, Side& x, Boundary* out) {
  const Polyhedron& shape = *body.shape->body;
  const std::size_t stride = body.shape->padded, base = kOfA ? 0 : out->planes_a;
  std::fill(x.at, x.at + stride, Boundary::kNone);
  const auto corner = [&](std::size_t vertex) {
    if (x.at[vertex] == Boundary::kNone) x.at[vertex] = out->AddPoint({x.u[vertex], x.v[vertex], x.z[vertex]});
    return x.at[vertex];
  };
  // A stretch that enters the other body through its plane k, seen from the left face l and the right face r.
  const auto enter = [&](std::size_t l, std::size_t r, std::size_t k, std::uint16_t p) {
    if constexpr (kOfA) {
      out->EndChord(l, k, p), out->StartChord(r, k, p);
    } else {
      out->StartChord(k, l, p), out->EndChord(k, r, p);
    }
  };
  EdgeMask edges{};
  const std::size_t words = (shape.edges.size() + 63) / 64;
  for (std::size_t w = 0; w < 2; ++w) {
    for (std::uint64_t bits = x.reaches[w]; bits != 0; bits &= bits - 1) {
      const EdgeMask& at = body.shape->vertex_edges[64 * w + static_cast<std::size_t>(std::countr_zero(bits))];
      for (std::size_t k = 0; k < words; ++k) edges[k] |= at[k];
    }
  }
  // Edges that no plane has wholly beyond it, collected without a branch: there is no telling.
  std::uint16_t maybe[64 * std::tuple_size_v<EdgeMask> + 1];
  std::size_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    for (std::uint64_t bits = edges[w]; bits != 0; bits &= bits - 1) {
      const std::size_t i = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
      maybe[count] = static_cast<std::uint16_t>(i);
      count += (x.outside[shape.edges[i].v0] & x.outside[shape.edges[i].v1]) == 0 ? 1 : 0;
    }
  }
  for (std::size_t n = 0; n < count; ++n) {
    const Polyhedron::Edge e = shape.edges[maybe[n]];
    double t0 = 0, t1 = 1;
    std::size_t k0 = Side::kMaxPlanes, k1 = Side::kMaxPlanes;
    const auto each = [&](std::uint64_t cuts, auto&& cut) {
      for (; cuts != 0; cuts &= cuts - 1) {
        const auto k = static_cast<std::size_t>(std::countr_zero(cuts));
        const double h0 = x.height[k * stride + e.v0], h1 = x.height[k * stride + e.v1];
        cut(k, h0 / (h0 - h1));
      }
    };
    each(x.outside[e.v0], [&](std::size_t k, double t) { k0 = t > t0 ? k : k0, t0 = t > t0 ? t : t0; });
    each(x.outside[e.v1], [&](std::size_t k, double t) { k1 = t < t1 ? k : k1, t1 = t < t1 ? t : t1; });
    if (!(t0 < t1)) continue;
    if (out->points + 2 > Boundary::kMaxPoints) {
      out->consistent = false;
      return;
    }
    const Vec3 from{x.u[e.v0], x.v[e.v0], x.z[e.v0]}, to{x.u[e.v1], x.v[e.v1], x.z[e.v1]};
    const std::uint16_t p = k0 == Side::kMaxPlanes ? corner(e.v0) : out->AddPoint(from + t0 * (to - from));
    const std::uint16_t q = k1 == Side::kMaxPlanes ? corner(e.v1) : out->AddPoint(from + t1 * (to - from));
    constexpr std::size_t kWhose = kOfA ? 0 : 1;
    ++out->stretches[kWhose], out->last[kWhose][0] = p, out->last[kWhose][1] = q;
    const std::size_t l = x.slot[e.left], r = x.slot[e.right];
    out->AddSegment(base + l, p, q), out->AddSegment(base + r, q, p);
    if (k0 != Side::kMaxPlanes) enter(l, r, k0, p);
    if (k1 != Side::kMaxPlanes) enter(r, l, k1, q);  // walked from its other end
  }
}

/// The chords between faces of A and faces of B. False where the points on some chord do not pair up: coordinates that
/// agree to rounding (a face in a face, an edge along a face) can be told to lie on different sides by different edges.
HWY_INLINE bool AddChords(Boundary* out) {
  for (std::size_t a = 0; a < out->planes_a; ++a) {
    for (std::uint64_t bits = out->met[a]; bits != 0; bits &= bits - 1) {
      const auto b = static_cast<std::size_t>(std::countr_zero(bits));
      const Boundary::Chord c = out->chord[a * out->planes_b + b];
      if (c.start == Boundary::kNone || c.end == Boundary::kNone) return false;
      out->AddSegment(a, c.start, c.end);
      out->AddSegment(out->planes_a + b, c.end, c.start);
    }
  }
  return out->consistent && out->triangles < Boundary::kMaxTriangles;
}

/// Integrals over the overlap polyhedron in the frame of the contact.
struct Moments {
  double volume;                  ///< m^3
  Vec3 first;                     ///< m^4, int x dV
  double uu, uv, vv, uz, vz, zz;  ///< m^5, int x x^T dV
  Vec3 area;                      ///< m^2, of A's faces
  Vec3 area_first[3];             ///< m^3, row i: int x_i dA over A's faces
  double polar;                   ///< m^4, int (u^2 + v^2) dA_z over A's faces, or as seen along another vector
};

/// One corner of four triangles, by coordinate.
template <class D>
struct Corners {
  hn::Vec<D> u, v, z;
};
/// Points i[0..lanes) as columns.
template <class D>
HWY_INLINE Corners<D> LoadCorners(D d, const Boundary& f, const std::uint16_t* i) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(D()) == 4) {
    const auto a = hn::Load(d, &f.point[i[0]].x), b = hn::Load(d, &f.point[i[1]].x), c = hn::Load(d, &f.point[i[2]].x),
               e = hn::Load(d, &f.point[i[3]].x);
    // Rows (x y z .) of four points; interleaving works within halves.
    const auto xz_ab = hn::InterleaveLower(d, a, b), xz_ce = hn::InterleaveLower(d, c, e);
    const auto yw_ab = hn::InterleaveUpper(d, a, b), yw_ce = hn::InterleaveUpper(d, c, e);
    return {hn::ConcatLowerLower(d, xz_ce, xz_ab), hn::ConcatLowerLower(d, yw_ce, yw_ab),
            hn::ConcatUpperUpper(d, xz_ce, xz_ab)};
  }
#endif
  HWY_ALIGN double column[3][4];
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
    const Boundary::Point p = f.point[i[k]];
    column[0][k] = p.x, column[1][k] = p.y, column[2][k] = p.z;
  }
  return {hn::Load(d, column[0]), hn::Load(d, column[1]), hn::Load(d, column[2])};
}

/// sums[k] = (lane 0 + lane 1) + (lane 2 + lane 3) of s[k], for one and two lanes at a time as for four. `part`: the
/// first lane held; `third`: where one lane at a time keeps lane 2.
template <class D, class V, std::size_t n>
HWY_INLINE void AddLanes(D d, const V (&s)[n], std::size_t part, double* third, double* sums) {
  static_assert(n % 4 == 0);
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(D()) == 4) {
    for (std::size_t k = 0; k < n; k += 4) {
      // Per half: lane 0 + lane 1 of two sums side by side.
      const auto pair = [&](std::size_t i) HWY_ATTR {
        return hn::Add(hn::InterleaveLower(d, s[i], s[i + 1]), hn::InterleaveUpper(d, s[i], s[i + 1]));
      };
      const auto x = pair(k), y = pair(k + 2);
      hn::Store(hn::Add(hn::ConcatLowerLower(d, y, x), hn::ConcatUpperUpper(d, y, x)), d, sums + k);
    }
    return;
  }
#endif
  for (std::size_t k = 0; k < n; ++k) {
    HWY_ALIGN double lane[4];
    hn::Store(s[k], d, lane);
    double sum = lane[0];
    for (std::size_t i = 1; i < hn::Lanes(d); ++i) sum += lane[i];
    if (hn::Lanes(d) == 1 && part == 2)
      third[k] = sum;
    else if (hn::Lanes(d) == 1 && part == 3)
      sums[k] += third[k] + sum;
    else
      sums[k] = part == 0 ? sum : sums[k] + sum;
  }
}

/// Flux of monomials along z through the triangles: faces along z carry next to nothing, so a side face that the two
/// bodies share costs no accuracy. Sums run over four lanes whatever the machine: the same bits everywhere.
/// `face_area`: area of each face seen along z; null where nobody asks. One piece: all sums share their products.
HWY_INLINE void Integrate(Boundary& f, double* face_area, Moments* m) {
  constexpr std::size_t kLanes = 4, kSums = 24;
  const hn::CappedTag<double, kLanes> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double sums[kSums] = {};
  [[maybe_unused]] double third[kSums] = {};
  HWY_ALIGN double flat[Boundary::kMaxTriangles + kLanes];
  const std::size_t whole = (f.triangles + kLanes - 1) / kLanes * kLanes;
  for (std::size_t t = f.triangles; t < whole; ++t) f.triangle[t] = {0, 0, 0, 0};
  const auto half = hn::Set(d, 0.5);
  for (std::size_t part = 0; part < kLanes; part += lanes) {
    decltype(hn::Zero(d)) s[kSums];
    for (auto& x : s) x = hn::Zero(d);
    for (std::size_t t = part; t < whole; t += kLanes) {
      std::uint16_t index[3][kLanes];
      HWY_ALIGN double of_a[kLanes];
      for (std::size_t k = 0; k < lanes; ++k) {
        const Boundary::Triangle x = f.triangle[t + k];
        index[0][k] = x.p, index[1][k] = x.q, index[2][k] = x.r;
        of_a[k] = x.face < f.planes_a ? 1 : 0;
      }
      const auto p = LoadCorners(d, f, index[0]), q = LoadCorners(d, f, index[1]), r = LoadCorners(d, f, index[2]);
      const auto pu = p.u, pv = p.v, pz = p.z, qu = q.u, qv = q.v, qz = q.z, ru = r.u, rv = r.v, rz = r.z;
      const auto au = hn::Sub(qu, pu), av = hn::Sub(qv, pv), az = hn::Sub(qz, pz);
      const auto bu = hn::Sub(ru, pu), bv = hn::Sub(rv, pv), bz = hn::Sub(rz, pz);
      const auto dz = hn::Mul(half, hn::Sub(hn::Mul(au, bv), hn::Mul(av, bu)));
      if (face_area != nullptr) hn::Store(dz, d, flat + t);
      const auto su = hn::Add(hn::Add(pu, qu), ru), sv = hn::Add(hn::Add(pv, qv), rv),
                 sz = hn::Add(hn::Add(pz, qz), rz);
      // Sums over the corners of products: int fg over a triangle is dA/12 (Sf Sg + S(fg)).
      const auto tuu = hn::Add(hn::Add(hn::Mul(pu, pu), hn::Mul(qu, qu)), hn::Mul(ru, ru));
      const auto tvv = hn::Add(hn::Add(hn::Mul(pv, pv), hn::Mul(qv, qv)), hn::Mul(rv, rv));
      const auto tuv = hn::Add(hn::Add(hn::Mul(pu, pv), hn::Mul(qu, qv)), hn::Mul(ru, rv));
      const auto zzp = hn::Mul(pz, pz), zzq = hn::Mul(qz, qz), zzr = hn::Mul(rz, rz);
      const auto tzz = hn::Add(hn::Add(zzp, zzq), zzr);
      const auto uzp = hn::Mul(pu, pz), uzq = hn::Mul(qu, qz), uzr = hn::Mul(ru, rz);
      const auto tuz = hn::Add(hn::Add(uzp, uzq), uzr);
      const auto vzp = hn::Mul(pv, pz), vzq = hn::Mul(qv, qz), vzr = hn::Mul(rv, rz);
      const auto tvz = hn::Add(hn::Add(vzp, vzq), vzr);
      const auto two = [&](auto sf, auto sg, auto tfg) HWY_ATTR { return hn::Mul(dz, hn::Add(hn::Mul(sf, sg), tfg)); };
      // ... and int fgz is dA/60 (Sf (Sg Sz + S(gz)) + Sg S(fz) + Sz S(fg) + 2 S(fgz)).
      const auto three = [&](auto sf, auto sg, auto tfg, auto tfz, auto tgz, auto fgz) HWY_ATTR {
        const auto x = hn::Add(hn::Mul(sf, hn::Add(hn::Mul(sg, sz), tgz)), hn::Mul(sg, tfz));
        return hn::Mul(dz, hn::Add(hn::Add(x, hn::Mul(sz, tfg)), hn::Add(fgz, fgz)));
      };
      s[0] = hn::Add(s[0], hn::Mul(dz, sz));
      s[1] = hn::Add(s[1], two(su, sz, tuz));
      s[2] = hn::Add(s[2], two(sv, sz, tvz));
      s[3] = hn::Add(s[3], two(sz, sz, tzz));
      s[4] = hn::Add(
          s[4], three(su, su, tuu, tuz, tuz, hn::Add(hn::Add(hn::Mul(pu, uzp), hn::Mul(qu, uzq)), hn::Mul(ru, uzr))));
      s[5] = hn::Add(
          s[5], three(su, sv, tuv, tuz, tvz, hn::Add(hn::Add(hn::Mul(pu, vzp), hn::Mul(qu, vzq)), hn::Mul(ru, vzr))));
      s[6] = hn::Add(
          s[6], three(sv, sv, tvv, tvz, tvz, hn::Add(hn::Add(hn::Mul(pv, vzp), hn::Mul(qv, vzq)), hn::Mul(rv, vzr))));
      s[7] = hn::Add(
          s[7], three(su, sz, tuz, tuz, tzz, hn::Add(hn::Add(hn::Mul(pu, zzp), hn::Mul(qu, zzq)), hn::Mul(ru, zzr))));
      s[8] = hn::Add(
          s[8], three(sv, sz, tvz, tvz, tzz, hn::Add(hn::Add(hn::Mul(pv, zzp), hn::Mul(qv, zzq)), hn::Mul(rv, zzr))));
      s[9] = hn::Add(
          s[9], three(sz, sz, tzz, tzz, tzz, hn::Add(hn::Add(hn::Mul(pz, zzp), hn::Mul(qz, zzq)), hn::Mul(rz, zzr))));
      const auto own = hn::Load(d, of_a);
      const auto du = hn::Mul(own, hn::Mul(half, hn::Sub(hn::Mul(av, bz), hn::Mul(az, bv))));
      const auto dv = hn::Mul(own, hn::Mul(half, hn::Sub(hn::Mul(az, bu), hn::Mul(au, bz))));
      const auto dn = hn::Mul(own, dz);
      s[10] = hn::Add(s[10], du), s[11] = hn::Add(s[11], dv), s[12] = hn::Add(s[12], dn);
      s[13] = hn::Add(s[13], hn::Mul(su, du)), s[14] = hn::Add(s[14], hn::Mul(su, dv));
      s[15] = hn::Add(s[15], hn::Mul(su, dn)), s[16] = hn::Add(s[16], hn::Mul(sv, du));
      s[17] = hn::Add(s[17], hn::Mul(sv, dv)), s[18] = hn::Add(s[18], hn::Mul(sv, dn));
      s[19] = hn::Add(s[19], hn::Mul(sz, du)), s[20] = hn::Add(s[20], hn::Mul(sz, dv));
      s[21] = hn::Add(s[21], hn::Mul(sz, dn));
      const auto polar = hn::Add(hn::Add(hn::Mul(su, su), hn::Mul(sv, sv)), hn::Add(tuu, tvv));
      s[22] = hn::Add(s[22], hn::Mul(dn, polar));
    }
    AddLanes(d, s, part, third, sums);
  }
  if (face_area != nullptr) {
    for (std::size_t i = 0; i < f.planes_a + f.planes_b; ++i) face_area[i] = 0;
    for (std::size_t t = 0; t < whole; ++t) face_area[f.triangle[t].face] += flat[t];
  }
  const auto total = [&](std::size_t k) { return sums[k]; };
  m->volume = total(0) / 3;
  m->first = {total(1) / 12, total(2) / 12, total(3) / 24};
  m->uu = total(4) / 60, m->uv = total(5) / 60, m->vv = total(6) / 60;
  m->uz = total(7) / 120, m->vz = total(8) / 120, m->zz = total(9) / 180;
  m->area = {total(10), total(11), total(12)};
  for (std::size_t i = 0; i < 3; ++i)
    m->area_first[i] = {total(13 + 3 * i) / 3, total(14 + 3 * i) / 3, total(15 + 3 * i) / 3};
  m->polar = total(22) / 12;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_TIP_OVERLAP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_TIP_OVERLAP_INL_H
#undef SCREE_NARROW_TIP_OVERLAP_INL_H
#else
#define SCREE_NARROW_TIP_OVERLAP_INL_H
#endif

#include <bit>

#include "narrow/common_plane-inl.h"
#include "narrow/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// E/D of a cone of thickness over its patch: the energy depth E against the greatest thickness D, sqrt(int h^3/int h).
inline constexpr double kConeDepth = 0.5477225575051661;  // sqrt(0.3)

/// Points by which one body shows that the hull of them lies inside another.
template <std::size_t most>
struct Points {
  std::size_t n = 0;
  Vec3 p[most];
};

/// Do all points (frame of the body, m) lie below all planes but `own` by more than `margin` (m)? `planes`: columns of
/// normals and offsets, size 1, of `count` faces padded to `padded` ones.
template <std::size_t most>
HWY_INLINE bool Below(const double* const (&planes)[4], std::size_t count, std::size_t padded, double size,
                      const Points<most>& points, std::size_t own, double margin) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto by_size = hn::Set(d, size), mine = hn::Set(d, static_cast<double>(own)),
             faces = hn::Set(d, static_cast<double>(count)), least = hn::Set(d, -margin);
  for (std::size_t i = 0; i < padded; i += lanes) {
    const auto x = hn::LoadU(d, planes[0] + i), y = hn::LoadU(d, planes[1] + i), z = hn::LoadU(d, planes[2] + i);
    const auto offset = hn::Mul(by_size, hn::LoadU(d, planes[3] + i));
    auto top = hn::Set(d, -1e300);
    for (std::size_t k = 0; k < points.n; ++k) {
      const Vec3 p = points.p[k];
      const auto xy = hn::Add(hn::Mul(x, hn::Set(d, p.x)), hn::Mul(y, hn::Set(d, p.y)));
      top = hn::Max(top, hn::Sub(hn::Add(xy, hn::Mul(z, hn::Set(d, p.z))), offset));
    }
    const auto row = hn::Iota(d, static_cast<double>(i));
    const auto other = hn::And(hn::Ne(row, mine), hn::Lt(row, faces));  // what the padding repeats may be `own`
    if (!hn::AllFalse(d, hn::AndNot(hn::Lt(top, least), other))) return false;
  }
  return true;
}
/// Below the planes of all faces but `own`.
template <std::size_t most>
HWY_INLINE bool Inside(const BodyView& body, const Points<most>& points, std::size_t own, double margin) {
  const std::size_t count = body.shape->padded_faces;
  const double* const first = body.shape->planes.data();
  const double* const planes[4] = {first, first + count, first + 2 * count, first + 3 * count};
  return Below(planes, body.shape->faces, count, body.size, points, own, margin);
}
/// The same for points in the plane of the face `own`, which only the faces around it bound there.
template <std::size_t most>
HWY_INLINE bool InsideFace(const BodyView& body, const Points<most>& points, std::size_t own, double margin) {
  const FaceLoop& loop = body.shape->loops[own];
  if (loop.corners == 0) return Inside(body, points, own, margin);
  const double* const planes[4] = {loop.across[0], loop.across[1], loop.across[2], loop.across[3]};
  return Below(planes, FaceLoop::kMax, FaceLoop::kMax, body.size, points, FaceLoop::kMax, margin);
}

/// What a plane with the unit normal m cuts off a corner: a pyramid with the corner as its apex, `depth` below the
/// plane. Its thickness falls linearly from the apex to the rim, so the integrals of PlaceForce are known: the force
/// acts over the apex. `rim`: relative to the foot of the apex in the plane, clockwise seen from where m points.
/// `of_a`: the corner is A's. False where rounding leaves nothing.
HWY_INLINE bool PyramidOver(const Vec3* rim, std::size_t count, double depth, Vec3 m, bool of_a, Vec3 foot,
                            Overlap* o) {
  double twice = 0, polar = 0, uu = 0, uv = 0, vv = 0;
  const Frame flat = FrameAbout(m, {});
  Vec3 first;
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3 p = rim[k], r = rim[k + 1 < count ? k + 1 : 0];
    const double c = dot(m, cross(r, p));
    twice += c, first += c * (p + r);
    polar += c * (norm2(p) + norm2(r) + dot(p, r));
    const double pu = dot(flat.u, p), pv = dot(flat.v, p), ru = dot(flat.u, r), rv = dot(flat.v, r);
    uu += c * (pu * pu + ru * ru + pu * ru), vv += c * (pv * pv + rv * rv + pv * rv);
    uv += c * (pu * pv + ru * rv + 0.5 * (pu * rv + pv * ru));
  }
  if (!(twice > 0)) return false;
  const double area = 0.5 * twice;
  const Vec3 n = of_a ? -m : m, middle = (1 / (3 * twice)) * first;
  o->volume = area * depth / 3, o->area = area * n;
  o->centroid = foot + 0.75 * middle - (0.25 * depth) * m;
  o->centre = foot - (0.25 * depth) * m;
  o->area_moment = (0.25 * area) * cross(middle, n);
  // About 3/4 of the way to the middle: polar/12 - A (2 3/4 - 9/16) |middle|^2.
  const double about = polar / 12 - 0.9375 * area * norm2(middle);
  o->gyration = about > 0 ? std::sqrt(about / area) : 0;
  const double mu = dot(flat.u, middle), mv = dot(flat.v, middle);
  // Of the pyramid's volume: 3/5 of the base's second moments about the foot of the apex.
  const auto spread = [&](double s, double x, double y) { return 0.05 * s - 0.5625 * area * x * y; };
  const LongAxis<double> axis(spread(uu, mu, mu), spread(uv, mu, mv), spread(vv, mv, mv), o->gyration);
  o->axis = axis.u * flat.u + axis.v * flat.v;
  o->energy_depth = kConeDepth * depth;
  return true;
}
inline constexpr std::size_t kMostAtCorner = 8;  ///< edges of a corner that PyramidOver is asked about

/// The only one of the vertices in `some`; false where there are others, or none.
HWY_INLINE bool IsOnly(const VertexMask& some, std::size_t* vertex) {
  *vertex = static_cast<std::size_t>(some[0] != 0 ? std::countr_zero(some[0]) : 64 + std::countr_zero(some[1]));
  return std::popcount(some[0]) + std::popcount(some[1]) == 1;
}

/// A corner of one body alone behind a face of the other, and what that cuts off lies inside the face. False where it
/// is not, or not known to be, all there is to the overlap. `deep`: where the plane is a face's, which vertices of the
/// other body lie behind it; else left alone.
HWY_INLINE bool OverlapAtCorner(const Query& q, const Plane& seed, VertexMask* deep, Overlap* o) {
  using Kind = PlaneFeature::Kind;
  const bool of_a = seed.feature.kind == Kind::face_b;
  if (!of_a && seed.feature.kind != Kind::face_a) return false;
  const std::size_t face = of_a ? seed.feature.b : seed.feature.a;
  const BodyView &x = of_a ? q.a : q.b, &y = of_a ? q.b : q.a;
  const Vec3 d = of_a ? q.d : -q.d;  // centroid of y - centroid of x
  const Vec3 m = y.face_normal(face);
  const double margin = kInPlane * q.scale;

  const hn::ScalableTag<double> tag;
  HWY_ALIGN double height[kMaxVertices];
  Heights(x, m, dot(m, d) + y.face_offset(face), height);
  *deep =
      VerticesWhere(x, [&](std::size_t i) HWY_ATTR { return hn::Le(hn::Load(tag, height + i), hn::Set(tag, margin)); });
  std::size_t apex = 0;
  if (!IsOnly(*deep, &apex) || !(height[apex] < 0)) return false;
  const auto fan = x.shape->fan(apex);
  if (fan.size() > kMostAtCorner) return false;

  const Vec3 tip = x.vertex(apex);
  const double depth = -height[apex];
  const Vec3 tip_y = transpose_times(y.rotation, tip - d);
  Points<kMostAtCorner> points;
  points.n = fan.size();
  Vec3 rim[kMostAtCorner];
  for (std::size_t k = 0; k < fan.size(); ++k) {
    const Vec3 edge = (depth / (depth + height[fan[k]])) * (x.vertex(fan[k]) - tip);
    points.p[k] = tip_y + transpose_times(y.rotation, edge);
    rim[k] = edge - depth * m;
  }
  if (!InsideFace(y, points, face, margin) || !Inside(y, Points<1>{1, {tip_y}}, face, margin)) return false;
  return PyramidOver(rim, fan.size(), depth, m, of_a, (of_a ? tip : q.d + tip) + depth * m, o);
}

/// A corner of a body alone behind a plane with the unit normal m into the domain; the body is A. `height`: of the
/// body's vertices over the plane; `deep`: the vertices behind it.
HWY_INLINE bool OverlapAtCorner(const BodyView& x, Vec3 m, const double* height, const VertexMask& deep, Overlap* o) {
  std::size_t apex = 0;
  if (!IsOnly(deep, &apex)) return false;
  const auto fan = x.shape->fan(apex);
  if (fan.size() > kMostAtCorner) return false;
  const Vec3 tip = x.vertex(apex);
  // The analyser does not follow popcount: `deep` has the apex, so that its height is there.
  const double depth = -height[apex];  // NOLINT(clang-analyzer-core.uninitialized.Assign)
  Vec3 rim[kMostAtCorner];
  for (std::size_t k = 0; k < fan.size(); ++k)
    rim[k] = (depth / (depth + height[fan[k]])) * (x.vertex(fan[k]) - tip) - depth * m;
  return PyramidOver(rim, fan.size(), depth, m, true, tip + depth * m, o);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

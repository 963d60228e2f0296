// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_SEPARATING_AXIS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_SEPARATING_AXIS_INL_H
#undef SCREE_NARROW_SEPARATING_AXIS_INL_H
#else
#define SCREE_NARROW_SEPARATING_AXIS_INL_H
#endif

#include <bit>

#include "narrow/box_box-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// gap of the outward face normals of x against y: min over y's vertices of n.(y + d) - offset. Lanes are faces, so
/// that nothing is summed across them. Returns the best face.
struct BestFace {
  std::size_t face;
  double gap;
};
HWY_INLINE BestFace BestFaceNormal(const BodyView& x, const BodyView& y, Vec3 d) {
  const hn::ScalableTag<double> tag;
  using V = decltype(hn::Zero(tag));
  const HotShape& shape = *x.shape;
  const std::size_t lanes = hn::Lanes(tag), count = shape.padded_faces;
  const double* planes = shape.planes.data();
  HWY_ALIGN double gap[kMaxFaces + kPad];
  const auto set = [&](double v) HWY_ATTR { return hn::Set(tag, v); };
  auto most = set(-1e300);
  struct Normals {
    V x, y, z;
    HWY_INLINE V along(V vx, V vy, V vz) const {
      return hn::Add(hn::Add(hn::Mul(x, vx), hn::Mul(y, vy)), hn::Mul(z, vz));
    }
  };
  const auto turned = [&](std::size_t i) HWY_ATTR {
    const auto px = hn::LoadU(tag, planes + i), py = hn::LoadU(tag, planes + count + i),
               pz = hn::LoadU(tag, planes + 2 * count + i);
    const auto row = [&](Vec3 r) HWY_ATTR {
      return hn::Add(hn::Add(hn::Mul(set(r.x), px), hn::Mul(set(r.y), py)), hn::Mul(set(r.z), pz));
    };
    return Normals{row(x.rotation.row[0]), row(x.rotation.row[1]), row(x.rotation.row[2])};
  };
  const auto finish = [&](std::size_t i, const Normals& n, V low) HWY_ATTR {
    const auto offset = hn::Mul(set(x.size), hn::LoadU(tag, planes + 3 * count + i));
    const auto g = hn::Add(low, hn::Sub(n.along(set(d.x), set(d.y), set(d.z)), offset));
    hn::Store(g, tag, gap + i);
    most = hn::Max(most, g);
  };
  // Two vectors of faces at a time: the smallest of one waits for itself.
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const Normals n = turned(i), m = turned(i + lanes);
    auto low = set(1e300), lower = low;
    for (std::uint32_t v = 0; v < y.shape->vertices; ++v) {
      const auto vx = set(y.x[v]), vy = set(y.y[v]), vz = set(y.z[v]);
      low = hn::Min(low, n.along(vx, vy, vz)), lower = hn::Min(lower, m.along(vx, vy, vz));
    }
    finish(i, n, low), finish(i + lanes, m, lower);
  }
  for (; i < count; i += lanes) {
    const Normals n = turned(i);
    auto low = set(1e300);
    for (std::uint32_t v = 0; v < y.shape->vertices; ++v)
      low = hn::Min(low, n.along(set(y.x[v]), set(y.y[v]), set(y.z[v])));
    finish(i, n, low);
  }
  // The first of the best: the padding, which repeats face 0, comes behind it.
  const auto top = hn::MaxOfLanes(tag, most);
  for (i = 0; i < count; i += lanes) {
    const auto hit = hn::Eq(hn::Load(tag, gap + i), top);
    if (hn::AllFalse(tag, hit)) continue;
    return {i + static_cast<std::size_t>(hn::FindFirstTrue(tag, hit)), hn::GetLane(top)};
  }
  return {0, gap[0]};  // NaN; the step's check has named the particle
}

/// Edges that can support a normal within a cap of directions, by column.
struct EdgeSet {
  static constexpr std::size_t kMax = 3 * kMaxVertices;  ///< Euler's bound
  std::size_t n = 0;
  std::uint16_t edge[kMax + kPad];
  HWY_ALIGN double e[3][kMax + kPad], left[3][kMax + kPad], right[3][kMax + kPad], at[3][kMax + kPad];
};

/// Edges of x whose arc on the Gauss sphere comes within the cap about the unit vector `axis` (space frame) with the
/// cosine `cap`; below -1: all. Posed in the space frame, relative to x's centroid, times `sign`.
HWY_INLINE void CollectEdges(const BodyView& x, Vec3 axis, double cap, double sign, EdgeSet* out) {
  const hn::ScalableTag<double> tag;
  const HotShape& shape = *x.shape;
  const Polyhedron& body = *shape.body;
  const std::size_t lanes = hn::Lanes(tag), count = shape.padded_edges, edges = body.edges.size();
  const double* columns = shape.edges.data();
  const Vec3 w = transpose_times(x.rotation, axis);
  const auto wx = hn::Set(tag, w.x), wy = hn::Set(tag, w.y), wz = hn::Set(tag, w.z), zero = hn::Zero(tag);
  const auto cosine = hn::Set(tag, cap), sine2 = hn::Set(tag, cap > 0 ? 1 - cap * cap : 1);
  out->n = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto along = [&](std::size_t column) HWY_ATTR {
      const double* c = columns + column * count + i;
      return hn::Add(hn::Add(hn::Mul(wx, hn::LoadU(tag, c)), hn::Mul(wy, hn::LoadU(tag, c + count))),
                     hn::Mul(wz, hn::LoadU(tag, c + 2 * count)));
    };
    const auto off = along(kDirection);
    const auto between = hn::And(hn::Ge(along(kFromLeft), zero), hn::Ge(along(kToRight), zero));
    const auto crosses = hn::And(between, hn::Le(hn::Mul(off, off), sine2));
    const auto ends = hn::Or(hn::Ge(along(kLeft), cosine), hn::Ge(along(kRight), cosine));
    std::uint8_t bytes[8];
    hn::StoreMaskBits(tag, hn::Or(crosses, ends), bytes);
    for (std::uint32_t bits = bytes[0]; bits != 0; bits &= bits - 1) {
      const std::size_t k = i + static_cast<std::size_t>(std::countr_zero(bits));
      if (k >= edges) break;
      out->edge[out->n++] = static_cast<std::uint16_t>(k);
    }
  }
  for (std::size_t k = 0; k < out->n; ++k) {
    const std::size_t i = out->edge[k];
    const auto posed = [&](std::size_t column) {
      const double* c = columns + column * count + i;
      return sign * (x.rotation * Vec3{c[0], c[count], c[2 * count]});
    };
    const Vec3 e = posed(kDirection), l = posed(kLeft), r = posed(kRight), v = x.vertex(body.edges[i].v0);
    for (std::size_t j = 0; j < 3; ++j) out->e[j][k] = e[j], out->left[j][k] = l[j], out->right[j][k] = r[j];
    for (std::size_t j = 0; j < 3; ++j) out->at[j][k] = v[j];
  }
}

/// The cosine to the line of centroids that a normal must reach to have a gap above `gap`: gap(n) <= n.d - (inner
/// radii). Below -1 where that says nothing; rounding is given away.
HWY_INLINE double CapOf(const Query& q, double gap) {
  const double length = norm(q.d);
  const double ra = q.a.shape->body->inner_radius, rb = q.b.shape->body->inner_radius;
  return length > 0 && ra > 0 && rb > 0 ? (q.a.size * ra + q.b.size * rb + gap) / length - 1e-9 : -2;
}

/// Does a face normal of x, but for the face `except`, lie within the cap about `axis`?
HWY_INLINE bool FaceInCap(const BodyView& x, Vec3 axis, double cap, std::size_t except) {
  const hn::ScalableTag<double> tag;
  const HotShape& shape = *x.shape;
  const std::size_t lanes = hn::Lanes(tag), count = shape.padded_faces;
  const double* planes = shape.planes.data();
  const Vec3 w = transpose_times(x.rotation, axis);
  const auto wx = hn::Set(tag, w.x), wy = hn::Set(tag, w.y), wz = hn::Set(tag, w.z);
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto along =
        hn::Add(hn::Add(hn::Mul(wx, hn::LoadU(tag, planes + i)), hn::Mul(wy, hn::LoadU(tag, planes + count + i))),
                hn::Mul(wz, hn::LoadU(tag, planes + 2 * count + i)));
    std::uint8_t bytes[8];
    hn::StoreMaskBits(tag, hn::Ge(along, hn::Set(tag, cap)), bytes);
    std::uint32_t bits = bytes[0];
    if (except >= i && except < i + lanes) bits &= ~(std::uint32_t{1} << (except - i));
    // The padding repeats face 0; with narrow vectors all of the last ones may be padding.
    if (i + lanes > shape.faces) bits &= i < shape.faces ? (std::uint32_t{1} << (shape.faces - i)) - 1 : 0;
    if (bits != 0) return true;
  }
  return false;
}
HWY_INLINE bool FaceInCap(const Query& q, Vec3 axis, const Plane& start) {
  using Kind = PlaneFeature::Kind;
  const double cap = CapOf(q, start.gap);
  const PlaneFeature& f = start.feature;
  return FaceInCap(q.a, axis, cap, f.kind == Kind::face_a ? f.a : kMaxFaces) ||
         FaceInCap(q.b, -axis, cap, f.kind == Kind::face_b ? f.b : kMaxFaces);
}

/// Normals this near to each other (rad), of edges that are not nearly parallel, are one to rounding.
inline constexpr double kSameNormal = 2e-15;

/// Largest gap over all face normals and over all edge pairs that form a face of the Minkowski difference: exact for
/// overlapping bodies and for "separated or not". Edge pairs are pruned to a cap about the line of centroids, outside
/// which no normal beats the best plane so far, and then by their arcs on the Gauss sphere, which must cross (Gregorius
/// 2013). `start`: a plane to beat, or null; where nothing else lies within its cap it is the answer. Two boxes have
/// few enough candidates to take them all at once. Long, for each of its loops prunes by what the others have left.
inline Plane SeparatingAxis(const Query& q, const Plane* start = nullptr) {
  if (q.a.shape->box && q.b.shape->box) return SeparateBoxes(q, start);
  using Kind = PlaneFeature::Kind;
  Plane best = start != nullptr ? *start : Plane{};
  const auto consider = [&](Vec3 n, PlaneFeature feature) {
    Plane p = Evaluate(q, n);
    if (!(p.gap > best.gap + 1e-15 * q.scale)) return;
    p.feature = feature;
    best = p;
  };
  const double length = norm(q.d);
  const Vec3 axis = length > 0 ? q.d / length : Vec3{0, 0, 1};
  if (start == nullptr || FaceInCap(q, axis, *start)) {
    const BestFace fa = BestFaceNormal(q.a, q.b, q.d), fb = BestFaceNormal(q.b, q.a, -q.d);
    consider(q.a.face_normal(fa.face), {Kind::face_a, static_cast<std::uint16_t>(fa.face), 0, 0, 0});
    consider(-q.b.face_normal(fb.face), {Kind::face_b, 0, static_cast<std::uint16_t>(fb.face), 0, 0});
  }
  const auto finish = [&] {
    best.feature.va = static_cast<std::uint16_t>(best.va), best.feature.vb = static_cast<std::uint16_t>(best.vb);
    return best;
  };
  const double cap = CapOf(q, best.gap);
  thread_local EdgeSet of_a, of_b;
  CollectEdges(q.a, axis, cap, 1, &of_a);
  CollectEdges(q.b, -axis, cap, 1, &of_b);
  const hn::ScalableTag<double> tag;
  const std::size_t lanes = hn::Lanes(tag);
  // Rows beyond the last repeat it, so that whole vectors can be read.
  for (std::size_t k = of_a.n; of_a.n > 0 && k < of_a.n + kPad; ++k) {
    for (auto* c : {of_a.e, of_a.left, of_a.right, of_a.at}) {
      for (std::size_t j = 0; j < 3; ++j) c[j][k] = c[j][of_a.n - 1];
    }
    of_a.edge[k] = of_a.edge[of_a.n - 1];
  }
  // Arcs that touch count as crossing.
  const auto touch = hn::Set(tag, 1e-15);
  for (std::size_t j = 0; j < of_b.n; ++j) {
    const auto b = [&](const double(*c)[EdgeSet::kMax + kPad]) { return Vec3{c[0][j], c[1][j], c[2][j]}; };
    const Vec3 e = b(of_b.e), l = b(of_b.left), r = b(of_b.right), at = b(of_b.at) + q.d;
    for (std::size_t i = 0; i < of_a.n; i += lanes) {
      const auto load = [&](const double(*c)[EdgeSet::kMax + kPad], std::size_t k)
                            HWY_ATTR { return hn::Load(tag, c[k] + i); };
      const auto along = [&](Vec3 v, const double(*c)[EdgeSet::kMax + kPad]) HWY_ATTR {
        return hn::Add(hn::Add(hn::Mul(hn::Set(tag, v.x), load(c, 0)), hn::Mul(hn::Set(tag, v.y), load(c, 1))),
                       hn::Mul(hn::Set(tag, v.z), load(c, 2)));
      };
      // With e = left x right up to a positive factor, the four triple products of the crossing test are these.
      const auto cba = along(l, of_a.e), dba = along(r, of_a.e);
      const auto adc = along(e, of_a.left), bdc = along(e, of_a.right);
      const auto meet = hn::And(hn::And(hn::Le(hn::Mul(cba, dba), touch), hn::Le(hn::Mul(adc, bdc), touch)),
                                hn::Le(hn::Mul(cba, bdc), touch));
      if (hn::AllFalse(tag, meet)) continue;
      // n = +-(e_a x e_b) with A's outward normals; the gap is that of the two edges.
      const auto ax = load(of_a.e, 0), ay = load(of_a.e, 1), az = load(of_a.e, 2);
      const auto ex = hn::Set(tag, e.x), ey = hn::Set(tag, e.y), ez = hn::Set(tag, e.z);
      const auto nx = hn::Sub(hn::Mul(ay, ez), hn::Mul(az, ey)), ny = hn::Sub(hn::Mul(az, ex), hn::Mul(ax, ez)),
                 nz = hn::Sub(hn::Mul(ax, ey), hn::Mul(ay, ex));
      const auto n2 = hn::Add(hn::Add(hn::Mul(nx, nx), hn::Mul(ny, ny)), hn::Mul(nz, nz));
      const auto outward = hn::Add(hn::Add(hn::Mul(nx, hn::Add(load(of_a.left, 0), load(of_a.right, 0))),
                                           hn::Mul(ny, hn::Add(load(of_a.left, 1), load(of_a.right, 1)))),
                                   hn::Mul(nz, hn::Add(load(of_a.left, 2), load(of_a.right, 2))));
      const auto link = hn::Add(hn::Add(hn::Mul(nx, hn::Sub(hn::Set(tag, at.x), load(of_a.at, 0))),
                                        hn::Mul(ny, hn::Sub(hn::Set(tag, at.y), load(of_a.at, 1)))),
                                hn::Mul(nz, hn::Sub(hn::Set(tag, at.z), load(of_a.at, 2))));
      // Rounding is given away here, more of it the nearer to parallel; what is left is evaluated anew.
      const auto gap = hn::CopySign(link, hn::Mul(link, outward));
      // By the squares with their signs: a root would cost more than all of the rest.
      const auto lifted = hn::Add(gap, hn::Set(tag, 4e-15 * q.scale));
      const auto bar = hn::Mul(n2, hn::Set(tag, best.gap * std::abs(best.gap)));
      const auto better = hn::And(hn::Ge(hn::Mul(lifted, hn::Abs(lifted)), bar), hn::Gt(n2, hn::Set(tag, 1e-26)));
      const auto candidates = hn::And(meet, better);
      if (hn::AllFalse(tag, candidates)) continue;
      std::uint8_t bytes[8];
      hn::StoreMaskBits(tag, candidates, bytes);
      for (std::uint32_t bits = bytes[0]; bits != 0; bits &= bits - 1) {
        const std::size_t k = i + static_cast<std::size_t>(std::countr_zero(bits));
        if (k >= of_a.n) break;
        const Vec3 out{of_a.left[0][k] + of_a.right[0][k], of_a.left[1][k] + of_a.right[1][k],
                       of_a.left[2][k] + of_a.right[2][k]};
        // Edges of two faces that lie on each other all have the faces' normal, to rounding: the gap is the same.
        const Vec3 across = cross(Vec3{of_a.e[0][k], of_a.e[1][k], of_a.e[2][k]}, e);
        const double across2 = norm2(across);
        if (across2 > 0.01 && norm2(cross(across, best.n)) <= kSameNormal * kSameNormal * across2 &&
            dot(across, best.n) * dot(across, out) > 0)
          continue;
        Vec3 n;
        if (!Perpendicular(q.a.edge(of_a.edge[k]), q.b.edge(of_b.edge[j]), &n)) continue;
        if (dot(n, out) < 0) n = -n;
        consider(n, {Kind::edge_edge, of_a.edge[k], of_b.edge[j], 0, 0});
      }
    }
  }
  return finish();
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

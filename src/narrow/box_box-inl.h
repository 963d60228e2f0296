// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_BOX_BOX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_BOX_BOX_INL_H
#undef SCREE_NARROW_BOX_BOX_INL_H
#else
#define SCREE_NARROW_BOX_BOX_INL_H
#endif

#include <bit>

#include "narrow/common_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// The 15 axes of two boxes at once (Gottschalk, Lin & Manocha 1996): rows of four lanes, three of them used - A's face
/// normals, B's, and A's edge i with each edge of B. Where no axis is, the gap is -1e300.
struct BoxAxes {
  static constexpr std::size_t kRows = 5, kLanes = 4;
  HWY_ALIGN double ta[2 * kLanes], tb[kLanes];  ///< separation of the centroids along A's and B's axes
  std::uint32_t candidates[kRows];              ///< lanes that rounding leaves in question for the best
};

/// `beat` (m): axes that cannot come above it are no candidates.
HWY_INLINE void FindBoxAxes(const Query& q, double beat, BoxAxes* out) {
  constexpr std::size_t kLanes = BoxAxes::kLanes;
  const hn::CappedTag<double, kLanes> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto set = [&](double x) HWY_ATTR { return hn::Set(tag, x); };
  // Columns of the rotations are the axes; half sizes are endless where there is no axis.
  HWY_ALIGN double a_row[3][kLanes], b_row[3][kLanes], a_half[kLanes], b_half[2 * kLanes], r[3][2 * kLanes];
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 x = q.a.rotation.row[k], y = q.b.rotation.row[k];
    a_row[k][0] = x.x, a_row[k][1] = x.y, a_row[k][2] = x.z, a_row[k][3] = 0;
    b_row[k][0] = y.x, b_row[k][1] = y.y, b_row[k][2] = y.z, b_row[k][3] = 0;
    a_half[k] = q.a.size * q.a.shape->box->half[k];
    b_half[k] = b_half[k + 3] = q.b.size * q.b.shape->box->half[k];
  }
  a_half[3] = 1e300;
  const auto along = [&](const double(*row)[kLanes], Vec3 v, std::size_t i) HWY_ATTR {
    return hn::Add(hn::Add(hn::Mul(hn::Load(tag, row[0] + i), set(v.x)), hn::Mul(hn::Load(tag, row[1] + i), set(v.y))),
                   hn::Mul(hn::Load(tag, row[2] + i), set(v.z)));
  };
  const auto column = [](const double(*row)[kLanes], std::size_t k) { return Vec3{row[0][k], row[1][k], row[2][k]}; };
  HWY_ALIGN double gap[BoxAxes::kRows][kLanes], doubt[BoxAxes::kRows][kLanes];
  const double rounding = 4e-15 * q.scale;
  for (std::size_t i = 0; i < kLanes; i += lanes) {
    const auto ta = along(a_row, q.d, i), tb = along(b_row, q.d, i);
    hn::Store(ta, tag, out->ta + i), hn::Store(tb, tag, out->tb + i);
    auto reach_a = hn::Load(tag, a_half + i), reach_b = hn::Load(tag, b_half + i);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto by_a = along(b_row, column(a_row, k), i), by_b = along(a_row, column(b_row, k), i);
      hn::Store(by_a, tag, r[k] + i);
      reach_a = hn::Add(reach_a, hn::Mul(set(b_half[k]), hn::Abs(by_b)));
      reach_b = hn::Add(reach_b, hn::Mul(set(a_half[k]), hn::Abs(by_a)));
    }
    hn::Store(hn::Sub(hn::Abs(ta), reach_a), tag, gap[0] + i);
    hn::Store(hn::Sub(hn::Abs(tb), reach_b), tag, gap[1] + i);
    for (std::size_t k = 0; k < 2; ++k) hn::Store(set(rounding), tag, doubt[k] + i);
  }
  gap[1][3] = -1e300;
  for (std::size_t k = 0; k < 3; ++k) r[k][3] = r[k][0], r[k][4] = r[k][1], r[k][5] = r[k][2];
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    for (std::size_t j = 0; j < kLanes; j += lanes) {
      // A's edge k and B's edge j: n = e_k x (r_0j, r_1j, r_2j) in A's frame, not of unit length.
      const auto r1 = hn::Load(tag, r[k1] + j), r2 = hn::Load(tag, r[k2] + j);
      const auto n2 = hn::Add(hn::Mul(r1, r1), hn::Mul(r2, r2));
      const auto link = hn::Abs(hn::Sub(hn::Mul(set(out->ta[k2]), r1), hn::Mul(set(out->ta[k1]), r2)));
      const auto reach_a = hn::Add(hn::Mul(set(a_half[k1]), hn::Abs(r2)), hn::Mul(set(a_half[k2]), hn::Abs(r1)));
      const auto reach_b = hn::Add(hn::Mul(hn::LoadU(tag, b_half + j + 1), hn::Abs(hn::LoadU(tag, r[k] + j + 2))),
                                   hn::Mul(hn::LoadU(tag, b_half + j + 2), hn::Abs(hn::LoadU(tag, r[k] + j + 1))));
      const auto per_length = hn::Div(set(1), hn::Sqrt(n2));
      const auto is_axis = hn::Gt(n2, set(1e-26));
      const auto g = hn::Mul(hn::Sub(hn::Sub(link, reach_a), reach_b), per_length);
      hn::Store(hn::IfThenElse(is_axis, g, set(-1e300)), tag, gap[2 + k] + j);
      hn::Store(hn::IfThenElse(is_axis, hn::Mul(set(rounding), per_length), set(0)), tag, doubt[2 + k] + j);
    }
    gap[2 + k][3] = -1e300;
  }
  double best = beat;
  for (std::size_t row = 0; row < BoxAxes::kRows; ++row) {
    for (std::size_t lane = 0; lane < 3; ++lane) {
      const double low = gap[row][lane] - doubt[row][lane];
      best = low > best ? low : best;
    }
  }
  for (std::size_t row = 0; row < BoxAxes::kRows; ++row) {
    out->candidates[row] = 0;
    for (std::size_t lane = 0; lane < 3; ++lane)
      out->candidates[row] |= gap[row][lane] + doubt[row][lane] >= best ? 1u << lane : 0u;
  }
}

/// The edge of a box along its axis k that lies farthest along n.
HWY_INLINE std::uint16_t FarthestEdge(const BodyView& x, std::size_t k, Vec3 n) {
  const Vec3 m = transpose_times(x.rotation, n);
  const std::size_t octant = (m.x > 0 ? 1u : 0u) | (m.y > 0 ? 2u : 0u) | (m.z > 0 ? 4u : 0u);
  return x.shape->box->edge[x.shape->box->corner[octant]][k];
}

/// SeparatingAxis for two boxes.
inline Plane SeparateBoxes(const Query& q, const Plane* start) {
  using Kind = PlaneFeature::Kind;
  const BoxFrame &a = *q.a.shape->box, &b = *q.b.shape->box;
  Plane best = start != nullptr ? *start : Plane{};
  const auto consider = [&](Vec3 n) {
    const Plane p = Evaluate(q, n);
    if (!(p.gap > best.gap + 1e-15 * q.scale)) return false;
    best = p;
    return true;
  };
  BoxAxes axes;
  FindBoxAxes(q, best.gap, &axes);
  for (std::uint32_t bits = axes.candidates[0]; bits != 0; bits &= bits - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(bits));
    const std::uint16_t f = a.face[k][axes.ta[k] < 0 ? 1 : 0];
    if (consider(q.a.face_normal(f))) best.feature = {Kind::face_a, f, 0, 0, 0};
  }
  for (std::uint32_t bits = axes.candidates[1]; bits != 0; bits &= bits - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(bits));
    const std::uint16_t f = b.face[k][axes.tb[k] < 0 ? 0 : 1];
    if (consider(-q.b.face_normal(f))) best.feature = {Kind::face_b, 0, f, 0, 0};
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::uint32_t bits = axes.candidates[2 + i]; bits != 0; bits &= bits - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(bits));
      // Parallel edges differ by rounding, which counts where the two bodies' are nearly parallel: the normal must be
      // that of the very edges that carry it.
      const auto axis = [](const BodyView& x, std::size_t k) {
        return Vec3{x.rotation.row[0][k], x.rotation.row[1][k], x.rotation.row[2][k]};
      };
      const Vec3 about = Orient(q, cross(axis(q.a, i), axis(q.b, j)));
      const std::uint16_t ea = FarthestEdge(q.a, i, about), eb = FarthestEdge(q.b, j, -about);
      Vec3 n;
      if (!Perpendicular(q.a.edge(ea), q.b.edge(eb), &n)) continue;
      if (consider(Orient(q, n))) best.feature = {Kind::edge_edge, ea, eb, 0, 0};
    }
  }
  best.feature.va = static_cast<std::uint16_t>(best.va), best.feature.vb = static_cast<std::uint16_t>(best.vb);
  return best;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

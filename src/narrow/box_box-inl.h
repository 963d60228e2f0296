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
  HWY_ALIGN double ta[kLanes], tb[kLanes];     ///< separation of the centroids along A's and B's axes
  HWY_ALIGN double gap[kRows][kLanes];         ///< to rounding of the pair's size ...
  HWY_ALIGN double per_length[kRows][kLanes];  ///< ... times this

  HWY_INLINE void Find(const Query& q) {
    const hn::CappedTag<double, kLanes> tag;
    const std::size_t lanes = hn::Lanes(tag);
    const auto set = [&](double x) HWY_ATTR { return hn::Set(tag, x); };
    const Mat3 &a = q.a.rotation, &b = q.b.rotation;
    const double *half_a = q.a.shape->box->half.data(), *half_b = q.b.shape->box->half.data();
    const double ha[3] = {q.a.size * half_a[0], q.a.size * half_a[1], q.a.size * half_a[2]};
    // r[k]: A's axis k along each of B's; once and twice turned on.
    HWY_ALIGN double r[3][kLanes], next[3][kLanes], last[3][kLanes];
    for (std::size_t i = 0; i < kLanes; i += lanes) {
      const auto used = hn::FirstN(tag, i < 3 ? 3 - i : 0);
      const auto row = [&](const Mat3& m, std::size_t k)
                           HWY_ATTR { return hn::IfThenElseZero(used, hn::LoadU(tag, &m.row[k].x + i)); };
      const auto ax = row(a, 0), ay = row(a, 1), az = row(a, 2), bx = row(b, 0), by = row(b, 1), bz = row(b, 2);
      const auto along = [&](auto x, auto y, auto z, Vec3 v) HWY_ATTR {
        return hn::Add(hn::Add(hn::Mul(x, set(v.x)), hn::Mul(y, set(v.y))), hn::Mul(z, set(v.z)));
      };
      const auto d_a = along(ax, ay, az, q.d), d_b = along(bx, by, bz, q.d);
      hn::Store(d_a, tag, ta + i), hn::Store(d_b, tag, tb + i);
      auto reach_a = hn::Mul(set(q.a.size), hn::LoadU(tag, half_a + i));
      auto reach_b = hn::Mul(set(q.b.size), hn::LoadU(tag, half_b + i));
      for (std::size_t k = 0; k < 3; ++k) {
        const auto by_a = along(bx, by, bz, {a.row[0][k], a.row[1][k], a.row[2][k]});
        const auto by_b = along(ax, ay, az, {b.row[0][k], b.row[1][k], b.row[2][k]});
        hn::Store(by_a, tag, r[k] + i);
        Turn(tag, by_a, next[k], last[k]);
        reach_a = hn::Add(reach_a, hn::Mul(set(q.b.size * half_b[k]), hn::Abs(by_b)));
        reach_b = hn::Add(reach_b, hn::Mul(set(ha[k]), hn::Abs(by_a)));
      }
      const auto none = set(-1e300);
      hn::Store(hn::IfThenElse(used, hn::Sub(hn::Abs(d_a), reach_a), none), tag, gap[0] + i);
      hn::Store(hn::IfThenElse(used, hn::Sub(hn::Abs(d_b), reach_b), none), tag, gap[1] + i);
      hn::Store(set(1), tag, per_length[0] + i), hn::Store(set(1), tag, per_length[1] + i);
    }
    if (lanes < kLanes) {
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t j = 0; j < kLanes; ++j) next[k][j] = r[k][(j + 1) % 3], last[k][j] = r[k][(j + 2) % 3];
      }
    }
    for (std::size_t j = 0; j < kLanes; j += lanes) {
      const auto used = hn::FirstN(tag, j < 3 ? 3 - j : 0);
      const auto hb1 = hn::Mul(set(q.b.size), hn::LoadU(tag, half_b + j + 1)),
                 hb2 = hn::Mul(set(q.b.size), hn::LoadU(tag, half_b + j + 2));
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        // A's edge k and B's edge j: n = e_k x (r_0j, r_1j, r_2j) in A's frame, not of unit length.
        const auto r1 = hn::Load(tag, r[k1] + j), r2 = hn::Load(tag, r[k2] + j);
        const auto n2 = hn::Add(hn::Mul(r1, r1), hn::Mul(r2, r2));
        const auto link = hn::Abs(hn::Sub(hn::Mul(set(ta[k2]), r1), hn::Mul(set(ta[k1]), r2)));
        const auto reach_a = hn::Add(hn::Mul(set(ha[k1]), hn::Abs(r2)), hn::Mul(set(ha[k2]), hn::Abs(r1)));
        const auto reach_b = hn::Add(hn::Mul(hb1, hn::Abs(hn::Load(tag, last[k] + j))),
                                     hn::Mul(hb2, hn::Abs(hn::Load(tag, next[k] + j))));
        const auto inverse = hn::Div(set(1), hn::Sqrt(n2));
        const auto is_axis = hn::And(used, hn::Gt(n2, set(1e-26)));
        const auto g = hn::Mul(hn::Sub(hn::Sub(link, reach_a), reach_b), inverse);
        hn::Store(hn::IfThenElse(is_axis, g, set(-1e300)), tag, gap[2 + k] + j);
        hn::Store(hn::IfThenElseZero(is_axis, inverse), tag, per_length[2 + k] + j);
      }
    }
  }

  /// The axis most worth trying of those whose gap may be above `beat` by more than rounding of the pair's size; false
  /// where there is none. A face goes before edges that are as good: what rests on a face is to know it.
  HWY_INLINE bool Next(double beat, double scale, std::size_t* row, std::size_t* lane) const {
    const hn::CappedTag<double, kLanes> tag;
    const std::size_t lanes = hn::Lanes(tag);
    constexpr double kNothing = -1e301;
    const auto bar = hn::Set(tag, beat + 2e-15 * scale), doubt = hn::Set(tag, 1e-15 * scale),
               behind = hn::Set(tag, 1e-13 * scale);
    HWY_ALIGN double worth[kRows][kLanes];
    auto most = hn::Set(tag, kNothing);
    for (std::size_t k = 0; k < kRows; ++k) {
      for (std::size_t j = 0; j < kLanes; j += lanes) {
        const auto g = hn::Load(tag, gap[k] + j);
        const auto high = hn::Add(g, hn::Mul(doubt, hn::Load(tag, per_length[k] + j)));
        const auto w = hn::IfThenElse(hn::Gt(high, bar), k < 2 ? g : hn::Sub(g, behind), hn::Set(tag, kNothing));
        hn::Store(w, tag, worth[k] + j);
        most = hn::Max(most, w);
      }
    }
    const auto top = hn::MaxOfLanes(tag, most);
    if (!(hn::GetLane(top) > kNothing)) return false;
    std::uint32_t at = 0;
    for (std::size_t k = 0; k < kRows; ++k) {
      for (std::size_t j = 0; j < kLanes; j += lanes) {
        std::uint8_t bytes[8];
        hn::StoreMaskBits(tag, hn::Eq(hn::Load(tag, worth[k] + j), top), bytes);
        at |= static_cast<std::uint32_t>(bytes[0]) << (kLanes * k + j);
      }
    }
    const auto first = static_cast<std::size_t>(std::countr_zero(at));
    *row = first / kLanes, *lane = first % kLanes;
    return true;
  }
  /// Next() passes it over from now on.
  HWY_INLINE void Drop(std::size_t row, std::size_t lane) { gap[row][lane] = -1e300, per_length[row][lane] = 0; }

 private:
  template <class D, class V>
  static HWY_INLINE void Turn([[maybe_unused]] D tag, [[maybe_unused]] V v, [[maybe_unused]] double* next,
                              [[maybe_unused]] double* last) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (hn::MaxLanes(D()) == kLanes) {
      HWY_ALIGN static constexpr std::int64_t kNext[kLanes] = {1, 2, 0, 3}, kLast[kLanes] = {2, 0, 1, 3};
      hn::Store(hn::TableLookupLanes(v, hn::SetTableIndices(tag, kNext)), tag, next);
      hn::Store(hn::TableLookupLanes(v, hn::SetTableIndices(tag, kLast)), tag, last);
    }
#endif
  }
};

/// The edge of a box along its axis k that lies farthest along n.
HWY_INLINE std::uint16_t FarthestEdge(const BodyView& x, std::size_t k, Vec3 n) {
  const Vec3 m = transpose_times(x.rotation, n);
  return x.shape->box->edge[(m.x > 0 ? 1u : 0u) | (m.y > 0 ? 2u : 0u) | (m.z > 0 ? 4u : 0u)][k];
}

/// SeparatingAxis for two boxes.
inline Plane SeparateBoxes(const Query& q, const Plane* start) {
  using Kind = PlaneFeature::Kind;
  const BoxFrame &a = *q.a.shape->box, &b = *q.b.shape->box;
  Plane best = start != nullptr ? *start : Plane{};
  BoxAxes axes;
  axes.Find(q);
  std::size_t row = 0, k = 0;
  for (; axes.Next(best.gap, q.scale, &row, &k); axes.Drop(row, k)) {
    Vec3 n;
    PlaneFeature feature;
    if (row == 0) {
      feature = {Kind::face_a, a.face[k][axes.ta[k] < 0 ? 1 : 0], 0, 0, 0};
      n = q.a.face_normal(feature.a);
    } else if (row == 1) {
      feature = {Kind::face_b, 0, b.face[k][axes.tb[k] < 0 ? 0 : 1], 0, 0};
      n = -q.b.face_normal(feature.b);
    } else {
      // Parallel edges differ by rounding, which counts where the two bodies' are nearly parallel: the normal must be
      // that of the very edges that carry it.
      const auto axis = [](const BodyView& x, std::size_t i) {
        return Vec3{x.rotation.row[0][i], x.rotation.row[1][i], x.rotation.row[2][i]};
      };
      const Vec3 about = Orient(q, cross(axis(q.a, row - 2), axis(q.b, k)));
      feature = {Kind::edge_edge, FarthestEdge(q.a, row - 2, about), FarthestEdge(q.b, k, -about), 0, 0};
      if (!Perpendicular(q.a.edge(feature.a), q.b.edge(feature.b), &n)) continue;
      n = Orient(q, n);
    }
    Plane p = Evaluate(q, n);
    if (!(p.gap > best.gap + 1e-15 * q.scale)) continue;
    p.feature = feature;
    best = p;
  }
  best.feature.va = static_cast<std::uint16_t>(best.va), best.feature.vb = static_cast<std::uint16_t>(best.vb);
  return best;
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_EDGE_CROSSING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_EDGE_CROSSING_INL_H
#undef SCREE_NARROW_EDGE_CROSSING_INL_H
#else
#define SCREE_NARROW_EDGE_CROSSING_INL_H
#endif

#include "narrow/lanes-inl.h"
#include "narrow/tip_overlap-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Pairs whose plane is that of two edges, a vector of them at a time. Two edges that cross, each cut by the two faces
/// at the other: the tetrahedron between the stretch of A's edge inside B (p) and of B's inside A (r). Its thickness
/// falls linearly from the crossing to the rim of the patch, whose diagonals the two stretches are. At a sharp edge the
/// crossing may lie beside a stretch; part of the surface has then turned back over itself and counts against the rest,
/// and nothing else changes: the depth at the crossing is all that the force depends on.
class EdgeCrossings {
 public:
  bool full() const { return pairs_ == hn::Lanes(Lanes()); }
  void clear() { pairs_ = 0; }

  /// False where the plane is no such one.
  HWY_INLINE bool Add(const Query& q, const Plane& seed) {
    if (seed.feature.kind != PlaneFeature::Kind::edge_edge) return false;
    const std::size_t k = pairs_++;
    const std::size_t edge[2] = {seed.feature.a, seed.feature.b};
    const BodyView* const body[2] = {&q.a, &q.b};
    for (std::size_t s = 0; s < 2; ++s) {
      body_[s][k] = body[s], pose_[s][k] = &body[s]->rotation.row[0].x;
      faces_[s][k] = &body[s]->shape->body->edges[edge[s]], edge_[s][k] = body[s]->shape->cut_edges[edge[s]].v0;
    }
    Put(q.d, d_, k), Put(seed.n, seed_, k);
    margin_[k] = kInPlane * q.scale;
    return true;
  }

  /// The overlaps of the pairs, in the order in which they were added.
  void Find() {
    const Lanes tag;
    for (std::size_t k = pairs_; k < hn::Lanes(tag); ++k) {
      for (std::size_t s = 0; s < 2; ++s) pose_[s][k] = pose_[s][0], edge_[s][k] = edge_[s][0];
      Put(Take(d_, 0), d_, k), Put(Take(seed_, 0), seed_, k);
    }
    const Edge a(pose_[0], edge_[0]), b(pose_[1], edge_[1]);
    const Reals zero = All(0), one = All(1), half = All(0.5);
    const Reals3 d = Load(d_), from_a = d + b.v0 - a.v0, uv = cross(a.along, b.along);
    const Reals uv2 = norm2(uv), length = hn::Sqrt(uv2);
    // The common perpendicular, and where on each edge it stands.
    const Reals t = dot(cross(from_a, b.along), uv) / uv2, s = dot(cross(from_a, a.along), uv) / uv2;
    const Reals sign = Select(dot(uv, Load(seed_)) < 0, All(-1), one), depth = -(sign * (dot(from_a, uv) / length));
    const Reals3 n = (sign / length) * uv, down = -(depth * n);  // from A's edge to B's
    // In the frames of the bodies.
    const Reals3 u_in_b = b.in(a.along), v_in_a = a.in(b.along), down_in_a = a.in(down), down_in_b = b.in(down);
    const Stretch on_a(b, u_in_b, down_in_b), on_b(a, v_in_a, -down_in_a);
    const auto within = [&](Reals at, const Stretch& x)
                            HWY_ATTR { return hn::And(x.is_inside, hn::And(at + x.low > 0, at + x.high < one)); };
    const Truths sound =
        hn::And(hn::And(hn::Gt(uv2, zero), hn::Gt(depth, zero)), hn::And(within(t, on_a), within(s, on_b)));
    if (hn::AllFalse(tag, sound)) {
      found_ = 0;
      return;
    }
    // Each end of a stretch lies in a face of the other body, and must lie below all others of it.
    const Reals3 at_a = a.v0 + t * a.along, foot_in_b = b.in(at_a - d),
                 foot_in_a = a.own_v0 + t * a.own_along + down_in_a;
    Store(foot_in_b + on_a.low * u_in_b, end_[0][0]), Store(foot_in_b + on_a.high * u_in_b, end_[0][1]);
    Store(foot_in_a + on_b.low * v_in_a, end_[1][0]), Store(foot_in_a + on_b.high * v_in_a, end_[1][1]);
    const std::uint32_t left_low[2] = {Bits(on_a.left_low), Bits(on_b.left_low)};
    found_ = EndsInside(Bits(sound), left_low);
    if (found_ == 0) return;

    const Reals area = half * ((on_a.high - on_a.low) * (on_b.high - on_b.low) * length), quarter = All(0.25);
    const Reals3 tangent = quarter * ((on_a.low + on_a.high) * a.along + (on_b.low + on_b.high) * b.along);
    const Reals3 centre = at_a + half * down;
    hn::Store(area * depth * All(1.0 / 3), tag, volume_), hn::Store(All(kConeDepth) * depth, tag, energy_);
    Store(area * n, area_), Store(centre, centre_), Store(centre + tangent, centroid_);
    // The patch: triangles p0 p1 r on either side of A's stretch, each with B's part of the diagonal. Relative to the
    // centroid and seen along n; in space they rise to A's edge.
    const Reals3 p0 = on_a.low * a.along - tangent, p1 = on_a.high * a.along - tangent;
    const Reals squares = norm2(p0) + norm2(p1), per_width = area / (on_b.high - on_b.low);
    Reals polar = zero;
    Reals3 moment{zero, zero, zero};
    for (std::size_t side = 0; side < 2; ++side) {
      const Reals at = side == 0 ? on_b.low : on_b.high;
      const Reals3 r = at * b.along - tangent, sum = p0 + p1 + r;
      const Reals part = per_width * (side == 0 ? -at : at);
      polar = polar + All(1.0 / 12) * part * (norm2(sum) + squares + norm2(r));
      // Half of A's area vector: across its edge and the end, which lies lower by `depth`. The centre, half that depth
      // down, is left out: both halves together look along n.
      const Reals3 dA = ((side == 0 ? -half : half) * sign) * cross(p1 - p0, down + r - p0);
      moment = moment + All(1.0 / 3) * cross(sum, dA);
    }
    Store(moment, moment_);
    const Reals gyration = hn::IfThenElseZero(hn::Gt(polar, zero), hn::Sqrt(polar / area));
    hn::Store(gyration, tag, gyration_);
    // The spread of a tetrahedron's volume is that of its corners.
    const Reals3 u = (one / hn::Sqrt(norm2(a.along))) * a.along, v = cross(n, u);
    Reals cuu = zero, cuv = zero, cvv = zero;
    for (const Reals3& corner : {p0, p1, on_b.low * b.along - tangent, on_b.high * b.along - tangent}) {
      const Reals x = dot(u, corner), y = dot(v, corner);
      cuu = cuu + x * x, cuv = cuv + x * y, cvv = cvv + y * y;
    }
    const LongAxis<Reals> axis(cuu, cuv, cvv, gyration);
    Store(axis.u * u + axis.v * v, axis_);
  }
  /// Of the k-th pair. False: this is not, or not known to be, all there is to its overlap.
  HWY_INLINE bool Result(std::size_t k, Overlap* o) const {
    if ((found_ >> k & 1) == 0) return false;
    o->volume = volume_[k], o->energy_depth = energy_[k], o->gyration = gyration_[k], o->axis = Take(axis_, k);
    o->area = Take(area_, k), o->area_moment = Take(moment_, k);
    o->centroid = Take(centroid_, k), o->centre = Take(centre_, k);
    return true;
  }

 private:
  /// Which of the candidates, a bit each, have every end of both stretches in a face of the other body. `left_low`: of
  /// the stretch on A, on B, whether its low end lies in the left face of the other's edge.
  HWY_INLINE std::uint32_t EndsInside(std::uint32_t candidates, const std::uint32_t* left_low) const {
    std::uint32_t found = 0;
    for (std::size_t k = 0; k < pairs_; ++k) {
      if ((candidates >> k & 1) == 0) continue;
      bool inside = true;
      for (std::size_t which = 0; which < 2 && inside; ++which) {
        const BodyView& other = *body_[1 - which][k];
        const Polyhedron::Edge& e = *faces_[1 - which][k];
        const bool left = (left_low[which] >> k & 1) != 0;
        const Points<1> low{1, {Take(end_[which][0], k)}}, high{1, {Take(end_[which][1], k)}};
        inside = InsideFace(other, low, left ? e.left : e.right, margin_[k]) &&
                 InsideFace(other, high, left ? e.right : e.left, margin_[k]);
      }
      found |= inside ? 1u << k : 0u;
    }
    return found;
  }

  /// out[c] = rows[k][c] at lane k, for n numbers of each row.
  template <std::size_t n>
  static HWY_INLINE void LoadColumns(const double* const* rows, Reals* out) {
    constexpr std::size_t kLanes = hn::MaxLanes(Lanes());
    for (std::size_t at = 0; at < n; at += kLanes) {
      const std::size_t first = at + kLanes <= n ? at : n - kLanes;
      Transpose(rows, first, out + first);
    }
  }
  static HWY_INLINE std::uint32_t Bits(Truths t) {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(Lanes(), t, bytes);
    return bytes[0];
  }

  /// An edge of a posed body; `own`: in the body's frame.
  struct Edge {
    Reals3 row[3];  ///< of the rotation, body -> space
    Reals3 own_v0, own_along, v0, along;
    Reals3 left, right;  ///< in the body's frame: outward normals of the faces at it

    HWY_INLINE Edge(const double* const* pose, const double* const* edge) {
      Reals p[10], e[CutEdge::kNumbers];
      LoadColumns<10>(pose, p), LoadColumns<CutEdge::kNumbers>(edge, e);
      for (std::size_t i = 0; i < 3; ++i) row[i] = {p[3 * i], p[3 * i + 1], p[3 * i + 2]};
      own_v0 = p[9] * Reals3{e[0], e[1], e[2]}, own_along = p[9] * Reals3{e[3], e[4], e[5]};
      left = {e[6], e[7], e[8]}, right = {e[9], e[10], e[11]};
      v0 = out(own_v0), along = out(own_along);
    }
    HWY_INLINE Reals3 out(const Reals3& x) const { return {dot(row[0], x), dot(row[1], x), dot(row[2], x)}; }
    HWY_INLINE Reals3 in(const Reals3& x) const { return x.x * row[0] + x.y * row[1] + x.z * row[2]; }
  };
  /// The stretch of an edge between the planes of the two faces at `at`, an edge of the other body, in whose frame all
  /// is; measured from the foot of the perpendicular. `from`: from there to a point of `at`.
  struct Stretch {
    Reals low, high;
    Truths left_low;   ///< the left face cuts it at the low end, the right one at the high end; else the other way
    Truths is_inside;  ///< false for NaN, too
    HWY_INLINE Stretch(const Edge& at, const Reals3& edge, const Reals3& from) {
      const Reals zero = All(0), along_l = dot(at.left, edge), along_r = dot(at.right, edge);
      const Reals l = dot(at.left, from) / along_l, r = dot(at.right, from) / along_r;
      // Inside from where the edge enters behind the one to where it comes out of the other.
      left_low = hn::Lt(along_l, zero);
      low = Select(left_low, l, r), high = Select(left_low, r, l);
      const Truths l_out = hn::Gt(along_l, zero), r_out = hn::Gt(along_r, zero), r_in = hn::Lt(along_r, zero);
      is_inside = hn::And(hn::Lt(low, high), hn::Or(hn::And(left_low, r_out), hn::And(l_out, r_in)));
    }
  };

  std::size_t pairs_ = 0;
  std::uint32_t found_ = 0;  ///< bit per pair
  const BodyView* body_[2][kMostLanes];
  const Polyhedron::Edge* faces_[2][kMostLanes];
  const double *pose_[2][kMostLanes], *edge_[2][kMostLanes];
  double margin_[kMostLanes];
  HWY_ALIGN LaneRow d_[3], seed_[3], end_[2][2][3];
  HWY_ALIGN LaneRow volume_, energy_, gyration_, axis_[3], area_[3], moment_[3], centroid_[3], centre_[3];
};

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

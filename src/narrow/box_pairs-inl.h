// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_BOX_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_BOX_PAIRS_INL_H
#undef SCREE_NARROW_BOX_PAIRS_INL_H
#else
#define SCREE_NARROW_BOX_PAIRS_INL_H
#endif

#include "narrow/box_box-inl.h"
#include "narrow/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Pairs of boxes, a vector of them at a time: what SeparateBoxes finds, to the last bit, wherever the first axis that
/// it tries is the last. A pair with other axes that may be as good to rounding, or with edges that are nearly
/// parallel, is left to it. Several vectors go through each stage, which are independent of each other: one alone would
/// wait at every stage for the one before.
class BoxPairs {
 public:
  static constexpr std::size_t kPairs = 16;

  bool full() const { return pairs_ == kPairs; }
  void clear() { pairs_ = 0; }

  /// What is to be known of a pair.
  HWY_INLINE void Add(std::uint32_t number, const BodyView& a, const BodyView& b, Vec3 d) {
    const std::size_t k = pairs_++;
    number_[k] = number;
    AddBody(a, 0, k), AddBody(b, 1, k), Put(d, d_, k);
    scale_[k] = a.radius + b.radius;
  }

  /// The best planes of the pairs, in the order in which they were added.
  void Find() {
    Pad();
    for (std::size_t at = 0; at < pairs_; at += hn::Lanes(Lanes())) FirstAxes(at);
    FindFeatures();
    for (std::size_t at = 0; at < pairs_; at += hn::Lanes(Lanes())) Normals(at);
    for (std::size_t k = 0; k < pairs_; ++k) {
      const Vec3 n = Take(n_, k);
      const Support a = FarthestVertex(*body_[0][k], n), b = FarthestVertex(*body_[1][k], -n);
      value_[0][k] = a.value, value_[1][k] = b.value;
      feature_[k].va = static_cast<std::uint16_t>(a.vertex), feature_[k].vb = static_cast<std::uint16_t>(b.vertex);
    }
    for (std::size_t at = 0; at < pairs_; at += hn::Lanes(Lanes())) Judge(at);
  }
  std::size_t size() const { return pairs_; }
  std::uint32_t number(std::size_t k) const { return number_[k]; }
  /// Of the k-th pair. False: it is left to SeparateBoxes.
  HWY_INLINE bool Result(std::size_t k, Plane* plane, SearchCounters* counters) const {
    if (!Is(found_, k)) return false;
    ++counters->batched, ++counters->evaluations;
    // By field: a whole plane would be put together elsewhere and copied before its stores are through.
    const PlaneFeature f = feature_[k];
    plane->n = Take(n_, k), plane->gap = gap_[k];
    plane->va = f.va, plane->vb = f.vb, plane->feature = f;
    return true;
  }

 private:
  static constexpr std::size_t kFaces = 6, kEdges = 9;
  static constexpr double kNoAxis = -1e100;
  using PairRow = double[kPairs];
  /// A bit per pair, a byte per vector; read eight at a time.
  using PairBits = std::uint8_t[kPairs + 8];

  struct Axes {
    Reals3 row[2][3], axis[2][3];  ///< of the rotations, body -> space
    Reals r[3][3], size[3][3];     ///< A's axis along B's, and how much of it
    Reals3 d;
    Reals along[2][3];  ///< separation of the centroids along A's and B's axes
    Reals half[2][3];
  };
  /// As BoxAxes finds them; of edges the gap times a length, and its square.
  struct Gaps {
    Reals face[kFaces], edge[kEdges], n2[kEdges];
  };
  /// The first axis that SeparateBoxes tries: the best face or the best edges, numbered 3 i + j.
  struct First {
    Reals gap;            ///< BoxAxes'
    Reals face, edge, t;  ///< t: separation of the centroids along the axis of the face
    Reals other_face;     ///< the largest gap of a face that is not it
    Truths by_edges;
  };
  /// A pair's features in one number: bits of octants, axes of edges, face.
  static constexpr unsigned kOctantB = 3, kAxisA = 6, kAxisB = 8, kFace = 10, kNegative = 13;

  HWY_INLINE void AddBody(const BodyView& x, std::size_t s, std::size_t k) {
    const double size = x.size, *const half = x.shape->box->half.data();
    body_[s][k] = &x, pose_[s][k] = &x.rotation.row[0].x, last_[s][k] = x.rotation.row[2].z;
    half_[s][0][k] = size * half[0], half_[s][1][k] = size * half[1], half_[s][2][k] = size * half[2];
  }
  /// Lanes without a pair repeat the first one.
  HWY_INLINE void Pad() {
    padded_ = pairs_;
    for (; padded_ % hn::Lanes(Lanes()) != 0; ++padded_) {
      const std::size_t k = padded_;
      for (std::size_t s = 0; s < 2; ++s) {
        body_[s][k] = body_[s][0], pose_[s][k] = pose_[s][0], last_[s][k] = last_[s][0];
        for (PairRow& row : half_[s]) row[k] = row[0];
      }
      Put(Take(d_, 0), d_, k);
      scale_[k] = scale_[0];
    }
  }

  HWY_INLINE void FirstAxes(std::size_t at) {
    Axes axes;
    Pose(at, &axes);
    Gaps gaps;
    FaceGaps(axes, &gaps), EdgeGaps(axes, &gaps);
    const First first = FirstOf(at, axes, gaps);
    const Lanes tag;
#pragma GCC unroll 9
    for (std::size_t e = 0; e < kEdges; ++e)
      hn::Store(gaps.edge[e], tag, edge_gap_[e] + at), hn::Store(gaps.n2[e], tag, n2_[e] + at);
    hn::Store(first.gap, tag, first_gap_ + at);
    hn::Store(first.face, tag, face_ + at), hn::Store(first.other_face, tag, other_face_ + at);
    const hn::Rebind<std::int32_t, Lanes> whole;
    hn::Store(hn::DemoteTo(whole, Number(axes, first)), whole, code_ + at);
    SetBits(by_edges_, at, first.by_edges);
    const Truths of_b = hn::Ge(first.face, All(3));
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i) Store(Select(of_b, axes.row[1][i], axes.row[0][i]), face_row_[i], at);
  }
  HWY_INLINE void Pose(std::size_t at, Axes* x) const {
#pragma GCC unroll 2
    for (std::size_t s = 0; s < 2; ++s) {
      Reals m[9];
#pragma GCC unroll 8
      for (std::size_t c = 0; c < 8; c += hn::MaxLanes(Lanes())) Transpose(pose_[s] + at, c, m + c);
      m[8] = Row(last_[s], at);
#pragma GCC unroll 3
      for (std::size_t i = 0; i < 3; ++i) {
        x->row[s][i] = {m[3 * i], m[3 * i + 1], m[3 * i + 2]}, x->axis[s][i] = {m[i], m[3 + i], m[6 + i]};
        x->half[s][i] = Row(half_[s][i], at);
      }
    }
    x->d = Load(d_, at);
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i) {
      x->along[0][i] = dot(x->axis[0][i], x->d), x->along[1][i] = dot(x->axis[1][i], x->d);
#pragma GCC unroll 3
      for (std::size_t j = 0; j < 3; ++j)
        x->r[i][j] = dot(x->axis[0][i], x->axis[1][j]), x->size[i][j] = hn::Abs(x->r[i][j]);
    }
  }
  static HWY_INLINE void FaceGaps(const Axes& x, Gaps* out) {
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i) {
      Reals reach_a = x.half[0][i], reach_b = x.half[1][i];
#pragma GCC unroll 3
      for (std::size_t k = 0; k < 3; ++k) {
        reach_a = reach_a + x.half[1][k] * x.size[i][k];
        reach_b = reach_b + x.half[0][k] * x.size[k][i];
      }
      out->face[i] = hn::Abs(x.along[0][i]) - reach_a, out->face[3 + i] = hn::Abs(x.along[1][i]) - reach_b;
    }
  }
  static HWY_INLINE void EdgeGaps(const Axes& x, Gaps* out) {
    const Reals* const t = x.along[0];
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
#pragma GCC unroll 3
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t j1 = (j + 1) % 3, j2 = (j + 2) % 3, e = 3 * i + j;
        const Reals r1 = x.r[i1][j], r2 = x.r[i2][j], n2 = r1 * r1 + r2 * r2;
        const Reals link = hn::Abs(t[i2] * r1 - t[i1] * r2);
        const Reals reach_a = x.half[0][i1] * x.size[i2][j] + x.half[0][i2] * x.size[i1][j];
        const Reals reach_b = x.half[1][j1] * x.size[i][j2] + x.half[1][j2] * x.size[i][j1];
        out->edge[e] = Select(hn::Gt(n2, All(1e-26)), link - reach_a - reach_b, All(kNoAxis)), out->n2[e] = n2;
      }
    }
  }

  struct Edges {
    Reals gap, square, n2, which;  ///< as in Gaps; the square of the gap with its sign
  };
  static HWY_INLINE Edges EdgesOf(const Gaps& gaps, std::size_t e) {
    return {gaps.edge[e], gaps.edge[e] * hn::Abs(gaps.edge[e]), gaps.n2[e], All(static_cast<double>(e))};
  }
  static HWY_INLINE Edges Better(const Edges& a, const Edges& b) {
    const Truths second = hn::Gt(b.square * a.n2, a.square * b.n2);
    return {Select(second, b.gap, a.gap), Select(second, b.square, a.square), Select(second, b.n2, a.n2),
            Select(second, b.which, a.which)};
  }
  HWY_INLINE First FirstOf(std::size_t at, const Axes& x, const Gaps& gaps) const {
    First first{gaps.face[0], All(0), All(0), x.along[0][0], All(kNoAxis), hn::Ne(All(0), All(0))};
#pragma GCC unroll 6
    for (std::size_t f = 1; f < kFaces; ++f) {
      const Truths more = hn::Gt(gaps.face[f], first.gap);
      first.other_face = hn::Max(first.other_face, hn::Min(first.gap, gaps.face[f]));
      first.gap = Select(more, gaps.face[f], first.gap), first.t = Select(more, x.along[f / 3][f % 3], first.t);
      first.face = Select(more, All(static_cast<double>(f)), first.face);
    }
    // Gaps of edges by their squares with their signs: nine roots and quotients would cost more than all of the rest.
    Edges most = EdgesOf(gaps, 0);
#pragma GCC unroll 9
    for (std::size_t e = 1; e < kEdges; ++e) most = Better(most, EdgesOf(gaps, e));
    first.edge = most.which;
    const Reals inverse = All(1) / hn::Sqrt(most.n2), edges = most.gap * inverse;
    first.by_edges = hn::Gt(edges - All(1e-13) * Row(scale_, at), first.gap);
    first.other_face = Select(first.by_edges, first.gap, first.other_face);
    first.gap = Select(first.by_edges, edges, first.gap);
    return first;
  }

  /// The face and the two edges, whichever of them it is that counts: no branch.
  static HWY_INLINE Reals Number(const Axes& x, const First& first) {
    const Reals zero = All(0);
    const Truths of_b = hn::Ge(first.face, All(3)), far = hn::Ge(first.edge, All(3)),
                 farther = hn::Ge(first.edge, All(6));
    const Reals i = Select(farther, All(2), Select(far, All(1), zero)), j = first.edge - All(3) * i;
    const Reals3 across = cross(Select(farther, x.axis[0][2], Select(far, x.axis[0][1], x.axis[0][0])),
                                Select(j == 2, x.axis[1][2], Select(j == 1, x.axis[1][1], x.axis[1][0])));
    // As FarthestEdge.
    const Reals3 about = Select(dot(across, x.d) < 0, -across, across);
    const auto into = [&](std::size_t s)
                          HWY_ATTR { return about.x * x.row[s][0] + about.y * x.row[s][1] + about.z * x.row[s][2]; };
    const Reals3 in_a = into(0), in_b = into(1);
    const auto bit = [](Truths t, unsigned place)
                         HWY_ATTR { return hn::IfThenElseZero(t, All(static_cast<double>(1u << place))); };
    return bit(in_a.x > 0, 0) + bit(in_a.y > 0, 1) + bit(in_a.z > 0, 2) + bit(in_b.x < 0, kOctantB) +
           bit(in_b.y < 0, kOctantB + 1) + bit(in_b.z < 0, kOctantB + 2) + All(double{1u << kAxisA}) * i +
           All(double{1u << kAxisB}) * j + All(double{1u << kFace}) * first.face +
           bit(hn::Xor(hn::Lt(first.t, zero), of_b), kNegative);
  }
  /// Those of edges, then those of faces: no branch whose turn is a toss.
  HWY_INLINE void FindFeatures() {
    using Kind = PlaneFeature::Kind;
    std::uint32_t by_edges = 0;
    for (std::size_t at = 0; at < pairs_; at += hn::Lanes(Lanes())) by_edges |= Bits(GetBits(by_edges_, at)) << at;
    const std::uint32_t all = (std::uint32_t{1} << padded_) - 1;
    for (std::uint32_t left = by_edges; left != 0; left &= left - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(left));
      const auto code = static_cast<std::uint32_t>(code_[k]);
      const std::uint16_t a = FindEdge(0, k, code, code >> kAxisA),
                          b = FindEdge(1, k, code >> kOctantB, code >> kAxisB);
      feature_[k] = {Kind::edge_edge, a, b, 0, 0};
    }
    for (std::uint32_t left = all & ~by_edges; left != 0; left &= left - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(left));
      const auto code = static_cast<std::uint32_t>(code_[k]);
      const std::uint32_t f = code >> kFace & 7;
      const bool of_a = f < 3;
      const HotShape& shape = *body_[of_a ? 0 : 1][k]->shape;
      const std::uint16_t face = shape.box->face[f - (of_a ? 0 : 3)][code >> kNegative & 1], none = 0;
      Put(shape.body->face_normals[face], normal_, k);
      feature_[k] = {of_a ? Kind::face_a : Kind::face_b, of_a ? face : none, of_a ? none : face, 0, 0};
    }
  }
  HWY_INLINE std::uint16_t FindEdge(std::size_t s, std::size_t k, std::uint32_t octant, std::uint32_t axis) {
    const BodyView& x = *body_[s][k];
    const std::uint16_t edge = x.shape->box->edge[octant & 7][axis & 3];
    Put(x.edge(edge), edge_[s], k);
    return edge;
  }
  /// As NormalOf; where edges count, only for those so far from parallel that their plain product will do.
  HWY_INLINE void Normals(std::size_t at) {
    const Reals3 own = Load(normal_, at);
    const Reals3 face{dot(Load(face_row_[0], at), own), dot(Load(face_row_[1], at), own),
                      dot(Load(face_row_[2], at), own)};
    const Truths by_edges = GetBits(by_edges_, at);
    Truths plain;
    const Reals3 edges = AcrossEdges(Load(edge_[0], at), Load(edge_[1], at), Load(d_, at), &plain);
    Store(Select(by_edges, edges, Select(hn::Ge(Row(face_, at), All(3)), -face, face)), n_, at);
    SetBits(plain_, at, hn::Or(hn::Not(by_edges), plain));
  }

  /// Which pairs have their best plane: there is no axis left that SeparateBoxes would try.
  HWY_INLINE void Judge(std::size_t at) {
    const Reals scale = Row(scale_, at), first = Row(first_gap_, at);
    const Reals gap = dot(Load(n_, at), Load(d_, at)) - Row(value_[1], at) - Row(value_[0], at);
    hn::Store(gap, Lanes(), gap_ + at);
    const Reals doubt = All(1e-15) * scale, twice = All(2e-15) * scale;
    const Reals bar = gap + twice;
    Truths left = hn::Not(GetBits(plain_, at));
    left = hn::Or(left, hn::Gt(Row(other_face_, at) + doubt, bar));
    // The squares, and the roots that BoxAxes takes, are off by rounding of the gap, which must not decide either; nor
    // must it decide which edges come first: these alone are above the bar.
    const Truths by_edges = GetBits(by_edges_, at);
    Reals low = bar - All(1e-15) * hn::Abs(bar);
    low = Select(by_edges, hn::Min(low, first - doubt - All(4e-15) * hn::Abs(first)), low);
    const Reals square = low * hn::Abs(low);
    Truths one = hn::Ne(gap, gap), two = one;  // NaN is for SeparateBoxes, too
#pragma GCC unroll 9
    for (std::size_t e = 0; e < kEdges; ++e) {
      const Reals high = Row(edge_gap_[e], at) + doubt;
      const Truths above = hn::Gt(high * hn::Abs(high), square * Row(n2_[e], at));
      two = hn::Or(two, hn::And(one, above)), one = hn::Or(one, above);
    }
    left = hn::Or(left, hn::Or(two, hn::AndNot(by_edges, one)));
    SetBits(found_, at, hn::Not(left));
  }

  template <std::size_t n>
  static HWY_INLINE Reals Row(const double (&row)[n], std::size_t at) {
    return hn::Load(Lanes(), row + at);
  }
  static HWY_INLINE std::uint32_t Bits(Truths t) {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(Lanes(), t, bytes);
    return bytes[0];
  }
  static HWY_INLINE void SetBits(PairBits& bits, std::size_t at, Truths t) {
    bits[at / hn::Lanes(Lanes())] = static_cast<std::uint8_t>(Bits(t));
  }
  static HWY_INLINE Truths GetBits(const PairBits& bits, std::size_t at) {
    return hn::LoadMaskBits(Lanes(), bits + at / hn::Lanes(Lanes()));
  }
  static HWY_INLINE bool Is(const PairBits& bits, std::size_t k) {
    return (bits[k / hn::Lanes(Lanes())] >> k % hn::Lanes(Lanes()) & 1) != 0;
  }

  std::size_t pairs_ = 0, padded_ = 0;
  std::uint32_t number_[kPairs];
  const BodyView* body_[2][kPairs];
  const double* pose_[2][kPairs];
  PlaneFeature feature_[kPairs];
  PairBits by_edges_ = {}, plain_ = {}, found_ = {};
  HWY_ALIGN PairRow last_[2] = {}, half_[2][3] = {}, d_[3] = {}, scale_ = {};
  HWY_ALIGN PairRow edge_gap_[kEdges] = {}, n2_[kEdges] = {}, first_gap_ = {}, other_face_ = {};
  HWY_ALIGN PairRow face_ = {}, face_row_[3][3] = {};
  HWY_ALIGN std::int32_t code_[kPairs] = {};
  HWY_ALIGN PairRow edge_[2][3] = {}, normal_[3] = {}, n_[3] = {}, value_[2] = {}, gap_ = {};
};

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_KNOWN_PLANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_KNOWN_PLANES_INL_H
#undef SCREE_NARROW_KNOWN_PLANES_INL_H
#else
#define SCREE_NARROW_KNOWN_PLANES_INL_H
#endif

#include "narrow/common_plane-inl.h"
#include "narrow/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Planes whose features are known, in the present poses, several pairs through each stage: what NormalOf and
/// PlaneAlong find, to the last bit. Stages of one pair wait for each other; those of several do not.
class KnownPlanes {
 public:
  static constexpr std::size_t kPairs = 16;

  bool full() const { return pairs_ == kPairs; }
  void clear() { pairs_ = 0; }
  std::size_t size() const { return pairs_; }
  /// The number that the k-th pair was added with.
  std::uint32_t number(std::size_t k) const { return number_[k]; }

  /// Pairs of faces and pairs of edges do not mix. `least` (m): the gap below which the plane is not good enough; one
  /// that parts the bodies never is.
  HWY_INLINE void AddFace(std::uint32_t number, const BodyView& a, const BodyView& b, Vec3 d, const PlaneFeature& f,
                          double least) {
    Add(number, a, b, d, least);
    // Which of the two is a toss, so no branch.
    const std::size_t of_b = f.kind == PlaneFeature::Kind::face_a ? 0 : 1;
    static constexpr double kWay[2] = {1, -1};
    const std::uint16_t face[2] = {f.a, f.b};
    Put(kWay[of_b] * body_[of_b][pairs_]->face_normal(face[of_b]), n_, pairs_);
    ++pairs_;
  }
  HWY_INLINE void AddEdges(std::uint32_t number, const BodyView& a, const BodyView& b, Vec3 d, const PlaneFeature& f,
                           double least) {
    Add(number, a, b, d, least);
    Put(a.edge(f.a), edge_[0], pairs_), Put(b.edge(f.b), edge_[1], pairs_);
    ++pairs_;
  }

  void FindByFaces() { Find<false>(); }
  void FindByEdges() { Find<true>(); }
  bool IsGoodEnough(std::size_t k) const { return good_[k] > 0; }
  /// False: NormalOf has more to do for the k-th pair.
  bool IsPlain(std::size_t k) const { return plain_[k] > 0; }
  /// All of a plane but its feature.
  HWY_INLINE void Take(std::size_t k, Plane* plane) const {
    plane->n = narrow::HWY_NAMESPACE::Take(n_, k), plane->gap = gap_[k];
    plane->va = vertex_[0][k], plane->vb = vertex_[1][k];
  }

 private:
  HWY_INLINE void Add(std::uint32_t number, const BodyView& a, const BodyView& b, Vec3 d, double least) {
    const std::size_t k = pairs_;
    number_[k] = number, body_[0][k] = &a, body_[1][k] = &b;
    Put(d, d_, k), least_[k] = least;
  }
  template <bool by_edges>
  HWY_INLINE void Find() {
    const Lanes tag;
    const std::size_t lanes = hn::Lanes(tag);
    // Rows behind the last pair hold what they have held before; nobody reads what comes of it.
    if constexpr (by_edges) {
      for (std::size_t at = 0; at < pairs_; at += lanes) {
        Truths plain;
        Store(AcrossEdges(Load(edge_[0], at), Load(edge_[1], at), Load(d_, at), &plain), n_, at);
        hn::Store(Select(plain, All(1), All(0)), tag, plain_ + at);
      }
    }
    // Of edges that are exactly parallel n is no number, and what comes of it is not plain.
    for (std::size_t k = 0; k < pairs_; ++k) {
      const Vec3 n = narrow::HWY_NAMESPACE::Take(n_, k);
      const Support a = FarthestVertex(*body_[0][k], n), b = FarthestVertex(*body_[1][k], -n);
      value_[0][k] = a.value, value_[1][k] = b.value;
      vertex_[0][k] = a.vertex, vertex_[1][k] = b.vertex;
    }
    for (std::size_t at = 0; at < pairs_; at += lanes) {
      const auto row = [&](const PairRow& x) HWY_ATTR { return hn::Load(tag, x + at); };
      const Reals gap = dot(Load(n_, at), Load(d_, at)) - row(value_[1]) - row(value_[0]);
      const Truths good = hn::And(hn::Le(gap, All(0)), hn::Ge(gap, row(least_)));
      hn::Store(gap, tag, gap_ + at), hn::Store(Select(good, by_edges ? row(plain_) : All(1), All(0)), tag, good_ + at);
      if (!by_edges) hn::Store(All(1), tag, plain_ + at);
    }
  }

  using PairRow = double[kPairs];
  std::size_t pairs_ = 0;
  std::uint32_t number_[kPairs], vertex_[2][kPairs];
  const BodyView* body_[2][kPairs];
  HWY_ALIGN PairRow d_[3] = {}, edge_[2][3] = {}, n_[3] = {}, value_[2] = {}, gap_ = {}, least_ = {};
  HWY_ALIGN PairRow plain_ = {}, good_ = {};
};

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

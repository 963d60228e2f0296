#include "narrow/find_contacts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <memory>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/find_contacts.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "narrow/box_pairs-inl.h"
#include "narrow/clump_contacts.h"
#include "narrow/contact_zone-inl.h"
#include "narrow/known_planes-inl.h"
#include "narrow/mesh_overlap-inl.h"
#include "narrow/overlap-inl.h"
#include "narrow/paper_fcp.h"
#include "narrow/round_contacts.h"
#include "narrow/separating_axis-inl.h"
#include "narrow/shared_zone-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// Touching pairs of a call whose overlaps have the form that `Lot` knows: they wait until there are as many as a
/// vector holds.
template <class Lot>
class Queue {
 public:
  Lot& lot() { return lot_; }
  /// The touching pair `row` has been added to the lot.
  HWY_INLINE void Push(std::uint32_t row, Overlap* found, std::vector<std::uint32_t>* rest) {
    rows_.push_back(row);
    if (lot_.full()) Flush(found, rest);
  }
  /// Writes what is found to its row; rows that are not of this form go to `rest`.
  HWY_INLINE void Flush(Overlap* found, std::vector<std::uint32_t>* rest) {
    if (rows_.empty()) return;
    lot_.Find();
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (!lot_.Result(k, found + rows_[k])) rest->push_back(rows_[k]);
    }
    lot_.clear(), rows_.clear();
  }

 private:
  Lot lot_;
  std::vector<std::uint32_t> rows_;
};

/// One thread's buffers for both geometries.
struct Buffers {
  Workspace overlap;
  ZoneWorkspace zone;
  SharedZone shared_zone;
  MeshWorkspace mesh;
  // Of bodies, those of the rows whose motion bound has run out; of walls, those that touch.
  std::vector<std::uint32_t> due;
  std::vector<Plane> planes;            ///< of each of these; with a wall: its normal, the gap, the deepest vertex
  std::vector<std::uint32_t> touching;  ///< of bodies: which of these touch
  std::vector<Overlap> found;           ///< of each that touches
  std::vector<std::uint32_t> rest;      ///< which of these have every edge cut
  Queue<EdgeCrossings> crossings;
  std::vector<std::uint32_t> uncrossed;  ///< planes of two edges, but no crossing
  Queue<FacePatches> small, large;       ///< faces of at most half of FaceRim::kMax corners, and all others
  Queue<FacePatches> on_planes;
  std::vector<std::uint32_t> by_face, by_edges, others;  ///< which of the due go which way
  KnownPlanes known;
  BoxPairs boxes;
};
inline Buffers& ThreadBuffers() {
  thread_local const std::unique_ptr<Buffers> buffers = std::make_unique<Buffers>();
  return *buffers;
}

/// A gap above this share of the pair's size ends the search: the motion bound then settles the pair for a while.
inline constexpr double kEnough = 0.01;
/// With `automatic`: how much worse than the best, as a share of it, a plane in contact may be; for the overlap, which
/// is exact from any plane, and for the zone, which lies about the plane.
inline constexpr double kNearBest = 1e-3, kBest = 1e-8;
/// With `fast`: an overlap above this share of it is checked by the exact search.
inline constexpr double kDeep = 0.02;
// Of the body's radius: what is less deep behind a plane and has no overlap is rounding.
inline constexpr double kThin = 1e-9;

/// Do the vertices that defined the cached plane still define it? `slack` (m): how far they may fall behind.
HWY_INLINE bool SameVertices(const Query& q, const Plane& p, const PlaneFeature& cached, double slack) {
  return dot(p.n, q.d + q.b.vertex(cached.vb) - q.a.vertex(cached.va)) - p.gap <= slack;
}

/// Nezami et al. 2004, section 6.3: the cached plane, or a full search when a potential contact becomes real, when the
/// closest vertices change, when the geometry degenerates.
HWY_INLINE Plane Follow(const Query& q, const PlaneFeature& cached, bool touched, double slack) {
  const double enough = kEnough * q.scale;
  Vec3 n;
  if (!NormalOf(q, cached, &n)) {
    ++q.counters->cold;
    return ColdPlane(q, enough);
  }
  Plane p = PlaneAlong(q, n);
  p.feature = cached;
  if (p.gap > enough || ((touched || p.gap > 0) && SameVertices(q, p, cached, slack))) {
    ++q.counters->cached;
    return p;
  }
  ++q.counters->solved;
  FastCommonPlane(q, &p, enough);
  return p;
}

/// The least gap with which a plane in contact, made anew from a cached feature, is certain to be good enough: the best
/// gap has grown by no more than the bodies have travelled since it was last known, so the plane is at most `slack` (m)
/// worse than the best while it keeps up with that. `bound`: PairTable::gap_bound.
HWY_INLINE double LeastGap(double bound, double travel, double slack) {
  return bound < 0 ? bound + travel - slack : 1e300;
}
/// Apart, any positive gap is proof.
HWY_INLINE bool Parts(const Query& q, const Plane& plane, double slack) {
  return plane.gap > 0 && (plane.gap > kEnough * q.scale || SameVertices(q, plane, plane.feature, slack));
}
/// `known`: a cached plane, which may be `plane`, or null.
inline void SolveExactly(const Query& q, const Plane* known, double travel, double* bound, Plane* plane) {
  ++(known != nullptr ? q.counters->solved : q.counters->cold);
  *plane = SeparatingAxis(q, known);
  // Apart, the exact search knows a lower bound only.
  *bound = plane->gap < 0 ? plane->gap - travel : 0;
}
/// The cached plane where it is certain, else the exact one. `cached` by value: it may be that of `plane`.
HWY_INLINE void Certify(const Query& q, PlaneFeature cached, double travel, double slack, double* bound, Plane* plane) {
  Vec3 n;
  const bool known = NormalOf(q, cached, &n);
  if (known) {
    *plane = PlaneAlong(q, n);
    plane->feature = cached;
    if ((plane->gap <= 0 && plane->gap >= LeastGap(*bound, travel, slack)) || Parts(q, *plane, slack)) {
      ++q.counters->cached;
      return;
    }
  }
  SolveExactly(q, known ? plane : nullptr, travel, bound, plane);
}

/// The methods that work on a pair alone, with what they keep of it.
inline Plane Track(const Query& q, const PlaneSettings& settings, PaperPair& kept) {
  if (settings.method == PlaneMethod::fast)
    return paper_fast_common_plane(settings.fast, q.a, q.b, q.d, 0, 0, kept, *q.counters);
  const bool known = kept.status != PaperPair::Status::unknown;
  const Plane previous{kept.n, kept.gap, kept.feature.va, kept.feature.vb, kept.feature};
  const std::uint64_t cold = q.counters->cold;
  Plane p = find_plane(settings, q.a, q.b, q.d, known ? &previous : nullptr, *q.counters);
  q.counters->solved += q.counters->cold == cold ? 1 : 0;
  p.feature.va = static_cast<std::uint16_t>(p.va), p.feature.vb = static_cast<std::uint16_t>(p.vb);
  kept.n = p.n, kept.gap = p.gap, kept.feature = p.feature;
  kept.status = p.gap > 0 ? PaperPair::Status::apart : PaperPair::Status::touching;
  return p;
}

/// False where the overlap says no direction: it is empty, or one body has swallowed the other and its surface is
/// closed.
HWY_INLINE bool AppendOverlap(const Overlap& o, double penetration, double scale, std::uint32_t pair, FoundPoints* out,
                              std::uint32_t key = 0) {
  const double area = norm(o.area);
  if (!(o.volume > 0) || !(area * scale > o.volume)) return false;
  out->points.push_back(
      {pair, key, o.centre, o.area / area, o.volume / area, penetration, o.gyration, o.energy_depth, o.axis});
  if (out->wants_patches) out->patches.push_back({area, o.area_moment + cross(o.centroid - o.centre, o.area)});
  return true;
}

HWY_INLINE void AppendZone(const Query& q, const Plane& plane, std::uint32_t pair, ZoneWorkspace* zone,
                           std::vector<FoundPoint>* out) {
  const ZoneAxes axes = ContactZone(q, plane, zone);
  const std::size_t at = out->size();
  out->resize(at + zone->contacts);  // written in place: a copy would wait for its own stores
  std::size_t n = at;
  for (std::size_t c = 0; c < zone->contacts; ++c) {
    const double depth = zone->depth[c];
    FoundPoint& x = (*out)[n];
    x.pair = pair, x.key = static_cast<std::uint32_t>(static_cast<std::int64_t>(zone->key[c]));
    x.point = axes.middle + zone->u[c] * axes.e1 + zone->v[c] * axes.e2;
    x.normal = plane.n, x.depth = x.energy_depth = depth, x.penetration = -plane.gap, x.gyration = 0, x.axis = {},
    x.share = 1;
    n += depth > 0 ? 1 : 0;
  }
  out->resize(n);
}

HWY_INLINE void AppendSharedZone(const Query& q, const Plane& plane, std::uint32_t pair, SharedZone* zone,
                                 std::vector<FoundPoint>* out) {
  zone->Find(q, plane);
  for (std::size_t i = 0; i < zone->n; ++i) {
    const SharedZone::Corner& c = zone->corner[i];
    if (!(c.depth > 0)) continue;
    const Vec3 point = zone->middle + c.u * zone->e1 + c.v * zone->e2;
    out->push_back({pair, c.key, point, zone->normal, c.depth, -plane.gap, c.gyration, c.depth, {}, c.share});
  }
}

/// The plane of a touching pair before its points are looked for. False: it turns out to part the bodies.
HWY_INLINE bool MendPlane(const Query& q, bool touched, PlaneMethod method, ContactGeometry geometry, Plane* plane) {
  if (method != PlaneMethod::fast) return true;
  // A followed plane may have fallen behind the best one; where that looks deep, the exact search has the last word.
  if (-plane->gap > kDeep * q.scale) {
    const Plane exact = SeparatingAxis(q);
    if (exact.gap > plane->gap) *plane = exact;
    if (plane->gap > 0) return false;
  }
  // The zone lies about the plane itself; with `fast` it is the best one at a first contact and followed from there.
  if (geometry != ContactGeometry::overlap && !touched) {
    const Plane exact = SeparatingAxis(q, plane);
    if (exact.gap > plane->gap) *plane = exact;
  }
  return true;
}

/// The point of an overlap; where it says nothing, that of the exact plane, where there is one.
HWY_INLINE void AppendOverlapOrPlane(const Query& q, const Overlap& o, std::uint32_t pair, Plane* plane,
                                     FoundPoints* out) {
  if (AppendOverlap(o, -plane->gap, q.scale, pair, out)) return;
  *plane = SeparatingAxis(q);
  if (!(plane->gap < 0)) return;
  // Swallowed, or thinner than rounding: the common plane still knows depth and direction.
  const Vec3 middle = 0.5 * (q.a.vertex(plane->va) + q.d + q.b.vertex(plane->vb));
  out->points.push_back({pair, 0, middle, plane->n, -plane->gap, -plane->gap, 0, -plane->gap, {}});
  if (out->wants_patches) out->patches.push_back({});
}

/// The pairs of a call whose motion bound has run out, numbered. Columns by their addresses, which a compiler could not
/// otherwise know to stay where they are while it writes to others.
struct DuePairs {
  const Particles& p;
  const Bodies& bodies;
  PairTable& pairs;
  Buffers& buffers;
  SearchCounters* counters;
  const std::size_t most;  ///< rows of the call
  const std::size_t size = buffers.due.size();
  const std::uint32_t *const rows = buffers.due.data(), *const firsts = pairs.a.data(), *const seconds = pairs.b.data();
  const BodyView* const views = bodies.views();
  const Vec3* const position = p.position.data();
  const double* const motion = p.travel.data();
  PlaneFeature* const features = pairs.feature.data();
  double* const bounds = pairs.gap_bound.data();
  Plane* const planes = buffers.planes.data();
  const bool periodic = p.domain.any();

  HWY_INLINE std::uint32_t row(std::size_t m) const { return rows[m]; }
  HWY_INLINE Vec3 between(std::uint32_t i, std::uint32_t j) const {
    const Vec3 d = position[j] - position[i];
    return periodic ? nearest_image(p.domain, d) : d;
  }
  HWY_INLINE Query operator()(std::size_t m) const {
    const std::uint32_t i = firsts[rows[m]], j = seconds[rows[m]];
    const BodyView &a = views[i], &b = views[j];
    return {a, b, between(i, j), a.radius + b.radius, counters};
  }
  HWY_INLINE double travel(std::size_t m) const { return motion[firsts[rows[m]]] + motion[seconds[rows[m]]]; }
  /// Asks for what the body pairs to come are made of: first for where the vertices are, then for these. `number(x)`:
  /// of the x-th pair that is asked for.
  template <class Number>
  HWY_INLINE void Prefetch(std::size_t x, std::size_t end, Number&& number) const {
    constexpr std::size_t kViews = 6, kVertices = 3;
    if (x + kViews < end) {
      const std::uint32_t k = row(number(x + kViews));
      bodies.prefetch_view(firsts[k]), bodies.prefetch_view(seconds[k]);
    }
    if (x + kVertices < end) {
      const std::uint32_t k = row(number(x + kVertices));
      bodies.prefetch_vertices(firsts[k]), bodies.prefetch_vertices(seconds[k]);
    }
  }
  /// Writes how far the two may travel before they are looked at again.
  HWY_INLINE void Keep(std::size_t m, double gap) const {
    const std::uint32_t k = rows[m], i = firsts[k], j = seconds[k];
    if (periodic) gap = std::min(gap, p.gap_of_images(i, j, between(i, j)));
    keep_clear(gap, motion[i] + motion[j], &pairs.clear_until[k]);
  }
};

/// The overlaps of the touching pairs, edges that cross and faces on each other by the vector; a pair parted by its
/// plane has none.
inline void FindOverlaps(const DuePairs& of, PlaneMethod method) {
  Buffers& buffers = of.buffers;
  const std::size_t count = buffers.touching.size();
  if (buffers.found.size() < count) buffers.found.resize(count);
  Overlap* const found = buffers.found.data();
  std::vector<std::uint32_t>&rest = buffers.rest, &uncrossed = buffers.uncrossed;
  rest.clear(), uncrossed.clear();
  const auto meet = [&](std::uint32_t k, const Query& q, const Plane& plane, const VertexMask& deep) HWY_ATTR {
    FacePatches::Pair pair;
    if (!FacePatches::Meet(q, plane, deep, &pair)) {
      rest.push_back(k);
    } else {
      Queue<FacePatches>& faces = FacePatches::IsSmall(pair) ? buffers.small : buffers.large;
      faces.lot().Add(pair), faces.Push(k, found, &rest);
    }
  };
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t m = buffers.touching[k];
    const Query q = of(m);
    Plane& plane = buffers.planes[m];
    if (!MendPlane(q, true, method, ContactGeometry::overlap, &plane)) continue;
    VertexMask deep{};
    if (buffers.crossings.lot().Add(q, plane))
      buffers.crossings.Push(k, found, &uncrossed);
    else if (!OverlapAtCorner(q, plane, &deep, &found[k]))
      meet(k, q, plane, deep);
  }
  buffers.crossings.Flush(found, &uncrossed);
  const auto plane = [&](std::uint32_t k) -> const Plane& { return buffers.planes[buffers.touching[k]]; };
  for (const std::uint32_t k : uncrossed) meet(k, of(buffers.touching[k]), plane(k), {});
  buffers.small.Flush(found, &rest), buffers.large.Flush(found, &rest);
  for (const std::uint32_t k : rest) found[k] = OverlapFromEdges(of(buffers.touching[k]), plane(k), &buffers.overlap);
}

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The exact planes of all that are due, those of two boxes by the vector.
void FindExactPlanes(const DuePairs& due) {
  Buffers& buffers = due.buffers;
  BoxPairs& boxes = buffers.boxes;
  const auto find_boxes = [&] {
    boxes.Find();
    for (std::size_t x = 0; x < boxes.size(); ++x) {
      const std::size_t m = boxes.number(x);
      Plane& plane = buffers.planes[m];
      if (!boxes.Result(x, &plane, due.counters)) plane = SeparateBoxes(due(m), nullptr);
      due.features[due.row(m)] = plane.feature;
      due.Keep(m, plane.gap);
    }
    boxes.clear();
  };
  const std::size_t n = due.size;
  due.counters->cold += n;
  std::vector<std::uint32_t>& others = buffers.others;
  others.clear();
  for (std::uint32_t m = 0; m < n; ++m) {
    due.Prefetch(m, n, [](std::size_t x) { return x; });
    // No query: one that boxes do not need would be written to memory for each pair.
    const std::uint32_t i = due.firsts[due.row(m)], j = due.seconds[due.row(m)];
    const BodyView &a = due.views[i], &b = due.views[j];
    if (a.shape->box && b.shape->box) {
      boxes.Add(m, a, b, due.between(i, j));
      if (boxes.full()) find_boxes();
    } else {
      others.push_back(m);
    }
  }
  find_boxes();
  for (const std::uint32_t m : others) {
    Plane& plane = buffers.planes[m];
    plane = SeparatingAxis(due(m));
    due.features[due.row(m)] = plane.feature;
    due.Keep(m, plane.gap);
  }
}

/// The cached planes, by faces and by edges several at a time, where they are certain to be good enough, else the exact
/// ones. `slack`: see LeastGap; a share of the pair's size.
void FindCertainPlanes(const DuePairs& due, double slack) {
  using Kind = PlaneFeature::Kind;
  Buffers& buffers = due.buffers;
  const std::size_t n = due.size;
  std::vector<std::uint32_t>&by_face = buffers.by_face, &by_edges = buffers.by_edges, &others = buffers.others;
  for (std::vector<std::uint32_t>* list : {&by_face, &by_edges, &others}) list->reserve(due.most), list->resize(n);
  std::size_t faces = 0, edges = 0, rest = 0;
  for (std::uint32_t m = 0; m < n; ++m) {
    const Kind kind = due.features[due.row(m)].kind;
    const bool face = kind == Kind::face_a || kind == Kind::face_b, edge = kind == Kind::edge_edge;
    by_face[faces] = by_edges[edges] = others[rest] = m;
    faces += face ? 1 : 0, edges += edge ? 1 : 0, rest += face || edge ? 0 : 1;
  }
  KnownPlanes& known = buffers.known;
  const auto settle = [&] {
    std::size_t good = 0;
    for (std::size_t x = 0; x < known.size(); ++x) {
      const std::size_t m = known.number(x), k = due.row(m);
      Plane& plane = due.planes[m];
      known.Take(x, &plane), plane.feature = due.features[k];
      if (known.IsGoodEnough(x)) {  // in contact: `clear_until` is written with its points
        ++good;
        continue;
      }
      const Query q = due(m);
      const double least = slack * q.scale;
      if (!known.IsPlain(x))
        Certify(q, plane.feature, due.travel(m), least, &due.bounds[k], &plane);
      else if (Parts(q, plane, least))
        ++good;
      else
        SolveExactly(q, &plane, due.travel(m), &due.bounds[k], &plane);
      due.features[k] = plane.feature;
      due.Keep(m, plane.gap);
    }
    due.counters->cached += good;
    known.clear();
  };
  const auto with = [&](const std::vector<std::uint32_t>& list, std::size_t count, auto&& add, auto&& find) HWY_ATTR {
    for (std::size_t x = 0; x < count; ++x) {
      due.Prefetch(x, count, [&](std::size_t y) { return list[y]; });
      const std::uint32_t m = list[x], k = due.row(m), i = due.firsts[k], j = due.seconds[k];
      const BodyView &a = due.views[i], &b = due.views[j];
      add(m, a, b, due.between(i, j), due.features[k],
          LeastGap(due.bounds[k], due.motion[i] + due.motion[j], slack * (a.radius + b.radius)));
      if (known.full()) find(), settle();
    }
    find(), settle();
  };
  with(
      by_face, faces, [&](const auto&... x) HWY_ATTR { known.AddFace(x...); }, [&] { known.FindByFaces(); });
  with(
      by_edges, edges, [&](const auto&... x) HWY_ATTR { known.AddEdges(x...); }, [&] { known.FindByEdges(); });
  for (std::size_t x = 0; x < rest; ++x) {
    const std::size_t m = others[x], k = due.row(m);
    const Query q = due(m);
    Plane& plane = due.planes[m];
    Certify(q, due.features[k], due.travel(m), slack * q.scale, &due.bounds[k], &plane);
    due.features[k] = plane.feature;
    due.Keep(m, plane.gap);
  }
}

/// Planes of the whole chunk first, then the points of the pairs that touch: each loop stays small, and is timed.
/// Polyhedra alone; `list`: the rows are list[begin] ... list[end - 1], null: begin ... end - 1.
void BodyContacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::size_t begin, std::size_t end,
                  const std::uint32_t* list, const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out) {
  Buffers& buffers = ThreadBuffers();
  const double start = Seconds();
  // The overlap is exact from any plane near the best; the zone needs the best itself.
  const bool overlap = geometry == ContactGeometry::overlap;
  const double slack = overlap ? 1e-4 : 1e-12, certain = overlap ? kNearBest : kBest;
  buffers.due.resize(end - begin);
  std::size_t n = 0;
  for (std::size_t m = begin; m < end; ++m) {
    const std::size_t k = list != nullptr ? list[m] : m;
    buffers.due[n] = static_cast<std::uint32_t>(k);
    n += p.travel[pairs.a[k]] + p.travel[pairs.b[k]] < pairs.clear_until[k] ? 0 : 1;
  }
  buffers.due.resize(n);
  out.counters.skipped += end - begin - n;
  if (buffers.planes.size() < end - begin) buffers.planes.resize(end - begin);
  const DuePairs due{p, bodies, pairs, buffers, &out.counters, end - begin};
  const auto each = [&](auto&& find) {
    for (std::size_t m = 0; m < n; ++m) {
      due.Prefetch(m, n, [](std::size_t x) { return x; });
      const Query q = due(m);
      Plane& plane = buffers.planes[m];
      find(q, due.row(m), &plane);
      pairs.feature[due.row(m)] = plane.feature;
      due.Keep(m, plane.gap);
    }
  };
  if (pairs.keeps_tracked) {
    each([&](const Query& q, std::size_t k, Plane* plane) { *plane = Track(q, planes, pairs.tracked[k]); });
  } else if (planes.method == PlaneMethod::fast) {
    each([&](const Query& q, std::size_t k, Plane* plane) {
      *plane = Follow(q, pairs.feature[k], pairs.count[k] > 0, slack * q.scale);
    });
  } else if (planes.method == PlaneMethod::separating_axis) {
    // Boxes by the vector not for `automatic`: what its certificates leave is mostly confirmed by the 15 gaps alone,
    // without a normal.
    FindExactPlanes(due);
  } else {
    FindCertainPlanes(due, certain);
  }
  const double middle = Seconds();
  buffers.touching.reserve(end - begin), buffers.touching.resize(n);
  std::size_t touching = 0;
  for (std::uint32_t m = 0; m < n; ++m) {
    buffers.touching[touching] = m;
    touching += buffers.planes[m].gap <= 0 ? 1 : 0;
  }
  buffers.touching.resize(touching);
  if (overlap) FindOverlaps(due, planes.method);
  for (std::size_t x = 0; x < touching; ++x) {
    const std::uint32_t m = buffers.touching[x], pair = buffers.due[m];
    const Query q = due(m);
    Plane& plane = buffers.planes[m];
    if (overlap) {
      if (!(plane.gap > 0)) AppendOverlapOrPlane(q, buffers.found[x], pair, &plane, &out);
    } else if (MendPlane(q, pairs.count[pair] > 0, planes.method, geometry, &plane) && plane.gap < 0) {
      if (geometry == ContactGeometry::shared_zone)
        AppendSharedZone(q, plane, pair, &buffers.shared_zone, &out.points);
      else
        AppendZone(q, plane, pair, &buffers.zone, &out.points);
    }
    pairs.feature[pair] = plane.feature;
    due.Keep(m, plane.gap);
  }
  out.seconds_planes = middle - start;
  out.seconds_points = Seconds() - middle;
}

/// The overlaps of the bodies with the walls that they touch; faces on them by the vector.
inline void FindWallOverlaps(const Particles& p, const Bodies& bodies, std::span<const WallView> walls,
                             const PairTable& pairs, std::size_t count, Buffers& buffers) {
  if (buffers.found.size() < count) buffers.found.resize(count);
  Overlap* const found = buffers.found.data();
  std::vector<std::uint32_t>& rest = buffers.rest;
  rest.clear();
  HWY_ALIGN double height[kMaxVertices];
  const auto with = [&](std::size_t m, auto&& one) HWY_ATTR {
    const Plane& plane = buffers.planes[m];
    const std::uint32_t k = buffers.due[m], i = pairs.a[k];
    const double offset = dot(plane.n, walls[pairs.b[k]].point - p.position[i]);
    Heights(bodies.view(i), plane.n, offset, height);
    one(bodies.view(i), plane, offset);
  };
  for (std::uint32_t m = 0; m < count; ++m) {
    with(m, [&](const BodyView& a, const Plane& plane, double offset) HWY_ATTR {
      found[m] = {};
      const VertexMask deep = VerticesBelow(a, height, 0);
      if (OverlapAtCorner(a, plane.n, height, deep, &found[m])) return;
      FacePatches::Pair pair;
      if (!FacePatches::MeetPlane(a, plane.n, offset, deep, plane.va, &pair)) {
        rest.push_back(m);
      } else {
        buffers.on_planes.lot().Add(pair), buffers.on_planes.Push(m, found, &rest);
      }
    });
  }
  buffers.on_planes.Flush(found, &rest);
  for (const std::uint32_t m : rest) {
    with(m, [&](const BodyView& a, const Plane& plane, double)
                HWY_ATTR { found[m] = OverlapWithPlane(a, plane.n, height, &buffers.overlap); });
  }
}

void WallContacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                  std::size_t begin, std::size_t end, const std::uint32_t* list, ContactGeometry geometry,
                  FoundPoints& out) {
  Buffers& buffers = ThreadBuffers();
  HWY_ALIGN double height[kMaxVertices];
  const double start = Seconds();
  const bool overlap = geometry == ContactGeometry::overlap, shared = geometry == ContactGeometry::shared_zone;
  buffers.due.resize(end - begin);
  if (buffers.planes.size() < end - begin) buffers.planes.resize(end - begin);
  std::size_t touching = 0;
  for (std::size_t m = begin; m < end; ++m) {
    const std::size_t k = list != nullptr ? list[m] : m;
    const std::uint32_t i = pairs.a[k];
    const WallView& wall = walls[pairs.b[k]];
    const double travel = p.travel[i] + wall.travel;
    if (travel < pairs.clear_until[k]) continue;
    const BodyView& a = bodies.view(i);
    const Support deepest = FarthestVertex(a, -wall.normal);
    const double offset = dot(wall.normal, wall.point - p.position[i]), gap = -deepest.value - offset;
    keep_clear(gap, travel, &pairs.clear_until[k]);
    if (!(gap < 0)) continue;
    if (overlap) {
      buffers.due[touching] = static_cast<std::uint32_t>(k);
      buffers.planes[touching++] = {wall.normal, gap, deepest.vertex, 0, {}};
      continue;
    }
    // The common plane lies halfway into the overlap; every vertex beyond the wall is a contact point. Its part of the
    // face is always the same: nothing jumps when another one lands.
    Heights(a, wall.normal, offset, height);
    for (std::uint32_t v = 0; v < a.shape->vertices; ++v) {
      if (!(height[v] < 0)) continue;
      const Vec3 point = a.vertex(v) - (height[v] - 0.5 * gap) * wall.normal;
      out.points.push_back({static_cast<std::uint32_t>(k),
                            1u << 28 | v,
                            point,
                            -wall.normal,
                            -height[v],
                            -gap,
                            0,
                            -height[v],
                            {},
                            shared ? a.shape->vertex_share[v] : 1});
    }
  }
  if (overlap) FindWallOverlaps(p, bodies, walls, pairs, touching, buffers);
  for (std::size_t m = 0; m < touching; ++m) {
    const Plane& plane = buffers.planes[m];
    const std::uint32_t k = buffers.due[m], i = pairs.a[k];
    const double radius = bodies.view(i).radius, depth = -plane.gap;
    if (AppendOverlap(buffers.found[m], depth, radius, k, &out) || depth < kThin * radius) continue;
    // Wholly behind it: what is swallowed has no patch, but the wall still knows depth and direction.
    const Vec3 foot = dot(plane.n, walls[pairs.b[k]].point - p.position[i]) * plane.n;
    out.points.push_back({k, 0, foot, -plane.n, depth, depth, 0, depth});
    if (out.wants_patches) out.patches.push_back({});
  }
  out.seconds_points += Seconds() - start;
}

/// The body's vertices behind the mesh, as behind a plane. False: there are none.
inline bool AppendVertices(const BodyView& a, const MeshWorkspace& mesh, std::uint32_t pair, bool shared,
                           FoundPoints* out) {
  const std::size_t first = out->points.size();
  for (const Cell& c : mesh.cells) {
    if (!c.active) continue;
    for (std::uint32_t v = 0; v < a.shape->vertices; ++v) {
      const Vec3 x = a.vertex(v);
      const double depth = c.offset - dot(c.normal, x);
      bool inside = depth > 0;
      for (std::uint32_t k = c.first_cut; k < c.first_cut + c.cuts && inside; ++k)
        inside = dot(mesh.cuts[k].n, x) <= mesh.cuts[k].offset;
      // A vertex on the plane between two cells is in both of them; behind two planes at a valley it counts twice.
      std::uint32_t met = 0;
      for (std::size_t m = first; m < out->points.size() && inside; ++m) {
        if ((out->points[m].key & 0xffu) != v) continue;
        ++met;
        inside = !(-dot(out->points[m].normal, c.normal) > std::cos(FacetMesh::kSmooth));
      }
      if (inside)
        out->points.push_back({pair,
                               1u << 28 | met << 8 | v,
                               x,
                               -c.normal,
                               depth,
                               depth,
                               0,
                               depth,
                               {},
                               shared ? a.shape->vertex_share[v] : 1});
    }
  }
  // The common plane lies halfway into the overlap with what is one plane.
  for (std::size_t m = first; m < out->points.size(); ++m) {
    FoundPoint& p = out->points[m];
    for (std::size_t l = first; l < out->points.size(); ++l) {
      if (dot(p.normal, out->points[l].normal) > 1 - 1e-12)
        p.penetration = std::max(p.penetration, out->points[l].depth);
    }
    p.point -= (p.depth - 0.5 * p.penetration) * p.normal;
  }
  return out->points.size() > first;
}

void MeshContacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                  const std::uint32_t* list, std::size_t n, ContactGeometry geometry, const NearFacets& near,
                  FoundPoints& out) {
  Buffers& buffers = ThreadBuffers();
  const double start = Seconds();
  for (std::size_t m = 0; m < n; ++m) {
    const std::uint32_t k = list[m], i = pairs.a[k];
    const WallView& wall = walls[pairs.b[k]];
    const double travel = p.travel[i] + wall.travel;
    if (travel < pairs.clear_until[k]) continue;
    const BodyView& a = bodies.view(i);
    const Vec3 centre = transpose_times(wall.rotation, p.position[i] - wall.point);
    const bool fresh = pairs.count[k] == 0;
    const auto append = [&](std::uint32_t facet, const Overlap& o, double deepest) {
      if (fresh && wall.lets_through(-o.area, p.position[i], p.velocity[i])) return;
      AppendOverlap(o, deepest, a.radius, k, &out, facet);
    };
    double clear = 0;
    if (geometry != ContactGeometry::overlap) {
      clear = FindCells(a, *wall.mesh, centre, wall.rotation, wall.front_only, near.of(k), &buffers.mesh);
      GroupCells(a, *wall.mesh, centre, wall.rotation, &buffers.mesh);
      bool any = false;
      for (Cell& c : buffers.mesh.cells) {
        c.active = c.active && !(fresh && wall.lets_through(c.normal, p.position[i], p.velocity[i]));
        any = any || c.active;
      }
      // What pokes into a face or an edge without reaching a vertex has an overlap all the same.
      if (any && !AppendVertices(a, buffers.mesh, k, geometry == ContactGeometry::shared_zone, &out))
        OverlapsWithMesh(a, *wall.mesh, centre, wall.rotation, wall.front_only, near.of(k), &buffers.mesh,
                         &buffers.overlap, append);
    } else {
      clear = OverlapsWithMesh(a, *wall.mesh, centre, wall.rotation, wall.front_only, near.of(k), &buffers.mesh,
                               &buffers.overlap, append);
    }
    keep_clear(std::min(clear, near.limit), travel, &pairs.clear_until[k]);
  }
  out.seconds_points += Seconds() - start;
}

Plane Fcp(const BodyView& a, const BodyView& b, Vec3 d, const PlaneFeature* start, SearchCounters& counters) {
  const Query q{a, b, d, a.radius + b.radius, &counters};
  Vec3 n;
  if (start == nullptr || !NormalOf(q, *start, &n)) return ColdPlane(q, 1e300);
  Plane p = Evaluate(q, n);
  p.feature = *start;
  FastCommonPlane(q, &p, 1e300);
  return p;
}

Plane Sat(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters) {
  const Query q{a, b, d, a.radius + b.radius, &counters};
  Vec3 n;
  ++(previous == nullptr ? counters.cold : counters.solved);
  if (previous == nullptr || !NormalOf(q, previous->feature, &n)) return SeparatingAxis(q);
  Plane p = Evaluate(q, n);
  p.feature = previous->feature;
  return SeparatingAxis(q, &p);
}

Plane At(const BodyView& a, const BodyView& b, Vec3 d, Vec3 n) {
  SearchCounters counters;
  return Evaluate({a, b, d, a.radius + b.radius, &counters}, n);
}

Overlap OverlapOf(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed) {
  SearchCounters counters;
  return ExactOverlap({a, b, d, a.radius + b.radius, &counters}, seed, &ThreadBuffers().overlap);
}

void ZoneOf(const BodyView& a, const BodyView& b, Vec3 d, const Plane& plane, std::vector<FoundPoint>& out) {
  SearchCounters counters;
  out.clear();
  AppendZone({a, b, d, a.radius + b.radius, &counters}, plane, 0, &ThreadBuffers().zone, &out);
}

OverlapForm SimpleOf(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed, Overlap& out) {
  SearchCounters counters;
  return SimpleOverlap({a, b, d, a.radius + b.radius, &counters}, seed, &ThreadBuffers().overlap, &out);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(BodyContacts);
HWY_EXPORT(WallContacts);
HWY_EXPORT(MeshContacts);
HWY_EXPORT(Fcp);
HWY_EXPORT(Sat);
HWY_EXPORT(At);
HWY_EXPORT(OverlapOf);
HWY_EXPORT(SimpleOf);
HWY_EXPORT(ZoneOf);

namespace {

/// Which loop a pair of kinds belongs to.
enum class Loop : std::uint8_t { polyhedra, round, round_polyhedron, polygons, round_polygon, mesh, mesh_round, clump };
constexpr std::size_t kLoops = 8;

Loop loop_of(ShapeKind a, ShapeKind b) {
  if (a == ShapeKind::clump || b == ShapeKind::clump) return Loop::clump;
  if (is_round(a) && is_round(b)) return Loop::round;
  if (is_planar(a)) return is_round(a) || is_round(b) ? Loop::round_polygon : Loop::polygons;
  return is_round(a) || is_round(b) ? Loop::round_polyhedron : Loop::polyhedra;
}

/// Rows of one chunk by loop; one thread's.
struct Sorted {
  std::array<std::vector<std::uint32_t>, kLoops> rows;
  std::vector<FoundPoint> merged;
  std::vector<FoundPatch> patches;
  std::vector<std::uint32_t> parts;
  std::vector<std::uint32_t>& of(Loop loop) { return rows[static_cast<std::size_t>(loop)]; }
  void clear() {
    for (auto& r : rows) r.clear();
  }
};
Sorted& sorted_rows() {
  thread_local const std::unique_ptr<Sorted> sorted = std::make_unique<Sorted>();
  return *sorted;
}

/// Puts the points from `middle` on, in the order of the rows like those before it, between these.
void merge_from(std::size_t middle, Sorted& sorted, FoundPoints& out) {
  std::vector<FoundPoint>& points = out.points;
  if (middle == 0 || middle == points.size() || points[middle - 1].pair < points[middle].pair) return;
  const auto at = points.begin() + static_cast<std::ptrdiff_t>(middle);
  sorted.merged.clear();
  std::merge(points.begin(), at, at, points.end(), std::back_inserter(sorted.merged),
             [](const FoundPoint& x, const FoundPoint& y) { return x.pair < y.pair; });
  const auto follow = [&](auto& column, auto& merged) {
    if (column.size() != points.size()) return;
    merged.clear();
    std::size_t x = 0, y = middle;  // as std::merge takes them
    while (x < middle || y < points.size()) {
      const bool second = x == middle || (y < points.size() && points[y].pair < points[x].pair);
      merged.push_back(column[second ? y++ : x++]);
    }
    std::swap(column, merged);
  };
  follow(out.patches, sorted.patches), follow(out.parts, sorted.parts);
  std::swap(points, sorted.merged);
}

/// One loop over its rows, where there are any.
template <class Find>
void run_loop(Sorted& sorted, Loop loop, FoundPoints& out, Find&& find) {
  const std::vector<std::uint32_t>& rows = sorted.of(loop);
  if (rows.empty()) return;
  const std::size_t middle = out.points.size();
  find(std::span<const std::uint32_t>(rows));
  if (out.wants_parts) out.parts.resize(out.points.size(), 0);
  merge_from(middle, sorted, out);
}

}  // namespace

void find_body_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::size_t begin, std::size_t end,
                        const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out) {
  if (bodies.mix() == BodyMix::round) return round_contacts(p, pairs, begin, end, out);
  if (bodies.mix() == BodyMix::polyhedra) {
    HWY_DYNAMIC_DISPATCH(BodyContacts)(p, bodies, pairs, begin, end, nullptr, planes, geometry, out);
    return;
  }
  using Rows = std::span<const std::uint32_t>;
  Sorted& sorted = sorted_rows();
  sorted.clear();
  for (std::size_t k = begin; k < end; ++k)
    sorted.of(loop_of(bodies.kind(pairs.a[k]), bodies.kind(pairs.b[k]))).push_back(static_cast<std::uint32_t>(k));
  run_loop(sorted, Loop::polyhedra, out, [&](Rows r) {
    HWY_DYNAMIC_DISPATCH(BodyContacts)(p, bodies, pairs, 0, r.size(), r.data(), planes, geometry, out);
  });
  run_loop(sorted, Loop::round, out, [&](Rows r) { round_contacts(p, pairs, r, out); });
  run_loop(sorted, Loop::round_polyhedron, out, [&](Rows r) { round_polyhedron_contacts(p, bodies, pairs, r, out); });
  run_loop(sorted, Loop::polygons, out, [&](Rows r) { polygon_contacts(p, bodies, pairs, r, planes, out); });
  run_loop(sorted, Loop::round_polygon, out, [&](Rows r) { round_polygon_contacts(p, bodies, pairs, r, out); });
  run_loop(sorted, Loop::clump, out, [&](Rows r) { clump_contacts(p, bodies, pairs, r, planes, geometry, out); });
}

void list_near_facets(const Particles& p, std::span<const WallView> walls, const PairTable& pairs, std::size_t begin,
                      std::size_t end, double motion, double limit, NearFacets& out) {
  out.first_pair = begin, out.limit = limit;
  out.facets.clear(), out.start.assign(1, 0);
  for (std::size_t k = begin; k < end; ++k) {
    const WallView& wall = walls[pairs.b[k]];
    const std::uint32_t i = pairs.a[k];
    if (wall.mesh != nullptr)
      wall.mesh->find_near(transpose_times(wall.rotation, p.position[i] - wall.point), p.radius[i] + motion + limit,
                           out.facets);
    out.start.push_back(static_cast<std::uint32_t>(out.facets.size()));
  }
  out.clear_until.assign(out.facets.size(), 0);
}

void find_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                        std::size_t begin, std::size_t end, ContactGeometry geometry, NearFacets& near,
                        FoundPoints& out) {
  const bool any_mesh = std::any_of(walls.begin(), walls.end(), [](const WallView& w) { return w.mesh != nullptr; });
  if (!any_mesh && bodies.mix() == BodyMix::round) return round_wall_contacts(p, walls, pairs, begin, end, out);
  if (!any_mesh && bodies.mix() == BodyMix::polyhedra) {
    HWY_DYNAMIC_DISPATCH(WallContacts)(p, bodies, walls, pairs, begin, end, nullptr, geometry, out);
    return;
  }
  using Rows = std::span<const std::uint32_t>;
  Sorted& sorted = sorted_rows();
  sorted.clear();
  for (std::size_t k = begin; k < end; ++k) {
    const ShapeKind kind = bodies.kind(pairs.a[k]);
    Loop loop = loop_of(kind, kind);
    if (walls[pairs.b[k]].mesh != nullptr && loop != Loop::clump) loop = is_round(kind) ? Loop::mesh_round : Loop::mesh;
    sorted.of(loop).push_back(static_cast<std::uint32_t>(k));
  }
  run_loop(sorted, Loop::polyhedra, out, [&](Rows r) {
    HWY_DYNAMIC_DISPATCH(WallContacts)(p, bodies, walls, pairs, 0, r.size(), r.data(), geometry, out);
  });
  run_loop(sorted, Loop::round, out, [&](Rows r) { round_wall_contacts(p, walls, pairs, r, out); });
  run_loop(sorted, Loop::polygons, out, [&](Rows r) { polygon_wall_contacts(p, bodies, walls, pairs, r, out); });
  run_loop(sorted, Loop::mesh, out, [&](Rows r) {
    HWY_DYNAMIC_DISPATCH(MeshContacts)(p, bodies, walls, pairs, r.data(), r.size(), geometry, near, out);
  });
  run_loop(sorted, Loop::mesh_round, out, [&](Rows r) { round_mesh_contacts(p, walls, pairs, r, near, out); });
  run_loop(sorted, Loop::clump, out,
           [&](Rows r) { clump_wall_contacts(p, bodies, walls, pairs, r, geometry, near, out); });
}

Plane fast_common_plane(const BodyView& a, const BodyView& b, Vec3 d, const PlaneFeature* start,
                        SearchCounters& counters) {
  return HWY_DYNAMIC_DISPATCH(Fcp)(a, b, d, start, counters);
}
Plane separating_axis(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters) {
  return HWY_DYNAMIC_DISPATCH(Sat)(a, b, d, previous, counters);
}
Plane separating_axis(const BodyView& a, const BodyView& b, Vec3 d) {
  SearchCounters counters;
  return separating_axis(a, b, d, nullptr, counters);
}
Plane evaluate_plane(const BodyView& a, const BodyView& b, Vec3 d, Vec3 n) {
  return HWY_DYNAMIC_DISPATCH(At)(a, b, d, n);
}
Overlap exact_overlap(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed) {
  return HWY_DYNAMIC_DISPATCH(OverlapOf)(a, b, d, seed);
}
void contact_zone(const BodyView& a, const BodyView& b, Vec3 d, const Plane& plane, std::vector<FoundPoint>& out) {
  HWY_DYNAMIC_DISPATCH(ZoneOf)(a, b, d, plane, out);
}
OverlapForm simple_overlap(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed, Overlap& out) {
  return HWY_DYNAMIC_DISPATCH(SimpleOf)(a, b, d, seed, out);
}

}  // namespace scree::narrow
#endif

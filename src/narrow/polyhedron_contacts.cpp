#include "narrow/polyhedron_contacts.h"

#include <algorithm>
#include <memory>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/polyhedron_contacts.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "base/timer.h"
#include "narrow/box_pairs-inl.h"
#include "narrow/found_points-inl.h"
#include "narrow/kept_planes-inl.h"
#include "narrow/known_planes-inl.h"
#include "narrow/lot_queue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

/// One thread's.
struct Buffers {
  Workspace overlap;
  ZoneWorkspace zone;
  SharedZone shared_zone;
  std::vector<std::uint32_t> due;       ///< rows whose motion bound has run out
  std::vector<Plane> planes;            ///< of each of these
  std::vector<std::uint32_t> touching;  ///< which of these touch
  std::vector<Overlap> found;           ///< of each that touches
  std::vector<std::uint32_t> rest;      ///< which of these have every edge cut
  Queue<EdgeCrossings> crossings;
  std::vector<std::uint32_t> uncrossed;  ///< planes of two edges, but no crossing
  Queue<FacePatches> small, large;       ///< faces of at most half of FaceRim::kMax corners, and all others
  std::vector<std::uint32_t> by_face, by_edges, others;  ///< which of the due go which way
  KnownPlanes known;
  BoxPairs boxes;
};
inline Buffers& ThreadBuffers() {
  thread_local const std::unique_ptr<Buffers> buffers = std::make_unique<Buffers>();
  return *buffers;
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
  const Quat* const turns = p.orientation.data();
  double* const bounds = pairs.gap_bound.data();
  SolvedGap* const solved = pairs.keeps_gaps ? pairs.solved.data() : nullptr;
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
  HWY_INLINE KeptGap kept(std::size_t m) const {
    const std::uint32_t k = rows[m], i = firsts[k], j = seconds[k];
    return {motion[i] + motion[j], &turns[i], &turns[j], &bounds[k], solved != nullptr ? &solved[k] : nullptr};
  }
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
      const KeptGap kept = due.kept(m);
      const double least = slack * q.scale;
      if (!known.IsPlain(x))
        Certify(q, plane.feature, kept, least, &plane);
      else if (IsCertain(q, plane, kept, least) || Parts(q, plane, least, due.bounds[k]))
        ++good;
      else
        SolveExactly(q, &plane, kept, &plane);
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
    Certify(q, due.features[k], due.kept(m), slack * q.scale, &plane);
    due.features[k] = plane.feature;
    due.Keep(m, plane.gap);
  }
}

/// The planes of the rows that are due.
DuePairs FindPlanes(const Particles& p, const Bodies& bodies, PairTable& pairs, PairRows rows,
                    const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out) {
  const Timer timer(out.seconds_planes);
  Buffers& buffers = ThreadBuffers();
  // The overlap is exact from any plane near the best; the zone needs the best itself.
  const bool overlap = geometry == ContactGeometry::overlap;
  const double slack = overlap ? 1e-4 : 1e-12, certain = overlap ? kNearBest : kBest;
  buffers.due.resize(rows.size());
  std::size_t n = 0;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const std::size_t k = rows[m];
    buffers.due[n] = static_cast<std::uint32_t>(k);
    n += p.travel[pairs.a[k]] + p.travel[pairs.b[k]] < pairs.clear_until[k] ? 0 : 1;
  }
  buffers.due.resize(n);
  out.counters.skipped += rows.size() - n;
  if (buffers.planes.size() < rows.size()) buffers.planes.resize(rows.size());
  const DuePairs due{p, bodies, pairs, buffers, &out.counters, rows.size()};
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
  return due;
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

/// The points of the pairs that touch.
void FindPoints(const DuePairs& due, PlaneMethod method, ContactGeometry geometry, FoundPoints& out) {
  const Timer timer(out.seconds_points);
  Buffers& buffers = due.buffers;
  const bool overlap = geometry == ContactGeometry::overlap;
  buffers.touching.reserve(due.most), buffers.touching.resize(due.size);
  std::size_t touching = 0;
  for (std::uint32_t m = 0; m < due.size; ++m) {
    buffers.touching[touching] = m;
    touching += buffers.planes[m].gap <= 0 ? 1 : 0;
  }
  buffers.touching.resize(touching);
  if (overlap) FindOverlaps(due, method);
  for (std::size_t x = 0; x < touching; ++x) {
    const std::uint32_t m = buffers.touching[x], pair = buffers.due[m];
    const Query q = due(m);
    Plane& plane = buffers.planes[m];
    if (overlap) {
      if (!(plane.gap > 0)) AppendOverlapOrPlane(q, buffers.found[x], pair, &plane, &out);
    } else if (MendPlane(q, due.pairs.count[pair] > 0, method, geometry, &plane) && plane.gap < 0) {
      if (geometry == ContactGeometry::shared_zone)
        AppendSharedZone(q, plane, pair, &buffers.shared_zone, &out.points);
      else
        AppendZone(q, plane, pair, &buffers.zone, &out.points);
    }
    due.pairs.feature[pair] = plane.feature;
    due.Keep(m, plane.gap);
  }
}

/// Planes of the whole chunk first, then the points of the pairs that touch: each loop stays small, and is timed.
void BodyContacts(const Particles& p, const Bodies& bodies, PairTable& pairs, PairRows rows,
                  const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out) {
  const DuePairs due = FindPlanes(p, bodies, pairs, rows, planes, geometry, out);
  FindPoints(due, planes.method, geometry, out);
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(BodyContacts);

void polyhedron_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, PairRows rows,
                         const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out) {
  HWY_DYNAMIC_DISPATCH(BodyContacts)(p, bodies, pairs, rows, planes, geometry, out);
}

}  // namespace scree::narrow
#endif

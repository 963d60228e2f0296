#include "narrow/find_contacts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "narrow/clump_contacts.h"
#include "narrow/polyhedron_contacts.h"
#include "narrow/round_contacts.h"

namespace scree::narrow {

namespace {

using Rows = std::span<const std::uint32_t>;

/// Which loop a pair of kinds belongs to; that of parts: one of the two is a clump, whose parts have loops of their
/// own.
enum class Loop : std::uint8_t { polyhedra, round, round_polyhedron, polygons, round_polygon, mesh, mesh_round, parts };
constexpr std::size_t kLoops = 8;

Loop loop_of(ShapeKind a, ShapeKind b) {
  if (a == ShapeKind::clump || b == ShapeKind::clump) return Loop::parts;
  if (is_round(a) && is_round(b)) return Loop::round;
  if (is_planar(a)) return is_round(a) || is_round(b) ? Loop::round_polygon : Loop::polygons;
  return is_round(a) || is_round(b) ? Loop::round_polyhedron : Loop::polyhedra;
}

/// Rows of one chunk by loop.
struct Sorted {
  std::array<std::vector<std::uint32_t>, kLoops> rows;
  std::vector<FoundPoint> merged;
  std::vector<FoundPatch> patches;
  std::vector<FoundPart> parts;
  std::vector<PaperPair> tracked;
  std::vector<std::uint32_t>& of(Loop loop) { return rows[static_cast<std::size_t>(loop)]; }
  void clear() {
    for (auto& r : rows) r.clear();
  }
};

/// One thread's lists.
struct ThreadLists {
  Sorted sorted;        ///< of the bodies as they are
  Sorted sorted_parts;  ///< of the pairs of parts that clumps are expanded into
  PartPairs of_bodies, of_walls;
  NearParts near_parts;  ///< of callers that keep none
};
ThreadLists& thread_lists() {
  thread_local const std::unique_ptr<ThreadLists> lists = std::make_unique<ThreadLists>();
  return *lists;
}

NearParts& nothing_known(ThreadLists& lists, std::size_t begin, std::size_t end) {
  lists.near_parts.reset(begin, end - begin);
  return lists.near_parts;
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
  follow(out.patches, sorted.patches), follow(out.parts, sorted.parts), follow(out.tracked, sorted.tracked);
  std::swap(points, sorted.merged);
}

/// One loop over its rows, where there are any.
template <class Find>
void run_loop(Sorted& sorted, Loop loop, FoundPoints& out, Find&& find) {
  const std::vector<std::uint32_t>& rows = sorted.of(loop);
  if (rows.empty()) return;
  const std::size_t middle = out.points.size();
  find(std::span<const std::uint32_t>(rows));
  if (out.wants_parts) out.parts.resize(out.points.size());
  if (out.wants_tracked) out.tracked.resize(out.points.size());
  merge_from(middle, sorted, out);
}

/// Rows [begin, end), each by the loop of its kinds; those of Loop::parts are listed only.
void bodies_by_kind(const Particles& p, const Bodies& bodies, PairTable& pairs, std::size_t begin, std::size_t end,
                    const PlaneSettings& planes, ContactGeometry geometry, Sorted& sorted, FoundPoints& out) {
  sorted.clear();
  if (bodies.mix() == BodyMix::round) return round_contacts(p, pairs, begin, end, out);
  if (bodies.mix() == BodyMix::polyhedra)
    return polyhedron_contacts(p, bodies, pairs, PairRows::range(begin, end), planes, geometry, out);
  for (std::size_t k = begin; k < end; ++k)
    sorted.of(loop_of(bodies.kind(pairs.a[k]), bodies.kind(pairs.b[k]))).push_back(static_cast<std::uint32_t>(k));
  run_loop(sorted, Loop::polyhedra, out,
           [&](Rows r) { polyhedron_contacts(p, bodies, pairs, PairRows::listed(r), planes, geometry, out); });
  run_loop(sorted, Loop::round, out, [&](Rows r) { round_contacts(p, pairs, r, out); });
  run_loop(sorted, Loop::round_polyhedron, out, [&](Rows r) { round_polyhedron_contacts(p, bodies, pairs, r, out); });
  run_loop(sorted, Loop::polygons, out, [&](Rows r) { polygon_contacts(p, bodies, pairs, r, planes, out); });
  run_loop(sorted, Loop::round_polygon, out, [&](Rows r) { round_polygon_contacts(p, bodies, pairs, r, out); });
}

void walls_by_kind(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                   std::size_t begin, std::size_t end, ContactGeometry geometry, NearFacets& near, Sorted& sorted,
                   FoundPoints& out) {
  sorted.clear();
  const bool any_mesh = std::any_of(walls.begin(), walls.end(), [](const WallView& w) { return w.mesh != nullptr; });
  if (!any_mesh && bodies.mix() == BodyMix::round) return round_wall_contacts(p, walls, pairs, begin, end, out);
  if (!any_mesh && bodies.mix() == BodyMix::polyhedra)
    return polyhedron_wall_contacts(p, bodies, walls, pairs, PairRows::range(begin, end), geometry, out);
  for (std::size_t k = begin; k < end; ++k) {
    const ShapeKind kind = bodies.kind(pairs.a[k]);
    Loop loop = loop_of(kind, kind);
    if (walls[pairs.b[k]].mesh != nullptr && loop != Loop::parts) loop = is_round(kind) ? Loop::mesh_round : Loop::mesh;
    sorted.of(loop).push_back(static_cast<std::uint32_t>(k));
  }
  run_loop(sorted, Loop::polyhedra, out,
           [&](Rows r) { polyhedron_wall_contacts(p, bodies, walls, pairs, PairRows::listed(r), geometry, out); });
  run_loop(sorted, Loop::round, out, [&](Rows r) { round_wall_contacts(p, walls, pairs, r, out); });
  run_loop(sorted, Loop::polygons, out, [&](Rows r) { polygon_wall_contacts(p, bodies, walls, pairs, r, out); });
  run_loop(sorted, Loop::mesh, out, [&](Rows r) {
    polyhedron_mesh_contacts(p, bodies, walls, pairs, PairRows::listed(r), geometry, near, out);
  });
  run_loop(sorted, Loop::mesh_round, out, [&](Rows r) { round_mesh_contacts(p, walls, pairs, r, near, out); });
}

}  // namespace

void find_body_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::size_t begin, std::size_t end,
                        const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out, NearParts* near_parts,
                        const ContactTable* last) {
  ThreadLists& lists = thread_lists();
  bodies_by_kind(p, bodies, pairs, begin, end, planes, geometry, lists.sorted, out);
  run_loop(lists.sorted, Loop::parts, out, [&](Rows rows) {
    const Parts& parts = *bodies.parts();
    PartPairs& meet = lists.of_bodies;
    NearParts& known = near_parts != nullptr ? *near_parts : nothing_known(lists, begin, end);
    meet.expand(p, parts, pairs, rows, last != nullptr && last->keeps_planes ? last : nullptr, planes, geometry, known,
                out);
    bodies_by_kind(parts.rows, parts.bodies, meet.table, 0, meet.table.size(), planes, geometry, lists.sorted_parts,
                   meet.found);
    meet.gather(p, parts, pairs, known, out);
  });
}

void list_near_facets(const Particles& p, std::span<const WallView> walls, const PairTable& pairs, std::size_t begin,
                      std::size_t end, double motion, double limit, NearFacets& out) {
  out.clear(begin, limit);
  for (std::size_t k = begin; k < end; ++k) {
    const WallView& wall = walls[pairs.b[k]];
    const std::uint32_t i = pairs.a[k];
    if (wall.mesh != nullptr)
      wall.mesh->find_near(transpose_times(wall.rotation, p.position[i] - wall.point), p.radius[i] + motion + limit,
                           out.facets);
    const auto own = std::span(out.facets).subspan(out.start.back());
    out.end_pair(std::any_of(own.begin(), own.end(), [&](std::uint32_t f) { return wall.mesh->facet(f).at_rim; }));
  }
}

void find_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                        std::size_t begin, std::size_t end, ContactGeometry geometry, NearFacets& near,
                        FoundPoints& out, NearParts* near_parts, const ContactTable* last) {
  ThreadLists& lists = thread_lists();
  walls_by_kind(p, bodies, walls, pairs, begin, end, geometry, near, lists.sorted, out);
  run_loop(lists.sorted, Loop::parts, out, [&](Rows rows) {
    const Parts& parts = *bodies.parts();
    PartPairs& meet = lists.of_walls;
    NearParts& known = near_parts != nullptr ? *near_parts : nothing_known(lists, begin, end);
    meet.expand(p, parts, walls, pairs, rows, last != nullptr && last->keeps_parts ? last : nullptr, near, known, out);
    walls_by_kind(parts.rows, parts.bodies, walls, meet.table, 0, meet.table.size(), geometry, meet.near,
                  lists.sorted_parts, meet.found);
    meet.gather(p, parts, walls, pairs, known, out);
  });
}

}  // namespace scree::narrow

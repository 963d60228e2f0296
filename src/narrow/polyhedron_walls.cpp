#include <algorithm>
#include <cmath>
#include <memory>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "narrow/polyhedron_walls.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "base/timer.h"
#include "narrow/found_points-inl.h"
#include "narrow/lot_queue-inl.h"
#include "narrow/mesh_overlap-inl.h"
#include "narrow/polyhedron_contacts.h"

HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

// Of the body's radius: what is less deep behind a plane and has no overlap is rounding.
inline constexpr double kThin = 1e-9;

/// One thread's.
struct WallBuffers {
  Workspace overlap;
  MeshWorkspace mesh;
  std::vector<std::uint32_t> due;   ///< rows that touch
  std::vector<Plane> planes;        ///< of each: the wall's normal, the gap, the deepest vertex
  std::vector<Overlap> found;       ///< of each
  std::vector<std::uint32_t> rest;  ///< which of these have every edge cut
  Queue<FacePatches> on_planes;
};
inline WallBuffers& ThreadWallBuffers() {
  thread_local const std::unique_ptr<WallBuffers> buffers = std::make_unique<WallBuffers>();
  return *buffers;
}

/// The overlaps of the bodies with the walls that they touch; faces on them by the vector.
inline void FindWallOverlaps(const Particles& p, const Bodies& bodies, std::span<const WallView> walls,
                             const PairTable& pairs, std::size_t count, WallBuffers& buffers) {
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
                  PairRows rows, ContactGeometry geometry, FoundPoints& out) {
  const Timer timer(out.seconds_points);
  WallBuffers& buffers = ThreadWallBuffers();
  HWY_ALIGN double height[kMaxVertices];
  const bool overlap = geometry == ContactGeometry::overlap, shared = geometry == ContactGeometry::shared_zone;
  buffers.due.resize(rows.size());
  if (buffers.planes.size() < rows.size()) buffers.planes.resize(rows.size());
  std::size_t touching = 0;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const std::size_t k = rows[m];
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
}

/// The body's vertices behind the mesh, as behind a plane. False: there are none.
inline bool AppendVertices(const BodyView& a, const MeshWorkspace& mesh, std::uint32_t pair, bool shared,
                           FoundPoints* out) {
  const std::size_t first = out->points.size();
  for (const Cell& c : mesh.cells) {
    if (!c.active || c.passes) continue;
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
        inside = !(-dot(out->points[m].normal, c.normal) > std::cos(FacetMesh::kEven));
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
                  PairRows rows, ContactGeometry geometry, NearFacets& near, FoundPoints& out) {
  const Timer timer(out.seconds_points);
  WallBuffers& buffers = ThreadWallBuffers();
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const auto k = static_cast<std::uint32_t>(rows[m]);
    const std::uint32_t i = pairs.a[k];
    const WallView& wall = walls[pairs.b[k]];
    const double travel = p.travel[i] + wall.travel;
    if (travel < pairs.clear_until[k]) continue;
    const BodyView& a = bodies.view(i);
    const Vec3 centre = transpose_times(wall.rotation, p.position[i] - wall.point);
    const bool judged = wall.front_only && pairs.count[k] == 0;
    const auto append = [&](std::uint32_t facet, const Overlap& o, double deepest) {
      if (judged && near.newcomer(p, i).came_through(wall, -o.area, o.centre, deepest)) return;
      AppendOverlap(o, deepest, a.radius, k, &out, facet);
    };
    MeshWorkspace& mesh = buffers.mesh;
    const FacetsOfBody facets{near.of(k), near.clear_of(k), near.known_of(k), travel, near.limit};
    const double clear = CellFinder(a, *wall.mesh, centre, wall.rotation, wall.front_only, facets, &mesh).Find();
    if (!mesh.cells.empty()) BoundCells(a, *wall.mesh, centre, wall.rotation, &mesh);
    bool by_vertices = false;
    if (geometry != ContactGeometry::overlap) {
      bool any = false;
      for (Cell& c : mesh.cells) {
        if (c.active && judged) {
          const Vec3 deepest = a.vertex(FarthestVertex(a, -c.normal).vertex);
          c.passes = near.newcomer(p, i).came_through(wall, c.normal, deepest, -c.gap);
        }
        any = any || (c.active && !c.passes);
      }
      // What pokes into a face or an edge without reaching a vertex has an overlap all the same.
      by_vertices = !any || AppendVertices(a, mesh, k, geometry == ContactGeometry::shared_zone, &out);
    }
    if (!by_vertices && !mesh.cells.empty()) OverlapsOfCells(a, *wall.mesh, &mesh, &buffers.overlap, append);
    keep_clear(std::min(clear, near.limit), travel, &pairs.clear_until[k]);
  }
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::narrow {

HWY_EXPORT(WallContacts);
HWY_EXPORT(MeshContacts);

void polyhedron_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls,
                              PairTable& pairs, PairRows rows, ContactGeometry geometry, FoundPoints& out) {
  HWY_DYNAMIC_DISPATCH(WallContacts)(p, bodies, walls, pairs, rows, geometry, out);
}
void polyhedron_mesh_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls,
                              PairTable& pairs, PairRows rows, ContactGeometry geometry, NearFacets& near,
                              FoundPoints& out) {
  HWY_DYNAMIC_DISPATCH(MeshContacts)(p, bodies, walls, pairs, rows, geometry, near, out);
}

}  // namespace scree::narrow
#endif

// Per-target code; see simd-inl.h.
#if defined(SCREE_NARROW_MESH_OVERLAP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_NARROW_MESH_OVERLAP_INL_H
#undef SCREE_NARROW_MESH_OVERLAP_INL_H
#else
#define SCREE_NARROW_MESH_OVERLAP_INL_H
#endif

#include "geometry/facet_mesh.h"
#include "narrow/overlap-inl.h"
#include "narrow/wall_view.h"

// A polyhedron against a mesh. What lies behind the mesh is shared out among the facets: to each the cell behind its
// plane, bounded at its edges by the planes half-way to its neighbours. The overlaps with the cells of facets that join
// without a valley add up to one contact, which is the exact overlap with the solid behind them; so neither the edges
// within a flat face nor the ridge of a step show. At a valley cells are not bounded: two planes that meet there act as
// two walls do, each as far as the solid behind the other one goes.
HWY_BEFORE_NAMESPACE();
namespace scree::narrow::HWY_NAMESPACE {

struct CellPlane {
  Vec3 n;
  double offset;  ///< m, relative to the body's centroid; inside is n.x <= offset
};

/// The part of a body behind one facet.
struct Cell {
  std::uint32_t facet;
  double side;    ///< 1: seen from the front, -1: from the back, 2: from beyond its rim
  Vec3 normal;    ///< unit, towards the body, space frame
  double offset;  ///< m, of the facet's plane, relative to the body's centroid
  double gap;     ///< m, of the lowest vertex over the plane
  bool active;    ///< the body faces it; else it only goes on where one that is faced ends
  bool passes;    ///< what came from behind: its vertices are let through
  std::uint32_t group;
  std::uint32_t first_cut, cuts;         ///< planes that cut the body
  double deepest;                        ///< m, of the part's points below the plane
  std::uint32_t first_point, end_point;  ///< in `patch`
  Moments moments;
};

struct MeshWorkspace {
  std::vector<Cell> cells, beyond;
  std::vector<char> needed;                                   ///< by cell
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;  ///< facets and their cells
  std::vector<CellPlane> cuts, own_cuts, beyond_cuts;
  std::vector<Vec3> points, next_points, cap;
  std::vector<std::uint32_t> start, next_start;  ///< of polygons
  std::vector<char> own, next_own;               ///< polygon is of the body's surface
  std::vector<Vec3> patch;                       ///< triangles of the body's surface behind the facets, cell by cell
};

HWY_INLINE void AddMoments(const Moments& m, Moments* sum) {
  sum->volume += m.volume, sum->first += m.first, sum->area += m.area, sum->polar += m.polar;
  sum->uu += m.uu, sum->uv += m.uv, sum->vv += m.vv, sum->uz += m.uz, sum->vz += m.vz, sum->zz += m.zz;
  for (std::size_t i = 0; i < 3; ++i) sum->area_first[i] += m.area_first[i];
}

/// Cuts the polygons in `work` by a plane (Sutherland & Hodgman 1974) and closes the hole.
inline void CutPolygons(CellPlane plane, MeshWorkspace* work) {
  work->next_points.clear(), work->next_own.clear(), work->cap.clear();
  work->next_start.assign(1, 0);
  for (std::size_t k = 0; k + 1 < work->start.size(); ++k) {
    const std::size_t first = work->start[k], last = work->start[k + 1], from = work->next_points.size();
    Vec3 before = work->points[last - 1];
    double hb = dot(plane.n, before) - plane.offset;
    for (std::size_t i = first; i < last; ++i) {
      const Vec3 here = work->points[i];
      const double h = dot(plane.n, here) - plane.offset;
      if ((h > 0) != (hb > 0)) {
        // From the inner end to the outer one, so that both faces of an edge get the same point.
        const Vec3 x = h > 0 ? before + (hb / (hb - h)) * (here - before) : here + (h / (h - hb)) * (before - here);
        work->next_points.push_back(x), work->cap.push_back(x);
      }
      if (!(h > 0)) work->next_points.push_back(here);
      before = here, hb = h;
    }
    if (work->next_points.size() < from + 3) {
      work->next_points.resize(from);
      continue;
    }
    work->next_start.push_back(static_cast<std::uint32_t>(work->next_points.size()));
    work->next_own.push_back(work->own[k]);
  }
  // The hole is convex: its corners, in the order of their angle about the middle, are the lid.
  std::vector<Vec3>& cap = work->cap;
  if (cap.size() >= 3) {
    Vec3 middle;
    for (const Vec3& x : cap) middle += x;
    middle = middle / static_cast<double>(cap.size());
    const Vec3 u = any_perpendicular(plane.n), v = cross(plane.n, u);
    std::sort(cap.begin(), cap.end(), [&](Vec3 a, Vec3 b) {
      const double ax = dot(u, a - middle), ay = dot(v, a - middle), bx = dot(u, b - middle), by = dot(v, b - middle);
      const bool upper_a = ay > 0 || (ay == 0 && ax > 0), upper_b = by > 0 || (by == 0 && bx > 0);
      return upper_a != upper_b ? upper_a : ax * by - ay * bx > 0;
    });
    work->next_points.insert(work->next_points.end(), cap.begin(), cap.end());
    work->next_start.push_back(static_cast<std::uint32_t>(work->next_points.size()));
    work->next_own.push_back(0);
  }
  std::swap(work->points, work->next_points), std::swap(work->start, work->next_start);
  std::swap(work->own, work->next_own);
}

/// Moments of the body's part in the cell, in the frame.
inline void IntegrateCell(const BodyView& a, const Frame& f, const Side& posed, std::span<const CellPlane> cuts,
                          MeshWorkspace* work, Boundary* boundary, Cell* cell) {
  const Polyhedron& shape = *a.shape->body;
  work->points.clear(), work->own.clear(), work->start.assign(1, 0);
  for (std::size_t face = 0; face < shape.face_normals.size(); ++face) {
    for (const std::uint16_t v : shape.loop(face)) work->points.push_back({posed.u[v], posed.v[v], posed.z[v]});
    work->start.push_back(static_cast<std::uint32_t>(work->points.size()));
    work->own.push_back(1);
  }
  const CellPlane behind{f.in(cell->normal), cell->offset - dot(cell->normal, f.origin)};
  CutPolygons(behind, work);
  for (const CellPlane& p : cuts) CutPolygons({f.in(p.n), p.offset - dot(p.n, f.origin)}, work);
  cell->moments = {}, cell->deepest = 0;
  cell->first_point = static_cast<std::uint32_t>(work->patch.size());
  boundary->points = boundary->triangles = 0, boundary->planes_a = boundary->planes_b = 1;
  const auto flush = [&] {
    Moments m;
    Integrate(*boundary, nullptr, &m);
    AddMoments(m, &cell->moments);
    boundary->points = boundary->triangles = 0;
  };
  for (std::size_t k = 0; k + 1 < work->start.size(); ++k) {
    const std::size_t first = work->start[k], n = work->start[k + 1] - first;
    if (n > Boundary::kMaxPoints) continue;  // no face has as many corners
    if (boundary->points + n > Boundary::kMaxPoints || boundary->triangles + n > Boundary::kMaxTriangles) flush();
    const std::uint16_t face = work->own[k] ? 0 : 1;
    std::uint16_t apex = 0, last = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 x = work->points[first + i];
      cell->deepest = std::max(cell->deepest, behind.offset - dot(behind.n, x));
      const std::uint16_t at = boundary->AddPoint(x);
      if (i == 0) apex = at;
      if (i >= 2) {
        boundary->triangle[boundary->triangles++] = {apex, last, at, face};
        if (face == 0) work->patch.insert(work->patch.end(), {work->points[first], work->points[first + i - 1], x});
      }
      last = at;
    }
  }
  if (boundary->triangles > 0) flush();
  cell->end_point = static_cast<std::uint32_t>(work->patch.size());
}

/// The body's faces as polygons, relative to its centroid.
inline void LayOutFaces(const BodyView& a, MeshWorkspace* work) {
  const Polyhedron& shape = *a.shape->body;
  work->points.clear(), work->own.clear(), work->start.assign(1, 0);
  for (std::size_t face = 0; face < shape.face_normals.size(); ++face) {
    for (const std::uint16_t v : shape.loop(face)) work->points.push_back(a.vertex(v));
    work->start.push_back(static_cast<std::uint32_t>(work->points.size()));
    work->own.push_back(1);
  }
}

/// Does the centroid lie beyond a rim of the facet?
HWY_INLINE bool IsBeyondARim(const FacetMesh& mesh, std::uint32_t f, Vec3 centre) {
  for (const FacetMesh::Edge& e : mesh.edges(f))
    if (e.kind == FacetMesh::EdgeKind::rim && dot(e.outward, centre - e.a) > 0) return true;
  return false;
}

/// Volume over area of the polygons in `work`: the mean depth of that part of the body (m); 0: nothing is left.
inline double MeanDepth(const MeshWorkspace& work) {
  if (work.points.size() < 4) return 0;
  const Vec3 origin = work.points[0];
  double volume = 0;
  Vec3 area;
  for (std::size_t k = 0; k + 1 < work.start.size(); ++k) {
    for (std::size_t i = work.start[k] + 2u; i < work.start[k + 1]; ++i) {
      const Vec3 p = work.points[work.start[k]], q = work.points[i - 1], r = work.points[i];
      const Vec3 twice = cross(q - p, r - p);
      volume += dot(p - origin, twice) / 6;
      if (work.own[k]) area += 0.5 * twice;
    }
  }
  const double size = norm(area);
  return volume > 0 && size > 0 ? volume / size : 0;
}

/// What a facet holds back of a body that hangs over its rim: the centroid would tell the side of the facet's plane,
/// which goes on where the facet does not. Of the part under it and the part over it the one of less mean depth counts,
/// so that the energy has no jump where it changes. (All that reaches over the rim is never less deep than the less
/// deep of its two parts: volumes add up, and the sum of two areas is no longer than both.) Sets plane and side of the
/// cell; false: the facet does not reach into the body.
inline bool CellAtRim(const BodyView& a, const FacetMesh& mesh, Vec3 centre, const Mat3& rotation, double height,
                      bool front_only, MeshWorkspace* work, Cell* cell) {
  const Vec3 normal = rotation * mesh.facet(cell->facet).normal;
  const auto depth = [&](double side) {
    LayOutFaces(a, work);
    for (const FacetMesh::Edge& e : mesh.edges(cell->facet))
      CutPolygons({rotation * e.outward, dot(e.outward, e.a - centre)}, work);
    CutPolygons({side * normal, -side * height}, work);
    return MeanDepth(*work);
  };
  const double under = depth(1), over = depth(-1);
  if (!(under > 0 && over > 0)) return false;
  const double side = under <= over ? 1 : -1;
  cell->active = !front_only || side > 0;
  cell->side = front_only ? 1 : side, cell->normal = cell->side * normal, cell->offset = -cell->side * height;
  return true;
}

/// 1: `centre` is before the surface about facet f, -1: behind it. Where the nearest point of f is on its outline, its
/// plane does not tell: go on to the nearest of the facets that meet there, until none is nearer; there the sum of the
/// normals tells, at a corner by the angles (Thuermer & Wuethrich 1998).
inline double SideOfSurface(const FacetMesh& mesh, std::span<const std::uint32_t> near, std::uint32_t f, Vec3 centre) {
  const double same = 1e-9 * mesh.extent();
  FacetMesh::Foot foot = mesh.foot(f, centre);
  while (!foot.inside) {
    const std::span<const FacetMesh::Edge> own = mesh.edges(f);
    const FacetMesh::Edge* corner = nullptr;
    for (const FacetMesh::Edge& e : own) corner = norm(foot.point - e.a) <= same ? &e : corner;
    Vec3 mean = corner == nullptr ? mesh.facet(f).normal : Vec3{};
    std::uint32_t next = f;
    FacetMesh::Foot there = foot;
    const auto look_at = [&](std::uint32_t g) {
      const FacetMesh::Foot x = mesh.foot(g, centre);
      if (x.distance < there.distance * (1 - 1e-9)) next = g, there = x;
    };
    if (corner == nullptr) {
      for (const FacetMesh::Neighbour& n : mesh.neighbours(f)) {
        if (mesh.foot(n.facet, foot.point).distance > same) continue;
        mean += mesh.facet(n.facet).normal;
        look_at(n.facet);
      }
    } else {
      for (const std::uint32_t g : near) {
        const std::span<const FacetMesh::Edge> edges = mesh.edges(g);
        for (std::size_t k = 0; k < edges.size(); ++k) {
          if (!(edges[k].a == corner->a)) continue;
          const Vec3 out = edges[k].along, in = edges[(k + edges.size() - 1) % edges.size()].along;
          mean += std::atan2(norm(cross(in, out)), -dot(in, out)) * mesh.facet(g).normal;
          look_at(g);
        }
      }
    }
    if (next == f) return dot(mean, centre - foot.point) >= 0 ? 1 : -1;
    f = next, foot = there;
  }
  return foot.height >= 0 ? 1 : -1;
}

/// How far a plane's two sides are from the body: its vertices lie `low` to `high` (m) over it.
struct Reach {
  double low, high;
};
HWY_INLINE Reach ReachOver(const BodyView& a, CellPlane plane) {
  const hn::ScalableTag<double> d;
  const auto nx = hn::Set(d, plane.n.x), ny = hn::Set(d, plane.n.y), nz = hn::Set(d, plane.n.z);
  auto low = hn::Set(d, 1e300), high = hn::Set(d, -1e300);
  for (std::size_t i = 0; i < a.shape->padded; i += hn::Lanes(d)) {
    const auto xy = hn::Add(hn::Mul(nx, hn::LoadU(d, a.x + i)), hn::Mul(ny, hn::LoadU(d, a.y + i)));
    const auto h = hn::Sub(hn::Add(xy, hn::Mul(nz, hn::LoadU(d, a.z + i))), hn::Set(d, plane.offset));
    low = hn::Min(low, h), high = hn::Max(high, h);
  }
  return {hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high))};
}

/// Adds a plane that cuts the body. Returns how far the body is beyond it (m); not below 0: nothing of it is left.
HWY_INLINE double AddCut(const BodyView& a, CellPlane plane, std::vector<CellPlane>* cuts) {
  const Reach over = ReachOver(a, plane);
  if (over.high > 0) cuts->push_back(plane);
  return over.low;
}

/// A cell is not bounded where it meets another facet at an edge of this kind.
HWY_INLINE FacetMesh::EdgeKind OpenKind(const Cell& c) {
  return c.side > 0 ? FacetMesh::EdgeKind::valley : FacetMesh::EdgeKind::ridge;
}

HWY_INLINE Cell CellWithCuts(Cell c, const std::vector<CellPlane>& cuts, MeshWorkspace* work) {
  c.first_cut = static_cast<std::uint32_t>(work->cuts.size()), c.cuts = static_cast<std::uint32_t>(cuts.size());
  work->cuts.insert(work->cuts.end(), cuts.begin(), cuts.end());
  return c;
}

/// The facets near one body, and what is known of how far it is from them.
struct FacetsOfBody {
  std::span<const std::uint32_t> facets;
  std::span<double> clear_until;  ///< m, of travel, by facet
  NearFacets::Known& known;
  double travel;  ///< m, of body and mesh so far
  double limit;   ///< m: how far the facets may be that matter to a list
};

/// Finds the cells of one mesh that a body reaches. A facet is looked at again when the body has travelled so far that
/// it may reach its cell.
class CellFinder {
 public:
  CellFinder(const BodyView& a, const FacetMesh& mesh, Vec3 centre, const Mat3& rotation, bool front_only,
             const FacetsOfBody& near, MeshWorkspace* work)
      : a_(a), mesh_(mesh), centre_(centre), rotation_(rotation), front_only_(front_only), near_(near), work_(work) {}

  /// Returns how far the body is from the mesh at least (m), 0 where it may touch.
  double Find() {
    work_->cells.clear(), work_->cuts.clear();
    hangs_ = near_.known.at_rim && HangsOverAHole();
    bool looked_at_all = true;
    double clear = 1e300;
    for (std::size_t m = 0; m < near_.facets.size(); ++m) {
      if (near_.travel < near_.clear_until[m])
        looked_at_all = false;
      else
        clear = std::min(clear, Look(m));
    }
    // Nothing touches: what is kept of the pair must not depend on what was left out, nor on what was known.
    if (clear > 0 && (!looked_at_all || knew_side_)) {
      near_.known.same_side_until = 0, sure_of_side_ = -1;
      clear = 1e300;
      for (std::size_t m = 0; m < near_.facets.size(); ++m) clear = std::min(clear, Look(m));
    }
    return clear;
  }

 private:
  // What is kept back of a motion bound, as a share of the sizes: who looks at all must find nothing either.
  static constexpr double kRounding = 1e-12;

  /// Beyond some rim, and over no facet.
  bool HangsOverAHole() const {
    bool beyond = false;
    for (const std::uint32_t f : near_.facets)
      beyond = beyond || (mesh_.facet(f).at_rim && IsBeyondARim(mesh_, f, centre_));
    if (!beyond) return false;
    for (const std::uint32_t f : near_.facets)
      if (mesh_.foot(f, centre_).inside) return false;
    return true;
  }

  /// How far the centroid is from having planes of facets on both sides (m); 0: it has, and which side of the surface
  /// it is on is in doubt.
  double SureOfSide() {
    if (sure_of_side_ >= 0) return sure_of_side_;
    double& until = near_.known.same_side_until;
    if (near_.travel < until) return knew_side_ = true, sure_of_side_ = until - near_.travel;
    double low = 1e300, high = -1e300;
    for (const std::uint32_t f : near_.facets) {
      const double over = dot(mesh_.facet(f).normal, centre_) - mesh_.facet(f).offset;
      low = std::min(low, over), high = std::max(high, over);
    }
    sure_of_side_ = std::max({low, -high, 0.0});
    keep_clear(sure_of_side_ - kRounding * (a_.radius + mesh_.extent()), near_.travel, &until);
    return sure_of_side_;
  }

  /// Adds the cell of facet m where the body reaches it. Returns how far it is from that (m), not below 0.
  double Look(std::size_t m) {
    const std::uint32_t f = near_.facets[m];
    const auto keep = [&](double sure) {
      keep_clear(sure - kRounding * (a_.radius + mesh_.extent()), near_.travel, &near_.clear_until[m]);
    };
    const FacetMesh::Foot foot = mesh_.foot(f, centre_);
    double apart = foot.distance - a_.radius;  // m: from the cell, whichever side the body is on
    if (apart >= 0 && apart >= near_.limit) return keep(apart), apart;
    Cell cell{};
    cell.facet = f;
    double same_side = front_only_ ? 1e300 : 0;  // m: how far it is from facing the other side
    if (hangs_ || (mesh_.facet(f).at_rim && IsBeyondARim(mesh_, f, centre_))) {
      if (apart >= 0) return keep(apart), apart;
      if (!CellAtRim(a_, mesh_, centre_, rotation_, foot.height, front_only_, work_, &cell)) return keep(0), 0;
      same_side = 0;
    } else {
      if (!front_only_ && !near_.known.at_rim) same_side = SureOfSide();
      double side = front_only_ || foot.height >= 0 ? 1 : -1;
      cell.active = side * foot.height > 0;
      for (const FacetMesh::Edge& e : mesh_.edges(f)) {
        if (e.kind != (side > 0 ? FacetMesh::EdgeKind::valley : FacetMesh::EdgeKind::ridge)) continue;
        const double over = side * dot(e.beyond, centre_ - e.a);
        if (!(over > 0)) cell.active = false;  // the body is beyond the other
        if (!front_only_) same_side = std::min(same_side, std::abs(over));
      }
      if (cell.active && !front_only_ && !foot.inside && !(SureOfSide() > 0))
        cell.active = SideOfSurface(mesh_, near_.facets, f, centre_) == side;
      // What is not faced from the side where the body is may go on behind what is faced from the other.
      if (!cell.active && !front_only_) side = -side;
      cell.side = side, cell.normal = side * (rotation_ * mesh_.facet(f).normal), cell.offset = -side * foot.height;
    }
    cell.gap = ReachOver(a_, {cell.normal, cell.offset}).low;
    double from_this_side = cell.gap;
    work_->own_cuts.clear();
    using Kind = FacetMesh::EdgeKind;
    for (const FacetMesh::Edge& e : mesh_.edges(f)) {
      if (e.kind == Kind::joint || e.kind == OpenKind(cell)) continue;
      const double offset = dot(e.limit, e.a - centre_);
      if (offset >= a_.radius) continue;
      double& far = e.kind == Kind::ridge || e.kind == Kind::valley ? from_this_side : apart;
      far = std::max(far, AddCut(a_, {rotation_ * e.limit, offset}, &work_->own_cuts));
    }
    if (apart < 0 && from_this_side < 0) {
      work_->cells.push_back(CellWithCuts(cell, work_->own_cuts, work_));
      return keep(0), 0;
    }
    const double sure = std::max(apart, std::min(same_side, from_this_side));
    // Where the body faces no facet from another side than now, it has yet to reach one that it faces.
    return keep(sure), std::max({sure, cell.gap, 0.0});
  }

  const BodyView& a_;
  const FacetMesh& mesh_;
  const Vec3 centre_;
  const Mat3& rotation_;
  const bool front_only_;
  const FacetsOfBody& near_;
  MeshWorkspace* const work_;
  bool hangs_ = false, knew_side_ = false;
  double sure_of_side_ = -1;  // not known yet
};

/// The plane of a cell goes on behind the facet beyond a valley, no farther than where that one ends at a ridge. What
/// is so bounded becomes a cell of its own, cut off from `own_cuts`; where the body does not reach so far nothing
/// changes.
inline void PartBeyondValley(const BodyView& a, const FacetMesh& mesh, Vec3 centre, const Mat3& rotation, const Cell& c,
                             const FacetMesh::Edge& valley, MeshWorkspace* work) {
  const auto ridge = c.side > 0 ? FacetMesh::EdgeKind::ridge : FacetMesh::EdgeKind::valley;
  const Vec3 outward = rotation * valley.outward;
  const double offset = dot(valley.outward, valley.a - centre);
  work->beyond_cuts = work->own_cuts;
  if (!(AddCut(a, {-outward, -offset}, &work->beyond_cuts) < 0)) return;  // nothing is beyond the valley
  const std::size_t before = work->beyond_cuts.size();
  bool empty = false;
  for (const FacetMesh::Neighbour& other : mesh.neighbours(c.facet)) {
    const Vec3 n = mesh.facet(other.facet).normal;
    if ((c.side > 0 ? other.from_front : other.from_back) || !(n == valley.beyond || n == -valley.beyond)) continue;
    for (const FacetMesh::Edge& e : mesh.edges(other.facet)) {
      if (e.kind != ridge || empty) continue;
      const double end = dot(e.limit, e.a - centre);
      if (end < a.radius) empty = !(AddCut(a, {rotation * e.limit, end}, &work->beyond_cuts) < 0);
    }
  }
  if (work->beyond_cuts.size() == before && !empty) return;
  if (!empty) work->beyond.push_back(CellWithCuts(c, work->beyond_cuts, work));
  AddCut(a, {outward, offset}, &work->own_cuts);
}

/// The cells by facet.
class CellsOfFacets {
 public:
  CellsOfFacets(const std::vector<Cell>& cells, std::vector<std::pair<std::uint32_t, std::uint32_t>>* rows)
      : rows_(*rows) {
    rows_.clear();
    for (std::uint32_t i = 0; i < cells.size(); ++i) rows_.push_back({cells[i].facet, i});
    std::sort(rows_.begin(), rows_.end());
  }
  template <class Visit>
  void each(std::uint32_t facet, Visit&& visit) const {
    for (auto at = std::lower_bound(rows_.begin(), rows_.end(), std::pair(facet, 0u));
         at != rows_.end() && at->first == facet; ++at)
      visit(at->second);
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>>& rows_;
};

/// Calls visit(j) for the cells that are joined to cell i seen from its side, those of its own facet among them.
template <class Visit>
HWY_INLINE void EachJoined(const std::vector<Cell>& cells, const CellsOfFacets& of, const FacetMesh& mesh,
                           std::uint32_t i, Visit&& visit) {
  const auto same_side = [&](std::uint32_t j) {
    if (j != i && cells[j].side == cells[i].side) visit(j);
  };
  of.each(cells[i].facet, same_side);
  for (const FacetMesh::Neighbour& n : mesh.neighbours(cells[i].facet))
    if (cells[i].side > 0 ? n.from_front : n.from_back) of.each(n.facet, same_side);
}

/// Drops cells that no faced cell needs, and bounds the others.
inline void BoundCells(const BodyView& a, const FacetMesh& mesh, Vec3 centre, const Mat3& rotation,
                       MeshWorkspace* work) {
  std::vector<Cell>& cells = work->cells;
  double deepest = 0;
  bool all_faced = true;
  for (const Cell& c : cells)
    all_faced = all_faced && c.active, deepest = c.active ? std::min(deepest, c.gap) : deepest;
  work->needed.assign(cells.size(), all_faced);
  if (!all_faced) {
    const CellsOfFacets of(cells, &work->rows);
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].active) continue;
      work->needed[i] = 1;
      EachJoined(cells, of, mesh, i, [&](std::uint32_t j) { work->needed[j] = 1; });
    }
  }
  work->beyond.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell c = cells[i];
    if (!work->needed[i]) continue;
    const auto cuts = work->cuts.begin() + c.first_cut;
    work->own_cuts.assign(cuts, cuts + c.cuts);
    // The solid goes on behind a facet that the body does not face only as deep as the body reaches into it.
    if (!c.active && !(AddCut(a, {-c.normal, -c.offset - deepest}, &work->own_cuts) < 0)) continue;
    for (const FacetMesh::Edge& e : mesh.edges(c.facet)) {
      if (e.kind == OpenKind(c) && dot(e.outward, e.a - centre) < a.radius)
        PartBeyondValley(a, mesh, centre, rotation, c, e, work);
    }
    cells[kept++] = work->own_cuts.size() == c.cuts ? c : CellWithCuts(c, work->own_cuts, work);
  }
  cells.resize(kept);
  cells.insert(cells.end(), work->beyond.begin(), work->beyond.end());
}

/// Cells that hold something and are joined become one group, called by the first of them.
inline void GroupCells(const FacetMesh& mesh, MeshWorkspace* work) {
  std::vector<Cell>& cells = work->cells;
  for (std::uint32_t i = 0; i < cells.size(); ++i) cells[i].group = i;
  const auto first_of = [&](std::uint32_t i) {
    while (cells[i].group != i) i = cells[i].group = cells[cells[i].group].group;
    return i;
  };
  const CellsOfFacets of(cells, &work->rows);
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    if (!(cells[i].moments.volume > 0)) continue;
    EachJoined(cells, of, mesh, i, [&](std::uint32_t j) {
      if (j < i || !(cells[j].moments.volume > 0)) return;
      const std::uint32_t x = first_of(i), y = first_of(j);
      cells[std::max(x, y)].group = std::min(x, y);
    });
  }
  for (std::uint32_t i = 0; i < cells.size(); ++i) cells[i].group = first_of(i);
}

/// One contact from the cells of one group.
inline Overlap OverlapOfGroup(const Frame& f, const MeshWorkspace& work, std::uint32_t group, ClippingBuffers* buffers,
                              double* deepest) {
  const std::span<const Cell> cells = work.cells;
  Moments sum{};
  for (const Cell& c : cells) {
    if (c.group == group) AddMoments(c.moments, &sum), *deepest = std::max(*deepest, c.deepest);
  }
  Overlap o = Describe(f, sum);
  if (!(o.volume > 0 && norm2(o.area) > 0)) return o;
  const Vec3 n = normalized(sum.area);
  Thickness t{};
  // Under planes that nearly agree each cell has its own; at a ridge the nearest counts.
  bool even = true;
  for (const Cell& c : cells)
    even = even && (c.group != group || -dot(f.in(c.normal), n) > std::cos(FacetMesh::kSmooth));
  Envelope& e = buffers->envelope;
  e.n = 0;
  for (const Cell& c : cells) {
    if (!even && c.group == group && e.n < kMaxFaces) e.Add(f.in(c.normal), c.offset - dot(c.normal, f.origin), -n);
  }
  for (const Cell& c : cells) {
    if (c.group != group || !(c.moments.volume > 0)) continue;
    if (even) {
      t.Add(1,
            ThicknessUnder(c.moments, n, dot(c.moments.area, n), f.in(c.normal), c.offset - dot(c.normal, f.origin)));
      continue;
    }
    for (std::uint32_t i = c.first_point; i + 2 < c.end_point && e.n > 0; i += 3)
      AddTriangleUnder(e, work.patch.data() + i, n, buffers->polygon, &t);
  }
  Overlap local;
  local.centroid = (1 / sum.volume) * sum.first;
  PlaceForce(t, n, &local, {});
  o.centre = f.origin + f.out(local.centre), o.energy_depth = local.energy_depth;
  // Near a rim the depth below the plane says nothing.
  *deepest = std::min(*deepest, 3 * o.volume / norm(o.area));
  return o;
}

/// The contacts of a body with a mesh, of the cells that it has found and bounded: emit(key, overlap, deepest).
template <class Emit>
void OverlapsOfCells(const BodyView& a, const FacetMesh& mesh, MeshWorkspace* work, Workspace* overlap, Emit&& emit) {
  std::vector<Cell>& cells = work->cells;
  const auto whole_plane = [&](const Cell& c) {
    HWY_ALIGN double height[kMaxVertices];
    Heights(a, c.normal, c.offset, height);
    emit(c.facet, OverlapWithPlane(a, c.normal, height, overlap), -c.gap);
  };
  if (cells.size() == 1 && cells[0].cuts == 0 && cells[0].active) {
    whole_plane(cells[0]);
    return;
  }
  std::size_t main = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].active && (main == cells.size() || cells[i].gap < cells[main].gap)) main = i;
  }
  if (main == cells.size()) return;
  std::uint32_t lowest = 0;
  double low = 1e300;
  for (std::uint32_t v = 0; v < a.shape->vertices; ++v) {
    const double h = dot(cells[main].normal, a.vertex(v));
    if (h < low) low = h, lowest = v;
  }
  const Frame f = FrameAbout(-cells[main].normal, a.vertex(lowest) - cells[main].gap * cells[main].normal);
  PoseInFrame(a, f, -f.origin, &overlap->a);
  work->patch.clear();
  for (Cell& c : cells)
    IntegrateCell(a, f, overlap->a, std::span(work->cuts).subspan(c.first_cut, c.cuts), work, &overlap->boundary, &c);
  GroupCells(mesh, work);
  for (std::uint32_t g = 0; g < cells.size(); ++g) {
    if (cells[g].group != g) continue;
    std::size_t members = 0, any_active = 0, one = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].group != g || !(cells[i].moments.volume > 0)) continue;
      ++members, any_active += cells[i].active ? 1 : 0, one = i;
    }
    if (any_active == 0) continue;
    if (members == 1 && cells[one].cuts == 0) {
      whole_plane(cells[one]);
      continue;
    }
    double deepest = 0;
    const Overlap o = OverlapOfGroup(f, *work, g, &overlap->clipping, &deepest);
    emit(cells[g].facet, o, deepest);
  }
}

}  // namespace scree::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

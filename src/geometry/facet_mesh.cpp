#include "geometry/facet_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "exec/parallel.h"
#include "geometry/edge_table.h"

namespace scree {

namespace {

constexpr std::uint32_t kNoTriangle = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostCorners = 64;   // of a facet
constexpr std::size_t kMostAtEdge = 1000;  // triangles of which each is compared with each
constexpr std::uint32_t kLeaf = 4;

using EdgeKind = FacetMesh::EdgeKind;

/// The box of low and high is made to hold that of from and to.
void grow(Vec3& low, Vec3& high, Vec3 from, Vec3 to) {
  for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], from[k]), high[k] = std::max(high[k], to[k]);
}

}  // namespace

/// Triangles -> regions of one plane -> convex facets.
class FacetMesh::Builder {
 public:
  explicit Builder(FacetMesh& m) : m_(m), s_(m.surface_), tolerance_(kFlat * m.extent_) {}

  void build() {
    drop_slivers();
    sides_.emplace(triangles_at_edges(s_));
    grow_regions();
    for (std::uint32_t r = 0; r < regions_.size(); ++r) cut_region(r);
    finish();
  }

 private:
  struct Region {
    Vec3 normal;
    double offset;
    std::size_t first, last;  ///< rows of triangles_
  };
  using Loop = std::vector<std::uint32_t>;
  struct Piece {
    std::uint32_t region;
    std::size_t first, last;  ///< rows of corners_: counter-clockwise, those on straight sides included
  };
  using Key = std::pair<std::uint32_t, std::uint32_t>;

  void drop_slivers() {
    std::vector<std::array<std::uint32_t, 3>> kept;
    for (const auto& t : s_.triangles) {
      const Vec3 a = s_.vertices[t[0]], b = s_.vertices[t[1]], c = s_.vertices[t[2]];
      const double twice = norm(cross(b - a, c - a)), longest = std::max({norm(b - a), norm(c - b), norm(a - c)});
      if (twice > 1e-3 * tolerance_ * longest) kept.push_back(t);
    }
    s_.triangles = std::move(kept);
  }

  Key key(std::uint32_t t, std::size_t k) const {
    const std::uint32_t a = s_.triangles[t][k], b = s_.triangles[t][(k + 1) % 3];
    return {std::min(a, b), std::max(a, b)};
  }
  std::span<const EdgeTable::Row> at(Key k) const { return sides_->at(k.first, k.second); }
  bool is_along(std::uint32_t t, std::uint32_t a, std::uint32_t b) const {
    for (std::size_t k = 0; k < 3; ++k)
      if (s_.triangles[t][k] == a && s_.triangles[t][(k + 1) % 3] == b) return true;
    return false;
  }

  Vec3 twice_area(std::uint32_t t) const {
    const auto& i = s_.triangles[t];
    return cross(s_.vertices[i[1]] - s_.vertices[i[0]], s_.vertices[i[2]] - s_.vertices[i[0]]);
  }

  /// From the largest triangle down: the plane of a large one is known best.
  void grow_regions() {
    const std::size_t n = s_.triangles.size();
    region_of_.assign(n, kNoTriangle);
    triangles_.reserve(n);
    corners_.reserve(3 * n);
    std::vector<std::uint32_t> order(n), open;
    std::iota(order.begin(), order.end(), 0u);
    std::vector<double> area(n);
    for (std::uint32_t t = 0; t < n; ++t) area[t] = norm(twice_area(t));
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return area[a] != area[b] ? area[a] > area[b] : a < b; });
    for (const std::uint32_t seed : order) {
      if (region_of_[seed] != kNoTriangle) continue;
      Region region;
      region.normal = normalized(twice_area(seed));
      region.offset = dot(region.normal, s_.vertices[s_.triangles[seed][0]]);
      region.first = triangles_.size();
      const auto row = static_cast<std::uint32_t>(regions_.size());
      region_of_[seed] = row;
      open.assign(1, seed);
      while (!open.empty()) {
        const std::uint32_t t = open.back();
        open.pop_back();
        triangles_.push_back(t);
        for (std::size_t k = 0; k < 3; ++k) {
          const auto here = at(key(t, k));
          if (here.size() != 2) continue;
          const std::uint32_t other = here[0].row == t ? here[1].row : here[0].row;
          if (region_of_[other] != kNoTriangle || !is_in(region, other)) continue;
          region_of_[other] = row;
          open.push_back(other);
        }
      }
      region.last = triangles_.size();
      std::sort(triangles_.begin() + static_cast<std::ptrdiff_t>(region.first), triangles_.end());
      regions_.push_back(region);
    }
  }
  bool is_in(const Region& r, std::uint32_t t) const {
    if (!(dot(r.normal, normalized(twice_area(t))) > 0.9)) return false;
    for (const std::uint32_t v : s_.triangles[t])
      if (std::abs(dot(r.normal, s_.vertices[v]) - r.offset) > tolerance_) return false;
    return true;
  }

  /// The triangle beyond the edge a -> b of a region's triangle t; kNoTriangle: a rim, or more than one.
  std::uint32_t beyond(std::uint32_t t, Key k) const {
    const auto here = at(k);
    if (here.size() != 2) return kNoTriangle;
    return here[0].row == t ? here[1].row : here[0].row;
  }

  void cut_region(std::uint32_t r) {
    Loop outline;
    const auto is_small = [&] {
      return outline.size() <= kMostCorners || straightened(outline, sides_along(r, outline)).size() <= kMostCorners;
    };
    if (single_outline(r, outline) && is_small() && is_convex(r, outline)) {
      add_piece(r, outline);
      return;
    }
    merge_triangles(r);
  }
  void add_piece(std::uint32_t r, const Loop& loop) {
    pieces_.push_back({r, corners_.size(), corners_.size() + loop.size()});
    corners_.insert(corners_.end(), loop.begin(), loop.end());
  }
  std::span<const std::uint32_t> triangles_of(std::uint32_t r) const {
    return std::span(triangles_).subspan(regions_[r].first, regions_[r].last - regions_[r].first);
  }

  /// The region's one outline, if it has one that passes no corner twice.
  bool single_outline(std::uint32_t r, Loop& loop) const {
    if (const auto all = triangles_of(r); all.size() == 1) {
      loop.assign(s_.triangles[all[0]].begin(), s_.triangles[all[0]].end());
      std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
      return true;
    }
    std::map<std::uint32_t, std::uint32_t> next;
    for (const std::uint32_t t : triangles_of(r)) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t other = beyond(t, key(t, k));
        if (other != kNoTriangle && region_of_[other] == r) continue;
        if (!next.emplace(s_.triangles[t][k], s_.triangles[t][(k + 1) % 3]).second) return false;
      }
    }
    if (next.empty()) return false;
    std::uint32_t v = next.begin()->first;
    do {
      loop.push_back(v);
      const auto it = next.find(v);
      if (it == next.end()) return false;
      v = it->second;
    } while (v != loop[0] && loop.size() <= next.size());
    return loop.size() == next.size();
  }

  Vec3 corner(std::uint32_t v) const { return s_.vertices[v]; }

  /// Whether the loop turns to the left at its i-th corner, or goes straight on.
  bool turns_left(std::uint32_t r, Vec3 a, Vec3 b, Vec3 c) const {
    const Vec3 in = b - a, out = c - b;
    return dot(regions_[r].normal, cross(in, out)) >= -tolerance_ * std::max(norm(in), norm(out));
  }
  /// Convex, and once round.
  bool is_convex(std::uint32_t r, const Loop& whole) const {
    const Loop loop = without_straight_corners(whole);
    const std::size_t n = loop.size();
    if (n < 3) return false;
    const Vec3 normal = regions_[r].normal;
    double turned = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 a = corner(loop[i]), b = corner(loop[(i + 1) % n]), c = corner(loop[(i + 2) % n]);
      if (!turns_left(r, a, b, c)) return false;
      turned += std::atan2(dot(normal, cross(b - a, c - b)), dot(b - a, c - b));
    }
    return turned < 1.5 * 2 * 3.14159265358979323846;
  }
  Loop without_straight_corners(const Loop& loop) const {
    const std::size_t n = loop.size();
    Loop out;
    out.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 before = corner(out.empty() ? loop[(i + n - 1) % n] : out.back()), next = corner(loop[(i + 1) % n]);
      if (!is_straight(before, corner(loop[i]), next)) out.push_back(loop[i]);
    }
    return out;
  }
  bool is_straight(Vec3 a, Vec3 b, Vec3 c) const {
    const Vec3 d = c - a;
    const double length = norm(d);
    return length > 0 && dot(b - a, c - b) > 0 && norm(cross(b - a, d)) <= tolerance_ * length;
  }

  /// Greedy removal of inner edges, the longest first, as long as both ends stay convex (Hertel & Mehlhorn 1983).
  void merge_triangles(std::uint32_t r) {
    std::map<std::uint32_t, std::uint32_t> piece_of;  // triangle -> row of loops
    std::vector<Loop> loops;
    std::vector<std::uint32_t> into;
    struct Inner {
      double length;
      Key edge;
      std::uint32_t t, u;
    };
    std::vector<Inner> inner;
    for (const std::uint32_t t : triangles_of(r)) {
      piece_of[t] = static_cast<std::uint32_t>(loops.size());
      into.push_back(static_cast<std::uint32_t>(loops.size()));
      loops.emplace_back(s_.triangles[t].begin(), s_.triangles[t].end());
    }
    for (const std::uint32_t t : triangles_of(r)) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Key e = key(t, k);
        const std::uint32_t u = beyond(t, e);
        if (u == kNoTriangle || region_of_[u] != r || u < t) continue;
        inner.push_back({norm(corner(e.first) - corner(e.second)), e, t, u});
      }
    }
    std::sort(inner.begin(), inner.end(), [](const Inner& x, const Inner& y) {
      return x.length != y.length ? x.length > y.length : x.edge < y.edge;
    });
    const auto row = [&](std::uint32_t t) {
      std::uint32_t p = piece_of.at(t);
      while (into[p] != p) p = into[p];
      return p;
    };
    for (const Inner& e : inner) {
      const std::uint32_t p = row(e.t), q = row(e.u);
      if (p == q) continue;
      Loop joined;
      if (!join(loops[p], loops[q], joined) || without_straight_corners(joined).size() > kMostCorners ||
          !is_convex(r, joined))
        continue;
      loops[p] = std::move(joined), loops[q].clear(), into[q] = p;
    }
    for (std::uint32_t p = 0; p < loops.size(); ++p)
      if (into[p] == p) add_piece(r, loops[p]);
  }

  /// The loop around both, where what they share is one chain.
  static bool join(const Loop& a, const Loop& b, Loop& out) {
    const std::size_t n = a.size(), m = b.size();
    std::map<std::uint32_t, std::size_t> in_b;
    for (std::size_t j = 0; j < m; ++j) in_b[b[j]] = j;
    const auto shared = [&](std::size_t i) {  // is a[i] -> a[i+1] an edge of b, run the other way?
      const auto u = in_b.find(a[i % n]), v = in_b.find(a[(i + 1) % n]);
      return u != in_b.end() && v != in_b.end() && (v->second + 1) % m == u->second;
    };
    std::size_t start = n, chains = 0, length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!shared(i)) continue;
      ++length;
      if (!shared((i + n - 1) % n)) start = i, ++chains;
    }
    if (chains != 1 || length + 1 > n || length + 1 > m) return false;
    // Both meet in the chain alone.
    std::size_t common = 0;
    for (const std::uint32_t v : a) common += in_b.contains(v) ? 1 : 0;
    if (common != length + 1) return false;
    out.clear();
    for (std::size_t k = 0; k <= n - length; ++k) out.push_back(a[(start + length + k) % n]);
    const std::size_t from = in_b[a[start]];
    for (std::size_t k = 1; k + length < m; ++k) out.push_back(b[(from + k) % m]);
    return true;
  }

  // ---- edges of the facets

  struct Side {
    EdgeKind kind;
    std::uint32_t region;  ///< beyond
    Vec3 limit, beyond;
  };

  Side side(std::uint32_t r, std::uint32_t a, std::uint32_t b) const {
    const Vec3 n = regions_[r].normal, t = normalized(corner(b) - corner(a)), outward = cross(t, n);
    const auto here = at({std::min(a, b), std::max(a, b)});
    if (here.size() == 1) return {EdgeKind::rim, kNoTriangle, outward, n};
    if (here.size() > 2) {
      // Where one of the others goes on flat or smoothly, the surface does; of very many none is asked.
      if (here.size() > kMostAtEdge) return {EdgeKind::joint, kNoTriangle, outward, n};
      for (const auto& h : here) {
        const std::uint32_t other = region_of_[h.row];
        if (is_along(h.row, a, b)) continue;
        if (other == r) return {EdgeKind::flat, r, outward, n};
        if (dot(regions_[other].normal, n) > std::cos(kSmooth))
          return between(other, regions_[other].normal, t, outward);
      }
      return {EdgeKind::joint, kNoTriangle, outward, n};
    }
    const bool first_is_own = region_of_[here[0].row] == r && is_along(here[0].row, a, b);
    const std::uint32_t other = here[first_is_own ? 1 : 0].row, region = region_of_[other];
    if (region == r) return {EdgeKind::flat, r, outward, n};
    const Vec3 own = regions_[region].normal;  // of a one-sided strip it may look the other way
    return between(region, is_along(other, a, b) ? -own : own, t, outward);
  }
  Side between(std::uint32_t other, Vec3 beyond, Vec3 t, Vec3 outward) const {
    const Vec3 n = cross(outward, t),
               back = cross(beyond, t);  // the other's own outward direction: t runs the other way
    const Vec3 parts = outward - back;
    if (!(norm(parts) > 1e-6)) return {EdgeKind::rim, kNoTriangle, outward, n};  // folded back onto itself
    EdgeKind kind = dot(back, n) > 0 ? EdgeKind::ridge : EdgeKind::valley;
    if (dot(n, beyond) > std::cos(kEven)) kind = EdgeKind::smooth;
    return {kind, other, normalized(parts), beyond};
  }

  std::vector<Side> sides_along(std::uint32_t r, std::span<const std::uint32_t> loop) const {
    std::vector<Side> sides;
    sides.reserve(loop.size());
    for (std::size_t i = 0; i < loop.size(); ++i) sides.push_back(side(r, loop[i], loop[(i + 1) % loop.size()]));
    return sides;
  }

  /// Rows of the loop that stay: corners on straight sides go where the surface beyond is the same on both of their
  /// sides.
  std::vector<std::size_t> straightened(std::span<const std::uint32_t> loop, std::span<const Side> sides) const {
    const std::size_t n = loop.size();
    std::vector<std::size_t> out;
    out.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t before = (i + n - 1) % n;
      const Vec3 last = corner(loop[out.empty() ? before : out.back()]);
      if (is_straight(last, corner(loop[i]), corner(loop[(i + 1) % n]))) {
        const Side &x = sides[before], &y = sides[i];
        if (x.kind == y.kind && x.region == y.region) continue;
      }
      out.push_back(i);
    }
    return out;
  }

  struct Finished {
    std::vector<Edge> edges;
    std::vector<Neighbour> neighbours;
  };

  void finish() {
    // Which facet an edge, as it is run, belongs to.
    std::vector<EdgeTable::Row> runs;
    runs.reserve(corners_.size());
    for (std::uint32_t f = 0; f < pieces_.size(); ++f) {
      const std::span<const std::uint32_t> loop = loop_of(pieces_[f]);
      for (std::size_t i = 0; i < loop.size(); ++i) runs.push_back({loop[i], loop[(i + 1) % loop.size()], f, true});
    }
    const EdgeTable owners(runs, s_.vertices.size());
    m_.facets_.reserve(pieces_.size());
    m_.edges_.reserve(corners_.size());
    m_.neighbours_.reserve(corners_.size());
    m_.neighbour_start_.reserve(pieces_.size() + 1);
    m_.neighbour_start_.assign(1, 0);
    // What a piece meets lies anywhere in memory: threads wait for it side by side.
    constexpr std::size_t kBlock = 1 << 14;
    std::vector<Finished> block(std::min(kBlock, pieces_.size()));
    for (std::size_t first = 0; first < pieces_.size(); first += kBlock) {
      const std::size_t count = std::min(kBlock, pieces_.size() - first);
      exec::parallel_for(count, 256,
                         [&](std::size_t i) { finish_piece(static_cast<std::uint32_t>(first + i), owners, block[i]); });
      for (std::size_t i = 0; i < count; ++i) add_facet(regions_[pieces_[first + i].region], block[i]);
    }
  }
  void finish_piece(std::uint32_t f, const EdgeTable& owners, Finished& out) const {
    const std::uint32_t r = pieces_[f].region;
    const std::span<const std::uint32_t> loop = loop_of(pieces_[f]);
    const std::vector<Side> sides = sides_along(r, loop);
    out.edges.clear();
    out.neighbours.clear();
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const EdgeKind kind = sides[i].kind;
      const bool even = kind == EdgeKind::flat || kind == EdgeKind::smooth;
      if (sides[i].region == kNoTriangle) continue;
      for (const EdgeTable::Row& other : owners.at(loop[(i + 1) % loop.size()], loop[i])) {
        if (other.row != f && pieces_[other.row].region == sides[i].region)
          out.neighbours.push_back({other.row, even || kind == EdgeKind::ridge, even || kind == EdgeKind::valley});
      }
    }
    std::sort(out.neighbours.begin(), out.neighbours.end(),
              [](const Neighbour& x, const Neighbour& y) { return x.facet < y.facet; });
    const std::vector<std::size_t> corners = straightened(loop, sides);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec3 u = corner(loop[corners[i]]), d = corner(loop[corners[(i + 1) % corners.size()]]) - u;
      const Vec3 along = normalized(d);
      const Side& s = sides[corners[i]];  // the kind of the first stretch is that of all
      out.edges.push_back({u, along, norm(d), normalized(cross(along, regions_[r].normal)), s.limit, s.beyond, s.kind});
    }
  }
  void add_facet(const Region& r, const Finished& done) {
    const bool at_rim =
        std::any_of(done.edges.begin(), done.edges.end(), [](const Edge& e) { return e.kind == EdgeKind::rim; });
    m_.facets_.push_back({r.normal, r.offset, static_cast<std::uint32_t>(m_.edges_.size()),
                          static_cast<std::uint32_t>(done.edges.size()), at_rim});
    m_.edges_.insert(m_.edges_.end(), done.edges.begin(), done.edges.end());
    for (const Neighbour& n : done.neighbours) {  // each once
      if (m_.neighbours_.size() > m_.neighbour_start_.back() && m_.neighbours_.back().facet == n.facet) {
        m_.neighbours_.back().from_front |= n.from_front, m_.neighbours_.back().from_back |= n.from_back;
      } else {
        m_.neighbours_.push_back(n);
      }
    }
    m_.neighbour_start_.push_back(static_cast<std::uint32_t>(m_.neighbours_.size()));
  }
  std::span<const std::uint32_t> loop_of(const Piece& p) const {
    return std::span(corners_).subspan(p.first, p.last - p.first);
  }

  FacetMesh& m_;
  Surface& s_;
  double tolerance_;
  std::optional<EdgeTable> sides_;
  std::vector<std::uint32_t> region_of_;
  std::vector<std::uint32_t> triangles_;  // by region
  std::vector<Region> regions_;
  Loop corners_;  // by piece
  std::vector<Piece> pieces_;
};

FacetMesh::FacetMesh(Surface s) : surface_(std::move(s)), extent_(scree::extent(surface_)) {
  if (!surface_.vertices.empty()) low_ = high_ = surface_.vertices[0];
  for (const Vec3& v : surface_.vertices) grow(low_, high_, v, v);
  Builder(*this).build();
  build_tree();
}

FacetMesh::Foot FacetMesh::foot(std::size_t f, Vec3 x) const {
  const Facet& facet = facets_[f];
  const double height = dot(facet.normal, x) - facet.offset;
  const Edge* e = edges_.data() + facet.first_edge;
  double nearest = std::numeric_limits<double>::infinity();
  Vec3 point;
  for (std::uint32_t k = 0; k < facet.edges; ++k) {
    const Vec3 d = x - e[k].a;
    if (!(dot(e[k].outward, d) > 0)) continue;
    const Vec3 q = e[k].a + std::clamp(dot(e[k].along, d), 0.0, e[k].length) * e[k].along;
    const double d2 = norm2(x - q);
    if (d2 < nearest) nearest = d2, point = q;
  }
  if (std::isinf(nearest)) return {x - height * facet.normal, std::abs(height), height, true};
  return {point, std::sqrt(nearest), height, false};
}

bool FacetMesh::are_joined(std::size_t f, std::size_t g, bool from_front) const {
  const std::span<const Neighbour> all = neighbours(f);
  const auto it =
      std::lower_bound(all.begin(), all.end(), g, [](const Neighbour& n, std::size_t v) { return n.facet < v; });
  return it != all.end() && it->facet == g && (from_front ? it->from_front : it->from_back);
}

void FacetMesh::build_tree() {
  struct Item {
    Vec3 low, high;
    std::uint32_t facet;
  };
  std::vector<Item> items(facets_.size());
  for (std::uint32_t f = 0; f < items.size(); ++f) {
    items[f] = {edges(f)[0].a, edges(f)[0].a, f};
    for (const Edge& e : edges(f)) grow(items[f].low, items[f].high, e.a, e.a);
  }
  if (items.empty()) return;
  order_.reserve(items.size());
  nodes_.push_back({{}, {}, 0, static_cast<std::uint32_t>(items.size())});
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    const std::uint32_t first = nodes_[at].first, count = nodes_[at].count;
    const std::span<Item> here = std::span(items).subspan(first, count);
    Vec3 lo = here[0].low, hi = here[0].high;
    for (const Item& i : here) grow(lo, hi, i.low, i.high);
    nodes_[at].low = lo, nodes_[at].high = hi;
    if (count <= kLeaf) continue;
    const Vec3 size = hi - lo;
    const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    std::nth_element(here.begin(), here.begin() + count / 2, here.end(), [axis](const Item& a, const Item& b) {
      const double x = a.low[axis] + a.high[axis], y = b.low[axis] + b.high[axis];
      return x != y ? x < y : a.facet < b.facet;
    });
    const auto child = static_cast<std::uint32_t>(nodes_.size());
    nodes_[at].first = child, nodes_[at].count = 0;
    nodes_.push_back({{}, {}, first, count / 2});
    nodes_.push_back({{}, {}, first + count / 2, count - count / 2});
  }
  for (const Item& i : items) order_.push_back(i.facet);
}

template <class Visit>
void FacetMesh::walk(Vec3 x, double reach, Visit&& visit) const {
  if (nodes_.empty()) return;
  std::array<std::uint32_t, 96> open;  // halved at every level: far deeper than any tree of 2^32 facets
  std::size_t n = 0;
  open[n++] = 0;
  while (n > 0) {
    const Node& node = nodes_[open[--n]];
    double d2 = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = std::max({node.low[k] - x[k], 0.0, x[k] - node.high[k]});
      d2 += d * d;
    }
    if (d2 > reach * reach) continue;
    if (node.count == 0) {
      open[n++] = node.first, open[n++] = node.first + 1;
      continue;
    }
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
      if (foot(order_[i], x).distance <= reach && !visit(order_[i])) return;
    }
  }
}

bool FacetMesh::is_near(Vec3 x, double reach) const {
  bool near = false;
  walk(x, reach, [&](std::uint32_t) { return near = true, false; });
  return near;
}

void FacetMesh::find_near(Vec3 x, double reach, std::vector<std::uint32_t>& out) const {
  const std::size_t first = out.size();
  walk(x, reach, [&](std::uint32_t f) { return out.push_back(f), true; });
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
}

double FacetMesh::reach_about(Vec3 centre, Vec3 axis) const {
  double farthest = 0;
  for (const Vec3& v : surface_.vertices) farthest = std::max(farthest, norm2(cross(axis, v - centre)));
  return std::sqrt(farthest);
}

std::size_t FacetMesh::bytes() const {
  return surface_.vertices.capacity() * sizeof(Vec3) + surface_.triangles.capacity() * sizeof(surface_.triangles[0]) +
         facets_.capacity() * sizeof(Facet) + edges_.capacity() * sizeof(Edge) + nodes_.capacity() * sizeof(Node) +
         (order_.capacity() + neighbour_start_.capacity()) * sizeof(std::uint32_t) +
         neighbours_.capacity() * sizeof(Neighbour);
}

}  // namespace scree

#include "geometry/surface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "geometry/edge_table.h"
#include "geometry/thinned_hull.h"

namespace scree {
namespace {

constexpr std::uint32_t kNoVertex = std::numeric_limits<std::uint32_t>::max();

/// A cell of the welding grid, the bits of a vertex, the corners of a triangle.
template <class Integer>
using Three = std::array<Integer, 3>;
template <class Integer>
std::size_t hash_of(const Three<Integer>& c) {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL;
  for (const Integer v : c) h = (h ^ static_cast<std::uint64_t>(v)) * 0xff51afd7ed558ccdULL, h ^= h >> 32;
  return h;
}

/// Which row was the first with a key: keys are the rows' own, so that one number a row is kept.
template <class KeyOf>
class FirstRows {
 public:
  FirstRows(std::size_t most, KeyOf key_of) : slots_(std::bit_ceil(2 * most + 2), kNoVertex), key_of_(key_of) {}
  template <class Key>
  std::uint32_t& slot(const Key& key) {
    std::size_t at = hash_of(key) & (slots_.size() - 1);
    while (slots_[at] != kNoVertex && key_of_(slots_[at]) != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

 private:
  std::vector<std::uint32_t> slots_;
  KeyOf key_of_;
};

/// For each vertex the first one within `distance` of it.
std::vector<std::uint32_t> weld_map(const std::vector<Vec3>& v, double distance) {
  std::vector<std::uint32_t> to(v.size());
  // Most are drawn again and again, bit by bit the same, which go where their first one has gone.
  FirstRows same(v.size(), [&](std::uint32_t i) { return std::bit_cast<Three<std::uint64_t>>(v[i]); });
  // Cells so wide that most vertices have those within the distance in one, and each within rounding of that.
  const double width = 4 * distance, reach = 1.001 * distance;
  const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / width)); };
  const auto cell_of = [&](std::uint32_t i) {
    const Vec3 p = v[i] - v[0];  // position costs no range
    return Three<std::int64_t>{cell(p.x), cell(p.y), cell(p.z)};
  };
  FirstRows grid(v.size(), cell_of);
  std::vector<std::uint32_t> next(v.size(), kNoVertex);  // of the same cell
  for (std::uint32_t i = 0; i < v.size(); ++i) {
    std::uint32_t& first = same.slot(std::bit_cast<Three<std::uint64_t>>(v[i]));
    if (first != kNoVertex) {
      to[i] = to[first];
      continue;
    }
    first = i;
    const Vec3 p = v[i] - v[0];
    std::uint32_t found = kNoVertex;
    for (std::int64_t x = cell(p.x - reach); x <= cell(p.x + reach); ++x) {
      for (std::int64_t y = cell(p.y - reach); y <= cell(p.y + reach); ++y) {
        for (std::int64_t z = cell(p.z - reach); z <= cell(p.z + reach); ++z) {
          for (std::uint32_t j = grid.slot(Three<std::int64_t>{x, y, z}); j != kNoVertex; j = next[j])
            if (norm(v[i] - v[j]) <= distance) found = std::min(found, j);
        }
      }
    }
    to[i] = found == kNoVertex ? i : found;
    if (found != kNoVertex) continue;
    std::uint32_t& head = grid.slot(cell_of(i));
    if (head == kNoVertex) {
      head = i;
    } else {
      next[i] = next[head], next[head] = i;
    }
  }
  return to;
}

void drop_unused(Surface& s) {
  std::vector<std::uint32_t> to(s.vertices.size(), kNoVertex);
  std::vector<Vec3> used;
  for (auto& t : s.triangles) {
    for (std::uint32_t& i : t) {
      if (to[i] == kNoVertex) to[i] = static_cast<std::uint32_t>(used.size()), used.push_back(s.vertices[i]);
      i = to[i];
    }
  }
  s.vertices = std::move(used);
}

/// Neighbours over edges with exactly two triangles, and whether both run the same way there (they should not).
struct Link {
  std::uint32_t triangle;
  bool same_way;
};

/// At most one for each of a triangle's edges.
struct Links {
  std::array<Link, 3> of;
  std::size_t count = 0;
  std::span<const Link> all() const { return std::span(of).first(count); }
};

std::vector<Links> links_of(const Surface& s, const EdgeTable& edges) {
  std::vector<Links> links(s.triangles.size());
  const auto link = [&](std::uint32_t from, std::uint32_t to, bool same_way) {
    links[from].of[links[from].count++] = {to, same_way};
  };
  for_each_edge(edges, [&](std::span<const EdgeTable::Row> here) {
    if (here.size() != 2) return;
    const bool same = here[0].along == here[1].along;
    link(here[0].row, here[1].row, same);
    link(here[1].row, here[0].row, same);
  });
  return links;
}

double six_volumes(const Surface& s, Vec3 o, const std::array<std::uint32_t, 3>& t) {
  return dot(s.vertices[t[0]] - o, cross(s.vertices[t[1]] - o, s.vertices[t[2]] - o));
}

/// Turns triangles, piece by piece, to run with the first of the piece; then whole pieces.
void orient(Surface& s, Turn how, Repairs& done) {
  const std::vector<Links> links = links_of(s, triangles_at_edges(s));
  std::vector<char> seen(s.triangles.size(), 0), turn(s.triangles.size(), 0);
  for (std::uint32_t first = 0; first < s.triangles.size(); ++first) {
    if (seen[first] != 0) continue;
    std::vector<std::uint32_t> piece{first};
    seen[first] = 1;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      for (const Link& l : links[piece[i]].all()) {
        if (seen[l.triangle] != 0) continue;
        seen[l.triangle] = 1;
        turn[l.triangle] = static_cast<char>((turn[piece[i]] != 0) != l.same_way);
        piece.push_back(l.triangle);
      }
    }
    const Vec3 o = s.vertices[s.triangles[first][0]];
    double volume = 0;
    for (const std::uint32_t t : piece) volume += (turn[t] != 0 ? -1 : 1) * six_volumes(s, o, s.triangles[t]);
    const auto against = std::count_if(piece.begin(), piece.end(), [&](std::uint32_t t) { return turn[t] != 0; });
    const bool most = 2 * static_cast<std::size_t>(against) > piece.size();
    if (how == Turn::outward ? volume < 0 : most) {
      for (const std::uint32_t t : piece) turn[t] = static_cast<char>(turn[t] == 0);
    }
    const auto turned = static_cast<std::size_t>(
        std::count_if(piece.begin(), piece.end(), [&](std::uint32_t t) { return turn[t] != 0; }));
    if (turned == piece.size()) {
      done.inside_out = true;
    } else {
      done.turned += turned;
    }
  }
  for (std::size_t t = 0; t < turn.size(); ++t) {
    if (turn[t] != 0) std::swap(s.triangles[t][1], s.triangles[t][2]);
  }
}

struct Box {
  Vec3 lo, hi;
};

Box box_of(const Surface& s, std::size_t t) {
  Box b{s.vertices[s.triangles[t][0]], s.vertices[s.triangles[t][0]]};
  for (const std::uint32_t i : s.triangles[t]) {
    for (std::size_t k = 0; k < 3; ++k) {
      b.lo[k] = std::min(b.lo[k], s.vertices[i][k]);
      b.hi[k] = std::max(b.hi[k], s.vertices[i][k]);
    }
  }
  return b;
}

bool overlap(const Box& a, const Box& b) {
  return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
         b.lo.z <= a.hi.z;
}

/// The segment pq goes clearly through the inside of abc; `clear` is a length.
bool pierces(Vec3 p, Vec3 q, const std::array<Vec3, 3>& t, double clear) {
  const Vec3 n = normalized(cross(t[1] - t[0], t[2] - t[0]));
  const double hp = dot(n, p - t[0]), hq = dot(n, q - t[0]);
  if (!(std::min(hp, hq) < -clear && std::max(hp, hq) > clear)) return false;
  const Vec3 x = p + hp / (hp - hq) * (q - p);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 edge = normalized(t[(k + 1) % 3] - t[k]);
    if (!(dot(n, cross(edge, x - t[k])) > clear)) return false;
  }
  return true;
}

bool cross_each_other(const Surface& s, std::size_t a, std::size_t b, double clear) {
  const auto corners = [&](std::size_t t) {
    const auto& i = s.triangles[t];
    return std::array<Vec3, 3>{s.vertices[i[0]], s.vertices[i[1]], s.vertices[i[2]]};
  };
  const auto pa = corners(a), pb = corners(b);
  for (std::size_t k = 0; k < 3; ++k) {
    if (pierces(pa[k], pa[(k + 1) % 3], pb, clear) || pierces(pb[k], pb[(k + 1) % 3], pa, clear)) return true;
  }
  return false;
}

}  // namespace

double extent(const Surface& s) {
  if (s.vertices.empty()) return 0;
  Box b{s.vertices[0], s.vertices[0]};
  for (const Vec3& v : s.vertices) {
    for (std::size_t k = 0; k < 3; ++k) b.lo[k] = std::min(b.lo[k], v[k]), b.hi[k] = std::max(b.hi[k], v[k]);
  }
  const Vec3 d = b.hi - b.lo;
  return std::max({d.x, d.y, d.z});
}

Repairs repair(Surface& s, double tolerance, Turn turn) {
  Repairs done;
  if (!s.vertices.empty()) {
    const double size = extent(s);
    const auto to = weld_map(s.vertices, size > 0 ? tolerance * size : 1);
    for (auto& t : s.triangles) {
      for (std::uint32_t& i : t) i = to[i];
    }
  }
  std::vector<Three<std::uint32_t>> kept;
  kept.reserve(s.triangles.size());
  const auto sorted = [](Three<std::uint32_t> t) { return std::sort(t.begin(), t.end()), t; };
  FirstRows drawn(s.triangles.size(), [&](std::uint32_t row) { return sorted(kept[row]); });
  for (const auto& t : s.triangles) {
    const Three<std::uint32_t> key = sorted(t);
    if (key[0] == key[1] || key[1] == key[2]) {
      ++done.degenerate;
    } else if (std::uint32_t& row = drawn.slot(key); row != kNoVertex) {
      ++done.duplicates;
    } else {
      row = static_cast<std::uint32_t>(kept.size());
      kept.push_back(t);
    }
  }
  s.triangles = std::move(kept);
  drop_unused(s);
  orient(s, turn, done);
  return done;
}

Defects find_defects(const Surface& s) {
  Defects d;
  const EdgeTable edges = triangles_at_edges(s);
  for_each_edge(edges, [&](std::span<const EdgeTable::Row> here) {
    if (here.size() == 1) {
      if (d.open_edges++ == 0) d.open_edge = {s.vertices[here[0].a], s.vertices[here[0].b]};
    } else if (here.size() > 2) {
      ++d.branched_edges;
    } else if (here[0].along == here[1].along) {
      d.orientable = false;
    }
  });
  const std::vector<Links> links = links_of(s, edges);
  std::vector<char> seen(s.triangles.size(), 0);
  std::vector<std::uint32_t> open;
  for (std::uint32_t first = 0; first < s.triangles.size(); ++first) {
    if (seen[first] != 0) continue;
    ++d.pieces;
    open.assign(1, first);
    seen[first] = 1;
    while (!open.empty()) {
      const std::uint32_t t = open.back();
      open.pop_back();
      for (const Link& l : links[t].all()) {
        if (seen[l.triangle] == 0) seen[l.triangle] = 1, open.push_back(l.triangle);
      }
    }
  }
  for (const auto& t : s.triangles) d.volume += six_volumes(s, s.vertices[0], t) / 6;
  return d;
}

Crossings find_crossings(const Surface& s) {
  constexpr std::size_t max_pairs = 20'000'000;
  Crossings found;
  const double clear = 1e-7 * extent(s);
  std::vector<Box> boxes;
  for (std::size_t t = 0; t < s.triangles.size(); ++t) boxes.push_back(box_of(s, t));
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return boxes[a].lo.x < boxes[b].lo.x; });
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size() && boxes[order[j]].lo.x <= boxes[order[i]].hi.x; ++j) {
      if (++pairs > max_pairs) return found.complete = false, found;
      const std::size_t a = order[i], b = order[j];
      if (!overlap(boxes[a], boxes[b]) || !cross_each_other(s, a, b, clear)) continue;
      if (found.count++ == 0) {
        const auto& t = s.triangles[a];
        found.at = (s.vertices[t[0]] + s.vertices[t[1]] + s.vertices[t[2]]) / 3;
      }
    }
  }
  return found;
}

double deepest_dent(const Surface& s, const Polyhedron& hull) {
  return deepest_dent(s, HullPlanes{hull.face_normals, hull.face_offsets, 0});
}

}  // namespace scree

#include "geometry/decompose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "geometry/cut_piece.h"
#include "geometry/extent.h"
#include "geometry/moments.h"
#include "geometry/qhull.h"

namespace scree {

namespace {

using namespace cut;

std::vector<Vec3> corners_of(const Piece& p) {
  std::vector<Vec3> x;
  for (const Face& f : p.faces) x.insert(x.end(), f.corners.begin(), f.corners.end());
  std::sort(x.begin(), x.end(), before);
  x.erase(std::unique(x.begin(), x.end()), x.end());
  return x;
}

/// How far the piece is from its hull; false: it has none, being flat.
bool measure(Piece& p) {
  const std::vector<Vec3> x = corners_of(p);
  if (x.size() < 4) return false;
  const auto hull = qhull::triangulated_hull(x);
  if (!hull) return false;
  std::vector<Plane> planes;
  double six = 0;
  for (const auto& t : *hull) {
    const Vec3 a = x[t[0]], b = x[t[1]], c = x[t[2]], n = cross(b - a, c - a);
    six += dot(a - x[0], n);
    // A needle has any normal; its neighbours lie in its plane.
    const double longest = std::sqrt(std::max({norm2(b - a), norm2(c - b), norm2(a - c)}));
    if (norm(n) > 1e-5 * longest) planes.push_back({normalized(n), dot(normalized(n), a)});
  }
  p.excess = std::max(0.0, six / 6 - p.volume), p.depth = 0;
  const auto look = [&](Vec3 at) {
    double d = std::numeric_limits<double>::infinity();
    for (const Plane& plane : planes) {
      d = std::min(d, plane.offset - dot(plane.normal, at));
      if (d <= p.depth) return;
    }
    p.depth = d;
  };
  for (const Face& f : p.faces) {
    if (!f.drawn) continue;
    Vec3 middle;
    for (std::size_t k = 0; k < f.corners.size(); ++k) {
      const Vec3 a = f.corners[k], b = f.corners[(k + 1) % f.corners.size()];
      look(a), look(0.5 * (a + b));
      middle += a / static_cast<double>(f.corners.size());
    }
    look(middle);
  }
  return true;
}

class Decomposer {
 public:
  Decomposer(double volume, const DecomposeOptions& options) : volume_(volume), options_(options) {}

  std::vector<Piece> run(Piece whole, bool& complete) {
    std::vector<Piece> pieces;
    if (!rate(whole)) return pieces;
    pieces.push_back(std::move(whole));
    const auto done = [&] {
      double excess = 0, depth = 0;
      for (const Piece& p : pieces) excess += p.excess, depth = std::max(depth, p.depth);
      return depth <= options_.tolerance && excess <= options_.tolerance * volume_;
    };
    while (!done()) {
      const auto worst = std::max_element(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
        return (a.whole ? 0 : a.score) < (b.whole ? 0 : b.score);
      });
      if (worst->whole || pieces.size() >= options_.most) break;
      std::vector<Piece> cut = best_cut(*worst, options_.most - pieces.size() + 1);
      if (cut.empty()) {
        worst->whole = true;
        continue;
      }
      *worst = std::move(cut.back());
      cut.pop_back();
      for (Piece& p : cut) pieces.push_back(std::move(p));
    }
    complete = done();
    return pieces;
  }

 private:
  bool rate(Piece& p) const {
    if (!measure(p)) return false;
    p.score = std::max(p.depth, p.excess / volume_);
    return true;
  }

  std::vector<Plane> candidates(const Piece& p) const {
    std::vector<const Seam*> edges;
    for (const Seam& s : p.seams)
      if (s.concave) edges.push_back(&s);
    // The long and sharp ones, as many as there is time for.
    const auto weight = [&](const Seam* s) {
      return norm(s->b - s->a) * norm(p.faces[s->f].normal - p.faces[s->g].normal);
    };
    std::stable_sort(edges.begin(), edges.end(), [&](const Seam* a, const Seam* b) { return weight(a) > weight(b); });
    const std::size_t most = std::clamp<std::size_t>(20'000 / p.faces.size(), 6, 40);
    std::vector<Plane> planes;
    const auto take = [&](Vec3 n, Vec3 at) {
      if (!(norm2(n) > 1e-12)) return;
      n = normalized(n);
      const double offset = dot(n, at);
      for (const Plane& q : planes) {
        const double side = dot(q.normal, n) < 0 ? -1 : 1;
        if (norm(side * n - q.normal) < 1e-6 && std::abs(side * offset - q.offset) < 1e-6) return;
      }
      planes.push_back({n, offset});
    };
    for (const Seam* s : edges) {
      const Vec3 f = p.faces[s->f].normal, g = p.faces[s->g].normal, at = 0.5 * (s->a + s->b);
      take(f, at), take(g, at), take(f - g, at);
      if (planes.size() >= most) break;
    }
    // Nothing concave is left where pieces touch in a line: then across, through the middle.
    if (planes.empty()) {
      Vec3 middle;
      std::size_t n = 0;
      for (const Face& f : p.faces)
        for (const Vec3& x : f.corners) middle += x, ++n;
      for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) take(axis, middle / static_cast<double>(n));
    }
    return planes;
  }

  /// Empty: no plane cuts the piece into more than one and at most `most`.
  std::vector<Piece> best_cut(const Piece& p, std::size_t most) const {
    std::vector<Piece> best;
    double least = std::numeric_limits<double>::infinity();
    for (const Plane& plane : candidates(p)) {
      std::vector<Piece> pieces = separated(clipped(p, plane));
      for (Piece& other : separated(clipped(p, {-1.0 * plane.normal, -plane.offset})))
        pieces.push_back(std::move(other));
      if (pieces.size() < 2 || pieces.size() > most) continue;
      // What is left: the worst dent, the volume of all of them, and a little for each piece.
      double deepest = 0, excess = 0;
      bool flat = false;
      for (Piece& q : pieces) {
        flat = flat || !rate(q);
        deepest = std::max(deepest, q.depth), excess += q.excess;
      }
      const double left = deepest + excess / volume_ + 0.002 * static_cast<double>(pieces.size());
      if (!flat && left < least - 1e-9) least = left, best = std::move(pieces);
    }
    return best;
  }

  double volume_;
  DecomposeOptions options_;
};

Piece piece_of(const Surface& s) {
  Piece p;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> side;
  for (const auto& t : s.triangles) {
    const Vec3 a = s.vertices[t[0]], b = s.vertices[t[1]], c = s.vertices[t[2]];
    const std::size_t id = p.faces.size();
    p.faces.push_back({{a, b, c}, normalized(cross(b - a, c - a))});
    for (std::size_t k = 0; k < 3; ++k) side[{t[k], t[(k + 1) % 3]}] = id;
  }
  for (const auto& [edge, f] : side) {
    if (edge.first > edge.second) continue;
    const std::size_t g = side.at({edge.second, edge.first});
    const Vec3 a = s.vertices[edge.first], b = s.vertices[edge.second];
    // From the left face's normal to the right one's is a turn about the edge, counter-clockwise where the solid
    // bulges.
    const double turn = dot(cross(p.faces[f].normal, p.faces[g].normal), normalized(b - a));
    p.seams.push_back({f, g, a, b, turn < -1e-6});
  }
  p.volume = volume_of(p.faces);
  return p;
}

std::string text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", x);
  return buffer;
}
std::string text(Vec3 x) { return "(" + text(x.x) + ", " + text(x.y) + ", " + text(x.z) + ")"; }

Moments moments_of(const std::vector<Face>& faces) {
  Moments m{};
  for (const Face& f : faces) {
    for (std::size_t k = 1; k + 1 < f.corners.size(); ++k) {
      const Vec3 a = f.corners[0], b = f.corners[k], c = f.corners[k + 1], sum = a + b + c;
      const double det = dot(a, cross(b, c));
      const auto second = [&](std::size_t i, std::size_t j) {
        return det / 120 * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
      };
      add(m, {det / 6, det / 24 * sum.x, det / 24 * sum.y, det / 24 * sum.z, second(0, 0), second(1, 1), second(2, 2),
              second(0, 1), second(0, 2), second(1, 2)});
    }
  }
  return m;
}

/// A hull every corner of which is one again when the hull is taken of them, as the reader of a file does.
Result<Polyhedron> settled_hull(const std::vector<Vec3>& x) {
  Result<Polyhedron> hull = convex_hull(x);
  for (int k = 0; k < 8 && hull; ++k) {
    Result<Polyhedron> again = convex_hull(hull->vertices);
    if (again && again->vertices.size() == hull->vertices.size()) return hull;
    hull = std::move(again);
  }
  return hull;
}

/// With no more corners than a part may have: those farthest out in evenly spread directions.
Result<Polyhedron> limited_hull(const std::vector<Vec3>& x) {
  constexpr std::size_t kPlenty = 100;
  Result<Polyhedron> hull = settled_hull(x);
  if (hull && hull->vertices.size() <= kPlenty) return hull;
  for (std::size_t n = kPlenty; n >= 12; n /= 2) {
    std::vector<Vec3> out;
    for (std::size_t k = 0; k < n; ++k) {
      const double z = -1 + (2 * static_cast<double>(k) + 1) / static_cast<double>(n), r = std::sqrt(1 - z * z);
      const double angle = 2.39996322972865332 * static_cast<double>(k);  // the golden angle
      const Vec3 way{r * std::cos(angle), r * std::sin(angle), z};
      out.push_back(*std::max_element(x.begin(), x.end(), [&](Vec3 a, Vec3 b) { return dot(a, way) < dot(b, way); }));
    }
    std::sort(out.begin(), out.end(), before);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    hull = settled_hull(out);
    if (hull) return hull;
  }
  return hull;
}

double shared_volume(const Polyhedron& a, const Polyhedron& b, Vec3 middle, double size) {
  const auto box = [](const Polyhedron& p) {
    std::array<Vec3, 2> lowhigh = {p.vertices[0], p.vertices[0]};
    for (const Vec3& v : p.vertices)
      for (std::size_t k = 0; k < 3; ++k)
        lowhigh[0][k] = std::min(lowhigh[0][k], v[k]), lowhigh[1][k] = std::max(lowhigh[1][k], v[k]);
    return lowhigh;
  };
  const auto [a0, a1] = box(a);
  const auto [b0, b1] = box(b);
  for (std::size_t k = 0; k < 3; ++k)
    if (a0[k] >= b1[k] || b0[k] >= a1[k]) return 0;
  Piece rest;
  for (std::size_t f = 0; f < a.face_normals.size(); ++f) {
    Face face{{}, a.face_normals[f]};
    for (const std::uint16_t v : a.loop(f)) face.corners.push_back((a.vertices[v] - middle) / size);
    rest.faces.push_back(std::move(face));
  }
  for (std::size_t f = 0; f < b.face_normals.size() && !rest.faces.empty(); ++f) {
    const Vec3 n = b.face_normals[f];
    rest = clipped(rest, {-1.0 * n, (dot(n, middle) - b.face_offsets[f]) / size});
  }
  return std::max(0.0, volume_of(rest.faces)) * size * size * size;
}

}  // namespace

Status check_solid(const Surface& s) {
  const Defects d = find_defects(s);
  if (d.open_edges > 0)
    return Error{"open: " + std::to_string(d.open_edges) + " edges with a face on one side only, the first from " +
                 text(d.open_edge[0]) + " to " + text(d.open_edge[1]) + "; only a closed surface has an inside"};
  if (d.branched_edges > 0)
    return Error{"branched: " + std::to_string(d.branched_edges) +
                 " edges with more than two faces; what touches itself along an edge has to be drawn apart"};
  if (!d.orientable) return Error{"without an inside (one-sided, like a Moebius strip)"};
  std::size_t outer = 0;
  Piece all = piece_of(s);
  for (const Seam& seam : all.seams) {
    if (dot(all.faces[seam.f].normal, all.faces[seam.g].normal) < -1 + 1e-9)
      return Error{"folded: two triangles lie on each other from " + text(seam.a) + " to " + text(seam.b) +
                   "; concave polygons have to be drawn as triangles"};
  }
  // Each sheet by itself: signs of their volumes.
  const std::vector<std::size_t> sheet = sheet_of_faces(all);
  std::map<std::size_t, std::vector<Face>> sheets;
  for (std::size_t f = 0; f < all.faces.size(); ++f) sheets[sheet[f]].push_back(all.faces[f]);
  for (const auto& [id, faces] : sheets) outer += volume_of(faces) > 0 ? 1 : 0;
  if (outer == 0)
    return Error{"inside out: its faces run clockwise seen from outside; turn them round in the drawing program"};
  if (outer > 1)
    return Error{"in " + std::to_string(outer) +
                 " separate pieces that face outwards; a grain is one piece, and the faces of a cavity face into it"};
  for (const auto& [id, faces] : sheets) {
    if (volume_of(faces) > 0) continue;
    for (const auto& [other, around] : sheets)
      if (volume_of(around) > 0 && winding(around, faces[0].corners[0]) < 0.5)
        return Error{"a piece of it is inside out, and no cavity of the other: near " + text(faces[0].corners[0])};
  }
  if (const Crossings c = find_crossings(s); c.count > 0)
    return Error{"self-intersecting: " + std::to_string(c.count) +
                 " pairs of triangles cut through each other, the first near " + text(c.at)};
  return ok();
}

Result<Decomposition> decompose(const Surface& surface, const DecomposeOptions& options) {
  if (surface.triangles.size() > kMaxDecomposed)
    return Error{std::to_string(surface.triangles.size()) + " triangles; the limit for a decomposition is " +
                 std::to_string(kMaxDecomposed) + "; simplify the drawing"};
  if (!(options.tolerance > 0) || options.most < 1)
    return Error{"the tolerance and the number of parts have to be above 0"};
  const double size = extent(surface);
  if (!(size > kLeastExtent) || !(size < kMostExtent)) return Error{"the extent is outside 1e-50 to 1e50"};
  Vec3 low = surface.vertices[0], high = low;
  for (const Vec3& v : surface.vertices)
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], v[k]), high[k] = std::max(high[k], v[k]);
  const Vec3 middle = low + 0.5 * (high - low);
  Surface unit = surface;
  for (Vec3& v : unit.vertices) v = (v - middle) / size;
  if (Status fits = check_solid(unit); !fits) return fits.error();
  Piece whole = piece_of(unit);
  const double volume = whole.volume;
  if (!(volume > kSliver)) return Error{"flat: it holds no volume"};

  Decomposition result;
  result.whole = properties_of(moments_of(whole.faces), {});
  result.whole.volume *= size * size * size;
  result.whole.centroid = middle + size * result.whole.centroid;
  for (Vec3& row : result.whole.inertia.row) row *= std::pow(size, 5);
  const std::vector<Piece> pieces = Decomposer(volume, options).run(std::move(whole), result.complete);
  for (const Piece& p : pieces) {
    result.deepest_dent = std::max(result.deepest_dent, p.depth);
    std::vector<Vec3> corners = corners_of(p);
    for (Vec3& x : corners) x = middle + size * x;
    Result<Polyhedron> part = limited_hull(corners);
    // A sliver thinner than the tolerance of a polyhedron; its volume counts as missing.
    if (!part) continue;
    result.parts_volume += mass_properties(*part).volume;
    for (const Polyhedron& other : result.parts) result.shared_volume += shared_volume(*part, other, middle, size);
    result.parts.push_back(std::move(*part));
  }
  if (result.parts.empty()) return Error{"flat: no part of it is a polyhedron"};
  return result;
}

}  // namespace scree

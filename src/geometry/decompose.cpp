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

#include "geometry/extent.h"
#include "geometry/moments.h"
#include "geometry/qhull.h"

// A piece is the solid cut by some planes: convex faces, and which of them meet along which line. A cut clips faces and
// lines, and closes the piece with the cross-section, found by sweeping a line over the segments in which the faces
// meet the plane. No step follows a loop of edges, so none can lose its way; corners need not match.

namespace scree {

namespace {

constexpr double kFlat = 1e-9;    // of the longest side: nearer to a plane counts as on it
constexpr double kSliver = 1e-9;  // of the volume: pieces below it go

using Polygon = std::vector<Vec3>;

struct Face {
  Polygon corners;  ///< convex, counter-clockwise from outside
  Vec3 normal;
  bool drawn = true;  ///< of the surface, not of a cut
};

/// Where two faces meet.
struct Seam {
  std::size_t f, g;
  Vec3 a, b;
  bool concave = false;
};

struct Piece {
  std::vector<Face> faces;
  std::vector<Seam> seams;
  double volume = 0;
  // Beside its hull:
  double excess = 0;  ///< volume
  double depth = 0;
  double score = 0;
  bool whole = false;  ///< not to be cut any more
};

struct Plane {
  Vec3 normal;
  double offset;
  double height(Vec3 x) const {
    const double d = dot(normal, x) - offset;
    return std::abs(d) <= kFlat ? 0 : d;
  }
};

double volume_of(const std::vector<Face>& faces) {
  double six = 0;
  const Vec3 o = faces.empty() ? Vec3{} : faces[0].corners[0];
  for (const Face& f : faces)
    for (std::size_t k = 1; k + 1 < f.corners.size(); ++k)
      six += dot(f.corners[0] - o, cross(f.corners[k] - o, f.corners[k + 1] - o));
  return six / 6;
}

bool before(Vec3 a, Vec3 b) { return std::array{a.x, a.y, a.z} < std::array{b.x, b.y, b.z}; }

/// Where the plane meets a segment across it; the same bits from either end.
Vec3 crossing(Vec3 a, double at_a, Vec3 b, double at_b) {
  if (at_a == 0) return a;
  if (at_b == 0) return b;
  if (before(b, a)) std::swap(a, b), std::swap(at_a, at_b);
  return a + at_a / (at_a - at_b) * (b - a);
}

/// A segment of the cross-section, in the frame u, v of the plane.
struct Chord {
  double u0, v0, u1, v1;  ///< v0 < v1
  bool enters;            ///< the solid is on the side of larger u
  std::size_t face;
  double at(double v) const { return u0 + (u1 - u0) * ((v - v0) / (v1 - v0)); }
};

/// What of the piece lies on the positive side of a plane; a face in the plane counts as cut.
class Clip {
 public:
  Clip(const Piece& from, const Plane& plane) : plane_(plane) {
    u_ = any_perpendicular(plane.normal), v_ = cross(plane.normal, u_);
    std::vector<std::size_t> now(from.faces.size(), kGone);
    for (std::size_t f = 0; f < from.faces.size(); ++f) now[f] = clip(from.faces[f]);
    for (const Seam& s : from.seams) {
      if (now[s.f] == kGone || now[s.g] == kGone) continue;
      const double a = plane.height(s.a), b = plane.height(s.b);
      if (!(a > 0) && !(b > 0)) continue;
      Seam kept{now[s.f], now[s.g], s.a, s.b, s.concave};
      if (!(a > 0)) kept.a = crossing(s.a, a, s.b, b);
      if (!(b > 0)) kept.b = crossing(s.a, a, s.b, b);
      out_.seams.push_back(kept);
    }
    close();
  }

  Piece take() { return std::move(out_); }

 private:
  static constexpr std::size_t kGone = std::numeric_limits<std::size_t>::max();

  std::size_t clip(const Face& face) {
    Face kept{{}, face.normal, face.drawn};
    std::array<Vec3, 2> ends;
    std::size_t crossings = 0;
    for (std::size_t k = 0; k < face.corners.size(); ++k) {
      const Vec3 a = face.corners[k], b = face.corners[(k + 1) % face.corners.size()];
      const double at_a = plane_.height(a), at_b = plane_.height(b);
      if (at_a > 0) kept.corners.push_back(a);
      if ((at_a > 0) == (at_b > 0)) continue;
      const Vec3 x = crossing(a, at_a, b, at_b);
      kept.corners.push_back(x);
      if (crossings < 2) ends[crossings] = x;
      ++crossings;
    }
    if (kept.corners.size() < 3) return kGone;
    out_.faces.push_back(std::move(kept));
    const std::size_t id = out_.faces.size() - 1;
    if (crossings == 2) add_chord(ends[0], ends[1], face.normal, id);
    return id;
  }

  void add_chord(Vec3 a, Vec3 b, Vec3 normal, std::size_t face) {
    Chord c{dot(a, u_), dot(a, v_), dot(b, u_), dot(b, v_), dot(normal, u_) < 0, face};
    if (c.v0 > c.v1) std::swap(c.v0, c.v1), std::swap(c.u0, c.u1);
    (c.v1 - c.v0 > kFlat ? chords_ : level_).push_back(c);
  }

  Vec3 place(double u, double v) const { return u * u_ + v * v_ + plane_.offset * plane_.normal; }

  struct Span {
    std::size_t left, right;  ///< chords
    double from;
  };

  /// Trapezoids between chords, from one height at which chords begin or end to the next.
  void close() {
    std::vector<double> heights;
    for (const Chord& c : chords_) heights.push_back(c.v0), heights.push_back(c.v1);
    std::sort(heights.begin(), heights.end());
    std::vector<double> stops;
    for (const double h : heights)
      if (stops.empty() || h - stops.back() > kFlat) stops.push_back(h);
    std::vector<Span> open, next;
    std::vector<std::pair<double, std::size_t>> across;
    for (std::size_t k = 0; k + 1 < stops.size(); ++k) {
      const double middle = 0.5 * (stops[k] + stops[k + 1]);
      across.clear();
      for (std::size_t c = 0; c < chords_.size(); ++c)
        if (chords_[c].v0 < middle && middle < chords_[c].v1) across.emplace_back(chords_[c].at(middle), c);
      std::sort(across.begin(), across.end());
      next.clear();
      int depth = 0;
      for (std::size_t i = 0; i < across.size(); ++i) {
        depth += chords_[across[i].second].enters ? 1 : -1;
        if (depth <= 0 || i + 1 == across.size() || !(across[i + 1].first > across[i].first)) continue;
        const std::size_t l = across[i].second, r = across[i + 1].second;
        const auto same =
            std::find_if(open.begin(), open.end(), [&](const Span& s) { return s.left == l && s.right == r; });
        next.push_back(same == open.end() ? Span{l, r, stops[k]} : *same);
      }
      for (const Span& s : open) {
        const bool goes_on = std::any_of(next.begin(), next.end(),
                                         [&](const Span& n) { return n.left == s.left && n.right == s.right; });
        if (!goes_on) add_trapezoid(s, stops[k]);
      }
      std::swap(open, next);
    }
    for (const Span& s : open) add_trapezoid(s, stops.back());
    // What touches a trapezoid's level sides: others, and faces.
    for (const Cap& cap : caps_) {
      for (const Cap& other : caps_)
        if (std::abs(cap.to - other.from) <= 2 * kFlat) join(cap.face, cap.top, other.face, other.bottom, cap.to);
      for (const Chord& c : level_) {
        const std::array<double, 2> reach = {std::min(c.u0, c.u1), std::max(c.u0, c.u1)};
        if (std::abs(cap.to - c.v0) <= 2 * kFlat) join(cap.face, cap.top, c.face, reach, cap.to);
        if (std::abs(cap.from - c.v0) <= 2 * kFlat) join(cap.face, cap.bottom, c.face, reach, cap.from);
      }
    }
  }

  void join(std::size_t f, std::array<double, 2> a, std::size_t g, std::array<double, 2> b, double v) {
    const double from = std::max(a[0], b[0]), to = std::min(a[1], b[1]);
    if (to - from > kFlat) out_.seams.push_back({f, g, place(from, v), place(to, v)});
  }

  void add_trapezoid(const Span& s, double to) {
    const auto at = [&](std::size_t chord, double v) {
      const Chord& c = chords_[chord];
      return c.at(std::clamp(v, c.v0, c.v1));
    };
    const double l0 = at(s.left, s.from), r0 = at(s.right, s.from), l1 = at(s.left, to), r1 = at(s.right, to);
    // Seen from outside, which is from below the plane.
    Face cap{{}, -plane_.normal, false};
    cap.corners.push_back(place(l0, s.from));
    cap.corners.push_back(place(l1, to));
    if (r1 - l1 > kFlat) cap.corners.push_back(place(r1, to));
    if (r0 - l0 > kFlat) cap.corners.push_back(place(r0, s.from));
    if (cap.corners.size() < 3) return;
    out_.faces.push_back(std::move(cap));
    const std::size_t id = out_.faces.size() - 1;
    out_.seams.push_back({id, chords_[s.left].face, place(l0, s.from), place(l1, to)});
    out_.seams.push_back({id, chords_[s.right].face, place(r0, s.from), place(r1, to)});
    caps_.push_back({id, s.from, to, {l0, r0}, {l1, r1}});
  }

  struct Cap {
    std::size_t face;
    double from, to;
    std::array<double, 2> bottom, top;
  };

  Plane plane_;
  Vec3 u_, v_;
  std::vector<Chord> chords_, level_;  ///< those along u apart
  std::vector<Cap> caps_;
  Piece out_;
};

/// Solid angle of the faces seen from x, over that of the sphere: 1 inside, 0 outside (van Oosterom & Strackee 1983).
double winding(const std::vector<Face>& faces, Vec3 x) {
  double sum = 0;
  for (const Face& f : faces) {
    for (std::size_t k = 1; k + 1 < f.corners.size(); ++k) {
      const Vec3 a = f.corners[0] - x, b = f.corners[k] - x, c = f.corners[k + 1] - x;
      const double la = norm(a), lb = norm(b), lc = norm(c);
      const double below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
      sum += 2 * std::atan2(dot(a, cross(b, c)), below);
    }
  }
  return sum / (4 * M_PI);
}

/// Of each face, one face that stands for all that hang together with it over seams.
std::vector<std::size_t> sheet_of_faces(const Piece& p) {
  std::vector<std::size_t> root(p.faces.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t f) {
    while (root[f] != f) f = root[f] = root[root[f]];
    return f;
  };
  for (const Seam& s : p.seams) root[find(s.f)] = find(s.g);
  for (std::size_t f = 0; f < root.size(); ++f) root[f] = find(f);
  return root;
}

/// The pieces that hang together; the wall of a cavity goes with the piece around it.
std::vector<Piece> separated(Piece all) {
  const std::vector<std::size_t> sheet = sheet_of_faces(all);
  std::vector<std::size_t> piece_of(all.faces.size()), place(all.faces.size());
  std::vector<std::size_t> piece_of_root(all.faces.size(), all.faces.size());
  std::vector<Piece> pieces;
  for (std::size_t f = 0; f < all.faces.size(); ++f) {
    std::size_t& p = piece_of_root[sheet[f]];
    if (p == all.faces.size()) p = pieces.size(), pieces.emplace_back();
    piece_of[f] = p, place[f] = pieces[p].faces.size();
    pieces[p].faces.push_back(std::move(all.faces[f]));
  }
  for (Seam s : all.seams) {
    Piece& p = pieces[piece_of[s.f]];
    s.f = place[s.f], s.g = place[s.g];
    p.seams.push_back(s);
  }
  std::vector<Piece> solids, walls;
  for (Piece& p : pieces) {
    p.volume = volume_of(p.faces);
    (p.volume > 0 ? solids : walls).push_back(std::move(p));
  }
  for (Piece& wall : walls) {
    if (wall.volume > -kSliver || solids.empty()) continue;
    Vec3 middle;
    for (const Vec3& x : wall.faces[0].corners) middle += x / static_cast<double>(wall.faces[0].corners.size());
    std::size_t around = 0;
    double most = -1;
    for (std::size_t k = 0; k < solids.size(); ++k)
      if (const double w = winding(solids[k].faces, middle); w > most) most = w, around = k;
    Piece& solid = solids[around];
    const std::size_t first = solid.faces.size();
    for (Face& f : wall.faces) solid.faces.push_back(std::move(f));
    for (Seam s : wall.seams) s.f += first, s.g += first, solid.seams.push_back(s);
    solid.volume += wall.volume;
  }
  std::erase_if(solids, [](const Piece& p) { return !(p.volume > kSliver); });
  return solids;
}

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
      std::vector<Piece> pieces = separated(Clip(p, plane).take());
      for (Piece& other : separated(Clip(p, {-1.0 * plane.normal, -plane.offset}).take()))
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
    rest = Clip(rest, {-1.0 * n, (dot(n, middle) - b.face_offsets[f]) / size}).take();
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

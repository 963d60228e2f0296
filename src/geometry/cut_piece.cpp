#include "geometry/cut_piece.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

// A cut clips faces and lines, and closes the piece with the cross-section, found by sweeping a line over the segments
// in which the faces meet the plane.

namespace scree::cut {

bool before(Vec3 a, Vec3 b) { return std::array{a.x, a.y, a.z} < std::array{b.x, b.y, b.z}; }

namespace {

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

}  // namespace

double volume_of(const std::vector<Face>& faces) {
  double six = 0;
  const Vec3 o = faces.empty() ? Vec3{} : faces[0].corners[0];
  for (const Face& f : faces)
    for (std::size_t k = 1; k + 1 < f.corners.size(); ++k)
      six += dot(f.corners[0] - o, cross(f.corners[k] - o, f.corners[k + 1] - o));
  return six / 6;
}

Piece clipped(const Piece& from, const Plane& plane) { return Clip(from, plane).take(); }

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

}  // namespace scree::cut

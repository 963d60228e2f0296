#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "oracle/posed_pair.h"

/// Pairs at which searches for a common plane have been seen to go wrong, by name; tests of several tiers share them.
namespace scree::oracle::degenerate {

struct Case {
  std::string what;
  std::shared_ptr<const Shape> a, b;
  Pose pa, pb;
  PosedPair pair() const { return {a, b, pa, pb}; }
};
using Cases = std::vector<Case>;
using Loops = std::vector<std::vector<std::uint16_t>>;

/// A body as drawn: neither moved to its centroid nor turned, which the search does not need.
inline std::shared_ptr<const Shape> as_drawn(const Result<Polyhedron>& p) {
  if (!p) std::fprintf(stderr, "%s\n", p.error().message.c_str()), std::abort();
  const auto s = std::make_shared<Shape>();
  s->name = "drawn", s->body = *p;
  return s;
}
inline std::shared_ptr<const Shape> hull_of(const std::vector<Vec3>& points) { return as_drawn(convex_hull(points)); }

/// Right prism over a regular n-gon of radius `radius`, along z from -height/2 to height/2.
inline std::shared_ptr<const Shape> prism(int n, double radius, double height) {
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * M_PI * i / n;
    for (const double z : {-height / 2, height / 2})
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
  return hull_of(points);
}
/// Tetrahedron over a triangle of size 1, `height` high, its origin inside.
inline std::shared_ptr<const Shape> flat_tetrahedron(double height) {
  const double r = std::sqrt(3.0) / 2;
  return as_drawn(
      assemble({{1, 0, -height / 4}, {-0.5, r, -height / 4}, {-0.5, -r, -height / 4}, {0.1, 0.05, 0.75 * height}},
               Loops{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}));
}
/// Needle of length 1 along z: a tetrahedron with two opposite edges of length `width`.
inline std::shared_ptr<const Shape> needle(double width) {
  const double w = width / 2;
  return as_drawn(assemble({{w, 0, -0.5}, {-w, 0, -0.5}, {0, w, 0.5}, {0, -w, 0.5}},
                           Loops{{0, 3, 1}, {0, 1, 2}, {2, 1, 3}, {2, 3, 0}}));
}
/// Unit cube whose faces across z are each folded along a diagonal by `fold`: two triangles in nearly one plane.
inline Result<Polyhedron> split_cube(double fold) {
  const double h = 0.5;
  // Corners 2 and 4 of each lid are a fold lower than the diagonal.
  return assemble(
      {{-h, -h, -h},
       {h, -h, fold - h},
       {h, h, -h},
       {-h, h, fold - h},
       {-h, -h, h},
       {h, -h, h - fold},
       {h, h, h},
       {-h, h, h - fold}},
      Loops{{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}});
}

/// Shortest turn that takes the unit vector `from` to `to`.
inline Quat turn(Vec3 from, Vec3 to) {
  const double c = dot(from, to);
  if (c < -1 + 1e-12) return axis_angle(any_perpendicular(from), M_PI);
  const Vec3 axis = cross(from, to);
  return normalized(Quat{1 + c, axis.x, axis.y, axis.z});
}
inline const Vec3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};
inline const double kHalfDiagonal = std::sqrt(0.5);  ///< of a unit cube's face: its edge's height when it stands on one
inline const std::vector<double> kTightGaps = {0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-6, -1e-6, 1e-3, -1e-3};

/// `b` above `a`: each with orientation qa, qb, apart by `gap` along z at the offset (x, y).
inline Case above(const std::string& what, std::shared_ptr<const Shape> a, std::shared_ptr<const Shape> b, Quat qa,
                  Quat qb, double x, double y, double gap) {
  Case c{what, std::move(a), std::move(b), {1, qa, {}}, {1, qb, {}}};
  const PosedPair together = c.pair();
  c.pb.position = {x, y, gap - narrow::evaluate_plane(together.a(), together.b(), {}, kZ).gap};
  c.what += " x " + std::to_string(x) + " gap " + std::to_string(gap);
  return c;
}

inline Cases stacked_cubes_aligned() {
  Cases out;
  for (const double gap : kTightGaps) {
    Case c{"aligned", shape("cube"), shape("cube"), {}, {}};
    c.pb.position = {0, 0, 1 + gap};
    out.push_back(c);
  }
  return out;
}
inline Cases stacked_cubes_shifted() {
  Cases out;
  for (const double shift :
       {0.0, 1e-16, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.3, 0.5, 1 - 1e-9, 1 - 1e-15, 1.0, 1 + 1e-15, 1 + 1e-9}) {
    for (const double gap : {0.0, 1e-15, -1e-15, 1e-9, -1e-9, 1e-3, -1e-3, -0.25}) {
      for (const double aside : {0.0, 0.2, shift}) {
        Case c{"shifted", shape("cube"), shape("cube"), {}, {}};
        c.pb.position = {shift, aside, 1 + gap};
        out.push_back(c);
      }
    }
  }
  return out;
}
inline Cases face_face() {
  Cases out;
  Random u(11);
  for (const std::string& sa : all_shapes()) {
    for (const std::string& sb : all_shapes()) {
      const auto a = shape(sa), b = shape(sb);
      const Vec3 na = a->body.face_normals[u.below(a->body.face_normals.size())];
      const Vec3 nb = b->body.face_normals[u.below(b->body.face_normals.size())];
      const Quat spin = axis_angle(kZ, u.uniform(0, 6.28));
      out.push_back(above(sa + " on " + sb, a, b, turn(na, kZ), spin * turn(nb, -kZ), u.uniform(-0.2, 0.2), 0.01,
                          kTightGaps[u.below(kTightGaps.size())]));
    }
  }
  return out;
}
inline Cases edge_on_face_parallel() {
  Cases out;
  const auto cube = shape("cube");
  for (const double gap : kTightGaps) {
    for (const double tilt : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3})
      out.push_back(
          above("edge on face", cube, cube, {}, axis_angle(kY, tilt) * axis_angle(kX, M_PI / 4), 0.1, 0.2, gap));
  }
  return out;
}
inline Cases edges_parallel_overlapping() {
  Cases out;
  const Quat on_edge = axis_angle(kX, M_PI / 4);
  for (const double gap : kTightGaps) {
    for (const double aside : {0.0, 1e-12, 1e-3, 0.1})
      out.push_back(above("side by side", shape("cube"), shape("cube"), on_edge, on_edge, 0.3, aside, gap));
  }
  return out;
}
inline Cases edges_parallel_end_to_end() {
  Cases out;
  const Quat on_edge = axis_angle(kX, M_PI / 4);
  for (const double gap : kTightGaps) {
    for (const double along : {1.0, 1 + 1e-15, 1 - 1e-15, 1 + 1e-6, 1 - 1e-6})
      out.push_back(above("end to end", shape("cube"), shape("cube"), on_edge, on_edge, along, 0, gap));
  }
  return out;
}
inline Cases edges_collinear() {
  Cases out;
  const Quat on_edge = axis_angle(kX, M_PI / 4);
  for (const double along : {0.0, 0.3, 1.0, 1 + 1e-15, 1 + 1e-9, 1.001, 1.5, 3.0}) {
    Case c{"collinear " + std::to_string(along), shape("cube"), shape("cube"), {1, on_edge, {}}, {1, on_edge, {}}};
    c.pb.position = {along, 0, 2 * kHalfDiagonal};
    out.push_back(c);
  }
  return out;
}
inline Cases edges_crossed(const std::vector<double>& angles) {
  Cases out;
  const Quat on_edge = axis_angle(kX, M_PI / 4);
  for (const double angle : angles) {
    for (const double gap : kTightGaps) {
      for (const double x : {0.0, 0.1})
        out.push_back(above("crossed by " + std::to_string(std::log10(angle)), shape("cube"), shape("cube"), on_edge,
                            axis_angle(kZ, angle) * on_edge, x, 0, gap));
    }
  }
  return out;
}
inline Cases edges_crossed_at_right_angles() { return edges_crossed({M_PI / 2}); }
inline Cases edges_crossed_at_small_angles() {
  return edges_crossed({1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12});
}
inline Cases vertex_vertex_in_line() {
  Cases out;
  const Quat on_corner = turn(normalized(Vec3{1, 1, 1}), kZ);
  for (const double gap : kTightGaps) {
    out.push_back(above("cubes", shape("cube"), shape("cube"), on_corner, on_corner, 0, 0, gap));
    out.push_back(above("octahedra", hull_of({kX, -kX, kY, -kY, kZ, -kZ}), hull_of({kX, -kX, kY, -kY, kZ, -kZ}), {}, {},
                        0, 0, gap));
  }
  return out;
}
inline Cases vertex_over(double x, double y) {
  Cases out;
  const Quat on_corner = turn(normalized(Vec3{1, 1, 1}), kZ);
  for (const double gap : kTightGaps) {
    for (const double off : {0.0, 1e-15, -1e-15, 1e-9, -1e-9})
      out.push_back(above("vertex", shape("cube"), shape("cube"), {}, on_corner, x + off, y, gap));
  }
  return out;
}
inline Cases vertex_over_edge() { return vertex_over(0.5, 0.1); }
inline Cases vertex_over_face_corner() { return vertex_over(0.5, 0.5); }
inline Cases equal_depths_at_a_corner() {
  Cases out;
  for (const double depth : {-1e-3, -1e-15, 0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.4, 0.5}) {
    Case c{"depth " + std::to_string(depth), shape("cube"), shape("cube"), {}, {}};
    c.pb.position = {1 - depth, 1 - depth, 1 - depth};
    out.push_back(c);
  }
  return out;
}
inline Cases coincident_centroids() {
  Cases out;
  Random u(12);
  for (const std::string& sa : all_shapes()) {
    for (const std::string& sb : all_shapes())
      out.push_back(
          {sa + " in " + sb, shape(sa), shape(sb), {1, u.rotation(), {}}, {u.uniform(0.3, 3), u.rotation(), {}}});
  }
  return out;
}
inline Cases containment() {
  Cases out;
  Random u(13);
  for (const std::string& sa : all_shapes()) {
    for (const double size : {1e-3, 0.05, 0.3}) {
      out.push_back({sa + " in cube", shape(sa), shape("cube"), {size, u.rotation(), 0.1 * u.direction()}, {}});
      out.push_back({"cube in " + sa, shape("cube"), shape(sa), {0.1 * size, u.rotation(), {}}, {}});
    }
  }
  return out;
}
inline Cases identical_pose() {
  Cases out;
  Random u(14);
  for (const std::string& s : all_shapes()) {
    const Quat q = u.rotation();
    out.push_back({s + " drawn", shape(s), shape(s), {}, {}});
    out.push_back({s + " turned", shape(s), shape(s), {1, q, {}}, {1, q, {}}});
  }
  return out;
}
inline Cases slivers() {
  Cases out;
  Random u(15);
  for (const double thin : {1e-2, 1e-4, 1e-6}) {
    const std::shared_ptr<const Shape> bodies[] = {flat_tetrahedron(thin), needle(thin), shape("cube")};
    for (const auto& a : bodies) {
      for (const auto& b : bodies) {
        for (const double gap : {0.0, 1e-3, -1e-3, 1e-9, -1e-9}) {
          out.push_back(above("sliver", a, b, u.rotation(), u.rotation(), 0, 0, gap * thin));
          out.push_back(above("lying", a, b, {}, {}, 0.05 * thin, 0.1 * thin, gap * thin));
          out.push_back(
              above("crossed", a, b, axis_angle(kX, M_PI / 2), axis_angle(kY, M_PI / 2), 0.01, 0, gap * thin));
        }
      }
    }
  }
  return out;
}
/// Faces in one plane to within 2e-9: assemble refuses less, and convex_hull merges below 1e-6.
inline Cases nearly_coplanar_faces() {
  Cases out;
  for (const double fold : {2e-9, 1e-8, 1e-7, 1e-6}) {
    const auto folded = as_drawn(split_cube(fold));
    for (const double gap : kTightGaps) {
      for (const Quat q : {Quat{}, axis_angle(kZ, 0.3), axis_angle(kZ, M_PI / 2)}) {
        for (const double x : {0.0, 0.3})
          out.push_back(above("split on split", folded, folded, {}, q, x, 0.1 * x, gap));
      }
      out.push_back(above("whole on split", folded, shape("cube"), {}, {}, 0.2, 0.2, gap));
    }
  }
  return out;
}
inline Cases faces_of_3_to_16_vertices() {
  Cases out;
  for (int n = 3; n <= 16; ++n) {
    const auto a = prism(n, 0.5, 0.6), b = prism(19 - n, 0.5, 0.6);
    int i = 0;
    for (const double gap : kTightGaps) {
      ++i;
      out.push_back(above("lids", a, b, {}, axis_angle(kZ, 0.1 * i), 0.05 * i, 0, gap));
      out.push_back(above("side on lid", a, b, {}, axis_angle(kX, M_PI / 2), 0.1, 0.1, gap));
    }
  }
  return out;
}
inline Cases gaps_at_rounding_and_tolerance() {
  Cases out;
  Random u(16);
  for (int i = 0; i < 12; ++i) {
    const auto& names = all_shapes();
    const auto a = shape(names[u.below(names.size())]), b = shape(names[u.below(names.size())]);
    Case base{"gap", a, b, {1, u.rotation(), {}}, {u.uniform(0.5, 2), u.rotation(), 3.0 * u.direction()}};
    narrow::SearchCounters counters;
    for (int k = 0; k < 3; ++k) {  // at first contact the plane may be another one than from afar
      const PosedPair p = base.pair();
      const narrow::Plane plane = narrow::fast_common_plane(p.a(), p.b(), p.d(), nullptr, counters);
      base.pb.position -= plane.gap * plane.n;
    }
    const PosedPair p = base.pair();
    const Vec3 n = narrow::fast_common_plane(p.a(), p.b(), p.d(), nullptr, counters).n;
    for (const double gap : {0.0, 1e-15, -1e-15, 1e-3, -1e-3}) {
      Case c = base;
      c.pb.position += (gap * (c.pa.size + c.pb.size)) * n;
      out.push_back(c);
    }
  }
  return out;
}

struct Named {
  const char* name;
  Cases (*cases)();
};
inline const std::vector<Named>& all() {
  static const std::vector<Named> list = {{"stacked cubes, aligned", stacked_cubes_aligned},
                                          {"stacked cubes, shifted", stacked_cubes_shifted},
                                          {"face on face", face_face},
                                          {"edge on face, parallel", edge_on_face_parallel},
                                          {"edges parallel, overlapping", edges_parallel_overlapping},
                                          {"edges parallel, end to end", edges_parallel_end_to_end},
                                          {"edges collinear", edges_collinear},
                                          {"edges crossed, right angles", edges_crossed_at_right_angles},
                                          {"edges crossed, small angles", edges_crossed_at_small_angles},
                                          {"vertex on vertex, in line", vertex_vertex_in_line},
                                          {"vertex over edge", vertex_over_edge},
                                          {"vertex over face corner", vertex_over_face_corner},
                                          {"equal depths at a corner", equal_depths_at_a_corner},
                                          {"coincident centroids", coincident_centroids},
                                          {"containment", containment},
                                          {"identical pose", identical_pose},
                                          {"slivers", slivers},
                                          {"nearly coplanar faces", nearly_coplanar_faces},
                                          {"faces of 3 to 16 vertices", faces_of_3_to_16_vertices},
                                          {"gaps at rounding and TOL", gaps_at_rounding_and_tolerance}};
  return list;
}

}  // namespace scree::oracle::degenerate

// LIBS: scree_exact
// Degenerate pairs: each method that claims the best gap has it to rounding, no method claims more, none hangs or
// returns NaN.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "oracle/degenerate_pairs.h"
#include "oracle/larger.h"
#include "oracle/plane_methods.h"
#include "oracle/rational.h"

namespace scree {
namespace {

namespace degenerate = oracle::degenerate;
using degenerate::Case;
using degenerate::Cases;
using narrow::Plane;
using oracle::Method;
using oracle::methods;
using oracle::PosedPair;

/// Of the pair's size (sum of the radii): a gap is a sum of products of coordinates of that size.
constexpr double kRounding = 4e-15;

void expect_sound(const Method& m, const PosedPair& p, double exact, const std::string& what) {
  narrow::SearchCounters counters;
  const Plane plane = m.find(p, nullptr, counters);
  const double rounding = kRounding * p.scale();
  ASSERT_TRUE(std::isfinite(plane.gap) && is_finite(plane.n)) << m.name << ", " << what;
  ASSERT_NEAR(norm(plane.n), 1, 1e-14) << m.name << ", " << what;
  ASSERT_TRUE(plane.va < p.a().shape->vertices && plane.vb < p.b().shape->vertices) << m.name << ", " << what;
  EXPECT_EQ(plane.gap, narrow::evaluate_plane(p.a(), p.b(), p.d(), plane.n).gap) << m.name << ", " << what;
  EXPECT_LE(plane.gap, exact + rounding) << m.name << ", " << what;
  if (exact > rounding ? m.apart : m.overlap) {
    EXPECT_GE(plane.gap, exact - rounding - m.slack * p.scale()) << m.name << ", " << what;
  }
}

/// At most `most` of the cases, evenly.
Cases some(const Cases& all, std::size_t most) {
  Cases out;
  for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / most) out.push_back(all[i]);
  return out;
}

double exact_gap(const PosedPair& p) { return oracle::exact::largest_gap(p.a(), p.b(), p.d()).value(); }

/// The pair as one body, turned and made larger or smaller.
Case moved(const Case& c, Quat q, double scale) {
  Case t = c;
  for (oracle::Pose* pose : {&t.pa, &t.pb}) {
    pose->orientation = normalized(q * pose->orientation);
    pose->position = scale * rotate(q, pose->position);
    pose->size *= scale;
  }
  return t;
}

/// As drawn, where products of coordinates hold no rounding, and turned, where faces are plane and edges parallel to
/// rounding only.
void expect_all(const Cases& cases, std::size_t most = 100) {
  ASSERT_FALSE(cases.empty());
  Random u(20);
  for (const Case& drawn : some(cases, most)) {
    for (const Case& c : {drawn, moved(drawn, u.rotation(), std::pow(10, u.uniform(-6, 6)))}) {
      const PosedPair p = c.pair();
      const double exact = exact_gap(p);
      for (const Method& m : methods()) expect_sound(m, p, exact, c.what);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(DegeneratePlane, StackedCubesAligned) { expect_all(degenerate::stacked_cubes_aligned()); }
TEST(DegeneratePlane, StackedCubesShiftedByNothingEpsilonOrAnything) {
  expect_all(degenerate::stacked_cubes_shifted());
}
TEST(DegeneratePlane, FaceOnFace) { expect_all(degenerate::face_face()); }
TEST(DegeneratePlane, EdgeOnFaceParallel) { expect_all(degenerate::edge_on_face_parallel()); }
TEST(DegeneratePlane, EdgesParallelOverlapping) { expect_all(degenerate::edges_parallel_overlapping()); }
TEST(DegeneratePlane, EdgesParallelEndToEnd) { expect_all(degenerate::edges_parallel_end_to_end()); }
TEST(DegeneratePlane, EdgesCollinear) { expect_all(degenerate::edges_collinear()); }
TEST(DegeneratePlane, EdgesCrossedAtRightAngles) { expect_all(degenerate::edges_crossed_at_right_angles()); }
TEST(DegeneratePlane, EdgesCrossedAtAnglesDownTo1e12) { expect_all(degenerate::edges_crossed_at_small_angles()); }
TEST(DegeneratePlane, VertexOnVertexInLine) { expect_all(degenerate::vertex_vertex_in_line()); }
TEST(DegeneratePlane, VertexOverEdge) { expect_all(degenerate::vertex_over_edge()); }
TEST(DegeneratePlane, VertexOverFaceCorner) { expect_all(degenerate::vertex_over_face_corner()); }
TEST(DegeneratePlane, ThreeEqualDepthsAtACorner) { expect_all(degenerate::equal_depths_at_a_corner()); }
TEST(DegeneratePlane, CoincidentCentroids) { expect_all(degenerate::coincident_centroids()); }
TEST(DegeneratePlane, Containment) { expect_all(degenerate::containment()); }
TEST(DegeneratePlane, IdenticalPose) { expect_all(degenerate::identical_pose()); }
TEST(DegeneratePlane, Slivers) { expect_all(degenerate::slivers()); }
TEST(DegeneratePlane, FacesOf3To16Vertices) { expect_all(degenerate::faces_of_3_to_16_vertices(), 25); }
TEST(DegeneratePlane, GapsAtRoundingAndAtTol) { expect_all(degenerate::gaps_at_rounding_and_tolerance()); }

// Faces split in exactly one plane cannot be made: a Polyhedron is strictly convex. Folds of 2e-9 of the size can.
TEST(DegeneratePlane, CoplanarSplitFaces) {
  EXPECT_FALSE(degenerate::split_cube(0));
  EXPECT_FALSE(degenerate::split_cube(1e-10));
  EXPECT_TRUE(degenerate::split_cube(2e-9));
  expect_all(degenerate::nearly_coplanar_faces());
}

/// Each exact method finds the same gap, as a share of the size, at `other(c)` as at c, for cases of every kind.
template <class F>
void expect_same_gap(F&& other) {
  double worst = 0;
  for (const auto& [name, cases] : degenerate::all()) {
    for (const Case& c : some(cases(), 25)) {
      const PosedPair p = c.pair(), q = other(c).pair();
      for (const Method& m : methods()) {
        narrow::SearchCounters counters;
        const Plane one = m.find(p, nullptr, counters), two = m.find(q, nullptr, counters);
        ASSERT_TRUE(std::isfinite(two.gap) && is_finite(two.n)) << m.name << ", " << name << ", " << c.what;
        const bool apart = one.gap > kRounding * p.scale();
        if (apart ? !m.apart : !m.overlap) continue;
        const double off = std::abs(two.gap / q.scale() - one.gap / p.scale());
        if (m.slack == 0) worst = oracle::larger(worst, off);
        EXPECT_LT(off, 1e-13 + 2 * m.slack)
            << m.name << ", " << name << ", " << c.what << ", " << one.gap << " and " << two.gap;
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  std::printf("gaps differ by at most %.1e of the size\n", worst);
}

/// The body with `map` applied to its corners, then numbered anew: corner i of the old is `order[i]` of the new.
std::shared_ptr<const Shape> changed(const Shape& s, Vec3 (*map)(Vec3), bool reverse,
                                     const std::vector<std::uint16_t>& order, std::size_t first_face) {
  std::vector<Vec3> vertices(s.body.vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) vertices[order[i]] = map(s.body.vertices[i]);
  degenerate::Loops loops;
  const std::size_t faces = s.body.face_normals.size();
  for (std::size_t f = 0; f < faces; ++f) {
    const auto l = s.body.loop((f + first_face) % faces);
    auto& loop = loops.emplace_back();
    for (const std::uint16_t v : l) loop.push_back(order[v]);
    if (reverse) std::reverse(loop.begin(), loop.end());
  }
  return degenerate::as_drawn(assemble(std::move(vertices), loops));
}
std::vector<std::uint16_t> as_it_is(std::size_t n) {
  std::vector<std::uint16_t> order(n);
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  return order;
}

TEST(DegeneratePlane, SwappedBodiesHaveTheSameGap) {
  expect_same_gap([](const Case& c) { return Case{c.what, c.b, c.a, c.pb, c.pa}; });
}
TEST(DegeneratePlane, MirroredBodiesHaveTheSameGap) {
  const auto mirror_x = [](Vec3 v) { return Vec3{-v.x, v.y, v.z}; };
  const auto mirrored = [&](const std::shared_ptr<const Shape>& s) {
    return changed(*s, mirror_x, true, as_it_is(s->body.vertices.size()), 0);
  };
  const auto pose = [&](oracle::Pose p) {
    const Quat q = p.orientation;
    return oracle::Pose{p.size, {q.w, q.x, -q.y, -q.z}, mirror_x(p.position)};
  };
  expect_same_gap([&](const Case& c) { return Case{c.what, mirrored(c.a), mirrored(c.b), pose(c.pa), pose(c.pb)}; });
}
TEST(DegeneratePlane, TurnedPairsHaveTheSameGap) {
  Random u(21);
  expect_same_gap([&](const Case& c) { return moved(c, u.rotation(), 1); });
}
TEST(DegeneratePlane, PairsAMillionTimesLargerOrSmallerHaveTheSameGap) {
  for (const double s : {1e6, 1e-6}) {
    expect_same_gap([&](const Case& c) { return moved(c, {}, s); });
  }
}
TEST(DegeneratePlane, RenumberedBodiesHaveTheSameGap) {
  Random u(22);
  const auto renumbered = [&](const std::shared_ptr<const Shape>& s) {
    std::vector<std::uint16_t> order = as_it_is(s->body.vertices.size());
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[u.below(i)]);
    return changed(
        *s, [](Vec3 v) { return v; }, false, order, u.below(s->body.face_normals.size()));
  };
  expect_same_gap([&](const Case& c) { return Case{c.what, renumbered(c.a), renumbered(c.b), c.pa, c.pb}; });
}

}  // namespace
}  // namespace scree

// Two boxes take a path of their own through the separating axis: held to the oracle that tries every candidate over
// all features in long double, above all where axes are nearly parallel, and one is as good as the other.
#include <gtest/gtest.h>

#include "base/random.h"
#include "oracle/long_double.h"
#include "oracle/plane_cases.h"

namespace scree {
namespace {

using oracle::PosedPair;

std::vector<std::shared_ptr<const Shape>> boxes() {
  return {oracle::shape("cube"), oracle::box("brick", {0.5, 1, 1.5}), oracle::box("slab", {1, 1, 0.01}),
          oracle::box("rod", {0.01, 0.01, 1})};
}

/// Rotations that are one another's to within 10^-16 ... 1, also about one axis alone or by right angles.
Quat near(Random& u, Quat q) {
  static const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double angle = std::pow(10, u.uniform(-16, 0));
  Quat turn = axis_angle(u.below(2) == 0 ? u.direction() : axes[u.below(3)], angle);
  for (std::uint64_t k = u.below(3); k > 0; --k) turn = axis_angle(axes[u.below(3)], M_PI / 2) * turn;
  return q * turn;
}

void expect_best(const PosedPair& p, int i) {
  const oracle::Gap oracle = oracle::largest_gap(oracle::solid(p.a(), {}), oracle::solid(p.b(), p.d()));
  const auto exact = static_cast<double>(oracle.gap);
  const double rounding = 4e-15 * p.scale();
  narrow::SearchCounters counters;
  const narrow::Plane cold = p.plane();
  const narrow::Plane again = narrow::separating_axis(p.a(), p.b(), p.d(), &cold, counters);
  for (const narrow::Plane& plane : {cold, again}) {
    ASSERT_NEAR(norm(plane.n), 1, 1e-14);
    ASSERT_EQ(plane.gap, narrow::evaluate_plane(p.a(), p.b(), p.d(), plane.n).gap);
    ASSERT_NE(plane.feature.kind, PlaneFeature::Kind::none);
    ASSERT_LE(plane.gap, exact + rounding) << i;
    ASSERT_EQ(plane.gap > rounding, exact > rounding) << i << ": " << plane.gap << " " << exact;
    ASSERT_GE(plane.gap, exact < 0 ? exact - rounding : -rounding) << i << ": " << static_cast<int>(plane.feature.kind);
    // The feature must say the same normal when it is posed anew; where the centroids lie across it, either way round.
    // A plain cross product, as here, loses digits with the angle between the edges.
    const PlaneFeature f = plane.feature;
    const Vec3 n = oracle::normal_of(p, f), ea = normalized(p.a().edge(f.a % 12)),
               eb = normalized(p.b().edge(f.b % 12));
    const bool across = std::abs(dot(n, p.d())) < rounding && dot(n, plane.n) < 0;
    const double digits = f.kind == PlaneFeature::Kind::edge_edge ? 1e-15 / norm(cross(ea, eb)) : 0;
    ASSERT_LT(norm((across ? -n : n) - plane.n), 1e-14 + digits) << i << ": " << static_cast<int>(f.kind);
  }
}

TEST(TwoBoxes, AreKnownForBoxes) {
  for (const auto& shape : boxes()) EXPECT_TRUE(narrow::box_frame(shape->body)) << shape->name;
  for (const char* other : {"octahedron", "pyramid", "grain14", "dodecahedron"})
    EXPECT_FALSE(narrow::box_frame(oracle::shape(other)->body)) << other;
  // Six faces, eight corners and no box: sheared; cut to a wedge; off its centre.
  for (const Vec3 shift : {Vec3{0.1, 0, 0}, Vec3{1e-3, 0, 0}, Vec3{1e-9, 0, 0}}) {
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k) {
      const Vec3 c{k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0};
      corners.push_back(k & 4 ? c + shift : c);
    }
    const Result<Polyhedron> sheared = convex_hull(corners);
    ASSERT_TRUE(sheared);
    EXPECT_FALSE(narrow::box_frame(*sheared)) << shift.x;
    for (Vec3& c : corners) c = {c.z > 0 ? (1 - shift.x) * c.x : c.x, c.y, c.z};
    const Result<Polyhedron> wedge = convex_hull(corners);
    ASSERT_TRUE(wedge);
    EXPECT_FALSE(narrow::box_frame(*wedge)) << shift.x;
  }
  std::vector<Vec3> off;
  for (int k = 0; k < 8; ++k) off.push_back({k & 1 ? 1.1 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
  const Result<Polyhedron> moved = convex_hull(off);
  ASSERT_TRUE(moved);
  EXPECT_FALSE(narrow::box_frame(*moved));
}

TEST(TwoBoxes, NoPlaneIsWrong) {
  Random u(31);
  const auto shapes = boxes();
  for (int i = 0; i < 6000; ++i) {
    const auto a = shapes[u.below(shapes.size())], b = shapes[u.below(shapes.size())];
    const Quat qa = u.below(2) == 0 ? Quat{} : u.rotation(), qb = i % 3 == 0 ? u.rotation() : near(u, qa);
    const double size = std::pow(10, u.uniform(-2, 2));
    PosedPair p(a, b, {1, qa, {}}, {size, qb, {}});
    const Vec3 dir = u.below(3) == 0 ? p.a().face_normal(u.below(6)) : u.direction();
    const double touching = -narrow::evaluate_plane(p.a(), p.b(), {}, dir).gap;
    // From coincident centroids over grazing contact to far apart.
    const double at[] = {0, u.uniform(), 1 - std::pow(10, u.uniform(-15, -1)), 1 + std::pow(10, u.uniform(-15, 0.5))};
    p.move({1, qa, {}}, {size, qb, at[u.below(4)] * touching * dir});
    expect_best(p, i);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace scree

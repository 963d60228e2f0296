// LIBS: scree_io scree_narrow
// One pair looked into by every method (`scree contact`): what must hold for any finite poses, however extreme.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/random.h"
#include "narrow/inspect_pair.h"
#include "oracle/posed_pair.h"

namespace scree {
namespace {

using narrow::inspect_pair;
using narrow::MethodResult;
using narrow::PairInspection;
using narrow::PosedShape;

std::string text(const PosedShape& s) {
  char t[400];
  std::snprintf(t, sizeof t, "%s %.17g at %.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", s.shape->name.c_str(), s.size,
                s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x, s.orientation.y,
                s.orientation.z);
  return t;
}

/// Everything that a user sees is a number, and each gap is a lower bound of the link's length.
void expect_sound(const PosedShape& a, const PosedShape& b, const PairInspection& p) {
  const std::string what = text(a) + "\n" + text(b);
  const double scale = std::min(1e308, a.size * a.shape->body.outer_radius + b.size * b.shape->body.outer_radius);
  ASSERT_EQ(p.methods.size(), narrow::strategies().size());
  for (const MethodResult& m : p.methods) {
    ASSERT_TRUE(std::isfinite(m.plane.gap)) << m.name << "\n" << what;
    ASSERT_NEAR(norm(m.plane.n), 1, 1e-12) << m.name << "\n" << what;
    ASSERT_GE(m.below_best, 0) << m.name << "\n" << what;
    ASSERT_TRUE(std::isfinite(m.below_best)) << m.name << "\n" << what;
    if (std::string(m.name) == "auto") {
      EXPECT_LE(m.below_best, 1e-14 * (scale + p.link)) << what;
    }
    ASSERT_FALSE(m.support_a.empty() || m.support_b.empty()) << m.name << "\n" << what;
    for (const narrow::FoundPoint& c : m.points) {
      ASSERT_TRUE(is_finite(c.point) && is_finite(c.normal) && std::isfinite(c.depth)) << m.name << "\n" << what;
    }
  }
  for (const narrow::FoundPoint& c : p.contact) {
    ASSERT_TRUE(is_finite(c.point) && is_finite(c.normal)) << what;
    ASSERT_TRUE(std::isfinite(c.depth) && std::isfinite(c.gyration) && std::isfinite(c.energy_depth)) << what;
  }
  ASSERT_TRUE(std::isfinite(p.volume) && std::isfinite(p.area) && is_finite(p.centroid)) << what;
  ASSERT_TRUE(is_finite(p.nearest_a) && is_finite(p.nearest_b) && std::isfinite(p.link)) << what;
  if (p.touching) return;
  const double rounding = 1e-14 * (scale + p.link);
  EXPECT_NEAR(p.link, p.best.gap, rounding) << what;
}

/// Anything from the smallest number to the largest, and often something plain.
double any_length(Random& u) {
  switch (u.below(4)) {
    case 0:
      return 1;
    case 1:
      return std::pow(10, u.uniform(-3, 3));
    case 2:
      return std::pow(10, u.uniform(-30, 30));
  }
  return std::pow(10, u.uniform(-320, 308));
}
Quat any_orientation(Random& u) {
  if (u.below(4) == 0) return {};
  return normalized(u.rotation());
}
Vec3 any_vector(Random& u, double length) {
  switch (u.below(4)) {
    case 0:
      return {0, 0, length};
    case 1:
      return {length, -length, length};
  }
  return length * u.direction();
}

TEST(InspectPair, AnyFinitePosesGiveNumbers) {
  Random u(31);
  const auto& names = oracle::all_shapes();
  for (int i = 0; i < 4000; ++i) {
    PosedShape a{oracle::shape(names[u.below(names.size())]), any_length(u), any_orientation(u), {}};
    PosedShape b{oracle::shape(names[u.below(names.size())]), any_length(u), any_orientation(u), {}};
    if (u.below(2) == 0) b.size = a.size * std::pow(10, u.uniform(-0.5, 0.5));
    if (!(b.size > 0) || !std::isfinite(b.size)) b.size = 1;
    if (u.below(3) == 0) a.position = any_vector(u, any_length(u));
    const Vec3 apart =
        u.below(3) == 0 ? any_vector(u, any_length(u)) : any_vector(u, u.uniform(0, 1.2) * (a.size / 2 + b.size / 2));
    b.position = a.position + apart;
    if (!is_finite(b.position)) b.position = -a.position;
    if (!is_finite(a.position) || !is_finite(b.position)) continue;
    expect_sound(a, b, inspect_pair(a, b, narrow::strategies(), false));
    if (HasFatalFailure()) return;
  }
}

/// Metres or light years: the unit that lengths are measured in decides nothing.
TEST(InspectPair, TheSameBitsInAnyUnit) {
  Random u(32);
  const auto& names = oracle::all_shapes();
  for (int i = 0; i < 200; ++i) {
    PosedShape a{oracle::shape(names[u.below(names.size())]), 1, any_orientation(u), {}};
    PosedShape b{oracle::shape(names[u.below(names.size())]), u.uniform(0.3, 3), any_orientation(u), {}};
    b.position = u.uniform(0, 2) * u.direction();
    const PairInspection here = inspect_pair(a, b, narrow::strategies(), false);
    for (const int octaves : {-900, -300, -20, 20, 300, 900}) {
      const double unit = std::ldexp(1, octaves);
      PosedShape a2 = a, b2 = b;
      a2.size *= unit, b2.size *= unit, b2.position *= unit;
      const PairInspection there = inspect_pair(a2, b2, narrow::strategies(), false);
      for (std::size_t m = 0; m < here.methods.size(); ++m) {
        const MethodResult &x = here.methods[m], &y = there.methods[m];
        ASSERT_EQ(x.plane.gap * unit, y.plane.gap) << x.name;
        ASSERT_EQ(x.plane.n, y.plane.n) << x.name;
        ASSERT_EQ(x.plane.feature, y.plane.feature) << x.name;
        ASSERT_EQ(x.evaluations, y.evaluations) << x.name;
        ASSERT_EQ(x.points.size(), y.points.size()) << x.name;
      }
      ASSERT_EQ(here.link * unit, there.link);
      ASSERT_EQ(here.contact.size(), there.contact.size());
      if (!here.contact.empty()) {
        ASSERT_EQ(here.contact[0].depth * unit, there.contact[0].depth);
        ASSERT_EQ(here.contact[0].point * unit, there.contact[0].point);
      }
    }
  }
}

TEST(InspectPair, OnTopOverlapsByAHundredthOfTheThinner) {
  Random u(33);
  for (const std::string& name_a : oracle::all_shapes()) {
    for (const std::string& name_b : oracle::all_shapes()) {
      const PosedShape a{oracle::shape(name_a), std::pow(10, u.uniform(-3, 3)), any_orientation(u), {1, 2, 3}};
      PosedShape b{oracle::shape(name_b), a.size * std::pow(10, u.uniform(-1, 1)), any_orientation(u), {}};
      b.position = narrow::position_on_top(a, b);
      EXPECT_EQ(b.position.x, 1);
      EXPECT_EQ(b.position.y, 2);
      const double thinner = std::min(a.size * a.shape->body.inner_radius, b.size * b.shape->body.inner_radius);
      const PairInspection p = inspect_pair(a, b, narrow::strategies().last(1), false);
      EXPECT_NEAR(p.best.gap, -0.02 * thinner, 1e-14 * (a.size + b.size + 3)) << name_a << " " << name_b;
    }
  }
}

/// Cubes side by side: everything is known.
TEST(InspectPair, CubesFaceToFace) {
  const PosedShape a{oracle::shape("cube"), 2, {}, {10, 0, 0}};
  const PosedShape b{oracle::shape("cube"), 1, {}, {10, 0.25, 1.25}};
  const PairInspection p = inspect_pair(a, b, narrow::strategies(), true);
  EXPECT_TRUE(p.touching);
  EXPECT_EQ(p.best.gap, -0.25);
  EXPECT_NEAR(p.volume, 0.25, 1e-14);
  EXPECT_NEAR(p.area, 1, 1e-14);
  EXPECT_NEAR(norm(p.centroid - Vec3{10, 0.25, 0.875}), 0, 1e-14);
  ASSERT_EQ(p.contact.size(), 1u);
  EXPECT_NEAR(p.contact[0].depth, 0.25, 1e-14);
  EXPECT_EQ(p.contact[0].normal, (Vec3{0, 0, 1}));
  for (const MethodResult& m : p.methods) {
    EXPECT_GT(m.nanoseconds, 1) << m.name;
    EXPECT_LT(m.nanoseconds, 1e8) << m.name;
    EXPECT_NEAR(m.below_best, -0.25 - m.plane.gap, 1e-15);
    if (std::string(m.name) == "common_plane") {  // turns by no less than 0.01 degree
      EXPECT_LT(m.below_best, 1e-3);
      continue;
    }
    EXPECT_NEAR(m.plane.gap, -0.25, 1e-14) << m.name;
    EXPECT_EQ(m.support_a.size(), 4u) << m.name;
    EXPECT_EQ(m.support_b.size(), 4u) << m.name;
    ASSERT_EQ(m.points.size(), 4u) << m.name;
    for (const narrow::FoundPoint& c : m.points) {
      EXPECT_NEAR(c.depth, 0.25, 1e-14) << m.name;
      EXPECT_NEAR(std::abs(c.point.x - 10), 0.5, 1e-14) << m.name;
      EXPECT_NEAR(std::abs(c.point.y - 0.25), 0.5, 1e-14) << m.name;
      EXPECT_NEAR(c.point.z, 0.875, 1e-14) << m.name;
    }
  }
}

TEST(InspectPair, ApartByALinkBetweenEdges) {
  // Both turned by 45 degrees, A about x and B about y: upper edge of A along x, lower edge of B along y.
  const PosedShape a{oracle::shape("cube"), 1, axis_angle({1, 0, 0}, M_PI / 4), {}};
  const PosedShape b{oracle::shape("cube"), 1, axis_angle({0, 1, 0}, M_PI / 4), {0.1, 0.2, 2}};
  const PairInspection p = inspect_pair(a, b, narrow::strategies(), false);
  EXPECT_FALSE(p.touching);
  EXPECT_TRUE(p.contact.empty());
  EXPECT_EQ(p.volume, 0);
  EXPECT_NEAR(p.link, 2 - std::sqrt(2), 1e-14);
  EXPECT_NEAR(norm(p.nearest_a - Vec3{0.1, 0, std::sqrt(0.5)}), 0, 1e-14);
  EXPECT_NEAR(norm(p.nearest_b - Vec3{0.1, 0, 2 - std::sqrt(0.5)}), 0, 1e-14);
  for (const MethodResult& m : p.methods) {
    EXPECT_TRUE(m.points.empty()) << m.name;
    if (std::string(m.name) == "common_plane") continue;
    EXPECT_EQ(m.support_a.size(), 2u) << m.name;
    EXPECT_EQ(m.support_b.size(), 2u) << m.name;
    for (const auto v : m.support_a)
      EXPECT_NEAR(rotate(a.orientation, a.shape->body.vertices[v]).z, std::sqrt(0.5), 1e-14) << m.name;
    for (const auto v : m.support_b)
      EXPECT_NEAR(rotate(b.orientation, b.shape->body.vertices[v]).z, -std::sqrt(0.5), 1e-14) << m.name;
  }
}

/// Parallel edges, the shorter one over the middle of the longer, whichever body has it.
TEST(InspectPair, ApartByALinkBetweenParallelEdges) {
  const Quat turned = axis_angle({1, 0, 0}, M_PI / 4);
  for (const double size : {0.5, 1.0, 2.0}) {
    const PosedShape a{oracle::shape("cube"), size, turned, {}}, b{oracle::shape("cube"), 1, turned, {0.1, 0, 3}};
    const PairInspection p = inspect_pair(a, b, narrow::strategies(), false);
    EXPECT_NEAR(p.link, 3 - (size + 1) * std::sqrt(0.5), 1e-14);
    EXPECT_NEAR(p.best.gap, p.link, 1e-14);
  }
}

TEST(InspectPair, DifferencesBeyondTheRange) {
  const PosedShape a{oracle::shape("cube"), 1e308, {}, {0, 0, -1e308}},
      b{oracle::shape("cube"), 1e308, {}, {0, 0, 1e308}};
  const PairInspection p = inspect_pair(a, b, narrow::strategies(), false);
  EXPECT_NEAR(p.best.gap / 1e308, 1, 1e-15);
  EXPECT_NEAR(p.nearest_a.z / 1e308, -0.5, 1e-15);
  EXPECT_NEAR(p.nearest_b.z / 1e308, 0.5, 1e-15);
}

/// Centroids so close that the square of their distance is no number.
TEST(InspectPair, AlmostConcentric) {
  Random u(35);
  for (const double apart : {0.0, 1e-320, 1e-170, 1e-162, 1.4e-160, 1e-159, 1e-155, 1e-20}) {
    for (int i = 0; i < 20; ++i) {
      const PosedShape a{oracle::shape("dodecahedron"), 1.25, u.rotation(), {}};
      const PosedShape b{oracle::shape("cube"), 1, {}, {0, 0, apart}};
      const PairInspection p = inspect_pair(a, b, narrow::strategies(), false);
      for (const MethodResult& m : p.methods) EXPECT_NEAR(norm(m.plane.n), 1, 1e-12) << m.name << " " << apart;
    }
  }
}

/// The paper's row is the paper's: overlapping bodies are drawn apart, which finds another plane here and there.
TEST(InspectPair, EachNameRunsItsMethod) {
  Random u(34);
  int differs = 0;
  for (int i = 0; i < 300; ++i) {
    const PosedShape a{oracle::shape("grain14"), 1, u.rotation(), {}};
    const PosedShape b{oracle::shape("needle"), 1, u.rotation(), u.uniform(0.1, 0.5) * u.direction()};
    const PairInspection p = inspect_pair(a, b, narrow::strategies(), false);
    const oracle::PosedPair pair(a.shape, b.shape, {1, a.orientation, {}}, {1, b.orientation, b.position});
    for (std::size_t m = 0; m < p.methods.size(); ++m) {
      if (std::string(p.methods[m].name) == "fast_paper") continue;
      narrow::SearchCounters counters;
      const narrow::Plane same =
          narrow::find_plane(narrow::strategies()[m].settings, pair.a(), pair.b(), pair.d(), nullptr, counters);
      EXPECT_EQ(p.methods[m].plane.gap, same.gap) << p.methods[m].name;
    }
    differs += std::abs(p.methods[1].plane.gap - p.methods[2].plane.gap) > 1e-9 ? 1 : 0;
  }
  EXPECT_GT(differs, 3);
}

}  // namespace
}  // namespace scree

// LIBS: scree_geometry
// Mass properties of unions of balls: the closed form against slices by quadrature, against inclusion and exclusion
// where no three balls meet, and against itself under what may change nothing; random and degenerate sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <string>

#include "base/random.h"
#include "oracle/ball_slices.h"

namespace scree {
namespace {

using Balls = std::vector<Ball>;

void expect_near(const MassProperties& m, const MassProperties& o, double tolerance, const std::string& what) {
  const double size = std::cbrt(o.volume);
  EXPECT_NEAR(m.volume, o.volume, tolerance * o.volume) << what;
  EXPECT_NEAR(norm(m.centroid - o.centroid), 0, tolerance * size) << what;
  double trace = o.inertia(0, 0) + o.inertia(1, 1) + o.inertia(2, 2);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(m.inertia(i, j), o.inertia(i, j), tolerance * trace) << what << " " << i << j;
}

Balls random_balls(std::uint64_t seed, std::size_t n, double low, double high) {
  Random draw(7, seed);
  Balls balls;
  for (std::size_t k = 0; k < n; ++k)
    balls.push_back(
        {{draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5)}, draw.uniform(low, high)});
  return balls;
}

TEST(BallUnion, IsWhatSlicesAddUpTo) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Balls balls = random_balls(seed, 2 + seed % 9, 0.02, seed % 2 ? 0.3 : 0.6);
    expect_near(mass_properties(balls), oracle::sliced_mass_properties(balls), 2e-10, std::to_string(seed));
  }
}

/// Of two balls: two balls less the lens, both caps of which are integrated across the line of centres.
TEST(BallUnion, OfTwoBallsOfAnySizesIsTheClosedForm) {
  for (const double b : {1.0, 0.7, 0.1, 1e-3}) {
    for (const double depth : {1e-9, 1e-4, 0.1, 0.9, 1.1, 1.9, 1.9999}) {
      const double d = 1 + b - depth * b;
      const Vec3 axis = normalized(Vec3{1, 2, -0.4});
      const MassProperties m = mass_properties(Balls{{{}, 1}, {d * axis, b}});
      const double lens =
          M_PI * (1 + b - d) * (1 + b - d) * (d * d + 2 * d * b - 3 * b * b + 2 * d + 6 * b - 3) / (12 * d);
      const double volume = 4 * M_PI / 3 * (1 + b * b * b) - lens;
      EXPECT_NEAR(m.volume, volume, 1e-12 * volume) << b << " " << depth;
    }
  }
}

Vec3 grid(int k, int n) { return {double(k % n), double(k / n % n), double(k / n / n)}; }

/// Cubes of balls whose neighbours overlap and nobody else: balls less one lens a pair, whose own moments are known.
TEST(BallUnion, OfALatticeIsInclusionAndExclusion) {
  const int n = 5;
  for (const double r : {0.5, 0.500001, 0.55, 0.65, 0.7071, std::sqrt(0.5)}) {
    Balls balls;
    double volume = 0;
    Mat3 second{};
    const auto count = [&](Vec3 at, double v, Vec3 own, double sign) {
      volume += sign * v;
      for (std::size_t i = 0; i < 3; ++i) {
        second(i, i) += sign * own[i];
        for (std::size_t j = 0; j < 3; ++j) second(i, j) += sign * v * at[i] * at[j];
      }
    };
    const double v = 4 * M_PI / 3 * r * r * r, h = r - 0.5;
    // A lens of height 2h across z: 2 int pi (r^2 - z^2) over z from 1/2 to r.
    const auto power = [&](int k) { return (std::pow(r, k) - std::pow(0.5, k)) / k; };
    const double lens = 2 * M_PI * (r * r * power(1) - power(3));
    const double along =
        2 * M_PI * (r * r * power(3) - power(5) - (r * r * power(2) - power(4)) + 0.25 * (r * r * power(1) - power(3)));
    const double across = 2 * M_PI / 4 * (r * r * r * r * power(1) - 2 * r * r * power(3) + power(5));
    ASSERT_GE(h, 0);
    for (int k = 0; k < n * n * n; ++k) {
      const Vec3 x = grid(k, n) - Vec3{2, 2, 2};
      balls.push_back({x, r});
      count(x, v, Vec3{1, 1, 1} * (v * r * r / 5), 1);
      for (std::size_t a = 0; a < 3; ++a) {
        if (x[a] > 1.5) continue;
        Vec3 at = x, own{across, across, across};
        at[a] += 0.5, own[a] = along;
        count(at, lens, own, -1);
      }
    }
    const MassProperties m = mass_properties(balls);
    EXPECT_NEAR(m.volume, volume, 1e-12 * volume) << r;
    EXPECT_NEAR(norm(m.centroid), 0, 1e-12) << r;
    EXPECT_NEAR(m.inertia(0, 0), second(1, 1) + second(2, 2), 1e-12 * m.inertia(0, 0)) << r;
    EXPECT_NEAR(m.inertia(0, 1), 0, 1e-12 * m.inertia(0, 0)) << r;
  }
}

/// Where a ball's circles touch, where four of them pass through one point, and where the lattice fills its inside.
TEST(BallUnion, OfLatticesWithManyCirclesThroughAPoint) {
  for (const double r : {std::sqrt(0.5), 0.75, std::sqrt(0.75), 0.9, 1.0, std::sqrt(2.0), 1.5}) {
    for (const int n : {2, 3}) {
      Balls balls;
      for (int k = 0; k < n * n * n; ++k) balls.push_back({grid(k, n), r});
      if (n == 3 && r > 1.2) continue;
      const MassProperties m = mass_properties(balls), o = oracle::sliced_mass_properties(balls);
      expect_near(m, o, 1e-9, std::to_string(r) + " " + std::to_string(n));
      // Symmetric, as the lattice is.
      EXPECT_NEAR(norm(m.centroid - Vec3{1, 1, 1} * (0.5 * (n - 1))), 0, 1e-13);
      EXPECT_NEAR(m.inertia(0, 0), m.inertia(2, 2), 1e-12 * m.inertia(0, 0));
    }
  }
}

struct Case {
  const char* name;
  Balls balls;
};

std::vector<Case> degenerate_sets() {
  const double third = 2 * M_PI / 3, w = std::sqrt(0.5);
  const auto ring = [&](int n, double at, double r, double z = 0) {
    Balls b;
    for (int k = 0; k < n; ++k) b.push_back({{at * std::cos(2 * M_PI * k / n), at * std::sin(2 * M_PI * k / n), z}, r});
    return b;
  };
  const auto with = [](Balls b, const Balls& more) {
    b.insert(b.end(), more.begin(), more.end());
    return b;
  };
  std::vector<Case> sets = {
      {"tangent", {{{}, 1}, {{2, 0, 0}, 1}}},
      {"tangent from inside", {{{}, 1}, {{0.5, 0, 0}, 0.5}}},
      {"the same twice and a third", {{{}, 1}, {{}, 1}, {{1, 0, 0}, 0.7}}},
      {"the same but for rounding", {{{}, 1}, {{1e-16, 0, 1e-17}, 1}, {{1, 0, 0}, 0.7}}},
      {"nearly the same", {{{}, 1}, {{1e-10, 0, 0}, 1}, {{0, 1e-10, 0}, 1}, {{1, 0, 0}, 0.7}}},
      {"nearly the same, larger", {{{}, 1}, {{1e-7, 0, 0}, 1}, {{0, 1e-7, 1e-8}, 1}, {{1, 0.1, 0}, 0.7}}},
      {"one circle for three", {{{-1, 0, 0}, std::sqrt(2)}, {{}, 1}, {{1, 0, 0}, std::sqrt(2)}}},
      {"one circle for five",
       {{{-1, 0, 0}, std::sqrt(2)},
        {{}, 1},
        {{1, 0, 0}, std::sqrt(2)},
        {{-0.5, 0, 0}, std::sqrt(1.25)},
        {{2, 0, 0}, std::sqrt(5)}}},
      {"one circle but for rounding", {{{-1, 0, 0}, std::sqrt(2)}, {{1e-15, 0, 0}, 1}, {{1, 1e-15, 0}, std::sqrt(2)}}},
      {"three through a point", with(ring(3, 1, 1), {})},
      {"four through a point", ring(4, 1, 1)},
      {"seven through a point", ring(7, 1, 1)},
      {"seven nearly through a point", ring(7, 1, 1 + 1e-13)},
      {"seven through a point and one about it", with(ring(7, 1, 1), {{{}, 0.3}})},
      {"circles that touch", {{{}, w}, {{1, 0, 0}, w}, {{0, 1, 0}, w}, {{1, 1, 0}, w}}},
      {"circles that nearly touch", {{{}, w}, {{1, 0, 0}, w}, {{0, 1, 0}, w + 1e-13}, {{1, 1, 0}, w}}},
      {"a ball inscribed between others", with(ring(3, 1, 1), {{{0, 0, 1}, 0.2}})},
      {"a lattice with touching circles", {}},
      {"a lattice with six circles through a point", {}},
      {"a hollow", {}},
      {"a string of beads", {}},
      {"coplanar, all over each other", ring(9, 0.3, 1)},
      {"a peg through a ring", with(ring(12, 1, 0.4), {{{0, 0, 0}, 0.2}, {{0.3, 0, 0}, 0.2}, {{0.55, 0, 0}, 0.2}})},
      {"sizes of three decades", {{{}, 1}, {{1, 0, 0}, 0.1}, {{1.1, 0, 0}, 0.01}, {{1.11, 0, 0}, 0.001}}},
      {"rows at an angle", {{{}, 1}, {{std::cos(third), std::sin(third), 0}, 1}, {{1, 0, 0}, 1}, {{0, 0, 1}, 1}}},
  };
  // Balls on a sphere of radius 1 that leave a hollow: the surface has two pieces.
  for (int k = 0; k < 60; ++k) {
    const double z = -1 + (2 * k + 1) / 60.0, a = k * 2.39996322972865332, p = std::sqrt(1 - z * z);
    for (Case& c : sets)
      if (c.name == std::string("a hollow")) c.balls.push_back({{p * std::cos(a), p * std::sin(a), z}, 0.4});
  }
  for (Case& c : sets) {
    for (int k = 0; k < 8; ++k) {
      if (c.name == std::string("a lattice with touching circles")) c.balls.push_back({grid(k, 2), w});
      if (c.name == std::string("a lattice with six circles through a point"))
        c.balls.push_back({grid(k, 2), std::sqrt(0.75)});
    }
  }
  for (Case& c : sets)
    if (c.name == std::string("a string of beads"))
      for (int k = 0; k < 12; ++k) c.balls.push_back({{0.9 * k, 0, 0}, k % 3 ? 0.6 : 1.0});
  return sets;
}

TEST(BallUnion, OfDegenerateSetsIsWhatSlicesAddUpTo) {
  for (const Case& c : degenerate_sets()) {
    if (c.balls.size() > 20) continue;
    expect_near(mass_properties(c.balls), oracle::sliced_mass_properties(c.balls), 1e-9, c.name);
  }
}

Balls changed(const Balls& balls, const std::function<Vec3(Vec3)>& place, bool reversed) {
  Balls b = balls;
  for (Ball& x : b) x.centre = place(x.centre);
  if (reversed) std::reverse(b.begin(), b.end());
  return b;
}

/// Turned, in another order, with balls doubled and with balls added that lie inside: the same.
TEST(BallUnion, OfDegenerateSetsIsTheSameFromEverySide) {
  std::vector<Case> sets = degenerate_sets();
  for (std::uint64_t seed = 0; seed < 6; ++seed) sets.push_back({"random", random_balls(seed, 200, 0.02, 0.25)});
  for (const Case& c : sets) {
    const MassProperties m = mass_properties(c.balls);
    for (int k = 0; k < 40; ++k) {
      Random draw(3, static_cast<std::uint64_t>(k));
      const Vec3 axis = normalized(Vec3{draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-1, 1)});
      const Mat3 turn = rotation_matrix(axis_angle(axis, draw.uniform(0, 6)));
      Balls b = changed(
          c.balls, [&](Vec3 x) { return turn * x; }, k % 2 == 1);
      const std::size_t n = b.size();
      for (std::size_t j = 0; j < n && k % 3 == 0; ++j) b.push_back(b[j]);
      for (std::size_t j = 0; j < n && k % 5 == 0; ++j) b.push_back({b[j].centre, 0.5 * b[j].radius});
      const MassProperties o = mass_properties(b);
      EXPECT_NEAR(o.volume, m.volume, 1e-11 * m.volume) << c.name << " " << k;
      EXPECT_NEAR(norm(o.centroid - turn * m.centroid), 0, 1e-10) << c.name << " " << k;
      const Mat3 back = transpose(turn) * o.inertia * turn;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          EXPECT_NEAR(back(i, j), m.inertia(i, j), 1e-10 * m.inertia(0, 0)) << c.name << " " << k;
    }
  }
}

/// Balls of 1e-12 to 1e-3 of the size moved: the volume follows by no more than the surface times the shift.
TEST(BallUnion, NoSmallShiftJumps) {
  for (const Case& c : degenerate_sets()) {
    const double volume = mass_properties(c.balls).volume;
    double area = 0;
    for (const Ball& b : c.balls) area += 4 * M_PI * b.radius * b.radius;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      Random draw(11, seed);
      const double shift = std::pow(10.0, draw.uniform(-16, -3));
      Balls b = c.balls;
      for (Ball& x : b) {
        x.centre += shift * Vec3{draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-1, 1)};
        x.radius += shift * draw.uniform(-1, 1);
      }
      EXPECT_NEAR(mass_properties(b).volume, volume, 3 * shift * area + 1e-11 * volume) << c.name << " " << shift;
    }
  }
}

TEST(BallUnion, OfTwoHundredTakesNoTime) {
  double most = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Balls balls = random_balls(seed, 200, 0.1, seed % 2 ? 0.45 : 0.15);
    const auto from = std::clock();
    const MassProperties m = mass_properties(balls);
    most = std::max(most, double(std::clock() - from) / CLOCKS_PER_SEC);
    EXPECT_GT(m.volume, 0.5);
  }
  // Of processor time; some milliseconds without sanitizers.
  EXPECT_LT(most, 0.5);
  RecordProperty("milliseconds", std::to_string(1000 * most));
}

}  // namespace
}  // namespace scree

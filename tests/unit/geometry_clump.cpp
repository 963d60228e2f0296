// LIBS: scree_geometry
// Mass properties of clumps against closed forms and against themselves seen from another side; what is no clump.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "geometry/clump.h"

namespace scree {
namespace {

Polyhedron box(Vec3 low, Vec3 high) {
  std::vector<Vec3> v;
  for (int k = 0; k < 8; ++k) v.push_back({k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z});
  return *convex_hull(v);
}

/// Integral over [low, high] of a polynomial of degree 9 at most.
template <class F>
double integral(double low, double high, F&& f) {
  const double x[] = {0, 0.5384693101056831, 0.9061798459386640},
               w[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const double m = 0.5 * (low + high), h = 0.5 * (high - low);
  double sum = w[0] * f(m);
  for (int k = 1; k < 3; ++k) sum += w[k] * (f(m - h * x[k]) + f(m + h * x[k]));
  return h * sum;
}

TEST(BallUnion, TwoEqualBallsAreTwoBallsLessALens) {
  for (const double d : {0.05, 0.7, 1.0, 1.6, 1.999}) {
    for (const Vec3 along : {Vec3{1, 0, 0}, Vec3{0, 0, 1}, normalized(Vec3{1, -2, 0.7})}) {
      const std::vector<Ball> balls = {{0.5 * d * along, 1}, {-0.5 * d * along, 1}};
      const MassProperties m = mass_properties(balls);
      const double lens = M_PI * (4 + d) * (2 - d) * (2 - d) / 12, volume = 8 * M_PI / 3 - lens;
      EXPECT_NEAR(m.volume, volume, 1e-10 * volume) << d;
      EXPECT_NEAR(norm(m.centroid), 0, 1e-10) << d;
      // Discs across the line of centres, of the half beyond the middle.
      const auto r2 = [d](double x) { return 1 - (x - 0.5 * d) * (x - 0.5 * d); };
      const double axial = 2 * integral(0, 1 + 0.5 * d, [&](double x) { return M_PI / 2 * r2(x) * r2(x); });
      const double across = 2 * integral(0, 1 + 0.5 * d, [&](double x) { return M_PI * r2(x) * (r2(x) / 4 + x * x); });
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          const double expected = (i == j ? across : 0) + (axial - across) * along[i] * along[j];
          EXPECT_NEAR(m.inertia(i, j), expected, 1e-9 * across) << d << " " << i << j;
        }
      }
    }
  }
}

TEST(BallUnion, OneBallDisjointBallsAndABallWithinAnotherAreExact) {
  const double v = 4 * M_PI / 3;
  const MassProperties one = mass_properties(std::vector<Ball>{{{3, 2, 1}, 0.5}});
  EXPECT_NEAR(one.volume, v / 8, 1e-15);
  EXPECT_EQ(one.centroid, (Vec3{3, 2, 1}));
  EXPECT_NEAR(one.inertia(0, 0), 0.4 * v / 8 * 0.25, 1e-16);
  const MassProperties two = mass_properties(std::vector<Ball>{{{0, 0, 0}, 1}, {{3, 0, 0}, 0.5}});
  EXPECT_NEAR(two.volume, v * 1.125, 1e-14);
  EXPECT_NEAR(two.centroid.x, 3 * 0.125 / 1.125, 1e-15);
  const double apart = v * 0.125 / 1.125 * 9;
  EXPECT_NEAR(two.inertia(1, 1), 0.4 * v * (1 + 1 / 32.0) + apart, 1e-14);
  const MassProperties within = mass_properties(std::vector<Ball>{{{0, 0, 0}, 1}, {{0.3, 0.2, 0.1}, 0.5}});
  EXPECT_NEAR(within.volume, v, 1e-10);
  EXPECT_NEAR(norm(within.centroid), 0, 1e-10);
  const MassProperties twice = mass_properties(std::vector<Ball>{{{1, 1, 1}, 1}, {{1, 1, 1}, 1}});
  EXPECT_NEAR(twice.volume, v, 1e-10);
}

std::vector<Ball> random_balls(std::uint64_t seed, std::size_t n) {
  Random draw(5, seed);
  std::vector<Ball> balls;
  for (std::size_t k = 0; k < n; ++k)
    balls.push_back(
        {{draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5)}, draw.uniform(0.1, 0.45)});
  return balls;
}

TEST(BallUnion, SlicedFromAnotherSideItIsTheSame) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Ball> balls = random_balls(seed, 3 + seed % 8);
    std::vector<Ball> other = balls;
    for (Ball& b : other) b.centre = {b.centre.y, b.centre.z, b.centre.x};
    const MassProperties m = mass_properties(balls), o = mass_properties(other);
    EXPECT_NEAR(m.volume, o.volume, 1e-9 * m.volume) << seed;
    EXPECT_NEAR(norm(m.centroid - Vec3{o.centroid.z, o.centroid.x, o.centroid.y}), 0, 1e-9) << seed;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(m.inertia((i + 1) % 3, (j + 1) % 3), o.inertia(i, j), 1e-9 * m.inertia(0, 0)) << seed;
  }
}

TEST(BallUnion, IsWhatPointsInTheBallsSay) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::vector<Ball> balls = random_balls(seed, 8);
    const MassProperties m = mass_properties(balls);
    constexpr int n = 120;
    double volume = 0;
    Vec3 first, second;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        for (int c = 0; c < n; ++c) {
          const Vec3 x = Vec3{a + 0.5, b + 0.5, c + 0.5} * (2.0 / n) - Vec3{1, 1, 1};
          bool in = false;
          for (const Ball& ball : balls) in = in || norm2(x - ball.centre) < ball.radius * ball.radius;
          if (!in) continue;
          const double cell = 8.0 / n / n / n;
          volume += cell, first += cell * x;
          second += cell * Vec3{x.y * x.z, x.x * x.z, x.x * x.y};
        }
    EXPECT_NEAR(m.volume, volume, 2e-3 * volume) << seed;
    const Vec3 c = m.centroid;
    EXPECT_NEAR(norm(c - first / volume), 0, 1e-3) << seed;
    EXPECT_NEAR(m.inertia(1, 2), -(second.x - volume * c.y * c.z), 2e-3 * m.inertia(0, 0)) << seed;
    EXPECT_NEAR(m.inertia(0, 2), -(second.y - volume * c.x * c.z), 2e-3 * m.inertia(0, 0)) << seed;
    EXPECT_NEAR(m.inertia(0, 1), -(second.z - volume * c.x * c.y), 2e-3 * m.inertia(0, 0)) << seed;
  }
}

TEST(BallUnion, ScaleAndPlaceMakeNoDifference) {
  const std::vector<Ball> balls = random_balls(3, 6);
  const MassProperties m = mass_properties(balls);
  for (const double scale : {1e-6, 1e4}) {
    std::vector<Ball> other = balls;
    for (Ball& b : other) b.centre = scale * b.centre + scale * Vec3{100, -50, 20}, b.radius *= scale;
    const MassProperties o = mass_properties(other);
    EXPECT_NEAR(o.volume, scale * scale * scale * m.volume, 1e-9 * o.volume);
    EXPECT_NEAR(o.inertia(0, 1), std::pow(scale, 5) * m.inertia(0, 1), 1e-9 * o.inertia(0, 0));
  }
}

TEST(Clump, OneBallIsTheSphere) {
  const Shape clump = *make_clump("ball", {Ball{{4, 5, 6}, 0.5}}), sphere = make_sphere("sphere");
  EXPECT_EQ(clump.parts[0].centre, Vec3{});
  EXPECT_EQ(clump.outer_radius(), sphere.outer_radius());
  EXPECT_NEAR(clump.volume, sphere.volume, 1e-16);
  EXPECT_NEAR(clump.inertia.x, sphere.inertia.x, 1e-17);
  EXPECT_NEAR(clump.overlap_length(), 1, 1e-15);
}

TEST(Clump, HalvesOfACubeMakeTheCube) {
  const Shape cube = *make_shape("cube", box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}));
  const Shape halves =
      *make_clump("halves", {box({-0.5, -0.5, -0.5}, {0.1, 0.5, 0.5}), box({0.1, -0.5, -0.5}, {0.5, 0.5, 0.5})});
  EXPECT_NEAR(halves.volume, cube.volume, 1e-15);
  EXPECT_NEAR(norm(halves.inertia - cube.inertia), 0, 1e-15);
  EXPECT_NEAR(halves.outer_radius(), cube.outer_radius(), 1e-15);
  ASSERT_EQ(halves.parts.size(), 2u);
  EXPECT_NEAR(norm(halves.parts[0].centre - Vec3{-0.2, 0, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(halves.parts[1].centre - Vec3{0.3, 0, 0}), 0, 1e-15);
}

TEST(Clump, StandsInItsPrincipalFrame) {
  // An angle of three boxes: not symmetric, drawn askew.
  const Mat3 askew = rotation_matrix(axis_angle(normalized(Vec3{1, 2, 3}), 0.8));
  std::vector<DrawnPart> parts;
  for (const auto& [low, high] :
       {std::pair{Vec3{0, 0, 0}, Vec3{1, 1, 1}}, {Vec3{1, 0, 0}, Vec3{3, 1, 1}}, {Vec3{0, 1, 0}, Vec3{1, 2, 0.5}}}) {
    std::vector<Vec3> v;
    for (const Vec3& x : box(low, high).vertices) v.push_back(askew * x + Vec3{7, 7, 7});
    parts.emplace_back(*convex_hull(v));
  }
  const Shape s = *make_clump("angle", parts);
  EXPECT_NEAR(s.volume, 3.5, 1e-12);
  EXPECT_LE(s.inertia.x, s.inertia.y);
  EXPECT_LE(s.inertia.y, s.inertia.z);
  Vec3 centroid;
  Mat3 tensor{};
  for (const Shape::Part& part : s.parts) {
    const MassProperties own = mass_properties(part.shape->body);
    EXPECT_NEAR(norm(own.centroid), 0, 1e-13);
    EXPECT_FALSE(!validate(part.shape->body));
    centroid += own.volume * part.centre;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        tensor(i, j) +=
            own.inertia(i, j) + own.volume * ((i == j ? norm2(part.centre) : 0) - part.centre[i] * part.centre[j]);
  }
  EXPECT_NEAR(norm(centroid), 0, 1e-12);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(tensor(i, j), i == j ? s.inertia[i] : 0, 1e-11) << i << j;
}

TEST(Clump, TakesTheMassPropertiesThatAreGiven) {
  MassProperties given;
  given.volume = 2, given.centroid = {1, 0, 0}, given.inertia = {{Vec3{0.5, 0, 0}, Vec3{0, 2, 0}, Vec3{0, 0, 2}}};
  // Two balls that nothing holds but the rod between them, which is not drawn.
  const Shape s = *make_clump("dumbbell", {Ball{{0, 0, 0}, 0.4}, Ball{{2, 0, 0}, 0.4}}, given);
  EXPECT_EQ(s.volume, 2);
  EXPECT_EQ(s.inertia, (Vec3{0.5, 2, 2}));
  EXPECT_NEAR(norm(s.parts[0].centre), 1, 1e-15);
}

std::string refusal(const std::vector<DrawnPart>& parts, const std::optional<MassProperties>& given = {}) {
  const Result<Shape> s = make_clump("x", parts, given);
  return s ? "" : s.error().message;
}
bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

TEST(Clump, RefusesWhatIsNone) {
  const Ball one{{0, 0, 0}, 1}, far{{3, 0, 0}, 1};
  EXPECT_TRUE(says(refusal({}), "needs a part"));
  EXPECT_TRUE(says(refusal({one, far}), "part 1 hangs together with part 0 neither"));
  EXPECT_TRUE(says(refusal({one, box({0, 0, 0}, {1, 1, 1})}), "another kind"));
  EXPECT_TRUE(says(refusal({box({0, 0, 0}, {1, 1, 1}), box({0.9, 0, 0}, {2, 1, 1})}), "part 0 and part 1 overlap"));
  EXPECT_TRUE(says(refusal({box({0, 0, 0}, {1, 1, 1}), box({1.1, 0, 0}, {2, 1, 1})}), "hangs together"));
  EXPECT_EQ(refusal({box({0, 0, 0}, {1, 1, 1}), box({1, 0.2, 0.2}, {2, 1, 1})}), "");
  EXPECT_TRUE(says(refusal({Ball{{0, 0, 0}, 0}}), "part 0: the radius"));
  EXPECT_TRUE(says(refusal({Ball{{0, 0, 0}, NAN}}), "part 0: the radius"));
  EXPECT_TRUE(says(refusal({Ball{{0, 0, 0}, 1e200}}), "too large"));
  EXPECT_TRUE(says(refusal({Ball{{0, 0, 0}, 1e-200}}), "too small"));
  EXPECT_TRUE(says(refusal(std::vector<DrawnPart>(kMaxParts + 1, one)), "the limit is"));
  MassProperties m;
  m.volume = 1, m.inertia = {{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}};
  EXPECT_EQ(refusal({one, far}, m), "");
  m.volume = 0;
  EXPECT_TRUE(says(refusal({one}, m), "volume"));
  m.volume = 1, m.inertia(2, 2) = 2.1;
  EXPECT_TRUE(says(refusal({one}, m), "no body has this inertia"));
  m.inertia(2, 2) = -1;
  EXPECT_TRUE(says(refusal({one}, m), "above 0"));
  m.inertia = {{Vec3{1, 0, 0}, Vec3{0, 1, 2}, Vec3{0, 2, 1}}};
  EXPECT_TRUE(says(refusal({one}, m), "above 0"));
  m.inertia(0, 0) = NAN;
  EXPECT_NE(refusal({one}, m), "");
  m.inertia = {{Vec3{0, 0, 0}, Vec3{0, 0, 0}, Vec3{0, 0, 0}}};
  EXPECT_NE(refusal({one}, m), "");
}

}  // namespace
}  // namespace scree

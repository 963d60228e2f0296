// Placement at random and from given columns; overlaps at the start.
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/scenes.h"

namespace scree {
namespace {

Case random_case(const std::vector<std::string>& shapes, std::uint64_t count, Region region) {
  Case c = scenes::empty_case();
  Case::Group g;
  g.name = "cloud", g.count = count, g.shapes = shapes;
  g.size = {Case::Size::Kind::uniform, 0.02, 0.05};
  g.place = Case::AtRandom{region};
  c.particles = {g};
  return c;
}

/// Smallest gap between any two grains of spheres, by brute force.
double smallest_gap(const Particles& p) {
  double gap = INFINITY;
  for (std::size_t i = 0; i < p.size_rows(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      gap = std::min(gap, norm(p.position[i] - p.position[j]) - p.radius[i] - p.radius[j]);
  return gap;
}

TEST(RandomPlaces, SpheresFillABoxToAQuarterWithoutTouching) {
  Case c = random_case({"sphere"}, 900, {{0, 0, 0}, {0.4, 0.4, 0.4}});
  const Simulation s = scenes::build(c);
  const Particles& p = s.particles;
  double volume = 0;
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    volume += 4.0 / 3 * M_PI * std::pow(p.radius[i], 3);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_GE(p.position[i][k], p.radius[i] - 1e-15);
      EXPECT_LE(p.position[i][k], 0.4 - p.radius[i] + 1e-15);
    }
  }
  EXPECT_GT(volume / 0.064, 0.25);
  EXPECT_GT(smallest_gap(p), 0);
  EXPECT_EQ(s.contacts.size(), 0u);
}

TEST(RandomPlaces, SizesFarApartAreKeptApart) {
  Case c = random_case({"sphere"}, 40, {{-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}});
  c.particles[0].size = {Case::Size::Kind::uniform, 0.05, 0.1};
  Case::Group small = c.particles[0];
  small.name = "dust", small.count = 2000, small.size = {Case::Size::Kind::uniform, 0.002, 0.012};
  std::get<Case::AtRandom>(small.place).gap = 1e-4;
  c.particles.push_back(small);
  const Simulation s = scenes::build(c);
  EXPECT_EQ(s.particles.size_rows(), 2040u);
  EXPECT_GT(smallest_gap(s.particles), 0);
  // Large ones that come second have to find their way between small ones.
  std::swap(c.particles[0], c.particles[1]);
  c.particles[0].count = 60, c.particles[1].count = 10;
  EXPECT_GT(smallest_gap(scenes::build(c).particles), 0);
}

TEST(RandomPlaces, GapIsKept) {
  Case c = random_case({"sphere"}, 100, {{0, 0, 0}, {0.4, 0.4, 0.4}});
  std::get<Case::AtRandom>(c.particles[0].place).gap = 0.01;
  EXPECT_GE(smallest_gap(scenes::build(c).particles), 0.01 - 1e-15);
}

TEST(RandomPlaces, PolyhedraInACylinderStayInsideAndClearTheWalls) {
  Region pipe{{0, 0, 0.1}, {0, 0, 0.5}, Region::Kind::cylinder, 0.15};
  Case c = random_case({"cube", "tetrahedron"}, 45, pipe);
  scenes::add_plane(c, "cut", {0.05, 0, 0}, {-1, 0, 0});
  const Simulation s = scenes::build(c);
  EXPECT_EQ(s.contacts.size() + s.wall_contacts.size(), 0u);
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const Vec3 x = s.particles.position[i];
    EXPECT_LE(std::hypot(x.x, x.y) + s.particles.radius[i], 0.15 + 1e-12);
    EXPECT_TRUE(x.z - s.particles.radius[i] >= 0.1 - 1e-12 && x.z + s.particles.radius[i] <= 0.5 + 1e-12);
    EXPECT_LT(x.x, 0.05);
  }
}

TEST(RandomPlaces, ArePlacedEvenly) {
  // The mean of uniform places is the centroid; of a disc of radius R the mean square distance from the axis is R^2/2.
  Region pipe{{1, 2, 3}, {1, 2, 5}, Region::Kind::cylinder, 0.5};
  Random draw(3);
  double rho2 = 0, z = 0;
  constexpr int kN = 200000;
  for (int k = 0; k < kN; ++k) {
    const Vec3 x = pipe.sample(draw);
    ASSERT_TRUE(pipe.contains(x));
    rho2 += ((x.x - 1) * (x.x - 1) + (x.y - 2) * (x.y - 2)) / kN, z += x.z / kN;
  }
  EXPECT_NEAR(rho2, 0.125, 0.001);
  EXPECT_NEAR(z, 4, 0.01);
}

TEST(RandomPlaces, DiscsInThePlane) {
  Case c = random_case({"disc"}, 60, {{0, 0, 0}, {0.4, 0.4, 0}});
  c.dimensions = 2, c.gravity = {};
  const Simulation s = scenes::build(c);
  EXPECT_GT(smallest_gap(s.particles), 0);
  for (const Vec3& x : s.particles.position) EXPECT_EQ(x.z, 0);
}

TEST(RandomPlaces, SameSeedSameBits) {
  const Case c = random_case({"sphere", "cube"}, 200, {{0, 0, 0}, {0.5, 0.5, 0.5}});
  EXPECT_EQ(state_hash(scenes::build(c)), state_hash(scenes::build(c)));
  Case other = c;
  other.seed = c.seed + 1;
  EXPECT_NE(state_hash(scenes::build(c)), state_hash(scenes::build(other)));
}

TEST(RandomPlaces, FullRegionSaysHowFarItGot) {
  const Case c = random_case({"sphere"}, 4000, {{0, 0, 0}, {0.4, 0.4, 0.4}});
  const auto s = set_up(c, scenes::library());
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message.find("of 4000 found a place without overlap: a solid fraction of 0."), std::string::npos)
      << s.error().message;
  const auto narrow = set_up(random_case({"sphere"}, 1, {{0, 0, 0}, {0.4, 0.4, 0.015}}), scenes::library());
  ASSERT_FALSE(narrow);
  EXPECT_NE(narrow.error().message.find("too narrow"), std::string::npos);
}

Case two_spheres(double apart) {
  Case c = scenes::empty_case();
  Case::Group g;
  g.name = "two", g.count = 2, g.shapes = {"sphere"}, g.size.a = 0.02;
  g.place = Case::AtPoints{{{0, 0, 0}, {apart, 0, 0}}};
  c.particles = {g};
  return c;
}

TEST(Overlap, IsRefusedWithDepthAndIdsUnlessAllowed) {
  Case c = two_spheres(0.018);
  const auto refused = set_up(c, scenes::library());
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      "particles 0 and 1 overlap at the start by 10 % of the smaller one's size (0.002 m), the deepest of 1 pairs "
      "that do by more than 5 %; place them apart, or let them with `overlap: allow`");
  c.particles[0].may_overlap = true;
  EXPECT_TRUE(set_up(c, scenes::library()));
  // Deeper than half of a grain no run goes on.
  Case burst = two_spheres(0.005);
  burst.particles[0].may_overlap = true;
  EXPECT_FALSE(set_up(burst, scenes::library()));
}

TEST(Overlap, OfOneGroupAllowedLeavesTheOthersRefused) {
  Case c = two_spheres(0.018);
  c.particles[0].may_overlap = true;
  Case other = two_spheres(0.018);
  other.particles[0].name = "more";
  for (Vec3& x : std::get<Case::AtPoints>(other.particles[0].place).points) x.y += 1;
  c.particles.push_back(other.particles[0]);
  const auto refused = set_up(c, scenes::library());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("particles 2 and 3"), std::string::npos) << refused.error().message;
}

TEST(Columns, OfAFileGoBeforeTheGroup) {
  Case c = two_spheres(0.1);
  auto& at = std::get<Case::AtPoints>(c.particles[0].place);
  c.particles[0].shapes = {"sphere", "cube"};
  at.size = {0.03, 0.04}, at.shape = {1, 0}, at.velocity = {{1, 0, 0}, {0, 2, 0}};
  at.angular_velocity = {{0, 0, 3}, {}}, at.orientation = {{0, 1, 0, 0}, {1, 0, 0, 0}};
  const Simulation s = scenes::build(c);
  EXPECT_EQ(s.shapes[s.particles.shape[0]]->name, "cube");
  EXPECT_EQ(s.shapes[s.particles.shape[1]]->name, "sphere");
  EXPECT_NEAR(s.particles.mass[0], 2650 * 0.03 * 0.03 * 0.03, 1e-12);
  EXPECT_EQ(s.particles.velocity[1], (Vec3{0, 2, 0}));
  EXPECT_EQ(s.particles.angular_velocity[0], (Vec3{0, 0, 3}));
  EXPECT_EQ(s.particles.orientation[0], (Quat{0, 1, 0, 0}));
  EXPECT_NEAR(s.particles.angular_momentum[0].z, 3 * s.particles.inertia[0].z, 1e-12);
}

}  // namespace
}  // namespace scree

// Placement at random and from given columns; overlaps at the start.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

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

/// "only N of M found a place without overlap: a solid fraction of X was reached, Y is asked for".
struct Fullness {
  int placed = 0, all = 0;
  double reached = 0, asked = 0;
};
Fullness fullness_in(const std::string& message) {
  Fullness f;
  const std::size_t at = message.find("only");
  EXPECT_EQ(
      at == std::string::npos
          ? 0
          : std::sscanf(message.c_str() + at,
                        "only %d of %d found a place without overlap: a solid fraction of %lf was reached, %lf is",
                        &f.placed, &f.all, &f.reached, &f.asked),
      4)
      << message;
  return f;
}

TEST(RandomPlaces, FullRegionOfClustersSaysHowFarItGot) {
  Case c = random_case({"sphere"}, 500, {{0, 0, 0}, {0.4, 0.4, 0.4}});
  c.clusters.push_back({"pair", {{{-0.02, 0, 0}, {0.02, 0, 0}}, {0.02, 0.02}}, {{0, 1}}, {}});
  c.particles[0].cluster = 0;
  const auto s = set_up(c, scenes::library());
  ASSERT_FALSE(s);
  const Fullness f = fullness_in(s.error().message);
  // Of the spheres about the clusters.
  EXPECT_NEAR(f.asked, 500 * 4 * M_PI / 3 * std::pow(0.04, 3) / std::pow(0.4, 3), 0.01 * f.asked);
  EXPECT_NEAR(f.reached / f.asked, f.placed / 500.0, 0.01);
}

TEST(RandomPlaces, FullRegionSaysHowFarItGot) {
  const Case c = random_case({"sphere"}, 4000, {{0, 0, 0}, {0.4, 0.4, 0.4}});
  const auto s = set_up(c, scenes::library());
  ASSERT_FALSE(s);
  const auto [placed, all, reached, asked] = fullness_in(s.error().message);
  EXPECT_EQ(all, 4000);
  const double mean_cube = (std::pow(0.05, 4) - std::pow(0.02, 4)) / 4 / 0.03;  // of sizes that are equally likely
  EXPECT_NEAR(asked, 4000 * M_PI / 6 * mean_cube / std::pow(0.4, 3), 0.03 * asked);
  EXPECT_GT(reached / asked, placed / 4000.0) << "large ones come first";
  EXPECT_LT(reached, 0.5);
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
  EXPECT_EQ(refused.error().message,
            "particles 0 and 1 of 'two' overlap at the start by 10 % of the smaller one's size (0.002 m) at x = "
            "(0.009, 0, 0) "
            "m, the deepest of 1 pairs that do by more than 5 %; place them apart, or let them with `overlap: allow`");
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

TEST(Overlap, NamesTheGroupsOfThePairAndTheStageThatBroughtIt) {
  Case c = two_spheres(0.1);
  Case::Group late = c.particles[0];
  late.name = "late", late.count = 1, late.place = Case::AtPoints{{{0.1, 0.015, 0}}};
  Case one = c;
  one.particles.push_back(late);
  const auto at_start = set_up(one, scenes::library());
  ASSERT_FALSE(at_start);
  EXPECT_EQ(at_start.error().message.substr(0, 68),
            "particles 1 of 'two' and 2 of 'late' overlap at the start by 25 % of")
      << at_start.error().message;
  EXPECT_NE(at_start.error().message.find(" at x = (0.1, 0.0075, 0) m, the deepest"), std::string::npos)
      << at_start.error().message;
  c.gravity = {};
  c.stages[0].duration = 0;
  Case::Stage second;
  second.name = "second", second.duration = 1, second.insert = {late};
  c.stages.push_back(second);
  Simulation s = scenes::build(c);
  const auto begun = begin_next_stage(s, c, scenes::library());
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().message.substr(0, 79),
            "stage 'second': particles 1 and 2 of 'late' overlap when the stage begins by 25")
      << begun.error().message;
}

TEST(BehindAPlane, GrainsAreRefusedWithTheirPlace) {
  for (const char* shape : {"cube", "tetrahedron", "sphere", "interlock"}) {
    if (!scenes::library()(shape)) continue;
    for (const double z : {-0.0501, -0.08, -1.0, -1e4}) {
      Case c = scenes::empty_case();
      scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
      scenes::add_grain(c, shape, 0.1, {1, 2, z});
      const auto refused = set_up(c, scenes::library());
      ASSERT_FALSE(refused) << shape << " at " << z;
      const std::string m = refused.error().message;
      EXPECT_TRUE(m.starts_with("particle 0 of 'grain0' ")) << m;
      EXPECT_NE(m.find("'floor' at the start"), std::string::npos) << m;
      EXPECT_NE(m.find(" at x = (1, 2, "), std::string::npos) << m;
      c.particles[0].may_overlap = true;
      EXPECT_FALSE(set_up(c, scenes::library())) << "an overlap allowed holds no one back";
    }
  }
  Case c = scenes::empty_case();
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  scenes::add_grain(c, "cube", 0.1, {0, 0, -0.08});
  scenes::add_grain(c, "cube", 0.1, {1, 0, -0.3});
  const auto refused = set_up(c, scenes::library());
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      "particle 1 of 'grain1' lies wholly behind the plane 'floor' at the start, its centre by 0.3 m, at x = (1, 0, "
      "-0.3) m, the farthest of 2; grains belong on the side that the normal points to: move them there, turn the "
      "normal, or leave the wall out");
}

TEST(BehindAPlane, PolygonsTipsAndWhatIsBeforeIt) {
  Case flat = scenes::empty_case();
  flat.dimensions = 2, flat.gravity = {0, -9.81, 0};
  scenes::add_plane(flat, "floor", {0, 0, 0}, {0, 1, 0});
  scenes::add_grain(flat, "square", 0.1, {0, -0.2, 0});
  EXPECT_FALSE(set_up(flat, scenes::library()));
  flat.particles.clear();
  scenes::add_grain(flat, "square", 0.1, {0, 0.05, 0});
  EXPECT_TRUE(set_up(flat, scenes::library()));
  // A cube on its corner: with no more than its tip out, the overlap has no direction to speak of.
  const Quat on_corner = axis_angle(normalized(Vec3{1, -1, 0}), std::acos(1 / std::sqrt(3.0)));
  for (const double out : {-1e-12, 1e-12, 1e-6, 1e-4, 1e-3, 1e-2}) {
    Case c = scenes::empty_case();
    scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
    scenes::add_grain(c, "cube", 0.1, {0, 0, -0.05 * std::sqrt(3.0) + out}, on_corner);
    EXPECT_FALSE(set_up(c, scenes::library())) << out;
    c.particles[0].may_overlap = true;
    const auto refused = set_up(c, scenes::library());
    ASSERT_FALSE(refused) << out;
    EXPECT_NE(refused.error().message.find(out > 0 ? "lies mostly behind" : "lies wholly behind"), std::string::npos)
        << refused.error().message;
  }
  // Outside a box is behind one of its sides; before a slope is not behind the floor below it.
  Case c = scenes::empty_case();
  scenes::add_open_box(c, "box", {0, 0, 0}, {1, 1, 1});
  scenes::add_grain(c, "cube", 0.1, {0.5, 0.5, 7});
  EXPECT_TRUE(set_up(c, scenes::library()));
  scenes::add_grain(c, "cube", 0.1, {1.5, 0.5, 0.5});
  const auto outside = set_up(c, scenes::library());
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message.find("'box.x_max'"), std::string::npos) << outside.error().message;
}

TEST(BehindAPlane, OfALaterStageGrainsThatStandThereAreRefused) {
  Case c = scenes::empty_case();
  c.gravity = {};
  scenes::add_grain(c, "cube", 0.1, {0, 0, 1});
  c.stages[0].duration = 0;
  Case::Stage lid;
  lid.name = "lid", lid.duration = 1;
  Case with_lid = c;
  scenes::add_plane(with_lid, "lid", {0, 0, 0.5}, {0, 0, -1});
  lid.add = with_lid.walls;
  c.stages.push_back(lid);
  Simulation s = scenes::build(c);
  const auto begun = begin_next_stage(s, c, scenes::library());
  ASSERT_FALSE(begun);
  EXPECT_TRUE(begun.error().message.starts_with(
      "stage 'lid': particle 0 lies wholly behind the plane 'lid' when the stage begins, its centre by 0.5 m"))
      << begun.error().message;
  c.stages[1].add[0].normal = {0, 0, 1};
  Simulation before = scenes::build(c);
  EXPECT_TRUE(begin_next_stage(before, c, scenes::library()));
}

TEST(Pour, ARegionTooNarrowForItsGrainsIsRefusedInEveryStage) {
  Case c = scenes::empty_case();
  Case::Group g;
  g.name = "feed", g.count = 100, g.shapes = {"sphere"}, g.size.a = 0.02;
  Case::Pour pour;
  pour.region = {{0, 0, 0}, {0.1, 0.1, 0.019}}, pour.mass_rate = 1;
  g.place = pour;
  c.particles = {g};
  const std::string narrow =
      "group 'feed': the region is too narrow for a sphere of radius 0.01 m, which holds the largest of them";
  const auto now = set_up(c, scenes::library());
  ASSERT_FALSE(now);
  EXPECT_EQ(now.error().message, narrow);
  std::swap(c.stages[0].insert, c.particles);
  c.stages.insert(c.stages.begin(), scenes::empty_case().stages[0]);
  c.time_step.fixed = 1e-5;
  const auto later = set_up(c, scenes::library());
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().message, narrow);
  // Sizes that never come do not count: of 0.5 to 2 cm, 3 grains with this seed.
  Case few = scenes::empty_case();
  g.count = 3, g.size = {Case::Size::Kind::uniform, 0.005, 0.04};
  std::get<Case::Pour>(g.place).region.max.z = 0.0399;
  few.particles = {g};
  EXPECT_TRUE(set_up(few, scenes::library()));
  few.particles[0].count = 100000;
  EXPECT_FALSE(set_up(few, scenes::library()));
}

TEST(Stages, InsertBringsItsGroupWhenTheStageBegins) {
  Case c = two_spheres(0.1);
  c.gravity = {0, 0, -9.81};
  c.stages[0].duration = 0.01;
  Case::Group cubes;
  cubes.name = "cubes", cubes.count = 3, cubes.shapes = {"cube"};
  cubes.size = {Case::Size::Kind::uniform, 0.01, 0.02};
  cubes.place = Case::AtPoints{{{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}};
  cubes.velocity = {0, 3, 0}, cubes.angular_velocity = {0, 0, 5}, cubes.orientation = {false, Quat{0.6, 0, 0, 0.8}};
  Case::Stage second;
  second.name = "second", second.duration = 0.01, second.insert = {cubes};
  c.stages.push_back(second);
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.01);
  ASSERT_EQ(s.particles.size_rows(), 2u) << "not before";
  EXPECT_TRUE(stage_is_over(s, c, nullptr));
  const Vec3 was = s.particles.position[0], moved = s.particles.velocity[0];
  const auto begun = begin_next_stage(s, c, scenes::library());
  ASSERT_TRUE(begun && *begun) << (begun ? "no stage" : begun.error().message);
  ASSERT_EQ(s.particles.size_rows(), 5u);
  EXPECT_EQ(s.stage, 1u);
  EXPECT_EQ(s.particles.position[0], was);
  EXPECT_EQ(s.particles.velocity[0], moved);
  double sizes[3];
  for (std::size_t i = 2; i < 5; ++i) {
    const Particles& p = s.particles;
    EXPECT_EQ(p.id[i], i) << "ids go on";
    EXPECT_EQ(s.shapes[p.shape[i]]->name, "cube");
    EXPECT_EQ(p.position[i], (Vec3{static_cast<double>(i - 2), 0, 1}));
    EXPECT_EQ(p.velocity[i], (Vec3{0, 3, 0}));
    EXPECT_EQ(p.angular_velocity[i], (Vec3{0, 0, 5}));
    EXPECT_EQ(p.orientation[i], (Quat{0.6, 0, 0, 0.8}));
    EXPECT_TRUE(p.size[i] >= 0.01 && p.size[i] <= 0.02) << p.size[i];
    EXPECT_NEAR(p.mass[i], 2650 * std::pow(p.size[i], 3), 1e-12);
    EXPECT_NEAR(p.angular_momentum[i].z, 5 * p.inertia[i].z, 1e-15);
    EXPECT_NEAR(p.force[i].z, -9.81 * p.mass[i], 1e-12);
    sizes[i - 2] = p.size[i];
  }
  EXPECT_NE(sizes[0], sizes[1]);
  const double start = s.time;
  scenes::run_for(s, 0.01);
  ASSERT_FALSE(s.fault);
  const double t = s.time - start;
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_NEAR(s.particles.position[i].y, 3 * t, 1e-12);
    EXPECT_NEAR(s.particles.position[i].z, 1 - 0.5 * 9.81 * t * t, 1e-9);
  }
  // The draws of a group depend on its number alone: as a group of the start it has the same sizes.
  Case at_start = c;
  at_start.particles.push_back(cubes);
  at_start.stages.resize(1);
  const Simulation other = scenes::build(at_start);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_EQ(other.particles.size[i], sizes[i - 2]);
}

TEST(Stages, ACutThatLeavesNoGrainsIsCalledSo) {
  Case c = two_spheres(0.1);
  c.stages[0].cut_above = Case::CutAbove{-1};
  const auto refused = set_up(c, scenes::library());
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      "stages[0].cut_above: all grains (2) lie above -1 m when the stage begins and are taken away; none is left");
  c.stages[0].cut_above->height = 1;
  EXPECT_TRUE(set_up(c, scenes::library()));
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

// Measurements against closed forms: lattices of spheres, columns under their weight, crossings, mixtures, a cone.
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/scenes.h"
#include "sim/measure.h"

namespace scree {
namespace {

using Kind = Case::Measure::Kind;

Case::Measure measure_of(Kind kind, std::optional<Region> inside = {}) {
  Case::Measure m;
  m.kind = kind, m.name = "m", m.inside = inside;
  return m;
}

Case sphere_case(const std::vector<Vec3>& points, double diameter) {
  Case c = scenes::empty_case();
  contact::Bloks3d law;
  law.kn = 1e5;
  c.contacts[0].law = law;
  c.gravity = {};
  Case::Group g;
  g.name = "spheres", g.count = points.size(), g.shapes = {"sphere"}, g.size.a = diameter;
  g.place = Case::AtPoints{points};
  c.particles = {g};
  return c;
}

/// n^3 spheres of diameter 1 cm on a simple cubic lattice between six walls, that just touch.
Simulation cubic(int n, double overlap = 1e-9) {
  std::vector<Vec3> x;
  const double a = 0.01 * (1 - overlap);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) x.push_back({a * (i + 0.5), a * (j + 0.5), a * (k + 0.5)});
  Case c = sphere_case(x, 0.01);
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 normal;
    normal[k] = 1;
    scenes::add_plane(c, "low" + std::to_string(k), {}, normal);
    scenes::add_plane(c, "high" + std::to_string(k), {a * n, a * n, a * n}, -normal);
  }
  return scenes::build(c);
}

double part_of_sphere(Vec3 min, Vec3 max, Vec3 centre, double r) {
  return Region{min, max}.sphere_inside(centre, r) / (4.0 / 3 * M_PI * r * r * r);
}

TEST(RegionOfABox, CutsSpheresInClosedForm) {
  const double r = 0.7;
  const Vec3 low{0, 0, 0}, high{10, 10, 10};
  EXPECT_NEAR(part_of_sphere(low, high, {5, 5, 5}, r), 1, 1e-14);
  EXPECT_EQ(part_of_sphere(low, high, {-1, 5, 5}, r), 0);
  for (int axis = 0; axis < 3; ++axis) {
    for (const double h : {0.1, 0.35, 0.7, 1.2}) {  // height of the cap inside
      Vec3 centre{5, 5, 5};
      centre[static_cast<std::size_t>(axis)] = h - r;
      EXPECT_NEAR(part_of_sphere(low, high, centre, r), h * h * (3 * r - h) / (4 * r * r * r), 1e-12)
          << axis << ' ' << h;
    }
  }
  EXPECT_NEAR(part_of_sphere(low, high, {0, 0, 5}, r), 0.25, 1e-12);
  EXPECT_NEAR(part_of_sphere(low, high, {0, 5, 0}, r), 0.25, 1e-12);
  EXPECT_NEAR(part_of_sphere(low, high, {0, 0, 0}, r), 0.125, 1e-12);
  // A cube whose corners poke out of the sphere takes 1 - 6 caps away from it.
  const double half = 0.6, h = r - half;
  EXPECT_NEAR(part_of_sphere({-half, -half, -half}, {half, half, half}, {}, r),
              1 - 6 * h * h * (3 * r - h) / (4 * r * r * r), 1e-11);
  // Wholly filled by the sphere.
  EXPECT_NEAR(Region({{-0.1, -0.2, -0.3}, {0.1, 0.2, 0.3}}).sphere_inside({}, 5), 0.2 * 0.4 * 0.6, 1e-12);
}

TEST(RegionOfACylinder, CutsSpheresInClosedForm) {
  const double r = 0.5, whole = 4.0 / 3 * M_PI * r * r * r;
  const Region wide{{0, 0, 0}, {0, 0, 4}, Region::Kind::cylinder, 2};
  EXPECT_NEAR(wide.sphere_inside({0, 0, 2}, r) / whole, 1, 1e-14);
  EXPECT_NEAR(wide.sphere_inside({0.3, 1, 4}, r) / whole, 0.5, 1e-12);
  EXPECT_EQ(wide.sphere_inside({2.6, 0, 2}, r), 0);
  // A cylinder through the middle of a sphere: what is left outside is the napkin ring, pi h^3 / 6.
  const Region bore{{1, 2, 0}, {1, 2, 9}, Region::Kind::cylinder, 0.3};
  const double height = 2 * std::sqrt(r * r - 0.09);
  EXPECT_NEAR(bore.sphere_inside({1, 2, 5}, r), whole - M_PI * height * height * height / 6, 1e-12);
  // Any axis; the parts inside and outside of the mantle make up the sphere: against a fine count of points.
  const Region slanted{{0, 0, 0}, {3, 3, 3}, Region::Kind::cylinder, 1};
  const Vec3 x{1.7, 0.8, 1.1};
  double in = 0, all = 0;
  Random draw(5);
  for (int k = 0; k < 400000; ++k) {
    const Vec3 y = x + (r * std::cbrt(draw.uniform())) * draw.direction();
    in += slanted.contains(y) ? 1 : 0, ++all;
  }
  EXPECT_GT(in / all, 0.05);
  EXPECT_LT(in / all, 0.95);
  EXPECT_NEAR(slanted.sphere_inside(x, r) / whole, in / all, 0.004);
}

TEST(SolidFraction, OfASimpleCubicLatticeIsPiOverSix) {
  const Simulation s = cubic(6, 0);
  // Aligned with the cells, and cut across the spheres anywhere: a period of the lattice holds the same.
  for (const Vec3 shift : {Vec3{0, 0, 0}, Vec3{0.003, 0.0017, 0.0045}, Vec3{0.005, 0.005, 0.005}}) {
    const Region two{Vec3{0.02, 0.02, 0.02} + shift, Vec3{0.04, 0.04, 0.04} + shift};
    const std::vector<double> v = measure(s, measure_of(Kind::solid_fraction, two));
    EXPECT_NEAR(v[0], M_PI / 6, 1e-10);
    EXPECT_NEAR(v[1], 6 / M_PI - 1, 1e-9);
  }
}

TEST(SolidFraction, OfCubesIsSampledToAPercent) {
  Case c = sphere_case({}, 1);
  c.particles.clear();
  scenes::add_grain(c, "cube", 1, {0, 0, 0}, axis_angle(normalized(Vec3{1, 2, 3}), 0.7));
  const Simulation s = scenes::build(c);
  EXPECT_NEAR(measure(s, measure_of(Kind::solid_fraction, Region{{-2, -2, -2}, {2, 2, 2}}))[0], 1.0 / 64, 1e-14);
  EXPECT_NEAR(measure(s, measure_of(Kind::solid_fraction, Region{{0, -2, -2}, {2, 2, 2}}))[0], 0.5 / 32, 0.01 / 32);
}

TEST(SolidFraction, OfDiscsInThePlane) {
  Case c = sphere_case({}, 1);
  c.dimensions = 2, c.thickness = 0.1, c.particles.clear();
  scenes::add_grain(c, "disc", 1, {0, 0, 0});
  const Simulation s = scenes::build(c);
  EXPECT_NEAR(measure(s, measure_of(Kind::solid_fraction, Region{{-1, -1, 0}, {1, 1, 0}}))[0], M_PI / 16, 1e-14);
  EXPECT_NEAR(measure(s, measure_of(Kind::solid_fraction, Region{{0, 0, 0}, {1, 1, 0}}))[0], M_PI / 16, 1e-14);
  EXPECT_NEAR(measure(s, measure_of(Kind::solid_fraction, Region{{0.25, -1, 0}, {1, 1, 0}}))[0] * 1.5,
              0.25 * (std::acos(0.5) - 0.5 * std::sqrt(0.75)), 1e-14);
}

TEST(Coordination, OfASimpleCubicLatticeIsSixInside) {
  const Simulation s = cubic(6);
  const Region core{{0.01, 0.01, 0.01}, {0.05, 0.05, 0.05}};
  EXPECT_EQ(measure(s, measure_of(Kind::coordination, core)), (std::vector<double>{6, 6, 0}));
  // All: 3 n^2 (n - 1) contacts among n^3 grains, which the walls hold: no rattlers.
  const std::vector<double> all = measure(s, measure_of(Kind::coordination));
  EXPECT_NEAR(all[0], 6.0 * 36 * 5 / 216, 1e-14);
  EXPECT_EQ(all[1], all[0]);
}

TEST(Coordination, RattlersAreTakenAwayUntilAllAreHeld) {
  // Five touch each other's neighbours: a tetrahedron's corners and its centre have at most four contacts; a chain has
  // two: nothing is left.
  std::vector<Vec3> chain;
  for (int k = 0; k < 5; ++k) chain.push_back({0.00999 * k, 0, 0});
  const std::vector<double> v = measure(scenes::build(sphere_case(chain, 0.01)), measure_of(Kind::coordination));
  EXPECT_NEAR(v[0], 8.0 / 5, 1e-14);
  EXPECT_TRUE(std::isnan(v[1]));
  EXPECT_EQ(v[2], 1);
  // A block held on all sides, with one grain on its own beside it.
  Case c = sphere_case({{0, 0, 0}, {0.00999, 0, 0}, {0, 0.00999, 0}, {0.00999, 0.00999, 0}, {0.1, 0, 0}}, 0.01);
  scenes::add_plane(c, "floor", {0, 0, -0.00499}, {0, 0, 1});
  scenes::add_plane(c, "lid", {0, 0, 0.00499}, {0, 0, -1});
  const std::vector<double> held = measure(scenes::build(c), measure_of(Kind::coordination));
  EXPECT_NEAR(held[0], 8.0 / 5, 1e-14);
  EXPECT_EQ(held[1], 2);
  EXPECT_NEAR(held[2], 0.2, 1e-14);
}

TEST(Fabric, OfASimpleCubicLatticeIsIsotropic) {
  const std::vector<double> f = measure(cubic(5), measure_of(Kind::fabric));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(f[static_cast<std::size_t>(k)], 1.0 / 3, 1e-12);
  for (int k = 3; k < 6; ++k) EXPECT_NEAR(f[static_cast<std::size_t>(k)], 0, 1e-12);
  const double a = 0.3;
  const std::vector<double> pair =
      measure(scenes::build(sphere_case({{0, 0, 0}, {0.0099 * std::cos(a), 0.0099 * std::sin(a), 0}}, 0.01)),
              measure_of(Kind::fabric));
  EXPECT_NEAR(pair[0], std::cos(a) * std::cos(a), 1e-12);
  EXPECT_NEAR(pair[3], std::cos(a) * std::sin(a), 1e-12);
}

/// Ten spheres one on the other, at rest on a floor.
Simulation column() {
  std::vector<Vec3> x;
  for (int k = 0; k < 10; ++k) x.push_back({0, 0, 0.01 * (k + 0.5)});
  Case c = sphere_case(x, 0.01);
  c.gravity = {0, 0, -9.81};
  auto& law = std::get<contact::Bloks3d>(c.contacts[0].law);
  law.damping_ratio = 0.5, law.damping_sliding = law.damping_sticking = 1;
  scenes::add_plane(c, "floor", {}, {0, 0, 1});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.5);
  return s;
}

TEST(Stress, OfAColumnIsTheWeightAboveOverTheArea) {
  const Simulation s = column();
  ASSERT_FALSE(s.fault);
  const double weight = s.particles.mass[0] * 9.81, area = 4e-4;
  // Through the floor, through the middle of the fifth sphere, through the fifth and sixth spheres' contact: slabs much
  // thinner than a grain.
  const auto zz = [&](double z) {
    return measure(s, measure_of(Kind::stress, Region{{-0.01, -0.01, z}, {0.01, 0.01, z + 1e-4}}))[2];
  };
  EXPECT_NEAR(zz(0.001), 10 * weight / area, 1e-3 * 10 * weight / area);
  EXPECT_NEAR(zz(0.0452), 5 * weight / area, 1e-3 * 5 * weight / area);
  EXPECT_NEAR(zz(0.0478), 5 * weight / area, 1e-3 * 5 * weight / area);
  EXPECT_NEAR(zz(0.096), 0, 1e-3 * weight / area) << "the upper half of the topmost";
  const std::vector<double> v =
      measure(s, measure_of(Kind::stress, Region{{-0.01, -0.01, 0.001}, {0.01, 0.01, 0.0011}}));
  for (const std::size_t k : {0u, 1u, 3u, 4u, 5u}) EXPECT_NEAR(v[k], 0, 1e-9 * v[2]);
  EXPECT_NEAR(v[6], v[2] / 3, 1e-12 * v[2]);
  // Half of the force's way is inside a region that ends in the axis of a cylinder.
  const Region tube{{0, 0, 0.001}, {0, 0, 0.0011}, Region::Kind::cylinder, 0.01};
  EXPECT_NEAR(measure(s, measure_of(Kind::stress, tube))[2], 10 * weight / (M_PI * 1e-4), 1e-2 * 10 * weight / 3e-4);
}

TEST(Stress, OfTwoSpheresIsTheVirial) {
  const Simulation s = scenes::build(sphere_case({{0, 0, 0}, {0.006, 0.0075, 0}}, 0.01));
  const Vec3 f = s.contacts.force[0], l = s.particles.position[1] - s.particles.position[0];
  ASSERT_GT(norm(f), 0);
  const std::vector<double> v = measure(s, measure_of(Kind::stress, Region{{-1, -1, -1}, {1, 1, 1}}));
  EXPECT_NEAR(v[0], f.x * l.x / 8, 1e-14);
  EXPECT_NEAR(v[1], f.y * l.y / 8, 1e-14);
  EXPECT_NEAR(v[3], f.x * l.y / 8, 1e-14);
  EXPECT_GT(v[6], 0) << "pressing is positive";
}

TEST(Mixing, IsNoughtApartAndOneAtRandom) {
  Case c = sphere_case({}, 1);
  c.materials.push_back({"red", 2650});
  c.contacts.push_back(c.contacts[0]), c.contacts.push_back(c.contacts[0]);
  c.contacts[1].material_b = 1, c.contacts[2].material_a = c.contacts[2].material_b = 1;
  Case::AtPoints apart[2], mixed[2];
  Random draw(9);
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j)
      for (int k = 0; k < 20; ++k) {
        const Vec3 x{0.02 * (i + 0.5), 0.02 * (j + 0.5), 0.02 * (k + 0.5)};
        apart[i < 10 ? 0 : 1].points.push_back(x);
        mixed[draw.below(2)].points.push_back(x);
      }
  const auto index = [&](const Case::AtPoints(&places)[2]) {
    Case d = c;
    d.particles.clear();
    for (int m = 0; m < 2; ++m) {
      Case::Group g;
      g.name = m == 0 ? "grey" : "red", g.count = places[m].points.size(), g.shapes = {"sphere"}, g.size.a = 0.01;
      g.place = places[m], g.material = m;
      d.particles.push_back(g);
    }
    Case::Measure m = measure_of(Kind::mixing, Region{{0, 0, 0}, {0.4, 0.4, 0.4}});
    m.material = 1, m.cells = {10, 10, 10};
    return measure(scenes::build(d), m)[0];
  };
  EXPECT_NEAR(index(apart), 0, 1e-12);
  EXPECT_NEAR(index(mixed), 1, 0.02);
}

TEST(Repose, OfAConeIsItsAngle) {
  for (const double angle : {15.0, 25.0, 35.0}) {
    const double slope = std::tan(angle * M_PI / 180), height = 0.12;
    std::vector<Vec3> x;
    Random draw(3);
    for (double z = 0.0026; z < height; z += 0.0051)
      for (double a = -0.6; a < 0.6; a += 0.0051)
        for (double b = -0.6; b < 0.6; b += 0.0051)
          if (std::hypot(a, b) * slope < height - z)
            x.push_back({a + 0.3 + draw.uniform(-4e-5, 4e-5), b + draw.uniform(-4e-5, 4e-5), z});
    x.push_back({1, 0, 0.0025});  // one that has rolled away
    Case c = sphere_case(x, 0.005);
    c.gravity = {0, 0, -9.81};
    Case::Measure m = measure_of(Kind::repose);
    m.centre = Vec3{0.3, 0, 0};
    const std::vector<double> v = measure(scenes::build(c), m);
    EXPECT_NEAR(v[0], angle, 1.5);
    EXPECT_NEAR(v[1], height, 0.01);
  }
}

TEST(Flow, CountsWhatHasCrossedAndItsRate) {
  Case c = sphere_case({{0, 0, 0.28}, {0.1, 0, 0.28}, {0.2, 0, 0.32}}, 0.01);
  c.particles[0].velocity = {0, 0, 1};
  c.time_step.fixed = 1e-5;
  Case::Measure m = measure_of(Kind::flow);
  m.normal = {0, 0, 1}, m.point = {0, 0, 0.3};
  c.measures = {m};
  Simulation s = scenes::build(c);
  const double mass = s.particles.mass[0];
  scenes::run_for(s, 0.01);
  EXPECT_EQ(measure(s, m)[0], 0);
  EXPECT_EQ(measure(s, m)[2], 0);
  scenes::run_for(s, 0.01);  // two are half-way through: their discs of greatest section
  EXPECT_NEAR(measure(s, m)[2], 2 * 2650 * M_PI * 2.5e-5, 1e-9);
  scenes::run_for(s, 0.02);
  EXPECT_EQ(measure(s, m)[0], 2);
  EXPECT_NEAR(measure(s, m)[1], 2 * mass, 1e-15);
  for (Vec3& v : s.particles.velocity) v = {0, 0, -1};
  scenes::run_for(s, 0.1);
  EXPECT_EQ(measure(s, m)[0], -1) << "all three have gone down";
}

TEST(Track, GivesPlaceAndVelocityByIdAndNothingForWhatIsGone) {
  Case c = sphere_case({{1, 2, 3}, {4, 5, 6}}, 0.01);
  c.particles[0].velocity = {7, 8, 9};
  Case::Measure m = measure_of(Kind::track);
  m.ids = {1, 5};
  const std::vector<double> v = measure(scenes::build(c), m);
  ASSERT_EQ(v.size(), 12u);
  EXPECT_EQ(std::vector<double>(v.begin(), v.begin() + 6), (std::vector<double>{4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(std::isnan(v[6]));
  EXPECT_EQ(columns_of(m, 3)[0], "m 1 x [m]");
}

/// Spheres of these diameters, far apart along x; materials[k]: of sphere k.
Simulation row_of_spheres(const std::vector<double>& d, const std::vector<int>& material = {}) {
  Case c = sphere_case({}, 1);
  c.particles.clear();
  c.materials.push_back({"heavy", 3 * 2650});
  c.contacts.push_back(c.contacts[0]), c.contacts.push_back(c.contacts[0]);
  c.contacts[1].material_b = 1, c.contacts[2].material_a = c.contacts[2].material_b = 1;
  for (std::size_t k = 0; k < d.size(); ++k) {
    scenes::add_grain(c, "sphere", d[k], {static_cast<double>(k), 0, 0});
    if (!material.empty()) c.particles.back().material = material[k];
  }
  return scenes::build(c);
}

TEST(SizeDistribution, OfAFewSizesIsOneOfThem) {
  const auto of = [](const Simulation& s, std::optional<Region> inside = {}) {
    return measure(s, measure_of(Kind::size_distribution, inside));
  };
  // Masses as 1 : 8, given from large to small: 1/9, 8/9.
  EXPECT_EQ(of(row_of_spheres({0.02, 0.01})), (std::vector<double>{0.01, 0.02, 0.02}));
  EXPECT_EQ(of(row_of_spheres(std::vector<double>(20, 0.03))), (std::vector<double>{0.03, 0.03, 0.03}));
  // A little less than a tenth is below the first.
  std::vector<double> ten;
  for (int k = 0; k < 10; ++k) ten.push_back(0.02 * std::cbrt(1 + 1e-9 * k));
  EXPECT_EQ(of(row_of_spheres(ten)), (std::vector<double>{ten[1], ten[5], ten[9]}));
  // Equal masses of two sizes: half is reached, to rounding.
  for (const double d : {0.01, 0.017, 0.0031}) {
    std::vector<double> sizes(14, d * std::cbrt(3.0));
    sizes.insert(sizes.end(), 14, d);
    std::vector<int> materials(14, 0);
    materials.insert(materials.end(), 14, 1);
    EXPECT_EQ(of(row_of_spheres(sizes, materials))[1], d);
  }
  // By mass, not by volume: 1 : 3 of one size's volume.
  const double third = 0.01 * std::cbrt(2.0);
  EXPECT_EQ(of(row_of_spheres({0.01, third}, {1, 0})), (std::vector<double>{0.01, 0.01, third}));
  EXPECT_EQ(of(row_of_spheres({0.01, third}, {0, 0}))[1], third);
  // Only what has its centroid inside; nothing: nothing.
  const Simulation three = row_of_spheres({0.01, 0.02, 0.03});
  EXPECT_EQ(of(three, Region{{-1, -1, -1}, {0.5, 1, 1}}), (std::vector<double>{0.01, 0.01, 0.01}));
  for (const double d : of(three, Region{{8, 8, 8}, {9, 9, 9}})) EXPECT_TRUE(std::isnan(d));
}

TEST(SizeDistribution, OfCubesIsTheirSizeAndOfFragmentsThatOfTheSphere) {
  Case c = sphere_case({}, 1);
  c.particles.clear();
  scenes::add_grain(c, "cube", 0.04, {0, 0, 0});
  const Simulation s = scenes::build(c);
  Case::Measure m = measure_of(Kind::size_distribution);
  EXPECT_EQ(measure(s, m)[1], 0.04);
  m.of_fragments = true;
  EXPECT_NEAR(measure(s, m)[1], std::cbrt(6 / M_PI * s.particles.mass[0] / 2650), 1e-15);
}

TEST(SizeDistribution, ASieveCurveComesOut) {
  const std::vector<double> openings{1e-3, 2e-3, 4e-3, 8e-3}, passing{0, 0.3, 0.8, 1};
  Case c = sphere_case({}, 1);
  Case::Group& g = c.particles[0];
  const SizeDistribution curve = *sieve_distribution(openings, passing, 3);
  constexpr std::uint64_t kGrains = 40'000;
  Case::AtPoints at;
  for (std::uint64_t k = 0; k < kGrains; ++k) {
    // Evenly over the shares: what is drawn at random has the few coarse grains' scatter, 4 % in d90.
    at.size.push_back(curve.quantile((static_cast<double>(k) + 0.5) / kGrains));
    at.points.push_back({0.01 * static_cast<double>(k % 200), 0.01 * static_cast<double>(k / 200), 0});
  }
  g.count = kGrains, g.place = at;
  const std::vector<double> d = measure(scenes::build(c), measure_of(Kind::size_distribution));
  // Straight lines over the logarithm of the size.
  const double shares[] = {0.1, 0.5, 0.9}, expected[] = {1e-3 * std::pow(2, 0.1 / 0.3), 2e-3 * std::pow(2, 0.2 / 0.5),
                                                         4e-3 * std::pow(2, 0.1 / 0.2)};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(d[k] / expected[k], 1, 3e-3) << shares[k];
}

TEST(SizeDistribution, OfFragmentsFollowsTheBondsThatBreak) {
  for (const double shift : {0.0, 0.099}) {  // the second lies across the seam
    Case c = scenes::empty_case();
    c.gravity = {};
    c.periodic.low = {-0.1, 0, 0}, c.periodic.high = {0.1, 0, 0}, c.periodic.periodic[0] = true;
    Case::Cluster lump;
    lump.name = "lump", lump.spheres = *bond::cube(2, 5e-3), lump.bonds = *bond::bonds_by_distance(lump.spheres, 1.05);
    lump.law.given = bond::ParallelBond::Stiffness::modulus, lump.law.modulus = 2e8, lump.law.ratio = 2.5;
    lump.law.normal_strength = lump.law.shear_strength = 1e9;
    c.clusters = {lump};
    Case::Group group;
    group.name = "lumps", group.count = 1, group.shapes = {"sphere"}, group.cluster = 0;
    group.orientation.random = false, group.place = Case::AtPoints{{{shift, 0, 0}}};
    c.particles = {group};
    Simulation s = scenes::build(c);
    const double d = s.particles.size[0];
    const std::size_t n = s.particles.size_rows();
    ASSERT_EQ(n, 8u);
    Case::Measure m = measure_of(Kind::size_distribution);
    EXPECT_EQ(measure(s, m)[0], d);
    m.of_fragments = true;
    EXPECT_NEAR(measure(s, m)[0] / d, 2, 1e-14) << "eight spheres are one of twice the diameter";
    m.inside = Region{{shift - 1e-3, -1e-3, -1e-3}, {shift + 1e-3, 1e-3, 1e-3}};
    EXPECT_NEAR(measure(s, m)[0] / d, 2, 1e-14) << "its centre, not that of its first sphere";
    m.inside.reset();
    // One sphere comes off: 1/8 of the mass.
    for (std::size_t b = 0; b < s.bonds.size(); ++b)
      if (s.bonds.row_a[b] == 0 || s.bonds.row_b[b] == 0) s.bonds.alive[b] = 0;
    s.scratch.reset();
    const std::vector<double> v = measure(s, m);
    EXPECT_NEAR(v[0] / d, 1, 1e-14);
    EXPECT_NEAR(v[1] / d, std::cbrt(7.0), 1e-14);
    EXPECT_EQ(v[2], v[1]);
  }
}

TEST(Measurements, HaveAColumnForEachValue) {
  for (const int dimensions : {2, 3}) {
    Case c = sphere_case({}, 1);
    c.particles.clear(), c.dimensions = dimensions;
    const std::string shape = dimensions == 2 ? "disc" : "sphere";
    scenes::add_grain(c, shape, 0.01, {});
    scenes::add_grain(c, shape, 0.01, {0.0099, 0, 0});
    const Simulation s = scenes::build(c);
    for (const Kind k : {Kind::solid_fraction, Kind::stress, Kind::coordination, Kind::fabric, Kind::flow, Kind::mixing,
                         Kind::repose, Kind::track, Kind::size_distribution}) {
      Case::Measure m =
          measure_of(k, Region{{-1, -1, dimensions == 2 ? 0.0 : -1.0}, {1, 1, dimensions == 2 ? 0.0 : 1.0}});
      m.cells = {2, 2, 2}, m.normal = {0, 1, 0}, m.ids = {0};
      EXPECT_EQ(measure(s, m).size(), columns_of(m, dimensions).size()) << static_cast<int>(k) << ' ' << dimensions;
    }
  }
}

}  // namespace
}  // namespace scree

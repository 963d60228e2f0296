// Nothing in the engine knows where the origin is, which way is up, how long a metre is or how a case was written:
// whole scenes, turned, moved, scaled and in other units, for each law and kind of body.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "io/case/read_case.h"
#include "oracle/larger.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kSize = 0.03;  // m, of every grain where the unit is 1

struct World {
  const char* name;
  Law (*law)(double unit);
  std::vector<std::string> shapes;
  bool rolls = false;      ///< has rolling and twisting friction
  bool in_a_mesh = false;  ///< a shaft that turns about its axis, instead of three planes
};

// Densities and times stay: forces grow like length^4, N/m like length^3, Pa like length^2.
Law linear(double unit) {
  contact::Linear law;
  law.kn = 5e5 * unit * unit * unit, law.kt = 0.8 * law.kn;
  law.friction_angle = 0.5, law.damping_ratio = 0.05;
  return law;
}
Law hertz(double unit) {
  contact::HertzMindlin law;
  law.young = 1e8 * unit * unit, law.shear = 0.28 * law.young;
  law.friction_angle = 0.4, law.damping_ratio = 0.05;
  return law;
}
Law potential(double unit) {
  contact::EnergyPolyhedral law;
  law.pressure = 1e8 * unit * unit, law.kt = 1e5 * unit * unit * unit;
  law.friction_angle = 0.5, law.damping_ratio = 0.05;
  return law;
}
const std::vector<std::string> kPolyhedra{"tetrahedron", "pyramid",      "cube",   "grain14",
                                          "plate",       "dodecahedron", "needle", "octahedron"};

/// Eight grains that fly at one corner; everything in units of `unit`, seen in the frame turned by q about the origin
/// and then moved by `away`.
Case scene(const World& world, double unit = 1, Quat q = {}, Vec3 away = {}) {
  Case c = scenes::empty_case();
  c.detection.skin = 2e-3 * unit;
  c.time_step.fixed = 2e-6;
  c.contacts[0].law = world.law(unit);
  if (world.rolls) {
    c.contacts[0].beside.rolling.model = contact::Rolling::Model::spring;
    c.contacts[0].beside.rolling.friction = 0.1, c.contacts[0].beside.rolling.twisting = 0.05;
    c.contacts[0].beside.rolling.damping_ratio = 0.3;
  }
  c.gravity = rotate(q, unit * Vec3{0, 0, -9.81});
  if (world.in_a_mesh) {
    Surface shaft = scenes::shaft_surface({}, 0.12, 0.2, 3, 4);
    for (Vec3& v : shaft.vertices) v = unit * v;
    Case::Wall& w = scenes::add_mesh(c, "shaft", shaft);
    w.orientation = q, w.point = away;
    w.motion.rotation = boundary::Motion::Rotation{};
    w.motion.rotation->axis = rotate(q, Vec3{0, 0, 1}), w.motion.rotation->rate = 8;
    w.motion.rotation->through = away + rotate(q, unit * Vec3{0.06, 0.06, 0});
  } else {
    const Vec3 normals[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (const Vec3& n : normals) scenes::add_plane(c, "wall" + std::to_string(c.walls.size()), away, rotate(q, n));
  }
  Random u(13);
  for (int i = 0; i < 8; ++i) {
    const Vec3 place = unit * Vec3{0.025 + 0.042 * (i % 2), 0.025 + 0.042 * (i / 2 % 2), 0.025 + 0.042 * (i / 4)};
    const Quat o = u.rotation();
    scenes::add_grain(c, world.shapes[static_cast<std::size_t>(i) % world.shapes.size()], kSize * unit,
                      away + rotate(q, place), q * o, rotate(q, 0.3 * unit * u.direction() - 80.0 * place),
                      rotate(q, 20.0 * u.direction()));
  }
  return c;
}

struct Outcome {
  Simulation s;
  std::size_t most_contacts = 0, between_grains = 0;
};
Outcome run(const Case& c, int steps) {
  Outcome r{scenes::build(c)};
  for (int k = 0; k < steps && !r.s.fault; ++k) {
    step(r.s);
    r.most_contacts = oracle::larger(r.most_contacts, r.s.contacts.size() + r.s.wall_contacts.size());
    r.between_grains = oracle::larger(r.between_grains, r.s.contacts.size());
  }
  EXPECT_FALSE(r.s.fault) << r.s.fault->message;
  return r;
}

constexpr int kSteps = 4000;

class AnyWorld : public testing::TestWithParam<World> {
 protected:
  void SetUp() override {
    base_ = run(scene(GetParam()), kSteps);
    EXPECT_GT(base_.most_contacts, 3u);
    EXPECT_GT(base_.between_grains, 0u);
  }
  /// Worst differences from the scene as it stands, of places over a size and of velocities over 1 m/s; `back` takes a
  /// place of `s` to there, `turn` a direction.
  template <class Back, class Turn>
  void expect_same_motion(const Simulation& s, double within, Back&& back, Turn&& turn) {
    const Particles &p = base_.s.particles, &other = s.particles;
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      EXPECT_LT(norm(back(other.position[i]) - p.position[i]), within * kSize) << i;
      EXPECT_LT(norm(turn(other.velocity[i]) - p.velocity[i]), 100 * within) << i;
      EXPECT_LT(norm(turn(other.angular_velocity[i]) - p.angular_velocity[i]), 100 * within / kSize) << i;
    }
  }
  Outcome base_;
};
INSTANTIATE_TEST_SUITE_P(
    Worlds, AnyWorld,
    testing::Values(World{"spheres_hertz_rolling", hertz, {"sphere"}, true},
                    World{"clumps_linear", linear, {"dumbbell", "tetrapod", "angle"}},
                    World{"polyhedra_linear", linear, kPolyhedra}, World{"polyhedra_energy", potential, kPolyhedra},
                    World{"mixed_in_a_mesh", linear, {"sphere", "cube", "dumbbell", "grain14"}, true, true}),
    [](const auto& i) { return i.param.name; });

// Lengths times a power of two: no digit may change.
TEST_P(AnyWorld, MillimetresOrKilometresGiveTheSameBits) {
  for (const double unit : {0x1p-10, 0x1p10}) {
    const Outcome scaled = run(scene(GetParam(), unit), kSteps);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(scaled.s.particles.position[i], unit * base_.s.particles.position[i]) << unit << " " << i;
      EXPECT_EQ(scaled.s.particles.orientation[i], base_.s.particles.orientation[i]) << unit << " " << i;
      EXPECT_EQ(scaled.s.particles.velocity[i], unit * base_.s.particles.velocity[i]) << unit << " " << i;
    }
  }
}

// Rounding is 1e-16 of a size, and an impact makes of a difference in place one about ten times as large; each grain
// has a handful of impacts.
constexpr double kRounding = 1e-9;

TEST_P(AnyWorld, OtherUnitsOfLengthThanPowersOfTwoGiveTheSameMotion) {
  for (const double unit : {1e-3, 0.3048, 1e3}) {
    const Outcome scaled = run(scene(GetParam(), unit), kSteps);
    const auto back = [&](Vec3 x) { return (1 / unit) * x; };
    Simulation s = scaled.s;
    for (Vec3& w : s.particles.angular_velocity) w = unit * w;  // back() is for lengths
    expect_same_motion(s, kRounding, back, back);
  }
}

TEST_P(AnyWorld, ATurnedWorldMovesTheSameWay) {
  const Quat quarter{0.5, 0.5, 0.5, 0.5};  // x -> y -> z -> x
  for (const Quat q : {quarter, axis_angle(normalized(Vec3{1, 2, -1}), 1.1)}) {
    const Outcome turned = run(scene(GetParam(), 1, q), kSteps);
    const auto back = [&](Vec3 x) { return rotate(conjugate(q), x); };
    expect_same_motion(turned.s, kRounding, back, back);
  }
}

// Ten thousand sizes away each step rounds a place by 2^-53 of that, 1e-12 of a size; over all steps, with the tenfold
// of each impact, a millionth of a size would be reached if all of it pointed the same way.
TEST_P(AnyWorld, AWorldTenThousandSizesFromTheOriginMovesTheSameWay) {
  const Vec3 away = 1e4 * kSize * normalized(Vec3{4, -2, 3});
  const Outcome moved = run(scene(GetParam(), 1, {}, away), kSteps);
  expect_same_motion(
      moved.s, 1e-6, [&](Vec3 x) { return x - away; }, [](Vec3 v) { return v; });
}

// The same case in SI units and in those of a workshop.
TEST(Units, OfTheCaseFileChangeNothing) {
  const auto read = [](const std::string& text) {
    const auto file = std::filesystem::temp_directory_path() / ("scree_units_" + std::to_string(::getpid()) + ".yaml");
    std::ofstream(file) << text;
    const io::ReadCase c = io::read_case(file.string(), {});
    std::filesystem::remove(file);
    EXPECT_FALSE(has_errors(c.diagnostics)) << c.diagnostics.front().message;
    return c.value;
  };
  const Case si = read(R"(
gravity: [0, 0, -9.81]
time_step: 5e-6
materials: {stone: {density: 2650, young_modulus: 1e8, poisson_ratio: 0.25, restitution: 0.6}}
contacts: [{between: [stone, stone], law: hertz_mindlin, friction: 0.45, rolling: {model: spring, friction: 0.1}}]
walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone, oscillation: {amplitude: [0, 0, 1e-3], frequency: 50, phase: 0.5235987755982988}}}
particles: [{shapes: [cube, sphere], count: 2, size: 0.03, material: stone, orientation: [0.9, 0.3, 0.3, 0.1], place: {at: [[0, 0, 0.03], [0.01, 0, 0.07]]}, velocity: [0.1, 0, -1.5], angular_velocity: [0, 6.283185307179586, 0]}]
stages: [{duration: 1}]
)");
  const Case workshop = read(R"(
gravity: [0 mm/s^2, 0 cm/s^2, -981 cm/s^2]
time_step: 5 us
materials: {stone: {density: 2.65 g/cm^3, young_modulus: 100 MPa, poisson_ratio: 0.25, restitution: 0.6}}
contacts: [{between: [stone, stone], law: hertz_mindlin, friction: 0.45, rolling: {model: spring, friction: 0.1}}]
walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone, oscillation: {amplitude: [0, 0, 1 mm], frequency: 0.05 kHz, phase: 30 deg}}}
particles: [{shapes: [cube, sphere], count: 2, size: 3 cm, material: stone, orientation: [0.9, 0.3, 0.3, 0.1], place: {at: [[0, 0, 30 mm], [1 cm, 0, 7 cm]]}, velocity: [10 cm/s, 0, -1.5 mm/ms], angular_velocity: [0, 60 rpm, 0]}]
stages: [{duration: 1000 ms}]
)");
  const Outcome a = run(si, 8000), b = run(workshop, 8000);
  EXPECT_GT(a.most_contacts, 1u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(norm(a.s.particles.position[i] - b.s.particles.position[i]), kRounding * kSize) << i;
    EXPECT_LT(norm(a.s.particles.velocity[i] - b.s.particles.velocity[i]), 100 * kRounding) << i;
  }
}

}  // namespace
}  // namespace scree

// Clumps in motion: against the bodies that they are equal to, and against the mechanics of one rigid body.
#include <gtest/gtest.h>

#include <cmath>

#include "contact/restitution.h"
#include "geometry/clump.h"
#include "integrate/rigid_body.h"
#include "oracle/larger.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

std::shared_ptr<const Shape> shape_of(const char* name, const std::vector<DrawnPart>& parts) {
  return std::make_shared<const Shape>(*make_clump(name, parts));
}
Polyhedron box(Vec3 low, Vec3 high) {
  std::vector<Vec3> v;
  for (int k = 0; k < 8; ++k) v.push_back({k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z});
  return *convex_hull(v);
}
std::vector<DrawnPart> dumbbell_parts() {
  return {Ball{{-0.3, 0, 0}, 0.2}, Ball{{0.3, 0, 0}, 0.2}, Ball{{0, 0, 0}, 0.15}};
}

ShapeSource shapes() {
  return [](const std::string& name) -> Result<std::shared_ptr<const Shape>> {
    if (name == "ball") return shape_of("ball", {Ball{{0, 0, 0}, 0.5}});
    if (name == "dumbbell") return shape_of("dumbbell", dumbbell_parts());
    if (name == "triple")
      return shape_of("triple", {Ball{{0, 0, 0}, 0.3}, Ball{{0.3, 0.1, 0}, 0.25}, Ball{{0.1, 0.35, 0.2}, 0.2}});
    if (name == "halves")
      return shape_of("halves", {box({-0.5, -0.5, -0.5}, {0.1, 0.5, 0.5}), box({0.1, -0.5, -0.5}, {0.5, 0.5, 0.5})});
    if (name == "angle")
      return shape_of(
          "angle", {box({0, 0, 0}, {0.4, 1, 0.4}), box({0.4, 0, 0}, {1, 0.4, 0.4}), box({0, 0, 0.4}, {0.4, 0.4, 0.9})});
    return scenes::library()(name);
  };
}
Simulation build(const Case& c) {
  Result<Simulation> s = set_up(c, shapes());
  EXPECT_TRUE(s) << s.error().message;
  return std::move(*s);
}

Case linear_case(double kn, double ks, double friction) {
  Case c = scenes::empty_case();
  contact::Bloks3d law;
  law.kn = kn, law.ks = ks, law.friction_angle = std::atan(friction);
  c.contacts[0].law = law;
  return c;
}
contact::Bloks3d& law_of(Case& c) { return std::get<contact::Bloks3d>(c.contacts[0].law); }

/// The same scene with one shape in place of another: the largest difference of positions on the way (m).
double difference(Case c, const std::string& one, const std::string& other, double seconds, std::size_t* contacts) {
  Case d = c;
  for (auto& g : d.particles) {
    if (g.shapes[0] == one) g.shapes = {other};
  }
  Simulation a = build(c), b = build(d);
  b.dt = a.dt, b.skin = a.skin;
  double worst = 0;
  *contacts = 0;
  while (a.time < seconds && !a.fault && !b.fault) {
    step(a), step(b);
    *contacts += a.contacts.size() + a.wall_contacts.size();
    for (std::size_t i = 0; i < a.particles.size_rows(); ++i) {
      worst = oracle::larger(worst, norm(a.particles.position[i] - b.particles.position[i]));
      worst =
          oracle::larger(worst, 0.1 * norm(a.particles.angular_velocity[i] - b.particles.angular_velocity[i]) * a.dt);
    }
  }
  EXPECT_FALSE(a.fault) << a.fault->message;
  EXPECT_FALSE(b.fault) << b.fault->message;
  return worst;
}

TEST(Clumps, OfOneBallMoveAsTheSphere) {
  for (const bool hertz : {false, true}) {
    Case c = linear_case(1e6, 8e5, 0.4);
    law_of(c).damping_ratio = 0.1, law_of(c).damping_sticking = 0.5;
    if (hertz) {
      contact::HertzMindlin law;
      law.young = 5e7, law.shear = 2e7, law.friction_angle = 0.3, law.damping_ratio = 0.1;
      c.contacts[0].law = law;
    }
    scenes::add_open_box(c, "box", {-0.1, -0.1, 0}, {0.1, 0.1, 0.3});
    scenes::add_grain(c, "sphere", 0.05, {0, 0, 0.05}, {}, {0.5, 0.2, 0}, {3, 40, -20});
    scenes::add_grain(c, "sphere", 0.04, {0.01, 0.008, 0.12}, {}, {0, 0, -1});
    scenes::add_grain(c, "cube", 0.04, {-0.02, 0.01, 0.2}, axis_angle({0, 0, 1}, 0.4), {0, 0, -0.5});
    std::size_t contacts = 0;
    EXPECT_LT(difference(c, "sphere", "ball", 0.25, &contacts), 1e-10) << hertz;
    EXPECT_GT(contacts, 100u);
  }
}

TEST(Clumps, HalvesOfACubeMoveAsTheCube) {
  // With the law of overlap volumes what the halves share out adds up: where all parts are equally deep, and with a
  // force that is the area's alone at any angle.
  for (const bool flat : {true, false}) {
    for (const Quat turn : {axis_angle({0, 1, 0}, M_PI / 4 + 0.1), axis_angle(normalized(Vec3{1, 2, 0.5}), 0.7)}) {
      Case c = scenes::empty_case();
      contact::EnergyPolyhedral law;
      law.pressure = flat ? 1e7 : 3e4, law.exponent = flat ? 2 : 1;
      c.contacts[0].law = law, c.time_step.fixed = 2e-5;
      scenes::add_plane(c, "floor", {}, {0, 0, 1});
      if (!flat) scenes::add_plane(c, "side", {0.2, 0, 0}, normalized(Vec3{-1, 0, 0.2}));
      scenes::add_grain(c, "cube", 0.1, {0, 0, 0.12}, flat ? Quat{1, 0, 0, 0} : turn, {1, 0, -0.5},
                        flat ? Vec3{} : Vec3{2, 1, 0});
      std::size_t contacts = 0;
      EXPECT_LT(difference(c, "cube", "halves", 0.25, &contacts), 1e-9) << flat;
      EXPECT_GT(contacts, 50u) << flat;
    }
  }
}

TEST(Clumps, HalvesOfACubeLieOnAMeshAsOnAPlane) {
  Case c = scenes::empty_case();
  contact::EnergyPolyhedral law;
  law.pressure = 1e7, law.exponent = 2, law.damping_ratio = 0.2;
  c.contacts[0].law = law;
  scenes::add_mesh(c, "floor", scenes::sheet({-0.25, -0.25, 0}, {0.5, 0, 0}, {0, 0.5, 0}, 7, 7));
  scenes::add_grain(c, "halves", 0.1, {0.01, 0.02, 0.052}, axis_angle({0, 0, 1}, 0.3));
  Simulation s = build(c);
  scenes::run_for(s, 1);
  ASSERT_FALSE(s.fault);
  EXPECT_NEAR(s.particles.position[0].z, 0.05, 1e-3);
  EXPECT_NEAR(s.walls[0].force.z, -s.particles.mass[0] * kG, 1e-2 * s.particles.mass[0] * kG);
  EXPECT_LT(norm(s.particles.velocity[0]), 1e-3);
}

TEST(Clumps, WithoutTorqueTurnAsOneRigidBody) {
  Case c = linear_case(1e6, 0, 0);
  c.gravity = {}, c.time_step.fixed = 1e-4;
  scenes::add_grain(c, "dumbbell", 0.2, {}, axis_angle(normalized(Vec3{1, 1, 0}), 0.5), {0.1, 0, 0}, {5, 3, -2});
  Simulation s = build(c);
  const Totals before = totals(s);
  // The spheres' and no more: parts of one clump do not touch each other.
  const Quat q0 = s.particles.orientation[0];
  const Vec3 l0 = s.particles.angular_momentum[0], i = s.particles.inertia[0];
  scenes::run_for(s, 1);
  EXPECT_EQ(s.contacts.size(), 0u);
  EXPECT_EQ(s.pairs.size(), 0u);
  const Totals after = totals(s);
  EXPECT_EQ(s.particles.angular_momentum[0], l0);
  EXPECT_NEAR(after.kinetic_rotation, before.kinetic_rotation, 1e-6 * before.kinetic_rotation);
  EXPECT_NEAR(norm(s.particles.position[0] - Vec3{0.1 * s.time, 0, 0}), 0, 1e-12);
  // A symmetric top: its axis goes round the angular momentum at |L| / I.
  const Vec3 axis = rotation_matrix(q0) * Vec3{1, 0, 0}, along = normalized(l0);
  const Vec3 expected = rotation_matrix(axis_angle(along, norm(l0) / i.z * s.time)) * axis;
  EXPECT_NEAR(norm(rotation_matrix(s.particles.orientation[0]) * Vec3{1, 0, 0} - expected), 0, 1e-4);
}

TEST(Clumps, CollideWithThirdLawAndMomentum) {
  for (const std::string name : {"dumbbell", "triple", "angle"}) {
    Case c = linear_case(1e6, 8e5, 0.5);
    c.gravity = {};
    law_of(c).damping_ratio = 0.05;
    scenes::add_grain(c, name, 0.1, {}, axis_angle(normalized(Vec3{1, 2, 3}), 0.7), {1, 0, 0}, {3, 40, -20});
    scenes::add_grain(c, name, 0.08, {0.13, 0.02, 0.01}, axis_angle({0, 0, 1}, 0.2), {-1, 0, 0.1}, {10, 0, 5});
    scenes::add_grain(c, "sphere", 0.05, {-0.02, 0.12, 0}, {}, {0, -1.5, 0});
    scenes::add_grain(c, "grain14", 0.06, {0, -0.13, 0.01}, {}, {0, 1.5, 0}, {7, 8, 9});
    Simulation s = build(c);
    const Totals before = totals(s);
    std::size_t most = 0, parts = 0;
    for (int k = 0; k < 60000 && s.time < 0.15 && !s.fault; ++k) {
      step(s);
      most = oracle::larger(most, s.contacts.size());
      for (std::size_t r = 0; r < s.contacts.size(); ++r) parts |= s.contacts.part[r];
    }
    ASSERT_FALSE(s.fault) << s.fault->message;
    EXPECT_GE(most, 1u) << name;
    EXPECT_NE(parts, 0u) << name;
    const Totals after = totals(s);
    const double m = s.particles.mass[0];
    EXPECT_NEAR(norm(after.momentum - before.momentum), 0, 1e-12 * m) << name;
    EXPECT_NEAR(norm(after.angular_momentum - before.angular_momentum), 0, 1e-11 * norm(before.angular_momentum))
        << name;
    EXPECT_LT(after.kinetic_translation + after.kinetic_rotation, before.kinetic_translation + before.kinetic_rotation);
  }
}

TEST(Clumps, DumbbellReboundsFromAWallAsARigidBodyWithItsRestitution) {
  // One end hits a smooth wall at an angle: impulse (1 + e) v / (1/m + a^2/I), e that of the dashpot at this mass.
  for (const double zeta : {0.0, 0.1, 0.3}) {
    for (const double angle : {0.3, 0.8, 1.2}) {
      Case c = scenes::empty_case();
      contact::Linear law;
      law.kn = 1e7, law.damping_ratio = zeta;
      c.contacts[0].law = law, c.gravity = {}, c.time_step.fraction = 0.02;
      scenes::add_plane(c, "floor", {}, {0, 0, 1});
      const double v = 0.5, size = 0.1;
      const Vec3 axis{std::cos(angle), 0, -std::sin(angle)};  // towards the lower end
      const double low = 0.3 * size * std::sin(angle) + 0.2 * size;
      scenes::add_grain(c, "dumbbell", size, {0, 0, low * (1 + 1e-4)}, axis_angle({0, 1, 0}, angle), {0, 0, -v});
      Simulation s = build(c);
      const double m = s.particles.mass[0], i = s.particles.inertia[0].z;
      const double arm = 0.3 * size * axis.x;  // the force acts through the end's centre
      const double effective = 1 / (1 / m + arm * arm / i);
      const double e = zeta > 0 ? contact::restitution_of(zeta * std::sqrt(m / effective), contact::Tension::cut) : 1;
      bool met = false;
      for (int k = 0; k < 200000 && !(met && s.wall_contacts.size() == 0) && !s.fault; ++k)
        step(s), met = met || s.wall_contacts.size() > 0;
      ASSERT_FALSE(s.fault);
      const double impulse = (1 + e) * v * effective;
      EXPECT_NEAR(s.particles.velocity[0].z, -v + impulse / m, 0.01 * v) << zeta << " " << angle;
      EXPECT_NEAR(s.particles.angular_velocity[0].y, -impulse * arm / i, 0.01 * v / size) << zeta << " " << angle;
      EXPECT_NEAR(s.particles.velocity[0].x, 0, 1e-12);
    }
  }
}

TEST(Clumps, KeepTheirEnergyWhereNothingTakesIt) {
  Case c = linear_case(1e6, 0, 0);
  c.gravity = {0, 0, -kG}, c.time_step.fraction = 0.05;
  scenes::add_plane(c, "floor", {}, {0, 0, 1});
  for (const auto& [x, n] : {std::pair{Vec3{-0.15, 0, 0}, Vec3{1, 0, 0}},
                             {Vec3{0.15, 0, 0}, Vec3{-1, 0, 0}},
                             {Vec3{0, -0.15, 0}, Vec3{0, 1, 0}},
                             {Vec3{0, 0.15, 0}, Vec3{0, -1, 0}}})
    scenes::add_plane(c, "side" + std::to_string(c.walls.size()), x, n);
  for (int k = 0; k < 4; ++k)
    scenes::add_grain(c, k % 2 ? "triple" : "dumbbell", 0.1,
                      {0.07 * (k % 2) - 0.03, 0.07 * (k / 2) - 0.03, 0.1 + 0.1 * k},
                      axis_angle(normalized(Vec3{1, 0.3 * k, 0}), 0.3 * k), {0.3, 0.1 * k, 0});
  Simulation s = build(c);
  const auto energy = [&] {
    const Totals t = totals(s);
    return t.kinetic_translation + t.kinetic_rotation + t.potential + t.elastic;
  };
  const double before = energy();
  double worst = 0;
  std::uint64_t contacts = 0;
  while (s.time < 2 && !s.fault) {
    step(s);
    contacts += s.contacts.size() + s.wall_contacts.size();
    if (s.step % 50 == 0) worst = oracle::larger(worst, std::abs(energy() - before) / before);
  }
  ASSERT_FALSE(s.fault) << s.fault->message;
  EXPECT_GT(contacts, 1000u);
  EXPECT_LT(worst, 2e-3);
}

TEST(Clumps, LieOnAllTheirFeet) {
  // Three balls and one above: at rest each foot carries a third.
  const auto source = [](const std::string&) -> Result<std::shared_ptr<const Shape>> {
    std::vector<DrawnPart> parts;
    for (int k = 0; k < 3; ++k)
      parts.emplace_back(Ball{{0.3 * std::cos(k * 2 * M_PI / 3), 0.3 * std::sin(k * 2 * M_PI / 3), 0}, 0.27});
    parts.emplace_back(Ball{{0, 0, 0.3}, 0.2});
    return shape_of("tripod", parts);
  };
  Case c = linear_case(1e5, 8e4, 0.5);
  law_of(c).damping_ratio = 0.2, law_of(c).damping_sticking = 0.9;
  scenes::add_plane(c, "floor", {}, {0, 0, 1});
  scenes::add_grain(c, "tripod", 0.1, {0, 0, 0.045});
  Result<Simulation> built = set_up(c, source);
  ASSERT_TRUE(built) << built.error().message;
  Simulation s = std::move(*built);
  // Its principal frame may stand it on its head or side; it falls onto its feet or lies on three balls either way.
  scenes::run_for(s, 2);
  ASSERT_FALSE(s.fault);
  ASSERT_EQ(s.wall_contacts.size(), 3u);
  double sum = 0;
  for (const Vec3& f : s.wall_contacts.force) sum -= f.z;
  EXPECT_NEAR(sum, s.particles.mass[0] * kG, 1e-3 * sum);
  EXPECT_EQ(s.wall_contacts.part[0] & 0xffffu, 0u);
  EXPECT_LT(s.wall_contacts.part[0], s.wall_contacts.part[1]);
  EXPECT_LT(s.wall_contacts.part[1], s.wall_contacts.part[2]);
  const Totals t = totals(s);
  EXPECT_EQ(t.contacts, 1u);
  EXPECT_EQ(t.contact_points, 3u);
}

}  // namespace
}  // namespace scree

// What friction holds stays where it is: the map of one step about a body at rest, and runs that begin there.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>

#include "base/random.h"
#include "contact/restitution.h"
#include "oracle/larger.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

using Geometry = Case::ContactGeometry;
constexpr double kG = 9.81, kDegree = M_PI / 180;

struct Stone {
  const char* name;
  std::function<Law(double friction, double damping)> law;
};
Law bloks3d(double friction, double damping) {
  contact::Bloks3d law;
  law.kn = 130e3, law.ks = 102e3, law.friction_angle = std::atan(friction), law.damping_ratio = damping;
  law.damping_sliding = 0.01, law.damping_sticking = 0.9;
  return law;
}
Law linear(double friction, double damping) {
  contact::Linear law;
  law.kn = 2e5, law.kt = 1e5, law.friction_angle = std::atan(friction), law.damping_ratio = damping;
  return law;
}
Law hertz_mindlin(double friction, double damping) {
  contact::HertzMindlin law;
  law.young = 5e7, law.shear = 1e7, law.friction_angle = std::atan(friction), law.damping_ratio = damping;
  return law;
}
Law energy(double friction, double damping) {
  contact::EnergyPolyhedral law;
  law.pressure = 1e6, law.kt = 1e5, law.friction_angle = std::atan(friction), law.damping_ratio = damping;
  return law;
}
const Stone kStones[] = {
    {"bloks3d", bloks3d}, {"linear", linear}, {"hertz_mindlin", hertz_mindlin}, {"energy", energy}};

/// Every number of the state that the next step reads, by reference, with the size that it is measured in.
template <class S, class F>
void each_number(S& s, double mass, double length, double time, F&& f) {
  const double speed = length / time, force = mass * speed / time;
  const auto vector = [&](auto& v, double unit) { f(v.x, unit), f(v.y, unit), f(v.z, unit); };
  auto& p = s.particles;
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    vector(p.position[i], length), vector(p.velocity[i], speed);
    vector(p.angular_momentum[i], mass * speed * length);
    vector(p.force[i], force), vector(p.torque[i], force * length);
  }
  for (auto* c : {&s.contacts, &s.wall_contacts}) {
    for (std::size_t r = 0; r < c->size(); ++r) {
      vector(c->shear[r], force), f(c->torsion[r], force * length), vector(c->normal[r], 1);
      if (c->keeps_anchors) vector(c->anchor[r], length);
      vector(c->damping[r], force);
      if (c->keeps_anchors) vector(c->damping_moment[r], force * length);
    }
  }
}

/// A world at rest, and what a step does to small changes of it.
class AtRest {
 public:
  explicit AtRest(Simulation s) : s_(std::move(s)) {
    mass_ = s_.particles.mass[0], length_ = s_.particles.size[0], time_ = 3 * s_.dt;
  }
  /// Takes velocity away until nothing moves.
  void settle(double seconds, const std::string& what) {
    const double end = s_.time + seconds;
    Particles& p = s_.particles;
    while (s_.time < end) {
      step(s_);
      ASSERT_FALSE(s_.fault) << what << s_.fault->message;
      for (std::size_t i = 0; i < p.size_rows(); ++i)
        p.velocity[i] = 0.99 * p.velocity[i], p.angular_momentum[i] = 0.99 * p.angular_momentum[i];
    }
    const Totals t = totals(s_);
    ASSERT_LT(t.kinetic_translation + t.kinetic_rotation, 1e-9 * t.elastic) << what;
    ASSERT_EQ(t.sliding, 0u) << what;
  }
  Simulation& world() { return s_; }

  /// The eigenvalues of the Jacobian of one step, by central differences over positions, turns, velocities, spins,
  /// forces and memory.
  std::vector<std::complex<double>> eigenvalues() {
    const std::size_t n = numbers(s_).size();
    Eigen::MatrixXd j(n, n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::vector<double> up = after(k, kChange), down = after(k, -kChange);
      if (up.size() != n || down.size() != n) return {};
      for (std::size_t i = 0; i < n; ++i)
        j(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = (up[i] - down[i]) / (2 * kChange);
    }
    const Eigen::EigenSolver<Eigen::MatrixXd> solved(j, false);
    return {solved.eigenvalues().begin(), solved.eigenvalues().end()};
  }

 private:
  static constexpr double kChange = 1e-7;

  std::vector<double> numbers(const Simulation& s) const {
    std::vector<double> x;
    each_number(s, mass_, length_, time_, [&](const double& v, double unit) { x.push_back(v / unit); });
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
      const Quat turn = s.particles.orientation[i] * conjugate(s_.particles.orientation[i]);
      x.insert(x.end(), {2 * turn.x, 2 * turn.y, 2 * turn.z});
    }
    return x;
  }
  /// The state after a step from the one where number k is larger by `change` of its unit.
  std::vector<double> after(std::size_t k, double change) {
    Simulation s = s_;
    std::size_t at = 0;
    each_number(s, mass_, length_, time_, [&](double& v, double unit) { v += at++ == k ? change * unit : 0; });
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        if (at++ != k) continue;
        const Vec3 axis{a == 0 ? 1.0 : 0.0, a == 1 ? 1.0 : 0.0, a == 2 ? 1.0 : 0.0};
        s.particles.orientation[i] = normalized(axis_angle(axis, change) * s.particles.orientation[i]);
      }
    }
    pose_bodies(s);
    step(s);
    return s.fault ? std::vector<double>{} : numbers(s);
  }

  Simulation s_;
  double mass_ = 0, length_ = 0, time_ = 0;
};

/// Nothing that swings grows. What nothing damps stands at one, where differences err to either side (by up to 2e-8
/// where Hertz' contacts bend). Rests in a row make one an eigenvalue several times over, known to the root of that
/// error: so under an even pressure, which lets a cube stand at any small tilt.
void expect_no_growth(AtRest& rest, double damping, const std::string& what) {
  if (::testing::Test::HasFatalFailure()) return;
  const auto values = rest.eigenvalues();
  ASSERT_FALSE(values.empty()) << what << ": a small change changes the points";
  const double bound = damping == 0 ? 5e-8 : 1e-9;
  for (const std::complex<double>& v : values) {
    const bool is_one = what.starts_with("energy") && std::abs(v - 1.0) < 1e-4;
    EXPECT_LE(std::abs(v), 1 + (is_one ? 1e-4 : bound))
        << what << ": " << std::abs(v) - 1 << " at an angle of " << std::arg(v);
  }
  // What the differences cannot tell apart, a run does: kicked by a ten-thousandth of its overlap, it stays there.
  Simulation s = rest.world();
  const double depth = s.wall_contacts.depth[0], kick = 1e-4 * depth / (50 * s.dt);
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    s.particles.velocity[i] += kick * Vec3{0.3, -0.5, 0.8};
    s.particles.angular_momentum[i] += (kick * s.particles.inertia[i].x / s.particles.size[i]) * Vec3{0.7, 0.6, -0.4};
  }
  if (s.dimensions == 2) {
    for (Vec3& v : s.particles.velocity) v.z = 0;
    for (Vec3& l : s.particles.angular_momentum) l.x = l.y = 0;
  }
  const std::vector<Vec3> before = s.particles.position;
  double early = 0, late = 0;
  constexpr int kSteps = 6000;
  for (int k = 0; k < kSteps; ++k) {
    step(s);
    ASSERT_FALSE(s.fault) << what << s.fault->message;
    const Totals t = totals(s);
    double& most = k < kSteps / 2 ? early : late;
    most = oracle::larger(most, t.kinetic_translation + t.kinetic_rotation);
  }
  EXPECT_LE(late, 2 * early) << what;  // undamped motions beat
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_LT(norm(s.particles.position[i] - before[i]), depth) << what;
}

Case gravity_along(double degrees, const Law& law, Geometry geometry) {
  Case c = scenes::empty_case();
  c.gravity = {kG * std::sin(degrees * kDegree), 0, -kG * std::cos(degrees * kDegree)};
  c.contacts[0].law = law;
  c.detection.contact_geometry = geometry;
  return c;
}
std::string told(const Stone& stone, Geometry geometry, double damping, const std::string& rest) {
  char number[32];
  std::snprintf(number, sizeof number, " %g, ", damping);
  return std::string(stone.name) + (geometry == Geometry::overlap ? ", overlap," : ", contact_zone,") + number + rest;
}
/// f(stone, geometry, damping) for what there is.
template <class F>
void each_stone(std::initializer_list<double> dampings, F&& f) {
  for (const Stone& stone : kStones) {
    for (const Geometry geometry : {Geometry::overlap, Geometry::contact_zone}) {
      if (stone.name == std::string("energy") && geometry != Geometry::overlap) continue;
      for (const double damping : dampings) f(stone, geometry, damping);
    }
  }
}

// Shear that acts where the pressing force does made this grow by 1.4e-3 a step at 30 degrees and a damping of .02.
TEST(AtRest, ACubeOnASlopeHasNoGrowingMotion) {
  each_stone({0, 0.02, 0.3, 1}, [](const Stone& stone, Geometry geometry, double damping) {
    // Of the friction angle. The points of a zone have a limit each.
    for (const double share : {0.3, geometry == Geometry::overlap ? 0.95 : 0.8}) {
      // Overdamped, the way to such a rest leaves one of the four on its limit.
      if (geometry == Geometry::contact_zone && damping == 1 && share > 0.5) continue;
      for (const double fraction : {0.05, 0.2}) {
        // Under an even pressure a cube on a steeper slope than that stands on an edge.
        const double angle = stone.name == std::string("energy") ? 20 : 35;
        const double friction = std::tan(angle * kDegree), degrees = share * angle;
        Case c = gravity_along(degrees, stone.law(friction, damping), geometry);
        c.time_step.fraction = fraction;
        scenes::add_plane(c, "slope", {}, {0, 0, 1});
        scenes::add_grain(c, "cube", 0.1, {0, 0, 0.0499}, axis_angle({0, 0, 1}, 0.3));
        AtRest rest(scenes::build(c));
        const std::string what = told(stone, geometry, damping, "slope " + std::to_string(degrees));
        rest.settle(3, what);
        expect_no_growth(rest, damping, what);
      }
    }
  });
}

TEST(AtRest, ACubeOnACubeHasNoGrowingMotion) {
  each_stone({0, 0.02, 0.3}, [](const Stone& stone, Geometry geometry, double damping) {
    if (stone.name == std::string("energy")) return;  // flat on a face it has no stiffness against tilting
    for (const double degrees : {0.0, 12.0}) {
      Case c = gravity_along(degrees, stone.law(0.5, damping), geometry);
      scenes::add_plane(c, "floor", {}, {0, 0, 1});
      scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05});
      scenes::add_grain(c, "cube", 0.1, {0.003, 0.002, 0.15});
      AtRest rest(scenes::build(c));
      const std::string what = told(stone, geometry, damping, "cubes at " + std::to_string(degrees));
      rest.settle(3, what);
      expect_no_growth(rest, damping, what);
    }
  });
}

TEST(AtRest, ACubeThatLeansInAVHasNoGrowingMotion) {
  each_stone({0, 0.02, 0.3}, [](const Stone& stone, Geometry geometry, double damping) {
    // Under an even pressure two edges that touch swing up by 3e-6 a step where nothing damps them.
    if (stone.name == std::string("energy")) return;
    Case c = gravity_along(0, stone.law(0.9, damping), geometry);
    for (const double side : {-1.0, 1.0})
      scenes::add_plane(c, side < 0 ? "left" : "right", {}, normalized(Vec3{-side, 0.1, 1.2}));
    scenes::add_grain(c, "cube", 0.1, {0.004, 0, 0.1}, axis_angle({0, 1, 0}, 0.2));
    AtRest rest(scenes::build(c));
    const std::string what = told(stone, geometry, damping, "in a V");
    rest.settle(3, what);
    expect_no_growth(rest, damping, what);
  });
}

TEST(AtRest, ACubeOnItsEdgeAgainstAWallHasNoGrowingMotion) {
  each_stone({0, 0.02, 0.3}, [](const Stone& stone, Geometry geometry, double damping) {
    if (stone.name == std::string("energy")) return;  // as in a V
    for (const double degrees : {15.0, 35.0}) {
      const double tilt = degrees * kDegree, reach = 0.05 * (std::cos(tilt) + std::sin(tilt)) - 5e-5;
      Case c = gravity_along(0, stone.law(0.9, damping), geometry);
      scenes::add_plane(c, "floor", {}, {0, 0, 1});
      scenes::add_plane(c, "wall", {}, {1, 0, 0});
      scenes::add_grain(c, "cube", 0.1, {reach, 0, reach}, axis_angle({0, 1, 0}, tilt));
      AtRest rest(scenes::build(c));
      const std::string what = told(stone, geometry, damping, "on its edge at " + std::to_string(degrees));
      rest.settle(3, what);
      expect_no_growth(rest, damping, what);
    }
  });
}

TEST(AtRest, ACubeOnAMeshHasNoGrowingMotion) {
  each_stone({0, 0.02, 0.3}, [](const Stone& stone, Geometry geometry, double damping) {
    Case c = gravity_along(20, stone.law(0.6, damping), geometry);
    scenes::add_mesh(c, "slope", scenes::sheet({-1, -1, 0}, {2, 0, 0}, {0, 2, 0}, 7, 5));
    scenes::add_grain(c, "cube", 0.1, {0.01, 0.02, 0.0499}, axis_angle({0, 0, 1}, 0.3));
    AtRest rest(scenes::build(c));
    const std::string what = told(stone, geometry, damping, "on a mesh");
    rest.settle(3, what);
    expect_no_growth(rest, damping, what);
  });
}

TEST(AtRest, ASquareOnASlopeInThePlaneHasNoGrowingMotion) {
  for (const Stone& stone : kStones) {
    if (stone.name == std::string("energy")) continue;
    for (const double damping : {0.0, 0.02, 0.3}) {
      Case c = gravity_along(0, stone.law(0.6, damping), Geometry::overlap);
      c.dimensions = 2;
      c.gravity = {kG * std::sin(25 * kDegree), -kG * std::cos(25 * kDegree), 0};
      scenes::add_plane(c, "slope", {}, {0, 1, 0});
      scenes::add_grain(c, "square", 0.1, {0, 0.0499, 0});
      AtRest rest(scenes::build(c));
      const std::string what = told(stone, Geometry::overlap, damping, "in the plane");
      rest.settle(10, what);
      expect_no_growth(rest, damping, what);
    }
  }
}

// A minute each, of what is held and was let come to rest.
TEST(AtRest, FrictionHoldsACubeForAMinute) {
  each_stone({0, 0.02, 0.3}, [](const Stone& stone, Geometry geometry, double damping) {
    Case c = gravity_along(30, stone.law(std::tan(35 * kDegree), damping), geometry);
    scenes::add_plane(c, "slope", {}, {0, 0, 1});
    scenes::add_grain(c, "cube", 0.1, {0, 0, 0.0499});
    AtRest rest(scenes::build(c));
    rest.settle(3, told(stone, geometry, damping, ""));
    if (HasFatalFailure()) return;
    Simulation s = rest.world();
    const Vec3 at = s.particles.position[0];
    scenes::run_for(s, 60);
    const Totals t = totals(s);
    EXPECT_LT(norm(s.particles.position[0] - at), 1e-6) << told(stone, geometry, damping, "");
    EXPECT_LT(t.kinetic_rotation, 1e-12 * t.elastic) << told(stone, geometry, damping, "");
  });
}

// Five cubes with the damping of a restitution of .1 and four points a contact flew apart with 640 kJ.
TEST(AtRest, AStackStandsWhateverItsRestitution) {
  for (const Geometry geometry : {Geometry::overlap, Geometry::contact_zone}) {
    for (const double restitution : {0.05, 0.3, 0.9}) {
      for (const int cubes : {2, 5, 10}) {
        contact::Linear law;
        law.kn = 5e6, law.kt = 2.0 / 7 * law.kn, law.friction_angle = std::atan(0.5);
        law.damping_ratio = contact::damping_ratio_for(restitution, contact::Tension::cut);
        Case c = gravity_along(0, law, geometry);
        scenes::add_plane(c, "floor", {}, {0, 0, 1});
        for (int i = 0; i < cubes; ++i)
          scenes::add_grain(c, "cube", 0.1, {(i % 2) * 0.003, (i / 2 % 2) * 0.002, 0.05 + 0.1 * i});
        AtRest rest(scenes::build(c));
        rest.settle(cubes < 10 ? 2 : 4, std::to_string(cubes) + " cubes, e " + std::to_string(restitution) +
                                            (geometry == Geometry::overlap ? ", overlap" : ", contact_zone"));
        if (HasFatalFailure()) return;
        Simulation s = rest.world();
        const std::vector<Vec3> at = s.particles.position;
        double weight = 0, worst = 0;
        for (const double m : s.particles.mass) weight += m * kG;
        for (int k = 0; k < 20; ++k) {
          scenes::run_for(s, 0.02);
          worst = oracle::larger(worst, std::abs(s.walls[0].force.z / -weight - 1));
        }
        const std::string what = std::to_string(cubes) + " cubes, e " + std::to_string(restitution) +
                                 (geometry == Geometry::overlap ? ", overlap" : ", contact_zone");
        EXPECT_LT(worst, 1e-3) << what;
        for (std::size_t i = 0; i < at.size(); ++i) EXPECT_LT(norm(s.particles.position[i] - at[i]), 1e-4) << what;
      }
    }
  }
}

// A spring and a dashpot as a run has them, just within and beyond the critical time step: half of the spring's at
// least, however strong the dashpot.
TEST(AtRest, NoDampingIsTooStrongForAStep) {
  double of_spring = 0;
  for (const double damping : {0.0, 0.3, 1.0, 3.0, 100.0}) {
    contact::Linear law;
    law.kn = 1e6, law.kt = 2e5, law.damping_ratio = damping, law.tension = contact::Tension::allowed;
    Case c = gravity_along(0, law, Geometry::overlap);
    scenes::add_plane(c, "floor", {}, {0, 0, 1});
    scenes::add_grain(c, "sphere", 0.1, {0, 0, 0.05});
    Simulation s = scenes::build(c);
    const double omega = std::sqrt(law.kn / s.particles.mass[0]), limit = 2 / omega;
    if (damping == 0) of_spring = critical_time_step(s);
    EXPECT_GE(critical_time_step(s), (1 - 1e-12) * (damping == 0 ? 1.0 : 0.5) * of_spring) << damping;
    EXPECT_LE(critical_time_step(s), of_spring) << damping;
    EXPECT_LT(of_spring, limit);
    const auto grows = [&](double dt) {
      Simulation t = s;
      t.dt = dt, t.braked = dashpots_are_slow(t) ? 0 : 1;
      t.particles.position[0].z = 0.05 - kG / (omega * omega) * 1.001;
      double least = 1e300, most = 0;
      for (int k = 0; k < 400; ++k) {
        step(t);
        if (t.fault || t.wall_contacts.size() == 0) return true;
        if (k >= 300) most = std::max(most, std::abs(t.particles.velocity[0].z));
        if (k >= 100 && k < 200) least = std::min(least, std::abs(t.particles.velocity[0].z));
      }
      return most > 10 * least + 1e-3;
    };
    EXPECT_FALSE(grows(s.dt)) << damping;
    if (damping > 0) {
      for (const double part : {0.3, 0.4, 0.5}) {
        EXPECT_FALSE(grows(part * limit)) << damping << " at " << part;
      }
    } else {
      EXPECT_TRUE(grows(1.02 * limit));
    }
    // Explicit dashpots, which short steps have, are stable up to sqrt(1 + 4 zeta^2) - 2 zeta of 2/omega.
    const double of_explicit = limit * (std::sqrt(1 + 4 * damping * damping) - 2 * damping);
    s.dt = of_explicit / 3;
    EXPECT_EQ(dashpots_are_slow(s), damping == 0) << damping << ": a grain has more contacts than one";
    s.dt = of_explicit / 30;
    EXPECT_TRUE(dashpots_are_slow(s)) << damping;
    c.time_step.fixed = 1.01 * critical_time_step(s);
    const Result<Simulation> refused = set_up(c, scenes::library());
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("above the critical time step"), std::string::npos);
  }
}

// Grains of all kinds with next to no restitution, at half of the critical step. With explicit dashpots none of these
// beds outlasts its first impacts.
TEST(AtRest, BedsComeToRestHoweverStrongTheirDamping) {
  contact::Linear soft;
  soft.kn = 5e4, soft.kt = 1.5e4, soft.friction_angle = std::atan(0.5);
  soft.damping_ratio = contact::damping_ratio_for(0.05, contact::Tension::cut);
  contact::HertzMindlin hertz;
  hertz.young = 1e7, hertz.shear = 3e6, hertz.friction_angle = std::atan(0.5), hertz.damping_ratio = 1;
  contact::Bloks3d bloks;
  bloks.kn = 5e4, bloks.ks = 2e4, bloks.friction_angle = std::atan(0.5), bloks.damping_ratio = 2;
  bloks.damping_sliding = 0.1, bloks.damping_sticking = 0.9;
  for (const Law& law : {Law(soft), Law(hertz), Law(bloks)}) {
    for (const Geometry geometry : {Geometry::overlap, Geometry::contact_zone}) {
      Case c = gravity_along(0, law, geometry);
      scenes::add_open_box(c, "box", {0, 0, 0}, {0.1, 0.1, 0.5});
      Case::Group g;
      g.name = "bed", g.count = 60, g.size = {Case::Size::Kind::uniform, 0.015, 0.025};
      g.shapes = {"cube", "tetrahedron", "octahedron", "pyramid"};
      g.place = Case::Lattice{0, 0, 0.027, {}};
      g.orientation.random = true;
      c.particles.push_back(g);
      c.time_step.fraction = 0.5;
      Simulation s = scenes::build(c);
      EXPECT_FALSE(dashpots_are_slow(s));
      scenes::run_for(s, 1);
      const std::string what =
          std::to_string(law.index()) + (geometry == Geometry::overlap ? ", overlap" : ", contact_zone");
      ASSERT_FALSE(s.fault) << what << s.fault->message;
      const Totals t = totals(s);
      EXPECT_LT(t.unrest, 1e-3 * t.elastic) << what;
      double weight = 0;
      for (const double m : s.particles.mass) weight += m * kG;
      EXPECT_GT(t.elastic, 0) << what;
      EXPECT_LT(t.elastic, 1e-2 * weight * 0.1) << what;
    }
  }
}

// Pressed between two walls and shaken: it buckles, and has no more motion than it had and its springs.
TEST(AtRest, ARowIsQuietHoweverStrongItsDamping) {
  constexpr int kSpheres = 20;
  constexpr double kSize = 0.02, kPressed = 2e-5 * kSize;
  for (const double shear : {2.0 / 7, 1.0}) {
    for (const double damping : {0.36, 1.0, 2.2, 20.0}) {
      for (const double fraction : {0.2, 0.5}) {
        contact::Linear law;
        law.kn = 1e5, law.kt = shear * law.kn, law.friction_angle = 1.4, law.damping_ratio = damping;
        Case c = gravity_along(0, law, Geometry::overlap);
        c.gravity = {}, c.time_step.fraction = fraction;
        const double pitch = kSize - kPressed;
        scenes::add_plane(c, "left", {kPressed / 2, 0, 0}, {1, 0, 0});
        scenes::add_plane(c, "right", {kSpheres * pitch + kPressed / 2, 0, 0}, {-1, 0, 0});
        for (int i = 0; i < kSpheres; ++i)
          scenes::add_grain(c, "sphere", kSize, {(i + 0.5) * pitch + kPressed / 2, 0, 0});
        Simulation s = scenes::build(c);
        EXPECT_FALSE(dashpots_are_slow(s));
        Random u(3);
        for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
          s.particles.velocity[i] = 1e-7 * u.direction();
          s.particles.angular_momentum[i] = 1e-7 / kSize * s.particles.inertia[i].x * u.direction();
        }
        const auto moving = [&] {
          const Totals t = totals(s);
          return t.kinetic_translation + t.kinetic_rotation;
        };
        const double all = moving() + totals(s).elastic;
        for (int k = 0; k < 1500 && !s.fault; ++k) step(s);
        EXPECT_FALSE(s.fault);
        EXPECT_LT(moving(), all) << shear << " " << damping << " " << fraction;
      }
    }
  }
}

// As printed, every point of a zone has the whole spring: four to eight on a cube.
TEST(AtRest, TheCriticalTimeStepKnowsThePointsOfAZone) {
  contact::Linear law;
  law.kn = 1e6, law.kt = 2e5;
  Case c = gravity_along(0, law, Geometry::contact_zone);
  scenes::add_plane(c, "floor", {}, {0, 0, 1});
  scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05});
  const double shared = critical_time_step(scenes::build(c));
  c.detection.points = Case::ZonePoints::paper;
  EXPECT_NEAR(critical_time_step(scenes::build(c)), shared / std::sqrt(8), 1e-9 * shared);
}

}  // namespace
}  // namespace scree

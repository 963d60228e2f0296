// A cylinder of bonded spheres in the two tests of rock mechanics: uniaxial compression and the Brazilian test.
// Strengths follow from the bonds' own; no closed form is known, so the ranges are those of bonded-particle models
// (Potyondy & Cundall 2004: ratios of about 4 to 7, where rock has 10 to 20).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "oracle/larger.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kR = 0.75e-3, kRadius = 6e-3, kStrength = 10e6;  // m, m, Pa

/// Spheres of radius .9 to 1.1 kR at random places of a cylinder along z, pushed apart.
bond::Cluster random_cylinder(double radius, double height, std::uint64_t seed) {
  Random u(seed);
  bond::Cluster c;
  const double volume = M_PI * radius * radius * height, each = 4 * M_PI / 3 * kR * kR * kR;
  const auto n = static_cast<std::size_t>(0.56 * volume / each);
  for (std::size_t k = 0; k < n; ++k) {
    const double r = kR * u.uniform(0.9, 1.1), at = radius * std::sqrt(u.uniform()), angle = 2 * M_PI * u.uniform();
    c.radius.push_back(r);
    c.position.push_back({at * std::cos(angle), at * std::sin(angle), height * (u.uniform() - 0.5)});
  }
  for (int round = 0; round < 300; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Vec3 d = c.position[i] - c.position[j];
        const double reach = c.radius[i] + c.radius[j], l2 = norm2(d);
        if (l2 >= reach * reach || l2 == 0) continue;
        const Vec3 push = 0.5 * (reach / std::sqrt(l2) - 1) * d;
        c.position[i] += push, c.position[j] -= push;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      Vec3& x = c.position[i];
      const double side = radius - c.radius[i], end = height / 2 - c.radius[i], at = std::hypot(x.x, x.y);
      if (at > side) x.x *= side / at, x.y *= side / at;
      x.z = std::clamp(x.z, -end, end);
    }
  }
  return c;
}

struct Crushed {
  double peak = 0;      // N, on the moving plate
  double opposite = 0;  // N, on the other one at that time
  double after = 0;     // N, the largest once the strain is 1.3 times that at the peak
  double strain = 0;    // at the peak
  std::uint64_t broken_at_peak = 0, broken = 0, bonds = 0, fragments = 0;
  std::map<bond::Mode, int> modes;
};

/// The cylinder between two plates, along its axis or across it.
Crushed crush(double height, bool across, double speed, std::uint64_t seed, double strength = kStrength) {
  Case c = scenes::empty_case();
  c.gravity = {};
  c.time_step.fraction = 0.5;
  contact::Bloks3d law = scenes::stone_law();
  law.kn = 1e6, law.knn = 0, law.ks = 5e5, law.friction_angle = 0.5, law.damping_ratio = 0.2;
  c.contacts = {{0, 0, law}};
  Case::Cluster made;
  made.name = "core", made.spheres = random_cylinder(kRadius, height, seed);
  made.law.given = bond::ParallelBond::Stiffness::modulus, made.law.modulus = 1e9, made.law.ratio = 2;
  made.law.normal_strength = made.law.shear_strength = strength, made.law.damping = 0.2;
  made.bonds = *bond::bonds_by_distance(made.spheres, 1.15);
  EXPECT_TRUE(bond::check_holds(made.spheres, made.bonds));
  c.clusters.push_back(made);
  const double length = across ? 2 * kRadius : height, gap = 1e-6;
  scenes::add_plane(c, "floor", {0, 0, -length / 2 - gap}, {0, 0, 1});
  scenes::add_plane(c, "plate", {0, 0, length / 2 + gap}, {0, 0, -1});
  c.walls[1].motion.velocity = {0, 0, -speed};
  Case::Group g;
  g.name = "core", g.count = 1, g.shapes = {"sphere"}, g.cluster = 0, g.place = Case::AtPoints{{{}}};
  g.orientation.random = false;
  if (across) g.orientation.fixed = axis_angle({0, 1, 0}, M_PI / 2);
  c.particles.push_back(g);
  Simulation s = scenes::build(c);
  Crushed out;
  out.bonds = s.bonds.size();
  // Forces averaged over a stretch much shorter than the way to failure.
  const auto stretch = static_cast<int>(0.0002 * length / speed / s.dt) + 1;
  const double most = 0.1;
  for (double strain = 0; strain < most && !s.fault;) {
    double plate = 0, floor = 0;
    for (int k = 0; k < stretch; ++k) {
      step(s);
      for (const bond::Event& e : s.broken) ++out.modes[e.mode];
      plate += std::abs(s.walls[1].force.z) / stretch, floor += std::abs(s.walls[0].force.z) / stretch;
    }
    strain = speed * s.time / length;
    if (plate > out.peak) {
      out.peak = plate, out.opposite = floor, out.strain = strain, out.after = 0, out.broken_at_peak = s.bonds_broken;
    } else if (strain > 1.3 * out.strain) {
      out.after = oracle::larger(out.after, plate);
      if (s.bonds_broken > 0 && plate < 0.5 * out.peak) break;  // before, a first touch bounced off
    }
  }
  EXPECT_FALSE(s.fault) << s.fault->message;
  out.broken = s.bonds_broken, out.fragments = totals(s).fragments;
  return out;
}

double compressive(const Crushed& t) { return t.peak / (M_PI * kRadius * kRadius); }
double tensile(const Crushed& t, double thickness) { return 2 * t.peak / (M_PI * 2 * kRadius * thickness); }

TEST(BondedCylinder, FailsInCompressionAndInTheBrazilianTestAtAPlausibleRatio) {
  const double height = 4 * kRadius, thickness = kRadius;
  const Crushed core = crush(height, false, 0.15, 1), disc = crush(thickness, true, 0.1, 2);
  const double ucs = compressive(core), tension = tensile(disc, thickness), ratio = ucs / tension;
  RecordProperty("ucs_pa", std::to_string(ucs));
  RecordProperty("brazilian_pa", std::to_string(tension));
  std::printf(
      "UCS %.3g MPa at a strain of %.3g %%, Brazilian %.3g MPa, ratio %.3g; bonds broken at the peak %.3g %% and %.3g "
      "%%\n",
      ucs / 1e6, 100 * core.strain, tension / 1e6, ratio,
      100 * static_cast<double>(core.broken_at_peak) / static_cast<double>(core.bonds),
      100 * static_cast<double>(disc.broken_at_peak) / static_cast<double>(disc.bonds));
  for (const Crushed* t : {&core, &disc}) {
    // At rest but for waves: both plates bear the same. Brittle: the force falls, and pieces come off.
    EXPECT_NEAR(t->opposite, t->peak, 0.1 * t->peak);
    EXPECT_GT(t->broken, t->broken_at_peak + 10);
    EXPECT_LT(static_cast<double>(t->broken_at_peak), 0.2 * static_cast<double>(t->bonds));
    EXPECT_GT(t->fragments, 1u);
  }
  EXPECT_GT(ucs, 0.3 * kStrength);
  EXPECT_LT(ucs, 4 * kStrength);
  EXPECT_GT(ratio, 2);
  EXPECT_LT(ratio, 10);
}

// Everything is linear in stress until the first bond breaks, and friction knows no stress of its own.
TEST(BondedCylinder, TwiceAsStrongBondsBearAboutTwiceAsMuch) {
  const double thickness = kRadius;
  double weak_peak = 0, strong_peak = 0, weak_strain = 0, strong_strain = 0;  // of a few discs each, for they scatter
  for (const std::uint64_t seed : {3, 4, 5}) {
    const Crushed weak = crush(thickness, true, 0.15, seed), strong = crush(thickness, true, 0.15, seed, 2 * kStrength);
    weak_peak += weak.peak, strong_peak += strong.peak, weak_strain += weak.strain, strong_strain += strong.strain;
  }
  EXPECT_NEAR(strong_peak / weak_peak, 2, 0.5);
  EXPECT_GT(strong_strain, 1.4 * weak_strain);
}

}  // namespace
}  // namespace scree

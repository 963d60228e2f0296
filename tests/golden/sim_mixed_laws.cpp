// Four laws in one run, with rolling and a pull beside them: every contact gets its law's force, the third law holds,
// and the bits do not hang on threads, copies or the chunk that a row falls into.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "exec/parallel.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

/// Grains of three materials thrown into a box of a fourth; each pair of materials has a law.
Case crowd(std::uint64_t count) {
  Case c = scenes::box_fill(count);
  c.materials = {{"a", 2650}, {"b", 2000, 1e8, .3}, {"c", 1500}, {"wall", 1}};
  contact::Linear linear;
  linear.kn = 1e5, linear.kt = 4e4, linear.friction_angle = .5, linear.damping_ratio = .2;
  contact::HertzMindlin hertz;
  hertz.young = 5e7, hertz.shear = 1.5e7, hertz.friction_angle = .4, hertz.damping_ratio = .2;
  contact::EnergyPolyhedral energy;
  energy.pressure = 2e6, energy.kt = 3e4, energy.friction_angle = .3, energy.damping_ratio = .1;
  contact::Beside rolls;
  rolls.rolling = {contact::Rolling::Model::spring, .1, .05, .3};
  contact::Beside sticks;
  sticks.pull.work_of_adhesion = 1;
  c.contacts = {{0, 0, scenes::stone_law()}, {0, 1, linear, rolls}, {0, 2, energy},
                {1, 1, hertz, sticks},       {1, 2, linear},        {2, 2, energy, rolls},
                {3, 0, linear, sticks},      {3, 1, hertz, rolls},  {3, 2, energy}};
  for (Case::Wall& w : c.walls) w.material = 3;
  Case::Group g = c.particles[0];
  c.particles.clear();
  for (int m = 0; m < 3; ++m) {
    g.name = c.materials[static_cast<std::size_t>(m)].name, g.material = m, g.count = count / 3;
    std::get<Case::Lattice>(g.place).from = 0.4 * m;
    g.velocity = {0.3, 0.1, -2.0 - 2 * m};
    c.particles.push_back(g);
  }
  c.gravity = {0, 0, -200};
  return c;
}

class MixedLaws : public testing::Test {
 protected:
  void TearDown() override { exec::set_threads(0); }
};

TEST_F(MixedLaws, SameBitsWithAnyThreadsAndFromACopy) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    exec::set_threads(threads);
    Simulation s = scenes::build(crowd(150));
    for (int k = 0; k < 2000 && !s.fault; ++k) {
      if (k == 1000 && threads == 2) {
        const Simulation copy = s;
        s = copy;  // its buffers are gone
      }
      step(s);
    }
    ASSERT_FALSE(s.fault) << s.fault->message;
    if (expected == 0) expected = state_hash(s);
    EXPECT_EQ(state_hash(s), expected) << threads;
    EXPECT_EQ(s.contacts.rolling.size(), s.contacts.size());
    EXPECT_EQ(s.contacts.area.size(), s.contacts.size());
  }
}

TEST_F(MixedLaws, EveryContactHasTheForceOfItsLawAndItsReaction) {
  const Case c = crowd(150);
  Simulation s = scenes::build(c);
  std::array<std::size_t, 4> seen{};
  std::size_t rolled = 0;
  for (int k = 0; k < 6000 && !s.fault; ++k) {
    step(s);
    if (k % 50 != 0) continue;
    const auto material = [&](std::uint32_t i) { return s.particles.material[i]; };
    const auto look = [&](const ContactTable& t, std::size_t r, std::uint32_t a, std::uint32_t b) {
      for (const Case::Contact& given : c.contacts) {
        const auto x = static_cast<std::uint32_t>(given.material_a), y = static_cast<std::uint32_t>(given.material_b);
        if (!((x == a && y == b) || (x == b && y == a))) continue;
        ++seen[given.law.index()];
        if (given.beside.rolling.acts()) {
          rolled += norm(t.rolling[r]) > 0 ? 1 : 0;
        } else {
          ASSERT_EQ(t.rolling[r], Vec3{});
        }
        if (const auto* l = std::get_if<contact::Linear>(&given.law); l && t.penetration_of(r) > 1e-6) {
          const double elastic = l->kn * t.energy_depth[r] * t.energy_depth[r] / 2;
          ASSERT_GE(t.energy[r] + 2 * M_PI * given.beside.pull.work_of_adhesion * .03 * t.depth[r],
                    elastic * (1 - 1e-12));
        }
        if (const auto* e = std::get_if<contact::EnergyPolyhedral>(&given.law)) {
          ASSERT_GT(t.energy[r], 0);
          ASSERT_GT(t.area[r], 0);
          ASSERT_LE(std::abs(norm(t.force[r])), 1e3 * e->pressure);
        }
      }
    };
    for (std::size_t r = 0; r < s.contacts.size(); ++r)
      look(s.contacts, r, material(s.pairs.a[s.contacts.pair[r]]), material(s.pairs.b[s.contacts.pair[r]]));
    for (std::size_t r = 0; r < s.wall_contacts.size(); ++r)
      look(s.wall_contacts, r, material(s.wall_pairs.a[s.wall_contacts.pair[r]]), 3);
    if (HasFatalFailure()) return;
    Vec3 force, torque;
    double scale = 0;
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
      const Vec3 contact = s.particles.force[i] - s.particles.mass[i] * s.gravity;
      force += contact, torque += s.particles.torque[i] + cross(s.particles.position[i], contact);
      scale += norm(s.particles.force[i]);
    }
    for (std::size_t r = 0; r < s.wall_contacts.size(); ++r) {
      const Vec3 point = s.particles.position[s.wall_pairs.a[s.wall_contacts.pair[r]]] + s.wall_contacts.point[r];
      force += s.wall_contacts.force[r];
      torque += cross(point, s.wall_contacts.force[r]) + s.wall_contacts.moment[r];
    }
    ASSERT_LT(norm(force), 1e-12 * scale);
    ASSERT_LT(norm(torque), 1e-12 * scale);
  }
  ASSERT_FALSE(s.fault) << s.fault->message;
  for (const std::size_t n : seen) EXPECT_GT(n, 100u);
  EXPECT_GT(rolled, 100u);
}

}  // namespace
}  // namespace scree

// Round bodies among themselves get their points in the loop of the laws. The other way, which bodies of all kinds go,
// is through found points, a table and a merge of memory: the same bits for every ball and every contact.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "base/random.h"
#include "oracle/vector_widths.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

using contact::HertzMindlin;

HertzMindlin elastic(double young, double restitution) {
  HertzMindlin law;
  law.set_materials({young, 0.3, restitution}, {0.5 * young, 0.25, restitution});
  law.friction_angle = 0.4;
  return law;
}
contact::Linear springs() {
  contact::Linear law;
  law.kn = 4e4, law.kt = 3e4, law.friction_angle = 0.3, law.damping_ratio = 0.1;
  return law;
}
contact::Beside rolls(contact::Rolling::Model model) {
  contact::Beside b;
  b.rolling = {model, 0.2, 0.1, 0.3};
  return b;
}

struct World {
  const char* name;
  std::function<void(Case&)> change;
  bool adheres = false, brakes = false;
};
void PrintTo(const World& w, std::ostream* out) { *out << w.name; }

/// Balls of two materials that fall on each other, sized .8 to 1.2 cm.
Case thrown(const World& world) {
  Case c = scenes::empty_case();
  c.materials.push_back({"glass", 2500});
  c.contacts = {{0, 0, elastic(1e7, 0.5)}, {0, 1, elastic(2e7, 0.5)}, {1, 1, elastic(5e6, 0.7)}};
  c.time_step.fixed = 1e-5;
  scenes::add_open_box(c, "box", {0, 0, 0}, {0.06, 0.06, 1});
  world.change(c);
  Random u(3);
  c.particles.clear();
  for (int k = 0; k < 200; ++k) {
    const Vec3 x{0.007 + 0.0115 * (k % 5), 0.007 + 0.0115 * (k / 5 % 5), 0.006 + 0.0115 * (k / 25)};
    scenes::add_grain(c, "sphere", u.uniform(0.008, 0.012), x + 1e-3 * u.direction(), {}, 0.5 * u.direction(),
                      20 * u.direction());
    c.particles.back().material = k % 3 == 0 ? 1 : 0, c.particles.back().may_overlap = true;
  }
  return c;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x + 0.0); }
void put(double x, std::vector<std::uint64_t>* out) { out->push_back(bits(x)); }
void put(Vec3 v, std::vector<std::uint64_t>* out) { put(v.x, out), put(v.y, out), put(v.z, out); }
void put(Quat q, std::vector<std::uint64_t>* out) { put(q.w, out), put(Vec3{q.x, q.y, q.z}, out); }

/// Of the balls and of what they touch.
std::vector<std::uint64_t> all_of(const Simulation& s) {
  std::vector<std::uint64_t> out;
  const Particles& p = s.particles;
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    put(p.position[i], &out), put(p.velocity[i], &out), put(p.orientation[i], &out);
    put(p.angular_momentum[i], &out), put(p.force[i], &out), put(p.torque[i], &out), put(p.lost[i], &out);
    put(p.travel[i], &out);
  }
  for (const ContactTable* c : {&s.contacts, &s.wall_contacts}) {
    const PairTable& pairs = c == &s.contacts ? s.pairs : s.wall_pairs;
    for (std::size_t r = 0; r < c->size(); ++r) {
      out.push_back(pairs.a[c->pair[r]]), out.push_back(pairs.b[c->pair[r]]);
      put(c->point[r], &out), put(c->normal[r], &out), put(c->depth[r], &out), put(c->shear[r], &out);
      put(c->stored[r], &out), put(c->damping[r], &out), put(c->force[r], &out), put(c->energy[r], &out);
      if (c->keeps_rolling) put(c->rolling[r], &out), put(c->moment[r], &out);
      out.push_back(static_cast<std::uint64_t>(c->sliding[r]));
    }
  }
  return out;
}

class Balls : public testing::TestWithParam<World> {};

TEST_P(Balls, DoTheSameThroughFoundPoints) {
  Simulation s = scenes::build(thrown(GetParam())), through_points = s;
  EXPECT_EQ(s.braked != 0, GetParam().brakes);
  int came = 0, apart = 0, slid = 0, kept = 0;
  std::size_t before = 0;
  for (int k = 0; k < 1500; ++k) {
    scratch_of(through_points).all_by_lanes = false;
    step(s), step(through_points);
    ASSERT_FALSE(s.fault) << s.fault->message;
    ASSERT_TRUE(s.scratch.get()->points_with_forces);
    ASSERT_FALSE(through_points.scratch.get()->points_with_forces);
    const auto one = all_of(s), other = all_of(through_points);
    const auto differ = std::ranges::mismatch(one, other);
    ASSERT_TRUE(one == other) << "step " << k << ", number " << differ.in1 - one.begin() << " of " << one.size();
    came += s.contacts.size() > before ? 1 : 0, before = s.contacts.size();
    for (std::size_t r = 0; r < before; ++r) {
      apart += s.contacts.depth[r] < 0 ? 1 : 0, slid += s.contacts.sliding[r];
      kept += s.contacts.shear[r] != Vec3{} && !s.contacts.sliding[r] ? 1 : 0;
    }
  }
  EXPECT_GT(came, 50);
  EXPECT_GT(slid, 200);
  EXPECT_GT(kept, 200);
  EXPECT_EQ(apart > 20, GetParam().adheres);
}

TEST_P(Balls, DoTheSameForAnyVectorWidth) {
  oracle::expect_same_for_any_vector_width([] {
    Simulation s = scenes::build(thrown(GetParam()));
    for (int k = 0; k < 300; ++k) step(s);
    return all_of(s);
  });
}

const World kWorlds[] = {
    {"Elastic", [](Case&) {}},
    {"ThroughAPeriodicSide",
     [](Case& c) {
       c.periodic = {{0, 0, 0}, {0.06, 1, 1}, {true, false, false}};
       std::erase_if(c.walls, [](const Case::Wall& w) { return w.name == "box.x_min" || w.name == "box.x_max"; });
     }},
    {"ByTwoLaws", [](Case& c) { c.contacts[1].law = springs(); }},
    {"Rolling",
     [](Case& c) {
       c.contacts[0].beside = rolls(contact::Rolling::Model::constant);
       c.contacts[1].beside = rolls(contact::Rolling::Model::spring);
     }},
    {"Adhering",
     [](Case& c) {
       for (Case::Contact& k : c.contacts) std::get<HertzMindlin>(k.law).work_of_adhesion = 0.5;
     },
     true},
    {"Pulling", [](Case& c) { c.contacts[2].beside.pull.work_of_adhesion = 0.1; }},
    {"WithDashpotsTooStrongForTheStep",
     [](Case& c) {
       for (Case::Contact& k : c.contacts) k.law = elastic(1e7, 0.01);
       c.time_step.fixed = 6e-5;
     },
     false, true},
};
INSTANTIATE_TEST_SUITE_P(All, Balls, testing::ValuesIn(kWorlds),
                         [](const auto& world) { return std::string(world.param.name); });

}  // namespace
}  // namespace scree

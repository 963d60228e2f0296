// A box of angular grains: what must hold while it fills and after it has come to rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracle/larger.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

/// A small sister of examples/box_fill.yaml: the same grains, a box of 12 x 12 cm.
Case small_fill(Case::ContactGeometry geometry) {
  Case c = scenes::box_fill(48);
  c.walls.clear(), c.boxes.clear();
  scenes::add_open_box(c, "box", {0, 0, 0}, {0.12, 0.12, 0.6});
  c.detection.contact_geometry = geometry;
  c.time_step.fraction = 0.3;
  return c;
}

double energy(const Simulation& s) {
  const Totals t = totals(s);
  return t.kinetic_translation + t.kinetic_rotation + t.potential + t.elastic;
}

class BoxFill : public testing::TestWithParam<Case::ContactGeometry> {};

TEST_P(BoxFill, FillsHoldsAndComesToRest) {
  Simulation s = scenes::build(small_fill(GetParam()));
  const double drop = totals(s).potential;
  scenes::run_for(s, 0.7);
  ASSERT_FALSE(s.fault) << s.fault->text();
  const Totals filled = totals(s);
  EXPECT_GT(filled.contacts, s.particles.size_rows());
  EXPECT_LT(filled.max_overlap, 0.01);
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    const Vec3 x = s.particles.position[i];
    EXPECT_TRUE(x.x > 0 && x.x < 0.12 && x.y > 0 && x.y < 0.12 && x.z > 0 && x.z < 0.6) << "grain " << i;
  }
  if (GetParam() == Case::ContactGeometry::contact_zone) {
    // The zone's force jumps when vertices enter or leave it (docs/contact-geometry.md), so its energy need not fall at
    // every look.
    scenes::run_for(s, 1.0);
    const Totals rest = totals(s);
    EXPECT_LT(rest.kinetic_translation + rest.kinetic_rotation, 1e-4 * drop);
    EXPECT_LT(rest.max_overlap, 0.01);
    return;
  }
  // A further second with nothing done brings the bed to rest.
  scenes::run_for(s, 1.0);
  const Totals rest = totals(s);
  EXPECT_LT(rest.kinetic_translation + rest.kinetic_rotation, 1e-6 * drop);
  EXPECT_LT(rest.max_overlap, 0.01);
  // The settled box gains no energy: what still trembles does so less from window to window, and the sum with the
  // springs and the heights stays below where it began, to the millionth of the drop that the springs' energy is known
  // to (a corner's force has a potential only nearly, docs/contact-geometry.md). Floor and friction carry the weight.
  double weight = 0, carried = 0, on_floor = 0, trembling = rest.kinetic_translation + rest.kinetic_rotation;
  for (const double m : s.particles.mass) weight += 9.81 * m;
  const double begin = energy(s);
  const int windows = 4, steps = 3500;
  for (int k = 0; k < windows; ++k) {
    double most = 0;
    for (int n = 0; n < steps; ++n) {
      step(s);
      for (const Wall& w : s.walls) {
        carried -= w.force.z;
        if (w.name == "box.z_min") on_floor -= w.force.z;
      }
      if (n % 25 != 0) continue;
      const Totals now = totals(s);
      most = oracle::larger(most, now.kinetic_translation + now.kinetic_rotation);
    }
    if (k > 0) {
      EXPECT_LT(most, trembling) << "t = " << s.time;
    }
    trembling = most;
    EXPECT_LT(energy(s), begin + 1e-6 * drop) << "t = " << s.time;
  }
  EXPECT_NEAR(carried / (windows * steps), weight, 1e-3 * weight);
  EXPECT_GT(on_floor, 0.5 * carried);
}

INSTANTIATE_TEST_SUITE_P(Geometries, BoxFill,
                         testing::Values(Case::ContactGeometry::overlap, Case::ContactGeometry::contact_zone),
                         [](const auto& p) {
                           return p.param == Case::ContactGeometry::overlap ? "overlap" : "contact_zone";
                         });

TEST(BoxFillStages, GrainsFlowOutWhenTheWallGoes) {
  Case c = small_fill(Case::ContactGeometry::overlap);
  Case::Stage release;
  release.name = "release", release.remove = {"box.x_max"}, release.duration = 0.3;
  release.friction = {{0, 0, 5 * M_PI / 180}};
  c.stages[0].duration = 0.6;
  c.stages.push_back(release);
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.6);
  ASSERT_TRUE(stage_is_over(s, c, nullptr));
  Simulation held = s;  // the same grains with the wall and the friction left alone
  const Result<bool> begun = begin_next_stage(s, c, scenes::library());
  ASSERT_TRUE(begun && *begun);
  EXPECT_EQ(s.walls.size(), 4u);
  scenes::run_for(s, 0.3);
  ASSERT_FALSE(s.fault) << s.fault->text();
  scenes::run_for(held, 0.1);
  for (const Vec3& x : held.particles.position) EXPECT_LT(x.x, 0.12);
  std::size_t out = 0;
  for (const Vec3& x : s.particles.position) out += x.x > 0.12 ? 1 : 0;
  EXPECT_GT(out, s.particles.size_rows() / 4);
  const Result<bool> more = begin_next_stage(s, c, scenes::library());
  ASSERT_TRUE(more);
  EXPECT_FALSE(*more);
}

TEST(BoxFillStages, CuttingKeepsIdsAndContactsOfTheRest) {
  Case c = small_fill(Case::ContactGeometry::overlap);
  Case::Stage cut;
  cut.name = "cut", cut.cut_above = Case::CutAbove{0.05}, cut.duration = 0.1;
  c.stages[0].duration = 0.6;
  c.stages.push_back(cut);
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.6);
  std::vector<std::uint32_t> expected;
  for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
    if (s.particles.position[i].z <= 0.05) expected.push_back(s.particles.id[i]);
  }
  ASSERT_LT(expected.size(), s.particles.size_rows());
  ASSERT_TRUE(begin_next_stage(s, c, scenes::library()));
  EXPECT_EQ(s.particles.id, expected);
  scenes::run_for(s, 0.1);
  EXPECT_FALSE(s.fault);
  EXPECT_LT(totals(s).max_overlap, 0.01);
}

TEST(Faults, ADeepOverlapStopsTheRunAndNamesTheGrains) {
  Case c = scenes::empty_case();
  std::get<contact::Bloks3d>(c.contacts[0].law).kn = 100;  // far too soft
  std::get<contact::Bloks3d>(c.contacts[0].law).knn = 0;
  c.time_step.fixed = 1e-5;
  c.gravity = {};
  scenes::add_grain(c, "cube", 0.03, {0, 0, 0}, {}, {1, 0, 0});
  scenes::add_grain(c, "cube", 0.03, {0.04, 0, 0}, {}, {-1, 0, 0});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.1);
  ASSERT_TRUE(s.fault);
  EXPECT_EQ(s.fault->kind, Fault::Kind::overlap_too_deep);
  EXPECT_EQ(s.fault->ids, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_NE(s.fault->text().find("particles 0 and 1"), std::string::npos) << s.fault->text();
}

// Soft contacts under a high load: the bound is the user's, above it the run stops as below.
TEST(Faults, HowDeepAnOverlapMayBeIsTheCasesChoice) {
  for (const bool on_plane : {false, true}) {
    for (const double bound : {0.2, 0.5, 0.9}) {
      Case c = scenes::empty_case();
      std::get<contact::Bloks3d>(c.contacts[0].law).kn = 100;
      std::get<contact::Bloks3d>(c.contacts[0].law).knn = 0;
      c.time_step.fixed = 1e-5, c.gravity = {};
      c.detection.deepest_overlap = bound;
      scenes::add_grain(c, "cube", 0.03, {0, 0, 0}, {}, {2, 0, 0});
      if (on_plane)
        scenes::add_plane(c, "stop", {0.04, 0, 0}, {-1, 0, 0});
      else
        scenes::add_grain(c, "cube", 0.03, {0.04, 0, 0}, {}, {-1, 0, 0});
      Simulation s = scenes::build(c);
      double deepest = 0;
      while (!s.fault && s.time < 0.1) step(s), deepest = oracle::larger(deepest, totals(s).max_overlap);
      ASSERT_TRUE(s.fault);
      EXPECT_EQ(s.fault->kind, Fault::Kind::overlap_too_deep);
      EXPECT_GT(deepest, bound);
      EXPECT_LT(deepest, bound + 0.002);  // one step at 2 or 3 m/s
      EXPECT_NE(s.fault->text().find("detection.deepest_overlap"), std::string::npos) << s.fault->text();
    }
  }
}

// A plane is a half-space: what is wholly behind it after one step has not got past it.
TEST(Faults, AGrainThatCrossesAPlaneWithinAStepStopsTheRun) {
  contact::EnergyPolyhedral potential;
  potential.pressure = 1e8;
  contact::Linear springs;
  springs.kn = springs.kt = 1e5;
  for (const Law& law : {Law(scenes::stone_law()), Law(springs), Law(potential)}) {
    for (const auto geometry : {Case::ContactGeometry::overlap, Case::ContactGeometry::contact_zone}) {
      for (const char* shape : {"sphere", "cube", "tetrahedron", "needle", "plate", "angle", "dumbbell"}) {
        const bool round = shape == std::string("sphere") || shape == std::string("dumbbell");
        if (std::holds_alternative<contact::EnergyPolyhedral>(law) &&
            (round || geometry == Case::ContactGeometry::contact_zone))
          continue;
        for (const double speed : {2.2e4, 1e8, 1e13}) {
          for (const bool moves : {false, true}) {
            Case c = scenes::empty_case();
            c.contacts[0].law = law;
            c.gravity = {}, c.time_step.fixed = 1e-5;
            c.detection.contact_geometry = geometry;
            scenes::add_plane(c, "floor", {}, {0, 0, 1});
            scenes::add_grain(c, shape, 0.1, {0, 0, 0.11}, axis_angle(normalized(Vec3{1, 2, 3}), 0.5),
                              {0, 0, moves ? 0 : -speed});
            if (moves) c.walls[0].motion.velocity = {0, 0, speed};
            Simulation s = scenes::build(c);
            ASSERT_EQ(s.wall_contacts.size(), 0u);
            step(s);
            const std::string what = std::string(shape) + " at " + std::to_string(speed) + (moves ? ", wall" : "");
            ASSERT_TRUE(s.fault) << what;
            EXPECT_EQ(s.fault->kind, Fault::Kind::overlap_too_deep) << what;
            EXPECT_EQ(s.fault->ids, std::vector<std::uint32_t>{0}) << what;
            for (const char* part : {"particle 0 and wall 'floor'", " m/s against each other", "t = 1e-05 s (step 1)",
                                     "a smaller time step"})
              EXPECT_NE(s.fault->text().find(part), std::string::npos) << what << ": " << s.fault->text();
          }
        }
      }
    }
  }
}

TEST(Faults, ANumberThatIsNoneStopsTheRunAndNamesTheGrain) {
  Case c = scenes::box_fill(20);
  Simulation s = scenes::build(c);
  s.particles.velocity[7].y = NAN;
  step(s);
  ASSERT_TRUE(s.fault);
  EXPECT_EQ(s.fault->kind, Fault::Kind::not_finite);
  EXPECT_EQ(s.fault->ids, std::vector<std::uint32_t>{7});
}

TEST(SetUp, RefusesWhatWouldBurst) {
  Case c = scenes::empty_case();
  scenes::add_grain(c, "cube", 0.03, {0, 0, 0});
  scenes::add_grain(c, "cube", 0.03, {0.02, 0, 0});
  const Result<Simulation> overlapping = set_up(c, scenes::library());
  ASSERT_FALSE(overlapping);
  EXPECT_NE(overlapping.error().message.find("particles 0 of 'grain0' and 1 of 'grain1' overlap at the start"),
            std::string::npos)
      << overlapping.error().message;

  Case fast = scenes::empty_case();
  scenes::add_grain(fast, "cube", 0.03, {});
  fast.time_step.fixed = 1;
  const Result<Simulation> unstable = set_up(fast, scenes::library());
  ASSERT_FALSE(unstable);
  EXPECT_NE(unstable.error().message.find("critical time step"), std::string::npos);

  Case tight = scenes::box_fill(200);
  std::get<Case::Lattice>(tight.particles[0].place).spacing = 0.02;
  EXPECT_FALSE(set_up(tight, scenes::library()));

  Case unknown = scenes::empty_case();
  scenes::add_grain(unknown, "no_such_shape", 0.03, {});
  EXPECT_FALSE(set_up(unknown, scenes::library()));
}

}  // namespace
}  // namespace scree

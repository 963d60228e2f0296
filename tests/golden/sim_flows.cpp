// Inlets and outlets: rates, counts, what cannot be kept, and the same bits however a run is cut or shared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "exec/parallel.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

Case rain(double mass_rate, double number_rate, std::uint64_t count = 100000) {
  Case c = scenes::empty_case();
  contact::Bloks3d law;
  law.kn = 2e4, law.ks = 1e4, law.friction_angle = 0.4;
  law.damping_ratio = 0.2, law.damping_sliding = 0.01, law.damping_sticking = 0.9;
  c.contacts[0].law = law;
  Case::Group g;
  g.name = "rain", g.count = count, g.shapes = {"sphere"};
  g.size = {Case::Size::Kind::uniform, 0.008, 0.012};
  g.velocity = {0, 0, -1};
  Case::Pour pour;
  pour.region = {{0, 0, 0.3}, {0.1, 0.1, 0.34}};
  pour.mass_rate = mass_rate, pour.number_rate = number_rate;
  g.place = pour;
  c.particles = {g};
  return c;
}

void run_to(Simulation& s, double t) {
  while (s.time < t - 0.5 * s.dt && !s.fault) step(s);
}

TEST(Inlet, KeepsItsMassRate) {
  Simulation s = scenes::build(rain(0.2, 0));
  EXPECT_EQ(s.particles.size_rows(), 0u);
  for (const double t : {0.1, 0.3, 0.6}) {
    run_to(s, t);
    ASSERT_FALSE(s.fault);
    double mass = 0;
    for (const double m : s.particles.mass) mass += m;
    const double largest = 2650 * M_PI / 6 * 0.012 * 0.012 * 0.012;
    EXPECT_NEAR(mass, 0.2 * s.time, largest + 0.2 * 50 * s.dt);
    EXPECT_NEAR(s.flows.mass[0], mass, 1e-12);
    EXPECT_EQ(s.flows.poured[0], s.particles.size_rows());
  }
  for (const Vec3& v : s.particles.velocity) EXPECT_LE(v.z, -1);
}

TEST(Inlet, KeepsItsNumberRateUntilAllHaveComeOrTimeIsUp) {
  Simulation s = scenes::build(rain(0, 200, 50));
  run_to(s, 0.1);
  EXPECT_NEAR(static_cast<double>(s.particles.size_rows()), 20, 1.001);
  run_to(s, 0.5);
  EXPECT_EQ(s.particles.size_rows(), 50u);
  Case timed = rain(0, 200);
  std::get<Case::Pour>(timed.particles[0].place).duration = 0.2;
  Simulation t = scenes::build(timed);
  run_to(t, 0.5);
  EXPECT_NEAR(static_cast<double>(t.particles.size_rows()), 40, 1.001);
}

TEST(Inlet, PouredGrainsFallFreelyAndMeetNobodyAtOnce) {
  Simulation s = scenes::build(rain(0, 100, 1));
  while (s.particles.size_rows() == 0) step(s);
  const double t0 = s.time, z0 = s.particles.position[0].z;
  EXPECT_EQ(s.contacts.size(), 0u);
  run_to(s, t0 + 0.2);
  const double t = s.time - t0;
  EXPECT_NEAR(s.particles.position[0].z, z0 - t - 0.5 * kG * t * t, 1e-9);
}

TEST(Inlet, SeesGrainsThatReachAcrossABorder) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Case c = rain(0, 1e9, 40);
    c.gravity = {}, c.particles[0].velocity = {};
    c.periodic.high[axis] = 1, c.periodic.periodic[axis] = true;
    Case::Group still = c.particles[0];
    still.name = "still", still.count = 1, still.size = {Case::Size::Kind::fixed, 0.06, 0.06};
    Vec3 at{}, low{-0.025, -0.025, -0.025}, high{0.025, 0.025, 0.025};
    at[axis] = 0.01, low[axis] = 0.93, high[axis] = 1;
    still.place = Case::AtPoints{{at}};
    std::get<Case::Pour>(c.particles[0].place).region = {low, high};
    c.particles.push_back(still);
    Simulation s = scenes::build(c);
    ASSERT_EQ(s.particles.size_rows(), 1u);
    while (s.step < 200 && s.particles.size_rows() == 1) step(s);  // what overlapped would be pushed apart soon
    const Particles& p = s.particles;
    EXPECT_GT(p.size_rows(), 8u) << axis;
    for (std::size_t i = 1; i < p.size_rows(); ++i)
      EXPECT_GE(norm(nearest_image(p.domain, p.position[i] - at)), p.radius[i] + 0.03) << "axis " << axis;
  }
}

TEST(Inlet, TimeStepSuitsTheSmallestGrainThatCanCome) {
  Case c = rain(0, 100);
  Simulation s = scenes::build(c);
  Case still = c;
  still.particles[0].place = Case::AtPoints{{{0, 0, 0}}};
  still.particles[0].count = 1, still.particles[0].size = {Case::Size::Kind::fixed, 0.008, 0.008};
  EXPECT_NEAR(s.dt, scenes::build(still).dt, 1e-15);
}

TEST(Inlet, ThatCannotKeepItsRateSaysSoOnce) {
  Case c = rain(0, 20000);
  c.gravity = {}, c.particles[0].velocity = {};  // nothing makes room
  Simulation s = scenes::build(c);
  std::vector<std::string> said;
  double missing = 0;  // of what was due, when it said so
  for (int k = 0; k < 2000; ++k) {
    step(s);
    said.insert(said.end(), s.remarks.begin(), s.remarks.end());
    if (said.size() == 1 && missing == 0) missing = 1 - static_cast<double>(s.flows.poured[0]) / (20000 * s.time);
  }
  ASSERT_EQ(said.size(), 1u);
  EXPECT_GE(missing, 0.1);
  EXPECT_LT(missing, 0.2) << "a tenth is told, as soon as it is looked";
  EXPECT_NE(said[0].find("inlet 'rain' cannot keep its rate: at t = "), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("make it larger"), std::string::npos);
  EXPECT_GT(s.particles.size_rows(), 50u);
  EXPECT_FALSE(s.fault);
}

/// Rain onto a floor with a drain below one half of it, and a region far above.
Case shower() {
  Case c = rain(0.3, 0);
  c.particles[0].shapes = {"sphere", "cube"};
  std::get<Case::Pour>(c.particles[0].place).region = {{0, 0, 0.1}, {0.1, 0.1, 0.14}};
  scenes::add_plane(c, "slope", {0, 0, 0}, {1, 0, 1});
  c.outlets.push_back({"drain", Region{{0.08, -1, -1}, {1, 1, 0.05}}, {}, {}, true});
  c.outlets.push_back({"below", {}, {0, 0, -0.05}, {0, 0, -1}, true});
  Case::Measure m;
  m.kind = Case::Measure::Kind::flow, m.name = "middle", m.point = {0.05, 0, 0}, m.normal = {1, 0, 0};
  c.measures = {m};
  return c;
}

TEST(Outlets, CountAllThatHasGone) {
  Simulation s = scenes::build(shower());
  run_to(s, 0.6);
  ASSERT_FALSE(s.fault) << s.fault->message;
  const Flows& w = s.flows;
  EXPECT_GT(w.removed[0] + w.removed[1], 20u);
  EXPECT_EQ(w.poured[0], w.removed[0] + w.removed[1] + s.particles.size_rows());
  double mass = w.removed_mass[0] + w.removed_mass[1];
  for (const double m : s.particles.mass) mass += m;
  EXPECT_NEAR(mass, w.mass[0], 1e-12);
  EXPECT_GT(w.crossed[0], 5);
}

// An oblique pipe pours into a round hole: places and counts by the distance from the axis, which no box would tell.
TEST(Flows, MorePlanesThanAGrainCanRememberAreRefused) {
  Case c = shower();
  c.measures.resize(32, c.measures[0]);
  EXPECT_TRUE(set_up(c, scenes::library()));
  c.measures.push_back(c.measures[0]);
  const Result<Simulation> s = set_up(c, scenes::library());
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().key, "measure");
  EXPECT_EQ(s.error().message, "measure: 33 planes count a flow; a grain remembers its side of no more than 32");
}

TEST(Flows, RegionsMayBeCylinders) {
  Case c = rain(0, 2000);
  c.gravity = {}, c.particles[0].velocity = {0, 0, -1};
  Case::Pour& pour = std::get<Case::Pour>(c.particles[0].place);
  pour.region = {{0, 0, 0.3}, {0.12, 0, 0.42}, Region::Kind::cylinder, 0.05};
  const Vec3 from{0, 0, 0.1}, to{0, 0, -0.1};
  c.outlets.push_back({"hole", Region{from, to, Region::Kind::cylinder, 0.03}, {}, {}, true});
  c.outlets.push_back({"below", {}, {0, 0, -0.2}, {0, 0, -1}, true});
  Simulation s = scenes::build(c);
  const Vec3 axis = normalized(Vec3{0.12, 0, 0.12});
  std::uint64_t known = 0, in_corners = 0, through = 0, gone = 0;
  while (s.time < 0.8 && !s.fault) {
    std::vector<std::pair<std::uint32_t, Vec3>> before;
    const bool is_looked_at = (s.step + 1) % 50 == 0;  // inlets and outlets have their turn
    for (std::size_t i = 0; i < s.particles.size_rows() && is_looked_at; ++i)
      before.emplace_back(s.particles.id[i], s.particles.position[i]);
    const std::uint64_t removed = s.flows.removed[0] + s.flows.removed[1];
    step(s);
    if (!is_looked_at) continue;
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
      const Vec3 x = s.particles.position[i];
      ASSERT_FALSE(std::hypot(x.x, x.y) < 0.03 && std::abs(x.z) < 0.1) << "it stands in the hole";
      if (s.particles.id[i] < known) continue;
      known = s.particles.id[i] + 1u;  // it has just come
      const Vec3 d = x - Vec3{0, 0, 0.3};
      const double along = dot(d, axis), across = norm(d - along * axis), r = s.particles.radius[i];
      ASSERT_TRUE(across <= 0.05 - r + 1e-9 && along >= r - 1e-9 && along <= 0.12 * std::sqrt(2.0) - r + 1e-9);
      in_corners += x.z < 0.3 || x.z > 0.42 ? 1 : 0;
    }
    if (s.flows.removed[0] + s.flows.removed[1] == removed) continue;
    for (const auto& [id, x] : before) {
      if (std::find(s.particles.id.begin(), s.particles.id.end(), id) != s.particles.id.end()) continue;
      ++gone;
      if (x.z < -0.15) continue;
      ++through;
      ASSERT_LT(std::hypot(x.x, x.y), 0.0302) << "a step earlier";
    }
  }
  ASSERT_FALSE(s.fault) << s.fault->message;
  EXPECT_GT(known, 300u);
  EXPECT_GT(in_corners, 5u) << "the pipe lies obliquely";
  EXPECT_GT(s.flows.removed[0], 20u);
  EXPECT_GT(s.flows.removed[1], 20u);
  EXPECT_EQ(s.flows.removed[0], through);
  EXPECT_EQ(s.flows.removed[0] + s.flows.removed[1], gone);
  EXPECT_EQ(s.flows.poured[0], gone + s.particles.size_rows());
}

TEST(Outlets, CloseAndInletsTooWhenAStageSaysSo) {
  Case c = shower();
  c.stages[0].duration = 0.3;
  Case::Stage closed;
  closed.name = "closed", closed.duration = 0.2, closed.close = {"rain", "drain", "below"};
  Case::Stage open;
  open.name = "open", open.duration = 0.2, open.open = {"rain"};
  c.stages.push_back(closed), c.stages.push_back(open);
  Simulation s = scenes::build(c);
  run_to(s, 0.3);
  ASSERT_TRUE(*begin_next_stage(s, c, scenes::library()));
  const Flows before = s.flows;
  run_to(s, 0.5);
  EXPECT_EQ(s.flows.poured, before.poured);
  EXPECT_EQ(s.flows.removed, before.removed);
  ASSERT_TRUE(*begin_next_stage(s, c, scenes::library()));
  run_to(s, 0.6);
  EXPECT_NEAR(s.flows.mass[0] - before.mass[0], 0.3 * 0.1, 0.003) << "the time that it was closed is not made up for";
}

TEST(Flows, PlanesRememberOnlyGrainsThatLive) {
  const Case c = shower();
  Simulation s = scenes::build(c);
  std::int64_t through = 0;
  std::map<std::uint32_t, bool> beyond;  // as each was last seen
  while (s.time < 0.6) {
    if ((s.step + 1) % 50 == 0) {
      // The plane is looked at after the motion of the step and before anything comes or goes.
      Simulation moved = s;
      moved.flows.has_any = false;
      step(moved);
      for (std::size_t i = 0; i < moved.particles.size_rows(); ++i) {
        const bool now = moved.particles.position[i].x > 0.05;
        const auto [seen, is_new] = beyond.try_emplace(moved.particles.id[i], now);
        if (!is_new) through += static_cast<int>(now) - static_cast<int>(seen->second);
        seen->second = now;
      }
    }
    step(s);
    ASSERT_FALSE(s.fault);
    ASSERT_EQ(s.flows.crossed[0], through) << "step " << s.step;
  }
  EXPECT_GT(through, 5);
  EXPECT_GT(s.next_id, s.particles.size_rows() + 20);
}

TEST(Flows, SameBitsForAnyThreadsOrderAndCut) {
  const Case c = shower();
  const auto end = [&](int threads, Case::MemoryOrder order, double cut) {
    exec::set_threads(threads);
    Case d = c;
    d.detection.memory_order = order;
    Simulation s = scenes::build(d);
    if (cut > 0) {
      run_to(s, cut);
      Simulation again = s;  // what a checkpoint holds, and no more
      again.scratch.reset(), again.materials.clear(), again.laws.clear();
      again.flows.inlets.clear(), again.flows.outlets.clear(), again.flows.planes.clear();
      EXPECT_TRUE(resume_set_up(again, d, scenes::library()));
      s = again;
    }
    run_to(s, 0.5);
    EXPECT_GT(s.flows.removed[0], 5u);
    exec::set_threads(1);
    return state_hash(s);
  };
  const std::uint64_t once = end(1, Case::MemoryOrder::spatial, 0);
  EXPECT_EQ(end(3, Case::MemoryOrder::spatial, 0), once);
  EXPECT_EQ(end(1, Case::MemoryOrder::id, 0), once);
  EXPECT_EQ(end(2, Case::MemoryOrder::spatial, 0.33), once);
}

}  // namespace
}  // namespace scree

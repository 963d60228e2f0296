// The same case gives the same bits with any number of threads, from any neighbour search, from a copy and after a
// restart.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "base/hash.h"
#include "exec/parallel.h"
#include "io/checkpoint/checkpoint.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"
#include "sim/row_order.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

#ifdef __SANITIZE_THREAD__
constexpr bool kThreadsAlone = true;
#else
constexpr bool kThreadsAlone = false;
#endif

using Geometry = Case::ContactGeometry;
using Neighbours = neighbour::Method;

/// 120 grains thrown down; after 1000 steps a side opens, gravity leans and friction drops.
Case falling(Geometry geometry, Neighbours neighbours) {
  Case c = scenes::box_fill(120);
  c.detection.contact_geometry = geometry, c.detection.neighbours = neighbours;
  c.particles[0].velocity = {0.3, 0, -3};
  c.gravity = {0, 0, -500};  // a bed within a few thousand steps
  std::get<contact::Bloks3d>(c.contacts[0].law).damping_ratio = 0.1;
  c.stages[0].duration = 0.0;
  Case::Stage release;
  release.name = "release", release.remove = {"box.x_max"}, release.gravity = Vec3{50, 0, -500};
  release.friction = {{0, 0, 0.3}};
  c.stages.push_back(release);
  return c;
}

void advance(Simulation& s, const Case& c, int steps) {
  for (int k = 0; k < steps && !s.fault; ++k) {
    if (s.step == 1000 && s.stage == 0) {
      ASSERT_TRUE(begin_next_stage(s, c, scenes::library()));
      ASSERT_EQ(s.walls.size(), 4u);
    }
    step(s);
  }
  ASSERT_FALSE(s.fault) << s.fault->message;
}

class SameBits : public testing::TestWithParam<Geometry> {
 protected:
  void TearDown() override { exec::set_threads(0); }
};
INSTANTIATE_TEST_SUITE_P(Geometry, SameBits, testing::Values(Geometry::overlap, Geometry::contact_zone),
                         [](const auto& i) { return i.param == Geometry::overlap ? "overlap" : "contact_zone"; });

TEST_P(SameBits, WithAnyThreadsAndAnyNeighbourSearch) {
  std::uint64_t expected = 0;
  using enum neighbour::Method;
#ifdef __SANITIZE_THREAD__
  // A hundred times as slow: one thread makes the bed, at which two and the searches that have threads look.
  exec::set_threads(1);
  const Case c = falling(GetParam(), two_level);
  Simulation bed = scenes::build(c);
  advance(bed, c, 1300);
  exec::set_threads(2);
  ASSERT_GT(bed.contacts.size(), 40u);
  for (const Neighbours neighbours : {two_level, dess, sorted_grid, multi_level_grid, clusters}) {
    Simulation s = bed;
    s.detection.neighbours = neighbours, s.scratch.reset();
    advance(s, c, 150);
    if (HasFatalFailure()) return;
    EXPECT_GT(s.counters.rebuilds, bed.counters.rebuilds);
    if (expected == 0) expected = state_hash(s);
    EXPECT_EQ(state_hash(s), expected) << neighbour::name(neighbours);
  }
  return;
#endif
  for (const Neighbours neighbours :
       {two_level, brute_force, nbs, dess, sorted_grid, multi_level_grid, clusters, automatic}) {
    for (const int threads : {1, 2, 4}) {
      if (neighbours != two_level && threads != 4) continue;
      exec::set_threads(threads);
      const Case c = falling(GetParam(), neighbours);
      Simulation s = scenes::build(c);
      advance(s, c, 1500);
      if (HasFatalFailure()) return;
      EXPECT_GT(s.contacts.size(), 40u);
      EXPECT_GT(s.wall_contacts.size(), 20u);
      EXPECT_GT(s.counters.rebuilds, 3u);
      if (expected == 0) expected = state_hash(s);
      EXPECT_EQ(state_hash(s), expected) << threads << " threads, " << neighbour::name(neighbours);
    }
  }
}

TEST_P(SameBits, OfACopyThatGoesItsOwnWay) {
  if (kThreadsAlone) GTEST_SKIP() << "threads do nothing here that they do not do in the others";
  const Case c = falling(GetParam(), Neighbours::two_level);
  Simulation s = scenes::build(c);
  advance(s, c, 950);
  Simulation copy = s;
  EXPECT_EQ(state_hash(copy), state_hash(s));
  advance(s, c, 150);
  const std::uint64_t expected = state_hash(s);
  EXPECT_NE(state_hash(copy), expected) << "the copy must not follow";
  advance(copy, c, 150);
  EXPECT_EQ(state_hash(copy), expected);
}

using Saved = std::map<std::string, std::vector<unsigned char>>;

Saved save(const Simulation& s) {
  Saved saved;
  visit_state(const_cast<Simulation&>(s), [&saved](const std::string& name, const auto& value) {
    const unsigned char* bytes = nullptr;
    std::size_t n = 0;
    if constexpr (requires { value.data(); }) {
      bytes = reinterpret_cast<const unsigned char*>(value.data()), n = value.size() * sizeof(value[0]);
    } else {
      bytes = reinterpret_cast<const unsigned char*>(&value), n = sizeof value;
    }
    EXPECT_TRUE(saved.emplace(name, std::vector<unsigned char>(bytes, bytes + n)).second) << name << " twice";
  });
  return saved;
}

void restore(Simulation& s, const Saved& saved) {
  const auto keep_saved = [&](const std::string& in, auto& t) {
    t.for_each_optional([&](auto name, bool& keeps) { keeps = saved.contains(in + "/" + std::string(name)); });
  };
  keep_saved("pairs", s.pairs), keep_saved("wall_pairs", s.wall_pairs);
  keep_saved("contacts", s.contacts), keep_saved("wall_contacts", s.wall_contacts);
  visit_state(s, [&saved](const std::string& name, auto& value) {
    const std::vector<unsigned char>& from = saved.at(name);
    if constexpr (requires { value.data(); }) {
      value.resize(from.size() / sizeof(value[0]));
      if (!from.empty()) std::memcpy(value.data(), from.data(), from.size());
    } else {
      ASSERT_EQ(from.size(), sizeof value);
      std::memcpy(&value, from.data(), sizeof value);
    }
  });
}

// What visit_state names, the walls and the case are enough to go on: nothing that decides the future hides in buffers.
TEST_P(SameBits, AfterARestart) {
  if (kThreadsAlone) GTEST_SKIP() << "threads do nothing here that they do not do in the others";
  const Case c = falling(GetParam(), Neighbours::two_level);
  Simulation s = scenes::build(c);
  for (const int until : {700, 1100}) {  // within the first stage and within the second
    advance(s, c, until - static_cast<int>(s.step));
    Simulation again;
    restore(again, save(s));
    again.walls = s.walls;
    ASSERT_TRUE(resume_set_up(again, c, scenes::library()));
    EXPECT_EQ(state_hash(again), state_hash(s));
    Simulation further = s;
    advance(further, c, 200), advance(again, c, 200);
    EXPECT_EQ(state_hash(again), state_hash(further)) << "resumed at step " << until;
  }
}

/// Spheres with polyhedra in three dimensions, discs with polygons in two, spheres alone: each kind of pair has its own
/// loop.
Case round_bed(const std::vector<std::string>& shapes, int dimensions) {
  Case c = scenes::box_fill(150);
  c.particles[0].shapes = shapes;
  std::get<contact::Bloks3d>(c.contacts[0].law).damping_ratio = 0.1;
  c.gravity = {0, 0, -500};
  if (dimensions == 2) {
    c.dimensions = 2, c.thickness = 0.1, c.gravity = {0, -100, 0};
    std::get<contact::Bloks3d>(c.contacts[0].law).kn *= 4;
    c.walls.clear();
    scenes::add_plane(c, "floor", {}, {0, 1, 0});
    scenes::add_plane(c, "left", {}, {1, 0, 0});
    scenes::add_plane(c, "right", {0.4, 0, 0}, {-1, 0, 0});
    c.particles[0].velocity = {0.5, -4, 0};
    c.particles[0].place = Case::Lattice{0, 0, 0.06, Case::Region{{0, 0, 0}, {0.4, 2, 0}}};
  }
  return c;
}

TEST(SameBitsOfRoundBodies, WithAnyThreadsAndAfterARestart) {
  using Shapes = std::vector<std::string>;
  std::vector beds{std::pair(Shapes{"sphere", "cube", "grain14"}, 3),
                   std::pair(Shapes{"disc", "square", "triangle"}, 2), std::pair(Shapes{"sphere"}, 3),
                   std::pair(Shapes{"disc"}, 2)};
  std::vector<int> counts{1, 3};
  if (kThreadsAlone) beds.resize(2), counts = {2};  // a hundred times as slow: one thread makes the bed
  for (const auto& [shapes, dimensions] : beds) {
    const Case c = round_bed(shapes, dimensions);
    std::uint64_t expected = 0;
    for (const int threads : counts) {
      exec::set_threads(kThreadsAlone ? 1 : threads);
      Simulation s = scenes::build(c);
      for (int k = 0; k < 1500 && !s.fault; ++k) {
        if (k == 1400) exec::set_threads(threads);
        step(s);
      }
      ASSERT_FALSE(s.fault) << shapes[0] << ": " << s.fault->message;
      EXPECT_GT(s.contacts.size(), 30u) << shapes[0];
      Simulation again;
      restore(again, save(s));
      again.walls = s.walls;
      ASSERT_TRUE(resume_set_up(again, c, scenes::library()));
      for (int k = 0; k < (kThreadsAlone ? 100 : 300); ++k) step(s), step(again);
      ASSERT_FALSE(s.fault) << s.fault->message;
      EXPECT_EQ(state_hash(again), state_hash(s)) << shapes[0] << " " << dimensions;
      if (expected == 0) expected = state_hash(s);
      EXPECT_EQ(state_hash(s), expected) << shapes[0] << ", " << threads << " threads";
    }
  }
  exec::set_threads(0);
}

/// Spheres, polyhedra and clumps in a cylinder that turns, over a cone that shakes, stirred by a mesh.
Case stirred() {
  Case c = scenes::box_fill(110);
  c.walls.clear(), c.boxes.clear();
  c.detection.memory_order = Case::MemoryOrder::spatial;
  std::get<contact::Bloks3d>(c.contacts[0].law).damping_ratio = 0.1;
  std::get<contact::Bloks3d>(c.contacts[0].law).kn *= 4;
  c.gravity = {0, 0, -100};
  c.particles[0].shapes = {"sphere", "cube", "grain14", "dumbbell", "angle"};
  c.particles[0].size = {Case::Size::Kind::uniform, 0.018, 0.026};  // the widest have room in their cells
  c.particles[0].velocity = {2, 1.5, -4};                           // to the barrel within the run
  c.particles[0].place = Case::Lattice{0, 0, 0.045, Case::Region{{-0.09, -0.09, 0.05}, {0.09, 0.09, 0.6}}};
  const auto add_round = [&](const char* name, Frustum f, Vec3 from, double rate) -> boundary::Motion& {
    Case::Wall w;
    w.name = name, w.point = from, w.round = f;
    w.mesh = std::make_shared<const FacetMesh>(f.flat_sides());
    w.motion.rotation = boundary::Motion::Rotation{};
    w.motion.rotation->axis = {0, 0, 1}, w.motion.rotation->rate = rate;
    c.walls.push_back(w);
    return c.walls.back().motion;
  };
  add_round("barrel", {0.15, 0.15, 0.8}, {0, 0, 0}, 10);
  add_round("funnel", {0, 0.15, 0.1}, {0, 0, -0.1}, 0).oscillation = {{0, 0, 5e-4}, 200, 0};
  boundary::Motion& stirrer =
      scenes::add_mesh(c, "stirrer", scenes::box_surface({-0.08, -0.01, 0.02}, {0.08, 0.01, 0.05}, 3)).motion;
  stirrer.rotation = boundary::Motion::Rotation{};
  stirrer.rotation->axis = {0, 0, 1}, stirrer.rotation->rate = 20;
  stirrer.velocity = {0, 0, 0.05};
  return c;
}

TEST(SameBitsOfMovingWalls, WithAnyThreadsInEitherOrderAndAfterARestart) {
  const fs::path folder = fs::temp_directory_path() / ("scree_moving_walls_" + std::to_string(::getpid()));
  std::uint64_t expected = 0;
  std::vector<int> counts{1, 2, 3};
  if (kThreadsAlone) counts = {2};  // a hundred times as slow: one thread until most of it has happened
  for (const int threads : counts) {
    exec::set_threads(kThreadsAlone ? 1 : threads);
    Case c = stirred();
    if (threads == 2) c.detection.memory_order = Case::MemoryOrder::id;
    Simulation s = scenes::build(c);
    std::map<std::string, std::size_t> touched;
    const auto advance_and_look = [&](Simulation& now, int steps) {
      for (int k = 0; k < steps && !now.fault; ++k) {
        step(now);
        for (const std::uint32_t pair : now.wall_contacts.pair) ++touched[now.walls[now.wall_pairs.b[pair]].name];
        touched["grains"] += now.contacts.size();
      }
      ASSERT_FALSE(now.fault) << now.fault->message;
    };
    advance_and_look(s, 7000);
    exec::set_threads(threads);
    if (kThreadsAlone) touched.clear();
    advance_and_look(s, 1000);
    if (HasFatalFailure()) return;
    const auto file = io::write_checkpoint(folder, s, {}, c);
    ASSERT_TRUE(file) << file.error().message;
    auto again = io::read_checkpoint(*file, c, scenes::library());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(state_hash(again->state), state_hash(s)) << threads << " threads, read";
    advance_and_look(s, 300), advance_and_look(again->state, 300);
    if (HasFatalFailure()) return;
    const std::size_t least = kThreadsAlone ? 50 : 100;  // there of the steps on two threads
    for (const char* by : {"barrel", "funnel", "stirrer", "grains"}) EXPECT_GT(touched[by], least) << by;
    EXPECT_EQ(state_hash(again->state), state_hash(s)) << threads << " threads, resumed";
    if (expected == 0) expected = state_hash(s);
    EXPECT_EQ(state_hash(s), expected) << threads << " threads";
  }
  exec::set_threads(0);
  fs::remove_all(folder);
}

TEST(StateHash, SeesEveryColumn) {
  if (kThreadsAlone) GTEST_SKIP() << "threads do nothing here that they do not do in the others";
  const Case c = falling(Geometry::overlap, Neighbours::two_level);
  Simulation s = scenes::build(c);
  advance(s, c, 700);
  ASSERT_GT(s.contacts.size(), 0u);
  const std::uint64_t before = state_hash(s);
  const Saved saved = save(s);
  for (const auto& [name, bytes] : saved) {
    if (bytes.empty() || rows_held_by(name).to == RefersTo::contacts) continue;  // where they lie is no part of it
    Saved changed = saved;
    // The lowest bit of a number: a row that is held becomes its neighbour.
    changed[name][bytes.size() / 2 / sizeof(double) * sizeof(double)] ^= 1;
    Simulation other = s;
    restore(other, changed);
    EXPECT_NE(state_hash(other), before) << name;
  }
  Simulation moved = s;
  moved.walls[0].point.x = std::nextafter(moved.walls[0].point.x, 1);
  EXPECT_NE(state_hash(moved), before);
}

}  // namespace
}  // namespace scree

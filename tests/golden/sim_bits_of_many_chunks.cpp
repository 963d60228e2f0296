// Bodies enough that every parallel loop of a step has several chunks: what the threads share is then really shared,
// for the hash here and for the thread sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "exec/parallel.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr int kSide = 12;  // cubes along an edge
// The largest chunks of the loops over particles, and over contacts.
constexpr std::size_t kParticles = 1024, kContacts = 256;

/// A block of cubes, alternately at rest upright and turned, that fly into each other and into the walls around them.
Case colliding_block(Case::ContactGeometry geometry) {
  Case c = scenes::empty_case();
  c.detection.contact_geometry = geometry;
  scenes::add_open_box(c, "box", {0, 0, 0}, {0.4, 0.4, 0.4});
  std::array<Case::AtPoints, 2> places;
  for (int i = 0; i < kSide * kSide * kSide; ++i) {
    const int x = i % kSide, y = i / kSide % kSide, z = i / kSide / kSide;
    places[static_cast<std::size_t>(x + y + z) % 2].points.push_back(
        {0.018 + 0.033 * x, 0.018 + 0.033 * y, 0.018 + 0.033 * z});
  }
  for (std::size_t k = 0; k < 2; ++k) {
    Case::Group g;
    g.name = k == 0 ? "upright" : "turned";
    g.count = places[k].points.size();
    g.shapes = {"cube"};
    g.size = {Case::Size::Kind::fixed, 0.03, 0.03};
    g.orientation = {false, axis_angle(normalized(Vec3{1, 2, 3}), k == 0 ? 0 : 0.03)};
    g.place = places[k];
    const double sign = k == 0 ? 1 : -1;
    g.velocity = {3 * sign, 2 * sign, -3 * sign};
    c.particles.push_back(g);
  }
  return c;
}

class ManyChunks : public testing::TestWithParam<Case::ContactGeometry> {
 protected:
  void TearDown() override { exec::set_threads(0); }
};
INSTANTIATE_TEST_SUITE_P(Geometry, ManyChunks,
                         testing::Values(Case::ContactGeometry::overlap, Case::ContactGeometry::contact_zone),
                         [](const auto& i) {
                           return i.param == Case::ContactGeometry::overlap ? "overlap" : "contact_zone";
                         });

TEST_P(ManyChunks, GiveTheSameBitsForAnyNumberOfThreadsAndAnyOrderInMemory) {
  Case c = colliding_block(GetParam());
  std::vector<int> counts{1, 2, 4};
#ifdef __SANITIZE_THREAD__
  counts = {2};  // a hundred times as slow
#endif
  std::uint64_t expected = 0;
  for (const auto order : {Case::MemoryOrder::id, Case::MemoryOrder::spatial}) {
    for (const int threads : counts) {
      exec::set_threads(threads);
      c.detection.memory_order = order;
      Simulation s = scenes::build(c);
      for (int k = 0; k < 60; ++k) step(s);
      ASSERT_FALSE(s.fault) << s.fault->message;
      EXPECT_GT(s.particles.size_rows(), kParticles);
      EXPECT_GT(s.contacts.size(), 2 * kContacts);
      EXPECT_GT(s.pairs.size(), 4096u);
      EXPECT_GT(s.wall_contacts.size(), 100u);
      EXPECT_GT(s.counters.skins.size(), 1u) << "the skin was not tuned";
      const bool by_id = order == Case::MemoryOrder::id;
      EXPECT_EQ(s.counters.spatial_sorts == 0, by_id);
      EXPECT_EQ(std::is_sorted(s.particles.id.begin(), s.particles.id.end()), by_id);
      if (expected == 0) expected = state_hash(s);
      EXPECT_EQ(state_hash(s), expected) << threads << " threads, order " << (by_id ? "id" : "spatial");
    }
  }
}

TEST(ManyThreads, PhasesTogetherTakeNoLongerThanTheSteps) {
  exec::set_threads(4);
  Simulation s = scenes::build(colliding_block(Case::ContactGeometry::overlap));
  s.counters = {};
  const auto begun = std::chrono::steady_clock::now();
  for (int k = 0; k < 60; ++k) step(s);
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  exec::set_threads(0);
  const Counters& c = s.counters;
  const double sum =
      c.seconds_neighbours + c.seconds_planes + c.seconds_points + c.seconds_forces + c.seconds_integrate;
  EXPECT_LE(sum, all);
  EXPECT_GE(sum, all / 2) << "phases are left out";
  EXPECT_GT(std::min(c.seconds_planes, c.seconds_points), 0);
}

}  // namespace
}  // namespace scree

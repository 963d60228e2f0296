// Crowds of clumps among other grains: the same bits on any number of threads, in either order in memory, from a copy
// and across a restart; contacts as a search over all pairs of parts finds them; frames that hold their parts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <tuple>

#include "exec/parallel.h"
#include "geometry/clump.h"
#include "io/checkpoint/checkpoint.h"
#include "io/results/frame.h"
#include "narrow/common_plane.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

Polyhedron box(Vec3 low, Vec3 high) {
  std::vector<Vec3> v;
  for (int k = 0; k < 8; ++k) v.push_back({k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z});
  return *convex_hull(v);
}

ShapeSource shapes() {
  return [](const std::string& name) -> Result<std::shared_ptr<const Shape>> {
    std::vector<DrawnPart> parts;
    if (name == "triple") {
      parts = {Ball{{0, 0, 0}, 0.3}, Ball{{0.3, 0.1, 0}, 0.25}, Ball{{0.1, 0.35, 0.2}, 0.2}};
    } else if (name == "angle") {
      parts = {box({0, 0, 0}, {0.4, 1, 0.4}), box({0.4, 0, 0}, {1, 0.4, 0.4})};
    } else if (name == "hollow") {  // a frame of four bars with a wedge in one corner: faces that are parallel, and not
      parts = {box({0, 0, 0}, {0.6, 0.15, 0.2}), box({0, 0.45, 0}, {0.6, 0.6, 0.2}),
               box({0, 0.15, 0}, {0.15, 0.45, 0.2}), box({0.45, 0.15, 0}, {0.6, 0.45, 0.2}),
               *convex_hull(std::vector<Vec3>{{0, 0, 0.2}, {0.3, 0, 0.2}, {0, 0.15, 0.2}, {0.1, 0.1, 0.4}})};
    } else {
      return scenes::library()(name);
    }
    return std::make_shared<const Shape>(*make_clump(name, parts));
  };
}

/// Clumps, spheres and polyhedra thrown into a box with a mesh for a floor.
Case crowd() {
  Case c = scenes::box_fill(120);
  contact::Linear law;
  law.kn = 1e5, law.kt = 4e4, law.friction_angle = .5, law.damping_ratio = .2;
  c.contacts[0].law = law;
  c.particles[0].shapes = {"triple", "angle", "sphere", "grain14"};
  c.particles[0].velocity = {0.3, 0.1, -3};
  c.gravity = {0, 0, -150};
  Case::Group& g = c.particles[0];
  g.size = {Case::Size::Kind::uniform, 0.03, 0.05};
  scenes::add_mesh(c, "table", scenes::sheet({0.05, 0.05, 0.1}, {0.2, 0, 0}, {0, 0.2, 0}, 3, 3));
  return c;
}
Simulation build(const Case& c) {
  Result<Simulation> s = set_up(c, shapes());
  if (!s) ADD_FAILURE() << s.error().message;
  return std::move(*s);
}

class Clumps : public testing::Test {
 protected:
  void TearDown() override { exec::set_threads(0); }
};

TEST_F(Clumps, SameBitsWithAnyThreadsOrdersAndFromACopy) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    for (const auto order : {Case::MemoryOrder::id, Case::MemoryOrder::spatial}) {
      if (threads == 4 && order == Case::MemoryOrder::id) continue;
      exec::set_threads(threads);
      Case c = crowd();
      c.detection.memory_order = order;
      Simulation s = build(c);
      std::set<std::uint32_t> parts;
      for (int k = 0; k < 2200 && !s.fault; ++k) {
        if (k == 700 && threads == 2) {
          const Simulation copy = s;
          s = copy;
        }
        step(s);
        parts.insert(s.contacts.part.begin(), s.contacts.part.end());
      }
      ASSERT_FALSE(s.fault) << s.fault->message;
      EXPECT_GT(s.contacts.size(), 40u);
      EXPECT_GT(s.wall_contacts.size(), 5u);
      EXPECT_GT(parts.size(), 8u);
      if (expected == 0) expected = state_hash(s);
      EXPECT_EQ(state_hash(s), expected) << threads;
    }
  }
}

TEST_F(Clumps, SameBitsAcrossARestart) {
  const Case c = crowd();
  const fs::path folder = fs::temp_directory_path() / ("scree_clumps_restart_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  Simulation s = build(c);
  for (int k = 0; k < 800; ++k) step(s);
  ASSERT_GT(s.contacts.size(), 20u);
  const auto file = io::write_checkpoint(folder, s, {}, c);
  ASSERT_TRUE(file) << file.error().message;
  auto resumed = io::read_checkpoint(*file, c, shapes());
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(state_hash(s), state_hash(resumed->state));
  for (int k = 0; k < 300; ++k) step(s), step(resumed->state);
  EXPECT_EQ(state_hash(s), state_hash(resumed->state));
  // Another clump of that name is another case.
  const auto other = [](const std::string& name) -> Result<std::shared_ptr<const Shape>> {
    if (name != "triple") return shapes()(name);
    return std::make_shared<const Shape>(*make_clump(name, {Ball{{0, 0, 0}, 0.3}, Ball{{0.3, 0.1, 0}, 0.25}}));
  };
  EXPECT_FALSE(io::read_checkpoint(*file, c, other));
  fs::remove_all(folder);
}

// What is known of parts that are apart spares searches and changes nothing; that of parts in touch is a part of the
// state, and goes with it.
TEST_F(Clumps, ForgetWithoutATraceWhatTheyKnowOfPartsThatAreApart) {
  Case c = crowd();
  c.particles[0].shapes = {"angle", "hollow", "triple", "grain14"};
  c.particles[0].angular_velocity = {30, -20, 10};        // whoever spins travels by turning
  std::get<contact::Linear>(c.contacts[0].law).kn = 2e6;  // hollow ones weigh less and are thinner
  using narrow::PlaneMethod;
  using Geometry = Case::ContactGeometry;
  const std::pair<PlaneMethod, Geometry> ways[] = {{PlaneMethod::automatic, Geometry::overlap},
                                                   {PlaneMethod::automatic, Geometry::contact_zone},
                                                   {PlaneMethod::fast, Geometry::overlap},
                                                   {PlaneMethod::gjk, Geometry::overlap},
                                                   {PlaneMethod::common_plane, Geometry::contact_zone}};
  for (const auto& [method, geometry] : ways) {
    c.detection.common_plane.method = method, c.detection.contact_geometry = geometry;
    Simulation s = build(c), forgetful = s, sorted = s;
    std::size_t kept = 0;
    for (int k = 0; k < 2600 && !s.fault; ++k) {
      forgetful.scratch.reset();
      // New rows for old ones between drift and contacts.
      if (k % 3 == 0) scratch_of(sorted).far_when_sorted = -100, scratch_of(sorted).is_order_known = false;
      step(s), step(forgetful), step(sorted);
      ASSERT_EQ(state_hash(s), state_hash(forgetful)) << k << ", method " << static_cast<int>(method);
      ASSERT_EQ(state_hash(s), state_hash(sorted)) << k << ", method " << static_cast<int>(method);
      for (const PlaneFeature& f : s.contacts.plane) kept += f.kind != PlaneFeature::Kind::none ? 1 : 0;
      for (const narrow::PaperPair& t : s.contacts.tracked) kept += t.status == narrow::PaperPair::Status::touching;
    }
    ASSERT_FALSE(s.fault) << s.fault->message;
    EXPECT_GT(kept, 500u);
    EXPECT_GT(sorted.counters.spatial_sorts, 800u);
    EXPECT_EQ(s.contacts.tracked.size(), s.pairs.keeps_tracked ? s.contacts.size() : 0);
    // Knowing spares most of what not knowing costs.
    if (method == PlaneMethod::automatic) {
      EXPECT_LT(3 * s.counters.planes_cold, forgetful.counters.planes_cold);
    }
  }
}

TEST_F(Clumps, TouchWhereTheirPartsDo) {
  Simulation s = build(crowd());
  const auto parts_of = [&](std::size_t i) { return s.shapes[s.particles.shape[i]]->parts; };
  std::size_t checked = 0;
  for (int k = 0; k < 1000 && !s.fault; ++k) {
    step(s);
    if (k % 50 != 0) continue;
    // Every pair of spheres of two clumps, directly from their poses.
    std::size_t expected = 0, found = 0;
    const Particles& p = s.particles;
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (const Shape::Part& a : parts_of(i)) {
          for (const Shape::Part& b : parts_of(j)) {
            if (!is_round(a.shape->kind) || !is_round(b.shape->kind)) continue;
            const Vec3 x = p.position[i] + rotation_matrix(p.orientation[i]) * (p.size[i] * a.centre),
                       y = p.position[j] + rotation_matrix(p.orientation[j]) * (p.size[j] * b.centre);
            expected += norm(x - y) < 0.5 * (p.size[i] * a.size + p.size[j] * b.size) ? 1 : 0;
          }
        }
      }
    }
    for (std::size_t r = 0; r < s.contacts.size(); ++r) {
      const auto i = s.pairs.a[s.contacts.pair[r]], j = s.pairs.b[s.contacts.pair[r]];
      const auto a = parts_of(i), b = parts_of(j);
      if (a.empty() || b.empty()) continue;
      const Shape::Part &pa = a[s.contacts.part[r] >> 16], &pb = b[s.contacts.part[r] & 0xffffu];
      if (!is_round(pa.shape->kind) || !is_round(pb.shape->kind)) continue;
      ++found;
      const Vec3 x = rotation_matrix(p.orientation[i]) * (p.size[i] * pa.centre);
      EXPECT_NEAR(norm(s.contacts.point[r] - x), 0.5 * (p.size[i] * pa.size - s.contacts.depth[r]), 1e-12);
    }
    EXPECT_EQ(found, expected) << k;
    checked += found;
  }
  EXPECT_FALSE(s.fault);
  EXPECT_GT(checked, 20u);
}

// By the slow obvious search, that tries every plane of every pair of parts.
TEST_F(Clumps, OfPolyhedraTouchWhereTheirPartsDo) {
  Case c = crowd();
  c.particles[0].shapes = {"angle", "hollow", "grain14"};
  std::get<contact::Linear>(c.contacts[0].law).kn = 2e6;
  Simulation s = build(c);
  std::size_t checked = 0;
  for (int k = 0; k < 3000 && !s.fault; ++k) {
    step(s);
    if (k % 100 != 0 || k < 1000) continue;
    const narrow::Parts& parts = *scratch_of(s).bodies.parts();
    const Particles& p = s.particles;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> found;
    for (std::size_t r = 0; r < s.contacts.size(); ++r) {
      const std::uint32_t pair = s.contacts.pair[r];
      found.insert({s.pairs.a[pair], s.pairs.b[pair], s.contacts.part[r]});
    }
    for (std::uint32_t i = 0; i < p.size_rows(); ++i) {
      for (std::uint32_t j = i + 1; j < p.size_rows(); ++j) {
        const auto [a, b] = p.id[i] < p.id[j] ? std::pair(i, j) : std::pair(j, i);
        for (std::uint32_t q = parts.start[a]; q < parts.start[a + 1]; ++q) {
          for (std::uint32_t r = parts.start[b]; r < parts.start[b + 1]; ++r) {
            const Vec3 d = parts.rows.position[r] - parts.rows.position[q];
            const double reach = parts.rows.radius[q] + parts.rows.radius[r];
            const std::tuple key{a, b, (q - parts.start[a]) << 16 | (r - parts.start[b])};
            if (norm(d) > reach) {
              EXPECT_FALSE(found.contains(key)) << k;
              continue;
            }
            const double gap = narrow::separating_axis(parts.bodies.view(q), parts.bodies.view(r), d).gap;
            if (std::abs(gap) < 1e-9 * reach) continue;
            EXPECT_EQ(found.contains(key), gap < 0) << k << ", gap " << gap << " of " << reach;
            checked += gap < 0 ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_FALSE(s.fault) << s.fault->message;
  EXPECT_GT(checked, 200u);
}

TEST_F(Clumps, FramesHoldThem) {
  const Simulation s = build(crowd());
  const io::Frame f = io::make_frame(s, true);
  const fs::path file = fs::temp_directory_path() / ("scree_clumps_frame_" + std::to_string(::getpid()) + ".vtkhdf");
  const Status written = io::write_frame(file, f);
  ASSERT_TRUE(written) << written.error().message;
  const Result<io::Frame> back = io::read_frame(file);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, f);
  EXPECT_EQ(back->shapes[0].parts.size(), 3u);
  EXPECT_EQ(back->shapes[1].parts[1].vertices.size(), 8u);
  fs::remove(file);
}

}  // namespace
}  // namespace scree

// What a run reads of its shapes is made once.
#include <gtest/gtest.h>

#include "scenes/scenes.h"
#include "sim/run_shapes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

TEST(RunShapes, StayWhenGrainsGoAndAreMadeAgainForAnotherShape) {
  Case c = scenes::empty_case();
  scenes::add_grain(c, "cube", 0.03, {0, 0, 0});
  scenes::add_grain(c, "octahedron", 0.03, {0.1, 0, 0});
  Simulation s = scenes::build(c);
  const std::shared_ptr<const RunShapes> first = scratch_of(s).shapes;
  ASSERT_TRUE(first);
  EXPECT_EQ(first, s.run_shapes);
  const narrow::HotShape* const cube = scratch_of(s).bodies.view(0).shape;
  EXPECT_EQ(cube, first->tables->hot.data() + s.particles.shape[0]);

  const Simulation copy = s;
  EXPECT_EQ(copy.run_shapes, first) << "copies share it";
  remove_particles(s, {0, 1});
  step(s);
  ASSERT_FALSE(s.fault);
  EXPECT_EQ(scratch_of(s).shapes, first);

  s.shapes.push_back(*scenes::library()("tetrahedron"));
  s.scratch.reset();
  EXPECT_NE(scratch_of(s).shapes, first);
  EXPECT_EQ(scratch_of(s).shapes->unit_inner.size(), 3u);
}

TEST(RunShapes, SpheresAloneHaveNoPosedShapesAndNoPlanes) {
  const auto pair_of = [](const char* other) {
    Case c = scenes::empty_case();
    scenes::add_grain(c, "sphere", 0.03, {0, 0, 0});
    scenes::add_grain(c, other, 0.03, {0.0299, 0, 0});
    c.particles[0].may_overlap = c.particles[1].may_overlap = true;
    Simulation s = scenes::build(c);
    for (int k = 0; k < 3; ++k) step(s);
    EXPECT_FALSE(s.fault);
    EXPECT_EQ(s.pairs.size(), 1u);
    return s;
  };
  Simulation round = pair_of("sphere"), mixed = pair_of("cube");
  EXPECT_TRUE(round.pairs.feature.empty());
  EXPECT_EQ(mixed.pairs.feature.size(), 1u);
  EXPECT_LT(scratch_of(round).bodies.bytes() + 2 * sizeof(narrow::BodyView), scratch_of(mixed).bodies.bytes());
}

}  // namespace
}  // namespace scree

// LIBS: scree_scenes
// What a case made in C++, which no reader has looked at, is refused for.
#include <gtest/gtest.h>

#include "scenes/scenes.h"
#include "sim/simulation.h"

namespace scree {
namespace {

/// `counts` spheres of two materials, and laws between those of the same one.
Case of_two_materials(std::size_t first, std::size_t second) {
  Case c = scenes::empty_case();
  c.walls.clear();
  c.materials.push_back(c.materials[0]);
  c.materials[1].name = "second";
  Case::Contact of_second = c.contacts[0];
  of_second.material_a = of_second.material_b = 1;
  c.contacts.push_back(of_second);
  for (int m = 0; m < 2; ++m) {
    Case::Group g;
    g.name = m == 0 ? "one" : "other", g.count = m == 0 ? first : second, g.shapes = {"sphere"}, g.size.a = 0.02;
    g.material = m;
    Case::AtPoints at;
    for (std::size_t k = 0; k < g.count; ++k) at.points.push_back({0.1 * static_cast<double>(k), 0.1 * m, 1});
    g.place = at;
    if (g.count > 0) c.particles.push_back(g);
  }
  return c;
}

TEST(SetUp, AsksForALawOfAllThatCanMeet) {
  const auto refused = [](const Case& c) { return !set_up(c, scenes::library()); };
  EXPECT_FALSE(refused(of_two_materials(2, 0)));
  EXPECT_TRUE(refused(of_two_materials(1, 1)));
  EXPECT_TRUE(refused(of_two_materials(2, 2)));
  Case alone = of_two_materials(1, 0);
  alone.contacts.clear(), alone.time_step.fixed = 1e-5;
  EXPECT_FALSE(refused(alone)) << "a grain does not meet itself";
  Case two = of_two_materials(2, 0);
  two.contacts.clear();
  EXPECT_TRUE(refused(two));
}

}  // namespace
}  // namespace scree

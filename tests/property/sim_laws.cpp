// What every contact law owes in a world: the laws of contact/laws.h, drawn by their own lists of parameters.
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "oracle/any_law.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

template <class List>
struct TypesOf;
template <class... L>
struct TypesOf<LawList<L...>> {
  using type = testing::Types<L...>;
};
template <class L>
class AnyLawInAWorld : public testing::Test {};
struct NameOfLaw {
  template <class L>
  static std::string GetName(int) {
    return std::string(L::kName);
  }
};
TYPED_TEST_SUITE(AnyLawInAWorld, TypesOf<Laws>::type, NameOfLaw);

/// Eight cubes a hair apart, thrown about without gravity.
Case thrown(const Law& law, Random& u) {
  Case c = scenes::empty_case();
  c.gravity = {};
  c.contacts[0].law = law;
  for (int i = 0; i < 8; ++i) {
    const Vec3 place{i % 2 - 0.5, i / 2 % 2 - 0.5, i / 4 - 0.5};
    scenes::add_grain(c, "cube", 0.03, (0.03 + 1e-7) * place, {}, 0.01 * (u.direction() - 2.0 * place),
                      0.5 * u.direction());
  }
  return c;
}

/// Until it has had its contacts.
Simulation run(const Case& c) {
  Simulation s = scenes::build(c);
  std::size_t most = 0;
  for (int k = 0; k < 300 && !s.fault; ++k) step(s), most = std::max(most, s.contacts.size());
  EXPECT_FALSE(s.fault) << s.fault->message;
  EXPECT_GE(most, 4u);
  return s;
}

TYPED_TEST(AnyLawInAWorld, ActionIsReaction) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random u(seed);
    const Law law = oracle::any_law<TypeParam>(u).make();
    const Case c = thrown(law, u);
    const auto momentum = [](const Simulation& s) {
      Vec3 sum;
      for (std::size_t i = 0; i < s.particles.size_rows(); ++i) sum += s.particles.mass[i] * s.particles.velocity[i];
      return sum;
    };
    const Vec3 before = momentum(scenes::build(c));
    const Simulation s = run(c);
    double scale = 0;
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i)
      scale += s.particles.mass[i] * norm(s.particles.velocity[i]);
    EXPECT_LT(norm(momentum(s) - before), 1e-11 * scale);
  }
}

// Resistance to rolling without strength adds zeros, but takes a law one contact at a time: one with a text over vector
// lanes then has the same bits.
TYPED_TEST(AnyLawInAWorld, HasTheSameBitsOneContactAtATime) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random u(seed);
    const Law law = oracle::any_law<TypeParam>(u).make();
    Case c = thrown(law, u);
    c.time_step.fixed = scenes::build(c).dt;
    const Simulation s = run(c);
    c.contacts[0].beside.rolling.model = contact::Rolling::Model::constant;
    const Simulation alone = run(c);
    EXPECT_EQ(s.particles.position, alone.particles.position);
    EXPECT_EQ(s.particles.velocity, alone.particles.velocity);
    EXPECT_EQ(s.particles.angular_momentum, alone.particles.angular_momentum);
    EXPECT_EQ(s.contacts.force, alone.contacts.force);
    EXPECT_EQ(s.contacts.shear, alone.contacts.shear);
  }
}

}  // namespace
}  // namespace scree

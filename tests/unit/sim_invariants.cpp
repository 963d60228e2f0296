// What a step must leave behind, broken on purpose: each breach is told, with its phase and its row.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scenes/scenes.h"
#include "sim/invariants.h"
#include "sim/scratch.h"

namespace scree {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Four cubes in a heap on a floor: pairs, contacts and wall contacts, with memory.
Simulation heap() {
  Case c = scenes::empty_case();
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  for (int k = 0; k < 4; ++k)
    scenes::add_grain(c, "cube", 0.02, {0.0101 * (k % 2), 0.003 * k, 0.00998 + 0.0199 * k}, {}, {0.1, 0, 0});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 20 * s.dt);
  EXPECT_GE(s.pairs.size(), 3u);
  EXPECT_GE(s.contacts.size(), 3u);
  EXPECT_GE(s.wall_contacts.size(), 1u);
  return s;
}

void expect_told(const Simulation& s, Phase phase, const std::string& what) {
  const std::string told = breach(s, phase);
  EXPECT_NE(told.find(what), std::string::npos) << "told: " << told;
}

TEST(Invariants, HoldInAHeap) {
  Simulation s = heap();
  for (int k = 0; k < 50; ++k) ASSERT_EQ(step_and_check(s), "");
}

TEST(Invariants, StepsWithALookHaveTheSameBits) {
  Simulation a = heap(), b = a;
  for (int k = 0; k < 20; ++k) step(a), step_and_check(b);
  EXPECT_EQ(state_hash(a), state_hash(b));
}

TEST(Invariants, TellWherePairsAreOutOfOrder) {
  Simulation s = heap();
  std::swap(s.pairs.a[0], s.pairs.a[2]), std::swap(s.pairs.b[0], s.pairs.b[2]);
  expect_told(s, Phase::pairs, "after the search for pairs of step 20: pair row");
  expect_told(s, Phase::pairs, "not in the order");
}

TEST(Invariants, TellOfAPairThatIsThereTwice) {
  Simulation s = heap();
  s.pairs.a[1] = s.pairs.a[0], s.pairs.b[1] = s.pairs.b[0];
  expect_told(s, Phase::pairs, "pair row 1 (0, 1): there twice");
}

TEST(Invariants, TellOfAPairTheWrongWayRound) {
  Simulation s = heap();
  std::swap(s.pairs.a[0], s.pairs.b[0]);
  expect_told(s, Phase::pairs, "A has not the lower id");
}

TEST(Invariants, TellOfRowsThatAreNotThere) {
  Simulation s = heap();
  s.pairs.b[1] = 4;
  expect_told(s, Phase::pairs, "pair row 1");
  s = heap();
  s.wall_pairs.b[0] = 1;
  expect_told(s, Phase::end, "wall pair row 0 (0, 1): there is no such row");
}

TEST(Invariants, TellOfBondsOutOfOrder) {
  Simulation s = heap();
  s.bonds.resize(2);
  const auto bond = [&s](std::size_t r, std::uint32_t a, std::uint32_t cluster) {
    s.bonds.id_a[r] = s.bonds.row_a[r] = a, s.bonds.id_b[r] = s.bonds.row_b[r] = a + 1;
    s.bonds.cluster[r] = cluster, s.bonds.alive[r] = 1;
  };
  bond(0, 1, 0), bond(1, 0, 1);
  EXPECT_EQ(breach(s, Phase::pairs), "");
  bond(1, 0, 0);
  expect_told(s, Phase::pairs, "bond row 1: not in the order of (cluster, id of A, id of B)");
  bond(1, 1, 0);
  expect_told(s, Phase::pairs, "bond row 1: not in the order");
}

TEST(Invariants, TellOfContactsThatAreNotThePairs) {
  Simulation s = heap();
  s.contacts.pair[1] = 0;
  expect_told(s, Phase::contacts, "contact row 1 is not its own");
  s = heap();
  s.pairs.count[0] = 1000;
  expect_told(s, Phase::pairs, "beyond the table");
  s = heap();
  s.pairs.count.back() = 0;
  expect_told(s, Phase::contacts, "of no pair");
  EXPECT_EQ(breach(s, Phase::pairs), "") << "contacts of pairs that have left the list may stand there";
}

TEST(Invariants, TellOfAShorterColumn) {
  Simulation s = heap();
  s.contacts.depth.pop_back();
  expect_told(s, Phase::drift, "contacts: the column depth has other rows");
}

TEST(Invariants, TellOfMemoryThatIsNotANumber) {
  Simulation s = heap();
  s.contacts.shear[1].y = kNan;
  expect_told(s, Phase::forces, "after the forces of step 20: contact row 1 of pair row 1 (1, 2): shear");
  s = heap();
  s.wall_contacts.stored[0] = kNan;
  expect_told(s, Phase::end, "wall contact row 0 of wall pair row 0 (0, 0): stored is not a number");
  s = heap();
  s.particles.lost[3].z = kNan;
  expect_told(s, Phase::end, "particle row 3 (id 3): lost");
}

TEST(Invariants, TellOfVectorsThatAreNotUnit) {
  Simulation s = heap();
  s.particles.orientation[2].w += 1e-6;
  expect_told(s, Phase::drift, "particle row 2 (id 2): the orientation is no unit quaternion");
  s = heap();
  s.contacts.normal[0] *= 1 + 1e-6;
  expect_told(s, Phase::contacts, "the normal is not of unit length");
  s = heap();
  s.walls[0].normal.z = 1.1;
  expect_told(s, Phase::walls, "wall row 0 ('floor')");
}

TEST(Invariants, TellOfForcesThatAreLostOnTheWay) {
  Simulation s = heap();
  // The last step has ended as its sums left it.
  ASSERT_EQ(breach(s, Phase::sums), "");
  s.particles.force[1].x += 1e-6 * norm(s.particles.force[1]) + 1e-6;
  expect_told(s, Phase::sums, "particle row 1 (id 1): the force is not the sum");
  s = heap();
  s.walls[0].force = 0.999 * s.walls[0].force;
  expect_told(s, Phase::sums, "wall row 0 ('floor'): the force is not the sum");
}

TEST(Invariants, LeaveNumbersThatRanAwayToTheFlightRecorder) {
  Simulation s = heap();
  s.particles.velocity[1].x = kNan;
  const std::string told = step_and_check(s);
  EXPECT_EQ(told, "");
  ASSERT_TRUE(s.fault);
  EXPECT_EQ(s.fault->kind, Fault::Kind::not_finite);
}

#ifdef SCREE_CHECKS
TEST(InvariantsDeathTest, EndTheStepInBuildsWithChecks) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Simulation s = heap();
  s.walls[0].normal.z = 1.1;
  EXPECT_DEATH(step(s), "after the walls' motion of step 20: wall row 0");
}
#endif

}  // namespace
}  // namespace scree

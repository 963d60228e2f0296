// The energy ledger: what there is, what was lost, what was done from outside, and that it closes (docs/energy.md).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "base/random.h"
#include "exec/parallel.h"
#include "io/library/library.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

double lost(const Totals& t) { return t.lost(); }

// How well a bed closes, of what it loses. Spheres: at a tenth of the critical step, and with its square.
constexpr double kSpheres = 2e-3, kGrains = 3e-3, kZone = 4e-3;

Case with_law(const Law& law) {
  Case c = scenes::empty_case();
  c.contacts[0].law = law;
  c.gravity = {0, 0, -kG};
  return c;
}

contact::Linear linear(double damping, double mu) {
  contact::Linear law;
  law.kn = 1e5, law.kt = 5e4, law.friction_angle = std::atan(mu), law.damping_ratio = damping;
  return law;
}
contact::Bloks3d bloks3d(double damping, double mu) {
  contact::Bloks3d law;
  law.kn = 1e5, law.ks = 5e4, law.friction_angle = std::atan(mu), law.damping_ratio = damping;
  law.damping_sliding = 0, law.damping_sticking = 0.5;
  return law;
}
contact::HertzMindlin hertz(double damping, double mu) {
  contact::HertzMindlin law;
  law.young = 1e7, law.shear = 3e6, law.friction_angle = std::atan(mu), law.damping_ratio = damping;
  return law;
}

TEST(Ledger, ADampedSphereBouncesAwayItsHeight) {
  Case c = with_law(linear(0.1, 0.5));
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  scenes::add_grain(c, "sphere", 0.02, {0, 0, 0.11});
  c.time_step.fraction = 0.05;
  Simulation s = scenes::build(c);
  const double weight = s.particles.mass[0] * kG, all = weight * 0.1;
  scenes::run_for(s, 3);
  const Totals t = totals(s);
  EXPECT_GT(t.lost_normal, 0.99 * all);
  EXPECT_NEAR(t.lost_normal, lost(t), 1e-12 * all);
  EXPECT_NEAR(t.unclosed, 0, 2e-3 * all);
}

TEST(Ledger, ABlockThatSlidesLosesFrictionTimesItsWay) {
  for (const Law& law : {Law(bloks3d(0.1, 0.3)), Law(linear(0.1, 0.3))}) {
    Case c = with_law(law);
    scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
    scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05}, {}, {0.5, 0, 0});
    Simulation s = scenes::build(c);
    scenes::run_for(s, 0.1);
    const Totals before = totals(s);
    const double x = s.particles.position[0].x;
    scenes::run_for(s, 0.05);
    const Totals t = totals(s);
    const double work = 0.3 * s.particles.mass[0] * kG * (s.particles.position[0].x - x);
    EXPECT_NEAR(lost(t) - lost(before), work, 0.01 * work);
    EXPECT_GT(t.lost_friction - before.lost_friction, 0.9 * work);
    scenes::run_for(s, 0.5);
    const Totals end = totals(s);
    EXPECT_NEAR(end.unclosed, 0, 1e-3 * lost(end));
  }
}

TEST(Ledger, AFloorThatDrawsABlockAlongDoesItsWork) {
  Case c = with_law(bloks3d(0.1, 0.3));
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  c.walls[0].motion.velocity = {0.5, 0, 0};
  scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05});
  Simulation s = scenes::build(c);
  const double mass = s.particles.mass[0];
  scenes::run_for(s, 1);
  const Totals t = totals(s);
  // Half of what the floor gives moves the block; the other half slips away.
  EXPECT_NEAR(t.work_of_walls, mass * 0.25, 2e-3 * t.work_of_walls);
  EXPECT_NEAR(t.kinetic_translation, 0.5 * mass * 0.25, 2e-3 * t.work_of_walls);
  EXPECT_NEAR(t.unclosed, 0, 1e-3 * t.work_of_walls);
}

TEST(Ledger, ABeltDoesTheWorkOfAMovingFloor) {
  Case c = with_law(bloks3d(0.1, 0.3));
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  c.walls[0].motion.surface_velocity = {0.5, 0, 0};
  scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 1);
  const Totals t = totals(s);
  EXPECT_NEAR(t.work_of_walls, s.particles.mass[0] * 0.25, 2e-3 * t.work_of_walls);
  EXPECT_NEAR(t.unclosed, 0, 1e-3 * t.work_of_walls);
}

TEST(Ledger, OfAPeriodicSlopeTakesInTheWorkOfGravity) {
  Case c = with_law(bloks3d(0.1, 0.2));
  const double slope = std::atan(0.5);
  c.gravity = kG * Vec3{std::sin(slope), 0, -std::cos(slope)};
  c.periodic.periodic[0] = true, c.periodic.high = {0.5, 0, 0};
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  scenes::add_grain(c, "cube", 0.1, {0.2, 0, 0.05});
  Simulation s = scenes::build(c);
  scenes::run_for(s, 1);
  const Totals t = totals(s);
  const double way = 0.5 * kG * (std::sin(slope) - 0.2 * std::cos(slope));
  EXPECT_NEAR(t.work_of_gravity, s.particles.mass[0] * kG * std::sin(slope) * way, 5e-3 * t.work_of_gravity);
  EXPECT_NEAR(t.unclosed, 0, 1e-3 * t.work_of_gravity);
}

TEST(Ledger, OfAGasWithoutLossesCloses) {
  contact::EnergyPolyhedral law;
  law.pressure = 1e8, law.exponent = 2;
  Case c = with_law(law);
  c.gravity = {};
  for (int k = 0; k < 3; ++k) {
    Vec3 n, low{};
    n[static_cast<std::size_t>(k)] = 1;
    Vec3 high = 0.12 * n;
    scenes::add_plane(c, "low" + std::to_string(k), low, n);
    scenes::add_plane(c, "high" + std::to_string(k), high, -1.0 * n);
  }
  for (int k = 0; k < 27; ++k)
    scenes::add_grain(c, "cube", 0.02, {0.025 + 0.035 * (k % 3), 0.025 + 0.035 * (k / 3 % 3), 0.025 + 0.035 * (k / 9)},
                      normalized(Quat{1, 0.1 * k, 0.3, 0.05 * (k % 7)}),
                      {1.5 - 0.3 * (k % 11), 0.9 - 0.3 * (k % 7), 0.3 * (k % 5) - 0.6});
  c.time_step.fraction = 0.05;
  Simulation s = scenes::build(c);
  const double all = totals(s).kinetic_translation;
  double worst = 0, elastic = 0;
  for (int k = 0; k < 1000; ++k) {
    for (int j = 0; j < 100; ++j) step(s);
    ASSERT_FALSE(s.fault) << s.fault->message;
    const Totals t = totals(s);
    worst = std::max(worst, std::abs(t.unclosed)), elastic = std::max(elastic, t.elastic);
  }
  EXPECT_EQ(lost(totals(s)), 0);
  EXPECT_GT(elastic, 1e-3 * all) << "they meet";
  EXPECT_LT(worst, 1e-6 * all) << worst / all;
}

// A dashpot that is too strong for the step books what it took by the forces at both of its ends.
TEST(Ledger, KnowsWhatStrongDashpotsTakeInLongSteps) {
  for (const char* shape : {"sphere", "cube"}) {
    for (const double damping : {0.5, 1.0, 3.0}) {
      Case c = with_law(linear(damping, 0.5));
      scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
      scenes::add_grain(c, shape, 0.02, {0, 0, 0.06}, axis_angle({0.6, 0.8, 0}, 0.3), {0.4, 0.1, 0});
      c.time_step.fraction = 0.2;
      Simulation s = scenes::build(c);
      EXPECT_FALSE(dashpots_are_slow(s));
      scenes::run_for(s, 0.5);
      const Totals t = totals(s);
      EXPECT_GT(t.lost_normal, 0.1 * lost(t));
      EXPECT_LT(std::abs(t.unclosed), 1e-2 * lost(t)) << shape << " " << damping << " " << t.unclosed / lost(t);
    }
  }
}

// An edge that rolls over a floor under a dashpot too strong for the step: where dashpots looked no farther than the
// step's end, some of these got energy from nothing. docs/energy.md has what this prints.
TEST(Ledger, StrongDashpotsGiveNoEnergyToCubesThatTumble) {
  for (const double fraction : {0.5, 0.2, 0.1}) {
    for (const double damping : {1.0, 3.0, 10.0}) {
      Random u(5);
      double mean = 0, most = -1;
      for (int k = 0; k < 30; ++k) {
        Case c = with_law(linear(damping, 0.5));
        scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
        scenes::add_grain(c, "cube", 0.02, {0, 0, 0.06}, axis_angle(u.direction(), u.uniform(0, 3)), {0.4, 0.1, 0});
        c.time_step.fraction = fraction;
        Simulation s = scenes::build(c);
        scenes::run_for(s, 0.3);
        const Totals t = totals(s);
        const double gained = t.unclosed / lost(t);
        most = std::max(most, gained), mean += gained / 30;
        EXPECT_LT(gained, fraction > 0.2 ? 0.06 : 0.05) << damping << " at " << fraction << ", fall " << k;
      }
      std::printf("fraction %.2f, damping ratio %g: most %.1e, mean %.1e\n", fraction, damping, most, mean);
      EXPECT_LT(mean, 0.015) << damping << " at " << fraction;
    }
  }
}

Case bed(const Law& law, Case::ContactGeometry geometry) {
  Case c = with_law(law);
  scenes::add_open_box(c, "box", {0, 0, 0}, {0.12, 0.12, 0.6});
  c.detection.contact_geometry = geometry;
  Case::Group g;
  g.name = "bed", g.count = 60, g.size = {Case::Size::Kind::uniform, 0.016, 0.02};
  g.shapes = {"cube", "sphere", "grain14"};
  g.place = Case::Lattice{0, 0, 0.04, {}};
  g.orientation.random = true, g.velocity = {0.5, 0.3, 0};
  c.particles.push_back(g);
  c.time_step.fraction = 0.1;
  return c;
}

// docs/energy.md prints this table. What a contact zone leaves open is another part for every bed, of either sign,
// which no step removes and which the last bit of a sum makes another: each bed is held to what a run would warn of,
// and the root of their mean square to kZone.
TEST(Ledger, OfABedThatSettlesCloses) {
  double zones2 = 0;
  int zones = 0;
  const auto unclosed_share = [](const Case& c) {
    Simulation s = scenes::build(c);
    scenes::run_for(s, 0.3);
    EXPECT_FALSE(s.fault);
    const Totals t = totals(s);
    return t.unclosed / t.lost();
  };
  for (const double fraction : {0.2, 0.1, 0.05}) {
    for (const Law& law : {Law(bloks3d(0.2, 0.5)), Law(linear(0.2, 0.5)), Law(hertz(0.2, 0.5))}) {
      for (const char* shapes : {"spheres", "overlap", "contact_zone"}) {
        const std::string of = shapes;
        Case c = bed(law, of == "contact_zone" ? Case::ContactGeometry::contact_zone : Case::ContactGeometry::overlap);
        if (of == "spheres") c.particles[0].shapes = {"sphere"};
        c.time_step.fraction = fraction;
        Simulation s = scenes::build(c);
        scenes::run_for(s, 0.3);
        ASSERT_FALSE(s.fault) << s.fault->message;
        const Totals t = totals(s);
        std::printf("fraction %.2f, law %zu, %s: %.1e\n", fraction, law.index(), shapes, t.unclosed / t.lost());
        const double share = of == "spheres" ? kSpheres * (fraction / 0.1) * (fraction / 0.1) : kGrains;
        if (of == "contact_zone") {
          constexpr double kWarning = 0.01;  // docs/energy.md
          std::get<Case::Lattice>(c.particles[0].place).jitter = 0;
          const double at_centres = unclosed_share(c);
          std::printf("  at the centres of the cells: %.1e\n", at_centres);
          for (const double part : {t.unclosed / t.lost(), at_centres}) {
            EXPECT_LT(std::abs(part), kWarning) << law.index() << " " << fraction;
            zones2 += part * part, ++zones;
          }
        } else {
          EXPECT_LT(std::abs(t.unclosed), share * t.lost()) << law.index() << " " << of << " " << fraction;
        }
        EXPECT_GT(std::min({t.lost_normal, t.lost_tangential, t.lost_friction}), 0.01 * t.lost());
      }
    }
  }
  std::printf("contact_zone: %.1e, root of the mean square of %d\n", std::sqrt(zones2 / zones), zones);
  EXPECT_LT(std::sqrt(zones2 / zones), kZone);
}

TEST(Ledger, WarnsOnceWhereEnergyKeepsComingFromNothing) {
  Case c = bed(bloks3d(0.2, 0.5), Case::ContactGeometry::contact_zone);
  c.detection.points = Case::ZonePoints::paper;
  Simulation s = scenes::build(c);
  LedgerWatch watch;
  Totals t;
  t.kinetic_translation = 1, t.lost_normal = 1, t.unclosed = 0.02;
  EXPECT_FALSE(watch.look(s, t));
  EXPECT_FALSE(watch.look(s, t));
  t.unclosed = 0.005;
  EXPECT_FALSE(watch.look(s, t)) << "below a hundredth: counted from the start";
  t.unclosed = 0.02;
  EXPECT_FALSE(watch.look(s, t));
  EXPECT_FALSE(watch.look(s, t));
  const std::optional<std::string> said = watch.look(s, t);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->rfind("energy from nothing: at t = 0 s the ledger has 0.02 J too much, 2 % of what was lost", 0), 0u)
      << *said;
  EXPECT_NE(said->find("points: paper"), std::string::npos) << *said;
  EXPECT_FALSE(watch.look(s, t)) << "once";
  EXPECT_EQ(watch.verdict(t), "0.02 J too much, 2 % of the 1 J that were lost");
  EXPECT_FALSE(s.fault);
}

TEST(Ledger, WarnsOnlyWhereItIsAShareOfWhatMovesToo) {
  Simulation s = scenes::build(bed(bloks3d(0.2, 0.5), Case::ContactGeometry::overlap));
  for (const double moves : {1e-3, 1e3}) {
    for (const double share : {0.005, 0.02}) {
      LedgerWatch watch;
      Totals t;
      t.kinetic_translation = moves, t.lost_normal = 1e-6 * moves, t.unclosed = share * moves;
      std::size_t said = 0;
      for (int k = 0; k < 5; ++k) said += watch.look(s, t) ? 1 : 0;
      EXPECT_EQ(said, share > 0.01 ? 1u : 0u) << moves << " " << share;
      EXPECT_FALSE(s.fault);
    }
  }
}

TEST(Ledger, ARunThatBlowsUpIsAFault) {
  // The critical step has room for more contacts than one; beyond four of it every bounce gives.
  Case c = with_law(linear(0, 0));
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  scenes::add_grain(c, "sphere", 0.1, {0, 0, 0.05});
  Simulation s = scenes::build(c);
  s.particles.velocity[0] = {0, 0, -0.01};
  s.dt = 4 * critical_time_step(s);
  LedgerWatch watch;
  int instants = 0;
  for (; instants < 10000 && !s.fault; ++instants) {
    for (int k = 0; k < 10 && !s.fault; ++k) step(s);
    if (!s.fault) watch.look(s, totals(s));
  }
  ASSERT_TRUE(s.fault);
  EXPECT_EQ(s.fault->kind, Fault::Kind::energy) << s.fault->message;
  EXPECT_EQ(s.fault->message.rfind("energy from nothing: ", 0), 0u);
  EXPECT_GE(instants, 3);
}

TEST(Ledger, HasTheSameBitsWithOneThreadAndWithTwo) {
  std::uint64_t hash[2];
  double unclosed[2];
  for (const int threads : {1, 2}) {
    exec::set_threads(threads);
    Simulation s = scenes::build(bed(bloks3d(0.2, 0.5), Case::ContactGeometry::overlap));
    scenes::run_for(s, 0.15);
    hash[threads - 1] = state_hash(s), unclosed[threads - 1] = totals(s).unclosed;
    EXPECT_GT(lost(totals(s)), 0);
  }
  exec::set_threads(0);
  EXPECT_EQ(hash[0], hash[1]);
  EXPECT_EQ(unclosed[0], unclosed[1]);
}

TEST(Ledger, BooksWhatStagesChange) {
  Case c = bed(linear(0.2, 0.5), Case::ContactGeometry::overlap);
  Case::Stage settle, turned;
  settle.name = "settle", settle.duration = 0.2;
  turned.name = "turned", turned.gravity = Vec3{0, 0, -2 * kG}, turned.remove = {"box.x_max"}, turned.duration = 0.2;
  turned.cut_above = Case::CutAbove{0.1};
  c.stages = {settle, turned};
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.2);
  const Totals before = totals(s);
  const Result<bool> begun = begin_next_stage(s, c, [](const std::string& name) { return io::load_shape(name); });
  ASSERT_TRUE(begun && *begun);
  const Totals after = totals(s);
  EXPECT_LT(s.particles.size_rows(), 100u);
  EXPECT_NEAR(after.unclosed, before.unclosed, 1e-12 * lost(before));
  EXPECT_NEAR(lost(after), lost(before), 1e-12 * lost(before)) << "those that went leave what they lost";
  EXPECT_NE(after.exchanged, 0);
}

TEST(Ledger, KeepsTheWorkOfAWallThatGoes) {
  Case c = with_law(bloks3d(0.1, 0.3));
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  c.walls[0].motion.velocity = {0.5, 0, 0};
  scenes::add_grain(c, "cube", 0.1, {0, 0, 0.05});
  Case::Stage drawn, falls;
  drawn.duration = 0.3, falls.duration = 0.1, falls.remove = {"floor"};
  c.stages = {drawn, falls};
  Simulation s = scenes::build(c);
  scenes::run_for(s, 0.3);
  const Totals before = totals(s);
  ASSERT_GT(before.work_of_walls, 0.1 * s.particles.mass[0] * 0.25);
  const Result<bool> begun = begin_next_stage(s, c, scenes::library());
  ASSERT_TRUE(begun && *begun);
  const Totals after = totals(s);
  EXPECT_NEAR(after.work_of_walls, before.work_of_walls, 1e-12 * before.work_of_walls);
  EXPECT_NEAR(after.unclosed, before.unclosed, 1e-12 * before.work_of_walls);
}

/// A sphere that rolls on the floor at 0.2 m/s until its resistance stops it.
Case rolling(const contact::Rolling& resistance) {
  Case c = with_law(linear(0.3, 0.8));
  c.contacts[0].beside.rolling = resistance;
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  scenes::add_grain(c, "sphere", 0.02, {0, 0, 0.01}, {}, {0.2, 0, 0}, {0, 20, 0});
  return c;
}

TEST(Ledger, ARollingSphereLosesItsMotionToRollingFriction) {
  for (const auto model : {contact::Rolling::Model::constant, contact::Rolling::Model::spring}) {
    Simulation s = scenes::build(rolling({model, 0.1, 0, 0.3}));
    const double all = 0.7 * s.particles.mass[0] * 0.04;
    ASSERT_NEAR(totals(s).kinetic_translation + totals(s).kinetic_rotation, all, 1e-9 * all);
    scenes::run_for(s, 1.5);
    const Totals t = totals(s);
    EXPECT_LT(t.kinetic_translation + t.kinetic_rotation, 1e-6 * all);
    EXPECT_GT(t.lost_friction, 0.9 * all);
    EXPECT_NEAR(t.lost(), all, 0.02 * all) << "and what its weight pressed into the floor";
    EXPECT_NEAR(t.unclosed, 0, 2e-3 * all) << static_cast<int>(model);
  }
}

TEST(Ledger, ASpinningSphereLosesItsSpinToTwistingFriction) {
  Case c = rolling({contact::Rolling::Model::constant, 0.1, 0.1, 0.3});
  c.particles[0].velocity = {}, c.particles[0].angular_velocity = {0, 0, 20};
  Simulation s = scenes::build(c);
  const double all = 0.2 * s.particles.mass[0] * 0.04;
  ASSERT_NEAR(totals(s).kinetic_rotation, all, 1e-9 * all);
  scenes::run_for(s, 1.5);
  const Totals t = totals(s);
  EXPECT_LT(t.kinetic_rotation, 1e-6 * all);
  EXPECT_GT(t.lost_friction, 0.9 * all);
  EXPECT_NEAR(t.unclosed, 0, 2e-3 * all);
}

TEST(Ledger, AFreeLidGivesWhatItsFallAndItsForceDo) {
  Case c = with_law(linear(0.2, 0.5));
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  scenes::add_plane(c, "lid", {0, 0, 0.03}, {0, 0, -1});
  scenes::add_grain(c, "sphere", 0.02, {0, 0, 0.01});
  boundary::Motion::Drive lid;
  lid.mass = 0.5, lid.force = 10;
  c.walls.back().motion.drive = lid;
  c.time_step.fraction = 0.1;
  Simulation s = scenes::build(c);
  scenes::run_for(s, 2);
  const Totals t = totals(s);
  const double v = s.walls.back().driven, work = (0.5 * kG + 10) * (0.03 - s.walls.back().point.z) - 0.25 * v * v;
  EXPECT_NEAR(t.work_of_walls, work, 1e-3 * work);
  EXPECT_NEAR(t.unclosed, 0, 1e-3 * work);
}

TEST(Ledger, BooksWhatInletsBringAndOutletsTake) {
  Case c = with_law(linear(0.2, 0.5));
  scenes::add_plane(c, "slope", {0, 0, 0}, {0.6, 0, 0.8});
  Case::Group g;
  g.name = "rain", g.count = 100000, g.shapes = {"sphere", "cube"}, g.size.a = 0.01, g.velocity = {0.3, 0, -1};
  Case::Pour pour;
  pour.region = {{0, 0, 0.1}, {0.1, 0.1, 0.14}}, pour.mass_rate = 0.3;
  g.place = pour;
  c.particles = {g};
  c.outlets.push_back({"below", {}, {0, 0, -0.15}, {0, 0, -1}, true});
  c.time_step.fraction = 0.1;
  Simulation s = scenes::build(c);
  scenes::run_for(s, 1);
  ASSERT_FALSE(s.fault) << s.fault->message;
  EXPECT_GT(s.flows.removed[0], 100u);
  const Totals t = totals(s);
  // Per kg: as it comes and, most of it, as it goes.
  const double brought = 0.5 * 1.09 + kG * 0.12;
  EXPECT_GT(t.lost(), 0.05 * s.flows.mass[0] * brought);
  EXPECT_GT(t.exchanged, 0.2 * s.flows.mass[0] * brought);
  EXPECT_NEAR(t.unclosed, 0, kGrains * t.lost()) << t.unclosed / t.lost();
}

/// A bonded cube of 64 spheres thrown onto the floor.
Case bonded(double strength, double speed, bool keeps_contact) {
  Case c = with_law(linear(0.1, 0.5));
  scenes::add_plane(c, "floor", {0, 0, 0}, {0, 0, 1});
  Case::Cluster lump;
  lump.name = "lump", lump.spheres = *bond::cube(4, 5e-3);
  lump.law.given = bond::ParallelBond::Stiffness::modulus, lump.law.modulus = 1e7, lump.law.ratio = 2.5;
  lump.law.keeps_contact = keeps_contact;
  lump.law.damping = 0.05, lump.law.normal_strength = lump.law.shear_strength = strength;
  lump.bonds = *bond::bonds_by_distance(lump.spheres, 1.05);
  c.clusters = {lump};
  Case::Group g;
  g.name = "lumps", g.count = 1, g.shapes = {"sphere"}, g.cluster = 0, g.velocity = {0.3, 0, -speed};
  g.place = Case::AtPoints{{{0, 0, 0.06}}};
  c.particles = {g};
  c.time_step.fraction = 0.05;
  return c;
}

/// Runs it and returns what there is at the end; the ledger closes at any time.
Totals thrown(Simulation& s, double within) {
  const double all = totals(s).kinetic_translation;
  double most = 0;
  for (int k = 0; k < 60 && !s.fault; ++k) {
    scenes::run_for(s, 0.002);
    const Totals t = totals(s);
    most = std::max(most, t.bonds_elastic);
    EXPECT_NEAR(t.unclosed, 0, within * all) << "at " << s.time;
  }
  EXPECT_FALSE(s.fault);
  const Totals t = totals(s);
  EXPECT_GT(most, 0.01 * all);
  EXPECT_GT(t.lost_bonds, 0.01 * all);
  return t;
}

TEST(Ledger, OfBondsThatSwingAndOfBondsThatBreak) {
  for (const bool keeps_contact : {false, true}) {
    Simulation holds = scenes::build(bonded(1e30, 3, keeps_contact));
    EXPECT_EQ(thrown(holds, 1e-3).bonds, 144u);
  }
  Simulation breaks = scenes::build(bonded(1e5, 3, true));
  EXPECT_LT(thrown(breaks, 2e-3).bonds, 144u);
}

// docs/laws/bond.md: the contact law takes over at the overlap that an excluded bond had when it broke.
TEST(Ledger, NamesBondsThatLeaveAnOverlapWhereTheyBreak) {
  Simulation s = scenes::build(bonded(1e5, 3, false));
  const double all = totals(s).kinetic_translation;
  EXPECT_GT(thrown(s, 0.1).unclosed, 0.01 * all);
  Totals t;
  t.kinetic_translation = 1, t.lost_normal = 1, t.unclosed = 0.02;
  LedgerWatch watch;
  watch.look(s, t), watch.look(s, t);
  const std::optional<std::string> said = watch.look(s, t);
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("contact: kept"), std::string::npos) << *said;
}

}  // namespace
}  // namespace scree

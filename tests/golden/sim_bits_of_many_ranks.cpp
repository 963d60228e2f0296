// LIBS: scree_io
// A run on several ranks, here threads that stand for them, has the bits of a serial one: its hash, its totals at every
// instant, its fault; it can be dealt to other ranks on the way.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "exec/parallel.h"
#include "io/case/read_case.h"
#include "io/library/library.h"
#include "oracle/ranks_on_one_core.h"
#include "ranks/thread_ranks.h"
#include "sim/schedule.h"
#include "sim/spread.h"

namespace scree {
namespace {

struct Shortened {
  const char* file;
  std::vector<std::string> set;
  std::uint64_t steps;
};

// All examples and all quick validation cases, shortened: until contacts, stages, inlets, outlets, broken bonds and
// grains that change hands have come. Cases of all keys: tests/property/io_random_cases.cpp.
const std::vector<Shortened> kCases = {
    {"examples/box_fill.yaml", {"particles[0].count=60", "output.every=5 ms"}, 2400},
    {"examples/box_fill.yaml",
     {"particles[0].count=60", "detection.contact_geometry=contact_zone", "damping={global: 5 1/s}"},
     1600},
    {"examples/crush_tablet.yaml", {}, 700},
    {"examples/interlock.yaml", {"gravity=[0, 0, -400]"}, 900},
    // Clumps of polyhedra, whose parts keep planes, and which travel by turning.
    {"examples/interlock.yaml",
     {"particles[0].shapes=angle", "particles[0].count=60", "particles[0].angular_velocity=[20, -30, 10]",
      "gravity=[0, 0, -400]"},
     1113},
    // Clumps of spheres and single ones, so few that some ranks have none but these for a while.
    {"examples/interlock.yaml",
     {"particles[0].shapes=[dumbbell, sphere, sphere, sphere]", "particles[0].count=24", "gravity=[0, 0, -40]"},
     2500},
    {"examples/slide.yaml", {}, 1000},
    {"examples/ball_mill.yaml", {"particles[0].count=40", "particles[1].count=20", "gravity=[0, 0, -1500]"}, 1100},
    {"examples/bucket.yaml",
     {"particles[0].count=900", "gravity=[0, 0, -200]", "stages[0].duration=30 ms", "stages[1].duration=5 ms"},
     1000},
    {"examples/column_collapse.yaml",
     {"particles[0].count=600", "gravity=[0, 0, -200]", "stages[0].duration=20 ms", "stages[1].duration=5 ms"},
     900},
    {"examples/direct_shear.yaml",
     {"particles[0].count=200", "stages[0].gravity=[0, 0, -2]", "stages[0].duration=0.1 s"},
     1400},
    {"examples/hopper_lift.yaml",
     {"particles[0].count=60", "particles[1].count=60", "measure.edge.track=[600]", "stages[0].gravity=[0, 0, -1000]",
      "stages[0].duration=6 ms"},
     600},
    {"examples/impact.yaml",
     {"particles[0].count=1500", "measure.ball.track=[1500]", "gravity=[0, 0, -4000]", "stages[0].duration=0.5 ms"},
     800},
    {"examples/jet.yaml", {"particles[0].count=3000"}, 400},
    {"validation/cases/hopper_discharge.yaml", {"particles[0].count=800", "gravity=[0, 0, -80]"}, 500},
    {"validation/cases/repose_cubes.yaml",
     {"particles[0].count=100", "stages[0].gravity=[0, 0, -150]", "stages[0].duration=20 ms"},
     600},
    {"validation/cases/rotating_drum.yaml", {"particles[0].count=300", "gravity=[0, 0, -100]"}, 600},
    {"validation/cases/stack.yaml", {}, 500},
    {"validation/cases/impact_glass.yaml", {}, 600},
    {"validation/cases/penetration.yaml", {"particles[0].count=600", "gravity=[0, 0, -4000]"}, 600},
    {"validation/cases/impact_wall.yaml", {}, 1500},
    {"validation/cases/jamming.yaml",
     {"particles=[{name: a, count: 300, shapes: sphere, size: 10 cm, material: glass, velocity: [20, 0, 0], place: "
      "{random: {inside: {box: {min: [0, 0, 0], max: [1.2, 1.2, 1.2]}}}}}, {name: b, count: 300, shapes: sphere, size: "
      "11 cm, material: glass, velocity: [0, -20, 10], place: {random: {inside: {box: {min: [0, 0, 0], max: [1.2, 1.2, "
      "1.2]}}}}}]"},
     400},
    {"validation/cases/roll.yaml", {}, 500},
    {"validation/cases/roll_resisted.yaml", {}, 500},
    {"validation/cases/rolling_slope.yaml", {}, 500},
    {"validation/cases/slide_to_rest.yaml", {}, 500},
    {"validation/cases/wall_release.yaml", {"gravity=[0, 0, -400]"}, 400},
    // Those of one or two grains, which the tests of physics bring into motion: here they begin in touch.
    {"validation/cases/bounce.yaml", {"particles[0].place.at=[[0, 0, 99.95 mm]]", "particles[0].overlap=allow"}, 400},
    {"validation/cases/closed_path.yaml",
     {"particles[1].place.at=[[0.3, 0.2, 1 m]]", "particles[1].overlap=allow", "particles[1].velocity=[0, 0, -1 m/s]"},
     200},
    {"validation/cases/free_spin.yaml", {"particles[0].angular_velocity=[1, 2, 3]"}, 100},
    {"validation/cases/impact_oblique.yaml", {}, 600},
    {"validation/cases/impact_spinning.yaml", {}, 600},
    {"validation/cases/oscillator.yaml", {}, 100},
    {"validation/cases/rocking_block.yaml",
     {"particles[0].place.at=[[0.4999 m, 0, 0]]", "particles[0].overlap=allow", "particles[0].velocity=[0, 1 m/s, 0]"},
     300},
    {"validation/cases/slide.yaml", {}, 300},
    {"validation/cases/spinning_cube.yaml", {}, 300},
    {"validation/cases/topple.yaml", {"particles[0].place.at=[[49.9 mm, 0, 0]]", "particles[0].overlap=allow"}, 300},
};

struct Outcome {
  std::uint64_t hash = 0, step = 0;
  std::string end;
  std::vector<double> instants;  ///< of every one the totals
  bool had_contacts = false;
};

/// Notes every instant, and ends the run after so many steps.
class Notes final : public RunWatch {
 public:
  Notes(Outcome& outcome, std::uint64_t steps) : outcome_(outcome), steps_(steps) {}

 private:
  Status output(const Simulation&, const Totals& t) override {
    for (const double v : {t.kinetic_translation, t.kinetic_rotation, t.potential, t.elastic, t.bonds_elastic, t.lost(),
                           t.work_of_walls, t.unclosed, t.max_speed, t.max_overlap, t.momentum.x, t.angular_momentum.y,
                           static_cast<double>(t.contacts + t.contact_points + t.sliding),
                           static_cast<double>(t.candidate_pairs), static_cast<double>(t.fragments)})
      outcome_.instants.push_back(v);
    return ok();
  }
  void warn(const std::string& sentence) override { outcome_.end += sentence + "\n"; }
  Result<bool> before_step(Simulation& s, bool) override {
    if (s.contacts.size() + s.wall_contacts.size() > 0) outcome_.had_contacts = true;
    return s.step < steps_;
  }

  Outcome& outcome_;
  std::uint64_t steps_;
};

void go(Simulation& s, const Case& c, std::uint64_t steps, Outcome& outcome) {
  Notes notes(outcome, steps);
  Schedule schedule(c, io::load_shape, notes);
  const RunEnd end = schedule.go(s);
  outcome.end += std::to_string(static_cast<int>(end.how)) + (s.fault ? s.fault->text() : "");
  make_whole(s);
  outcome.hash = state_hash(s), outcome.step = s.step;  // the first rank's counts
}

/// Grains are placed by the first, and shared out before their pairs are listed.
Simulation set_up_on(ranks::Ranks& ranks, const Case& c) {
  Result<Simulation> part = place_grains(c, io::load_shape, ranks.is_first());
  const Status begun = part ? begin_first_stage(*part, c, io::load_shape, &ranks) : Status(part.error());
  if (!begun) throw std::runtime_error(begun.error().message);
  return std::move(*part);
}

Outcome on_ranks(int n, int threads, const Case& c, std::uint64_t steps) {
  Outcome first;
  oracle::run_on_one_core(n, threads, [&](ranks::Ranks& ranks) {
    Simulation part = set_up_on(ranks, c);
    Outcome mine;
    go(part, c, steps, mine);
    if (ranks.is_first()) first = std::move(mine);
  });
  return first;
}

class BitsOfManyRanks : public testing::TestWithParam<std::size_t> {
 protected:
  void TearDown() override { exec::set_threads(0); }
};
INSTANTIATE_TEST_SUITE_P(Case, BitsOfManyRanks, testing::Range(std::size_t{0}, kCases.size()), [](const auto& i) {
  return std::filesystem::path(kCases[i.param].file).stem().string() + "_" + std::to_string(i.param);
});

TEST_P(BitsOfManyRanks, AreThoseOfOne) {
#ifdef __SANITIZE_THREAD__
  // A hundred times as slow: grains in their zones of contact, bonds, clumps of polyhedra.
  if (GetParam() != 1 && GetParam() != 2 && GetParam() != 4) GTEST_SKIP();
#endif
  const Shortened& shortened = kCases[GetParam()];
  // Ranks, threads of each.
  std::vector<std::pair<int, int>> counts{{1, 1}, {2, 1}, {2, 2}, {3, 1}, {3, 2}, {4, 1}, {4, 2}, {7, 1}, {7, 2}};
#ifdef __SANITIZE_THREAD__
  counts = {{2, 2}};     // a hundred times as slow
  exec::set_threads(1);  // of the serial run
#endif
  const io::ReadCase read = io::read_case(std::string(SCREE_SOURCE_DIR) + "/" + shortened.file, shortened.set);
  ASSERT_FALSE(has_errors(read.diagnostics)) << format(read.diagnostics[0]);
  Result<Simulation> start = set_up(read.value, io::load_shape);
  ASSERT_TRUE(start) << start.error().message;
  Outcome serial;
  Simulation s = std::move(*start);
  go(s, read.value, shortened.steps, serial);
  EXPECT_TRUE(serial.had_contacts || read.value.title == "A free body turns");
  EXPECT_FALSE(s.fault) << s.fault->text();
  for (const auto& [n, threads] : counts) {
    const Outcome many = on_ranks(n, threads, read.value, shortened.steps);
    EXPECT_EQ(many.hash, serial.hash) << n << " ranks, " << many.step << " and " << serial.step << " steps";
    EXPECT_EQ(many.end, serial.end) << n << " ranks";
    EXPECT_EQ(many.instants, serial.instants) << n << " ranks";
  }
}

// Broken memory, or a processor that rounds otherwise: a copy that has come to other bits than its owner's is told at
// the end of the list, by all ranks, and not stepped on with.
TEST(ACopyThatHasParted, IsAFault) {
  const io::ReadCase read =
      io::read_case(SCREE_SOURCE_DIR "/examples/box_fill.yaml", {"particles[0].count=60", "gravity=[0, 0, -400]"});
  ASSERT_FALSE(has_errors(read.diagnostics)) << format(read.diagnostics[0]);
  const Result<Simulation> start = set_up(read.value, io::load_shape);
  ASSERT_TRUE(start) << start.error().message;
  constexpr int kRanks = 3;
  std::vector<std::string> said(kRanks);
  std::set<std::uint32_t> parted;
  ranks::run_as_threads(kRanks, 1, [&](ranks::Ranks& ranks) {
    Simulation part = *start;
    deal(part, ranks);
    // By the last rank that has copies of grains that are in touch. Of all of them, for one may go home before anybody
    // looks; by more than an ulp, which a zero's next contact swallows.
    for (bool is_done = false; !is_done && part.step < 3000 && !part.fault;) {
      step(part);
      if (part.step < 1200) continue;
      const Particles& p = part.particles;
      const auto who = static_cast<int>(ranks.max_of(p.copies > 0 ? ranks.rank() : -1));
      is_done = who >= 0;
      if (who != ranks.rank()) continue;
      for (std::size_t row = p.own_rows(); row < p.size_rows(); ++row)
        part.particles.velocity[row].x += 1e-9, parted.insert(p.id[row]);
    }
    const std::uint64_t from = part.step;
    while (!part.fault && part.step < from + 2000) step(part);
    const auto me = static_cast<std::size_t>(ranks.rank());
    if (part.fault && part.fault->kind == Fault::Kind::parted) said[me] = part.fault->text();
  });
  const std::string before = "particle ", behind = " is not the same for rank ";
  const std::size_t begin = said[0].find(before), end = said[0].find(behind);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << said[0];
  const std::string id = said[0].substr(begin + before.size(), end - begin - before.size());
  EXPECT_TRUE(parted.contains(static_cast<std::uint32_t>(std::stoul(id)))) << said[0];
  for (const std::string& text : said) EXPECT_EQ(text, said[0]);
}

struct Mistaken {
  const char* what;
  std::string keys;  ///< beside those of with()
};

std::string with(const std::string& keys) {
  return R"(
materials: {stone: {density: 2650 kg/m^3}, ice: {density: 900 kg/m^3}}
contacts: [{between: [stone, stone], law: linear, kn: 100 kN/m, friction: 0.5, restitution: 0.1}]
gravity: [0, 0, -9.81]
walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}}
)" + keys +
         (keys.find("stages:") == std::string::npos ? "stages: [{duration: 1 s}]" : "");
}
constexpr char kGrains[] = R"(
particles:
  - {name: stones, count: 200, shapes: [sphere], size: 2 cm, material: stone,
     place: {lattice: {inside: {min: [0, 0, 0], max: [20 cm, 20 cm, 20 cm]}}}}
)";
const std::vector<Mistaken> kMistaken = {
    {"two that overlap by 10 %, and two by as much",
     R"(
particles:
  - {name: far, count: 4, shapes: [sphere], size: 2 cm, material: stone,
     place: {at: [[0, 0, 5 cm], [0, 18 mm, 5 cm], [1 m, 0, 5 cm], [1 m, 18 mm, 5 cm]]}}
)"},
    {"some that reach beyond the floor",
     R"(
particles:
  - {name: low, count: 4, shapes: [sphere], size: 2 cm, material: stone,
     place: {at: [[0, 0, 8 mm], [1 m, 0, 7 mm], [2 m, 0, 7 mm], [3 m, 0, 5 cm]]}}
)"},
    {"some behind the floor",
     R"(
particles:
  - {name: lost, count: 4, shapes: [sphere], size: 2 cm, material: stone,
     place: {at: [[0, 0, -8 cm], [1 m, 0, -9 cm], [2 m, 0, -9 cm], [3 m, 0, 5 cm]]}}
)"},
    {"a time step above the critical one", std::string("time_step: 1 s") + kGrains},
    {"all taken away before it begins", std::string(kGrains) + "stages: [{duration: 1 s, cut_above: -1 m}]"},
    {"a plane that comes above some",
     std::string(kGrains) +
         "stages: [{duration: 1 ms}, {duration: 1 ms, add: {lid: {plane: {point: [0, 0, 3 cm], normal: [0, 0, 1]}, "
         "material: stone}}}]"},
    {"grains that come too near",
     std::string(kGrains) +
         "stages: [{duration: 1 ms}, {duration: 1 ms, insert: [{name: late, count: 1, shapes: [sphere], size: 2 cm, "
         "material: stone, place: {at: [[1 cm, 1 cm, 25 mm]]}}]}]"},
};

/// What is said of a run that cannot begin, or not its second stage.
std::string mistake_of(Simulation& s, const Case& c) {
  const Result<bool> begun = begin_next_stage(s, c, io::load_shape);
  return begun ? "none" : begun.error().message + begun.error().key;
}

TEST(WhatIsWrong, IsToldOnRanksAsInASerialRun) {
  for (const Mistaken& m : kMistaken) {
    const io::ReadCase read = io::read_case_text(with(m.keys), "case.yaml");
    ASSERT_FALSE(has_errors(read.diagnostics)) << m.what << ": " << format(read.diagnostics[0]);
    const Case& c = read.value;
    Result<Simulation> serial = set_up(c, io::load_shape);
    const std::string said = serial ? mistake_of(*serial, c) : serial.error().message + serial.error().key;
    EXPECT_NE(said, "none") << m.what;
    for (const int n : {2, 3, 5}) {
      std::vector<std::string> told(static_cast<std::size_t>(n));
      ranks::run_as_threads(n, 1, [&](ranks::Ranks& ranks) {
        Result<Simulation> part = place_grains(c, io::load_shape, ranks.is_first());
        const Status begun = part ? begin_first_stage(*part, c, io::load_shape, &ranks) : Status(part.error());
        told[static_cast<std::size_t>(ranks.rank())] =
            begun ? mistake_of(*part, c) : begun.error().message + begun.error().key;
      });
      for (const std::string& text : told) EXPECT_EQ(text, said) << m.what << ", " << n << " ranks";
    }
  }
}

// The fastest bond lies across the border, between spheres that have others: neither rank has all of them.
TEST(TheTimeStepOfARod, IsThatOfASerialRun) {
  const std::filesystem::path folder = testing::TempDir();
  std::ofstream(folder / "rod.csv") << "0, 0, 0, 1\n2, 0, 0, 1\n4, 0, 0, 1\n6, 0, 0, 1\n";
  const io::ReadCase read = io::read_case_text(with(R"(
bonds: {glue: {modulus: 10 GPa, poisson: 0.25}}
clusters: {rod: {csv: {file: rod.csv, scale: 0.01}, bonds: glue, distance: 1.1}}
particles: [{name: rod, cluster: rod, count: 1, place: {at: [[0, 0, 1 m]]}, orientation: identity, material: stone}]
)"),
                                               (folder / "case.yaml").string());
  ASSERT_FALSE(has_errors(read.diagnostics)) << format(read.diagnostics[0]);
  const Result<Simulation> serial = set_up(read.value, io::load_shape);
  ASSERT_TRUE(serial) << serial.error().message;
  ASSERT_EQ(serial->bonds.size(), 3u);
  ranks::run_as_threads(2, 1, [&](ranks::Ranks& ranks) {
    const Simulation part = set_up_on(ranks, read.value);
    EXPECT_EQ(part.particles.own_rows(), 2u);
    EXPECT_EQ(part.dt, serial->dt);
    Simulation dealt = *serial;  // and nothing has been made of it yet, as where the first stage has placed grains
    deal(dealt, ranks);
    EXPECT_EQ(critical_time_step(dealt), critical_time_step(*serial));
  });
}

// All ranks know of a fault that a stage begins with; the step after it has one of its own, at one rank.
TEST(AFaultThatAStageBeginsWith, GivesWayToThatOfTheNextStep) {
  const io::ReadCase read = io::read_case_text(with(R"(
time_step: 20 us
particles:
  - {name: first, count: 8, shapes: sphere, size: 1 cm, material: stone, overlap: allow, place: {at: [[0, 0, 4.9 mm],
     [1 cm, 0, 4.9 mm], [2 cm, 0, 4.9 mm], [3 cm, 0, 4.9 mm], [8 cm, 8 cm, 4.9 mm], [8 cm, 8 cm, 14.5 mm],
     [8 cm, 8 cm, 24.1 mm], [8 cm, 8 cm, 33.7 mm]]}}
stages:
  - {duration: 0.1 ms}
  - {duration: 0.1 ms, add: {tube: {cylinder: {from: [8 cm, 8 cm, -1 cm], to: [8 cm, 8 cm, 10 cm], radius: 2 mm},
     material: stone}}}
output: {every: 40 us}
)"),
                                               "case.yaml");
  ASSERT_FALSE(has_errors(read.diagnostics)) << format(read.diagnostics[0]);
  Result<Simulation> start = set_up(read.value, io::load_shape);
  ASSERT_TRUE(start) << start.error().message;
  Outcome serial;
  go(*start, read.value, 20, serial);
  EXPECT_NE(serial.end.find("(step 6)"), std::string::npos) << serial.end;
  for (const int n : {2, 5}) EXPECT_EQ(on_ranks(n, 1, read.value, 20).end, serial.end) << n << " ranks";
}

// Only where grains are placed among others is the whole put together.
TEST(AStageThatPlacesNoGrains, BeginsOnThePartsAsTheyAre) {
  const io::ReadCase read = io::read_case_text(
      with(std::string(kGrains) +
           "stages: [{duration: 1 ms}, {duration: 1 ms, cut_above: 3 cm, gravity: [1, 0, -9.81], remove: floor, add: "
           "{ground: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}}}, {duration: 1 ms, insert: "
           "[{name: late, count: 1, shapes: [sphere], size: 2 cm, material: stone, place: {at: [[5 cm, 5 cm, 9 "
           "cm]]}}]}]"),
      "case.yaml");
  ASSERT_FALSE(has_errors(read.diagnostics)) << format(read.diagnostics[0]);
  const Case& c = read.value;
  Result<Simulation> serial = set_up(c, io::load_shape);
  ASSERT_TRUE(serial) << serial.error().message;
  std::vector<std::uint64_t> hashes;
  for (int stage = 0; stage < 2; ++stage) {
    ASSERT_TRUE(begin_next_stage(*serial, c, io::load_shape));
    hashes.push_back(state_hash(*serial));
  }
  const std::size_t grains = serial->particles.size_rows();
  EXPECT_LT(grains, 201u) << "some lay above the cut";
  const Result<Simulation> of_others = place_grains(c, io::load_shape, false);
  ASSERT_TRUE(of_others) << of_others.error().message;
  EXPECT_EQ(of_others->particles.size_rows(), 0u) << "no rank but the first has the whole";
  ranks::run_as_threads(3, 1, [&](ranks::Ranks& ranks) {
    Simulation part = set_up_on(ranks, c);
    part.spread.last_division = 1e9;  // so dear that none is due
    const auto regions = part.spread.regions;
    for (int stage = 0; stage < 2; ++stage) {
      const Result<bool> begun = begin_next_stage(part, c, io::load_shape);
      if (!begun) throw std::runtime_error(begun.error().message);
      EXPECT_EQ(part.spread.regions == regions, stage == 0);
      EXPECT_LT(part.particles.own_rows(), grains);
      const std::optional<Simulation> whole = whole_at_first(part);
      if (whole) EXPECT_EQ(state_hash(*whole), hashes[static_cast<std::size_t>(stage)]) << stage;
    }
  });
}

// Told by the rank that places them, known to all, with the key that it is about.
TEST(AStageThatCannotPlaceItsGrains, IsThatOfASerialRun) {
  const io::ReadCase read = io::read_case_text(
      with(std::string(kGrains) +
           "stages: [{duration: 1 ms}, {duration: 1 ms, insert: [{name: some, count: 1, shapes: [sphere], size: 1 cm, "
           "material: stone, place: {at: [[5 cm, 5 cm, 50 cm]]}}, {name: many, count: 900, shapes: [sphere], size: 2 "
           "cm, material: stone, place: {random: {inside: {box: {min: [0, 0, 60 cm], max: [10 cm, 10 cm, 70 "
           "cm]}}}}}]}]"),
      "case.yaml");
  ASSERT_FALSE(has_errors(read.diagnostics)) << format(read.diagnostics[0]);
  const Case& c = read.value;
  Result<Simulation> serial = set_up(c, io::load_shape);
  ASSERT_TRUE(serial) << serial.error().message;
  const Result<bool> refused = begin_next_stage(*serial, c, io::load_shape);
  ASSERT_FALSE(refused);
  ranks::run_as_threads(3, 1, [&](ranks::Ranks& ranks) {
    Simulation part = set_up_on(ranks, c);
    const Result<bool> begun = begin_next_stage(part, c, io::load_shape);
    if (begun) throw std::runtime_error("the stage has begun");
    EXPECT_EQ(begun.error().message, refused.error().message);
    EXPECT_EQ(begun.error().key, refused.error().key);
  });
}

// The way of finding points hangs on whether a rank has clumps: when the last one goes to another rank, nothing of its
// parts may stay with the contacts of the spheres that are left.
TEST(SpheresThatClumpsHaveLeft, KnowOfNoParts) {
  const io::ReadCase read = io::read_case_text(R"(
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [stone, stone], law: linear, kn: 100 kN/m, friction: 0.5, restitution: 0.1}]
gravity: [0, 0, -9.81]
walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}}
particles:
  - {name: clump, count: 1, shapes: [dumbbell], size: 4 cm, orientation: identity, place: {at: [[0, 0, 2.9 cm]]},
     material: stone, overlap: allow}
  - {name: under, count: 2, shapes: [sphere], size: 2 cm, place: {at: [[13 mm, 0, 1 cm], [-13 mm, 0, 1 cm]]},
     material: stone}
  - {name: beside, count: 2, shapes: [sphere], size: 4 cm, place: {at: [[-5 cm, 20 cm, 2 cm], [-5 cm, 20 cm, 6 cm]]},
     material: stone, overlap: allow}
stages: [{duration: 1 s}]
)",
                                               "case.yaml");
  ASSERT_TRUE(read.diagnostics.empty()) << format(read.diagnostics[0]);
  Result<Simulation> start = set_up(read.value, io::load_shape);
  ASSERT_TRUE(start) << start.error().message;
  // Until the clump has touched with another part than its first for a while.
  Simulation serial = *start;
  for (int touched = 0; touched < 5 && serial.step < 4000 && !serial.fault;) {
    step(serial);
    const bool touches = std::ranges::any_of(serial.contacts.part, [](std::uint32_t part) { return part != 0; });
    touched = touches ? touched + 1 : 0;
  }
  const std::uint64_t apart_at = serial.step, end = apart_at + 200;
  ASSERT_LT(apart_at, 4000u);
  serial.list_is_valid = false;
  while (serial.step < end) step(serial);
  ranks::run_as_threads(2, 1, [&](ranks::Ranks& ranks) {
    Simulation part = *start;
    deal(part, ranks);
    const auto cut_at = [&part](double x) {
      part.spread.regions = std::make_shared<const ranks::Regions>(
          std::vector<ranks::Regions::Sample>{{{x - 1, 0, 0}, 1}, {{x, 0, 0}, 1}}, 2);
    };
    part.spread.last_division = 1e9;  // so dear that none is due
    cut_at(100);                      // all to the first one, where the clump was before the others
    part.list_is_valid = false;
    while (part.step < apart_at) step(part);
    cut_at(-0.03);
    part.list_is_valid = false;
    while (part.step < end) step(part);
    EXPECT_EQ(part.particles.own_rows(), ranks.is_first() ? 2u : 3u);
    EXPECT_TRUE(!ranks.is_first() || part.contacts.size() > 0);
    make_whole(part);
    if (ranks.is_first())
      EXPECT_EQ(state_hash(part), state_hash(serial));
    else
      EXPECT_EQ(part.particles.size_rows() + part.pairs.size() + part.contacts.size(), 0u);
  });
}

}  // namespace
}  // namespace scree

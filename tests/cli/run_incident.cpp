// LIBS: scree_validation
// What `scree run` leaves of a run that has failed: fault/, which says why, and shows the steps before it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/case/read_case.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "io/results/frame.h"
#include "io/results/incident_files.h"
#include "io/results/series.h"
#include "sim/incident.h"
#include "text_of.h"
#include "validation/validation.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

constexpr char kSpheres[] = R"(
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [stone, stone], law: linear, kn: 100 kN/m, friction_angle: 25 degree, restitution: 0.5}]
)";

class Incidents : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// `scree COMMAND`; its exit code. What it says is in `log`.
  int scree(const std::string& command) {
    const int status =
        std::system(("'" SCREE_BINARY "' " + command + " >'" + path("log") + "' 2>&1 </dev/null").c_str());
    return WEXITSTATUS(status);
  }
  std::string log() const { return text_of(path("log")); }
  /// Runs a case that has to fail; fault.json of it.
  io::IncidentRecord failed(const std::string& text) {
    std::ofstream(path("case.yaml")) << text;
    EXPECT_EQ(scree("run '" + path("case.yaml") + "' --out '" + path("out") + "' --threads 1 --quiet"), 1) << log();
    const auto record = io::read_incident_record(path("out/fault"));
    EXPECT_TRUE(record) << log();
    return record ? *record : io::IncidentRecord{};
  }
  std::vector<IncidentRow> nothing_;
  fs::path folder_ = fs::path(testing::TempDir()) / ("scree_incidents_" + std::to_string(::getpid()));
};

TEST_F(Incidents, GrainsThatMeetTooFastAreToldAsSuch) {
  const io::IncidentRecord r = failed(std::string(kSpheres) + R"(
gravity: [0, 0, 0]
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0]]}, material: stone, velocity: [40 m/s, 0, 0]}
  - {name: b, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[5 cm, 0, 0]]}, material: stone, velocity: [-40 m/s, 0, 0]}
output: {every: 1 ms}
stages: [{duration: 10 ms}]
)");
  EXPECT_EQ(r.cause, "impact");
  EXPECT_NE(r.text.find("met"), std::string::npos) << r.text;
  EXPECT_NE(r.text.find("at 80 m/s"), std::string::npos) << r.text;
  const double mass = 2650 * std::acos(-1.0) / 6 * 8e-6, brought = 0.5 * (mass / 2) * 80 * 80;
  char joule[32];
  std::snprintf(joule, sizeof joule, "%.4g J", brought);
  EXPECT_NE(r.text.find(joule), std::string::npos) << r.text << " " << joule;
  // A linear spring: kn x^2 / 2 = brought; a twentieth of 2 cm takes this many times kn.
  const double factor = 2 * brought / (1e5 * 1e-3 * 1e-3);
  std::istringstream advice(r.advice.substr(r.advice.find("about") + 5));
  double said = 0;
  advice >> said;
  EXPECT_GT(said, 0.7 * factor) << r.advice;
  EXPECT_LT(said, 1.5 * factor) << r.advice;
  EXPECT_NE(log().find(r.text), std::string::npos) << log();
  EXPECT_NE(text_of(path("out/run.json")).find("Likely cause: impact"), std::string::npos);
  EXPECT_TRUE(fs::exists(path("out/fault/report.html")));
}

TEST_F(Incidents, AWallThatComesTooFastIsToldAsSuch) {
  const io::IncidentRecord r = failed(std::string(kSpheres) + R"(
gravity: [0, 0, 0]
walls: {piston: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, velocity: [0, 0, 60 m/s], material: stone}}
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 5 cm]]}, material: stone}
output: {every: 1 ms}
stages: [{duration: 10 ms}]
)");
  EXPECT_EQ(r.cause, "wall speed");
  EXPECT_NE(r.text.find("wall 'piston'"), std::string::npos) << r.text;
  EXPECT_NE(r.text.find("the wall has 60 m/s"), std::string::npos) << r.text;
}

TEST_F(Incidents, ALoadThatContactsCannotBearIsToldAsSuch) {
  // Pressed by a servo with 100 N, which contacts of 10 kN/m bear at half of a 2 cm grain.
  const io::IncidentRecord r = failed(R"(
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [stone, stone], law: linear, kn: 10 kN/m, friction_angle: 25 degree, restitution: 0.1}]
gravity: [0, 0, 0]
walls:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}
  lid: {plane: {point: [0, 0, 2 cm], normal: [0, 0, -1]}, material: stone, servo: {force: 150 N, max_velocity: 5 cm/s}}
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 1 cm]]}, material: stone, overlap: allow}
output: {every: 10 ms}
stages: [{duration: 1 s}]
)");
  EXPECT_EQ(r.cause, "load") << r.text;
  EXPECT_NE(r.advice.find("times as stiff"), std::string::npos) << r.advice;
}

TEST_F(Incidents, GrainsPutIntoEachOtherAreToldAsSuch) {
  const io::IncidentRecord r = failed(std::string(kSpheres) + R"(
gravity: [0, 0, 0]
detection: {deepest_overlap: 0.3}
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0]]}, material: stone, overlap: allow, velocity: [20 m/s, 0, 0]}
  - {name: b, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[1.42 cm, 0, 0]]}, material: stone, overlap: allow, velocity: [-20 m/s, 0, 0]}
output: {every: 1 ms}
stages: [{duration: 10 ms}]
)");
  EXPECT_EQ(r.cause, "put into each other") << r.text;
  EXPECT_NE(r.text.find("29 %"), std::string::npos) << r.text;
}

TEST_F(Incidents, TheFolderIsOneOfResultsOfTheStepsBeforeTheFault) {
  const std::string text = std::string(kSpheres) + R"(
gravity: [0, 0, 0]
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0]]}, material: stone, velocity: [40 m/s, 0, 0]}
  - {name: b, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[60 cm, 0, 0]]}, material: stone, velocity: [-40 m/s, 0, 0]}
  - {name: far, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 2 m, 0]]}, material: stone}
output: {every: 1 ms}
stages: [{duration: 10 ms}]
)";
  const io::IncidentRecord r = failed(text);
  // The saved state is the one that the run had there: from it the fault comes again.
  const Case c = validation::sound(io::read_case(path("case.yaml"), {}));
  const auto from = io::read_checkpoint(path("out/fault/" + r.checkpoint), c, io::load_shape);
  ASSERT_TRUE(from) << from.error().message;
  Simulation s = from->state;
  EXPECT_EQ(s.step, r.step - 100);
  std::size_t frames = 0;
  for (; !s.fault; step(s), ++frames) {
    const auto frame = io::read_frame(io::numbered(path("out/fault/frames"), "frame", frames));
    ASSERT_TRUE(frame) << frame.error().message;
    ASSERT_EQ(frame->step, s.step);
    ASSERT_EQ(frame->id, (std::vector<std::uint32_t>{0, 1}));
    ASSERT_EQ(frame->position[1], s.particles.position[1]);
    ASSERT_LT(frames, 200u);
  }
  EXPECT_EQ(s.step, r.step);
  EXPECT_EQ(s.fault->message, r.message);
  EXPECT_TRUE(fs::exists(io::numbered(path("out/fault/frames"), "frame", frames)));
  EXPECT_FALSE(fs::exists(io::numbered(path("out/fault/frames"), "frame", frames + 1)));
  const std::string series = text_of(path("out/fault/series.csv"));
  EXPECT_EQ(std::count(series.begin(), series.end(), '\n'), static_cast<std::ptrdiff_t>(frames + 2));
  EXPECT_NE(text_of(path("out/fault/history.csv")).find("approach [m/s]"), std::string::npos);
  ASSERT_EQ(scree("info '" + path("out/fault") + "'"), 0) << log();
  for (const std::string& said : {r.message, r.text, r.advice, r.looked_back})
    EXPECT_NE(log().find(said), std::string::npos) << said << "\n" << log();
  // What the run has said goes with it: --force takes the folder away.
  ASSERT_EQ(scree("run '" + path("case.yaml") + "' --out '" + path("out") + "' --force --quiet --until '0.1 ms'"), 0);
  EXPECT_FALSE(fs::exists(path("out/fault")));
}

TEST_F(Incidents, AMeshIsMetAsFastAsAPlane) {
  std::ofstream(path("plate.obj")) << "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n";
  const io::IncidentRecord r = failed(std::string(kSpheres) + R"(
gravity: [0, 0, 0]
walls: {plate: {mesh: {file: plate.obj, scale: 1 m}, material: stone}}
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[1 mm, 2 mm, 20 cm]]}, material: stone, velocity: [0, 0, -60 m/s]}
output: {every: 1 ms}
stages: [{duration: 10 ms}]
)");
  EXPECT_EQ(r.cause, "impact") << r.text;
  EXPECT_NE(r.text.find("at 60 m/s"), std::string::npos) << r.text;
}

TEST_F(Incidents, AFastGrainThatAStageBringsIsNoUnstableStep) {
  const io::IncidentRecord r = failed(std::string(kSpheres) + R"(
gravity: [0, 0, 0]
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0]]}, material: stone, velocity: [0.1 m/s, 0, 0]}
output: {every: 1 ms}
stages:
  - {duration: 4 ms}
  - duration: 10 ms
    insert: [{name: b, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 20 cm]]}, material: stone, velocity: [0, 0, -90 m/s]}]
)");
  EXPECT_EQ(r.cause, "impact") << r.text;
}

TEST_F(Incidents, ASmallOverlapAllowedLongAgoIsNotBlamed) {
  const io::IncidentRecord r = failed(R"(
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [stone, stone], law: linear, kn: 10 kN/m, friction_angle: 25 degree, restitution: 0.5}]
gravity: [0, 0, 0]
walls:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone, velocity: [0, 0, 20 cm/s]}
  lid: {plane: {point: [0, 0, 1.95 cm], normal: [0, 0, -1]}, material: stone, velocity: [0, 0, -20 cm/s]}
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0.95 cm]]}, material: stone, overlap: allow}
output: {every: 1 ms}
stages: [{duration: 2 s}]
)");
  EXPECT_EQ(r.cause, "load") << r.text;
  EXPECT_NE(r.advice.find("a servo would not"), std::string::npos) << r.advice;
}

TEST_F(Incidents, AdviceNamesTheKeyOfTheLawAndItsPower) {
  // Hertz: the energy goes with the overlap to the power of 5/2.
  const io::IncidentRecord r = failed(R"(
materials: {stone: {density: 2650 kg/m^3, young_modulus: 10 MPa, poisson_ratio: 0.2}}
contacts: [{between: [stone, stone], law: hertz_mindlin, restitution: 1, friction: 0}]
gravity: [0, 0, 0]
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0]]}, material: stone, velocity: [50 m/s, 0, 0]}
  - {name: b, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[5 cm, 0, 0]]}, material: stone, velocity: [-50 m/s, 0, 0]}
output: {every: 1 ms}
stages: [{duration: 10 ms}]
)");
  EXPECT_NE(r.advice.find("(young_modulus)"), std::string::npos) << r.advice;
  const double mass = 2650 * std::acos(-1.0) / 6 * 8e-6, brought = 0.5 * (mass / 2) * 100 * 100;
  const double young = 10e6 / (2 * (1 - 0.04)), k = 4.0 / 3 * young * std::sqrt(0.005);
  const double factor = brought / (0.4 * k * std::pow(1e-3, 2.5));
  std::istringstream advice(r.advice.substr(r.advice.find("about") + 5));
  double said = 0;
  advice >> said;
  EXPECT_NEAR(said, factor, 0.12 * factor) << r.advice;
}

TEST_F(Incidents, LookBackBeginsBeforeTheTwoMet) {
  // Checkpoints every half of a millisecond: the last one lies within the contact.
  const io::IncidentRecord r = failed(std::string(kSpheres) + R"(
gravity: [0, 0, 0]
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0]]}, material: stone, velocity: [40 m/s, 0, 0]}
  - {name: b, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[60 cm, 0, 0]]}, material: stone, velocity: [-40 m/s, 0, 0]}
output: {every: 1 ms, checkpoint: 0.49 ms}
stages: [{duration: 10 ms}]
)");
  EXPECT_EQ(r.cause, "impact") << r.text;
  EXPECT_NE(r.text.find("at 80 m/s"), std::string::npos) << r.text;
}

TEST_F(Incidents, WhatAnEarlierFailureLeftIsTakenAway) {
  const std::string text = std::string(kSpheres) + R"(
gravity: [0, 0, 0]
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0]]}, material: stone, velocity: [40 m/s, 0, 0]}
  - {name: b, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[60 cm, 0, 0]]}, material: stone, velocity: [-40 m/s, 0, 0]}
output: {every: 1 ms}
stages: [{duration: 10 ms}]
)";
  (void)failed(text);
  const std::string again = "run '" + path("case.yaml") + "' --out '" + path("out") + "' --threads 1 --quiet --resume";
  // In it a run is not gone on with.
  EXPECT_EQ(scree("run '" + path("case.yaml") + "' --out '" + path("out/fault") + "' --resume"), 2);
  EXPECT_NE(log().find("the last steps of a run that has failed"), std::string::npos) << log();
  EXPECT_TRUE(fs::exists(path("out/fault/report.html")));
  ASSERT_EQ(scree(again + " --until '7.2 ms'"), 0) << log();
  EXPECT_FALSE(fs::exists(path("out/fault")));
  ASSERT_EQ(scree(again), 1) << log();
  std::size_t frames = 0, listed = io::read_file_series(path("out/fault/frames.hdf.series")).size();
  for (const auto& entry : fs::directory_iterator(path("out/fault/frames"))) frames += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(frames, listed);
  EXPECT_LT(frames, 20u) << "from the checkpoint of this session on";
}

TEST_F(Incidents, RoundingIsNoEnergyFromNothing) {
  // Two spheres in touch and at rest, far from the origin, without gravity; nothing moves but rounding.
  std::ofstream(path("case.yaml")) << std::string(kSpheres) + R"(
gravity: [0, 0, 0]
particles:
  - {name: a, count: 3, shapes: [sphere], size: 2 cm, place: {at: [[3, 0, 0], [3.02, 0, 0], [3.04, 0, 0]]}, material: stone, overlap: allow}
output: {every: 0.2 ms}
stages: [{duration: 10 ms}]
)";
  EXPECT_EQ(scree("run '" + path("case.yaml") + "' --out '" + path("out") + "' --threads 1 --quiet"), 0) << log();
}

TEST_F(Incidents, WithoutACheckpointTheNeighbourhoodIsAllThereIs) {
  Simulation s;
  s.fault = Fault{Fault::Kind::not_finite, "lost", {}, {}};
  EXPECT_EQ(likely_cause(s, nothing_).kind, Cause::Kind::unknown);
}

/// Rows that tell of two that touch since step 100, and fail at step 110.
std::vector<IncidentRow> rows_of(double approach, double energy_from_nothing) {
  std::vector<IncidentRow> rows;
  for (std::uint64_t step = 90; step <= 110; ++step) {
    IncidentRow r;
    r.step = step, r.time = 1e-5 * static_cast<double>(step);
    r.both_are_there = true, r.mass = 1, r.max_speed = 1, r.lively = 10;
    r.approach = approach, r.overlap = step < 100 ? 0 : 0.05 * static_cast<double>(step - 99);
    r.force = 10, r.energy = 5;
    r.unclosed = step < 100 ? 0 : energy_from_nothing;
    rows.push_back(r);
  }
  return rows;
}

Simulation failed_by(Fault::Kind kind) {
  Simulation s;
  s.dt = 1e-5, s.step = 110, s.time = 1.1e-3;
  s.fault = Fault{kind, "failed", {3, 4}, {}};
  return s;
}

TEST(LikelyCause, TakesTheEnergyThatTheyBroughtBeforeAllElse) {
  EXPECT_EQ(likely_cause(failed_by(Fault::Kind::overlap_too_deep), rows_of(3, 8)).kind, Cause::Kind::impact);
}

TEST(LikelyCause, EnergyFromNothingIsAnUnstableStep) {
  const Cause c = likely_cause(failed_by(Fault::Kind::overlap_too_deep), rows_of(0.1, 8));
  EXPECT_EQ(c.kind, Cause::Kind::unstable);
  EXPECT_NE(c.text.find("8 J"), std::string::npos) << c.text;
  EXPECT_EQ(likely_cause(failed_by(Fault::Kind::overlap_too_deep), rows_of(0.1, 0)).kind, Cause::Kind::load);
}

TEST(LikelyCause, NamesTheStepsWhereSpeedsJumpedBeforeTheTwoMet) {
  std::vector<IncidentRow> rows = rows_of(300, 0);
  for (IncidentRow& r : rows) r.max_speed = r.step < 95 ? 0.5 : 300, r.unclosed = r.lively = r.step < 95 ? 0 : 5e4;
  const Cause c = likely_cause(failed_by(Fault::Kind::overlap_too_deep), rows);
  EXPECT_EQ(c.kind, Cause::Kind::unstable);
  EXPECT_NE(c.text.find("from 0.5 to 300 m/s between the steps 94 and 95"), std::string::npos) << c.text;
}

TEST(LikelyCause, IsUnknownWhereTheTwoWereNeverSeen) {
  std::vector<IncidentRow> rows = rows_of(3, 0);
  for (IncidentRow& r : rows) r.both_are_there = false, r.overlap = 0;
  EXPECT_EQ(likely_cause(failed_by(Fault::Kind::overlap_too_deep), rows).kind, Cause::Kind::unknown);
  EXPECT_EQ(likely_cause(failed_by(Fault::Kind::overlap_too_deep), {rows.back()}).kind, Cause::Kind::unknown);
}

}  // namespace
}  // namespace scree

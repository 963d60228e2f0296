// LIBS: scree_io
// The cause that is told of a fault, from steps made up for it.
#include <gtest/gtest.h>

#include <cmath>

#include "io/case/read_case.h"
#include "io/library/library.h"
#include "sim/incident.h"

namespace scree {
namespace {

class LikelyCause : public testing::Test {
 protected:
  void SetUp() override { set_up_with("linear, kn: 100 kN/m, restitution: 0.3"); }
  void set_up_with(const std::string& law) {
    const io::ReadCase read = io::read_case_text(std::string(R"(
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [stone, stone], law: )" + law + R"(, friction: 0.5}]
gravity: [0, 0, 0]
particles:
  - {name: a, count: 2, shapes: [cube], size: 2 cm, place: {at: [[0, 0, 0], [4 cm, 0, 0]]}, material: stone}
stages: [{duration: 1 s}]
)"),
                                                 "case.yaml");
    ASSERT_TRUE(read.diagnostics.empty()) << format(read.diagnostics[0]);
    Result<Simulation> made = set_up(read.value, io::load_shape);
    ASSERT_TRUE(made) << made.error().message;
    s_ = std::move(*made);
    s_.fault = Fault{Fault::Kind::overlap_too_deep, "too deep", {0, 1}, {}};
  }

  /// Pressed together for ten steps: no more comes to the two than they bear.
  static std::vector<IncidentRow> pressed(double overlap, double power) {
    std::vector<IncidentRow> rows(10);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      IncidentRow& r = rows[k];
      r.step = 100 + k, r.time = 1e-3 * static_cast<double>(k), r.both_are_there = true;
      r.overlap = overlap, r.force = 70, r.energy = 2, r.mass = 1, r.power = power, r.lively = 5, r.max_speed = 1;
    }
    return rows;
  }
  Cause of(const std::vector<IncidentRow>& rows) const { return likely_cause(s_, rows); }

  Simulation s_;
};

TEST_F(LikelyCause, NeedsTwoStepsAndAContact) {
  EXPECT_EQ(of({}).kind, Cause::Kind::unknown);
  EXPECT_EQ(of({IncidentRow()}).kind, Cause::Kind::unknown);
  std::vector<IncidentRow> rows = pressed(0.2, 2);
  EXPECT_EQ(of(rows).kind, Cause::Kind::load);
  rows.back().force = 1e-12;
  EXPECT_EQ(of(rows).kind, Cause::Kind::load) << "powders bear little";
  rows.back().force = 0;
  EXPECT_EQ(of(rows).kind, Cause::Kind::unknown) << "nothing presses them";
  rows = pressed(0.2, 2);
  rows.back().overlap = 0;
  EXPECT_EQ(of(rows).kind, Cause::Kind::unknown) << "they do not touch";
  rows = pressed(0.2, 2);
  rows.back().both_are_there = false;
  EXPECT_EQ(of(rows).kind, Cause::Kind::unknown) << "one is gone";
}

// What stores no energy is told of as a linear spring; a small overlap aims at half of it.
TEST_F(LikelyCause, OfALoadTellsHowStiffContactsMustBe) {
  EXPECT_NE(of(pressed(0.2, 0)).advice.find("contacts about 4 times as stiff (kn), which bear that near 5 %"),
            std::string::npos)
      << of(pressed(0.2, 0)).advice;
  EXPECT_NE(of(pressed(0.2, 2.5)).advice.find("contacts about 8 times as stiff"), std::string::npos)
      << of(pressed(0.2, 2.5)).advice;
  EXPECT_NE(of(pressed(0.06, 2)).advice.find("contacts about 2 times as stiff (kn), which bear that near 3 %"),
            std::string::npos)
      << of(pressed(0.06, 2)).advice;
  EXPECT_NE(of(pressed(0.06, 2)).text.find("they bear 70 N at an overlap of 6 %"), std::string::npos);
}

TEST_F(LikelyCause, AdviceNamesTheKeyThatStiffensTheContacts) {
  const std::pair<const char*, const char*> keys[] = {
      {"linear, kn: 100 kN/m, restitution: 0.3, kt: 10 kN/m", "(kn)"},
      {"bloks3d, kn: 100 kN/m, ks: 10 kN/m", "(kn)"},
      {"bloks3d, kn: 0 N/m, knn: 100 kN/m^2, exponent: 2, ks: 10 kN/m", "(knn)"},
      {"energy, pressure: 10 MPa, exponent: 1, kt: 10 kN/m", "(pressure)"}};
  for (const auto& [law, key] : keys) {
    set_up_with(law);
    EXPECT_NE(of(pressed(0.2, 2)).advice.find(key), std::string::npos) << law << of(pressed(0.2, 2)).advice;
  }
}

TEST_F(LikelyCause, EnergyFromNothingIsAnUnstableStep) {
  std::vector<IncidentRow> rows = pressed(0.2, 2);
  rows.back().unclosed = 0.3 * rows.back().lively;
  EXPECT_EQ(of(rows).kind, Cause::Kind::unstable);
  EXPECT_NE(of(rows).text.find("1.5 J since step 100, of 5 J"), std::string::npos) << of(rows).text;
  rows.back().unclosed = 0.2 * rows.back().lively;
  EXPECT_EQ(of(rows).kind, Cause::Kind::load) << "not enough to be the cause";
  s_.fault->kind = Fault::Kind::energy;
  EXPECT_EQ(of(rows).kind, Cause::Kind::unstable) << "the fault says so itself";
}

// A grain that becomes ten times as fast before the two meet: by energy from nothing, measured against what came.
TEST_F(LikelyCause, ABurstBeforeTheyMetIsTheCause) {
  std::vector<IncidentRow> rows = pressed(0.2, 2);
  for (std::size_t k = 0; k < 5; ++k) rows[k].overlap = rows[k].energy = rows[k].force = 0;
  for (std::size_t k = 3; k < rows.size(); ++k) rows[k].max_speed = 11, rows[k].lively = 6, rows[k].unclosed = 0.3;
  const Cause cause = of(rows);
  EXPECT_EQ(cause.kind, Cause::Kind::unstable);
  EXPECT_NE(cause.text.find("went from 1 to 11 m/s between the steps 102 and 103"), std::string::npos) << cause.text;
  for (std::size_t k = 3; k < rows.size(); ++k) rows[k].unclosed = 0.2;
  EXPECT_EQ(of(rows).kind, Cause::Kind::load) << "it was pushed";
}

TEST_F(LikelyCause, AnImpactIsWhatBroughtMoreThanIsStored) {
  std::vector<IncidentRow> rows = pressed(0.2, 2);
  for (std::size_t k = 0; k < 9; ++k) rows[k].overlap = rows[k].energy = rows[k].force = 0, rows[k].approach = 4;
  const Cause cause = of(rows);  // mass 1 kg at 4 m/s: 8 J, of which 2 are stored at 20 %
  EXPECT_EQ(cause.kind, Cause::Kind::impact);
  EXPECT_NE(cause.text.find("brought, 8 J, presses their contact to about 40 %"), std::string::npos) << cause.text;
  EXPECT_NE(cause.advice.find("about 64 times as stiff"), std::string::npos) << cause.advice;
  s_.fault = Fault{Fault::Kind::neighbours, "too many", {0, 1}, {}};
  EXPECT_EQ(of(rows).kind, Cause::Kind::unknown) << "the message says it";
}

}  // namespace
}  // namespace scree

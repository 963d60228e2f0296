// LIBS: scree_api scree_validation
// One run, three ways to it: the command line, the public interface and the published cases' own runs.
#include <gtest/gtest.h>
#include <scree/scree.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/hash.h"
#include "cli/few_grains.h"
#include "io/case/read_case.h"
#include "io/library/library.h"
#include "sim/schedule.h"
#include "text_of.h"
#include "validation/validation.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// What a watch is told, as lines.
struct Record : RunWatch {
  std::vector<std::uint64_t> instants, checkpoints, stages;
  std::vector<double> times;
  Status output(const Simulation& s, const Totals&) override {
    instants.push_back(s.step), times.push_back(s.time);
    return ok();
  }
  void stage_begun(const Simulation& s) override { stages.push_back(s.step); }
  Result<bool> before_step(Simulation& s, bool checkpoint_is_due) override {
    if (checkpoint_is_due) checkpoints.push_back(s.step);
    return true;
  }
};

class RunDriver : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& end) const {
    return testing_cli::write_few_grains(folder_ / (name + ".yaml"), end);
  }
  static Case read(const std::string& file) { return validation::sound(io::read_case(file, {})); }
  /// `scree run`, with what comes behind the case's name; its exit code.
  int command(const std::string& file, const std::string& rest) const {
    const std::string line = "'" SCREE_BINARY "' run '" + file + "' --out '" + out() + "' --no-report --quiet " + rest +
                             " >'" + out() + ".log' 2>&1 </dev/null";
    return std::system(line.c_str());
  }
  std::string out() const { return (folder_ / "out").string(); }
  std::string recorded(const std::string& key) const {
    const std::string json = text_of(fs::path(out()) / "run.json");
    std::smatch found;
    return std::regex_search(json, found, std::regex("\"" + key + "\": *\"?([0-9a-zA-Z.]+)")) ? found[1].str() : json;
  }
  /// Steps of the rows of series.csv.
  std::vector<std::uint64_t> steps_of_rows() const {
    std::istringstream in(text_of(fs::path(out()) / "series.csv"));
    std::string line;
    std::getline(in, line);
    std::size_t column = 0;
    std::istringstream head(line);
    for (std::string name; std::getline(head, name, ',') && name.substr(0, 4) != "step";) ++column;
    std::vector<std::uint64_t> steps;
    while (std::getline(in, line)) {
      std::istringstream row(line);
      std::string cell;
      for (std::size_t k = 0; k <= column; ++k) std::getline(row, cell, ',');
      steps.push_back(std::stoull(cell));
    }
    return steps;
  }
  fs::path folder_ = fs::temp_directory_path() / ("scree_run_driver_" + std::to_string(::getpid()));
};

struct Told {
  std::string name, end;
};
void PrintTo(const Told& t, std::ostream* out) { *out << t.name; }

const std::vector<Told>& told() {
  static const std::vector<Told> all = {
      {"rest_at_an_instant",
       "output: {every: 3 ms}\n"
       "stages:\n"
       "  - {name: drop, duration: 0.1 s}\n"
       "  - {name: settle, duration: 1 s, until: {kinetic_energy_below: 20 mJ}, output: {every: 7 ms}}\n"
       "  - {name: release, remove: box.x_max, duration: 20 ms}\n"},
      {"an_instant_on_the_end_of_a_stage",
       "output: {every: 10 ms}\n"
       "stages: [{duration: 20 ms}, {duration: 20 ms, gravity: [1, 0, -9]}, {duration: 15 ms}]\n"},
      {"instants_closer_than_steps",
       "output: {every: 1e-12 s}\n"
       "stages: [{duration: 1 ms}, {duration: 1 s, until: {kinetic_energy_below: 1 J}}, {duration: 1 ms}]\n"},
      {"a_stage_shorter_than_a_step",
       "output: {every: 4 ms}\n"
       "stages: [{duration: 10 ms}, {duration: 1e-12 s, gravity: [2, 0, -9]}, {duration: 1e-12 s, output: {every: 3 "
       "ms}}, "
       "{duration: 12 ms}]\n"},
      {"a_stage_that_begins_between_instants",
       "output: {every: 2.5 ms}\nstages: [{duration: 3.3 ms}, {duration: 8 ms, output: {every: 2 ms}}]\n"},
      {"nothing_but_such_a_stage", "output: {every: 4 ms}\nstages: [{duration: 1e-12 s}]\n"},
  };
  return all;
}

class SameRun : public RunDriver, public testing::WithParamInterface<Told> {};
INSTANTIATE_TEST_SUITE_P(Case, SameRun, testing::ValuesIn(told()), [](const auto& i) { return i.param.name; });

TEST_P(SameRun, ByCommandInterfaceAndValidation) {
  const std::string file = write(GetParam().name, GetParam().end);
  const Case c = read(file);

  Record watch;
  Result<Simulation> s = set_up(c, io::load_shape);
  ASSERT_TRUE(s) << s.error().message;
  Schedule schedule(c, io::load_shape, watch);
  const RunEnd end = schedule.go(*s);
  ASSERT_EQ(end.how, RunEnd::How::finished) << end.reason;
  const std::string hash = to_hex(state_hash(*s));
  ASSERT_EQ(watch.stages.size() + 1, c.stages.size());

  Simulation staged = validation::world(c);
  validation::StagedRun(c, staged).finish();
  EXPECT_EQ(to_hex(state_hash(staged)), hash);
  EXPECT_EQ(staged.step, s->step);

  // In unequal parts, which no instant may notice.
  scree::Run run = scree::Run::open(file);
  for (double part = 1e-5; run.state() == scree::Run::State::running; part *= 1.7) run.advance(part);
  EXPECT_EQ(run.state(), scree::Run::State::finished) << run.messages();
  EXPECT_EQ(run.state_hash(), hash);
  EXPECT_EQ(run.step(), s->step);

  ASSERT_EQ(command(file, ""), 0) << text_of(out() + ".log");
  EXPECT_EQ(recorded("state_hash"), hash);
  std::vector<std::uint64_t> rows = steps_of_rows(), expected = watch.instants;
  if (expected.back() != s->step) expected.push_back(s->step);  // the closing one
  EXPECT_EQ(rows, expected);

  // Stopped where the second stage begins, and resumed.
  fs::remove_all(out());
  ASSERT_EQ(command(file, "--until '" + std::to_string(*c.stages[0].duration) + " s'"), 0) << text_of(out() + ".log");
  if (recorded("verdict") != "finished") {
    ASSERT_EQ(command(file, "--resume"), 0) << text_of(out() + ".log");
  }
  EXPECT_EQ(recorded("state_hash"), hash);
  EXPECT_EQ(steps_of_rows(), expected);

  // Stopped at any time and resumed.
  fs::remove_all(out());
  ASSERT_EQ(command(file, "--until '" + std::to_string(0.37 * s->time) + " s'"), 0) << text_of(out() + ".log");
  if (recorded("verdict") != "finished") {
    ASSERT_EQ(command(file, "--until '" + std::to_string(0.71 * s->time) + " s' --resume"), 0);
    ASSERT_EQ(command(file, "--until '" + std::to_string(0.5 * s->time) + " s' --resume"), 0);
    if (recorded("verdict") == "stopped")
      EXPECT_NE(text_of(out() + "/run.json").find(" already, later than the "), std::string::npos);
    ASSERT_EQ(command(file, "--resume"), 0) << text_of(out() + ".log");
  }
  EXPECT_EQ(recorded("state_hash"), hash);
  EXPECT_EQ(steps_of_rows(), expected);
}

TEST_F(RunDriver, InstantsAreTheStepsNearestToThem) {
  const Case c = read(write("instants", "output: {every: 3 ms}\nstages: [{duration: 30 ms}, {duration: 30 ms}]\n"));
  Record watch;
  Simulation s = validation::world(c);
  Schedule(c, io::load_shape, watch).go(s);
  ASSERT_EQ(watch.times.size(), 21u) << "0 to 60 ms, the one on the end of a stage once";
  for (std::size_t k = 0; k < watch.times.size(); ++k)
    EXPECT_NEAR(watch.times[k], 0.003 * static_cast<double>(k), 0.5001 * s.dt);
}

TEST_F(RunDriver, CheckpointsAreDueAtInstantsOfTheirOwn) {
  const Case c = read(write("checkpoints", "output: {every: 1 s, checkpoint: 5 ms}\nstages: [{duration: 21 ms}]\n"));
  Record watch;
  Simulation s = validation::world(c);
  Schedule(c, io::load_shape, watch).go(s);
  ASSERT_EQ(watch.checkpoints.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(static_cast<double>(watch.checkpoints[k]) * s.dt, 0.005 * static_cast<double>(k), 0.5001 * s.dt);
}

TEST_F(RunDriver, WhatTheWatchRefusesEndsTheRunAndIsAskedAgain) {
  struct Full : Record {
    bool is_full = true;
    Status output(const Simulation& s, const Totals& t) override {
      if (s.time > 0.005 && is_full) return Error{"the disk is full"};
      return Record::output(s, t);
    }
  } watch;
  const Case c = read(write("refused", "output: {every: 4 ms}\nstages: [{duration: 10 ms}]\n"));
  Simulation s = validation::world(c);
  Schedule schedule(c, io::load_shape, watch);
  const RunEnd end = schedule.go(s);
  EXPECT_EQ(end.how, RunEnd::How::refused);
  EXPECT_EQ(end.reason, "the disk is full");
  EXPECT_NEAR(s.time, 0.008, s.dt);
  watch.is_full = false;
  EXPECT_EQ(schedule.go(s).how, RunEnd::How::finished);
  EXPECT_EQ(watch.times.size(), 3u);
}

TEST_F(RunDriver, AFaultComesBeforeWhatTheWatchRefuses) {
  struct Full : Record {
    std::vector<std::string> warnings;
    Status stepped(const Simulation&) override { return Error{"the disk is full"}; }
    void warn(const std::string& sentence) override { warnings.push_back(sentence); }
  } watch;
  const Case c = read(write("fault", "output: {every: 4 ms}\nstages: [{duration: 10 ms}]\n"));
  Simulation s = validation::world(c);
  Schedule schedule(c, io::load_shape, watch);
  EXPECT_EQ(schedule.go(s).how, RunEnd::How::refused);
  s.particles.velocity[0].x = NAN;
  EXPECT_EQ(schedule.go(s).how, RunEnd::How::fault);
  EXPECT_EQ(watch.warnings, std::vector<std::string>{"the disk is full"});
}

TEST_F(RunDriver, StepsAloneHeedNeitherStagesNorInstants) {
  const Case c = read(write("steps", "output: {every: 4 ms}\nstages: [{duration: 2 ms}]\n"));
  Record watch;
  Simulation s = validation::world(c);
  EXPECT_EQ(Schedule(c, io::load_shape, watch).only_step(s, 0.01).how, RunEnd::How::at_time);
  EXPECT_NEAR(s.time, 0.01, s.dt);
  EXPECT_TRUE(watch.instants.empty());
  Simulation same = validation::world(c);
  validation::advance(same, 0.01);
  EXPECT_EQ(state_hash(s), state_hash(same));
}

}  // namespace
}  // namespace scree

// LIBS: scree_io
// `mpirun -n N scree run`: the files of a serial run, byte for byte; one message for all, one exit code. Left out where
// there is no mpirun, or the program was built without MPI.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "text_of.h"

namespace scree {
namespace {

namespace fs = std::filesystem;

class RunOnRanks : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    if (on_ranks(2, "run nothing.yaml") == 127) GTEST_SKIP() << "no mpirun";
    if (log().find("built without MPI") != std::string::npos) GTEST_SKIP() << log();
  }
  void TearDown() override {
    if (is_mounted_) {
      EXPECT_EQ(std::system(("umount '" + path("disk") + "'").c_str()), 0);
    }
    fs::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string log() const { return text_of(path("log")); }
  int shell(const std::string& command) const {
    return WEXITSTATUS(std::system(("cd '" + folder_.string() + "' && " + command + " >log 2>&1 </dev/null").c_str()));
  }
  int scree(const std::string& command) const { return shell("'" SCREE_BINARY "' " + command); }
  /// All within this machine, more of them than it has cores.
  static std::string by_mpirun(int n, const std::string& command) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
           "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none "
           "timeout 120 mpirun --bind-to none -n " +
           std::to_string(n) + " '" SCREE_BINARY "' " + command;
  }
  /// A copy of the program that says it is of another version.
  void copy_of_another_version(const std::string& name) const {
    std::string bytes = text_of(SCREE_BINARY);
    scree("--version");
    const std::string said = log(),
                      version = said.substr(said.find(' ') + 1, said.find_last_not_of('\n') - said.find(' '));
    for (std::size_t at = 0; (at = bytes.find(version, at)) != std::string::npos; ++at) bytes[at] = '9';
    std::ofstream(path(name), std::ios::binary) << bytes;
    fs::permissions(path(name), fs::perms::owner_all);
  }
  int on_ranks(int n, const std::string& command) const { return shell(by_mpirun(n, command)); }
  /// Begins it, waits until it has a second checkpoint in DIR, does `then` to it ($mpirun: its process) and waits for
  /// its end.
  int cut_short(int n, const std::string& command, const std::string& dir, const std::string& then) const {
    return shell(
        "{ " + by_mpirun(n, command) + " & timeout=$!; for k in $(seq 300); do test $(ls " + dir +
        "/checkpoint 2>/dev/null | wc -l) -ge 2 && break; sleep 0.1; done; mpirun=$(pgrep -P $timeout -x mpirun); " +
        then + "; wait $timeout; }");
  }
  nlohmann::json record(const std::string& folder) const {
    return nlohmann::json::parse(text_of(path(folder + "/run.json")));
  }
  void expect_same_files(const std::string& a, const std::string& b) const {
    EXPECT_EQ(record(a).at("state_hash"), record(b).at("state_hash"));
    std::size_t files = 0;
    for (const char* part : {"series.csv", "bonds.csv", "frames", "contacts"}) {
      const auto same = [&](const fs::path& file) {
        const fs::path other = folder_ / b / file.lexically_relative(folder_ / a);
        EXPECT_EQ(text_of(file.string()), text_of(other.string())) << file;
        ++files;
      };
      if (fs::is_regular_file(folder_ / a / part)) same(folder_ / a / part);
      if (!fs::is_directory(folder_ / a / part)) continue;
      for (const auto& entry : fs::directory_iterator(folder_ / a / part)) same(entry.path());
    }
    EXPECT_GT(files, 3u);
  }
  static std::string example(const std::string& name) { return "'" SCREE_SOURCE_DIR "/examples/" + name + ".yaml'"; }

  bool is_mounted_ = false;
  const fs::path folder_ = fs::path(testing::TempDir()) / ("scree_ranks_" + std::to_string(::getpid()));
};

const std::string kBox =
    " --threads 1 --no-report --set 'particles[0].count=50' --set 'gravity=[0, 0, -500]' --set 'output={every: 4 ms, "
    "contacts: true}'";

TEST_F(RunOnRanks, TheFilesAreThoseOfASerialRun) {
  const std::string run = "run " + example("box_fill") + kBox + " --until '28 ms' --out ";
  ASSERT_EQ(scree(run + "serial"), 0) << log();
  ASSERT_EQ(on_ranks(3, run + "three"), 0) << log();
  EXPECT_NE(log().find("3 ranks of 1 thread,"), std::string::npos) << log();
  EXPECT_EQ(log().find("stopped at"), log().rfind("stopped at")) << "one rank speaks";
  expect_same_files("serial", "three");
  EXPECT_EQ(record("three").at("sessions").at(0).at("ranks"), 3);
}

TEST_F(RunOnRanks, BondsBreakAsInASerialRun) {
  const std::string run = "run " + example("crush_tablet") + " --threads 1 --no-report --until '0.1 ms' --out ";
  ASSERT_EQ(scree(run + "serial"), 0) << log();
  ASSERT_EQ(on_ranks(2, run + "two"), 0) << log();
  expect_same_files("serial", "two");
}

TEST_F(RunOnRanks, GoOnWithAnyNumberOfThem) {
  const std::string run = "run " + example("box_fill") + kBox;
  ASSERT_EQ(scree(run + " --until '28 ms' --out serial"), 0) << log();
  ASSERT_EQ(on_ranks(3, run + " --until '14 ms' --out many"), 0) << log();
  ASSERT_EQ(scree(run + " --until '21 ms' --out many --resume"), 0) << log();
  ASSERT_EQ(on_ranks(4, run + " --until '28 ms' --out many --resume"), 0) << log();
  EXPECT_EQ(record("many").at("sessions").size(), 3u);
  expect_same_files("serial", "many");
}

// A wish to end at any of them, and the loss of one: a whole checkpoint is left, which any number goes on from as a
// serial run does.
TEST_F(RunOnRanks, AreEndedAndGoOn) {
  const std::string run = "run " + example("box_fill") + kBox + " --set 'output.checkpoint=1 ms' --out ";
  cut_short(2, run + "asked", "asked", "kill -USR1 $mpirun");
  EXPECT_NE(log().find("interrupted at"), std::string::npos) << log();
  EXPECT_EQ(record("asked").at("verdict").at("status"), "interrupted");
  EXPECT_NE(cut_short(3, run + "killed", "killed", "kill -9 $(pgrep -P $mpirun -f scree | tail -n 1)"), 0);
  EXPECT_EQ(record("killed").at("verdict").at("status"), "running") << "one that was killed cannot say so";
  for (const auto& [dir, n] : {std::pair("asked", 3), std::pair("killed", 2)}) {
    const auto left = record(dir);
    const double there = left.at("steps").get<double>() * left.at("dt").get<double>();
    const std::string until = " --until '" + std::to_string(there + 2e-3) + " s'", serial = std::string("of_") + dir;
    ASSERT_EQ(on_ranks(n, run + dir + " --resume" + until), 0) << log();
    ASSERT_EQ(scree(run + serial + until), 0) << log();
    expect_same_files(serial, dir);
  }
}

TEST_F(RunOnRanks, MayBeMoreThanThereAreGrains) {
  const std::string run = "run " + example("slide") + " --threads 1 --no-report --until '50 ms' --out ";
  ASSERT_EQ(scree(run + "serial"), 0) << log();
  ASSERT_EQ(on_ranks(5, run + "five"), 0) << log();
  expect_same_files("serial", "five");
}

TEST_F(RunOnRanks, WhatIsWrongIsSaidOnce) {
  EXPECT_NE(on_ranks(3, "run nothing.yaml"), 0);
  const std::string said = log(), name = "nothing.yaml: ";
  EXPECT_NE(said.find(name), std::string::npos) << said;
  EXPECT_EQ(said.find(name), said.rfind(name)) << said;
  ASSERT_EQ(on_ranks(2, "run " + example("box_fill") + kBox + " --until 0 --out there"), 0) << log();
  EXPECT_NE(on_ranks(2, "run " + example("box_fill") + kBox + " --until 0 --out there"), 0);
  const std::string holds = "holds the results of a run already";
  EXPECT_NE(log().find(holds), std::string::npos) << log();
  EXPECT_EQ(log().find(holds), log().rfind(holds)) << log();
}

TEST_F(RunOnRanks, UnlikeProgramsAreRefused) {
  copy_of_another_version("other");
  const std::string run = " run " + example("slide") + " --threads 1 --no-report --until 0 --out ";
  ASSERT_EQ(shell("./other" + run + "alone"), 0) << log();
  EXPECT_EQ(on_ranks(1, run + "two : -n 1 ./other" + run + "two"), 2) << log();
  EXPECT_NE(log().find("the arithmetic of rank 1 gives other bits"), std::string::npos) << log();
  const std::string slow = " --set 'gravity=[0, 0, -1]'";
  EXPECT_EQ(on_ranks(1, run + "two : -n 1 '" SCREE_BINARY "'" + run + "two" + slow), 2) << log();
  EXPECT_NE(log().find("rank 1 has read another case"), std::string::npos) << log();
  EXPECT_FALSE(fs::exists(path("two"))) << "nothing was begun";
}

// The first one writes: its disk is full, and all of them end with its sentence, to go on when there is room.
TEST_F(RunOnRanks, AFullDiskEndsAllOfThem) {
  fs::create_directories(path("disk"));
  const std::string disk = "'" + path("disk") + "'";
  if (::geteuid() != 0 || shell("mount -t tmpfs -o size=400k tmpfs " + disk) != 0) GTEST_SKIP() << "needs a mount";
  is_mounted_ = true;
  const std::string run =
      "run " + example("box_fill") + kBox + " --until '40 ms' --set 'output.checkpoint=4 ms' --out ";
  EXPECT_EQ(on_ranks(3, run + "disk/out"), 1) << log();
  const std::string said = log(), cannot = "scree run: cannot write";
  EXPECT_NE(said.find("no space left on device (the disk is full)"), std::string::npos) << said;
  EXPECT_EQ(said.find(cannot), said.rfind(cannot)) << said;
  EXPECT_EQ(shell("mount -o remount,size=40m " + disk), 0) << log();
  EXPECT_EQ(on_ranks(2, run + "disk/out --resume"), 0) << log();
  EXPECT_EQ(scree(run + "serial"), 0) << log();
  expect_same_files("serial", "disk/out");
}

TEST_F(RunOnRanks, AFaultIsThatOfASerialRun) {
  std::ofstream(path("fast.yaml")) << R"(
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [stone, stone], law: linear, kn: 100 kN/m, friction_angle: 25 degree, restitution: 0.5}]
gravity: [0, 0, 0]
particles:
  - {name: a, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[0, 0, 0]]}, material: stone, velocity: [40 m/s, 0, 0]}
  - {name: b, count: 1, shapes: [sphere], size: 2 cm, place: {at: [[5 cm, 0, 0]]}, material: stone, velocity: [-40 m/s, 0, 0]}
output: {every: 1 ms}
stages: [{duration: 10 ms}]
)";
  ASSERT_EQ(scree("run fast.yaml --quiet --no-report --out serial"), 1) << log();
  EXPECT_EQ(on_ranks(2, "run fast.yaml --quiet --no-report --out two"), 1) << log();
  std::string reason = record("two").at("verdict").at("reason");
  for (std::size_t at = 0; (at = reason.find("two/", at)) != std::string::npos;) reason.replace(at, 3, "serial");
  EXPECT_EQ(record("serial").at("verdict").at("reason"), reason);
  EXPECT_TRUE(fs::exists(path("two/fault/report.html")));
}

}  // namespace
}  // namespace scree

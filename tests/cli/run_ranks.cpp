// LIBS: scree_io
// `mpirun -n N scree run`: the files of a serial run, byte for byte; one message for all, one exit code. Left out where
// there is no mpirun, or the program was built without MPI.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

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
  /// By several machines, each with a folder `own` of its own; `before`: options of bench/on-machines.
  int on_machines(int n, int ranks, const std::string& before, const std::string& command) const {
    fs::create_directories(folder_ / "own");
    return shell("timeout -k 10 120 '" SCREE_SOURCE_DIR "/bench/on-machines' " + std::to_string(n) +
                 " --own own --ranks " + std::to_string(ranks) + " " + before + " -- '" SCREE_BINARY "' " + command);
  }
  bool there_are_machines() const {
    const int code = shell("timeout -k 10 60 '" SCREE_SOURCE_DIR "/bench/on-machines' 2 -- true");
    EXPECT_TRUE(code == 0 || code == 77) << code << log();
    return code == 0;
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

// By TCP between network namespaces; the results are on the first machine's disk, which no other sees.
TEST_F(RunOnRanks, OfSeveralMachinesTheFilesAreThoseOfASerialRun) {
  if (!there_are_machines()) GTEST_SKIP() << log();
  const std::string run = "run " + example("box_fill") + kBox;
  ASSERT_EQ(scree(run + " --until '28 ms' --out serial"), 0) << log();
  ASSERT_EQ(on_machines(2, 2, "", run + " --until '14 ms' --out own/many"), 0) << log();
  EXPECT_NE(log().find("2 ranks of 1 thread on 2 machines,"), std::string::npos) << log();
  ASSERT_EQ(on_machines(3, 4, "--at 2 'test -z \"$(ls own)\"'", run + " --until '28 ms' --out own/many --resume"), 0)
      << log();
  expect_same_files("serial", "own/many");
}

TEST_F(RunOnRanks, WhatIsWrongIsSaidOfItsMachine) {
  if (!there_are_machines()) GTEST_SKIP() << log();
  fs::create_directories(folder_ / "own");
  fs::copy_file(SCREE_SOURCE_DIR "/examples/box_fill.yaml", folder_ / "own/case.yaml");
  const std::string run = "run own/case.yaml" + kBox + " --until 0 --out own/out";
  EXPECT_EQ(on_machines(2, 2, "", run), 2);
  EXPECT_NE(log().find("rank 1 on machine2: own/case.yaml: no such file"), std::string::npos) << log();
  const std::string another =
      "--at 2 'sed \"s/^seed: 7/seed: 8/\" \"" SCREE_SOURCE_DIR "/examples/box_fill.yaml\" >own/case.yaml'";
  EXPECT_EQ(on_machines(2, 2, another, run), 2) << log();
  EXPECT_NE(log().find("rank 1 on machine2 has read another case than the first"), std::string::npos) << log();
  EXPECT_FALSE(fs::exists(path("own/out"))) << "nothing was begun";
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
  cut_short(2, run + "pressed", "pressed", "kill -TERM $mpirun");
  EXPECT_NE(log().find("`kill -USR1` to mpirun leaves all the time"), std::string::npos) << log();
  EXPECT_NE(cut_short(3, run + "killed", "killed", "kill -9 $(pgrep -P $mpirun -f scree | tail -n 1)"), 0);
  EXPECT_EQ(record("killed").at("verdict").at("status"), "running") << "one that was killed cannot say so";
  EXPECT_EQ(scree("info killed"), 0);
  EXPECT_NE(log().find("nobody any more: the run was killed"), std::string::npos) << log();
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

// Equal texts of a case, and unlike files that it names.
TEST_F(RunOnRanks, UnlikeFilesAreRefused) {
  for (const char* dir : {"a", "b"}) {
    fs::create_directories(folder_ / dir / "shapes");
    std::ofstream(path(std::string(dir) + "/case.yaml")) << R"(
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [stone, stone], law: linear, kn: 100 kN/m, friction: 0.5, restitution: 0.3}]
gravity: [0, 0, -9.81]
walls: {floor: {mesh: {file: floor.stl, scale: 1}, material: stone}}
particles: [{name: a, count: 3, shapes: [brick], size: 2 cm, place: {file: grains.csv}, material: stone}]
output: {every: 2 ms}
stages: [{duration: 6 ms}]
)";
    std::ofstream(path(std::string(dir) + "/grains.csv")) << "x,y,z\n0,0,0.05\n0.1,0,0.05\n0,0.1,0.05\n";
    std::ofstream(path(std::string(dir) + "/floor.stl"))
        << "solid f\nfacet normal 0 0 1\nouter loop\nvertex -1 -1 0\nvertex 1 -1 0\nvertex 0 1 0\nendloop\nendfacet\n"
           "endsolid f\n";
    std::ofstream(path(std::string(dir) + "/shapes/brick.yaml"))
        << "name: brick\nvertices: [[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],[1,1,1]]\n";
  }
  const auto change = [this](const std::string& file, const std::string& from, const std::string& to) {
    std::string text = text_of(path(file));
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
    std::ofstream(path(file)) << text;
  };
  const std::string run = "run case.yaml --threads 1 --no-report --out '" + path("out") + "'";
  const auto both = [&](const std::string& more = "") {
    const auto in = [this](const std::string& dir) {
      return "-wdir '" + path(dir) + "' -x SCREE_SHAPES='" + path(dir + "/shapes") + "'";
    };
    const std::string first = by_mpirun(1, run);  // ... -n 1 PROGRAM ...
    const std::size_t at = first.find("-n 1 ") + 5;
    return shell(first.substr(0, at) + in("a") + " " + first.substr(at) + " : -n 1 " + in("b") +
                 " '" SCREE_BINARY "' " + run + more);
  };
  const struct {
    const char *file, *from, *to, *part;
  } changes[] = {{"b/floor.stl", "vertex 0 1 0", "vertex 0 1 0.01", "walls"},
                 {"b/grains.csv", "0.1,0,0.05", "0.1,0,0.06", "particles"},
                 {"b/shapes/brick.yaml", "[1,1,1]", "[1,1,0.9]", "shapes"},
                 {"b/case.yaml", "output: {every: 2 ms}", "output: {every: 1 ms}", "text"}};
  for (const auto& c : changes) {
    change(c.file, c.from, c.to);
    EXPECT_EQ(both(), 2) << c.file << log();
    EXPECT_NE(log().find("rank 1 has read another case than the first, in what differs: " + std::string(c.part) + ";"),
              std::string::npos)
        << log();
    EXPECT_FALSE(fs::exists(path("out"))) << "nothing was begun";
    change(c.file, c.to, c.from);
  }
  EXPECT_EQ(both(" --until '4 ms'"), 2) << log();
  EXPECT_NE(log().find("rank 1 was started with other options than the first (--until)"), std::string::npos) << log();
  EXPECT_EQ(both(), 0) << log();
}

// The others need not see the folder at all, or see another state of it.
TEST_F(RunOnRanks, GoOnFromOneCheckpoint) {
  fs::create_directories(path("a")), fs::create_directories(path("b"));
  const std::string run = "run " + example("box_fill") + kBox + " --set 'output.checkpoint=7 ms' --out r ";
  const std::string there = "cd a && '" SCREE_BINARY "' ";
  ASSERT_EQ(shell(there + run + "--until '16 ms'"), 0) << log();
  fs::copy(path("a/r"), path("b/r"), fs::copy_options::recursive);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path("b/r/checkpoint"))) files.push_back(entry.path().string());
  ASSERT_EQ(files.size(), 2u);
  fs::remove(*std::ranges::max_element(files));
  const auto both = [&](const std::string& first, const std::string& second) {
    const std::string go_on = run + "--resume --until '20 ms'", all = by_mpirun(1, go_on);
    const std::size_t at = all.find("-n 1 ") + 5;
    return shell(all.substr(0, at) + "-wdir '" + path(first) + "' " + all.substr(at) + " : -n 1 -wdir '" +
                 path(second) + "' '" SCREE_BINARY "' " + go_on);
  };
  fs::create_directories(path("c"));
  EXPECT_EQ(both("c", "a"), 2) << log();
  EXPECT_EQ(both("a", "c"), 0) << log();
  EXPECT_FALSE(fs::exists(path("c/r")));
  EXPECT_EQ(both("b", "a"), 0) << log();
  ASSERT_EQ(scree(run + "--until '20 ms'"), 0) << log();
  expect_same_files("r", "a/r"), expect_same_files("r", "b/r");
}

TEST_F(RunOnRanks, ALauncherThatMpiDoesNotKnowIsRefused) {
  const std::string run = " '" SCREE_BINARY "' run " + example("slide") + " --until 0 --out there";
  for (const char* said : {"PMI_SIZE=2 PMI_RANK=1", "SLURM_NTASKS=2 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2",
                           "SLURM_STEP_NUM_TASKS=2 PMI_SIZE=2 PMI_RANK=1"}) {
    EXPECT_EQ(shell("env " + std::string(said) + run), 2) << log();
    EXPECT_NE(log().find("started as one of 2 processes, of which MPI finds 1"), std::string::npos) << log();
  }
  EXPECT_FALSE(fs::exists(path("there")));
}

// What a folder tells of the ranks is of all of them, whatever ends the run; and how to go on starts as many.
TEST_F(RunOnRanks, TheRecordIsOfAll) {
  const std::string run = "run " + example("box_fill") + kBox + " --until '28 ms' --out ";
  ASSERT_EQ(scree(run + "serial"), 0) << log();
  ASSERT_EQ(on_ranks(3, run + "three"), 0) << log();
  EXPECT_NE(log().find("To go on:\n  mpirun -n 3 scree run "), std::string::npos) << log();
  const auto looked_at = [this](const std::string& folder) {
    const auto detection = record(folder).at("detection");
    std::uint64_t all = 0;
    for (const char* name : {"planes_skipped", "planes_cached", "planes_solved", "planes_cold"})
      all += detection.at(name).get<std::uint64_t>();
    return static_cast<double>(all);
  };
  const double serial = looked_at("serial"),
               twice = record("three").at("sessions").at(0).at("spread").at("pairs_twice");
  EXPECT_GE(looked_at("three"), serial);
  EXPECT_LE(looked_at("three"), 3 * serial);
  EXPECT_GT(twice, 0);
  // A stage that cannot begin.
  const std::string narrow =
      " --set 'stages=[{duration: 4 ms}, {duration: 4 ms, insert: [{name: more, count: 4000, shapes: [cube], size: 2 "
      "cm, "
      "material: stone, place: {lattice: {inside: {min: [0, 0, 1], max: [1 cm, 1 cm, 1.01]}}}}]}]'";
  EXPECT_EQ(on_ranks(3, "run " + example("box_fill") + kBox + narrow + " --out stage"), 1) << log();
  EXPECT_NE(log().find("the next stage cannot begin"), std::string::npos) << log();
  const auto session = record("stage").at("sessions").at(0);
  EXPECT_EQ(session.at("spread").at("grains").at("mean").get<double>() * 3, 50);
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

// LIBS: scree_api
// The public interface, and that a run through it is the run of the command line.
#include <gtest/gtest.h>
#include <scree/scree.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

#include "cli/few_grains.h"

namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("scree_api_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

std::string write_case(const fs::path& folder, const std::string& stages) {
  return scree::testing_cli::write_few_grains(folder / "case.yaml", "output: {every: 3 ms}\n" + stages);
}

std::string hash_of_command_line(const std::string& case_file, const fs::path& out) {
  const std::string command = "'" SCREE_BINARY "' run '" + case_file + "' --out '" + out.string() +
                              "' --no-report --quiet --threads 2 >'" + out.string() + ".log' 2>&1 </dev/null";
  if (std::system(command.c_str()) != 0) return "the command failed: " + command;
  std::stringstream text;
  text << std::ifstream(out / "run.json").rdbuf();
  std::smatch found;
  const std::string json = text.str();
  return std::regex_search(json, found, std::regex("\"state_hash\": *\"([0-9a-f]{16})\"")) ? found[1].str()
                                                                                           : "no hash in " + json;
}

TEST(Api, RunIsBitForBitThatOfTheCommandLine) {
  const Folder folder;
  // A stage that ends by rest at an output instant, one with instants of its own, one that removes a wall.
  const std::string file =
      write_case(folder.path,
                 "stages:\n"
                 "  - {name: drop, duration: 0.1 s}\n"
                 "  - {name: settle, duration: 1 s, until: {kinetic_energy_below: 20 mJ}, output: {every: 7 ms}}\n"
                 "  - {name: release, remove: box.x_max, duration: 0.05 s}\n");
  scree::Run run = scree::Run::open(file);
  ASSERT_EQ(run.state(), scree::Run::State::running) << run.messages();
  EXPECT_EQ(run.stage(), "drop");
  double released = 0;
  while (run.advance(0.0123) == scree::Run::State::running) {
    if (released == 0 && run.stage() == "release") released = run.time();
  }
  EXPECT_EQ(run.state(), scree::Run::State::finished) << run.messages();
  EXPECT_GT(released, 0.1);
  EXPECT_LT(released, 1.0) << "the stage was to end by rest, not by its duration";
  EXPECT_EQ(run.state_hash(), hash_of_command_line(file, folder.path / "out"));
  const std::string at_end = run.state_hash();
  run.advance(1);
  EXPECT_EQ(run.state_hash(), at_end) << "a finished run stays as it is";
}

TEST(Api, RunsInSeveralThreadsDoNotMeet) {
  const Folder folder;
  const std::string file = write_case(folder.path, "stages: [{name: drop, duration: 0.1 s}]\n");
  scree::Run alone = scree::Run::open(file);
  alone.set_threads(1);
  alone.advance(HUGE_VAL);
  ASSERT_EQ(alone.state(), scree::Run::State::finished) << alone.messages();
  std::string hashes[4];
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      scree::Run run = scree::Run::open(file);
      for (int part = 0; run.state() == scree::Run::State::running; ++part)
        run.set_threads(1 + (k + part) % 3), run.advance(0.013);
      hashes[k] = run.state_hash();
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& hash : hashes) EXPECT_EQ(hash, alone.state_hash());
}

// Ever smaller: less than a step, many to the last place of the time, less than the time can tell apart.
TEST(Api, InstantsCloserThanStepsAreTheSteps) {
  const Folder folder;
  const std::string file = write_case(folder.path,
                                      "stages: [{name: drop, duration: 4 ms}, {duration: 1 s, until: "
                                      "{kinetic_energy_below: 1 J}}, {duration: 2 ms}]\n");
  std::string first;
  for (const char* every : {"1 us", "1e-15 s", "1e-29 s"}) {
    scree::Run run = scree::Run::open(file, {std::string("output.every=") + every});
    ASSERT_TRUE(run) << run.messages();
    EXPECT_EQ(run.advance(HUGE_VAL), scree::Run::State::finished) << run.messages();
    EXPECT_NEAR(run.time(), 0.006, 2.5 * run.time_step()) << "rest was looked for at the first step";
    if (first.empty()) first = run.state_hash();
    EXPECT_EQ(run.state_hash(), first);
  }
}

TEST(Api, FreeFallMovesEveryGrainAlike) {
  const Folder folder;
  scree::Run run =
      scree::Run::open(write_case(folder.path, "stages: [{duration: 1 s}]\n"),
                       {"particles[0].place.lattice.from=20 cm", "particles[0].orientation=[0.5, 0.5, 0.5, 0.5]"});
  ASSERT_TRUE(run) << run.messages();
  ASSERT_EQ(run.particle_count(), 12u);
  const auto before = run.positions();
  run.advance(0.05);
  const double t = run.time();
  EXPECT_NEAR(t, 0.05, run.time_step());
  const auto after = run.positions();
  const auto velocities = run.velocities();
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(after[i][2] - before[i][2], -9.81 * t * t / 2, 1e-10);
    EXPECT_NEAR(velocities[i][2], -9.81 * t, 1e-10);
    EXPECT_EQ(after[i][0], before[i][0]);
    EXPECT_EQ(run.ids()[i], i);
    EXPECT_EQ(run.angular_velocities()[i], (std::array<double, 3>{0, 0, 0}));
    EXPECT_NEAR(run.orientations()[i][1], 0.5, 1e-15);
    EXPECT_GE(run.sizes()[i], 0.02);
    EXPECT_LE(run.sizes()[i], 0.04);
  }
  const auto shapes = run.shapes();
  EXPECT_EQ(std::count(shapes.begin(), shapes.end(), "cube"), 6);
  EXPECT_EQ(std::count(shapes.begin(), shapes.end(), "tetrahedron"), 6);
  EXPECT_GT(run.kinetic_energy(), 0);
}

TEST(Api, RowsAreTheColumnsAsTheyLie) {
  const Folder folder;
  scree::Run run = scree::Run::open(write_case(folder.path, "stages: [{duration: 0.2 s}]\n"));
  run.advance(0.15);
  const scree::Run::Rows rows = run.rows();
  ASSERT_EQ(rows.count, run.particle_count());
  ASSERT_GT(rows.count, 3u);
  const auto ids = run.ids();
  const auto position = run.positions(), velocity = run.velocities(), force = run.forces(), torque = run.torques();
  const auto orientation = run.orientations();
  const auto size = run.sizes(), mass = run.masses(), radius = run.radii();
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto k = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), rows.id[row]) - ids.begin());
    ASSERT_LT(k, ids.size());
    EXPECT_TRUE(rows.size[row] == size[k] && rows.mass[row] == mass[k] && rows.radius[row] == radius[k]);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_EQ(rows.position[3 * row + a], position[k][a]);
      EXPECT_EQ(rows.velocity[3 * row + a], velocity[k][a]);
      EXPECT_EQ(rows.force[3 * row + a], force[k][a]);
      EXPECT_EQ(rows.torque[3 * row + a], torque[k][a]);
    }
    for (std::size_t a = 0; a < 4; ++a) EXPECT_EQ(rows.orientation[4 * row + a], orientation[k][a]);
  }
}

TEST(Api, SavedRunsGoOnWithTheSameBits) {
  const Folder folder;
  const std::string file = write_case(folder.path, "stages: [{duration: 0.3 s}]\n");
  scree::Run run = scree::Run::open(file);
  run.advance(0.2);
  const double saved_at = run.time();
  ASSERT_TRUE(run.save((folder.path / "saved").string())) << run.messages();
  run.advance(0.05);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  scree::Run again = scree::Run::open_text(text.str(), file);
  ASSERT_TRUE(again.resume((folder.path / "saved").string())) << again.messages();
  EXPECT_EQ(again.time(), saved_at);
  again.advance(0.05);
  EXPECT_EQ(again.state_hash(), run.state_hash());

  // What is saved last is found, though two later states were saved before.
  ASSERT_TRUE(run.save((folder.path / "saved").string())) << run.messages();
  scree::Run anew = scree::Run::open(file);
  anew.advance(0.01);
  ASSERT_TRUE(anew.save((folder.path / "saved").string())) << anew.messages();
  scree::Run found = scree::Run::open(file);
  ASSERT_TRUE(found.resume((folder.path / "saved").string())) << found.messages();
  EXPECT_EQ(found.state_hash(), anew.state_hash());

  const std::string before = again.state_hash();
  EXPECT_FALSE(again.resume((folder.path / "nowhere").string()));
  EXPECT_NE(again.messages().find("nowhere"), std::string::npos) << again.messages();
  EXPECT_EQ(again.state_hash(), before) << "it is as it was";
  std::ofstream(folder.path / "run.json") << "{}";
  EXPECT_FALSE(run.save(folder.path.string()));
  EXPECT_NE(run.messages().find("save into another folder"), std::string::npos) << run.messages();
  scree::Run invalid = scree::Run::open("no/such.yaml");
  EXPECT_FALSE(invalid.save((folder.path / "invalid").string()));
  EXPECT_FALSE(invalid.resume((folder.path / "saved").string()));
}

TEST(Api, AdvanceEndsWhereTheProgramWishes) {
  const Folder folder;
  scree::Run run = scree::Run::open(write_case(folder.path, "stages: [{duration: 1 s}]\n"));
  int asked = 0;
  EXPECT_EQ(run.advance(HUGE_VAL, [&] { return ++asked <= 7; }), scree::Run::State::running);
  EXPECT_EQ(run.step(), 7u);
  run.advance(3 * run.time_step());
  EXPECT_EQ(run.step(), 10u) << "nobody is asked any more";
}

// On every grain what its contacts say, with its weight; on every wall likewise; energies are those of the grains.
TEST(Api, ContactsSayWhatMovesTheGrains) {
  const Folder folder;
  scree::Run run = scree::Run::open(write_case(folder.path, "stages: [{duration: 1 s}]\n"));
  run.advance(0.4);
  const auto contacts = run.contacts();
  const auto walls = run.walls();
  const auto masses = run.masses();
  ASSERT_GT(contacts.a.size(), 10u);
  std::vector<double> up(run.particle_count(), 0);
  std::vector<double> on_wall(walls.size(), 0);
  for (std::size_t k = 0; k < contacts.a.size(); ++k) {
    up[static_cast<std::size_t>(contacts.a[k])] -= contacts.force[k][2];
    if (contacts.b[k] >= 0) {
      up[static_cast<std::size_t>(contacts.b[k])] += contacts.force[k][2];
    } else {
      on_wall[static_cast<std::size_t>(-1 - contacts.b[k])] += contacts.force[k][2];
    }
    EXPECT_GT(contacts.overlap[k], 0);
  }
  const auto forces = run.forces(), velocities = run.velocities();
  double kinetic = 0;
  for (std::size_t i = 0; i < up.size(); ++i) {
    EXPECT_NEAR(up[i] - 9.81 * masses[i], forces[i][2], 1e-9 * (1 + std::abs(up[i])));
    for (const double v : velocities[i]) kinetic += 0.5 * masses[i] * v * v;
  }
  for (const auto& wall : walls)
    EXPECT_NEAR(on_wall[wall.id], wall.force[2], 1e-9 * (1 + std::abs(wall.force[2]))) << wall.name;
  const auto energies = run.energies();
  EXPECT_NEAR(energies.kinetic_translation, kinetic, 1e-12 * kinetic);
  EXPECT_NEAR(energies.kinetic_translation + energies.kinetic_rotation, run.kinetic_energy(), 1e-15);
  EXPECT_EQ(run.materials().size(), up.size());
  EXPECT_EQ(run.radii().size(), run.torques().size());
}

// Set by a program, saved with the run, and there again where it goes on.
TEST(Api, ForcesFromOutsideAreAPartOfTheState) {
  const Folder folder;
  const std::string file = write_case(folder.path, "stages: [{name: drop, duration: 0.06 s}]\n");
  scree::Run run = scree::Run::open(file);
  const std::string falls = run.state_hash();
  std::vector<std::array<double, 3>> push(run.particle_count()), none(run.particle_count());
  EXPECT_EQ(run.outer_forces(), none);
  EXPECT_FALSE(run.set_outer_forces({}));
  EXPECT_NE(run.messages().find("forces and"), std::string::npos) << run.messages();
  EXPECT_TRUE(run.set_outer_forces(none));
  EXPECT_EQ(run.state_hash(), falls) << "nothing acts";
  for (std::size_t k = 0; k < push.size(); ++k) push[k] = {0.01 * static_cast<double>(k), 0, 20 * run.masses()[k]};
  ASSERT_TRUE(run.set_outer_forces(push, none)) << run.messages();
  EXPECT_EQ(run.outer_forces(), push);
  EXPECT_EQ(run.outer_torques(), none);
  EXPECT_NE(run.state_hash(), falls);
  run.advance(0.02);
  EXPECT_GT(run.velocities()[0][2], 0.1) << "twice their weight lifts them";
  EXPECT_GT(run.energies().work_of_outside, 0);
  const fs::path out = folder.path / "out";
  ASSERT_TRUE(run.save(out.string())) << run.messages();
  scree::Run again = scree::Run::open(file);
  ASSERT_TRUE(again.resume(out.string())) << again.messages();
  EXPECT_EQ(again.outer_forces(), push);
  run.advance(HUGE_VAL), again.advance(HUGE_VAL);
  ASSERT_EQ(run.state(), scree::Run::State::finished) << run.messages();
  EXPECT_EQ(again.state_hash(), run.state_hash());
  EXPECT_EQ(again.energies().work_of_outside, run.energies().work_of_outside);
  EXPECT_FALSE(run.set_outer_forces(push)) << "it is over";
}

// Into the run's own memory, between two calls that bound it; whatever goes on bounds it too.
TEST(Api, VelocitiesWrittenFromOutsideAreAPartOfTheState) {
  const Folder folder;
  const std::string file = write_case(folder.path, "stages: [{name: drop, duration: 0.06 s}]\n");
  scree::Run run = scree::Run::open(file);
  run.advance(0.02);
  const std::string falls = run.state_hash();
  const auto before = run.energies();
  EXPECT_TRUE(run.end_writing()) << "nothing was begun";
  scree::Run::Motion motion = run.begin_writing();
  ASSERT_EQ(motion.count, run.particle_count());
  EXPECT_EQ(motion.velocity, run.rows().velocity) << "the memory itself";
  EXPECT_EQ(motion.angular_momentum, run.rows().angular_momentum);
  motion.velocity[3] = 5;
  EXPECT_NE(run.state_hash(), falls);
  EXPECT_TRUE(run.end_writing(false));
  EXPECT_EQ(run.state_hash(), falls) << "put back";
  motion = run.begin_writing();
  motion.velocity[3] = NAN;
  EXPECT_FALSE(run.end_writing());
  EXPECT_NE(run.messages().find("is not finite"), std::string::npos) << run.messages();
  EXPECT_EQ(run.state_hash(), falls) << "put back";
  // What goes on ends it, and goes nowhere with what cannot be.
  motion = run.begin_writing();
  motion.velocity[3] = NAN;
  const std::uint64_t step = run.step();
  EXPECT_FALSE(run.set_outer_forces(run.outer_forces()));
  motion = run.begin_writing();
  motion.velocity[3] = NAN;
  EXPECT_FALSE(run.change("{gravity: [0, 0, -1 m/s^2]}"));
  motion = run.begin_writing();
  motion.velocity[3] = NAN;
  EXPECT_EQ(run.advance(0.01), scree::Run::State::running);
  EXPECT_EQ(run.step(), step);
  EXPECT_EQ(run.state_hash(), falls);
  EXPECT_EQ(run.energies().exchanged, before.exchanged);

  motion = run.begin_writing();
  for (std::size_t k = 0; k < 3 * motion.count; ++k) motion.velocity[k] *= 2;
  ASSERT_TRUE(run.end_writing()) << run.messages();
  const double kinetic = before.kinetic_translation, brought = run.energies().exchanged - before.exchanged;
  EXPECT_NEAR(brought, 3 * kinetic, 1e-12 * kinetic);
  EXPECT_NEAR(run.energies().unclosed, before.unclosed, 1e-12 * kinetic);
  const fs::path out = folder.path / "out";
  ASSERT_TRUE(run.save(out.string())) << run.messages();
  scree::Run again = scree::Run::open(file);
  ASSERT_TRUE(again.resume(out.string())) << again.messages();
  EXPECT_EQ(again.state_hash(), run.state_hash());
  run.advance(HUGE_VAL), again.advance(HUGE_VAL);
  ASSERT_EQ(run.state(), scree::Run::State::finished) << run.messages();
  EXPECT_EQ(again.state_hash(), run.state_hash());
  EXPECT_EQ(run.begin_writing().velocity, nullptr) << "it is over";
}

// The end of a record ends the writing too.
TEST(Api, ARecordHasTheVelocitiesWritten) {
  const Folder folder;
  const std::string file = write_case(folder.path, "stages: [{name: drop, duration: 0.06 s}]\n");
  const fs::path out = folder.path / "out";
  std::vector<std::array<double, 3>> velocities;
  {
    scree::Run run = scree::Run::open(file);
    ASSERT_TRUE(run.record(out.string())) << run.messages();
    run.advance(0.0031);
    const scree::Run::Motion motion = run.begin_writing();
    motion.velocity[0] = 0.25;
    velocities = run.velocities();
  }
  scree::Run again = scree::Run::open(file);
  ASSERT_TRUE(again.resume(out.string())) << again.messages();
  EXPECT_EQ(again.velocities(), velocities);
  EXPECT_NE(again.energies().exchanged, 0) << "the checkpoint of its end has it in the ledger";
  again.begin_writing().velocity[0] = 0.5;
  ASSERT_TRUE(again.end_writing());
  EXPECT_FALSE(again.record(out.string())) << "its state is no longer that of the folder";
}

TEST(Api, ChangesFromOutsideAreAPartOfTheState) {
  const Folder folder;
  const std::string file = write_case(folder.path, "stages: [{name: drop, duration: 0.2 s}]\n");
  scree::Run run = scree::Run::open(file);
  run.advance(0.02);
  const auto side = [](const scree::Run& r) {
    for (const scree::Run::Wall& w : r.walls())
      if (w.name == "box.x_max") return w;
    return scree::Run::Wall();
  };
  const std::string before = run.state_hash();
  EXPECT_FALSE(run.change("{move: {box.x_max: {velocty: [1, 0, 0]}}, gravity: [0, 0]}"));
  ASSERT_EQ(run.change_remarks().size(), 2u) << "every mistake";
  EXPECT_EQ(run.change_remarks()[0].key, "move.box.x_max.velocty");
  EXPECT_EQ(run.change_remarks()[1].key, "gravity");
  EXPECT_FALSE(run.change("{move: ["));
  EXPECT_FALSE(run.change(""));
  EXPECT_FALSE(run.change("{}", {7, 100000}));
  ASSERT_EQ(run.change_remarks().size(), 1u);
  EXPECT_NE(run.change_remarks()[0].text.find("no grain with the id 100000"), std::string::npos);
  EXPECT_EQ(run.state_hash(), before);

  const double start = side(run).point[0], t = run.time();
  const std::size_t grains = run.particle_count();
  EXPECT_TRUE(run.change("{move: {box.x_max: {velocity: [-5 cm/s, 0, 0]}}, gravity: [0, 0, 0]}", {3}))
      << run.messages();
  EXPECT_TRUE(run.change_remarks().empty());
  EXPECT_EQ(run.particle_count(), grains - 1);
  run.advance(0.01);
  EXPECT_NEAR(side(run).point[0], start - 0.05 * (run.time() - t), 1e-12);
  ASSERT_TRUE(run.save((folder.path / "saved").string())) << run.messages();
  scree::Run again = scree::Run::open(file);
  ASSERT_TRUE(again.resume((folder.path / "saved").string())) << again.messages();
  EXPECT_EQ(again.state_hash(), run.state_hash());
  run.advance(0.02), again.advance(0.02);
  EXPECT_EQ(again.state_hash(), run.state_hash());
  EXPECT_LT(side(again).point[0], side(run).point[0] + 1e-15);
}

TEST(Api, ARecordHasTheFilesOfTheCommandLine) {
  const Folder folder;
  const std::string file = write_case(folder.path, "stages: [{name: drop, duration: 0.05 s}]\n");
  const std::string out = (folder.path / "recorded").string();
  {
    scree::Run run = scree::Run::open(file);
    EXPECT_FALSE(run.is_recording());
    ASSERT_TRUE(run.record(out)) << run.messages();
    for (int k = 0; k < 3; ++k) EXPECT_FALSE(run.record((folder.path / "other").string())) << "one at a time";
    const std::string &said = run.messages(), &refusal = run.refusal();
    EXPECT_EQ(refusal.find("there is a record of the run already"), 0u) << refusal;
    EXPECT_EQ(said.find(refusal), said.rfind(refusal)) << "the last one alone: " << said;
    run.advance(0.0201);
    scree::Run moved = std::move(run);
    EXPECT_TRUE(moved.is_recording());
    moved.advance(HUGE_VAL);
    EXPECT_FALSE(moved.is_recording()) << "it ends with the run";
  }
  hash_of_command_line(file, folder.path / "out");
  const auto text = [](const fs::path& of) {
    std::stringstream all;
    all << std::ifstream(of).rdbuf();
    return all.str();
  };
  EXPECT_GT(text(fs::path(out) / "series.csv").size(), 1000u);
  EXPECT_EQ(text(fs::path(out) / "series.csv"), text(folder.path / "out" / "series.csv"));
  scree::Run other = scree::Run::open(file);
  EXPECT_FALSE(other.record(out)) << "that of another run";
  EXPECT_NE(other.messages().find("holds results"), std::string::npos) << other.messages();
}

TEST(Api, FaultyCaseGivesItsMessagesAndNothingElse) {
  const Folder folder;
  for (const std::string& file :
       {write_case(folder.path, "stages: [{durration: 1 s}]\n"), folder.path.string(), std::string("no/such.yaml")}) {
    scree::Run run = scree::Run::open(file);
    EXPECT_EQ(run.state(), scree::Run::State::invalid) << file;
    EXPECT_FALSE(run);
    EXPECT_NE(run.messages().find(file), std::string::npos) << run.messages();
    EXPECT_EQ(run.advance(1), scree::Run::State::invalid);
    EXPECT_EQ(run.particle_count(), 0u);
    EXPECT_EQ(run.stage(), "");
    EXPECT_EQ(run.time(), 0);
    EXPECT_EQ(run.state_hash().size(), 16u);
  }
  EXPECT_NE(scree::Run::open(write_case(folder.path, "stages: [{durration: 1 s}]\n")).messages().find("duration"),
            std::string::npos);
}

TEST(Api, AdvanceIgnoresWhatIsNoTimeAndTakesInfinityAsTheEnd) {
  const Folder folder;
  scree::Run run = scree::Run::open(write_case(folder.path, "stages: [{duration: 50 ms}]\n"));
  ASSERT_TRUE(run) << run.messages();
  for (const double nothing : {0.0, -1.0, std::nan("")}) EXPECT_EQ(run.advance(nothing), scree::Run::State::running);
  EXPECT_EQ(run.step(), 0u);
  EXPECT_EQ(run.advance(HUGE_VAL), scree::Run::State::finished);
  EXPECT_NEAR(run.time(), 0.05, run.time_step());
}

}  // namespace

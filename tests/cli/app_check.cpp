// What the user meets on the command line: check, info, schema, help and wrong lines.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "text_of.h"

namespace {

namespace fs = std::filesystem;
using scree::text_of;

struct Ran {
  int code = -1;
  std::string out, err;
};

/// `scree ARGUMENTS` through the shell, in the source folder.
class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    std::string pattern = (fs::temp_directory_path() / "scree_cli_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~CommandLine() override { fs::remove_all(folder_); }

  Ran run(const std::string& arguments, const std::string& before = "") {
    const fs::path out = folder_ / "stdout", err = folder_ / "stderr";
    const std::string line = "cd '" SCREE_SOURCE_DIR "' && " + before + " '" SCREE_BINARY "' " + arguments + " >'" +
                             out.string() + "' 2>'" + err.string() + "'";
    Ran r;
    const int status = std::system(line.c_str());
    r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    r.out = text_of(out), r.err = text_of(err);
    return r;
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  fs::path folder_;
};

// Pipes that are filled late, in place of a mesh that takes long.
TEST_F(CommandLine, SaysWhatItDoesWhereReadingTakesLong) {
  const std::string slow = (folder_ / "slow.yaml").string(), err = (folder_ / "stderr").string();
  ASSERT_EQ(::mkfifo(slow.c_str(), 0600), 0);
  const std::string fill = "; timeout 20 sh -c \"cat '" SCREE_SOURCE_DIR "/examples/slide.yaml' >'" + slow +
                           "'\"; } >/dev/null 2>&1 </dev/null &";
  ASSERT_EQ(
      std::system(("{ for k in $(seq 300); do grep -q reads '" + err + "' && break; sleep 0.1; done" + fill).c_str()),
      0);
  const Ran r = run("check '" + slow + "'");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "scree check: still reads " + slow + " and the files that it names\n");
  EXPECT_EQ(run("check examples/slide.yaml").err, "");
  ASSERT_EQ(std::system(("{ sleep 3" + fill).c_str()), 0);
  const Ran quiet = run("run '" + slow + "' --quiet --no-report --until 0 --out '" + (folder_ / "out").string() + "'");
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.err, "");
}

TEST_F(CommandLine, IsNotStoppedByTheWantOfAThread) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another user";
  const Ran r = run("check examples/slide.yaml", "setpriv --reuid 65534 --clear-groups prlimit --nproc=1");
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST_F(CommandLine, NumbersOfAnAbsurdCaseStayShort) {
  const Ran r = run("check examples/box_fill.yaml --set 'time_step=1e-30 s' --set 'stages[0].duration=1e20 s'");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "about 1e+50 steps")) << r.out;
  EXPECT_TRUE(has(r.out, " over 30 years on one core")) << r.out;
  EXPECT_FALSE(has(r.out, "about over")) << r.out;
}

TEST_F(CommandLine, CheckForetellsARunOnRanks) {
  const auto efficiency = [&](const std::string& options) {
    const Ran r = run("check examples/bucket.yaml " + options);
    EXPECT_EQ(r.code, 0) << r.err;
    const std::size_t at = r.out.find(" % of the speed of ");
    EXPECT_NE(at, std::string::npos) << r.out;
    return at == std::string::npos ? 0 : std::stod(r.out.substr(r.out.rfind("about ", at) + 6));
  };
  EXPECT_EQ(efficiency("--ranks 1"), 100);
  const double two = efficiency("--ranks 2"), many = efficiency("--ranks 64"),
               with_threads = efficiency("--ranks 8 --threads 8");
  EXPECT_LT(two, 100);
  EXPECT_GT(two, many);
  EXPECT_GT(with_threads, many) << "fewer copies for as many cores";
  const Ran eight = run("check examples/bucket.yaml --ranks 8 --threads 2");
  EXPECT_TRUE(has(eight.out, "8 of 2 threads: about 2950 grains and ")) << eight.out;
  EXPECT_TRUE(has(eight.out, "grains a core: fewer ranks")) << eight.out;
  // The whole is at the first alone, and the program at each.
  const auto megabytes_before = [&](const std::string& words) {
    const std::size_t at = eight.out.find(words);
    EXPECT_NE(at, std::string::npos) << eight.out;
    return at == std::string::npos ? 0 : std::stod(eight.out.substr(eight.out.rfind("  ", at) + 2));
  };
  const std::size_t each_at = eight.out.find(" copies of others' each, ");
  ASSERT_NE(each_at, std::string::npos) << eight.out;
  const double each = std::stod(eight.out.substr(each_at + 25)),
               whole = megabytes_before(" MB the first one, which sets up and writes");
  EXPECT_GT(each, 34);
  EXPECT_GT(whole, 2 * each);
  EXPECT_LT(whole, 34 + 8 * (each - 34));
  EXPECT_FALSE(has(run("check examples/bucket.yaml").out, "of the speed of"));
  EXPECT_EQ(run("check examples/bucket.yaml --threads 2").code, 2);
  EXPECT_EQ(run("check examples/bucket.yaml --ranks 0").code, 2);
  EXPECT_NE(run("check examples/bucket.yaml --ranks 1000000").out.find("most would have none"), std::string::npos);
}

TEST_F(CommandLine, AnInletThatCannotKeepItsRateIsForeseenAndTold) {
  const auto pour = [&](const std::string& rate) {
    return write(
        "pour.yaml",
        "gravity: [0, 0, 0]\nmaterials: {stone: {density: 2500}}\n"
        "contacts: [{between: [stone, stone], law: linear, kn: 1e4, friction: 0.5, restitution: 0.5}]\n"
        "particles:\n  - {name: feed, count: 5000, shapes: sphere, size: 1 cm, material: stone, velocity: [1, 0, 0],\n"
        "     place: {pour: {inside: {box: {min: [0, 0, 0], max: [10 cm, 5 cm, 5 cm]}}, mass_rate: " +
            rate + "}}}\nstages: [{duration: 0.1 s}]\n");
  };
  // 0.25 * 2500 kg/m^3 * 2.5e-4 m^3 / 0.1 s = 1.56 kg/s.
  const Ran slow = run("check " + pour("1.5 kg/s")), fast = run("check " + pour("20 kg/s"));
  EXPECT_EQ(slow.code, 0);
  EXPECT_FALSE(has(slow.err, "inlet")) << slow.err;
  EXPECT_TRUE(
      has(fast.err, "inlet feed asks for 20 kg/s; grains leave its region within 100 ms, so that about 1.56 kg/s"))
      << fast.err;
  const Ran late = run("run " + pour("20 kg/s") + " --no-report --quiet --out " + (folder_ / "out").string());
  EXPECT_EQ(late.code, 0) << late.err;
  EXPECT_TRUE(has(late.err, "warning: inlet 'feed' cannot keep its rate")) << late.err;
  EXPECT_TRUE(has(text_of(folder_ / "out" / "run.json"), "cannot keep its rate"));
}

TEST_F(CommandLine, CheckShowsTheLawsOfACaseWhoseGrainsAreYetToCome) {
  const std::string file =
      write("pour.yaml",
            "materials: {stone: {density: 2500}}\n"
            "contacts: [{between: [stone, stone], law: linear, kn: 1e4, friction: 0.5, restitution: 0.5}]\n"
            "particles:\n  - {name: feed, count: 50, shapes: sphere, size: {uniform: [1 cm, 2 cm]}, material: stone,\n"
            "     place: {pour: {inside: {box: {min: [0, 0, 0], max: [10 cm, 10 cm, 10 cm]}}, mass_rate: 1 g/s}}}\n"
            "stages: [{duration: 1 ms}]\n");
  const Ran r = run("check " + file);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "particles      0\n")) << r.out;
  EXPECT_TRUE(has(r.out, "contact        stone - stone: linear, friction 0.5, restitution 0.5")) << r.out;
  EXPECT_TRUE(has(r.out, "at 1 % of the smallest grain: kn 10 kN/m")) << r.out;
  EXPECT_TRUE(has(r.out, ", 0.33 of the critical ")) << r.out;
  const Ran ran = run("run " + file + " --no-report --quiet --out " + (folder_ / "out").string());
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto record = nlohmann::json::parse(text_of(folder_ / "out" / "run.json"), nullptr, false);
  EXPECT_GT(record.value("critical_time_step", 0.0), 0) << record;
}

TEST_F(CommandLine, WhatTurnsOutWrongWhenTheWorldIsBuiltHasItsPlaceInTheFile) {
  const std::string stone =
      "materials: {stone: {density: 2500}}\n"
      "contacts: [{between: [stone, stone], law: linear, kn: 1e6, friction: 0.5, restitution: 0.5}]\n"
      "walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}}\n";
  const auto grain = [](const std::string& place) {
    return "particles:\n  - {name: g, count: 1, shapes: cube, size: 10 cm, material: stone, place: {" + place + "}}\n";
  };
  const auto expect = [&](const std::string& text, const std::string& at, const std::string& said) {
    const std::string file = write("case.yaml", stone + text);
    for (const char* command : {"check ", "run --no-report --quiet --force --out "}) {
      const std::string out = command[0] == 'c' ? "" : (folder_ / "out").string() + " ";
      const Ran r = run(command + out + file);
      EXPECT_EQ(r.code, 2) << command;
      EXPECT_EQ(r.err.substr(0, (file + at).size()), file + at) << r.err;
      EXPECT_TRUE(has(r.err, said)) << r.err;
    }
  };
  expect(grain("at: [[0, 0, -8 cm]]") + "stages: [{duration: 1}]\n", ": particle 0 of 'g' ",
         "lies wholly behind the plane 'floor' at the start, its centre by 0.08 m, at x = (0, 0, -0.08) m");
  expect(grain("at: [[0, 0, 1]]") + "stages:\n  - {duration: 1, cut_above: -1}\n",
         ":7:19: stages[0].cut_above: ", "all grains (1) lie above -1 m");
  const std::string pour = "pour: {inside: {box: {min: [0, 0, 1], max: [1, 1, 1.01]}}, number_rate: 10 Hz}";
  expect(grain(pour) + "stages: [{duration: 1}]\n",
         ":5:5: group 'g': ", "the region is too narrow for a sphere of radius 0.08");
  expect(
      "stages:\n  - {duration: 1}\n  - duration: 1\n    insert:\n    " + grain(pour).substr(11) + "time_step: 1 us\n",
      ":8:9: group 'g': ", "the region is too narrow for a sphere of radius 0.08");
  expect(grain("at: [[0, 0, 1]]") + "time_step: 1 s\nstages: [{duration: 1}]\n",
         ":6:1: time_step: ", "above the critical time step");
}

TEST_F(CommandLine, ABedOfOneRunIsTheStartOfAnother) {
  const std::string stone =
      "materials: {stone: {density: 2500}}\n"
      "contacts: [{between: [stone, stone], law: linear, kn: 1e4, friction: 0.5, restitution: 0.3}]\n";
  const std::string bed =
      write("bed.yaml", stone +
                            "walls: {box: {box: {min: [0, 0, 0], max: [4 cm, 4 cm, 9 cm]}, material: "
                            "stone}}\nparticles: [{material: stone, shapes: [cube, sphere], count: "
                            "30, size: 6 mm, place: {lattice: {above: box}}}]\n"
                            "stages: [{duration: 20 ms}]\noutput: {every: 10 ms}\n");
  const Ran first = run("run " + bed + " --no-report --quiet --out " + (folder_ / "bed").string());
  ASSERT_EQ(first.code, 0) << first.err;
  const auto next = [&](const std::string& file) {
    return write("next.yaml", stone +
                                  "walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}}\n"
                                  "particles: [{material: stone, place: {file: " +
                                  file + "}}]\nstages: [{duration: 10 ms}]\n");
  };
  std::string checkpoint;
  for (const auto& file : fs::directory_iterator(folder_ / "bed" / "checkpoint"))
    checkpoint = std::max(checkpoint, "bed/checkpoint/" + file.path().filename().string());
  for (const std::string& file : {std::string("bed/frames/frame_000002.vtkhdf"), checkpoint}) {
    const Ran r = run("run " + next(file) + " --no-report --quiet --force --out " + (folder_ / "next").string());
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(text_of(folder_ / "next" / "run.json"), "\"particles\": 30")) << file;
    const Ran on = run("run " + next(file) + " --resume --no-report --quiet --out " + (folder_ / "next").string());
    EXPECT_EQ(on.code, 0) << on.err;
  }
  for (const char* file : {"bed/contacts/contacts_000001.vtkhdf", "bed/frames", "bed/frames/frame_000099.vtkhdf",
                           "bed/series.csv", "bed/run.json"}) {
    const Ran r = run("run " + next(file) + " --no-report --quiet --force --out " + (folder_ / "bad").string());
    EXPECT_EQ(r.code, 2) << file;
    EXPECT_TRUE(has(r.err, std::string("/") + file)) << r.err;
  }
}

TEST_F(CommandLine, CheckSaysWhatACaseTakes) {
  const Ran r = run("check examples/box_fill.yaml");
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* part : {"particles      540", "135 tetrahedron", "135 grain14", "kg, solid volume",
                           "of the critical", "at rest", "at the hardest impact", "memory", "run time",
                           "release: 500 ms, removes box.x_max", "box.z_min", "no mistakes"})
    EXPECT_TRUE(has(r.out, part)) << part << "\n" << r.out;
}

/// One grain at 2 m/s: its energy goes into the spring, so that depth = v sqrt(m/k).
TEST_F(CommandLine, CheckEstimatesTheOverlapOfAnImpact) {
  const std::string file = write("one.yaml", R"(
gravity: [0, 0, 0]
materials: {stone: {density: 1000}}
contacts: [{between: [stone, stone], law: bloks3d, kn: 1e5, ks: 1e5, friction: 0}]
walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}}
particles: [{shapes: cube, size: 0.1, orientation: identity, place: {at: [[0, 0, 1]]}, velocity: [0, 0, -2], material: stone}]
stages: [{duration: 1 s}]
)");
  const Ran r = run("check " + file);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "6.3 % at the hardest impact (2 m/s)") || has(r.out, " 6.3 % at"))
      << r.out;  // 2 sqrt(1/1e5)/0.1 = .0632
}

/// From 25 cm above a plane the lowest corner of a cube of 10 cm has less to fall than its centre, and more than its
/// bounding sphere.
TEST_F(CommandLine, CheckKnowsWhatGlobalDampingLeavesOfAFall) {
  const auto speed = [&](const std::string& options) {
    const Ran r = run("check examples/box_fill.yaml " + options);
    EXPECT_EQ(r.code, 0) << r.err;
    const std::size_t at = r.out.find("hardest impact (");
    EXPECT_NE(at, std::string::npos) << r.out;
    return at == std::string::npos ? std::string() : r.out.substr(at, r.out.find(')', at) - at);
  };
  const std::string free = speed(""), damped = "--set 'damping={global: 50 1/s}' ";
  EXPECT_TRUE(has(run("check examples/box_fill.yaml " + damped).out, "a fall ends at 196.2 mm/s"));
  EXPECT_EQ(speed(damped), "hardest impact (196.2 mm/s");
  EXPECT_EQ(speed(damped + "--set 'stages[1].damping={global: 0}'"), free) << "it may still be falling then";
}

/// The first number with its unit behind `before` (B).
double bytes(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << text;
  if (at == std::string::npos) return 0.0;
  std::istringstream in(text.substr(at + before.size()));
  double value = 0;
  std::string unit;
  in >> value >> unit;
  return value * (unit == "MB" ? 1e6 : 1e3);
}

// Of its state, which is the same everywhere; the process holds more, by its libraries.
TEST_F(CommandLine, CheckForeseesTheMemoryOfAPackedBed) {
  for (const auto& [kind, count] :
       {std::pair("sphere", 200), std::pair("tetrahedron", 200), std::pair("stone_angular", 140),
        std::pair("dumbbell", 200), std::pair("angle", 200)}) {
    const std::string file = write(
        std::string(kind) + ".yaml",
        "gravity: [0, 0, -9.81]\n"
        "materials: {stone: {density: 2400 kg/m^3}}\n"
        "contacts: [{between: [stone, stone], law: linear, kn: 20 kN/m, kt: 10 kN/m, friction: .5, restitution: .3}]\n"
        "walls: {box: {box: {min: [0, 0, 0], max: [.45, .45, 5], open: [z_max]}, material: stone}}\n"
        "particles: [{name: bed, material: stone, shapes: [" +
            std::string(kind) + "], size: {uniform: [6 cm, 8 cm]}, count: " + std::to_string(count) +
            ", place: {lattice: {above: box, spacing: 11 cm}}}]\n"
            "stages: [{name: fall, duration: 800 ms}]\noutput: {every: 800 ms}\n");
    const Ran check = run("check " + file);
    ASSERT_EQ(check.code, 0) << check.err;
    const std::string out = (folder_ / kind).string();
    const Ran ran = run("run " + file + " --out " + out + " --threads 1 --no-report --quiet");
    ASSERT_EQ(ran.code, 0) << ran.err;
    const auto record = nlohmann::json::parse(text_of(fs::path(out) / "run.json"));
    const double ratio = bytes(check.out, "MB, ") / record["state_bytes"].get<double>();
    EXPECT_GT(ratio, 0.75) << kind;
    EXPECT_LT(ratio, 1.25) << kind;
  }
}

// Grains of radii R and r are candidates where their centres lie within R + r: with as much solid, half of them small
// ones, they are <(R + r)^3>/8<R^3> as many as those of one size, in the plane <(R + r)^2>/4<R^2>.
TEST_F(CommandLine, CheckForeseesFewerCandidatesWhereSizesDiffer) {
  for (const int dimensions : {2, 3}) {
    const auto state = [&](double small_size) {
      const auto group = [&](const char* name, double size, double x) {
        return fmt::format(
            "  - {{name: {}, material: stone, shapes: [{}], size: {} cm, count: 3000, place: "
            "{{lattice: {{inside: {{min: [{}, 0, 0], max: [{}, 40, {}]}}}}}}}}\n",
            name, dimensions == 2 ? "disc" : "sphere", size, x, x + 40, dimensions == 2 ? 0 : 40);
      };
      const std::string file = write(
          "sizes.yaml", fmt::format("dimensions: {}\n", dimensions) +
                            "gravity: [0, -9.81, 0]\nmaterials: {stone: {density: 2400 kg/m^3}}\n"
                            "contacts: [{between: [stone, stone], law: linear, kn: 20 kN/m, kt: 10 kN/m, friction: "
                            ".5, restitution: .3}]\nparticles:\n" +
                            group("large", 8, 0) + group("small", small_size, 100) + "stages: [{duration: 1 ms}]\n");
      const Ran check = run("check " + file);
      EXPECT_EQ(check.code, 0) << check.err;
      return bytes(check.out, "MB, ");
    };
    const double equal = state(8), half = state(4), quarter = state(2);
    const double lost = dimensions == 2 ? (9.0 / 68) / (1.0 / 20) : (27.0 / 104) / (1.0 / 8);
    EXPECT_NEAR((equal - quarter) / (equal - half), lost, 0.06 * lost) << dimensions;
  }
}

TEST_F(CommandLine, CheckSaysHowManyGrainsBeforeItMakesThem) {
  const Ran many = run(
      "check examples/impact.yaml --set 'particles[0]={name: bed, shapes: sphere, size: 0.1 mm, material: bed, count: "
      "600000, place: {lattice: {inside: {min: [-40 mm, -20 mm, -90 mm], max: [40 mm, 20 mm, 100 mm]}}}}'");
  const std::string notice = "setting up 600000 grains, which take about ";
  ASSERT_TRUE(has(many.err, notice) && has(many.err, " GB once they are packed")) << many.err;
  const auto after = [](const std::string& text, const std::string& before) {
    const std::size_t at = text.find(before);
    return at == std::string::npos ? 0 : std::stod(text.substr(at + before.size()));
  };
  const double foreseen = after(many.out, "memory         about ");
  EXPECT_GT(foreseen, 0);
  EXPECT_NEAR(after(many.err, notice), foreseen, 0.1 * foreseen) << "as check says in the end";
  EXPECT_FALSE(has(run("check examples/impact.yaml").err, "setting up"));
}

TEST_F(CommandLine, CheckLetsAGrainFallByItsShape) {
  const auto check = [&](const char* orientation, const char* more) {
    return run("check " +
               write("falls.yaml", std::string("materials: {stone: {density: 1000}}\ngravity: [0, 0, -9.81]\n"
                                               "contacts: [{between: [any, any], law: bloks3d, kn: 1e5, ks: 1e5, "
                                               "friction: 0}]\nwalls: {floor: {plane: {point: [0, 0, 0], normal: [0, "
                                               "0, 1]}, material: stone") +
                                       more + "}}\nparticles: [{shapes: cube, size: 0.1, orientation: " + orientation +
                                       ", place: {at: [[0, 0, 0.25]]}, material: stone}]\nstages: [{duration: 1 s}]\n"))
        .out;
  };
  const auto at = [](double way, double more) {
    char text[40];
    std::snprintf(text, sizeof text, "(%.4g m/s", std::sqrt(2 * 9.81 * way) + more);
    return std::string(text);
  };
  const std::string flat = check("identity", ""), edge = check("[0.9238795325112867, 0.3826834323650898, 0, 0]", ""),
                    moving = check("identity", ", velocity: [0, 0, 1]");
  EXPECT_TRUE(has(flat, at(0.2, 0))) << flat;
  EXPECT_TRUE(has(edge, at(0.25 - std::sqrt(0.005), 0))) << edge;
  EXPECT_TRUE(has(moving, at(0.2, 1))) << moving;
}

// By stiffness and damping, or by E, nu and e: check shows the other.
TEST_F(CommandLine, CheckShowsLawsBothWays) {
  const auto check = [&](const std::string& material, const std::string& law) {
    return run("check " +
               write("both.yaml", "materials: {stone: {density: 2500" + material +
                                      "}}\ncontacts: [{between: [stone, stone], friction: 0.5, " + law +
                                      "}]\nparticles: [{shapes: sphere, size: 1 cm, place: {at: [[0, 0, 0]]}, "
                                      "material: stone}]\nstages: [{duration: 1 s}]\n"))
        .out;
  };
  const std::string hertz =
      check(", young_modulus: 10 MPa, poisson_ratio: 0.25, restitution: 0.6", "law: hertz_mindlin");
  EXPECT_TRUE(has(hertz, "hertz_mindlin, friction 0.5, restitution 0.6 (")) << hertz;
  EXPECT_TRUE(has(hertz, "as Hertz' law E* 5.333 MPa: of like materials E 10 MPa, nu 0.25\n")) << hertz;
  // Two spheres of 1 cm: kn 2 E* sqrt(R* depth) with R* 2.5 mm and 0.1 mm, kt 6/7 of it.
  EXPECT_TRUE(has(hertz, "kn 5.333 kN/m, kt 4.571 kN/m,")) << hertz;
  const std::string springs = check("", "law: linear, kn: 8 kN/m, kt: 6.857142857 kN/m, restitution: 0.6");
  // As stiff there: F = 4/3 E* sqrt(R* depth) depth.
  EXPECT_TRUE(has(springs, "linear, friction 0.5, restitution 0.6 (")) << springs;
  EXPECT_TRUE(has(springs, "as Hertz' law E* 12 MPa: of like materials E 22.5 MPa, nu 0.25\n")) << springs;
  const std::string damped = check("", "law: linear, kn: 8 kN/m, kt: 4 kN/m, damping_ratio: 0.1");
  EXPECT_TRUE(has(damped, " (0.1 of critical damping)")) << damped;
  EXPECT_TRUE(has(damped, "E* 12 MPa (kt/kn 0.5: as no isotropic material, 0.667 to 1.33)\n")) << damped;
}

/// A grain of 1 kg and a spring of 100 kN/m: 2 m/s are a depth of 6.3 mm.
TEST_F(CommandLine, CheckKnowsThatWallsMove) {
  std::ofstream(folder_ / "blade.obj") << "v 0 -0.1 0\nv 2 -0.1 0\nv 2 0.1 0\nv 0 0.1 0\nf 1 2 3 4\n";
  std::ofstream(folder_ / "path.csv") << "time,x,y,z\n0,0,0,0\n1,0,0,0\n1.5,0,1,0\n3,0,1,0.1\n";
  const auto check = [&](const std::string& wall, const std::string& stage, const std::string& velocity = "[0, 0, 0]") {
    return run(
        "check " +
        write("moving.yaml",
              "gravity: [0, 0, 0]\nmaterials: {stone: {density: 1000}}\ntime_step: 1 ms\n"
              "contacts: [{between: [stone, stone], law: linear, kn: 1e5, friction: 0, restitution: 1}]\n"
              "walls: {w: {" +
                  wall +
                  ", material: stone}}\n"
                  "particles: [{shapes: cube, size: 0.1, orientation: identity, place: {at: [[0, 3, 1]]}, velocity: " +
                  velocity + ", material: stone}]\nstages: [{duration: 1 s" + stage + "}]\n"));
  };
  const auto expect = [&](const Ran& r, const std::string& part) {
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, part)) << part << "\n" << r.out << r.err;
  };
  const std::string plane = "plane: {point: [0, 0, 0], normal: [0, 0, 1]}",
                    mesh = "mesh: {file: blade.obj, scale: 1 m}";
  const std::string two = " 6.3 % at the hardest impact (2 m/s against the moving 'w')";
  expect(check(plane, ""), " 0 % at the hardest impact (0 m/s)");
  expect(check(plane + ", velocity: [5, 0, 2]", ""), two);  // what runs along it hits nothing
  expect(check(plane + ", velocity: [0, 0, -0.5]", "", "[0, 0, 1.5]"), two);
  expect(check(plane + ", oscillation: {amplitude: [0, 0, 2 cm], frequency: 15.91549431 Hz}", ""), two);
  expect(check(plane, ", move: {w: {velocity: [0, 0, 2]}}"), two);
  expect(check(mesh + ", velocity: [1.2, 1.6, 0]", ""), two);
  expect(check(mesh + ", path: {file: path.csv}", ""), two);
  // Its farthest corners are 2 m from the axis along y.
  expect(check(mesh + ", rotation: {axis: [0, 1, 0], through: [0, 0, 0], rate: 1 rad/s}", ""), two);
  expect(check(mesh + ", rotation: {axis: [0, 1, 0], through: [0, 0, 0], swing: 0.05, swing_frequency: 3.183098862 Hz}",
               ""),
         two);
  const Ran fast = check(mesh + ", velocity: [0, 0, 100]", "");
  EXPECT_TRUE(has(fast.err,
                  "the mesh 'w' moves at up to 100 m/s, by 100 mm a step; a grain that meets it at more than "
                  "half of its inner radius a step stops the run: a time step below 250 us lets it meet"))
      << fast.err;
  EXPECT_TRUE(has(fast.err, "grains that meet the moving wall 'w' at 100 m/s may overlap by 316 % of their size"))
      << fast.err;
  EXPECT_FALSE(has(check(mesh + ", velocity: [0, 0, 20]", "").err, "a step"));
}

TEST_F(CommandLine, CheckPutsPairsWithTheSameLawTogether) {
  const Ran r = run("check examples/slide.yaml");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "contact        viscous - free: bloks3d")) << r.out;
  EXPECT_TRUE(has(r.out, "contact        free - free, viscous - viscous: bloks3d")) << r.out;
  EXPECT_TRUE(has(r.out, "contact        free - capped, capped - capped, capped - viscous: bloks3d")) << r.out;
  EXPECT_TRUE(has(r.out, "(damping: ratio 0.3, sliding 0.01, sticking 0.9)")) << r.out;
}

TEST_F(CommandLine, OneGrainNeedsNoLawWithItself) {
  const auto balls = [&](const std::string& places) {
    return write("balls.yaml",
                 "materials: {ball: {density: 2500}, floor: {density: 2500}}\n"
                 "contacts: [{between: [ball, floor], law: linear, kn: 1e4, friction: 0.5, restitution: 0.5}]\n"
                 "walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: floor}}\n"
                 "particles: [{shapes: sphere, size: 1 cm, material: ball, place: {at: [" +
                     places + "]}}]\nstages: [{duration: 10 ms}]\n");
  };
  const Ran one = run("run " + balls("[0, 0, 1 cm]") + " --no-report -o " + (folder_ / "one").string());
  EXPECT_EQ(one.code, 0) << one.err;
  const Ran two = run("check " + balls("[0, 0, 1 cm], [0, 0, 3 cm]"));
  EXPECT_EQ(two.code, 2);
  EXPECT_TRUE(has(two.err, "no law between ball and ball")) << two.err;
}

TEST_F(CommandLine, CheckShowsEveryMistakeAndExits2) {
  const std::string file = write("bad.yaml", "titel: x\nmaterials: {stone: {density: 3 GPa}}\nstages: []\n");
  const Ran r = run("check " + file);
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, file + ":1:1: titel: unknown key; did you mean title?\n" + file +
                       ":2:30: materials.stone.density: expected a density, got 3 GPa (pressure)\n" + file +
                       ":3:9: stages: expected a list of 1 to 10000 maps, got a list of 0\n" + file + ": 3 mistakes\n");
}

TEST_F(CommandLine, CheckTakesOverrides) {
  EXPECT_TRUE(has(run("check examples/box_fill.yaml --set 'particles[0].count=100' --set 'time_step=1e-6 s'").out,
                  "particles      100"));
  const Ran r = run("check examples/box_fill.yaml --set 'particles[0].cuont=100'");
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "--set particles[0].cuont=100: particles[0].cuont: unknown key; did you mean count?"))
      << r.err;
}

TEST_F(CommandLine, ATimeStepAboveTheCriticalOneIsAMistakeAndNearItAWarning) {
  const Ran above = run("check examples/box_fill.yaml --set 'time_step=1 s'");
  EXPECT_EQ(above.code, 2);
  EXPECT_TRUE(has(above.err, "above the critical time step")) << above.err;
  const Ran near = run("check examples/box_fill.yaml --set 'time_step={fraction: 0.9}'");
  EXPECT_EQ(near.code, 0);
  EXPECT_TRUE(has(near.err, "warning: time_step: ")) << near.err;
  EXPECT_EQ(run("check examples/box_fill.yaml").err, "");
  const Ran hardens =
      run("check examples/box_fill.yaml --set 'contacts[0].kn=0 N/m' --set 'contacts[0].exponent=10' --set "
          "'contacts[0].knn=1e32 N/m^10'");
  EXPECT_EQ(hardens.code, 0);
  EXPECT_TRUE(has(hardens.err, "warning: time_step: at the hardest impact contacts are 37 times as stiff"))
      << hardens.err;
}

/// Hills of n by n cells over a square of 1 m, as OBJ.
std::string hills(int n) {
  std::string text;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      text +=
          fmt::format("v {} {} {}\n", 1.0 * i / n, 1.0 * j / n, 0.02 * std::sin(7.0 * i / n) * std::cos(9.0 * j / n));
  const auto at = [n](int i, int j) { return 1 + i * (n + 1) + j; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      text += fmt::format("f {0} {1} {2}\nf {0} {2} {3}\n", at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
  return text;
}

TEST_F(CommandLine, AMeshOfTooManyFacetsForItsGrainsIsToldWithWhatHelps) {
  write("hills.obj", hills(100));
  const std::string file = write("case.yaml", R"(
materials: {rock: {density: 2650 kg/m^3}}
contacts: [{between: [any, any], law: bloks3d, kn: 100 kN/m, ks: 80 kN/m, friction: 0.5, damping: {ratio: 0.3}}]
walls: {ground: {mesh: {file: hills.obj, scale: 1 m}, material: rock}}
particles: [{material: rock, count: 200, shapes: [cube, pyramid], size: 6 cm, place: {random: {inside: {box: {min: [5 cm, 5 cm, 6 cm], max: [95 cm, 95 cm, 60 cm]}}}}}]
stages: [{duration: 0.2 s}]
)");
  const Ran fine = run("check " + file);
  EXPECT_EQ(fine.code, 0) << fine.err;
  EXPECT_TRUE(has(fine.err,
                  "warning: the mesh 'ground' has about 56 facets under a grain of 60 mm, which makes the run "
                  "about "))
      << fine.err;
  EXPECT_TRUE(has(fine.err, "times as long: walls.ground.mesh.simplify: 600 um draws it with fewer")) << fine.err;
  EXPECT_TRUE(has(fine.out, "ground: 20000 triangles, ")) << fine.out;
  const Ran coarse = run("check " + file + " --set 'walls.ground.mesh.simplify=0.6 mm'");
  EXPECT_EQ(coarse.code, 0) << coarse.err;
  EXPECT_FALSE(has(coarse.err, "facets")) << coarse.err;
  EXPECT_TRUE(has(coarse.out, " triangles in place of 20000, ")) << coarse.out;
  const Ran spheres = run("check " + file + " --set 'particles[0].shapes=sphere'");
  EXPECT_FALSE(has(spheres.err, "facets")) << spheres.err;
  for (const char* bad : {"0 mm", "-1 mm", "1 kg", "none"}) {
    const Ran r = run("check " + file + " --set 'walls.ground.mesh.simplify=" + bad + "'");
    EXPECT_EQ(r.code, 2) << bad;
    EXPECT_TRUE(has(r.err, "walls.ground.mesh.simplify: expected a length")) << r.err;
  }
}

TEST_F(CommandLine, HugeCountsEndInASentence) {
  const Ran r = run("check examples/box_fill.yaml --set 'particles[0].count=100000000'", "ulimit -v 4000000;");
  EXPECT_TRUE(r.code == 2 || r.code == 1) << r.code;
  EXPECT_TRUE(has(r.err, "memory")) << r.err;
}

struct Line {
  const char* arguments;
  int code;
  const char* said;
};
class Lines : public CommandLine, public testing::WithParamInterface<Line> {};
TEST_P(Lines, EndAsTheyShould) {
  const Ran r = run(GetParam().arguments);
  EXPECT_EQ(r.code, GetParam().code);
  EXPECT_TRUE(has(r.code == 0 ? r.out : r.err, GetParam().said)) << r.out << r.err;
  EXPECT_TRUE(r.code == 0 || r.out.empty()) << r.out;
}
INSTANTIATE_TEST_SUITE_P(
    Rows, Lines,
    testing::Values(
        Line{"", 2, "Usage: scree"}, Line{"--help", 0, "scree check examples/box_fill.yaml"},
        Line{"--version", 0, "scree 0."}, Line{"chekc x", 2, "scree: unknown command chekc; did you mean check?"},
        Line{"--verison", 2, "unknown option --verison; did you mean --version?"},
        Line{"check", 2, "scree check: CASE is required"},
        Line{"check --sett x", 2, "unknown option --sett; did you mean --set?"},
        Line{"check --sett", 2, "unknown option --sett; did you mean --set?"},
        Line{"check a b", 2, "unexpected argument b"}, Line{"run --help", 0, "Example"},
        Line{"check --help", 0, "Example"}, Line{"info --help", 0, "Example"}, Line{"view --help", 0, "xample"},
        Line{"shape --help", 0, "xample"}, Line{"schema --help", 0, "Example"}, Line{"bench --help", 0, "xample"},
        Line{"check nowhere.yaml", 2, "nowhere.yaml: no such file; searched in "},
        Line{"check examples", 2, "examples: is a folder; a case file was expected"},
        Line{"check example/box_fill.yaml", 2, "is not there either"},
        Line{"check examples/boxfill.yaml", 2, "did you mean box_fill.yaml?"},
        Line{"info nowhere", 2, "no such file or folder"}, Line{"info README.md", 2, "not a file that Scree knows"},
        Line{"info tests", 2, "without a readable run.json"}, Line{"info examples/slide.yaml", 0, "1 capped: cube"},
        Line{"info shapes/cube.yaml", 0, "8 vertices, 6 faces"}));

TEST_F(CommandLine, InfoKnowsMeshesAndRefusesDamage) {
  const std::string mesh =
      write("t.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n");
  const Ran r = run("info " + mesh);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "yes: convex, 4 vertices, 4 faces")) << r.out;
  for (const char* name : {"x.h5", "x.vtkhdf", "x.stl", "x.ply"}) {
    const Ran bad = run("info " + write(name, "garbage"));
    EXPECT_EQ(bad.code, 2) << name;
    EXPECT_TRUE(bad.err.starts_with("scree info: ")) << bad.err;
  }
  fs::create_directory(folder_ / "results");
  for (const char* text : {"{", "[]", "{}", "{\"verdict\": 3, \"stages\": {}}"}) {
    write("results/run.json", text);
    const Ran odd = run("info " + (folder_ / "results").string());
    EXPECT_TRUE(odd.code == 0 || odd.code == 2) << text;
  }
}

TEST_F(CommandLine, SchemaIsJsonWithEveryKeyDescribed) {
  const Ran r = run("schema");
  EXPECT_EQ(r.code, 0);
  const auto j = nlohmann::json::parse(r.out, nullptr, false);
  ASSERT_TRUE(j.is_object());
  EXPECT_EQ(j["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(j["required"], nlohmann::json({"materials", "stages"}));
  EXPECT_EQ(j["additionalProperties"], false);
  for (const auto& [key, value] : j["properties"].items()) EXPECT_TRUE(value.contains("description")) << key;
  EXPECT_TRUE(j["/properties/stages/items/properties/insert/items/properties/place/properties/lattice"_json_pointer]
                  .is_object());
}

/// For editors, which complete them; every name is allowed all the same, of folders that are named later.
TEST_F(CommandLine, SchemaNamesTheMaterialsOfTheLibrary) {
  const auto j = nlohmann::json::parse(run("schema").out, nullptr, false);
  const auto from = j["/properties/materials/patternProperties"_json_pointer].front()["properties"]["from"];
  std::vector<std::string> listed;
  for (const fs::directory_entry& file : fs::directory_iterator(SCREE_SOURCE_DIR "/materials"))
    if (file.path().extension() == ".yaml") listed.push_back(file.path().stem().string());
  std::ranges::sort(listed);
  ASSERT_GT(listed.size(), 10u);
  EXPECT_EQ(from["anyOf"][0], nlohmann::json({{"enum", listed}}));
  EXPECT_EQ(from["anyOf"][1], nlohmann::json({{"type", "string"}, {"minLength", 1}}));
  EXPECT_TRUE(from["description"].is_string());
}

/// An independent reader of JSON schemas finds the examples right and broken ones wrong.
TEST_F(CommandLine, SchemaAcceptsTheExamples) {
  if (std::system("python3 -c 'import jsonschema, yaml' 2>/dev/null") != 0)
    GTEST_SKIP() << "needs python3-jsonschema and python3-yaml";
  write("schema.json", run("schema").out);
  const std::string program = write("hold.py", R"(
import glob, json, sys, yaml, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
files = glob.glob(sys.argv[2] + '/*.yaml')
assert len(files) >= 3
for f in files:
    case = yaml.safe_load(open(f))
    wrong = list(validator.iter_errors(case))
    assert not wrong, (f, wrong)
    case['materials'].update(more={'from': 'steel'}, own={'from': 'my_steel', 'density': 8000})
    assert not list(validator.iter_errors(case)), f
    for spoil in (lambda c: c['materials'].update(more={}), lambda c: c['materials'].update(more={'from': ['steel']}),
                  lambda c: c.update(titel='x'), lambda c: c.pop('stages'), lambda c: c['materials'].update({'a b': {'density': 1}}),
                  lambda c: c['particles'][0].update(size='abc'), lambda c: c['particles'][0].pop('material'),
                  lambda c: c['contacts'][0].update(friction=0.3, friction_angle=0.3), lambda c: c.update(detection={'neighbours': 'fast'})):
        broken = yaml.safe_load(open(f))
        spoil(broken)
        assert list(validator.iter_errors(broken)), (f, spoil)
)");
  const std::string line =
      "python3 '" + program + "' '" + (folder_ / "schema.json").string() + "' '" SCREE_SOURCE_DIR "/examples'";
  EXPECT_EQ(std::system(line.c_str()), 0);
}

TEST_F(CommandLine, MessagesOffATerminalHaveNoColours) {
  EXPECT_FALSE(has(run("check " + write("bad.yaml", "titel: x\n")).err, "\033"));
}

TEST_F(CommandLine, AFullDiskIsNotSuccess) {
  const std::string line = "'" SCREE_BINARY "' schema >/dev/full 2>/dev/null";
  const int status = std::system(line.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace

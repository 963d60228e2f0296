// The place in the file of what turns out wrong when the world is built, whatever the parts of the case are called.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/case/read_case.h"
#include "io/case/set_up_mistake.h"
#include "io/library/library.h"
#include "sim/simulation.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

/// "LINE:COLUMN" of what set_up says of the case, with materials and walls that are called like keys.
std::string place_of_mistake(const std::string& text, std::string* said, const std::vector<std::string>& set = {}) {
  const fs::path file = fs::path(testing::TempDir()) / ("scree_set_up_mistake_" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(file) << "materials: {density: {density: 2500}}\n"
                         "contacts: [{between: [density, density], law: linear, kn: 1e6, friction: 0.5, "
                         "restitution: 0.5}]\n"
                         "walls: {count: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: density}}\n"
                      << text;
  const ReadCase read = read_case(file.string(), set);
  std::string place = "the case cannot be read";
  if (!has_errors(read.diagnostics)) {
    const Result<Simulation> s = set_up(read.value, load_shape);
    const Diagnostic d = s ? Diagnostic{} : set_up_mistake(read.value, set, s.error());
    place = (d.file == file ? "" : d.file + " ") + std::to_string(d.line) + ":" + std::to_string(d.column),
    *said = d.message;
  } else {
    *said = format(read.diagnostics[0]);
  }
  fs::remove(file);
  return place;
}

std::string group(const std::string& name, const std::string& place) {
  return "  - {name: \"" + name + "\", count: 1, shapes: cube, size: 10 cm, material: density, place: {" + place +
         "}}\n";
}

TEST(SetUpMistake, IsOfTheKeyThoughAGroupHasItsName) {
  std::string said;
  for (const char* name : {"time_step", "grains", "count", "density"}) {
    EXPECT_EQ(place_of_mistake(
                  "particles:\n" + group(name, "at: [[0, 0, 1]]") + "time_step: 1 s\nstages: [{duration: 1}]\n", &said),
              "6:1")
        << name << ": " << said;
    EXPECT_NE(said.find("above the critical time step"), std::string::npos) << said;
  }
}

TEST(SetUpMistake, IsOfTheGroupThoughItHasTheNameOfAKey) {
  std::string said;
  const std::string narrow = "pour: {inside: {box: {min: [0, 0, 1], max: [1, 1, 1.01]}}, number_rate: 10 Hz}";
  for (const char* name : {"time_step", "gravity", "grains", "count", "density", "a", "a': b"}) {
    EXPECT_EQ(place_of_mistake("gravity: [0, 0, -1]\ntime_step: 1 us\nparticles:\n" + group(name, narrow) +
                                   (std::string(name) == "a': b" ? group("a", "at: [[0, 0, 5]]") : "") +
                                   "stages: [{duration: 1}]\n",
                               &said),
              "7:5")
        << name << ": " << said;
    EXPECT_NE(said.find("too narrow"), std::string::npos) << said;
  }
}

/// What an override brought stands in the override.
TEST(SetUpMistake, IsOfTheOverrideThatMadeIt) {
  std::string said;
  const std::string place = place_of_mistake(
      "particles:\n" + group("a", "at: [[0, 0, 1]]") + "stages: [{duration: 1}]\n", &said, {"time_step=1 s"});
  EXPECT_TRUE(place.starts_with("--set time_step=1 s ")) << place << ": " << said;
  EXPECT_NE(said.find("above the critical time step"), std::string::npos) << said;
}

}  // namespace
}  // namespace scree::io

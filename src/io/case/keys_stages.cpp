// Keys of a case: stages, time step and output. A table in one function: a row for each key.
#include <numbers>

#include "io/case/given.h"
#include "io/case/keys.h"
#include "sim/case.h"

namespace scree::io {

std::vector<Key> stages_keys() {
  using namespace dimension;
  using namespace forms;
  static const Range right_angle{0, std::numbers::pi / 2, false, true};
  return {
      Key{"stages",
          {list_of(map(), 1, kMaxMaps)},
          kRequired,
          "What happens, one after the other. Changes are made when a stage begins."},
      Key{"stages[].name", {name()}, "stage_1, stage_2, ...", "Name of the stage."}.hashed(HashRule::free),
      Key{"stages[].duration", {quantity(time, kAboveZero)}, "until `until` ends it", "How long it lasts at most."}
          .hashed(HashRule::begun)
          .to(&Case::Stage::duration),
      Key{"stages[].until", {map()}, "until `duration` is over", "Ends the stage early."},
      Key{"stages[].until.kinetic_energy_below",
          {quantity(energy, kAboveZero)},
          kRequired,
          "Mean kinetic energy per grain, without the spin of spheres, under which the stage ends."}
          .hashed(HashRule::begun)
          .to(&Case::Stage::kinetic_energy_below),
      Key{"stages[].remove",
          {name(), list_of(name(), 0, kMaxNames)},
          "none",
          "Walls that go: a plane, a side such as box.x_max, or a whole box."},
      Key{"stages[].add", {names()}, "none", "Walls that come."}.keys_of("walls"),
      Key{"stages[].gravity", {vector(acceleration)}, "as before", "New gravity."}.to(&Case::Stage::gravity, kPlaced),
      Key{"stages[].damping", {map()}, "as before", "New damping of all motion; `global: 0` ends it."}.keys_of(
          "damping"),
      Key{"stages[].friction", {list_of(map(), 0, kMaxMaps)}, "as before", "New friction between materials."},
      Key{"stages[].friction[].between",
          {list_of(name(), 2, 2)},
          kRequired,
          "The two materials; `any` stands for all of them."},
      Key{"stages[].friction[].friction_angle", {quantity(angle, right_angle)}, kOneOf, "Angle of friction."}.to(
          &given::Friction::angle),
      Key{"stages[].friction[].friction", {number(kFromZero)}, kOneOf, "Coefficient of friction."}.to(
          &given::Friction::coefficient),
      Key{"stages[].move",
          {references()},
          "as before",
          "Walls that get a new motion in place of the one they have: a plane, a mesh, a side or a whole box; an empty "
          "map stops them."},
      Key{"stages[].move.*.velocity", {vector(velocity)}, kOfMember, "Velocity from now on."}.to(
          &boundary::Motion::velocity, kPlaced),
      Key{"stages[].move.*.oscillation", {map()}, "none", "From now on."}.keys_of("walls.*.oscillation"),
      Key{"stages[].move.*.rotation", {map()}, "none", "From now on."}.keys_of("walls.*.rotation"),
      Key{"stages[].move.*.path", {map()}, "none", "From now on."}.keys_of("walls.*.path"),
      Key{"stages[].move.*.surface_velocity", {vector(velocity)}, kOfMember, "From now on."}.to(
          &boundary::Motion::surface_velocity, kPlaced),
      Key{"stages[].move.*.free", {map()}, "none", "From now on."}.keys_of("walls.*.free"),
      Key{"stages[].move.*.servo", {map()}, "none", "From now on."}.keys_of("walls.*.servo"),
      Key{"stages[].cut_above",
          {quantity(length)},
          "none",
          "Removes the grains whose centroid lies higher than this, up being against gravity."}
          .to(&Case::CutAbove::height),
      Key{"stages[].insert", {list_of(map(), 0, kMaxMaps)}, "none", "Grains that come."}.keys_of("particles"),
      Key{"stages[].open",
          {name(), list_of(name(), 0, kMaxNames)},
          "as before",
          "Outlets, and groups that are poured, that open (again)."},
      Key{"stages[].close", {name(), list_of(name(), 0, kMaxNames)}, "as before", "Those that close."},
      Key{"stages[].measure",
          {text(), list_of(text(), 0, kMaxNames)},
          "none",
          "Columns of series.csv of which the stage's mean, extremes and last value are told."}
          .hashed(HashRule::free),
      Key{"stages[].output", {map()}, "as in `output`", "Output during this stage."}.hashed(HashRule::free),
      Key{"stages[].output.every", {quantity(time, kAboveZero)}, kRequired, "Time between frames."}
          .hashed(HashRule::free)
          .to(&Case::Stage::output_every),
      Key{"time_step",
          {words({"auto"}), quantity(time, kAboveZero), map()},
          "auto",
          "Time step: chosen, given, or chosen as a fraction of the critical one."}
          .to(&Case::TimeStep::fixed),
      Key{"time_step.fraction",
          {number({0, 1, true, false})},
          kOfMember,
          "Fraction of the step that the springs alone would allow."}
          .to(&Case::TimeStep::fraction),
      Key{"output", {map()}, "as below", "What is written while the case runs."}.hashed(HashRule::free),
      Key{"output.every",
          {quantity(time, kAboveZero)},
          kOfMember,
          "Time between frames and between rows of series.csv."}
          .in("ms")
          .to(&Case::Output::every)
          .hashed(HashRule::free),
      Key{"output.checkpoint", {quantity(time, kAboveZero)}, "at the end only", "Time between checkpoints."}
          .to(&Case::Output::checkpoint)
          .hashed(HashRule::free),
      Key{"output.contacts", {flag()}, kOfMember, "Write contact forces into the frames."}
          .to(&Case::Output::contacts)
          .hashed(HashRule::free),
      Key{"output.plots", {list_of(map(), 0, 100)}, "none", "Plots that stand first in the report."}.hashed(
          HashRule::free),
      Key{"output.plots[].title", {text()}, "from its columns", "What stands above it."}
          .to(&Case::Plot::title)
          .hashed(HashRule::free),
      Key{"output.plots[].of",
          {text(), list_of(text(), 1, kMaxNames)},
          kRequired,
          "Columns of series.csv, all of one unit: names without units, or how several names begin."}
          .hashed(HashRule::free),
      Key{"output.plots[].over", {text()}, kOfMember, "The column that they stand over, as stress over strain."}
          .to(&Case::Plot::over)
          .hashed(HashRule::free),
  };
}

}  // namespace scree::io

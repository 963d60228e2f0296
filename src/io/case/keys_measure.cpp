// Keys of a case: measurements. A table in one function: a row for each key.
#include "io/case/keys.h"
#include "sim/case.h"

namespace scree::io {

std::vector<Key> measure_keys() {
  using namespace dimension;
  using namespace forms;
  return {
      Key{"measure", {names()}, "none", "What series.csv measures beside its own columns; docs/measurements.md."}
          .hashed(HashRule::free),
      Key{"measure.*.solid_fraction", {map()}, kOneOf, "Solid fraction and void ratio in a region."}.hashed(
          HashRule::free),
      Key{"measure.*.solid_fraction.inside", {map()}, kRequired, "The region."}
          .keys_of("particles[].place.random.inside")
          .hashed(HashRule::free),
      Key{"measure.*.stress",
          {map()},
          kOneOf,
          "Love-Weber stress from contact and bond forces in a region; pressing is positive."}
          .hashed(HashRule::free),
      Key{"measure.*.stress.inside", {map()}, kRequired, "The region."}
          .keys_of("particles[].place.random.inside")
          .hashed(HashRule::free),
      Key{"measure.*.coordination", {map()}, kOneOf, "Contacts per grain with other grains, with and without rattlers."}
          .hashed(HashRule::free),
      Key{"measure.*.coordination.inside", {map()}, "everywhere", "A region."}
          .keys_of("particles[].place.random.inside")
          .hashed(HashRule::free),
      Key{"measure.*.fabric", {map()}, kOneOf, "Mean of n n over the normals of contacts between grains."}.hashed(
          HashRule::free),
      Key{"measure.*.fabric.inside", {map()}, "everywhere", "A region."}
          .keys_of("particles[].place.random.inside")
          .hashed(HashRule::free),
      Key{"measure.*.flow", {map()}, kOneOf, "Grains and mass that have crossed a plane, and the mass flow."},
      Key{"measure.*.flow.point", {vector(length)}, kRequired, "Any point of the plane."}.to(&Case::Measure::point),
      Key{"measure.*.flow.normal", {list_of(number(kAny), 3, 3)}, kRequired, "Direction that counts as positive."}.to(
          &Case::Measure::normal, kFlatDirection),
      Key{"measure.*.mixing", {map()}, kOneOf, "Lacey's index of a material among the others: 0 apart, 1 mixed."}
          .hashed(HashRule::free),
      Key{"measure.*.mixing.material", {name()}, kRequired, "One of the materials of grains."}.hashed(HashRule::free),
      Key{"measure.*.mixing.inside", {map()}, kRequired, "A box."}
          .keys_of("particles[].place.random.inside")
          .hashed(HashRule::free),
      Key{"measure.*.mixing.cells",
          {list_of(integer({1, 1000}), 3, 3)},
          kRequired,
          "Into how many cells the box is divided along x, y and z."}
          .to(&Case::Measure::cells)
          .hashed(HashRule::free),
      Key{"measure.*.repose", {map()}, kOneOf, "Angle of repose of a heap, from its surface, and its height."}.hashed(
          HashRule::free),
      Key{"measure.*.repose.inside", {map()}, "everywhere", "A region."}
          .keys_of("particles[].place.random.inside")
          .hashed(HashRule::free),
      Key{"measure.*.repose.centre",
          {vector(length)},
          "the mean centroid",
          "A point of the heap's axis, which is along gravity."}
          .to(&Case::Measure::centre)
          .hashed(HashRule::free),
      Key{"measure.*.track",
          {list_of(integer({0, 4294967294.0}), 1, kMaxNames)},
          kOneOf,
          "Positions and velocities of the grains of these ids."}
          .to(&Case::Measure::ids)
          .hashed(HashRule::free),
      Key{"measure.*.size_distribution", {map()}, kOneOf, "d10, d50 and d90 by mass."}.hashed(HashRule::free),
      Key{"measure.*.size_distribution.of",
          {},
          kOfMember,
          "Grains, by their size; or what bonds hold together, as spheres of its volume."}
          .choice(&Case::Measure::of_fragments, {{"grains", false}, {"fragments", true}})
          .hashed(HashRule::free),
      Key{"measure.*.size_distribution.inside", {map()}, "everywhere", "A region."}
          .keys_of("particles[].place.random.inside")
          .hashed(HashRule::free),
  };
}

}  // namespace scree::io

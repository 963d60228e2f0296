// Keys of a case: grains: sizes, places, outlets. A table in one function: a row for each key.
#include "io/case/given.h"
#include "io/case/keys.h"
#include "io/grains/grain_file.h"
#include "sim/case.h"

namespace scree::io {

std::vector<Key> grains_keys() {
  using namespace dimension;
  using namespace forms;
  static const char* const beyond = "0.135 % cut off";
  return {
      Key{"particles", {list_of(map(), 0, kMaxMaps)}, "[]", "Groups of grains that are there at the start."},
      Key{"particles[].name", {name()}, "group_1, group_2, ...", "Name of the group."},
      Key{"particles[].count",
          {integer({1, 1e8})},
          "required with lattice, random and pour",
          "Number of grains; with `at` and `file` the number of points."}
          .to(&Case::Group::count),
      Key{"particles[].shapes",
          {name(), list_of(name(), 1, kMaxNames)},
          "those of place.file; else this or `cluster` is required",
          "Shapes of the library in equal parts; `scree shape list` names them."},
      Key{"particles[].cluster",
          {name()},
          "none",
          "One of the clusters, in place of shapes; `count` of them are made."},
      Key{"particles[].size",
          {quantity(length, kAboveZero), map()},
          "required with shapes, unless a file has it",
          "Factor on the shape's coordinates; `scree shape show` says what it measures."},
      Key{"particles[].size.uniform",
          {list_of(quantity(length, kAboveZero), 2, 2)},
          kOneOf,
          "Smallest and largest size, all between equally likely."}
          .to(&given::Uniform::ends),
      Key{"particles[].size.normal", {map()}, kOneOf, "Normal distribution by number, cut off."},
      Key{"particles[].size.normal.mean", {quantity(length, kAboveZero)}, kRequired, "Before it is cut."}.to(
          &given::Normal::mean),
      Key{"particles[].size.normal.deviation", {quantity(length, kAboveZero)}, kRequired, "Standard, before it is cut."}
          .to(&given::Normal::deviation),
      Key{"particles[].size.normal.min", {quantity(length, kAboveZero)}, beyond, "No grain is smaller."}.to(
          &given::Normal::min),
      Key{"particles[].size.normal.max", {quantity(length, kAboveZero)}, beyond, "No grain is larger."}.to(
          &given::Normal::max),
      Key{"particles[].size.log_normal", {map()}, kOneOf, "Log-normal distribution by number, cut off."},
      Key{"particles[].size.log_normal.median", {quantity(length, kAboveZero)}, kRequired, "Before it is cut."}.to(
          &given::LogNormal::median),
      Key{"particles[].size.log_normal.geometric_deviation",
          {number({1, 100, true, false})},
          kRequired,
          "Geometric standard deviation: median times this is one deviation up."}
          .to(&given::LogNormal::deviation),
      Key{"particles[].size.log_normal.min", {quantity(length, kAboveZero)}, beyond, "No grain is smaller."}.to(
          &given::LogNormal::min),
      Key{"particles[].size.log_normal.max", {quantity(length, kAboveZero)}, beyond, "No grain is larger."}.to(
          &given::LogNormal::max),
      Key{"particles[].size.weibull", {map()}, kOneOf, "Weibull distribution by number, cut off."},
      Key{"particles[].size.weibull.scale", {quantity(length, kAboveZero)}, kRequired, "63.2 % are smaller."}.to(
          &given::Weibull::scale),
      Key{"particles[].size.weibull.modulus", {number({0.1, 1000})}, kRequired, "Large: narrow."}.to(
          &given::Weibull::modulus),
      Key{"particles[].size.weibull.min", {quantity(length, kAboveZero)}, beyond, "No grain is smaller."}.to(
          &given::Weibull::min),
      Key{"particles[].size.weibull.max", {quantity(length, kAboveZero)}, beyond, "No grain is larger."}.to(
          &given::Weibull::max),
      Key{"particles[].size.sieve",
          {map()},
          kOneOf,
          "Sieve curve, by mass: between two openings a straight line over the logarithm of the size."},
      Key{"particles[].size.sieve.openings",
          {list_of(quantity(length, kAboveZero), 2, kMaxMaps)},
          kRequired,
          "From the finest sieve up."}
          .to(&given::Sieve::openings),
      Key{"particles[].size.sieve.passing",
          {list_of(number({0, 1}), 2, kMaxMaps)},
          kRequired,
          "Share of the mass that passes each, from 0 to 1 (or 0 % to 100 %)."}
          .to(&given::Sieve::passing),
      Key{"particles[].size.values", {map()}, kOneOf, "A few sizes, drawn at random."},
      Key{"particles[].size.values.sizes",
          {list_of(quantity(length, kAboveZero), 1, kMaxMaps)},
          kRequired,
          "The sizes."}
          .to(&given::Values::sizes),
      Key{"particles[].size.values.shares",
          {list_of(number(kFromZero), 1, kMaxMaps)},
          "equal",
          "How much there is of each, on any scale."}
          .to(&given::Values::shares),
      Key{"particles[].size.values.by", {}, kOfMember, "What the shares are of."}.choice(
          &given::Values::by_mass, {{"number", false}, {"mass", true}}),
      Key{"particles[].size.file",
          {text(), map()},
          kOneOf,
          "File of sizes, one a line, of which each grain draws one; also with a column size, r or d; or a run's "
          "output."},
      Key{"particles[].size.file.path", {text()}, kRequired, "The file, from the folder of the case."},
      Key{"particles[].size.file.unit",
          {text()},
          kOfMember,
          "Of lengths whose column does not name its own, as in r [mm]."}
          .to(&GrainFileAs::unit),
      Key{"particles[].size.file.columns",
          {list_of(text(), 1, 64)},
          "its header, else x y z r; of a run's output all",
          "What the columns are: x y z, r or d or size, vx vy vz, wx wy wz, qw qx qy qz, shape; - passes one over. Of "
          "a run's output those that are taken."}
          .to(&GrainFileAs::columns),
      Key{"particles[].size.file.other_rows",
          {},
          kOfMember,
          "Rows with another number of columns: a mistake, or passed over."}
          .choice(&GrainFileAs::skips_other_rows, {{"refuse", false}, {"skip", true}}),
      Key{"particles[].orientation",
          {words({"random", "identity"}), list_of(number(kAny), 4, 4)},
          "random",
          "Random, as drawn in the library, or a unit quaternion [w, x, y, z]."},
      Key{"particles[].place", {map()}, kRequired, "Where the grains are at the start."},
      Key{"particles[].place.lattice",
          {map()},
          kOneOf,
          "Rows and layers over the floor of a box or in a region, filled from below, in random order."},
      Key{"particles[].place.lattice.above", {name()}, kOneOf, "The box."},
      Key{"particles[].place.lattice.inside", {map()}, kOneOf, "A region without walls."},
      Key{"particles[].place.lattice.inside.min", {vector(length)}, kRequired, "Corner with the smallest coordinates."}
          .to(&given::Corners::min, kPlaced),
      Key{"particles[].place.lattice.inside.max", {vector(length)}, kRequired, "Opposite corner."}.to(
          &given::Corners::max, kPlaced),
      Key{"particles[].place.lattice.from",
          {quantity(length, kFromZero)},
          kOfMember,
          "Height of the lowest layer's underside above the floor of the box or region."}
          .to(&Case::Lattice::from),
      Key{"particles[].place.lattice.spacing",
          {quantity(length, kAboveZero)},
          "the largest grain's bounding diameter, times 1 + 2 `jitter`",
          "Distance of neighbours."}
          .to(&Case::Lattice::spacing),
      Key{"particles[].place.lattice.jitter",
          {number({0, 0.5, false, true})},
          kOfMember,
          "Share of the spacing by which a grain stands off the centre of its cell, at most and along each axis; less "
          "where it would leave the cell."}
          .to(&Case::Lattice::jitter),
      Key{"particles[].place.at", {list_of(vector(length), 1)}, kOneOf, "Centroids, one for each grain or cluster."},
      Key{"particles[].place.file",
          {text(), map()},
          kOneOf,
          "A frame or a checkpoint of an earlier run, or a text table with one grain or cluster a line: centroids, "
          "with sizes, velocities, orientations and shapes if it has them."}
          .keys_of("particles[].size.file"),
      Key{"particles[].place.file.of_material",
          {text()},
          "all grains",
          "Of a frame or a checkpoint only the grains of this material of the earlier run."}
          .to(&GrainFileAs::of_material),
      Key{"particles[].place.random", {map()}, kOneOf, "Anywhere in a region, without overlap, large ones first."},
      Key{"particles[].place.random.inside", {map()}, kRequired, "The region; grains lie wholly inside."},
      Key{"particles[].place.random.inside.box", {map()}, kOneOf, "A box along the axes."},
      Key{"particles[].place.random.inside.box.min",
          {vector(length)},
          kRequired,
          "Corner with the smallest coordinates."}
          .to(&given::Box::min),
      Key{"particles[].place.random.inside.box.max", {vector(length)}, kRequired, "Opposite corner."}.to(
          &given::Box::max),
      Key{"particles[].place.random.inside.cylinder", {map()}, kOneOf, "A cylinder along any axis."},
      Key{"particles[].place.random.inside.cylinder.from", {vector(length)}, kRequired, "Centre of one end."}.to(
          &given::Tube::from),
      Key{"particles[].place.random.inside.cylinder.to", {vector(length)}, kRequired, "Centre of the other end."}.to(
          &given::Tube::to),
      Key{"particles[].place.random.inside.cylinder.radius",
          {quantity(length, kAboveZero)},
          kRequired,
          "Of the cylinder."}
          .to(&given::Tube::radius),
      Key{"particles[].place.random.gap", {quantity(length, kFromZero)}, kOfMember, "Kept at least between neighbours."}
          .to(&Case::AtRandom::gap),
      Key{"particles[].place.pour",
          {map()},
          kOneOf,
          "Grains come while the case runs, at random free places of a region, until `count` of them have."},
      Key{"particles[].place.pour.inside",
          {map()},
          kRequired,
          "The region; grains come wholly inside, clear of others by their bounding spheres."}
          .keys_of("particles[].place.random.inside"),
      Key{"particles[].place.pour.mass_rate", {quantity(mass_flow, kAboveZero)}, kOneOf, "Mass per time."}.to(
          &Case::Pour::mass_rate),
      Key{"particles[].place.pour.number_rate", {quantity(frequency, kAboveZero)}, kOneOf, "Grains per time."}.to(
          &Case::Pour::number_rate),
      Key{"particles[].place.pour.duration",
          {quantity(time, kAboveZero)},
          "until all have come",
          "How long it pours, from when it opens."}
          .to(&Case::Pour::duration),
      Key{"particles[].place.pour.gap", {quantity(length, kFromZero)}, kOfMember, "Kept at least to all that is there."}
          .to(&Case::Pour::gap),
      Key{"particles[].material", {name()}, kRequired, "One of the materials."},
      Key{"particles[].overlap",
          {},
          kOfMember,
          "Whether grains may overlap others or walls by more than 5 % of their size when they come."}
          .hashed(HashRule::if_given)
          .choice(&Case::Group::may_overlap, {{"refuse", false}, {"allow", true}}),
      Key{"particles[].velocity", {vector(velocity)}, kOfMember, "Velocity at the start."}.to(&Case::Group::velocity,
                                                                                              kPlaced),
      Key{"particles[].angular_velocity",
          {vector(angular_velocity)},
          kOfMember,
          "Angular velocity at the start, in the space frame."}
          .to(&Case::Group::angular_velocity, kSpin),
      Key{"outlets", {names()}, "none", "Where grains are taken away and counted, by names that you choose."},
      Key{"outlets.*.inside", {map()}, kOneOf, "Grains whose centroid is in this region."}.keys_of(
          "particles[].place.random.inside"),
      Key{"outlets.*.beyond", {map()}, kOneOf, "Grains whose centroid is beyond a plane."},
      Key{"outlets.*.beyond.point", {vector(length)}, kRequired, "Any point of the plane."}.to(&Case::Outlet::point),
      Key{"outlets.*.beyond.normal",
          {list_of(number(kAny), 3, 3)},
          kRequired,
          "Direction to where grains are taken away; its length does not matter."}
          .to(&Case::Outlet::normal, kFlatDirection),
      Key{"outlets.*.open", {flag()}, kOfMember, "Whether it is open from the start; stages open and close it."}.to(
          &Case::Outlet::open),
  };
}

}  // namespace scree::io

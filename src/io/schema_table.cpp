#include <numbers>

#include "io/schema.h"

namespace scree::io {

namespace {

using Kind = Form::Kind;
using Forms = std::vector<Form>;

// Far beyond any real case, and few enough that looking names up one by one takes no time.
constexpr std::size_t kMaxNames = 1000, kMaxMaps = 10000;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Range kAny{}, kAboveZero{0, kInf, true, false}, kFromZero{0, kInf, false, false};

Form text() { return {}; }
Form name() { return {.kind = Kind::name}; }
Form flag() { return {.kind = Kind::flag}; }
Form words(std::vector<std::string> w) { return {.kind = Kind::words, .words = std::move(w)}; }
Form integer(Range r) { return {.kind = Kind::integer, .range = r}; }
Form number(Range r) { return {.kind = Kind::number, .range = r}; }
Form quantity(const Dimension& d, Range r = kAny) { return {.kind = Kind::quantity, .dimension = d, .range = r}; }
Form list_of(Form item, std::size_t least = 0, std::size_t most = kMaxNodes) {
  return {.kind = Kind::list, .item = {std::move(item)}, .least = least, .most = most};
}
Form vector(const Dimension& d) { return list_of(quantity(d), 3, 3); }
Form map() { return {.kind = Kind::map}; }
Form names(std::size_t least = 0) { return {.kind = Kind::names, .least = least, .most = kMaxNames}; }
Form references() { return {.kind = Kind::names, .most = kMaxNames, .references = true}; }

const char* const kRequired = "required";
const char* const kOneOf = "one of these";

}  // namespace

const std::vector<Row>& case_table() {
  using namespace dimension;
  static const std::vector<std::string> sides{"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
  static const Range share{0, 1, true, false};
  static const Range right_angle{0, std::numbers::pi / 2, false, true};
  static const Range step_angle{0, std::numbers::pi / 4, true, false};
  static const std::string beyond = "0.135 % cut off";
  static const Form power_stiffness{.kind = Kind::power_stiffness, .range = kFromZero};
  static const std::vector<Row> table{
      {"title", {text()}, "none", "What the case shows; stands on the report."},
      {"seed",
       {integer(kFromZero)},
       "1",
       "Start of all random draws: sizes, orientations, places. The same seed gives the same bits."},
      {"dimensions",
       {integer({2, 3})},
       "3",
       "2 keeps all motion in the plane z = 0, with discs and polygons for grains; every z of the case must be 0."},
      {"thickness",
       {quantity(length, kAboveZero)},
       "1 m",
       "Of the discs and polygons of two dimensions; it scales their masses."},
      {"gravity",
       {vector(acceleration)},
       "[0, 0, -9.81 m/s^2]",
       "Acceleration of gravity; in two dimensions the default is [0, -9.81 m/s^2, 0]."},

      {"materials", {names(1)}, kRequired, "What grains and walls are made of, by names that you choose."},
      {"materials.*.density", {quantity(density, kAboveZero)}, kRequired, "Density of the solid."},
      {"materials.*.young_modulus", {quantity(pressure, kAboveZero)}, "none", "Needed by law: hertz_mindlin."},
      {"materials.*.poisson_ratio", {number({-1, 0.5, true, false})}, "none", "Needed by law: hertz_mindlin."},
      {"materials.*.restitution",
       {number(share)},
       "none",
       "Share of its speed that a body of this material would keep: mixed for pairs of law: hertz_mindlin that give "
       "none."},

      {"contacts",
       {list_of(map(), 0, kMaxMaps)},
       "[]",
       "How two materials act on each other: one entry for each pair that can meet."},
      {"contacts[].between", {list_of(name(), 2, 2)}, kRequired, "The two materials, in any order."},
      {"contacts[].law",
       {words({"bloks3d", "linear", "hertz_mindlin", "energy"})},
       kRequired,
       "Contact law; see docs/laws/. A mark such as (linear) before a key's meaning says which laws take it."},
      {"contacts[].kn",
       {quantity(stiffness, kAboveZero)},
       kRequired,
       "Linear normal stiffness: force per overlap.",
       "",
       "",
       {"bloks3d", "linear"}},
      {"contacts[].knn",
       {power_stiffness},
       "0",
       "Stiffness of the power term knn D^exponent; for exponent 3 a kN/m^3 means kN per cubic metre of overlap.",
       "",
       "exponent",
       {"bloks3d"}},
      {"contacts[].exponent",
       {number({1, 10})},
       "1; energy: 2",
       "Exponent of the power term; energy: that of the overlap volume in the potential, at most 4.",
       "",
       "",
       {"bloks3d", "energy"}},
      {"contacts[].ks", {quantity(stiffness, kFromZero)}, kRequired, "Shear stiffness.", "", "", {"bloks3d"}},
      {"contacts[].pressure",
       {quantity(pressure, kAboveZero)},
       kRequired,
       "Pressure on the patch where the overlap's volume is R*^3.",
       "",
       "",
       {"energy"}},
      {"contacts[].kt",
       {quantity(stiffness, kFromZero)},
       "linear: 2/7 kn; energy: required",
       "Shear stiffness.",
       "",
       "",
       {"linear", "energy"}},
      {"contacts[].kt_over_kn",
       {number(kFromZero)},
       "2/7",
       "Shear stiffness over kn, instead of kt.",
       "",
       "",
       {"linear"}},
      {"contacts[].restitution",
       {number(share)},
       "or damping_ratio; hertz_mindlin: mixed from the materials",
       "Speed after over speed before a normal impact: what comes out.",
       "",
       "",
       {"linear", "hertz_mindlin"}},
      {"contacts[].damping_ratio",
       {number(kFromZero)},
       "or restitution; energy: 0",
       "Dashpots as a share of critical damping of the pair.",
       "",
       "",
       {"linear", "hertz_mindlin", "energy"}},
      {"contacts[].tension",
       {words({"cut", "allowed"})},
       "cut",
       "Whether the dashpot may pull while bodies part; the restitution comes out either way.",
       "",
       "",
       {"linear", "hertz_mindlin"}},
      {"contacts[].friction_angle", {quantity(angle, right_angle)}, kOneOf, "Angle of friction between the surfaces."},
      {"contacts[].friction",
       {number(kFromZero)},
       kOneOf,
       "Coefficient of friction, the tangent of the friction angle."},
      {"contacts[].damping", {map()}, "no damping", "Dashpots beside the springs.", "", "", {"bloks3d"}},
      {"contacts[].damping.ratio",
       {number(kFromZero)},
       kRequired,
       "Damping as a fraction of critical damping of the fastest contact."},
      {"contacts[].damping.sliding",
       {number(kFromZero)},
       "0.01",
       "Cap on the dashpot's force over the spring's, for sliding contacts."},
      {"contacts[].damping.sticking", {number(kFromZero)}, "0.9", "The same cap for sticking contacts."},
      {"contacts[].rolling",
       {map()},
       "none",
       "Resistance to rolling and twisting, beside any law; docs/laws/rolling.md."},
      {"contacts[].rolling.model",
       {words({"constant", "spring"})},
       kRequired,
       "constant: the limit while the pair rolls; spring: elastic-plastic spring and dashpot (Ai et al. 2011)."},
      {"contacts[].rolling.friction",
       {number(kFromZero)},
       kRequired,
       "Coefficient of rolling friction: limit of the moment over R* times the pressing force."},
      {"contacts[].rolling.twisting", {number(kFromZero)}, "0", "The same about the normal."},
      {"contacts[].rolling.damping_ratio", {number(kFromZero)}, "0.3", "Share of critical damping below the limit."},
      {"contacts[].cohesion", {map()}, "none", "Attraction of touching bodies, beside any law; docs/laws/cohesion.md."},
      {"contacts[].cohesion.model", {words({"dmt"})}, kRequired, "dmt: a constant pull 2 pi w R*."},
      {"contacts[].cohesion.work_of_adhesion",
       {quantity(surface_energy, kAboveZero)},
       kRequired,
       "Energy w that it takes to part a unit of area."},

      {"bonds", {names()}, "none", "Laws of the bonds within clusters, by names that you choose; docs/laws/bond.md."},
      {"bonds.*.kn",
       {quantity(stiffness_per_area, kAboveZero)},
       kOneOf,
       "Normal stiffness per area of the bond's cross-section."},
      {"bonds.*.modulus", {quantity(pressure, kAboveZero)}, kOneOf, "Young's modulus of the bond."},
      {"bonds.*.ks",
       {quantity(stiffness_per_area, kAboveZero)},
       "required with kn",
       "Shear stiffness per area.",
       "",
       "kn"},
      {"bonds.*.kn_over_ks",
       {number(kAboveZero)},
       "with modulus this or poisson",
       "Normal over shear stiffness.",
       "",
       "modulus"},
      {"bonds.*.poisson",
       {number({0, 0.5})},
       "with modulus this or kn_over_ks",
       "Poisson's ratio; the bond is then a Timoshenko beam between the centres.",
       "",
       "modulus"},
      {"bonds.*.radius_factor", {number(kAboveZero)}, "1", "Radius of the bond over that of the smaller sphere."},
      {"bonds.*.normal_strength",
       {quantity(pressure, kAboveZero)},
       "does not break this way",
       "Tension, with the part of bending, at which the bond breaks; with scatter its mean."},
      {"bonds.*.shear_strength",
       {quantity(pressure, kAboveZero)},
       "does not break this way",
       "Shear stress, with the part of torsion, at which the bond breaks; with scatter its mean."},
      {"bonds.*.scatter", {number({0.1, 1000})}, "none", "Weibull modulus of the strengths; small: much scatter."},
      {"bonds.*.damping", {number(kFromZero)}, "0", "Fraction of critical damping of a bond's own vibrations."},
      {"bonds.*.contact",
       {words({"excluded", "kept"})},
       "excluded",
       "Whether two spheres touch by their contact law too while they are bonded."},

      {"clusters",
       {names()},
       "none",
       "Templates of bonded spheres, by names that you choose, for particles[].cluster."},
      {"clusters.*.packed_sphere", {map()}, kOneOf, "Close packing inside a sphere."},
      {"clusters.*.packed_sphere.radius", {quantity(length, kAboveZero)}, kRequired, "Of the cluster."},
      {"clusters.*.packed_sphere.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."},
      {"clusters.*.cube", {map()}, kOneOf, "Spheres on a cubic lattice."},
      {"clusters.*.cube.edge", {integer({1, 100})}, "3", "Spheres along an edge; 3 makes the cube of 27."},
      {"clusters.*.cube.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."},
      {"clusters.*.tablet", {map()}, kOneOf, "Close packing inside a cylinder along z."},
      {"clusters.*.tablet.radius", {quantity(length, kAboveZero)}, kRequired, "Of the tablet."},
      {"clusters.*.tablet.thickness", {quantity(length, kAboveZero)}, kRequired, "Of the tablet."},
      {"clusters.*.tablet.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."},
      {"clusters.*.filling", {map()}, kOneOf, "Close packing inside a polyhedron of the library."},
      {"clusters.*.filling.shape", {name()}, kRequired, "The polyhedron; `scree shape import` adds a mesh."},
      {"clusters.*.filling.size", {quantity(length, kAboveZero)}, kRequired, "Factor on its coordinates."},
      {"clusters.*.filling.sphere_radius", {quantity(length, kAboveZero)}, kRequired, "Of each sphere."},
      {"clusters.*.csv", {map()}, kOneOf, "Spheres from a file with lines x, y, z, r."},
      {"clusters.*.csv.file", {text()}, kRequired, "The file, from the folder of the case."},
      {"clusters.*.csv.scale", {number(kAboveZero)}, "1", "Factor that makes metres of its numbers."},
      {"clusters.*.bonds", {name()}, kRequired, "One of the bonds."},
      {"clusters.*.distance",
       {number({1, 4})},
       "1.05",
       "Spheres whose centres are no farther apart than this times the sum of their radii are bonded."},

      {"detection", {map()}, "as below", "How contacts are found."},
      {"detection.neighbours",
       {words({"auto", "brute_force", "nbs", "two_level", "dess", "sorted_grid", "multi_level_grid"})},
       "auto",
       "Search for pairs that may touch: all give the same pairs and so the same bits. auto picks by the sizes of the "
       "grains; nbs is made for grains of similar size; brute_force is the slow reference."},
      {"detection.common_plane",
       {words({"auto", "fast", "separating_axis", "gjk", "shortest_link", "common_plane"})},
       "auto",
       "Search for the plane between two grains; auto is exact and the fastest. See docs/common-plane.md."},
      {"detection.cundall", {map()}, "as below", "Steps of common_plane: common_plane, Cundall's search."},
      {"detection.cundall.largest_step", {quantity(angle, step_angle)}, "5 degree", "First turn of the normal."},
      {"detection.cundall.smallest_step",
       {quantity(angle, step_angle)},
       "0.01 degree",
       "The search ends when no turn of this angle widens the gap."},
      {"detection.cundall.shrink",
       {number({0, 1, true, true})},
       "0.5",
       "Share of the step that is left when no turn widens the gap."},
      {"detection.cundall.axes",
       {words({"fixed", "random"})},
       "fixed",
       "Axes of the turns in the plane: fixed, or drawn anew at every try."},
      {"detection.fast", {map()}, "as below", "How common_plane: fast searches."},
      {"detection.fast.mode",
       {words({"direct", "paper"})},
       "direct",
       "direct evaluates the gap of bodies as they lie; paper draws overlapping bodies apart first (Nezami et al. "
       "2004)."},
      {"detection.fast.approximation",
       {words({"on", "off"})},
       "on",
       "Paper mode: between full checks the plane follows the features that define it."},
      {"detection.fast.tolerance",
       {number({0, 1, true, false})},
       "0.001",
       "Paper mode: TOL, the gap above which a pair is no potential contact, as a share of its mean size."},
      {"detection.fast.pad",
       {number({0, 1, true, false})},
       "0.001",
       "Paper mode: PAD, the motion after which the plane is found anew, as a share of the pair's mean size."},
      {"detection.shortest_link", {map()}, "as below", "How common_plane: shortest_link searches."},
      {"detection.shortest_link.mode",
       {words({"robust", "literal"})},
       "robust",
       "literal slides one end of the link at a time, as printed; robust also moves both together."},
      {"detection.contact_geometry",
       {words({"overlap", "contact_zone"})},
       "overlap",
       "What the force acts on: the exact overlap polyhedron, or the points of the paper's contact zone."},
      {"detection.memory_order",
       {words({"spatial", "id"})},
       "spatial",
       "Order of the grains in memory: spatial keeps neighbours near each other; changes the speed, never the result."},
      {"detection.skin",
       {words({"auto"}), quantity(length, kFromZero)},
       "auto",
       "Extra reach of the pair list; auto tunes it to the least work while the case runs."},

      {"walls", {names()}, "none", "Walls by names that you choose: unbounded planes, and boxes made of planes."},
      {"walls.*.box",
       {map()},
       kOneOf,
       "Up to six planes NAME.x_min ... NAME.z_max with the grains inside; in two dimensions up to four."},
      {"walls.*.box.min", {vector(length)}, kRequired, "Corner with the smallest coordinates."},
      {"walls.*.box.max", {vector(length)}, kRequired, "Opposite corner."},
      {"walls.*.box.open", {list_of(words(sides), 0, 6)}, "[]", "Sides that are left out."},
      {"walls.*.plane", {map()}, kOneOf, "One unbounded plane."},
      {"walls.*.plane.point", {vector(length)}, kRequired, "Any point of the plane."},
      {"walls.*.plane.normal",
       {list_of(number(kAny), 3, 3)},
       kRequired,
       "Direction towards the grains; its length does not matter."},
      {"walls.*.material", {name()}, kRequired, "One of the materials."},
      {"walls.*.velocity", {vector(velocity)}, "[0, 0, 0]", "Velocity of the wall; a box moves as a whole."},

      {"particles", {list_of(map(), 0, kMaxMaps)}, "[]", "Groups of grains that are there at the start."},
      {"particles[].name", {name()}, "group_1, group_2, ...", "Name of the group."},
      {"particles[].count",
       {integer({1, 1e8})},
       "required with lattice and random",
       "Number of grains; with `at` and `file` the number of points."},
      {"particles[].shapes",
       {name(), list_of(name(), 1, kMaxNames)},
       kOneOf,
       "Shapes of the library in equal parts; `scree shape list` names them."},
      {"particles[].cluster", {name()}, kOneOf, "One of the clusters; `count` of them are made."},
      {"particles[].size",
       {quantity(length, kAboveZero), map()},
       "required with shapes, unless a file has it",
       "Factor on the shape's coordinates; `scree shape show` says what it measures."},
      {"particles[].size.uniform",
       {list_of(quantity(length, kAboveZero), 2, 2)},
       kOneOf,
       "Smallest and largest size, all between equally likely."},
      {"particles[].size.normal", {map()}, kOneOf, "Normal distribution by number, cut off."},
      {"particles[].size.normal.mean", {quantity(length, kAboveZero)}, kRequired, "Before it is cut."},
      {"particles[].size.normal.deviation", {quantity(length, kAboveZero)}, kRequired, "Standard, before it is cut."},
      {"particles[].size.normal.min", {quantity(length, kAboveZero)}, beyond, "No grain is smaller."},
      {"particles[].size.normal.max", {quantity(length, kAboveZero)}, beyond, "No grain is larger."},
      {"particles[].size.log_normal", {map()}, kOneOf, "Log-normal distribution by number, cut off."},
      {"particles[].size.log_normal.median", {quantity(length, kAboveZero)}, kRequired, "Before it is cut."},
      {"particles[].size.log_normal.geometric_deviation",
       {number({1, 100, true, false})},
       kRequired,
       "Geometric standard deviation: median times this is one deviation up."},
      {"particles[].size.log_normal.min", {quantity(length, kAboveZero)}, beyond, "No grain is smaller."},
      {"particles[].size.log_normal.max", {quantity(length, kAboveZero)}, beyond, "No grain is larger."},
      {"particles[].size.weibull", {map()}, kOneOf, "Weibull distribution by number, cut off."},
      {"particles[].size.weibull.scale", {quantity(length, kAboveZero)}, kRequired, "63.2 % are smaller."},
      {"particles[].size.weibull.modulus", {number({0.1, 1000})}, kRequired, "Large: narrow."},
      {"particles[].size.weibull.min", {quantity(length, kAboveZero)}, beyond, "No grain is smaller."},
      {"particles[].size.weibull.max", {quantity(length, kAboveZero)}, beyond, "No grain is larger."},
      {"particles[].size.sieve",
       {map()},
       kOneOf,
       "Sieve curve, by mass: between two openings a straight line over the logarithm of the size."},
      {"particles[].size.sieve.openings",
       {list_of(quantity(length, kAboveZero), 2, kMaxMaps)},
       kRequired,
       "From the finest sieve up."},
      {"particles[].size.sieve.passing",
       {list_of(number({0, 1}), 2, kMaxMaps)},
       kRequired,
       "Share of the mass that passes each, from 0 to 1 (or 0 % to 100 %)."},
      {"particles[].size.values", {map()}, kOneOf, "A few sizes, drawn at random."},
      {"particles[].size.values.sizes", {list_of(quantity(length, kAboveZero), 1, kMaxMaps)}, kRequired, "The sizes."},
      {"particles[].size.values.shares",
       {list_of(number(kFromZero), 1, kMaxMaps)},
       "equal",
       "How much there is of each, on any scale."},
      {"particles[].size.values.by", {words({"number", "mass"})}, "number", "What the shares are of."},
      {"particles[].size.file",
       {text(), map()},
       kOneOf,
       "File of sizes, one a line, of which each grain draws one; also with a column size, r or d."},
      {"particles[].size.file.path", {text()}, kRequired, "The file, from the folder of the case."},
      {"particles[].size.file.unit", {text()}, "m", "Of lengths whose column does not name its own, as in r [mm]."},
      {"particles[].size.file.columns",
       {list_of(text(), 1, 64)},
       "its header, else x y z r",
       "What the columns are: x y z, r or d or size, vx vy vz, wx wy wz, qw qx qy qz, shape; - passes one over."},
      {"particles[].size.file.other_rows",
       {words({"refuse", "skip"})},
       "refuse",
       "Rows with another number of columns: a mistake, or passed over."},
      {"particles[].orientation",
       {words({"random", "identity"}), list_of(number(kAny), 4, 4)},
       "random",
       "Random, as drawn in the library, or a unit quaternion [w, x, y, z]."},
      {"particles[].place", {map()}, kRequired, "Where the grains are at the start."},
      {"particles[].place.lattice",
       {map()},
       kOneOf,
       "Rows and layers over the floor of a box or in a region, filled from below, in random order."},
      {"particles[].place.lattice.above", {name()}, kOneOf, "The box."},
      {"particles[].place.lattice.inside", {map()}, kOneOf, "A region without walls."},
      {"particles[].place.lattice.inside.min", {vector(length)}, kRequired, "Corner with the smallest coordinates."},
      {"particles[].place.lattice.inside.max", {vector(length)}, kRequired, "Opposite corner."},
      {"particles[].place.lattice.from",
       {quantity(length, kFromZero)},
       "0",
       "Height of the lowest layer's underside above the floor of the box or region."},
      {"particles[].place.lattice.spacing",
       {quantity(length, kAboveZero)},
       "the largest grain's bounding diameter",
       "Distance of neighbours."},
      {"particles[].place.at", {list_of(vector(length), 1)}, kOneOf, "Centroids, one for each grain or cluster."},
      {"particles[].place.file",
       {text(), map()},
       kOneOf,
       "File of centroids, one grain or cluster a line, with sizes, velocities, orientations and shapes if it has "
       "them.",
       "particles[].size.file"},
      {"particles[].place.random", {map()}, kOneOf, "Anywhere in a region, without overlap, large ones first."},
      {"particles[].place.random.inside", {map()}, kRequired, "The region; grains lie wholly inside."},
      {"particles[].place.random.inside.box", {map()}, kOneOf, "A box along the axes."},
      {"particles[].place.random.inside.box.min", {vector(length)}, kRequired, "Corner with the smallest coordinates."},
      {"particles[].place.random.inside.box.max", {vector(length)}, kRequired, "Opposite corner."},
      {"particles[].place.random.inside.cylinder", {map()}, kOneOf, "A cylinder along any axis."},
      {"particles[].place.random.inside.cylinder.from", {vector(length)}, kRequired, "Centre of one end."},
      {"particles[].place.random.inside.cylinder.to", {vector(length)}, kRequired, "Centre of the other end."},
      {"particles[].place.random.inside.cylinder.radius",
       {quantity(length, kAboveZero)},
       kRequired,
       "Of the cylinder."},
      {"particles[].place.random.gap", {quantity(length, kFromZero)}, "0", "Kept at least between neighbours."},
      {"particles[].material", {name()}, kRequired, "One of the materials."},
      {"particles[].overlap",
       {words({"refuse", "allow"})},
       "refuse",
       "Whether grains may overlap others or walls by more than 5 % of their size when they come."},
      {"particles[].velocity", {vector(velocity)}, "[0, 0, 0]", "Velocity at the start."},
      {"particles[].angular_velocity",
       {vector(angular_velocity)},
       "[0, 0, 0]",
       "Angular velocity at the start, in the space frame."},

      {"stages",
       {list_of(map(), 1, kMaxMaps)},
       kRequired,
       "What happens, one after the other. Changes are made when a stage begins."},
      {"stages[].name", {name()}, "stage_1, stage_2, ...", "Name of the stage."},
      {"stages[].duration", {quantity(time, kAboveZero)}, "until `until` ends it", "How long it lasts at most."},
      {"stages[].until", {map()}, "until `duration` is over", "Ends the stage early."},
      {"stages[].until.kinetic_energy_below",
       {quantity(energy, kAboveZero)},
       kRequired,
       "Mean kinetic energy per grain under which the stage ends."},
      {"stages[].remove",
       {name(), list_of(name(), 0, kMaxNames)},
       "none",
       "Walls that go: a plane, a side such as box.x_max, or a whole box."},
      {"stages[].add", {names()}, "none", "Walls that come.", "walls"},
      {"stages[].gravity", {vector(acceleration)}, "as before", "New gravity."},
      {"stages[].friction", {list_of(map(), 0, kMaxMaps)}, "as before", "New friction between materials."},
      {"stages[].friction[].between", {list_of(name(), 2, 2)}, kRequired, "The two materials."},
      {"stages[].friction[].friction_angle", {quantity(angle, right_angle)}, kOneOf, "Angle of friction."},
      {"stages[].friction[].friction", {number(kFromZero)}, kOneOf, "Coefficient of friction."},
      {"stages[].move", {references()}, "as before", "Walls that get a new velocity: a plane, a side or a whole box."},
      {"stages[].move.*.velocity", {vector(velocity)}, kRequired, "Velocity from now on; [0, 0, 0] stops the wall."},
      {"stages[].cut_above",
       {quantity(length)},
       "none",
       "Removes the grains whose centroid lies higher than this, up being against gravity."},
      {"stages[].insert", {list_of(map(), 0, kMaxMaps)}, "none", "Grains that come.", "particles"},
      {"stages[].output", {map()}, "as in `output`", "Output during this stage."},
      {"stages[].output.every", {quantity(time, kAboveZero)}, kRequired, "Time between frames."},

      {"time_step",
       {words({"auto"}), quantity(time, kAboveZero), map()},
       "auto",
       "Time step: chosen, given, or chosen as a fraction of the critical one."},
      {"time_step.fraction", {number({0, 1, true, false})}, "0.2", "Fraction of the critical time step."},

      {"output", {map()}, "as below", "What is written while the case runs."},
      {"output.every", {quantity(time, kAboveZero)}, "10 ms", "Time between frames and between rows of series.csv."},
      {"output.checkpoint", {quantity(time, kAboveZero)}, "at the end only", "Time between checkpoints."},
      {"output.contacts", {flag()}, "true", "Write contact forces into the frames."},
  };
  return table;
}

namespace {

/// "particles[].size" -> {particles, size}; the marks of lists and of names only serve the reader of the table.
std::vector<std::string> segments(const std::string& path) {
  std::vector<std::string> s{{}};
  for (const char c : path) {
    if (c == '.') {
      s.emplace_back();
    } else if (c != '[' && c != ']' && c != '*') {
      s.back() += c;
    }
  }
  std::erase(s, std::string());
  return s;
}

Entry* descend(Entry& from, const std::vector<std::string>& path, std::size_t depth) {
  Entry* e = &from;
  for (std::size_t i = 0; i < depth; ++i) {
    Entry* next = nullptr;
    for (Entry& k : e->keys)
      if (k.name == path[i]) next = &k;
    if (!next) return nullptr;
    e = next;
  }
  return e;
}

}  // namespace

const Entry& case_root() {
  static const Entry root = [] {
    Entry r;
    for (const Row& row : case_table()) {
      const auto path = segments(row.path);
      Entry* parent = descend(r, path, path.size() - 1);
      Entry entry{&row, path.back(), {}};
      if (!row.same_as.empty()) entry.keys = descend(r, segments(row.same_as), segments(row.same_as).size())->keys;
      parent->keys.push_back(std::move(entry));
    }
    return r;
  }();
  return root;
}

}  // namespace scree::io

// Keys of a case: walls and their motion. A table in one function: a row for each key.
#include "boundary/motion.h"
#include "io/case/given.h"
#include "io/case/keys.h"

namespace scree::io {

std::vector<Key> walls_keys() {
  using namespace dimension;
  using namespace forms;
  static const std::vector<std::string> sides{"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
  return {
      Key{"walls",
          {names()},
          "none",
          "Walls by names that you choose: unbounded planes, boxes made of planes, cylinders, cones and meshes."},
      Key{"walls.*.box",
          {map()},
          kOneOf,
          "Up to six planes NAME.x_min ... NAME.z_max with the grains inside; in two dimensions up to four."},
      Key{"walls.*.box.min", {vector(length)}, kRequired, "Corner with the smallest coordinates."}.to(
          &given::Corners::min, kPlaced),
      Key{"walls.*.box.max", {vector(length)}, kRequired, "Opposite corner."}.to(&given::Corners::max, kPlaced),
      Key{"walls.*.box.open", {list_of(words(sides), 0, 6)}, "[]", "Sides that are left out."},
      Key{"walls.*.plane", {map()}, kOneOf, "One unbounded plane."},
      Key{"walls.*.plane.point", {vector(length)}, kRequired, "Any point of the plane."}.to(&given::Plane::point,
                                                                                            kPlaced),
      Key{"walls.*.plane.normal",
          {list_of(number(kAny), 3, 3)},
          kRequired,
          "Direction towards the grains; its length does not matter."}
          .to(&given::Plane::normal, kFlatDirection),
      Key{"walls.*.mesh", {map()}, kOneOf, "Triangles of a file, as a rigid wall; in three dimensions."},
      Key{"walls.*.mesh.file", {text()}, kRequired, "STL, OBJ, PLY or OFF, from the folder of the case."}.to(
          &given::Mesh::file),
      Key{"walls.*.mesh.scale",
          {quantity(length, kAboveZero)},
          kRequired,
          "Length of one unit of the file: 1 mm for a drawing in millimetres."}
          .to(&given::Mesh::scale),
      Key{"walls.*.mesh.simplify",
          {quantity(length, kAboveZero)},
          "as drawn",
          "Fewer triangles than drawn, no corner of the drawing farther than this from them."}
          .to(&given::Mesh::simplify),
      Key{"walls.*.mesh.position", {vector(length)}, kOfMember, "Where the origin of the drawing goes."}.to(
          &given::Mesh::position),
      Key{"walls.*.mesh.orientation",
          {list_of(number(kAny), 4, 4), map()},
          "as drawn",
          "Unit quaternion [w, x, y, z], or an axis with an angle: how the drawing is turned about its origin."},
      Key{"walls.*.mesh.orientation.axis", {list_of(number(kAny), 3, 3)}, kRequired, "Its length does not matter."}.to(
          &given::Turn::axis, kDirection),
      Key{"walls.*.mesh.orientation.angle", {quantity(angle)}, kRequired, "Counter-clockwise about the axis."}.to(
          &given::Turn::angle),
      Key{"walls.*.mesh.sides", {}, kOfMember, "front: what comes from behind, where triangles run clockwise, passes."}
          .choice(&given::Mesh::front_only, {{"both", false}, {"front", true}}),
      Key{"walls.*.cylinder", {map()}, kOneOf, "Side of a cylinder without ends; grains stay inside or outside of it."},
      Key{"walls.*.cylinder.from", {vector(length)}, kRequired, "One end of the axis."}.to(&given::Cylinder::from),
      Key{"walls.*.cylinder.to", {vector(length)}, kRequired, "The other end."}.to(&given::Cylinder::to),
      Key{"walls.*.cylinder.radius", {quantity(length, kAboveZero)}, kRequired, "Radius."}.to(&given::Cylinder::radius),
      Key{"walls.*.cone",
          {map()},
          kOneOf,
          "Side of a cone, whole or cut off, without ends; grains stay inside or outside of it."},
      Key{"walls.*.cone.from", {vector(length)}, kRequired, "One end of the axis."}.to(&given::Cone::from),
      Key{"walls.*.cone.to", {vector(length)}, kRequired, "The other end."}.to(&given::Cone::to),
      Key{"walls.*.cone.radius_from", {quantity(length, kFromZero)}, kRequired, "Radius at `from`; 0 is the tip."}.to(
          &given::Cone::radius_from),
      Key{"walls.*.cone.radius_to", {quantity(length, kFromZero)}, kRequired, "Radius at `to`."}.to(
          &given::Cone::radius_to),
      Key{"walls.*.material", {name()}, kRequired, "One of the materials."},
      Key{"walls.*.velocity", {vector(velocity)}, kOfMember, "Velocity of the wall; a box moves as a whole."}.to(
          &boundary::Motion::velocity, kPlaced),
      Key{"walls.*.oscillation", {map()}, "none", "Adds the motion amplitude (sin(2 pi f t + phase) - sin(phase))."},
      Key{"walls.*.oscillation.amplitude", {vector(length)}, kRequired, "With its direction."}.to(
          &boundary::Motion::Oscillation::amplitude, kPlaced),
      Key{"walls.*.oscillation.frequency", {quantity(frequency, kAboveZero)}, kRequired, "f, as in 50 Hz."}.to(
          &boundary::Motion::Oscillation::frequency),
      Key{"walls.*.oscillation.phase", {quantity(angle)}, kOfMember, "Phase when the motion begins."}.in("degree").to(
          &boundary::Motion::Oscillation::phase),
      Key{"walls.*.rotation",
          {map()},
          "none",
          "Adds a rotation about an axis that moves along; a plane turns about its normal."},
      Key{"walls.*.rotation.axis", {list_of(number(kAny), 3, 3)}, kRequired, "Its length does not matter."}.to(
          &boundary::Motion::Rotation::axis, kDirection),
      Key{"walls.*.rotation.through", {vector(length)}, kRequired, "A point of the axis when the motion begins."}.to(
          &boundary::Motion::Rotation::through, kPlaced),
      Key{"walls.*.rotation.rate",
          {quantity(angular_velocity)},
          kOfMember,
          "Angular velocity, as in 20 rev/min; counter-clockwise about the axis."}
          .to(&boundary::Motion::Rotation::rate),
      Key{"walls.*.rotation.swing", {quantity(angle)}, "none", "Adds the angle swing sin(2 pi f t)."}
          .to(&boundary::Motion::Rotation::swing)
          .beside("swing_frequency"),
      Key{"walls.*.rotation.swing_frequency", {quantity(frequency, kAboveZero)}, "none", "f of the swing."}
          .to(&boundary::Motion::Rotation::swing_frequency)
          .beside("swing"),
      Key{"walls.*.path", {map()}, "none", "Adds a motion from a table; straight lines between its rows."},
      Key{"walls.*.path.file",
          {text()},
          kRequired,
          "Lines time, x, y, z or time, x, y, z, angle in s, m and rad, from the folder of the case; the angle needs a "
          "rotation for its axis."}
          .to(&given::Path::file),
      Key{"walls.*.surface_velocity",
          {vector(velocity)},
          kOfMember,
          "Of a belt: its surface moves along itself like this while the wall stands."}
          .to(&boundary::Motion::surface_velocity, kPlaced),
      Key{"walls.*.free", {map()}, "none", "Adds a translation: a mass under a force, its weight and the grains."},
      Key{"walls.*.free.along",
          {list_of(number(kAny), 3, 3)},
          "normal of the plane",
          "Direction; its length does not matter. Planes: towards the grains."}
          .to(&boundary::Motion::Drive::along, kFlatDirection),
      Key{"walls.*.free.mass",
          {quantity(mass, kAboveZero)},
          kRequired,
          "Its inertia, and its weight along the direction."}
          .to(&boundary::Motion::Drive::mass),
      Key{"walls.*.free.force", {quantity(force)}, kOfMember, "Force along the direction."}.to(
          &boundary::Motion::Drive::force),
      Key{"walls.*.free.stress", {quantity(pressure)}, kOfMember, "Stress along the direction, beside the force."}.to(
          &boundary::Motion::Drive::stress),
      Key{"walls.*.free.area",
          {quantity(area, kAboveZero)},
          "of the box's side, as it stands",
          "Area that the stress acts on."}
          .to(&boundary::Motion::Drive::area),
      Key{"walls.*.free.damping", {quantity(mass_flow, kFromZero)}, kOfMember, "Force against the velocity, over it."}
          .to(&boundary::Motion::Drive::damping),
      Key{"walls.*.servo", {map()}, "none", "Adds a translation that keeps up a force or a stress on the grains."},
      Key{"walls.*.servo.along",
          {list_of(number(kAny), 3, 3)},
          "normal of the plane",
          "Direction; its length does not matter. Planes: towards the grains."}
          .to(&boundary::Motion::Drive::along, kFlatDirection),
      Key{"walls.*.servo.force", {quantity(force)}, kOfMember, "Force on the grains along the direction."}.to(
          &boundary::Motion::Drive::force),
      Key{"walls.*.servo.stress", {quantity(pressure)}, kOfMember, "Stress along the direction, beside the force."}.to(
          &boundary::Motion::Drive::stress),
      Key{"walls.*.servo.area",
          {quantity(area, kAboveZero)},
          "of the box's side, as it stands",
          "Area that the stress acts on."}
          .to(&boundary::Motion::Drive::area),
      Key{"walls.*.servo.max_velocity", {quantity(velocity, kAboveZero)}, kRequired, "Fastest that the wall may move."}
          .to(&boundary::Motion::Drive::max_velocity),
  };
}

}  // namespace scree::io

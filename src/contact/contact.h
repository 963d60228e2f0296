#pragma once
#include "base/vec.h"

/// What a contact law sees: geometry, relative motion and memory. No particle, no world.
namespace scree::contact {

/// Of one contact point, whatever computed it. A law reads what its kTraits name; the rest may be zero.
struct Geometry {
  Vec3 normal;          ///< unit, from A to B
  double depth = 0;     ///< m, > 0: mean depth V/|S| (`overlap`) or the point's penetration (`contact_zone`)
  double gyration = 0;  ///< m, radius of gyration of the contact patch about the normal; 0 for a point
  double energy_depth =
      0;              ///< m, depth at which the springs' energy is read off; equals `depth` for a point or a flat patch
  double radius = 0;  ///< m, effective: 1/R* = 1/R_A + 1/R_B; a wall is flat. R of a polyhedron: of the sphere
                      ///< of its volume
  double mass = 0;    ///< kg, effective: 1/m* = 1/m_A + 1/m_B; a wall's is infinite
  double rolling_inertia = 0;  ///< kg m^2, 1/J = 1/J_A + 1/J_B with J_i = 7/5 m_i R_i^2, about the contact point
  double area = 0;             ///< m^2, |S| of the patch; depth times area is the overlap's volume
  Vec3 area_moment = {};       ///< m^3, int (x - point) cross dA over A's surface inside B
  Vec3 axis = {};  ///< m, along the patch's longest extent, as long as its radius of gyration that way; the one across
                   ///< it is sqrt(gyration^2 - axis^2)
};

/// B relative to A at the contact point. Leapfrog knows velocities in the middle of a step: right for what springs take
/// up over it, half a step late for a dashpot, which would make the order of accuracy one instead of two.
struct Motion {
  Vec3 velocity;           ///< m/s, mean over the step: for springs
  Vec3 angular_velocity;   ///< rad/s, omega_B - omega_A, likewise
  Vec3 mean_spin;          ///< rad/s, (omega_A + omega_B)/2: turns the tangent plane's memory
  double dt = 0;           ///< s
  Vec3 gain = {};          ///< m/s, what `velocity` has gained at the step's end: for dashpots
  Vec3 angular_gain = {};  ///< rad/s, likewise
  /// What all dashpots of the two bodies take of their velocity within half a step, beyond what the step resolves: a
  /// dashpot follows its velocity the more slowly (friction-inl.h, Braked).
  double braking = 0;

  Vec3 velocity_now() const { return velocity + gain; }
  Vec3 angular_velocity_now() const { return angular_velocity + angular_gain; }
};

/// Carried from step to step while the contact lasts.
struct Memory {
  Vec3 shear;          ///< N, elastic shear force on B
  double torsion = 0;  ///< N m, elastic torsional moment on B about the normal
  Vec3 normal = {};    ///< normal of the last step
  Vec3 rolling = {};   ///< N m, elastic rolling moment on B; its part along the normal is the twist
  Vec3 grip = {};      ///< m, from the contact point to where the shear spring of a patch holds on, which goes with the
                       ///< bodies; `torsion` is about it
  double stored = 0;   ///< J, in the springs along and about the plane, rolling's among them
  // What its dashpots did on B in the last step; read where Motion::braking > 0.
  Vec3 damping = {};         ///< N
  Vec3 damping_moment = {};  ///< N m, about the contact point
};

/// On B; A gets the opposite.
struct Wrench {
  Vec3 force;               ///< N
  Vec3 moment;              ///< N m, about the contact point
  double normal_force = 0;  ///< N, along the normal; < 0 only where the law allows tension
  bool sliding = false;
  double energy = 0;  ///< J, stored in the springs
  /// J, over the step: to the normal dashpot, to those along and about the plane, to friction. A law gives friction's
  /// and, of its dashpots, what they do; what that costs follows from both ends of the step (BookDashpots).
  Vec3 lost = {};
  Vec3 damping = {};         ///< N, what of the force is dashpots
  Vec3 damping_moment = {};  ///< N m, likewise
};

/// Of a contact as it stands: N s/m, along its normal and along its plane.
struct Dashpots {
  double normal = 0, shear = 0;
};

inline constexpr double kPi = 3.14159265358979323846;

/// The contact at which a law is judged before there is one (time step, estimates): a flat patch as wide as a grain.
inline Geometry reference_contact(double depth, double radius, double mass) {
  Geometry g;
  g.depth = g.energy_depth = depth, g.radius = radius, g.mass = mass, g.area = kPi * radius * radius;
  return g;
}

}  // namespace scree::contact

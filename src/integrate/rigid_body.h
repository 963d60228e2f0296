#pragma once
#include "base/vec.h"

/// Motion of one rigid body. Translation: leapfrog (kick, drift, kick). Rotation: the state is the space-frame angular
/// momentum and the orientation, so that without torque the momentum is exact; the free rotation is the symmetric
/// product of rotations about the body's axes (Touma & Wisdom 1994; Dullweber, Leimkuhler & McLachlan 1997; NO_SQUISH
/// of Miller et al. 2002), time-reversible and symplectic: the energy error stays bounded at second order.
namespace scree::integrate {

/// Up to eight bodies side by side: a rotation is one long chain of dependent operations, so they are turned together.
/// Unused rows must hold a unit quaternion and inertia other than zero.
struct Rotations {
  static constexpr std::size_t kRows = 8;
  alignas(64) double w[kRows], x[kRows], y[kRows], z[kRows];  ///< orientation
  alignas(64) double lx[kRows], ly[kRows], lz[kRows];         ///< kg m^2/s, angular momentum, mostly in the body frame
  alignas(64) double ix[kRows], iy[kRows], iz[kRows];         ///< kg m^2, principal moments
};
/// Free rotation over dt (s). The momentum comes out in the turned body frame; in the space frame it stays the same.
/// A row's result does not depend on the other rows nor on the instruction set.
void rotate_free(Rotations& bodies, double dt);
/// The same where all three moments are `ix`: exact, since such a body turns about its momentum. l is in the space
/// frame and stays.
void rotate_balls(Rotations& bodies, double dt);
/// One body.
Quat rotate_free(Quat orientation, Vec3& momentum, Vec3 inertia, double dt);

/// Angular velocity in the space frame (rad/s).
Vec3 angular_velocity(Quat orientation, Vec3 momentum, Vec3 inertia);
/// Angular momentum in the space frame (kg m^2/s) of an angular velocity in the space frame.
Vec3 angular_momentum(Quat orientation, Vec3 velocity, Vec3 inertia);
/// Rotational kinetic energy (J).
double rotational_energy(Quat orientation, Vec3 momentum, Vec3 inertia);

}  // namespace scree::integrate

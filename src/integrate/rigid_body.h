#pragma once
#include "base/vec.h"

/// Motion of one rigid body. Translation: leapfrog (kick, drift, kick). Rotation: the state is the space-frame angular
/// momentum and the orientation, so that without torque the momentum is exact; the free rotation is the symmetric
/// product of rotations about the body's axes (Touma & Wisdom 1994; Dullweber, Leimkuhler & McLachlan 1997; NO_SQUISH
/// of Miller et al. 2002), time-reversible and symplectic: the energy error stays bounded at second order.
namespace scree::integrate {

/// Free rotation over dt (s) of a body with principal `inertia` (kg m^2). `momentum` is the angular momentum in the
/// body frame (kg m^2/s) and comes out in the turned one; in the space frame it stays the same.
Quat rotate_free(Quat orientation, Vec3& momentum, Vec3 inertia, double dt);

/// Angular velocity in the space frame (rad/s).
Vec3 angular_velocity(Quat orientation, Vec3 momentum, Vec3 inertia);
/// Angular momentum in the space frame (kg m^2/s) of an angular velocity in the space frame.
Vec3 angular_momentum(Quat orientation, Vec3 velocity, Vec3 inertia);
/// Rotational kinetic energy (J).
double rotational_energy(Quat orientation, Vec3 momentum, Vec3 inertia);

}  // namespace scree::integrate

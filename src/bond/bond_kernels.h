#pragma once
#include "bond/bonds.h"

namespace scree::bond {

/// Of a sphere, dt/2 from now, if its force and torque stay (m/s, rad/s).
inline Vec3 velocity_ahead(const Particles& p, std::size_t i, double dt) {
  return p.velocity[i] + (0.5 * dt / p.mass[i]) * p.force[i];
}
inline Vec3 spin_ahead(const Particles& p, std::size_t i, double dt) {
  return p.angular_velocity[i] + (0.5 * dt / p.inertia[i].x) * p.torque[i];
}

/// Force, torques, stresses and energy of one bond; zero where it is broken. The reference of `forces_of`.
void force_of(Bonds& bonds, const Particles& p, std::size_t row, double dt = 0);

/// The same, bit for bit, for the rows [begin, end), a vector of bonds at a time.
void forces_of(Bonds& bonds, const Particles& p, std::size_t begin, std::size_t end, double dt = 0);

/// Takes the stresses of the rows [begin, end) into their damage; returns how many have now reached their strength.
std::size_t take_damage(Bonds& bonds, std::size_t begin, std::size_t end);

}  // namespace scree::bond

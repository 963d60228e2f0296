#pragma once
#include <cmath>

#include "sim/simulation.h"

namespace scree {

/// A velocity of row i (m/s) after its force has pushed it for `dt`.
inline Vec3 kicked(const Particles& p, std::size_t i, Vec3 velocity, double dt) {
  return velocity + (dt / p.mass[i]) * p.force[i];
}
/// What global damping leaves of a velocity in half a step.
inline double kept_by_damping(const Simulation& s) { return s.damping > 0 ? std::exp(-s.damping * s.dt / 2) : 1; }
/// Where row i will be (m) after the drift of the next step: with the bits of that step, while nobody else changes the
/// state. `keeps`: kept_by_damping.
inline Vec3 next_position(const Particles& p, std::size_t i, double dt, double keeps) {
  return p.position[i] + dt * kicked(p, i, keeps * p.velocity[i], dt / 2);
}

}  // namespace scree

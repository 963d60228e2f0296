#pragma once
#include "sim/simulation.h"

namespace scree {

/// Velocity of row i (m/s) after its force has pushed it for `dt`.
inline Vec3 kicked(const Particles& p, std::size_t i, double dt) {
  return p.velocity[i] + (dt / p.mass[i]) * p.force[i];
}
/// Where row i will be (m) after the drift of the next step: with the bits of that step, while nobody else changes the
/// state.
inline Vec3 next_position(const Particles& p, std::size_t i, double dt) {
  return p.position[i] + dt * kicked(p, i, dt / 2);
}

}  // namespace scree

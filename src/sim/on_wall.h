#pragma once
#include "base/exact_sum.h"
#include "boundary/wall.h"

/// Sums over the contacts of a wall, without rounding.
namespace scree {

/// What the grains do to a wall.
struct OnWall {
  ExactVec force, torque;
  ExactSum belt_power;
  void operator+=(const OnWall& o) { force += o.force, torque += o.torque, belt_power += o.belt_power; }
};

/// What they answer with where a wall is driven.
struct WallAnswer {
  ExactSum stiffness, dashpot;
  void operator+=(const WallAnswer& o) { stiffness += o.stiffness, dashpot += o.dashpot; }
};

template <class F>
void each_sum(ExactSum& sum, F&& f) {
  f(sum);
}
template <class F>
void each_sum(OnWall& on, F&& f) {
  f(on.force.x), f(on.force.y), f(on.force.z), f(on.torque.x), f(on.torque.y), f(on.torque.z), f(on.belt_power);
}
template <class F>
void each_sum(WallAnswer& answer, F&& f) {
  f(answer.stiffness), f(answer.dashpot);
}

/// What a wall knows of its sums, each rounded once.
inline void take_sums(Wall& w, const OnWall& sums) {
  w.force = sums.force.value(), w.torque = w.has_torque() ? sums.torque.value() : Vec3{};
  w.belt_power = w.motion.surface_velocity != Vec3{} ? sums.belt_power.value() : 0;
}
/// Sums that take_sums would make the same of.
inline OnWall sums_of(const Wall& w) {
  OnWall sums;
  sums.force += w.force, sums.torque += w.torque, sums.belt_power += w.belt_power;
  return sums;
}

}  // namespace scree

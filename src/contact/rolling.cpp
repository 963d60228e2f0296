#include "contact/rolling.h"

#include <algorithm>
#include <cmath>

#include "contact/friction.h"

namespace scree::contact {

void Rolling::operator()(const Geometry& g, const Motion& m, double kn, double kt, Vec3 last_normal, Memory& memory,
                         Wrench& w) const {
  const Vec3 n = g.normal;
  const double twist_rate = dot(m.angular_velocity, n), pressed = std::max(0.0, w.normal_force);
  const Vec3 roll_rate = m.angular_velocity - twist_rate * n, now = m.angular_velocity_now();
  const double twist_now = dot(now, n);
  Memory old;
  old.normal = last_normal;
  const double old_twist = last_normal == Vec3{} ? 0 : dot(memory.rolling, last_normal);
  old.shear = memory.rolling - old_twist * last_normal;

  const double kr = stiffness(kn, g.radius), limit = friction * g.radius * pressed;
  const Vec3 carried = carried_shear(old, n, m);
  Vec3 roll = carried - (kr * m.dt) * roll_rate;
  const double trial = norm(roll);
  Vec3 damped;
  if (trial > limit) {
    roll *= limit / trial, damped = roll;
  } else {
    const Vec3 dashpot = (-2 * damping_ratio * std::sqrt(g.rolling_inertia * kr)) * (now - twist_now * n);
    damped = roll + part_within({roll}, {dashpot}, limit) * dashpot;
  }

  // A sphere's inertia about its own axis is 2/7 of that about a point of its surface.
  const double kw = (kt > 0 ? kt : kn) * g.radius * g.radius, twist_limit = twisting * g.radius * pressed;
  double twist = old_twist - kw * m.dt * twist_rate;
  const bool twists = std::abs(twist) > twist_limit;
  twist = std::clamp(twist, -twist_limit, twist_limit);
  const double twist_dashpot =
      twists ? 0 : -2 * damping_ratio * std::sqrt(2.0 / 7 * g.rolling_inertia * kw) * twist_now;

  const double twisted = std::clamp(twist + twist_dashpot, -twist_limit, twist_limit);
  w.moment += damped + twisted * n;
  double stored = 0;
  if (kr > 0) stored += 0.5 * norm2(roll) / kr;
  if (kw > 0) stored += 0.5 * twist * twist / kw;
  w.energy += stored, memory.stored += stored;
  if (m.dt > 0) {  // what had been stored, the law has counted
    w.lost.y -= m.dt * (dot(damped - roll, now) + (twisted - twist) * twist_now);
    w.lost.z -= stored + 0.5 * m.dt * (dot(carried + roll, roll_rate) + (old_twist + twist) * twist_rate);
  }
  memory.rolling = roll + twist * n;
}

}  // namespace scree::contact

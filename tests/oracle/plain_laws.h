#pragma once
#include <algorithm>
#include <cmath>

#include "contact/friction.h"
#include "contact/laws.h"
#include "contact/rolling.h"
#include "oracle/bloks3d.h"

/// The laws on one contact in plain words, to which the texts over vectors are held: every operation, and their order,
/// are those of the engine, so that the bits must agree, but for the sign of a zero.
namespace scree::oracle {

using contact::Geometry;
using contact::Memory;
using contact::Motion;
using contact::Wrench;

inline Vec3 plainly_carried(const Memory& memory, Vec3 n, const Motion& m) {
  return PlainBloks3d::carried(memory, n, m);
}

template <class T>
T plainly_braked(T seen, T last, double braking) {
  return braking > 0 ? (seen + braking * last) / (1 + braking) : seen;
}

/// |force|^2 + spin^2 is held within a limit.
struct PlainTraction {
  Vec3 force;
  double spin = 0;
  double size2() const { return norm2(force) + spin * spin; }
};

inline double plain_part_within(const PlainTraction& base, const PlainTraction& extra, double limit) {
  const double a = extra.size2(), b = dot(base.force, extra.force) + base.spin * extra.spin;
  const double c = base.size2() - limit * limit;
  if (a + 2 * b + c <= 0) return 1;
  if (!(a > 0) || c >= 0) return 0;
  const double root = std::sqrt(b * b - a * c);
  return std::clamp(b > 0 ? -c / (b + root) : (root - b) / a, 0.0, 1.0);
}

/// Springs and dashpots of a point; the ledger's friction too.
inline void plain_tangential(const Geometry& g, const Motion& m, const contact::Tangential& t, Memory& memory,
                             Wrench& w) {
  const Vec3 n = g.normal, now = m.velocity_now(), slip = PlainBloks3d::slip(g, memory, m.velocity);
  const Vec3 carried = plainly_carried(memory, n, m), before = t.rescale > 0 ? carried : t.rescale * carried;
  PlainTraction elastic{t.rescale * carried - t.stiffness * (m.dt * slip), 0};
  w.sliding = elastic.size2() > t.friction_limit * t.friction_limit;
  if (w.sliding) elastic.force *= t.friction_limit / norm(elastic.force);
  PlainTraction dashpot;
  if (!w.sliding) {
    dashpot.force =
        plainly_braked((-t.dashpot) * (now - dot(now, n) * n), memory.damping - dot(memory.damping, n) * n, m.braking);
    dashpot.force *= plain_part_within(elastic, dashpot, t.friction_limit);
  }
  memory.shear = elastic.force, memory.torsion = 0, memory.normal = n, memory.grip = {};
  w.force += elastic.force + dashpot.force;
  w.damping += dashpot.force;
  const double stored = t.stiffness > 0 ? 0.5 * norm2(elastic.force) / t.stiffness : 0;
  w.energy += stored;
  if (m.dt > 0) w.lost.z += memory.stored - stored - 0.5 * dot(before + elastic.force, m.dt * slip);
  memory.stored = stored;
}

inline Wrench plain_law(const contact::HertzMindlin& law, const Geometry& g, const Motion& m, Memory& memory) {
  const double rate = -dot(m.velocity_now(), g.normal);  // of approach
  const double a = law.contact_radius(g);
  contact::Tangential t;
  t.stiffness = 8 * law.shear * a;
  t.dashpot = law.damping() * std::sqrt(t.stiffness * g.mass);
  t.normal_dashpot = law.damping() * std::sqrt(2 * law.young * a * g.mass);
  // While the contact shrinks, the shear that its lost rim carried is lost with it (Thornton et al. 2013): otherwise
  // the softer spring would hold more energy than was put in.
  const double before = g.depth + dot(m.velocity, g.normal) * m.dt;
  Wrench w;
  double spring = 4.0 / 3 * law.young * a * g.depth;
  if (law.adheres()) {
    const contact::Jkr contact = law.jkr(g.radius);
    if (before > g.depth) t.rescale = a / contact.contact_radius(before);
    spring = contact.force(g.depth);
    w.normal_force = spring + plainly_braked(t.normal_dashpot * rate, dot(memory.damping, g.normal), m.braking);
    if (law.tension == contact::Tension::cut) w.normal_force = std::max(std::min(0.0, spring), w.normal_force);
    // Sliding begins at mu (F + 2 F_c) (Thornton 1991).
    t.friction_limit = law.mu * std::max(0.0, w.normal_force + 2 * contact.pull_off());
  } else {
    if (before > g.depth) t.rescale = std::sqrt(g.depth / before);
    w.normal_force = spring + plainly_braked(t.normal_dashpot * rate, dot(memory.damping, g.normal), m.braking);
    if (law.tension == contact::Tension::cut) w.normal_force = std::max(0.0, w.normal_force);
    t.friction_limit = law.mu * std::max(0.0, w.normal_force);
  }
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - spring) * g.normal;
  w.energy = law.normal_energy(g);
  plain_tangential(g, m, t, memory, w);
  return w;
}

inline Wrench plain_law(const contact::Linear& law, const Geometry& g, const Motion& m, Memory& memory) {
  const double rate = -dot(m.velocity_now(), g.normal);  // of approach
  contact::Tangential t;
  t.stiffness = law.kt;
  t.dashpot = 2 * law.damping_ratio * std::sqrt(law.kt * g.mass);
  t.normal_dashpot = 2 * law.damping_ratio * std::sqrt(law.kn * g.mass);
  Wrench w;
  const double elastic = law.elastic_normal_force(g);
  w.normal_force = elastic + plainly_braked(t.normal_dashpot * rate, dot(memory.damping, g.normal), m.braking);
  if (law.tension == contact::Tension::cut) w.normal_force = std::max(0.0, w.normal_force);
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - elastic) * g.normal;
  w.energy = law.normal_energy(g);
  t.friction_limit = law.mu * std::max(0.0, w.normal_force);
  plain_tangential(g, m, t, memory, w);
  return w;
}

inline Wrench plain_law(const contact::HertzCoulomb& law, const Geometry& g, const Motion& m, Memory& memory) {
  const double rate = -dot(m.velocity_now(), g.normal), elastic = law.elastic_normal_force(g);  // of approach
  contact::Tangential t;
  t.normal_dashpot = law.dashpots(g).normal;
  Wrench w;
  w.normal_force = elastic + plainly_braked(t.normal_dashpot * rate, dot(memory.damping, g.normal), m.braking);
  if (law.tension == contact::Tension::cut) w.normal_force = std::max(0.0, w.normal_force);
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - elastic) * g.normal;
  w.energy = law.normal_energy(g);
  t.friction_limit = law.mu * std::max(0.0, w.normal_force);
  // No spring and no place that it holds on to: what add_tangential holds within the limit is this dashpot.
  t.dashpot = law.dashpots(g).shear;
  memory.grip = {};
  const Vec3 pressed = w.force;
  plain_tangential(g, m, t, memory, w);
  const Vec3 along = w.force - pressed;
  w.sliding = t.friction_limit > 0 && norm(along) >= (1 - 1e-9) * t.friction_limit;
  return w;
}

inline Wrench plain_law(const contact::Bloks3d& law, const Geometry& g, const Motion& m, Memory& memory) {
  return PlainBloks3d{law}(g, m, memory);
}

inline void plain_rolling(const contact::Rolling& law, const Geometry& g, const Motion& m, double kn, double kt,
                          Vec3 last_normal, Memory& memory, Wrench& w) {
  const Vec3 n = g.normal;
  const double twist_rate = dot(m.angular_velocity, n), pressed = std::max(0.0, w.normal_force);
  const Vec3 roll_rate = m.angular_velocity - twist_rate * n, now = m.angular_velocity_now();
  const double twist_now = dot(now, n);
  Memory old;
  old.normal = last_normal;
  const double old_twist = last_normal == Vec3{} ? 0 : dot(memory.rolling, last_normal);
  old.shear = memory.rolling - old_twist * last_normal;

  const double kr = law.stiffness(kn, g.radius), limit = law.friction * g.radius * pressed;
  const Vec3 carried = plainly_carried(old, n, m);
  Vec3 roll = carried - (kr * m.dt) * roll_rate;
  const double trial = norm(roll);
  Vec3 damped;
  if (trial > limit) {
    roll *= limit / trial, damped = roll;
  } else {
    const Vec3 dashpot = (-2 * law.damping_ratio * std::sqrt(g.rolling_inertia * kr)) * (now - twist_now * n);
    damped = roll + plain_part_within({roll}, {dashpot}, limit) * dashpot;
  }

  // A sphere's inertia about its own axis is 2/7 of that about a point of its surface.
  const double kw = (kt > 0 ? kt : kn) * g.radius * g.radius, twist_limit = law.twisting * g.radius * pressed;
  double twist = old_twist - kw * m.dt * twist_rate;
  const bool twists = std::abs(twist) > twist_limit;
  twist = std::clamp(twist, -twist_limit, twist_limit);
  const double twist_dashpot =
      twists ? 0 : -2 * law.damping_ratio * std::sqrt(2.0 / 7 * g.rolling_inertia * kw) * twist_now;

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

inline void plain_pull(const contact::Pull& law, const Geometry& g, Wrench& w) {
  const double f = law.force(g.radius);
  w.force -= f * g.normal, w.normal_force -= f, w.energy -= f * g.depth;
}

}  // namespace scree::oracle

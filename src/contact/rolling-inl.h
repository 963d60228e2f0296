// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_ROLLING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_ROLLING_INL_H
#undef SCREE_CONTACT_ROLLING_INL_H
#else
#define SCREE_CONTACT_ROLLING_INL_H
#endif

#include "contact/contact-inl.h"
#include "contact/friction-inl.h"
#include "contact/rolling.h"

HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {

/// Parameters of what acts beside one law, or beside as many as a vector has lanes. A number of 1: yes.
template <class Real>
struct BesideOf {
  Real rolls, is_constant, friction, twisting, damping_ratio, work_of_adhesion;

  template <class F>
  static HWY_INLINE BesideOf From(F&& parameter) {
    using Model = Rolling::Model;
    return {parameter([](const Beside& b) { return b.rolling.acts() ? 1.0 : 0.0; }),
            parameter([](const Beside& b) { return b.rolling.model == Model::constant ? 1.0 : 0.0; }),
            parameter([](const Beside& b) { return b.rolling.friction; }),
            parameter([](const Beside& b) { return b.rolling.twisting; }),
            parameter([](const Beside& b) { return b.rolling.damping_ratio; }),
            parameter([](const Beside& b) { return b.pull.work_of_adhesion; })};
  }
};

/// The text of Rolling.
template <class Real, class Geometry, class Motion, class Vector, class Memory, class Wrench>
HWY_INLINE void AddRolling(const BesideOf<Real>& law, const Geometry& g, const Motion& m, Real kn, Real kt,
                           const Vector& last_normal, Memory& memory, Wrench& w) {
  const Vector n = g.normal;
  const Real none{};
  const auto rolls = law.rolls > 0;
  const Real twist_rate = dot(m.angular_velocity, n), pressed = Greatest(none, w.normal_force);
  const Vector roll_rate = m.angular_velocity - twist_rate * n, now = m.angular_velocity_now();
  const Real twist_now = dot(now, n);
  const Real old_twist = Select(last_normal == Vector{}, none, dot(memory.rolling, last_normal));
  Memory old{};
  old.normal = last_normal, old.shear = memory.rolling - old_twist * last_normal;

  const Real constant = kn * g.radius * g.radius;
  const Real kr = Select(law.is_constant > 0, constant, 2.25 * kn * law.friction * law.friction * g.radius * g.radius),
             limit = law.friction * g.radius * pressed;
  const Vector carried = CarriedShear(old, n, m);
  Vector roll = carried - (kr * m.dt) * roll_rate;
  const Real trial = Sqrt(norm2(roll));
  const auto slides = trial > limit;
  roll = Select(slides, (limit / trial) * roll, roll);
  const Vector dashpot = (-2.0 * law.damping_ratio * Sqrt(g.rolling_inertia * kr)) * (now - twist_now * n);
  const Vector damped = Select(slides, roll, roll + PartWithin(roll, none, dashpot, none, limit) * dashpot);

  // A sphere's inertia about its own axis is 2/7 of that about a point of its surface.
  const Real kw = Select(kt > 0, kt, kn) * g.radius * g.radius, twist_limit = law.twisting * g.radius * pressed;
  const auto within = [&](Real x) HWY_ATTR { return Least(Greatest(x, -twist_limit), twist_limit); };
  Real twist = old_twist - kw * m.dt * twist_rate;
  const auto twists = Abs(twist) > twist_limit;
  twist = within(twist);
  const Real twist_dashpot =
      Select(twists, none, -2.0 * law.damping_ratio * Sqrt((2.0 / 7) * g.rolling_inertia * kw) * twist_now);
  const Real twisted = within(twist + twist_dashpot);
  w.moment = Select(rolls, w.moment + (damped + twisted * n), w.moment);
  const Real stored = Select(kr > 0, 0.5 * norm2(roll) / kr, none) + Select(kw > 0, 0.5 * twist * twist / kw, none);
  w.energy = Select(rolls, w.energy + stored, w.energy);
  memory.stored = Select(rolls, memory.stored + stored, memory.stored);
  const auto lasts = Both(rolls, m.dt > 0);  // what had been stored, the law has counted
  w.lost.y = Select(lasts, w.lost.y - m.dt * (dot(damped - roll, now) + (twisted - twist) * twist_now), w.lost.y);
  w.lost.z = Select(
      lasts, w.lost.z - (stored + 0.5 * m.dt * (dot(carried + roll, roll_rate) + (old_twist + twist) * twist_rate)),
      w.lost.z);
  memory.rolling = Select(rolls, roll + twist * n, memory.rolling);
}

/// The text of Pull.
template <class Real, class Geometry, class Wrench>
HWY_INLINE void AddPull(Real work_of_adhesion, const Geometry& g, Wrench& w) {
  const Real f = 2 * kPi * work_of_adhesion * g.radius;
  w.force = w.force - f * g.normal, w.normal_force = w.normal_force - f, w.energy = w.energy - f * g.depth;
}

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_SIM_RELATIVE_MOTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_SIM_RELATIVE_MOTION_INL_H
#undef SCREE_SIM_RELATIVE_MOTION_INL_H
#else
#define SCREE_SIM_RELATIVE_MOTION_INL_H
#endif

#include "base/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::HWY_NAMESPACE {

/// contact::Motion of B, with its arm, over A at the point `arm` from A's centre; of one contact or of its lanes.
template <class Motion, class A, class B, class Vector, class Real>
HWY_INLINE Motion RelativeMotion(const A& a, const Vector& arm, const B& b, Real dt) {
  Motion m;
  m.velocity = b.velocity + cross(b.spin, b.arm) - a.velocity - cross(a.spin, arm);
  m.angular_velocity = b.spin - a.spin;
  m.mean_spin = 0.5 * (b.spin + a.spin);
  m.dt = dt;
  m.gain = b.gain + cross(b.spin_gain, b.arm) - a.gain - cross(a.spin_gain, arm);
  m.angular_gain = b.spin_gain - a.spin_gain;
  m.braking = Real{};
  return m;
}

/// Sets Motion::braking from what ContactRows::braking says. The more the dashpots of the two take within a step, the
/// farther ahead they look: at the step's end while they take half of the velocity, and a step later from two and a
/// half times of it on. At the end alone they were stable but rang, and an edge that rolls on over a floor was given
/// energy.
template <class Motion, class Real>
HWY_INLINE void Brake(Motion& m, Real braking) {
  const Real ahead = 1 + Least(2 * braking, 2.0 + Real{});
  m.braking = ahead * braking, m.gain = ahead * m.gain, m.angular_gain = ahead * m.angular_gain;
}

/// Memory::grip of a point that stood at `anchor` from A's centroid a step ago and goes with the mean of the two
/// bodies. `arm`: of the contact point now; `spin`: of A.
template <class Vector, class Motion>
HWY_INLINE Vector CarriedGrip(const Vector& anchor, const Vector& arm, const Vector& spin, const Motion& m) {
  const Vector off = anchor - arm;
  return off + m.dt * (cross(spin, anchor) + 0.5 * (m.velocity + cross(m.angular_velocity, off)));
}

/// What a law's dashpots have taken over the step, J, from what they do at its two ends, as the leapfrog has it: exact
/// but for the turn of the arms.
template <class Vector, class Motion, class Memory, class Wrench>
HWY_INLINE void BookDashpots(const Vector& n, const Motion& m, const Memory& memory, Wrench& w) {
  const Vector force = w.damping + memory.damping;
  const auto half = -0.5 * m.dt, normal = half * (dot(force, n) * dot(m.velocity, n));
  w.lost.x = normal;
  w.lost.y =
      half * (dot(force, m.velocity) + dot(w.damping_moment + memory.damping_moment, m.angular_velocity)) - normal;
}

/// What the dashpots of a contact at `arm` from a body's centre take of its velocity: 1/s, no less than they take of
/// any of its motions.
template <class Dashpots, class Vector, class Real>
HWY_INLINE Real RateOfDashpots(const Dashpots& c, const Vector& normal, Real gyration, const Vector& arm, Real mass,
                               Real least) {
  const Real one = 1.0 + Real{}, along = dot(arm, normal), arm2 = norm2(arm);
  const Real across2 = Greatest(Real{}, arm2 - along * along);
  // Three times the second moments resist rocking; the shear dashpot acts where its spring holds on.
  const Real patch2 = gyration * gyration, reach = Sqrt(arm2) + gyration;
  return Greatest(c.normal * (one / mass + (across2 + 3.0 * patch2) / least) + c.shear * along * along / least,
                  c.shear * (one / mass + reach * reach / least));
}

/// Of the wrench about the end of the arm, about its beginning.
template <class Vector, class Wrench>
HWY_INLINE Vector TorqueOn(const Vector& arm, const Wrench& w) {
  return cross(arm, w.force) + w.moment;
}

}  // namespace scree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

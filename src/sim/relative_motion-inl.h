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
  return m;
}

/// Memory::grip of a point that stood at `anchor` from A's centroid a step ago and goes with the mean of the two
/// bodies. `arm`: of the contact point now; `spin`: of A.
template <class Vector, class Motion>
HWY_INLINE Vector CarriedGrip(const Vector& anchor, const Vector& arm, const Vector& spin, const Motion& m) {
  const Vector off = anchor - arm;
  return off + m.dt * (cross(spin, anchor) + 0.5 * (m.velocity + cross(m.angular_velocity, off)));
}

/// Of the wrench about the end of the arm, about its beginning.
template <class Vector, class Wrench>
HWY_INLINE Vector TorqueOn(const Vector& arm, const Wrench& w) {
  return cross(arm, w.force) + w.moment;
}

}  // namespace scree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

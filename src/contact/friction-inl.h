// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_FRICTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_FRICTION_INL_H
#undef SCREE_CONTACT_FRICTION_INL_H
#else
#define SCREE_CONTACT_FRICTION_INL_H
#endif

#include "base/lanes-inl.h"

/// friction.h for one contact or for as many as a vector holds: `Geometry`, `Motion` and `Memory` are those of
/// contact.h or their lanes.
HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {
using namespace scree::HWY_NAMESPACE;

/// Turns v by the smallest rotation that takes the unit vector `from` to `to` (Rodrigues).
template <class Vector>
HWY_INLINE Vector Carry(const Vector& v, const Vector& from, const Vector& to) {
  const Vector axis = cross(from, to);
  const auto c = dot(from, to);
  const Vector carried = c * v + cross(axis, v) + (dot(axis, v) / (1 + c)) * axis;
  const auto reversed = c < -0.99;  // turned round within a step: there is no smallest rotation
  if (!Any(reversed)) return carried;
  return Select(reversed, v - dot(v, to) * to, carried);
}

/// The contact's normal in the middle of the step that has ended.
template <class Memory, class Vector>
HWY_INLINE Vector MiddleNormal(const Memory& memory, const Vector& n) {
  return Select(memory.normal == Vector{}, n, 0.5 * (memory.normal + n));
}

template <class Memory, class Vector, class Motion>
HWY_INLINE Vector CarriedShear(const Memory& memory, const Vector& n, const Motion& m) {
  Vector shear = Select(memory.normal == Vector{}, Vector{}, Carry(memory.shear, memory.normal, n));
  const auto turn = m.dt * dot(m.mean_spin, n);
  shear = (shear + turn * cross(n, shear)) / Sqrt(1 + turn * turn);
  return shear - dot(shear, n) * n;
}

template <class Geometry, class Memory, class Vector>
HWY_INLINE Vector SlipAlong(const Geometry& g, const Memory& memory, const Vector& velocity) {
  const Vector n = g.normal, middle = Select(g.gyration > 0, n, MiddleNormal(memory, n));
  const Vector slip = velocity - dot(velocity, n) * middle;
  return slip - dot(slip, n) * n;
}

/// Shortens what a patch bears along its plane to the limit; tells whether it was beyond.
template <class Vector, class Real>
HWY_INLINE auto HoldWithin(Vector& force, Real& spin, Real limit) {
  const Real size2 = norm2(force) + spin * spin;
  const auto beyond = size2 > limit * limit;
  if (Any(beyond)) {
    const Real part = limit / Sqrt(size2);
    force = Select(beyond, part * force, force), spin = Select(beyond, part * spin, spin);
  }
  return beyond;
}

/// Shortens v to the length `cap`.
template <class Vector, class Real>
HWY_INLINE void CutTo(Real cap, Vector& v) {
  const Real size = Sqrt(norm2(v));
  const auto beyond = size > cap;
  if (Any(beyond)) v = Select(beyond, (cap / size) * v, v);
}

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

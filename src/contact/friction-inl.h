// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_FRICTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_FRICTION_INL_H
#undef SCREE_CONTACT_FRICTION_INL_H
#else
#define SCREE_CONTACT_FRICTION_INL_H
#endif

#include "base/lanes-inl.h"
#include "contact/friction.h"

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

/// The stored shear force in the present tangent plane. Memory is carried by rotation, not by projection, which would
/// lose length: with the normal, and with the pair about it.
template <class Memory, class Vector, class Motion>
HWY_INLINE Vector CarriedShear(const Memory& memory, const Vector& n, const Motion& m) {
  Vector shear = Select(memory.normal == Vector{}, Vector{}, Carry(memory.shear, memory.normal, n));
  const auto turn = m.dt * dot(m.mean_spin, n);
  shear = (shear + turn * cross(n, shear)) / Sqrt(1 + turn * turn);
  return shear - dot(shear, n) * n;
}

/// What of the mean velocity of a step goes along the contact plane. The normal turned with the bodies: the one in the
/// middle of the step parts approach from slip. With the last one, half a step late, what approaches obliquely would
/// store shear that no slip has brought, the more the smaller the grain (Vyas et al. 2025, Comput. Phys. Commun.
/// 310:109524). Not so for a patch, whose normal is a mean over faces and jumps about: beds of polyhedra trembled more
/// and more. `kPatch` false, here and below: no contact has a patch, all are points, and what only patches have costs
/// nothing.
template <bool kPatch = true, class Geometry, class Memory, class Vector>
HWY_INLINE Vector SlipAlong(const Geometry& g, const Memory& memory, const Vector& velocity) {
  const Vector n = g.normal;
  Vector middle = MiddleNormal(memory, n);
  if constexpr (kPatch) middle = Select(g.gyration > 0, n, middle);
  const Vector slip = velocity - dot(velocity, n) * middle;
  return slip - dot(slip, n) * n;
}

/// Shortens what a patch bears along its plane to the limit; tells whether it was beyond: a force, and a moment about
/// the normal over the patch's mean radius. Coulomb's limit holds for both together, |force|^2 + spin^2 <= limit^2 (the
/// ellipsoid of Howe & Cutkosky 1996, Int. J. Robot. Res. 15:557, within a few per cent of an even patch): what spins
/// does not stick. With a limit each, a patch that turned on one was still held by the other's spring, and any tilt
/// grew to a wobble.
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

/// The same of a point.
template <class Vector, class Real>
HWY_INLINE auto HoldWithin(Vector& force, Real limit) {
  const Real size2 = norm2(force);
  const auto beyond = size2 > limit * limit;
  if (Any(beyond)) force = Select(beyond, (limit / Sqrt(size2)) * force, force);
  return beyond;
}

/// Where the shear spring of a patch holds on, and what it holds there. The spring joins two points of the bodies: as
/// long as they stay the same two, force and moment have a potential whatever the pressure does. Let it act where the
/// pressure does instead, and every tilt turns the block about the normal while no turn tilts it back: such a force
/// feeds on the load it carries, and a cube that friction holds flutters and walks.
template <class Vector, class Real>
struct Hold {
  Vector grip;   ///< m, from the contact point
  Vector shear;  ///< N
  Real torsion;  ///< N m, about the grip
  Real dragged;  ///< m, by how far the grip has been taken along
  // What the springs bore when the step began.
  Vector shear_before;
  Real torsion_before;
  Real work;  ///< J, done on the springs by the motion of the step, once they have grown

  /// What was stored, carried to this step. A grip farther from the contact point than the radius of gyration is
  /// taken along, and the moment about the contact point stays what it was.
  template <class Geometry, class Memory>
  HWY_INLINE Hold(const Geometry& g, const Memory& memory, const Vector& carried) : shear(carried) {
    const Vector n = g.normal;
    const Vector off = Select(memory.normal == Vector{}, Vector{}, memory.grip - dot(memory.grip, n) * n);
    const Real length = Sqrt(norm2(off)), beyond = length - g.gyration;
    dragged = Select(beyond > 0, beyond, Real{});
    const Vector drag = Select(beyond > 0, (dragged / length) * off, Vector{});
    grip = off - drag;
    torsion = memory.torsion + dot(n, cross(drag, shear));
    shear_before = shear, torsion_before = torsion, work = Real{};
  }
  /// The moment about the contact point.
  template <class Geometry>
  HWY_INLINE Real moment(const Geometry& g) const {
    return torsion + dot(g.normal, cross(grip, shear));
  }
  /// Grows by springs of `stiffness` (N/m) and `about` (N m), and is held within the limit: `twist` is then the moment
  /// about the contact point over `radius`. Tells whether it was beyond.
  template <class Geometry>
  HWY_INLINE auto Grow(const Geometry& g, Real stiffness, Real about, const Vector& way, Real turn, Real radius,
                       Real limit, Real* twist) {
    // A patch that has moved on loses of the moment what it cannot hold beside the force, as much as the move has
    // brought.
    const Real room2 = limit * limit - norm2(shear), room = radius * Sqrt(Select(room2 > 0, room2, Real{}));
    const Real before = moment(g), excess = Abs(before) - room;
    const Real lost = Least(Select(excess > 0, excess, Real{}), dragged * Sqrt(norm2(shear)));
    torsion = torsion - Select(before < 0, -lost, lost) - about * turn;
    const Vector slip = way + turn * cross(g.normal, grip);
    shear = shear - stiffness * slip;
    *twist = Select(radius > 0, moment(g) / radius, Real{});
    const auto beyond = HoldWithin(shear, *twist, limit);
    torsion = *twist * radius - dot(g.normal, cross(grip, shear));
    // As the leapfrog has it: the mean of the forces at the step's two ends along its way.
    work = -0.5 * (dot(shear_before + shear, slip) + (torsion_before + torsion) * turn);
    return beyond;
  }
};

/// A dashpot, from what it would be at the velocity that it sees and what it was in the last step. Where all dashpots
/// of a body together would turn a velocity round within the step, each follows it more slowly, as one with a spring in
/// series does: stable, and never a source of energy (docs/time-step.md).
template <class T, class Real>
HWY_INLINE T Braked(const T& seen, const T& last, Real braking) {
  const auto brakes = braking > 0;
  if (!Any(brakes)) return seen;
  return Select(brakes, (seen + braking * last) / (1 + braking), seen);
}

/// The moment of a normal dashpot (N s/m) that is spread over a patch, against rocking. What the patch is long along
/// resists, what it is short along does not: the stiffness of a patch against rocking, K a^2/4 about the axes of a
/// square of side a, is 3 K times its second moments. Nowhere more than the normal force `pressed` bears.
template <class Geometry, class Motion, class Memory, class Vector, class Real>
HWY_INLINE Vector Rocking(const Geometry& g, const Motion& m, const Memory& memory, const Vector& turning, Real dashpot,
                          Real pressed) {
  const Vector across = cross(g.axis, g.normal);
  const Real long2 = norm2(g.axis), short2 = g.gyration * g.gyration - long2;
  const Real ratio = Select(long2 > 0, Select(short2 > 0, short2, Real{}) / long2, Real{});
  Real about = dot(across, turning), along = dot(g.axis, turning);
  if (const auto brakes = m.braking > 0; Any(brakes)) {
    const Real per = (-1.0 + Real{}) / (3.0 * dashpot * long2);
    const auto had = dashpot * long2 > 0;
    const Real last_about = Select(had, per * dot(across, memory.damping_moment), Real{});
    const Real last_along =
        Select(had, Select(ratio > 0, per * dot(g.axis, memory.damping_moment) / ratio, Real{}), Real{});
    about = Braked(about, last_about, m.braking), along = Braked(along, last_along, m.braking);
  }
  const Real size = 3.0 * dashpot * Sqrt(about * about + ratio * (along * along)), cap = kRockingCap * pressed;
  const Real part = Select(size > cap, cap / size, 1.0 + Real{});
  return (-3.0 * part * dashpot) * (about * across + (ratio * along) * g.axis);
}

/// The normal dashpot (N), from what it would be at the velocity that it sees.
template <class Geometry, class Motion, class Memory, class Real>
HWY_INLINE Real NormalBraked(const Geometry& g, const Motion& m, const Memory& memory, Real seen) {
  return Braked(seen, dot(memory.damping, g.normal), m.braking);
}

/// The largest part t in [0, 1] of `extra` with |base + t extra| <= limit, where |base| <= limit; both are tractions as
/// of HoldWithin.
template <class Vector, class Real>
HWY_INLINE Real PartWithin(const Vector& base, Real base_spin, const Vector& extra, Real extra_spin, Real limit) {
  const Real one = 1.0 + Real{}, none{};
  const Real a = norm2(extra) + extra_spin * extra_spin, b = dot(base, extra) + base_spin * extra_spin;
  const Real c = norm2(base) + base_spin * base_spin - limit * limit;
  const auto beyond = Untrue(a + 2.0 * b + c <= 0);
  if (!Any(beyond)) return one;
  const Real root = Sqrt(b * b - a * c);
  const Real part = Least(Greatest(Select(b > 0, -c / (b + root), (root - b) / a), none), one);
  return Select(beyond, Select(Both(a > 0, Untrue(c >= 0)), part, none), one);
}

/// Tangential of friction.h, of one contact or of the lanes.
template <class Real>
struct TangentialOf {
  Real stiffness, dashpot, normal_dashpot, friction_limit, rescale;
};

/// add_tangential() of friction.h.
template <bool kPatch, class Geometry, class Motion, class Tangential, class Memory, class Wrench>
HWY_INLINE void AddTangential(const Geometry& g, const Motion& m, const Tangential& t, Memory& memory, Wrench& w) {
  using Vector = decltype(g.normal);
  using Real = decltype(g.depth);
  const Vector n = g.normal, slip = SlipAlong<kPatch>(g, memory, m.velocity), now = m.velocity_now();
  // On B, against B's slip over A.
  const Vector carried = CarriedShear(memory, n, m), from_normal = now - dot(now, n) * n;
  const auto last = [&]() HWY_ATTR { return memory.damping - dot(memory.damping, n) * n; };
  if constexpr (!kPatch) {
    const Vector before = t.rescale * carried;
    Vector shear = before - t.stiffness * (m.dt * slip), dashpot = (-t.dashpot) * from_normal;
    const auto sliding = HoldWithin(shear, t.friction_limit);
    if (Any(m.braking > 0)) dashpot = Braked(dashpot, last(), m.braking);
    dashpot = Select(sliding, Vector{}, PartWithin(shear, Real{}, dashpot, Real{}, t.friction_limit) * dashpot);
    memory.shear = shear, memory.torsion = Real{}, memory.normal = n, memory.grip = Vector{};
    w.force = w.force + (shear + dashpot), w.damping = w.damping + dashpot, w.sliding = sliding;
    const Real stored = Select(t.stiffness > 0, 0.5 * norm2(shear) / t.stiffness, Real{});
    const Real work = -0.5 * dot(Select(t.rescale > 0, carried, before) + shear, m.dt * slip);
    w.energy = w.energy + stored;
    w.lost.z = w.lost.z + Select(m.dt > 0, memory.stored - stored + work, Real{});
    memory.stored = stored;
  } else {
    const Vector turning = m.angular_velocity_now();
    const Real spin_now = dot(turning, n);
    // Torsion: the shear spring spread over the patch. A point has none.
    const Real area2 = g.gyration * g.gyration, radius = kMeanRadius * g.gyration;
    const Real per_radius = Select(radius > 0, (1.0 + Real{}) / radius, Real{}), about = t.stiffness * area2;
    memory.torsion = memory.torsion * t.rescale;
    Hold<Vector, Real> hold(g, memory, t.rescale * carried);
    hold.shear_before = Select(t.rescale > 0, carried, hold.shear_before);
    hold.torsion_before = Select(t.rescale > 0, hold.torsion_before / t.rescale, hold.torsion_before);
    Real spin;
    const auto sliding = hold.Grow(g, t.stiffness, about, m.dt * slip, m.dt * dot(m.angular_velocity, n), radius,
                                   t.friction_limit, &spin);
    Vector dashpot = Braked((-t.dashpot) * (from_normal + spin_now * cross(n, hold.grip)), last(), m.braking);
    const Real with_force = dot(n, cross(hold.grip, dashpot));
    Real dashpot_spin = per_radius * (with_force + Braked(-t.dashpot * area2 * spin_now,
                                                          dot(memory.damping_moment, n) - with_force, m.braking));
    const Real part = PartWithin(hold.shear, spin, dashpot, dashpot_spin, t.friction_limit);
    dashpot = Select(sliding, Vector{}, part * dashpot);
    dashpot_spin = Select(sliding, Real{}, part * dashpot_spin);
    memory.shear = hold.shear, memory.torsion = hold.torsion, memory.normal = n, memory.grip = hold.grip;
    w.force = w.force + (hold.shear + dashpot), w.damping = w.damping + dashpot, w.sliding = sliding;
    w.moment = w.moment + ((spin + dashpot_spin) * radius) * n;
    w.damping_moment = w.damping_moment + (dashpot_spin * radius) * n;
    Real stored = Select(t.stiffness > 0, 0.5 * norm2(hold.shear) / t.stiffness, Real{});
    stored = stored + Select(about > 0, 0.5 * memory.torsion * memory.torsion / about, Real{});
    w.energy = w.energy + stored;
    if (Any(radius > 0)) {
      const Vector rocking = Select(
          radius > 0, Rocking(g, m, memory, turning - spin_now * n, t.normal_dashpot, Greatest(Real{}, w.normal_force)),
          Vector{});
      w.moment = w.moment + rocking, w.damping_moment = w.damping_moment + rocking;
    }
    w.lost.z = w.lost.z + Select(m.dt > 0, memory.stored - stored + hold.work, Real{});
    memory.stored = stored;
  }
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

#pragma once
#include <cmath>

#include "contact/contact.h"

/// What laws share along the contact plane.
namespace scree::contact {

/// Turns v by the smallest rotation that takes the unit vector `from` to `to` (Rodrigues).
inline Vec3 carry(Vec3 v, Vec3 from, Vec3 to) {
  const Vec3 axis = cross(from, to);
  const double c = dot(from, to);
  if (c < -0.99) return v - dot(v, to) * to;  // turned round within a step: there is no smallest rotation
  return c * v + cross(axis, v) + (dot(axis, v) / (1 + c)) * axis;
}

/// The contact's normal in the middle of the step that has ended.
inline Vec3 middle_normal(const Memory& memory, Vec3 n) {
  return memory.normal == Vec3{} ? n : 0.5 * (memory.normal + n);
}

/// The stored shear force in the present tangent plane. Memory is carried by rotation, not by projection, which would
/// lose length: with the normal, and with the pair about it.
inline Vec3 carried_shear(const Memory& memory, Vec3 n, const Motion& m) {
  Vec3 shear = memory.normal == Vec3{} ? Vec3{} : carry(memory.shear, memory.normal, n);
  const double turn = m.dt * dot(m.mean_spin, n);
  shear = (shear + turn * cross(n, shear)) / std::sqrt(1 + turn * turn);
  shear -= dot(shear, n) * n;
  return shear;
}

/// What of the mean velocity of a step goes along the contact plane. The normal turned with the bodies: the one in the
/// middle of the step parts approach from slip. With the last one, half a step late, what approaches obliquely would
/// store shear that no slip has brought, the more the smaller the grain (Vyas et al. 2025, Comput. Phys. Commun.
/// 310:109524). Not so for a patch, whose normal is a mean over faces and jumps about: beds of polyhedra trembled more
/// and more.
inline Vec3 slip_along(const Geometry& g, const Memory& memory, Vec3 velocity) {
  const Vec3 n = g.normal, middle = g.gyration > 0 ? n : middle_normal(memory, n);
  const Vec3 slip = velocity - dot(velocity, n) * middle;
  return slip - dot(slip, n) * n;
}

/// Mean radius of a compact patch over its radius of gyration: disc .943, square .937.
inline constexpr double kMeanRadius = 0.94;

/// What a patch bears along its plane: a force, and a moment about the normal over the patch's mean radius. Coulomb's
/// limit holds for both together, |force|^2 + spin^2 <= limit^2 (the ellipsoid of Howe & Cutkosky 1996, Int. J. Robot.
/// Res. 15:557, within a few per cent of an even patch): what spins does not stick. With a limit each, a patch that
/// turned on one was still held by the other's spring, and any tilt grew to a wobble.
struct Traction {
  Vec3 force;       ///< N
  double spin = 0;  ///< N

  double norm2() const { return scree::norm2(force) + spin * spin; }
  /// Shortens to the limit; tells whether it was beyond.
  bool hold_within(double limit) {
    const double size2 = norm2();
    if (!(size2 > limit * limit)) return false;
    const double part = limit / std::sqrt(size2);
    force *= part, spin *= part;
    return true;
  }
};

/// The largest part t in [0, 1] of `extra` with |base + t extra| <= limit, where |base| <= limit.
double part_within(const Traction& base, const Traction& extra, double limit);

/// Springs and dashpots of one contact along and about its plane.
struct Tangential {
  double stiffness = 0;       ///< N/m, of the shear spring
  double dashpot = 0;         ///< N s/m, beside it
  double normal_dashpot = 0;  ///< N s/m, of the normal one: spread over a patch it resists rocking
  double friction_limit = 0;  ///< N, mu times the pressing force, >= 0
  double rescale = 1;         ///< factor on the stored shear before it grows
};
/// Adds shear and a patch's torsion (springs, Coulomb's limit on both together, dashpots) and its rocking to `w`;
/// updates the memory. Springs and dashpots together never exceed the limit: where they would, the dashpots give way.
void add_tangential(const Geometry& g, const Motion& m, const Tangential& t, Memory& memory, Wrench& w);

}  // namespace scree::contact

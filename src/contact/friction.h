#pragma once
#include "contact/contact.h"

/// What laws share along the contact plane; the text for a vector of contacts is in friction-inl.h.
namespace scree::contact {

/// The stored shear force in the present tangent plane. Memory is carried by rotation, not by projection, which would
/// lose length: with the normal, and with the pair about it.
Vec3 carried_shear(const Memory& memory, Vec3 n, const Motion& m);

/// The normal dashpot (N), from what it would be at the velocity that it sees: friction-inl.h, Braked.
double normal_braked(const Geometry& g, const Motion& m, const Memory& memory, double seen);

/// What of the mean velocity of a step goes along the contact plane. The normal turned with the bodies: the one in the
/// middle of the step parts approach from slip. With the last one, half a step late, what approaches obliquely would
/// store shear that no slip has brought, the more the smaller the grain (Vyas et al. 2025, Comput. Phys. Commun.
/// 310:109524). Not so for a patch, whose normal is a mean over faces and jumps about: beds of polyhedra trembled more
/// and more.
Vec3 slip_along(const Geometry& g, const Memory& memory, Vec3 velocity);

/// Mean radius of a compact patch over its radius of gyration: disc .943, square .937.
inline constexpr double kMeanRadius = 0.94;
/// The same over its radius of gyration along one axis: what the pressing force can do against rocking.
inline constexpr double kRockingCap = 0.94 * 1.4142135623730951;

/// What a patch bears along its plane: a force, and a moment about the normal over the patch's mean radius. Coulomb's
/// limit holds for both together, |force|^2 + spin^2 <= limit^2 (the ellipsoid of Howe & Cutkosky 1996, Int. J. Robot.
/// Res. 15:557, within a few per cent of an even patch): what spins does not stick. With a limit each, a patch that
/// turned on one was still held by the other's spring, and any tilt grew to a wobble.
struct Traction {
  Vec3 force;       ///< N
  double spin = 0;  ///< N

  double norm2() const { return scree::norm2(force) + spin * spin; }
  /// Shortens to the limit; tells whether it was beyond.
  bool hold_within(double limit);
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

#pragma once
#include "contact/contact.h"

/// What laws share along the contact plane; the text for a vector of contacts is in friction-inl.h.
namespace scree::contact {

/// The normal dashpot (N), from what it would be at the velocity that it sees: friction-inl.h, Braked.
double normal_braked(const Geometry& g, const Motion& m, const Memory& memory, double seen);

/// Mean radius of a compact patch over its radius of gyration: disc .943, square .937.
inline constexpr double kMeanRadius = 0.94;
/// The same over its radius of gyration along one axis: what the pressing force can do against rocking.
inline constexpr double kRockingCap = 0.94 * 1.4142135623730951;

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

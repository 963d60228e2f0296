#pragma once
#include "contact/contact.h"

namespace scree::contact {

/// Adhesive contact of two elastic spheres (Johnson, Kendall & Roberts 1971), in units of the radius a_c at which it
/// gives way under a prescribed distance: with a = a_c y^2,
///   depth = (y^4 - 4 y) a_c^2/R,  force = (y^6/6 - y^3) pi w R,  energy = (y^10/15 - 2 y^7/3 + y^4) pi w a_c^2.
/// y >= 1; the force is least, -3/2 pi w R, at y^3 = 3 and 0 at y^3 = 6. Energy 0: apart. The text is in jkr-inl.h.
struct Jkr {
  double young;   ///< Pa, E* of the pair
  double work;    ///< J/m^2, w, of adhesion
  double radius;  ///< m, R* of the pair

  double least_radius() const;                ///< a_c, m
  double parting_depth() const;               ///< m, negative: the contact gives way at this depth
  double pull_off() const;                    ///< N
  double contact_radius(double depth) const;  ///< m
  double force(double depth) const;           ///< N
  double energy(double depth) const;          ///< J, of elasticity and surface
};

}  // namespace scree::contact

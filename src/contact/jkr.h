#pragma once
#include <algorithm>
#include <cmath>

#include "contact/contact.h"

namespace scree::contact {

/// Adhesive contact of two elastic spheres (Johnson, Kendall & Roberts 1971), in units of the radius a_c at which it
/// gives way under a prescribed distance: with a = a_c y^2,
///   depth = (y^4 - 4 y) a_c^2/R,  force = (y^6/6 - y^3) pi w R,  energy = (y^10/15 - 2 y^7/3 + y^4) pi w a_c^2.
/// y >= 1; the force is least, -3/2 pi w R, at y^3 = 3 and 0 at y^3 = 6. Energy 0: apart.
struct Jkr {
  double young;   ///< Pa, E* of the pair
  double work;    ///< J/m^2, w, of adhesion
  double radius;  ///< m, R* of the pair

  /// a_c, m.
  double least_radius() const { return std::cbrt(kPi * work * radius * radius / (8 * young)); }
  /// m, negative: the contact gives way at this depth.
  double parting_depth() const { return -3 * unit_depth(); }
  double pull_off() const { return 1.5 * kPi * work * radius; }  ///< N
  double contact_radius(double depth) const {                    ///< m
    const double y = coordinate(depth);
    return least_radius() * y * y;
  }
  double force(double depth) const {  ///< N
    const double y3 = std::pow(coordinate(depth), 3);
    return kPi * work * radius * (y3 / 6 - 1) * y3;
  }
  double energy(double depth) const {  ///< J, of elasticity and surface
    const double y = coordinate(depth), a = least_radius(), y3 = y * y * y;
    return kPi * work * a * a * y3 * y * (y3 * y3 / 15 - 2 * y3 / 3 + 1);
  }

 private:
  double unit_depth() const { return least_radius() * least_radius() / radius; }
  /// The larger root of y^4 - 4 y = D by Newton's steps, which come down to it from above.
  double coordinate(double depth) const {
    const double d = depth / unit_depth();
    if (!(d > -3)) return 1;
    double y = 2 + std::sqrt(std::sqrt(2 * std::max(0.0, d)));
    for (int k = 0; k < 80; ++k) {
      const double y3 = y * y * y, next = y - (y * y3 - 4 * y - d) / (4 * (y3 - 1));
      if (!(next < y) || next < 1) break;
      y = next;
    }
    return y;
  }
};

}  // namespace scree::contact

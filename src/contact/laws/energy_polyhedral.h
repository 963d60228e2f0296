#pragma once
#include <cmath>

#include "contact/law.h"

namespace scree::contact {

/// Elastic force from a potential of the overlap volume (after Feng 2021, Comput. Methods Appl. Mech. Eng. 373:113454):
/// W(V) = P R*^3/m (V/R*^3)^m, force W'(V) S and moment W'(V) int x cross dA over the patch: exactly -dW of any motion,
/// so that no closed elastic path yields work. docs/laws/energy_polyhedral.md.
struct EnergyPolyhedral {
  static constexpr std::string_view kName = "energy";
  static constexpr Traits kTraits{.pair = true, .patch = true};
  static std::span<const Parameter<EnergyPolyhedral>> parameters();

  double pressure = 0;        ///< Pa, P
  double exponent = 2;        ///< m >= 1; 2: a flat contact is a linear spring
  double kt = 0;              ///< N/m, shear spring
  double friction_angle = 0;  ///< rad
  double damping_ratio = 0;   ///< zeta of the dashpots, to the spring (m - 1) F/D of a flat patch

  double mu = 0;  ///< set by prepare(), which must be called before the law is used
  void prepare(double /*smallest_mass*/) { mu = std::tan(friction_angle); }

  /// W'(V): Pa.
  double slope(const Geometry& g) const { return pressure * std::pow(share(g), exponent - 1); }
  double elastic_normal_force(const Geometry& g) const { return slope(g) * g.area; }
  /// Bound for the overlap of a face, an edge or a corner: the patch may grow with the depth.
  double normal_stiffness(const Geometry& g) const { return exponent * elastic_normal_force(g) / g.depth; }
  double shear_stiffness(const Geometry&) const { return kt; }
  Dashpots dashpots(const Geometry& g) const {
    const double of_root = 2 * damping_ratio * std::sqrt(g.mass);
    return {of_root * std::sqrt((exponent - 1) * elastic_normal_force(g) / g.depth), of_root * std::sqrt(kt)};
  }
  double normal_energy(const Geometry& g) const { return slope(g) * g.depth * g.area / exponent; }

  double parting_depth(double /*radius*/) const { return 0; }
  bool tension_allowed() const { return false; }
  std::optional<double> restitution() const { return std::nullopt; }

  Wrench operator()(const Geometry& g, const Motion& m, Memory& memory) const;

 private:
  static double share(const Geometry& g) { return g.depth * g.area / (g.radius * g.radius * g.radius); }
};

}  // namespace scree::contact

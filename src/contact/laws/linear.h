#pragma once
#include <cmath>

#include "contact/law.h"

namespace scree::contact {

/// Linear spring-dashpot (Cundall & Strack 1979) with the pair's own share of critical damping; docs/laws/linear.md.
struct Linear {
  static constexpr std::string_view kName = "linear";
  static constexpr Traits kTraits{.pair = true, .lanes = true};
  static std::span<const Parameter<Linear>> parameters();

  double kn = 0;              ///< N/m
  double kt = 0;              ///< N/m
  double friction_angle = 0;  ///< rad
  double damping_ratio = 0;  ///< of critical: dashpots 2 zeta sqrt(k m*); damping_ratio_for() makes it of a restitution
  Tension tension = Tension::cut;

  double mu = 0;  ///< set by prepare(), which must be called before the law is used
  void prepare(double /*smallest_mass*/) { mu = std::tan(friction_angle); }

  double normal_stiffness(const Geometry&) const { return kn; }
  double shear_stiffness(const Geometry&) const { return kt; }
  Dashpots dashpots(const Geometry& g) const;
  double elastic_normal_force(const Geometry& g) const { return kn * g.depth; }
  double normal_energy(const Geometry& g) const { return 0.5 * kn * g.energy_depth * g.energy_depth; }

  double parting_depth(double /*radius*/) const { return 0; }
  bool tension_allowed() const { return tension == Tension::allowed; }
  std::optional<double> restitution() const { return restitution_of(damping_ratio, tension); }

  Wrench operator()(const Geometry& g, const Motion& m, Memory& memory) const;
};

}  // namespace scree::contact

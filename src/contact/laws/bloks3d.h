#pragma once
#include <cmath>

#include "contact/law.h"

namespace scree::contact {

/// BLOKS3D's force law (Zhao et al. 2006, Eqs. 4-10) on one contact point, with the corrections of
/// docs/laws/bloks3d.md. Its text, for one contact and for a vector of them, is in bloks3d-inl.h.
struct Bloks3d {
  static constexpr std::string_view kName = "bloks3d";
  static constexpr Traits kTraits{.lanes = true, .limits_dashpots = false};
  static std::span<const Parameter<Bloks3d>> parameters();

  double kn = 0;              ///< N/m, linear normal stiffness K_N; 0: the power term alone
  double knn = 0;             ///< N/m^exponent, K_NN
  double exponent = 1;        ///< b
  double ks = 0;              ///< N/m, shear stiffness K_S
  double friction_angle = 0;  ///< rad, phi
  /// beta_d; the dashpots are beta K with beta = beta_d 2/omega_max, omega_max = sqrt(K/m_min), where K is kn; with kn
  /// = 0 that of each spring: b K_NN D^(b-1) at the depth D at hand, and K_S.
  double damping_ratio = 0;
  double damping_sliding = 0;   ///< d1, cap on damping over elastic force of a sliding contact
  double damping_sticking = 0;  ///< d2, the same of a sticking one

  // Set by prepare(), which must be called before the law is used.
  double beta = 0;  ///< s, dashpot over spring; with kn = 0 (kg^1/2) over the square root of a spring
  double mu = 0;    ///< tan phi

  /// Fixes the dashpot time from the smallest mass of the run (kg; 0: nothing to damp).
  void prepare(double smallest_mass) {
    beta = smallest_mass > 0 ? damping_ratio * 2 * std::sqrt(kn > 0 ? smallest_mass / kn : smallest_mass) : 0;
    mu = std::tan(friction_angle);
  }
  /// dF/dD: N/m.
  double normal_stiffness(const Geometry& g) const {
    return kn + (knn > 0 ? exponent * knn * std::pow(g.depth, exponent - 1) : 0);
  }
  double elastic_normal_force(const Geometry& g) const;
  double shear_stiffness(const Geometry&) const { return ks; }
  Dashpots dashpots(const Geometry& g) const;
  /// Stored in the normal spring: J.
  double normal_energy(const Geometry& g) const;

  /// What is wrong with the parameters together.
  std::string_view fault() const { return kn > 0 || knn > 0 ? "" : "kn: 0 needs knn above 0 beside it"; }

  double parting_depth(double /*radius*/) const { return 0; }
  bool tension_allowed() const { return false; }
  std::optional<double> restitution() const { return std::nullopt; }

  Wrench operator()(const Geometry& g, const Motion& m, Memory& memory) const;
};

}  // namespace scree::contact

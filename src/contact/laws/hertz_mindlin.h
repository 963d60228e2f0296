#pragma once
#include <cmath>

#include "contact/jkr.h"
#include "contact/law.h"

namespace scree::contact {

/// Elastic constants of a pair of isotropic materials (Hertz 1882; Mindlin 1949).
struct ElasticPair {
  double young = 0;  ///< Pa, 1/E* = (1 - nu_A^2)/E_A + (1 - nu_B^2)/E_B
  double shear = 0;  ///< Pa, 1/G* = (2 - nu_A)/G_A + (2 - nu_B)/G_B, G = E/(2 (1 + nu))
};
ElasticPair elastic_pair(double young_a, double poisson_a, double young_b, double poisson_b);

/// Restitution of a pair: each body gives back e_i^2 of the energy that it took up, and takes up energy by its
/// compliance c_i = (1 - nu_i^2)/E_i: e^2 = (c_A e_A^2 + c_B e_B^2)/(c_A + c_B).
double mixed_restitution(double young_a, double poisson_a, double e_a, double young_b, double poisson_b, double e_b);

/// The same of two materials; 0 where one of them has none.
double mixed_restitution(const ElasticMaterial& a, const ElasticMaterial& b);

/// Hertz' normal force and Mindlin's shear stiffness with history, and a dashpot that gives a restitution of one value
/// at every speed (after Tsuji et al. 1992); docs/laws/hertz_mindlin.md.
struct HertzMindlin {
  static constexpr std::string_view kName = "hertz_mindlin";
  static constexpr Traits kTraits{.pair = true, .lanes = true, .elastic = true, .adhesion = "jkr"};
  static std::span<const Parameter<HertzMindlin>> parameters();

  double young = 0;           ///< Pa, E* of the pair
  double shear = 0;           ///< Pa, G* of the pair
  double friction_angle = 0;  ///< rad
  double damping_ratio = 0;   ///< zeta; damping_ratio_for() makes it of a restitution
  Tension tension = Tension::cut;
  double work_of_adhesion = 0;  ///< J/m^2; above 0: adhesive (docs/laws/cohesion.md, jkr), with depths below 0 too

  double mu = 0;  ///< set by prepare(), which must be called before the law is used
  void prepare(double /*smallest_mass*/) { mu = std::tan(friction_angle); }

  /// The restitution of the two, where both have one, until another is given. `tension` must be right.
  void set_materials(const ElasticMaterial& a, const ElasticMaterial& b);

  bool adheres() const { return work_of_adhesion > 0; }
  Jkr jkr(double radius) const { return {young, work_of_adhesion, radius}; }
  double contact_radius(const Geometry& g) const {
    return adheres() ? jkr(g.radius).contact_radius(g.depth) : std::sqrt(g.radius * g.depth);
  }
  double normal_stiffness(const Geometry& g) const { return 2 * young * contact_radius(g); }
  double shear_stiffness(const Geometry& g) const { return 8 * shear * contact_radius(g); }
  Dashpots dashpots(const Geometry& g) const;
  /// Dashpot over the square root of stiffness times mass.
  double damping() const { return 2 * std::sqrt(5.0 / 6) * damping_ratio; }
  double elastic_normal_force(const Geometry& g) const {
    return adheres() ? jkr(g.radius).force(g.depth) : 4.0 / 3 * young * contact_radius(g) * g.depth;
  }
  double normal_energy(const Geometry& g) const {
    if (adheres()) return jkr(g.radius).energy(g.energy_depth);
    return 8.0 / 15 * young * std::sqrt(g.radius * g.energy_depth) * g.energy_depth * g.energy_depth;
  }

  double parting_depth(double radius) const { return adheres() ? jkr(radius).parting_depth() : 0; }
  double pull_off(double radius) const { return jkr(radius).pull_off(); }
  bool tension_allowed() const { return tension == Tension::allowed; }
  std::optional<double> restitution() const { return restitution_of(damping_ratio, tension); }

  Wrench operator()(const Geometry& g, const Motion& m, Memory& memory) const;
};

}  // namespace scree::contact

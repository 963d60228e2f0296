#pragma once
#include <cmath>

#include "contact/law.h"
#include "contact/laws/hertz_mindlin.h"

namespace scree::contact {

/// Hertz' normal force with the dashpot of hertz_mindlin, and Coulomb's friction without memory, drawn out over a slip
/// speed (after Haff & Werner 1986, Powder Technology 48:239); docs/laws/hertz_coulomb.md.
struct HertzCoulomb {
  static constexpr std::string_view kName = "hertz_coulomb";
  static constexpr Traits kTraits{.pair = true, .history = false, .lanes = true, .elastic = true};
  static std::span<const Parameter<HertzCoulomb>> parameters();

  double young = 0;           ///< Pa, E* of the pair
  double friction_angle = 0;  ///< rad
  double slip_speed = 0;      ///< m/s, at which friction reaches its limit; below it friction grows in proportion
  double damping_ratio = 0;   ///< zeta; damping_ratio_for() makes it of a restitution
  Tension tension = Tension::cut;

  double mu = 0;  ///< set by prepare(), which must be called before the law is used
  void prepare(double /*smallest_mass*/) { mu = std::tan(friction_angle); }
  void set_materials(const ElasticMaterial& a, const ElasticMaterial& b);

  /// The normal part is that of hertz_mindlin.
  HertzMindlin normal() const { return {.young = young, .damping_ratio = damping_ratio, .tension = tension}; }
  double normal_stiffness(const Geometry& g) const { return normal().normal_stiffness(g); }
  double shear_stiffness(const Geometry&) const { return 0; }
  double elastic_normal_force(const Geometry& g) const { return normal().elastic_normal_force(g); }
  double normal_energy(const Geometry& g) const { return normal().normal_energy(g); }
  Dashpots dashpots(const Geometry& g) const;
  double parting_depth(double /*radius*/) const { return 0; }
  bool tension_allowed() const { return tension == Tension::allowed; }
  std::optional<double> restitution() const { return restitution_of(damping_ratio, tension); }

  Wrench operator()(const Geometry& g, const Motion& m, Memory& memory) const;
};

}  // namespace scree::contact

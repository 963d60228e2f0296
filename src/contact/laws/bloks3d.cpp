#include "contact/laws/bloks3d.h"

#include "contact/laws/bloks3d-inl.h"

namespace scree::contact {

std::span<const Parameter<Bloks3d>> Bloks3d::parameters() {
  using L = Bloks3d;
  static constexpr Parameter<L> list[] = {
      {"kn", Unit::stiffness, kFromZero, kRequired,
       "Linear normal stiffness: force per overlap; 0 leaves the power term alone.", &L::kn},
      {.key = "knn",
       .unit = Unit::power_stiffness,
       .bounds = kFromZero,
       .fallback = "",
       .what =
           "Stiffness of the power term knn D^exponent; for exponent 3 a kN/m^3 means kN per cubic metre of overlap.",
       .member = &L::knn,
       .needs = "exponent"},
      {"exponent", Unit::one, {1, 10}, "", "Exponent of the power term.", &L::exponent},
      {"ks", Unit::stiffness, kFromZero, kRequired, "Shear stiffness.", &L::ks},
      friction_angle_of<L>(),
      friction_of<L>(),
      {.key = "damping",
       .unit = Unit::map,
       .fallback = "no damping",
       .what = "Dashpots beside the springs.",
       .set = [](L& law, double) { law.damping_sliding = 0.01, law.damping_sticking = 0.9; }},
      {"damping.ratio", Unit::one, kFromZero, kRequired,
       "Damping as a fraction of critical damping of the fastest contact.", &L::damping_ratio},
      {"damping.sliding", Unit::one, kFromZero, "",
       "Cap on the dashpot's force over the spring's, for sliding contacts.", &L::damping_sliding},
      {"damping.sticking", Unit::one, kFromZero, "", "The same cap for sticking contacts.", &L::damping_sticking},
  };
  return list;
}

double Bloks3d::elastic_normal_force(const Geometry& g) const {
  return HWY_NAMESPACE::ElasticNormalForce(*this, g.depth);
}

double Bloks3d::normal_energy(const Geometry& g) const { return HWY_NAMESPACE::NormalEnergy(*this, g.energy_depth); }

Dashpots Bloks3d::dashpots(const Geometry& g) const { return HWY_NAMESPACE::DashpotsOfOne(*this, g); }

Wrench Bloks3d::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  return HWY_NAMESPACE::ApplyLaw<true, Wrench>(HWY_NAMESPACE::OfOne(*this), g, m, memory);
}

}  // namespace scree::contact

#include "contact/laws/hertz_coulomb.h"

#include "contact/laws/hertz_coulomb-inl.h"

namespace scree::contact {

std::span<const Parameter<HertzCoulomb>> HertzCoulomb::parameters() {
  using L = HertzCoulomb;
  static constexpr Parameter<L> list[] = {
      friction_angle_of<L>(),
      friction_of<L>(),
      {"slip_speed", Unit::speed, kAboveZero, kRequired,
       "Speed of slip at which friction reaches its limit; below it friction grows in proportion.", &L::slip_speed},
      tension_of<L>(),
      restitution_of_impact<L>("or damping_ratio, or mixed from the materials"),
      damping_ratio_of<L>("or restitution", "restitution"),
  };
  return list;
}

void HertzCoulomb::set_materials(const ElasticMaterial& a, const ElasticMaterial& b) {
  HertzMindlin both = normal();
  both.set_materials(a, b);
  young = both.young, damping_ratio = both.damping_ratio;
}

Dashpots HertzCoulomb::dashpots(const Geometry& g) const { return HWY_NAMESPACE::DashpotsOfOne(*this, g); }

Wrench HertzCoulomb::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  return HWY_NAMESPACE::ApplyLaw<true, Wrench>(HWY_NAMESPACE::OfOne(*this), g, m, memory);
}

}  // namespace scree::contact

#include "contact/laws/energy_polyhedral.h"

#include <algorithm>

#include "contact/friction.h"

namespace scree::contact {

std::span<const Parameter<EnergyPolyhedral>> EnergyPolyhedral::parameters() {
  using L = EnergyPolyhedral;
  static constexpr Parameter<L> list[] = {
      {"pressure", Unit::pressure, kAboveZero, kRequired, "Pressure on the patch where the overlap's volume is R*^3.",
       &L::pressure},
      {"exponent",
       Unit::one,
       {1, 4},
       "",
       "Exponent of the overlap's volume in the potential, at most 4.",
       &L::exponent},
      {"kt", Unit::stiffness, kFromZero, kRequired, "Shear stiffness.", &L::kt},
      friction_angle_of<L>(),
      friction_of<L>(),
      damping_ratio_of<L>(""),
  };
  return list;
}

Wrench EnergyPolyhedral::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  const double rate = -dot(m.velocity_now(), g.normal), elastic = elastic_normal_force(g);
  Tangential t;
  t.stiffness = kt;
  t.dashpot = 2 * damping_ratio * std::sqrt(kt * g.mass);
  t.normal_dashpot = 2 * damping_ratio * std::sqrt((exponent - 1) * elastic / g.depth * g.mass);
  Wrench w;
  w.normal_force = std::max(0.0, elastic + normal_braked(g, m, memory, t.normal_dashpot * rate));
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - elastic) * g.normal;
  w.moment = slope(g) * g.area_moment;
  w.energy = normal_energy(g);
  t.friction_limit = mu * w.normal_force;
  add_tangential(g, m, t, memory, w);
  return w;
}

}  // namespace scree::contact

#include "contact/laws/linear.h"

#include <algorithm>

#include "contact/friction.h"

namespace scree::contact {

std::span<const Parameter<Linear>> Linear::parameters() {
  using L = Linear;
  static constexpr Parameter<L> list[] = {
      {.key = "kn",
       .unit = Unit::stiffness,
       .bounds = kAboveZero,
       .fallback = kRequired,
       .what = "Linear normal stiffness: force per overlap.",
       .set = [](L& law, double k) { law.kn = k, law.kt = 2.0 / 7 * k; }},
      {"kt", Unit::stiffness, kFromZero, "2/7 kn", "Shear stiffness.", &L::kt},
      {.key = "kt_over_kn",
       .bounds = kFromZero,
       .fallback = "2/7",
       .what = "Shear stiffness over kn, instead of kt.",
       .set = [](L& law, double ratio) { law.kt = ratio * law.kn; },
       .instead_of = "kt"},
      friction_angle_of<L>(),
      friction_of<L>(),
      tension_of<L>(),
      restitution_of_impact<L>("or damping_ratio"),
      damping_ratio_of<L>("or restitution", "restitution"),
  };
  return list;
}

Wrench Linear::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  const double rate = -dot(m.velocity_now(), g.normal);  // of approach
  Tangential t;
  t.stiffness = kt;
  t.dashpot = 2 * damping_ratio * std::sqrt(kt * g.mass);
  t.normal_dashpot = 2 * damping_ratio * std::sqrt(kn * g.mass);
  Wrench w;
  const double elastic = elastic_normal_force(g);
  w.normal_force = elastic + normal_braked(g, m, memory, t.normal_dashpot * rate);
  if (tension == Tension::cut) w.normal_force = std::max(0.0, w.normal_force);
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - elastic) * g.normal;
  w.energy = normal_energy(g);
  t.friction_limit = mu * std::max(0.0, w.normal_force);
  add_tangential(g, m, t, memory, w);
  return w;
}

}  // namespace scree::contact

#include "contact/laws/linear.h"

#include <algorithm>

#include "contact/friction.h"

namespace scree::contact {

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

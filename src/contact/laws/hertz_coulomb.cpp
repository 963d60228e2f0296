#include "contact/laws/hertz_coulomb.h"

#include <algorithm>

#include "contact/friction.h"

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

Wrench HertzCoulomb::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  const double rate = -dot(m.velocity_now(), g.normal), elastic = elastic_normal_force(g);  // of approach
  Tangential t;
  t.normal_dashpot = dashpots(g).normal;
  Wrench w;
  w.normal_force = elastic + normal_braked(g, m, memory, t.normal_dashpot * rate);
  if (tension == Tension::cut) w.normal_force = std::max(0.0, w.normal_force);
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - elastic) * g.normal;
  w.energy = normal_energy(g);
  t.friction_limit = mu * std::max(0.0, w.normal_force);
  // No spring and no place that it holds on to: what add_tangential holds within the limit is this dashpot.
  t.dashpot = dashpots(g).shear;
  memory.grip = {};
  const Vec3 pressed = w.force;
  add_tangential(g, m, t, memory, w);
  const Vec3 along = w.force - pressed;
  const double radius = kMeanRadius * g.gyration, spin = radius > 0 ? dot(w.moment, g.normal) / radius : 0;
  w.sliding = t.friction_limit > 0 && std::hypot(norm(along), spin) >= (1 - 1e-9) * t.friction_limit;
  return w;
}

}  // namespace scree::contact

#include "contact/laws/bloks3d.h"

#include "contact/friction.h"

namespace scree::contact {

Wrench Bloks3d::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  const Vec3 n = g.normal;
  const Vec3 slip = slip_along(g, memory, m.velocity), now = m.velocity_now(), turning = m.angular_velocity_now();
  const double rate = -dot(now, n);  // of approach
  const double spin = dot(m.angular_velocity, n), spin_now = dot(turning, n);

  const double torsional_stiffness = ks * g.gyration * g.gyration, radius = kMeanRadius * g.gyration;
  Traction traction;  // on B, against B's slip over A
  Vec3& shear = traction.force;
  shear = carried_shear(memory, n, m) - (ks * m.dt) * slip;
  traction.spin = radius > 0 ? (memory.torsion - torsional_stiffness * m.dt * spin) / radius : 0;

  // Normal: elastic (Eq. 5), dashpot (7a) capped whether the contact slides or not (10); never tension.
  const double elastic = elastic_normal_force(g);
  const double dashpot = std::clamp(beta * kn * rate, -damping_sticking * elastic, damping_sticking * elastic);
  const double normal_force = std::max(0.0, elastic + dashpot);

  // Shear and a patch's torsion: Coulomb's limit on the elastic part (after Eq. 6), dashpots (7b) capped by the dual
  // criterion (8, 9). Torsion and rocking are the same springs and dashpots spread over the patch.
  const bool sliding = traction.hold_within(mu * normal_force);
  const double d = sliding ? damping_sliding : damping_sticking;
  Vec3 shear_dashpot = (-beta * ks) * (now + rate * n);
  const double cap = d * norm(shear), size = norm(shear_dashpot);
  if (size > cap) shear_dashpot *= cap / size;
  const double torsion = traction.spin * radius, torsion_cap = d * std::abs(torsion);
  const double torsion_dashpot = std::clamp(-beta * torsional_stiffness * spin_now, -torsion_cap, torsion_cap);
  // The patch's rocking stiffness K a^2/4 (square of side a) is 1.5 times K gyration^2.
  Vec3 rocking = (-1.5 * beta * kn * g.gyration * g.gyration) * (turning - spin_now * n);
  const double rocking_cap = damping_sticking * elastic * radius, rocking_size = norm(rocking);
  if (rocking_size > rocking_cap) rocking *= rocking_cap / rocking_size;

  memory.shear = shear, memory.torsion = torsion, memory.normal = n;
  Wrench w;
  w.force = normal_force * n + shear + shear_dashpot;
  w.moment = (torsion + torsion_dashpot) * n + rocking;
  w.normal_force = normal_force, w.sliding = sliding;
  w.energy = normal_energy(g) + (ks > 0 ? 0.5 * norm2(shear) / ks : 0) +
             (torsional_stiffness > 0 ? 0.5 * torsion * torsion / torsional_stiffness : 0);
  return w;
}

}  // namespace scree::contact

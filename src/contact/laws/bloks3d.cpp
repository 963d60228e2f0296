#include "contact/laws/bloks3d.h"

namespace scree::contact {

namespace {

/// Turns v by the smallest rotation that takes the unit vector `from` to `to` (Rodrigues).
Vec3 carry(Vec3 v, Vec3 from, Vec3 to) {
  const Vec3 axis = cross(from, to);
  const double c = dot(from, to);
  if (c < -0.99) return v - dot(v, to) * to;  // turned round within a step: there is no smallest rotation
  return c * v + cross(axis, v) + (dot(axis, v) / (1 + c)) * axis;
}

}  // namespace

Wrench Bloks3d::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  const Vec3 n = g.normal;
  const double rate = -dot(m.velocity, n);  // of approach
  const Vec3 slip = m.velocity + rate * n;
  const double spin = dot(m.angular_velocity, n);

  // Memory is carried by rotation, not by projection, which would lose length: with the normal, and about it.
  Vec3 shear = memory.normal == Vec3{} ? Vec3{} : carry(memory.shear, memory.normal, n);
  const double turn = m.dt * dot(m.mean_spin, n);
  shear = (shear + turn * cross(n, shear)) / std::sqrt(1 + turn * turn);
  shear -= dot(shear, n) * n;
  shear -= (ks * m.dt) * slip;  // on B, against B's slip over A
  const double torsional_stiffness = ks * g.gyration * g.gyration;
  double torsion = memory.torsion - torsional_stiffness * m.dt * spin;

  // Normal: elastic (Eq. 5), dashpot (7a) capped whether the contact slides or not (10); never tension.
  const double elastic = elastic_normal_force(g.depth);
  const double dashpot = std::clamp(beta * kn * rate, -damping_sticking * elastic, damping_sticking * elastic);
  const double normal_force = std::max(0.0, elastic + dashpot);

  // Shear: Coulomb's limit on the elastic part (after Eq. 6), dashpot (7b) capped by the dual criterion (8, 9).
  const double limit = mu * normal_force, trial = norm(shear);
  const bool sliding = trial > limit;
  if (sliding) shear *= limit / trial;
  const double d = sliding ? damping_sliding : damping_sticking;
  Vec3 shear_dashpot = (-beta * ks) * slip;
  const double cap = d * norm(shear), size = norm(shear_dashpot);
  if (size > cap) shear_dashpot *= cap / size;

  // Torsion and rocking of a patch: the same springs and dashpots spread over it. Mean radius of a compact patch: 0.94
  // of its radius of gyration (disc .943, square .937).
  const double radius = 0.94 * g.gyration;
  const double torsion_limit = limit * radius;
  const bool spinning = std::abs(torsion) > torsion_limit;
  if (spinning) torsion = std::copysign(torsion_limit, torsion);
  const double torsion_cap = (spinning ? damping_sliding : damping_sticking) * std::abs(torsion);
  const double torsion_dashpot = std::clamp(-beta * torsional_stiffness * spin, -torsion_cap, torsion_cap);
  // The patch's rocking stiffness K a^2/4 (square of side a) is 1.5 times K gyration^2.
  Vec3 rocking = (-1.5 * beta * kn * g.gyration * g.gyration) * (m.angular_velocity - spin * n);
  const double rocking_cap = damping_sticking * elastic * radius, rocking_size = norm(rocking);
  if (rocking_size > rocking_cap) rocking *= rocking_cap / rocking_size;

  memory.shear = shear, memory.torsion = torsion, memory.normal = n;
  Wrench w;
  w.force = normal_force * n + shear + shear_dashpot;
  w.moment = (torsion + torsion_dashpot) * n + rocking;
  w.normal_force = normal_force, w.sliding = sliding;
  w.energy = 0.5 * kn * g.energy_depth * g.energy_depth +
             (knn > 0 ? knn * g.energy_depth * std::pow(g.energy_depth, exponent) / (exponent + 1) : 0) +
             (ks > 0 ? 0.5 * norm2(shear) / ks : 0) +
             (torsional_stiffness > 0 ? 0.5 * torsion * torsion / torsional_stiffness : 0);
  return w;
}

}  // namespace scree::contact

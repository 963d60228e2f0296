#include "contact/friction.h"

#include <algorithm>
#include <cmath>

#include "contact/friction-inl.h"

namespace scree::contact {

Vec3 carried_shear(const Memory& memory, Vec3 n, const Motion& m) { return HWY_NAMESPACE::CarriedShear(memory, n, m); }

Vec3 slip_along(const Geometry& g, const Memory& memory, Vec3 velocity) {
  return HWY_NAMESPACE::SlipAlong(g, memory, velocity);
}

double normal_braked(const Geometry& g, const Motion& m, const Memory& memory, double seen) {
  return HWY_NAMESPACE::Braked(seen, dot(memory.damping, g.normal), m.braking);
}

bool Traction::hold_within(double limit) { return HWY_NAMESPACE::HoldWithin(force, spin, limit); }

double part_within(const Traction& base, const Traction& extra, double limit) {
  const double a = extra.norm2(), b = dot(base.force, extra.force) + base.spin * extra.spin;
  const double c = base.norm2() - limit * limit;
  if (a + 2 * b + c <= 0) return 1;
  if (!(a > 0) || c >= 0) return 0;
  const double root = std::sqrt(b * b - a * c);
  return std::clamp(b > 0 ? -c / (b + root) : (root - b) / a, 0.0, 1.0);
}

void add_tangential(const Geometry& g, const Motion& m, const Tangential& t, Memory& memory, Wrench& w) {
  const Vec3 n = g.normal, slip = slip_along(g, memory, m.velocity), now = m.velocity_now();
  const Vec3 turning = m.angular_velocity_now();
  const double spin_now = dot(turning, n);
  // Torsion: the shear spring spread over the patch. A point has none.
  const double area2 = g.gyration * g.gyration, radius = kMeanRadius * g.gyration;
  const double per_radius = radius > 0 ? 1 / radius : 0, about = t.stiffness * area2;

  memory.torsion *= t.rescale;
  // On B, against B's slip over A.
  const Vec3 carried = carried_shear(memory, n, m);
  HWY_NAMESPACE::Hold<Vec3, double> hold(g, memory, t.rescale * carried);
  if (t.rescale > 0) hold.shear_before = carried, hold.torsion_before /= t.rescale;
  Traction elastic;
  w.sliding = hold.Grow(g, t.stiffness, about, m.dt * slip, m.dt * dot(m.angular_velocity, n), radius, t.friction_limit,
                        &elastic.spin);
  elastic.force = hold.shear;
  Traction dashpot;
  if (!w.sliding) {
    dashpot.force = HWY_NAMESPACE::Braked((-t.dashpot) * (now - dot(now, n) * n + spin_now * cross(n, hold.grip)),
                                          memory.damping - dot(memory.damping, n) * n, m.braking);
    const double with_force = dot(n, cross(hold.grip, dashpot.force));
    dashpot.spin =
        per_radius * (with_force + HWY_NAMESPACE::Braked(-t.dashpot * area2 * spin_now,
                                                         dot(memory.damping_moment, n) - with_force, m.braking));
    const double part = part_within(elastic, dashpot, t.friction_limit);
    dashpot.force *= part, dashpot.spin *= part;
  }
  memory.shear = hold.shear, memory.torsion = hold.torsion, memory.normal = n, memory.grip = hold.grip;
  w.force += elastic.force + dashpot.force;
  w.moment += ((elastic.spin + dashpot.spin) * radius) * n;
  w.damping += dashpot.force, w.damping_moment += (dashpot.spin * radius) * n;
  double stored = 0;
  if (t.stiffness > 0) stored += 0.5 * norm2(elastic.force) / t.stiffness;
  if (about > 0) stored += 0.5 * memory.torsion * memory.torsion / about;
  w.energy += stored;
  Vec3 rocking;
  if (radius > 0)
    rocking =
        HWY_NAMESPACE::Rocking(g, m, memory, turning - spin_now * n, t.normal_dashpot, std::max(0.0, w.normal_force));
  w.moment += rocking, w.damping_moment += rocking;
  if (m.dt > 0) w.lost.z += memory.stored - stored + hold.work;
  memory.stored = stored;
}

}  // namespace scree::contact

#include "contact/friction.h"

#include <algorithm>
#include <cmath>

#include "contact/friction-inl.h"

namespace scree::contact {

Vec3 carried_shear(const Memory& memory, Vec3 n, const Motion& m) { return HWY_NAMESPACE::CarriedShear(memory, n, m); }

Vec3 slip_along(const Geometry& g, const Memory& memory, Vec3 velocity) {
  return HWY_NAMESPACE::SlipAlong(g, memory, velocity);
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

  Traction elastic;  // on B, against B's slip over A
  elastic.force = t.rescale * carried_shear(memory, n, m) - (t.stiffness * m.dt) * slip;
  elastic.spin = (t.rescale * memory.torsion - about * m.dt * dot(m.angular_velocity, n)) * per_radius;
  w.sliding = elastic.hold_within(t.friction_limit);
  Traction dashpot;
  if (!w.sliding) {
    dashpot.force = (-t.dashpot) * (now - dot(now, n) * n);
    dashpot.spin = -t.dashpot * area2 * per_radius * spin_now;
    const double part = part_within(elastic, dashpot, t.friction_limit);
    dashpot.force *= part, dashpot.spin *= part;
  }
  memory.shear = elastic.force, memory.torsion = elastic.spin * radius, memory.normal = n;
  w.force += elastic.force + dashpot.force;
  w.moment += ((elastic.spin + dashpot.spin) * radius) * n;
  if (t.stiffness > 0) w.energy += 0.5 * norm2(elastic.force) / t.stiffness;
  if (about > 0) w.energy += 0.5 * memory.torsion * memory.torsion / about;

  if (radius > 0) {
    // The normal dashpot spread over the patch, whose rocking stiffness K a^2/4 (square of side a) is 1.5 times
    // K gyration^2. What holds is the pressing force at the patch's mean radius.
    Vec3 rocking = (-1.5 * t.normal_dashpot * area2) * (turning - spin_now * n);
    const double cap = std::max(0.0, w.normal_force) * radius, size = norm(rocking);
    if (size > cap) rocking *= cap / size;
    w.moment += rocking;
  }
}

}  // namespace scree::contact

#include "contact/friction.h"

#include <algorithm>
#include <cmath>

namespace scree::contact {

double part_within(Vec3 base, Vec3 extra, double limit) {
  const double a = norm2(extra), b = dot(base, extra), c = norm2(base) - limit * limit;
  if (a + 2 * b + c <= 0) return 1;
  if (!(a > 0) || c >= 0) return 0;
  const double root = std::sqrt(b * b - a * c);
  return std::clamp(b > 0 ? -c / (b + root) : (root - b) / a, 0.0, 1.0);
}

namespace {

/// Torsion: the shear spring spread over the patch, its limit that of friction at the patch's mean radius. Rocking: the
/// normal dashpot spread over it.
void add_patch(const Geometry& g, const Motion& m, const Tangential& t, Vec3 slip_axis, Memory& memory, Wrench& w) {
  const Vec3 n = slip_axis;
  const double spin = dot(m.angular_velocity, n), spin_now = dot(m.angular_velocity_now(), n);
  const double area2 = g.gyration * g.gyration;
  const double stiffness = t.stiffness * area2, limit = t.friction_limit * kMeanRadius * g.gyration;
  const double torsion = std::clamp(t.rescale * memory.torsion - stiffness * m.dt * spin, -limit, limit);
  const double damped = std::clamp(torsion - t.dashpot * area2 * spin_now, -limit, limit);
  // The patch's rocking stiffness K a^2/4 (square of side a) is 1.5 times K gyration^2. What holds is the pressing
  // force at the patch's mean radius.
  Vec3 rocking = (-1.5 * t.normal_dashpot * area2) * (m.angular_velocity_now() - spin_now * n);
  const double cap = std::max(0.0, w.normal_force) * kMeanRadius * g.gyration, size = norm(rocking);
  if (size > cap) rocking *= cap / size;
  memory.torsion = torsion;
  w.moment += damped * n + rocking;
  if (stiffness > 0) w.energy += 0.5 * torsion * torsion / stiffness;
}

}  // namespace

void add_tangential(const Geometry& g, const Motion& m, const Tangential& t, Memory& memory, Wrench& w) {
  const Vec3 n = g.normal, slip = slip_along(g, memory, m.velocity), now = m.velocity_now();
  Vec3 shear = t.rescale * carried_shear(memory, n, m) - (t.stiffness * m.dt) * slip;  // on B, against B's slip over A
  const double trial = norm(shear);
  w.sliding = trial > t.friction_limit;
  Vec3 dashpot;
  if (w.sliding) {
    shear *= t.friction_limit / trial;
  } else {
    dashpot = (-t.dashpot) * (now - dot(now, n) * n);
    dashpot *= part_within(shear, dashpot, t.friction_limit);
  }
  w.force += shear + dashpot;
  if (t.stiffness > 0) w.energy += 0.5 * norm2(shear) / t.stiffness;
  if (g.gyration > 0) {
    add_patch(g, m, t, n, memory, w);
  } else {
    memory.torsion = 0;
  }
  memory.shear = shear, memory.normal = n;
}

}  // namespace scree::contact

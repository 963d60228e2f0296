#pragma once
#include <algorithm>
#include <cmath>

#include "contact/friction.h"
#include "contact/laws/bloks3d.h"

namespace scree::oracle {

/// The law of BLOKS3D on one contact in plain words: every operation, and their order, are those of the engine, so that
/// the bits must agree.
struct PlainBloks3d {
  const contact::Bloks3d& law;

  static Vec3 carried(const contact::Memory& memory, Vec3 n, const contact::Motion& m) {
    Vec3 shear{};
    if (memory.normal != Vec3{}) {
      const Vec3 v = memory.shear, axis = cross(memory.normal, n);
      const double c = dot(memory.normal, n);
      shear = c < -0.99 ? v - dot(v, n) * n : c * v + cross(axis, v) + (dot(axis, v) / (1 + c)) * axis;
    }
    const double turn = m.dt * dot(m.mean_spin, n);
    shear = (shear + turn * cross(n, shear)) / std::sqrt(1 + turn * turn);
    return shear - dot(shear, n) * n;
  }
  static Vec3 slip(const contact::Geometry& g, const contact::Memory& memory, Vec3 velocity) {
    const Vec3 n = g.normal;
    Vec3 middle = n;
    if (!(g.gyration > 0) && memory.normal != Vec3{}) middle = 0.5 * (memory.normal + n);
    const Vec3 along = velocity - dot(velocity, n) * middle;
    return along - dot(along, n) * n;
  }
  double to_exponent(double depth) const {
    return law.exponent == 3 ? depth * depth * depth : std::pow(depth, law.exponent);
  }

  double normal_dashpot(double elastic, double depth) const {
    return law.kn > 0 ? law.beta * law.kn : law.beta * std::sqrt(law.exponent * elastic / depth);
  }
  double shear_time() const {
    if (law.kn > 0) return law.beta;
    return law.ks > 0 ? law.beta / std::sqrt(law.ks) : 0;
  }

  contact::Wrench operator()(const contact::Geometry& g, const contact::Motion& m, contact::Memory& memory) const {
    const Vec3 n = g.normal, now = m.velocity + m.gain, turning = m.angular_velocity + m.angular_gain;
    const double rate = -dot(now, n), spin = dot(m.angular_velocity, n), spin_now = dot(turning, n);
    const double about = law.ks * g.gyration * g.gyration, radius = 0.94 * g.gyration;
    const double elastic = law.knn == 0 ? law.kn * g.depth : law.kn * g.depth + law.knn * to_exponent(g.depth);
    const double most = law.damping_sticking * elastic;
    const double c = normal_dashpot(elastic, g.depth), beta = shear_time();
    // Dashpots too strong for the step follow more slowly.
    const auto braked = [&](auto seen, auto last) {
      return m.braking > 0 ? (seen + m.braking * last) / (1 + m.braking) : seen;
    };
    const double last_normal = dot(memory.damping, n);
    const double dashpot = std::min(std::max(braked(c * rate, last_normal), -most), most);
    const double normal_force = std::max(0.0, elastic + dashpot), limit = law.mu * normal_force;

    // The grip, taken along where it is farther than the radius of gyration.
    Vec3 shear = carried(memory, n, m), grip{}, drag{};
    double torsion = memory.torsion;
    if (memory.normal != Vec3{}) grip = memory.grip - dot(memory.grip, n) * n;
    const double length = norm(grip), beyond = length - g.gyration;
    if (beyond > 0) drag = (beyond / length) * grip;
    grip -= drag;
    torsion += dot(n, cross(drag, shear));
    const double room2 = limit * limit - norm2(shear), room = radius * std::sqrt(room2 > 0 ? room2 : 0);
    const double before = torsion + dot(n, cross(grip, shear)), excess = std::abs(before) - room;
    const double lost = std::min(excess > 0 ? excess : 0, (beyond > 0 ? beyond : 0) * std::sqrt(norm2(shear)));
    torsion = torsion - (before < 0 ? -lost : lost) - about * (m.dt * spin);
    shear = shear - law.ks * (m.dt * slip(g, memory, m.velocity) + (m.dt * spin) * cross(n, grip));
    double twist = radius > 0 ? (torsion + dot(n, cross(grip, shear))) / radius : 0;
    const double size2 = norm2(shear) + twist * twist;
    const bool sliding = size2 > limit * limit;
    if (sliding) {
      const double part = limit / std::sqrt(size2);
      shear *= part, twist *= part;
    }
    torsion = twist * radius - dot(n, cross(grip, shear));

    const double d = sliding ? law.damping_sliding : law.damping_sticking;
    Vec3 shear_dashpot =
        braked((-beta * law.ks) * (now + rate * n + spin_now * cross(n, grip)), memory.damping - last_normal * n);
    const double cap = d * norm(shear), size = norm(shear_dashpot);
    if (size > cap) shear_dashpot *= cap / size;
    const double torsion_cap = d * std::abs(twist * radius);
    const double with_shear = dot(n, cross(grip, shear_dashpot));
    const double torsion_dashpot =
        std::min(std::max(braked(-beta * about * spin_now, dot(memory.damping_moment, n) - with_shear), -torsion_cap),
                 torsion_cap);
    // Rocking: about the two axes of the patch.
    const Vec3 tilting = turning - spin_now * n, across = cross(g.axis, n);
    const double long2 = norm2(g.axis), short2 = g.gyration * g.gyration - long2;
    const double ratio = long2 > 0 ? (short2 > 0 ? short2 : 0) / long2 : 0;
    double by_long = dot(across, tilting), by_short = dot(g.axis, tilting);
    if (m.braking > 0) {
      const double per = -1 / (3 * c * long2);
      const bool had = c * long2 > 0;
      by_long = braked(by_long, had ? per * dot(across, memory.damping_moment) : 0.0);
      by_short = braked(by_short, had && ratio > 0 ? per * dot(g.axis, memory.damping_moment) / ratio : 0.0);
    }
    const double rocks = 3 * c * std::sqrt(by_long * by_long + ratio * (by_short * by_short)),
                 bears = contact::kRockingCap * most, part = rocks > bears ? bears / rocks : 1;
    const Vec3 rocking = (-3 * part * c) * (by_long * across + (ratio * by_short) * g.axis);

    memory.shear = shear, memory.torsion = torsion, memory.normal = n, memory.grip = grip;
    contact::Wrench w;
    w.force = normal_force * n + shear + shear_dashpot;
    w.moment = (twist * radius + torsion_dashpot + with_shear) * n + rocking;
    w.damping = (normal_force - elastic) * n + shear_dashpot;
    w.damping_moment = (torsion_dashpot + with_shear) * n + rocking;
    w.normal_force = normal_force, w.sliding = sliding;
    const double e = g.energy_depth;
    w.energy = 0.5 * law.kn * e * e + (law.knn > 0 ? law.knn * e * to_exponent(e) / (law.exponent + 1) : 0) +
               (law.ks > 0 ? 0.5 * norm2(shear) / law.ks : 0) + (about > 0 ? 0.5 * torsion * torsion / about : 0);
    return w;
  }
};

}  // namespace scree::oracle

#pragma once
#include <algorithm>
#include <cmath>

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

  contact::Wrench operator()(const contact::Geometry& g, const contact::Motion& m, contact::Memory& memory) const {
    const Vec3 n = g.normal, now = m.velocity + m.gain, turning = m.angular_velocity + m.angular_gain;
    const double rate = -dot(now, n), spin = dot(m.angular_velocity, n), spin_now = dot(turning, n);
    const double about = law.ks * g.gyration * g.gyration, radius = 0.94 * g.gyration;
    Vec3 shear = carried(memory, n, m) - (law.ks * m.dt) * slip(g, memory, m.velocity);
    double twist = radius > 0 ? (memory.torsion - about * m.dt * spin) / radius : 0;

    const double elastic = law.knn == 0 ? law.kn * g.depth : law.kn * g.depth + law.knn * to_exponent(g.depth);
    const double most = law.damping_sticking * elastic;
    const double dashpot = std::min(std::max(law.beta * law.kn * rate, -most), most);
    const double normal_force = std::max(0.0, elastic + dashpot), limit = law.mu * normal_force;

    const double size2 = norm2(shear) + twist * twist;
    const bool sliding = size2 > limit * limit;
    if (sliding) {
      const double part = limit / std::sqrt(size2);
      shear *= part, twist *= part;
    }
    const double d = sliding ? law.damping_sliding : law.damping_sticking;
    Vec3 shear_dashpot = (-law.beta * law.ks) * (now + rate * n);
    const double cap = d * norm(shear), size = norm(shear_dashpot);
    if (size > cap) shear_dashpot *= cap / size;
    const double torsion = twist * radius, torsion_cap = d * std::abs(torsion);
    const double torsion_dashpot = std::min(std::max(-law.beta * about * spin_now, -torsion_cap), torsion_cap);
    Vec3 rocking = (-1.5 * law.beta * law.kn * g.gyration * g.gyration) * (turning - spin_now * n);
    const double rocking_cap = law.damping_sticking * elastic * radius, rocking_size = norm(rocking);
    if (rocking_size > rocking_cap) rocking *= rocking_cap / rocking_size;

    memory.shear = shear, memory.torsion = torsion, memory.normal = n;
    contact::Wrench w;
    w.force = normal_force * n + shear + shear_dashpot;
    w.moment = (torsion + torsion_dashpot) * n + rocking;
    w.normal_force = normal_force, w.sliding = sliding;
    const double e = g.energy_depth;
    w.energy = 0.5 * law.kn * e * e + (law.knn > 0 ? law.knn * e * to_exponent(e) / (law.exponent + 1) : 0) +
               (law.ks > 0 ? 0.5 * norm2(shear) / law.ks : 0) + (about > 0 ? 0.5 * torsion * torsion / about : 0);
    return w;
  }
};

}  // namespace scree::oracle

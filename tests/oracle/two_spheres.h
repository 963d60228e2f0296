#pragma once
#include <cmath>

#include "contact/rolling.h"

/// Two spheres, or a sphere and a flat wall, moved by one law with the engine's leapfrog: kick, drift, force with the
/// velocities of the half step, kick. B is the wall where its mass is infinite.
namespace scree::oracle {

struct Ball {
  double radius = 0, mass = 0;
  Vec3 x, v, w;
  Vec3 force, torque;
  double inertia() const { return 0.4 * mass * radius * radius; }
};

struct TwoSpheres {
  Ball a, b;
  Vec3 gravity;
  contact::Memory memory;
  contact::Wrench wrench;
  contact::Geometry geometry;
  double time = 0;

  bool wall() const { return std::isinf(b.mass); }

  /// Gap and normal from A to B. A wall is the plane z = b.x.z with the sphere above it.
  Vec3 normal() const { return wall() ? Vec3{0, 0, -1} : normalized(b.x - a.x); }
  double depth() const { return wall() ? a.radius - (a.x.z - b.x.z) : a.radius + b.radius - norm(b.x - a.x); }

  template <class Law>
  void act(const Law& law, double dt) {
    a.force = a.mass * gravity, a.torque = {}, b.torque = {};
    b.force = wall() ? Vec3{} : b.mass * gravity;
    geometry = {};
    geometry.normal = normal(), geometry.depth = geometry.energy_depth = depth();
    wrench = {};
    if (!(geometry.depth > 0)) {
      memory = {};
      return;
    }
    const auto rolling = [](const Ball& s) { return 1.4 * s.mass * s.radius * s.radius; };
    geometry.radius = wall() ? a.radius : a.radius * b.radius / (a.radius + b.radius);
    geometry.mass = wall() ? a.mass : a.mass * b.mass / (a.mass + b.mass);
    geometry.rolling_inertia = wall() ? rolling(a) : rolling(a) * rolling(b) / (rolling(a) + rolling(b));
    const Vec3 n = geometry.normal, arm_a = (a.radius - 0.5 * geometry.depth) * n,
               arm_b = wall() ? Vec3{} : (-(b.radius - 0.5 * geometry.depth)) * n;
    contact::Motion m;
    m.velocity = b.v + cross(b.w, arm_b) - a.v - cross(a.w, arm_a);
    m.angular_velocity = b.w - a.w, m.mean_spin = 0.5 * (a.w + b.w), m.dt = dt;
    wrench = law(geometry, m, memory);
    a.force -= wrench.force, a.torque = -(cross(arm_a, wrench.force) + wrench.moment);
    b.force += wrench.force, b.torque = cross(arm_b, wrench.force) + wrench.moment;
  }

  void kick(double dt) {
    for (Ball* s : {&a, &b}) {
      if (std::isinf(s->mass)) continue;
      s->v += (dt / s->mass) * s->force, s->w += (dt / s->inertia()) * s->torque;
    }
  }

  template <class Law>
  void step(const Law& law, double dt) {
    kick(dt / 2);
    a.x += dt * a.v, b.x += dt * b.v;
    act(law, dt);
    kick(dt / 2);
    time += dt;
  }
};

/// A law with what stands beside it.
template <class Law>
struct WithBeside {
  Law law;
  contact::Beside beside;
  contact::Wrench operator()(const contact::Geometry& g, const contact::Motion& m, contact::Memory& memory) const {
    const Vec3 last = memory.normal;
    contact::Wrench w = law(g, m, memory);
    if (beside.rolling.acts()) beside.rolling(g, m, law.normal_stiffness(g), law.shear_stiffness(g), last, memory, w);
    beside.pull(g, w);
    return w;
  }
};

inline Ball ball(double radius, double density, Vec3 x, Vec3 v = {}, Vec3 w = {}) {
  return {radius, density * 4 * M_PI / 3 * radius * radius * radius, x, v, w, {}, {}};
}
inline Ball floor_at(double z) { return {0, INFINITY, {0, 0, z}, {}, {}, {}, {}}; }

}  // namespace scree::oracle

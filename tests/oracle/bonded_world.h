#pragma once
// Spheres and bonds without an engine: the leapfrog of the step, for tests of the bond alone.
#include <cmath>
#include <vector>

#include "base/random.h"
#include "bond/bonds.h"
#include "bond/cluster.h"
#include "bond/fragments.h"
#include "integrate/rigid_body.h"

namespace scree::oracle {

struct BondedWorld {
  Particles p;
  bond::Bonds bonds;
  bond::Adjacency adjacency;
  std::vector<char> fixed;
  std::vector<Vec3> load;  // N

  std::size_t add_sphere(Vec3 x, double r, double density, Quat q = {}) {
    const std::size_t i = p.size_rows();
    p.resize(i + 1), fixed.resize(i + 1), load.resize(i + 1);
    p.id[i] = static_cast<std::uint32_t>(i), p.size[i] = 2 * r, p.radius[i] = r, p.position[i] = x,
    p.orientation[i] = q;
    p.mass[i] = density * 4 / 3 * M_PI * r * r * r;
    const double inertia = 0.4 * p.mass[i] * r * r;
    p.inertia[i] = {inertia, inertia, inertia};
    return i;
  }
  void add_cluster(const bond::Cluster& c, const bond::ParallelBond& law, double factor, Vec3 at = {}, Quat turn = {},
                   double density = 2500, std::uint64_t seed = 1) {
    const std::size_t first = p.size_rows();
    Random draw(seed, first);
    for (std::size_t k = 0; k < c.size(); ++k)
      add_sphere(at + rotate(turn, c.position[k]), c.radius[k], density, draw.rotation());
    const bond::Pairs pairs = *bond::bonds_by_distance(c, factor);
    for (const auto& [i, j] : pairs) bond::add_bond(bonds, p, first + i, first + j, law, 0, seed);
    adjacency.build(bonds, p.size_rows());
  }
  double critical_time_step() const { return bond::critical_time_step(bonds, bond::weights(bonds, adjacency), p); }
  void forces(double dt = 0) {
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      p.angular_velocity[i] = integrate::angular_velocity(p.orientation[i], p.angular_momentum[i], p.inertia[i]);
      if (fixed[i]) p.force[i] = p.torque[i] = {};
    }
    bond::compute_forces(bonds, p, dt);
    for (std::size_t i = 0; i < p.size_rows(); ++i) p.force[i] = load[i], p.torque[i] = {};
    bond::add_forces(bonds, adjacency, p);
  }
  void kick(double dt) {
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      if (fixed[i]) continue;
      p.velocity[i] += dt / p.mass[i] * p.force[i], p.angular_momentum[i] += dt * p.torque[i];
    }
  }
  /// `drag`: 1/s, on all velocities, for relaxing to rest.
  void step(double dt, double drag = 0) {
    kick(dt / 2);
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      if (fixed[i]) continue;
      p.position[i] += dt * p.velocity[i];
      Vec3 body = transpose_times(rotation_matrix(p.orientation[i]), p.angular_momentum[i]);
      p.orientation[i] = integrate::rotate_free(p.orientation[i], body, p.inertia[i], dt);
    }
    forces(dt);
    kick(dt / 2);
    if (drag == 0) return;
    for (std::size_t i = 0; i < p.size_rows(); ++i)
      p.velocity[i] *= 1 - drag * dt, p.angular_momentum[i] *= 1 - drag * dt;
  }
  double kinetic_energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < p.size_rows(); ++i)
      sum += 0.5 * p.mass[i] * norm2(p.velocity[i]) + 0.5 * norm2(p.angular_momentum[i]) / p.inertia[i].x;
    return sum;
  }
  double elastic_energy() const {
    double sum = 0;
    for (const double e : bonds.energy) sum += e;
    return sum;
  }
  Vec3 momentum() const {
    Vec3 sum{};
    for (std::size_t i = 0; i < p.size_rows(); ++i) sum += p.mass[i] * p.velocity[i];
    return sum;
  }
  Vec3 angular_momentum() const {
    Vec3 sum{};
    for (std::size_t i = 0; i < p.size_rows(); ++i)
      sum += p.mass[i] * cross(p.position[i], p.velocity[i]) + p.angular_momentum[i];
    return sum;
  }
  /// The whole world turned about the origin, then moved.
  void move_rigidly(Quat turn, Vec3 by) {
    for (std::size_t i = 0; i < p.size_rows(); ++i) {
      p.position[i] = rotate(turn, p.position[i]) + by;
      p.orientation[i] = normalized(turn * p.orientation[i]);
      p.velocity[i] = rotate(turn, p.velocity[i]), p.angular_momentum[i] = rotate(turn, p.angular_momentum[i]);
    }
  }
};

}  // namespace scree::oracle

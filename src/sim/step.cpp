#include <chrono>

#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr std::size_t kGrain = 512;  // particles per chunk of a parallel loop

class Timer {
 public:
  explicit Timer(double& sum) : sum_(sum) {}
  ~Timer() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void kick(Simulation& s, double dt) {
  const Timer timer(s.counters.seconds_integrate);
  Particles& p = s.particles;
  exec::parallel_chunks(p.size_rows(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      p.velocity[i] += (dt / p.mass[i]) * p.force[i];
      p.angular_momentum[i] += dt * p.torque[i];
    }
  });
}

void drift(Simulation& s) {
  const Timer timer(s.counters.seconds_integrate);
  Particles& p = s.particles;
  narrow::Bodies& bodies = scratch_of(s).bodies;
  exec::parallel_chunks(p.size_rows(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 dx = s.dt * p.velocity[i];
      p.position[i] += dx;
      const Quat before = p.orientation[i];
      Vec3 momentum = transpose_times(bodies.rotation(i), p.angular_momentum[i]);
      const Quat after = integrate::rotate_free(before, momentum, p.inertia[i], s.dt);
      p.orientation[i] = after;
      bodies.pose(p, i);
      p.angular_velocity[i] = bodies.rotation(i) * Vec3{momentum.x / p.inertia[i].x, momentum.y / p.inertia[i].y,
                                                        momentum.z / p.inertia[i].z};
      // A vertex at the bounding radius moves at most along the chord of the rotation.
      const Quat turn = after * conjugate(before);
      p.travel[i] += norm(dx) + 2 * p.radius[i] * norm(Vec3{turn.x, turn.y, turn.z});
    }
  });
}

void move_boundaries(Simulation& s) {
  for (PlaneWall& w : s.walls) {
    const Vec3 dx = s.dt * w.velocity;
    w.point += dx;
    w.travel += norm(dx);
    if (w.outline) {
      for (Vec3& corner : *w.outline) corner += dx;
    }
  }
}

}  // namespace

void step(Simulation& s) {
  kick(s, s.dt / 2);
  drift(s);
  move_boundaries(s);
  find_candidate_pairs(s);  // only when something has moved farther than the skin allows
  find_contacts(s);         // common planes and contact points; memory carried over by one merge
  compute_contact_forces(s, s.dt);
  sum_forces(s);  // fixed order: the same bits for any number of threads
  kick(s, s.dt / 2);
  s.time += s.dt;
  ++s.step;
  check_and_report(s);
}

void pose_bodies(Simulation& s) {
  Scratch& scratch = scratch_of(s);
  exec::parallel_chunks(s.particles.size_rows(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) scratch.bodies.pose(s.particles, i);
  });
}

void refresh_forces(Simulation& s) {
  pose_bodies(s);
  find_candidate_pairs(s);
  find_contacts(s);
  compute_contact_forces(s, 0);
  sum_forces(s);
  check_and_report(s);
}

}  // namespace scree

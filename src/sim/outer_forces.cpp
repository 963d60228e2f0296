#include "sim/outer_forces.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/exact_sum.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "sim/spread.h"

namespace scree {

namespace {

constexpr std::size_t kOuterGrain = 1024;

std::string of_grain(const Simulation& s, std::size_t i) { return " of grain " + std::to_string(s.particles.id[i]); }

}  // namespace

Status set_outer_forces(Simulation& s, std::span<const Vec3> force, std::span<const Vec3> torque) {
  Particles& p = s.particles;
  const std::size_t n = p.size_rows();
  if (force.size() != n || torque.size() != n)
    return Error{std::to_string(n) + " grains, but " + std::to_string(force.size()) + " forces and " +
                 std::to_string(torque.size()) + " torques from outside"};
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_finite(force[i]) || !is_finite(torque[i]))
      return Error{"the force or torque from outside" + of_grain(s, i) + " is not finite"};
    if (s.dimensions == 2 && (force[i].z != 0 || torque[i].x != 0 || torque[i].y != 0))
      return Error{"the force or torque from outside" + of_grain(s, i) +
                   " leads out of the plane of two dimensions, which takes forces along x and y and torques about z"};
  }
  const auto is_zero = [](Vec3 v) { return v == Vec3{}; };
  if (!p.keeps_outer && std::ranges::all_of(force, is_zero) && std::ranges::all_of(torque, is_zero)) return ok();
  p.keeps_outer = true;
  p.outer_force.resize(n), p.outer_torque.resize(n);
  exec::parallel_for(n, kOuterGrain, [&](std::size_t i) {
    // The next kick is by the sums that stand.
    p.force[i] += force[i] - p.outer_force[i], p.torque[i] += torque[i] - p.outer_torque[i];
    p.outer_force[i] = force[i], p.outer_torque[i] = torque[i];
  });
  return ok();
}

void book_outer_work(Simulation& s) {
  const Particles& p = s.particles;
  if (!p.keeps_outer) return;
  ExactSum power;
  {
    const Timer timer(s.counters.seconds_integrate);  // not of waiting for other ranks
    power = exec::parallel_reduce(
        p.own_rows(), kOuterGrain, ExactSum(),
        [&](std::size_t begin, std::size_t end) {
          ExactSum sum;
          for (std::size_t i = begin; i < end; ++i)
            sum += dot(p.outer_force[i], p.velocity[i]) +
                   dot(p.outer_torque[i],
                       integrate::angular_velocity(p.orientation[i], p.angular_momentum[i], p.inertia[i]));
          return sum;
        },
        [](ExactSum a, const ExactSum& b) { return a += b, a; });
  }
  sum_over_ranks(s, std::array{&power});
  s.ledger.outside += s.dt / 2 * power.value();
}

}  // namespace scree

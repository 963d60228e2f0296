#include "sim/written_motion.h"

#include <cmath>
#include <cstring>
#include <string>

#include "base/exact_sum.h"
#include "exec/parallel.h"
#include "integrate/rigid_body.h"

namespace scree {

namespace {

constexpr std::size_t kMotionGrain = 1024;

/// J
double kinetic(const Particles& p, const std::vector<Vec3>& velocity, const std::vector<Vec3>& angular_momentum) {
  return exec::parallel_reduce(
             p.size_rows(), kMotionGrain, ExactSum(),
             [&](std::size_t begin, std::size_t end) {
               ExactSum sum;
               for (std::size_t i = begin; i < end; ++i)
                 sum += 0.5 * p.mass[i] * norm2(velocity[i]) +
                        integrate::rotational_energy(p.orientation[i], angular_momentum[i], p.inertia[i]);
               return sum;
             },
             [](ExactSum a, const ExactSum& b) { return a += b, a; })
      .value();
}

bool same_bits(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3)) == 0;
}

/// Of the first row that cannot be; empty: all can.
std::string wrong_with(const Simulation& s) {
  const Particles& p = s.particles;
  const bool is_planar = s.dimensions == 2;
  for (std::size_t i = 0; i < p.size_rows(); ++i) {
    const Vec3 v = p.velocity[i], l = p.angular_momentum[i];
    const std::string of_grain = " of grain " + std::to_string(p.id[i]);
    if (!is_finite(v)) return "the velocity written" + of_grain + " is not finite";
    if (!is_finite(l)) return "the angular momentum written" + of_grain + " is not finite";
    if (is_planar && v.z != 0) return "the velocity written" + of_grain + " leads out of the plane of two dimensions";
    if (is_planar && (l.x != 0 || l.y != 0))
      return "the angular momentum written" + of_grain + " is not about z, as in two dimensions it has to be";
  }
  return {};
}

}  // namespace

GrainMotion motion_of(const Simulation& s) { return {s.particles.velocity, s.particles.angular_momentum}; }

Result<bool> take_motion(Simulation& s, const GrainMotion& before) {
  Particles& p = s.particles;
  if (same_bits(p.velocity, before.velocity) && same_bits(p.angular_momentum, before.angular_momentum)) return false;
  std::string wrong = wrong_with(s);
  double brought = 0;
  if (wrong.empty()) {
    brought = kinetic(p, p.velocity, p.angular_momentum) - kinetic(p, before.velocity, before.angular_momentum);
    if (!std::isfinite(brought)) wrong = "with the velocities written the kinetic energy is not finite";
  }
  if (!wrong.empty()) {
    p.velocity = before.velocity, p.angular_momentum = before.angular_momentum;
    return Error{wrong};
  }
  s.ledger.exchanged += brought;
  return true;
}

}  // namespace scree

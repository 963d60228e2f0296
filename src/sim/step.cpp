#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"
#include "base/exact_sum.h"
#include "base/timer.h"
#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "sim/drives.h"
#include "sim/invariants.h"
#include "sim/kick.h"
#include "sim/outer_forces.h"
#include "sim/scratch.h"
#include "sim/spread.h"

namespace scree {

namespace {

constexpr std::size_t kStepGrain = 128;    // particles per chunk of a parallel loop
constexpr std::size_t kLightGrain = 1024;  // where each takes a few nanoseconds

void kick(Particles& p, std::size_t begin, std::size_t end, double dt) {
  for (std::size_t i = begin; i < end; ++i) {
    p.velocity[i] = kicked(p, i, p.velocity[i], dt);
    p.angular_momentum[i] += dt * p.torque[i];
  }
}
void kick(Simulation& s, double dt) {
  const Timer timer(s.counters.seconds_integrate);
  exec::parallel_chunks(s.particles.size_rows(), kLightGrain,
                        [&](std::size_t begin, std::size_t end) { kick(s.particles, begin, end, dt); });
}

/// Rows that are turned together; the bits of one do not hang on the others.
constexpr std::size_t kTogether = integrate::Rotations::kRows;
using Turned = std::array<std::uint32_t, kTogether>;

/// The first n rows, whatever they are.
void turn_bodies(Particles& p, narrow::Bodies& bodies, const Turned& rows, std::size_t n, double dt) {
  integrate::Rotations r;
  for (std::size_t k = 0; k < kTogether; ++k) {
    const std::size_t i = rows[k < n ? k : 0];
    const Quat q = p.orientation[i];
    const Vec3 l = transpose_times(bodies.rotation(i), p.angular_momentum[i]), inertia = p.inertia[i];
    r.w[k] = q.w, r.x[k] = q.x, r.y[k] = q.y, r.z[k] = q.z;
    r.lx[k] = l.x, r.ly[k] = l.y, r.lz[k] = l.z;
    r.ix[k] = inertia.x, r.iy[k] = inertia.y, r.iz[k] = inertia.z;
  }
  integrate::rotate_free(r, dt);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = rows[k];
    const Quat before = p.orientation[i], after{r.w[k], r.x[k], r.y[k], r.z[k]};
    p.orientation[i] = after;
    // A vertex at the bounding radius moves at most along the chord of the rotation.
    const Quat turn = after * conjugate(before);
    p.travel[i] += 2 * p.radius[i] * norm(Vec3{turn.x, turn.y, turn.z});
    bodies.pose(p, i);
    p.angular_velocity[i] = bodies.rotation(i) * Vec3{r.lx[k] / r.ix[k], r.ly[k] / r.iy[k], r.lz[k] / r.iz[k]};
  }
}

/// The first n rows, which are spheres: a turn moves nothing of their surface, and nobody asks how they are turned.
void turn_balls(Particles& p, narrow::Bodies& bodies, const Turned& rows, std::size_t n, double dt) {
  integrate::Rotations r;
  for (std::size_t k = 0; k < kTogether; ++k) {
    const std::size_t i = rows[k < n ? k : 0];
    const Quat q = p.orientation[i];
    const Vec3 l = p.angular_momentum[i];
    r.w[k] = q.w, r.x[k] = q.x, r.y[k] = q.y, r.z[k] = q.z;
    r.lx[k] = l.x, r.ly[k] = l.y, r.lz[k] = l.z, r.ix[k] = p.inertia[i].x;
  }
  integrate::rotate_balls(r, dt);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = rows[k];
    p.orientation[i] = {r.w[k], r.x[k], r.y[k], r.z[k]};
    p.angular_velocity[i] = (1 / p.inertia[i].x) * p.angular_momentum[i];
    if (bodies.parts() != nullptr) bodies.pose(p, i);  // as the one part that it is
  }
}

/// Also finds how far the grains have come since they were listed: here, where their positions are at hand, and not
/// foreseen at the end of the step before as ranks do (sim/checks.cpp), since between two steps whoever holds a whole
/// state may change velocities.
void kick_and_drift(Simulation& s) {
  const Timer timer(s.counters.seconds_integrate);
  Particles& p = s.particles;
  Scratch& scratch = scratch_of(s);
  narrow::Bodies& bodies = scratch.bodies;
  scratch.moved_is_known = s.list_is_valid && !s.spread.foreseen;
  scratch.moved.resize((p.size_rows() + kStepGrain - 1) / kStepGrain);
  exec::parallel_chunks(p.size_rows(), kStepGrain, [&](std::size_t begin, std::size_t end) {
    kick(p, begin, end, s.dt / 2);
    Moved moved;
    const auto drift = [&](std::size_t i) {
      const Vec3 dx = s.dt * p.velocity[i];
      p.position[i] += dx, p.travel[i] += norm(dx);
    };
    const std::size_t looked_at = scratch.moved_is_known ? std::clamp(p.own_rows(), begin, end) : begin;
    for (std::size_t i = begin; i < looked_at; ++i) drift(i), moved.take(norm2(p.position[i] - p.listed_at[i]));
    for (std::size_t i = looked_at; i < end; ++i) drift(i);
    scratch.moved[begin / kStepGrain] = moved;
    Turned balls, others;
    std::size_t n_balls = 0, n_others = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (bodies.kind(i) == ShapeKind::sphere)
        balls[n_balls++] = static_cast<std::uint32_t>(i);
      else
        others[n_others++] = static_cast<std::uint32_t>(i);
      if (n_balls == kTogether) turn_balls(p, bodies, balls, std::exchange(n_balls, 0), s.dt);
      if (n_others == kTogether) turn_bodies(p, bodies, others, std::exchange(n_others, 0), s.dt);
    }
    if (n_balls > 0) turn_balls(p, bodies, balls, n_balls, s.dt);
    if (n_others > 0) turn_bodies(p, bodies, others, n_others, s.dt);
  });
}

/// Global damping of half a step, before its first kick and after its second: from step to step the factor
/// exp(-alpha_d dt), which is (1 - a) / (1 + a), a = alpha_d dt / 2, in the central difference of Zhao et al. 2006,
/// Eq. 1; with the exponential no step is too long. What it takes is booked exactly.
void damp(Simulation& s) {
  if (!(s.damping > 0)) return;
  Particles& p = s.particles;
  const double keeps = kept_by_damping(s), loses = 1 - keeps * keeps;
  ExactSum kinetic;
  {
    const Timer timer(s.counters.seconds_integrate);  // not of waiting for other ranks
    kinetic = exec::parallel_reduce(
        p.size_rows(), kLightGrain, ExactSum(),
        [&](std::size_t begin, std::size_t end) {
          ExactSum sum;
          for (std::size_t i = begin; i < end; ++i) {
            if (i < p.own_rows())
              sum += 0.5 * p.mass[i] * norm2(p.velocity[i]) +
                     integrate::rotational_energy(p.orientation[i], p.angular_momentum[i], p.inertia[i]);
            p.velocity[i] = keeps * p.velocity[i], p.angular_momentum[i] = keeps * p.angular_momentum[i];
          }
          return sum;
        },
        [](ExactSum a, const ExactSum& b) { return a += b, a; });
  }
  sum_over_ranks(s, std::array{&kinetic});
  s.ledger.lost_global += loses * kinetic.value();
}

void move_boundaries(Simulation& s) {
  for (Wall& w : s.walls) boundary::move(w, s.time - w.motion_started, s.dt);
}

void measure_walls(Simulation& s) {
  for (Wall& w : s.walls) boundary::add_work(w, s.dt);
  measure_drives(s);
}

/// `done(phase)` is told what has been done; it costs nothing where it does nothing. docs/architecture.md prints it.
template <class Done>
void step(Simulation& s, Done&& done) {
  s.remarks.clear();
  damp(s);             // global damping, where there is any: half here, half at the end
  book_outer_work(s);  // of forces from outside, likewise
  kick_and_drift(s), done(Phase::drift);
  kick_walls(s, true);  // those that a drive moves
  move_boundaries(s), done(Phase::walls);
  find_candidate_pairs(s), done(Phase::pairs);  // only when something has moved farther than the skin allows
  find_contacts(s), done(Phase::contacts);      // common planes and contact points; memory carried over by one merge
  compute_contact_forces(s, s.dt);
  compute_bond_forces(s, s.dt), done(Phase::forces);
  sum_forces(s), done(Phase::sums);  // fixed order: the same bits for any number of threads
  measure_walls(s);                  // the work that they do; how stiff the contacts of driven ones are
  kick(s, s.dt / 2);
  book_outer_work(s);
  damp(s);
  kick_walls(s, false);
  break_bonds(s);
  s.time += s.dt, ++s.step;
  insert_and_remove(s);  // inlets and outlets, every 50 steps
  check_and_report(s), done(Phase::end);
}

/// A step of a state that may have a fault already, where a stage has begun with one: what is found now comes first,
/// whichever rank finds it.
template <class Done>
void step_anew(Simulation& s, Done&& done) {
  std::optional<Fault> before = std::exchange(s.fault, std::nullopt);
  step(s, std::forward<Done>(done));
  if (!s.fault) s.fault = std::move(before);
}

}  // namespace

void step(Simulation& s) {
#ifdef SCREE_CHECKS
  if (const std::string wrong = step_and_check(s); !wrong.empty()) give_up(__FILE__, __LINE__, wrong.c_str());
#else
  step_anew(s, [](Phase) {});
#endif
}

std::string step_and_check(Simulation& s) {
  std::string first;
  step_anew(s, [&](Phase phase) {
    if (first.empty()) first = breach(s, phase);
  });
  return first;
}

void pose_bodies(Simulation& s) {
  Scratch& scratch = scratch_of(s);
  Particles& p = s.particles;
  exec::parallel_chunks(p.size_rows(), kStepGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      scratch.bodies.pose(p, i);
      // As the forces to come read it; a resumed run has no other. Of spheres as turn_balls has it.
      p.angular_velocity[i] = scratch.bodies.kind(i) == ShapeKind::sphere
                                  ? (1 / p.inertia[i].x) * p.angular_momentum[i]
                                  : integrate::angular_velocity(p.orientation[i], p.angular_momentum[i], p.inertia[i]);
    }
  });
}

void refresh_forces(Simulation& s) {
  pose_bodies(s);
  s.spread.foreseen.reset();  // of a drift that is yet to come
  find_candidate_pairs(s);
  find_contacts(s);
  compute_contact_forces(s, 0);
  compute_bond_forces(s, 0);
  sum_forces(s);
  measure_drives(s);
  check_and_report(s);
}

}  // namespace scree

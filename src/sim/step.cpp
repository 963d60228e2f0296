#include <algorithm>
#include <chrono>
#include <cmath>

#include "exec/parallel.h"
#include "integrate/rigid_body.h"
#include "sim/drives.h"
#include "sim/scratch.h"

namespace scree {

namespace {

constexpr std::size_t kGrain = 128;        // particles per chunk of a parallel loop
constexpr std::size_t kLightGrain = 1024;  // where each takes a few nanoseconds

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

void kick(Particles& p, std::size_t begin, std::size_t end, double dt) {
  for (std::size_t i = begin; i < end; ++i) {
    p.velocity[i] += (dt / p.mass[i]) * p.force[i];
    p.angular_momentum[i] += dt * p.torque[i];
  }
}
void kick(Simulation& s, double dt) {
  const Timer timer(s.counters.seconds_integrate);
  exec::parallel_chunks(s.particles.size_rows(), kLightGrain,
                        [&](std::size_t begin, std::size_t end) { kick(s.particles, begin, end, dt); });
}

/// Turns rows [begin, begin + n) freely; n <= Rotations::kRows. Leaves the body-frame momentum in `r`.
void turn_together(Particles& p, const narrow::Bodies& bodies, std::size_t begin, std::size_t n, double dt,
                   integrate::Rotations& r) {
  for (std::size_t k = 0; k < integrate::Rotations::kRows; ++k) {
    const std::size_t i = begin + (k < n ? k : 0);
    const Quat q = p.orientation[i];
    const Vec3 l = transpose_times(bodies.rotation(i), p.angular_momentum[i]), inertia = p.inertia[i];
    r.w[k] = q.w, r.x[k] = q.x, r.y[k] = q.y, r.z[k] = q.z;
    r.lx[k] = l.x, r.ly[k] = l.y, r.lz[k] = l.z;
    r.ix[k] = inertia.x, r.iy[k] = inertia.y, r.iz[k] = inertia.z;
  }
  integrate::rotate_free(r, dt);
}

void kick_and_drift(Simulation& s) {
  const Timer timer(s.counters.seconds_integrate);
  Particles& p = s.particles;
  narrow::Bodies& bodies = scratch_of(s).bodies;
  exec::parallel_chunks(p.size_rows(), kGrain, [&](std::size_t begin, std::size_t end) {
    kick(p, begin, end, s.dt / 2);
    integrate::Rotations r;
    for (std::size_t first = begin; first < end; first += integrate::Rotations::kRows) {
      const std::size_t n = std::min(integrate::Rotations::kRows, end - first);
      turn_together(p, bodies, first, n, s.dt, r);
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = first + k;
        const Vec3 dx = s.dt * p.velocity[i];
        p.position[i] += dx;
        const Quat before = p.orientation[i], after{r.w[k], r.x[k], r.y[k], r.z[k]};
        p.orientation[i] = after;
        bodies.pose(p, i);
        p.angular_velocity[i] = bodies.rotation(i) * Vec3{r.lx[k] / r.ix[k], r.ly[k] / r.iy[k], r.lz[k] / r.iz[k]};
        // A vertex at the bounding radius moves at most along the chord of the rotation.
        const Quat turn = after * conjugate(before);
        p.travel[i] += norm(dx) + 2 * p.radius[i] * norm(Vec3{turn.x, turn.y, turn.z});
      }
    }
  });
}

/// About its axis.
void turn_wall(Wall& w, double angle) {
  const Quat q = axis_angle(w.motion.rotation->axis, angle);
  const Mat3 r = rotation_matrix(q);
  if (w.outline) {
    for (Vec3& corner : *w.outline) corner = w.centre + r * (corner - w.centre);
  }
  if (!w.mesh) return;  // a plane turns about its normal alone
  w.point = w.centre + r * (w.point - w.centre);
  w.orientation = normalized(q * w.orientation);
}

/// Where the plane on that side of the box stands along its axis; nothing: there is none.
const Wall* side_of_box(const Simulation& s, std::string_view box, const std::string& side) {
  for (const Wall& w : s.walls)
    if (w.name.size() == box.size() + 1 + side.size() && w.name.starts_with(box) && w.name.ends_with("." + side))
      return &w;
  return nullptr;
}

/// Half a kick for free walls, as particles get it; a servo sets its speed for the whole step when the step begins.
void kick_walls(Simulation& s, bool step_begins) {
  for (Wall& w : s.walls) {
    if (!w.motion.drive) continue;
    const boundary::Motion::Drive& d = *w.motion.drive;
    const bool is_free = d.kind == boundary::Motion::Drive::Kind::free;
    if (!is_free && !step_begins) continue;
    const double net = force_asked(s, w) + dot(w.force + d.mass * s.gravity, w.drive_direction());
    const double before = w.driven, dt = is_free ? s.dt / 2 : s.dt;
    if (!is_free) note_missed(s, w, net);
    w.driven = w.motion.driven(before, net, w.stiffness, w.dashpot, dt);
    w.acceleration = is_free ? ((w.driven - before) / dt) * w.drive_direction() : Vec3{};
  }
}

/// Half of what a wall does over a step: the forces at one of its ends along the way of all of it.
void add_work(Wall& w, double dt) {
  double given = dot(w.force, w.shift) + dt * w.belt_power;
  if (w.turned != 0) given += w.turned * dot(w.torque, w.motion.rotation->axis);
  w.work -= 0.5 * given;
}

void move_boundaries(Simulation& s) {
  for (Wall& w : s.walls) {
    const double t = s.time - w.motion_started, angle = w.motion.turn(t, s.dt);
    Vec3 dx = w.motion.shift(t, s.dt);
    if (w.motion.drive) dx += s.dt * w.driven * w.drive_direction();
    w.shift = dx, w.turned = angle;
    add_work(w, s.dt);
    if (angle != 0) turn_wall(w, angle);
    w.point += dx, w.centre += dx;
    w.travel += norm(dx) + std::abs(angle) * w.reach;
    if (w.outline) {
      for (Vec3& corner : *w.outline) corner += dx;
    }
    if (!w.motion.is_plain()) set_wall_velocity(w, t + s.dt);
  }
}

}  // namespace

double area_of_side(const Simulation& s, const Wall& w) {
  const std::size_t dot = w.name.rfind('.');
  if (dot == std::string::npos || w.mesh) return 0;
  const std::string_view box = std::string_view(w.name).substr(0, dot);
  double area = 1;
  for (std::size_t k = 0; k < (s.dimensions == 2 ? 2 : 3); ++k) {
    const std::string axis(1, "xyz"[k]);
    if (w.name[dot + 1] == axis[0]) continue;
    if (s.particles.domain.periodic[k]) {
      area *= s.particles.domain.period(k);
      continue;
    }
    const Wall *low = side_of_box(s, box, axis + "_min"), *high = side_of_box(s, box, axis + "_max");
    if (low == nullptr || high == nullptr) return 0;
    area *= std::max(0.0, high->point[k] - low->point[k]);
  }
  return s.dimensions == 2 ? area * s.thickness : area;
}

void set_wall_velocity(Wall& w, double t) {
  w.velocity = w.motion.velocity_at(t);
  if (w.motion.drive) w.velocity += w.driven * w.drive_direction();
  w.spin = w.motion.rotation ? w.motion.rate_at(t) * w.motion.rotation->axis : Vec3{};
}

void step(Simulation& s) {
  s.remarks.clear();
  kick_walls(s, true);
  kick_and_drift(s);
  move_boundaries(s);
  find_candidate_pairs(s);  // only when something has moved farther than the skin allows
  find_contacts(s);         // common planes and contact points; memory carried over by one merge
  compute_contact_forces(s, s.dt);
  compute_bond_forces(s, s.dt);
  sum_forces(s);  // fixed order: the same bits for any number of threads
  for (Wall& w : s.walls) add_work(w, s.dt);
  measure_drives(s);
  kick(s, s.dt / 2);
  kick_walls(s, false);
  break_bonds(s);
  s.time += s.dt;
  ++s.step;
  insert_and_remove(s);
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
  compute_bond_forces(s, 0);
  sum_forces(s);
  measure_drives(s);
  check_and_report(s);
}

}  // namespace scree

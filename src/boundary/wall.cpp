#include "boundary/wall.h"

#include <cmath>

namespace scree::boundary {

namespace {

/// About its axis.
void turn(Wall& w, double angle) {
  const Quat q = axis_angle(w.motion.rotation->axis, angle);
  const Mat3 r = rotation_matrix(q);
  if (w.outline) {
    for (Vec3& corner : *w.outline) corner = w.centre + r * (corner - w.centre);
  }
  if (!w.mesh) return;  // a plane turns about its normal alone
  w.point = w.centre + r * (w.point - w.centre);
  w.orientation = normalized(q * w.orientation);
}

}  // namespace

void set_velocity(Wall& w, double t) {
  w.velocity = w.motion.velocity_at(t);
  if (w.motion.drive) w.velocity += w.driven * w.drive_direction();
  w.spin = w.motion.rotation ? w.motion.rate_at(t) * w.motion.rotation->axis : Vec3{};
}

void add_work(Wall& w, double dt) {
  double given = dot(w.force, w.shift) + dt * w.belt_power;
  if (w.turned != 0) given += w.turned * dot(w.torque, w.motion.rotation->axis);
  w.work -= 0.5 * given;
}

void move(Wall& w, double t, double dt) {
  const double angle = w.motion.turn(t, dt);
  Vec3 dx = w.motion.shift(t, dt);
  if (w.motion.drive) dx += dt * w.driven * w.drive_direction();
  w.shift = dx, w.turned = angle;
  add_work(w, dt);
  if (angle != 0) turn(w, angle);
  w.point += dx, w.centre += dx;
  w.travel += norm(dx) + std::abs(angle) * w.reach;
  if (w.outline) {
    for (Vec3& corner : *w.outline) corner += dx;
  }
  if (!w.motion.is_plain()) set_velocity(w, t + dt);
}

}  // namespace scree::boundary

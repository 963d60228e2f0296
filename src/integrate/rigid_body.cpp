#include "integrate/rigid_body.h"

#include <cmath>

namespace scree::integrate {

namespace {

/// Sine and cosine; the series is exact to rounding below 0.1 and spares the library call in every ordinary step.
void sine_cosine(double x, double* s, double* c) {
  if (std::abs(x) > 0.1) {
    *s = std::sin(x), *c = std::cos(x);
    return;
  }
  const double y = x * x;
  *s = x * (1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72))));
  *c = 1 - y / 2 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90))));
}

/// Turns the body about its own axis by L_axis / I_axis * dt; the body-frame momentum turns back.
template <int axis>
void turn(Quat& q, Vec3& l, double rate, double dt) {
  double s, c;
  sine_cosine(0.5 * rate * dt, &s, &c);
  const double c2 = c * c - s * s, s2 = 2 * s * c;
  if constexpr (axis == 0) {
    q = {c * q.w - s * q.x, c * q.x + s * q.w, c * q.y + s * q.z, c * q.z - s * q.y};
    l = {l.x, c2 * l.y + s2 * l.z, c2 * l.z - s2 * l.y};
  } else if constexpr (axis == 1) {
    q = {c * q.w - s * q.y, c * q.x - s * q.z, c * q.y + s * q.w, c * q.z + s * q.x};
    l = {c2 * l.x - s2 * l.z, l.y, c2 * l.z + s2 * l.x};
  } else {
    q = {c * q.w - s * q.z, c * q.x + s * q.y, c * q.y - s * q.x, c * q.z + s * q.w};
    l = {c2 * l.x + s2 * l.y, c2 * l.y - s2 * l.x, l.z};
  }
}

}  // namespace

Quat rotate_free(Quat q, Vec3 momentum, Vec3 inertia, double dt) {
  if (momentum == Vec3{}) return q;
  Vec3 l = transpose_times(rotation_matrix(q), momentum);
  turn<2>(q, l, l.z / inertia.z, dt / 2);
  turn<1>(q, l, l.y / inertia.y, dt / 2);
  turn<0>(q, l, l.x / inertia.x, dt);
  turn<1>(q, l, l.y / inertia.y, dt / 2);
  turn<2>(q, l, l.z / inertia.z, dt / 2);
  return normalized(q);
}

Vec3 angular_velocity(Quat q, Vec3 momentum, Vec3 inertia) {
  const Mat3 r = rotation_matrix(q);
  const Vec3 l = transpose_times(r, momentum);
  return r * Vec3{l.x / inertia.x, l.y / inertia.y, l.z / inertia.z};
}

Vec3 angular_momentum(Quat q, Vec3 velocity, Vec3 inertia) {
  const Mat3 r = rotation_matrix(q);
  const Vec3 w = transpose_times(r, velocity);
  return r * Vec3{w.x * inertia.x, w.y * inertia.y, w.z * inertia.z};
}

double rotational_energy(Quat q, Vec3 momentum, Vec3 inertia) {
  const Vec3 l = transpose_times(rotation_matrix(q), momentum);
  return 0.5 * (l.x * l.x / inertia.x + l.y * l.y / inertia.y + l.z * l.z / inertia.z);
}

}  // namespace scree::integrate

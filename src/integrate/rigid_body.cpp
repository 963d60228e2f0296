#include "integrate/rigid_body.h"

#include <cmath>

namespace scree::integrate {

namespace {

/// Sine and cosine from the tangent of the half angle: of unit length whatever the series leaves out, and cheaper than
/// the library in every ordinary step. Below 0.05 the series is exact to rounding.
[[gnu::always_inline]] inline void sine_cosine(double x, double* s, double* c) {
  if (std::abs(x) > 0.05) {
    *s = std::sin(x), *c = std::cos(x);
    return;
  }
  const double y = 0.5 * x, y2 = y * y;
  const double t = y * (1 + y2 * (1.0 / 3 + y2 * (2.0 / 15 + y2 * (17.0 / 315))));
  const double f = 1 / (1 + t * t);
  *s = 2 * t * f, *c = (1 - t * t) * f;
}

/// Turns the body about its own axis by L_axis / I_axis * dt; the body-frame momentum turns back.
template <int axis>
[[gnu::always_inline]] inline void turn(Quat& q, Vec3& l, double rate, double dt) {
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

Quat rotate_free(Quat q, Vec3& l, Vec3 inertia, double dt) {
  if (l == Vec3{}) return q;
  const Vec3 inverse{1 / inertia.x, 1 / inertia.y, 1 / inertia.z};
  turn<2>(q, l, l.z * inverse.z, dt / 2);
  turn<1>(q, l, l.y * inverse.y, dt / 2);
  turn<0>(q, l, l.x * inverse.x, dt);
  turn<1>(q, l, l.y * inverse.y, dt / 2);
  turn<2>(q, l, l.z * inverse.z, dt / 2);
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

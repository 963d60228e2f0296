#include "integrate/rigid_body.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "integrate/rigid_body.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree::integrate::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, Rotations::kRows>;
using Value = hn::Vec<Lanes>;

/// Beyond this the series below is no longer exact to rounding.
inline constexpr double kSmallAngle = 0.05;

/// tan(y)/y of small angles, from y^2.
HWY_INLINE Value TangentRatio(Value y2) {
  const Lanes d;
  const auto fourth = hn::Add(hn::Set(d, 2.0 / 15), hn::Mul(y2, hn::Set(d, 17.0 / 315)));
  return hn::Add(hn::Set(d, 1.0), hn::Mul(y2, hn::Add(hn::Set(d, 1.0 / 3), hn::Mul(y2, fourth))));
}

/// Sine and cosine from the tangent of the half angle: of unit length whatever the series leaves out.
HWY_INLINE void SineCosine(Value x, Value* s, Value* c) {
  const Lanes d;
  const auto one = hn::Set(d, 1.0), y = hn::Mul(hn::Set(d, 0.5), x), y2 = hn::Mul(y, y);
  const auto t = hn::Mul(y, TangentRatio(y2));
  const auto t2 = hn::Mul(t, t), f = hn::Div(one, hn::Add(one, t2));
  *s = hn::Mul(hn::Add(t, t), f), *c = hn::Mul(hn::Sub(one, t2), f);
  if (hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, kSmallAngle)))) return;
  HWY_ALIGN double angle[Rotations::kRows], sine[Rotations::kRows], cosine[Rotations::kRows];
  hn::Store(x, d, angle), hn::Store(*s, d, sine), hn::Store(*c, d, cosine);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if (std::abs(angle[i]) > kSmallAngle) sine[i] = std::sin(angle[i]), cosine[i] = std::cos(angle[i]);
  }
  *s = hn::Load(d, sine), *c = hn::Load(d, cosine);
}

/// Turns bodies about their own axis `a` (b, c: the axes that follow it) by l_a / I_a * dt; the body-frame momentum
/// turns back.
HWY_INLINE void Turn(Value inertia, double dt, Value* w, Value* a, Value* b, Value* c, Value la, Value* lb, Value* lc) {
  const Lanes d;
  Value s, k;
  SineCosine(hn::Mul(hn::Set(d, 0.5 * dt), hn::Div(la, inertia)), &s, &k);
  const auto product = [](Value p, Value q, Value r, Value t)
                           HWY_ATTR { return hn::Add(hn::Mul(p, q), hn::Mul(r, t)); };
  const auto minus = [](Value p, Value q, Value r, Value t) HWY_ATTR { return hn::Sub(hn::Mul(p, q), hn::Mul(r, t)); };
  const Value w1 = minus(k, *w, s, *a), a1 = product(k, *a, s, *w), b1 = product(k, *b, s, *c),
              c1 = minus(k, *c, s, *b);
  *w = w1, *a = a1, *b = b1, *c = c1;
  const Value k2 = minus(k, k, s, s), s2 = product(s, k, s, k);
  const Value lb1 = product(k2, *lb, s2, *lc), lc1 = minus(k2, *lc, s2, *lb);
  *lb = lb1, *lc = lc1;
}

/// By the quaternion of the turn, whose length is put right at the end: 1 and the tangent of half the angle along the
/// axis, of a large angle cosine and sine.
void RotateBalls(Rotations& r, double dt) {
  const Lanes d;
  for (std::size_t i = 0; i < Rotations::kRows; i += hn::Lanes(d)) {
    const Value w = hn::Load(d, r.w + i), x = hn::Load(d, r.x + i), y = hn::Load(d, r.y + i), z = hn::Load(d, r.z + i);
    const Value half = hn::Div(hn::Set(d, 0.5 * dt), hn::Load(d, r.ix + i)), zero = hn::Zero(d);
    Value a = hn::Mul(half, hn::Load(d, r.lx + i)), b = hn::Mul(half, hn::Load(d, r.ly + i)),
          c = hn::Mul(half, hn::Load(d, r.lz + i));
    const Value angle2 = hn::Add(hn::Add(hn::Mul(a, a), hn::Mul(b, b)), hn::Mul(c, c));  // half the angle, squared
    const auto still = hn::Eq(angle2, zero);
    Value ratio = TangentRatio(angle2), one = hn::Set(d, 1.0);
    if (const auto small = hn::Le(angle2, hn::Set(d, 0.25 * kSmallAngle * kSmallAngle)); !hn::AllTrue(d, small)) {
      HWY_ALIGN double square[Rotations::kRows], sine[Rotations::kRows], cosine[Rotations::kRows];
      hn::Store(angle2, d, square);
      for (std::size_t k = 0; k < hn::Lanes(d); ++k) {
        const double turn = std::sqrt(square[k]);
        sine[k] = turn > 0 ? std::sin(turn) / turn : 1, cosine[k] = std::cos(turn);
      }
      ratio = hn::IfThenElse(small, ratio, hn::Load(d, sine)), one = hn::IfThenElse(small, one, hn::Load(d, cosine));
    }
    a = hn::Mul(ratio, a), b = hn::Mul(ratio, b), c = hn::Mul(ratio, c);
    const auto sum = [](Value p, Value q, Value s, Value t) HWY_ATTR { return hn::Add(hn::Add(p, q), hn::Sub(s, t)); };
    const Value w1 = hn::Sub(hn::Sub(hn::Mul(one, w), hn::Mul(a, x)), hn::Add(hn::Mul(b, y), hn::Mul(c, z)));
    const Value x1 = sum(hn::Mul(one, x), hn::Mul(a, w), hn::Mul(b, z), hn::Mul(c, y));
    const Value y1 = sum(hn::Mul(one, y), hn::Mul(b, w), hn::Mul(c, x), hn::Mul(a, z));
    const Value z1 = sum(hn::Mul(one, z), hn::Mul(c, w), hn::Mul(a, y), hn::Mul(b, x));
    const Value length2 = hn::Add(hn::Add(hn::Mul(w1, w1), hn::Mul(x1, x1)), hn::Add(hn::Mul(y1, y1), hn::Mul(z1, z1)));
    const Value scale = hn::Div(hn::Set(d, 1.0), hn::Sqrt(length2));
    hn::Store(hn::IfThenElse(still, w, hn::Mul(w1, scale)), d, r.w + i);
    hn::Store(hn::IfThenElse(still, x, hn::Mul(x1, scale)), d, r.x + i);
    hn::Store(hn::IfThenElse(still, y, hn::Mul(y1, scale)), d, r.y + i);
    hn::Store(hn::IfThenElse(still, z, hn::Mul(z1, scale)), d, r.z + i);
  }
}

void Rotate(Rotations& r, double dt) {
  const Lanes d;
  for (std::size_t i = 0; i < Rotations::kRows; i += hn::Lanes(d)) {
    const Value w0 = hn::Load(d, r.w + i), x0 = hn::Load(d, r.x + i), y0 = hn::Load(d, r.y + i),
                z0 = hn::Load(d, r.z + i);
    Value w = w0, x = x0, y = y0, z = z0;
    Value lx = hn::Load(d, r.lx + i), ly = hn::Load(d, r.ly + i), lz = hn::Load(d, r.lz + i);
    const Value ix = hn::Load(d, r.ix + i), iy = hn::Load(d, r.iy + i), iz = hn::Load(d, r.iz + i), zero = hn::Zero(d);
    const auto still = hn::And(hn::And(hn::Eq(lx, zero), hn::Eq(ly, zero)), hn::Eq(lz, zero));
    Turn(iz, dt / 2, &w, &z, &x, &y, lz, &lx, &ly);
    Turn(iy, dt / 2, &w, &y, &z, &x, ly, &lz, &lx);
    Turn(ix, dt, &w, &x, &y, &z, lx, &ly, &lz);
    Turn(iy, dt / 2, &w, &y, &z, &x, ly, &lz, &lx);
    Turn(iz, dt / 2, &w, &z, &x, &y, lz, &lx, &ly);
    const Value length2 = hn::Add(hn::Add(hn::Mul(w, w), hn::Mul(x, x)), hn::Add(hn::Mul(y, y), hn::Mul(z, z)));
    const Value scale = hn::Div(hn::Set(d, 1.0), hn::Sqrt(length2));
    // What does not turn keeps its bits.
    hn::Store(hn::IfThenElse(still, w0, hn::Mul(w, scale)), d, r.w + i);
    hn::Store(hn::IfThenElse(still, x0, hn::Mul(x, scale)), d, r.x + i);
    hn::Store(hn::IfThenElse(still, y0, hn::Mul(y, scale)), d, r.y + i);
    hn::Store(hn::IfThenElse(still, z0, hn::Mul(z, scale)), d, r.z + i);
    hn::Store(lx, d, r.lx + i), hn::Store(ly, d, r.ly + i), hn::Store(lz, d, r.lz + i);
  }
}

}  // namespace scree::integrate::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::integrate {

HWY_EXPORT(Rotate);
HWY_EXPORT(RotateBalls);

void rotate_free(Rotations& bodies, double dt) { HWY_DYNAMIC_DISPATCH(Rotate)(bodies, dt); }

void rotate_balls(Rotations& bodies, double dt) { HWY_DYNAMIC_DISPATCH(RotateBalls)(bodies, dt); }

Quat rotate_free(Quat q, Vec3& l, Vec3 inertia, double dt) {
  Rotations r;
  for (std::size_t i = 0; i < Rotations::kRows; ++i) {
    r.w[i] = q.w, r.x[i] = q.x, r.y[i] = q.y, r.z[i] = q.z;
    r.lx[i] = l.x, r.ly[i] = l.y, r.lz[i] = l.z;
    r.ix[i] = inertia.x, r.iy[i] = inertia.y, r.iz[i] = inertia.z;
  }
  rotate_free(r, dt);
  l = {r.lx[0], r.ly[0], r.lz[0]};
  return {r.w[0], r.x[0], r.y[0], r.z[0]};
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
#endif

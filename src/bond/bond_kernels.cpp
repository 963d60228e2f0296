// The same operations in the same order as `elastic` and `force_of`, on vectors of bonds: the same bits for any width.
#include "bond/bond_kernels.h"

#include <algorithm>

#include "bond/parallel_bond.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bond/bond_kernels.cpp"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace scree::bond::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

/// Numbers, vectors and quaternions of as many bonds as a register holds.
struct N {
  V v;
};
HWY_INLINE N number(double x) { return {hn::Set(D(), x)}; }
HWY_INLINE N operator+(N a, N b) { return {hn::Add(a.v, b.v)}; }
HWY_INLINE N operator-(N a, N b) { return {hn::Sub(a.v, b.v)}; }
HWY_INLINE N operator*(N a, N b) { return {hn::Mul(a.v, b.v)}; }
HWY_INLINE N operator/(N a, N b) { return {hn::Div(a.v, b.v)}; }
HWY_INLINE N operator-(N a) { return {hn::Neg(a.v)}; }
HWY_INLINE N operator*(double s, N a) { return number(s) * a; }
HWY_INLINE N operator-(double s, N a) { return number(s) - a; }
HWY_INLINE N root(N a) { return {hn::Sqrt(a.v)}; }
HWY_INLINE N magnitude(N a) { return {hn::Abs(a.v)}; }

struct N3 {
  N x, y, z;
};
HWY_INLINE N3 operator+(N3 a, N3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HWY_INLINE N3 operator-(N3 a, N3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE N3 operator-(N3 a) { return {-a.x, -a.y, -a.z}; }
HWY_INLINE N3 operator*(N s, N3 a) { return {s * a.x, s * a.y, s * a.z}; }
HWY_INLINE N dot(N3 a, N3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HWY_INLINE N3 cross(N3 a, N3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

template <class Mask>
HWY_INLINE N3 pick(Mask m, N3 a, N3 b) {
  return {{hn::IfThenElse(m, a.x.v, b.x.v)}, {hn::IfThenElse(m, a.y.v, b.y.v)}, {hn::IfThenElse(m, a.z.v, b.z.v)}};
}

struct N4 {
  N w, x, y, z;
};
HWY_INLINE N4 operator*(N4 a, N4 b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

HWY_INLINE N load(const double* p) { return {hn::LoadU(D(), p)}; }
HWY_INLINE N3 load(const Vec3* p) {
  N3 v;
  hn::LoadInterleaved3(D(), &p->x, v.x.v, v.y.v, v.z.v);
  return v;
}
HWY_INLINE N4 load(const Quat* p) {
  N4 q;
  hn::LoadInterleaved4(D(), &p->w, q.w.v, q.x.v, q.y.v, q.z.v);
  return q;
}
HWY_INLINE void store(N a, double* p) { hn::StoreU(a.v, D(), p); }
HWY_INLINE void store(N3 a, Vec3* p) { hn::StoreInterleaved3(a.x.v, a.y.v, a.z.v, D(), &p->x); }

/// The two ends' columns of a few bonds, side by side.
constexpr std::size_t kFew = 64;
struct Ends {
  HWY_ALIGN Vec3 v[kFew], spin[kFew];
  HWY_ALIGN Quat q[kFew];

  HWY_INLINE void take(const Particles& p, const std::uint32_t* rows, std::size_t n, bool moving, double dt) {
    for (std::size_t k = 0; k < n; ++k) q[k] = p.orientation[rows[k]];
    if (!moving) return;
    for (std::size_t k = 0; k < n; ++k) v[k] = velocity_ahead(p, rows[k], dt), spin[k] = spin_ahead(p, rows[k], dt);
  }
};

/// Bonds [r, r + lanes), whose ends are those from `k` on.
HWY_INLINE void Forces(Bonds& b, std::size_t r, const Ends& one, const Ends& two, const Vec3* apart, std::size_t k,
                       bool damped, double dt) {
  const N3 d = load(apart + k);
  const N l = root(dot(d, d)), over = number(1) / l, length = load(&b.length[r]), shear_k = load(&b.shear[r]);
  const N3 e = over * d;
  const N4 a = load(one.q + k) * load(&b.frame_a[r]), q = load(two.q + k) * load(&b.frame_b[r]);
  const N xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z, xy = a.x * a.y, xz = a.x * a.z, yz = a.y * a.z,
          wx = a.w * a.x, wy = a.w * a.y, wz = a.w * a.z;
  const N3 row0{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
      row1{2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
      row2{2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)};
  const N3 ta{row0.x, row1.x, row2.x},
      tb{1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y)};

  const N stretch = l - length, tension = load(&b.axial[r]) * stretch;
  const N3 sum = ta + tb;
  const N along = dot(e, sum), turn = shear_k * length * length * number(0.25);
  const N3 across = sum - along * e, shear = (turn * along * over) * across;
  N3 force = shear - tension * e;
  const N4 c{a.w, -a.x, -a.y, -a.z}, t = c * q;
  const N twist_k = load(&b.twist[r]), bend_k = load(&b.bend[r]);
  const N3 v{t.x, t.y, t.z}, dv{twist_k * t.x, bend_k * t.y, bend_k * t.z};
  const N3 inner = number(2) * (t.w * dv + cross(v, dv)), moment{dot(row0, inner), dot(row1, inner), dot(row2, inner)};
  N3 torque_a = moment - turn * cross(ta, across), torque_b = -moment - turn * cross(tb, across);
  const N bend = root(inner.y * inner.y + inner.z * inner.z);
  const N energy = 0.5 * (tension * stretch + turn * dot(across, across)) + 2.0 * dot(v, dv);

  const N over_r = number(1) / load(&b.radius[r]), over_area = number(kOverPi) * over_r * over_r;
  store(over_area * (tension + 4.0 * bend * over_r), &b.normal_stress[r]);
  store(over_area * (root(dot(shear, shear)) + 2.0 * magnitude(inner.x) * over_r), &b.shear_stress[r]);
  store(energy, &b.energy[r]);
  if (damped) {
    const N3 half = number(0.5) * d, wa = load(one.spin + k), wb = load(two.spin + k), spin = wb - wa;
    const N3 u = load(two.v + k) - cross(wb, half) - load(one.v + k) - cross(wa, half);
    const N3 un = dot(u, e) * e, wn = dot(spin, e) * e;
    const N3 push = -load(&b.axial_damping[r]) * un - load(&b.shear_damping[r]) * (u - un),
             twirl = -load(&b.twist_damping[r]) * wn - load(&b.bend_damping[r]) * (spin - wn),
             lever = cross(half, push);
    const auto acts = hn::Ne(load(&b.axial_damping[r]).v, hn::Zero(D()));
    const N lost = load(&b.lost[r]);
    const N taken = lost - number(dt) * (dot(push, u) + dot(twirl, spin));
    store({hn::IfThenElse(acts, taken.v, lost.v)}, &b.lost[r]);
    force = pick(acts, force + push, force);
    torque_a = pick(acts, torque_a - (twirl + lever), torque_a);
    torque_b = pick(acts, torque_b + (twirl - lever), torque_b);
  }
  store(force, &b.force[r]), store(torque_a, &b.torque_a[r]), store(torque_b, &b.torque_b[r]);
}

void ForcesOf(Bonds& b, const Particles& p, std::size_t begin, std::size_t end, double dt) {
  constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(double);
  const std::size_t lanes = hn::Lanes(D());
  static_assert(kFew % kLanes == 0);
  Ends one, two;
  HWY_ALIGN Vec3 apart[kFew];
  for (std::size_t at = begin; at < end; at += kFew) {
    const std::size_t n = std::min(kFew, end - at), whole = n - n % lanes;
    const auto first = b.axial_damping.begin() + static_cast<std::ptrdiff_t>(at);
    const bool damped = std::any_of(first, first + static_cast<std::ptrdiff_t>(n), [](double c) { return c != 0; });
    one.take(p, &b.row_a[at], whole, damped, dt), two.take(p, &b.row_b[at], whole, damped, dt);
    for (std::size_t k = 0; k < whole; ++k) apart[k] = p.from_to(b.row_a[at + k], b.row_b[at + k]);
    for (std::size_t k = 0; k < whole; k += lanes) Forces(b, at + k, one, two, apart, k, damped, dt);
    for (std::size_t k = 0; k < n; ++k) {
      if (k >= whole || !b.alive[at + k]) force_of(b, p, at + k, dt);
    }
  }
}

std::size_t TakeDamage(Bonds& b, std::size_t begin, std::size_t end) {
  const D d;
  std::size_t broken = 0, r = begin;
  for (; r + hn::Lanes(d) <= end; r += hn::Lanes(d)) {
    const V use = hn::Max(hn::Div(hn::LoadU(d, &b.normal_stress[r]), hn::LoadU(d, &b.normal_strength[r])),
                          hn::Div(hn::LoadU(d, &b.shear_stress[r]), hn::LoadU(d, &b.shear_strength[r])));
    hn::StoreU(hn::Max(hn::LoadU(d, &b.damage[r]), use), d, &b.damage[r]);
    broken += hn::CountTrue(d, hn::Ge(use, hn::Set(d, 1.0)));
  }
  for (; r < end; ++r) {
    const double use = std::max(b.normal_stress[r] / b.normal_strength[r], b.shear_stress[r] / b.shear_strength[r]);
    b.damage[r] = std::max(b.damage[r], use);
    broken += use >= 1 ? 1 : 0;
  }
  return broken;
}

}  // namespace scree::bond::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scree::bond {

HWY_EXPORT(ForcesOf);
HWY_EXPORT(TakeDamage);

void forces_of(Bonds& bonds, const Particles& p, std::size_t begin, std::size_t end, double dt) {
  HWY_DYNAMIC_DISPATCH(ForcesOf)(bonds, p, begin, end, dt);
}

std::size_t take_damage(Bonds& bonds, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(TakeDamage)(bonds, begin, end);
}

}  // namespace scree::bond
#endif

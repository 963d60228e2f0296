// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_BLOKS3D_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_BLOKS3D_INL_H
#undef SCREE_CONTACT_BLOKS3D_INL_H
#else
#define SCREE_CONTACT_BLOKS3D_INL_H
#endif

#include "contact/contact-inl.h"
#include "contact/friction-inl.h"
#include "contact/friction.h"
#include "contact/laws/bloks3d.h"

HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {

template <class Real>
struct LawOf<Bloks3d, Real> {
  Real kn, knn, exponent, ks, damping_sliding, damping_sticking, beta, mu;

  template <class F>
  static HWY_INLINE LawOf From(F&& parameter) {
    using L = Bloks3d;
    return {parameter(&L::kn),
            parameter(&L::knn),
            parameter(&L::exponent),
            parameter(&L::ks),
            parameter(&L::damping_sliding),
            parameter(&L::damping_sticking),
            parameter(&L::beta),
            parameter(&L::mu)};
  }
};

/// depth^b; b is mostly 3.
template <class Real>
HWY_INLINE Real ToExponent(Real depth, Real b) {
  const Real cube = depth * depth * depth;
  const auto other = b != 3;
  return Any(other) ? Select(other, Pow(depth, b), cube) : cube;
}

template <class Law, class Real>
HWY_INLINE Real ElasticNormalForce(const Law& law, Real depth) {
  const Real linear = law.kn * depth;
  const auto bends = law.knn != 0;
  if (!Any(bends)) return linear;
  return Select(bends, linear + law.knn * ToExponent(depth, law.exponent), linear);
}
template <class Law, class Real>
HWY_INLINE Real NormalEnergy(const Law& law, Real depth) {
  const Real linear = 0.5 * law.kn * depth * depth;
  const auto bends = law.knn > 0;
  if (!Any(bends)) return linear;
  return Select(bends, linear + law.knn * depth * ToExponent(depth, law.exponent) / (1 + law.exponent), linear);
}

template <class Real, class Geometry>
HWY_INLINE Real NormalStiffness(const LawOf<Bloks3d, Real>& law, const Geometry& g) {
  const auto bends = law.knn > 0;
  if (!Any(bends)) return law.kn;
  const Real one = 1.0 + Real{};
  return Select(bends, law.kn + law.exponent * law.knn * Pow(g.depth, law.exponent - one), law.kn);
}
/// N s/m. Without a linear spring the one at hand takes its place: K = b K_NN D^(b-1) = b F/D.
template <class Real>
HWY_INLINE Real NormalDashpot(const LawOf<Bloks3d, Real>& law, Real elastic, Real depth) {
  const Real linear = law.beta * law.kn;
  const auto hardens = law.kn == 0.0;
  if (!Any(hardens)) return linear;
  return Select(hardens, law.beta * Sqrt(law.exponent * elastic / depth), linear);
}
/// s: the dashpots of shear and torsion over their springs.
template <class Real>
HWY_INLINE Real ShearTime(const LawOf<Bloks3d, Real>& law) {
  const auto hardens = law.kn == 0.0;
  if (!Any(hardens)) return law.beta;
  return Select(hardens, Select(law.ks > 0.0, law.beta / Sqrt(law.ks), Real{}), law.beta);
}

template <class Real, class Geometry>
HWY_INLINE Real ShearStiffness(const LawOf<Bloks3d, Real>& law, const Geometry&) {
  return law.ks;
}

/// A point has no torsion and does not rock: what that would cost is left out of the general text by its gyration of 0.
template <class Real, class Geometry>
HWY_INLINE DashpotsOf<Real> DashpotsAt(const LawOf<Bloks3d, Real>& law, const Geometry& g) {
  return {NormalDashpot(law, ElasticNormalForce(law, g.depth), g.depth), ShearTime(law) * law.ks};
}

template <bool kPatch, class Wrench, class Real, class Geometry, class Motion, class Memory>
HWY_INLINE Wrench ApplyLaw(const LawOf<Bloks3d, Real>& law, const Geometry& g, const Motion& m, Memory& memory) {
  using Vector = decltype(g.normal);
  const Vector n = g.normal;
  const Vector slip = SlipAlong(g, memory, m.velocity), now = m.velocity_now(), turning = m.angular_velocity_now();
  const Real rate = -dot(now, n);  // of approach
  const Real spin = dot(m.angular_velocity, n), spin_now = dot(turning, n);

  const Real torsional_stiffness = law.ks * g.gyration * g.gyration, radius = kMeanRadius * g.gyration;

  // Normal: elastic (Eq. 5), dashpot (7a) capped whether the contact slides or not (10); never tension.
  const Real elastic = ElasticNormalForce(law, g.depth), normal_cap = law.damping_sticking * elastic;
  const Real last_normal = dot(memory.damping, n), damping = NormalDashpot(law, elastic, g.depth);
  const Real dashpot = Least(Greatest(Braked(damping * rate, last_normal, m.braking), -normal_cap), normal_cap);
  const Real normal_force = Greatest(Real{}, elastic + dashpot);

  // Shear and a patch's torsion on B, against B's slip over A: Coulomb's limit on the elastic part (after Eq. 6),
  // dashpots (7b) capped by the dual criterion (8, 9). Torsion and rocking are the same springs and dashpots spread
  // over the patch.
  Hold<Vector, Real> hold(g, memory, CarriedShear(memory, n, m));
  Real twist;
  const auto sliding =
      hold.Grow(g, law.ks, torsional_stiffness, m.dt * slip, m.dt * spin, radius, law.mu * normal_force, &twist);
  const Vector shear = hold.shear;
  const Real d = Select(sliding, law.damping_sliding, law.damping_sticking), shear2 = norm2(shear);
  const Real beta = ShearTime(law);
  Vector shear_dashpot = Braked((-beta * law.ks) * (now + rate * n + spin_now * cross(n, hold.grip)),
                                memory.damping - last_normal * n, m.braking);
  CutTo(d * Sqrt(shear2), shear_dashpot);
  const Real torsion_cap = d * Abs(twist * radius);
  const Real with_shear = dot(n, cross(hold.grip, shear_dashpot));
  const Real torsion_dashpot = Least(
      Greatest(Braked(-beta * torsional_stiffness * spin_now, dot(memory.damping_moment, n) - with_shear, m.braking),
               -torsion_cap),
      torsion_cap);
  const Vector rocking = Rocking(g, m, memory, turning - spin_now * n, damping, normal_cap);

  const Real in_shear = Select(law.ks > 0, 0.5 * shear2 / law.ks, Real{});
  const Real in_torsion =
      Select(torsional_stiffness > 0, 0.5 * hold.torsion * hold.torsion / torsional_stiffness, Real{});
  const Real stored = in_shear + in_torsion;
  const Real slipped = Select(m.dt > 0, memory.stored - stored + hold.work, Real{});

  memory.shear = shear, memory.torsion = hold.torsion, memory.normal = n, memory.grip = hold.grip;
  memory.stored = stored;
  Wrench w;
  w.force = normal_force * n + shear + shear_dashpot;
  w.moment = (twist * radius + torsion_dashpot + with_shear) * n + rocking;
  w.damping = (normal_force - elastic) * n + shear_dashpot;
  w.damping_moment = (torsion_dashpot + with_shear) * n + rocking;
  w.normal_force = normal_force, w.sliding = sliding;
  w.energy = NormalEnergy(law, g.energy_depth) + in_shear + in_torsion;
  w.lost = {Real{}, Real{}, slipped};
  return w;
}

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

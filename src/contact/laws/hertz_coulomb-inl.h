// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_HERTZ_COULOMB_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_HERTZ_COULOMB_INL_H
#undef SCREE_CONTACT_HERTZ_COULOMB_INL_H
#else
#define SCREE_CONTACT_HERTZ_COULOMB_INL_H
#endif

#include "contact/contact-inl.h"
#include "contact/friction-inl.h"
#include "contact/laws/hertz_coulomb.h"
#include "contact/laws/hertz_mindlin-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {

template <class Real>
struct LawOf<HertzCoulomb, Real> {
  Real young, slip_speed, mu, damping, cuts_tension;

  template <class F>
  static HWY_INLINE LawOf From(F&& parameter) {
    using L = HertzCoulomb;
    return {parameter(&L::young), parameter(&L::slip_speed), parameter(&L::mu),
            parameter([](const L& law) { return law.normal().damping(); }),
            parameter([](const L& law) { return law.tension == Tension::cut ? 1.0 : 0.0; })};
  }
};

template <class Real, class Geometry>
HWY_INLINE Real NormalStiffness(const LawOf<HertzCoulomb, Real>& law, const Geometry& g) {
  return 2.0 * law.young * Sqrt(g.radius * g.depth);
}
template <class Real, class Geometry>
HWY_INLINE Real ShearStiffness(const LawOf<HertzCoulomb, Real>&, const Geometry&) {
  return Real{};
}

/// The one along the plane: as long as it slips by less than slip_speed.
template <class Real, class Geometry>
HWY_INLINE DashpotsOf<Real> DashpotsAt(const LawOf<HertzCoulomb, Real>& law, const Geometry& g) {
  const Real elastic = HertzForce(law.young, Sqrt(g.radius * g.depth), g.depth);
  return {law.damping * Sqrt(NormalStiffness(law, g) * g.mass),
          Select(law.slip_speed > 0, law.mu * elastic / law.slip_speed, Real{})};
}

template <bool kPatch, class Wrench, class Real, class Geometry, class Motion, class Memory>
HWY_INLINE Wrench ApplyLaw(const LawOf<HertzCoulomb, Real>& law, const Geometry& g, const Motion& m, Memory& memory) {
  using Vector = decltype(g.normal);
  const Real rate = -dot(m.velocity_now(), g.normal), none{}, one = 1.0 + Real{};  // of approach
  const Real elastic = HertzForce(law.young, Sqrt(g.radius * g.depth), g.depth);
  TangentialOf<Real> t{};
  t.rescale = one;
  const DashpotsOf<Real> dashpots = DashpotsAt(law, g);
  t.normal_dashpot = dashpots.normal;
  Wrench w{};
  w.normal_force = elastic + NormalBraked(g, m, memory, t.normal_dashpot * rate);
  w.normal_force = Select(law.cuts_tension > 0, Greatest(none, w.normal_force), w.normal_force);
  t.friction_limit = law.mu * Greatest(none, w.normal_force);
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - elastic) * g.normal;
  w.energy = HertzEnergy(law.young, g.radius, g.energy_depth);
  // No spring and no place that it holds on to: what AddTangential holds within the limit is this dashpot.
  t.dashpot = dashpots.shear;
  memory.grip = Vector{};
  const Vector pressed = w.force;
  AddTangential<kPatch>(g, m, t, memory, w);
  const Vector along = w.force - pressed;
  const Real radius = kMeanRadius * g.gyration, spin = Select(radius > 0, dot(w.moment, g.normal) / radius, none);
  w.sliding = Both(t.friction_limit > 0, Sqrt(norm2(along) + spin * spin) >= (one - 1e-9 * one) * t.friction_limit);
  return w;
}

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

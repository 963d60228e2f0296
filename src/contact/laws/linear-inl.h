// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_LINEAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_LINEAR_INL_H
#undef SCREE_CONTACT_LINEAR_INL_H
#else
#define SCREE_CONTACT_LINEAR_INL_H
#endif

#include "contact/contact-inl.h"
#include "contact/friction-inl.h"
#include "contact/laws/linear.h"

HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {

template <class Real>
struct LawOf<Linear, Real> {
  Real kn, kt, mu, damping_ratio, cuts_tension;

  template <class F>
  static HWY_INLINE LawOf From(F&& parameter) {
    using L = Linear;
    return {parameter(&L::kn), parameter(&L::kt), parameter(&L::mu), parameter(&L::damping_ratio),
            parameter([](const L& law) { return law.tension == Tension::cut ? 1.0 : 0.0; })};
  }
};

template <class Real, class Geometry>
HWY_INLINE Real NormalStiffness(const LawOf<Linear, Real>& law, const Geometry&) {
  return law.kn;
}
template <class Real, class Geometry>
HWY_INLINE Real ShearStiffness(const LawOf<Linear, Real>& law, const Geometry&) {
  return law.kt;
}

template <class Real, class Geometry>
HWY_INLINE DashpotsOf<Real> DashpotsAt(const LawOf<Linear, Real>& law, const Geometry& g) {
  const Real twice = 2.0 * law.damping_ratio;
  return {twice * Sqrt(law.kn * g.mass), twice * Sqrt(law.kt * g.mass)};
}

template <bool kPatch, class Wrench, class Real, class Geometry, class Motion, class Memory>
HWY_INLINE Wrench ApplyLaw(const LawOf<Linear, Real>& law, const Geometry& g, const Motion& m, Memory& memory) {
  const Real rate = -dot(m.velocity_now(), g.normal), none{}, one = 1.0 + Real{};  // of approach
  TangentialOf<Real> t{};
  t.rescale = one;
  t.stiffness = law.kt;
  const DashpotsOf<Real> dashpots = DashpotsAt(law, g);
  t.dashpot = dashpots.shear, t.normal_dashpot = dashpots.normal;
  const Real elastic = law.kn * g.depth;
  Wrench w{};
  w.normal_force = elastic + NormalBraked(g, m, memory, t.normal_dashpot * rate);
  w.normal_force = Select(law.cuts_tension > 0, Greatest(none, w.normal_force), w.normal_force);
  t.friction_limit = law.mu * Greatest(none, w.normal_force);
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - elastic) * g.normal;
  w.energy = 0.5 * law.kn * g.energy_depth * g.energy_depth;
  AddTangential<kPatch>(g, m, t, memory, w);
  return w;
}

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_HERTZ_MINDLIN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_HERTZ_MINDLIN_INL_H
#undef SCREE_CONTACT_HERTZ_MINDLIN_INL_H
#else
#define SCREE_CONTACT_HERTZ_MINDLIN_INL_H
#endif

#include "contact/contact-inl.h"
#include "contact/friction-inl.h"
#include "contact/jkr-inl.h"
#include "contact/laws/hertz_mindlin.h"

HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {

template <class Real>
struct LawOf<HertzMindlin, Real> {
  Real young, shear, mu, damping, cuts_tension, work_of_adhesion;

  template <class F>
  static HWY_INLINE LawOf From(F&& parameter) {
    using L = HertzMindlin;
    return {parameter(&L::young),
            parameter(&L::shear),
            parameter(&L::mu),
            parameter(&L::damping),
            parameter([](const L& law) { return law.tension == Tension::cut ? 1.0 : 0.0; }),
            parameter(&L::work_of_adhesion)};
  }
};

/// Hertz' force and energy without adhesion; `a`: radius of the contact.
template <class Real>
HWY_INLINE Real HertzForce(Real young, Real a, Real depth) {
  return (4.0 / 3) * young * a * depth;
}
template <class Real>
HWY_INLINE Real HertzEnergy(Real young, Real radius, Real depth) {
  return (8.0 / 15) * young * Sqrt(radius * depth) * depth * depth;
}

/// Where it adheres, by Johnson, Kendall and Roberts.
template <class Real>
struct HertzContact {
  Real radius;  ///< m, of the contact
  Real y{};     ///< Jkr's coordinate, where it adheres
};
template <class Real, class Geometry>
HWY_INLINE JkrOf<Real> JkrAt(const LawOf<HertzMindlin, Real>& law, const Geometry& g) {
  return {law.young, law.work_of_adhesion, g.radius};
}
template <class Real>
HWY_INLINE HertzContact<Real> ContactAt(const JkrOf<Real>& jkr, Real depth) {
  const Real plain = Sqrt(jkr.radius * depth);
  const auto adheres = jkr.work > 0;
  if (!Any(adheres)) return {plain};
  const Real y = jkr.Coordinate(depth);
  return {Select(adheres, jkr.ContactRadius(y), plain), y};
}

template <class Real, class Geometry>
HWY_INLINE Real NormalStiffness(const LawOf<HertzMindlin, Real>& law, const Geometry& g) {
  return 2.0 * law.young * ContactAt(JkrAt(law, g), g.depth).radius;
}
template <class Real, class Geometry>
HWY_INLINE Real ShearStiffness(const LawOf<HertzMindlin, Real>& law, const Geometry& g) {
  return 8.0 * law.shear * ContactAt(JkrAt(law, g), g.depth).radius;
}

/// `a`: radius of the contact.
template <class Real>
HWY_INLINE DashpotsOf<Real> HertzDashpots(const LawOf<HertzMindlin, Real>& law, Real a, Real mass) {
  return {law.damping * Sqrt(2.0 * law.young * a * mass), law.damping * Sqrt(8.0 * law.shear * a * mass)};
}
template <class Real, class Geometry>
HWY_INLINE DashpotsOf<Real> DashpotsAt(const LawOf<HertzMindlin, Real>& law, const Geometry& g) {
  return HertzDashpots(law, ContactAt(JkrAt(law, g), g.depth).radius, g.mass);
}

template <bool kPatch, class Wrench, class Real, class Geometry, class Motion, class Memory>
HWY_INLINE Wrench ApplyLaw(const LawOf<HertzMindlin, Real>& law, const Geometry& g, const Motion& m, Memory& memory) {
  const Real rate = -dot(m.velocity_now(), g.normal);  // of approach
  const JkrOf<Real> jkr = JkrAt(law, g);
  const HertzContact<Real> contact = ContactAt(jkr, g.depth);
  const Real a = contact.radius, none{}, one = 1.0 + Real{};
  TangentialOf<Real> t{};
  t.stiffness = 8.0 * law.shear * a;
  const DashpotsOf<Real> dashpots = HertzDashpots(law, a, g.mass);
  t.dashpot = dashpots.shear, t.normal_dashpot = dashpots.normal;
  // While the contact shrinks, the shear that its lost rim carried is lost with it (Thornton et al. 2013): otherwise
  // the softer spring would hold more energy than was put in.
  const Real before = g.depth + dot(m.velocity, g.normal) * m.dt;
  const auto shrinks = before > g.depth;
  t.rescale = Select(shrinks, Sqrt(g.depth / before), one);
  Real spring = HertzForce(law.young, a, g.depth), least = none, pull = none;
  Real energy = HertzEnergy(law.young, g.radius, g.energy_depth);
  if (const auto adheres = law.work_of_adhesion > 0; Any(adheres)) {
    if (const auto both = Both(adheres, shrinks); Any(both))
      t.rescale = Select(both, a / ContactAt(jkr, before).radius, t.rescale);
    spring = Select(adheres, jkr.Force(contact.y), spring);
    const Real y = kPatch ? jkr.Coordinate(g.energy_depth) : contact.y;
    energy = Select(adheres, jkr.Energy(y), energy);
    least = Select(adheres, Least(none, spring), none);
    // Sliding begins at mu (F + 2 F_c) (Thornton 1991).
    pull = Select(adheres, 2.0 * jkr.PullOff(), none);
  }
  Wrench w{};
  w.normal_force = spring + NormalBraked(g, m, memory, t.normal_dashpot * rate);
  w.normal_force = Select(law.cuts_tension > 0, Greatest(least, w.normal_force), w.normal_force);
  t.friction_limit = law.mu * Greatest(none, w.normal_force + pull);
  w.force = w.normal_force * g.normal;
  w.damping = (w.normal_force - spring) * g.normal;
  w.energy = energy;
  AddTangential<kPatch>(g, m, t, memory, w);
  return w;
}

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

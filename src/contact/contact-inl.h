// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_CONTACT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_CONTACT_INL_H
#undef SCREE_CONTACT_CONTACT_INL_H
#else
#define SCREE_CONTACT_CONTACT_INL_H
#endif

#include <functional>

#include "base/lanes-inl.h"
#include "contact/contact.h"

/// contact.h for as many contacts as a vector holds.
HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {
using namespace scree::HWY_NAMESPACE;

struct GeometryOfLanes {
  Reals3 normal;
  Reals depth, gyration, energy_depth;
  Reals radius, mass, rolling_inertia;
  Reals3 axis;
};
struct MotionOfLanes {
  Reals3 velocity, angular_velocity, mean_spin;
  Reals dt;
  Reals3 gain, angular_gain;
  Reals braking;

  HWY_INLINE Reals3 velocity_now() const { return velocity + gain; }
  HWY_INLINE Reals3 angular_velocity_now() const { return angular_velocity + angular_gain; }
};
struct MemoryOfLanes {
  Reals3 shear;
  Reals torsion;
  Reals3 normal, grip;
  Reals stored;
  Reals3 damping, damping_moment;
  Reals3 rolling;
};
struct WrenchOfLanes {
  Reals3 force, moment;
  Reals normal_force;
  Truths sliding;
  Reals energy;
  Reals3 lost, damping, damping_moment;
};

/// Dashpots of contact.h.
template <class Real>
struct DashpotsOf {
  Real normal, shear;
};

/// Parameters of one law (Real = double), or of as many as a vector has lanes. A law with Traits::lanes has, in its
/// NAME-inl.h, a specialization with `static From(f)`, where f(p) is what std::invoke(p, law) gives, on all lanes; and
/// overloads for it of
///   Wrench ApplyLaw<kPatch, Wrench>(law, geometry, motion, memory)   kPatch false: gyration is 0 in all contacts
///   Real NormalStiffness(law, geometry), Real ShearStiffness(law, geometry)   as ContactLaw has them
///   DashpotsOf<Real> DashpotsAt(law, geometry)   likewise.
template <class L, class Real>
struct LawOf;
template <class L>
HWY_INLINE LawOf<L, double> OfOne(const L& law) {
  return LawOf<L, double>::From([&](auto p) { return static_cast<double>(std::invoke(p, law)); });
}
template <class L>
HWY_INLINE Dashpots DashpotsOfOne(const L& law, const Geometry& g) {
  const DashpotsOf<double> d = DashpotsAt(OfOne(law), g);
  return {d.normal, d.shear};
}

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

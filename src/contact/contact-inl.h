// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_CONTACT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_CONTACT_INL_H
#undef SCREE_CONTACT_CONTACT_INL_H
#else
#define SCREE_CONTACT_CONTACT_INL_H
#endif

#include "base/lanes-inl.h"

/// contact.h for as many contacts as a vector holds.
HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {
using namespace scree::HWY_NAMESPACE;

struct GeometryOfLanes {
  Reals3 normal;
  Reals depth, gyration, energy_depth;
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
};
struct WrenchOfLanes {
  Reals3 force, moment;
  Reals normal_force;
  Truths sliding;
  Reals energy;
  Reals3 lost, damping, damping_moment;
};

/// Parameters of as many laws as a vector has lanes: a law with Traits::lanes has, in its NAME-inl.h, a specialization
/// with `static From(f)`, f(p) being its parameter `double L::*p` on all lanes, and an overload of
/// ApplyLaw<WrenchOfLanes>(const LawOfLanes<L>&, const GeometryOfLanes&, const MotionOfLanes&, MemoryOfLanes&).
template <class L>
struct LawOfLanes;

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

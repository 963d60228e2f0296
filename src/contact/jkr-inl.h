// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_CONTACT_JKR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_CONTACT_JKR_INL_H
#undef SCREE_CONTACT_JKR_INL_H
#else
#define SCREE_CONTACT_JKR_INL_H
#endif

#include "base/lanes-inl.h"
#include "contact/jkr.h"

HWY_BEFORE_NAMESPACE();
namespace scree::contact::HWY_NAMESPACE {
using namespace scree::HWY_NAMESPACE;

/// The text of Jkr, for one contact or for as many as a vector holds.
template <class Real>
struct JkrOf {
  Real work, radius;
  Real least_radius;  ///< a_c, m; nothing where nothing adheres

  HWY_INLINE JkrOf(Real young, Real work_of_adhesion, Real effective)
      : work(work_of_adhesion), radius(effective), least_radius{} {
    if (Any(work > 0)) least_radius = Cbrt(kPi * work * radius * radius / (8.0 * young));
  }

  HWY_INLINE Real PullOff() const { return 1.5 * kPi * work * radius; }

  /// y of a depth: the larger root of y^4 - 4 y = D by Newton's steps, which come down to it from above.
  HWY_INLINE Real Coordinate(Real depth) const {
    const Real one = 1.0 + Real{}, d = depth / (least_radius * least_radius / radius);
    auto steps = d > -3;
    Real y = 2.0 + Sqrt(Sqrt(2.0 * Greatest(Real{}, d)));
    for (int k = 0; k < 80 && Any(steps); ++k) {
      const Real y3 = y * y * y, next = y - (y * y3 - 4.0 * y - d) / (4.0 * (y3 - one));
      steps = Both(steps, Both(next < y, next >= 1));
      y = Select(steps, next, y);
    }
    return Select(d > -3, y, one);
  }
  HWY_INLINE Real ContactRadius(Real y) const { return least_radius * y * y; }
  HWY_INLINE Real Force(Real y) const {
    const Real y3 = y * y * y;
    return kPi * work * radius * (y3 / (6.0 + Real{}) - (1.0 + Real{})) * y3;
  }
  HWY_INLINE Real Energy(Real y) const {
    const Real a = least_radius, y3 = y * y * y;
    return kPi * work * a * a * y3 * y * (y3 * y3 / (15.0 + Real{}) - 2.0 * y3 / (3.0 + Real{}) + (1.0 + Real{}));
  }
};

}  // namespace scree::contact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Per-target code: included once for every instruction set by the files that end in foreach_target.
#if defined(SCREE_BASE_DOMAIN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SCREE_BASE_DOMAIN_INL_H
#undef SCREE_BASE_DOMAIN_INL_H
#else
#define SCREE_BASE_DOMAIN_INL_H
#endif

#include "base/domain.h"
#include "base/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace scree::HWY_NAMESPACE {

/// nearest_image() of the lanes, bit for bit.
HWY_INLINE Reals3 NearestImage(const Domain& domain, const Reals3& d) {
  const auto along = [&](std::size_t axis, Reals x) HWY_ATTR {
    if (!domain.periodic[axis]) return x;
    const double period = domain.period(axis), half = 0.5 * period;
    return Select(x > half, x - All(period), Select(x < -half, x + All(period), x));
  };
  return {along(0, d.x), along(1, d.y), along(2, d.z)};
}

}  // namespace scree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

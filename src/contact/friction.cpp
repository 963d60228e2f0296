#include "contact/friction.h"

#include <algorithm>
#include <cmath>

#include "contact/friction-inl.h"

namespace scree::contact {

Vec3 carried_shear(const Memory& memory, Vec3 n, const Motion& m) { return HWY_NAMESPACE::CarriedShear(memory, n, m); }

Vec3 slip_along(const Geometry& g, const Memory& memory, Vec3 velocity) {
  return HWY_NAMESPACE::SlipAlong(g, memory, velocity);
}

double normal_braked(const Geometry& g, const Motion& m, const Memory& memory, double seen) {
  return HWY_NAMESPACE::NormalBraked(g, m, memory, seen);
}

bool Traction::hold_within(double limit) { return HWY_NAMESPACE::HoldWithin(force, spin, limit); }

double part_within(const Traction& base, const Traction& extra, double limit) {
  return HWY_NAMESPACE::PartWithin(base.force, base.spin, extra.force, extra.spin, limit);
}

void add_tangential(const Geometry& g, const Motion& m, const Tangential& t, Memory& memory, Wrench& w) {
  HWY_NAMESPACE::AddTangential<true>(g, m, t, memory, w);
}

}  // namespace scree::contact

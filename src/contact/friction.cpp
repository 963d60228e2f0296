#include "contact/friction.h"

#include <algorithm>
#include <cmath>

#include "contact/friction-inl.h"

namespace scree::contact {

double normal_braked(const Geometry& g, const Motion& m, const Memory& memory, double seen) {
  return HWY_NAMESPACE::NormalBraked(g, m, memory, seen);
}

void add_tangential(const Geometry& g, const Motion& m, const Tangential& t, Memory& memory, Wrench& w) {
  HWY_NAMESPACE::AddTangential<true>(g, m, t, memory, w);
}

}  // namespace scree::contact

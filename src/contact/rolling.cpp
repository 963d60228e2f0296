#include "contact/rolling.h"

#include "contact/rolling-inl.h"

namespace scree::contact {

void Rolling::operator()(const Geometry& g, const Motion& m, double kn, double kt, Vec3 last_normal, Memory& memory,
                         Wrench& w) const {
  const Beside beside{*this, {}};
  const auto law = HWY_NAMESPACE::BesideOf<double>::From([&](auto p) { return std::invoke(p, beside); });
  HWY_NAMESPACE::AddRolling(law, g, m, kn, kt, last_normal, memory, w);
}

void Pull::operator()(const Geometry& g, Wrench& w) const { HWY_NAMESPACE::AddPull(work_of_adhesion, g, w); }

}  // namespace scree::contact

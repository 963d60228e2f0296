#include "contact/laws/linear.h"

#include "contact/laws/linear-inl.h"

namespace scree::contact {

std::span<const Parameter<Linear>> Linear::parameters() {
  using L = Linear;
  static constexpr Parameter<L> list[] = {
      {.key = "kn",
       .unit = Unit::stiffness,
       .bounds = kAboveZero,
       .fallback = kRequired,
       .what = "Linear normal stiffness: force per overlap.",
       .set = [](L& law, double k) { law.kn = k, law.kt = 2.0 / 7 * k; }},
      {"kt", Unit::stiffness, kFromZero, "2/7 kn", "Shear stiffness.", &L::kt},
      {.key = "kt_over_kn",
       .bounds = kFromZero,
       .fallback = "2/7",
       .what = "Shear stiffness over kn, instead of kt.",
       .set = [](L& law, double ratio) { law.kt = ratio * law.kn; },
       .instead_of = "kt"},
      friction_angle_of<L>(),
      friction_of<L>(),
      tension_of<L>(),
      restitution_of_impact<L>("or damping_ratio"),
      damping_ratio_of<L>("or restitution", "restitution"),
  };
  return list;
}

Dashpots Linear::dashpots(const Geometry& g) const { return HWY_NAMESPACE::DashpotsOfOne(*this, g); }

Wrench Linear::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  return HWY_NAMESPACE::ApplyLaw<true, Wrench>(HWY_NAMESPACE::OfOne(*this), g, m, memory);
}

}  // namespace scree::contact

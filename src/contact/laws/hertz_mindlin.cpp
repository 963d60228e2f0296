#include "contact/laws/hertz_mindlin.h"

#include "contact/laws/hertz_mindlin-inl.h"

namespace scree::contact {

namespace {
double compliance(double young, double poisson) { return (1 - poisson * poisson) / young; }
}  // namespace

ElasticPair elastic_pair(double young_a, double poisson_a, double young_b, double poisson_b) {
  const double shear_a = (2 - poisson_a) * 2 * (1 + poisson_a) / young_a,
               shear_b = (2 - poisson_b) * 2 * (1 + poisson_b) / young_b;
  return {1 / (compliance(young_a, poisson_a) + compliance(young_b, poisson_b)), 1 / (shear_a + shear_b)};
}

double mixed_restitution(double young_a, double poisson_a, double e_a, double young_b, double poisson_b, double e_b) {
  const double a = compliance(young_a, poisson_a), b = compliance(young_b, poisson_b);
  return std::sqrt((a * e_a * e_a + b * e_b * e_b) / (a + b));
}

double mixed_restitution(const ElasticMaterial& a, const ElasticMaterial& b) {
  const bool given = a.restitution > 0 && b.restitution > 0;
  return given ? mixed_restitution(a.young, a.poisson, a.restitution, b.young, b.poisson, b.restitution) : 0;
}

std::span<const Parameter<HertzMindlin>> HertzMindlin::parameters() {
  using L = HertzMindlin;
  static constexpr Parameter<L> list[] = {
      friction_angle_of<L>(),
      friction_of<L>(),
      tension_of<L>(),
      restitution_of_impact<L>("or damping_ratio, or mixed from the materials"),
      damping_ratio_of<L>("or restitution", "restitution"),
  };
  return list;
}

void HertzMindlin::set_materials(const ElasticMaterial& a, const ElasticMaterial& b) {
  const ElasticPair pair = elastic_pair(a.young, a.poisson, b.young, b.poisson);
  young = pair.young, shear = pair.shear;
  if (const double e = mixed_restitution(a, b); e > 0) damping_ratio = damping_ratio_for(e, tension);
}

Dashpots HertzMindlin::dashpots(const Geometry& g) const { return HWY_NAMESPACE::DashpotsOfOne(*this, g); }

Wrench HertzMindlin::operator()(const Geometry& g, const Motion& m, Memory& memory) const {
  return HWY_NAMESPACE::ApplyLaw<true, Wrench>(HWY_NAMESPACE::OfOne(*this), g, m, memory);
}

}  // namespace scree::contact

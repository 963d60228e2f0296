#include "bond/parallel_bond.h"

#include "particles/streams.h"

namespace scree::bond {

Stiffness stiffness_of(const ParallelBond& law, double length, double radius) {
  const double a = area(radius), i = second_moment(radius), j = 2 * i;
  switch (law.given) {
    case ParallelBond::Stiffness::per_area:
      return {law.kn * a, law.ks * a, law.ks * j, law.kn * i};
    case ParallelBond::Stiffness::modulus: {
      const double kn = law.modulus / length, ks = kn / law.ratio;
      return {kn * a, ks * a, ks * j, kn * i};
    }
    case ParallelBond::Stiffness::beam: {
      const double e = law.modulus, g = e / (2 * (1 + law.poisson));
      const double kappa = 6 * (1 + law.poisson) / (7 + 6 * law.poisson);  // Cowper 1966, circle
      const double shear = 1 / (length * length * length / (12 * e * i) + length / (kappa * g * a));
      return {e * a / length, shear, g * j / length, e * i / length};
    }
  }
  return {};
}

double strength_factor(const ParallelBond& law, std::uint64_t seed, std::uint32_t id_a, std::uint32_t id_b) {
  if (law.weibull_modulus <= 0) return 1;
  Random draw = draws(seed, Stream::bond_strength, id_a, id_b);
  const double m = law.weibull_modulus, u = draw.uniform() + 0x1.0p-54;  // never 0: no bond without strength
  return std::pow(-std::log1p(-u), 1 / m) / std::tgamma(1 + 1 / m);
}

}  // namespace scree::bond

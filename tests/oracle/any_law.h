#pragma once
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "contact/laws.h"

/// Laws drawn by their parameter lists alone: a new law is tested by standing in contact/laws.h.
namespace scree::oracle {

/// What a user could give law L, to be made in any units.
template <class L>
struct GivenLaw {
  std::vector<std::pair<const contact::Parameter<L>*, double>> values;
  contact::ElasticMaterial a, b;
  double smallest_mass = 1;

  double of(std::string_view key, double otherwise) const {
    for (const auto& [p, value] : values)
      if (p->key == key) return value;
    return otherwise;
  }
  void set(std::string_view key, double value) {
    for (auto& [p, v] : values)
      if (p->key == key) v = value;
  }
  /// No dashpots.
  void undamp() { set("damping_ratio", 0), set("damping.ratio", 0), set("restitution", 1); }
  /// With the units of mass, length and time a kg, b m and c s.
  L make(double kg = 1, double m = 1, double s = 1) const {
    L law;
    const auto apply = [&] {
      for (const auto& [p, value] : values) {
        const contact::Powers by = contact::powers_of(p->unit, of("exponent", 1));
        p->apply(law, value * std::pow(kg, by.mass) * std::pow(m, by.length) * std::pow(s, by.time));
      }
    };
    apply();
    if constexpr (contact::ElasticLaw<L>) {
      const double pressure = kg / (m * s * s);
      law.set_materials({a.young * pressure, a.poisson, a.restitution}, {b.young * pressure, b.poisson, b.restitution});
      apply();  // as the reader does: what is given goes before what the materials say
    }
    law.prepare(smallest_mass * kg);
    return law;
  }
};

/// Every parameter within its bounds; of those that stand for each other one, by chance. Stiffnesses of a law are of
/// one order.
template <class L>
GivenLaw<L> any_law(Random& u) {
  using contact::Unit;
  GivenLaw<L> g;
  const double stiff = std::pow(10, u.uniform(2, 7));
  const auto draw = [&](const contact::Parameter<L>& p) {
    const double low = std::max(p.bounds.low, 0.0), high = std::min(p.bounds.high, low + 1.5);
    switch (p.unit) {
      case Unit::stiffness:
        return stiff * u.uniform(0.1, 1.5);
      case Unit::power_stiffness:
        return u.below(2) ? 0 : std::pow(10, u.uniform(3, 8));
      case Unit::pressure:
        return std::pow(10, u.uniform(5, 11));
      case Unit::angle:
        return u.uniform(0, 1.4);
      case Unit::speed:
        return std::pow(10, u.uniform(-4, -1));
      case Unit::word:
        return static_cast<double>(u.below(p.words.size()));
      case Unit::map:
        return 0.0;
      case Unit::one:
        break;
    }
    return low + (high - low) * u.uniform(0.01, 0.99);
  };
  for (const contact::Parameter<L>& p : L::parameters()) {
    if (!p.instead_of.empty()) {
      if (u.below(2)) continue;
      std::erase_if(g.values, [&](const auto& v) { return v.first->key == p.instead_of; });
    }
    g.values.emplace_back(&p, draw(p));
  }
  for (contact::ElasticMaterial* m : {&g.a, &g.b})
    *m = {std::pow(10, u.uniform(5, 11)), u.uniform(-0.5, 0.49), u.below(2) ? 0 : u.uniform(0.05, 1)};
  g.smallest_mass = std::pow(10, u.uniform(-4, 1));
  if constexpr (contact::CheckedLaw<L>) {
    // Springs that need not be there are left out at times.
    for (auto& [p, value] : g.values) {
      if (p->unit != Unit::stiffness || p->bounds.above || u.below(4) != 0) continue;
      const double was = std::exchange(value, 0);
      if (!g.make().fault().empty()) value = was;
    }
  }
  return g;
}

}  // namespace scree::oracle

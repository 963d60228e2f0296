#pragma once
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "contact/laws/bloks3d.h"
#include "contact/laws/energy_polyhedral.h"
#include "contact/laws/hertz_coulomb.h"
#include "contact/laws/hertz_mindlin.h"
#include "contact/laws/linear.h"

namespace scree {

template <contact::ContactLaw... L>
struct LawList {
  using Variant = std::variant<L...>;
  using Columns = std::tuple<std::vector<L>...>;  ///< one for each kind of law
  /// f.template operator()<L>() for each.
  template <class F>
  static void for_each(F&& f) {
    (f.template operator()<L>(), ...);
  }
};

/// All contact laws; a new one is added at the end, for checkpoints and hashes know them by their place.
using Laws =
    LawList<contact::Bloks3d, contact::Linear, contact::HertzMindlin, contact::EnergyPolyhedral, contact::HertzCoulomb>;
using Law = Laws::Variant;
using LawColumns = Laws::Columns;

inline contact::Traits traits_of(const Law& law) {
  return std::visit([]<class L>(const L&) { return L::kTraits; }, law);
}
inline std::string_view name_of(const Law& law) {
  return std::visit([]<class L>(const L&) { return L::kName; }, law);
}
/// m, see contact::ContactLaw.
inline double parting_depth(const Law& law, double radius) {
  return std::visit([&](const auto& l) { return l.parting_depth(radius); }, law);
}

}  // namespace scree

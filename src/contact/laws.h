#pragma once
#include <tuple>
#include <variant>
#include <vector>

#include "contact/laws/bloks3d.h"
#include "contact/laws/energy_polyhedral.h"
#include "contact/laws/hertz_mindlin.h"
#include "contact/laws/linear.h"

namespace scree {

/// One alternative per contact law; adding a law adds its header and one name here.
using Law = std::variant<contact::Bloks3d, contact::Linear, contact::HertzMindlin, contact::EnergyPolyhedral>;

/// A column for each kind of law: TablesOf<Law>.
template <class Variant>
struct ColumnsOf;
template <class... L>
struct ColumnsOf<std::variant<L...>> {
  using type = std::tuple<std::vector<L>...>;
};
using LawColumns = ColumnsOf<Law>::type;

}  // namespace scree

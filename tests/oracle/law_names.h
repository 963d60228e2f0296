#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "contact/laws.h"

namespace scree::oracle {

/// "bloks3d, linear, ...": of all laws, or of those that take a parameter.
inline std::string law_names(std::string_view key = {}) {
  std::string names;
  Laws::for_each([&]<class L>() {
    const auto& list = L::parameters();
    if (!key.empty() && std::none_of(list.begin(), list.end(), [&](const auto& p) { return p.key == key; })) return;
    names += (names.empty() ? "" : ", ") + std::string(L::kName);
  });
  return names;
}

}  // namespace scree::oracle

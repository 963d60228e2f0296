#pragma once
#include <string>
#include <vector>

#include "contact/laws.h"

namespace scree::io {

/// Names of the contact laws, in the order of their list; only of those that need the materials' elasticity.
inline std::vector<std::string> law_words(bool elastic_only = false) {
  std::vector<std::string> words;
  Laws::for_each([&]<class L>() {
    if (!elastic_only || L::kTraits.elastic) words.emplace_back(L::kName);
  });
  return words;
}

}  // namespace scree::io

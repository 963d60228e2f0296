#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/case.h"

namespace scree::io {

/// Hashes of the parts of a case that decide the future of a run that stands in `stage`. Not among them: title, output,
/// the ends of the running and later stages, and what later stages change; all of these may be edited before a run is
/// resumed.
struct CasePart {
  std::string name;  ///< "materials"
  std::uint64_t hash = 0;
  friend bool operator==(const CasePart&, const CasePart&) = default;
};
std::vector<CasePart> case_parts(const Case& c, std::uint64_t stage);

/// Hash of a case's text with its overrides, for run.json.
std::uint64_t case_hash(const Case& c);

}  // namespace scree::io

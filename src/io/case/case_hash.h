#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/simulation.h"

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

/// Those of all stages with their ends, the shapes that they name, and the text: two that agree in them make the same
/// run, and the same files of it.
std::vector<CasePart> all_parts(const Case& c, const ShapeSource& shapes);

/// The names of those that only one has or that are not the same: "walls, particles"; empty: there are none.
std::string differences(const std::vector<CasePart>& a, const std::vector<CasePart>& b);

std::uint64_t shapes_hash(std::span<const std::shared_ptr<const Shape>> shapes);

/// Hash of a case's text with its overrides, for run.json.
std::uint64_t case_hash(const Case& c);

}  // namespace scree::io

#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "geometry/polyhedron.h"

namespace scree::app {

/// One piece of the contact search, timed as the step runs it.
struct KernelRow {
  std::string kernel, shape;
  double ns = 0;     ///< per pair
  double asked = 0;  ///< ns, what the project set itself; 0: nothing
};

std::vector<KernelRow> measure_kernels(const std::vector<std::shared_ptr<const Shape>>& shapes, int turns);
void print_kernels(const std::vector<KernelRow>& rows);
nlohmann::ordered_json kernels_json(const std::vector<KernelRow>& rows);

}  // namespace scree::app

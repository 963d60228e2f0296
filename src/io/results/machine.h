#pragma once
#include <nlohmann/json.hpp>

namespace scree::io {

/// The machine in words: cpu, cores, system, kernel, architecture. Names no person, no host and no path.
nlohmann::ordered_json machine_json();

}  // namespace scree::io

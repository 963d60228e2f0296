#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace scree::app {

/// What every bench says first of itself: name, machine, version and commit, whether --quick, and no rows yet.
nlohmann::ordered_json json_head(const std::string& bench, bool quick);

/// Writes a bench's record, each row of its tables on a line of its own; nothing if no file is named.
/// Returns the exit code; a file that cannot be written is told of on stderr.
int write_record(const std::string& file, const nlohmann::ordered_json& record);

/// s, of all threads of this process.
double cpu_seconds();

}  // namespace scree::app

#pragma once
#include <filesystem>
#include <optional>

namespace scree::app {

/// `scree view --live`: serves the page of a results folder to this machine's browsers until a signal ends it. `port`:
/// absent, one that is free. Returns the exit code.
int serve_live(const std::filesystem::path& results, std::optional<int> port);

}  // namespace scree::app

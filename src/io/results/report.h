#pragma once
#include <filesystem>

#include "base/result.h"

namespace scree::io {

/// Makes DIR/report.html, one self-contained page, from what a results folder holds (run.json, series.csv, frames/,
/// case.yaml). Works on an unfinished run too. Returns the page's path.
Result<std::filesystem::path> write_report(const std::filesystem::path& results);

}  // namespace scree::io

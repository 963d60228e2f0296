#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace scree::io {

struct ReportPage {
  std::filesystem::path file;
  std::vector<std::string> missing;  ///< sentences: what the folder lacks or what of it could not be read
};
/// Makes one self-contained page, `to` or else DIR/report.html, from what a results folder holds (run.json, series.csv,
/// frames/, case.yaml). Works on an unfinished run too.
Result<ReportPage> write_report(const std::filesystem::path& results, const std::filesystem::path& to = {});

}  // namespace scree::io

#pragma once
#include <string_view>

namespace scree::io {

/// The page as viewer/ bundles it, with kReportTitle and kReportData where a run's own parts go in. Empty in a binary
/// that was configured with SCREE_VIEWER=OFF. Generated (cmake/viewer.cmake).
std::string_view report_template();

inline constexpr std::string_view kReportTitle = "<!--scree-title-->";
inline constexpr std::string_view kReportData = "<!--scree-data-->";

}  // namespace scree::io

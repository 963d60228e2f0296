#pragma once
#include <string_view>

namespace scree::io {

/// The page as viewer/ bundles it, with kReportTitle and kReportData where a run's own parts go in. Empty in a binary
/// that was configured with SCREE_VIEWER=OFF. Generated (cmake/viewer.cmake).
std::string_view report_template();

inline constexpr std::string_view kReportTitle = "<!--scree-title-->";
inline constexpr std::string_view kReportData = "<!--scree-data-->";
/// Of the page's policy: what a live page replaces, which asks its own server.
inline constexpr std::string_view kReportConnect = "connect-src 'none'";

/// The error of a binary whose template is empty.
inline constexpr std::string_view kNoReportPage =
    "this binary was built without the report page (SCREE_VIEWER=OFF): configure it with npm at hand and "
    "-DSCREE_VIEWER=ON";

}  // namespace scree::io

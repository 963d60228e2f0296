#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>

namespace scree::io {

/// Of seconds: "1:02:03", "4:05", "12 s".
inline std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds > 1e9) return "over 30 years";
  const auto s = static_cast<long>(std::lround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace scree::io

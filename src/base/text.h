#pragma once
#include <cstdio>
#include <string>

namespace scree {

/// A number as sentences have it: four digits.
inline std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", v);
  return text;
}

}  // namespace scree

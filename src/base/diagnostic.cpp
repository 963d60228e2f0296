#include "base/diagnostic.h"

#include <algorithm>

namespace scree {

std::string format(const Diagnostic& d) {
  std::string s = d.file;
  if (d.line > 0) s += ":" + std::to_string(d.line) + ":" + std::to_string(d.column);
  if (!s.empty()) s += ": ";
  if (d.severity == Diagnostic::Severity::warning) s += "warning: ";
  if (!d.key.empty()) s += d.key + ": ";
  return s + d.message;
}

bool has_errors(const std::vector<Diagnostic>& list) {
  return std::any_of(list.begin(), list.end(),
                     [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
}

}  // namespace scree

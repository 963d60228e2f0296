#pragma once
#include <string>
#include <vector>

namespace scree {

/// One remark about an input file. Lines and columns count from 1; 0 means "the file as a whole".
struct Diagnostic {
  enum class Severity { error, warning };
  Severity severity = Severity::error;
  std::string file;
  int line = 0;
  int column = 0;
  std::string key;      ///< path of the key, as in "particles[0].size"
  std::string message;  ///< what was expected, what was found, the nearest valid spelling
};

/// "case.yaml:14:13: particles[0].radius: expected a length, got 3 GPa (pressure)"
std::string format(const Diagnostic& d);
bool has_errors(const std::vector<Diagnostic>& list);

}  // namespace scree

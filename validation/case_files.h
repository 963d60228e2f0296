#pragma once
#include <string>
#include <vector>

namespace scree::validation {

/// A file of validation/cases, compiled in (cmake/embed.cmake).
struct CaseFile {
  std::string name, text;
};
const std::vector<CaseFile>& case_files();

}  // namespace scree::validation

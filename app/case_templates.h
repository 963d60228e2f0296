#pragma once
#include <span>
#include <string_view>

namespace scree::app {

/// A file of app/new as it was when the binary was built (cmake/embed.cmake); sorted by kind. Its first line is a
/// comment that says what it is.
struct CaseTemplate {
  std::string_view kind, text;
};
std::span<const CaseTemplate> case_templates();

}  // namespace scree::app

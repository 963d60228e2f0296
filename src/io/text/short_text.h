#pragma once
#include <string>
#include <string_view>

namespace scree::io {

/// What a message repeats of a user's text: 60 characters at most.
inline std::string short_text(std::string_view s) {
  return s.size() <= 60 ? std::string(s) : std::string(s.substr(0, 57)) + "...";
}

}  // namespace scree::io

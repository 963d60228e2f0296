#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace scree::io {

/// Text with what no terminal should see replaced.
inline std::string plain(std::string_view text) {
  std::string s(text);
  std::replace_if(
      s.begin(), s.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }, '?');
  return s;
}

/// What a message repeats of a user's text: plain, 60 bytes at most, no UTF-8 character cut.
inline std::string short_text(std::string_view s) {
  if (s.size() <= 60) return plain(s);
  std::size_t cut = 57;
  while (cut > 0 && (s[cut] & 0xC0) == 0x80) --cut;
  return plain(s.substr(0, cut)) + "...";
}

}  // namespace scree::io

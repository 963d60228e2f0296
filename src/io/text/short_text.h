#pragma once
#include <string>
#include <string_view>

namespace scree::io {

/// Text with what no terminal should see replaced: control characters, also those beyond ASCII (U+0080 to U+009F),
/// which are two bytes of UTF-8.
inline std::string plain(std::string_view text) {
  std::string s(text);
  for (std::size_t k = 0; k < s.size(); ++k) {
    const auto c = static_cast<unsigned char>(s[k]);
    if (c < 0x20 || c == 0x7F) s[k] = '?';
    if (c == 0xC2 && k + 1 < s.size() && (s[k + 1] & 0xE0) == 0x80) s[k] = '?', s[k + 1] = '?';
  }
  return s;
}

/// What a message repeats of a user's text: plain, so many bytes at most, no UTF-8 character cut.
inline std::string short_text(std::string_view s, std::size_t most = 60) {
  if (s.size() <= most) return plain(s);
  std::size_t cut = most - 3;
  while (cut > 0 && (s[cut] & 0xC0) == 0x80) --cut;
  return plain(s.substr(0, cut)) + "...";
}

inline std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

}  // namespace scree::io

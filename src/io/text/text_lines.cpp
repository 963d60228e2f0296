#include "io/text/text_lines.h"

#include <fmt/format.h>

namespace scree::io {

std::string shown(std::string_view word) {
  std::string out(word.substr(0, 24));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
  return word.size() > 24 ? out + "..." : out;
}

std::optional<std::string_view> TextLines::next(std::string_view line) {
  ++number_;
  if (number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.find('\0') != std::string_view::npos) return complain(1, "a zero byte: this is no text file"), std::nullopt;
  if (line.size() > kLongestLine)
    return complain(1, fmt::format("longer than {} characters", kLongestLine)), std::nullopt;
  return line.substr(0, line.find('#'));
}

void TextLines::whole_file(const std::string& why) {
  diagnostics_.push_back({Diagnostic::Severity::error, name_, 0, 0, "", why});
}

void TextLines::complain(int column, const std::string& why) {
  diagnostics_.push_back({Diagnostic::Severity::error, name_, static_cast<int>(number_), column, "", why});
}

bool TextLines::keep_on() {
  if (diagnostics_.size() < kMostMistakes) return true;
  whole_file(fmt::format("{} mistakes; the lines after {} were not read", kMostMistakes, number_));
  return false;
}

}  // namespace scree::io

#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace scree::io {

inline constexpr std::size_t kMostMistakes = 20;
inline constexpr std::size_t kLongestLine = 4096;

/// Shortened, and with what no terminal should see replaced.
std::string shown(std::string_view word);

/// The lines of a text file of columns, one after the other, and the mistakes in them.
class TextLines {
 public:
  explicit TextLines(std::string name) : name_(std::move(name)) {}

  /// The next line without a byte order mark and comment; nothing: no text, no use in reading on.
  std::optional<std::string_view> next(std::string_view line);
  void whole_file(const std::string& why);
  /// In the present line; `column` counts from 1.
  void complain(int column, const std::string& why);
  /// Complains, and says that there is no use in reading on.
  bool give_up(const std::string& why) { return complain(1, why), false; }
  /// Whether there are few enough mistakes to read on.
  bool keep_on();

  bool is_clean() const { return diagnostics_.empty(); }
  std::vector<Diagnostic> take() { return std::move(diagnostics_); }

 private:
  std::string name_;
  std::size_t number_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

/// Hands over the lines of `text` as long as `line` returns true.
template <class Line>
void for_each_line(std::string_view text, Line&& line) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) == std::string_view::npos ? text.size() : text.find('\n', begin);
    if (!line(text.substr(begin, end - begin))) return;
    begin = end + 1;
  }
}

}  // namespace scree::io

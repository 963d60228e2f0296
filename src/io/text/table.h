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

/// How a line parts into words.
struct Separators {
  std::string_view blanks = " \t\r";  ///< any number of them
  std::string_view marks = "";        ///< at most one between two words, beside blanks
  bool keeps_units = false;           ///< "r [mm]" is one word
  bool cells = false;                 ///< between marks stands one cell, also an empty one; none parts a "quoted, one"
};

/// The words of one line; they point into it.
class Words {
 public:
  /// False: a mark has no word beside it, or a cell's quote no end, at `stray`.
  bool split(std::string_view line, const Separators& at);
  std::size_t size() const { return words_.size(); }
  bool empty() const { return words_.empty(); }
  /// Empty beyond the last.
  std::string_view operator[](std::size_t k) const { return k < words_.size() ? words_[k] : std::string_view(); }
  auto begin() const { return words_.begin(); }
  auto end() const { return words_.end(); }
  /// Where the word stands, from 1; beyond the last: behind the line.
  int column(std::size_t k) const;
  int stray = 0;  ///< column, from 1

 private:
  bool split_cells(const Separators& by);

  std::string_view line_;
  std::vector<std::string_view> words_;
};

/// The text of a cell: within quotes, each of its own written twice (RFC 4180).
std::string unquoted(std::string_view cell);

/// A word as a decimal number, all of it; a sign + may stand before. Hexadecimal digits are no number.
struct TableNumber {
  enum class Problem { none, text, beyond, not_finite } problem = Problem::none;
  double value = 0;  ///< beyond the range of a double: 0 or infinite; nan and inf are themselves
  explicit operator bool() const { return problem == Problem::none; }
  /// "a number", "a finite number", "a number that a double can hold": what was expected in its place.
  const char* expected() const;
};
TableNumber table_number(std::string_view word);
/// A count or an index; nothing: it is none, or none of 64 bits.
std::optional<std::size_t> table_integer(std::string_view word);

/// The lines of a text file of columns, one after the other, and the mistakes in them. Every reader of numbers in text
/// tables goes through these words and lines.
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
  /// "NAME:3:7: WHY" of the present line, for readers that end at their first mistake.
  std::string at(int column, const std::string& why) const;
  const std::string& name() const { return name_; }
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

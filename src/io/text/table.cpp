#include "io/text/table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace scree::io {

std::string shown(std::string_view word) {
  std::string out(word.substr(0, 24));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
  return word.size() > 24 ? out + "..." : out;
}

bool Words::split(std::string_view line, const Separators& by) {
  line_ = line, words_.clear(), stray = 0;
  if (by.cells) return split_cells(by);
  const auto is_blank = [&](char c) { return by.blanks.find(c) != std::string_view::npos; };
  const auto is_mark = [&](char c) { return by.marks.find(c) != std::string_view::npos; };
  std::size_t mark = 0;  // its column, where no word has followed it yet
  for (std::size_t at = 0;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at < line.size() && is_mark(line[at])) {
      if (mark > 0 || words_.empty()) return stray = static_cast<int>(at) + 1, false;
      mark = ++at;
      continue;
    }
    if (at == line.size()) return mark > 0 ? (stray = static_cast<int>(mark), false) : true;
    const std::size_t begin = at;
    int depth = 0;
    while (at < line.size() && (depth > 0 || (!is_blank(line[at]) && !is_mark(line[at])))) {
      if (by.keeps_units) depth += line[at] == '[' ? 1 : (line[at] == ']' ? -1 : 0);
      ++at;
    }
    if (by.keeps_units && line[begin] == '[' && !words_.empty() && mark == 0) {
      const auto word = static_cast<std::size_t>(words_.back().data() - line.data());
      words_.back() = line.substr(word, at - word);
    } else {
      words_.push_back(line.substr(begin, at - begin));
    }
    mark = 0;
  }
}

bool Words::split_cells(const Separators& by) {
  std::size_t begin = 0, quote = 0;  // the column of the quote that is open
  for (std::size_t at = 0; at <= line_.size(); ++at) {
    if (at < line_.size() && line_[at] == '"') quote = quote > 0 ? 0 : at + 1;
    if (at < line_.size() && (quote > 0 || by.marks.find(line_[at]) == std::string_view::npos)) continue;
    std::size_t end = at;
    while (begin < end && by.blanks.find(line_[begin]) != std::string_view::npos) ++begin;
    while (begin < end && by.blanks.find(line_[end - 1]) != std::string_view::npos) --end;
    words_.push_back(line_.substr(begin, end - begin));
    begin = at + 1;
  }
  return stray = static_cast<int>(quote), quote == 0;
}

std::string unquoted(std::string_view cell) {
  if (!cell.starts_with('"')) return std::string(cell);
  std::string text;
  for (std::size_t k = 1; k < cell.size(); ++k) {
    if (cell[k] != '"')
      text += cell[k];
    else if (k + 1 < cell.size() && cell[k + 1] == '"')
      text += cell[k++];
  }
  return text;
}

int Words::column(std::size_t k) const {
  return static_cast<int>(k < words_.size() ? words_[k].data() - line_.data()
                                            : static_cast<std::ptrdiff_t>(line_.size())) +
         1;
}

const char* TableNumber::expected() const {
  return problem == Problem::beyond ? "a number that a double can hold"
                                    : (problem == Problem::not_finite ? "a finite number" : "a number");
}

TableNumber table_number(std::string_view word) {
  using Problem = TableNumber::Problem;
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  TableNumber n;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), n.value);
  const bool is_whole = !digits.empty() && end == digits.data() + digits.size();
  if (is_whole && problem == std::errc::result_out_of_range) {
    n.problem = Problem::beyond, n.value = std::strtod(std::string(digits).c_str(), nullptr);
  } else if (!is_whole || problem != std::errc{}) {
    n.problem = Problem::text;
  } else if (!std::isfinite(n.value)) {
    n.problem = Problem::not_finite;
  }
  return n;
}

std::optional<std::size_t> table_integer(std::string_view word) {
  std::size_t n = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), n);
  if (word.empty() || problem != std::errc() || end != word.data() + word.size()) return {};
  return n;
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

std::string TextLines::at(int column, const std::string& why) const {
  return fmt::format("{}:{}:{}: {}", name_, number_, column, why);
}

bool TextLines::keep_on() {
  if (diagnostics_.size() < kMostMistakes) return true;
  whole_file(fmt::format("{} mistakes; the lines after {} were not read", kMostMistakes, number_));
  return false;
}

}  // namespace scree::io

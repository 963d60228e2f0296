#include "app/bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace scree::app {

void Table::print() const {
  std::vector<std::size_t> width(rows_[0].size(), 2);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < rows_[r].size(); ++c)
      c == 0 ? fmt::print("| {:<{}} |", rows_[r][c], width[c]) : fmt::print(" {:>{}} |", rows_[r][c], width[c]);
    fmt::print("\n");
    for (std::size_t c = 0; r == 0 && c < rows_[0].size(); ++c)
      c == 0 ? fmt::print("|{:-<{}}|", "", width[c] + 2) : fmt::print("{:-<{}}:|", "", width[c] + 1);
    if (r == 0) fmt::print("\n");
  }
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

std::string short_number(double x) { return x == 0 ? "0" : fmt::format("{:.1e}", x); }

std::string percent(double share) {
  const double p = 100 * share;
  return p == 0     ? "0"
         : p >= 10  ? fmt::format("{:.0f} %", p)
         : p >= 0.1 ? fmt::format("{:.1f} %", p)
                    : fmt::format("{:.2f} %", p);
}

}  // namespace scree::app

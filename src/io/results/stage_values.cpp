#include "io/results/stage_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "io/text/table.h"

namespace scree::io {

namespace {

constexpr Separators kCells{.blanks = "\r", .marks = ",", .cells = true};

void take(StageValue& s, double v) {
  s.smallest = s.instants == 0 ? v : std::min(s.smallest, v);
  s.largest = s.instants == 0 ? v : std::max(s.largest, v);
  s.last = v;
  ++s.instants;
  s.mean += (v - s.mean) / static_cast<double>(s.instants);
}

}  // namespace

std::vector<std::size_t> columns_meant(std::string_view name, std::span<const std::string> columns) {
  std::vector<std::size_t> whole, begun;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string_view column = without_unit(columns[k]);
    if (column == name) whole.push_back(k);
    if (column.size() > name.size() && column.starts_with(name) && column[name.size()] == ' ') begun.push_back(k);
  }
  return whole.empty() && !name.empty() ? begun : whole;
}

Result<std::vector<std::vector<StageValue>>> stage_values(const std::filesystem::path& file,
                                                          std::span<const StageWish> wishes) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return Error{file.string() + " cannot be read"};
  Words row;
  std::vector<std::string> columns;
  // Not TextLines: their lines end at 4096 bytes, a series has as many columns as the case has walls.
  row.split(line, kCells);
  for (const std::string_view name : row) columns.push_back(unquoted(name));
  if (columns.size() < 2 || columns[0] != "time [s]" || columns[1] != "step")
    return Error{file.string() + " is no series.csv: it does not begin with time [s] and step"};

  std::vector<std::vector<std::size_t>> places(wishes.size());
  std::vector<std::vector<StageValue>> values(wishes.size());
  for (std::size_t w = 0; w < wishes.size(); ++w) {
    for (const std::string& name : wishes[w].names)
      for (const std::size_t k : columns_meant(name, columns))
        if (std::find(places[w].begin(), places[w].end(), k) == places[w].end()) places[w].push_back(k);
    for (const std::size_t k : places[w]) values[w].push_back({columns[k]});
  }
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    const bool is_whole = row.split(line, kCells);
    const auto wrong = [&](int column, const std::string& why) {
      return Error{fmt::format("{}:{}:{}: {}", file.string(), number, column, why)};
    };
    if (!is_whole) return wrong(row.stray, "a quote has no end");
    if (row.size() != columns.size())
      return wrong(1, fmt::format("{} cells, expected {} as in the header", row.size(), columns.size()));
    const TableNumber step = table_number(row[1]);
    if (!step)
      return wrong(row.column(1), fmt::format("expected {}, the step, got {}", step.expected(), shown(row[1])));
    for (std::size_t w = 0; w < wishes.size(); ++w) {
      if (step.value <= static_cast<double>(wishes[w].begin) || step.value > static_cast<double>(wishes[w].end))
        continue;
      for (std::size_t i = 0; i < places[w].size(); ++i)
        if (const TableNumber v = table_number(row[places[w][i]])) take(values[w][i], v.value);
    }
  }
  if (in.bad()) return Error{file.string() + " cannot be read"};
  return values;
}

}  // namespace scree::io

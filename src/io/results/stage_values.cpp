#include "io/results/stage_values.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include "io/text/table.h"

namespace scree::io {

namespace {

/// The cells of a line of CSV; quotes as in RFC 4180.
std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      out.back() += c, ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

std::optional<double> value(const std::string& cell) {
  const TableNumber n = table_number(cell);
  return n ? std::optional(n.value) : std::nullopt;
}

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
  const std::vector<std::string> columns = cells(line);
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
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    const std::optional<double> step = row.size() == columns.size() ? value(row[1]) : std::nullopt;
    if (!step) return Error{file.string() + " holds a row that is none: " + line};
    for (std::size_t w = 0; w < wishes.size(); ++w) {
      if (*step <= static_cast<double>(wishes[w].begin) || *step > static_cast<double>(wishes[w].end)) continue;
      for (std::size_t i = 0; i < places[w].size(); ++i)
        if (const std::optional<double> v = value(row[places[w][i]])) take(values[w][i], *v);
    }
  }
  if (in.bad()) return Error{file.string() + " cannot be read"};
  return values;
}

}  // namespace scree::io

#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace scree::io {

/// A column of series.csv over the output instants of a stage, in the column's unit.
struct StageValue {
  std::string column;          ///< with its unit
  std::uint64_t instants = 0;  ///< with a value; 0: the numbers below mean nothing
  double mean = 0, smallest = 0, largest = 0, last = 0;
};

/// What a stage asks for.
struct StageWish {
  std::uint64_t begin = 0, end = 0;  ///< steps; instants after begin, up to and with end
  std::vector<std::string> names;    ///< as columns_meant() reads them
};

/// Which of the columns `name` means: the one of this name without its unit, else all that begin with its words
/// ("force upper": its x, y and z; a measurement's name: all of its columns). Empty: none.
std::vector<std::size_t> columns_meant(std::string_view name, std::span<const std::string> columns);

/// The name of a column without its unit.
inline std::string_view without_unit(std::string_view column) { return column.substr(0, column.find(" [")); }

/// The values of each wish, from the rows of series.csv. Errors: the file cannot be read, or is no series.csv.
Result<std::vector<std::vector<StageValue>>> stage_values(const std::filesystem::path& file,
                                                          std::span<const StageWish> wishes);

}  // namespace scree::io

#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/results/row_file.h"
#include "sim/simulation.h"

namespace scree::io {

/// Which columns a wall has: its force, and where it is a mesh or ever turns its torque, about a point of the axis or
/// its place.
struct WallColumns {
  std::string name;
  bool torque = false;
  bool driven = false;  ///< has columns for its place
};
/// Of all walls of a case, in the order in which they first appear.
std::vector<WallColumns> wall_columns(const Case& c);

/// The columns of series.csv with their units, in order: "time [s]", ..., "force floor x [N]", ..., "bed void_ratio
/// [1]".
std::vector<std::string> series_columns(const Case& c);

/// series.csv: a header with units, then one row per output instant, every number with as many digits as give it back
/// exactly. A row is written whole or not at all.
class Series {
 public:
  /// Starts a new file. The columns of wall forces are those of every wall that the case ever has; a wall that is not
  /// there (any more, or yet) leaves its cells empty, as does a measurement without a value. Errors: full disk, missing
  /// folder, lost permission.
  static Result<Series> create(const std::filesystem::path& file, const Case& c);
  /// Goes on with a file after its first `rows` rows; later ones are cut. Errors: also a file that is shorter, or of
  /// other columns.
  static Result<Series> resume(const std::filesystem::path& file, const Case& c, std::uint64_t rows);

  /// On an error the file ends with the row before.
  Status append(const Simulation& s, const Totals& t);
  std::uint64_t rows() const { return file_.rows(); }

 private:
  Series(RowFile file, const Case& c);
  /// Cells behind those of the walls: inlets, outlets, measurements.
  std::string more(const Simulation& s) const;

  RowFile file_;
  bool is_damped_;                  ///< ever
  std::vector<WallColumns> walls_;  ///< in the order of the columns
  std::size_t inlets_;              ///< of the whole case
  std::vector<Case::Measure> measures_;
};

}  // namespace scree::io

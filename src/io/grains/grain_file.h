#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/vec.h"
#include "io/text/units.h"

namespace scree::io {

/// How a table of grains is to be read.
struct GrainFileAs {
  std::string unit = "m";  ///< of lengths whose column does not name one
  /// What the columns are; "-": passed over. Empty: the header says, else x y z r. Of a run's output those that are
  /// taken; empty: all.
  std::vector<std::string> columns = {};
  bool skips_other_rows = false;  ///< rows with another number of columns are passed over
  /// How to have such rows passed over, behind the message about one.
  const char* of_other_rows = "; `other_rows: skip` passes such rows over";
  bool needs_places = true;        ///< x and y have to be there
  std::size_t most = 100'000'000;  ///< rows
  const char* what = "grains";     ///< that the rows are, for messages
  std::string of_material = {};    ///< of a run's output only: the grains of this material; empty: all
};

/// Columns in SI units; those that the file does not have are empty.
struct GrainTable {
  std::size_t rows = 0, skipped = 0;
  std::vector<Vec3> position, velocity, angular_velocity;
  std::vector<Quat> orientation;
  std::vector<double> size;  ///< m
  bool has_radius = false;   ///< size was given as a radius or a diameter, which only round grains have
  std::vector<std::string> shape;
  bool is_of_run = false;  ///< read from a frame or a checkpoint, not from a text
};

struct ReadGrains {
  GrainTable value;  ///< meaningful only when there are no diagnostics
  std::vector<Diagnostic>
      diagnostics;  ///< mistakes with their lines; after kMostMistakes (io/text/table.h) the rest goes unread
};

/// Grains of a text file, one a line: columns between blanks, tabs, commas or semicolons; '#' starts a comment, empty
/// lines do not count, lines may end in CR LF. A first line with words is a header (x, posx, "r [mm]", "Radius[m]").
/// Mistakes: unknown or doubled columns, another number of columns, what is no finite number, sizes not above 0,
/// quaternions that are no rotations, a file that is not text or not there. A file of HDF5 is taken as a frame or a
/// checkpoint of an earlier run (io/grains/saved_grains.h).
ReadGrains read_grains(const std::filesystem::path& file, const GrainFileAs& as, const Units& units);
/// The same from memory; `name` is what the messages call it.
ReadGrains parse_grains(std::string_view text, const std::string& name, const GrainFileAs& as, const Units& units);

}  // namespace scree::io

#pragma once
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "base/vec.h"

namespace scree::io {

/// Spheres of a text file.
struct Positions {
  std::vector<Vec3> x;    ///< in the file's unit of length
  std::vector<double> r;  ///< the same
};

struct ReadPositions {
  Positions value;  ///< meaningful only when `diagnostics` is empty
  std::vector<Diagnostic>
      diagnostics;  ///< mistakes with their lines; after kMostMistakes (io/text/table.h) the rest goes unread
};

/// One sphere per line, "x y z r", separated by blanks, tabs or single commas; '#' starts a comment, empty lines do not
/// count, lines may end in CR LF. Mistakes: another number of columns, text, a number that is not finite or no double,
/// a radius that is not positive; a file that is not text, or not there, or of more spheres than `most`.
ReadPositions read_positions(const std::filesystem::path& file, std::size_t most);

/// The same from memory; `name` is what the messages call it.
ReadPositions parse_positions(std::string_view text, const std::string& name, std::size_t most);

/// Writes such a file; the numbers read back to the same bits. Errors: full disk, missing folder.
Status write_positions(const std::filesystem::path& file, const Positions& spheres);

}  // namespace scree::io

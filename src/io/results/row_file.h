#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace scree::io {

/// A CSV file that grows row by row while a run lasts. Rows are written whole or not at all.
class RowFile {
 public:
  /// Starts a new file with that first line. Errors: full disk, missing folder, lost permission.
  static Result<RowFile> create(const std::filesystem::path& file, const std::string& header);
  /// Goes on with a file after its first `rows` rows; later ones are cut. Errors: also a file that is shorter, or of
  /// another header.
  static Result<RowFile> resume(const std::filesystem::path& file, const std::string& header, std::uint64_t rows);

  RowFile(RowFile&& other) noexcept;
  RowFile& operator=(RowFile&&) = delete;
  ~RowFile();

  /// `lines` end with a newline each and hold `rows` rows. On an error the file ends as it did before.
  Status append(const std::string& lines, std::uint64_t rows = 1);
  std::uint64_t rows() const { return rows_; }

 private:
  RowFile(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}
  std::filesystem::path file_;
  int descriptor_;
  std::uint64_t rows_ = 0;
};

}  // namespace scree::io

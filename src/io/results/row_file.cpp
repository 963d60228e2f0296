#include "io/results/row_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include "io/text/files.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

Error cannot(const char* what, const fs::path& file, int error_number) {
  return {std::string("cannot ") + what + " " + file.string() + ": " + reason_of(error_number)};
}

}  // namespace

Result<RowFile> RowFile::create(const fs::path& file, const std::string& header) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return cannot("write", file, errno);
  RowFile f(file, fd);
  if (Status written = f.append(header, 0); !written) return written.error();
  return f;
}

Result<RowFile> RowFile::resume(const fs::path& file, const std::string& header, std::uint64_t rows) {
  Result<std::vector<std::byte>> bytes = read_file(file);
  if (!bytes) return bytes.error();
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  if (!text.starts_with(header)) return Error{file.string() + " has other columns than this case gives"};
  std::size_t end = header.size();
  for (std::uint64_t k = 0; k < rows; ++k) {
    const std::size_t line_end = text.find('\n', end);
    if (line_end == std::string_view::npos)
      return Error{fmt::format("{} has fewer than the {} rows that the checkpoint knows of", file.string(), rows)};
    end = line_end + 1;
  }
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return cannot("write", file, errno);
  RowFile f(file, fd);
  f.rows_ = rows;
  if (::ftruncate(fd, static_cast<off_t>(end)) != 0 || ::lseek(fd, 0, SEEK_END) < 0) return cannot("cut", file, errno);
  return f;
}

RowFile::RowFile(RowFile&& o) noexcept
    : file_(std::move(o.file_)), descriptor_(std::exchange(o.descriptor_, -1)), rows_(o.rows_) {}

RowFile::~RowFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status RowFile::append(const std::string& lines, std::uint64_t rows) {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  if (before >= 0 && write_fully(descriptor_, std::as_bytes(std::span(lines)))) {
    rows_ += rows;
    return ok();
  }
  const int error_number = errno;
  if (before >= 0 && ::ftruncate(descriptor_, before) != 0) {
    // A torn last row stays; resume() cuts it.
  }
  return cannot("write", file_, error_number);
}

}  // namespace scree::io

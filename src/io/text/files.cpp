#include "io/text/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/text/short_text.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

/// Closes on every way out; close() is called by hand where its error matters.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int close() {
    const int r = ::close(fd);
    fd = -1;
    return r;
  }
};

Error cannot(const char* what, const fs::path& path, int error_number) {
  const std::string name = error_number == ENAMETOOLONG ? short_text(path.string()) : path.string();
  return {std::string("cannot ") + what + " " + name + ": " + reason_of(error_number)};
}

/// The rename is durable only when the folder's entry is; file systems that cannot flush a folder are left alone.
void flush_folder_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  Descriptor d{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (d.fd >= 0) ::fsync(d.fd);
}

}  // namespace

std::string reason_of(int error_number) {
  std::string text = std::system_category().message(error_number);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  switch (error_number) {
    case ENOSPC:
      return text + " (the disk is full)";
    case EDQUOT:
      return text + " (your share of the disk is used up)";
    case EFBIG:
      return text + " (a limit on the size of files, see ulimit -f)";
    default:
      return text;
  }
}

Status make_folder(const fs::path& folder) {
  std::error_code e;
  fs::create_directories(folder, e);
  if (e) return cannot("make the folder", folder, e.value());
  if (!fs::is_directory(folder, e)) return cannot("make the folder", folder, ENOTDIR);
  return ok();
}

bool write_fully(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) {
      errno = ENOSPC;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

Status write_file(const fs::path& file, std::span<const std::byte> bytes, Durability durability) {
  fs::path aside = file;
  aside += ".part";
  Descriptor d{::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (d.fd < 0) return cannot("write", file, errno);
  auto give_up = [&](int error_number) {
    ::unlink(aside.c_str());
    return cannot("write", file, error_number);
  };
  if (!write_fully(d.fd, bytes)) return give_up(errno);
  const bool flush = durability == Durability::flushed;
  if (flush && ::fsync(d.fd) != 0 && errno != EINVAL && errno != EROFS) return give_up(errno);
  if (d.close() != 0) return give_up(errno);
  if (::rename(aside.c_str(), file.c_str()) != 0) return give_up(errno);
  if (flush) flush_folder_of(file);
  return ok();
}

Status write_file(const fs::path& file, std::string_view text, Durability durability) {
  return write_file(file, std::as_bytes(std::span(text)), durability);
}

Status flush_file_system(const fs::path& folder) {
  Descriptor d{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (d.fd < 0 || (::syncfs(d.fd) != 0 && errno != EROFS)) return cannot("flush", folder, errno);
  return ok();
}

Result<std::vector<std::byte>> read_file(const fs::path& file, std::size_t limit) {
  // O_NONBLOCK: a pipe in the file's place must not hang us; it has no meaning for regular files.
  Descriptor d{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (d.fd < 0) return cannot("read", file, errno);
  struct stat info {};
  if (::fstat(d.fd, &info) != 0) return cannot("read", file, errno);
  if (!S_ISREG(info.st_mode)) {
    return Error{"cannot read " + file.string() + ": " +
                 (S_ISDIR(info.st_mode) ? "it is a folder" : "it is no regular file")};
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > limit)
    return Error{"cannot read " + file.string() + ": it is larger than " + std::to_string(limit) + " bytes"};
  std::vector<std::byte> bytes;
  try {
    bytes.resize(size);
  } catch (const std::exception&) {
    return cannot("read", file, ENOMEM);
  }
  std::size_t at = 0;
  while (at < size) {
    const ssize_t n = ::read(d.fd, bytes.data() + at, size - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("read", file, errno);
    if (n == 0) break;
    at += static_cast<std::size_t>(n);
  }
  bytes.resize(at);
  return bytes;
}

Status remove_all(const fs::path& path) {
  std::error_code e;
  fs::remove_all(path, e);
  if (e) return cannot("remove", path, e.value());
  return ok();
}

}  // namespace scree::io

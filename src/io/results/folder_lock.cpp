#include "io/results/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>

#include "io/results/run_record.h"
#include "io/text/files.h"
#include "io/text/table.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

/// What the file says of its process: "PID HOST SINCE".
struct Holder {
  long pid = 0;
  std::string host, since;

  bool is_known() const { return pid > 0; }
  std::string text() const { return fmt::format("{} {} {}\n", pid, host, since); }
  std::string sentence(const fs::path& file) const {
    const std::string folder = file.parent_path().string();
    if (!is_known()) return "another process writes into " + folder;
    return fmt::format("process {} on {} has been writing into {} since {}", pid, host, folder, since);
  }
};

Holder read_holder(int descriptor) {
  std::array<char, 512> bytes{};
  const ssize_t n = ::pread(descriptor, bytes.data(), bytes.size() - 1, 0);
  Holder h;
  if (n <= 0) return h;
  std::string_view text(bytes.data(), static_cast<std::size_t>(n));
  const auto word = [&text] {
    const std::size_t end = text.find_first_of(" \n");
    const std::string_view w = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    return w;
  };
  const std::string_view pid = word();
  if (std::from_chars(pid.data(), pid.data() + pid.size(), h.pid).ec != std::errc()) h.pid = 0;
  h.host = shown(word()), h.since = shown(word());
  return h;
}

/// One that has ended, and that nobody has asked about: in a container often for ever.
bool is_zombie(long pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');  // PID (NAME) STATE ...
  return name_end != std::string::npos && text.substr(name_end + 1).starts_with(" Z");
}

/// Without locks: does the process that the file names live, as far as one can tell?
bool may_live(const Holder& h) {
  if (!h.is_known()) return false;
  if (h.host != host_name()) return true;
  if (::kill(static_cast<pid_t>(h.pid), 0) != 0) return errno == EPERM;
  return !is_zombie(h.pid);
}

/// Is the open file still the one of that name?
bool is_there(int descriptor, const fs::path& file) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(file.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

Result<FolderLock> FolderLock::take(const fs::path& folder) {
  const fs::path file = folder / kFile;
  while (true) {
    FolderLock lock(file, ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (lock.descriptor_ < 0) return Error{file.string() + ": cannot be opened: " + reason_of(errno)};
    const bool locked = ::flock(lock.descriptor_, LOCK_EX | LOCK_NB) == 0;
    const int error = locked ? 0 : errno;
    const Holder before = read_holder(lock.descriptor_);
    if (error == EWOULDBLOCK || (!locked && may_live(before))) {
      ::close(std::exchange(lock.descriptor_, -1));
      return Error{before.sentence(file) + "; wait until it has ended" +
                   (error == EWOULDBLOCK ? "" : ", or remove " + file.string() + " if it has")};
    }
    // Whoever had it may have removed the file since it was opened.
    if (locked && !is_there(lock.descriptor_, file)) {
      ::close(std::exchange(lock.descriptor_, -1));
      continue;
    }
    const std::string text = Holder{::getpid(), host_name(), timestamp()}.text();
    if (::ftruncate(lock.descriptor_, 0) != 0 || !write_fully(lock.descriptor_, std::as_bytes(std::span(text))))
      return Error{file.string() + ": cannot be written: " + reason_of(errno)};
    return lock;
  }
}

std::string FolderLock::taken_by(const fs::path& folder) {
  const int descriptor = ::open((folder / kFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const Holder holder = read_holder(descriptor);
  ::close(descriptor);
  if (!may_live(holder)) return {};
  return fmt::format("process {} on {} since {}", holder.pid, holder.host, holder.since);
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(file_, other.file_), std::swap(descriptor_, other.descriptor_);
  return *this;
}
FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  if (is_there(descriptor_, file_)) ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace scree::io

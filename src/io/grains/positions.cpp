#include "io/grains/positions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

#include "io/text/files.h"
#include "io/text/table.h"

namespace scree::io {

namespace {

constexpr std::size_t kColumns = 4;
constexpr std::array<const char*, kColumns> kNames{"x", "y", "z", "r"};

/// Takes lines one by one.
class Reader : public TextLines {
 public:
  Reader(std::string name, std::size_t most) : TextLines(std::move(name)), most_(most) {}

  /// False: no use in reading on.
  bool line(std::string_view line_as_read) {
    const std::optional<std::string_view> bare = next(line_as_read);
    if (!bare) return false;
    if (!words_.split(*bare, {.marks = ","})) {
      complain(words_.stray, "a comma with no number beside it");
      return keep_on();
    }
    const std::size_t columns = words_.size();
    if (columns == 0) return true;
    if (columns != kColumns) {
      complain(1, fmt::format("{} column{}, expected 4: x y z r", columns, columns == 1 ? "" : "s"));
      return keep_on();
    }
    std::array<double, kColumns> v{};
    for (std::size_t k = 0; k < kColumns; ++k) {
      const TableNumber n = table_number(words_[k]);
      v[k] = n.value;
      if (n) continue;
      complain(words_.column(k), fmt::format("{}: expected {}, got {}", kNames[k], n.expected(), shown(words_[k])));
      return keep_on();
    }
    if (!(v[3] > 0)) {
      complain(words_.column(3), fmt::format("r: expected a radius above 0, got {}", shown(words_[3])));
      return keep_on();
    }
    if (out_.value.x.size() == most_) {
      return give_up(fmt::format("more than {} spheres, which is what this machine's memory holds", most_));
    }
    out_.value.x.push_back({v[0], v[1], v[2]}), out_.value.r.push_back(v[3]);
    return true;
  }

  ReadPositions take() {
    out_.diagnostics = TextLines::take();
    return std::move(out_);
  }

 private:
  Words words_;
  std::size_t most_;
  ReadPositions out_;
};

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

/// Lines of an open file, however long it is; a line that grows past the limit ends it.
void read_lines(int fd, Reader& reader) {
  std::string buffer(1 << 20, '\0');
  std::size_t kept = 0;  // of an unfinished line, at the front of the buffer
  while (true) {
    const ssize_t got = ::read(fd, buffer.data() + kept, buffer.size() - kept);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return reader.whole_file("cannot be read: " + reason_of(errno));
    const std::string_view all(buffer.data(), kept + static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = all.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
      if (!reader.line(all.substr(begin, end - begin))) return;
    }
    const std::string_view rest = all.substr(begin);
    if (got == 0 || rest.size() > kLongestLine) {
      if (!rest.empty()) reader.line(rest);
      return;
    }
    kept = rest.size();
    std::memmove(buffer.data(), rest.data(), kept);
  }
}

}  // namespace

ReadPositions read_positions(const std::filesystem::path& file, std::size_t most) {
  Reader reader(file.string(), most);
  // O_NONBLOCK: a pipe in the file's place must not hang us.
  const Descriptor d{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info {};
  if (d.fd < 0 || ::fstat(d.fd, &info) != 0) {
    reader.whole_file("cannot be read: " + reason_of(errno));
  } else if (!S_ISREG(info.st_mode)) {
    reader.whole_file(S_ISDIR(info.st_mode) ? "is a folder" : "is no regular file");
  } else {
    read_lines(d.fd, reader);
  }
  return reader.take();
}

ReadPositions parse_positions(std::string_view text, const std::string& name, std::size_t most) {
  Reader reader(name, most);
  for_each_line(text, [&](std::string_view line) { return reader.line(line); });
  return reader.take();
}

Status write_positions(const std::filesystem::path& file, const Positions& spheres) {
  std::string text = "# x y z r\n";
  for (std::size_t i = 0; i < spheres.x.size(); ++i) {
    const Vec3 p = spheres.x[i];
    fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", p.x, p.y, p.z, spheres.r[i]);
  }
  return write_file(file, text, Durability::buffered);
}

}  // namespace scree::io

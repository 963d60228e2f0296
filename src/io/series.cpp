#include "io/series.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "io/files.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

Error cannot(const char* what, const fs::path& file, int error_number) {
  return {std::string("cannot ") + what + " " + file.string() + ": " + reason_of(error_number)};
}

/// A cell as RFC 4180 wants it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c == '\n' || c == '\r' ? ' ' : c;
  }
  return quoted + '"';
}

std::string header(const std::vector<std::string>& walls) {
  std::string line =
      "time [s],step,particles,kinetic_translation [J],kinetic_rotation [J],potential [J],elastic [J],"
      "momentum_x [kg m/s],momentum_y [kg m/s],momentum_z [kg m/s],"
      "angular_momentum_x [kg m^2/s],angular_momentum_y [kg m^2/s],angular_momentum_z [kg m^2/s],"
      "max_speed [m/s],max_overlap [1],candidate_pairs,contacts,contact_points,sliding";
  for (const std::string& w : walls) {
    for (const char* axis : {"x", "y", "z"}) line += "," + cell(fmt::format("force {} {} [N]", w, axis));
  }
  return line + "\n";
}

std::string row(const Simulation& s, const Totals& t, const std::vector<std::string>& walls) {
  // fmt's shortest form reads back to the same double.
  std::string line =
      fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", s.time, s.step, s.particles.size_rows(),
                  t.kinetic_translation, t.kinetic_rotation, t.potential, t.elastic, t.momentum.x, t.momentum.y,
                  t.momentum.z, t.angular_momentum.x, t.angular_momentum.y, t.angular_momentum.z, t.max_speed,
                  t.max_overlap, t.candidate_pairs, t.contacts, t.contact_points, t.sliding);
  for (const std::string& name : walls) {
    const auto w = std::find_if(s.walls.begin(), s.walls.end(), [&](const PlaneWall& p) { return p.name == name; });
    line += w == s.walls.end() ? ",,," : fmt::format(",{},{},{}", w->force.x, w->force.y, w->force.z);
  }
  return line + "\n";
}

}  // namespace

std::vector<std::string> wall_names(const Case& c) {
  std::vector<std::string> names;
  auto add = [&](const std::vector<Case::Plane>& planes) {
    for (const Case::Plane& p : planes) {
      if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
    }
  };
  add(c.walls);
  for (const Case::Stage& stage : c.stages) add(stage.add);
  return names;
}

Result<Series> Series::create(const fs::path& file, const Case& c) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return cannot("write", file, errno);
  Series s(file, fd, wall_names(c));
  if (Status written = s.append_line(header(s.walls_)); !written) return written.error();
  return s;
}

Result<Series> Series::resume(const fs::path& file, const Case& c, std::uint64_t rows) {
  Result<std::vector<std::byte>> bytes = read_file(file);
  if (!bytes) return bytes.error();
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const std::string expected = header(wall_names(c));
  if (!text.starts_with(expected)) return Error{file.string() + " has other columns than this case gives"};
  std::size_t end = expected.size();
  for (std::uint64_t k = 0; k < rows; ++k) {
    const std::size_t line_end = text.find('\n', end);
    if (line_end == std::string_view::npos)
      return Error{fmt::format("{} has fewer than the {} rows that the checkpoint knows of", file.string(), rows)};
    end = line_end + 1;
  }
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return cannot("write", file, errno);
  Series s(file, fd, wall_names(c));
  s.rows_ = rows;
  if (::ftruncate(fd, static_cast<off_t>(end)) != 0 || ::lseek(fd, 0, SEEK_END) < 0) return cannot("cut", file, errno);
  return s;
}

Series::Series(Series&& o) noexcept
    : file_(std::move(o.file_)),
      descriptor_(std::exchange(o.descriptor_, -1)),
      walls_(std::move(o.walls_)),
      rows_(o.rows_) {}

Series::~Series() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status Series::append_line(const std::string& line) {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  if (before >= 0 && write_fully(descriptor_, std::as_bytes(std::span(line)))) return ok();
  const int error_number = errno;
  if (before >= 0 && ::ftruncate(descriptor_, before) != 0) {
    // A torn last row stays; resume() cuts it.
  }
  return cannot("write", file_, error_number);
}

Status Series::append(const Simulation& s, const Totals& t) {
  Status written = append_line(row(s, t, walls_));
  if (written) ++rows_;
  return written;
}

}  // namespace scree::io

#include "io/mesh/wall_mesh.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "geometry/thinned_surface.h"
#include "io/mesh/mesh.h"
#include "io/text/files.h"
#include "io/text/table.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxPathBytes = std::size_t{64} << 20;
constexpr double kMostOfExtent = 0.05;  // to which simplifying keeps what it is
constexpr double kLargest = 1e12;       // m; beyond, squares and cubes of lengths lose their range

std::string point_in_metres(Vec3 v) { return fmt::format("({:.4g}, {:.4g}, {:.4g}) m", v.x, v.y, v.z); }

/// What tells front from back, and whether it can be told.
void remark_on_sides(const Surface& s, const Repairs& done, bool front_only, std::vector<std::string>& remarks) {
  const Defects d = find_defects(s);
  if (!d.orientable)
    remarks.push_back("is a one-sided surface, like a Moebius strip: front and back cannot be told apart on all of it");
  if (!front_only) return;
  if (done.turned > 0)
    remarks.push_back(
        fmt::format("{} of its triangles ran against their neighbours and were turned; with sides: front "
                    "see that grains are on the right side, or take sides: both",
                    done.turned));
  if (d.open_edges > 0) {
    remarks.push_back(
        fmt::format("is open: {} edges have a triangle on one side only, the first from {} to {}; with "
                    "sides: front grains that come round them are not held back. Close it, or take sides: both",
                    d.open_edges, point_in_metres(d.open_edge[0]), point_in_metres(d.open_edge[1])));
  } else if (d.volume < 0) {
    remarks.push_back(
        "is closed and inside out: with sides: front it keeps grains inside and lets them in from outside. "
        "Turn its normals if it is a solid, or take sides: both");
  }
}

}  // namespace

Result<WallMesh> read_wall_mesh(const fs::path& file, double scale, bool front_only, std::optional<double> simplify) {
  Result<Surface> surface = read_mesh(file);
  if (!surface) return surface.error();
  const double drawn = extent(*surface);
  if (!(drawn > 0)) return Error{file.string() + ": all its corners are in one place"};
  for (Vec3& v : surface->vertices) {
    v *= scale;
    if (!is_finite(v) || !(norm(v) < kLargest))
      return Error{fmt::format("{}: {:.4g} units across at {:.4g} m each is too large; check the scale", file.string(),
                               drawn, scale)};
  }
  if (!(drawn * scale > 1 / kLargest))
    return Error{fmt::format("{}: {:.4g} units across at {:.4g} m each is too small; check the scale", file.string(),
                             drawn, scale)};
  WallMesh mesh;
  const Repairs done = repair(*surface, kCoplanarTolerance, Turn::as_neighbours);
  if (surface->triangles.empty()) return Error{file.string() + ": no triangle has an area"};
  remark_on_sides(*surface, done, front_only, mesh.remarks);
  mesh.drawn_triangles = surface->triangles.size();
  if (simplify) {
    if (*simplify > kMostOfExtent * drawn * scale)
      mesh.remarks.push_back(
          fmt::format("is {:.4g} m across, of which simplify: {:.4g} m leaves little", drawn * scale, *simplify));
    surface = thinned_surface(*surface, *simplify);
    if (surface->triangles.size() == mesh.drawn_triangles)
      mesh.remarks.push_back(
          fmt::format("has no fewer triangles with simplify: {:.4g} m: none stay so near, or an edge has more than two",
                      *simplify));
  }
  mesh.facets = std::make_shared<const FacetMesh>(std::move(*surface));
  if (mesh.facets->size() == 0) return Error{file.string() + ": no triangle has an area"};
  return mesh;
}

Result<std::vector<boundary::Motion::Row>> read_path(const fs::path& file) {
  const auto bytes = read_file(file, kMaxPathBytes);
  if (!bytes) return bytes.error();
  return motion_rows({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file.string());
}

Result<std::vector<boundary::Motion::Row>> motion_rows(std::string_view text, const std::string& name) {
  std::vector<boundary::Motion::Row> rows;
  TextLines lines(name);
  Words words;
  std::size_t columns = 0;
  bool named = false;
  std::string wrong;
  for_each_line(text, [&](std::string_view as_read) {
    const std::optional<std::string_view> line = lines.next(as_read);
    if (!line) return false;
    words.split(*line, {.blanks = " \t\r,;"});
    const std::size_t n = words.size();
    std::array<double, 5> v{};
    const auto fail = [&](int column, const std::string& why) { return wrong = lines.at(column, why), false; };
    for (std::size_t k = 0; k < n; ++k) {
      const TableNumber number = table_number(words[k]);
      if (k < v.size()) v[k] = number.value;
      if (number) continue;
      if (!rows.empty() || named)
        return fail(words.column(k), "expected numbers time, x, y, z or time, x, y, z, angle, got " + shown(words[k]));
      return named = true;
    }
    if (n == 0) return true;
    if (n != 4 && n != 5) return fail(1, fmt::format("{} columns, expected 4 (time, x, y, z) or 5 (and an angle)", n));
    if (columns != 0 && n != columns) return fail(1, fmt::format("{} columns, the rows before have {}", n, columns));
    columns = n;
    if (!rows.empty() && !(v[0] > rows.back().time)) return fail(words.column(0), "the time does not rise");
    rows.push_back({v[0], {v[1], v[2], v[3]}, v[4]});
    return true;
  });
  if (!wrong.empty()) return Error{wrong};
  if (const std::vector<Diagnostic> no_text = lines.take(); !no_text.empty()) return Error{format(no_text[0])};
  if (rows.size() < 2) return Error{name + ": expected at least two rows time, x, y, z"};
  const boundary::Motion::Row first = rows.front();
  for (auto& r : rows) r.shift -= first.shift, r.angle -= first.angle;
  return rows;
}

}  // namespace scree::io

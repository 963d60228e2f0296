#include "io/grains/saved_grains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

#include "io/library/library.h"
#include "io/results/checkpoint_frame.h"
#include "io/results/frame.h"
#include "io/results/hdf5_file.h"
#include "io/text/nearest.h"
#include "io/text/table.h"

namespace scree::io {

namespace {

constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
// Of the shape's size: far above the rounding of another machine's hull and principal axes, far below any contact.
constexpr double kSameShape = 1e-9;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Result<Frame> frame_of(std::vector<std::byte> bytes) {
  const std::string name = "the file";  // messages stand behind its path
  Result<hdf5::Reader> r = hdf5::Reader::open(std::move(bytes), name);
  if (!r) return Error{r.error().message + readable_grain_files()};
  if (r->has_attribute("/", "scree_frame")) return read_frame(*r, name);
  if (r->has_attribute("/", "scree_checkpoint")) return frame_of_checkpoint(*r, name);
  return Error{"the file is neither a frame nor a checkpoint" + readable_grain_files()};
}

/// How far the corners of two shapes lie from each other, as a share of the larger one; nothing: they have other ones.
std::optional<double> distance(const ShapeRow& a, const ShapeRow& b) {
  if (a.vertices.size() != b.vertices.size() || a.parts.size() != b.parts.size() || (a.radius > 0) != (b.radius > 0))
    return {};
  double reach = std::max(a.radius, b.radius), apart = std::abs(a.radius - b.radius);
  for (std::size_t k = 0; k < a.vertices.size(); ++k) {
    reach = std::max(reach, norm(a.vertices[k]));
    apart = std::max(apart, norm(a.vertices[k] - b.vertices[k]));
  }
  double share = reach > 0 ? apart / reach : 0;
  for (std::size_t k = 0; k < a.parts.size(); ++k) {
    const std::optional<double> of_part = distance(a.parts[k], b.parts[k]);
    if (!of_part) return {};
    const double far = norm(a.parts[k].centre) + norm(b.parts[k].centre),
                 shift = norm(a.parts[k].centre - b.parts[k].centre);
    share = std::max({share, *of_part, far > 0 ? shift / far : 0});
  }
  return share;
}

/// A grain's pose and mass hang on its shape: under that name the library must have the one of the earlier run.
Status is_in_library(const ShapeRow& of_file) {
  if (!is_shape_name(of_file.name)) return Error{"it names a shape " + shown(of_file.name)};
  const Result<std::shared_ptr<const Shape>> ours = load_shape(of_file.name);
  if (!ours)
    return Error{fmt::format("it has grains of the shape {}, which cannot be had from the library: {}", of_file.name,
                             ours.error().message)};
  const std::optional<double> apart = distance(of_file, shape_row(**ours));
  if (apart && *apart <= kSameShape) return ok();
  return Error{fmt::format(
      "its shape {} is not the one that the library has now ({}); give the library the earlier one, or a case other "
      "shapes by leaving `shape` out of `columns`",
      of_file.name,
      apart ? fmt::format("corners lie {:.2g} of its radius apart", *apart) : "corners or parts differ in number")};
}

/// Rows of the material asked for; all where none was.
Result<std::vector<std::uint32_t>> rows_of(const Frame& f, const GrainFileAs& as) {
  std::vector<std::uint32_t> rows;
  std::optional<std::size_t> material;
  if (!as.of_material.empty()) {
    if (f.materials.empty())
      return Error{"it is of an earlier version of scree, which did not name the materials (of_material)"};
    const auto at = std::find(f.materials.begin(), f.materials.end(), as.of_material);
    if (at == f.materials.end())
      return Error{fmt::format("it has no material {}{}; there is {}", shown(as.of_material),
                               did_you_mean(as.of_material, f.materials), fmt::join(f.materials, ", "))};
    material = static_cast<std::size_t>(at - f.materials.begin());
  }
  for (std::uint32_t i = 0; i < f.id.size(); ++i)
    if (!material || f.material[i] == *material) rows.push_back(i);
  if (rows.empty()) return Error{fmt::format("there are no {} in it{}", as.what, material ? " of this material" : "")};
  if (rows.size() > as.most) return Error{fmt::format("more than {} {}", as.most, as.what)};
  return rows;
}

const char* spoiled(const Frame& f, std::uint32_t i) {
  if (!is_finite(f.position[i])) return "a position is no finite number";
  if (!is_finite(f.velocity[i]) || !is_finite(f.angular_velocity[i])) return "a velocity is no finite number";
  if (!(f.size[i] > 0) || !std::isfinite(f.size[i])) return "a size is not above 0";
  if (!(std::abs(std::sqrt(norm2(f.orientation[i])) - 1) <= 1e-6)) return "an orientation is no unit quaternion";
  return nullptr;
}

}  // namespace

GrainFileKind kind_of_grain_file(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 512));
  if (head.starts_with(kHdf5)) return GrainFileKind::run_output;
  if (head.starts_with("# vtk DataFile") || head.find("<VTKFile") != std::string_view::npos)
    return GrainFileKind::other;
  const std::string ending = std::filesystem::path(name).extension().string();
  const bool is_named_so = is_one_of(ending, {".vtkhdf", ".h5", ".hdf", ".hdf5"});
  return is_named_so ? GrainFileKind::other : GrainFileKind::text;
}

std::string readable_grain_files() {
  return "; what can be read is a frame of a run (frames/*.vtkhdf), a checkpoint (checkpoint/*.h5) or a text table";
}

Result<GrainTable> saved_grains(std::vector<std::byte> bytes, const GrainFileAs& as) {
  const Result<Frame> read = frame_of(std::move(bytes));
  if (!read) return read.error();
  const Frame& f = *read;
  const Result<std::vector<std::uint32_t>> rows = rows_of(f, as);
  if (!rows) return rows.error();
  std::vector<char> is_taken(f.id.size(), 0), is_used(f.shapes.size(), 0);
  for (const std::uint32_t i : *rows) {
    if (const char* why = spoiled(f, i)) return Error{fmt::format("{} (grain {})", why, f.id[i])};
    is_taken[i] = is_used[f.shape[i]] = 1;
  }
  GrainTable t;
  t.is_of_run = true, t.rows = rows->size();
  for (const std::uint32_t i : *rows) t.size.push_back(f.size[i]);
  if (!as.needs_places) return t;

  const std::ptrdiff_t bonds = std::count_if(f.bond_rows.begin(), f.bond_rows.end(), [&](const auto& ends) {
    return is_taken[ends[0]] != 0 || is_taken[ends[1]] != 0;
  });
  if (bonds > 0)
    return Error{
        fmt::format("{} bonds hold its grains together, and a case cannot take bonds over; the same run goes "
                    "on with --resume",
                    bonds)};
  const bool takes_shapes =
      as.columns.empty() || std::find(as.columns.begin(), as.columns.end(), "shape") != as.columns.end();
  for (std::size_t k = 0; takes_shapes && k < f.shapes.size(); ++k) {
    if (is_used[k] == 0) continue;
    if (Status same = is_in_library(f.shapes[k]); !same) return same.error();
  }
  for (const std::uint32_t i : *rows) {
    t.position.push_back(f.position[i]), t.velocity.push_back(f.velocity[i]);
    t.angular_velocity.push_back(f.angular_velocity[i]);
    // What a run has written is of unit length to rounding, and keeps its bits.
    const bool is_unit = std::abs(norm2(f.orientation[i]) - 1) < 1e-12;
    t.orientation.push_back(is_unit ? f.orientation[i] : normalized(f.orientation[i]));
    t.shape.push_back(f.shapes[f.shape[i]].name);
  }
  return t;
}

}  // namespace scree::io

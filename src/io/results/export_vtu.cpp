#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "io/results/export.h"
#include "io/results/report_encode.h"
#include "io/results/vtk_cells.h"
#include "io/results/vtk_grid.h"
#include "sim/row_order.h"

namespace scree::io {

namespace {

static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Quat) == 4 * sizeof(double));

/// What a row of a column is to VTK: so many of a scalar.
template <class T>
struct Layout {
  using Scalar = T;
};
template <>
struct Layout<Vec3> {
  using Scalar = double;
};
template <>
struct Layout<Quat> {
  using Scalar = double;
};
template <class T, std::size_t n>
struct Layout<std::array<T, n>> {
  using Scalar = T;
};

template <class T>
std::string type_name() {
  const char* const kind = std::is_floating_point_v<T> ? "Float" : std::is_signed_v<T> ? "Int" : "UInt";
  return kind + std::to_string(8 * sizeof(T));
}

/// The data behind the number of its bytes.
template <class T>
std::string packed(const std::vector<T>& column) {
  const std::uint64_t bytes = column.size() * sizeof(T);
  std::string block(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  if (bytes > 0) block.append(reinterpret_cast<const char*>(column.data()), bytes);
  return base64(block);
}

template <class T>
void add_array(std::string& text, std::string_view name, const std::vector<T>& column, std::string_view more = "") {
  using Scalar = typename Layout<T>::Scalar;
  text += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"binary\">",
                      type_name<Scalar>(), name, sizeof(T) / sizeof(Scalar), more);
  text += packed(column);
  text += "</DataArray>\n";
}

/// Strings are codes of characters with a 0 behind each.
void add_strings(std::string& text, std::string_view name, const std::vector<std::string>& strings) {
  text +=
      fmt::format("<Array type=\"String\" Name=\"{}\" NumberOfTuples=\"{}\" format=\"ascii\">", name, strings.size());
  for (const std::string& s : strings) {
    for (const char c : s) text += fmt::format("{} ", static_cast<int>(static_cast<unsigned char>(c)));
    text += "0 ";
  }
  text += "</Array>\n";
}

/// The faces of polyhedra as VTU has them: of each cell the number of its faces, then for each face the number of its
/// corners and their points. `ends`: where each cell's end, -1 for those that have none.
struct Faces {
  std::vector<std::int64_t> faces, ends;
};

constexpr std::uint8_t kPolyhedron = 42;

/// Every convex point set of the grid becomes a polyhedron.
Faces make_polyhedra(const Frame& f, VtkGrid& g) {
  Faces out;
  std::size_t cell = 0;
  const auto add = [&](const Frame::ShapeRow& s) {
    if (g.types[cell] == kConvexPointSet) {
      const std::int64_t first = g.connectivity[static_cast<std::size_t>(g.offsets[cell])];
      out.faces.push_back(static_cast<std::int64_t>(s.faces.size()));
      for (const auto& loop : s.faces) {
        out.faces.push_back(static_cast<std::int64_t>(loop.size()));
        for (const std::uint16_t v : loop) out.faces.push_back(first + v);
      }
      g.types[cell] = kPolyhedron;
    }
    out.ends.push_back(g.types[cell] == kPolyhedron ? static_cast<std::int64_t>(out.faces.size()) : -1);
    ++cell;
  };
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const Frame::ShapeRow& whole = f.shapes[f.shape[i]];
    for (const Frame::ShapeRow& part : whole.parts) add(part);
    if (whole.parts.empty()) add(whole);
  }
  return out;
}

/// A file with these cells and what `cell_data` and `field_data` add.
template <class CellData, class FieldData>
std::string vtu_file(const VtkGrid& g, const Faces& faces, CellData&& cell_data, FieldData&& field_data) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n";
  field_data(text);
  text += fmt::format("</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n", g.points.size(),
                      g.types.size());
  add_array(text, "Points", g.points);
  text += "</Points>\n<Cells>\n";
  add_array(text, "connectivity", g.connectivity);
  add_array(text, "offsets", std::vector<std::int64_t>(g.offsets.begin() + 1, g.offsets.end()));
  add_array(text, "types", g.types);
  if (!faces.faces.empty()) add_array(text, "faces", faces.faces), add_array(text, "faceoffsets", faces.ends);
  text += "</Cells>\n<PointData>\n";
  if (!g.radius.empty()) add_array(text, "radius", g.radius);
  text += "</PointData>\n<CellData>\n";
  cell_data(text);
  return text + "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

void add_time(std::string& text, const Frame& f) {
  add_array(text, "TimeValue", std::vector<double>{f.time}, " NumberOfTuples=\"1\"");
  add_array(text, "step", std::vector<std::int64_t>{static_cast<std::int64_t>(f.step)}, " NumberOfTuples=\"1\"");
}

}  // namespace

std::string vtu_text(const Frame& f) {
  VtkGrid g = grid_of_particles(f);
  const Faces faces = make_polyhedra(f, g);
  const auto cell_data = [&](std::string& text) {
    const auto add = [&](std::string_view name, const auto& column) {
      add_array(text, name, g.rows.empty() ? column : gathered(column, g.rows));
    };
    add("id", f.id), add("shape", f.shape), add("material", f.material), add("size", f.size), add("mass", f.mass);
    add("velocity", f.velocity), add("speed", lengths(f.velocity)), add("angular_velocity", f.angular_velocity);
    add("orientation", f.orientation);
    if (!f.fragment.empty()) add("fragment", f.fragment);
  };
  return vtu_file(g, faces, cell_data, [&](std::string& text) {
    add_time(text, f);
    std::vector<std::string> shapes;
    for (const Frame::ShapeRow& s : f.shapes) shapes.push_back(s.name);
    add_strings(text, "shapes", shapes);
    if (!f.materials.empty()) add_strings(text, "materials", f.materials);
  });
}

std::string vtu_contacts_text(const Frame& f) {
  const VtkContacts c = grid_of_contacts(f);
  const auto cell_data = [&](std::string& text) {
    add_array(text, "force", c.force), add_array(text, "force_magnitude", lengths(c.force));
    add_array(text, "normal", c.normal), add_array(text, "depth", c.depth), add_array(text, "ids", c.ids);
    add_array(text, "is_wall", c.is_wall);
    if (!f.fragment.empty()) add_array(text, "is_bond", c.is_bond), add_array(text, "damage", c.damage);
  };
  return vtu_file(c.grid, {}, cell_data, [&](std::string& text) { add_time(text, f); });
}

}  // namespace scree::io

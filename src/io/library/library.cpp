#include "io/library/library.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <system_error>

#include "io/library/builtin_files.h"
#include "io/library/data_file.h"
#include "io/library/shelf.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"
#include "io/text/yaml_tree.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxShapeBytes = std::size_t{1} << 22;
constexpr std::size_t kMaxListedVertices = 10'000;
constexpr std::size_t kMaxDescription = 500;

/// Reads one data file and collects its mistakes.
class ShapeReader : DataFile {
 public:
  ShapeReader(const std::string& text, const std::string& file) : DataFile(text, file, "shape") {}

  Result<Shape> read() {
    if (!parse()) return all_mistakes();
    std::string name = read_name(), description = read_description();
    const Node *kind = root_.find("kind"), *outline = root_.find("outline");
    if (kind != nullptr) {
      check_kind(*kind);
      if (has_errors(mistakes_)) return all_mistakes();
      return kind->text == "sphere" ? make_sphere(std::move(name), std::move(description))
                                    : make_disc(std::move(name), std::move(description));
    }
    if (outline != nullptr) return read_prism(*outline, std::move(name), std::move(description));
    if (const Node* parts = root_.find("parts"); parts != nullptr)
      return read_clump(*parts, std::move(name), std::move(description));
    const std::vector<Vec3> vertices = read_vertices();
    if (has_errors(mistakes_)) return all_mistakes();
    const Node* list = root_.find("vertices");
    const Result<Polyhedron> hull = convex_hull(vertices);
    if (!hull) {
      add(*list, "vertices", hull.error().message);
      return all_mistakes();
    }
    Result<Shape> shape = make_shape(std::move(name), *hull, std::move(description));
    if (!shape) {
      add(*list, "vertices", shape.error().message);
      return all_mistakes();
    }
    return shape;
  }

 private:
  bool parse() {
    if (!parse_tree()) return false;
    if (root_.kind != Node::Kind::map) {
      add(root_, "", "expected a shape: a map with name, description and vertices, outline, parts or kind");
      return false;
    }
    check_keys(root_, "",
               {"name", "description", "vertices", "outline", "kind", "parts", "volume", "centroid", "inertia"});
    return true;
  }

  void check_keys(const Node& map, const std::string& path, const std::vector<std::string>& known) {
    for (const Node::Key& k : map.keys) {
      if (std::find(known.begin(), known.end(), k.name) != known.end() || mistakes_.size() >= kMaxDiagnostics) continue;
      mistakes_.push_back({Diagnostic::Severity::error, file_, k.line, k.column, path + k.name,
                           "unknown key" + did_you_mean(k.name, known)});
    }
  }

  std::string read_name() {
    const Node* n = root_.find("name");
    if (n == nullptr) return add(root_, "name", "missing"), std::string();
    if (n->kind != Node::Kind::scalar || !is_shape_name(n->text)) {
      add(*n, "name", "expected 1 to 64 of the characters a-z 0-9 _ -, the first a letter or digit");
    }
    return n->text;
  }

  std::string read_description() {
    const Node* n = root_.find("description");
    if (n == nullptr || n->kind == Node::Kind::nothing) return {};
    if (n->kind != Node::Kind::scalar) {
      add(*n, "description", "expected a text");
    } else if (n->text.size() > kMaxDescription) {
      add(*n, "description", fmt::format("longer than {} characters", kMaxDescription));
    }
    return n->text;
  }

  /// Of the keys that say what the shape is, exactly one may be given.
  void check_kind(const Node& kind) {
    static const std::vector<std::string> kinds = {"sphere", "disc"};
    const bool known =
        kind.kind == Node::Kind::scalar && std::find(kinds.begin(), kinds.end(), kind.text) != kinds.end();
    if (!known) {
      add(kind, "kind",
          "expected sphere or disc" +
              (kind.kind == Node::Kind::scalar ? did_you_mean(kind.text, kinds) : std::string()) +
              "; a polyhedron is given by its vertices, a polygon by its outline, a clump by its parts");
    }
    only_one({"kind", "vertices", "outline", "parts"});
  }

  void only_one(std::initializer_list<const char*> keys) {
    std::string first;
    for (const char* key : keys) {
      const Node* n = root_.find(key);
      if (n == nullptr) continue;
      if (!first.empty())
        add(*n, key, "there is " + first + " already; a shape has one of kind, vertices, outline and parts");
      first = key;
    }
  }

  Result<Shape> read_prism(const Node& list, std::string name, std::string description) {
    only_one({"outline", "vertices", "parts"});
    std::vector<Vec2> corners;
    if (list.kind != Node::Kind::list) {
      add(list, "outline", "expected a list of corners [x, y], counter-clockwise");
    } else if (list.items.size() > kMaxPolygonVertices) {
      add(list, "outline", fmt::format("{} corners; the limit is {}", list.items.size(), kMaxPolygonVertices));
    } else {
      for (std::size_t i = 0; i < list.items.size(); ++i) {
        const std::array<double, 3> x = read_numbers(list.items[i], fmt::format("outline[{}]", i), 2, "[x, y]");
        corners.push_back({x[0], x[1]});
      }
    }
    if (has_errors(mistakes_)) return all_mistakes();
    const Result<ConvexPolygon> outline = make_polygon(corners);
    if (!outline) {
      add(list, "outline", outline.error().message);
      return all_mistakes();
    }
    return make_prism(std::move(name), *outline, std::move(description));
  }

  Result<Shape> read_clump(const Node& list, std::string name, std::string description) {
    only_one({"parts", "vertices"});
    std::vector<DrawnPart> parts;
    if (list.kind != Node::Kind::list || list.items.empty()) {
      add(list, "parts", "expected a list of parts: {centre: [x, y, z], radius: r} or {vertices: [[x, y, z], ...]}");
    } else if (list.items.size() > kMaxParts) {
      add(list, "parts", fmt::format("{} parts; the limit is {}", list.items.size(), kMaxParts));
    } else {
      for (std::size_t i = 0; i < list.items.size(); ++i) read_part(list.items[i], fmt::format("parts[{}]", i), parts);
    }
    const std::optional<MassProperties> given = read_mass_properties();
    if (has_errors(mistakes_)) return all_mistakes();
    Result<Shape> shape = make_clump(std::move(name), parts, given, std::move(description));
    if (shape) return shape;
    add(list, "parts", shape.error().message);
    return all_mistakes();
  }

  void read_part(const Node& part, const std::string& path, std::vector<DrawnPart>& parts) {
    if (part.kind != Node::Kind::map)
      return add(part, path, "expected {centre: [x, y, z], radius: r} or {vertices: [[x, y, z], ...]}");
    check_keys(part, path + ".", {"centre", "radius", "vertices"});
    const Node *centre = part.find("centre"), *radius = part.find("radius"), *list = part.find("vertices");
    if (list != nullptr) {
      if (centre != nullptr || radius != nullptr)
        return add(part, path, "expected either centre and radius, or vertices");
      const std::size_t before = mistakes_.size();
      const std::vector<Vec3> vertices = read_points(*list, path + ".vertices");
      if (mistakes_.size() > before) return;
      Result<Polyhedron> hull = convex_hull(vertices);
      if (!hull) return add(*list, path + ".vertices", hull.error().message);
      if (hull->vertices.size() < vertices.size())
        return add(*list, path + ".vertices",
                   fmt::format("{} of its {} points are no corners of their convex hull; a part has to be convex, so "
                               "cut this one up or leave them out",
                               vertices.size() - hull->vertices.size(), vertices.size()));
      parts.emplace_back(std::move(*hull));
      return;
    }
    if (centre == nullptr) return add(part, path, "centre is missing");
    if (radius == nullptr) return add(part, path, "radius is missing");
    const std::array<double, 3> x = read_numbers(*centre, path + ".centre", 3, "[x, y, z]");
    const double r = read_number(*radius, path + ".radius").value_or(1);
    if (!(r > 0)) return add(*radius, path + ".radius", "expected a radius above 0");
    parts.emplace_back(Ball{{x[0], x[1], x[2]}, r});
  }

  /// Of the whole, where the file gives them.
  std::optional<MassProperties> read_mass_properties() {
    const Node *volume = root_.find("volume"), *centroid = root_.find("centroid"), *inertia = root_.find("inertia");
    if (volume == nullptr && centroid == nullptr && inertia == nullptr) return {};
    if (volume == nullptr || centroid == nullptr || inertia == nullptr) {
      add(root_, volume == nullptr ? "volume" : (centroid == nullptr ? "centroid" : "inertia"),
          "missing: volume, centroid and inertia are given all together or not at all");
      return {};
    }
    MassProperties m;
    m.volume = read_number(*volume, "volume").value_or(1);
    const std::array<double, 3> c = read_numbers(*centroid, "centroid", 3, "[x, y, z]");
    m.centroid = {c[0], c[1], c[2]};
    const bool six = inertia->kind == Node::Kind::list && inertia->items.size() == 6;
    const std::array<double, 6> i =
        read_numbers<6>(*inertia, "inertia", six ? 6 : 3, "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    m.inertia = {{Vec3{i[0], i[3], i[4]}, Vec3{i[3], i[1], i[5]}, Vec3{i[4], i[5], i[2]}}};
    return m;
  }

  std::vector<Vec3> read_vertices() {
    const Node* list = root_.find("vertices");
    if (list == nullptr) return add(root_, "vertices", "missing"), std::vector<Vec3>();
    for (const char* key : {"volume", "centroid", "inertia"})
      if (const Node* n = root_.find(key)) add(*n, key, "is for shapes made of parts; a polyhedron has its own");
    return read_points(*list, "vertices");
  }

  std::vector<Vec3> read_points(const Node& list, const std::string& path) {
    std::vector<Vec3> points;
    if (list.kind != Node::Kind::list) return add(list, path, "expected a list of points [x, y, z]"), points;
    if (list.items.size() > kMaxListedVertices)
      return add(list, path, fmt::format("{} points; the limit is {}", list.items.size(), kMaxListedVertices)), points;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::array<double, 3> x = read_numbers(list.items[i], fmt::format("{}[{}]", path, i), 3, "[x, y, z]");
      points.push_back({x[0], x[1], x[2]});
    }
    return points;
  }

  template <std::size_t kMost = 3>
  std::array<double, kMost> read_numbers(const Node& point, const std::string& key, std::size_t count,
                                         const char* form) {
    std::array<double, kMost> v{};
    if (point.kind != Node::Kind::list || point.items.size() != count)
      return add(point, key, fmt::format("expected {}{}", kMost == 3 ? "a point " : "", form)), v;
    for (std::size_t k = 0; k < count; ++k) v[k] = read_number(point.items[k], key).value_or(0);
    return v;
  }

  std::optional<double> read_number(const Node& n, const std::string& key) {
    const std::optional<double> x = n.kind == Node::Kind::scalar ? number(n.text) : std::nullopt;
    if (!x)
      add(n, key,
          n.kind == Node::Kind::scalar ? fmt::format("expected a finite number, got {}", short_text(n.text))
                                       : "expected a number");
    return x;
  }

  static std::optional<double> number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
    return x;
  }
};

constexpr Shelf kShapeShelf{"shape", "shapes", "SCREE_SHAPES", builtin_shapes};

Result<Shape> read_entry(const std::string& name, const fs::path& path) {
  if (path.empty()) return parse_shape(std::string(kShapeShelf.builtin(name)->text), name + ".yaml (built in)");
  Result<Shape> shape = read_shape(path);
  if (shape && shape->name != name) {
    return Error{fmt::format("{}: the file is called {}, the shape in it '{}'", path.string(), path.filename().string(),
                             shape->name)};
  }
  return shape;
}

/// The shortest digits that read back to the same double.
std::string digits(double x) {
  char text[32];
  const auto r = std::to_chars(text, text + sizeof text, x + 0.0);
  return {text, r.ptr};
}

/// Double-quoted YAML scalar on one line.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + "\"";
}

std::string head_of(const std::string& name, const std::string& description) {
  return "name: " + quoted(name) + "\n" + (description.empty() ? "" : "description: " + quoted(description) + "\n");
}

std::string point(Vec3 v) { return "[" + digits(v.x) + ", " + digits(v.y) + ", " + digits(v.z) + "]"; }

}  // namespace

bool is_shape_name(std::string_view name) { return is_shelf_name(name); }

Result<Shape> parse_shape(const std::string& text, const std::string& file) { return ShapeReader(text, file).read(); }

Result<Shape> read_shape(const fs::path& file) {
  const auto bytes = read_file(file, kMaxShapeBytes);
  if (!bytes) return bytes.error();
  return parse_shape(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()), file.string());
}

std::vector<LibraryEntry> list_shapes() {
  std::vector<LibraryEntry> entries;
  for (const auto& [name, path] : kShapeShelf.all_files()) {
    const Result<Shape> shape = read_entry(name, path);
    entries.push_back({name, shape ? shape->description : std::string(), origin_of(path),
                       shape ? std::string() : shape.error().message, shape ? shape->kind : ShapeKind::polyhedron});
  }
  return entries;
}

Result<LibraryEntry> find_shape(const std::string& name) {
  const Result<fs::path> path = kShapeShelf.locate(name);
  if (!path) return path.error();
  const Result<Shape> shape = read_entry(name, *path);
  if (!shape) return shape.error();
  return LibraryEntry{name, shape->description, origin_of(*path), {}, shape->kind};
}

Result<std::shared_ptr<const Shape>> load_shape(const std::string& name) {
  const Result<fs::path> path = kShapeShelf.locate(name);
  if (!path) return path.error();
  Result<Shape> shape = read_entry(name, *path);
  if (!shape) return shape.error();
  return std::make_shared<const Shape>(std::move(*shape));
}

std::string format_shape(const std::string& name, const std::string& description, std::span<const Vec3> vertices) {
  std::string text = head_of(name, description) + "vertices:\n";
  for (const Vec3& v : vertices) text += "  - " + point(v) + "\n";
  return text;
}

std::string format_clump(const std::string& name, const std::string& description, std::span<const Ball> balls) {
  std::string text = head_of(name, description) + "parts:\n";
  for (const Ball& b : balls) text += "  - {centre: " + point(b.centre) + ", radius: " + digits(b.radius) + "}\n";
  return text;
}

std::string format_clump(const std::string& name, const std::string& description, std::span<const Polyhedron> bodies,
                         const MassProperties& whole) {
  std::string text = head_of(name, description) + "parts:\n";
  for (const Polyhedron& body : bodies) {
    std::string corners;
    for (const Vec3& v : body.vertices) corners += (corners.empty() ? "" : ", ") + point(v);
    text += "  - vertices: [" + corners + "]\n";
  }
  const Mat3& i = whole.inertia;
  text += "volume: " + digits(whole.volume) + "\ncentroid: " + point(whole.centroid) + "\ninertia: [";
  for (const double x : {i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2)}) text += digits(x) + ", ";
  return text + digits(i(1, 2)) + "]\n";
}

Result<fs::path> user_shape_folder() { return kShapeShelf.own_folder(); }

namespace {

Result<fs::path> save(const std::string& name, const std::string& text, bool replace) {
  if (!is_shape_name(name)) {
    return Error{
        fmt::format("'{}' is no name for a shape: 1 to 64 of the characters a-z 0-9 _ -, the first a letter or digit",
                    short_text(name))};
  }
  if (const Result<Shape> check = parse_shape(text, name + ".yaml"); !check) return check.error();
  const Result<fs::path> folder = user_shape_folder();
  if (!folder) return folder.error();
  const fs::path file = *folder / (name + ".yaml");
  std::error_code e;
  if (!replace && fs::exists(file, e))
    return Error{fmt::format("{} is there already; --force replaces it", file.string())};
  if (!replace && kShapeShelf.builtin(name) != nullptr) {
    return Error{fmt::format("'{}' is a built-in shape; --force puts yours before it", name)};
  }
  if (Status s = make_folder(*folder); !s) return s.error();
  if (Status s = write_file(file, text); !s) return s.error();
  return file;
}

}  // namespace

Result<fs::path> save_shape(const std::string& name, const std::string& description, std::span<const Vec3> vertices,
                            bool replace) {
  return save(name, format_shape(name, description, vertices), replace);
}

Result<fs::path> save_clump(const std::string& name, const std::string& description, std::span<const Ball> balls,
                            bool replace) {
  return save(name, format_clump(name, description, balls), replace);
}

Result<fs::path> save_clump(const std::string& name, const std::string& description, std::span<const Polyhedron> bodies,
                            const MassProperties& whole, bool replace) {
  return save(name, format_clump(name, description, bodies, whole), replace);
}

Result<fs::path> remove_shape(const std::string& name) {
  const Result<fs::path> path = kShapeShelf.locate(name);
  if (!path) return path.error();
  const Result<fs::path> folder = user_shape_folder();
  if (!folder) return folder.error();
  fs::path file = *folder / (name + ".yaml");
  std::error_code e;
  if (fs::is_regular_file(fs::symlink_status(file, e)) || fs::is_symlink(fs::symlink_status(file, e))) {
    fs::remove(file, e);
    if (e) return Error{fmt::format("cannot remove {}: {}", file.string(), reason_of(e.value()))};
    return file;
  }
  if (kShapeShelf.builtin(name) != nullptr && (path->empty() || path->parent_path() == kShapeShelf.shipped_folder())) {
    return Error{fmt::format("'{}' is a built-in shape; only your own, in {}, can be removed", name, folder->string())};
  }
  return Error{fmt::format("'{}' comes from {}; only your own shapes, in {}, can be removed", name, path->string(),
                           folder->string())};
}

}  // namespace scree::io

// scree contact: one pair of bodies looked into by every method of the common plane.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "io/library/library.h"
#include "io/mesh/mesh.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"
#include "io/text/table.h"
#include "io/text/units.h"
#include "narrow/inspect_pair.h"

namespace scree::app {

namespace {

using OrderedJson = nlohmann::ordered_json;
using narrow::FoundPoint;
using narrow::MethodResult;
using narrow::PairInspection;
using narrow::PosedShape;
using narrow::Strategy;
using Kind = PlaneFeature::Kind;

struct ContactOptions {
  std::string shape_a, shape_b, scale_a = "1", scale_b = "1", method = "all";
  std::optional<std::string> a, b;
  bool json = false;
};

// -- what was asked for
// ------------------------------------------------------------------------------------------------

/// A number, or one with a unit of length.
Result<double> length(const std::string& text) {
  const io::NumberPrefix n = io::number_prefix(text);
  if (n.finite && n.length > 0 && n.length == text.size()) return n.value;
  static const Result<io::Units> units = io::Units::load();
  if (!units) return units.error();
  const Result<double> si = units->to_si(text, io::dimension::length);
  return si ? si : Error{"expected a length, got " + si.error().message};
}

Result<double> plain_number(const std::string& text) {
  static const Result<io::Units> units = io::Units::load();
  if (!units) return units.error();
  const Result<double> n = units->to_si(text, io::Dimension{"number", "1", ""});
  return n ? n : Error{"expected a number, got " + n.error().message};
}

/// Largest component taken out, so that no square leaves the range.
double norm_of(Quat q) {
  const double most = std::max({std::abs(q.w), std::abs(q.x), std::abs(q.y), std::abs(q.z)});
  if (!(most > 0)) return 0;
  return most * std::sqrt(norm2(Quat{q.w / most, q.x / most, q.y / most, q.z / most}));
}

constexpr double kUnitNorm = 1e-6;

Result<Quat> orientation(const double (&q)[4]) {
  const Quat given{q[0], q[1], q[2], q[3]};
  const double norm = norm_of(given);
  if (std::abs(norm - 1) <= kUnitNorm) return normalized(given);
  std::string why = fmt::format("the quaternion {:g},{:g},{:g},{:g} has norm {:.9g}, expected 1 within 1e-6", q[0],
                                q[1], q[2], q[3], norm);
  if (norm > 1e-300 && norm < 1e300) {
    why += fmt::format("; divided by its norm it is {:.9g},{:.9g},{:.9g},{:.9g}", q[0] / norm, q[1] / norm, q[2] / norm,
                       q[3] / norm);
  }
  return Error{why};
}

/// "x,y,z,qw,qx,qy,qz" into position and orientation.
Status read_pose(const std::string& text, PosedShape* body) {
  io::Words parts;
  parts.split(text, {.marks = ",", .cells = true});
  if (parts.size() != 7)
    return Error{fmt::format("expected 7 numbers x,y,z,qw,qx,qy,qz, got {}", text.empty() ? 0 : parts.size())};
  const char* names[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  double q[4] = {};
  for (std::size_t i = 0; i < 7; ++i) {
    const Result<double> n = i < 3 ? length(std::string(parts[i])) : plain_number(std::string(parts[i]));
    if (!n) return Error{fmt::format("{}: {}", names[i], n.error().message)};
    (i < 3 ? body->position[i] : q[i - 3]) = *n;
  }
  const Result<Quat> turned = orientation(q);
  if (!turned) return turned.error();
  body->orientation = *turned;
  return ok();
}

Status read_scale(const std::string& text, PosedShape* body) {
  const Result<double> size = length(text);
  if (!size) return size.error();
  if (!(*size > 0)) return Error{fmt::format("expected a length above zero, got {:g}", *size)};
  body->size = *size;
  return ok();
}

/// A prototype of the library; a name with a dot or a slash is a file: a shape's own, or a mesh.
Result<std::shared_ptr<const Shape>> shape_called(const std::string& name) {
  if (name.empty()) return Error{"a shape without a name; `scree shape list` shows those of the library"};
  if (name.find_first_of("./") == std::string::npos) return io::load_shape(name);
  const std::filesystem::path file(name);
  const bool yaml = file.extension() == ".yaml" || file.extension() == ".yml";
  Result<Shape> shape = Error{};
  if (yaml) {
    shape = io::read_shape(file);
  } else {
    const Result<io::ImportedShape> drawn = io::import_shape(file);
    if (!drawn) return drawn.error();
    for (const std::string& note : drawn->notes) fmt::print(stderr, "note: {}: {}\n", name, note);
    shape = make_shape(file.stem().string(), drawn->body);
  }
  if (!shape) return shape.error();
  return std::make_shared<const Shape>(std::move(*shape));
}

/// The methods compared here are those between polyhedra.
Status check_is_polyhedron(const Shape& shape) {
  if (shape.kind == ShapeKind::polyhedron) return ok();
  return Error{
      fmt::format("'{}' is no polyhedron: `scree contact` compares the searches for the common plane of two "
                  "polyhedra; {}",
                  shape.name,
                  shape.kind == ShapeKind::sphere
                      ? "the contact of a sphere is the line to the closest point (docs/contact-geometry.md)"
                      : (shape.kind == ShapeKind::clump ? "a clump touches with its parts, one by one"
                                                        : "planar shapes are for two-dimensional simulations"))};
}

Result<PosedShape> body_of(const std::string& shape, const std::string& scale, const std::optional<std::string>& pose,
                           char which) {
  PosedShape body;
  const auto loaded = shape_called(shape);
  if (!loaded) return loaded.error();
  if (Status s = check_is_polyhedron(**loaded); !s) return s.error();
  body.shape = *loaded;
  if (Status s = read_scale(scale, &body); !s) return Error{fmt::format("--scale-{}: {}", which, s.error().message)};
  if (!pose) return body;
  if (Status s = read_pose(*pose, &body); !s) return Error{fmt::format("--{}: {}", which, s.error().message)};
  return body;
}

Result<std::vector<Strategy>> methods_called(const std::string& name) {
  std::vector<std::string> names = {"all"};
  std::vector<Strategy> found;
  for (const Strategy& s : narrow::strategies()) {
    names.emplace_back(s.name);
    if (name == "all" || name == s.name) found.push_back(s);
  }
  if (found.empty()) {
    return Error{fmt::format("--method: unknown method '{}'{} (known: {})", io::short_text(name),
                             io::did_you_mean(name, names), fmt::join(names, ", "))};
  }
  return found;
}

// -- names of features
// -------------------------------------------------------------------------------------------------

std::string edge_name(const Polyhedron::Edge& e) {
  return fmt::format("edge {}-{}", std::min(e.v0, e.v1), std::max(e.v0, e.v1));
}

/// What a set of vertices (ascending) is: a vertex, an edge, a face, or only these vertices.
std::string name_of(const Polyhedron& p, const std::vector<std::uint16_t>& vertices) {
  if (vertices.size() == 1) return fmt::format("vertex {}", vertices[0]);
  for (const Polyhedron::Edge& e : p.edges) {
    if (vertices == std::vector{std::min(e.v0, e.v1), std::max(e.v0, e.v1)}) return edge_name(e);
  }
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) {
    std::vector<std::uint16_t> loop(p.loop(f).begin(), p.loop(f).end());
    std::sort(loop.begin(), loop.end());
    if (vertices == loop) return fmt::format("face {}", f);
  }
  return fmt::format("vertices {}", fmt::join(vertices, " "));
}

struct KindName {
  const char* name;
  char a, b;  ///< f face, e edge, v vertex, 0: the feature does not name one
};
KindName kind_name(Kind k) {
  switch (k) {
    case Kind::face_a:
      return {"face_a", 'f', 0};
    case Kind::face_b:
      return {"face_b", 0, 'f'};
    case Kind::edge_edge:
      return {"edge_edge", 'e', 'e'};
    case Kind::vertex_vertex:
      return {"vertex_vertex", 'v', 'v'};
    case Kind::edge_a:
      return {"edge_a", 'e', 'v'};
    case Kind::edge_b:
      return {"edge_b", 'v', 'e'};
    case Kind::none:
      break;
  }
  return {"none", 0, 0};
}

/// The feature of one side where the method names it, else what touches the plane there.
std::string side(const Polyhedron& p, char kind, std::uint16_t index, const std::vector<std::uint16_t>& support) {
  if (kind == 'f') return fmt::format("face {}", index);
  if (kind == 'e') return edge_name(p.edges[index]);
  if (kind == 'v') return fmt::format("vertex {}", index);
  return name_of(p, support);
}

std::string features(const PosedShape& a, const PosedShape& b, const MethodResult& m) {
  const PlaneFeature& f = m.plane.feature;
  const KindName kind = kind_name(f.kind);
  return fmt::format("{} of A {} {} of B", side(a.shape->body, kind.a, f.a, m.support_a),
                     f.kind == Kind::edge_edge ? "x" : "-", side(b.shape->body, kind.b, f.b, m.support_b));
}

// -- for people
// --------------------------------------------------------------------------------------------------------

std::string text(Vec3 v) { return fmt::format("{:.9g} {:.9g} {:.9g}", v.x + 0.0, v.y + 0.0, v.z + 0.0); }

void print_body(char which, const PosedShape& s, const char* remark) {
  const Quat q = s.orientation;
  fmt::print("{}  {}, size {:.9g} m, at {} m, orientation {:.9g} {:.9g} {:.9g} {:.9g}{}\n", which, s.shape->name,
             s.size, text(s.position), q.w, q.x, q.y, q.z, remark);
}

void print_methods(const PosedShape& a, const PosedShape& b, const PairInspection& found) {
  fmt::print("\n{:<16} {:>17} {:>14} {:>10} {:>11} {:>8} {:>6}  {:<32} {}\n", "method", "gap (m)", "below best (m)",
             "iterations", "evaluations", "ns/call", "points", "normal", "features");
  for (const MethodResult& m : found.methods) {
    const Vec3 n = m.plane.n;
    const auto six = [](double x) { return std::abs(x) < 5e-7 ? 0.0 : x; };
    fmt::print("{:<16} {:>17.10g} {:>14.3g} {:>10} {:>11} {:>8.0f} {:>6}  {:<32} {}\n", m.name, m.plane.gap,
               m.below_best, m.iterations, m.evaluations, m.nanoseconds, m.points.size(),
               fmt::format("{:>9.6f} {:>9.6f} {:>9.6f}", six(n.x), six(n.y), six(n.z)), features(a, b, m));
  }
  fmt::print(
      "The normal points from A to B. ns/call: median of cold calls, on this machine, now. points: of the contact "
      "zone,\n"
      "as a run with this method has it at a first contact.\n");
}

bool same_points(const std::vector<FoundPoint>& a, const std::vector<FoundPoint>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const FoundPoint& p, const FoundPoint& q) {
    return p.point == q.point && p.depth == q.depth && p.normal == q.normal;
  });
}

/// One list for all methods that have the same points.
void print_points(const std::vector<MethodResult>& methods) {
  std::vector<bool> done(methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (done[i] || methods[i].points.empty()) continue;
    std::vector<std::string> names;
    for (std::size_t j = i; j < methods.size(); ++j) {
      if (done[j] || !same_points(methods[i].points, methods[j].points)) continue;
      done[j] = true, names.emplace_back(methods[j].name);
    }
    fmt::print("\nContact zone ({})\n  {:>14}  {}\n", fmt::join(names, ", "), "depth (m)", "point (m)");
    for (const FoundPoint& p : methods[i].points) fmt::print("  {:>14.9g}  {}\n", p.depth, text(p.point));
  }
}

void print_overlap(const PairInspection& found) {
  fmt::print("\nExact overlap\n");
  if (found.contact.empty()) {
    fmt::print("  none: they touch with a depth that is lost in rounding\n");
    return;
  }
  const FoundPoint& c = found.contact.front();
  const auto row = [](const char* name, const std::string& value) { fmt::print("  {:<15} {}\n", name, value); };
  row("volume", fmt::format("{:.9g} m^3", found.volume));
  row("area", fmt::format("{:.9g} m^2, of A's surface inside B, as a vector", found.area));
  row("centroid", text(found.centroid) + " m");
  row("mean depth", fmt::format("{:.9g} m", c.depth));
  row("normal", text(c.normal));
  row("force acts at", text(c.point) + " m");
  row("patch gyration", fmt::format("{:.9g} m", c.gyration));
  row("energy depth", fmt::format("{:.9g} m", c.energy_depth));
}

void print_all(const PosedShape& a, const PosedShape& b, bool placed, const PairInspection& found) {
  print_body('A', a, "");
  print_body('B', b,
             !placed          ? ""
             : found.touching ? " (above A along z, overlapping by 1 % of the thinner one; --b places it)"
                              : " (above A along z; --b places it)");
  if (found.clamped)
    fmt::print("One is so much smaller than the other, or than their distance, that it counts as a point.\n");
  const double gap = found.best.gap;
  fmt::print("They {}: best gap {:.10g} m.\n", gap < 0 ? "overlap" : gap > 0 ? "are apart" : "touch", gap + 0.0);
  print_methods(a, b, found);
  if (found.touching) {
    print_overlap(found);
  } else {
    fmt::print("\nShortest link\n  {:<15} {:.10g} m\n  {:<15} {} m\n  {:<15} {} m\n", "length", found.link, "from A at",
               text(found.nearest_a), "to B at", text(found.nearest_b));
  }
  print_points(found.methods);
}

// -- for programs
// ------------------------------------------------------------------------------------------------------

OrderedJson json_of(Vec3 v) { return {v.x, v.y, v.z}; }

OrderedJson json_of(const PosedShape& s) {
  const Quat q = s.orientation;
  return {{"shape", s.shape->name},
          {"size", s.size},
          {"position", json_of(s.position)},
          {"orientation", {q.w, q.x, q.y, q.z}}};
}

/// A face or a vertex by its number, an edge by its two vertices.
OrderedJson json_of_side(const Polyhedron& p, char kind, std::uint16_t index) {
  if (kind == 'e') return {p.edges[index].v0, p.edges[index].v1};
  return kind == 0 ? OrderedJson() : OrderedJson(index);
}

OrderedJson json_of(const PosedShape& a, const PosedShape& b, const MethodResult& m) {
  const PlaneFeature& f = m.plane.feature;
  const KindName kind = kind_name(f.kind);
  OrderedJson points = OrderedJson::array();
  for (const FoundPoint& p : m.points) points.push_back({{"point", json_of(p.point)}, {"depth", p.depth}});
  return {{"strategy", m.name},
          {"gap", m.plane.gap},
          {"below_best", m.below_best},
          {"normal", json_of(m.plane.n)},
          {"feature", kind.name},
          {"feature_a", json_of_side(a.shape->body, kind.a, f.a)},
          {"feature_b", json_of_side(b.shape->body, kind.b, f.b)},
          {"vertices_a", m.support_a},
          {"vertices_b", m.support_b},
          {"features", features(a, b, m)},
          {"iterations", m.iterations},
          {"evaluations", m.evaluations},
          {"ns", m.nanoseconds},
          {"points", points}};
}

OrderedJson json_of_overlap(const PairInspection& found) {
  if (found.contact.empty()) return {};
  const FoundPoint& c = found.contact.front();
  return {{"volume", found.volume},
          {"area", found.area},
          {"centroid", json_of(found.centroid)},
          {"mean_depth", c.depth},
          {"normal", json_of(c.normal)},
          {"point", json_of(c.point)},
          {"gyration", c.gyration},
          {"energy_depth", c.energy_depth}};
}

OrderedJson json_of(const PosedShape& a, const PosedShape& b, const PairInspection& found) {
  OrderedJson rows = OrderedJson::array();
  for (const MethodResult& m : found.methods) rows.push_back(json_of(a, b, m));
  OrderedJson link;
  if (!found.touching)
    link = {{"length", found.link}, {"a", json_of(found.nearest_a)}, {"b", json_of(found.nearest_b)}};
  return {{"a", json_of(a)},          {"b", json_of(b)}, {"touching", found.touching},        {"gap", found.best.gap},
          {"clamped", found.clamped}, {"rows", rows},    {"overlap", json_of_overlap(found)}, {"shortest_link", link}};
}

int contact(const ContactOptions& o) {
  const auto methods = methods_called(o.method);
  if (!methods) return refuse("contact", methods.error().message);
  const auto a = body_of(o.shape_a, o.scale_a, o.a, 'a');
  if (!a) return refuse("contact", a.error().message);
  auto b = body_of(o.shape_b, o.scale_b, o.b, 'b');
  if (!b) return refuse("contact", b.error().message);
  if (!o.b) b->position = narrow::position_on_top(*a, *b);
  const PairInspection found = narrow::inspect_pair(*a, *b, *methods, true);
  if (o.json) {
    fmt::print("{}\n", json_of(*a, *b, found).dump(2, ' ', false, OrderedJson::error_handler_t::replace));
  } else {
    print_all(*a, *b, !o.b, found);
  }
  return kDone;
}

}  // namespace

void add_contact(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ContactOptions>();
  CLI::App* c = app.add_subcommand(
      "contact",
      "One pair of bodies: gap, normal, features, iterations and points by every method of the common plane");
  const char* shape = "Shape of the library, or a file: NAME.yaml, STL, OBJ, PLY, OFF";
  c->add_option("SHAPE_A", o->shape_a, shape)->required();
  c->add_option("SHAPE_B", o->shape_b, shape)->required();
  c->add_option("--a", o->a, "Pose of A: centroid (m, or with units) and unit quaternion (default 0,0,0,1,0,0,0)")
      ->type_name("x,y,z,qw,qx,qy,qz");
  c->add_option("--b", o->b, "Pose of B (default: above A along z, unturned, overlapping by 1 % of the thinner one)")
      ->type_name("x,y,z,qw,qx,qy,qz");
  c->add_option("--scale-a", o->scale_a, "Size of A: factor on the shape's coordinates, m or with a unit (default 1)");
  c->add_option("--scale-b", o->scale_b, "Size of B");
  c->add_option("--method", o->method,
                "all, common_plane, fast, fast_paper, shortest_link, separating_axis, gjk or auto (default all)");
  c->add_flag("--json", o->json, "As one JSON object");
  c->footer(
      "Examples:\n  scree contact cube cube\n"
      "  scree contact grain14 needle --b \"0.3,0.2,12 mm,0.6,0.8,0,0\" --scale-a \"3 cm\" --method gjk --json");
  c->callback([o, &exit_code] { exit_code = contact(*o); });
}

}  // namespace scree::app

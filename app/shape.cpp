#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/commands.h"
#include "io/grains/grain_file.h"
#include "io/library/library.h"
#include "io/mesh/mesh.h"
#include "io/text/files.h"
#include "io/text/short_text.h"

namespace scree::app {
namespace {

/// What the disk does not take is no mistake of the input.
int refuse_writing(const Error& e) {
  return e.message.starts_with("cannot ") ? fail("shape", e.message) : refuse("shape", e.message);
}

/// The descriptive numbers of a shape at size 1.
struct Numbers {
  double longest = 0;     ///< farthest two corners
  double area = 0;        ///< of the surface
  double sphericity = 0;  ///< area of the sphere of equal volume over the area (Wadell 1932)
  double shortest_edge = 0;
  // Of polyhedra: the sides of the box along the principal axes, over each other (Zingg 1935).
  double middle_over_long = NAN, short_over_middle = NAN;
};

/// The word for a form by Zingg's two ratios, parted at two thirds.
const char* zingg_word(const Numbers& n) {
  const bool is_wide = n.middle_over_long > 2.0 / 3, is_thick = n.short_over_middle > 2.0 / 3;
  return is_wide ? (is_thick ? "equant" : "disc") : (is_thick ? "rod" : "blade");
}

/// Of a polygon: its girth for the area, and the circularity, girth of the circle of equal area over the girth.
Numbers numbers_of(const ConvexPolygon& p, double area) {
  Numbers n;
  n.shortest_edge = INFINITY;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (const Vec2 v : p.vertices) n.longest = std::max(n.longest, norm(v - p.vertices[i]));
    const double edge = norm(p.vertices[(i + 1) % p.size()] - p.vertices[i]);
    n.area += edge, n.shortest_edge = std::min(n.shortest_edge, edge);
  }
  n.sphericity = 2 * std::sqrt(M_PI * area) / n.area;
  return n;
}

const char* word_of(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::polyhedron:
      return "polyhedron";
    case ShapeKind::sphere:
      return "sphere";
    case ShapeKind::disc:
      return "disc";
    case ShapeKind::clump:
      return "clump";
    case ShapeKind::polygon:
      break;
  }
  return "polygon";
}

/// What is known without the surface of the union.
Numbers numbers_of_clump(const Shape& s) {
  Numbers n;
  n.area = n.sphericity = n.shortest_edge = NAN;
  const auto reach = [](const Shape::Part& part) { return is_round(part.shape->kind) ? 0.5 * part.size : 0; };
  const auto points = [](const Shape::Part& part) {
    std::vector<Vec3> x;
    for (const Vec3& v : part.shape->body.vertices) x.push_back(part.centre + part.size * v);
    if (x.empty()) x.push_back(part.centre);
    return x;
  };
  for (const Shape::Part& a : s.parts) {
    for (const Shape::Part& b : s.parts) {
      for (const Vec3& x : points(a))
        for (const Vec3& y : points(b)) n.longest = std::max(n.longest, norm(x - y) + reach(a) + reach(b));
    }
  }
  return n;
}

Numbers numbers_of(const Shape& s) {
  Numbers n;
  if (is_round(s.kind)) {
    n.longest = 2 * s.outer_radius(), n.area = M_PI, n.sphericity = 1;
    return n;
  }
  if (s.kind == ShapeKind::polygon) return numbers_of(s.outline, s.volume);
  if (s.kind == ShapeKind::clump) return numbers_of_clump(s);
  const Polyhedron& b = s.body;
  for (const Vec3& v : b.vertices) {
    for (const Vec3& w : b.vertices) n.longest = std::max(n.longest, norm(v - w));
  }
  for (std::size_t f = 0; f < b.face_normals.size(); ++f) {
    const auto loop = b.loop(f);
    Vec3 twice;
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      twice += cross(b.vertices[loop[i]] - b.vertices[loop[0]], b.vertices[loop[i + 1]] - b.vertices[loop[0]]);
    }
    n.area += 0.5 * norm(twice);
  }
  n.sphericity = std::cbrt(M_PI) * std::pow(6 * s.volume, 2.0 / 3.0) / n.area;
  Vec3 low = b.vertices[0], high = low;
  for (const Vec3& v : b.vertices)
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], v[k]), high[k] = std::max(high[k], v[k]);
  std::array<double, 3> side{high.x - low.x, high.y - low.y, high.z - low.z};
  std::sort(side.begin(), side.end());
  n.middle_over_long = side[1] / side[2], n.short_over_middle = side[0] / side[1];
  n.shortest_edge = n.longest;
  for (const auto& e : b.edges) n.shortest_edge = std::min(n.shortest_edge, norm(b.vertices[e.v0] - b.vertices[e.v1]));
  return n;
}

nlohmann::json json_of(const Shape& s, const std::string& origin) {
  const Numbers n = numbers_of(s);
  nlohmann::json vertices = nlohmann::json::array(), faces = nlohmann::json::array();
  for (const Vec3& v : s.body.vertices) vertices.push_back({v.x, v.y, v.z});
  for (std::size_t f = 0; f < s.body.face_normals.size(); ++f) {
    const auto loop = s.body.loop(f);
    faces.push_back(std::vector<int>(loop.begin(), loop.end()));
  }
  for (const Vec2 v : s.outline.vertices) vertices.push_back({v.x, v.y});
  nlohmann::json parts = nlohmann::json::array();
  for (const Shape::Part& part : s.parts) {
    nlohmann::json row = {{"centre", {part.centre.x, part.centre.y, part.centre.z}}};
    if (is_round(part.shape->kind)) {
      row["radius"] = 0.5 * part.size;
    } else {
      row["vertices"] = json_of(*part.shape, "")["vertices"], row["faces"] = json_of(*part.shape, "")["faces"];
    }
    parts.push_back(std::move(row));
  }
  const auto known = [](double x) { return std::isnan(x) ? nlohmann::json() : nlohmann::json(x); };
  return {
      {"name", s.name},
      {"kind", word_of(s.kind)},
      {"description", s.description},
      {"origin", origin},
      {"volume", s.volume},
      {"area", known(n.area)},
      {"sphericity", known(n.sphericity)},
      {"zingg", n.middle_over_long > 0 ? nlohmann::json{n.middle_over_long, n.short_over_middle} : nlohmann::json()},
      {"longest", n.longest},
      {"shortest_edge", known(n.shortest_edge)},
      {"inner_radius", s.inner_radius()},
      {"outer_radius", s.outer_radius()},
      {"inertia", {s.inertia.x, s.inertia.y, s.inertia.z}},
      {"edges", s.body.edges.size()},
      {"vertices", vertices},
      {"faces", faces},
      {"parts", parts}};
}

/// "4 triangles, 1 square-sided": how many faces have how many corners.
std::string face_kinds(const Polyhedron& b) {
  std::map<std::size_t, int> kinds;
  for (std::size_t f = 0; f < b.face_normals.size(); ++f) ++kinds[b.loop(f).size()];
  std::string text;
  for (const auto& [corners, n] : kinds)
    text += fmt::format("{}{} with {} corners", text.empty() ? "" : ", ", n, corners);
  return text;
}

int list_the_shapes(bool as_json) {
  nlohmann::json rows = nlohmann::json::array();
  std::string text = fmt::format("{:<16} {:>8} {:>5} {:>8} {:>10} {:>12}  {}\n", "name", "vertices", "faces", "volume",
                                 "sphericity", "inner/outer", "description [from]");
  for (const io::LibraryEntry& e : io::list_shapes()) {
    const auto shape = e.problem.empty() ? io::load_shape(e.name) : Error{e.problem};
    if (!shape) {
      rows.push_back({{"name", e.name}, {"origin", e.origin}, {"problem", shape.error().message}});
      text += fmt::format("{:<16} cannot be used: {}\n", e.name, io::first_line(shape.error().message));
      continue;
    }
    const Shape& s = **shape;
    rows.push_back(json_of(s, e.origin));
    if (s.kind == ShapeKind::clump) {
      text += fmt::format("{:<16} {:>8} {:>5} {:>8.4f} {:>10} {:>12}  {} [{}]\n", s.name,
                          fmt::format("{} parts", s.parts.size()), "", s.volume, "", "", s.description, e.origin);
      continue;
    }
    text += fmt::format("{:<16} {:>8} {:>5} {:>8.4f} {:>10.3f} {:>12.3f}  {} [{}]\n", s.name,
                        s.body.vertices.size() + s.outline.size(), s.body.face_normals.size(), s.volume,
                        numbers_of(s).sphericity, s.inner_radius() / s.outer_radius(), s.description, e.origin);
  }
  std::cout << (as_json ? rows.dump(2) + "\n" : text);
  return kDone;
}

/// What a shape that is no polyhedron has.
std::string plain_description_of(const Shape& s, const std::string& origin) {
  const Numbers n = numbers_of(s);
  std::string t = fmt::format("{}{}{}\n", s.name, s.description.empty() ? "" : ": ", s.description);
  t += fmt::format("  from            {}\n", origin);
  t += fmt::format("  kind            {}\n", word_of(s.kind));
  if (!s.outline.vertices.empty())
    t += fmt::format("  corners         {}, the shortest side {:.4g} s\n", s.outline.size(), n.shortest_edge);
  t += is_planar(s.kind)
           ? fmt::format(
                 "For two-dimensional simulations (dimensions: 2). A particle of size s (m), thickness t (m) and "
                 "density rho (kg/m^3) has\n  area            {:.9g} s^2 (m^2), mass {:.9g} rho s^2 t (kg)\n",
                 s.volume, s.volume)
           : fmt::format(
                 "A particle of size s (m) and density rho (kg/m^3) has\n"
                 "  volume          {:.9g} s^3 (m^3)\n  area            {:.6g} s^2 (m^2)\n",
                 s.volume, n.area);
  t += fmt::format("  longest         {:.6g} s (m){}\n", n.longest, is_round(s.kind) ? ", its diameter" : "");
  t += fmt::format("  inner radius    {:.6g} s (m) about the centroid\n", s.inner_radius());
  t += fmt::format("  outer radius    {:.6g} s (m)\n", s.outer_radius());
  t += is_planar(s.kind) ? fmt::format("  inertia         {:.9g} rho s^4 t (kg m^2), about z\n", s.inertia.z)
                         : fmt::format("  inertia         {:.9g} rho s^5 (kg m^2)\n", s.inertia.z);
  return t;
}

std::string clump_description_of(const Shape& s, const std::string& origin) {
  std::size_t balls = 0;
  double all = 0;
  for (const Shape::Part& part : s.parts)
    balls += is_round(part.shape->kind) ? 1 : 0, all += part.size * part.size * part.size * part.shape->volume;
  std::string t = fmt::format("{}{}{}\n", s.name, s.description.empty() ? "" : ": ", s.description);
  t += fmt::format("  from            {}\n", origin);
  t += fmt::format("  clump           {} parts: {} spheres, {} polyhedra, held rigidly\n", s.parts.size(), balls,
                   s.parts.size() - balls);
  t += fmt::format("A particle of size s (m) and density rho (kg/m^3) has\n");
  t += fmt::format(
      "  volume          {:.9g} s^3 (m^3), a sphere of diameter {:.4g} s; its parts one by one {:.9g} s^3\n", s.volume,
      std::cbrt(6 * s.volume / M_PI), all);
  t += fmt::format("  longest         {:.6g} s (m)\n", numbers_of(s).longest);
  t += fmt::format("  smallest part   {:.6g} s (m), diameter of the sphere of its volume\n", s.overlap_length());
  t += fmt::format("  outer radius    {:.6g} s (m) about the centroid\n", s.outer_radius());
  t += fmt::format("  inertia         {:.9g}, {:.9g}, {:.9g} rho s^5 (kg m^2), principal\n", s.inertia.x, s.inertia.y,
                   s.inertia.z);
  return t;
}

std::string description_of(const Shape& s, const std::string& origin) {
  if (s.kind == ShapeKind::clump) return clump_description_of(s, origin);
  if (s.kind != ShapeKind::polyhedron) return plain_description_of(s, origin);
  const Numbers n = numbers_of(s);
  const Polyhedron& b = s.body;
  const double equal_sphere = std::cbrt(6 * s.volume / M_PI);
  std::string t = fmt::format("{}{}{}\n", s.name, s.description.empty() ? "" : ": ", s.description);
  t += fmt::format("  from            {}\n", origin);
  t += fmt::format("  vertices        {}\n", b.vertices.size());
  t += fmt::format("  faces           {} ({})\n", b.face_normals.size(), face_kinds(b));
  t += fmt::format("  edges           {}, the shortest {:.4g} s\n", b.edges.size(), n.shortest_edge);
  t += fmt::format("A particle of size s (m) and density rho (kg/m^3) has\n");
  t += fmt::format("  volume          {:.9g} s^3 (m^3), a sphere of diameter {:.4g} s\n", s.volume, equal_sphere);
  t += fmt::format("  area            {:.6g} s^2 (m^2), sphericity {:.4f}\n", n.area, n.sphericity);
  t += fmt::format(
      "  Zingg           {:.3f} and {:.3f}: {}; middle over longest, shortest over middle side along "
      "the principal axes\n",
      n.middle_over_long, n.short_over_middle, zingg_word(n));
  t += fmt::format("  longest         {:.6g} s (m), between two corners\n", n.longest);
  t += fmt::format("  inner radius    {:.6g} s (m) about the centroid\n", b.inner_radius);
  t += fmt::format("  outer radius    {:.6g} s (m)\n", b.outer_radius);
  t += fmt::format("  inertia         {:.9g}, {:.9g}, {:.9g} rho s^5 (kg m^2), principal\n", s.inertia.x, s.inertia.y,
                   s.inertia.z);
  return t;
}

/// Isometric drawing, faces away from the eye left out; a convex body needs no more to hide its back. Parts of a clump
/// are drawn from the back to the front.
std::string drawing_of(const Shape& s) {
  const Vec3 eye = normalized(Vec3{1, -0.3, 0.4}), right = normalized(cross(Vec3{0, 0, 1}, eye)),
             up = cross(eye, right);
  const Vec3 light = normalized(Vec3{0.3, -0.5, 0.9});
  const double r = 1.05 * s.outer_radius();
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0:.5g} {0:.5g} {1:.5g} {1:.5g}\" width=\"400\" "
      "height=\"400\">\n"
      "<title>{2}</title>\n<g stroke=\"#333\" stroke-width=\"{3:.4g}\" stroke-linejoin=\"round\">\n",
      -r, 2 * r, s.name, 0.012 * r);
  if (is_round(s.kind)) svg += fmt::format("<circle r=\"{:.5g}\" fill=\"rgb(190,190,170)\"/>\n", s.outer_radius());
  if (!s.outline.vertices.empty()) {
    svg += "<polygon points=\"";
    for (const Vec2 v : s.outline.vertices) svg += fmt::format("{:.5g},{:.5g} ", v.x, -v.y);
    svg += "\" fill=\"rgb(190,190,170)\"/>\n";
  }
  const auto add_faces = [&](const Polyhedron& body, Vec3 at) {
    for (std::size_t f = 0; f < body.face_normals.size(); ++f) {
      const Vec3 n = body.face_normals[f];
      if (dot(n, eye) <= 1e-9) continue;
      const int grey = static_cast<int>(std::lround(110 + 130 * std::max(0.0, dot(n, light))));
      svg += "<polygon points=\"";
      for (const std::uint16_t v : body.loop(f)) {
        const Vec3 x = at + body.vertices[v];
        svg += fmt::format("{:.5g},{:.5g} ", dot(x, right), -dot(x, up));
      }
      svg += fmt::format("\" fill=\"rgb({0},{0},{1})\"/>\n", grey, std::max(0, grey - 20));
    }
  };
  add_faces(s.body, {});
  std::vector<Shape::Part> parts = s.parts;
  std::stable_sort(parts.begin(), parts.end(),
                   [eye](const auto& a, const auto& b) { return dot(a.centre, eye) < dot(b.centre, eye); });
  for (const Shape::Part& part : parts) {
    add_faces(part.shape->body, part.centre);
    if (is_round(part.shape->kind))
      svg += fmt::format("<circle cx=\"{:.5g}\" cy=\"{:.5g}\" r=\"{:.5g}\" fill=\"rgb(190,190,170)\"/>\n",
                         dot(part.centre, right), -dot(part.centre, up), 0.5 * part.size);
  }
  return svg + "</g>\n</svg>\n";
}

int show_shape(const std::string& name, bool as_json, const std::string& svg) {
  const auto entry = io::find_shape(name);
  if (!entry) return refuse("shape", entry.error().message);
  const auto shape = io::load_shape(name);
  if (!shape) return refuse("shape", shape.error().message);
  if (!svg.empty()) {
    if (Status s = io::write_file(svg, drawing_of(**shape)); !s) return fail("shape", s.error().message);
    std::cerr << "drawing written to " << svg << "\n";
  }
  std::cout << (as_json ? json_of(**shape, entry->origin).dump(2) + "\n" : description_of(**shape, entry->origin));
  return kDone;
}

struct Import {
  std::string file, name, description, unit;
  double scale = 0;
  bool hull = false, decompose = false, force = false;
  std::size_t corners = kMaxVertices;
  std::optional<double> tolerance;
  DecomposeOptions how;
};

/// A name made of a file's: "Grain 7 (b).STL" -> "grain-7-b".
std::string name_from(const std::string& file) {
  std::string name;
  for (const char c : std::filesystem::path(file).stem().string()) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const bool plain = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
    if (plain || (low == '_' && !name.empty())) {
      name += low;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.substr(0, 64);
}

bool is_table(const std::string& file) {
  const std::string e = std::filesystem::path(file).extension().string();
  return e == ".csv" || e == ".txt" || e == ".xyzr" || e == ".dat";
}

/// A clump of the spheres that the rows of a table say.
int import_spheres(const Import& o, const std::string& name) {
  if (o.hull) return refuse("shape", "--hull is for surfaces; this is a table of spheres");
  const Result<io::Units> units = io::Units::load();
  if (!units) return fail("shape", units.error().message);
  const io::ReadGrains read = io::read_grains(o.file, {.most = kMaxParts, .what = "spheres"}, *units);
  for (const Diagnostic& d : read.diagnostics) std::cerr << format(d) << "\n";
  if (!read.diagnostics.empty()) return kBadInput;
  if (read.value.size.empty())
    return refuse("shape", o.file + ": there is no column r (or d): a clump needs its spheres' radii");
  std::vector<Ball> balls;
  Vec3 low{INFINITY, INFINITY, INFINITY}, high = -low;
  for (std::size_t i = 0; i < read.value.rows; ++i) {
    const Ball b{read.value.position[i], 0.5 * read.value.size[i]};
    for (std::size_t k = 0; k < 3; ++k)
      low[k] = std::min(low[k], b.centre[k] - b.radius), high[k] = std::max(high[k], b.centre[k] + b.radius);
    balls.push_back(b);
  }
  const double drawn = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  const double scale = o.scale > 0 ? o.scale : 1 / drawn;
  for (Ball& b : balls) b.centre = scale * (b.centre - 0.5 * (low + high)), b.radius *= scale;
  const std::string description =
      o.description.empty() ? "imported from " + std::filesystem::path(o.file).filename().string() : o.description;
  const auto path = io::save_clump(name, description, balls, o.force);
  if (!path) return refuse_writing(path.error());
  std::cout << fmt::format("{}: a clump of {} spheres, written to {}\n", name, balls.size(), path->string());
  if (o.scale > 0) {
    std::cout << fmt::format("size 1 is the drawing times {:.6g}\n", o.scale);
  } else {
    std::cout << fmt::format("the longest side of the drawing is {:.6g} {}; a particle's size stands for it\n", drawn,
                             o.unit.empty() ? "(no unit in the file)" : o.unit);
  }
  return kDone;
}

/// A clump of the convex parts of a concave grain.
int import_parts(const Import& o, const std::string& name) {
  if (o.hull) return refuse("shape", "--hull and --decompose exclude each other: one part, or as many as it takes");
  io::ImportOptions options;
  if (o.scale > 0) options.scale = o.scale;
  DecomposeOptions how = o.how;
  how.tolerance = o.tolerance.value_or(how.tolerance);
  const auto clump = io::import_clump(o.file, options, how);
  if (!clump) return refuse("shape", clump.error().message);
  const Decomposition& d = clump->solid;
  const std::string description =
      o.description.empty() ? "imported from " + std::filesystem::path(o.file).filename().string() : o.description;
  const auto path = io::save_clump(name, description, d.parts, d.whole, o.force);
  if (!path) return refuse_writing(path.error());
  for (const std::string& note : clump->notes) std::cerr << "note: " << note << "\n";
  if (d.parts.size() == 1)
    std::cerr << "note: convex within the tolerance; without --decompose it becomes a polyhedron, which is faster\n";
  if (!d.complete)
    std::cerr << fmt::format(
        "note: dents of up to {:.2g} % of its size are left in {} parts; --parts allows more (at most {}), --tolerance "
        "asks for less\n",
        100 * d.deepest_dent, d.parts.size(), kMaxParts);
  std::cout << fmt::format("{}: a clump of {} convex parts, written to {}\n", name, d.parts.size(), path->string());
  const double whole = d.whole.volume, off = (d.parts_volume - d.shared_volume) / whole - 1;
  std::cout << fmt::format(
      "the volume of the parts together is that of the mesh {:+.3g} %; they share {:.2g} % of it, and their deepest "
      "dent left is {:.2g} % of the size; mass and inertia are those of the mesh\n",
      100 * (std::abs(off) < 1e-9 ? 0 : off), 100 * d.shared_volume / whole,
      d.deepest_dent < 1e-9 ? 0 : 100 * d.deepest_dent);
  if (options.scale) {
    std::cout << fmt::format("size 1 is the drawing times {:.6g}\n", *options.scale);
  } else {
    std::cout << fmt::format("the longest side of the drawing is {:.6g} {}; a particle's size stands for it\n",
                             clump->drawn_size, o.unit.empty() ? "(no unit in the file)" : o.unit);
  }
  return kDone;
}

int import(const Import& o) {
  const std::string name = o.name.empty() ? name_from(o.file) : o.name;
  if (!io::is_shape_name(name)) {
    return refuse(
        "shape",
        fmt::format("'{}' is no name for a shape: give --name with 1 to 64 of the characters a-z 0-9 _ -, the first a "
                    "letter or digit",
                    name.substr(0, 80)));
  }
  if (o.decompose && is_table(o.file))
    return refuse("shape", "--decompose is for surfaces; this is a table of spheres");
  if (is_table(o.file)) return import_spheres(o, name);
  if (o.decompose) return import_parts(o, name);
  io::ImportOptions options;
  options.names_ways = true;
  options.take_hull = o.hull;
  options.corners = o.corners;
  options.tolerance = o.tolerance.value_or(io::kThinnedWithin);
  if (o.scale > 0) options.scale = o.scale;
  const auto shape = io::import_shape(o.file, options);
  if (!shape) return refuse("shape", shape.error().message);
  const std::string description =
      o.description.empty() ? "imported from " + std::filesystem::path(o.file).filename().string() : o.description;
  const auto path = io::save_shape(name, description, shape->body.vertices, o.force);
  if (!path) return refuse_writing(path.error());
  for (const std::string& note : shape->notes) std::cerr << "note: " << note << "\n";
  const std::string unit = o.unit.empty() ? "(no unit in the file)" : o.unit;
  std::cout << fmt::format("{}: {} vertices, {} faces, written to {}\n", name, shape->body.vertices.size(),
                           shape->body.face_normals.size(), path->string());
  if (options.scale) {
    std::cout << fmt::format("size 1 is the drawing times {:.6g}\n", *options.scale);
  } else {
    std::cout << fmt::format("the longest side of the drawing is {:.6g} {}; a particle's size stands for it\n",
                             shape->drawn_size, unit);
  }
  return kDone;
}

int remove(const std::string& name) {
  const auto path = io::remove_shape(name);
  if (!path) return refuse_writing(path.error());
  std::cout << "removed " << path->string() << "\n";
  return kDone;
}

}  // namespace

void add_shape(CLI::App& app, int& exit_code) {
  CLI::App* shape = app.add_subcommand("shape", "The particle library: list, look at, add and remove prototypes");
  shape->require_subcommand(1);
  shape->footer("Example:\n  scree shape import stone.stl --name stone --unit mm");

  auto as_json = std::make_shared<bool>(false);
  CLI::App* l = shape->add_subcommand("list", "Every prototype, its numbers at size 1, and where it comes from");
  l->add_flag("--json", *as_json, "As JSON");
  l->footer("Example:\n  scree shape list");
  l->callback([as_json, &exit_code] { exit_code = list_the_shapes(*as_json); });

  auto name = std::make_shared<std::string>(), svg = std::make_shared<std::string>();
  CLI::App* s = shape->add_subcommand("show", "One prototype: corners, faces, volume, radii, inertia");
  s->add_option("NAME", *name, "Name of the prototype")->required();
  s->add_flag("--json", *as_json, "As JSON, with vertices and faces");
  s->add_option("--svg", *svg, "Write a drawing to this file")->type_name("FILE");
  s->footer("Example:\n  scree shape show grain14 --svg grain14.svg");
  s->callback([name, as_json, svg, &exit_code] { exit_code = show_shape(*name, *as_json, *svg); });

  auto o = std::make_shared<Import>();
  CLI::App* i = shape->add_subcommand(
      "import",
      "Add a prototype from a closed convex surface in an STL, OBJ, PLY or OFF file, or a clump "
      "from a concave one (--decompose) or from a table of spheres (x y z r) in a .csv, .txt, .dat or .xyzr file");
  i->add_option("FILE", o->file, "The drawing")->required();
  i->add_option("--name", o->name, "Name of the prototype (default: the file's)");
  i->add_option("--description", o->description, "A line about it for `scree shape list`");
  i->add_flag("--hull", o->hull, "Take the convex hull of a surface that is open, dented or crosses itself");
  CLI::Option* cut =
      i->add_flag("--decompose", o->decompose, "Cut a closed concave surface into convex parts: a clump");
  i->add_option("--corners", o->corners,
                "Most corners of a convex body: a hull with more is thinned out to as few as keep --tolerance")
      ->check(CLI::Range(std::size_t{4}, kMaxVertices))
      ->capture_default_str()
      ->excludes(cut);
  i->add_option(
       "--tolerance", o->tolerance,
       fmt::format("What thinning out may change of volume and inertia, and of the surface as a share of the "
                   "size (default {}); with --decompose: dents that may stay in a part, as a share of the size "
                   "(and of the volume; default {})",
                   io::kThinnedWithin, DecomposeOptions{}.tolerance))
      ->check(CLI::Range(1e-4, 0.5));
  i->add_option("--parts", o->how.most, "With --decompose: the most parts that may come out")
      ->check(CLI::Range(std::size_t{1}, kMaxParts))
      ->capture_default_str()
      ->needs(cut);
  i->add_option("--unit", o->unit, "Unit of the drawing, for the message about its size")
      ->check(CLI::IsMember({"m", "cm", "mm", "um", "in"}));
  i->add_option("--scale", o->scale, "Size 1 is the drawing times this (default: its longest side becomes 1)")
      ->check(CLI::PositiveNumber);
  i->add_flag("--force", o->force, "Replace a prototype of that name");
  i->footer("Example:\n  scree shape import stone.stl --name stone --unit mm");
  i->callback([o, &exit_code] { exit_code = import(*o); });

  CLI::App* r = shape->add_subcommand("remove", "Remove a prototype of your own");
  r->add_option("NAME", *name, "Name of the prototype")->required();
  r->footer("Example:\n  scree shape remove stone");
  r->callback([name, &exit_code] { exit_code = remove(*name); });
}

}  // namespace scree::app

#include "io/mesh/mesh.h"

#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "geometry/extent.h"
#include "io/mesh/isolate.h"
#include "io/mesh/off_mesh.h"
#include "io/text/files.h"
#include "io/text/short_text.h"
#include "io/text/table.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotFinite = "a coordinate is not a finite number, or beyond 3.4e38";

std::string point(Vec3 v) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z); }

std::string count(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

bool is_text_stl(std::string_view text) {
  return text.substr(0, 5) == "solid" && text.substr(0, 2000).find("facet") != std::string_view::npos;
}

/// The reader believes what a header announces; what cannot be in a file of this length is refused before.
Status check_stl(std::string_view text) {
  if (is_text_stl(text)) {
    if (text.find("endsolid") == std::string_view::npos) return Error{"cut short: there is no endsolid"};
    return ok();
  }
  if (text.size() < 84) return Error{"neither a text STL (solid … endsolid) nor long enough for a binary one"};
  std::uint32_t n = 0;
  std::memcpy(&n, text.data() + 80, sizeof n);
  const std::size_t need = 84 + std::size_t{50} * n;
  if (n == 0) return Error{"empty: there are no triangles"};
  if (text.size() < need) {
    return Error{
        fmt::format("cut short, or not STL: {} triangles are announced, which takes {} bytes, and there are {}", n,
                    need, text.size())};
  }
  if (text.size() > need)
    return Error{
        fmt::format("{} triangles are announced, which takes {} bytes, and there are {}: not STL, or several "
                    "drawings behind each other",
                    n, need, text.size())};
  return ok();
}

Status check_ply(std::string_view text) {
  if (text.substr(0, 3) != "ply") return Error{"not PLY: it does not begin with ply"};
  const std::size_t end = text.find("end_header");
  if (end == std::string_view::npos) return Error{"cut short: there is no end_header"};
  std::string header(text.substr(0, end));
  std::replace(header.begin(), header.end(), '\r', '\n');  // old ends of lines, which the reader takes as well
  Words words;
  std::string wrong;
  std::size_t number = 0;
  for_each_line(header, [&](std::string_view line) {
    ++number;
    words.split(line, {});
    if (words[0] != "element") return true;
    const std::optional<std::size_t> n = table_integer(words[2]);
    if (!n)
      wrong = fmt::format("line {}: expected element, a name and a count, got {}", number, shown(line));
    else if (*n > text.size())
      wrong = fmt::format("cut short: {} elements '{}' are announced in {} bytes", *n, shown(words[1]), text.size());
    return wrong.empty();
  });
  if (!wrong.empty()) return Error{wrong};
  return ok();
}

Status check_before_reading(const std::string& format, std::string_view text) {
  if (text.empty()) return Error{"empty"};
  if (format == "stl") return check_stl(text);
  if (format == "ply") return check_ply(text);
  if (text.find('\0') != std::string_view::npos) return Error{"not OBJ: it is no text"};
  return ok();
}

/// Polygons become fans: exact for the convex ones of a convex solid, and closed surfaces stay closed in any case.
Result<Surface> surface_of(const aiScene& scene) {
  Surface s;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[m];
    const std::size_t first = s.vertices.size();
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
      const aiVector3D& v = mesh.mVertices[i];
      const Vec3 p{static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
      if (!is_finite(p)) return Error{kNotFinite};
      s.vertices.push_back(p);
    }
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] >= mesh.mNumVertices) return Error{"a face names a vertex that is not there"};
      }
      const auto at = [&](unsigned k) { return static_cast<std::uint32_t>(first + face.mIndices[k]); };
      for (unsigned k = 1; k + 1 < face.mNumIndices; ++k) s.triangles.push_back({at(0), at(k), at(k + 1)});
      if (s.triangles.size() > kMaxTriangles) return Error{fmt::format("more than {} triangles", kMaxTriangles)};
    }
  }
  if (s.triangles.empty()) return Error{"empty: there are no faces"};
  return s;
}

std::vector<std::byte> pack(const Surface& s) {
  const std::array<std::uint64_t, 2> counts{s.vertices.size(), s.triangles.size()};
  std::vector<std::byte> bytes;
  const auto append = [&](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
  append(std::as_bytes(std::span(counts)));
  append(std::as_bytes(std::span(s.vertices)));
  append(std::as_bytes(std::span(s.triangles)));
  return bytes;
}

Surface unpack(const std::vector<std::byte>& bytes) {
  std::array<std::uint64_t, 2> counts{};
  std::memcpy(counts.data(), bytes.data(), sizeof counts);
  Surface s;
  s.vertices.resize(counts[0]);
  s.triangles.resize(counts[1]);
  const std::byte* at = bytes.data() + sizeof counts;
  std::memcpy(s.vertices.data(), at, s.vertices.size() * sizeof(Vec3));
  std::memcpy(s.triangles.data(), at + s.vertices.size() * sizeof(Vec3), s.triangles.size() * sizeof s.triangles[0]);
  return s;
}

/// Assimp 5.2 crashes on about one in forty randomly damaged files of these formats, so it works in a process of its
/// own.
Result<Surface> read_scene(const std::string& format, std::span<const std::byte> bytes) {
  const auto work = [&]() -> Result<std::vector<std::byte>> {
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, format.c_str());
    if (scene == nullptr) {
      const std::string why = importer.GetErrorString();
      return Error{"cannot be read" + (why.empty() ? std::string() : ": " + short_text(why, 300))};
    }
    const Result<Surface> s = surface_of(*scene);
    if (!s) return s.error();
    return pack(*s);
  };
  const auto packed = isolated(work, 5 + 1e-6 * static_cast<double>(bytes.size()));
  if (!packed) return packed.error();
  return unpack(*packed);
}

/// Of a file that check_stl has passed. Scans are millions of triangles so: Assimp, in its process and through a pipe,
/// takes several times as long.
Result<Surface> binary_stl(std::string_view text) {
  std::uint32_t n = 0;
  std::memcpy(&n, text.data() + 80, sizeof n);
  if (n > kMaxTriangles) return Error{fmt::format("more than {} triangles", kMaxTriangles)};
  Surface s;
  s.vertices.reserve(std::size_t{3} * n);
  s.triangles.reserve(n);
  for (std::uint32_t t = 0; t < n; ++t) {
    std::array<float, 12> f{};  // a normal, which is not believed, and three corners
    std::memcpy(f.data(), text.data() + 84 + std::size_t{50} * t, sizeof f);
    for (std::size_t k = 3; k < 12; k += 3) {
      s.vertices.push_back({double{f[k]}, double{f[k + 1]}, double{f[k + 2]}});
      if (!is_finite(s.vertices.back())) return Error{kNotFinite};
    }
    s.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return s;
}

Result<Surface> read_checked(const std::string& format, std::span<const std::byte> bytes, const fs::path& file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (format == "off") return read_off(text, file.string());
  if (Status s = check_before_reading(format, text); !s) return Error{file.string() + ": " + s.error().message};
  Result<Surface> surface = format == "stl" && !is_text_stl(text) ? binary_stl(text) : read_scene(format, bytes);
  if (!surface) return Error{file.string() + ": " + surface.error().message};
  return surface;
}

Error flat(const Surface& s) {
  if (s.vertices.empty()) return {"flat: all its corners are in one place"};
  return {fmt::format("flat: {} in different places", count(s.vertices.size(), "corner", "corners"))};
}

/// The middle of the drawing's bounding box goes to the origin; then the scale. The drawing's, for what stands for it
/// thinned out has its volume and not quite its sides.
Result<Polyhedron> normalised(const Polyhedron& hull, const Surface& drawing, const std::optional<double>& scale) {
  Vec3 lo = drawing.vertices[0], hi = lo;
  for (const Vec3& v : drawing.vertices) {
    for (std::size_t k = 0; k < 3; ++k) lo[k] = std::min(lo[k], v[k]), hi[k] = std::max(hi[k], v[k]);
  }
  const Vec3 d = hi - lo, middle = lo + 0.5 * d;
  const double divisor = std::max({d.x, d.y, d.z});
  std::vector<Vec3> moved;
  for (const Vec3& v : hull.vertices) moved.push_back(scale ? *scale * (v - middle) : (v - middle) / divisor);
  return convex_hull(moved);
}

void note_repairs(const Repairs& r, std::vector<std::string>& notes) {
  if (r.degenerate > 0) {
    notes.push_back(count(r.degenerate, "triangle", "triangles") + " with two corners in one place dropped");
  }
  if (r.duplicates > 0) notes.push_back(count(r.duplicates, "triangle", "triangles") + " drawn twice dropped");
  if (r.turned > 0)
    notes.push_back(count(r.turned, "triangle", "triangles") + " turned: they ran against their neighbours");
  if (r.inside_out) notes.push_back("inside out: all triangles turned");
}

/// What keeps the surface from being the skin of one solid, one clause each.
std::vector<std::string> reasons_against(const Surface& s, const HullPlanes& hull, std::vector<std::string>& notes) {
  std::vector<std::string> reasons;
  const Defects d = find_defects(s);
  if (d.open_edges > 0) {
    reasons.push_back(fmt::format("open: {} with a face on one side only, the first from {} to {}",
                                  count(d.open_edges, "edge", "edges"), point(d.open_edge[0]), point(d.open_edge[1])));
  }
  if (d.branched_edges > 0) {
    reasons.push_back(fmt::format("branched: {} with more than two faces", count(d.branched_edges, "edge", "edges")));
  }
  if (d.pieces > 1) reasons.push_back(fmt::format("in {} separate pieces", d.pieces));
  if (!d.orientable) reasons.push_back("without an inside (one-sided, like a Moebius strip)");
  // Two measures: a dent in a plate can be shallow and take much of it, a notch in a grain be deep and take little.
  const double size = extent(s), dent = deepest_dent(s, hull) / size;
  const double filled = d.volume / hull.volume;
  const bool closed = reasons.empty();
  if (dent > kMaxDent || (closed && std::abs(1 - filled) > 3 * kMaxDent)) {
    if (const Crossings c = find_crossings(s); c.count > 0) {
      reasons.push_back(fmt::format("self-intersecting: {}{} of triangles cut through each other, the first near {}",
                                    c.complete ? "" : "at least ", count(c.count, "pair", "pairs"), point(c.at)));
    }
    reasons.push_back(
        fmt::format("not convex: the deepest dent is {:.3g} % of its size{}", 100 * dent,
                    closed ? fmt::format(", and it fills {:.3g} % of its convex hull", 100 * filled) : ""));
  } else if (dent > 10 * kCoplanarTolerance) {
    notes.push_back(
        fmt::format("nearly convex (the deepest dent is {:.2g} % of its size): its convex hull taken", 100 * dent));
  }
  return reasons;
}

/// At most as many digits as say something; what rounding left is 0.
std::string per_cent(double share) { return fmt::format("{:.2g} %", share < 1e-9 ? 0 : 100 * share); }

/// The convex hull with as few corners as keep the tolerance, and what that costs.
Result<Polyhedron> thinned(const Surface& s, const ImportOptions& options, std::vector<std::string>& notes) {
  Result<ThinnedHull> thin = thinned_hull(s.vertices, options.corners, options.tolerance);
  if (!thin) return thin.error();
  const BodyError& e = thin->error;
  const std::string off = fmt::format("inertia off by {}, surface by up to {} of its size, volume by {}",
                                      per_cent(e.inertia), per_cent(e.distance), per_cent(e.volume));
  if (e.worst() > options.tolerance)
    return Error{fmt::format("{} corners cannot stand for the {} of its convex hull within {}: {}{}",
                             thin->body.vertices.size(), thin->corners_before, per_cent(options.tolerance), off,
                             options.names_ways
                                 ? fmt::format(" (--tolerance {:.2g} takes it so{})", 1.05 * e.worst(),
                                               options.corners < kMaxVertices ? ", --corners may be up to 128" : "")
                                 : "")};
  notes.push_back(fmt::format(
      "its convex hull has {} corners: thinned out to {}, {}{}", thin->corners_before, thin->body.vertices.size(), off,
      options.names_ways
          ? "; contacts take longer the more corners there are: --corners N and --tolerance X take fewer, "
            "and are farther off; --decompose keeps dents, and each of its parts costs as a grain does"
          : ""));
  return std::move(thin->body);
}

std::string joined(const std::vector<std::string>& list, const char* between) {
  std::string text;
  for (const std::string& s : list) text += (text.empty() ? "" : between) + s;
  return text;
}

}  // namespace

Result<Surface> read_mesh(const fs::path& file) {
  std::string format = file.extension().string();
  std::transform(format.begin(), format.end(), format.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!format.empty()) format.erase(0, 1);
  if (format != "stl" && format != "obj" && format != "ply" && format != "off") {
    return Error{fmt::format("{}: expected a file named .stl, .obj, .ply or .off", file.string())};
  }
  const auto bytes = read_file(file, kMaxMeshBytes);
  if (!bytes) return bytes.error();
  Result<Surface> surface = read_checked(format, *bytes, file);
  if (!surface) return surface;
  // Of no extent at all are corners in one place, which their users have words for.
  if (const double e = extent(*surface); e > 0 && !(e > kLeastExtent && e < kMostExtent))
    return Error{fmt::format("{}: the extent of the corners, {:.4g}, is outside {:g} to {:g}", file.string(), e,
                             kLeastExtent, kMostExtent)};
  return surface;
}

Result<ImportedShape> shape_of(Surface surface, const ImportOptions& options) {
  ImportedShape result;
  if (options.scale && !(std::isfinite(*options.scale) && *options.scale > 0))
    return Error{"the scale has to be positive"};
  result.drawn_size = extent(surface);
  note_repairs(repair(surface), result.notes);
  if (surface.vertices.size() < 4) return flat(surface);
  const Result<Polyhedron> hull = convex_hull(surface.vertices);
  const bool is_thinned = !hull || hull->vertices.size() > options.corners;
  HullPlanes planes;
  if (hull) {
    planes = {hull->face_normals, hull->face_offsets, mass_properties(*hull).volume};
  } else if (Result<HullPlanes> all = hull_planes(surface.vertices)) {
    planes = std::move(*all);
  } else {
    return hull.error();
  }
  const std::vector<std::string> reasons = reasons_against(surface, planes, result.notes);
  const Defects left = find_defects(surface);
  const bool surface_is_closed = left.open_edges == 0 && left.branched_edges == 0 && left.orientable;
  if (!reasons.empty() && !options.take_hull) {
    const char* ways = !options.names_ways ? ""
                       : surface_is_closed ? " (--hull takes its convex hull, --decompose cuts it into convex parts)"
                                           : " (--hull takes its convex hull)";
    return Error{joined(reasons, "; ") + ways};
  }
  if (!reasons.empty()) result.notes.push_back("its convex hull taken; the surface is " + joined(reasons, "; "));
  const Result<Polyhedron> taken = is_thinned ? thinned(surface, options, result.notes) : hull;
  if (!taken) return taken.error();
  Result<Polyhedron> body = normalised(*taken, surface, options.scale);
  if (!body) return body.error();
  result.body = std::move(*body);
  return result;
}

Result<ImportedShape> import_shape(const fs::path& file, const ImportOptions& options) {
  Result<Surface> surface = read_mesh(file);
  if (!surface) return surface.error();
  Result<ImportedShape> shape = shape_of(std::move(*surface), options);
  if (!shape) return Error{file.string() + ": " + shape.error().message};
  return shape;
}

Result<ImportedClump> import_clump(const fs::path& file, const ImportOptions& options, const DecomposeOptions& how) {
  Result<Surface> surface = read_mesh(file);
  if (!surface) return surface.error();
  ImportedClump result;
  result.drawn_size = extent(*surface);
  note_repairs(repair(*surface, kCoplanarTolerance, Turn::as_neighbours), result.notes);
  if (surface->vertices.size() < 4) return Error{file.string() + ": " + flat(*surface).message};
  if (Status fits = check_solid(*surface); !fits) return Error{file.string() + ": " + fits.error().message};
  Vec3 lo = surface->vertices[0], hi = lo;
  for (const Vec3& v : surface->vertices) {
    for (std::size_t k = 0; k < 3; ++k) lo[k] = std::min(lo[k], v[k]), hi[k] = std::max(hi[k], v[k]);
  }
  const Vec3 middle = lo + 0.5 * (hi - lo);
  const double scale = options.scale ? *options.scale : 1 / extent(*surface);
  for (Vec3& v : surface->vertices) v = scale * (v - middle);
  Result<Decomposition> solid = decompose(*surface, how);
  if (!solid) return Error{file.string() + ": " + solid.error().message};
  result.solid = std::move(*solid);
  return result;
}

}  // namespace scree::io

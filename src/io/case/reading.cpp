#include "io/case/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/case/key.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::io {

Reading::Reading(const Units& u, const std::vector<std::string>& files, std::vector<Diagnostic>& diagnostics,
                 const Node& tree, Case& made)
    : units(u),
      out(diagnostics),
      root(tree),
      c(made),
      folder(std::filesystem::path(made.source_path).parent_path()),
      files_(files) {}

bool Reading::take_members(std::type_index owner, const Node& map, const std::string& path, void* into) {
  bool complete = true;
  for (const Bound& b : bound_to(owner)) {
    if (const Node* n = get(map, b.name)) {
      b.member->take(*n, path.empty() ? b.name : path + "." + b.name, *this, into);
    } else if (b.key->absent == kRequired) {
      complete = false;
    }
  }
  return complete;
}

void Reading::report(const Node& n, const std::string& path, std::string message) {
  whole = false;
  if (out.size() < kMaxDiagnostics)
    out.push_back({Diagnostic::Severity::error, files_[static_cast<std::size_t>(n.source)], n.line, n.column, path,
                   std::move(message)});
}

void Reading::warn(const Node& n, const std::string& path, std::string message) {
  if (out.size() < kMaxDiagnostics)
    out.push_back({Diagnostic::Severity::warning, files_[static_cast<std::size_t>(n.source)], n.line, n.column, path,
                   std::move(message)});
}

int Reading::resolve(const Node& n, const std::string& path, const std::string& name,
                     const std::vector<std::string>& names, const std::string& kind) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  report(n, path, fmt::format("no {} {}{}", kind, short_text(name), hint(name, names, kind)));
  return -1;
}

std::string Reading::hint(const std::string& text, const std::vector<std::string>& names,
                          const std::string& kind) const {
  if (out.size() >= kMaxDiagnostics) return {};  // it will not be shown
  std::string h = did_you_mean(text, names);
  if (!h.empty()) return h;
  if (names.empty()) return fmt::format("; there is no {} at all", kind);
  h = "; there is ";
  for (std::size_t i = 0; i < names.size() && i < 20; ++i) h += (i > 0 ? ", " : "") + names[i];
  return h + (names.size() > 20 ? ", ..." : "");
}

int Reading::material(const Node& map, const std::string& path) {
  const Node* n = get(map, "material");
  return n && materials_known ? resolve(*n, path + ".material", material_names, "material") : -1;
}

bool Reading::check_shape(const Node& n, const std::string& path, const std::string& name) {
  const auto known = [&] {
    return std::find_if(library_.begin(), library_.end(), [&](const LibraryEntry& e) { return e.name == name; });
  };
  auto at = known();
  if (at == library_.end()) {
    // All of the library is read for what is not there alone: to say what is.
    if (Result<LibraryEntry> found = is_shape_name(name) ? find_shape(name) : Error{""}) {
      library_.push_back(std::move(*found));
    } else {
      library_ = list_shapes();
    }
    at = known();
  }
  if (at == library_.end()) {
    std::vector<std::string> names;
    for (const LibraryEntry& e : library_) names.push_back(e.name);
    return resolve(n, path, name, names, "shape") >= 0;
  }
  const LibraryEntry& e = *at;
  if (!e.problem.empty()) {
    report(n, path, fmt::format("the shape {} cannot be used: {}", e.name, e.problem));
  } else if (dimensions_known && is_planar(e.kind) != (c.dimensions == 2)) {
    report(n, path,
           is_planar(e.kind)
               ? fmt::format("the shape {} is for two dimensions; add dimensions: 2 or take another shape", e.name)
               : fmt::format("the shape {} is for three dimensions; in two there are disc and polygons such as square "
                             "(`scree shape list`)",
                             e.name));
  } else {
    return true;
  }
  return false;
}

Vec3 Reading::placed(const Node& n, const std::string& path) {
  const Vec3 v = vec3(n);
  if (c.dimensions == 2 && v.z != 0)
    report(n.items[2], path + "[2]",
           fmt::format("expected 0, for two dimensions (dimensions: 2) keep to the plane z = 0; got {}",
                       short_text(n.items[2].text)));
  return {v.x, v.y, c.dimensions == 2 ? 0 : v.z};
}

Vec3 Reading::spin(const Node& n, const std::string& path) {
  const Vec3 w = vec3(n);
  for (std::size_t k = 0; k < 2; ++k)
    if (c.dimensions == 2 && w[k] != 0)
      report(n.items[k], fmt::format("{}[{}]", path, k),
             fmt::format("expected 0, for in two dimensions grains turn about z; got {}", short_text(n.items[k].text)));
  return w;
}

std::optional<Vec3> Reading::direction(const Node& n, const std::string& path, bool is_flat) {
  const Vec3 d = is_flat ? placed(n, path) : vec3(n);
  if (d.z != n.items[2].si) return std::nullopt;
  const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});  // scaled: the square could overflow
  if (largest > 0) return normalized(d / largest);
  report(n, path, "expected a direction, got [0, 0, 0]");
  return std::nullopt;
}

std::optional<Quat> Reading::unit_quaternion(const Node& n, const std::string& path) {
  const Quat q{n.items[0].si, n.items[1].si, n.items[2].si, n.items[3].si};
  const double length = std::sqrt(norm2(q));
  if (std::abs(length - 1) <= 1e-6) return normalized(q);
  report(n, path,
         fmt::format("expected a unit quaternion [w, x, y, z] (length 1 within 1e-6), got length {:.9g}", length));
  return std::nullopt;
}

bool Reading::is_ordered(const Node& low, const Node& high, const std::string& path) {
  for (std::size_t k = 0; k < (dimensions_known ? static_cast<std::size_t>(c.dimensions) : 2); ++k)
    if (!(low.items[k].si < high.items[k].si)) {
      report(high.items[k], fmt::format("{}.max[{}]", path, k),
             fmt::format("expected more than min's {}, got {}", low.items[k].text, high.items[k].text));
      return false;
    }
  return true;
}

namespace taking {

std::optional<Vec3> vector(const Node& n, const std::string& path, As::Rule rule, Reading& in) {
  switch (rule) {
    case As::Rule::placed:
      return in.placed(n, path);
    case As::Rule::spin:
      return in.spin(n, path);
    case As::Rule::direction:
    case As::Rule::flat:
      return in.direction(n, path, rule == As::Rule::flat);
    case As::Rule::value:
      break;
  }
  return vec3(n);
}

bool is_number(const Node& n) {
  return n.form && (n.form->kind == Form::Kind::number || n.form->kind == Form::Kind::quantity);
}

}  // namespace taking

}  // namespace scree::io

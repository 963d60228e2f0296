#include "io/library/materials.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/library/data_file.h"
#include "io/library/shelf.h"
#include "io/text/files.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"
#include "io/text/yaml_tree.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

constexpr Shelf kMaterialShelf{"material", "materials", "SCREE_MATERIALS", builtin_materials};
constexpr std::size_t kMaxBytes = std::size_t{1} << 20, kMaxText = 1000, kMaxSources = 20;

class MaterialReader : DataFile {
 public:
  MaterialReader(const std::string& text, const std::string& file, const Units& units)
      : DataFile(text, file, "material"), units_(units) {}

  Result<LibraryMaterial> read() {
    LibraryMaterial m;
    if (!parse()) return all_mistakes();
    m.name = text_at("name", true);
    if (root_.find("name") != nullptr && !is_shelf_name(m.name))
      add(*root_.find("name"), "name", "expected 1 to 64 of the characters a-z 0-9 _ -, the first a letter or digit");
    m.description = text_at("description", true), m.varies = text_at("varies", false);
    read_sources(m);
    // The bounds are those of the keys of case files.
    const std::optional<MaterialValue> density = value("density", dimension::density, [](double v) { return v > 0; });
    if (density) m.density = *density;
    if (root_.find("density") == nullptr) add(root_, "density", "missing");
    m.young_modulus = value("young_modulus", dimension::pressure, [](double v) { return v > 0; });
    m.poisson_ratio = value("poisson_ratio", number_, [](double v) { return v > -1 && v <= 0.5; });
    m.restitution = value("restitution", number_, [](double v) { return v > 0 && v <= 1; });
    if (mistakes_.empty()) return m;
    return all_mistakes();
  }

 private:
  bool parse() {
    if (!parse_tree()) return false;
    if (root_.kind != Node::Kind::map)
      return add(root_, "", "expected a material: a map with name, description, density, sources"), false;
    static const std::vector<std::string> known{"name",          "description", "density", "young_modulus",
                                                "poisson_ratio", "restitution", "varies",  "sources"};
    for (const Node::Key& k : root_.keys)
      if (std::find(known.begin(), known.end(), k.name) == known.end() && mistakes_.size() < kMaxDiagnostics)
        mistakes_.push_back({Diagnostic::Severity::error, file_, k.line, k.column, k.name,
                             "unknown key" + did_you_mean(k.name, known)});
    return true;
  }

  std::string text_of(const Node& n, const std::string& key) {
    if (n.kind == Node::Kind::scalar && !n.text.empty() && n.text.size() <= kMaxText) return plain(n.text);
    add(n, key, fmt::format("expected a text of at most {} characters", kMaxText));
    return {};
  }
  std::string text_at(const char* key, bool required) {
    const Node* n = root_.find(key);
    if (n != nullptr) return text_of(*n, key);
    if (required) add(root_, key, "missing");
    return {};
  }

  void read_sources(LibraryMaterial& m) {
    const Node* n = root_.find("sources");
    if (n == nullptr) return add(root_, "sources", "missing: where the values come from");
    if (n->kind != Node::Kind::list || n->items.empty() || n->items.size() > kMaxSources)
      return add(*n, "sources", fmt::format("expected a list of 1 to {} texts", kMaxSources));
    for (std::size_t i = 0; i < n->items.size(); ++i)
      m.sources.push_back(text_of(n->items[i], fmt::format("sources[{}]", i)));
  }

  std::optional<MaterialValue> value(const char* key, const Dimension& d, bool (*holds)(double)) {
    const Node* n = root_.find(key);
    if (n == nullptr) return std::nullopt;
    if (n->kind != Node::Kind::scalar) return add(*n, key, "expected " + with_article(d.name)), std::nullopt;
    const Result<double> si = units_.to_si(n->text, d);
    if (!si || !holds(*si)) {
      add(*n, key,
          fmt::format("expected {}{}, got {}", with_article(d.name), si ? " within its bounds" : "",
                      si ? short_text(n->text) : si.error().message));
      return std::nullopt;
    }
    return MaterialValue{*si, n->text};
  }

  const Dimension number_{"number", "1", {}};
  const Units& units_;
};

Result<LibraryMaterial> read_entry(const std::string& name, const fs::path& path, const Units& units) {
  std::string text;
  if (path.empty()) {
    text = kMaterialShelf.builtin(name)->text;
  } else {
    const auto bytes = read_file(path, kMaxBytes);
    if (!bytes) return bytes.error();
    text.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  Result<LibraryMaterial> m = parse_material(text, path.empty() ? name + ".yaml (built in)" : path.string(), units);
  if (!m) return m;
  if (m->name != name)
    return Error{fmt::format("{}: the file is called {}, the material in it '{}'", path.string(),
                             path.filename().string(), m->name)};
  m->origin = origin_of(path);
  return m;
}

}  // namespace

std::array<LibraryMaterial::Named, 4> LibraryMaterial::values() const {
  const auto at = [](const std::optional<MaterialValue>& v) { return v ? &*v : nullptr; };
  return {Named{"density", &density},
          {"young_modulus", at(young_modulus)},
          {"poisson_ratio", at(poisson_ratio)},
          {"restitution", at(restitution)}};
}

Result<LibraryMaterial> parse_material(const std::string& text, const std::string& file, const Units& units) {
  return MaterialReader(text, file, units).read();
}

std::vector<LibraryMaterial> list_materials(const Units& units) {
  std::vector<LibraryMaterial> all;
  for (const auto& [name, path] : kMaterialShelf.all_files()) {
    Result<LibraryMaterial> m = read_entry(name, path, units);
    LibraryMaterial& row = all.emplace_back(m ? std::move(*m) : LibraryMaterial{});
    if (m) continue;
    row.name = name, row.origin = origin_of(path), row.problem = m.error().message;
  }
  return all;
}

std::vector<std::string> material_names() {
  std::vector<std::string> names;
  for (const auto& [name, path] : kMaterialShelf.all_files()) names.push_back(name);
  return names;
}

Result<LibraryMaterial> load_material(const std::string& name, const Units& units) {
  const Result<fs::path> path = kMaterialShelf.locate(name);
  if (!path) return path.error();
  return read_entry(name, *path, units);
}

}  // namespace scree::io

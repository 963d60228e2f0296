#include "io/case/read_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/case/read_clusters.h"
#include "io/case/read_measures.h"
#include "io/case/read_sources.h"
#include "io/case/read_stages.h"
#include "io/case/read_unused.h"
#include "io/case/read_world.h"
#include "io/case/schema.h"
#include "io/case/set_up_mistake.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

/// Turns the checked tree into a Case and holds its names against each other. Takes only values that fit their forms;
/// the rest has its diagnostic already.
void read_sections(Reading& in) {
  const Node& root = in.root;
  if (root.kind != Node::Kind::map) return;
  in.whole = root.valid;
  read_world(in);
  read_materials(in);
  Contacts contacts(in);
  contacts.read();
  const std::vector<std::string> cluster_names = read_clusters(read_bonds(in), in);
  Walls walls(in);
  if (const Node* n = root.find("walls")) walls.read(*n, "walls", in.c.walls);
  Groups groups(in, walls, cluster_names);
  if (const Node* n = root.find("particles")) groups.read(*n, "particles", in.c.particles);
  read_outlets(in);
  for (const Case::Outlet& o : in.c.outlets)
    if (groups.has(o.name))
      in.report(*root.find("outlets"), "outlets." + o.name,
                "there is a group of this name: stages could not tell which to open or close");
  read_measures(in);
  check_counting_planes(in);
  read_detection(in);
  read_time_step_and_output(in);
  read_stages(in, contacts, walls, groups);
  if (in.whole && in.total == 0) in.report(root, "particles", "no grains, neither here nor in the stages' insert");
  if (in.whole) contacts.complete();
  if (in.whole) contacts.friction_of_any();
  if (in.whole) read_named_columns(in);
  if (in.whole) check_tracked_grains(in);
  if (in.whole) warn_of_unused(in);
}

/// The file's bytes; its troubles in words.
Result<std::string> slurp(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code e;
  const fs::file_status status = fs::status(path, e);
  if (status.type() == fs::file_type::not_found) {
    const fs::path folder = fs::absolute(path, e).parent_path();
    if (!fs::is_directory(folder, e))
      return Error{fmt::format("no such file; the folder {} is not there either", folder.string())};
    std::vector<std::string> near;
    for (auto i = fs::directory_iterator(folder, e); !e && i != fs::directory_iterator() && near.size() < 10000;
         i.increment(e))
      near.push_back(i->path().filename().string());
    return Error{fmt::format("no such file; searched in {}{}", folder.string(),
                             did_you_mean(fs::path(path).filename().string(), near))};
  }
  if (e) return Error{fmt::format("cannot be read: {}", e.message())};
  if (status.type() == fs::file_type::directory) return Error{"is a folder; a case file was expected"};
  if (status.type() != fs::file_type::regular && status.type() != fs::file_type::fifo &&
      status.type() != fs::file_type::character)
    return Error{"is no file that can be read"};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{"cannot be opened; is reading it permitted?"};
  std::string text(kMaxFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return Error{"cannot be read to its end"};
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxFileBytes)
    return Error{fmt::format("larger than {} MiB; a case file is a few kB", kMaxFileBytes >> 20)};
  return text;
}

/// The case with its overrides put in; true: the tree can be checked.
bool load_tree(Result<std::string> text, const std::string& path, const std::vector<std::string>& overrides,
               const std::vector<std::string>& files, Node& root, std::string& source, std::vector<Diagnostic>& out) {
  auto whole_file = [&](std::string message) {
    out.push_back({Diagnostic::Severity::error, path, 0, 0, {}, std::move(message)});
  };
  if (!text) return whole_file(text.error().message), false;
  if (text->empty()) return whole_file("the file is empty"), false;
  if (!normalise_text(*text, path, out) || !parse_yaml(*text, path, root, out)) return false;
  if (root.kind == Node::Kind::nothing) return whole_file("the file is empty"), false;
  source = *text;
  if (overrides.empty()) return true;
  std::string header = "# as read, after:\n";
  for (std::size_t k = 0; k < overrides.size(); ++k) {
    const std::string wrong = apply_override(root, overrides[k], static_cast<int>(k) + 1, files[k + 1], out);
    if (!wrong.empty()) out.push_back({Diagnostic::Severity::error, files[k + 1], 0, 0, {}, wrong});
    std::string line = overrides[k];
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    header += "#   --set " + line + "\n";
  }
  source = header + to_yaml(root);
  return true;
}

/// Place of the key of a path: "time_step", "periodic.x", "stages[0].insert[1]". False: it is not there.
bool place_of(const Node& root, const std::string& path, const std::vector<std::string>& files, Diagnostic& d) {
  const Node* at = &root;
  std::stringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) {
    const std::string name = key.substr(0, key.find('['));
    std::size_t k = 0;
    while (k < at->keys.size() && at->keys[k].name != name) ++k;
    if (at->kind != Node::Kind::map || k == at->keys.size()) return false;
    const Node& value = at->items[k];
    const bool by_key = at->keys[k].line > 0 && value.source == at->source;
    d.file = files[static_cast<std::size_t>(value.source)];
    d.line = by_key ? at->keys[k].line : value.line, d.column = by_key ? at->keys[k].column : value.column;
    at = &value;
    if (name.size() == key.size()) continue;
    const std::size_t row = std::strtoull(key.c_str() + name.size() + 1, nullptr, 10);
    if (at->kind != Node::Kind::list || row >= at->items.size()) return false;
    at = &at->items[row];
    d.file = files[static_cast<std::size_t>(at->source)], d.line = at->line, d.column = at->column;
  }
  return true;
}

ReadCase read(Result<std::string> text, const std::string& path, const std::vector<std::string>& overrides) {
  ReadCase r;
  std::vector<std::string> files{path};
  for (const std::string& o : overrides) files.push_back("--set " + plain(o));
  Node root;
  r.value.source_path = path;
  if (load_tree(std::move(text), path, overrides, files, root, r.value.source_text, r.diagnostics)) {
    const Result<Units> units = Units::load();
    if (units) {
      check(root, *units, files, r.diagnostics);
      Reading in(*units, files, r.diagnostics, root, r.value);
      read_sections(in);
    } else {
      r.diagnostics.push_back({Diagnostic::Severity::error, path, 0, 0, {}, units.error().message});
    }
  }
  for (Diagnostic& d : r.diagnostics)  // YAML's escapes can put control characters into texts
    d.key = plain(d.key), d.message = plain(d.message);
  std::stable_sort(r.diagnostics.begin(), r.diagnostics.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const bool fa = a.file == path, fb = b.file == path;  // the overrides' mistakes follow the file's
    if (fa != fb) return fa;
    return fa ? std::pair(a.line, a.column) < std::pair(b.line, b.column) : false;
  });
  if (r.diagnostics.size() >= kMaxDiagnostics)
    r.diagnostics.push_back({Diagnostic::Severity::error, path, 0, 0, {}, "and more; the first ones are shown"});
  return r;
}

}  // namespace

Diagnostic set_up_mistake(const Case& c, const std::vector<std::string>& overrides, const Error& mistake) {
  const Diagnostic whole{Diagnostic::Severity::error, c.source_path, 0, 0, {}, mistake.message};
  std::error_code e;
  if (mistake.key.empty() || !std::filesystem::is_regular_file(c.source_path, e)) return whole;
  std::vector<std::string> files{c.source_path};
  for (const std::string& o : overrides) files.push_back("--set " + plain(o));
  Node root;
  std::string source;
  std::vector<Diagnostic> ignored;
  Diagnostic placed = whole;
  const bool is_there = load_tree(slurp(c.source_path), c.source_path, overrides, files, root, source, ignored) &&
                        place_of(root, mistake.key, files, placed);
  return is_there ? placed : whole;
}

ReadCase read_case(const std::string& path, const std::vector<std::string>& overrides) {
  return read(slurp(path), path, overrides);
}

ReadCase read_case_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  return read(text, name, overrides);
}

}  // namespace scree::io

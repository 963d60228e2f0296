#include "io/library/shelf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
  return value == nullptr ? std::string() : std::string(value);
}

Error unknown(const Shelf& s, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [n, path] : s.all_files()) names.push_back(n);
  std::string searched = fmt::format("the {}s built in", s.what);
  for (const fs::path& f : s.folders()) searched += ", " + f.string();
  return {fmt::format("no {} is called '{}'{} (searched: {})", s.what, short_text(name), did_you_mean(name, names),
                      searched)};
}

}  // namespace

std::optional<fs::path> Shelf::shipped_folder() const {
  std::error_code e;
  const fs::path self = fs::read_symlink("/proc/self/exe", e);
  if (e) return std::nullopt;
  const fs::path prefix = self.parent_path().parent_path();
  if (const fs::path p = prefix / "share/scree" / folder; fs::is_directory(p, e)) return p;
  const fs::path tree = prefix.parent_path();
  if (fs::is_directory(tree / "src/geometry", e) && fs::is_directory(tree / folder, e)) return tree / folder;
  return std::nullopt;
}

Result<fs::path> Shelf::own_folder() const {
  // The XDG base directory specification: a relative path counts as not set.
  if (const fs::path data = environment("XDG_DATA_HOME"); data.is_absolute()) return data / "scree" / folder;
  if (const fs::path home = environment("HOME"); home.is_absolute()) return home / ".local/share/scree" / folder;
  return Error{
      fmt::format("no folder for your own {}: neither XDG_DATA_HOME nor HOME is set to an absolute path", folder)};
}

std::vector<fs::path> Shelf::folders() const {
  std::vector<fs::path> result;
  const std::string listed = environment(variable);
  for (std::size_t at = 0; at <= listed.size();) {
    const std::size_t end = std::min(listed.find(':', at), listed.size());
    if (end > at) result.emplace_back(listed.substr(at, end - at));
    at = end + 1;
  }
  if (const auto own = own_folder()) result.push_back(*own);
  if (const auto shipped = shipped_folder()) result.push_back(*shipped);
  return result;
}

const BuiltinFile* Shelf::builtin(std::string_view name) const {
  for (const BuiltinFile& b : built_in())
    if (b.name == name) return &b;
  return nullptr;
}

std::map<std::string, fs::path> Shelf::all_files() const {
  std::map<std::string, fs::path> found;
  for (const fs::path& f : folders()) {
    std::error_code e;
    for (fs::directory_iterator i(f, e), end; !e && i != end; i.increment(e)) {
      const fs::path& p = i->path();
      if (p.extension() == ".yaml" && is_shelf_name(p.stem().string())) found.emplace(p.stem().string(), p);
    }
  }
  for (const BuiltinFile& b : built_in()) found.emplace(std::string(b.name), fs::path());
  return found;
}

Result<fs::path> Shelf::locate(const std::string& name) const {
  if (!is_shelf_name(name)) return unknown(*this, name);
  for (const fs::path& f : folders()) {
    std::error_code e;
    fs::path p = f / (name + ".yaml");
    if (fs::exists(p, e)) return p;
  }
  if (builtin(name) != nullptr) return fs::path();
  return unknown(*this, name);
}

bool is_shelf_name(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 64 && plain(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '_' || c == '-'; });
}

std::string origin_of(const fs::path& path) { return path.empty() ? "built in" : path.string(); }

}  // namespace scree::io

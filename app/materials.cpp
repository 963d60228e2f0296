// scree materials: the material library.
#include "io/library/materials.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands.h"
#include "io/text/short_text.h"

namespace scree::app {
namespace {

/// What stands before the year of a source's first publication tells which it is: "Goodman, R. E. (1989)".
std::string short_source(const io::LibraryMaterial& m) {
  const std::string& s = m.sources[0];
  const std::size_t from = s.find(": ") == std::string::npos ? 0 : s.find(": ") + 2;
  const std::size_t author = s.find_first_of(",:", from), year = s.find('(', from);
  std::string text = s.substr(from, author - from);
  if (year != std::string::npos && s.size() > year + 5 && s[year + 5] == ')') text += " " + s.substr(year + 1, 4);
  return text + (m.sources.size() > 1 ? ", ..." : "");
}

nlohmann::json json_of(const io::LibraryMaterial& m) {
  if (!m.problem.empty()) return {{"name", m.name}, {"origin", m.origin}, {"problem", m.problem}};
  nlohmann::json j{{"name", m.name},
                   {"description", m.description},
                   {"varies", m.varies},
                   {"sources", m.sources},
                   {"origin", m.origin}};
  for (const auto& [key, value] : m.values()) j[key] = value == nullptr ? nlohmann::json() : nlohmann::json(value->si);
  return j;
}

int list_the_materials(const io::Units& units, bool as_json) {
  nlohmann::json rows = nlohmann::json::array();
  std::string text = fmt::format("{:<18} {:>12} {:>10} {:>6} {:>12}  {}\n", "name", "density", "E", "nu", "restitution",
                                 "description [source]");
  for (const io::LibraryMaterial& m : io::list_materials(units)) {
    rows.push_back(json_of(m));
    if (!m.problem.empty()) {
      text += fmt::format("{:<18} cannot be used: {}\n", m.name, io::first_line(m.problem));
      continue;
    }
    const auto shown = [](const std::optional<io::MaterialValue>& v) { return v ? v->text : std::string(); };
    text += fmt::format("{:<18} {:>12} {:>10} {:>6} {:>12}  {} [{}]\n", m.name, m.density.text, shown(m.young_modulus),
                        shown(m.poisson_ratio), shown(m.restitution), m.description, short_source(m));
  }
  fmt::print("{}", as_json ? rows.dump(2) + "\n" : text);
  return kDone;
}

/// Words of the text, in lines that end at 100 columns and begin with `indent` blanks, the first one without.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > 100)
      out += line + "\n" + std::string(indent, ' '), line.clear();
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line;
}

int show_material(const io::Units& units, const std::string& name, bool as_json) {
  const Result<io::LibraryMaterial> m = io::load_material(name, units);
  if (!m) return refuse("materials", m.error().message);
  if (as_json) {
    fmt::print("{}\n", json_of(*m).dump(2));
    return kDone;
  }
  fmt::print("{}: {}\n  {:<15} {}\n", m->name, m->description, "from", m->origin);
  for (const auto& [key, value] : m->values())
    fmt::print("  {:<15} {}\n", key,
               value != nullptr ? value->text : "none known: measure it, or take it from a source");
  if (!m->varies.empty()) fmt::print("  {:<15} {}\n", "varies", wrapped(m->varies, 18));
  for (std::size_t i = 0; i < m->sources.size(); ++i)
    fmt::print("  {:<15} {}\n", i == 0 ? "sources" : "", wrapped(m->sources[i], 18));
  fmt::print(
      "In a case file, with any of the values changed beside it:\n\n"
      "materials:\n  {0}: {{from: {0}}}\n\n"
      "Friction is one of two surfaces, and no value of a material: measure or calibrate it.\n",
      m->name);
  return kDone;
}

}  // namespace

void add_materials(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("materials", "The material library: list it, or show one with its sources");
  auto name = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  c->add_option("NAME", *name, "The material to show; without it all are listed");
  c->add_flag("--json", *as_json, "As JSON, in SI units");
  c->footer("Examples:\n  scree materials\n  scree materials basalt");
  c->callback([name, as_json, &exit_code] {
    const Result<io::Units> units = io::Units::load();
    if (!units) {
      exit_code = fail("materials", units.error().message);
    } else {
      exit_code = name->empty() ? list_the_materials(*units, *as_json) : show_material(*units, *name, *as_json);
    }
  });
}

}  // namespace scree::app

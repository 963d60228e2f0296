#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "io/case/schema.h"
#include "io/library/materials.h"

namespace scree::io {

namespace {

using Json = nlohmann::ordered_json;
using Kind = Form::Kind;

constexpr const char* kQuantityPattern =
    R"(^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*([^\s0-9.eE+,-].*)?$)";

void put_range(Json& j, const Range& r) {
  if (std::isfinite(r.low)) j[r.above ? "exclusiveMinimum" : "minimum"] = r.low;
  if (std::isfinite(r.high)) j[r.below ? "exclusiveMaximum" : "maximum"] = r.high;
}

Json object_of(const Entry& e, const Units& units);

Json json_of(const Form& f, const Entry& e, const Units& units) {
  Json j;
  switch (f.kind) {
    case Kind::text:
      j["type"] = {"string", "number", "boolean"};
      break;
    case Kind::name:
      j["type"] = "string", j["minLength"] = 1;
      break;
    case Kind::flag:
      j["type"] = "boolean";
      break;
    case Kind::words:
      j["enum"] = f.words;
      break;
    case Kind::integer:
      j["type"] = "integer", j["minimum"] = static_cast<std::uint64_t>(f.range.low);
      if (std::isfinite(f.range.high)) j["maximum"] = static_cast<std::uint64_t>(f.range.high);
      break;
    case Kind::number:
    case Kind::quantity:
    case Kind::power_stiffness: {
      Json bare{{"type", "number"}};
      put_range(bare, f.range);
      j["anyOf"] = {bare, {{"type", "string"}, {"pattern", kQuantityPattern}}};
      if (!f.dimension.example.empty()) j["examples"] = {f.dimension.example};
      break;
    }
    case Kind::list:
      j["type"] = "array", j["items"] = json_of(f.item[0], e, units);
      if (f.least > 0) j["minItems"] = f.least;
      if (f.most < kMaxNodes) j["maxItems"] = f.most;
      break;
    case Kind::map:
      return object_of(e, units);
    case Kind::names:
      j["type"] = "object";
      j[f.references ? "additionalProperties" : "patternProperties"] =
          f.references ? object_of(e, units) : Json{{kNamePattern, object_of(e, units)}};
      if (!f.references) j["additionalProperties"] = false;
      if (f.least > 0) j["minProperties"] = f.least;
      break;
  }
  return j;
}

std::string unit_of(const Key& r) {
  for (const Form& f : r.forms) {
    const Form* inner = &f;
    while (inner->kind == Kind::list) inner = &inner->item[0];
    if (inner->kind == Kind::quantity) return inner->dimension.unit;
    if (inner->kind == Kind::power_stiffness) return "N/m^exponent";
  }
  return {};
}

Json json_of_key(const Entry& e, const Units& units) {
  Json j;
  if (e.key->forms.size() == 1) {
    j = json_of(e.key->forms[0], e, units);
  } else {
    for (const Form& f : e.key->forms) j["anyOf"].push_back(json_of(f, e, units));
  }
  // For editors to complete; a folder of one's own may be named later.
  if (e.key->path == "materials.*.from") j = {{"anyOf", {{{"enum", material_names()}}, j}}};
  std::string what = e.key->what;
  if (!e.key->laws.empty()) what = fmt::format("({}) {}", fmt::join(e.key->laws, ", "), what);
  if (const std::string unit = unit_of(*e.key); !unit.empty()) what += " Bare numbers are in " + unit + ".";
  if (!e.required() && !e.one_of()) what += " Default: " + default_of(*e.key, units) + ".";
  j["description"] = what;
  return j;
}

Json object_of(const Entry& e, const Units& units) {
  Json j{{"type", "object"}, {"additionalProperties", false}};
  Json properties = Json::object(), one_of = Json::array(), required = Json::array(), needs = Json::object();
  std::map<std::string, Json> by_law;
  for (const Entry& k : e.keys) {
    properties[k.name] = json_of_key(k, units);
    if (k.required() && k.key->laws.empty() && k.key->given_by.empty()) required.push_back(k.name);
    for (const std::string& law : k.key->laws)
      if (k.required_with(law)) by_law[law].push_back(k.name);
    if (k.one_of()) one_of.push_back({{"required", {k.name}}});
    if (!k.key->needs.empty()) needs[k.name] = {k.key->needs};
  }
  j["properties"] = properties;
  if (!required.empty()) j["required"] = required;
  if (one_of.size() > 1) j["oneOf"] = one_of;
  if (!needs.empty()) j["dependentRequired"] = needs;
  for (const Entry& k : e.keys)
    if (!k.key->given_by.empty())
      j["allOf"].push_back({{"anyOf", {{{"required", {k.name}}}, {{"required", {k.key->given_by}}}}}});
  for (const auto& [law, keys] : by_law)
    j["allOf"].push_back({{"if", {{"properties", {{"law", {{"const", law}}}}}}}, {"then", {{"required", keys}}}});
  return j;
}

/// What a value looks like, as the docs' table shows it.
std::string form_text(const Form& f) {
  switch (f.kind) {
    case Kind::text:
      return "text";
    case Kind::name:
      return "name";
    case Kind::flag:
      return "true, false";
    case Kind::words:
      return fmt::format("{}", fmt::join(f.words, ", "));
    case Kind::integer:
      return "integer";
    case Kind::number:
      return "number";
    case Kind::quantity:
      return fmt::format("{} ({})", f.dimension.name, f.dimension.unit);
    case Kind::power_stiffness:
      return "stiffness (N/m^exponent)";
    case Kind::list:
      return f.least == f.most ? fmt::format("list of {}: {}", f.least, form_text(f.item[0]))
                               : "list: " + form_text(f.item[0]);
    case Kind::map:
      return "map";
    case Kind::names:
      return "map of names";
  }
  return {};
}

std::string range_of(const Key& r) {
  for (const Form& f : r.forms) {
    const Form* inner = &f;
    while (inner->kind == Kind::list) inner = &inner->item[0];
    const Range& g = inner->range;
    const bool low = std::isfinite(g.low), high = std::isfinite(g.high);
    if (low && high)
      return fmt::format("; {} {:.10g} {} {:.10g}", g.above ? "above" : "from", g.low, g.below ? "to below" : "to",
                         g.high);
    if (low) return fmt::format("; {} {:.6g}", g.above ? "above" : "at least", g.low);
  }
  return {};
}

}  // namespace

std::string case_schema(const Units& units) {
  Json j{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Scree case file"}};
  j.update(object_of(case_root(), units));
  return j.dump(2) + "\n";
}

std::string case_key_table(const Units& units) {
  std::string t = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const Key& r : case_keys()) {
    std::string forms;
    for (const Form& f : r.forms) forms += (forms.empty() ? "" : " or ") + form_text(f);
    t += fmt::format("| `{}` | {}{} | {} | {}{}{}{} |\n", r.path, forms, range_of(r),
                     default_of(r, units) + (r.given_by.empty() ? "" : fmt::format(" without `{}`", r.given_by)),
                     r.laws.empty() ? "" : fmt::format("({}) ", fmt::join(r.laws, ", ")), r.what,
                     r.same_as.empty() ? "" : fmt::format(" Keys as in `{}`.", r.same_as),
                     r.needs.empty() ? "" : fmt::format(" Needs `{}` beside it.", r.needs));
  }
  return t;
}

}  // namespace scree::io

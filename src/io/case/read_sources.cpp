// Where grains come from: sizes, places, regions, files of grains.
#include "io/case/read_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/grains/grain_file.h"
#include "io/text/nearest.h"

namespace scree::io {

namespace {

const Node* get(const Node& map, std::string_view key) {
  const Node* n = map.find(key);
  return n && n->valid ? n : nullptr;
}
const Node* map_at(const Node& map, std::string_view key) {
  const Node* n = map.find(key);
  return n && n->kind == Node::Kind::map ? n : nullptr;
}
std::vector<double> numbers(const Node* list) {
  std::vector<double> v;
  if (list)
    for (const Node& n : list->items) v.push_back(n.si);
  return v;
}
std::optional<double> optional(const Node& map, const char* key) {
  const Node* n = get(map, key);
  return n ? std::optional(n->si) : std::nullopt;
}

/// The file's rows; nothing: its mistakes have been told.
std::optional<GrainTable> read_table(const Node& n, const std::string& path, bool needs_places, const Reading& in) {
  GrainFileAs as;
  as.needs_places = needs_places;
  const Node* name = n.kind == Node::Kind::scalar ? &n : get(n, "path");
  if (!name) return {};
  if (const Node* v = get(n, "unit")) as.unit = v->text;
  if (const Node* v = get(n, "columns"))
    for (const Node& column : v->items) as.columns.push_back(column.text);
  if (const Node* v = get(n, "other_rows")) as.skips_other_rows = v->text == "skip";
  if (const Node* v = get(n, "of_material")) as.of_material = v->text;
  ReadGrains read = read_grains(in.folder / name->text, as, in.units);
  if (read.diagnostics.empty()) {
    for (const char* key : {"unit", "other_rows"})
      if (const Node* v = get(n, key); v && read.value.is_of_run)
        in.report(*v, path + "." + key, "is for text tables; the file is a run's output, whose columns are known");
    return std::move(read.value);
  }
  in.report(*name, path, "the file cannot be used: its mistakes are listed under its name");
  for (Diagnostic& d : read.diagnostics)
    if (in.out.size() < kMaxDiagnostics) in.out.push_back(std::move(d));
  return {};
}

Result<SizeDistribution> distribution(const Node& n, const Reading& in, const std::string& path, std::string& at) {
  using Kind = SizeDistribution::Kind;
  const double power = in.dimensions == 2 ? 2 : 3;
  const auto cut = [&](Kind kind, const Node& m, const char* a, const char* b) -> Result<SizeDistribution> {
    const Node *first = get(m, a), *second = get(m, b);
    if (!first || !second) return Error{};
    const double spread = kind == Kind::log_normal ? std::log(second->si) : second->si;
    return cut_distribution(kind, first->si, spread, optional(m, "min"), optional(m, "max"));
  };
  if (const Node* m = map_at(n, "normal")) return at = "normal", cut(Kind::normal, *m, "mean", "deviation");
  if (const Node* m = map_at(n, "log_normal"))
    return at = "log_normal", cut(Kind::log_normal, *m, "median", "geometric_deviation");
  if (const Node* m = map_at(n, "weibull")) return at = "weibull", cut(Kind::weibull, *m, "scale", "modulus");
  if (const Node* m = map_at(n, "sieve")) {
    at = "sieve";
    const Node *openings = get(*m, "openings"), *passing = get(*m, "passing");
    if (!openings || !passing) return Error{};
    return sieve_distribution(numbers(openings), numbers(passing), power);
  }
  if (const Node* m = map_at(n, "values")) {
    at = "values";
    const Node *sizes = get(*m, "sizes"), *by = get(*m, "by");
    if (!sizes || (m->find("shares") && !get(*m, "shares"))) return Error{};
    return values_distribution(numbers(sizes), numbers(get(*m, "shares")), by && by->text == "mass", power);
  }
  if (const Node* f = get(n, "file")) {
    at = "file";
    std::optional<GrainTable> table = read_table(*f, path + ".file", false, in);
    if (!table) return Error{};
    return values_distribution(std::move(table->size), {}, false, power);
  }
  return Error{};
}

}  // namespace

Case::Size read_size(const Node& n, const std::string& path, const Reading& in) {
  Case::Size size;
  size.a = size.b = 1;
  if (n.kind == Node::Kind::scalar) {
    size.a = size.b = n.si;
    return size;
  }
  if (const Node* u = get(n, "uniform")) {
    if (u->items[0].si > u->items[1].si)
      in.report(u->items[1], path + ".uniform[1]",
                fmt::format("expected at least the smallest size, {}, got {}", u->items[0].text, u->items[1].text));
    return {Case::Size::Kind::uniform, u->items[0].si, u->items[1].si};
  }
  std::string key;
  Result<SizeDistribution> made = distribution(n, in, path, key);
  if (made) return std::move(*made);
  if (!made.error().message.empty()) in.report(*n.find(key), path + "." + key, made.error().message);
  return size;
}

Region read_region(const Node& n, const std::string& path, const Reading& in) {
  Region region{{0, 0, 0}, {1, 1, in.dimensions == 2 ? 0.0 : 1.0}};
  const auto point = [](const Node& v) { return Vec3{v.items[0].si, v.items[1].si, v.items[2].si}; };
  if (const Node* b = map_at(n, "box")) {
    const Node *low = get(*b, "min"), *high = get(*b, "max");
    if (!low || !high) return region;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool flat = in.dimensions == 2 && k == 2;
      if (flat ? low->items[k].si == 0 && high->items[k].si == 0 : low->items[k].si < high->items[k].si) continue;
      in.report(high->items[k], fmt::format("{}.box.max[{}]", path, k),
                flat ? std::string("expected 0 here and in min: two dimensions keep to the plane z = 0")
                     : fmt::format("expected more than min's {}, got {}", low->items[k].text, high->items[k].text));
      return region;
    }
    return {point(*low), point(*high)};
  }
  if (const Node* c = map_at(n, "cylinder")) {
    const Node *from = get(*c, "from"), *to = get(*c, "to"), *radius = get(*c, "radius");
    if (!from || !to || !radius) return region;
    if (in.dimensions == 2) {
      in.report(*c, path + ".cylinder", "is for three dimensions; in two there is box");
    } else if (!(norm(point(*to) - point(*from)) > 0)) {
      in.report(*to, path + ".cylinder.to", "expected another point than `from`: the cylinder has no length");
    } else {
      return {point(*from), point(*to), Region::Kind::cylinder, radius->si};
    }
  }
  return region;
}

Case::Pour read_pour(const Node& n, const std::string& path, const Reading& in) {
  Case::Pour p;
  if (const Node* inside = map_at(n, "inside")) p.region = read_region(*inside, path + ".inside", in);
  if (const Node* v = get(n, "mass_rate")) p.mass_rate = v->si;
  if (const Node* v = get(n, "number_rate")) p.number_rate = v->si;
  if (const Node* v = get(n, "gap")) p.gap = v->si;
  p.duration = optional(n, "duration");
  return p;
}

Vec3 read_direction(const Node& n, const std::string& path, const Reading& in) {
  const Vec3 d{n.items[0].si, n.items[1].si, n.items[2].si};
  const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});  // scaled: the square could overflow
  if (!(largest > 0)) {
    in.report(n, path, "expected a direction, got [0, 0, 0]");
  } else if (in.dimensions == 2 && d.z != 0) {
    in.report(n, path, "expected 0 along z, for two dimensions keep to the plane z = 0");
  } else {
    return normalized(d / largest);
  }
  return {1, 0, 0};
}

namespace {

Vec3 vec3(const Node& n) { return {n.items[0].si, n.items[1].si, n.items[2].si}; }

}  // namespace

std::vector<Case::Outlet> read_outlets(const Node& n, const Reading& in) {
  std::vector<Case::Outlet> list;
  for (std::size_t k = 0; k < n.items.size(); ++k) {
    const Node& o = n.items[k];
    const std::string path = "outlets." + n.keys[k].name;
    if (o.kind != Node::Kind::map) continue;
    Case::Outlet outlet;
    outlet.name = n.keys[k].name;
    if (const Node* v = get(o, "open")) outlet.open = v->text == "true";
    if (const Node* inside = map_at(o, "inside")) outlet.region = read_region(*inside, path + ".inside", in);
    if (const Node* beyond = map_at(o, "beyond")) {
      const Node *point = get(*beyond, "point"), *normal = get(*beyond, "normal");
      if (point) outlet.point = vec3(*point);
      if (normal) outlet.normal = read_direction(*normal, path + ".beyond.normal", in);
    }
    list.push_back(std::move(outlet));
  }
  return list;
}

std::vector<Case::Measure> read_measures(const Node& n, const Reading& in,
                                         const std::function<int(const Node&, const std::string&)>& material) {
  using Kind = Case::Measure::Kind;
  static const std::pair<const char*, Kind> kKinds[] = {{"solid_fraction", Kind::solid_fraction},
                                                        {"stress", Kind::stress},
                                                        {"coordination", Kind::coordination},
                                                        {"fabric", Kind::fabric},
                                                        {"flow", Kind::flow},
                                                        {"mixing", Kind::mixing},
                                                        {"repose", Kind::repose},
                                                        {"track", Kind::track},
                                                        {"size_distribution", Kind::size_distribution}};
  std::vector<Case::Measure> list;
  for (std::size_t k = 0; k < n.items.size(); ++k) {
    for (const auto& [word, kind] : kKinds) {
      const Node* what = n.items[k].find(word);
      if (!what) continue;
      const std::string path = "measure." + n.keys[k].name + "." + word;
      Case::Measure m;
      m.kind = kind, m.name = n.keys[k].name;
      if (const Node* inside = map_at(*what, "inside")) m.inside = read_region(*inside, path + ".inside", in);
      if (const Node* v = get(*what, "point")) m.point = vec3(*v);
      if (const Node* v = get(*what, "normal")) m.normal = read_direction(*v, path + ".normal", in);
      if (const Node* v = get(*what, "centre")) m.centre = vec3(*v);
      if (const Node* v = get(*what, "of")) m.of_fragments = v->text == "fragments";
      if (const Node* v = get(*what, "material")) m.material = std::max(0, material(*v, path + ".material"));
      if (const Node* v = get(*what, "cells"))
        for (std::size_t a = 0; a < 3; ++a) m.cells[a] = static_cast<std::uint32_t>(v->items[a].integer);
      if (kind == Kind::track && what->kind == Node::Kind::list && what->valid)
        for (const Node& id : what->items) m.ids.push_back(static_cast<std::uint32_t>(id.integer));
      if (kind == Kind::mixing && m.inside && m.inside->kind != Region::Kind::box)
        in.report(*what, path + ".inside", "expected a box, which can be divided into cells");
      list.push_back(std::move(m));
    }
  }
  return list;
}

namespace {

/// Why the group cannot have these columns; empty: it can.
std::string misfit(const GrainTable& t, const Node& group, const Case::Group& g) {
  const bool round =
      std::all_of(g.shapes.begin(), g.shapes.end(), [](const std::string& s) { return s == "sphere" || s == "disc"; });
  const char* how = t.is_of_run ? "leave that column out (`columns` names those that are taken)"
                                : "pass that column over (`columns`, with -)";
  if (g.cluster >= 0 && t.is_of_run)
    return "a run's output has grains, not the centres of clusters; place `shapes`, or clusters by a text table";
  if (g.cluster >= 0 && (!t.size.empty() || !t.shape.empty()))
    return "its columns of sizes or shapes have no use with a cluster; pass them over (`columns`, with -)";
  if (group.find("size") && !t.size.empty())
    return fmt::format("it has the sizes of the grains; leave `size` of the group out, or {}", how);
  if (!group.find("size") && t.size.empty() && g.cluster < 0)
    return "it has no column r, d or size; give the group a `size`";
  if (t.has_radius && !round)
    return "r and d are those of spheres and discs; other shapes need a column `size`, the factor on their coordinates";
  const std::pair<const char*, bool> moves[] = {{"velocity", !t.velocity.empty()},
                                                {"angular_velocity", !t.angular_velocity.empty()},
                                                {"orientation", !t.orientation.empty()}};
  for (const auto& [key, has] : moves)
    if (t.is_of_run && has && group.find(key))
      return fmt::format("it has the {} of each grain; leave `{}` of the group out, or {}", key, key, how);
  return {};
}

/// Rows of the group's shapes, which are those of the file where the group has none. Empty: done, else what is wrong.
std::string find_shapes(const GrainTable& t, Case::Group& g, std::vector<std::uint32_t>& rows) {
  const bool are_given = !g.shapes.empty();
  if (!are_given && t.shape.empty()) return "it does not say which shapes its grains have; give the group its `shapes`";
  for (const std::string& name : t.shape) {
    auto row = std::find(g.shapes.begin(), g.shapes.end(), name);
    if (row == g.shapes.end() && are_given)
      return fmt::format("it has grains of the shape {}, which is none of the group's `shapes`{}", name.substr(0, 60),
                         did_you_mean(name, g.shapes));
    if (row == g.shapes.end()) row = g.shapes.insert(row, name);
    rows.push_back(static_cast<std::uint32_t>(row - g.shapes.begin()));
  }
  return {};
}

}  // namespace

Case::AtPoints read_points_file(const Node& group, const Node& file, const std::string& path, Case::Group& g,
                                const Reading& in) {
  Case::AtPoints at;
  at.points = {{}};
  std::optional<GrainTable> t = read_table(file, path, true, in);
  if (!t) return at;
  std::string wrong;
  if (g.cluster < 0 && (group.find("shapes") == nullptr || !g.shapes.empty())) wrong = find_shapes(*t, g, at.shape);
  if (wrong.empty()) wrong = misfit(*t, group, g);
  if (in.dimensions == 2 && wrong.empty()) {
    const auto flat = [](const std::vector<Vec3>& v) {
      return std::all_of(v.begin(), v.end(), [](Vec3 x) { return x.z == 0; });
    };
    if (!flat(t->position) || !flat(t->velocity)) wrong = "every z and vz has to be 0 in two dimensions";
    for (const Vec3& w : t->angular_velocity)
      if (w.x != 0 || w.y != 0) wrong = "in two dimensions grains turn about z: wx and wy have to be 0";
    for (const Quat& q : t->orientation)
      if (q.x != 0 || q.y != 0) wrong = "in two dimensions grains turn about z: qx and qy have to be 0";
  }
  if (!wrong.empty()) {
    in.report(file, path, wrong);
    at.shape.clear();
    return at;
  }
  at.points = std::move(t->position), at.size = std::move(t->size), at.orientation = std::move(t->orientation);
  at.velocity = std::move(t->velocity), at.angular_velocity = std::move(t->angular_velocity);
  return at;
}

}  // namespace scree::io

// Where grains come from and go to: sizes, places, regions, files of grains, outlets.
#include "io/case/read_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/case/given.h"
#include "io/grains/grain_file.h"
#include "io/text/nearest.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

/// The file's rows; nothing: its mistakes have been told.
std::optional<GrainTable> read_table(const Node& n, const std::string& path, bool needs_places, Reading& in) {
  GrainFileAs as;
  as.needs_places = needs_places;
  const Node* name = n.kind == Node::Kind::scalar ? &n : get(n, "path");
  if (!name) return {};
  in.take(n, path, as);
  ReadGrains read = read_grains(in.beside_case(name->text), as, in.units);
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

/// Of the first kind of distribution that the map has; `at`: its word. An empty message: told already, or a value does
/// not fit its form.
Result<SizeDistribution> distribution(const Node& n, Reading& in, const std::string& path, std::string& at) {
  using Kind = SizeDistribution::Kind;
  const double power = in.c.dimensions == 2 ? 2 : 3;
  const auto is = [&](const char* word) { return map_at(n, at = word); };
  if (const Node* m = is("normal")) {
    const auto g = in.taken<given::Normal>(*m, path + ".normal");
    return g ? cut_distribution(Kind::normal, g->mean, g->deviation, g->min, g->max) : Error{};
  }
  if (const Node* m = is("log_normal")) {
    const auto g = in.taken<given::LogNormal>(*m, path + ".log_normal");
    return g ? cut_distribution(Kind::log_normal, g->median, std::log(g->deviation), g->min, g->max) : Error{};
  }
  if (const Node* m = is("weibull")) {
    const auto g = in.taken<given::Weibull>(*m, path + ".weibull");
    return g ? cut_distribution(Kind::weibull, g->scale, g->modulus, g->min, g->max) : Error{};
  }
  if (const Node* m = is("sieve")) {
    const auto g = in.taken<given::Sieve>(*m, path + ".sieve");
    return g ? sieve_distribution(g->openings, g->passing, power) : Error{};
  }
  if (const Node* m = is("values")) {
    const auto g = in.taken<given::Values>(*m, path + ".values");
    if (!g || (m->find("shares") && !get(*m, "shares"))) return Error{};
    return values_distribution(g->sizes, g->shares, g->by_mass, power);
  }
  at = "file";
  const Node* f = get(n, "file");
  if (!f) return Error{};
  std::optional<GrainTable> table = read_table(*f, path + ".file", false, in);
  return table ? values_distribution(std::move(table->size), {}, false, power) : Error{};
}

}  // namespace

Case::Size read_size(const Node& n, const std::string& path, Reading& in) {
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

Region read_region(const Node& n, const std::string& path, Reading& in) {
  const bool is_planar = in.c.dimensions == 2;
  Region region{{0, 0, 0}, {1, 1, is_planar ? 0.0 : 1.0}};
  if (const Node* b = map_at(n, "box")) {
    const auto given = in.taken<given::Box>(*b, path + ".box");
    if (!given) return region;
    const Node &low = *b->find("min"), &high = *b->find("max");
    for (std::size_t k = 0; k < 3; ++k) {
      const bool flat = is_planar && k == 2;
      if (flat ? low.items[k].si == 0 && high.items[k].si == 0 : low.items[k].si < high.items[k].si) continue;
      in.report(high.items[k], fmt::format("{}.box.max[{}]", path, k),
                flat ? std::string("expected 0 here and in min: two dimensions keep to the plane z = 0")
                     : fmt::format("expected more than min's {}, got {}", low.items[k].text, high.items[k].text));
      return region;
    }
    return {given->min, given->max};
  }
  if (const Node* c = map_at(n, "cylinder")) {
    const auto given = in.taken<given::Tube>(*c, path + ".cylinder");
    if (!given) return region;
    if (is_planar) {
      in.report(*c, path + ".cylinder", "is for three dimensions; in two there is box");
    } else if (!(norm(given->to - given->from) > 0)) {
      in.report(*c->find("to"), path + ".cylinder.to",
                "expected another point than `from`: the cylinder has no length");
    } else {
      return {given->from, given->to, Region::Kind::cylinder, given->radius};
    }
  }
  return region;
}

Case::Pour read_pour(const Node& n, const std::string& path, Reading& in) {
  Case::Pour p;
  if (const Node* inside = map_at(n, "inside")) p.region = read_region(*inside, path + ".inside", in);
  in.take(n, path, p);
  return p;
}

void read_outlets(Reading& in) {
  const Node* n = map_at(in.root, "outlets");
  for (std::size_t k = 0; n && k < n->items.size(); ++k) {
    const Node& o = n->items[k];
    const std::string path = "outlets." + n->keys[k].name;
    if (o.kind != Node::Kind::map) continue;
    Case::Outlet outlet;
    outlet.name = n->keys[k].name;
    in.take(o, path, outlet);
    if (const Node* inside = map_at(o, "inside")) outlet.region = read_region(*inside, path + ".inside", in);
    if (const Node* beyond = map_at(o, "beyond")) in.take(*beyond, path + ".beyond", outlet);
    in.c.outlets.push_back(std::move(outlet));
  }
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
    if (has && group.find(key))
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
      return fmt::format("it has grains of the shape {}, which is none of the group's `shapes`{}", short_text(name),
                         did_you_mean(name, g.shapes));
    if (row == g.shapes.end()) row = g.shapes.insert(row, name);
    rows.push_back(static_cast<std::uint32_t>(row - g.shapes.begin()));
  }
  return {};
}

}  // namespace

Case::AtPoints read_points_file(const Node& group, const Node& file, const std::string& path, Case::Group& g,
                                Reading& in) {
  Case::AtPoints at;
  at.points = {{}};
  std::optional<GrainTable> t = read_table(file, path, true, in);
  if (!t) return at;
  std::string wrong;
  if (g.cluster < 0 && (group.find("shapes") == nullptr || !g.shapes.empty())) wrong = find_shapes(*t, g, at.shape);
  if (wrong.empty()) wrong = misfit(*t, group, g);
  if (in.c.dimensions == 2 && wrong.empty()) {
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

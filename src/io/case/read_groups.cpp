// Groups of grains: which, how large, where, how many.
#include "io/case/read_groups.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "io/case/given.h"
#include "io/case/read_sources.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

constexpr std::uint64_t kMaxParticles = 100'000'000;
// State of a grain without contacts; a packed bed takes several times as much.
constexpr double kLeastBytesPerParticle = 600;
/// That this process may use: the machine's, or less where a container limits it; 0: unknown.
double memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  double there = pages > 0 && size > 0 ? static_cast<double>(pages) * static_cast<double>(size) : 0;
  for (const char* limit : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    double bytes = 0;
    if (std::ifstream in(limit); in >> bytes && bytes > 0 && (there == 0 || bytes < there)) there = bytes;
  }
  return there;
}

void orientation(const Node& n, const std::string& path, Reading& in, Case::Orientation& o) {
  o.random = n.kind == Node::Kind::scalar && n.text == "random";
  if (n.kind != Node::Kind::list) return;
  const std::optional<Quat> q = in.unit_quaternion(n, path);
  if (!q) return;
  o.fixed = *q;
  if (in.c.dimensions == 2 && (q->x != 0 || q->y != 0))
    in.report(n, path, "expected a rotation about z, [w, 0, 0, z], in two dimensions");
}

}  // namespace

void Groups::read(const Node& list, const std::string& path, std::vector<Case::Group>& into) {
  if (list.kind != Node::Kind::list) return;
  for (std::size_t i = 0; i < list.items.size(); ++i)
    if (list.items[i].kind == Node::Kind::map) into.push_back(group(list.items[i], fmt::format("{}[{}]", path, i)));
}

Case::Group Groups::group(const Node& n, const std::string& path) {
  Case::Group g;
  g.key = path;
  const Node* name = get(n, "name");
  g.name = name ? name->text : fmt::format("group_{}", group_names_.size() + 1);
  if (!group_names_.insert(g.name).second)
    in_.report(name ? *name : n, path + ".name", fmt::format("there is a group {} already", short_text(g.name)));
  g.material = in_.material(n, path);
  shapes(n, path, g);
  cluster_of(n, path, g);
  if (const Node* s = get(n, "size")) g.size = read_size(*s, path + ".size", in_);
  if (const Node* o = get(n, "orientation")) orientation(*o, path + ".orientation", in_, g.orientation);
  in_.take(n, path, g);
  place(n, path, g);
  count_particles(n, path, g);
  return g;
}

void Groups::cluster_of(const Node& n, const std::string& path, Case::Group& g) {
  const Node *size = n.find("size"), *place = map_at(n, "place");
  const bool has_file = place && place->find("file");
  if (n.find("cluster") && n.find("shapes")) {
    in_.report(*n.find("cluster"), path, "expected only one of shapes, cluster, got shapes and cluster");
  } else if (!n.find("cluster") && !n.find("shapes") && !has_file) {
    in_.report(n, path, "missing; expected one of shapes, cluster");
  }
  if (!n.find("cluster")) {
    if (n.find("shapes") && !size && !has_file)
      in_.report(n, path + ".size", "missing; shapes need a size beside them");
    return;
  }
  if (size) in_.report(*size, path + ".size", "has no use with a cluster, whose spheres have their radii");
  const Node* v = get(n, "cluster");
  if (!v) return;
  g.cluster = in_.resolve(*v, path + ".cluster", cluster_names_, "cluster");
  g.shapes = {"sphere"};
}

void Groups::count_particles(const Node& n, const std::string& path, Case::Group& g) {
  const Node* where = n.find("count") ? n.find("count") : &n;
  const std::uint64_t particles = in_.c.particles_of(g);
  in_.total += particles;
  const double needed = static_cast<double>(in_.total) * kLeastBytesPerParticle, there = memory_bytes();
  std::string wrong;
  if (in_.total > kMaxParticles) {
    wrong = fmt::format("more than {} grains in all", kMaxParticles);
  } else if (there > 0 && needed > there) {
    wrong = fmt::format("{} grains in all need {:.0f} GB of memory at least; this machine has {:.0f} GB", in_.total,
                        std::ceil(needed / 1e9), there / 1e9);
  }
  if (wrong.empty()) return;
  in_.report(*where, path + ".count", wrong);
  in_.total -= particles;
  g.count = 0;
}

void Groups::shapes(const Node& n, const std::string& path, Case::Group& g) {
  const Node* s = get(n, "shapes");
  if (!s) return;
  Reading::each(*s, path + ".shapes", [&](const Node& name, const std::string& at) {
    g.shapes.push_back(name.text);
    in_.check_shape(name, at, name.text);
  });
}

void Groups::place(const Node& n, const std::string& path, Case::Group& g) {
  const Node *count = get(n, "count"), *p = map_at(n, "place");
  if (!p) return;
  if (const Node* at = get(*p, "at")) {
    Case::AtPoints points;
    for (std::size_t i = 0; i < at->items.size(); ++i)
      points.points.push_back(in_.placed(at->items[i], fmt::format("{}.place.at[{}]", path, i)));
    if (count && count->integer != points.points.size())
      in_.report(
          *count, path + ".count",
          fmt::format("expected {}, the number of points of place.at, got {}", points.points.size(), count->text));
    g.count = points.points.size();
    g.place = std::move(points);
  } else if (const Node* f = get(*p, "file")) {
    Case::AtPoints points = read_points_file(n, *f, path + ".place.file", g, in_);
    if (!n.find("shapes") && g.cluster < 0)
      for (const std::string& name : g.shapes)
        if (!in_.check_shape(*f, path + ".place.file", name)) break;
    if (count && in_.whole && count->integer != points.points.size())
      in_.report(
          *count, path + ".count",
          fmt::format("expected {}, the number of rows of place.file, got {}", points.points.size(), count->text));
    g.count = points.points.size();
    g.place = std::move(points);
  } else if (const Node* r = map_at(*p, "random")) {
    count_needed(n, path);
    Case::AtRandom random;
    if (const Node* inside = map_at(*r, "inside"))
      random.region = read_region(*inside, path + ".place.random.inside", in_);
    in_.take(*r, path + ".place.random", random);
    g.place = random;
  } else if (const Node* pour = map_at(*p, "pour")) {
    count_needed(n, path);
    if (g.cluster >= 0)
      in_.report(*pour, path + ".place.pour", "clusters cannot be poured; insert them stage by stage, or pour grains");
    if (const Node* v = get(n, "overlap"))
      in_.report(*v, path + ".overlap", "has no use with pour, whose grains come where they touch nothing");
    g.place = read_pour(*pour, path + ".place.pour", in_);
    poured_.push_back(g.name);
  } else if (const Node* l = map_at(*p, "lattice")) {
    count_needed(n, path);
    g.place = lattice(*l, path + ".place.lattice");
  }
}

void Groups::count_needed(const Node& group, const std::string& path) {
  if (!group.find("count")) in_.report(group, path + ".count", "missing; expected an integer from 1 to 100000000");
}

Case::Lattice Groups::lattice(const Node& n, const std::string& path) {
  Case::Lattice l;
  in_.take(n, path, l);
  if (const Node* above = get(n, "above")) {
    std::vector<std::string> boxes;
    for (const auto& [name, row] : walls_.boxes()) boxes.push_back(name);
    if (in_.resolve(*above, path + ".above", boxes, "box") >= 0) l.box = walls_.boxes().at(above->text);
  }
  if (const Node* inside = map_at(n, "inside"))
    if (const auto corners = in_.taken<given::Corners>(*inside, path + ".inside");
        corners && in_.is_ordered(*inside->find("min"), *inside->find("max"), path + ".inside"))
      l.region = {corners->min, corners->max};
  return l;
}

}  // namespace scree::io

#include "io/case/read_unused.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace scree::io {

namespace {

bool has_faces(const Shape& s) {
  if (s.kind != ShapeKind::clump) return !is_round(s.kind);
  return std::ranges::any_of(s.parts, [](const Shape::Part& p) { return has_faces(*p.shape); });
}

bool some_grain_has_faces(const Case& c) {
  return std::ranges::any_of(c.shape_names(), [](const std::string& name) {
    const Result<std::shared_ptr<const Shape>> shape = load_shape(name);
    return !shape || has_faces(**shape);
  });
}

}  // namespace

void warn_of_unused(Reading& in) {
  std::set<int> used;
  in.c.for_each_group([&](const Case::Group& g) { used.insert(g.cluster); });
  std::set<std::string> held;
  if (const Node* clusters = map_at(in.root, "clusters")) {
    for (std::size_t i = 0; i < clusters->items.size(); ++i) {
      if (const Node* bonds = get(clusters->items[i], "bonds")) held.insert(bonds->text);
      if (used.contains(static_cast<int>(i))) continue;
      const std::string& name = clusters->keys[i].name;
      in.warn(clusters->items[i], "clusters." + name, "no group of particles is made of it");
    }
  }
  if (const Node* bonds = map_at(in.root, "bonds"))
    for (std::size_t i = 0; i < bonds->items.size(); ++i)
      if (const std::string& name = bonds->keys[i].name; !held.contains(name))
        in.warn(bonds->items[i], "bonds." + name, "no cluster is held by it");
  const Node* detection = map_at(in.root, "detection");
  if (detection == nullptr || some_grain_has_faces(in.c)) return;
  for (const auto& [key, usual] : {std::pair{"common_plane", "auto"}, std::pair{"contact_geometry", "overlap"}})
    if (const Node* v = detection->find(key); v && v->text != usual)
      in.warn(*v, fmt::format("detection.{}", key), "changes nothing: no grain of the case has faces");
}

}  // namespace scree::io

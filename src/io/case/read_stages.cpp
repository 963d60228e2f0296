// Stages.
#include "io/case/read_stages.h"

#include <fmt/format.h>

#include <set>

#include "io/case/key.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

/// Names of outlets and of groups that are poured, so far.
void gates(const Node& stage, const char* key, const std::string& path, Reading& in, const Groups& groups,
           std::vector<std::string>& into) {
  const Node* n = get(stage, key);
  if (!n) return;
  std::vector<std::string> names = groups.poured();
  for (const Case::Outlet& o : in.c.outlets) names.push_back(o.name);
  Reading::each(*n, path + "." + key, [&](const Node& name, const std::string& at) {
    if (in.resolve(name, at, names, "outlet or poured group") >= 0) into.push_back(name.text);
  });
}

}  // namespace

void read_changes_of(const Node& n, const std::string& path, Reading& in, Walls& walls, Groups& groups,
                     Case::Stage& s) {
  walls.move(n, path, s);
  if (const Node* d = map_at(n, "damping")) {
    s.damping = Case::Damping{};
    in.take(*d, path + ".damping", *s.damping);
  }
  if (get(n, "cut_above")) {
    s.cut_above = Case::CutAbove{};
    in.take(n, path, *s.cut_above);
  }
  if (const Node* g = n.find("insert")) groups.read(*g, path + ".insert", s.insert);
  gates(n, "open", path, in, groups, s.open);
  gates(n, "close", path, in, groups, s.close);
}

namespace {

void read_stage(const Node& n, const std::string& path, Reading& in, Contacts& contacts, Walls& walls, Groups& groups,
                Case::Stage& s) {
  in.take(n, path, s);
  if (const Node* u = map_at(n, "until")) in.take(*u, path + ".until", s);
  if (!n.find("duration") && !n.find("until"))
    in.report(n, path + ".duration", "missing; a stage needs duration, until or both");
  if (const Node* r = get(n, "remove")) walls.remove(*r, path + ".remove", s);
  if (const Node* a = n.find("add")) walls.read(*a, path + ".add", s.add);
  contacts.friction(n, path, s);
  read_changes_of(n, path, in, walls, groups, s);
  if (const Node* o = map_at(n, "output")) in.take(*o, path + ".output", s);
}

}  // namespace

void read_stages(Reading& in, Contacts& contacts, Walls& walls, Groups& groups) {
  const Node* list = in.root.find("stages");
  if (!list || list->kind != Node::Kind::list) return;
  std::set<std::string> names;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Node& n = list->items[i];
    if (n.kind != Node::Kind::map) continue;
    const std::string path = fmt::format("stages[{}]", i);
    Case::Stage s;
    const Node* name = get(n, "name");
    s.name = name ? name->text : fmt::format("stage_{}", i + 1);
    if (!names.insert(s.name).second)
      in.report(name ? *name : n, path + ".name", fmt::format("there is a stage {} already", short_text(s.name)));
    read_stage(n, path, in, contacts, walls, groups, s);
    in.c.stages.push_back(std::move(s));
  }
}

}  // namespace scree::io

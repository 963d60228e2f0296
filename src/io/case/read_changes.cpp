// What a run is changed by from outside.
#include "io/case/read_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/case/read_groups.h"
#include "io/case/read_motion.h"
#include "io/case/read_stages.h"
#include "io/case/read_walls.h"
#include "io/case/schema.h"
#include "io/text/short_text.h"

namespace scree::io {

namespace {

constexpr char kName[] = "change";
constexpr std::string_view kStage = "stages[0]", kOfStage = "stages[0].";

/// What the readers ask of a case that is there already.
Case asked_of(const Case& c) {
  Case asked;
  asked.seed = c.seed, asked.dimensions = c.dimensions, asked.thickness = c.thickness;
  asked.gravity = c.gravity, asked.periodic = c.periodic, asked.materials = c.materials, asked.clusters = c.clusters;
  asked.boxes = c.boxes, asked.outlets = c.outlets, asked.source_path = c.source_path;
  return asked;
}

std::vector<std::string> poured_groups(const Case& c) {
  std::vector<std::string> names;
  const auto look = [&](const std::vector<Case::Group>& groups) {
    for (const Case::Group& g : groups)
      if (std::holds_alternative<Case::Pour>(g.place)) names.push_back(g.name);
  };
  look(c.particles);
  for (const Case::Stage& stage : c.stages) look(stage.insert);
  return names;
}

/// Keys of a stage that only a case can have, and why.
void only_of_cases(const Node& n, Reading& in) {
  const auto refuse = [&](std::initializer_list<const char*> keys, const char* why) {
    for (const char* key : keys)
      if (const Node* v = n.find(key)) in.report(*v, std::string(kOfStage) + key, why);
  };
  refuse({"name", "duration", "until", "output", "measure"}, "belongs to a stage; a change is made while one goes on");
  refuse({"add", "friction"}, "cannot come from outside, since a checkpoint does not hold it; give it in the case");
}

/// Laws of `any` were taken for the pairs of grains and walls that the case has alone.
void need_laws(const Node& n, const Case& c, std::span<const Wall> walls, const std::vector<Case::Group>& come,
               Reading& in) {
  std::set<int> others;
  const auto take = [&](const std::vector<Case::Group>& groups) {
    for (const Case::Group& g : groups) others.insert(g.material);
  };
  take(c.particles), take(come);
  for (const Case::Stage& stage : c.stages) take(stage.insert);
  for (const Wall& w : walls) others.insert(static_cast<int>(w.material));
  for (const Case::Group& g : come) {
    for (const int other : others) {
      const std::pair both = std::minmax(g.material, other);
      const auto is_theirs = [&](const Case::Contact& k) { return std::minmax(k.material_a, k.material_b) == both; };
      if (std::ranges::any_of(c.contacts, is_theirs)) continue;
      const std::string &a = in.named(g.material), &b = in.named(other);
      in.report(
          n, g.key + ".material",
          fmt::format("the case has no law between {} and {}, which do not meet in it; add an entry with between: "
                      "[{}, {}] to its contacts",
                      a, b, a, b));
    }
  }
}

/// The tree of a case whose only stage has the changes, held against the table of keys.
bool load_changes(const std::string& text, const Units& units, const std::vector<std::string>& files, Node& root,
                  std::vector<Diagnostic>& out) {
  std::string clean = text;
  Node stage;
  if (!normalise_text(clean, kName, out) || !parse_yaml(clean, kName, stage, out)) return false;
  if (stage.kind != Node::Kind::map) {
    out.push_back({Diagnostic::Severity::error, kName, 0, 0, {}, "expected a map with move, insert, gravity, ..."});
    return false;
  }
  Node list;
  list.kind = Node::Kind::list, list.items.push_back(std::move(stage));
  check_part(list, "stages", units, files, out);
  root.kind = Node::Kind::map, root.valid = list.valid;
  root.keys.push_back({"stages", 0, 0}), root.items.push_back(std::move(list));
  return true;
}

}  // namespace

ReadChanges read_changes(const std::string& text, const Case& c, std::span<const Wall> walls) {
  ReadChanges r;
  const std::vector<std::string> files{kName};
  const Result<Units> units = Units::load();
  Node root;
  if (!units) {
    r.diagnostics.push_back({Diagnostic::Severity::error, kName, 0, 0, {}, units.error().message});
  } else if (load_changes(text, *units, files, root, r.diagnostics)) {
    Case asked = asked_of(c);
    Reading in(*units, files, r.diagnostics, root, asked);
    in.whole = root.valid, in.materials_known = true;
    for (const Case::Material& m : c.materials) in.material_names.push_back(m.name);
    std::vector<std::string> clusters;
    for (const Case::Cluster& cluster : c.clusters) clusters.push_back(cluster.name);
    Walls standing(in);
    standing.stand(walls);
    Groups groups(in, standing, clusters);
    groups.know_poured(poured_groups(c));
    const Node& n = root.items[0].items[0];
    only_of_cases(n, in);
    in.take(n, std::string(kStage), r.value);
    if (const Node* gone = get(n, "remove")) standing.remove(*gone, std::string(kOfStage) + "remove", r.value);
    read_changes_of(n, std::string(kStage), in, standing, groups, r.value);
    for (const Case::Group& g : r.value.insert) {
      if (std::holds_alternative<Case::Pour>(g.place))
        in.report(n, g.key + ".place.pour",
                  "cannot come from outside: a checkpoint does not hold it; let the case pour, "
                  "and open and close it");
    }
    if (in.whole) need_laws(n, c, walls, r.value.insert, in);
    const Node* moves = n.find("move");
    for (Case::Move& m : r.value.move) m.words = to_yaml(*moves->find(m.wall));
    for (Case::Group& g : r.value.insert)
      if (g.key.starts_with(kOfStage)) g.key.erase(0, kOfStage.size());
  }
  for (Diagnostic& d : r.diagnostics) {
    d.key = plain(d.key), d.message = plain(d.message);
    if (d.key.starts_with(kStage)) d.key.erase(0, d.key.starts_with(kOfStage) ? kOfStage.size() : kStage.size());
  }
  return r;
}

Status steer_again(Simulation& s, const Case& c) {
  if (std::ranges::all_of(s.walls, [](const Wall& w) { return w.steered.empty(); })) return ok();
  const std::vector<std::string> files{kName};
  const Result<Units> units = Units::load();
  if (!units) return units.error();
  Case asked = asked_of(c);
  for (Wall& w : s.walls) {
    if (w.steered.empty()) continue;
    std::vector<Diagnostic> out;
    Node root;
    std::string text = "move:\n  " + w.name + ":\n    ";
    for (const char letter : w.steered) text += letter == '\n' ? "\n    " : std::string(1, letter);
    if (load_changes(text, *units, files, root, out)) {
      Reading in(*units, files, out, root, asked);
      const Node* moves = map_at(root.items[0].items[0], "move");
      if (const Node* words = moves ? map_at(*moves, w.name) : nullptr) w.motion = read_motion(*words, "move", in);
    }
    if (has_errors(out)) return Error{"the motion of the wall '" + w.name + "' from outside: " + out[0].message};
  }
  return ok();
}

}  // namespace scree::io

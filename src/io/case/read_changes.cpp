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
void need_laws(const Node& n, const Case& c, const Simulation& s, const std::vector<Case::Group>& come, Reading& in) {
  if (come.empty()) return;
  std::set<int> others;
  for (const std::uint32_t m : s.particles.material) others.insert(static_cast<int>(m));
  for (const Wall& w : s.walls) others.insert(static_cast<int>(w.material));
  const auto take = [&](const auto& list) {
    for (const auto& one : list) others.insert(one.material);
  };
  take(c.particles), take(come);
  for (const Case::Stage& stage : c.stages) take(stage.insert), take(stage.add);
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

/// Numbers and quantities in SI units: the same motion in the same words, whatever its units were.
void put_into_si(Node& n) {
  using Kind = Form::Kind;
  if (n.kind == Node::Kind::scalar && n.valid && n.form &&
      (n.form->kind == Kind::number || n.form->kind == Kind::quantity))
    n.text = fmt::format("{}", n.si), n.quoted = false;
  for (Node& item : n.items) put_into_si(item);
}

/// The tree of a case whose only stage is `stage`, held against the table of keys.
Node checked(Node stage, const Units& units, const std::vector<std::string>& files, std::vector<Diagnostic>& out) {
  Node list, root;
  list.kind = Node::Kind::list, list.items.push_back(std::move(stage));
  check_part(list, "stages", units, files, out);
  root.kind = Node::Kind::map, root.valid = list.valid;
  root.keys.push_back({"stages", 0, 0}), root.items.push_back(std::move(list));
  return root;
}

/// A map in YAML; false: it is none, and that is told.
bool parse_map(std::string text, Node& map, std::vector<Diagnostic>& out) {
  if (!normalise_text(text, kName, out) || !parse_yaml(text, kName, map, out)) return false;
  if (map.kind == Node::Kind::map) return true;
  out.push_back({Diagnostic::Severity::error, kName, 0, 0, {}, "expected a map with move, insert, gravity, ..."});
  return false;
}

Node map_of(const std::string& key, Node value) {
  Node map;
  map.kind = Node::Kind::map;
  map.keys.push_back({key, 0, 0}), map.items.push_back(std::move(value));
  return map;
}

}  // namespace

ReadChanges read_changes(const std::string& text, const Case& c, const Simulation& s) {
  ReadChanges r;
  const std::vector<std::string> files{kName};
  const Result<Units> units = Units::load();
  Node stage;
  if (!units) {
    r.diagnostics.push_back({Diagnostic::Severity::error, kName, 0, 0, {}, units.error().message});
  } else if (parse_map(text, stage, r.diagnostics)) {
    Node root = checked(std::move(stage), *units, files, r.diagnostics);
    Case asked = asked_of(c);
    Reading in(*units, files, r.diagnostics, root, asked);
    in.whole = root.valid, in.materials_known = true;
    for (const Case::Material& m : c.materials) in.material_names.push_back(m.name);
    std::vector<std::string> clusters;
    for (const Case::Cluster& cluster : c.clusters) clusters.push_back(cluster.name);
    Walls standing(in);
    standing.stand(s.walls);
    Groups groups(in, standing, clusters);
    groups.know_poured(c.inlets(s.stage));
    Node& n = root.items[0].items[0];
    only_of_cases(n, in);
    in.take(n, std::string(kStage), r.value);
    if (const Node* gone = get(n, "remove")) standing.remove(*gone, std::string(kOfStage) + "remove", r.value);
    read_changes_of(n, std::string(kStage), in, standing, groups, r.value);
    for (const Case::Group& g : r.value.insert) {
      if (std::holds_alternative<Case::Pour>(g.place))
        in.report(n, g.key + ".place.pour",
                  "cannot come from outside: a checkpoint does not hold it; let the case pour, and open and close it");
    }
    if (in.whole) need_laws(n, c, s, r.value.insert, in);
    Node* const moves = n.find("move");
    for (Case::Move& m : r.value.move) {
      Node& words = *moves->find(m.wall);
      if (const Node* path = words.find("path"))
        in.report(*path, std::string(kOfStage) + "move." + m.wall + ".path",
                  "cannot come from outside: a checkpoint does not hold its file; give velocities one after the other");
      put_into_si(words);
      m.words = to_yaml(words);
    }
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
    Node words;
    if (parse_map(w.steered, words, out)) {
      const Node root = checked(map_of("move", map_of(w.name, std::move(words))), *units, files, out);
      Reading in(*units, files, out, root, asked);
      w.motion = read_motion(*root.items[0].items[0].find("move")->find(w.name), "move." + w.name, in);
    }
    const auto wrong = std::ranges::find(out, Diagnostic::Severity::error, &Diagnostic::severity);
    if (wrong != out.end()) return Error{"the motion of the wall '" + w.name + "' from outside: " + wrong->message};
  }
  return ok();
}

}  // namespace scree::io

// LIBS: scree_io
// Every key of the schema acts: in some random case another value of it gives another run - other bits, other output,
// another case that a checkpoint knows -, and in every example another value does so too, or is a mistake.
// Where a key cannot act because of another (a setting of a search that is not taken, ...) it is a mistake.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "exec/parallel.h"
#include "io/case/case_hash.h"
#include "io/case/key.h"
#include "io/case/read_case.h"
#include "io/case/schema.h"
#include "io/library/library.h"
#include "io/results/run_record.h"
#include "io/results/series.h"
#include "io/text/yaml_tree.h"
#include "oracle/case_values.h"
#include "oracle/random_case_writer.h"
#include "sim/measure.h"
#include "sim/schedule.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

/// A value of a case as it stands in the file.
struct Leaf {
  std::string place;  ///< for an override: "contacts[0].kn"
  const Key* key = nullptr;
  const Form* form = nullptr;
  const Node* node = nullptr;
  std::string beside;  ///< words and maps in the same map, for whoever looks for keys that hang on each other
};

std::string joined(const std::string& path, const std::string& name) { return path.empty() ? name : path + "." + name; }

void collect(const Node& n, const Entry& e, const std::string& path, const std::string& beside,
             std::vector<Leaf>& out) {
  if (n.form == nullptr) return;
  using Kind = Form::Kind;
  if (n.form->kind == Kind::map) {
    for (std::size_t i = 0; i < n.keys.size(); ++i)
      for (const Entry& k : e.keys) {
        if (k.name != n.keys[i].name) continue;
        std::string with;
        for (std::size_t j = 0; j < n.keys.size(); ++j) {
          const Node& other = n.items[j];
          if (j == i || other.form == nullptr) continue;
          if (other.form->kind == Kind::words) with += ' ' + n.keys[j].name + '=' + other.text;
          if (other.form->kind == Kind::map)
            for (const Node::Key& below : other.keys) with += ' ' + n.keys[j].name + '.' + below.name;
        }
        collect(n.items[i], k, joined(path, k.name), with, out);
      }
  } else if (n.form->kind == Kind::names) {
    for (std::size_t i = 0; i < n.keys.size(); ++i) collect(n.items[i], e, joined(path, n.keys[i].name), {}, out);
  } else if (n.form->kind == Kind::list && n.form->item[0].kind == Kind::map) {
    for (std::size_t i = 0; i < n.items.size(); ++i)
      collect(n.items[i], e, path + "[" + std::to_string(i) + "]", {}, out);
  } else if (e.key) {
    out.push_back({path, e.key, n.form, &n, beside});
  }
}

/// Other values of a scalar, those that may show most first.
std::vector<std::string> others(const Form& f, const Node& n, bool is_small) {
  using Kind = Form::Kind;
  std::vector<std::string> all;
  const auto add = [&](double v) {
    if (f.range.holds(v) && v != n.si) all.push_back(exact(v));
  };
  switch (f.kind) {
    case Kind::words:
      for (const std::string& w : f.words)
        if (w != n.text) all.push_back(w);
      break;
    case Kind::flag:
      all.emplace_back(n.text == "true" ? "false" : "true");
      break;
    case Kind::integer:
      for (const double v : {n.si + 1, n.si - 1}) add(v);
      break;
    case Kind::number:
    case Kind::quantity:
      for (const double v : {0.7 * n.si, 1.5 * n.si, 1e-3 * n.si, n.si == 0 ? 0.01 : 0.0, 20 * n.si, n.si + 0.05})
        add(v);
      break;
    case Kind::power_stiffness:
      all.emplace_back("0");
      break;
    default:
      for (const char* name : {"m0", "m1", "cube", "sphere", "lid", "drain", "other.txt", "1.1 mm", "steel", "pmma"})
        if (name != n.text) all.emplace_back(name);
  }
  if (is_small && all.size() > 2) all.resize(2);
  return all;
}

std::string to_text(const Node& n) {
  if (n.kind == Node::Kind::scalar) return n.text;
  std::string all;
  for (const Node& item : n.items) all += (all.empty() ? "" : ", ") + to_text(item);
  return "[" + all + "]";
}

/// Other values of a leaf. Of a list one item after the other changes.
std::vector<std::string> flips(const Form& f, const Node& n) {
  if (n.kind != Node::Kind::list) return others(f, n, false);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    const Node& item = n.items[i];
    for (const std::string& other :
         item.kind == Node::Kind::list ? flips(f.item[0], item) : others(f.item[0], item, n.items.size() > 2)) {
      std::string text;
      for (std::size_t k = 0; k < n.items.size(); ++k)
        text += (k > 0 ? ", " : "") + (k == i ? other : to_text(n.items[k]));
      all.push_back("[" + text + "]");
    }
  }
  return all;
}

/// What a run shows, as numbers: all of it goes into one hash.
class Traced : public RunWatch {
 public:
  Traced(const Case& c, std::uint64_t steps) : case_(c), steps_(steps) {}
  Status output(const Simulation& s, const Totals& t) override {
    add(s.time), add(t.kinetic_translation), add(t.elastic), add(static_cast<double>(s.contacts.size()));
    for (const Case::Measure& m : case_.measures)
      for (const double v : measure(s, m)) add(v);
    return ok();
  }
  void stage_ended(const Simulation& s, const StageEnd&) override { add(s.time); }
  void stage_begun(const Simulation& s) override { add(static_cast<double>(s.stage)); }
  Result<bool> before_step(Simulation& s, bool checkpoint_is_due) override {
    if (checkpoint_is_due) add(s.time + 0.5);
    return s.step < steps_;
  }
  void add(double v) { h_.value(v); }
  void add(const std::string& text) { add(static_cast<double>(text.size())), h_.bytes(text.data(), text.size()); }
  std::uint64_t digest() { return h_.digest(); }

 private:
  const Case& case_;
  std::uint64_t steps_;
  Hash64 h_;
};

/// What is written beside the state, and never changes it.
template <class To>
void add_what_is_written(const Case& c, To&& to) {
  to.add(c.title), to.add(c.output.contacts ? 1.0 : 0.0);
  for (const std::string& column : series_columns(c)) to.add(column);
  for (const Case::Group& g : c.particles) to.add(g.name);
  for (const Case::Stage& s : c.stages) {
    to.add(s.name);
    for (const std::string& m : s.measure) to.add(m);
  }
  for (const Case::Plot& p : plots_of(c)) {
    to.add(p.title), to.add(p.over);
    for (const std::string& column : p.of) to.add(column);
  }
}

constexpr std::uint64_t kSteps = 1500;

/// What random cases have no luck with: grains that overlap and need leave to, found by each of the searches with
/// settings, one inside a block whose sides let out what comes from behind, the index of one of three materials.
constexpr const char* kSearches[] = {
    "shortest_link, shortest_link: {mode: literal, tolerance: 0.001}",
    "common_plane, cundall: {largest_step: 0.1, smallest_step: 1e-3, shrink: 0.5, axes: fixed, tolerance: 1}",
    "fast, fast: {mode: paper, approximation: on, tolerance: 0.001, pad: 0.05}"};
std::string by_hand(const char* search) {
  return std::string(
             "{materials: {m0: {density: 2500}, m1: {density: 2600}, m2: {density: 2700}}, contacts: [{between: [any, "
             "any], law: linear, kn: 1e5, friction: 0.5, restitution: 0.5}], walls: {shell: {mesh: {file: brick.obj, s"
             "cale: 1 cm, sides: front}, material: m0}}, particles: [{shapes: cube, size: 2 cm, overlap: allow, place:"
             " {at: [[3 cm, 3 cm, 9 cm], [4.8 cm, 3.6 cm, 9.5 cm]]}, material: m0}, {shapes: [dodecahedron, octahedron"
             ", tetrahedron], size: 2 cm, place: {at: [[8 cm, 4 cm, 5 cm], [11 cm, 8 cm, 5 cm], [4.5 cm, 10 cm, 5 cm]]"
             "}, material: m0}, {shapes: [dodecahedron, grain14, octahedron], size: 2 cm, velocity: [0, 0, -1], place:"
             " {at: [[8.3 cm, 4.2 cm, 7.5 cm], [11.5 cm, 8.2 cm, 7.5 cm], [4.2 cm, 10.6 cm, 7.5 cm]]}, material: m1}, "
             "{shapes: sphere, size: 1 cm, velocity: [0, 0, -1], place: {at: [[3 cm, 3 cm, 7 mm]]}, material: m2}], me"
             "asure: {n0: {mixing: {material: m2, cells: [2, 2, 2], inside: {box: {min: [0, 0, 0], max: [14 cm, 14 cm,"
             " 12 cm]}}}}}, stages: [{duration: 50 ms}], output: {every: 1 ms}, detection: {contact_geometry: contact_"
             "zone, common_plane: ") +
         search + "}}";
}

constexpr std::uint64_t kMistaken = 0, kCannotBegin = 1;
std::uint64_t trace(const std::string& text, const fs::path& folder, const std::vector<std::string>& overrides) {
  const ReadCase read = read_case_text(text, (folder / "case.yaml").string(), overrides);
  if (has_errors(read.diagnostics)) return kMistaken;
  Traced watch(read.value, kSteps);
  add_what_is_written(read.value, watch);
  Result<Simulation> s = set_up(read.value, load_shape);
  if (!s) return kCannotBegin;
  Schedule schedule(read.value, load_shape, watch);
  schedule.leave_ledger_alone();
  const RunEnd end = schedule.go(*s);
  if (end.how == RunEnd::How::stage) return kCannotBegin;
  watch.add(s->dt), watch.add(s->fault ? s->fault->message : std::string());
  watch.add(static_cast<double>(state_hash(*s) >> 12U));
  watch.add(std::string(neighbour::name(search_choice(*s).method)));
  return watch.digest();
}

/// Keys that no run of a random case shows, and why.
const std::map<std::string, std::string>& silent() {
  static const std::map<std::string, std::string> all{
      {"detection.memory_order", "changes the speed alone"},
      {"detection.two_level.box", "changes the speed alone"},
      {"particles[].place.file.of_material", "needs a run's output: tests/unit/io_saved_grains.cpp"},
  };
  return all;
}

TEST(EveryKey, ActsInSomeCase) {
  exec::set_threads(1);
  const fs::path folder = fs::path(testing::TempDir()) / ("scree_every_key_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  oracle::write_files_of_cases(folder);
  std::ofstream(folder / "other.txt") << "8.5\n9\n";
  struct Seen {
    int acts = 0, nothing = 0, refused = 0;
  };
  std::map<std::string, Seen> seen;
  std::map<std::string, std::map<std::string, Seen>> with;
  const bool explores = std::getenv("SCREE_EXPLORE") != nullptr;
  const std::uint64_t cases = explores ? std::strtoull(std::getenv("SCREE_EXPLORE"), nullptr, 10) : 150;
  std::set<std::string> drawn;
  std::size_t runs = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::string text = i < std::size(kSearches) ? by_hand(kSearches[i]) : oracle::CaseWriter(3, i, &drawn)();
    Node root;
    std::vector<Diagnostic> out;
    ASSERT_TRUE(parse_yaml(text, "case.yaml", root, out));
    check(root, oracle::units(), {"case.yaml"}, out);
    std::vector<Leaf> leaves;
    collect(root, case_root(), {}, {}, leaves);
    std::uint64_t before = 0;
    for (const Leaf& leaf : leaves) {
      const std::string& path = leaf.key->path;
      const Seen& known = seen[path];
      if (!explores && (known.acts > 0 || (known.refused > 6 && known.nothing == 0) || silent().contains(path)))
        continue;
      if (explores && seen[path].acts > 60) continue;
      if (before == 0) before = trace(text, folder, {}), ++runs;
      ASSERT_TRUE(before == kCannotBegin || before > 1) << text;
      if (before == kCannotBegin) break;  // too crowded
      Seen now;
      for (const std::string& other : flips(*leaf.form, *leaf.node)) {
        const std::uint64_t after = trace(text, folder, {leaf.place + "=" + other});
        ++runs;
        (after == kMistaken ? now.refused : after == before ? now.nothing : now.acts) += 1;
        if (now.acts > 0) break;
      }
      const auto count = [&](Seen& s) { now.acts > 0 ? ++s.acts : now.nothing > 0 ? ++s.nothing : ++s.refused; };
      count(seen[path]);
      std::stringstream words(leaf.beside + (text.find("dimensions: 2") != std::string::npos ? " 2d" : " 3d"));
      for (std::string w; explores && words >> w;) count(with[path][w]);
    }
  }
  fs::remove_all(folder);
  std::printf("%zu runs\n", runs);
  std::size_t keys = 0;
  for (const Key& k : case_keys()) {
    const bool is_map = std::any_of(k.forms.begin(), k.forms.end(), [](const Form& f) {
      return f.kind == Form::Kind::map || f.kind == Form::Kind::names ||
             (f.kind == Form::Kind::list && f.item[0].kind == Form::Kind::map);
    });
    if ((is_map && !seen.contains(k.path)) || silent().contains(k.path) || !k.same_as.empty()) continue;
    ++keys;
    const Seen& s = seen[k.path];
    EXPECT_TRUE(s.acts > 0 || (s.refused > 0 && s.nothing == 0))
        << k.path << ": nothing came of other values in " << s.nothing << " cases, in " << s.refused
        << " all were mistakes";
    if (explores)
      for (const auto& [w, t] : with[k.path])
        if (t.acts == 0)
          std::printf("%s | %s: nothing %d refused %d\n", k.path.c_str(), w.c_str(), t.nothing, t.refused);
  }
  EXPECT_GT(keys, 150u);
}

/// What a checkpoint knows of a case, and what is written beside it.
std::uint64_t known_of(const Case& c) {
  Traced all(c, 0);
  for (std::uint64_t stage = 0; stage <= c.stages.size(); ++stage)
    for (const CasePart& p : case_parts(c, stage)) all.add(p.name), all.add(static_cast<double>(p.hash >> 12U));
  add_what_is_written(c, all);
  for (const auto& every : {std::optional(c.output.every), c.output.checkpoint}) all.add(every.value_or(-1));
  for (const Case::Stage& s : c.stages) all.add(s.output_every.value_or(-1));
  all.add(c.detection.deepest_overlap), all.add(static_cast<double>(c.detection.memory_order));
  for (const Case::Measure& m : c.measures) {
    for (const std::uint32_t id : m.ids) all.add(id);
    const Region where = m.inside.value_or(Region{});
    for (const Vec3 v : {where.min, where.max, m.centre.value_or(Vec3{})})
      for (std::size_t a = 0; a < 3; ++a) all.add(v[a]);
    all.add(where.radius);
  }
  return all.digest();
}

TEST(EveryKey, OfTheExamplesGivesAnotherCaseOrIsAMistake) {
  std::size_t mistakes = 0;
  std::set<std::string> seen;  // each key in the first example that has it, by name: reading them all takes long
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(SCREE_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  for (const fs::path& file : files) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    Node root;
    std::vector<Diagnostic> out;
    ASSERT_TRUE(parse_yaml(text.str(), "case.yaml", root, out));
    check(root, oracle::units(), {"case.yaml"}, out);
    std::vector<Leaf> leaves;
    collect(root, case_root(), {}, {}, leaves);
    const std::uint64_t before = known_of(read_case_text(text.str(), file.string()).value);
    for (const Leaf& leaf : leaves) {
      if (!seen.insert(leaf.key->path).second) continue;
      bool acts = false, is_mistake = false;
      for (const std::string& other : flips(*leaf.form, *leaf.node)) {
        const ReadCase read = read_case_text(text.str(), file.string(), {leaf.place + "=" + other});
        is_mistake |= has_errors(read.diagnostics);
        acts |= !has_errors(read.diagnostics) && known_of(read.value) != before;
        if (acts) break;
      }
      mistakes += acts ? 0 : 1;
      EXPECT_TRUE(acts || is_mistake) << file.filename() << ": " << leaf.place;
    }
  }
  EXPECT_GT(seen.size(), 80u);
  EXPECT_LT(mistakes, seen.size() / 4) << "what is refused shows little";
}

}  // namespace
}  // namespace scree::io

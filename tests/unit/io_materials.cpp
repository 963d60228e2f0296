// LIBS: scree_io
// The material library: what its files hold, and that a case with it is the case with the values written out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "io/case/case_hash.h"
#include "io/case/key.h"
#include "io/case/read_case.h"
#include "io/library/builtin_files.h"
#include "io/library/library.h"
#include "io/library/materials.h"
#include "io/text/files.h"
#include "sim/simulation.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const Units& units() {
  static const Units u = *Units::load();
  return u;
}

/// With folders of its own, so that nobody's own materials count.
struct Materials : testing::Test {
  fs::path home = fs::path(testing::TempDir()) / ("scree_materials_" + std::to_string(::getpid()));
  void SetUp() override {
    fs::create_directories(home / "scree/materials");
    ::setenv("XDG_DATA_HOME", home.c_str(), 1);
    ::unsetenv("SCREE_MATERIALS");
  }
  void TearDown() override {
    ::unsetenv("SCREE_MATERIALS");
    fs::remove_all(home);
  }
  void own(const std::string& name, const std::string& text) const {
    std::ofstream(home / "scree/materials" / (name + ".yaml")) << text;
  }
};

/// Two spheres of the material on a floor of it, by the law.
ReadCase two_spheres(const std::string& material, const std::string& law = "hertz_mindlin, restitution: 0.5",
                     const std::vector<std::string>& overrides = {}) {
  return read_case_text("materials: {m: " + material + "}\ncontacts: [{between: [m, m], law: " + law +
                            ", friction: 0.3}]\nwalls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, "
                            "material: m}}\nparticles: [{shapes: sphere, size: 1 cm, material: m, velocity: [0.1, 0, "
                            "-1], place: {at: [[0, 0, 5.0001 mm], [2 mm, 0, 15 mm]]}, overlap: allow}]\nstages: "
                            "[{duration: 1}]\n",
                        "x.yaml", overrides);
}

std::uint64_t hash_after(const Case& c, int steps) {
  Result<Simulation> s = set_up(c, load_shape);
  EXPECT_TRUE(s) << (s ? "" : s.error().message);
  if (!s) return 0;
  while (steps-- > 0) step(*s);
  EXPECT_GT(s->particles.velocity[0].z, -0.9999) << "it has not touched the floor";
  return state_hash(*s);
}

std::string written_out(const LibraryMaterial& m, const std::string& but = {}) {
  std::string text;
  for (const auto& [key, value] : m.values())
    if (value != nullptr && key != but) text += (text.empty() ? "" : ", ") + std::string(key) + ": " + value->text;
  return text;
}

TEST_F(Materials, BuiltInCopiesAreTheFiles) {
  std::set<std::string> built_in, files;
  for (const BuiltinFile& b : builtin_materials()) {
    built_in.insert(std::string(b.name));
    const auto bytes = read_file(fs::path(SCREE_SOURCE_DIR) / "materials" / (std::string(b.name) + ".yaml"));
    ASSERT_TRUE(bytes) << b.name;
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()), b.text);
  }
  for (const auto& f : fs::directory_iterator(SCREE_SOURCE_DIR "/materials")) files.insert(f.path().stem().string());
  EXPECT_EQ(built_in, files);
}

TEST_F(Materials, EachIsCompleteAndPlausible) {
  for (const BuiltinFile& b : builtin_materials()) {
    const Result<LibraryMaterial> m = parse_material(std::string(b.text), std::string(b.name), units());
    ASSERT_TRUE(m) << m.error().message;
    EXPECT_EQ(m->name, b.name);
    EXPECT_GT(m->description.size(), 5u) << b.name;
    EXPECT_GE(m->density.si, 100) << b.name;
    EXPECT_LE(m->density.si, 20000) << b.name;
    ASSERT_TRUE(m->young_modulus && m->poisson_ratio) << b.name;
    EXPECT_GE(m->young_modulus->si, 1e5) << b.name;
    EXPECT_LE(m->young_modulus->si, 1.3e12) << b.name;  // diamond
    EXPECT_GE(m->poisson_ratio->si, 0) << b.name;
    EXPECT_LT(m->poisson_ratio->si, 0.5) << b.name;
    if (m->restitution) {
      EXPECT_GT(m->restitution->si, 0.3) << b.name;
      EXPECT_LE(m->restitution->si, 1) << b.name;
    }
    // What waves in solids do: between those in soft rubber and in diamond.
    const double speed = std::sqrt(m->young_modulus->si / m->density.si);
    EXPECT_GT(speed, 20) << b.name;
    EXPECT_LT(speed, 20000) << b.name;
    // Each value says where it comes from.
    std::string sources;
    for (const std::string& s : m->sources) {
      EXPECT_GT(s.size(), 20u) << b.name << ": " << s;
      sources += s + "\n";
    }
    for (const auto& [key, value] : m->values()) {
      if (value == nullptr) continue;
      EXPECT_TRUE(has(sources, key) || has(sources, "all values: ")) << b.name << ": " << key;
      const std::string path = "materials.*." + std::string(key);
      EXPECT_TRUE(std::any_of(case_keys().begin(), case_keys().end(), [&](const Key& k) { return k.path == path; }));
    }
  }
  EXPECT_GE(builtin_materials().size(), 15u);
}

TEST_F(Materials, ACaseWithOneIsTheCaseWithItsValuesWrittenOut) {
  for (const LibraryMaterial& m : list_materials(units())) {
    ASSERT_EQ(m.problem, "");
    const std::string law = m.restitution ? "hertz_mindlin" : "hertz_mindlin, restitution: 0.5";
    const ReadCase from = two_spheres("{from: " + m.name + "}", law),
                   out = two_spheres("{" + written_out(m) + "}", law);
    ASSERT_TRUE(from.diagnostics.empty()) << m.name << format(from.diagnostics[0]);
    ASSERT_TRUE(out.diagnostics.empty()) << m.name << format(out.diagnostics[0]);
    EXPECT_EQ(from.value.materials[0].from, m.name);
    EXPECT_EQ(case_parts(from.value, 0), case_parts(out.value, 0)) << m.name;
    EXPECT_EQ(hash_after(from.value, 20), hash_after(out.value, 20)) << m.name;
    // A checkpoint of another release's library, whose values differ, is not gone on with.
    for (const auto& [key, value] : m.values()) {
      if (value == nullptr) continue;
      const std::string other = std::string(key) + ": " + std::to_string(0.9 * value->si);
      const ReadCase changed = two_spheres("{" + written_out(m, key) + ", " + other + "}", law);
      ASSERT_TRUE(changed.diagnostics.empty()) << m.name << format(changed.diagnostics[0]);
      EXPECT_NE(case_parts(from.value, 0), case_parts(changed.value, 0)) << m.name << ' ' << key;
      // What the case says goes before the library.
      const ReadCase beside = two_spheres("{from: " + m.name + ", " + other + "}", law);
      EXPECT_EQ(case_parts(beside.value, 0), case_parts(changed.value, 0)) << m.name << ' ' << key;
      EXPECT_EQ(hash_after(beside.value, 20), hash_after(changed.value, 20)) << m.name << ' ' << key;
    }
  }
}

TEST_F(Materials, AnOverrideGoesBeforeTheLibrary) {
  const ReadCase c = two_spheres("{from: steel}", "hertz_mindlin, restitution: 0.5",
                                 {"materials.m.young_modulus=1 GPa", "materials.m.from=glass"});
  ASSERT_TRUE(c.diagnostics.empty()) << format(c.diagnostics[0]);
  EXPECT_EQ(c.value.materials[0].young_modulus, 1e9);
  EXPECT_EQ(c.value.materials[0].density, load_material("glass", units())->density.si);
}

/// The mistakes of a case with this material, one a line.
std::string mistakes(const std::string& material, const std::string& law = "hertz_mindlin, restitution: 0.5") {
  std::string all;
  for (const Diagnostic& d : two_spheres(material, law).diagnostics) all += format(d) + "\n";
  return all;
}

TEST_F(Materials, MistakesInACaseSayWhatToWrite) {
  EXPECT_EQ(mistakes("{from: granit}"),
            "x.yaml:1:23: materials.m.from: no material granit in the library; did you mean granite? `scree materials` "
            "lists what there is\n");
  EXPECT_EQ(mistakes("{from: unobtainium}"),
            "x.yaml:1:23: materials.m.from: no material unobtainium in the library; `scree materials` lists what there "
            "is\n");
  EXPECT_EQ(mistakes("{from: ../steel}"),
            "x.yaml:1:23: materials.m.from: no material ../steel in the library; `scree materials` lists what there "
            "is\n");
  EXPECT_EQ(mistakes("{from: }"), "x.yaml:1:23: materials.m.from: expected a name, got nothing\n");
  EXPECT_EQ(mistakes("{from: ''}"), "x.yaml:1:23: materials.m.from: expected a name, got an empty text\n");
  EXPECT_EQ(mistakes("{from: [steel]}"), "x.yaml:1:23: materials.m.from: expected a name, got a list of 1\n");
  EXPECT_EQ(mistakes("{from: {name: steel}}"), "x.yaml:1:23: materials.m.from: expected a name, got a map\n");
  EXPECT_EQ(mistakes("{form: steel, density: 1}", "linear, kn: 1, restitution: 0.5"),
            "x.yaml:1:17: materials.m.form: unknown key; did you mean from?\n");
  EXPECT_TRUE(
      has(mistakes("{}"), "materials.m.density: missing; expected a density above 0, or the key from beside it"));
  EXPECT_EQ(mistakes("{from: steel, density: 2600 kg}"),
            "x.yaml:1:39: materials.m.density: expected a density, got 2600 kg (mass)\n");
}

TEST_F(Materials, OnesOwnCountAndMayLeaveOutWhatIsNotKnown) {
  own("slag", "name: slag\ndescription: of our furnace\ndensity: 3 t/m^3\nyoung_modulus: 40 GPa\nsources: [our own]\n");
  const ReadCase c = two_spheres("{from: slag}", "linear, kn: 1 MN/m, restitution: 0.5");
  ASSERT_TRUE(c.diagnostics.empty()) << format(c.diagnostics[0]);
  EXPECT_EQ(c.value.materials[0].density, 3000);
  EXPECT_TRUE(has(mistakes("{from: slag}"),
                  "hertz_mindlin needs young_modulus and poisson_ratio of both materials; add them to materials.m"));
  EXPECT_EQ(mistakes("{from: slag, poisson_ratio: 0.25}"), "");
  // The nearer folder goes before.
  own("steel", "name: steel\ndescription: heavier\ndensity: 8000\nsources: [our own]\n");
  EXPECT_EQ(load_material("steel", units())->density.si, 8000);
  fs::create_directories(home / "shared");
  std::ofstream(home / "shared/steel.yaml") << "name: steel\ndescription: x\ndensity: 9000\nsources: [our own]\n";
  ::setenv("SCREE_MATERIALS", (home / "shared").c_str(), 1);
  EXPECT_EQ(load_material("steel", units())->density.si, 9000);
}

TEST_F(Materials, MistakesInAFileAreAllNamedWithTheirPlace) {
  const auto m = parse_material(
      "name: A b\ndensity: 7 GPa\nyoung_moduls: 1\npoisson_ratio: 0.7\nrestitution: [1]\nsources: []\nvaries: {a: 1}\n",
      "f.yaml", units());
  ASSERT_FALSE(m);
  const std::string& text = m.error().message;
  for (const char* part :
       {"f.yaml:1:7: name: expected 1 to 64", "f.yaml:1:1: description: missing",
        "f.yaml:2:10: density: expected a density, got 7 GPa (pressure)",
        "f.yaml:3:1: young_moduls: unknown key; did you mean young_modulus?",
        "f.yaml:4:16: poisson_ratio: expected a number within its bounds, got 0.7",
        "f.yaml:5:14: restitution: expected a number", "f.yaml:6:10: sources: expected a list of 1 to 20 texts",
        "f.yaml:7:9: varies: expected a text"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  // A case that names such a file says so, and the list goes on with the others.
  own("slag", "name: other\ndescription: x\ndensity: 1\nsources: [x]\n");
  EXPECT_TRUE(has(mistakes("{from: slag}"), "materials.m.from: the material slag cannot be used: "));
  EXPECT_TRUE(has(mistakes("{from: slag}"), "the file is called slag.yaml, the material in it 'other'"));
  std::size_t problems = 0;
  for (const LibraryMaterial& one : list_materials(units())) problems += one.problem.empty() ? 0 : 1;
  EXPECT_EQ(problems, 1u);
  EXPECT_EQ(list_materials(units()).size(), builtin_materials().size() + 1);
  for (const char* bad : {"", "7", "- 1", "name: [", "\xff\xfe"}) EXPECT_FALSE(parse_material(bad, "f.yaml", units()));
}

}  // namespace
}  // namespace scree::io

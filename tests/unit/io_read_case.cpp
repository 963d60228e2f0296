// LIBS: scree_io
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "io/case/read_case.h"
#include "io/case/schema.h"
#include "oracle/law_names.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with the test.
class CaseFile : public testing::Test {
 protected:
  CaseFile() {
    std::string pattern = (fs::temp_directory_path() / "scree_read_case_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~CaseFile() override { fs::remove_all(folder_); }

  ReadCase read(const std::string& text, const std::vector<std::string>& set = {}) {
    std::ofstream(folder_ / "case.yaml", std::ios::binary) << text;
    return read_case((folder_ / "case.yaml").string(), set);
  }
  /// Every diagnostic as a line, the file by its name alone.
  std::vector<std::string> lines(const std::string& text, const std::vector<std::string>& set = {}) {
    return lines(read(text, set));
  }
  std::vector<std::string> lines(const ReadCase& r) {
    std::vector<std::string> l;
    for (Diagnostic d : r.diagnostics) {
      if (d.file.starts_with("/")) d.file = fs::path(d.file).filename().string();
      l.push_back(format(d));
    }
    return l;
  }
  std::string only(const std::string& text, const std::vector<std::string>& set = {}) {
    const auto l = lines(text, set);
    std::string all;
    for (const auto& s : l) all += (all.empty() ? "" : "\n") + s;
    return all;
  }
  fs::path folder_;
};

const std::string kGood = R"(title: Good
seed: 18446744073709551615
gravity: [0, 0, -9.81 m/s^2]
materials:
  stone: {density: 2.65 g/cm^3}
  steel: {density: 7850}
contacts:
  - {between: [stone, stone], law: bloks3d, kn: 130 kN/m, knn: 1.4e6 kN/m^3, exponent: 3, ks: 102 kN/m, friction_angle: 35 deg, damping: {ratio: 0.02}}
  - {between: [steel, stone], law: bloks3d, kn: 1 MN/m, ks: 0, friction: 0.5}
detection: {neighbours: brute_force, contact_geometry: contact_zone, skin: 1 mm, deepest_overlap: 0.7}
walls:
  box: {box: {min: [0, -1, 0], max: [30 cm, 1, 2], open: [z_max, y_min]}, material: steel}
  ramp: {plane: {point: [0, 0, 1 cm], normal: [0, 3, 4]}, material: steel, velocity: [1 mm/s, 0, 0]}
particles:
  - name: many
    count: 12
    shapes: [tetrahedron, cube]
    size: {uniform: [2 cm, 4 cm]}
    place: {lattice: {above: box, from: 1 cm, spacing: 5 cm}}
    material: stone
  - shapes: cube
    size: 10 mm
    orientation: [0.6, 0, 0, 0.8]
    place: {at: [[1 cm, 2 cm, 3 cm], [4, 5, 6]]}
    material: stone
    velocity: [0, 0, -1 m/s]
    angular_velocity: [60 rev/min, 0, 0]
stages:
  - {name: fill, duration: 0.5 s, until: {kinetic_energy_below: 1 mJ}}
  - name: change
    until: {kinetic_energy_below: 1e-9 J}
    remove: [box.x_max, ramp]
    add: {lid: {plane: {point: [0, 0, 1], normal: [0, 0, -1]}, material: steel}}
    gravity: [0, 0, -1]
    friction: [{between: [stone, steel], friction_angle: 45 degree}]
    move: {box: {velocity: [0, 1 cm/s, 0]}, lid: {velocity: [0, 0, -1]}}
    cut_above: 20 cm
    insert: [{count: 1, shapes: [cube], size: 1 cm, place: {lattice: {above: box}}, material: stone}]
    output: {every: 1 ms}
time_step: {fraction: 0.05}
output: {every: 5 ms, checkpoint: 0.1 s, contacts: false}
)";

/// kGood with other entries for its contacts and its stage's friction.
std::string with_contacts(const std::string& entries, const std::string& friction) {
  std::string text = kGood;
  const std::size_t begin = text.find("contacts:\n") + 10, end = text.find("detection:");
  text.replace(begin, end - begin, entries);
  const std::string old = "{between: [stone, steel], friction_angle: 45 degree}";
  return text.replace(text.find(old), old.size(), friction);
}

TEST_F(CaseFile, AnyStandsForThePairsWithoutAnEntryOfTheirOwn) {
  // The stiffness of the law of each pair that can meet, and its friction in the second stage.
  const auto laws = [&](const std::string& entries, const std::string& friction) {
    const ReadCase r = read(with_contacts(entries, friction));
    EXPECT_EQ(lines(r), std::vector<std::string>{});
    std::map<std::pair<int, int>, std::pair<double, double>> found;
    for (const Case::Contact& c : r.value.contacts) {
      const auto& law = std::get<contact::Bloks3d>(c.law);
      double tangent = -1;
      if (r.value.stages.size() == 2)
        for (const Case::FrictionChange& f : r.value.stages[1].friction)
          if (std::minmax(f.material_a, f.material_b) == std::minmax(c.material_a, c.material_b))
            tangent = std::tan(f.friction_angle);
      found[std::minmax(c.material_a, c.material_b)] = {law.kn, std::round(tangent * 1e6) / 1e6};
    }
    return found;
  };
  using Laws = std::map<std::pair<int, int>, std::pair<double, double>>;
  const std::string any = "  - {between: [any, any], law: bloks3d, kn: 1, ks: 1, friction: 0.5}\n";
  const std::string steel = "  - {between: [any, steel], law: bloks3d, kn: 2, ks: 1, friction: 0.5}\n";
  const std::string both = "  - {between: [stone, steel], law: bloks3d, kn: 3, ks: 1, friction: 0.5}\n";
  const std::string all_change = "{between: [any, any], friction: 0.25}";
  const std::string steel_change = "{between: [steel, any], friction: 0.125}";
  EXPECT_EQ(laws(any, all_change), (Laws{{{0, 0}, {1, 0.25}}, {{0, 1}, {1, 0.25}}}));
  EXPECT_EQ(laws(any + steel, all_change), (Laws{{{0, 0}, {1, 0.25}}, {{0, 1}, {2, 0.25}}}));
  EXPECT_EQ(laws(steel + any, steel_change), (Laws{{{0, 0}, {1, -1}}, {{0, 1}, {2, 0.125}}}));
  EXPECT_EQ(laws(both + any + steel, steel_change + ", " + all_change),
            (Laws{{{0, 0}, {1, 0.25}}, {{0, 1}, {3, 0.125}}}));
}

TEST_F(CaseFile, AnyThatSaysTwoThingsOrNoneIsAMistake) {
  const std::string change = "{between: [any, any], friction: 0.25}";
  const std::string law = ", law: bloks3d, kn: 1, ks: 1, friction: 0.5}\n";
  EXPECT_EQ(
      only(with_contacts("  - {between: [any, stone]" + law + "  - {between: [any, steel]" + law, change)),
      "case.yaml:8:3: contacts: contacts[0] and contacts[1] both give a law between stone and steel; add an entry "
      "with between: [stone, steel]");
  EXPECT_EQ(only(with_contacts("  - {between: [any, any]" + law + "  - {between: [any, any]" + law, change)),
            "case.yaml:9:15: contacts[1].between: this pair has its law in contacts[0] already");
  EXPECT_EQ(only(with_contacts("  - {between: [any, steel]" + law, change)),
            "case.yaml:8:3: contacts: no law between stone and stone (grains of many); add an entry with between: "
            "[stone, stone]");
  // Told once, not for every pair.
  EXPECT_EQ(only(with_contacts("  - {between: [any, any], law: linear, kn: 1, kt: 1, friction: 0.5}\n", change)),
            "case.yaml:8:5: contacts[0].restitution: missing; expected restitution or damping_ratio (restitution: 1 "
            "does not damp)");
}

TEST_F(CaseFile, MistakesOfAnEntryForAnyAreToldWhetherAPairNeedsItOrNot) {
  const std::string pairs =
      "  - {between: [stone, stone], law: bloks3d, kn: 1, ks: 1, friction: 0.5}\n"
      "  - {between: [stone, steel], law: bloks3d, kn: 1, ks: 1, friction: 0.5}\n";
  const std::string unused = "  - {between: [any, steel], law: linear, kn: 1, kt: 1, friction: 0.5}\n";
  EXPECT_EQ(only(with_contacts(pairs + unused, "{between: [stone, steel], friction: 0.25}")),
            "case.yaml:10:5: contacts[2].restitution: missing; expected restitution or damping_ratio (restitution: 1 "
            "does not damp)");
}

TEST_F(CaseFile, FrictionForAnyThatSaysTwoThingsIsAMistake) {
  const std::string law = "  - {between: [any, any], law: bloks3d, kn: 1, ks: 1, friction: 0.5}\n";
  EXPECT_EQ(only(with_contacts(law, "{between: [any, stone], friction: 0.1}, {between: [any, steel], friction: 0.2}")),
            "case.yaml:34:15: stages[1].friction: two entries with any fit stone and steel; add one with between: "
            "[stone, steel]");
  EXPECT_EQ(only(with_contacts(law, "{between: [any, any], friction: 0.1}, {between: [any, any], friction: 0.2}")),
            "case.yaml:34:64: stages[1].friction[1].between: these have a friction in this stage already");
}

TEST_F(CaseFile, EveryKeyArrives) {
  const ReadCase r = read(kGood);
  EXPECT_EQ(lines(r), std::vector<std::string>{});
  const Case& c = r.value;
  EXPECT_EQ(c.title, "Good");
  EXPECT_EQ(c.seed, 18446744073709551615ull);
  EXPECT_EQ(c.gravity, (Vec3{0, 0, -9.81}));
  ASSERT_EQ(c.materials.size(), 2u);
  EXPECT_EQ(c.materials[0].name, "stone");
  EXPECT_NEAR(c.materials[0].density, 2650, 1e-9);
  ASSERT_EQ(c.contacts.size(), 2u);
  const auto& law = std::get<contact::Bloks3d>(c.contacts[0].law);
  EXPECT_NEAR(law.kn, 130e3, 1e-9);
  EXPECT_NEAR(law.knn, 1.4e9, 1e-3);
  EXPECT_EQ(law.exponent, 3);
  EXPECT_NEAR(law.ks, 102e3, 1e-9);
  EXPECT_NEAR(law.friction_angle, 35 * std::numbers::pi / 180, 1e-15);
  EXPECT_EQ(law.damping_ratio, 0.02);
  EXPECT_EQ(law.damping_sliding, 0.01);
  EXPECT_EQ(law.damping_sticking, 0.9);
  const auto& other = std::get<contact::Bloks3d>(c.contacts[1].law);
  EXPECT_EQ(c.contacts[1].material_a, 1);
  EXPECT_EQ(c.contacts[1].material_b, 0);
  EXPECT_NEAR(std::tan(other.friction_angle), 0.5, 1e-15);
  EXPECT_EQ(other.knn, 0);
  EXPECT_EQ(other.damping_ratio, 0);
  EXPECT_EQ(c.detection.neighbours, neighbour::Method::brute_force);
  EXPECT_EQ(c.detection.contact_geometry, Case::ContactGeometry::contact_zone);
  EXPECT_NEAR(*c.detection.skin, 1e-3, 1e-18);
  EXPECT_EQ(c.detection.deepest_overlap, 0.7);
  EXPECT_EQ(c.time_step.fraction, 0.05);
  EXPECT_FALSE(c.time_step.fixed);
  EXPECT_NEAR(c.output.every, 5e-3, 1e-18);
  EXPECT_NEAR(*c.output.checkpoint, 0.1, 1e-15);
  EXPECT_FALSE(c.output.contacts);
}

TEST_F(CaseFile, EveryNeighbourSearchHasItsWord) {
  using enum neighbour::Method;
  const std::string text = kGood;
  const std::string given = "neighbours: brute_force";
  const std::size_t at = text.find(given);
  ASSERT_NE(at, std::string::npos);
  for (const neighbour::Method m :
       {brute_force, nbs, two_level, dess, sorted_grid, multi_level_grid, clusters, automatic}) {
    std::string changed = text;
    changed.replace(at, given.size(), "neighbours: " + std::string(neighbour::name(m)));
    EXPECT_EQ(read(changed).value.detection.neighbours, m) << neighbour::name(m);
  }
}

TEST_F(CaseFile, ABoxBecomesPlanesThatLookInwards) {
  const Case c = read(kGood).value;
  ASSERT_EQ(c.boxes.size(), 1u);
  EXPECT_EQ(c.boxes[0].max, (Vec3{0.3, 1, 2}));
  ASSERT_EQ(c.walls.size(), 5u);  // four sides and the ramp
  const char* names[] = {"box.x_min", "box.x_max", "box.y_max", "box.z_min", "ramp"};
  const Vec3 middle = 0.5 * (c.boxes[0].min + c.boxes[0].max);
  for (std::size_t i = 0; i < 5; ++i) {
    const Case::Wall& w = c.walls[i];
    EXPECT_EQ(w.name, names[i]);
    EXPECT_EQ(w.material, 1);
    EXPECT_NEAR(norm(w.normal), 1, 1e-15);
    EXPECT_GT(dot(w.normal, middle - w.point), 0);
    EXPECT_EQ(w.outline.has_value(), i < 4);
    if (!w.outline) continue;
    for (const Vec3 corner : *w.outline) {
      EXPECT_EQ(dot(w.normal, corner - w.point), 0);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(corner[k] == c.boxes[0].min[k] || corner[k] == c.boxes[0].max[k]);
    }
    // the corners run round the face: neighbours differ along one axis, the diagonal spans the face
    EXPECT_NEAR(norm(cross((*w.outline)[2] - (*w.outline)[0], (*w.outline)[3] - (*w.outline)[1])) / 2,
                norm((*w.outline)[1] - (*w.outline)[0]) * norm((*w.outline)[2] - (*w.outline)[1]), 1e-12);
  }
  EXPECT_EQ(c.walls[4].normal, (Vec3{0, 0.6, 0.8}));
  EXPECT_NEAR(c.walls[4].motion.velocity.x, 1e-3, 1e-18);
}

TEST_F(CaseFile, GroupsArrive) {
  const Case c = read(kGood).value;
  ASSERT_EQ(c.particles.size(), 2u);
  const Case::Group &a = c.particles[0], &b = c.particles[1];
  EXPECT_EQ(a.name, "many");
  EXPECT_EQ(a.count, 12u);
  EXPECT_EQ(a.shapes, (std::vector<std::string>{"tetrahedron", "cube"}));
  EXPECT_EQ(a.size.kind, Case::Size::Kind::uniform);
  EXPECT_NEAR(a.size.a, 0.02, 1e-17);
  EXPECT_NEAR(a.size.b, 0.04, 1e-17);
  EXPECT_TRUE(a.orientation.random);
  const auto& lattice = std::get<Case::Lattice>(a.place);
  EXPECT_EQ(lattice.box, 0);
  EXPECT_NEAR(lattice.from, 0.01, 1e-17);
  EXPECT_NEAR(*lattice.spacing, 0.05, 1e-17);
  EXPECT_EQ(a.key, "particles[0]");
  EXPECT_EQ(b.name, "group_2");
  EXPECT_EQ(b.count, 2u);
  EXPECT_EQ(b.size.kind, Case::Size::Kind::fixed);
  EXPECT_NEAR(b.size.a, 0.01, 1e-17);
  EXPECT_FALSE(b.orientation.random);
  EXPECT_EQ(b.orientation.fixed, (Quat{0.6, 0, 0, 0.8}));
  EXPECT_EQ(std::get<Case::AtPoints>(b.place).points[1], (Vec3{4, 5, 6}));
  EXPECT_NEAR(std::get<Case::AtPoints>(b.place).points[0].z, 0.03, 1e-17);
  EXPECT_EQ(b.velocity, (Vec3{0, 0, -1}));
  EXPECT_NEAR(b.angular_velocity.x, 2 * std::numbers::pi, 1e-12);
}

TEST_F(CaseFile, StagesArrive) {
  const Case c = read(kGood).value;
  ASSERT_EQ(c.stages.size(), 2u);
  const Case::Stage &a = c.stages[0], &b = c.stages[1];
  EXPECT_EQ(a.name, "fill");
  EXPECT_EQ(*a.duration, 0.5);
  EXPECT_NEAR(*a.kinetic_energy_below, 1e-3, 1e-18);
  EXPECT_FALSE(b.duration);
  EXPECT_EQ(b.remove, (std::vector<std::string>{"box.x_max", "ramp"}));
  ASSERT_EQ(b.add.size(), 1u);
  EXPECT_EQ(b.add[0].name, "lid");
  EXPECT_EQ(b.gravity->z, -1);
  ASSERT_EQ(b.friction.size(), 1u);
  EXPECT_NEAR(b.friction[0].friction_angle, std::numbers::pi / 4, 1e-15);
  ASSERT_EQ(b.move.size(), 2u);
  EXPECT_EQ(b.move[0].wall, "box");
  EXPECT_NEAR(b.move[0].motion.velocity.y, 0.01, 1e-17);
  EXPECT_NEAR(b.cut_above->height, 0.2, 1e-16);
  ASSERT_EQ(b.insert.size(), 1u);
  EXPECT_EQ(b.insert[0].count, 1u);
  EXPECT_NEAR(*b.output_every, 1e-3, 1e-18);
}

/// A case that gives none has the defaults of its structs; those of the documentation: unit/io_case_keys.cpp.
TEST_F(CaseFile, DefaultsAreThoseOfACase) {
  const ReadCase r = read(R"(
materials: {stone: {density: 1}}
particles: [{shapes: cube, size: 1, place: {at: [[0, 0, 0]]}, material: stone}]
stages: [{duration: 1}]
)");
  EXPECT_EQ(lines(r), std::vector<std::string>{});
  const Case fresh;
  EXPECT_EQ(r.value.seed, fresh.seed);
  EXPECT_EQ(r.value.gravity, fresh.gravity);
  EXPECT_EQ(r.value.time_step.fraction, fresh.time_step.fraction);
  EXPECT_EQ(r.value.output.every, 0.01);
  EXPECT_EQ(r.value.stages[0].name, "stage_1");
}

/// The place that a message names holds what the message is about: the unknown key, or the value that was got.
void expect_place(const std::string& text, const Diagnostic& d) {
  std::stringstream in(text);
  std::string line;
  for (int l = 0; l < d.line; ++l) ASSERT_TRUE(std::getline(in, line));
  ASSERT_LE(static_cast<std::size_t>(d.column), line.size());
  const std::string there = line.substr(static_cast<std::size_t>(d.column) - 1);
  if (d.message.starts_with("unknown key")) {
    EXPECT_TRUE(there.starts_with(d.key.substr(d.key.rfind('.') + 1))) << there;
  } else if (const std::size_t got = d.message.find(", got "); got != std::string::npos) {
    const std::string value = d.message.substr(got + 6, d.message.find_first_of(" ;", got + 6) - got - 6);
    const bool named = value != "a" && value != "nothing" && value != "[0," && value != "length" &&
                       d.message.find("only one") == std::string::npos;
    EXPECT_TRUE(!named || there.starts_with(value)) << there << " / " << d.message;
  }
}

/// One change to the good case, and the whole of what is said about it.
struct Mistake {
  const char* from;
  const char* to;
  std::string said;
};
class OneMistake : public CaseFile, public testing::WithParamInterface<Mistake> {};

TEST_P(OneMistake, IsNamedWithItsPlace) {
  const Mistake& m = GetParam();
  std::string text = kGood;
  const std::size_t at = text.find(m.from);
  ASSERT_NE(at, std::string::npos) << m.from;
  text.replace(at, std::string(m.from).size(), m.to);
  EXPECT_EQ(only(text), m.said);
  for (const Diagnostic& d : read(text).diagnostics) expect_place(text, d);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, OneMistake,
    testing::Values(
        Mistake{"title: Good", "titel: Good", "case.yaml:1:1: titel: unknown key; did you mean title?"},
        Mistake{"title: Good", "xyzzy: Good",
                "case.yaml:1:1: xyzzy: unknown key; known here: title, seed, dimensions, thickness, gravity, damping, "
                "periodic, "
                "materials, contacts, bonds, clusters, detection, "
                "walls, particles, outlets, measure, "
                "stages, time_step, output"},
        Mistake{"title: Good", "friction_angle: 3",
                "case.yaml:1:1: friction_angle: unknown key; it belongs in contacts[] or stages[].friction[]"},
        Mistake{"title: Good", "<<: {seed: 1}", "case.yaml:1:1: <<: unknown key; YAML's merge key is not supported"},
        Mistake{"title: Good", "title:", "case.yaml:1:1: title: expected a text, got nothing"},
        Mistake{"title: Good", "seed: 3", "case.yaml:2:1: seed: given twice, first in line 1"},
        Mistake{"seed: 18446744073709551615", "seed: 18446744073709551616",
                "case.yaml:2:7: seed: expected an integer from 0 up, got 18446744073709551616"},
        Mistake{"seed: 18446744073709551615", "seed: -1", "case.yaml:2:7: seed: expected an integer from 0 up, got -1"},
        Mistake{"-9.81 m/s^2]", "-9.81 m/s]",
                "case.yaml:3:17: gravity[2]: expected an acceleration, got -9.81 m/s (velocity)"},
        Mistake{"[0, 0, -9.81 m/s^2]", "-9.81",
                "case.yaml:3:10: gravity: expected a list of 3 accelerations, got -9.81"},
        Mistake{"[0, 0, -9.81 m/s^2]", "[0, -9.81]",
                "case.yaml:3:10: gravity: expected a list of 3 accelerations, got a list of 2"},
        Mistake{"density: 2.65 g/cm^3", "density: 3 GPa",
                "case.yaml:5:20: materials.stone.density: expected a density, got 3 GPa (pressure)"},
        Mistake{"density: 2.65 g/cm^3", "density: 0",
                "case.yaml:5:20: materials.stone.density: expected a density above 0, got 0"},
        Mistake{"density: 2.65 g/cm^3", "density: abc",
                "case.yaml:5:20: materials.stone.density: expected a density, got abc (no number)"},
        Mistake{"density: 2.65 g/cm^3", "density: .nan",
                "case.yaml:5:20: materials.stone.density: expected a density, got .nan (not a finite number)"},
        Mistake{
            "{density: 2.65 g/cm^3}", "{}",
            "case.yaml:5:10: materials.stone.density: missing; expected a density above 0, or the key from beside it"},
        Mistake{
            "  steel: {density: 7850}", "  steel: {density: 7850}\n  a.b: {density: 1}",
            "case.yaml:7:3: materials: expected a name of letters, digits, _ and - that begins with a letter, got a.b"},
        Mistake{"between: [stone, stone]", "between: [stone, stonee]",
                "case.yaml:8:23: contacts[0].between[1]: no material stonee; did you mean stone?"},
        Mistake{"between: [steel, stone]", "between: [stone, stone]",
                "case.yaml:9:15: contacts[1].between: this pair has its law in contacts[0] already\n"
                "case.yaml:35:26: stages[1].friction[0].between: this pair has no law in contacts"},
        Mistake{"  steel: {density: 7850}", "  steel: {density: 7850}\n  any: {density: 1}",
                "case.yaml:7:8: materials.any: a material cannot be called any, which stands for all of them in "
                "`between`"},
        Mistake{"between: [stone, steel]", "between: [steel, steel]",
                "case.yaml:35:26: stages[1].friction[0].between: this pair has no law in contacts"},
        Mistake{"law: bloks3d", "law: hertz",
                "case.yaml:8:36: contacts[0].law: expected one of " + oracle::law_names() + ", got hertz"},
        Mistake{"kn: 130 kN/m,", "", "case.yaml:8:5: contacts[0].kn: missing; expected a stiffness from 0 up"},
        Mistake{"kn: 130 kN/m,", "kn: 130 kN,",
                "case.yaml:8:49: contacts[0].kn: expected a stiffness, got 130 kN (force)"},
        Mistake{"knn: 1.4e6 kN/m^3", "knn: 1.4e6 kN/m^2",
                "case.yaml:8:64: contacts[0].knn: expected a stiffness from 0 up in N/m^3 (exponent 3), got 1.4e6 "
                "kN/m^2 (pressure)"},
        Mistake{" exponent: 3,", "", "case.yaml:8:64: contacts[0].knn: needs exponent beside it"},
        Mistake{"exponent: 3,", "exponent: 11,",
                "case.yaml:8:88: contacts[0].exponent: expected a number from 1 to 10, got 11"},
        Mistake{"friction_angle: 35 deg", "friction_angle: 35",
                "case.yaml:8:121: contacts[0].friction_angle: expected an angle from 0 to below 90 degree, got 35 rad; "
                "write 35 degree for degrees"},
        Mistake{"friction: 0.5", "friction: 0.5, friction_angle: 3 deg",
                "case.yaml:9:74: contacts[1]: expected only one of friction_angle, friction, got friction_angle and "
                "friction"},
        Mistake{", friction: 0.5", "", "case.yaml:9:5: contacts[1]: missing; expected one of friction_angle, friction"},
        Mistake{"{ratio: 0.02}", "{ratio: -1}",
                "case.yaml:8:146: contacts[0].damping.ratio: expected a number from 0 up, got -1"},
        Mistake{"neighbours: brute_force", "neighbours: two_levle",
                "case.yaml:10:25: detection.neighbours: expected one of auto, brute_force, nbs, two_level, dess, "
                "sorted_grid, multi_level_grid, clusters, single_level, multi_level, got two_levle; did you mean "
                "two_level?"},
        Mistake{"skin: 1 mm", "skin: atuo",
                "case.yaml:10:76: detection.skin: expected a length or auto, got atuo (no number); did you mean auto?"},
        Mistake{"deepest_overlap: 0.7", "deepest_overlap: 2",
                "case.yaml:10:99: detection.deepest_overlap: expected a number above 0 to 1, got 2"},
        Mistake{"open: [z_max, y_min]", "open: [z_top]",
                "case.yaml:12:59: walls.box.box.open[0]: expected one of x_min, x_max, y_min, y_max, z_min, z_max, got "
                "z_top"},
        Mistake{"max: [30 cm, 1, 2]", "max: [-30 cm, 1, 2]",
                "case.yaml:12:38: walls.box.box.max[0]: expected more than min's 0, got -30 cm"},
        Mistake{"normal: [0, 3, 4]", "normal: [0, 0, 0]",
                "case.yaml:13:47: walls.ramp.plane.normal: expected a direction, got [0, 0, 0]"},
        Mistake{"plane: {point: [0, 0, 1 cm], normal: [0, 3, 4]}, ", "",
                "case.yaml:13:9: walls.ramp: missing; expected one of box, plane, mesh, cylinder, cone"},
        Mistake{"    count: 12\n", "",
                "case.yaml:15:5: particles[0].count: missing; expected an integer from 1 to 100000000"},
        Mistake{"    count: 12\n", "    radius: 3 GPa\n    count: 12\n",
                "case.yaml:16:5: particles[0].radius: unknown key; it belongs in clusters.*.packed_sphere or "
                "clusters.*.tablet or walls.*.cylinder or particles[].place.random.inside.cylinder"},
        Mistake{"count: 12", "count: 1e3",
                "case.yaml:16:12: particles[0].count: expected an integer from 1 to 100000000, got 1e3"},
        Mistake{"count: 12", "count: 1000000000",
                "case.yaml:16:12: particles[0].count: expected an integer from 1 to 100000000, got 1000000000"},
        Mistake{"[tetrahedron, cube]", "[tetrahedrn, cube]",
                "case.yaml:17:14: particles[0].shapes[0]: no shape tetrahedrn; did you mean tetrahedron?"},
        Mistake{"[tetrahedron, cube]", "[]",
                "case.yaml:17:13: particles[0].shapes: expected a list of 1 to 1000 names, got a list of 0"},
        Mistake{"size: {uniform: [2 cm, 4 cm]}", "size: 3 GPa",
                "case.yaml:18:11: particles[0].size: expected a length, got 3 GPa (pressure)"},
        Mistake{"size: {uniform: [2 cm, 4 cm]}", "size: 3 metrs",
                "case.yaml:18:11: particles[0].size: expected a length, got 3 metrs (unknown unit metrs; did you mean "
                "metre?)"},
        Mistake{"size: {uniform: [2 cm, 4 cm]}", "size: -3 cm",
                "case.yaml:18:11: particles[0].size: expected a length above 0, got -3 cm"},
        Mistake{"size: {uniform: [2 cm, 4 cm]}", "size: [1, 2]",
                "case.yaml:18:11: particles[0].size: expected a map with uniform, normal, log_normal, weibull, ... or "
                "a length "
                "above 0, got a list of 2"},
        Mistake{"{uniform: [2 cm, 4 cm]}", "{uniform: [4 cm, 2 cm]}",
                "case.yaml:18:28: particles[0].size.uniform[1]: expected at least the smallest size, 4 cm, got 2 cm"},
        Mistake{"above: box", "above: bax",
                "case.yaml:19:30: particles[0].place.lattice.above: no box bax; did you mean box?"},
        Mistake{"above: box", "above: ramp",
                "case.yaml:19:30: particles[0].place.lattice.above: no box ramp; there is box"},
        Mistake{"shapes: cube\n", "shapes: cube\n    count: 3\n",
                "case.yaml:22:12: particles[1].count: expected 2, the number of points of place.at, got 3"},
        Mistake{"[0.6, 0, 0, 0.8]", "[0.6, 0, 0, 0.9]",
                "case.yaml:23:18: particles[1].orientation: expected a unit quaternion [w, x, y, z] (length 1 within "
                "1e-6), got length 1.08166538"},
        Mistake{"    material: stone\n    velocity", "    material: sand\n    velocity",
                "case.yaml:25:15: particles[1].material: no material sand; there is stone, steel"},
        Mistake{
            "remove: [box.x_max, ramp]", "remove: [box.x_max, box.z_max]",
            "case.yaml:32:25: stages[1].remove[1]: no wall box.z_max stands at this point; did you mean box.y_max?"},
        Mistake{
            "remove: [box.x_max, ramp]", "remove: [box.x_max, box.x_max]",
            "case.yaml:32:25: stages[1].remove[1]: no wall box.x_max stands at this point; did you mean box.y_max?"},
        Mistake{"add: {lid:", "add: {box:",
                "case.yaml:33:16: stages[1].add.box: there is a wall of this name already\n"
                "case.yaml:36:45: stages[1].move: no wall lid stands at this point; there is box, box.x_min, "
                "box.y_max, box.z_min"},
        Mistake{"move: {box:", "move: {ramp:",
                "case.yaml:36:12: stages[1].move: no wall ramp stands at this point; there is box, box.x_min, "
                "box.y_max, box.z_min, lid"},
        Mistake{"name: change\n    until: {kinetic_energy_below: 1e-9 J}", "name: change",
                "case.yaml:30:5: stages[1].duration: missing; a stage needs duration, until or both"},
        Mistake{"name: change", "name: fill", "case.yaml:30:11: stages[1].name: there is a stage fill already"},
        Mistake{"{fraction: 0.05}", "{fraction: 2}",
                "case.yaml:40:23: time_step.fraction: expected a number above 0 to 1, got 2"},
        Mistake{"{fraction: 0.05}", "0 s", "case.yaml:40:12: time_step: expected a time above 0 or auto, got 0 s"},
        Mistake{"contacts: false", "contacts: no", "case.yaml:41:52: output.contacts: expected true or false, got no"},
        Mistake{"every: 5 ms", "evry: 5 ms", "case.yaml:41:10: output.evry: unknown key; did you mean every?"},
        Mistake{"contacts: false", "plots: [{over: time}]",
                "case.yaml:41:50: output.plots[0].of: missing; expected a list of 1 to 1000 texts or a text"},
        Mistake{"contacts: false", "plots: [{of: contact}]",
                "case.yaml:41:55: output.plots[0].of: series.csv has no column contact; did you mean contacts?"},
        Mistake{"contacts: false", "plots: [{of: [contacts, elastic]}]",
                "case.yaml:41:66: output.plots[0].of[1]: contacts and elastic [J] have different units; give each unit "
                "its plot"},
        Mistake{"contacts: false", "plots: [{of: time}]",
                "case.yaml:41:55: output.plots[0].of: time is no column to draw; it belongs in `over`"},
        Mistake{"contacts: false", "plots: [{of: [contacts, time], over: contacts}]",
                "case.yaml:41:66: output.plots[0].of[1]: time is no column to draw; it belongs in `over`"},
        Mistake{"contacts: false", "plots: [{of: contacts, over: force lid}]",
                "case.yaml:41:71: output.plots[0].over: force lid means 3 columns, as force lid x; a plot stands over "
                "one"}));

TEST_F(CaseFile, AReportHasAHundredPlotsAtMost) {
  const auto with_plots = [&](int n) {
    std::string list;
    for (int k = 0; k < n; ++k) list += k > 0 ? ", {of: contacts}" : "{of: contacts}";
    std::string text = kGood;
    const std::string old = "contacts: false";
    return only(text.replace(text.find(old), old.size(), "plots: [" + list + "]"));
  };
  EXPECT_EQ(with_plots(100), "");
  EXPECT_EQ(with_plots(101), "case.yaml:41:49: output.plots: expected a list of 0 to 100 maps, got a list of 101");
}

TEST_F(CaseFile, APairThatCanMeetNeedsALaw) {
  std::string text = kGood;
  const std::size_t at = text.find("  - {between: [steel, stone]");
  text.erase(at, text.find('\n', at) - at + 1);
  const std::size_t friction = text.find("    friction: [{between");
  text.erase(friction, text.find('\n', friction) - friction + 1);
  EXPECT_EQ(only(text),
            "case.yaml:8:3: contacts: no law between stone and steel (grains of many and the wall box.x_min); add an "
            "entry with between: [stone, steel]");
}

TEST_F(CaseFile, AllMistakesAreShownInTheOrderOfTheFile) {
  std::string text = kGood;
  for (const auto& [from, to] : {std::pair{"title: Good", "titel: Good"},
                                 {"7850", "-1"},
                                 {"kn: 1 MN/m", "kn: 3 m"},
                                 {"every: 5 ms", "every: never"}})
    text.replace(text.find(from), std::string(from).size(), to);
  EXPECT_EQ(lines(text),
            (std::vector<std::string>{"case.yaml:1:1: titel: unknown key; did you mean title?",
                                      "case.yaml:6:20: materials.steel.density: expected a density above 0, got -1",
                                      "case.yaml:9:49: contacts[1].kn: expected a stiffness, got 3 m (length)",
                                      "case.yaml:41:17: output.every: expected a time, got never (no number)"}));
}

TEST_F(CaseFile, TextThatIsNoCase) {
  EXPECT_EQ(only(""), "case.yaml: the file is empty");
  EXPECT_EQ(only("# nothing\n\n"), "case.yaml: the file is empty");
  EXPECT_EQ(only("just words\n"), "case.yaml:1:1: expected a map with materials, stages, ..., got just words");
  EXPECT_EQ(only("- 1\n- 2\n"), "case.yaml:1:1: expected a map with materials, stages, ..., got a list of 2");
  EXPECT_EQ(only("title: a\n---\ntitle: b\n"), "case.yaml:3:1: a second YAML document begins; a case is one document");
  EXPECT_EQ(only("title: [a, b"), "case.yaml:1:8: not valid YAML: the [ that opens here is not closed");
  EXPECT_EQ(only("seed: 3\ngravity: [0, {a: [1]}, 2\nwalls: {}\n"),
            "case.yaml:2:10: not valid YAML: the [ that opens here is not closed");
  EXPECT_EQ(only("title: the '90s in [0, 1)\nseed: 1: 2\n"), "case.yaml:2:8: not valid YAML: illegal map value");
  EXPECT_EQ(only("title: |\n  'hi\nseed: 1: 2\n"), "case.yaml:3:8: not valid YAML: illegal map value");
  // yaml-cpp takes the rest of the file for the text.
  for (const char* quote : {"\"", "'"})
    EXPECT_EQ(only(std::string("seed: 3\ntitle: ") + quote + "abc # [\nstages: []\n"),
              "case.yaml:2:8: not valid YAML: the quote that opens here is not closed");
  EXPECT_EQ(only("a:\n\tb: 3"),
            "case.yaml:2:3: not valid YAML: illegal map value; this line begins with a tab, use blanks");
  EXPECT_EQ(only("title: a: b"), "case.yaml:1:9: not valid YAML: illegal map value");
  EXPECT_EQ(only("title: caf\xe9"), "case.yaml:1:11: a byte that is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(only(std::string("title: \0a", 9)), "case.yaml:1:8: a control character: this is not a text file");
  EXPECT_EQ(only(std::string("\xff\xfet\0i\0", 6)), "case.yaml:1:1: the text is UTF-16; save the file as UTF-8");
  EXPECT_EQ(only("\x7f"
                 "ELF\x02\x01"),
            "case.yaml:1:1: a control character: this is not a text file");
}

TEST_F(CaseFile, ByteOrderMarkAndOldLineEndsAreRead) {
  EXPECT_EQ(only("\xEF\xBB\xBF" + kGood), "");
  std::string windows;
  for (const char c : kGood) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(only(windows), "");
  EXPECT_EQ(only("\r\n\r\ntitel: 3\r\n").substr(0, 14), "case.yaml:3:1:");
}

TEST_F(CaseFile, FilesThatAreNoFile) {
  auto said = [&](const fs::path& p) {
    const ReadCase r = read_case(p.string());
    return r.diagnostics.empty() ? "" : r.diagnostics[0].message;
  };
  std::ofstream(folder_ / "box_fill.yaml") << kGood;
  EXPECT_EQ(said(folder_ / "box_fil.yaml"),
            "no such file; searched in " + folder_.string() + "; did you mean box_fill.yaml?");
  EXPECT_EQ(said(folder_ / "away" / "x.yaml"),
            "no such file; the folder " + (folder_ / "away").string() + " is not there either");
  EXPECT_EQ(said(folder_), "is a folder; a case file was expected");
  EXPECT_EQ(said("/dev/zero"), "larger than 16 MiB; a case file is a few kB");
  EXPECT_EQ(said("/dev/null"), "the file is empty");
  if (::geteuid() != 0) {
    std::ofstream(folder_ / "secret.yaml") << kGood;
    ::chmod((folder_ / "secret.yaml").c_str(), 0);
    EXPECT_EQ(said(folder_ / "secret.yaml"), "cannot be opened; is reading it permitted?");
  }
}

TEST_F(CaseFile, BombsEndInOneSentence) {
  std::string laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    laughs += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) laughs += std::string(i > 0 ? ", " : "") + "*" + static_cast<char>(c - 1);
    laughs += "]\n";
  }
  EXPECT_NE(only(laughs).find("not valid YAML: more than 1000000 values, aliases counted in full"), std::string::npos);

  const std::string blob(1 << 20, 'x');
  std::string wide = "a: &a " + blob + "\nb: [";
  for (int i = 0; i < 100000; ++i) wide += "*a,";
  EXPECT_NE(only(wide + "]\n").find("more than 1000000 values"), std::string::npos);

  EXPECT_EQ(only("a: &a [*a]\n"), "case.yaml:1:8: not valid YAML: an alias inside what it stands for");
  EXPECT_NE(only("a: *b\n").find("not valid YAML"), std::string::npos);

  std::string steps;
  for (int i = 0; i < 200; ++i) steps += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(only(steps), "case.yaml:65:65: not valid YAML: nested deeper than 64 levels");
  std::string dashes, questions, brackets = "a: ", lines_of_brackets = "a:\n";
  for (int i = 0; i < 100000; ++i) dashes += "- ", questions += "? ", brackets += "[", lines_of_brackets += " [\n";
  for (const std::string& deep :
       {dashes, questions, brackets, lines_of_brackets, std::string(100000, '['), std::string(100000, '{')})
    EXPECT_NE(only(deep).find("not valid YAML"), std::string::npos);

  std::string chain = "a0: &a0 {a: 1}\n";  // an alias in an alias in an alias: 100 levels deep without a deep text
  for (int i = 1; i < 100; ++i)
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {a: *a" + std::to_string(i - 1) + "}\n";
  EXPECT_NE(only(chain).find("nested deeper than 64 levels"), std::string::npos);

  std::string keys;  // a long key, named again and again
  for (int i = 0; i < 1000; ++i) keys += std::string(150, 'k') + ": 1\n";
  EXPECT_LE(lines(keys).size(), kMaxDiagnostics + 1);
  EXPECT_NE(only(std::string(1000, 'k') + ": 1\n").find("a key of more than 200 characters"), std::string::npos);
  EXPECT_EQ(only("title: " + std::string(kMaxFileBytes, 'x')),
            "case.yaml: larger than 16 MiB; a case file is a few kB");
}

TEST_F(CaseFile, ThousandsOfNamesEndSoon) {
  std::string names = "materials:\n", groups = "particles:\n", walls = "stages:\n  - {duration: 1, remove: [";
  for (int i = 0; i < 20000; ++i) {
    names += "  m" + std::to_string(i) + ": {density: 1}\n";
    groups += "  - {shapes: cube, size: 1, material: m" + std::to_string(i) + ", place: {at: [[0, 0, 0]]}}\n";
    walls += "w, ";
  }
  const auto l = lines(names + groups + walls + "]}\n");
  EXPECT_EQ(l.at(0), "case.yaml:2:3: materials: expected 1 to 1000 names, got 20000");
  EXPECT_LE(l.size(), kMaxDiagnostics + 1);
}

TEST_F(CaseFile, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(only("\"ti\\e[2Jtle\": 1\nmaterials: {a: {density: \"\\n3\"}}\nstages: [{duration: 1}]\nparticles: []\n"),
            "case.yaml:1:1: ti?[2Jtle: unknown key; known here: title, seed, dimensions, thickness, gravity, damping, "
            "periodic, "
            "materials, contacts, bonds, clusters, detection, "
            "walls, particles, outlets, measure, stages, time_step, output\n"
            "case.yaml:2:26: materials.a.density: expected a density, got ?3 (no number)");
}

TEST_F(CaseFile, TextsHoldNoControlCharacters) {
  std::string text = kGood;
  text.replace(text.find("Good"), 4, "\"Go\\e[31mod\"");
  EXPECT_EQ(only(text), "case.yaml:1:8: title: expected a text, got control characters");
  text = kGood;
  text.replace(text.find("Good"), 4, ">\n  Good\n  and long\n");
  EXPECT_EQ(only(text), "");
}

TEST_F(CaseFile, NumbersOfWhichNothingIsMadeAreRefused) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kGood;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(
      only(with("kn: 130 kN/m", "kn: 1e300 kN/m")),
      "case.yaml:8:49: contacts[0].kn: expected a stiffness, got 1e300 kN/m (above 1e30 in SI units, where products "
      "overflow)");
  EXPECT_EQ(only(with("kn: 130 kN/m", "kn: 1e-300 N/m")),
            "case.yaml:8:49: contacts[0].kn: expected a stiffness, got 1e-300 N/m (nearer to 0 than 1e-30 in SI units, "
            "where products vanish)");
}

TEST_F(CaseFile, AliasesStandForWhatTheyName) {
  std::string text = kGood;
  text.replace(text.find("{uniform: [2 cm, 4 cm]}"), 23, "&s {uniform: [2 cm, 4 cm]}");
  text.replace(text.find("size: 10 mm"), 11, "size: *s");
  const ReadCase r = read(text);
  EXPECT_EQ(lines(r), std::vector<std::string>{});
  EXPECT_EQ(r.value.particles[1].size.b, r.value.particles[0].size.b);
}

TEST_F(CaseFile, MoreGrainsThanTheMachineHolds) {
  std::string text = kGood;
  text.replace(text.find("count: 12"), 9, "count: 100000000");
  text.replace(text.find("insert: [{count: 1,"), 19, "insert: [{count: 100000000,");
  const auto l = lines(text);
  ASSERT_FALSE(l.empty());
  EXPECT_TRUE(l.back().find("more than 100000000 grains in all") != std::string::npos ||
              l.back().find("of memory at least") != std::string::npos)
      << l.back();
}

TEST_F(CaseFile, OverridesReachEveryKey) {
  const ReadCase r = read(kGood, {"output.checkpoint=0.01 s", "particles[0].count=100", "stages[0].duration=1 s",
                                  "time_step=1e-5 s", "title=Other: one", "particles[1].size.uniform=[1 cm, 2 cm]",
                                  "stages[1].move.box.velocity=[0, 2, 0]", "gravity[2]=-1"});
  EXPECT_EQ(lines(r), std::vector<std::string>{"--set title=Other: one: title: expected a text, got a map"});
  const ReadCase good = read(kGood, {"output.checkpoint=0.01 s", "particles[0].count=100", "stages[0].duration=1 s",
                                     "time_step=1e-5 s", "title='Other: one'", "particles[1].size.uniform=[1 cm, 2 cm]",
                                     "stages[1].move.box.velocity=[0, 2, 0]", "gravity[2]=-1"});
  EXPECT_EQ(lines(good), std::vector<std::string>{});
  const Case& c = good.value;
  EXPECT_NEAR(*c.output.checkpoint, 0.01, 1e-17);
  EXPECT_EQ(c.particles[0].count, 100u);
  EXPECT_EQ(*c.stages[0].duration, 1);
  EXPECT_NEAR(*c.time_step.fixed, 1e-5, 1e-20);
  EXPECT_EQ(c.title, "Other: one");
  EXPECT_NEAR(c.particles[1].size.b, 0.02, 1e-17);
  EXPECT_EQ(c.stages[1].move[0].motion.velocity.y, 2);
  EXPECT_EQ(c.gravity.z, -1);
}

TEST_F(CaseFile, OverridesThatAreWrongSaySo) {
  auto said = [&](const std::string& o) { return only(kGood, {o}); };
  EXPECT_EQ(said("outptu.every=1 s"), "--set outptu.every=1 s: outptu: unknown key; did you mean output?");
  EXPECT_EQ(said("output.evry=1 s"), "--set output.evry=1 s: output.evry: unknown key; did you mean every?");
  EXPECT_EQ(said("output.every=1 m"), "--set output.every=1 m: output.every: expected a time, got 1 m (length)");
  EXPECT_EQ(said("output.every="), "--set output.every=: output.every: expected a time above 0, got nothing");
  EXPECT_EQ(said("output.every"), "--set output.every: expected key=value, as in output.every=\"5 ms\"");
  EXPECT_EQ(said("=3"), "--set =3: expected key=value, as in output.every=\"5 ms\"");
  EXPECT_EQ(said("particles[7].count=1"),
            "--set particles[7].count=1: particles has 2 items, counted from 0; there is no [7]");
  EXPECT_EQ(said("particles.count=1"),
            "--set particles.count=1: particles is a list; say which item, as in particles[0]");
  EXPECT_EQ(said("particles[x].count=1"), "--set particles[x].count=1: [x].count is no list index");
  EXPECT_EQ(said("title[0]=1"), "--set title[0]=1: title is no list");
  EXPECT_EQ(said("output.every.=1"), "--set output.every.=1: output.every. is no key");
  EXPECT_NE(said("seed=[1").find("--set seed=[1: seed: not valid YAML"), std::string::npos);
}

/// What is kept of a case with overrides reads back to the same case.
TEST_F(CaseFile, SourceTextAfterOverridesIsTheSameCase) {
  EXPECT_EQ(read(kGood).value.source_text, kGood);
  const ReadCase a = read(kGood, {"particles[0].count=5", "title='# \"quoted\": {x}, [y]\n~'"});
  ASSERT_EQ(lines(a), std::vector<std::string>{});
  EXPECT_EQ(a.value.source_text.rfind("# as read, after:\n#   --set particles[0].count=5\n", 0), 0u);
  const ReadCase b = read(a.value.source_text);
  EXPECT_EQ(lines(b), std::vector<std::string>{}) << a.value.source_text;
  EXPECT_EQ(b.value.particles[0].count, 5u);
  EXPECT_EQ(b.value.title, a.value.title);
  EXPECT_EQ(b.value.contacts.size(), a.value.contacts.size());
  EXPECT_EQ(b.value.stages[1].remove, a.value.stages[1].remove);
  EXPECT_EQ(b.value.walls.size(), a.value.walls.size());
}

TEST(Examples, AreReadWithoutRemarks) {
  std::size_t n = 0;
  for (const auto& e : fs::directory_iterator(SCREE_SOURCE_DIR "/examples")) {
    if (e.path().extension() != ".yaml") continue;
    ++n;
    const ReadCase r = read_case(e.path().string());
    for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << format(d);
  }
  EXPECT_GE(n, 3u);
}

TEST(Examples, BoxFillIsTheRunOfThePaper) {
  const Case c = read_case(SCREE_SOURCE_DIR "/examples/box_fill.yaml").value;
  EXPECT_EQ(c.particles[0].count, 540u);
  EXPECT_EQ(c.particles[0].shapes, (std::vector<std::string>{"tetrahedron", "pyramid", "cube", "grain14"}));
  EXPECT_EQ(c.walls.size(), 5u);
  EXPECT_EQ(c.stages[1].remove, std::vector<std::string>{"box.x_max"});
}

TEST(Docs, KeyTableIsThatOfTheReader) {
  std::ifstream in(SCREE_SOURCE_DIR "/docs/case-file.md");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_NE(text.str().find(case_key_table(*Units::load())), std::string::npos)
      << "docs/case-file.md is out of date: put the output of `scree schema --table` into it";
}

TEST_F(CaseFile, PeriodicAxes) {
  const std::string box = "open: [z_max, y_min]";
  const auto with = [&](const std::string& periodic, const std::string& open) {
    std::string text = kGood;
    text.replace(text.find(box), box.size(), "open: [z_max, y_min" + open + "]");
    return text.insert(text.find("materials:"), "periodic: " + periodic + "\n");
  };
  const ReadCase r = read(with("{x: [-5 cm, 10 cm]}", ", x_min, x_max"),
                          {"stages[1].remove=ramp", "stages[1].move={lid: {velocity: [1, 0, 0]}}"});
  EXPECT_EQ(lines(r), std::vector<std::string>{});
  EXPECT_TRUE(r.value.periodic.periodic[0]);
  EXPECT_FALSE(r.value.periodic.periodic[1] || r.value.periodic.periodic[2]);
  EXPECT_EQ(r.value.periodic.low.x, -0.05);
  EXPECT_EQ(r.value.periodic.high.x, 0.1);
  EXPECT_EQ(
      only(with("{y: [0, 1]}", "")),
      "case.yaml:13:8: walls.box: the plane box.y_max stands across the periodic axis y: give it a normal without "
      "y, of a box leave these sides out (open: [y_min, y_max])\n"
      "case.yaml:14:9: walls.ramp: the plane ramp stands across the periodic axis y: give it a normal without y, "
      "of a box leave these sides out (open: [y_min, y_max])");
  EXPECT_EQ(only(with("{y: [1, 1 m]}", "")),
            "case.yaml:4:19: periodic.y[1]: expected more than the lower end, 1, got 1 m");
  EXPECT_EQ(only(with("{y: [1, 1.0000000000001]}", "")).substr(0, 26), "case.yaml:4:15: periodic.y");
  EXPECT_EQ(only(with("{y: [0, 1e30]}", "")),
            "case.yaml:4:15: periodic.y: expected ends within 1e9 m of the origin, and not so near each other");
  EXPECT_EQ(only(with("{y: [0, .nan]}", "")).substr(0, 18), "case.yaml:4:19: pe");
  EXPECT_EQ(only(with("{y: 3}", "")).substr(0, 29), "case.yaml:4:15: periodic.y: e");
  EXPECT_EQ(only(with("{w: [0, 1]}", "")).substr(0, 43), "case.yaml:4:12: periodic.w: unknown key; kn");
  EXPECT_EQ(only(with("[1, 2]", "")).substr(0, 26), "case.yaml:4:11: periodic: ");
}

}  // namespace
}  // namespace scree::io

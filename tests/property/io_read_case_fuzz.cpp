// LIBS: scree_io
// Case files with mistakes made by chance: reading them ends in a case that holds together or in diagnostics, never
// otherwise. SCREE_FUZZ_ROUNDS=100000 runs longer than the suite does; SCREE_FUZZ_SEED starts elsewhere.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "io/case/read_case.h"
#include "io/text/yaml_tree.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* v = std::getenv(name);
  return v ? std::strtoull(v, nullptr, 10) : otherwise;
}

std::vector<std::string> examples() {
  std::vector<fs::path> files;
  for (const auto& e : fs::directory_iterator(SCREE_SOURCE_DIR "/examples"))
    if (e.path().extension() == ".yaml") files.push_back(e.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& f : files) {
    std::stringstream s;
    s << std::ifstream(f).rdbuf();
    texts.push_back(s.str());
  }
  return texts;
}

const char* const kNasty[] = {"nan",
                              ".inf",
                              "-1",
                              "0",
                              "1e308",
                              "1e-320",
                              "99999999999999999999",
                              "100000000",
                              "[]",
                              "{}",
                              "[[0,0,0]]",
                              "~",
                              "\"\"",
                              "&a",
                              "*a",
                              "<<",
                              "- ",
                              ": ",
                              "\n",
                              "\t",
                              "  ",
                              "#",
                              "'",
                              "\"",
                              "|",
                              ">",
                              "!!binary",
                              "---",
                              "...",
                              "%YAML 1.2",
                              "?",
                              "@",
                              "`",
                              "\xff",
                              "\xc3\xa9",
                              "\xe2\x80\xa8",
                              "m/s^2",
                              "kN/m^3",
                              "deg",
                              "stone",
                              "box",
                              "box.x_max",
                              "remove",
                              "stages",
                              "particles",
                              "insert: [{count: 3}]",
                              "friction: 0.3",
                              "uniform",
                              "until",
                              "1 m^99",
                              "(((",
                              "µm",
                              "\r",
                              "true",
                              "cube"};

std::string mutate(std::string text, const std::vector<std::string>& all, Random& r) {
  const std::uint64_t changes = 1 + r.below(4);
  for (std::uint64_t c = 0; c < changes && !text.empty(); ++c) {
    const std::size_t at = r.below(text.size()), length = std::min<std::size_t>(text.size() - at, 1 + r.below(12));
    switch (r.below(8)) {
      case 0:
        text[at] = static_cast<char>(r.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, kNasty[r.below(std::size(kNasty))]);
        break;
      case 4:
        text.replace(at, length, kNasty[r.below(std::size(kNasty))]);
        break;
      case 5: {  // a value is replaced whole
        const std::size_t colon = text.find(": ", at),
                          end = colon == std::string::npos ? colon : text.find_first_of(",}\n", colon);
        if (end != std::string::npos) text.replace(colon + 2, end - colon - 2, kNasty[r.below(std::size(kNasty))]);
        break;
      }
      case 6: {  // a line is dropped, or comes again elsewhere
        const std::size_t begin = text.rfind('\n', at), end = text.find('\n', at);
        if (begin == std::string::npos || end == std::string::npos) break;
        const std::string line = text.substr(begin, end - begin);
        text.erase(begin, end - begin);
        if (r.below(2) == 0) text.insert(std::min(text.size(), text.find('\n', r.below(text.size() + 1))), line);
        break;
      }
      default: {  // a piece of another file
        const std::string& other = all[r.below(all.size())];
        const std::size_t from = r.below(other.size());
        text.insert(at, other.substr(from, r.below(200)));
      }
    }
  }
  return text;
}

/// Whatever was accepted can be handed to the simulation: rows exist, numbers are finite and in range.
void expect_holds_together(const Case& c) {
  const auto material = [&](int m) { EXPECT_TRUE(m >= 0 && m < static_cast<int>(c.materials.size())); };
  const auto group = [&](const Case::Group& g) {
    material(g.material);
    EXPECT_GE(g.count, 1u);
    EXPECT_LE(g.count, 100'000'000u);
    EXPECT_FALSE(g.shapes.empty());
    EXPECT_LT(g.cluster, static_cast<int>(c.clusters.size()));
    if (g.cluster < 0) {
      EXPECT_TRUE(g.size.smallest() > 0 && g.size.largest() >= g.size.smallest() && std::isfinite(g.size.largest()));
    }
    EXPECT_NEAR(norm2(g.orientation.fixed), 1, 1e-12);
    EXPECT_TRUE(is_finite(g.velocity) && is_finite(g.angular_velocity));
    if (const auto* l = std::get_if<Case::Lattice>(&g.place)) {
      if (l->region) {
        EXPECT_TRUE(is_finite(l->region->min) && is_finite(l->region->max));
        for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(l->region->min[k], l->region->max[k]);
      } else {
        EXPECT_TRUE(l->box >= 0 && l->box < static_cast<int>(c.boxes.size()));
      }
      EXPECT_TRUE(!l->spacing || *l->spacing > 0);
      EXPECT_TRUE(l->jitter >= 0 && l->jitter < 0.5);
    } else if (const auto* pour = std::get_if<Case::Pour>(&g.place)) {
      EXPECT_TRUE(!pour->region.is_empty() && pour->mass_rate + pour->number_rate > 0);
    } else if (const auto* r = std::get_if<Case::AtRandom>(&g.place)) {
      EXPECT_TRUE(!r->region.is_empty() && r->region.volume(c.dimensions == 2) > 0 && r->gap >= 0);
    } else {
      EXPECT_EQ(std::get<Case::AtPoints>(g.place).points.size(), g.count);
    }
  };
  const auto wall = [&](const Case::Wall& w) {
    material(w.material);
    EXPECT_NEAR(norm(w.normal), 1, 1e-12);
    EXPECT_TRUE(is_finite(w.point) && is_finite(w.motion.velocity));
  };
  EXPECT_TRUE(is_finite(c.gravity));
  for (const auto& m : c.materials) EXPECT_TRUE(m.density > 0 && std::isfinite(m.density));
  for (const auto& p : c.contacts) {
    material(p.material_a), material(p.material_b);
    std::visit(
        [](auto law) {
          law.prepare(1);
          const contact::Geometry g = contact::reference_contact(1e-4, 0.01, 0.01);
          EXPECT_TRUE(law.friction_angle >= 0 && law.friction_angle < 1.5708 && law.damping_ratio >= 0);
          EXPECT_TRUE(law.elastic_normal_force(g) > 0 && std::isfinite(law.elastic_normal_force(g)));
          EXPECT_TRUE(law.shear_stiffness(g) >= 0 && std::isfinite(law.shear_stiffness(g) + law.damping_ratio));
        },
        p.law);
  }
  for (const auto& b : c.boxes) EXPECT_TRUE(b.min.x < b.max.x && b.min.y < b.max.y && b.min.z < b.max.z);
  for (const auto& w : c.walls) wall(w);
  for (const auto& g : c.particles) group(g);
  EXPECT_FALSE(c.stages.empty());
  for (const auto& s : c.stages) {
    EXPECT_TRUE(s.duration || s.kinetic_energy_below);
    for (const auto& w : s.add) wall(w);
    for (const auto& g : s.insert) group(g);
    for (const auto& f : s.friction) material(f.material_a), material(f.material_b);
  }
  EXPECT_TRUE(c.output.every > 0 && c.time_step.fraction > 0 && c.time_step.fraction <= 1);
}

void expect_same(const Node& a, const Node& b) {
  ASSERT_EQ(a.kind, b.kind);
  ASSERT_EQ(a.text, b.text);
  ASSERT_EQ(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < a.keys.size(); ++i) ASSERT_EQ(a.keys[i].name, b.keys[i].name);
  for (std::size_t i = 0; i < a.items.size(); ++i) expect_same(a.items[i], b.items[i]);
}

class Fuzz : public testing::Test {
 protected:
  std::vector<std::string> all_ = examples();
  std::uint64_t seed_ = from_environment("SCREE_FUZZ_SEED", 1), rounds_ = from_environment("SCREE_FUZZ_ROUNDS", 400);
};

TEST_F(Fuzz, MutatedExamplesAreReadOrRefused) {
  const fs::path file = fs::temp_directory_path() / ("scree_fuzz_" + std::to_string(::getpid()) + ".yaml");
  std::size_t clean = 0, refused = 0;
  for (std::uint64_t i = 0; i < rounds_ && !HasFailure(); ++i) {
    Random r(seed_, i);
    const std::string text = mutate(all_[r.below(all_.size())], all_, r);
    std::ofstream(file, std::ios::binary) << text;
    const ReadCase read = read_case(file.string());
    if (has_errors(read.diagnostics)) {
      ++refused;
      for (const Diagnostic& d : read.diagnostics) {
        EXPECT_FALSE(d.message.empty());
        EXPECT_LT(format(d).size(), 2000u);
        EXPECT_LE(d.line, 1 + std::count(text.begin(), text.end(), '\n') + std::count(text.begin(), text.end(), '\r'));
      }
    } else {
      ++clean;
      expect_holds_together(read.value);
    }
    if (HasFailure()) ADD_FAILURE() << "round " << i << ":\n" << text;
  }
  fs::remove(file);
  // the mutations are neither all harmless nor all fatal, or this would test nothing
  EXPECT_GT(clean, rounds_ / 50);
  EXPECT_GT(refused, rounds_ / 4);
}

TEST_F(Fuzz, WrittenTreesReadBackTheSame) {
  std::size_t compared = 0;
  for (std::uint64_t i = 0; i < 5 * rounds_ && !HasFailure(); ++i) {
    Random r(seed_ + 1, i);
    std::string text = mutate(all_[r.below(all_.size())], all_, r);
    std::vector<Diagnostic> ignored;
    Node first, second;
    if (!normalise_text(text, "a", ignored) || !parse_yaml(text, "a", first, ignored) || first.items.empty()) continue;
    const std::string written = to_yaml(first);
    std::vector<Diagnostic> none;
    ASSERT_TRUE(parse_yaml(written, "b", second, none)) << format(none.at(0)) << "\n" << written;
    EXPECT_TRUE(none.empty());
    expect_same(first, second);
    ++compared;
    if (HasFailure()) ADD_FAILURE() << text << "\n-- written as --\n" << written;
  }
  EXPECT_GT(compared, rounds_);
}

TEST_F(Fuzz, WildOverridesAreTakenOrRefused) {
  const std::string file = SCREE_SOURCE_DIR "/examples/box_fill.yaml";
  const char* const paths[] = {"particles[0].count",
                               "particles[0]",
                               "particles",
                               "stages[1].remove",
                               "walls.box",
                               "walls.box.box.max[1]",
                               "a.b.c",
                               "[0]",
                               "",
                               ".",
                               "..",
                               "particles[",
                               "particles[0",
                               "particles[-1].x",
                               "particles[99999999999999999999]",
                               "output.every",
                               "title",
                               "gravity[0]",
                               "materials.stone.density",
                               "stages[0].until.kinetic_energy_below"};
  for (std::uint64_t i = 0; i < rounds_ / 4 && !HasFailure(); ++i) {
    Random r(seed_ + 2, i);
    std::string o = paths[r.below(std::size(paths))];
    if (r.below(10) != 0) o += "=";
    o += kNasty[r.below(std::size(kNasty))];
    if (r.below(3) == 0) o += kNasty[r.below(std::size(kNasty))];
    const ReadCase read = read_case(file, {o});
    if (!has_errors(read.diagnostics)) expect_holds_together(read.value);
    for (const Diagnostic& d : read.diagnostics) EXPECT_FALSE(d.message.empty());
    if (HasFailure()) ADD_FAILURE() << "--set " << o;
  }
}

}  // namespace
}  // namespace scree::io

// LIBS: scree_io
// The hashes of the parts of every example and validation case, against those that are stored beside this file: a
// checkpoint is resumed by them. They hold where the mathematical library is that of Debian 12. A change on purpose,
// after which older checkpoints of such cases are refused, writes them anew,
//     SCREE_WRITE_HASHES=1 build/release/tests/golden_io_case_hashes
// and says so in the CHANGELOG.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "io/case/case_hash.h"
#include "io/case/read_case.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = SCREE_SOURCE_DIR;
const fs::path kStored = kSource / "tests/golden/case_hashes.txt";

/// Cases that touch keys that no file has, by their overrides.
const std::vector<std::pair<std::string, std::vector<std::string>>> kVariants = {
    {"examples/box_fill.yaml",
     {"detection={common_plane: common_plane, cundall: {tolerance: 0.1, largest_step: 3 degree, axes: random}}"}},
    {"examples/box_fill.yaml",
     {"detection={common_plane: fast, fast: {mode: paper, approximation: off, tolerance: 0.002, pad: 0.003}}"}},
    {"examples/box_fill.yaml",
     {"detection={common_plane: shortest_link, shortest_link: {mode: literal, tolerance: 0.002}, skin: 1 mm}"}},
    {"examples/box_fill.yaml", {"detection={contact_geometry: contact_zone, points: paper, neighbours: dess}"}},
    {"examples/box_fill.yaml", {"particles[0].size={weibull: {scale: 5 cm, modulus: 4, max: 7 cm}}"}},
    {"examples/box_fill.yaml", {"particles[0].size={log_normal: {median: 5 cm, geometric_deviation: 1.2}}"}},
    {"examples/box_fill.yaml", {"particles[0].size={values: {sizes: [4 cm, 5 cm], shares: [1, 2], by: mass}}"}},
    {"examples/box_fill.yaml", {"time_step={fraction: 0.1}", "seed=7", "gravity=[1, 0, -9]"}},
    {"examples/box_fill.yaml", {"time_step=1 us", "materials.stone.restitution=0.5"}},
    {"examples/box_fill.yaml",
     {"contacts[0]={between: [any, stone], law: bloks3d, kn: 1 MN/m, knn: 2e3 kN/m^3, exponent: 3, ks: 1 MN/m, "
      "friction: 0.3, damping: {ratio: 0.1}, rolling: {model: spring, friction: 0.1}, cohesion: {model: dmt, "
      "work_of_adhesion: 0.1 J/m^2}}"}},
    {"examples/box_fill.yaml",
     {"contacts[0]={between: [stone, stone], law: energy, pressure: 30 MPa, kt: 90 kN/m, friction_angle: 20 degree}"}},
    {"examples/box_fill.yaml",
     {"contacts[0]={between: [stone, stone], law: linear, kn: 130 kN/m, friction: 0.6, restitution: 0.4, tension: "
      "allowed}"}},
};

/// "CASE PART" -> hash, at the last stage and, of what has begun, at the first.
std::map<std::string, std::string> hashes() {
  std::map<std::string, std::string> all;
  const auto add = [&](const std::string& file, const std::vector<std::string>& set, const std::string& name) {
    const ReadCase read = read_case((kSource / file).string(), set);
    ASSERT_FALSE(has_errors(read.diagnostics)) << name << ": " << format(read.diagnostics[0]);
    char text[17];
    const auto put = [&](const CasePart& part, const char* more) {
      std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(part.hash));
      all[name + " " + part.name + more] = text;
    };
    for (const CasePart& part : case_parts(read.value, read.value.stages.size() - 1)) put(part, "");
    for (const CasePart& part : case_parts(read.value, 0))
      if (part.name.starts_with("stages")) put(part, ", at first");
  };
  std::set<std::string> files;
  for (const char* folder : {"examples", "validation/cases"})
    for (const auto& entry : fs::directory_iterator(kSource / folder))
      if (entry.path().extension() == ".yaml")
        files.insert(std::string(folder) + "/" + entry.path().filename().string());
  for (const std::string& file : files) add(file, {}, file);
  for (std::size_t k = 0; k < kVariants.size(); ++k)
    add(kVariants[k].first, kVariants[k].second, kVariants[k].first + "+" + std::to_string(k + 1));
  return all;
}

TEST(CaseHashes, AreThoseOfCheckpointsWrittenBefore) {
  const std::map<std::string, std::string> now = hashes();
  if (std::getenv("SCREE_WRITE_HASHES") != nullptr) {
    std::ofstream out(kStored);
    for (const auto& [what, hash] : now) out << hash << " " << what << "\n";
    ASSERT_TRUE(out.good());
    GTEST_SKIP() << "they are written anew";
  }
  std::ifstream in(kStored);
  std::map<std::string, std::string> stored;
  for (std::string hash, what; in >> hash && std::getline(in >> std::ws, what);) stored[what] = hash;
  ASSERT_GT(stored.size(), 300u);
  EXPECT_EQ(now, stored);
}

}  // namespace
}  // namespace scree::io

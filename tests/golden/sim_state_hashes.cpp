// The bits of every example, shortened, against those that are stored beside this file. They hold for the compilers and
// the mathematical library of Debian 12 on processors with FMA. A change of results on purpose writes them anew,
//     SCREE_WRITE_HASHES=1 build/release/tests/golden_sim_state_hashes
// and tells the reason in the CHANGELOG.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "exec/parallel.h"
#include "io/case/read_case.h"
#include "oracle/vector_widths.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

struct Short {
  const char* name;
  const char* example;
  std::vector<std::string> set;
  std::vector<int> steps;  ///< of each stage
};
void PrintTo(const Short& s, std::ostream* out) { *out << s.name; }

// Few grains, thrown down hard, so that they touch within a few hundred steps.
const std::vector<Short>& shortened() {
  static const std::vector<Short> all = {
      {"slide", "slide", {}, {400}},
      {"box_fill",
       "box_fill",
       {"particles[0].count=120", "particles[0].velocity=[0.3, 0, -3]", "gravity=[0, 0, -500]"},
       {500, 200}},
      {"box_fill_contact_zone",
       "box_fill",
       {"particles[0].count=120", "particles[0].velocity=[0.3, 0, -3]", "gravity=[0, 0, -500]",
        "detection.contact_geometry=contact_zone"},
       {500, 200}},
      {"box_fill_points_paper",
       "box_fill",
       {"particles[0].count=120", "particles[0].velocity=[0.3, 0, -3]", "gravity=[0, 0, -500]",
        "detection={contact_geometry: contact_zone, points: paper}"},
       {1500, 300}},
      {"box_fill_linear",
       "box_fill",
       {"particles[0].count=120", "particles[0].velocity=[0.3, 0, -3]", "gravity=[0, 0, -500]",
        "contacts[0]={between: [stone, stone], law: linear, kn: 130 kN/m, kt: 90 kN/m, friction: 0.6, restitution: "
        "0.4}"},
       {1500, 300}},
      {"box_fill_energy",
       "box_fill",
       {"particles[0].count=120", "particles[0].velocity=[0.3, 0, -3]", "gravity=[0, 0, -500]",
        "contacts[0]={between: [stone, stone], law: energy, pressure: 30 MPa, kt: 90 kN/m, friction: 0.5}"},
       {3000, 500}},
      {"column_collapse",
       "column_collapse",
       {"particles[0].count=200", "particles[0].place.lattice.spacing=7 cm", "particles[0].velocity=[0.3, 0, -3]",
        "gravity=[0, 0, -500]"},
       {400, 200}},
      {"interlock", "interlock", {"particles[0].count=40", "particles[0].velocity=[0.5, 0, -4]"}, {1500, 300}},
      {"crush_tablet", "crush_tablet", {"walls.plate.velocity=[0, 0, -8]"}, {1500}},
      {"impact",
       "impact",
       {"particles[0].count=250", "walls.box.box.max=[-30 mm, -20 mm, 110 mm]",
        "particles[0].place.random.inside.box.max=[-30 mm, -20 mm, -70 mm]", "particles[0].velocity=[1, 0, -8]",
        "stages[1].insert[0].place.at=[[-39.5 mm, -25 mm, -30 mm]]", "measure={}", "stages[1].insert[0].size=4 mm"},
       {500, 500}},
      {"jet", "jet", {"particles[0].count=500"}, {300}},
      {"direct_shear",
       "direct_shear",
       {"particles[0].count=120", "particles[0].velocity=[0.02, 0, -0.1]", "stages[0].gravity=[0, 0, -0.1]"},
       {500, 100, 100, 200}},
      {"bucket",
       "bucket",
       {"particles[0].count=150", "walls.bed.box.max=[0.5 m, 0.5 m, 2.55 m]",
        "particles[0].place.random.inside.box.max=[0.5 m, 0.5 m, 0.6 m]", "gravity=[0, 0, -500]"},
       {600, 50, 300}},
      {"hopper_lift",
       "hopper_lift",
       {"particles[0].count=200", "particles[1].count=30", "measure={}", "particles[0].velocity=[0, 0, -1]",
        "particles[1].velocity=[0, 0.5, -4]", "stages[0].gravity=[0, 0, -200]"},
       {1000, 100, 200}},
      {"ball_mill",
       "ball_mill",
       {"particles[0].count=60", "particles[1].count=12", "particles[0].velocity=[0, 1, -12]",
        "particles[1].velocity=[0, -1, -10]"},
       {700}},
  };
  return all;
}

Simulation run(const Short& what) {
  const io::ReadCase read =
      io::read_case(std::string(SCREE_SOURCE_DIR "/examples/") + what.example + ".yaml", what.set);
  for (const Diagnostic& d : read.diagnostics) EXPECT_FALSE(d.severity == Diagnostic::Severity::error) << format(d);
  Simulation s = scenes::build(read.value);
  for (std::size_t stage = 0; stage < what.steps.size(); ++stage) {
    if (stage > 0) {
      const Result<bool> begun = begin_next_stage(s, read.value, scenes::library());
      EXPECT_TRUE(begun && *begun) << what.name;
    }
    for (int k = 0; k < what.steps[stage] && !s.fault; ++k) step(s);
  }
  EXPECT_FALSE(s.fault) << what.name << ": " << s.fault->message;
  EXPECT_GT(s.contacts.size() + s.wall_contacts.size(), 2u) << what.name;
  return s;
}

const char* const kStored = SCREE_SOURCE_DIR "/tests/golden/state_hashes.txt";

std::map<std::string, std::string> stored() {
  std::map<std::string, std::string> hashes;
  std::ifstream in(kStored);
  for (std::string name, hash; in >> name >> hash;) hashes[name] = hash;
  return hashes;
}

std::string in_hex(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

class StateHash : public testing::TestWithParam<Short> {
 protected:
  void TearDown() override { exec::set_threads(0); }
};
INSTANTIATE_TEST_SUITE_P(Example, StateHash, testing::ValuesIn(shortened()),
                         [](const auto& i) { return i.param.name; });

TEST_P(StateHash, IsTheStoredOneOnAnyThreadsAndVectors) {
  if (std::getenv("SCREE_WRITE_HASHES") != nullptr) GTEST_SKIP() << "they are written anew";
  const auto known = stored();
  ASSERT_TRUE(known.contains(GetParam().name)) << "write it: see the head of this file";
  for (const int threads : {1, 2}) {
    exec::set_threads(threads);
    oracle::expect_same_for_any_vector_width([&] {
      const std::string hash = in_hex(state_hash(run(GetParam())));
      EXPECT_EQ(hash, known.at(GetParam().name)) << threads << " threads";
      return hash;
    });
  }
}

TEST(StateHashes, AreOfExamplesThatThereAre) {
  std::set<std::string> examples, named;
  for (const auto& file : std::filesystem::directory_iterator(SCREE_SOURCE_DIR "/examples"))
    if (file.path().extension() == ".yaml") examples.insert(file.path().stem());
  for (const Short& s : shortened()) named.insert(s.example);
  EXPECT_EQ(named, examples);
  if (std::getenv("SCREE_WRITE_HASHES") == nullptr) {
    EXPECT_EQ(stored().size(), shortened().size()) << "one stored hash for each";
    return;
  }
  std::ofstream out(kStored);
  for (const Short& s : shortened()) out << s.name << ' ' << in_hex(state_hash(run(s))) << '\n';
  ASSERT_TRUE(out.flush()) << kStored;
}

}  // namespace
}  // namespace scree

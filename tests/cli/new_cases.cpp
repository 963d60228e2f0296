// LIBS: scree_io
// `scree new`: each case that it makes is without a mistake, runs, and does what its first line says.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/results/frame.h"
#include "text_of.h"

namespace {

namespace fs = std::filesystem;
using namespace scree;

class NewCase : public testing::Test {
 protected:
  NewCase() {
    std::string pattern = (fs::temp_directory_path() / "scree_new_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~NewCase() override { fs::remove_all(folder_); }

  /// `scree ARGUMENTS` in the test's own folder; what it printed is in `out_` and `err_`.
  int run(const std::string& arguments) {
    const std::string line = "cd '" + folder_.string() + "' && '" SCREE_BINARY "' " + arguments + " >stdout 2>stderr";
    const int status = std::system(line.c_str());
    out_ = text_of(folder_ / "stdout"), err_ = text_of(folder_ / "stderr");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// Makes the case, holds it to `scree check`, and runs it with these changes. False: something failed.
  bool make_and_run(const std::string& kind, const std::vector<std::string>& changes) {
    const std::string file = kind + ".yaml";
    EXPECT_EQ(run("new " + kind + " -o " + file), 0) << err_;
    EXPECT_EQ(run("check " + file), 0) << err_;
    EXPECT_EQ(err_, "") << "a starter warns of nothing";
    std::string line = "run " + file + " --out results --no-report --quiet";
    for (const std::string& change : changes) line += " --set '" + change + "'";
    const int code = run(line);
    EXPECT_EQ(code, 0) << err_;
    if (code != 0) return false;
    record_ = nlohmann::json::parse(text_of(folder_ / "results/run.json"));
    read_series();
    fs::path newest;
    for (const auto& frame : fs::directory_iterator(folder_ / "results" / "frames"))
      newest = std::max(newest, frame.path());
    const Result<io::Frame> last = io::read_frame(newest);
    EXPECT_TRUE(last) << newest;
    if (last) last_ = *last;
    return bool(last);
  }
  void read_series() {
    std::istringstream rows(text_of(folder_ / "results/series.csv"));
    std::string row, cell;
    std::getline(rows, row);
    std::vector<std::string> names;
    for (std::istringstream cells(row); std::getline(cells, cell, ',');) names.push_back(cell);
    while (std::getline(rows, row)) {
      std::istringstream cells(row);
      for (const std::string& name : names) {
        std::getline(cells, cell, ',');
        series_[name].push_back(cell.empty() ? NAN : std::stod(cell));
      }
    }
  }
  const std::vector<double>& series(const std::string& name) const {
    EXPECT_TRUE(series_.contains(name)) << name;
    return series_.at(name);
  }
  /// Row of the last output instant at or before a time (s).
  std::size_t row_at(double time) const {
    const auto& t = series("time [s]");
    return static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), time + 1e-4) - t.begin()) - 1;
  }

  fs::path folder_;
  std::string out_, err_;
  nlohmann::json record_;
  std::map<std::string, std::vector<double>> series_;
  io::Frame last_;
};

TEST_F(NewCase, ListNamesEachKindWithItsFirstLineAndPrintsWhatItWrites) {
  ASSERT_EQ(run("new --list"), 0) << err_;
  const std::string list = out_;
  std::size_t kinds = 0;
  for (const auto& file : fs::directory_iterator(SCREE_SOURCE_DIR "/app/new")) {
    const std::string kind = file.path().stem();
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    ++kinds;
    EXPECT_NE(("\n" + list).find("\n" + kind + " "), std::string::npos) << list;
    const std::string first = text.str().substr(2, text.str().find('\n') - 2);
    EXPECT_NE(list.find(" " + first + "\n"), std::string::npos) << first;
    EXPECT_EQ(run("new " + kind), 0);
    EXPECT_EQ(out_, text.str()) << kind;
    EXPECT_EQ(run("new " + kind + " -o " + kind + ".yaml"), 0);
    EXPECT_EQ(text_of(folder_ / (kind + ".yaml")), text.str()) << kind;
    EXPECT_NE(text.str().find(" on two cores"), std::string::npos) << kind << " says how long it takes";
  }
  EXPECT_EQ(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')), kinds);
}

TEST_F(NewCase, NothingIsOverwrittenAndMistakesAreTold) {
  std::ofstream(folder_ / "mine.yaml") << "mine";
  EXPECT_EQ(run("new box -o mine.yaml"), 2);
  EXPECT_NE(err_.find("scree new: mine.yaml is there already"), std::string::npos) << err_;
  EXPECT_EQ(text_of(folder_ / "mine.yaml"), "mine");
  fs::create_symlink("nowhere", folder_ / "link.yaml");
  EXPECT_EQ(run("new box -o link.yaml"), 2);
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
  EXPECT_EQ(run("new hoper"), 2);
  EXPECT_EQ(err_, "scree new: there is no kind hoper; did you mean hopper?; --list names them all\n");
  EXPECT_EQ(out_, "");
  EXPECT_EQ(run("new"), 2);
  EXPECT_NE(err_.find("no kind given; there are bonded, box, "), std::string::npos) << err_;
  EXPECT_EQ(run("new box -o ''"), 2);
  EXPECT_NE(err_.find("name of a file"), std::string::npos) << err_;
  EXPECT_EQ(run("new box -o no/such/folder.yaml"), 1);
  EXPECT_NE(err_.find("cannot write no/such/folder.yaml"), std::string::npos) << err_;
  EXPECT_EQ(run("new box heap"), 2);
  EXPECT_EQ(run("new box -o ."), 2);
}

TEST_F(NewCase, BoxComesToRest) {
  ASSERT_TRUE(make_and_run("box", {"particles[0].count=60"}));
  EXPECT_EQ(record_["stages"][0]["ended"]["by"], "rest") << record_["stages"];
  EXPECT_EQ(last_.id.size(), 60u);
  for (const Vec3& x : last_.position) EXPECT_TRUE(x.z > 0 && x.z < 0.2 && x.x > 0 && x.x < 0.2) << x.z;
}

TEST_F(NewCase, HeapKeepsItsGrainsAndIsHighestInItsMiddle) {
  ASSERT_TRUE(make_and_run("heap", {"particles[0].count=90", "walls.tube.cylinder.radius=5 cm",
                                    "particles[0].place.random.inside.cylinder.radius=5 cm", "stages[0].duration=0.4 s",
                                    "stages[1].duration=0.6 s"}));
  ASSERT_EQ(last_.id.size(), 90u);
  double inner = 0, outer = 0, mass_inner = 0, mass_outer = 0;
  for (std::size_t i = 0; i < last_.id.size(); ++i) {
    const Vec3 x = last_.position[i];
    EXPECT_GT(x.z, 0);
    const bool in = std::hypot(x.x, x.y) < 0.05;
    (in ? inner : outer) += last_.mass[i] * x.z, (in ? mass_inner : mass_outer) += last_.mass[i];
  }
  EXPECT_GT(inner / mass_inner, 1.2 * outer / mass_outer);
  EXPECT_GT(series("heap height [m]").back(), 0.022) << "more than one layer";
}

TEST_F(NewCase, DrumCarriesItsGrainsUpTheSideThatRises) {
  ASSERT_TRUE(make_and_run("drum", {"particles[0].count=60", "particles[1].count=60", "stages[0].duration=1.2 s"}));
  double x = 0, spin = 0;
  for (std::size_t i = 0; i < last_.id.size(); ++i)
    x += last_.position[i].x / 120, spin += last_.angular_velocity[i].y / 120;
  // Counter-clockwise about y the bottom goes towards -x. A bed at rest has its centre at x = 0.
  EXPECT_LT(x, -0.02);
  EXPECT_GT(spin, 0.3) << "grains turn with the drum";
  for (const Vec3& p : last_.position) EXPECT_LT(std::hypot(p.x, p.z), 0.15);
}

TEST_F(NewCase, HopperDischargesWhenItsGateGoes) {
  ASSERT_TRUE(make_and_run("hopper", {"particles[0].count=150"}));
  const auto& gone = series("outlet spout grains");
  EXPECT_EQ(gone[row_at(0.5)], 0);
  EXPECT_GT(gone.back(), 0.8 * 150);
  const auto& flow = series("opening mass_flow [kg/s]");
  EXPECT_GT(*std::max_element(flow.begin() + static_cast<std::ptrdiff_t>(row_at(0.5)), flow.end()), 0.3);
}

TEST_F(NewCase, TriaxialKeepsItsConfiningPressureAndBearsMoreAlongTheAxis) {
  ASSERT_TRUE(make_and_run("triaxial", {"particles[0].count=60", "stages[1].duration=0.15 s"}));
  const auto side = [&](const std::string& axis, std::size_t row) {
    return series("position box." + axis + "_max " + axis + " [m]")[row] -
           series("position box." + axis + "_min " + axis + " [m]")[row];
  };
  const auto stress = [&](const std::string& axis, const std::string& u, const std::string& v, std::size_t row) {
    return series("force box." + axis + "_max " + axis + " [N]")[row] / (side(u, row) * side(v, row));
  };
  const std::size_t confined = row_at(0.2);
  for (const std::size_t row : {confined, series("time [s]").size() - 1})
    EXPECT_NEAR(stress("x", "y", "z", row), 50e3, 5e3) << row;
  EXPECT_NEAR(stress("z", "x", "y", confined), 50e3, 5e3);
  EXPECT_GT(stress("z", "x", "y", series("time [s]").size() - 1), 1.3 * 50e3);
}

TEST_F(NewCase, ShearIsResistedByLessThanTheLoad) {
  ASSERT_TRUE(make_and_run(
      "shear",
      {"walls.lower.cylinder.radius=2 cm", "walls.upper.cylinder.radius=2 cm", "walls.chute.cylinder.radius=2 cm",
       "particles[0].count=80", "particles[0].place.random.inside.cylinder.radius=2 cm",
       "stages[2].add.cap.servo.area=12.6 cm^2", "stages[3].move.cap.servo.area=12.6 cm^2"}));
  const auto &shear = series("force upper x [N]"), &of_cap = series("force cap x [N]"),
             &load = series("force cap z [N]");
  double sum = 0, loads = 0;
  for (std::size_t row = shear.size() / 4 * 3; row < shear.size(); ++row)
    sum -= shear[row] + of_cap[row], loads += load[row];
  EXPECT_GT(sum, 0.1 * loads);
  EXPECT_LT(sum, 1.5 * loads);
  EXPECT_NEAR(loads / static_cast<double>(shear.size() - shear.size() / 4 * 3), 20e3 * 12.6e-4, 0.2 * 20e3 * 12.6e-4);
}

TEST_F(NewCase, BondedGrainBreaks) {
  ASSERT_TRUE(make_and_run("bonded", {"clusters.grain.packed_sphere.sphere_radius=2 mm"}));
  const auto& force = series("force plate z [N]");
  EXPECT_GT(*std::max_element(force.begin(), force.end()), 10);
  EXPECT_GT(series("bonds_broken").back(), 0);
}

}  // namespace

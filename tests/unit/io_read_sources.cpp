// LIBS: scree_io
// The keys of sizes, places and regions: what they become, and what is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/case/read_case.h"
#include "io/library/library.h"
#include "sim/simulation.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

class Sources : public testing::Test {
 protected:
  Sources() {
    std::string pattern = (fs::temp_directory_path() / "scree_sources_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Sources() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  ReadCase read(const std::string& group, const std::string& more = {}) {
    write("case.yaml",
          "materials: {stone: {density: 2650}}\n"
          "contacts: [{between: [stone, stone], law: linear, kn: 1e5, friction: 0.5, restitution: 0.8}]\n" +
              more + "particles:\n  - {name: g, material: stone, " + group + "}\nstages: [{duration: 1}]\n");
    return read_case((folder_ / "case.yaml").string());
  }
  Case::Group good(const std::string& group) {
    const ReadCase r = read(group);
    for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << format(d);
    return r.value.particles.at(0);
  }
  std::string mistakes(const std::string& group, const std::string& more = {}) {
    std::string all;
    for (const Diagnostic& d : read(group, more).diagnostics)
      all +=
          (all.empty() ? "" : "\n") + (d.key.empty() ? fs::path(d.file).filename().string() : d.key) + ": " + d.message;
    return all;
  }
  fs::path folder_;
};

const std::string kAt = "shapes: sphere, place: {at: [[0, 0, 0]]}, ";

TEST_F(Sources, SizesOfEveryKindAreRead) {
  using Kind = Case::Size::Kind;
  EXPECT_EQ(good(kAt + "size: 2 mm").size.a, 2e-3);
  const Case::Size n = good(kAt + "size: {normal: {mean: 2 mm, deviation: 0.2 mm, max: 3 mm}}").size;
  EXPECT_EQ(n.kind, Kind::normal);
  EXPECT_NEAR(n.smallest(), 1.4e-3, 1e-12);
  EXPECT_EQ(n.largest(), 3e-3);
  const Case::Size l = good(kAt + "size: {log_normal: {median: 2 mm, geometric_deviation: 1.5}}").size;
  EXPECT_NEAR(l.quantile(0.5), 2e-3, 1e-12);
  EXPECT_NEAR(l.largest(), 2e-3 * 1.5 * 1.5 * 1.5, 1e-9);
  EXPECT_EQ(good(kAt + "size: {weibull: {scale: 2 mm, modulus: 3, min: 1 mm}}").size.smallest(), 1e-3);
  const Case::Size s = good(kAt + "size: {sieve: {openings: [1 mm, 2 mm, 4 mm], passing: [0, 40 %, 1]}}").size;
  EXPECT_EQ(s.kind, Kind::sieve);
  EXPECT_EQ(s.power, 3);
  // All grains of a class of equal mass and of half the size are eight times as many.
  EXPECT_NEAR(s.share[1], 0.4 * 8 / (0.4 * 8 + 0.6), 1e-12);
  const Case::Size v = good(kAt + "size: {values: {sizes: [1 mm, 2 mm], shares: [1, 1], by: mass}}").size;
  EXPECT_NEAR(v.share[0], 8.0 / 9, 1e-12);
  write("sizes.csv", "d [mm]\n1\n3\n");
  const Case::Size f = good(kAt + "size: {file: sizes.csv}").size;
  EXPECT_EQ(f.size, (std::vector<double>{1e-3, 3e-3}));
  EXPECT_EQ(good(kAt + "size: {file: {path: sizes.csv, unit: m, columns: [size]}}").size.largest(), 3);
}

TEST_F(Sources, WrongSizesAreRefusedAtTheirPlace) {
  EXPECT_EQ(mistakes(kAt + "size: {normal: {mean: 2 mm, deviation: 1 mm}}"),
            "particles[0].size.normal: three standard deviations below the mean no size is left; give a min above 0");
  EXPECT_EQ(mistakes(kAt + "size: {sieve: {openings: [1 mm, 2 mm], passing: [0, 0.5]}}"),
            "particles[0].size.sieve: passing has to begin with 0 and to end with 1: nothing passes the finest sieve, "
            "all the widest");
  EXPECT_EQ(mistakes(kAt + "size: {sieve: {openings: [1 mm, 2 mm, 3 mm], passing: [0, 0.7, 0.6]}}"),
            "particles[0].size.sieve: passing must not fall from one opening to the next");
  EXPECT_EQ(mistakes(kAt + "size: {uniform: [2 mm, 1 mm]}"),
            "particles[0].size.uniform[1]: expected at least the smallest size, 2 mm, got 1 mm");
  EXPECT_EQ(mistakes(kAt + "size: {file: gone.csv}").substr(0, 96),
            "particles[0].size.file: the file cannot be used: its mistakes are listed under its name\ngone.csv");
  EXPECT_NE(mistakes(kAt + "size: {normal: {mean: 2 mm}, uniform: [1, 2]}").find("only one of"), std::string::npos);
}

TEST_F(Sources, PlacesFromAFile) {
  write("bed.xyzr", "0 0 0 1\n0 0 5 2\n");
  const Case::Group g = good("shapes: sphere, place: {file: {path: bed.xyzr, unit: mm}}");
  const auto& at = std::get<Case::AtPoints>(g.place);
  EXPECT_EQ(g.count, 2u);
  EXPECT_EQ(at.points[1], (Vec3{0, 0, 5e-3}));
  EXPECT_EQ(at.size, (std::vector<double>{2e-3, 4e-3}));
  write("mix.csv", "shape,x,y,z,size,vx\ncube,0,0,0,1,2\nsphere,3,0,0,1,0\n");
  const Case::Group mixed = good("shapes: [sphere, cube], place: {file: mix.csv}");
  EXPECT_EQ(std::get<Case::AtPoints>(mixed.place).shape, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(std::get<Case::AtPoints>(mixed.place).velocity[0], (Vec3{2, 0, 0}));
}

TEST_F(Sources, FilesThatDoNotFitTheGroupAreRefused) {
  write("bed.xyzr", "0 0 0 1\n0 0 5 2\n");
  write("points.csv", "x y z\n0 0 0\n");
  write("mix.csv", "shape x y z size\ncubes 0 0 0 1\n");
  EXPECT_EQ(
      mistakes("shapes: sphere, size: 1, place: {file: bed.xyzr}"),
      "particles[0].place.file: it has the sizes of the grains; leave `size` of the group out, or pass that column "
      "over (`columns`, with -)");
  EXPECT_EQ(mistakes("shapes: sphere, place: {file: points.csv}"),
            "particles[0].place.file: it has no column r, d or size; give the group a `size`");
  EXPECT_EQ(mistakes("shapes: cube, place: {file: bed.xyzr}"),
            "particles[0].place.file: r and d are those of spheres and discs; other shapes need a column `size`, the "
            "factor on their coordinates");
  EXPECT_EQ(mistakes("shapes: [cube, sphere], place: {file: mix.csv}"),
            "particles[0].place.file: it has grains of the shape cubes, which is none of the group's `shapes`; did you "
            "mean cube?");
  write("moving.csv", "x y z r vx\n0 0 0 1 2\n");
  EXPECT_EQ(mistakes("shapes: sphere, velocity: [0, 0, 1], place: {file: moving.csv}"),
            "particles[0].place.file: it has the velocity of each grain; leave `velocity` of the group out, or pass "
            "that column over (`columns`, with -)");
  EXPECT_EQ(
      mistakes("shapes: sphere, velocity: [0, 0, 1], place: {file: {path: moving.csv, columns: [x, y, z, r, -]}}"), "");
  EXPECT_EQ(mistakes("shapes: sphere, count: 3, place: {file: bed.xyzr}"),
            "particles[0].count: expected 2, the number of rows of place.file, got 3");
  EXPECT_EQ(mistakes("shapes: sphere, size: 1, place: {at: [[0, 0, 0]]}, count: 2"),
            "particles[0].count: expected 1, the number of points of place.at, got 2");
}

TEST_F(Sources, RandomPlacesAndRegions) {
  const Case::Group g = good(
      "count: 5, shapes: sphere, size: 1 mm, overlap: allow, place: {random: {gap: 1 um, inside: {cylinder: {from: [0, "
      "0, 0], to: [0, 0, 1], radius: 5 cm}}}}");
  const auto& r = std::get<Case::AtRandom>(g.place);
  EXPECT_EQ(r.region.kind, Region::Kind::cylinder);
  EXPECT_EQ(r.region.radius, 0.05);
  EXPECT_EQ(r.gap, 1e-6);
  EXPECT_TRUE(g.may_overlap);
  EXPECT_EQ(
      mistakes("count: 5, shapes: sphere, size: 1, place: {random: {inside: {box: {min: [0, 0, 0], max: [1, 0, 1]}}}}"),
      "particles[0].place.random.inside.box.max[1]: expected more than min's 0, got 0");
  EXPECT_EQ(
      mistakes("count: 5, shapes: sphere, size: 1, place: {random: {inside: {cylinder: {from: [0, 0, 0], to: [0, 0, "
               "0], radius: 1}}}}"),
      "particles[0].place.random.inside.cylinder.to: expected another point than `from`: the cylinder has no length");
  EXPECT_EQ(mistakes("shapes: sphere, size: 1, place: {random: {inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}"),
            "particles[0].count: missing; expected an integer from 1 to 100000000");
  EXPECT_EQ(mistakes("count: 1, shapes: disc, size: 1, place: {random: {inside: {cylinder: {from: [0, 0, 0], to: [0, "
                     "1, 0], radius: 1}}}}",
                     "dimensions: 2\n"),
            "particles[0].place.random.inside.cylinder: is for three dimensions; in two there is box");
}

const std::string kPour =
    "count: 9, shapes: sphere, size: 1 mm, place: {pour: {inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, ";

TEST_F(Sources, PoursOutletsAndWhatOpensThem) {
  const ReadCase r = read(kPour + "mass_rate: 3 kg/min, duration: 2 s}}",
                          "outlets:\n  spout: {beyond: {point: [0, 0, -1], normal: [0, 0, -2]}, open: false}\n"
                          "  hole: {inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}\n");
  for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << format(d);
  const auto& pour = std::get<Case::Pour>(r.value.particles[0].place);
  EXPECT_NEAR(pour.mass_rate, 0.05, 1e-15);
  EXPECT_EQ(pour.number_rate, 0);
  EXPECT_EQ(pour.duration, 2.0);
  ASSERT_EQ(r.value.outlets.size(), 2u);
  EXPECT_EQ(r.value.outlets[0].normal, (Vec3{0, 0, -1}));
  EXPECT_FALSE(r.value.outlets[0].open);
  EXPECT_TRUE(r.value.outlets[1].open && r.value.outlets[1].region);

  EXPECT_EQ(mistakes(kPour + "mass_rate: 3 kg/s, number_rate: 1}}"),
            "particles[0].place.pour: expected only one of mass_rate, number_rate, got mass_rate and number_rate");
  EXPECT_EQ(mistakes(kPour + "mass_rate: 3 kg/s}}, overlap: allow"),
            "particles[0].overlap: has no use with pour, whose grains come where they touch nothing");
  EXPECT_EQ(mistakes(kPour + "mass_rate: 3 kg}}"),
            "particles[0].place.pour.mass_rate: expected a mass flow rate, got 3 kg (mass)");
  EXPECT_EQ(mistakes(kPour + "number_rate: 5}}", "outlets: {g: {inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}\n"),
            "outlets.g: there is a group of this name: stages could not tell which to open or close");
  EXPECT_EQ(mistakes(kPour + "number_rate: 5}}", "outlets: {o: {beyond: {point: [0, 0, 0], normal: [0, 0, 0]}}}\n"),
            "outlets.o.beyond.normal: expected a direction, got [0, 0, 0]");
  write("stages.yaml", "");
  const ReadCase stages = read(kPour + "number_rate: 5 Hz}}");
  const ReadCase open = read_case((folder_ / "case.yaml").string(), {"stages[0]={duration: 1, close: g, open: gg}"});
  ASSERT_EQ(open.diagnostics.size(), 1u);
  EXPECT_EQ(open.diagnostics[0].message, "no outlet or poured group gg; did you mean g?");
}

TEST_F(Sources, Measurements) {
  const ReadCase r = read(
      "shapes: sphere, size: 1 mm, count: 5, place: {random: {inside: {box: {min: [0, 0, 0], max: "
      "[1, 1, 1]}}}}",
      "measure:\n  a: {solid_fraction: {inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}\n"
      "  b: {coordination: {}}\n  c: {flow: {point: [0, 0, 1], normal: [0, 3, 4]}}\n"
      "  d: {mixing: {material: stone, inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, cells: [1, 2, 3]}}\n"
      "  e: {track: [4, 2]}\n  f: {repose: {centre: [1, 2, 3]}}\n  g: {size_distribution: {}}\n"
      "  h: {size_distribution: {of: fragments, inside: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}\n");
  for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << format(d);
  const std::vector<Case::Measure>& m = r.value.measures;
  ASSERT_EQ(m.size(), 8u);
  EXPECT_TRUE(m[6].kind == Case::Measure::Kind::size_distribution && !m[6].of_fragments && !m[6].inside);
  EXPECT_TRUE(m[7].of_fragments && m[7].inside);
  EXPECT_EQ(mistakes(kAt + "size: 1 mm", "measure: {a: {size_distribution: {of: clusters}}}\n"),
            "measure.a.size_distribution.of: expected one of grains, fragments, got clusters");
  EXPECT_EQ(mistakes(kAt + "size: 1 mm",
                     "measure: {a: {size_distribution: {inside: {box: {min: [0, 0, 0], max: [1, 0, 1]}}}}}\n"),
            "measure.a.size_distribution.inside.box.max[1]: expected more than min's 0, got 0");
  EXPECT_TRUE(m[0].inside && !m[1].inside);
  EXPECT_NEAR(m[2].normal.y, 0.6, 1e-15);
  EXPECT_EQ(m[3].cells, (std::array<std::uint32_t, 3>{1, 2, 3}));
  EXPECT_EQ(m[4].ids, (std::vector<std::uint32_t>{4, 2}));
  EXPECT_EQ(*m[5].centre, (Vec3{1, 2, 3}));

  const std::string five =
      "count: 5, shapes: sphere, size: 1 mm, place: {random: {inside: {box: {min: [0, 0, 0], max: "
      "[1, 1, 1]}}}}";
  EXPECT_EQ(mistakes(five, "measure: {a: {track: [4, 55]}, b: {track: [5]}}\n"),
            "measure.a.track[1]: no grain will ever have the id 55: 5 come in all, with the ids 0 to 4\n"
            "measure.b.track[0]: no grain will ever have the id 5: 5 come in all, with the ids 0 to 4");
  EXPECT_EQ(mistakes(kAt + "size: 1 mm", "measure: {a: {track: [1]}}\n"),
            "measure.a.track[0]: no grain will ever have the id 1: 1 comes in all, with the id 0");
  // Those of an inlet and of later stages count.
  EXPECT_EQ(mistakes("count: 50, shapes: sphere, size: 1 mm, place: {pour: {inside: {box: {min: [0, 0, 0], max: [1, 1, "
                     "1]}}, number_rate: 1 Hz}}",
                     "measure: {a: {track: [49]}}\n"),
            "");

  EXPECT_EQ(mistakes(kAt + "size: 1 mm", "measure: {a: {stress: {}}}\n"),
            "measure.a.stress.inside: missing; expected a map with box, cylinder");
  EXPECT_EQ(mistakes(kAt + "size: 1 mm",
                     "measure: {a: {mixing: {material: sand, cells: [1, 1, 1], inside: {box: {min: [0, 0, 0], max: [1, "
                     "1, 1]}}}}}\n"),
            "measure.a.mixing.material: no material sand; there is stone");
  EXPECT_EQ(mistakes(kAt + "size: 1 mm", "measure: {a: {stres: {}}}\n"),
            "measure.a: missing; expected one of solid_fraction, stress, coordination, fabric, flow, mixing, repose, "
            "track, size_distribution\nmeasure.a.stres: unknown key; did you mean stress?");
}

TEST_F(Sources, ThePublishedBedStandsAsItIsGiven) {
  const fs::path bed = SCREE_SOURCE_DIR "/../shared/data/penetration25k/particles.txt";
  if (!fs::exists(bed)) GTEST_SKIP() << "shared/data is not here";
  const Case::Group g = good("shapes: sphere, place: {file: {path: " + bed.string() + ", other_rows: skip}}");
  EXPECT_EQ(g.count, 25000u);
  const auto& at = std::get<Case::AtPoints>(g.place);
  EXPECT_EQ(at.points[0], (Vec3{-0.03943927123, 0.008236898253, -0.08041593914}));
  for (const double d : at.size) ASSERT_EQ(d, 0.002);
}

}  // namespace
}  // namespace scree::io

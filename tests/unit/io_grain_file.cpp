// LIBS: scree_io
#include <gtest/gtest.h>

#include <filesystem>

#include "io/grains/grain_file.h"

namespace scree::io {
namespace {

const Units& units() {
  static const Units u = *Units::load();
  return u;
}
ReadGrains parse(const std::string& text, const GrainFileAs& as = {}) {
  return parse_grains(text, "bed.txt", as, units());
}
std::string first_mistake(const std::string& text, const GrainFileAs& as = {}) {
  const ReadGrains r = parse(text, as);
  return r.diagnostics.empty() ? "none" : format(r.diagnostics[0]);
}

TEST(GrainFile, WithoutHeaderTheColumnsArePlaceAndRadius) {
  const ReadGrains r = parse("# a bed\n1 2 3 0.5\n\n4,5,6, 0.25\n", {.unit = "mm"});
  ASSERT_TRUE(r.diagnostics.empty());
  ASSERT_EQ(r.value.rows, 2u);
  EXPECT_EQ(r.value.position[1], (Vec3{4e-3, 5e-3, 6e-3}));
  EXPECT_EQ(r.value.size, (std::vector<double>{1e-3, 0.5e-3}));
  EXPECT_TRUE(r.value.has_radius);
  EXPECT_TRUE(r.value.velocity.empty() && r.value.orientation.empty() && r.value.shape.empty());
}

TEST(GrainFile, HeadersNameColumnsAndUnits) {
  const ReadGrains r = parse(
      "shape, x [cm], y [cm], z[cm], size [mm], vz [cm/s], qw, qx, qy, qz, wx [rev/s]\n"
      "cube, 1, 2, 3, 4, -5, 1, 0, 0, 0, 1\n");
  ASSERT_TRUE(r.diagnostics.empty()) << format(r.diagnostics[0]);
  EXPECT_EQ(r.value.shape, (std::vector<std::string>{"cube"}));
  EXPECT_NEAR(norm(r.value.position[0] - Vec3{0.01, 0.02, 0.03}), 0, 1e-17);
  EXPECT_NEAR(r.value.size[0], 4e-3, 1e-18);
  EXPECT_FALSE(r.value.has_radius);
  EXPECT_NEAR(norm(r.value.velocity[0] - Vec3{0, 0, -0.05}), 0, 1e-17);
  EXPECT_NEAR(r.value.angular_velocity[0].x, 2 * M_PI, 1e-14);
  EXPECT_EQ(r.value.orientation[0], (Quat{1, 0, 0, 0}));
}

TEST(GrainFile, TheBallOfThePenetrationBedIsAnotherRow) {
  const std::string bed =
      "Radius[m]\tPosX[m] PosY[m] PosZ[m]\r\n 0.001 -0.039 0.008 -0.080\r\n 0.001 -0.027 0.020 -0.081\r\n"
      " 5 0.01 0.01 0 0 0.06\r\n\r\n";
  EXPECT_EQ(first_mistake(bed), "bed.txt:4:1: 6 columns, expected 4; `other_rows: skip` passes such rows over");
  const ReadGrains r = parse(bed, {.skips_other_rows = true});
  ASSERT_TRUE(r.diagnostics.empty());
  EXPECT_EQ(r.value.rows, 2u);
  EXPECT_EQ(r.value.skipped, 1u);
  EXPECT_EQ(r.value.position[1], (Vec3{-0.027, 0.020, -0.081}));
  EXPECT_EQ(r.value.size[0], 0.002);
}

TEST(GrainFile, ColumnsGivenGoBeforeTheHeader) {
  const ReadGrains r = parse("a b c d\n9 1 2 7\n", {.columns = {"-", "x", "y", "d"}});
  ASSERT_TRUE(r.diagnostics.empty());
  EXPECT_EQ(r.value.position[0], (Vec3{1, 2, 0}));
  EXPECT_EQ(r.value.size[0], 7);
}

TEST(GrainFile, SizesAloneNeedNoPlaces) {
  const ReadGrains r = parse("1\n2.5\n", {.unit = "mm", .needs_places = false});
  ASSERT_TRUE(r.diagnostics.empty());
  EXPECT_EQ(r.value.size, (std::vector<double>{1e-3, 2.5e-3}));
}

TEST(GrainFile, MistakesNameTheLine) {
  EXPECT_EQ(first_mistake("x y z radus\n"),
            "bed.txt:1:7: no column is called radus; did you mean radius?; `columns` names them, `-` passes one over");
  EXPECT_EQ(first_mistake("0 0 0 1\n0 0 abc 1\n"), "bed.txt:2:5: z: expected a finite number, got abc");
  EXPECT_EQ(first_mistake("0 0 0 -1\n"), "bed.txt:1:7: r: expected a length above 0, got -1");
  EXPECT_EQ(first_mistake("0 0 0 1\n0 0 0\n"),
            "bed.txt:2:1: 3 columns, expected 4; `other_rows: skip` passes such rows over");
  EXPECT_EQ(first_mistake("x y y r\n"), "bed.txt:1:5: the column y is there twice");
  EXPECT_EQ(first_mistake("x z r\n"), "bed.txt:1:1: there is no column x, or none y");
  EXPECT_EQ(first_mistake("x y r d\n"), "bed.txt:1:1: expected only one of the columns r, d, size");
  EXPECT_EQ(first_mistake("x y qw\n"), "bed.txt:1:1: an orientation needs all of qw qx qy qz");
  EXPECT_EQ(first_mistake("x [kg] y r\n"), "bed.txt:1:1: x: expected a unit of length, got 1 kg (mass)");
  EXPECT_EQ(first_mistake("0 0 0 1\n", {.unit = "parsnip"}).substr(0, 45),
            "bed.txt:1:1: x: expected a unit of length, go");
  EXPECT_EQ(first_mistake("x y qw qx qy qz\n0 0 1 1 0 0\n"),
            "bed.txt:2:5: qw qx qy qz: expected a unit quaternion (length 1 within 1e-6)");
  EXPECT_EQ(first_mistake("# nothing\n"), "bed.txt: there are no grains in it");
  EXPECT_EQ(first_mistake("0 0 0 1e400\n"), "bed.txt:1:7: r: expected a finite number, got 1e400");
  EXPECT_EQ(first_mistake("1,,2,3\n"), "bed.txt:1:3: a comma with nothing beside it");
  EXPECT_EQ(first_mistake(std::string("0 0\0 0 1\n", 9)), "bed.txt:1:1: a zero byte: this is no text file");
  const ReadGrains gone = read_grains("/nonexistent/bed.txt", {}, units());
  EXPECT_EQ(gone.diagnostics.size(), 1u);
}

TEST(GrainFile, ReadsThePublishedBed) {
  const std::filesystem::path file = SCREE_SOURCE_DIR "/../shared/data/penetration25k/particles.txt";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "shared/data is not here";
  const ReadGrains r = read_grains(file, {.skips_other_rows = true}, units());
  ASSERT_TRUE(r.diagnostics.empty());
  EXPECT_EQ(r.value.rows, 25000u);
  EXPECT_EQ(r.value.skipped, 1u);
}

}  // namespace
}  // namespace scree::io

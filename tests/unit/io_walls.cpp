// Meshes and motions of the case file; what checkpoints and frames keep of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/case/read_case.h"
#include "io/checkpoint/checkpoint.h"
#include "io/library/library.h"
#include "io/mesh/wall_mesh.h"
#include "io/results/frame.h"
#include "oracle/larger.h"
#include "scenes/meshes.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

const std::string kCase = R"(
materials: {stone: {density: 2650}}
contacts: [{between: [stone, stone], law: linear, kn: 1e5, restitution: 0.5, friction: 0.4}]
walls:
  drum:
    mesh: {file: drum.off, scale: 1 cm, position: [0, 0, 1 cm], orientation: {axis: [0, 0, 2], angle: 30 degree}}
    material: stone
    rotation: {axis: [0, 0, 3], through: [0, 0, 0], rate: 30 rev/min}
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}
particles:
  - {count: 3, shapes: [sphere, cube], size: 4 cm, material: stone, velocity: [2, 1, 0], place: {at: [[0, 0, 3 cm], [8 cm, 0, 4 cm], [0, 9 cm, 4 cm]]}}
stages:
  - {name: turn, duration: 60 ms}
  - {name: shake, duration: 60 ms, move: {drum: {oscillation: {amplitude: [1 mm, 0, 0], frequency: 25 Hz}, path: {file: path.csv}}}}
)";

class Walls : public testing::Test {
 protected:
  Walls() {
    std::string pattern = (fs::temp_directory_path() / "scree_walls_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    write("drum.off", scenes::pipe(20, 30, 24, 2));
    std::ofstream(folder_ / "path.csv") << "time,x,y,z\n0,1,2,3\n0.05,1.01,2,3  # a remark\n\n0.1,1.01,2.02,3\n";
  }
  ~Walls() override { fs::remove_all(folder_); }
  void write(const std::string& name, const Surface& s) {
    std::ofstream out(folder_ / name);
    out << "OFF\n" << s.vertices.size() << " " << s.triangles.size() << " 0\n";
    out.precision(17);
    for (const Vec3& v : s.vertices) out << v.x << " " << v.y << " " << v.z << "\n";
    for (const auto& t : s.triangles) out << "3 " << t[0] << " " << t[1] << " " << t[2] << "\n";
  }
  ReadCase read(const std::vector<std::string>& set = {}) {
    std::ofstream(folder_ / "case.yaml") << kCase;
    return read_case((folder_ / "case.yaml").string(), set);
  }
  std::string said(const std::vector<std::string>& set) {
    std::string all;
    for (const Diagnostic& d : read(set).diagnostics) all += d.key + ": " + d.message + "\n";
    return all;
  }
  static void advance(Simulation& s, const Case& c, int steps) {
    for (int k = 0; k < steps; ++k) {
      if (stage_is_over(s, c, nullptr)) {
        ASSERT_TRUE(begin_next_stage(s, c, load_shape));
      }
      step(s);
      ASSERT_FALSE(s.fault) << s.fault->message;
    }
  }
  fs::path folder_;
};

TEST_F(Walls, AreReadWithTheirUnitsPlaceAndMotion) {
  const ReadCase r = read();
  ASSERT_TRUE(r.diagnostics.empty()) << format(r.diagnostics[0]);
  const Case& c = r.value;
  ASSERT_EQ(c.walls.size(), 2u);
  const Case::Wall& drum = c.walls[0];
  ASSERT_TRUE(drum.mesh);
  EXPECT_EQ(drum.mesh->size(), 24u);
  EXPECT_NEAR(drum.mesh->high().z, 0.3, 1e-6);
  EXPECT_NEAR(drum.mesh->high().x, 0.2, 1e-6);
  EXPECT_NEAR(drum.point.z, 0.01, 1e-15);
  EXPECT_NEAR(drum.orientation.w, std::cos(M_PI / 12), 1e-12);
  ASSERT_TRUE(drum.motion.rotation);
  EXPECT_NEAR(drum.motion.rotation->rate, M_PI, 1e-12);
  EXPECT_EQ(drum.motion.rotation->axis, (Vec3{0, 0, 1}));
  ASSERT_EQ(c.stages[1].move.size(), 1u);
  const boundary::Motion& m = c.stages[1].move[0].motion;
  EXPECT_FALSE(m.rotation);
  ASSERT_TRUE(m.oscillation);
  EXPECT_NEAR(m.oscillation->frequency, 25, 1e-12);
  ASSERT_EQ(m.table.size(), 3u);
  EXPECT_LT(norm(m.table[2].shift - Vec3{0.01, 0.02, 0}), 1e-12) << "relative to the first row";
}

TEST_F(Walls, ACheckpointGoesOnWithTheSameBitsThroughRotationAndPath) {
  const ReadCase r = read();
  ASSERT_TRUE(r.diagnostics.empty());
  const Case& c = r.value;
  for (const int first : {1, 90, 400}) {
    Result<Simulation> whole = set_up(c, load_shape);
    ASSERT_TRUE(whole) << whole.error().message;
    Simulation& s = *whole;
    advance(s, c, first);
    const auto file = write_checkpoint(folder_ / "checkpoints", s, {}, c);
    ASSERT_TRUE(file);
    Result<Resumed> again = read_checkpoint(*file, c, load_shape);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(state_hash(again->state), state_hash(s));
    ASSERT_TRUE(again->state.walls[0].mesh);
    bool met = false;
    for (int k = 0; k < 6; ++k) {
      for (int i = 0; i < 240; ++i) advance(s, c, 1), met = met || norm(s.walls[0].force) > 0;
      advance(again->state, c, 240);
      ASSERT_EQ(state_hash(again->state), state_hash(s)) << first << " + " << 240 * (k + 1);
    }
    EXPECT_TRUE(met) << first;
  }
}

TEST_F(Walls, ACheckpointGoesOnWithTheSameBitsThroughDrives) {
  const ReadCase r = read({"walls.floor.free={mass: 2 kg, force: 19 N, damping: 3 kg/s}",
                           "stages[1].move={drum: {servo: {along: [1, 0, 0], force: -5 N, max_velocity: 0.1}}, floor: "
                           "{oscillation: {amplitude: [0, 0, 0.1 mm], frequency: 40 Hz}}}"});
  ASSERT_TRUE(r.diagnostics.empty()) << format(r.diagnostics[0]);
  const Case& c = r.value;
  for (const int first : {1, 90, 400, 700}) {  // in the end the floor is no longer free, but driven
    Result<Simulation> s = set_up(c, load_shape);
    ASSERT_TRUE(s) << s.error().message;
    advance(*s, c, first);
    const auto file = write_checkpoint(folder_ / "checkpoints", *s, {}, c);
    ASSERT_TRUE(file);
    Result<Resumed> again = read_checkpoint(*file, c, load_shape);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->state.walls[1].driven != 0, first < 700) << first;
    EXPECT_EQ(state_hash(again->state), state_hash(*s));
    double pressed = 0;
    for (int k = 0; k < 300; ++k) {
      advance(*s, c, 1), advance(again->state, c, 1);
      pressed = oracle::larger(pressed, norm(s->walls[1].force));
    }
    EXPECT_TRUE(first != 400 || s->walls[0].driven != 0);
    EXPECT_TRUE(first != 700 || pressed > 0) << "the floor's speed is not seen where nothing touches it";
    EXPECT_EQ(state_hash(again->state), state_hash(*s)) << first;
  }
}

TEST_F(Walls, ACheckpointOfAnotherDrawingIsRefused) {
  Result<Simulation> s = set_up(read().value, load_shape);
  ASSERT_TRUE(s);
  const auto file = write_checkpoint(folder_ / "checkpoints", *s, {}, read().value);
  ASSERT_TRUE(file);
  write("drum.off", scenes::pipe(20.001, 30, 24, 2));
  const auto again = read_checkpoint(*file, read().value, load_shape);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("walls"), std::string::npos) << again.error().message;
}

TEST_F(Walls, FramesHoldTheMeshAndItsPose) {
  const Case c = read().value;
  Result<Simulation> s = set_up(c, load_shape);
  ASSERT_TRUE(s);
  advance(*s, c, 50);
  const Frame f = make_frame(*s, true);
  ASSERT_TRUE(write_frame(folder_ / "frame.vtkhdf", f));
  const Result<Frame> again = read_frame(folder_ / "frame.vtkhdf");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, f);
  ASSERT_EQ(f.walls.size(), 2u);
  EXPECT_EQ(f.walls[0].triangles.size(), 24u * 4);
  EXPECT_NE(f.walls[0].orientation, c.walls[0].orientation) << "it has turned";
  ASSERT_TRUE(write_contacts(folder_ / "contacts.vtkhdf", f));
  Frame spoiled = f;
  spoiled.walls[0].triangles[3][1] = 1000000;
  ASSERT_TRUE(write_frame(folder_ / "spoiled.vtkhdf", spoiled));
  EXPECT_FALSE(read_frame(folder_ / "spoiled.vtkhdf"));
}

TEST_F(Walls, MistakesNamePlaceAndRemedy) {
  const auto expect = [&](const std::string& set, const std::string& text) {
    const std::string all = said({set});
    EXPECT_NE(all.find(text), std::string::npos) << set << "\n" << all;
  };
  expect("walls.drum.mesh.file=nowhere.stl", "walls.drum.mesh.file: ");
  expect("walls.drum.mesh.file=case.yaml", "expected a file named .stl, .obj, .ply or .off");
  expect("walls.drum.mesh.scale=0", "expected a length above 0");
  expect("walls.drum.mesh.scale=1e300", "got 1e300 (above 1e30 in SI units, where products overflow)");
  expect("walls.drum.mesh.scale=1e-300", "got 1e-300 (nearer to 0 than 1e-30 in SI units");
  expect("walls.drum.mesh.orientation={axis: [0, 0, 0], angle: 1}", "expected a direction");
  expect("walls.drum.mesh.orientation=[1, 1, 0, 0]", "expected a unit quaternion");
  expect("walls.drum.mesh.sides=front", "is open: 48 edges have a triangle on one side only");
  expect("walls.floor.rotation={axis: [1, 0, 0], through: [0, 0, 0], rate: 1}", "can turn about its normal alone");
  expect("stages[0].move={floor: {rotation: {axis: [1, 0, 0], through: [0, 0, 0]}}}",
         "can turn about its normal alone");
  expect("walls.drum.rotation.swing=3 degree", "needs swing_frequency beside it");
  expect("walls.drum.rotation.rate=10 Hz", "expected an angular velocity");
  expect("dimensions=2", "is for three dimensions");
  EXPECT_EQ(said({"walls.floor.rotation={axis: [0, 0, -5], through: [1, 0, 0], rate: 1}"}), "");
  const std::string nothing = "surface_velocity: is along the normal, but a surface moves along itself";
  expect("walls.floor.surface_velocity=[0, 0, 1]", "walls.floor." + nothing);
  expect("stages[1].move={floor: {surface_velocity: [0, 0, -1 mm/s]}}", "stages[1].move.floor." + nothing);
  expect("walls.floor.surface_velocity=[3, 0, 4]",
         "walls.floor.surface_velocity: its part along the normal has no effect; the surface moves at 3 m/s");
  EXPECT_EQ(said({"walls.floor.surface_velocity=[3, 4, 0]"}), "");
  EXPECT_EQ(said({"walls.drum.surface_velocity=[0, 0, 1]"}), "");
  const std::string lids = "material: stone, box: {min: [0, 0, 9], max: [1, 1, 10], open: [x_min, x_max, y_min, y_max";
  expect("walls.pit={surface_velocity: [0, 0, 1], " + lids + "]}}", "walls.pit." + nothing);
  EXPECT_EQ(said({"walls.pit={surface_velocity: [0, 1, 0], " + lids + "]}}"}), "");
  expect("walls.floor.free={force: 3 N}", "free.mass: missing; expected a mass above 0");
  expect("walls.floor.free={mass: 3 kg, along: [0, 0, 0]}", "expected a direction");
  expect("walls.floor.servo={max_velocity: 1}", "needs a force or a stress");
  expect("walls.floor.servo={force: 1, area: 2, max_velocity: 1}", "servo.area: has no use without a stress");
  expect("stages[1].move={floor: {free: {mass: 1 kg, area: 2}}}", "free.area: has no use without a stress");
  expect("walls.floor.servo={force: 1 kg, max_velocity: 1}", "expected a force, got 1 kg (mass)");
  expect("walls.floor.servo={stress: 1 kPa, max_velocity: 1}", "the stress needs an area: floor is no side of a box");
  expect("walls.drum.servo={force: 1, max_velocity: 1, along: [1, 0, 0]}",
         "a wall that turns cannot be driven as well");
  expect("stages[1].move={drum: {free: {mass: 1 kg}}}", "needs along: a mesh has no normal");
  expect("stages[0].move={floor: {free: {mass: 1 kg}, servo: {force: 1, max_velocity: 1}}}",
         "expected only one of free and servo");
  expect("walls.pit={material: stone, free: {mass: 1, along: [0, 0, 1]}, box: {min: [0, 0, 9], max: [1, 1, 10]}}",
         "the sides of a box move one by one");
  std::ofstream(folder_ / "path.csv") << "0 0 0 0\n1 2 3\n";
  expect("seed=1", "path.csv:2:1: 3 columns");
  std::ofstream(folder_ / "path.csv") << "0 0 0 0\n0 2 3 1\n";
  expect("seed=1", "path.csv:2:1: the time does not rise");
  std::ofstream(folder_ / "path.csv") << "0 0 0 0 0\n1 2 3 1 1\n";
  expect("seed=1", "has angles; give the axis in a rotation");
  std::ofstream(folder_ / "path.csv") << "0 0 0 nan\n1 2 3 1\n2 x 1 1\n";
  expect("seed=1", "path.csv:3:3: expected numbers");
  std::ofstream(folder_ / "path.csv") << "0 0 0 0\n";
  expect("seed=1", "at least two rows");
}

TEST_F(Walls, AClosedMeshInsideOutIsRemarkedUponWhereItMatters) {
  Surface box = scenes::box_surface({0, 0, 0}, {1, 1, 1}, 2);
  write("out.off", box);
  for (auto& t : box.triangles) std::swap(t[0], t[1]);
  write("in.off", box);
  std::swap(box.triangles[5][0], box.triangles[5][1]);
  write("mixed.off", box);
  const auto remarks = [&](const std::string& name, bool front) {
    const Result<WallMesh> m = read_wall_mesh(folder_ / name, 1, front);
    return m ? (m->remarks.empty() ? "" : m->remarks[0]) : m.error().message;
  };
  EXPECT_EQ(remarks("out.off", true), "");
  EXPECT_EQ(remarks("in.off", false), "");
  EXPECT_NE(remarks("in.off", true).find("inside out"), std::string::npos);
  EXPECT_NE(remarks("mixed.off", true).find("1 of its triangles ran against"), std::string::npos);
  Surface flat;
  flat.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  flat.triangles = {{0, 1, 2}};
  write("flat.off", flat);
  EXPECT_NE(remarks("flat.off", false).find("no triangle has an area"), std::string::npos);
}

TEST_F(Walls, WhatSimplifyingDoesIsTold) {
  const auto told = [&](const Surface& s, double within) {
    write("some.off", s);
    const Result<WallMesh> m = read_wall_mesh(folder_ / "some.off", 2, false, within);
    return std::pair(m->facets->surface().triangles.size(), m->remarks.empty() ? "" : m->remarks[0]);
  };
  Surface drawn = scenes::sheet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 9, 9);
  EXPECT_EQ(told(drawn, 1e-3), std::pair(std::size_t{2}, std::string()));
  EXPECT_NE(told(drawn, 0.2).second.find("is 2 m across, of which simplify: 0.2 m leaves little"), std::string::npos);
  // A wall on the sheet: three triangles at its foot.
  drawn.triangles.push_back(
      {drawn.triangles[0][0], drawn.triangles[0][1], static_cast<std::uint32_t>(drawn.vertices.size())});
  drawn.vertices.push_back({0.05, 0.05, 1});
  drawn.triangles.push_back(
      {drawn.triangles[0][0], drawn.triangles[0][1], static_cast<std::uint32_t>(drawn.vertices.size())});
  drawn.vertices.push_back({0.05, 0.05, -1});
  testing::internal::CaptureStderr();
  const auto [triangles, remark] = told(drawn, 1e-3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(triangles, drawn.triangles.size());
  EXPECT_NE(remark.find("has no fewer triangles with simplify: 0.001 m"), std::string::npos) << remark;
}

TEST_F(Walls, MeshesKeepTheirPlaceAtASeam) {
  EXPECT_EQ(
      said({"periodic.x=[-1 m, 1 m]"}),
      "walls.drum: the mesh drum must not turn about another line than the periodic axis x: it would leave the seam\n"
      "stages[1].move.drum: the mesh drum must not move along the periodic axis x: it would leave the seam\n");
  EXPECT_EQ(said({"periodic.y=[-1 m, 1 m]", "walls.drum.rotation.axis=[0, 1, 0]"}),
            "stages[1].move.drum: the mesh drum must not move along the periodic axis y: it would leave the seam\n");
  // Of a drum about z the axis is z; the floor stands across it.
  EXPECT_EQ(said({"periodic.z=[0, 30 cm]", "walls.floor.plane.normal=[0, 1, 0]"}), "");
}

}  // namespace
}  // namespace scree::io

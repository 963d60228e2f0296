// LIBS: scree_io
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "geometry/polyhedron.h"
#include "io/results/frame.h"
#include "io/results/hdf5_file.h"
#include "io/results/incident_files.h"
#include "io/results/vtk_cells.h"
#include "io/text/files.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

struct Frames : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) / ("scree_io_frame_" + std::to_string(::getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
};

Frame::ShapeRow row_of(const std::string& name, const std::vector<Vec3>& points) {
  const Result<Polyhedron> p = convex_hull(points);
  EXPECT_TRUE(p) << name;
  Frame::ShapeRow row{name, p->vertices, {}};
  for (std::size_t f = 0; f < p->face_normals.size(); ++f) row.faces.emplace_back(p->loop(f).begin(), p->loop(f).end());
  return row;
}

Frame::ShapeRow tetrahedron() { return row_of("tetrahedron", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}); }
Frame::ShapeRow pyramid() { return row_of("pyramid", {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.4, 0.5, 1}}); }
Frame::ShapeRow wedge() { return row_of("wedge", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}); }
Frame::ShapeRow brick() {
  return row_of("brick", {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}, {0, 0, 3}, {1, 0, 3}, {1, 2, 3}, {0, 2, 3}});
}
Frame::ShapeRow octahedron() {
  return row_of("octahedron", {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
}

/// Two particles, a contact between them, one on a wall, two walls; no number is a round one.
Frame example() {
  Frame f;
  f.time = 0.1 + 0.2, f.step = 12345678901234;
  f.shapes = {tetrahedron(), octahedron()};
  f.id = {3, 4000000000}, f.shape = {1, 0}, f.material = {0, 7};
  f.size = {0.1, 1 / 3.0}, f.mass = {M_PI, 1e-300};
  f.position = {{0.1, 0.2, 0.3}, {-1e-9, 1e9, 2}}, f.velocity = {{1 / 7.0, 0, -0.0}, {3, 4, 12}};
  f.angular_velocity = {{1, 2, 3}, {4, 5, 6}};
  f.orientation = {{1, 0, 0, 0}, normalized(Quat{1, 2, 3, 4})};
  f.contact_point = {{1, 2, 3}, {4, 5, 6}}, f.contact_force = {{0, 0, 1 / 3.0}, {1, 1, 1}},
  f.contact_normal = {{0, 0, 1}, {1, 0, 0}};
  f.contact_depth = {1e-5, 2e-5}, f.contact_ids = {{3, 4000000000}, {3, -1}};
  f.walls = {{"box.x_min",
              0,
              {1, 2, 3},
              {1, 0, 0},
              {5, 6, 7},
              std::array<Vec3, 4>{Vec3{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}}},
             {"floor", 9, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}, {}}};
  return f;
}

TEST_F(Frames, ReadBackToTheSameBits) {
  const Frame f = example();
  ASSERT_TRUE(write_frame(folder / "f.vtkhdf", f));
  const Result<Frame> g = read_frame(folder / "f.vtkhdf");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_TRUE(*g == f);
  EXPECT_TRUE(std::signbit(g->velocity[0].z)) << "minus zero";
}

/// A disc and a square in two dimensions.
Frame round_example() {
  Frame f = example();
  f.dimensions = 2;
  f.shapes = {{"disc", {}, {}, 0.5}, {"square", {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2, 3}}, 0}};
  f.shape = {0, 1};
  return f;
}

/// Runs side by side in one program write their frames at once.
TEST_F(Frames, AreWrittenAndReadByManyThreadsAtOnce) {
  std::atomic<int> same{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Frame f = example();
      f.step = static_cast<std::uint64_t>(t);
      const fs::path file = folder / ("of_" + std::to_string(t) + ".vtkhdf");
      for (int k = 0; k < 20; ++k) {
        if (!write_frame(file, f)) return;
        const Result<Frame> back = read_frame(file);
        same += back && *back == f ? 1 : 0;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(same, 80);
}

TEST_F(Frames, WithRoundAndPlanarGrainsReadBack) {
  const Frame f = round_example();
  ASSERT_TRUE(write_frame(folder / "f.vtkhdf", f));
  const Result<Frame> g = read_frame(folder / "f.vtkhdf");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_TRUE(*g == f);
  EXPECT_EQ(g->dimensions, 2);
  EXPECT_EQ(g->shapes[0].radius, 0.5);
  // What ParaView sees: the disc's centre, the square's corners, and their radii.
  Result<hdf5::Reader> r = hdf5::Reader::open(folder / "f.vtkhdf");
  ASSERT_TRUE(r);
  std::vector<std::uint8_t> types;
  std::vector<double> radius;
  std::vector<Vec3> points;
  r->read("VTKHDF/Types", types), r->read("VTKHDF/PointData/radius", radius), r->read("VTKHDF/Points", points);
  ASSERT_FALSE(r->failure());
  EXPECT_EQ(types, (std::vector<std::uint8_t>{1, 7}));
  EXPECT_EQ(radius, (std::vector<double>{0.5 * f.size[0], 0, 0, 0, 0}));
  ASSERT_EQ(points.size(), 5u);
  EXPECT_EQ(points[0], f.position[0]);
  Frame bad = f;
  bad.shapes[0].radius = 0;
  EXPECT_FALSE(write_frame(folder / "bad", bad)) << "neither round nor of corners";
  bad.shapes[0].radius = INFINITY;
  EXPECT_FALSE(write_frame(folder / "bad", bad));
}

TEST_F(Frames, OfManyParticlesArePackedAndReadBack) {
  Frame f = example();
  for (int k = 0; k < 3000; ++k) {
    f.id.push_back(f.id[0]), f.shape.push_back(k % 2), f.material.push_back(k % 3), f.size.push_back(1 + k),
        f.mass.push_back(k);
    f.position.push_back({1.0 * k, 2.0 * k, 3.0 * k}), f.velocity.push_back({}), f.angular_velocity.push_back({});
    f.orientation.push_back({});
  }
  ASSERT_TRUE(write_frame(folder / "f.vtkhdf", f));
  const Result<Frame> g = read_frame(folder / "f.vtkhdf");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_TRUE(*g == f);
}

TEST_F(Frames, WithNothingInThemReadBack) {
  ASSERT_TRUE(write_frame(folder / "f.vtkhdf", Frame{}));
  const Result<Frame> g = read_frame(folder / "f.vtkhdf");
  ASSERT_TRUE(g) << g.error().message;
  EXPECT_TRUE(*g == Frame{});
}

TEST_F(Frames, EqualFramesAreEqualFiles) {
  ASSERT_TRUE(write_frame(folder / "a", example()));
  ASSERT_TRUE(write_frame(folder / "b", example()));
  const auto a = read_file(folder / "a"), b = read_file(folder / "b");
  EXPECT_EQ(*a, *b);
}

TEST_F(Frames, ThatContradictThemselvesAreNotWritten) {
  Frame f = example();
  f.mass.pop_back();
  EXPECT_FALSE(write_frame(folder / "f", f));
  f = example();
  f.shape[0] = 2;
  EXPECT_FALSE(write_frame(folder / "f", f));
  f = example();
  f.shapes[0].faces[0][0] = 200;
  EXPECT_FALSE(write_frame(folder / "f", f));
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(Frames, DamagedOnesAreRefused) {
  ASSERT_TRUE(write_frame(folder / "f", example()));
  const std::vector<std::byte> good = *read_file(folder / "f");
  auto refused = [&](const std::vector<std::byte>& bytes) {
    EXPECT_TRUE(write_file(folder / "bad", bytes, Durability::buffered));
    const Result<Frame> g = read_frame(folder / "bad");
    return !g && g.error().message.find("bad") != std::string::npos;
  };
  for (std::size_t k = 0; k < good.size(); k += 1 + good.size() / 300) {
    EXPECT_TRUE(refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(k)})) << "cut at " << k;
    std::vector<std::byte> flipped = good;
    flipped[k] ^= std::byte{0x10};
    EXPECT_TRUE(refused(flipped)) << "flipped at " << k;
  }
}

TEST_F(Frames, MissingFilesAndFoldersAreErrorsThatNameThem) {
  const Result<Frame> g = read_frame(folder / "none.vtkhdf");
  ASSERT_FALSE(g);
  EXPECT_NE(g.error().message.find("none.vtkhdf: no such file or directory"), std::string::npos) << g.error().message;
  const Status s = write_frame(folder / "no_folder" / "f.vtkhdf", example());
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message.find("no such file or directory"), std::string::npos) << s.error().message;
  EXPECT_FALSE(read_frame(folder)) << "a folder is no frame";
}

TEST_F(Frames, APartKeepsTheContactsAmongWhatItKeeps) {
  const Frame part = part_of(example(), {1, 0});
  EXPECT_EQ(part.id, std::vector<std::uint32_t>{3});
  ASSERT_EQ(part.contact_ids.size(), 1u);
  EXPECT_EQ(part.contact_ids[0][1], -1);
  EXPECT_EQ(part.walls.size(), 2u);
}

TEST_F(Frames, ListOfASeriesReadsBackAndForgivesNothing) {
  const std::vector<SeriesEntry> entries{{"frames/frame_000000.vtkhdf", 0}, {"frames/frame_000001.vtkhdf", 0.1 + 0.2}};
  ASSERT_TRUE(write_file_series(folder / "list", entries));
  const std::vector<SeriesEntry> back = read_file_series(folder / "list");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[1].file, entries[1].file);
  EXPECT_EQ(back[1].time, entries[1].time);
  for (const char* spoiled : {"", "{", "[]", "{\"files\": 3}", "{\"files\": [{\"name\": 3, \"time\": 1}]}"}) {
    ASSERT_TRUE(write_file(folder / "list", std::string_view(spoiled)));
    EXPECT_TRUE(read_file_series(folder / "list").empty()) << spoiled;
  }
}

// ---- the order of vertices that VTK wants, by its own formulas

Vec3 at(const Frame::ShapeRow& s, const VtkCell& c, std::size_t k) { return s.vertices[c.order[k]]; }

double corner(const Frame::ShapeRow& s, const VtkCell& c, std::size_t o, std::size_t i, std::size_t j, std::size_t k) {
  const Vec3 p = at(s, c, o);
  return dot(cross(at(s, c, i) - p, at(s, c, j) - p), at(s, c, k) - p);
}

TEST(VtkCells, TetrahedronAndPyramidStandOnTheirBase) {
  const VtkCell t = vtk_cell(tetrahedron());
  EXPECT_EQ(t.type, 10);
  EXPECT_GT(corner(tetrahedron(), t, 0, 1, 2, 3), 0);
  const VtkCell p = vtk_cell(pyramid());
  EXPECT_EQ(p.type, 14);
  EXPECT_GT(corner(pyramid(), p, 0, 1, 3, 4), 0);
  EXPECT_EQ(at(pyramid(), p, 4), (Vec3{0.4, 0.5, 1}));
}

TEST(VtkCells, HexahedronHasEachVertexAboveItsOwn) {
  const Frame::ShapeRow s = brick();
  const VtkCell c = vtk_cell(s);
  ASSERT_EQ(c.type, 12);
  EXPECT_DOUBLE_EQ(corner(s, c, 0, 1, 3, 4), 6);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(at(s, c, k + 4) - at(s, c, k), at(s, c, 4) - at(s, c, 0));
}

TEST(VtkCells, WedgeLooksOutwardWithItsFirstTriangle) {
  const Frame::ShapeRow s = wedge();
  const VtkCell c = vtk_cell(s);
  ASSERT_EQ(c.type, 13);
  EXPECT_LT(corner(s, c, 0, 1, 2, 3), 0);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(at(s, c, k + 3) - at(s, c, k), at(s, c, 3) - at(s, c, 0));
}

TEST(VtkCells, OthersAreConvexPointSetsOfAllVertices) {
  const VtkCell c = vtk_cell(octahedron());
  EXPECT_EQ(c.type, 41);
  EXPECT_EQ(std::set<int>(c.order.begin(), c.order.end()).size(), 6u);
}

TEST(VtkCells, EightVerticesAreNotEnoughForAHexahedron) {
  const Frame::ShapeRow bipyramid = row_of(
      "hexagonal bipyramid",
      {{1, 0, 0}, {0.5, 0.9, 0}, {-0.5, 0.9, 0}, {-1, 0, 0}, {-0.5, -0.9, 0}, {0.5, -0.9, 0}, {0, 0, 1}, {0, 0, -1}});
  EXPECT_EQ(vtk_cell(bipyramid).type, 41);
}

// ---- fault

Simulation two_grains() {
  Simulation s;
  const Result<Polyhedron> p = convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  s.shapes.push_back(std::make_shared<Shape>(*make_shape("tetrahedron", *p)));
  s.particles.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    s.particles.id[i] = i, s.particles.size[i] = 1, s.particles.mass[i] = 1, s.particles.radius[i] = 1;
    s.particles.shape[i] = 0, s.particles.material[i] = 0;
    s.particles.position[i] = {10.0 * i * i, 0, 0};
  }
  s.particles.listed_at = s.particles.position, s.list_is_valid = true;
  return s;
}

TEST_F(Frames, NeighbourhoodOfAFaultHoldsTheNamedAndTheNearOnes) {
  Simulation s = two_grains();
  s.particles.position[1] = {4, 0, 0};
  s.fault = Fault{Fault::Kind::overlap_too_deep, "too deep", {0}, {0, 0, 0}};
  const Result<Neighbourhood> near = write_neighbourhood(folder / "fault", s, *s.fault);
  ASSERT_TRUE(near) << near.error().message;
  const Result<Frame> f = read_frame(near->file);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->id, (std::vector<std::uint32_t>{0, 1}));
}

TEST_F(Frames, NeighbourhoodShowsALostParticleWhereItWasLastSeen) {
  Simulation s = two_grains();
  s.particles.position[2] = {NAN, 0, 0};
  s.particles.orientation[2] = {NAN, 0, 0, 0};
  s.fault = Fault{Fault::Kind::not_finite, "lost", {2}, {NAN, NAN, NAN}};
  const Result<Neighbourhood> near = write_neighbourhood(folder / "fault", s, *s.fault);
  ASSERT_TRUE(near) << near.error().message;
  const Result<Frame> f = read_frame(near->file);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->id, std::vector<std::uint32_t>{2});
  EXPECT_EQ(f->position[0], (Vec3{40, 0, 0}));
}

}  // namespace
}  // namespace scree::io

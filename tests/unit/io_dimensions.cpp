// LIBS: scree_io
// Two dimensions and round shapes in case files and shape files: what is read, and what each mistake is told.
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

const char* const kPlanar = R"(dimensions: 2
thickness: 10 cm
materials: {stone: {density: 2650}}
contacts: [{between: [stone, stone], law: bloks3d, kn: 1e6, ks: 8e5, friction: 0.5}]
walls:
  box: {box: {min: [0, 0, 0], max: [1, 1, 0], open: [y_max]}, material: stone}
  slope: {plane: {point: [0, 0, 0], normal: [1, 1, 0]}, material: stone}
particles:
  - {count: 4, shapes: [disc, square], size: 1 cm, place: {lattice: {above: box}}, material: stone, velocity: [1, 2, 0], angular_velocity: [0, 0, 3]}
  - {count: 4, shapes: hexagon, size: 1 cm, place: {lattice: {inside: {min: [0.2, 0.5, 0], max: [0.8, 1, 0]}}}, material: stone, orientation: [0.6, 0, 0, 0.8]}
stages: [{duration: 1 s}]
)";

class Dimensions : public testing::Test {
 protected:
  fs::path file = fs::temp_directory_path() / ("scree_dimensions_" + std::to_string(::getpid()) + ".yaml");
  ~Dimensions() override { fs::remove(file); }
  ReadCase read(const std::vector<std::string>& overrides = {}, const std::string& text = kPlanar) {
    std::ofstream(file) << text;
    return read_case(file.string(), overrides);
  }
  /// The messages after the override's own text.
  std::string said(const std::string& override) {
    std::string all;
    for (const Diagnostic& d : read({override}).diagnostics)
      all += (all.empty() ? "" : "\n") + d.key + ": " + d.message;
    return all;
  }
};

TEST_F(Dimensions, AreRead) {
  const ReadCase r = read();
  for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << format(d);
  const Case& c = r.value;
  EXPECT_EQ(c.dimensions, 2);
  EXPECT_DOUBLE_EQ(c.thickness, 0.1);
  EXPECT_EQ(c.gravity, (Vec3{0, -9.81, 0}));
  std::vector<std::string> walls;
  for (const Case::Wall& w : c.walls) walls.push_back(w.name);
  EXPECT_EQ(walls, (std::vector<std::string>{"box.x_min", "box.x_max", "box.y_min", "slope"}));
  const auto& l = std::get<Case::Lattice>(c.particles[1].place);
  ASSERT_TRUE(l.region);
  EXPECT_EQ(l.region->max, (Vec3{0.8, 1, 0}));
  const Result<Simulation> s = set_up(c, [](const std::string& name) { return load_shape(name); });
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_NEAR(s->particles.mass[1], 2650 * 0.01 * 0.01 * 0.1, 1e-12) << "a square";
}

TEST_F(Dimensions, EveryZHasToBeZero) {
  const std::string plane = ": expected 0, for two dimensions (dimensions: 2) keep to the plane z = 0; got ";
  EXPECT_EQ(said("gravity=[0, -9.81, 1 m/s^2]"), "gravity[2]" + plane + "1 m/s^2");
  EXPECT_EQ(said("particles[0].velocity=[0, 0, -1]"), "particles[0].velocity[2]" + plane + "-1");
  EXPECT_EQ(said("particles[0].place={at: [[0, 0, 0], [1, 1, 0], [2, 2, 2], [3, 3, 0]]}"),
            "particles[0].place.at[2][2]" + plane + "2");
  EXPECT_EQ(said("walls.slope.plane.normal=[0, 1, 1]"), "walls.slope.plane.normal[2]" + plane + "1");
  EXPECT_EQ(said("walls.box.box.max=[1, 1, 1]"), "walls.box.box.max[2]" + plane + "1");
  EXPECT_EQ(said("walls.slope.velocity=[0, 0, 1]"), "walls.slope.velocity[2]" + plane + "1");
  EXPECT_EQ(said("stages[0].gravity=[0, 0, 1]"), "stages[0].gravity[2]" + plane + "1");
  EXPECT_EQ(said("stages[0].move={box: {velocity: [0, 0, 1]}}"), "stages[0].move.box.velocity[2]" + plane + "1");
  EXPECT_EQ(said("particles[0].angular_velocity=[0, 1, 0]"),
            "particles[0].angular_velocity[1]: expected 0, for in two dimensions grains turn about z; got 1");
  EXPECT_EQ(said("particles[1].orientation=[0.6, 0.8, 0, 0]"),
            "particles[1].orientation: expected a rotation about z, [w, 0, 0, z], in two dimensions");
}

TEST_F(Dimensions, ShapesAndSearchesHaveToGoWithThem) {
  EXPECT_EQ(said("particles[0].shapes=cube"),
            "particles[0].shapes: the shape cube is for three dimensions; in two there are disc and polygons such as "
            "square (`scree shape list`)");
  const std::string solid = said("dimensions=3");
  EXPECT_NE(solid.find("the shape disc is for two dimensions; add dimensions: 2 or take another shape"),
            std::string::npos)
      << solid;
  EXPECT_NE(solid.find("thickness: is that of the grains of two dimensions"), std::string::npos) << solid;
  EXPECT_EQ(said("dimensions=4"), "dimensions: expected an integer from 2 to 3, got 4");
  EXPECT_EQ(said("thickness=0"), "thickness: expected a length above 0, got 0");
  EXPECT_EQ(said("detection={contact_geometry: contact_zone}"),
            "detection.contact_geometry: expected overlap, the one there is in two dimensions, got contact_zone");
  EXPECT_EQ(said("detection={common_plane: gjk}"),
            "detection.common_plane: expected auto, separating_axis, fast, common_plane, the searches there are in two "
            "dimensions, got gjk");
  EXPECT_EQ(said("detection={common_plane: fast}"), "");
  EXPECT_EQ(said("detection={common_plane: common_plane, cundall: {axes: random}}"),
            "detection.cundall.axes: has no use in two dimensions");
  EXPECT_EQ(said("detection={common_plane: fast, cundall: {shrink: 0.4}}"),
            "detection.cundall: has no use without common_plane: common_plane");
  EXPECT_EQ(said("detection={common_plane: nope}"),
            "detection.common_plane: expected auto, separating_axis, fast, common_plane, the searches there are in two "
            "dimensions, got nope");
  EXPECT_EQ(said("detection={contact_geometry: [zone]}"),
            "detection.contact_geometry: expected overlap, the one there is in two dimensions, got a list");
  EXPECT_EQ(said("detection={fast: {mode: paper}}"), "detection.fast: has no use in two dimensions");
  EXPECT_EQ(said("contacts[0].rolling={model: spring, friction: 0.1, twisting: 0.1}"),
            "contacts[0].rolling.twisting: has no use in two dimensions, where nothing turns about a normal");
  EXPECT_EQ(said("stages[0].remove=box.z_min").substr(0, 52), "stages[0].remove: no wall box.z_min stands at this p");
  EXPECT_EQ(said("particles[1].place.lattice.inside.max=[0.2, 1, 0]"),
            "particles[1].place.lattice.inside.max[0]: expected more than min's 0.2, got 0.2");
  EXPECT_NE(said("particles[1].place.lattice.above=box").find("expected only one of above, inside"), std::string::npos)
      << said("particles[1].place.lattice.above=box");
}

TEST(ShapeFiles, OfSpheresDiscsAndPolygons) {
  EXPECT_EQ(parse_shape("name: ball\nkind: sphere\n", "f")->kind, ShapeKind::sphere);
  EXPECT_EQ(parse_shape("name: coin\nkind: disc\n", "f")->kind, ShapeKind::disc);
  const auto kite = parse_shape("name: kite\noutline: [[0, -1], [0.5, 0], [0, 0.4], [-0.5, 0]]\n", "f");
  ASSERT_TRUE(kite) << kite.error().message;
  EXPECT_EQ(kite->kind, ShapeKind::polygon);
  EXPECT_NEAR(kite->volume, 0.7, 1e-15);
  const auto said = [](const std::string& text) {
    const auto s = parse_shape("name: x\n" + text, "f");
    return s ? std::string("fine") : s.error().message;
  };
  EXPECT_EQ(said("kind: spere\n"),
            "f:2:7: kind: expected sphere or disc; did you mean sphere?; a polyhedron is given by its vertices, a "
            "polygon by its outline, a clump by its parts");
  EXPECT_EQ(said("kind: sphere\noutline: [[0, 0], [1, 0], [0, 1]]\n"),
            "f:3:10: outline: there is kind already; a shape has one of kind, vertices, outline and parts");
  EXPECT_EQ(said("outline: [[0, 0], [1, 0], [0, 1]]\nvertices: [[0, 0, 0]]\n"),
            "f:3:11: vertices: there is outline already; a shape has one of kind, vertices, outline and parts");
  EXPECT_EQ(said("outline: [[0, 0], [1, 0, 0], [0, x]]\n"),
            "f:2:19: outline[1]: expected a point [x, y]\nf:2:34: outline[2]: expected a finite number, got x");
  EXPECT_NE(said("outline: [[0, 0], [0, 1], [1, 0]]\n").find("f:2:10: outline: "), std::string::npos) << "clockwise";
  EXPECT_NE(said("outline: [[0, 0], [1, 0]]\n").find("f:2:10: outline: "), std::string::npos) << "two corners";
}

}  // namespace
}  // namespace scree::io

// LIBS: scree_io
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "io/library/builtin_files.h"
#include "io/library/library.h"
#include "io/text/files.h"
#include "oracle/larger.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

/// A home of its own, so that the user's library takes no part.
struct Library : testing::Test {
  fs::path home = fs::path(testing::TempDir()) / ("scree_io_library_" + std::to_string(::getpid()));
  void SetUp() override {
    fs::create_directories(home);
    ::setenv("XDG_DATA_HOME", home.c_str(), 1);
    ::unsetenv("SCREE_SHAPES");
  }
  void TearDown() override {
    ::unsetenv("SCREE_SHAPES");
    fs::permissions(home, fs::perms::owner_all, fs::perm_options::add);
    fs::remove_all(home);
  }
  fs::path own() const { return home / "scree/shapes"; }
  static void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
};

std::shared_ptr<const Shape> shape(const std::string& name) {
  const auto s = load_shape(name);
  if (!s) {
    ADD_FAILURE() << s.error().message;
    return std::make_shared<Shape>();
  }
  return *s;
}

std::string refusal(const std::string& name) {
  const auto s = load_shape(name);
  EXPECT_FALSE(s) << name;
  return s ? "" : s.error().message;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Row {
  const char* name;
  std::size_t vertices, faces, edges;
};
constexpr Row kRows[] = {{"tetrahedron", 4, 4, 6},
                         {"pyramid", 5, 5, 8},
                         {"cube", 8, 6, 12},
                         {"grain14", 14, 9, 21},
                         {"octahedron", 6, 8, 12},
                         {"dodecahedron", 20, 12, 30},
                         {"icosahedron", 12, 20, 30},
                         {"grain16", 28, 16, 42},
                         {"plate", 8, 6, 12},
                         {"needle", 10, 12, 20},
                         {"stone_angular", 55, 106, 159},
                         {"stone_subrounded", 108, 212, 318},
                         {"stone_elongated", 77, 150, 225}};
constexpr std::size_t kPlain = 7;  // sphere, disc and five polygons
constexpr std::size_t kClumps = 3;

TEST_F(Library, EveryPolygonHasUnitWidthAndItsNumberOfCorners) {
  struct Polygon {
    const char* name;
    std::size_t corners;
  };
  for (const Polygon& r : {Polygon{"triangle", 3}, {"square", 4}, {"pentagon", 5}, {"hexagon", 6}, {"octagon", 8}}) {
    const auto s = shape(r.name);
    EXPECT_EQ(s->kind, ShapeKind::polygon);
    ASSERT_EQ(s->outline.size(), r.corners);
    double low = 0, high = 0;
    for (std::size_t i = 0; i < r.corners; ++i) {
      const Vec2 v = s->outline.vertices[i];
      low = std::min(low, v.x), high = oracle::larger(high, v.x);
      // Regular: all sides alike, all corners as far from the centroid.
      EXPECT_NEAR(norm(v), s->outer_radius(), 1e-15) << r.name;
      EXPECT_NEAR(s->outline.edge_offsets[i], s->inner_radius(), 1e-15) << r.name;
    }
    EXPECT_NEAR(high - low, 1, 1e-15) << r.name;
  }
}

TEST_F(Library, EveryPrototypeIsASoundShapeOfUnitSize) {
  EXPECT_EQ(builtin_shapes().size(), std::size(kRows) + kPlain + kClumps);
  for (const Row& r : kRows) {
    const auto s = shape(r.name);
    EXPECT_EQ(s->name, r.name);
    EXPECT_FALSE(s->description.empty());
    EXPECT_EQ(s->body.vertices.size(), r.vertices) << r.name;
    EXPECT_EQ(s->body.face_normals.size(), r.faces) << r.name;
    EXPECT_EQ(s->body.edges.size(), r.edges) << r.name;
    const Status valid = validate(s->body);
    EXPECT_TRUE(valid) << r.name << valid.error().message;
    EXPECT_GT(s->body.inner_radius, 0) << r.name;
    const MassProperties m = mass_properties(s->body);
    EXPECT_LT(norm(m.centroid), 1e-14) << r.name;
    EXPECT_GT(s->inertia.x, 0);
    EXPECT_LE(s->inertia.x, s->inertia.y);
    EXPECT_LE(s->inertia.y, s->inertia.z);
    for (std::size_t f = 0; f < r.faces; ++f) {
      for (const std::uint16_t v : s->body.loop(f)) {
        EXPECT_NEAR(dot(s->body.face_normals[f], s->body.vertices[v]), s->body.face_offsets[f], 1e-13) << r.name;
      }
    }
  }
}

TEST_F(Library, DrawnCoordinatesFillAUnitBox) {
  for (const Row& r : kRows) {
    std::ifstream file(fs::path(SCREE_SOURCE_DIR) / "shapes" / (std::string(r.name) + ".yaml"));
    std::string line;
    Vec3 lo{9, 9, 9}, hi{-9, -9, -9};
    std::size_t n = 0;
    while (std::getline(file, line)) {
      Vec3 v;
      if (std::sscanf(line.c_str(), "  - [%lf, %lf, %lf]", &v.x, &v.y, &v.z) != 3) continue;
      ++n;
      for (std::size_t k = 0; k < 3; ++k) lo[k] = std::min(lo[k], v[k]), hi[k] = oracle::larger(hi[k], v[k]);
    }
    EXPECT_EQ(n, r.vertices) << r.name;  // every listed point is a corner
    EXPECT_NEAR(std::max({hi.x - lo.x, hi.y - lo.y, hi.z - lo.z}), 1, 1e-15) << r.name;
  }
}

TEST_F(Library, ClumpsAreSoundAndOfUnitSize) {
  struct Clump {
    const char* name;
    std::size_t parts;
    double longest;
  };
  for (const Clump& c : {Clump{"dumbbell", 3, 1}, {"tetrapod", 9, 1}, {"angle", 2, 1}}) {
    const auto s = shape(c.name);
    EXPECT_EQ(s->kind, ShapeKind::clump) << c.name;
    ASSERT_EQ(s->parts.size(), c.parts) << c.name;
    EXPECT_FALSE(s->description.empty());
    double sum = 0;
    for (const Shape::Part& part : s->parts) sum += part.size * part.size * part.size * part.shape->volume;
    EXPECT_LE(s->volume, sum * (1 + 1e-12)) << c.name;
    EXPECT_GT(s->volume, 0.5 * sum) << c.name;
    EXPECT_LE(s->outer_radius(), 1) << c.name;
    EXPECT_GT(s->inertia.x, 0) << c.name;
    EXPECT_LE(s->inertia.z, (s->inertia.x + s->inertia.y) * (1 + 1e-12)) << c.name;
  }
  EXPECT_NEAR(shape("angle")->volume, 0.3 * 0.3 * 1.7, 1e-12);
}

TEST_F(Library, ClumpsTakeTheMassPropertiesThatTheirFilesGive) {
  const auto s = parse_shape(
      "name: rod\nparts:\n  - {centre: [0, 0, 0], radius: 0.1}\n  - {centre: [1, 0, 0], radius: 0.1}\n"
      "volume: 0.02\ncentroid: [0.5, 0, 0]\ninertia: [0.0001, 0.004, 0.004]\n",
      "rod.yaml");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->volume, 0.02);
  EXPECT_EQ(s->inertia, (Vec3{0.0001, 0.004, 0.004}));
}

TEST_F(Library, ClumpsOfTablesReadBack) {
  const std::vector<Ball> balls = {{{0.1, 0.2, 0.3}, 1.0 / 3}, {{0.4, 0.2, 0.3}, 0.2}};
  const auto s = parse_shape(format_clump("pair", "two \"balls\"", balls), "pair.yaml");
  ASSERT_TRUE(s) << s.error().message;
  ASSERT_EQ(s->parts.size(), 2u);
  EXPECT_EQ(s->parts[0].size, 2 * balls[0].radius);
  EXPECT_NEAR(norm(s->parts[1].centre - s->parts[0].centre), 0.3, 1e-15);
}

TEST_F(Library, MistakesInClumpsAreNamedWithTheirPlace) {
  const auto refusal = [](const std::string& rest) {
    const auto s = parse_shape("name: x\n" + rest, "x.yaml");
    EXPECT_FALSE(s) << rest;
    return s ? "" : s.error().message;
  };
  const std::string two = "parts:\n  - {centre: [0, 0, 0], radius: 1}\n  - {centre: [1, 0, 0], radius: 1}\n";
  EXPECT_TRUE(has(refusal("parts: []\n"), "x.yaml:2:8: parts: expected a list of parts"));
  EXPECT_TRUE(has(refusal("parts:\n  - {centre: [0, 0, 0], radius: 0}\n"), "x.yaml:3:33: parts[0].radius: expected a"));
  EXPECT_TRUE(has(refusal("parts:\n  - {centre: [0, 0], radius: 1}\n"), "parts[0].centre: expected a point"));
  EXPECT_TRUE(has(refusal("parts:\n  - {center: [0, 0, 0], radius: 1}\n"), "did you mean centre?"));
  EXPECT_TRUE(has(refusal("parts:\n  - {radius: 1}\n"), "centre is missing"));
  EXPECT_TRUE(has(refusal("parts:\n  - 7\n"), "x.yaml:3:5: parts[0]: expected {centre"));
  EXPECT_TRUE(has(refusal("parts:\n  - {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}\n"), "parts[0].vertices"));
  EXPECT_TRUE(has(refusal("parts:\n  - {vertices: [[0,0,0], [1,0,0], [0,1,0], [0,0,1], [0.2,0.2,0.2]]}\n"),
                  "a part has to be convex"));
  EXPECT_TRUE(has(refusal("parts:\n  - {centre: [0, 0, 0], radius: 1}\n  - {centre: [3, 0, 0], radius: 1}\n"),
                  "part 1 hangs together"));
  EXPECT_TRUE(has(refusal(two + "volume: 1\n"), "given all together or not at all"));
  EXPECT_TRUE(has(refusal(two + "volume: -1\ncentroid: [0, 0, 0]\ninertia: [1, 1, 1]\n"), "volume has to be above 0"));
  EXPECT_TRUE(has(refusal(two + "volume: 1\ncentroid: [0, 0, 0]\ninertia: [1, 1, 3]\n"), "no body has this inertia"));
  EXPECT_TRUE(has(refusal(two + "kind: sphere\n"), "there is kind already"));
  EXPECT_TRUE(
      has(refusal("vertices: [[0,0,0], [1,0,0], [0,1,0], [0,0,1]]\nvolume: 3\n"), "is for shapes made of parts"));
}

TEST_F(Library, PlatonicSolidsHaveTheirPublishedMassProperties) {
  struct Solid {
    const char* name;
    double volume, inertia;  // at unit edge; inertia over m a^2
  };
  for (const Solid& p : {Solid{"tetrahedron", 0.117851130198, 1.0 / 20}, Solid{"octahedron", 0.471404520791, 0.1},
                         Solid{"dodecahedron", 7.663118960625, 0.607355503742},
                         Solid{"icosahedron", 2.181694990625, 0.261803398875}, Solid{"cube", 1, 1.0 / 6}}) {
    const auto s = shape(p.name);
    const auto& e = s->body.edges[0];
    const double a = norm(s->body.vertices[e.v0] - s->body.vertices[e.v1]);
    EXPECT_NEAR(s->volume / (a * a * a) / p.volume, 1, 1e-9) << p.name;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(s->inertia[k] / (s->volume * a * a) / p.inertia, 1, 1e-9) << p.name;
  }
}

TEST_F(Library, CubeStaysAxisAlignedToTheLastBit) {
  const auto cube = shape("cube");
  for (const Vec3& v : cube->body.vertices) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(std::abs(v[k]), 0.5);
  }
}

TEST_F(Library, Grain14IsAnIrregularAngularGrain) {
  const auto s = shape("grain14");
  EXPECT_LT(s->inertia.x, 0.95 * s->inertia.y);  // no axis of symmetry
  EXPECT_LT(s->inertia.y, 0.95 * s->inertia.z);
  EXPECT_GT(s->body.inner_radius / s->body.outer_radius, 0.35);
  for (const auto& e : s->body.edges) EXPECT_GT(norm(s->body.vertices[e.v0] - s->body.vertices[e.v1]), 0.2);
}

TEST_F(Library, BuiltInCopiesAreTheFiles) {
  for (const BuiltinFile& b : builtin_shapes()) {
    const auto bytes = read_file(fs::path(SCREE_SOURCE_DIR) / "shapes" / (std::string(b.name) + ".yaml"));
    ASSERT_TRUE(bytes) << b.name;
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()), b.text);
  }
}

TEST_F(Library, ListNamesEveryShapeOnceAndBrokenFilesWithTheirProblem) {
  put(own() / "mine.yaml", format_shape("mine", "my own", shape("cube")->body.vertices));
  put(own() / "broken.yaml", "name: broken\nvertices: 7\n");
  put(own() / "Not A Name.yaml", "");
  put(own() / "readme.txt", "");
  const auto list = list_shapes();
  ASSERT_EQ(list.size(), std::size(kRows) + kPlain + kClumps + 2);
  EXPECT_TRUE(std::is_sorted(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const LibraryEntry& e : list) {
    EXPECT_EQ(e.problem.empty(), e.name != "broken") << e.name << e.problem;
    if (e.name == "mine") {
      EXPECT_EQ(e.description, "my own");
      EXPECT_EQ(e.origin, (own() / "mine.yaml").string());
    }
    EXPECT_EQ(e.origin == "built in", e.name != "mine" && e.name != "broken");
  }
}

TEST_F(Library, EarlierFoldersComeFirst) {
  const auto thing = [](double z) {
    std::string t = "name: thing\nvertices:\n";
    for (int i = 0; i < 8; ++i)
      t += "  - [" + std::to_string(i & 1) + ", " + std::to_string(i >> 1 & 1) + ", " + std::to_string(i & 4 ? z : 0) +
           "]\n";
    return t;
  };
  put(own() / "thing.yaml", thing(2));
  EXPECT_NEAR(shape("thing")->volume, 2, 1e-14);
  put(home / "a/thing.yaml", thing(3));
  put(home / "b/thing.yaml", thing(4));
  ::setenv("SCREE_SHAPES",
           ((home / "nowhere").string() + "::" + (home / "b").string() + ":" + (home / "a").string()).c_str(), 1);
  EXPECT_NEAR(shape("thing")->volume, 4, 1e-14);
  put(own() / "cube.yaml", format_shape("cube", "", shape("plate")->body.vertices));
  EXPECT_NEAR(shape("cube")->volume, 0.2, 1e-14);  // one's own goes before the built-in one
}

TEST_F(Library, UnknownNamesGetTheNearestAndTheFoldersSearched) {
  EXPECT_TRUE(has(refusal("tetrahedrn"), "did you mean tetrahedron?"));
  EXPECT_TRUE(has(refusal("tetrahedrn"), own().string()));
  EXPECT_TRUE(has(refusal("Cube"), "did you mean cube?"));
  for (const char* name : {"", "../../etc/passwd", "a/b", ".", "-x", "zzzzzzzz"})
    EXPECT_TRUE(has(refusal(name), "no shape is called"));
}

TEST_F(Library, MistakesInAFileAreAllNamedWithTheirPlace) {
  const auto r = parse_shape(
      "name: Bad Name\ndescribtion: x\nvertices:\n  - [0, 0, 0]\n  - [1, 0]\n  - [1, nan, 0]\n  - [1, two, 0]\n",
      "f.yaml");
  ASSERT_FALSE(r);
  const std::string& m = r.error().message;
  EXPECT_TRUE(has(m, "f.yaml:1:7: name: expected")) << m;
  EXPECT_TRUE(has(m, "f.yaml:2:1: describtion: unknown key; did you mean description?")) << m;
  EXPECT_TRUE(has(m, "f.yaml:5:5: vertices[1]: expected a point [x, y, z]")) << m;
  EXPECT_TRUE(has(m, "f.yaml:6:9: vertices[2]: expected a finite number, got nan")) << m;
  EXPECT_TRUE(has(m, "f.yaml:7:9: vertices[3]: expected a finite number, got two")) << m;
}

TEST_F(Library, EveryKindOfBadFileEndsInASentenceThatNamesIt) {
  const std::string good = format_shape("f", "", shape("cube")->body.vertices);
  ASSERT_TRUE(parse_shape(good, "f.yaml"));
  std::string many = "name: f\nvertices:\n";
  for (int i = 0; i < 10'001; ++i) many += "  - [0, 0, 0]\n";
  std::string deep(100'000, '[');
  const std::pair<std::string, const char*> rows[] = {
      {"", "the file is empty"},
      {"just text", "expected a shape"},
      {"[1, 2]", "expected a shape"},
      {"name: f\n", "vertices: missing"},
      {"vertices: [[0,0,0]]\n", "name: missing"},
      {"name: f\nvertices: []\n", "at least 4 points"},
      {"name: f\nvertices: [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]\n", "flat"},
      {"name: f\nvertices: [[0,0,0],[1,0,0],[0,1,0],[0,0,1e999]]\n", "finite number"},
      {"name: f\nvertices: [[0,0,0],[1,0,0],[0,1,0],[0,0,0x1]]\n", "finite number"},
      {"name: f\nname: f\nvertices: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]\n", "given twice"},
      {"name: f\ndescription: " + std::string(600, 'x') + "\nvertices: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]\n",
       "longer than 500"},
      {many, "the limit is 10000"},
      {deep, "f.yaml"},
      {"a: [\n", "not valid YAML"},
      {std::string("\x7f\x45LF\0\0\0\0", 8), "f.yaml"},
  };
  for (const auto& [text, what] : rows) {
    const auto r = parse_shape(text, "f.yaml");
    ASSERT_FALSE(r) << what;
    EXPECT_TRUE(has(r.error().message, what)) << r.error().message.substr(0, 300);
    EXPECT_TRUE(r.error().message.starts_with("f.yaml")) << r.error().message.substr(0, 300);
  }
}

TEST_F(Library, AFileMustBeCalledAsItsShape) {
  put(own() / "a.yaml", format_shape("b", "", shape("cube")->body.vertices));
  EXPECT_TRUE(has(refusal("a"), "a.yaml: the file is called a.yaml, the shape in it 'b'"));
}

TEST_F(Library, AFolderOrAPipeInAFilesPlaceIsRefused) {
  fs::create_directories(own() / "a.yaml");
  EXPECT_TRUE(has(refusal("a"), "folder"));
  ASSERT_EQ(::mkfifo((own() / "p.yaml").c_str(), 0600), 0);
  EXPECT_TRUE(has(refusal("p"), "regular file"));
}

TEST_F(Library, SaveWritesWhatLoadReadsBackToTheSameBits) {
  const auto grain = shape("grain16");
  const auto path = save_shape("copy", "a \"quoted\" \\ line:\n# with everything", grain->body.vertices);
  ASSERT_TRUE(path) << path.error().message;
  EXPECT_EQ(*path, own() / "copy.yaml");
  const auto copy = shape("copy");
  EXPECT_EQ(copy->description, "a \"quoted\" \\ line: # with everything");
  ASSERT_EQ(copy->body.vertices.size(), grain->body.vertices.size());
  EXPECT_EQ(copy->body.vertices, grain->body.vertices);
  EXPECT_EQ(copy->volume, grain->volume);
}

TEST_F(Library, SaveRefusesToReplaceUnlessAsked) {
  const std::vector<Vec3> cube = shape("cube")->body.vertices;
  ASSERT_TRUE(save_shape("mine", "first", cube));
  const auto again = save_shape("mine", "second", cube);
  ASSERT_FALSE(again);
  EXPECT_TRUE(has(again.error().message, "there already; --force"));
  EXPECT_EQ(shape("mine")->description, "first");
  ASSERT_TRUE(save_shape("mine", "second", cube, true));
  EXPECT_EQ(shape("mine")->description, "second");
  EXPECT_TRUE(has(save_shape("cube", "", cube).error().message, "built-in"));
  EXPECT_FALSE(save_shape("Bad Name", "", cube));
  EXPECT_FALSE(save_shape("flat", "", std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
  EXPECT_FALSE(fs::exists(own() / "flat.yaml"));
}

TEST_F(Library, RemoveTakesOnlyOnesOwn) {
  ASSERT_TRUE(save_shape("mine", "", shape("cube")->body.vertices));
  const auto removed = remove_shape("mine");
  ASSERT_TRUE(removed);
  EXPECT_FALSE(fs::exists(own() / "mine.yaml"));
  EXPECT_TRUE(has(remove_shape("mine").error().message, "no shape is called"));
  EXPECT_TRUE(has(remove_shape("cube").error().message, "built-in shape"));
  EXPECT_TRUE(has(remove_shape("cub").error().message, "did you mean cube?"));
  put(home / "shared/theirs.yaml", format_shape("theirs", "", shape("cube")->body.vertices));
  ::setenv("SCREE_SHAPES", (home / "shared").c_str(), 1);
  EXPECT_TRUE(has(remove_shape("theirs").error().message, "comes from"));
  EXPECT_TRUE(fs::exists(home / "shared/theirs.yaml"));
  put(own() / "broken.yaml", "nonsense");  // what cannot be read can still be removed
  EXPECT_TRUE(remove_shape("broken"));
}

TEST_F(Library, WithoutAHomeThereIsNoFolderForOnesOwn) {
  const std::string home_was = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("XDG_DATA_HOME", "relative/path", 1);
  ::unsetenv("HOME");
  EXPECT_TRUE(
      has(save_shape("mine", "", shape("cube")->body.vertices).error().message, "neither XDG_DATA_HOME nor HOME"));
  EXPECT_EQ(list_shapes().size(), std::size(kRows) + kPlain + kClumps);
  ::setenv("HOME", home_was.c_str(), 1);
}

TEST_F(Library, AFileInTheFoldersPlaceIsNamed) {
  put(home / "scree", "in the way");
  const auto saved = save_shape("mine", "", shape("cube")->body.vertices);
  ASSERT_FALSE(saved);
  EXPECT_TRUE(has(saved.error().message, "cannot make the folder")) << saved.error().message;
}

}  // namespace
}  // namespace scree::io

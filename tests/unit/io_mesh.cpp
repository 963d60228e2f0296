// LIBS: scree_io
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/random.h"
#include "io/library/library.h"
#include "io/mesh/isolate.h"
#include "io/mesh/mesh.h"

namespace scree::io {
namespace {

namespace fs = std::filesystem;

using Polygons = std::vector<std::vector<int>>;

/// Corners and faces, as a drawing program has them.
struct Drawing {
  std::vector<Vec3> points;
  Polygons faces;
};

Drawing of(const Polyhedron& p) {
  Drawing d{p.vertices, {}};
  for (std::size_t f = 0; f < p.face_normals.size(); ++f) d.faces.emplace_back(p.loop(f).begin(), p.loop(f).end());
  return d;
}

Drawing box(Vec3 lo, Vec3 hi) {
  std::vector<Vec3> p;
  for (int i = 0; i < 8; ++i) p.push_back({i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z});
  return of(*convex_hull(p));
}

Drawing cube() { return box({0, 0, 0}, {1, 1, 1}); }

Drawing both(Drawing a, const Drawing& b) {
  const int n = static_cast<int>(a.points.size());
  a.points.insert(a.points.end(), b.points.begin(), b.points.end());
  for (auto f : b.faces) {
    for (int& i : f) i += n;
    a.faces.push_back(f);
  }
  return a;
}

/// A cube whose top is a pit of four triangles.
Drawing pit(double depth) {
  return {
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 1 - depth}},
      {{0, 3, 2, 1},
       {0, 1, 5, 4},
       {1, 2, 6, 5},
       {2, 3, 7, 6},
       {3, 0, 4, 7},
       {4, 5, 8},
       {5, 6, 8},
       {6, 7, 8},
       {7, 4, 8}}};
}

template <class F>
void each_triangle(const Drawing& d, F&& f) {
  for (const auto& l : d.faces) {
    for (std::size_t i = 1; i + 1 < l.size(); ++i) f(d.points[l[0]], d.points[l[i]], d.points[l[i + 1]]);
  }
}

std::string text_stl(const Drawing& d) {
  std::string s = "solid thing\n";
  each_triangle(d, [&](Vec3 a, Vec3 b, Vec3 c) {
    s += "facet normal 0 0 0\nouter loop\n";
    for (const Vec3 v : {a, b, c}) s += fmt::format("vertex {:.9g} {:.9g} {:.9g}\n", v.x, v.y, v.z);
    s += "endloop\nendfacet\n";
  });
  return s + "endsolid thing\n";
}

std::string binary_stl(const Drawing& d) {
  std::string body;
  std::uint32_t n = 0;
  each_triangle(d, [&](Vec3 a, Vec3 b, Vec3 c) {
    float x[12] = {};
    int k = 3;
    for (const Vec3 v : {a, b, c}) {
      for (std::size_t i = 0; i < 3; ++i) x[k++] = static_cast<float>(v[i]);
    }
    body.append(reinterpret_cast<const char*>(x), sizeof x).append(2, '\0');
    ++n;
  });
  return std::string(80, ' ').append(reinterpret_cast<const char*>(&n), 4) + body;
}

std::string obj(const Drawing& d) {
  std::string s = "# a comment\no thing\n";
  for (const Vec3& v : d.points) s += fmt::format("v {:.9g} {:.9g} {:.9g}\n", v.x, v.y, v.z);
  for (const auto& f : d.faces) {
    s += "f";
    for (const int i : f) s += fmt::format(" {}", i + 1);
    s += "\n";
  }
  return s;
}

std::string rows(const Drawing& d) {
  std::string s;
  for (const Vec3& v : d.points) s += fmt::format("{:.9g} {:.9g} {:.9g}\n", v.x, v.y, v.z);
  for (const auto& f : d.faces) {
    s += std::to_string(f.size());
    for (const int i : f) s += fmt::format(" {}", i);
    s += "\n";
  }
  return s;
}
std::string off(const Drawing& d) { return fmt::format("OFF\n{} {} 0\n", d.points.size(), d.faces.size()) + rows(d); }
std::string ply_header(const char* format, std::size_t points, std::size_t faces) {
  return fmt::format(
      "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      format, points, faces);
}
std::string ply(const Drawing& d) { return ply_header("ascii", d.points.size(), d.faces.size()) + rows(d); }
std::string binary_ply(const Drawing& d) {
  std::string s = ply_header("binary_little_endian", d.points.size(), d.faces.size());
  for (const Vec3& v : d.points) {
    const float x[3] = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
    s.append(reinterpret_cast<const char*>(x), sizeof x);
  }
  for (const auto& f : d.faces) {
    s += static_cast<char>(f.size());
    for (const std::int32_t i : f) s.append(reinterpret_cast<const char*>(&i), 4);
  }
  return s;
}

struct Mesh : testing::Test {
  fs::path folder = fs::path(testing::TempDir()) / ("scree_io_mesh_" + std::to_string(::getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  fs::path put(const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  }
  ImportedShape good(const std::string& name, const std::string& bytes, const ImportOptions& o = {}) {
    const auto s = import_shape(put(name, bytes), o);
    if (!s) {
      ADD_FAILURE() << s.error().message;
      return {};
    }
    const Status valid = validate(s->body);
    EXPECT_TRUE(valid) << valid.error().message;
    return *s;
  }
  std::string refusal(const std::string& name, const std::string& bytes, const ImportOptions& o = {}) {
    const auto s = import_shape(put(name, bytes), o);
    EXPECT_FALSE(s) << name << " " << bytes.substr(0, 60);
    if (s) return "";
    EXPECT_TRUE(s.error().message.starts_with((folder / name).string())) << s.error().message;
    return s.error().message;
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string all(const std::vector<std::string>& notes) {
  std::string t;
  for (const auto& n : notes) t += n + "\n";
  return t;
}

const ImportOptions kHull{true, {}}, kImporting{false, {}, true};

TEST_F(Mesh, EveryFormatGivesTheSameShape) {
  const Drawing d = box({10, 20, 30}, {34, 32, 36});  // 24 x 12 x 6
  const std::pair<const char*, std::string> files[] = {{"a.stl", text_stl(d)}, {"b.STL", binary_stl(d)},
                                                       {"a.obj", obj(d)},      {"a.off", off(d)},
                                                       {"a.ply", ply(d)},      {"b.ply", binary_ply(d)}};
  for (const auto& [name, bytes] : files) {
    const ImportedShape s = good(name, bytes);
    EXPECT_EQ(s.body.vertices.size(), 8u) << name;
    EXPECT_EQ(s.body.face_normals.size(), 6u) << name;
    EXPECT_NEAR(s.drawn_size, 24, 1e-5) << name;
    EXPECT_NEAR(mass_properties(s.body).volume, 0.5 * 0.25, 1e-6) << name;
    EXPECT_NEAR(s.body.outer_radius, 0.5 * std::sqrt(1 + 0.25 + 0.0625), 1e-6) << name;
    EXPECT_TRUE(s.notes.empty()) << name << all(s.notes);
  }
}

TEST_F(Mesh, BinaryStlWhoseHeaderSaysSolidIsRead) {
  std::string bytes = binary_stl(cube());
  bytes.replace(0, 11, "solid thing");
  EXPECT_EQ(good("a.stl", bytes).body.vertices.size(), 8u);
}

TEST_F(Mesh, BinaryStlHasTheCornersOfTheSameInWordsInTheirOrder) {
  Drawing d = box({-0.1, 20, 3e-7}, {34.7, 32, 36});
  for (Vec3& v : d.points) v.x += 0.01 * v.y;
  const Surface words = *read_mesh(put("a.stl", text_stl(d)));
  const Surface binary = *read_mesh(put("b.stl", binary_stl(d)));
  EXPECT_EQ(binary.vertices.size(), 36u);
  EXPECT_EQ(binary.vertices, words.vertices);
  EXPECT_EQ(binary.triangles, words.triangles);
}

TEST_F(Mesh, ScaleKeepsTheDrawingsMeasure) {
  const ImportedShape s = good("a.off", off(box({0, 0, 0}, {24, 12, 6})), {false, 0.001});
  EXPECT_NEAR(mass_properties(s.body).volume, 24e-3 * 12e-3 * 6e-3, 1e-12);
  EXPECT_TRUE(has(refusal("a.off", off(cube()), {false, -1.0}), "scale"));
  EXPECT_TRUE(has(refusal("a.off", off(cube()), {false, std::numeric_limits<double>::quiet_NaN()}), "scale"));
}

TEST_F(Mesh, InsideOutIsTurnedAndSaysSo) {
  Drawing d = cube();
  for (auto& f : d.faces) std::reverse(f.begin(), f.end());
  const ImportedShape s = good("a.stl", binary_stl(d));
  EXPECT_TRUE(has(all(s.notes), "inside out"));
  EXPECT_NEAR(mass_properties(s.body).volume, 1, 1e-12);
}

TEST_F(Mesh, MixedWindingIsTurnedAndSaysSo) {
  Drawing d = cube();
  std::reverse(d.faces[2].begin(), d.faces[2].end());
  EXPECT_TRUE(has(all(good("a.obj", obj(d)).notes), "2 triangles turned"));
}

TEST_F(Mesh, DegenerateAndDoubleTrianglesAreDroppedAndSaysSo) {
  Drawing d = cube();
  d.faces.push_back({0, 0, 1});
  d.faces.push_back(d.faces[0]);
  const std::string notes = all(good("a.off", off(d)).notes);
  EXPECT_TRUE(has(notes, "1 triangle with two corners in one place dropped")) << notes;
  EXPECT_TRUE(has(notes, "2 triangles drawn twice dropped")) << notes;
}

TEST_F(Mesh, OpenSurfacesAreRefusedOrTheirHullTaken) {
  Drawing d = cube();
  d.faces.pop_back();
  const std::string m = refusal("a.stl", text_stl(d));
  EXPECT_TRUE(has(m, "open: 4 edges with a face on one side only, the first from (")) << m;
  EXPECT_FALSE(has(m, "--hull")) << m;
  const std::string of_import = refusal("a.stl", text_stl(d), kImporting);
  EXPECT_TRUE(has(of_import, "(--hull takes its convex hull)")) << of_import;
  EXPECT_TRUE(has(refusal("a.ply", ply(pit(0.3)), kImporting), "--decompose cuts it into convex parts"));
  EXPECT_FALSE(has(m, "not convex")) << m;
  const ImportedShape s = good("a.stl", text_stl(d), kHull);
  EXPECT_EQ(s.body.vertices.size(), 8u);
  EXPECT_TRUE(has(all(s.notes), "convex hull taken; the surface is open"));
}

TEST_F(Mesh, DentsAreMeasuredThenRepairedOrRefused) {
  EXPECT_TRUE(good("a.ply", ply(pit(2e-7))).notes.empty());  // rounding of the file
  EXPECT_TRUE(has(all(good("a.ply", ply(pit(0.004))).notes), "nearly convex (the deepest dent is 0.4 % of its size)"));
  EXPECT_FALSE(good("a.ply", ply(pit(0.0095))).notes.empty());  // the limit is 1 %
  EXPECT_TRUE(has(refusal("a.ply", ply(pit(0.0105))), "not convex"));
  const std::string m = refusal("a.ply", ply(pit(0.3)));
  EXPECT_TRUE(has(m, "not convex: the deepest dent is 30 % of its size")) << m;
  EXPECT_FALSE(has(m, "open")) << m;
  EXPECT_FALSE(has(m, "self-intersecting")) << m;
  EXPECT_EQ(good("a.ply", ply(pit(0.3)), kHull).body.vertices.size(), 8u);
}

TEST_F(Mesh, SelfIntersectingSurfacesAreNamedAsSuch) {
  const std::string m = refusal("a.off", off(pit(1.4)));  // the pit goes out through the bottom
  EXPECT_TRUE(has(m, "self-intersecting: ")) << m;
  EXPECT_TRUE(has(m, "pairs of triangles cut through each other, the first near (")) << m;
}

/// A cup: a box without a lid, with walls of some thickness.
Drawing cup(double wall) {
  Drawing d = both(cube(), box({wall, wall, wall}, {1 - wall, 1 - wall, 1}));
  Drawing c{d.points, {}};
  for (const auto& f : d.faces) {
    const bool top = std::all_of(f.begin(), f.end(), [&](int i) { return d.points[i].z == 1; });
    if (top) continue;
    c.faces.push_back(f);
    if (f[0] >= 8) std::reverse(c.faces.back().begin(), c.faces.back().end());
  }
  for (const auto& [a, b] : {std::pair{4, 5}, {5, 7}, {7, 6}, {6, 4}})
    c.faces.push_back({a, b, b + 8, a + 8});  // the rim
  return c;
}

TEST_F(Mesh, HollowThingsAreRefusedHoweverThinTheirWalls) {
  // Their skin is near the hull everywhere, so that the dents look shallow.
  const std::string thin = refusal("a.off", off(cup(0.005)));
  EXPECT_TRUE(has(thin, "not convex: the deepest dent is 0.5 % of its size, and it fills 2.4")) << thin;
  EXPECT_FALSE(has(thin, "open")) << thin;
  EXPECT_TRUE(has(refusal("a.off", off(cup(0.2))), "it fills 71.2 % of its convex hull"));
}

TEST_F(Mesh, PiecesAndBranchesAreNamed) {
  EXPECT_TRUE(has(refusal("a.stl", text_stl(both(cube(), box({3, 0, 0}, {4, 1, 1})))), "in 2 separate pieces"));
  EXPECT_TRUE(
      has(refusal("a.stl", text_stl(both(cube(), box({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8})))), "in 2 separate pieces"));
  EXPECT_TRUE(has(refusal("a.stl", text_stl(both(cube(), box({1, 1, 0}, {2, 2, 1})))),
                  "branched: 1 edge with more than two faces"));
}

TEST_F(Mesh, FlatAndEmptyDrawingsAreRefusedWithHullToo) {
  const Drawing sheet{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2, 3}}};
  for (const ImportOptions& o : {ImportOptions{}, kHull}) {
    EXPECT_TRUE(has(refusal("a.stl", text_stl(sheet), o), "flat"));
    EXPECT_TRUE(has(refusal("a.off", off({{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{0, 1, 2}}}), o), "flat"));
    EXPECT_TRUE(has(refusal("a.off", off({{{0, 0, 0}}, {}}), o), "no faces"));
  }
}

TEST_F(Mesh, TooManyCornersAreThinnedOutSoonOrRefused) {
  // 10 000 corners on rings of a sphere, triangulated by hand
  Drawing d;
  const int rings = 100, around = 100;
  for (int i = 0; i < rings; ++i) {
    const double a = M_PI * (i + 0.5) / rings;
    for (int j = 0; j < around; ++j)
      d.points.push_back(
          {std::sin(a) * std::cos(2 * M_PI * j / around), std::sin(a) * std::sin(2 * M_PI * j / around), std::cos(a)});
  }
  std::vector<int> top, bottom;
  for (int j = 0; j < around; ++j) top.push_back(j), bottom.insert(bottom.begin(), (rings - 1) * around + j);
  d.faces = {top, bottom};
  for (int i = 0; i + 1 < rings; ++i) {
    for (int j = 0; j < around; ++j) {
      const int a = i * around + j, b = i * around + (j + 1) % around;
      d.faces.push_back({a, a + around, b + around, b});
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const ImportedShape thin = good("a.stl", binary_stl(d));
  EXPECT_LE(thin.body.vertices.size(), kMaxVertices);
  EXPECT_NEAR(mass_properties(thin.body).volume, M_PI / 6, 0.002) << "that of the sphere, to what 10 000 corners cut";
  ASSERT_FALSE(thin.notes.empty());
  EXPECT_TRUE(has(thin.notes.back(), "corners: thinned out to ")) << thin.notes.back();
  ImportOptions few;
  few.names_ways = true, few.corners = 40;
  const std::string m = refusal("a.stl", binary_stl(d), few);
  EXPECT_TRUE(has(m, "a.stl: 40 corners cannot stand for the ")) << m;
  EXPECT_TRUE(has(m, "of its convex hull within 1 %: inertia off by ")) << m;
  EXPECT_TRUE(has(m, "(--tolerance 0.0") && has(m, "--corners may be up to 128")) << m;
  few.tolerance = 0.1;
  EXPECT_LE(good("a.stl", binary_stl(d), few).body.vertices.size(), 40u);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 30);
}

TEST_F(Mesh, DamagedFilesEndInASentence) {
  const std::string stl = binary_stl(cube());
  std::uint32_t huge = 4'000'000'000U;
  std::string bomb = stl;
  std::memcpy(bomb.data() + 80, &huge, 4);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Drawing not_finite = cube();
  not_finite.points[3].y = nan;
  const std::tuple<const char*, std::string, const char*> bad[] = {
      {"a.stl", "", "empty"},
      {"a.stl", stl.substr(0, 300), "cut short"},
      {"a.stl", stl + stl,
       "12 triangles are announced, which takes 684 bytes, and there are 1368: not STL, or several"},
      {"a.stl", bomb, "cut short, or not STL: 4000000000 triangles are announced"},
      {"a.stl", text_stl(cube()).substr(0, 700), "cut short: there is no endsolid"},
      {"a.stl", "hello", "neither a text STL"},
      {"a.stl", std::string(84, '\0'), "no triangles"},
      {"a.stl", binary_stl(not_finite), "not a finite number"},
      {"a.obj", "", "empty"},
      {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", ""},
      {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", ""},
      {"a.obj", stl, "no text"},
      {"a.off", "OFF\n", "no faces"},
      {"a.off", "OFF\n4000000000 4 6\n0 0 0\n", "announced in"},
      {"a.off", "FFO\n4 4 6\n", "does not begin with OFF"},
      {"a.ply", "ply\nformat ascii 1.0\n", "no end_header"},
      {"a.ply", ply_header("ascii", 4'000'000'000, 2), "announced in"},
      {"a.ply", ply_header("ascii", 4, 18446744073709551615ULL), "announced in"},
      {"a.ply", "ply\rformat ascii 1.0\relement vertex 4000000000\rend_header\r", "announced in"},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex\nend_header\n", "a.ply: line 3: expected element, a name"},
      {"a.ply", "ply\nelement vertex -1\nend_header\n", "line 2: expected element, a name and a count, got element"},
      {"a.ply", "nonsense", "does not begin with ply"},
      {"a.ply", binary_ply(cube()).substr(0, 300), ""},
  };
  for (const auto& [name, bytes, what] : bad) {
    const std::string m = refusal(name, bytes);
    EXPECT_TRUE(has(m, what)) << m;
  }
}

TEST_F(Mesh, AnElementInACommentOfPlyAnnouncesNothing) {
  std::string text = ply(cube());
  text.insert(text.find("element face"), "comment once: element face 4000000000\nobj_info element nothing\n");
  EXPECT_EQ(good("a.ply", text).body.vertices.size(), 8u);
}

TEST_F(Mesh, AFaceOfOffThatNamesNoVertexIsRefusedAtItsPlace) {
  const std::string a = (folder / "a.off").string();
  const std::string corners = "OFF\n# a cube\n8 6 0\n\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n",
                    faces = "4 1 3 7 5\n4 0 2 3 1\n4 0 1 5 4\n4 2 6 7 3\n4 4 5 7 6\n";
  EXPECT_EQ(good("a.off", corners + faces + "4 0 4 6 2 0.5 0.5 0.5 1\n").body.face_normals.size(), 6u);
  const std::string names = ": face 5 names a vertex that is not there: expected one of 0 to 7, got ";
  EXPECT_EQ(refusal("a.off", corners + faces + "4 0 4 6 99\n"), a + ":18:9" + names + "99");
  EXPECT_EQ(refusal("a.off", corners + faces + "4 0 4 6 8"), a + ":18:9" + names + "8");
  EXPECT_EQ(refusal("a.off", corners + faces + "4 0 -4 6 2"), a + ":18:5" + names + "-4");
  EXPECT_EQ(refusal("a.off", corners + faces + "  4 0 4 6 # 2"), a + ":18:11" + names + "the end of the line");
  EXPECT_EQ(refusal("a.off", corners + faces + "x 0 4 6 2"),
            a + ":18:1: expected the number of a face's corners, got x");
  EXPECT_EQ(refusal("a.off", corners + faces), a + ": cut short: 6 faces are announced, 5 are there");
  EXPECT_FALSE(read_mesh(put("a.off", corners + faces + "4 0 4 6 99\n"))) << "walls read it this way";
}

TEST_F(Mesh, OffHasFacesOfAnyNumberOfCornersAndItsNumbersAsWritten) {
  Drawing prism;
  std::vector<int> top, bottom;
  for (int k = 0; k < 24; ++k) {
    const double a = M_PI / 12 * k;
    prism.points.push_back({std::cos(a), std::sin(a), 0});
    prism.points.push_back({std::cos(a), std::sin(a), 1});
    top.push_back(2 * k + 1), bottom.insert(bottom.begin(), 2 * k);
    const int next = 2 * ((k + 1) % 24);
    prism.faces.push_back({2 * k, next, next + 1, 2 * k + 1});
  }
  prism.faces.push_back(top), prism.faces.push_back(bottom);
  EXPECT_EQ(good("a.off", off(prism)).body.face_normals.size(), 26u);
  const auto s = read_mesh(put("a.off",
                               "COFF 4 4 6\n0.1 0 0 255 0 0\r\n+1 0 0 0 0 0\n0 1e0 0 0 0 0\n0 0 .7 1 1 1\n"
                               "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"));
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->vertices[0].x, 0.1);
  EXPECT_EQ(s->vertices[3].z, 0.7);
  EXPECT_EQ(s->triangles.size(), 4u);
}

TEST_F(Mesh, ExtentsBeyondReckoningAreCalledSo) {
  const auto tetrahedron = [](const std::string& x) {
    return "OFF\n4 4 6\n0 0 0\n" + x + " 0 0\n0 " + x + " 0\n0 0 " + x + "\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
  };
  const std::string a = (folder / "a.off").string();
  EXPECT_EQ(refusal("a.off", tetrahedron("1e308")),
            a + ":4:1: the coordinate 1e308 is too large: the extent of a mesh lies within 1e-50 to 1e50");
  EXPECT_TRUE(has(refusal("a.off", tetrahedron("1e999")), ":4:1: the coordinate 1e999 is too large"));
  EXPECT_EQ(refusal("a.off", tetrahedron("1e-310")),
            a + ": the extent of the corners, 1e-310, is outside 1e-50 to 1e+50");
  EXPECT_TRUE(has(refusal("a.off", tetrahedron("inf")), ":4:1: a coordinate is not a finite number: inf"));
  EXPECT_TRUE(has(refusal("a.off", tetrahedron("-nan")), ":4:1: a coordinate is not a finite number: -nan"));
  EXPECT_TRUE(has(refusal("a.off", tetrahedron("1m")), ":4:1: expected a coordinate, got 1m"));
  EXPECT_TRUE(has(refusal("a.off", tetrahedron("1e-999")), "flat: all its corners are in one place"));
  for (const char* fine : {"1e-40", "1e40"}) good("a.off", tetrahedron(fine));
}

TEST_F(Mesh, OtherFilesAreRefusedByName) {
  EXPECT_TRUE(has(refusal("a.step", "x"), "expected a file named .stl, .obj, .ply or .off"));
  EXPECT_TRUE(has(refusal("stl", "x"), "expected a file named"));
  EXPECT_TRUE(has(import_shape(folder / "not_there.stl").error().message, "not_there.stl"));
  fs::create_directories(folder / "folder.stl");
  EXPECT_TRUE(has(import_shape(folder / "folder.stl").error().message, "folder"));
}

/// Damage at random: whatever comes, it is a shape or a sentence, in bounded time.
TEST_F(Mesh, RandomDamageIsSurvived) {
  const Drawing d = cube();
  const std::pair<const char*, std::string> seeds[] = {{"a.stl", binary_stl(d)}, {"a.stl", text_stl(d)},
                                                       {"a.obj", obj(d)},        {"a.off", off(d)},
                                                       {"a.ply", ply(d)},        {"a.ply", binary_ply(d)}};
  for (std::uint64_t i = 0; i < 120; ++i) {
    Random r(11, i);
    auto [name, bytes] = seeds[r.below(std::size(seeds))];
    for (int k = 0; k < 4; ++k) bytes[r.below(bytes.size())] = static_cast<char>(r.bits());
    if (r.below(4) == 0) bytes.resize(r.below(bytes.size()));
    const auto s = import_shape(put(name, bytes));
    EXPECT_TRUE(s ? static_cast<bool>(validate(s->body)) : !s.error().message.empty()) << i;
  }
}

TEST(Isolated, HandsBackWhatTheWorkMadeOrWhyNot) {
  using Bytes = std::vector<std::byte>;
  const auto big = isolated([]() -> Result<Bytes> { return Bytes(3'000'000, std::byte{7}); }, 30);
  ASSERT_TRUE(big);
  EXPECT_EQ(*big, Bytes(3'000'000, std::byte{7}));
  EXPECT_TRUE(isolated([]() -> Result<Bytes> { return Bytes(); }, 30));
  EXPECT_EQ(isolated([]() -> Result<Bytes> { return Error{"a reason"}; }, 30).error().message, "a reason");
  EXPECT_TRUE(has(isolated([]() -> Result<Bytes> { throw std::runtime_error("x"); }, 30).error().message, "crashed"));
  EXPECT_TRUE(has(isolated([]() -> Result<Bytes> { ::_exit(0); }, 30).error().message, "crashed"));
  EXPECT_TRUE(has(isolated(
                      []() -> Result<Bytes> {
                        ::raise(SIGSEGV);
                        return Bytes();
                      },
                      30)
                      .error()
                      .message,
                  "crashed"));
  EXPECT_TRUE(has(isolated(
                      []() -> Result<Bytes> {
                        for (;;) ::usleep(1000);
                      },
                      0.05)
                      .error()
                      .message,
                  "did not end within"));
  EXPECT_TRUE(has(isolated(
                      []() -> Result<Bytes> {
                        for (volatile bool on = true; on;) {
                        }
                        return Bytes();
                      },
                      0.3)
                      .error()
                      .message,
                  "did not end within"));
  // A machine that is busy with other work makes no file a damaged one.
  EXPECT_TRUE(isolated(
      []() -> Result<Bytes> {
        ::usleep(600'000);
        return Bytes();
      },
      0.1));
}

}  // namespace
}  // namespace scree::io

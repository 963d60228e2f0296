// LIBS: scree_geometry
// Solids cut into convex parts: what adds up, what touches, what is refused.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "base/random.h"
#include "geometry/clump.h"
#include "geometry/decompose.h"
#include "oracle/larger.h"

namespace scree {
namespace {

using Cell = std::array<int, 3>;

/// The skin of unit cubes; cavities face inwards.
Surface skin(const std::set<Cell>& cells) {
  Surface s;
  std::map<Cell, std::uint32_t> corner;
  const auto at = [&](Cell c) {
    const auto [i, fresh] = corner.emplace(c, static_cast<std::uint32_t>(s.vertices.size()));
    if (fresh) s.vertices.push_back({double(c[0]), double(c[1]), double(c[2])});
    return i->second;
  };
  for (const Cell& c : cells) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (const int side : {0, 1}) {
        Cell next = c;
        next[k] += side == 1 ? 1 : -1;
        if (cells.count(next)) continue;
        std::array<std::uint32_t, 4> q{};
        for (int i = 0; i < 4; ++i) {
          Cell x = c;
          x[k] += side;
          x[(k + 1) % 3] += i == 1 || i == 2, x[(k + 2) % 3] += i >= 2;
          q[static_cast<std::size_t>(i)] = at(x);
        }
        if (side == 0) std::swap(q[1], q[3]);
        s.triangles.push_back({q[0], q[1], q[2]}), s.triangles.push_back({q[0], q[2], q[3]});
      }
    }
  }
  return s;
}

std::set<Cell> block(Cell low, Cell high) {
  std::set<Cell> c;
  for (int x = low[0]; x < high[0]; ++x)
    for (int y = low[1]; y < high[1]; ++y)
      for (int z = low[2]; z < high[2]; ++z) c.insert({x, y, z});
  return c;
}
std::set<Cell> operator+(std::set<Cell> a, const std::set<Cell>& b) {
  a.insert(b.begin(), b.end());
  return a;
}
std::set<Cell> operator-(std::set<Cell> a, const std::set<Cell>& b) {
  for (const Cell& c : b) a.erase(c);
  return a;
}

Surface moved(Surface s, Vec3 by, double scale) {
  const Mat3 turn = rotation_matrix(axis_angle(normalized(Vec3{1, -2, 0.5}), 0.7));
  for (Vec3& v : s.vertices) v = scale * (turn * v + by);
  return s;
}

Surface torus(double ring, double tube, int around, int across) {
  Surface s;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double a = 2 * M_PI * i / around, b = 2 * M_PI * j / across, r = ring + tube * std::cos(b);
      s.vertices.push_back({r * std::cos(a), r * std::sin(a), tube * std::sin(b)});
      const auto id = [&](int p, int q) { return static_cast<std::uint32_t>((p % around) * across + q % across); };
      s.triangles.push_back({id(i, j), id(i + 1, j), id(i + 1, j + 1)});
      s.triangles.push_back({id(i, j), id(i + 1, j + 1), id(i, j + 1)});
    }
  }
  return s;
}

/// A tetrahedron with a tapering leg on each face.
Surface tetrapod() {
  Surface s;
  const std::array<Vec3, 4> t = {Vec3{1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, -1, 1}};
  s.vertices.assign(t.begin(), t.end());
  for (std::uint32_t k = 0; k < 4; ++k) {
    std::array<std::uint32_t, 3> f{(k + 1) % 4, (k + 2) % 4, (k + 3) % 4};
    const Vec3 out = -1.0 * t[k];
    if (dot(cross(t[f[1]] - t[f[0]], t[f[2]] - t[f[0]]), out) < 0) std::swap(f[1], f[2]);
    const auto n = static_cast<std::uint32_t>(s.vertices.size());
    for (const std::uint32_t v : f) s.vertices.push_back(0.7 * t[v] + 2.0 * out);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::uint32_t j = (i + 1) % 3;
      s.triangles.push_back({f[i], f[j], n + j}), s.triangles.push_back({f[i], n + j, n + i});
    }
    s.triangles.push_back({n, n + 1, n + 2});
  }
  return s;
}

double gap_along(const Polyhedron& a, const Polyhedron& b) {
  double gap = -INFINITY;
  const auto top = [](const Polyhedron& p, Vec3 n) {
    double t = -INFINITY;
    for (const Vec3& v : p.vertices) t = oracle::larger(t, dot(n, v));
    return t;
  };
  const auto look = [&](Vec3 n) { gap = oracle::larger(gap, -top(b, -1.0 * n) - top(a, n)); };
  for (const Vec3& n : a.face_normals) look(n);
  for (const Vec3& n : b.face_normals) look(-1.0 * n);
  for (const auto& e : a.edges)
    for (const auto& f : b.edges) {
      const Vec3 n =
          cross(normalized(a.vertices[e.v1] - a.vertices[e.v0]), normalized(b.vertices[f.v1] - b.vertices[f.v0]));
      if (norm(n) > 1e-6) look(normalized(n)), look(-1.0 * normalized(n));
    }
  return gap;
}

/// Convex, apart, and together the solid.
void expect_exact(const Surface& s, double volume, std::size_t most_parts, const std::string& what) {
  const Result<Decomposition> d = decompose(s, {1e-4, 200});
  ASSERT_TRUE(bool(d)) << what << ": " << d.error().message;
  EXPECT_TRUE(d->complete) << what;
  EXPECT_LE(d->parts.size(), most_parts) << what;
  EXPECT_NEAR(d->whole.volume, volume, 1e-9 * volume) << what;
  EXPECT_NEAR(d->parts_volume, volume, 1e-6 * volume) << what;
  const double size = extent(s);
  std::vector<DrawnPart> parts;
  Vec3 first;
  for (std::size_t i = 0; i < d->parts.size(); ++i) {
    EXPECT_TRUE(bool(validate(d->parts[i]))) << what;
    parts.emplace_back(d->parts[i]);
    const MassProperties own = mass_properties(d->parts[i]);
    first += own.volume * own.centroid;
    for (std::size_t j = 0; j < i; ++j) EXPECT_GE(gap_along(d->parts[j], d->parts[i]), -2e-6 * size) << what << i << j;
  }
  EXPECT_NEAR(norm(first / volume - d->whole.centroid), 0, 1e-5 * size) << what;
  // The clump of the parts and the one with the mass properties of the whole are one.
  const Result<Shape> clump = make_clump("x", parts), given = make_clump("x", parts, d->whole);
  ASSERT_TRUE(bool(given)) << what << given.error().message;
  if (!clump) return;  // Parts deep in each other by 1e-6 at the joints.
  EXPECT_NEAR(clump->volume, given->volume, 1e-5 * volume) << what;
  EXPECT_NEAR(norm(clump->inertia - given->inertia), 0, 1e-5 * norm(given->inertia)) << what;
}

TEST(Decompose, AngularSolidsExactly) {
  const auto bar = block({0, 0, 0}, {3, 1, 1});
  const struct {
    const char* name;
    std::set<Cell> cells;
    std::size_t parts;
  } solids[] = {
      {"block", bar, 1},
      {"L", bar + block({0, 0, 0}, {1, 3, 1}), 2},
      {"U", bar + block({0, 0, 0}, {1, 3, 1}) + block({2, 0, 0}, {3, 3, 1}), 3},
      {"Z", bar + block({2, 0, 0}, {3, 3, 1}) + block({2, 2, 0}, {5, 3, 1}), 3},
      {"cross", block({0, 1, 0}, {3, 2, 1}) + block({1, 0, 0}, {2, 3, 1}), 3},
      {"frame", block({0, 0, 0}, {3, 3, 1}) - block({1, 1, 0}, {2, 2, 1}), 4},
      {"cross of three bars", block({0, 1, 1}, {3, 2, 2}) + block({1, 0, 1}, {2, 3, 2}) + block({1, 1, 0}, {2, 2, 3}),
       5},
      {"hollow", block({0, 0, 0}, {3, 3, 3}) - block({1, 1, 1}, {2, 2, 2}), 8},
      {"two cavities", block({0, 0, 0}, {5, 3, 3}) - block({1, 1, 1}, {2, 2, 2}) - block({3, 1, 1}, {4, 2, 2}), 11},
      {"cup", block({0, 0, 0}, {3, 3, 3}) - block({1, 1, 1}, {2, 2, 3}), 6},
      {"steps", bar + block({0, 0, 1}, {2, 1, 2}) + block({0, 0, 2}, {1, 1, 3}), 3},
  };
  for (const auto& s : solids) {
    const double volume = double(s.cells.size());
    expect_exact(skin(s.cells), volume, s.parts, s.name);
    expect_exact(moved(skin(s.cells), {10, 20, -5}, 1e-3), 1e-9 * volume, s.parts, s.name + std::string(", turned"));
  }
}

/// Cubes grown at random, face to face; those whose skin touches itself along an edge are refused.
TEST(Decompose, RandomHeapsOfCubesAddUp) {
  std::size_t done = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random draw(19, seed);
    std::set<Cell> cells = {{0, 0, 0}};
    const std::size_t n = 2 + seed % 13;
    while (cells.size() < n) {
      auto from = cells.begin();
      std::advance(from, static_cast<long>(draw.uniform(0, 1) * double(cells.size())));
      Cell next = *from;
      next[static_cast<std::size_t>(draw.uniform(0, 3))] += draw.uniform(0, 1) < 0.5 ? -1 : 1;
      cells.insert(next);
    }
    Surface s = skin(cells);
    if (find_defects(s).branched_edges > 0) {
      EXPECT_FALSE(decompose(s));
      continue;
    }
    ++done;
    const Surface posed = seed % 2 ? moved(s, {1, 2, 3}, 2.5) : s;
    expect_exact(posed, double(n) * (seed % 2 ? 15.625 : 1), 30, "seed " + std::to_string(seed));
  }
  EXPECT_GT(done, 25u);
}

TEST(Decompose, ATetrapodLosesNothing) {
  const Result<Decomposition> d = decompose(tetrapod(), {0.001, 50});
  ASSERT_TRUE(bool(d)) << d.error().message;
  EXPECT_LE(d->parts.size(), 8u);
  EXPECT_NEAR(d->parts_volume, d->whole.volume, 1e-6 * d->whole.volume);
  EXPECT_NEAR(norm(d->whole.centroid), 0, 1e-12);
}

TEST(Decompose, ARingIsCutAcross) {
  const Surface s = torus(1, 0.4, 20, 9);
  const Result<Decomposition> rough = decompose(s), fine = decompose(s, {0.005, 100});
  ASSERT_TRUE(bool(rough) && bool(fine));
  EXPECT_TRUE(rough->complete && fine->complete);
  EXPECT_GE(rough->parts.size(), 4u);
  EXPECT_LE(rough->parts.size(), 40u);
  EXPECT_LE(rough->deepest_dent, 0.02);
  EXPECT_LE(fine->deepest_dent, 0.005);
  EXPECT_GT(fine->parts.size(), rough->parts.size());
  const double v = fine->whole.volume;
  EXPECT_GT(rough->parts_volume, v);
  EXPECT_LT(rough->parts_volume, 1.0201 * v);
  // The dents that fill the volume that is over are seen.
  EXPECT_GT(rough->deepest_dent, 1e-4);
  EXPECT_LT(rough->shared_volume, 0.005 * v);
  EXPECT_LT(std::abs(fine->parts_volume - v), std::abs(rough->parts_volume - v));
  EXPECT_NEAR(fine->whole.centroid.z, 0, 1e-12);
}

TEST(Decompose, StopsAtTheNumberOfParts) {
  const Result<Decomposition> d = decompose(torus(1, 0.4, 20, 9), {0.001, 5});
  ASSERT_TRUE(bool(d));
  EXPECT_LE(d->parts.size(), 5u);
  EXPECT_FALSE(d->complete);
  EXPECT_GT(d->deepest_dent, 0.001);
}

TEST(Decompose, IsTheSameEachTime) {
  const Surface s = torus(1, 0.4, 12, 6);
  const Decomposition a = *decompose(s), b = *decompose(s);
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t k = 0; k < a.parts.size(); ++k) EXPECT_EQ(a.parts[k].vertices, b.parts[k].vertices);
}

TEST(Decompose, ASmoothConvexBodyIsOnePartOfFewCorners) {
  Surface s;
  const int n = 14;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      const double a = M_PI * i / n, b = M_PI * j / n;
      s.vertices.push_back({std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)});
      const auto id = [&](int p, int q) { return static_cast<std::uint32_t>(p * 2 * n + q % (2 * n)); };
      if (i == n) continue;
      s.triangles.push_back({id(i, j), id(i + 1, j), id(i + 1, j + 1)});
      s.triangles.push_back({id(i, j), id(i + 1, j + 1), id(i, j + 1)});
    }
  repair(s, kCoplanarTolerance, Turn::as_neighbours);
  const Result<Decomposition> d = decompose(s);
  ASSERT_TRUE(bool(d)) << d.error().message;
  EXPECT_EQ(d->parts.size(), 1u);
  EXPECT_LE(d->parts[0].vertices.size(), 100u);
  EXPECT_NEAR(d->parts_volume, d->whole.volume, 0.08 * d->whole.volume);
}

std::string refusal(const Surface& s, const DecomposeOptions& o = {}) {
  const auto d = decompose(s, o);
  return d ? "" : d.error().message;
}
bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

TEST(Decompose, RefusesWhatHasNoInside) {
  const Surface cup = skin(block({0, 0, 0}, {3, 3, 3}) - block({1, 1, 1}, {2, 2, 3}));
  Surface s = cup;
  s.triangles.pop_back();
  EXPECT_TRUE(says(refusal(s), "open: 3 edges")) << refusal(s);
  s = cup;
  for (auto& t : s.triangles) std::swap(t[1], t[2]);
  EXPECT_TRUE(says(refusal(s), "inside out")) << refusal(s);
  s = skin({{0, 0, 0}, {1, 1, 0}});
  EXPECT_TRUE(says(refusal(s), "branched")) << refusal(s);
  s = skin({{0, 0, 0}, {5, 0, 0}});
  EXPECT_TRUE(says(refusal(s), "in 2 separate pieces")) << refusal(s);
  const std::uint32_t half = 8;
  for (auto& t : s.triangles)
    if (t[0] >= half) std::swap(t[1], t[2]);
  EXPECT_TRUE(says(refusal(s), "inside out, and no cavity")) << refusal(s);
  s = cup;
  for (Vec3& v : s.vertices)
    if (v == Vec3{1, 1, 1}) v = {1.13, 1.21, -1};
  EXPECT_TRUE(says(refusal(s), "self-intersecting")) << refusal(s);
  s = cup;
  // A spike without thickness.
  s.vertices.push_back({0.4, 0.4, 5});
  const auto tip = static_cast<std::uint32_t>(s.vertices.size() - 1);
  const auto [a, b, c] = s.triangles.back();
  EXPECT_NE(a, c);
  s.triangles.push_back({a, b, tip}), s.triangles.push_back({b, a, tip});
  EXPECT_NE(refusal(s), "");
  s = cup;
  for (Vec3& v : s.vertices) v.z = 0;
  EXPECT_NE(refusal(s), "");
  EXPECT_NE(refusal({}), "");
  EXPECT_TRUE(says(refusal(cup, {0, 5}), "above 0"));
  EXPECT_TRUE(says(refusal(cup, {0.1, 0}), "above 0"));
  EXPECT_TRUE(says(refusal(torus(1, 0.3, 200, 60)), "20000"));
}

/// Corners of a solid shaken until it crosses itself: a decomposition or a refusal, nothing else.
TEST(Decompose, HostileSurfacesEndInAPartOrAWord) {
  const Surface cup = skin(block({0, 0, 0}, {3, 3, 3}) - block({1, 1, 1}, {2, 2, 3}));
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Random draw(23, seed);
    Surface s = cup;
    const double shake = std::pow(10.0, draw.uniform(-9, 0.3));
    for (Vec3& v : s.vertices) v += shake * Vec3{draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-1, 1)};
    if (seed % 3 == 0)
      for (int k = 0; k < 5; ++k)
        s.triangles[static_cast<std::size_t>(draw.uniform(0, 1) * double(s.triangles.size()))][0] =
            static_cast<std::uint32_t>(draw.uniform(0, 1) * double(s.vertices.size()));
    repair(s, kCoplanarTolerance, Turn::as_neighbours);
    if (s.triangles.empty()) continue;
    const Result<Decomposition> d = decompose(s, {0.02, 12});
    if (!d) {
      EXPECT_FALSE(d.error().message.empty());
      continue;
    }
    EXPECT_LE(d->parts.size(), 12u);
    EXPECT_GT(d->parts_volume, 0.5 * d->whole.volume) << seed;
    for (const Polyhedron& p : d->parts) EXPECT_TRUE(bool(validate(p)));
    if (shake < 1e-2 && seed % 3 != 0) {
      EXPECT_NEAR(d->parts_volume, d->whole.volume, 0.25 * d->whole.volume) << seed;
    }
  }
}

}  // namespace
}  // namespace scree

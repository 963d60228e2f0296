// Meshes as walls: a flat one is a plane, a closed one a solid, and nothing passes through.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "narrow/find_contacts.h"
#include "oracle/larger.h"
#include "scenes/meshes.h"
#include "scenes/scenes.h"

namespace scree {
namespace {

constexpr double kG = 9.81;

Case linear_case(double kn, double friction) {
  Case c = scenes::empty_case();
  contact::Bloks3d law;
  law.kn = kn, law.ks = 0.8 * kn, law.friction_angle = std::atan(friction);
  law.damping_ratio = 0.2, law.damping_sticking = 0.9;
  c.contacts[0].law = law;
  return c;
}

/// Worst differences of motion after `seconds` over a plane and over a mesh of the same floor.
void expect_same_motion(Case over, const std::string& shape, Vec3 position, Quat turn, Vec3 velocity, Vec3 spin,
                        double seconds, double within, const Surface& floor) {
  Case plane = over, mesh = over;
  scenes::add_plane(plane, "floor", {}, {0, 0, 1});
  scenes::add_mesh(mesh, "floor", floor);
  for (Case* c : {&plane, &mesh}) scenes::add_grain(*c, shape, 0.1, position, turn, velocity, spin);
  Simulation a = scenes::build(plane), b = scenes::build(mesh);
  ASSERT_EQ(a.dt, b.dt);
  double farthest = 0, fastest = 0, deepest = 0;
  bool touched = false;
  while (a.time < seconds) {
    step(a), step(b);
    ASSERT_FALSE(a.fault) << a.fault->message;
    ASSERT_FALSE(b.fault) << b.fault->message;
    farthest = oracle::larger(farthest, norm(a.particles.position[0] - b.particles.position[0]));
    fastest = oracle::larger(fastest, norm(a.particles.velocity[0] - b.particles.velocity[0]));
    deepest = oracle::larger(deepest, norm(a.walls[0].force - b.walls[0].force));
    touched = touched || a.wall_contacts.size() > 0;
  }
  EXPECT_TRUE(touched);
  EXPECT_GT(norm(a.particles.position[0] - position), 0.05) << "it went somewhere";
  EXPECT_LT(farthest, within) << shape;
  EXPECT_LT(fastest, 100 * within) << shape;
}

/// Cells far smaller than the grain in one plane; and cut by a hole far away, so that it is no single facet.
Surface fine_floor() { return scenes::sheet({-1, -1, 0}, {3, 0, 0}, {0, 2, 0}, 150, 100); }
Surface floor_in_pieces() {
  Surface s;
  for (int j = 0; j < 20; ++j)
    for (int i = 0; i < 30; ++i)
      if ((i != 29 || j != 10) && (i != 1 || j != 1))
        s = scenes::joined(s, scenes::sheet({-1 + 0.1 * i, -1 + 0.1 * j, 0}, {0.1, 0, 0}, {0, 0.1, 0}, 1, 1));
  return s;
}

TEST(MeshFloor, IsOnePlaneForASphereThatRollsAndSlides) {
  for (const Surface& floor : {fine_floor(), floor_in_pieces()})
    expect_same_motion(linear_case(1e5, 0.3), "sphere", {0, 0.013, 0.0501}, {}, {1, 0.2, 0}, {3, -2, 5}, 0.8, 1e-12,
                       floor);
}

TEST(MeshFloor, IsOnePlaneForACubeThatSlidesAndTumbles) {
  ASSERT_GT(scenes::facets(floor_in_pieces())->size(), 3u);
  for (const auto geometry : {Case::ContactGeometry::overlap, Case::ContactGeometry::contact_zone}) {
    Case c = linear_case(1e5, 0.3);
    c.detection.contact_geometry = geometry;
    for (const Surface& floor : {fine_floor(), floor_in_pieces()}) {
      expect_same_motion(c, "cube", {0, 0.013, 0.0501}, {}, {1, 0.3, 0}, {}, 0.4, 1e-9, floor);
      // Tumbling doubles differences again and again.
      expect_same_motion(c, "cube", {0, 0.013, 0.09}, axis_angle(normalized(Vec3{1, 2, 0.3}), 0.7), {1, 0.3, -0.5},
                         {2, 5, 1}, 0.3, 1e-7, floor);
    }
  }
}

TEST(MeshFloor, IsTheSameWhereItIsTurnedMovedAndFarAway) {
  // The floor's own frame lies askew; it is put back by position and orientation.
  const Quat q = axis_angle(normalized(Vec3{1, -2, 0.5}), 1.1);
  const Vec3 shift{0.3, 0.2, -0.1};
  Surface askew = floor_in_pieces();
  for (Vec3& v : askew.vertices) v = transpose_times(rotation_matrix(q), v - shift);
  Case plane = linear_case(1e5, 0.3), mesh = plane;
  scenes::add_plane(plane, "floor", {}, {0, 0, 1});
  Case::Wall& w = scenes::add_mesh(mesh, "floor", askew);
  w.point = shift, w.orientation = q;
  for (Case* c : {&plane, &mesh}) scenes::add_grain(*c, "sphere", 0.1, {0, 0, 0.05}, {}, {1, 0.2, 0});
  Simulation a = scenes::build(plane), b = scenes::build(mesh);
  scenes::run_for(a, 0.5), scenes::run_for(b, 0.5);
  ASSERT_FALSE(b.fault) << b.fault->message;
  EXPECT_LT(norm(a.particles.position[0] - b.particles.position[0]), 1e-10);
}

/// Contacts of the state with grain i there, as if the run began with it.
void pose(Simulation& s, std::size_t i, Vec3 x, Quat q) {
  s.particles.position[i] = x, s.particles.orientation[i] = q;
  s.particles.velocity[i] = s.particles.angular_velocity[i] = {};
  s.list_is_valid = false;
  s.pairs.clear_until.assign(s.pairs.clear_until.size(), 0);
  s.wall_pairs.clear_until.assign(s.wall_pairs.clear_until.size(), 0);
  s.scratch.reset(), s.fault.reset();
  s.wall_pairs.resize(0), s.wall_contacts.resize(0), s.pairs.resize(0), s.contacts.resize(0);
  s.dt = 1e-12;
  step(s);
}

/// How far x (m, from the centroid, space frame) is outside of the grain's hull.
double outside(const Simulation& s, std::size_t i, Vec3 x) {
  const Polyhedron& hull = s.shapes[s.particles.shape[i]]->body;
  const Vec3 local = transpose_times(rotation_matrix(s.particles.orientation[i]), x) / s.particles.size[i];
  double farthest = -1e300;
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f)
    farthest = oracle::larger(farthest, dot(hull.face_normals[f], local) - hull.face_offsets[f]);
  return farthest * s.particles.size[i];
}

// Over curved and uneven walls the thickness of an overlap is no concave function, and a point that is right for convex
// bodies ran away from the grain: it was spun up until the run stopped.
TEST(MeshWall, ForceActsWhereTheGrainIs) {
  for (const bool round : {true, false}) {
    for (const char* shape : {"cube", "tetrahedron", "grain14"}) {
      Case c = scenes::empty_case();
      c.gravity = {};
      constexpr double size = 0.01;
      if (round)
        scenes::add_mesh(c, "pipe", scenes::pipe(5 * size, 40 * size, 70, 1));
      else
        scenes::add_mesh(c, "shaft", scenes::shaft_surface({0, 0, 0}, 10 * size, 10 * size, 9, 9));
      scenes::add_grain(c, shape, size, round ? Vec3{0, 0, 20 * size} : Vec3{5 * size, 5 * size, 5 * size});
      Simulation s = scenes::build(c);
      const Polyhedron& hull = s.shapes[0]->body;
      const double inner = hull.inner_radius * size, outer = hull.outer_radius * size;
      Random draw(12, 0);
      int contacts = 0;
      double farthest = -1;
      for (int k = 0; k < 20000; ++k) {
        const Quat q = draw.rotation();
        const double from_wall = draw.uniform(inner, outer), along = draw.uniform(3, 7) * size;
        const double about = draw.uniform(0, 6.3);
        pose(s, 0,
             round ? Vec3{(5 * size - from_wall) * std::cos(about), (5 * size - from_wall) * std::sin(about), along}
                   : Vec3{along, draw.uniform(3, 7) * size, from_wall},
             q);
        for (std::size_t r = 0; r < s.wall_contacts.size(); ++r) {
          if (s.wall_contacts.penetration_of(r) > 0.3 * inner) continue;
          ++contacts;
          farthest = oracle::larger(farthest, outside(s, 0, s.wall_contacts.point[r]));
        }
      }
      EXPECT_GT(contacts, 1000) << shape;
      EXPECT_LT(farthest, 0.3 * inner) << shape << (round ? " in a pipe" : " in a shaft");
    }
  }
}

/// A bar along y whose top falls steeply towards x = 0, then less so, then ends at a side.
Surface bar_with_a_lip() {
  const std::vector<std::pair<double, double>> outline{{0, -1}, {0, 0}, {-0.1, 0.03}, {-1, 0.6}, {-1, -1}};
  const auto n = static_cast<std::uint32_t>(outline.size());
  Surface s;
  for (const double y : {-3.0, 3.0})
    for (const auto& [x, z] : outline) s.vertices.push_back({x, y, z});
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t d) { s.triangles.push_back({a, b, d}); };
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t l = (k + 1) % n;
    add(k, n + l, l), add(k, n + k, n + l);
  }
  for (std::uint32_t k = 1; k + 1 < n; ++k) add(0, k + 1, k), add(n, n + k, n + k + 1);
  return s;
}

// The lip is narrower than the grain. The steep face ends at the valley; its plane goes on under the grain that hangs
// beside the bar, where there is nothing.
TEST(MeshWall, AFaceEndsWhereTheSolidBeyondItsValleyEnds) {
  for (const auto geometry : {Case::ContactGeometry::overlap, Case::ContactGeometry::contact_zone}) {
    Case c = scenes::empty_case();
    c.gravity = {};
    c.detection.contact_geometry = geometry;
    scenes::add_mesh(c, "bar", bar_with_a_lip());
    scenes::add_grain(c, "cube", 1, {3, 0, 0});
    Simulation s = scenes::build(c);
    pose(s, 0, {0.501, 0, 0.1}, {});
    EXPECT_EQ(s.wall_contacts.size(), 0u) << "beside it, in front of both faces' planes";
    pose(s, 0, {0.49, 0, 0.1}, {});
    ASSERT_GT(s.wall_contacts.size(), 0u);
    double volume = 0;
    for (std::size_t r = 0; r < s.wall_contacts.size(); ++r) {
      EXPECT_LT(s.wall_contacts.penetration_of(r), 0.02) << r;
      volume += s.wall_contacts.depth[r];
    }
    EXPECT_GT(volume, 0);
  }
}

/// A block whose front has an edge from corner to corner, dented or raised by it, and a ledge's underside below.
Surface block_with_a_bent_front(double bend) {
  Surface s;
  s.vertices = {{0, -1, 0}, {bend, 1, 0}, {0, 1, 1}, {0, -1, 1}, {-2, -1, 0.2}, {-2, 1, 0.2}, {-2, 1, 1}, {-2, -1, 1}};
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t d) { s.triangles.push_back({a, b, d}); };
  add(0, 1, 2), add(0, 2, 3);  // the front, towards x
  add(4, 5, 1), add(4, 1, 0);  // below
  add(4, 0, 3), add(4, 3, 7);  // the sides
  add(1, 5, 6), add(1, 6, 2);
  add(3, 2, 6), add(3, 6, 7);  // above
  add(5, 4, 7), add(5, 7, 6);  // behind
  return s;
}

/// Sum of depth times normal over the contacts: m.
Vec3 push(const Simulation& s) {
  Vec3 sum;
  for (std::size_t r = 0; r < s.wall_contacts.size(); ++r) sum -= s.wall_contacts.depth[r] * s.wall_contacts.normal[r];
  return sum;
}

// Seen from below, a triangle of the front that has only a corner there has its plane's back to the grain, which is not
// in the block for all that: contacts used to come and go at once.
TEST(MeshWall, ContactsDoNotJumpWhereACornerOfAFaceIsNearest) {
  constexpr double way = 1e-4;
  for (const double bend : {-0.3, 0.0, 0.3}) {
    for (const bool turned : {false, true}) {
      Surface surface = block_with_a_bent_front(bend);
      if (turned) {
        for (auto& t : surface.triangles) std::swap(t[1], t[2]);
      }
      Case c = scenes::empty_case();
      c.gravity = {};
      scenes::add_mesh(c, "block", surface);
      scenes::add_grain(c, "cube", 0.3, {5, 0, 0});
      Simulation s = scenes::build(c);
      Random draw(13, 0);
      int compared = 0, jumps = 0;
      double largest = 0;
      for (int k = 0; k < 1500; ++k) {
        // Below the block, about each end of the front's lower edge.
        const Vec3 from{draw.uniform(-0.4, 0.3), (k % 2 ? 1 : -1) + draw.uniform(-0.3, 0.3), draw.uniform(-0.3, -0.1)};
        const Vec3 along = way * draw.direction();
        const Quat q = draw.rotation();
        Vec3 last;
        for (int n = 0; n < 30; ++n) {
          pose(s, 0, from + n * along, q);
          const Vec3 now = push(s);
          // Not far above the underside, hence not deep in the block.
          bool shallow = true;
          for (const Vec3& v : s.shapes[0]->body.vertices) {
            const Vec3 x = s.particles.position[0] + rotate(q, 0.3 * v);
            shallow = shallow && x.z + 0.1 * x.x < 0.05;
          }
          if (n > 0 && shallow && (norm(now) > 0 || norm(last) > 0)) {
            ++compared, largest = oracle::larger(largest, norm(now - last));
            jumps += norm(now - last) > 10 * way ? 1 : 0;
          }
          last = now;
        }
      }
      EXPECT_GT(compared, 1000);
      EXPECT_EQ(jumps, 0) << "of " << compared << ", bend " << bend << ", turned " << turned << ", largest " << largest;
    }
  }
}

/// Overlap of a cube with a box: as a polyhedron and as a mesh.
TEST(MeshBox, HasTheOverlapOfTheSameBoxAsAPolyhedron) {
  Case c = scenes::empty_case();
  c.gravity = {};
  scenes::add_grain(c, "cube", 1, {0, 0, 0});
  scenes::add_grain(c, "cube", 0.5, {0, 0, 3});
  Simulation bodies = scenes::build(c);
  Case with_mesh = scenes::empty_case();
  with_mesh.gravity = {};
  scenes::add_mesh(with_mesh, "box", scenes::box_surface({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 4));
  scenes::add_grain(with_mesh, "cube", 0.5, {0, 0, 3});
  Simulation mesh = scenes::build(with_mesh);
  Random draw(3, 0);
  int compared = 0;
  for (int k = 0; k < 20000 && compared < 300; ++k) {
    // Somewhere about an edge, a corner or a face.
    const Vec3 x{draw.uniform(0.3, 0.9), draw.uniform(-0.9, 0.9), draw.uniform(0.2, 0.9)};
    const Quat q = draw.rotation();
    for (auto [s, i] : {std::pair(&bodies, std::size_t{1}), std::pair(&mesh, std::size_t{0})}) {
      pose(*s, i, x, q);
    }
    if (bodies.contacts.size() != 1) {
      EXPECT_EQ(bodies.contacts.size(), mesh.wall_contacts.size()) << k;
      continue;
    }
    if (bodies.contacts.penetration_of(0) > 0.03) continue;
    ++compared;
    ASSERT_EQ(mesh.wall_contacts.size(), 1u) << k << " depth " << bodies.contacts.penetration_of(0);
    const double depth = bodies.contacts.depth[0];
    EXPECT_NEAR(mesh.wall_contacts.depth[0], depth, 1e-9 * depth) << k;
    // The mesh is B of its contact, the box is A of the other.
    EXPECT_GT(dot(mesh.wall_contacts.normal[0], -bodies.contacts.normal[0]), 1 - 1e-12) << k;
    const Vec3 at = mesh.particles.position[0] + mesh.wall_contacts.point[0];
    EXPECT_LT(norm(at - bodies.contacts.point[0]), 5e-3) << k;  // bodies measure the thickness from both of them
  }
  EXPECT_EQ(compared, 300);
}

TEST(MeshBox, SphereOnItsFacesEdgesAndCorners) {
  Case c = scenes::empty_case();
  c.gravity = {};
  scenes::add_mesh(c, "box", scenes::box_surface({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 5));
  scenes::add_grain(c, "sphere", 0.4, {0, 0, 3});
  Simulation s = scenes::build(c);
  const auto contact = [&](Vec3 x) {
    s.particles.position[0] = x;
    s.list_is_valid = false, s.scratch.reset();
    s.wall_pairs.resize(0), s.wall_contacts.resize(0);
    s.dt = 1e-12;
    step(s);
    EXPECT_EQ(s.wall_contacts.size(), 1u) << x.x << " " << x.y << " " << x.z;
    return s.wall_contacts.size() == 1 ? std::pair(s.wall_contacts.depth[0], s.wall_contacts.normal[0])
                                       : std::pair(0.0, Vec3{});
  };
  const auto [flat, down] = contact({0.1, 0.21, 0.69});
  EXPECT_NEAR(flat, 0.01, 1e-12);
  EXPECT_LT(norm(down - Vec3{0, 0, -1}), 1e-12);
  const double off = 0.5 + 0.19 / std::sqrt(2.0);
  const auto [edge, across] = contact({off, 0.13, off});
  EXPECT_NEAR(edge, 0.01, 1e-12);
  EXPECT_LT(norm(across - normalized(Vec3{-1, 0, -1})), 1e-12);
  const double corner = 0.5 + 0.19 / std::sqrt(3.0);
  const auto [point, inwards] = contact({corner, corner, corner});
  EXPECT_NEAR(point, 0.01, 1e-12);
  EXPECT_LT(norm(inwards - normalized(Vec3{-1, -1, -1})), 1e-12);
}

TEST(MeshBox, FromInsideActsAsSixPlanes) {
  for (const char* shape : {"sphere", "cube", "grain14"}) {
    Case planes = linear_case(1e5, 0.4), mesh = planes;
    scenes::add_open_box(planes, "box", {0, 0, 0}, {0.4, 0.4, 0.4});
    scenes::add_mesh(mesh, "box", scenes::box_surface({0, 0, 0}, {0.4, 0.4, 0.4}, 7));
    for (Case* c : {&planes, &mesh}) {
      c->gravity = {-5, -4, -6};  // into a corner
      scenes::add_grain(*c, shape, 0.1, {0.1, 0.1, 0.09}, axis_angle({0, 0, 1}, 0.3), {-0.5, -0.3, 0});
    }
    Simulation a = scenes::build(planes), b = scenes::build(mesh);
    double worst = 0;
    while (a.time < 0.2) {
      step(a), step(b);
      ASSERT_FALSE(b.fault) << b.fault->message;
      worst = oracle::larger(worst, norm(a.particles.position[0] - b.particles.position[0]));
    }
    EXPECT_LT(worst, 1e-6) << shape;
    scenes::run_for(b, 1.5);
    ASSERT_FALSE(b.fault) << b.fault->message;
    EXPECT_GE(b.wall_contacts.size(), 3u) << shape;
    EXPECT_LT(norm(b.walls[0].force - b.particles.mass[0] * b.gravity), 0.01 * b.particles.mass[0] * norm(b.gravity))
        << shape;
  }
}

TEST(MeshDrum, ASphereThatRollsInsideHasOneContactWhoseForceIsAlongTheRadius) {
  Case c = linear_case(1e6, 0);
  Surface s = scenes::pipe(0.5, 1, 120, 1);
  scenes::add_mesh(c, "drum", s);
  c.gravity = {0, -kG, 0};
  const double r = 0.05;
  scenes::add_grain(c, "sphere", 2 * r, {0.45 * std::sin(0.5), -0.45 * std::cos(0.5), 0.5});
  Simulation sim = scenes::build(c);
  const double start = sim.particles.position[0].y;
  double highest = -1;
  bool passed = false;
  while (sim.time < 2.2) {
    step(sim);
    ASSERT_FALSE(sim.fault) << sim.fault->message;
    ASSERT_LE(sim.wall_contacts.size(), 1u);
    passed = passed || sim.particles.position[0].x < -0.1;
    if (passed) highest = oracle::larger(highest, sim.particles.position[0].y);
  }
  EXPECT_TRUE(passed);
  EXPECT_NEAR(highest, start, 0.01);  // frictionless, damped only while it hops from facet to facet
}

TEST(MeshRim, GrainsTumbleThroughAHoleAndSpheresGainNoEnergy) {
  // A thin plate with a square hole of 14 cm; frictionless and elastic grains of 10 cm fall through and over its rims.
  Surface plate;
  for (int j = 0; j < 15; ++j)
    for (int i = 0; i < 15; ++i)
      if (i < 7 || i > 8 || j < 7 || j > 8)
        plate = scenes::joined(
            plate, scenes::sheet({-0.525 + 0.07 * i, -0.525 + 0.07 * j, 0}, {0.07, 0, 0}, {0, 0.07, 0}, 1, 1));
  Random draw(21);
  for (const char* shape : {"sphere", "cube", "tetrahedron", "grain14"}) {
    int through = 0;
    for (int k = 0; k < 25; ++k) {
      Case c = scenes::empty_case();
      contact::Bloks3d law;
      law.kn = 1e6;
      c.contacts[0].law = law;
      scenes::add_mesh(c, "plate", plate);
      const Vec3 at{draw.uniform(-0.1, 0.1), draw.uniform(-0.1, 0.1), 0.12};
      scenes::add_grain(c, shape, 0.1, at, draw.rotation(), {draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5), 0},
                        {draw.uniform(-5, 5), draw.uniform(-5, 5), 0});
      Simulation s = scenes::build(c);
      const Totals start = totals(s);
      const double begun = start.kinetic_translation + start.kinetic_rotation + start.potential;
      const double scale = s.particles.mass[0] * kG * 0.12;
      double most = begun;
      while (s.time < 1 && !s.fault && s.particles.position[0].z > -0.3) {
        step(s);
        const Totals t = totals(s);
        most = oracle::larger(most, t.kinetic_translation + t.kinetic_rotation + t.potential);
      }
      ASSERT_FALSE(s.fault) << shape << " " << k << ": " << s.fault->message;
      // Polyhedra at a rim have no potential (docs/walls.md, Limits); what they gain must stay far from a blow-up.
      EXPECT_LT(most - begun, (shape[0] == 's' ? 0.01 : 2) * scale) << shape << " " << k;
      through += s.particles.position[0].z < -0.1 ? 1 : 0;
    }
    EXPECT_GT(through, 0) << shape;
  }
}

TEST(MeshWall, NothingPassesAtTheAdmittedSpeedAndFasterIsRefused) {
  for (const char* shape : {"sphere", "cube", "tetrahedron"}) {
    Case c = linear_case(1e6, 0.3);
    c.gravity = {};
    scenes::add_mesh(c, "sheet", floor_in_pieces());
    Random draw(11, 0);
    for (int k = 0; k < 40; ++k)
      scenes::add_grain(c, shape, 0.05, {-0.4 + 0.1 * (k % 10), -0.15 + 0.1 * (k / 10), k % 2 ? 0.06 : -0.06},
                        draw.rotation(),
                        {draw.uniform(-1, 1), draw.uniform(-1, 1), (k % 2 ? -1.0 : 1.0) * (2 + k * 0.2)});
    Simulation s = scenes::build(c);
    for (int k = 0; k < 3000 && !s.fault; ++k) step(s);
    ASSERT_FALSE(s.fault) << shape << ": " << s.fault->message;
    for (std::size_t i = 0; i < 40; ++i)
      EXPECT_GT((i % 2 ? 1 : -1) * s.particles.position[i].z, 0) << shape << " " << i;
  }
  Case c = linear_case(1e6, 0.3);
  std::get<contact::Bloks3d>(c.contacts[0].law).damping_ratio = 0.05;
  c.gravity = {};
  scenes::add_mesh(c, "sheet", floor_in_pieces());
  scenes::add_grain(c, "sphere", 0.05, {0, 0, 0.06}, {}, {0, 0, -1e4});
  const Result<Simulation> s = set_up(c, scenes::library());
  ASSERT_TRUE(s);
  ASSERT_TRUE(s->fault);
  EXPECT_NE(s->fault->message.find("could pass through"), std::string::npos) << s->fault->message;
}

/// Which way a centroid went through the sheet in this step: 1 to its front, -1 to its back, 0 it did not. Both places
/// in the sheet's frame.
int crossing(Vec3 before, Vec3 after) {
  if ((before.z > 0) == (after.z > 0)) return 0;
  const Vec3 at = before + (before.z / (before.z - after.z)) * (after - before);
  if (at.x < -0.7 || at.x > 1.8 || std::abs(at.y) > 0.7) return 0;  // round the rim, or through the holes near it
  return after.z > 0 ? 1 : -1;
}

/// What came of 32 grains before and behind a sheet that moves by `share` of their inner radius a step where they are.
struct Swept {
  bool stopped = false;
  int hit = 0, to_front = 0, to_back = 0;
};
Swept sweep(const char* shape, bool turns, bool front_only, double sign, double share, std::uint64_t seed) {
  Case c = linear_case(1e6, 0.3);
  std::get<contact::Bloks3d>(c.contacts[0].law).damping_ratio = 0.05;
  c.gravity = {};
  scenes::add_mesh(c, "sheet", floor_in_pieces()).front_only = front_only;
  Random draw(seed, 0);
  for (int k = 0; k < 32; ++k)
    scenes::add_grain(c, shape, 0.05, {0.12 + 0.1 * (k % 8), -0.15 + 0.1 * (k / 8), k % 2 ? 0.06 : -0.06},
                      draw.rotation(), {draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-0.5, 0.5)},
                      {draw.uniform(-5, 5), draw.uniform(-5, 5), draw.uniform(-5, 5)});
  const Simulation still = scenes::build(c);
  const double step_length = share * 0.05 * still.shapes[0]->inner_radius(), speed = sign * step_length / still.dt;
  c.time_step.fixed = still.dt;
  boundary::Motion& m = c.walls[0].motion;
  if (turns) {
    m.rotation = boundary::Motion::Rotation{};
    m.rotation->axis = {0, 1, 0}, m.rotation->rate = -speed / 0.82;
  } else {
    m.velocity = {0, 0, speed};
  }
  Simulation s = scenes::build(c);
  const auto seen = [&](std::size_t i) {
    return transpose_times(rotation_matrix(s.walls[0].orientation), s.particles.position[i] - s.walls[0].point);
  };
  Swept r;
  std::vector<Vec3> before(32);
  std::vector<bool> hit(32);
  const int steps = static_cast<int>(std::min(6000.0, 0.4 / step_length + 20));
  for (int k = 0; k < steps && !s.fault; ++k) {
    for (std::size_t i = 0; i < 32; ++i) before[i] = seen(i);
    step(s);
    for (std::size_t row = 0; row < s.wall_contacts.size(); ++row)
      hit[s.wall_pairs.a[s.wall_contacts.pair[row]]] = true;
    if (s.fault) break;  // what went wrong in this step has been told
    for (std::size_t i = 0; i < 32; ++i) {
      const int way = crossing(before[i], seen(i));
      r.to_front += way > 0 ? 1 : 0, r.to_back += way < 0 ? 1 : 0;
    }
  }
  r.stopped = s.fault.has_value();
  r.hit = static_cast<int>(std::count(hit.begin(), hit.end(), true));
  return r;
}

// Up to the speed at which the run stops, and with it, no centroid goes through unseen.
TEST(MeshWall, NothingPassesOneThatMovesAtTheAdmittedSpeed) {
  for (const char* shape : {"sphere", "cube", "grain14"}) {
    for (const bool turns : {false, true}) {
      for (const bool front_only : {false, true}) {
        int went_on = 0, stopped = 0, passed_from_behind = 0;
        double fastest = 0;
        for (const double share : {0.01, 0.02, 0.04, 0.1, 0.3, 0.7, 20.0}) {
          for (const double sign : {1.0, -1.0}) {
            const Swept r = sweep(shape, turns, front_only, sign, share, 5);
            const std::string what = std::string(shape) + (turns ? ", turning" : "") + (front_only ? ", front" : "") +
                                     ", " + std::to_string(sign * share) + " of the inner radius a step";
            EXPECT_EQ(r.to_back, 0) << what;
            if (!front_only) {
              EXPECT_EQ(r.to_front, 0) << what;
            }
            passed_from_behind += r.to_front;
            (r.stopped ? stopped : went_on)++;
            if (!r.stopped) {
              fastest = oracle::larger(fastest, share);
              EXPECT_GT(r.hit, front_only && sign < 0 ? -1 : 7) << what;
            }
            if (share > 0.5 && !(front_only && sign < 0)) {
              EXPECT_TRUE(r.stopped) << what;
            }
          }
        }
        EXPECT_GT(went_on, 3) << shape << turns << front_only;
        EXPECT_GT(stopped, 3) << shape << turns << front_only;
        EXPECT_GE(fastest, 0.02) << shape << turns << front_only;
        if (front_only) {
          EXPECT_GT(passed_from_behind, 10) << shape << turns;
        }
      }
    }
  }
}

TEST(MeshWall, WithSidesFrontNothingIsTouchedFromBehind) {
  for (const char* shape : {"sphere", "cube"}) {
    Case c = linear_case(1e5, 0.3);
    scenes::add_mesh(c, "sheet", floor_in_pieces()).front_only = true;
    scenes::add_grain(c, shape, 0.1, {0, 0, -0.2}, {}, {0, 0, 3});
    Simulation s = scenes::build(c);
    double highest = -1;
    for (int k = 0; k < 200000 && s.time < 0.6; ++k)
      step(s), highest = oracle::larger(highest, s.particles.position[0].z);
    ASSERT_FALSE(s.fault) << s.fault->message;
    EXPECT_GT(highest, 0.1) << "it came through from behind";
    EXPECT_GT(s.particles.position[0].z, 0.03) << "and was caught from the front";
  }
}

// What has touched is no newcomer on its way out, whichever of its parts touches.
TEST(MeshWall, WithSidesFrontWhatCameFromTheFrontRebounds) {
  for (const char* shape : {"sphere", "cube", "dumbbell", "angle"}) {
    std::array<Simulation, 2> over;
    for (const bool front_only : {false, true}) {
      Case c = linear_case(1e5, 0.3);
      std::get<contact::Bloks3d>(c.contacts[0].law).damping_ratio = 0;
      c.gravity = {};
      scenes::add_mesh(c, "sheet", floor_in_pieces()).front_only = front_only;
      scenes::add_grain(c, shape, 0.1, {0, 0, 0.1}, {}, {0, 0, -1});
      Simulation& s = over[front_only ? 1 : 0];
      s = scenes::build(c);
      const double before = totals(s).lively();
      for (int k = 0; k < 200000 && s.time < 0.2; ++k) step(s);
      ASSERT_FALSE(s.fault) << s.fault->message;
      EXPECT_GT(s.particles.velocity[0].z, 0) << shape;
      const Totals t = totals(s);
      EXPECT_NEAR(t.lively(), before, 0.01 * before) << shape;
    }
    EXPECT_EQ(over[0].particles.position[0], over[1].particles.position[0]) << shape;
    EXPECT_EQ(over[0].particles.angular_momentum[0], over[1].particles.angular_momentum[0]) << shape;
  }
}

// Corner after corner strikes, the later ones while the whole is on its way up already: what is tumbling rebounds from
// the front as from a floor of two sides, bit for bit.
TEST(MeshWall, WithSidesFrontWhatTumblesRebounds) {
  std::size_t rebounds = 0;
  for (const auto geometry : {Case::ContactGeometry::overlap, Case::ContactGeometry::contact_zone}) {
    for (const char* shape : {"grain14", "cube", "plate", "dumbbell", "angle", "tetrapod"}) {
      std::array<Simulation, 2> over;
      for (const bool front_only : {false, true}) {
        Case c = linear_case(1e5, 0.3);
        c.detection.contact_geometry = geometry;
        scenes::add_mesh(c, "sheet", floor_in_pieces()).front_only = front_only;
        for (std::uint64_t k = 0; k < 9; ++k) {
          Random u(17, k);
          const double x = 0.3 * static_cast<double>(k % 3) - 0.3;
          const double y = 0.3 * std::floor(static_cast<double>(k) / 3) - 0.3;
          scenes::add_grain(c, shape, 0.05, {x, y, 0.1}, u.rotation(), {0, 0, -1.5}, 40 * u.direction());
        }
        Simulation& s = over[front_only ? 1 : 0];
        s = scenes::build(c);
        for (int k = 0; k < 200000 && s.time < 0.3; ++k) step(s);
        ASSERT_FALSE(s.fault) << shape << ": " << s.fault->message;
      }
      for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(over[0].particles.position[i], over[1].particles.position[i]) << shape << ' ' << i;
        rebounds += over[1].particles.velocity[i].z > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(rebounds, 20u);
}

// What comes through from behind goes free with all its corners and parts, however it tumbles. A corner that has come
// out and dips back in may strike, softly, and lose; nothing is thrown out.
TEST(MeshWall, WithSidesFrontWhatTumblesThroughFromBehindGoesFree) {
  for (const auto geometry : {Case::ContactGeometry::overlap, Case::ContactGeometry::contact_zone}) {
    for (const char* shape : {"sphere", "grain14", "cube", "dumbbell", "angle", "tetrapod"}) {
      for (const double spin : {40.0, 150.0}) {
        Case c = linear_case(1e5, 0.3);
        c.gravity = {}, c.detection.contact_geometry = geometry;
        scenes::add_mesh(c, "sheet", floor_in_pieces()).front_only = true;
        for (std::uint64_t k = 0; k < 25; ++k) {
          Random u(18, k);
          const double x = 0.15 * static_cast<double>(k % 5) - 0.3;
          const double y = 0.15 * std::floor(static_cast<double>(k) / 5) - 0.3;
          scenes::add_grain(c, shape, 0.05, {x, y, -0.1}, u.rotation(), {0, 0, 1.5}, spin * u.direction());
        }
        Simulation s = scenes::build(c);
        const std::vector<Vec3> speed = s.particles.velocity;
        const double before = totals(s).lively();
        for (int k = 0; k < 200000 && s.time < 0.15; ++k) step(s);
        ASSERT_FALSE(s.fault) << shape << ": " << s.fault->message;
        for (std::size_t i = 0; i < 25; ++i) EXPECT_GT(s.particles.position[i].z, 0.05) << shape << ' ' << i;
        EXPECT_LT(totals(s).lively(), (1 + 1e-9) * before) << shape;
        if (spin < 100) EXPECT_EQ(s.particles.velocity, speed) << shape << " touches nothing";
      }
    }
  }
}

// A grain whose face is as wide as a facet of the drum lies on two of them at a time. While facets of a smooth wall
// were one contact, a corner could sink deep into one as long as a face lay on the next: of what a grain lost up to two
// thirds came from nothing.
TEST(MeshWall, ATurningDrumGivesNoEnergyFromNothing) {
  constexpr double kRadius = 0.06, kSize = 0.008;
  for (const char* shape : {"octahedron", "cube", "grain14", "tetrahedron"}) {
    for (const int facets : {60, 200}) {
      for (const int way : {0, 1, 2}) {  // the last by points
        const double friction = way == 0 ? 0 : 0.6;
        Case c = linear_case(5e3, friction);
        if (way == 2) c.detection.contact_geometry = Case::ContactGeometry::contact_zone;
        contact::Linear law;
        law.kn = 5e3, law.kt = 1.5e3, law.friction_angle = std::atan(friction);
        law.damping_ratio = contact::damping_ratio_for(0.4, law.tension);
        c.contacts[0].law = law;
        c.gravity = {0, -kG, 0};
        Case::Wall& drum = scenes::add_mesh(c, "drum", scenes::pipe(kRadius, 0.08, facets, 1));
        drum.motion.rotation = boundary::Motion::Rotation{.axis = {0, 0, 1}, .rate = 4};
        scenes::add_grain(c, shape, kSize, {0.001, -kRadius + 0.9 * kSize, 0.04});
        Simulation s = scenes::build(c);
        scenes::run_for(s, 1);
        ASSERT_FALSE(s.fault) << s.fault->message;
        const Totals t = totals(s);
        EXPECT_GT(t.lost(), 1e-6);
        // A corner that becomes a face has no potential of its own in a law of one spring; that is what is left.
        EXPECT_LT(std::abs(t.unclosed), 0.05 * t.lost()) << shape << ' ' << facets << " facets, " << way;
      }
    }
  }
}

}  // namespace
}  // namespace scree

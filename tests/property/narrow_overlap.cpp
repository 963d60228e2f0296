// What the force of the exact overlap does along paths: it has a potential over a face, and it does not jump.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "base/random.h"
#include "oracle/larger.h"
#include "oracle/posed_pair.h"

namespace scree {
namespace {

using narrow::ContactGeometry;
using narrow::FoundPoint;
using oracle::Pose;
using oracle::PosedPair;

/// Elastic force and moment on body 0 about its centroid, and the potential, for K = 1.
struct Elastic {
  Vec3 force, moment, moment_at_centroid;
  double energy = 0;
  bool touching = false;
};

Elastic elastic(const std::vector<FoundPoint>& points, const Vec3* centroid) {
  Elastic e;
  for (const FoundPoint& p : points) {
    const Vec3 f = -p.depth * p.normal;
    e.force += f, e.moment += cross(p.point, f), e.touching = true;
    e.energy += 0.5 * p.energy_depth * p.energy_depth;
    if (centroid != nullptr) e.moment_at_centroid += cross(*centroid, f);
  }
  return e;
}

/// A cube of edge 1 at the height z of its centroid above a plane, tilted by `t` about y.
Elastic over_wall(PosedPair& pair, double z, double t, double yaw = 0) {
  const Quat q = axis_angle({0, 1, 0}, t) * axis_angle({0, 0, 1}, yaw);
  pair.move({1, q, {0, 0, z}}, {1, {}, {9, 9, 9}});
  return elastic(pair.wall_points({}, {0, 0, 1}, ContactGeometry::overlap), nullptr);
}

/// The same over a cube of edge 3 (body 1) whose upper face is at z = 0, or of edge 1, whose rim then takes part.
Elastic over_cube(PosedPair& pair, double z, double t, double yaw, double edge) {
  const Quat q = axis_angle({0, 1, 0}, t) * axis_angle({0, 0, 1}, yaw);
  pair.move({1, q, {0, 0, z}}, {edge, {}, {0.1, 0.05, -edge / 2}});
  const Vec3 centroid = pair.overlap().centroid;
  return elastic(pair.points(ContactGeometry::overlap), &centroid);
}

struct Work {
  double net = 0, exchanged = 0, net_at_centroid = 0;
  double share() const { return std::abs(net) / exchanged; }
};

/// Work over the closed path (z, t) = middle + (a cos s, b sin s), by the trapezoidal rule.
Work around(const std::function<Elastic(double, double)>& at, double z0, double dz, double t0, double dt,
            int steps = 20000) {
  Work w;
  Elastic before = at(z0 + dz, t0);
  double z = z0 + dz, t = t0;
  for (int k = 1; k <= steps; ++k) {
    const double s = 2 * M_PI * k / steps, z1 = z0 + dz * std::cos(s), t1 = t0 + dt * std::sin(s);
    const Elastic now = at(z1, t1);
    const double by_force = 0.5 * (before.force.z + now.force.z) * (z1 - z);
    const double by_moment = 0.5 * (before.moment.y + now.moment.y) * (t1 - t);
    w.net += by_force + by_moment, w.exchanged += std::abs(by_force + by_moment);
    w.net_at_centroid += by_force + 0.5 * (before.moment_at_centroid.y + now.moment_at_centroid.y) * (t1 - t);
    before = now, z = z1, t = t1;
  }
  return w;
}

class OnAFace : public testing::Test {
 protected:
  PosedPair pair{oracle::shape("cube"), oracle::shape("cube"), {1, {}, {}}, {1, {}, {9, 9, 9}}};
};

// Loops (height, tilt): face fully in, partly lifted, and through loss of contact.
struct Loop {
  double z0, dz, t0, dt;
};
constexpr Loop kLoops[] = {
    {0.499, 5e-4, 0, 2e-4}, {0.4995, 1e-3, 2e-3, 2e-3}, {0.501, 2e-3, 4e-3, 6e-3}, {0.498, 3e-3, 0, 8e-3}};

TEST_F(OnAFace, NoNetWorkOverAWallFacet) {
  for (const Loop& l : kLoops) {
    const Work w = around([&](double z, double t) { return over_wall(pair, z, t); }, l.z0, l.dz, l.t0, l.dt);
    ASSERT_GT(w.exchanged, 0);
    std::printf("cube on a wall: net work %.1e of the energy exchanged\n", w.share());
    EXPECT_LT(w.share(), 1e-4);
  }
}

TEST_F(OnAFace, NoNetWorkOverALargerCube) {
  double worst_at_centroid = 0;
  for (const Loop& l : kLoops) {
    const Work w = around([&](double z, double t) { return over_cube(pair, z, t, 0, 3); }, l.z0, l.dz, l.t0, l.dt);
    const double at_centroid = std::abs(w.net_at_centroid) / w.exchanged;
    worst_at_centroid = oracle::larger(worst_at_centroid, at_centroid);
    std::printf("cube on a cube: net work %.1e of the energy exchanged; with the force at the centroid %.1e\n",
                w.share(), at_centroid);
    EXPECT_LT(w.share(), 1e-3);
  }
  // Why the force does not act at the centroid of the volume.
  EXPECT_GT(worst_at_centroid, 0.02);
}

// With the rim of a cube of the same size in play, the sides of the overlap carry area too; reported, bounded.
TEST_F(OnAFace, WorkOverACubeOfTheSameSize) {
  for (const Loop& l : kLoops) {
    const Work w =
        around([&](double z, double t) { return over_cube(pair, z, t, 0.3, 1); }, l.z0, l.dz, l.t0, l.dt, 8000);
    std::printf("cube turned on a cube, overhanging: net work %.1e of the energy exchanged\n", w.share());
    EXPECT_LT(w.share(), 0.05);
  }
}

TEST_F(OnAFace, ForceAndMomentAreTheGradientOfTheEnergy) {
  const double h = 1e-7;
  for (const double yaw : {0.0, 0.3}) {
    for (const double z : {0.4985, 0.4995, 0.5005}) {
      for (const double t : {0.0, 5e-4, 3e-3, 8e-3}) {
        const auto energy = [&](double a, double b) { return over_wall(pair, a, b, yaw).energy; };
        const Elastic e = over_wall(pair, z, t, yaw);
        if (!e.touching) continue;
        const double scale = norm(e.force);
        const double force = -(energy(z + h, t) - energy(z - h, t)) / (2 * h),
                     moment = -(energy(z, t + h) - energy(z, t - h)) / (2 * h);
        // Exact where the pressed part is a rectangle; with a corner cut (yaw) the formula is close.
        const double share = yaw == 0 ? 1e-5 : 0.12;
        EXPECT_NEAR(force, e.force.z, share * scale) << yaw << " " << z << " " << t;
        EXPECT_NEAR(moment, e.moment.y, share * scale) << yaw << " " << z << " " << t;
      }
    }
  }
}

TEST_F(OnAFace, AWedgePushesAtItsDeepEdge) {
  const Elastic e = over_wall(pair, 0.5 * std::cos(0.01) + 0.5 * std::sin(0.01) - 1e-3, 0.01);
  ASSERT_TRUE(e.touching);
  const auto points = pair.wall_points({}, {0, 0, 1}, ContactGeometry::overlap);
  const double deep = 0.5 * std::cos(0.01) - 0.5 * std::sin(0.01);  // x of the edge that reaches deepest, about y
  EXPECT_NEAR(std::abs(points[0].point.x), deep, 5e-3);
  EXPECT_NEAR(points[0].depth, 0.5e-3, 0.02e-3);
}

/// Largest change of F/(K d) between neighbouring poses of a path.
double largest_jump(const std::function<double(double)>& ratio, double from, double to, int steps) {
  double worst = 0, before = ratio(from);
  for (int k = 1; k <= steps; ++k) {
    const double now = ratio(from + (to - from) * k / steps);
    worst = oracle::larger(worst, std::abs(now - before));
    before = now;
  }
  return worst;
}

double total(const std::vector<FoundPoint>& points, double depth) {
  double f = 0;
  for (const FoundPoint& p : points) f += p.depth;
  return f / depth;
}

// A wall and the face of a body far larger are the same thing, also where a leaning grain overhangs its cut.
TEST(Wall, IsTheFaceOfALargeBody) {
  Random u(1);
  for (int i = 0; i < 400; ++i) {
    const auto& names = oracle::all_shapes();
    const auto grain = oracle::shape(names[u.below(names.size())]);
    const Quat q = u.rotation();
    PosedPair p(grain, oracle::shape("cube"), {1, q, {}}, {64, {}, {}});
    double low = 0;
    for (std::size_t v = 0; v < p.a().shape->vertices; ++v) low = std::min(low, p.a().vertex(v).z);
    const double depth = std::pow(10, u.uniform(-4, -0.7));
    p.move({1, q, {u.uniform(-1, 1), u.uniform(-1, 1), -low - depth}}, {64, {}, {0, 0, -32}});
    const auto wall = p.wall_points({}, {0, 0, 1}, ContactGeometry::overlap), body = p.points(ContactGeometry::overlap);
    // Sums over faces of the large body have the digits of its size; seed without a feature: no short cut.
    narrow::Plane seed = narrow::evaluate_plane(p.a(), p.b(), p.d(), {0, 0, -1});
    const narrow::Overlap clipped = narrow::exact_overlap(p.a(), p.b(), p.d(), seed);
    ASSERT_EQ(wall.size(), 1u);
    ASSERT_EQ(body.size(), 1u);
    const double width = std::sqrt(norm(clipped.area)), share = 1e-10 + 1e-12 / depth;
    ASSERT_NEAR(wall[0].depth, body[0].depth, share * depth) << i;
    ASSERT_NEAR(wall[0].depth, clipped.volume / norm(clipped.area), share * depth);
    ASSERT_LT(norm(wall[0].normal - body[0].normal), share);
    ASSERT_LT(norm(wall[0].point - body[0].point), share * width + 1e-9 * depth) << i << ", depth " << depth;
    ASSERT_LT(norm(wall[0].point - clipped.centre), 1e-6 * width + 1e-6 * depth) << i << ", depth " << depth;
    ASSERT_NEAR(wall[0].energy_depth, clipped.energy_depth, 1e-6 * depth) << i;
    ASSERT_NEAR(wall[0].gyration, clipped.gyration, 1e-4 * width);
  }
}

/// Area of the cut z = 0 through a convex body that is centred there: its corners, in order of their angle.
double cut_area(const narrow::BodyView& body) {
  std::vector<std::pair<double, Vec3>> corners;
  for (const auto& e : body.shape->body->edges) {
    const Vec3 p = body.vertex(e.v0), q = body.vertex(e.v1);
    if ((p.z > 0) == (q.z > 0)) continue;
    const Vec3 c = p + (p.z / (p.z - q.z)) * (q - p);
    corners.emplace_back(std::atan2(c.y, c.x), c);
  }
  std::sort(corners.begin(), corners.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double twice = 0;
  for (std::size_t i = 0; i < corners.size(); ++i)
    twice += cross(corners[i].second, corners[(i + 1) % corners.size()].second).z;
  return twice / 2;
}

// A round grain has more faces below a wall than one body has planes that can cut another: all of them count. A plane
// through the centre of a body that is its own mirror image in that point cuts its volume in half.
TEST(Wall, HalvesABodyOfManyFaces) {
  Random u(3);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < kMaxVertices / 2; ++i) {
    const Vec3 p = u.direction();
    points.push_back(p), points.push_back(-p);
  }
  const Result<Polyhedron> hull = convex_hull(points);
  ASSERT_TRUE(hull);
  const Result<Shape> made = make_shape("round", *hull);
  ASSERT_TRUE(made);
  ASSERT_GT(made->body.face_normals.size(), 200u);
  const auto round = std::make_shared<const Shape>(*made);
  for (int i = 0; i < 50; ++i) {
    const PosedPair p(round, oracle::shape("cube"), {2, u.rotation(), {}}, {1, {}, {9, 9, 9}});
    const auto found = p.wall_points({}, {0, 0, 1}, ContactGeometry::overlap);
    ASSERT_EQ(found.size(), 1u);
    const double half = 8 * made->volume / 2;
    EXPECT_NEAR(found[0].depth, half / cut_area(p.a()), 1e-12 * found[0].depth);
    EXPECT_LT(norm(found[0].normal + Vec3{0, 0, 1}), 1e-12);
  }
}

// Grains in general pose, rocked and pressed at once: how far the mean-depth force is from having a potential where the
// cut is no rectangle. For a corner the potential's force is .3 K z, the mean depth's .333 K z.
TEST(Wall, WorkAroundALoopOfAnyShape) {
  Random u(2);
  double sum = 0, worst = 0, centroid = 0;
  const int loops = 60;
  for (int i = 0; i < loops; ++i) {
    const auto& names = oracle::compact_shapes();
    const Quat q = u.rotation();
    PosedPair p(oracle::shape(names[u.below(names.size())]), oracle::shape("cube"), {1, q, {}}, {64, {}, {0, 0, -32}});
    double low = 0;
    for (std::size_t v = 0; v < p.a().shape->vertices; ++v) low = std::min(low, p.a().vertex(v).z);
    const auto at = [&](double z, double t) {
      p.move({1, axis_angle({0, 1, 0}, t) * q, {0, 0, z}}, {64, {}, {0, 0, -32}});
      const Vec3 c = p.overlap().centroid;
      return elastic(p.wall_points({}, {0, 0, 1}, ContactGeometry::overlap), &c);
    };
    const Work w = around(at, -low - 0.01, 5e-3, 0, 0.01, 2000);
    sum += w.share(), worst = oracle::larger(worst, w.share()), centroid += std::abs(w.net_at_centroid) / w.exchanged;
  }
  std::printf(
      "any shape on a wall, 1 %% deep: net work %.1e of the energy exchanged on average, %.1e at most; at the centroid "
      "%.1e\n",
      sum / loops, worst, centroid / loops);
  EXPECT_LT(sum / loops, 0.03);
}

constexpr double kDegree = M_PI / 180;

/// F/(K d) of the upper of two unit cubes, one on the other at depth d: turned about z, tilted about y (deepest point
/// at depth d), shifted.
double turned(PosedPair& pair, double degrees, double d, ContactGeometry g) {
  pair.move({1, {}, {}}, {1, axis_angle({0, 0, 1}, degrees * kDegree), {0, 0, 1 - d}});
  return total(pair.points(g), d);
}
double tilted(PosedPair& pair, double degrees, double d, ContactGeometry g) {
  const double t = degrees * kDegree;
  pair.move({1, {}, {}}, {1, axis_angle({0, 1, 0}, t), {0, 0, 0.5 + 0.5 * (std::cos(t) + std::sin(t)) - d}});
  return total(pair.points(g), d);
}
double shifted(PosedPair& pair, double x, double d, ContactGeometry g) {
  pair.move({1, {}, {}}, {1, {}, {x, 0, 1 - d}});
  return total(pair.points(g), d);
}

TEST_F(OnAFace, ZoneCountsPointsAndTheOverlapDoesNot) {
  const double d = 1e-3;
  std::printf("turned by   points  zone F/(K d)  overlap F/(K d)\n");
  for (const double degrees : {0.0, 0.1, 1.0, 5.0, 10.0, 45.0}) {
    const double zone = turned(pair, degrees, d, ContactGeometry::contact_zone);
    const std::size_t points = pair.points(ContactGeometry::contact_zone).size();
    const double overlap = turned(pair, degrees, d, ContactGeometry::overlap);
    std::printf("%8.2f  %7zu  %12.3f  %15.4f\n", degrees, points, zone, overlap);
    EXPECT_NEAR(overlap, 1, 1e-9);
    EXPECT_NEAR(zone, static_cast<double>(points), 0.01 * static_cast<double>(points));
    EXPECT_EQ(points, degrees == 0 ? 4u : 8u);
  }
  std::printf("tilted by   points  zone F/(K d)  overlap F/(K d)\n");
  for (const double degrees : {0.0, 0.01, 0.02, 0.03, 0.05, 0.06, 0.1, 1.0}) {
    const double zone = tilted(pair, degrees, d, ContactGeometry::contact_zone);
    const std::size_t points = pair.points(ContactGeometry::contact_zone).size();
    std::printf("%8.2f  %7zu  %12.3f  %15.4f\n", degrees, points, zone,
                tilted(pair, degrees, d, ContactGeometry::overlap));
  }
  const auto jump = [&](auto&& f, double from, double to, ContactGeometry g) {
    return largest_jump([&](double v) { return f(pair, v, d, g); }, from, to, 4000);
  };
  const double zone_turn = jump(turned, 0, 12, ContactGeometry::contact_zone),
               zone_tilt = jump(tilted, 0, 1, ContactGeometry::contact_zone);
  const double turn = jump(turned, 0, 12, ContactGeometry::overlap),
               tilt = jump(tilted, 0, 1, ContactGeometry::overlap);
  const double slide = jump(shifted, 0.0, 0.9, ContactGeometry::overlap),
               zone_slide = jump(shifted, 0, 0.9, ContactGeometry::contact_zone);
  std::printf(
      "largest jump of F/(K d)   turn    tilt    slide off\n     contact_zone       %6.3f  %6.3f  %6.3f\n     overlap  "
      "          %6.3f  %6.3f  %6.3f\n",
      zone_turn, zone_tilt, zone_slide, turn, tilt, slide);
  EXPECT_GT(zone_turn, 0.9);
  EXPECT_GT(zone_tilt, 0.5);
  EXPECT_LT(turn, 1e-6);
  EXPECT_LT(tilt, 0.01);  // 4000 steps over one degree: what the steps explain
  EXPECT_LT(slide, 0.01);
}

/// Total force over K d, of the points' parts.
Vec3 force(const std::vector<FoundPoint>& points, double d) {
  Vec3 f;
  for (const FoundPoint& p : points) f += (p.share * p.depth / d) * p.normal;
  return f;
}

/// Largest change of F/(K d) that a path makes at once: every stretch is halved where it changes most, down to 1e-10 of
/// the path.
double largest_jump_at_once(const std::function<Vec3(double)>& at, double from, double to, int steps) {
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    double low = from + (to - from) * k / steps, high = from + (to - from) * (k + 1) / steps;
    Vec3 before = at(low), after = at(high);
    while (norm(after - before) > worst && high - low > 1e-10 * (to - from)) {
      const double middle = 0.5 * (low + high);
      const Vec3 between = at(middle);
      if (norm(between - before) > norm(after - between)) {
        high = middle, after = between;
      } else {
        low = middle, before = between;
      }
    }
    worst = oracle::larger(worst, norm(after - before));
  }
  return worst;
}

// A unit cube on the same slides over the rim and off it, and rolls from a face over an edge and a corner until it
// stands on its other side, its deepest point at depth d all the time.
TEST_F(OnAFace, SlidingOffAndRollingOverCornersJumpWithTheZoneAlone) {
  const double d = 1e-3;
  const auto slid = [&](ContactGeometry g) {
    return largest_jump_at_once(
        [&](double x) {
          pair.move({1, {}, {}}, {1, axis_angle({0, 0, 1}, 0.02), {x, 0.1, 1 - d}});
          return force(pair.points(g), d);
        },
        0.3, 1.03, 500);
  };
  const Vec3 axis = normalized(Vec3{1, 0.6, 0.2});
  const auto rolled = [&](ContactGeometry g) {
    return largest_jump_at_once(
        [&](double angle) {
          const Quat q = axis_angle(axis, angle);
          double lowest = 0;
          for (int c = 0; c < 8; ++c)
            lowest = std::min(
                lowest, rotate(q, 0.5 * Vec3{c % 2 == 0 ? 1. : -1., c / 2 % 2 == 0 ? 1. : -1., c < 4 ? 1. : -1.}).z);
          pair.move({1, {}, {}}, {1, q, {0.1, 0.05, 0.5 - d - lowest}});
          return force(pair.points(g), d);
        },
        1e-7, M_PI, 500);
  };
  const double slide = slid(ContactGeometry::overlap), zone_slide = slid(ContactGeometry::contact_zone);
  const double roll = rolled(ContactGeometry::overlap), zone_roll = rolled(ContactGeometry::contact_zone);
  const double shared_slide = slid(ContactGeometry::shared_zone), shared_roll = rolled(ContactGeometry::shared_zone);
  std::printf(
      "largest jump of F/(K d)   slide off  roll over corners\n     as printed          %8.3f  %8.3f\n     shared "
      "points       %8.3f  "
      "%8.3f\n     overlap             %8.1e  %8.1e\n",
      zone_slide, zone_roll, shared_slide, shared_roll, slide, roll);
  EXPECT_GT(zone_slide, 0.5);
  EXPECT_GT(zone_roll, 0.9);
  EXPECT_LT(shared_slide, 1) << "the normal turns at once where the rim is as near as the depth";
  EXPECT_LT(shared_roll, 0.05);
  EXPECT_LT(slide, 1e-4);
  EXPECT_LT(roll, 1e-4);
}

// The one jump there is: a face that slides past flush hands its strip of the overlap's side to the other body, and the
// normal turns by depth over width; V has a kink there, so no choice of normal from S avoids it.
TEST_F(OnAFace, PassingFlushTurnsTheNormalByDepthOverWidth) {
  for (const double d : {1e-3, 1e-5}) {
    const auto at = [&](double x) {
      pair.move({1, {}, {}}, {0.5, {}, {x, 0.1, 0.75 - d}});
      return pair.points(ContactGeometry::overlap)[0];
    };
    const FoundPoint before = at(0.25 - 1e-9), after = at(0.25 + 1e-9);
    EXPECT_NEAR(norm(before.normal - after.normal), d / 0.5, 0.01 * d);
    EXPECT_NEAR(after.depth, before.depth, 1e-5 * d);
    EXPECT_LT(norm(after.point - before.point), d);
  }
}

// The path of the whole wrench: turn, tilt and slide at once, over the rim and off it. Sliding past a flush rim turns
// the normal by depth/width at once, since that side then belongs to the other body; nothing else may jump.
TEST_F(OnAFace, TheWrenchIsContinuousAlongAPathOverTheRim) {
  const double d = 1e-3;
  const int steps = 20000;
  Vec3 force, moment;
  double worst_force = 0, worst_moment = 0;
  for (int k = 0; k <= steps; ++k) {
    const double s = static_cast<double>(k) / steps;
    const Quat q = axis_angle({0, 0, 1}, 0.05 + 0.6 * s) * axis_angle({0, 1, 0}, 4e-4 * std::sin(6 * s)) *
                   axis_angle({1, 0, 0}, 3e-4 * s);
    pair.move({1, {}, {}}, {1, q, {0.9 * s, 0.35 * s, 1 - d}});
    const Elastic e = elastic(pair.points(ContactGeometry::overlap), nullptr);
    ASSERT_TRUE(e.touching) << s;
    if (k > 0) {
      worst_force = oracle::larger(worst_force, norm(e.force - force) / norm(force));
      worst_moment = oracle::larger(worst_moment, norm(e.moment - moment) / norm(force));
    }
    force = e.force, moment = e.moment;
  }
  std::printf("20 000 steps over the rim: largest change of the force %.1e, of its moment %.1e widths, per step\n",
              worst_force, worst_moment);
  EXPECT_LT(worst_force, 3 * d);
  EXPECT_LT(worst_moment, 3 * d);
}

}  // namespace
}  // namespace scree

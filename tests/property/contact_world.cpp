// Contacts as a whole world sees them: third law, frames, scales, and the memory of points that come and go.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "oracle/larger.h"
#include "scenes/scenes.h"
#include "sim/scratch.h"

namespace scree {
namespace {

/// Grains of all shapes thrown into a corner; everything in units of `unit`, seen in the frame turned by q.
Case heap(double unit, Quat q, Case::ContactGeometry geometry) {
  Case c = scenes::empty_case();
  c.detection.contact_geometry = geometry;
  c.detection.skin = 2e-3 * unit;
  c.time_step.fixed = 2e-6;
  // Density fixed and time fixed: stiffness scales like mass, K_NN like stiffness over length^(b-1), g like length.
  contact::Bloks3d law = scenes::stone_law();
  law.kn *= unit * unit * unit, law.ks *= unit * unit * unit, law.knn *= unit;
  c.contacts[0].law = law;
  c.gravity = rotate(q, unit * Vec3{0, 0, -9.81});
  const Vec3 normals[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vec3& n : normals) scenes::add_plane(c, "wall" + std::to_string(c.walls.size()), {}, rotate(q, n));
  const char* shapes[] = {"tetrahedron", "pyramid", "cube", "grain14", "dodecahedron", "needle", "plate", "octahedron"};
  Random u(13);
  for (int i = 0; i < 8; ++i) {
    const Vec3 place = unit * Vec3{0.025 + 0.042 * (i % 2), 0.025 + 0.042 * (i / 2 % 2), 0.025 + 0.042 * (i / 4)};
    const Quat o = u.rotation();
    scenes::add_grain(c, shapes[i], 0.03 * unit, rotate(q, place), q * o,
                      rotate(q, unit * (Vec3{-2, -2, -3} + 0.3 * u.direction())), rotate(q, 20.0 * u.direction()));
  }
  return c;
}

struct Outcome {
  Simulation s;
  std::size_t most_contacts = 0;
};
Outcome run(const Case& c, int steps) {
  Outcome r{scenes::build(c), 0};
  for (int k = 0; k < steps && !r.s.fault; ++k) {
    step(r.s);
    r.most_contacts = oracle::larger(r.most_contacts, r.s.contacts.size() + r.s.wall_contacts.size());
  }
  EXPECT_FALSE(r.s.fault) << r.s.fault->message;
  return r;
}

class BothGeometries : public testing::TestWithParam<Case::ContactGeometry> {};
INSTANTIATE_TEST_SUITE_P(Geometry, BothGeometries,
                         testing::Values(Case::ContactGeometry::overlap, Case::ContactGeometry::contact_zone),
                         [](const auto& i) {
                           return i.param == Case::ContactGeometry::overlap ? "overlap" : "contact_zone";
                         });

constexpr int kSteps = 6000;

// Lengths times a power of two: no digit may change, since nothing in the engine knows a length of its own.
TEST_P(BothGeometries, MillimetresOrKilometresGiveTheSameBits) {
  const Outcome base = run(heap(1, {}, GetParam()), kSteps);
  EXPECT_GT(base.most_contacts, 4u);
  for (const double unit : {0x1p-10, 0x1p10}) {
    const Outcome scaled = run(heap(unit, {}, GetParam()), kSteps);
    ASSERT_EQ(scaled.s.contacts.size(), base.s.contacts.size()) << unit;
    for (std::size_t i = 0; i < base.s.particles.size_rows(); ++i) {
      EXPECT_EQ(scaled.s.particles.position[i], unit * base.s.particles.position[i]) << unit << " " << i;
      EXPECT_EQ(scaled.s.particles.orientation[i], base.s.particles.orientation[i]) << unit << " " << i;
      EXPECT_EQ(scaled.s.particles.velocity[i], unit * base.s.particles.velocity[i]) << unit << " " << i;
    }
  }
}

TEST_P(BothGeometries, ATurnedWorldMovesTheSameWay) {
  const int steps = 2500;
  const Outcome base = run(heap(1, {}, GetParam()), steps);
  EXPECT_GT(base.most_contacts, 3u);
  const Quat quarter{0.5, 0.5, 0.5, 0.5};  // x -> y -> z -> x
  for (const Quat q : {quarter, axis_angle(normalized(Vec3{1, 2, -1}), 1.1)}) {
    const Outcome turned = run(heap(1, q, GetParam()), steps);
    for (std::size_t i = 0; i < base.s.particles.size_rows(); ++i) {
      EXPECT_LT(norm(turned.s.particles.position[i] - rotate(q, base.s.particles.position[i])), 1e-9 * 0.03) << i;
      EXPECT_LT(norm(turned.s.particles.velocity[i] - rotate(q, base.s.particles.velocity[i])), 1e-7) << i;
    }
  }
}

// A hundred thousand sizes from the origin each step rounds a place by up to `rounding`; contacts do not make more of
// it.
TEST_P(BothGeometries, AWorldFarFromTheOriginMovesTheSameWay) {
  const int steps = 2500;
  const Case near = heap(1, {}, GetParam());
  const Outcome base = run(near, steps);
  EXPECT_GT(base.most_contacts, 3u);
  const Vec3 away{4096, -2048, 3072};
  Case far = near;
  for (Case::Wall& w : far.walls) w.point += away;
  for (Case::Group& g : far.particles) {
    for (Vec3& place : std::get<Case::AtPoints>(g.place).points) place += away;
  }
  const double rounding = norm(away) * 0x1p-53;
  const Outcome moved = run(far, steps);
  for (std::size_t i = 0; i < base.s.particles.size_rows(); ++i) {
    EXPECT_LT(norm(moved.s.particles.position[i] - away - base.s.particles.position[i]), steps * rounding) << i;
  }
}

TEST_P(BothGeometries, ActionEqualsReaction) {
  Case c = heap(1, {}, GetParam());
  Simulation s = scenes::build(c);
  double largest = 0;
  for (int k = 0; k < kSteps; ++k) {
    step(s);
    if (k % 20 != 0) continue;
    Vec3 force, torque, outer, outer_torque;
    double scale = 0;
    for (std::size_t i = 0; i < s.particles.size_rows(); ++i) {
      const Vec3 contact = s.particles.force[i] - s.particles.mass[i] * s.gravity;
      force += contact, torque += s.particles.torque[i] + cross(s.particles.position[i], contact);
      scale += norm(s.particles.force[i]);
    }
    for (std::size_t r = 0; r < s.wall_contacts.size(); ++r) {
      const Vec3 point = s.particles.position[s.wall_pairs.a[s.wall_contacts.pair[r]]] + s.wall_contacts.point[r];
      outer -= s.wall_contacts.force[r],
          outer_torque -= cross(point, s.wall_contacts.force[r]) + s.wall_contacts.moment[r];
    }
    Vec3 on_walls;
    for (const Wall& w : s.walls) on_walls += w.force;
    ASSERT_LT(norm(force - outer), 1e-13 * scale);
    ASSERT_LT(norm(on_walls + outer), 1e-13 * scale);
    ASSERT_LT(norm(torque - outer_torque), 1e-13 * scale);
    largest = oracle::larger(largest, scale);
  }
  EXPECT_GT(largest, 1);
}

/// Two cubes of 3 cm, the upper one pressed in by 30 micrometres; no gravity, next to unlimited friction.
Simulation two_cubes(Case::ContactGeometry geometry, Quat upper, double shift = 0) {
  Case c = scenes::empty_case();
  c.gravity = {};
  c.detection.contact_geometry = geometry;
  contact::Bloks3d law = scenes::stone_law();
  law.friction_angle = 1.5;
  c.contacts[0].law = law;
  scenes::add_grain(c, "cube", 0.03, {});
  scenes::add_grain(c, "cube", 0.03, {shift, 0, 0.03 - 3e-5}, upper);
  return scenes::build(c);
}

Vec3 stored_shear(const Simulation& s) {
  Vec3 sum;
  for (const Vec3& f : s.contacts.shear) sum += f;
  return sum;
}
/// What the springs hold about the normal through A's centroid.
double stored_torsion(const Simulation& s) {
  double sum = 0;
  for (std::size_t r = 0; r < s.contacts.size(); ++r)
    sum += s.contacts.torsion[r] + dot(s.contacts.normal[r], cross(s.contacts.anchor[r], s.contacts.shear[r]));
  return sum;
}

// Points come, go and change their number as the upper cube turns and slides; the stored shear is handed over, none
// lost or doubled.
TEST_P(BothGeometries, StoredShearOutlivesItsPoints) {
  Simulation s = two_cubes(GetParam(), {});
  ASSERT_GT(s.contacts.size(), 0u);
  for (std::size_t r = 0; r < s.contacts.size(); ++r)
    s.contacts.shear[r] = {0.1 + 0.01 * static_cast<double>(r), -0.05, 0};
  if (GetParam() == Case::ContactGeometry::overlap) s.contacts.torsion[0] = 1e-4;
  const Vec3 before = stored_shear(s);
  const double torsion = stored_torsion(s);
  std::size_t fewest = 100, most = 0;
  const auto pose = [&](double degrees, double x) {
    s.particles.orientation[1] = axis_angle({0, 0, 1}, degrees * M_PI / 180);
    s.particles.position[1].x = x;
    refresh_forces(s);  // dt 0: nothing slips
    fewest = std::min(fewest, s.contacts.size()), most = oracle::larger(most, s.contacts.size());
  };
  for (const double degrees : {0.0, 0.05, 1.0, 3.0, 10.0, 44.0, 45.0, 46.0, 80.0, 89.99, 90.0, 90.0, 91.0, 90.0}) {
    pose(degrees, 0);
    ASSERT_LT(norm(stored_shear(s) - before), 1e-12 * norm(before))
        << degrees << " degrees, " << s.contacts.size() << " points";
    ASSERT_NEAR(stored_torsion(s), torsion, 1e-15);
  }
  for (const double x : {0.001, 0.01, 0.02, 0.029, 0.01, 0.0}) {
    pose(90 + 500 * x, x);
    // Over the rim the normal of `overlap` leans by depth/width and takes the memory along: its length is what stays.
    ASSERT_NEAR(norm(stored_shear(s)), norm(before), 1e-12 * norm(before))
        << x << " m, " << s.contacts.size() << " points";
    ASSERT_LT(norm(stored_shear(s) - before), 0.06 * norm(before)) << x << " m";
  }
  // Tilting lifts two corners: points go and none comes, so that the rest takes over.
  const Vec3 whole = stored_shear(s);
  for (const double tilt : {0.0, 3e-3, 0.0, -3e-3, 0.0}) {
    s.particles.orientation[1] = axis_angle({0, 1, 0}, tilt);
    s.particles.position[1] = {0, 0, 0.015 + 0.015 * (std::cos(tilt) + std::sin(std::abs(tilt))) - 3e-5};
    refresh_forces(s);
    if (GetParam() == Case::ContactGeometry::contact_zone) {
      EXPECT_EQ(s.contacts.size(), tilt == 0 ? 4u : 2u);
    }
    ASSERT_NEAR(norm(stored_shear(s)), norm(whole), 1e-5 * norm(whole)) << tilt;
  }
  if (GetParam() == Case::ContactGeometry::contact_zone) {
    EXPECT_EQ(fewest, 3u);  // corner over corner
    EXPECT_EQ(most, 8u);
  } else {
    EXPECT_EQ(most, 1u);
  }
}

// A cube slides over another one by a few steps of the engine: the spring's force is K_S times the way, whatever points
// carried it.
TEST_P(BothGeometries, ShearIsStiffnessTimesWay) {
  Simulation s = two_cubes(GetParam(), axis_angle({0, 0, 1}, 0.2));
  const std::size_t points = s.contacts.size();
  const Vec3 v{0.02, 0.01, 0};
  for (int k = 0; k < 40; ++k) {
    s.particles.velocity[0] = {}, s.particles.velocity[1] = v;  // held on its way
    s.particles.angular_momentum[0] = s.particles.angular_momentum[1] = {};
    s.particles.force[0] = s.particles.force[1] = s.particles.torque[0] = s.particles.torque[1] = {};
    step(s);
  }
  ASSERT_EQ(s.contacts.size(), points);
  const Vec3 expected = (-102e3 * 40 * s.dt) * v;
  EXPECT_LT(norm(stored_shear(s) - expected), 2e-3 * norm(expected));
}

}  // namespace
}  // namespace scree

#pragma once
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <ccd/ccd.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cmath>
#include <memory>
#include <vector>

#include "oracle/posed_pair.h"

/// Distance and penetration depth by other people's codes, all of which search by support points. Their tolerances are
/// absolute: for pairs of about unit size.
namespace scree::oracle::witness {

/// Corners in A's frame, and faces as loops.
struct Points {
  std::vector<Vec3> vertex;
  const Polyhedron* body;
};
inline Points points(const narrow::BodyView& view, Vec3 shift) {
  Points p{{}, view.shape->body};
  for (std::size_t i = 0; i < view.shape->vertices; ++i) p.vertex.push_back(view.vertex(i) + shift);
  return p;
}

/// Penetration depth as a negative gap; NaN where the code says that the bodies are apart, or gives up.
inline double ccd_penetration(const PosedPair& pair) {
  Points a = points(pair.a(), {}), b = points(pair.b(), pair.d());
  const auto support = [](const void* object, const ccd_vec3_t* dir, ccd_vec3_t* out) {
    const auto& vertex = static_cast<const Points*>(object)->vertex;
    const Vec3 n{dir->v[0], dir->v[1], dir->v[2]};
    const Vec3* best = vertex.data();
    for (const Vec3& v : vertex) best = dot(n, v) > dot(n, *best) ? &v : best;
    ccdVec3Set(out, best->x, best->y, best->z);
  };
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.max_iterations = 500;
  ccd.epa_tolerance = 1e-12;
  ccd_real_t depth = 0;
  ccd_vec3_t dir, at;
  return ccdGJKPenetration(&a, &b, &ccd, &depth, &dir, &at) == 0 ? -depth : NAN;
}

inline std::shared_ptr<fcl::CollisionGeometry<double>> fcl_convex(const Points& p) {
  const auto vertices = std::make_shared<std::vector<Eigen::Vector3d>>();
  for (const Vec3& v : p.vertex) vertices->emplace_back(v.x, v.y, v.z);
  const auto faces = std::make_shared<std::vector<int>>();
  const std::size_t count = p.body->face_normals.size();
  for (std::size_t f = 0; f < count; ++f) {
    const auto loop = p.body->loop(f);
    faces->push_back(static_cast<int>(loop.size()));
    faces->insert(faces->end(), loop.begin(), loop.end());
  }
  return std::make_shared<fcl::Convex<double>>(vertices, static_cast<int>(count), faces);
}
/// Distance, or NaN where the bodies are said to meet; FCL's own search, not the one it borrows from libccd.
inline double fcl_distance(const PosedPair& pair) {
  const fcl::CollisionObject<double> a(fcl_convex(points(pair.a(), {}))), b(fcl_convex(points(pair.b(), pair.d())));
  fcl::DistanceRequest<double> request;
  request.gjk_solver_type = fcl::GST_INDEP;
  request.distance_tolerance = 1e-12;
  fcl::DistanceResult<double> result;
  try {
    const double distance = fcl::distance(&a, &b, request, result);
    return distance > 0 ? distance : NAN;
  } catch (const std::exception&) {
    return NAN;
  }
}
inline double fcl_penetration(const PosedPair& pair) {
  const fcl::CollisionObject<double> a(fcl_convex(points(pair.a(), {}))), b(fcl_convex(points(pair.b(), pair.d())));
  fcl::CollisionRequest<double> request(1, true);
  request.gjk_solver_type = fcl::GST_LIBCCD;  // its own search gives depths of either sign, most of them wrong
  request.gjk_tolerance = 1e-12;
  fcl::CollisionResult<double> result;
  try {
    return fcl::collide(&a, &b, request, result) > 0 ? -result.getContact(0).penetration_depth : NAN;
  } catch (const std::exception&) {
    return NAN;
  }
}

struct BulletPair {
  btConvexHullShape a, b;
  btTransform at = btTransform::getIdentity();
  Vec3 d;
  explicit BulletPair(const PosedPair& pair) : d(pair.d()) {
    const auto fill = [](btConvexHullShape& shape, const Points& p) {
      for (const Vec3& v : p.vertex) shape.addPoint(btVector3(v.x, v.y, v.z), false);
      shape.setMargin(0);
      shape.recalcLocalAabb();
    };
    fill(a, points(pair.a(), {})), fill(b, points(pair.b(), pair.d()));
  }
  btVector3 guess() const { return {d.x, d.y, d.z}; }
};
inline double bullet_distance(const PosedPair& pair) {
  const BulletPair p(pair);
  btGjkEpaSolver2::sResults result;
  return btGjkEpaSolver2::Distance(&p.a, p.at, &p.b, p.at, p.guess(), result) ? result.distance : NAN;
}
inline double bullet_penetration(const PosedPair& pair) {
  const BulletPair p(pair);
  btGjkEpaSolver2::sResults result;
  const bool found = btGjkEpaSolver2::Penetration(&p.a, p.at, &p.b, p.at, p.guess(), result);
  return found && result.status == btGjkEpaSolver2::sResults::Penetrating ? -std::abs(result.distance) : NAN;
}

}  // namespace scree::oracle::witness

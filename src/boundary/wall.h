#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/vec.h"
#include "boundary/motion.h"
#include "geometry/facet_mesh.h"
#include "geometry/frustum.h"

namespace scree {

/// A wall of infinite mass with a prescribed motion: an unbounded plane, whose grains stay on the side its normal
/// points to, or a mesh.
struct Wall {
  std::uint32_t id = 0;  ///< stable; never reused within a run
  std::string name;      ///< "floor", "box.x_max"
  Vec3 point;            ///< m, now; of a mesh the origin of its frame
  Vec3 normal;           ///< unit, into the domain; of a mesh zero
  std::uint32_t material = 0;
  Vec3 velocity;                               ///< m/s, now, of what does not turn
  double travel = 0;                           ///< m, bound on the path of any of its points; feeds the motion bounds
  double travel_at_rebuild = 0;                ///< m, `travel` when the candidate pairs were made
  Vec3 force;                                  ///< N, from the grains, last step
  Vec3 torque;                                 ///< N m, the same, about `centre`
  std::optional<std::array<Vec3, 4>> outline;  ///< corners for pictures, moved along
  std::shared_ptr<const FacetMesh> mesh;       ///< none: a plane
  std::optional<Frustum> round;                ///< in the mesh's frame: what spheres touch instead of the mesh
  bool front_only = false;                     ///< of a mesh: nothing touches it from behind
  Quat orientation;                            ///< of the mesh's frame
  boundary::Motion motion;
  double motion_started = 0;  ///< s
  Vec3 centre;        ///< m, now: a point of the axis; where nothing turns, `point` when the motion began, moved along
  Vec3 spin;          ///< rad/s, now
  double reach = 0;   ///< m, of the mesh from the axis
  double driven = 0;  ///< m/s, now, of the drive along its direction
  Vec3 acceleration;  ///< m/s^2, of a free wall when the step began
  double belt_power = 0;  ///< W, of the grains' forces along the surface's own velocity, last step
  double work = 0;        ///< J, done on the grains since it came
  Vec3 shift;             ///< m, of this step
  double turned = 0;      ///< rad, likewise
  // Of a wall with a drive: sums over its contacts, along their normals.
  double stiffness = 0;  ///< N/m
  double dashpot = 0;    ///< kg/s
  // Of a servo: running means over its last steps of what the grains' force misses.
  double missed = 0;          ///< N
  double missed_squared = 0;  ///< N^2

  /// Direction of the drive.
  Vec3 drive_direction() const { return motion.drive->along == Vec3{} ? normal : motion.drive->along; }

  /// Whether a sphere at x stays clear of it by more than `margin` (m) on the grains' side.
  bool is_clear(Vec3 x, double margin) const {
    if (mesh) return !mesh->is_near(transpose_times(rotation_matrix(orientation), x - point), margin);
    return dot(normal, x - point) > margin;
  }
  /// Whether `force` and `torque` say all: finite, or turning.
  bool has_torque() const { return mesh != nullptr || motion.rotation.has_value(); }
  /// Of the surface at a point (m) with the unit normal n (m/s).
  Vec3 surface_velocity(Vec3 n) const { return motion.surface_velocity - dot(motion.surface_velocity, n) * n; }
};

}  // namespace scree

#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/vec.h"
#include "boundary/motion.h"
#include "geometry/facet_mesh.h"
#include "geometry/frustum.h"

namespace scree {

/// Columns of wall_fields.def.
enum class WallRole { definition, pose, drive, result };
enum class WallLife { saved, given, derived };
enum class WallHashed { always, moving, driven, steered, never };
struct WallMember {
  std::string_view name, unit;
  WallRole role;
  WallLife life;
  WallHashed hashed;
};

/// Corners of a rectangle (m).
using Outline = std::array<Vec3, 4>;

struct WallFields {
#define FIELD(type, name, unit, role, life, hashed, what) type name{};
#include "boundary/wall_fields.def"
#undef FIELD
};

/// A wall of infinite mass with a prescribed motion: an unbounded plane, whose grains stay on the side its normal
/// points to, or a mesh.
struct Wall : WallFields {
  /// f(member, value of each of the walls) for every row of wall_fields.def, in its order.
  template <class F, class... Walls>
  static void with_members(F&& f, Walls&... w) {
#define FIELD(type, name, unit, role, life, hashed, what) \
  f(WallMember{#name, unit, WallRole::role, WallLife::life, WallHashed::hashed}, w.name...);
#include "boundary/wall_fields.def"
#undef FIELD
  }
  /// f(name, pointer to the member) for every row that is saved.
  template <class F>
  static void with_saved(F&& f) {
#define FIELD(type, name, unit, role, life, hashed, what) \
  if constexpr (WallLife::life == WallLife::saved) f(#name, &Wall::name);
#include "boundary/wall_fields.def"
#undef FIELD
  }
  /// What a wall of the case has under the same name; `again`: when a run is resumed, only what is not saved.
  template <class Given>
  void take(const Given& given, bool again) {
#define FIELD(type, name, unit, role, life, hashed, what) \
  if constexpr (requires { given.name; })                 \
    if (!again || WallLife::life == WallLife::given) this->name = static_cast<type>(given.name);
#include "boundary/wall_fields.def"
#undef FIELD
  }

  /// Direction of the drive.
  Vec3 drive_direction() const { return motion.drive->along == Vec3{} ? normal : motion.drive->along; }

  /// Whether a sphere at x stays clear of it by more than `margin` (m) on the grains' side.
  bool is_clear(Vec3 x, double margin) const {
    if (mesh) return !mesh->is_near(transpose_times(rotation_matrix(orientation), x - point), margin);
    return dot(normal, x - point) > margin;
  }
  /// Whether `force` and `torque` say all: finite, or turning.
  bool has_torque() const { return mesh != nullptr || motion.rotation.has_value(); }
  /// Whether neither it nor its surface ever moves, whatever the grains do: it does no work.
  bool stands() const { return motion.is_plain() && motion.velocity == Vec3{} && motion.surface_velocity == Vec3{}; }
  /// Whether its members of that column are part of the state's hash.
  bool has_hashed(WallHashed column) const {
    if (column == WallHashed::moving) return mesh != nullptr || !motion.is_plain();
    if (column == WallHashed::steered) return !steered.empty();
    return column == WallHashed::driven ? motion.drive.has_value() : column == WallHashed::always;
  }
  /// Of its material point at x (m/s); what a belt adds is surface_velocity().
  Vec3 velocity_at(Vec3 x) const { return velocity + cross(spin, x - centre); }
  /// Of the surface at a point (m) with the unit normal n (m/s).
  Vec3 surface_velocity(Vec3 n) const { return motion.surface_velocity - dot(motion.surface_velocity, n) * n; }
};
static_assert(std::is_standard_layout_v<Wall>, "a member of its own, beside the rows of wall_fields.def");

namespace boundary {

/// Velocity and spin of the wall, `t` (s) after its motion began.
void set_velocity(Wall& w, double t);
/// Moves it from `t` (s after its motion began) by dt (s).
void move(Wall& w, double t, double dt);
/// Half of what a wall does over a step: the forces at one of its ends along the way of all of it.
void add_work(Wall& w, double dt);

}  // namespace boundary

}  // namespace scree

#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/vec.h"

namespace scree {

/// Unbounded plane wall: grains stay on the side its normal points to. Of infinite mass; moves with a prescribed
/// velocity.
struct PlaneWall {
  std::uint32_t id = 0;  ///< stable; never reused within a run
  std::string name;      ///< "floor", "box.x_max"
  Vec3 point;            ///< m, now
  Vec3 normal;           ///< unit, into the domain
  std::uint32_t material = 0;
  Vec3 velocity;                               ///< m/s
  double travel = 0;                           ///< m, path so far; feeds the motion bounds
  double travel_at_rebuild = 0;                ///< m, `travel` when the candidate pairs were made
  Vec3 force;                                  ///< N, from the grains, last step
  std::optional<std::array<Vec3, 4>> outline;  ///< corners for pictures, moved along
};

}  // namespace scree

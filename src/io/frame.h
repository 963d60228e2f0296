#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/simulation.h"

namespace scree::io {

/// One instant of a run as it is drawn: what a frame file holds in its /scree group.
struct Frame {
  double time = 0;  ///< s
  std::uint64_t step = 0;
  std::vector<std::uint32_t> id, shape, material;
  std::vector<double> size;                     ///< m
  std::vector<Vec3> position, velocity, angular_velocity;
  std::vector<Quat> orientation;
  struct ShapeRow {
    std::string name;
    std::vector<Vec3> vertices;                 ///< at size 1, body frame
    std::vector<std::vector<std::uint16_t>> faces;  ///< loops, counter-clockwise from outside
  };
  std::vector<ShapeRow> shapes;
  std::vector<Vec3> contact_point, contact_force;  ///< m; N on b
  std::vector<double> contact_depth;               ///< m
  std::vector<std::array<std::int64_t, 2>> contact_ids;  ///< particle ids; a wall is -1 - wall id
  struct WallRow {
    std::string name;
    std::uint32_t id = 0;
    Vec3 point, normal, force;
    std::optional<std::array<Vec3, 4>> outline;
  };
  std::vector<WallRow> walls;
};

Frame make_frame(const Simulation& s, bool with_contacts);

/// frames/frame_000123.vtkhdf: VTKHDF unstructured grid, one cell per particle, plus the group /scree with the Frame itself.
/// Written aside and renamed. Errors: full disk, missing folder, lost permission.
Status write_frame(const std::filesystem::path& file, const Frame& f);
Result<Frame> read_frame(const std::filesystem::path& file);

}  // namespace scree::io

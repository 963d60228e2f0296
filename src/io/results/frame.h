#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/results/frame_parts.h"
#include "sim/simulation.h"

namespace scree::io {

/// One instant of a run as it is drawn: what a frame file holds in its /scree group.
struct Frame {
  double time = 0;  ///< s
  std::uint64_t step = 0;
  std::int32_t dimensions = 3;
  Domain domain;  ///< where space repeats; positions and contact points are within
  std::vector<std::uint32_t> id, shape, material;
  std::vector<double> size;  ///< m
  std::vector<double> mass;  ///< kg
  std::vector<Vec3> position, velocity, angular_velocity;
  std::vector<Quat> orientation;
  /// Where the case has clusters; else empty.
  std::vector<std::uint32_t> fragment;                  ///< of each particle: the lowest id that it holds together with
  std::vector<std::array<std::uint32_t, 2>> bond_rows;  ///< rows of the two particles of each bond that holds
  std::vector<double> bond_damage;                      ///< largest stress over strength so far
  using ShapeRow = io::ShapeRow;
  std::vector<ShapeRow> shapes;
  std::vector<std::string> materials;                    ///< names; frames of earlier versions have none
  std::vector<Vec3> contact_point, contact_force;        ///< m; N on b
  std::vector<Vec3> contact_normal;                      ///< unit, from a to b
  std::vector<double> contact_depth;                     ///< m
  std::vector<std::array<std::int64_t, 2>> contact_ids;  ///< particle ids; a wall is -1 - wall id
  struct WallRow {
    std::string name;
    std::uint32_t id = 0;
    Vec3 point, normal, force;
    std::optional<std::array<Vec3, 4>> outline;
    // Of a mesh, in its own frame, whose origin is at `point`; else empty.
    std::vector<Vec3> vertices = {};
    std::vector<std::array<std::uint32_t, 3>> triangles = {};
    Quat orientation = {};
    friend bool operator==(const WallRow&, const WallRow&) = default;
  };
  std::vector<WallRow> walls;
  friend bool operator==(const Frame&, const Frame&) = default;
};

Frame make_frame(const Simulation& s, bool with_contacts);

/// The first way in which the rows contradict each other; nullptr: none, every index is in range.
const char* contradiction(const Frame& f);

/// The frame without the particles for which keep(row) is false, and without the contacts that lead to them.
Frame part_of(const Frame& f, const std::vector<char>& keep);

/// frames/frame_000123.vtkhdf: VTKHDF 1.0 unstructured grid, one cell per particle, of a clump
/// one per part (docs/results.md), plus the group
/// /scree with the Frame itself. Written aside and renamed. Errors: full disk, missing folder, lost permission; a frame
/// whose columns differ in length.
Status write_frame(const std::filesystem::path& file, const Frame& f);
/// Errors: not there, damaged (checksum), or rows that contradict each other. What it returns is safe to draw: every
/// index is in range.
Result<Frame> read_frame(const std::filesystem::path& file);
/// The same from an open file; `name` is what the messages call it.
Result<Frame> read_frame(hdf5::Reader& r, const std::string& name);

/// contacts/contacts_000123.vtkhdf: the same instant's contacts as vertices with force, normal and depth, and the walls
/// as quadrilaterals, for ParaView alone.
Status write_contacts(const std::filesystem::path& file, const Frame& f);

/// FOLDER/PREFIX_000123.vtkhdf
std::filesystem::path numbered(const std::filesystem::path& folder, const std::string& prefix, std::uint64_t index);

/// RESULTS/frames/*.vtkhdf in the order of their numbers; empty: there are none.
std::vector<std::filesystem::path> frame_files(const std::filesystem::path& results);

/// The list of files and times that ParaView opens as one time series; NAME.hdf.series, for ParaView 5.11 has no reader
/// for the ending .vtkhdf.series ("file-series-version": "1.0"). `files` are relative to the list.
struct SeriesEntry {
  std::string file;
  double time = 0;  ///< s
};
Status write_file_series(const std::filesystem::path& list, const std::vector<SeriesEntry>& files);
/// Entries of such a list; empty when it is missing or spoiled (then the files themselves are the truth).
std::vector<SeriesEntry> read_file_series(const std::filesystem::path& list);

}  // namespace scree::io

#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/vec.h"
#include "io/results/frame.h"

namespace scree::io {

/// What the page's data may cost. The defaults keep 30 000 grains x 100 frames within some 50 MB.
struct ReportBudget {
  std::size_t particle_frames = 3'600'000;  ///< particles x frames; more frames than that are thinned
  std::size_t frames = 3000;
  std::size_t contacts = 1'200'000;  ///< contacts over all frames
  std::size_t contacts_per_frame = 20'000;
  std::size_t bonds = 6'000'000;   ///< bonds over all frames; a frame with more than its share is drawn without
  std::size_t bytes = 50'000'000;  ///< of all blocks together; checked after packing

  std::size_t frames_kept(std::size_t available, std::size_t particles) const;
  std::size_t contacts_kept(std::size_t frames_kept) const;
  std::size_t bonds_kept(std::size_t frames_kept) const;
};

/// Which of n frames are kept: k of them, evenly, always with the first and the last (k >= 2, or n).
std::vector<std::size_t> thin(std::size_t n, std::size_t k);

/// Collects frames in a compact form (about 22 bytes per particle and 24 per contact) and writes the page's binary
/// blocks (viewer/README.md describes them).
class ReportPack {
 public:
  explicit ReportPack(std::size_t contacts_per_frame, std::size_t bonds_per_frame = 1'000'000)
      : contacts_cap_(contacts_per_frame), bonds_cap_(bonds_per_frame) {}

  void add(const Frame& f);
  std::size_t frames() const { return frames_.size(); }
  /// Keeps only these frames (ascending).
  void keep(const std::vector<std::size_t>& rows);

  struct Blocks {
    std::string header;               ///< JSON object: particles, shapes, walls, frames, quantisation
    std::string particles;            ///< base64
    std::vector<std::string> frames;  ///< base64, one per frame
    std::size_t bytes() const;
  };
  /// Of the frames that are held, with the rows of the tables that told() does not know of: a part of the page that
  /// can stand behind those before.
  Result<Blocks> blocks() const;
  /// The page has these blocks: forgets their frames, and knows what it has of the tables.
  void told();
  /// Particles, over the frames that are held.
  std::size_t poses() const;

  std::size_t contacts_left_out() const { return contacts_left_out_; }
  std::size_t not_finite() const { return not_finite_; }
  /// The most that a frame without its bonds would have shown; 0: all are shown.
  std::size_t bonds_left_out() const { return bonds_left_out_; }

 private:
  struct Position {
    float x, y, z;
  };
  struct Contact {
    std::uint32_t a;        ///< row of the particle table
    std::int64_t b;         ///< row of the particle table, or -1 - row of the wall table
    Position point, force;  ///< m; N on b
  };
  struct Bond {
    std::uint32_t a, b;   ///< rows of the particle table, a < b
    std::uint8_t damage;  ///< of 255
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 that the compiler writes for one of the source
    friend auto operator<=>(const Bond&, const Bond&) = default;
  };
  struct Wall {
    std::size_t wall;  ///< row of the wall table
    Vec3 point, normal, force;
    std::optional<std::array<Vec3, 4>> outline;
    Quat orientation;  ///< of a mesh
  };
  struct WallTable {
    std::uint32_t id;
    std::string name;
    std::vector<Vec3> vertices;  ///< of a mesh, in its own frame
    std::vector<std::array<std::uint32_t, 3>> triangles;
  };
  struct Packed {
    double time = 0;
    std::uint64_t step = 0;
    std::vector<std::uint32_t> row;  ///< of the particle table, ascending
    std::vector<Position> position;
    std::array<std::vector<std::uint16_t>, 3> orientation;  ///< smallest three, quantised
    std::vector<float> speed;
    std::vector<Contact> contacts;  ///< one per pair, ascending (a, b)
    std::size_t contacts_total = 0;
    std::vector<Wall> walls;
    std::vector<std::uint32_t> fragment;  ///< row of the particle that it is named by; empty: the case has no clusters
    std::vector<Bond> bonds;              ///< ascending
  };
  /// Box, steps and scales shared by all frames.
  struct Scales {
    Vec3 low, step;
    int position_bytes = 2;
    double speed = 0, force = 0, reach = 0;
    double speed_typical = 0;  ///< m/s, 99.5 % of the poses stay below; where the colours end
    double force_typical = 0;  ///< N, 98 % of the contacts stay below; where colour and thickness end
  };
  struct Quantised {
    std::array<std::vector<std::uint32_t>, 3> position, orientation;
    std::vector<std::uint32_t> speed;
  };

  std::uint32_t particle_row(const Frame& f, std::size_t i);
  std::size_t wall_row(std::uint32_t id, const std::string& name);
  void add_particles(const Frame& f, Packed& p);
  void add_contacts(const Frame& f, Packed& p);
  void add_walls(const Frame& f, Packed& p);
  void add_bonds(const Frame& f, Packed& p);
  Scales scales() const;
  Quantised quantise(const Packed& p, const Scales& s) const;
  Result<std::string> frame_block(std::size_t k, const Scales& s, const Quantised& now, const Quantised* before) const;
  std::string header(const Scales& s) const;
  bool is_key(std::size_t k) const;

  struct ParticleRow {
    std::uint32_t id, shape, material;
    float size;
  };
  std::size_t contacts_cap_, bonds_cap_;
  std::vector<ParticleRow> particles_;  ///< every particle of any frame, in the order of appearance
  std::unordered_map<std::uint32_t, std::uint32_t> row_of_;  ///< id -> row
  std::vector<Frame::ShapeRow> shapes_;
  std::vector<WallTable> walls_;
  std::vector<Packed> frames_;
  double largest_radius_ = 0, smallest_radius_ = 0;  ///< m, bounding spheres
  int dimensions_ = 3;
  Domain domain_;
  bool has_fragments_ = false;
  struct {
    std::size_t particles = 0, shapes = 0, walls = 0;
  } told_;  ///< rows
  std::size_t contacts_left_out_ = 0, bonds_left_out_ = 0, not_finite_ = 0;
};

}  // namespace scree::io

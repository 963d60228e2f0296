#pragma once
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/vec.h"

namespace scree {

/// Geometric feature that defines a common plane; carried per pair so that the next step can rebuild the normal from
/// the poses alone.
struct PlaneFeature {
  // 16 bits, so that no byte is padding: the state's hash reads them all.
  enum class Kind : std::uint16_t { none, face_a, face_b, edge_edge, vertex_vertex, edge_a, edge_b };
  Kind kind = Kind::none;
  std::uint16_t a = 0, b = 0;    ///< face, edge or vertex of A and of B, as the kind says
  std::uint16_t va = 0, vb = 0;  ///< closest vertices at the last full solve
  friend constexpr bool operator==(const PlaneFeature&, const PlaneFeature&) = default;
};
static_assert(std::has_unique_object_representations_v<PlaneFeature>);

namespace narrow {

/// What some searches keep of a pair from step to step beyond a feature: the last normal; the fast common plane as
/// printed (Nezami et al. 2004, sections 6.2 and 6.3) all of it. Plain data without padding: it can be copied, saved
/// and hashed; a default-made one is a pair never seen.
struct PaperPair {
  enum class Status : std::uint16_t {
    unknown,   ///< never seen: the next call solves from nothing
    far,       ///< apart by more than TOL: no plane is kept until motion may have used up the gap
    apart,     ///< potential contact
    touching,  ///< real contact
  };
  Vec3 n;                         ///< of the last plane
  double gap = 0;                 ///< m, of the last plane; far: at the poses below
  double path_a = 0, path_b = 0;  ///< m, travelled since the last full check, of this pair alone (Eq. 6)
  Mat3 rotation_a, rotation_b;    ///< poses at the last full check
  Vec3 d;                         ///< m, centroid of B minus centroid of A then
  PlaneFeature feature;
  Status status = Status::unknown;
  std::uint32_t unused = 0;
};
static_assert(sizeof(PaperPair) == 27 * sizeof(double) + sizeof(PlaneFeature) + 6 && sizeof(PaperPair) % 8 == 0);

}  // namespace narrow

/// Candidate pairs, sorted by (a, b) and unique. `b` is a particle row in the table of bodies, a wall row in the table
/// of walls.
struct PairTable {
  std::vector<std::uint32_t> a, b;
  std::vector<PlaneFeature> feature;       ///< what the last solve ended on; kind none: never solved
  std::vector<double> clear_until;         ///< m: no contact while travel_a + travel_b stays below
  std::vector<double> gap_bound;           ///< m: the best gap is at most this + travel_a + travel_b; 0: nothing known
  std::vector<std::uint32_t> first;        ///< first row of the pair in the contact table
  std::vector<std::uint32_t> count;        ///< rows of the pair in the contact table
  std::vector<narrow::PaperPair> tracked;  ///< one row per pair, or none: only some methods need it
  bool tracks = false;                     ///< whether `tracked` has rows

  std::size_t size() const { return a.size(); }
  void resize(std::size_t n);
  std::size_t bytes() const;
};

namespace narrow {

/// Sets PairTable::clear_until of a pair whose images are all at least `gap` (m) apart and which has travelled `travel`
/// (m) so far. A little is kept back for rounding.
inline void keep_clear(double gap, double travel, double* clear_until) {
  *clear_until = gap > 0 ? travel + gap * (1 - 1e-9) : 0;
}

}  // namespace narrow

/// Contact points of this step, ordered by pair; geometry filled by narrow/, memory kept by contact/. The columns of a
/// row:
struct ContactTable {
  std::vector<std::uint32_t> pair;   ///< row of the pair table
  std::vector<std::uint32_t> key;    ///< identity of the point within the pair (its features); 0 with `overlap`
  std::vector<Vec3> point;           ///< m, relative to the centroid of A
  std::vector<Vec3> normal;          ///< unit, A -> B
  std::vector<double> depth;         ///< m
  std::vector<double> penetration;   ///< m, of the common plane: how far the two reach into each other along its normal
  std::vector<double> gyration;      ///< m
  std::vector<double> energy_depth;  ///< m, depth at which the springs' energy is read off
  std::vector<Vec3> shear;           ///< N on B: memory
  std::vector<double> torsion;       ///< N m on B: memory
  std::vector<double> stored;        ///< J, in the springs along and about the plane: memory
  std::vector<Vec3> force;           ///< N on B
  std::vector<Vec3> moment;          ///< N m on B about the point
  std::vector<double> energy;        ///< J
  std::vector<char> sliding;
  // Only some laws need these; without them the columns are empty.
  std::vector<double> area;         ///< m^2, of the patch: |S|
  std::vector<Vec3> area_moment;    ///< m^3, int (x - point) cross dA over A's surface inside B
  std::vector<Vec3> rolling;        ///< N m on B: memory of rolling and twisting
  std::vector<double> share;        ///< of a zone's point: its part of the pair's springs and dashpots
  std::vector<Vec3> axis;           ///< m, of the patch: contact::Geometry::axis
  std::vector<Vec3> anchor;         ///< m, relative to the centroid of A: where the shear spring holds on; memory
  std::vector<std::uint32_t> part;  ///< of clumps: which of A's parts (high half) touches which of B's (low half)
  bool keeps_patches = false, keeps_rolling = false, keeps_parts = false;
  bool keeps_anchors = false;  ///< of patches: `axis` and `anchor`
  bool keeps_shares = false;

  std::size_t size() const { return pair.size(); }
  void resize(std::size_t n);
  void copy_row(std::size_t to, const ContactTable& from, std::size_t row);
  std::size_t bytes() const;
};

}  // namespace scree

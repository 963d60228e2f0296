#pragma once
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/columns.h"
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

/// The best gap as an exact search found it, and how the two stood then, as the one with the larger radius saw the
/// other (A, where they are equal). Plain numbers: it can be copied, saved and hashed.
struct SolvedGap {
  double gap = 0;  ///< m; not below 0: nothing is known
  Vec3 d;          ///< m, centroid of the smaller one
  Quat turn;       ///< its orientation
};
static_assert(sizeof(SolvedGap) == 8 * sizeof(double));

}  // namespace narrow

/// What a column of pairs or contacts is; narrow/contact_fields.def says what the roles mean.
enum class ContactRole { identity, geometry, memory, result, derived };
/// The table whose rows a column holds. `partners`: those of B, particles or walls.
enum class RefersTo { nothing, particles, partners, pairs, contacts };

/// Candidate pairs, sorted by (a, b) and unique: one column per row of narrow/pair_fields.def. `b` is a particle row in
/// the table of bodies, a wall row in the table of walls.
struct PairTable {
#define FIELDS "narrow/pair_fields.def"
#include "narrow/table_members.def"
#undef FIELDS
  bool keeps_planes = true;  ///< false: all bodies are round, so that no pair has a common plane
  bool keeps_tracked = false;
  bool keeps_gaps = false;  ///< polyhedra, `automatic`

  std::size_t size() const { return a.size(); }
  /// The columns of another.
  void keep_as(const PairTable& t) {
    keeps_planes = t.keeps_planes, keeps_tracked = t.keeps_tracked, keeps_gaps = t.keeps_gaps;
  }
  /// Row k becomes what `old` knew of the same pair in its row `o`, or nothing where `known` is false.
  void carry(std::size_t k, const PairTable& old, std::size_t o, bool known);
};

namespace narrow {

/// Sets PairTable::clear_until of a pair whose images are all at least `gap` (m) apart and which has travelled `travel`
/// (m) so far. A little is kept back for rounding.
inline void keep_clear(double gap, double travel, double* clear_until) {
  *clear_until = gap > 0 ? travel + gap * (1 - 1e-9) : 0;
}

/// A PairTable::gap_bound that no pair keeps, m: the feature is a guess, whose plane may part the two, but what is
/// found of two in touch does not hang on it.
inline constexpr double kGuess = 1;

}  // namespace narrow

/// Contact points of this step, ordered by pair; geometry filled by narrow/, memory kept by contact/. One column per
/// row of narrow/contact_fields.def.
struct ContactTable {
#define FIELDS "narrow/contact_fields.def"
#include "narrow/table_members.def"
#undef FIELDS
  bool keeps_patches = true;  ///< false: all bodies are round, so that every contact is a point
  bool keeps_moments = true;  ///< of patches and of rolling
  bool keeps_areas = false, keeps_rolling = false, keeps_parts = false;
  bool keeps_anchors = false;  ///< of patches: `axis` and `anchor`
  bool keeps_shares = false;
  bool keeps_planes = false;   ///< of the parts of clumps, where some have faces
  bool keeps_tracked = false;  ///< the same with a method that keeps more
  bool keeps_gaps = false;     ///< the same with `automatic`

  std::size_t size() const { return pair.size(); }
  double penetration_of(std::size_t r) const { return keeps_patches ? penetration[r] : depth[r]; }
  void copy_row(std::size_t to, const ContactTable& from, std::size_t row) { columns::copy_row(*this, to, from, row); }
};

/// What contacts keep from one step to the next: the columns of contact_fields.def that are not made anew.
struct LastContacts {
  // NOLINTBEGIN(bugprone-macro-parentheses): types and names are no expressions
#define SCREE_LAST_anew(...)
#define SCREE_LAST_kept(...) __VA_ARGS__
#define SCREE_LAST_summed(...) __VA_ARGS__
#define FIELD(type, name, unit, role, life, need, refers_to, what) SCREE_LAST_##life(std::vector<type> name;)
#include "narrow/contact_fields.def"
#undef FIELD
  /// Leaves the contacts' own columns to be filled anew.
  void take(ContactTable& contacts) {
#define FIELD(type, name, unit, role, life, need, refers_to, what) SCREE_LAST_##life(std::swap(name, contacts.name);)
#include "narrow/contact_fields.def"
#undef FIELD
  }
  std::size_t bytes() const {
    std::size_t b = 0;
#define FIELD(type, name, unit, role, life, need, refers_to, what) \
  SCREE_LAST_##life(b += name.capacity() * sizeof(type);)
#include "narrow/contact_fields.def"
#undef FIELD
    return b;
  }
  // NOLINTEND(bugprone-macro-parentheses)
#undef SCREE_LAST_anew
#undef SCREE_LAST_kept
#undef SCREE_LAST_summed
};

}  // namespace scree

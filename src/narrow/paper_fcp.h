#pragma once
#include "narrow/plane_method.h"

namespace scree::narrow {

/// What the fast common plane as printed (Nezami et al. 2004, sections 6.2 and 6.3) keeps of a pair from step to step.
/// Plain data without padding: it can be copied, saved and hashed; a default-made one is a pair never seen.
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

/// The plane of a tracked pair in this step. `motion_a`, `motion_b` (m): how far any vertex can have moved since the
/// last call; read with `path_length` only. A pair that is skipped gets its last normal and a lower bound of its gap.
/// With the change of pose as motion, a positive gap is one: no contact is missed, however the bodies move. A plane of
/// overlapping bodies may be worse than the best one: drawn apart (`paper`) they have another plane, and between full
/// checks (`approximation`) another feature may have taken over.
/// Differs from the paper where the paper is unsafe: motion is kept per pair (there a neighbour's check resets it), and
/// whatever has no plane to go on from (first contact, insertion, restart, a leap) is solved from nothing, exactly.
Plane paper_fast_common_plane(const FastSettings& settings, const BodyView& a, const BodyView& b, Vec3 d,
                              double motion_a, double motion_b, PaperPair& state, SearchCounters& counters);

}  // namespace scree::narrow

#pragma once
#include "narrow/plane_method.h"

namespace scree::narrow {

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

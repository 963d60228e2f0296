#pragma once
#include "geometry/surface.h"

namespace scree {

/// Fewer triangles for a surface that repair() has welded: some of its corners, none of which is farther than `within`
/// (m, above 0) from what is left. Edges are collapsed in the order of their quadric errors (Garland & Heckbert 1997)
/// as long as the corners stay near, facets keep their direction and get no slivers. What is closed stays closed. The
/// surface itself where no fewer triangles do, or an edge has more than two.
Surface thinned_surface(const Surface& s, double within);

}  // namespace scree

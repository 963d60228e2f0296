#pragma once
#include <span>

#include "narrow/found_points.h"
#include "narrow/near_parts.h"
#include "narrow/plane_method.h"
#include "narrow/wall_view.h"

namespace scree::narrow {

/// Rows [begin, end) of `pairs`: common plane and contact points of bodies against bodies. Updates feature and
/// clear_until of these rows, reads `count` to know which pairs touched, appends to `out` in the order of the rows. Of
/// clumps: `near_parts`, of a range that holds [begin, end), and `last`, the contacts to which the rows refer, save
/// searches whose outcome is known.
void find_body_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::size_t begin, std::size_t end,
                        const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out,
                        NearParts* near_parts = nullptr, const ContactTable* last = nullptr);

/// Of the pairs [begin, end): what may come as near as `limit` (m) while the bodies move by no more than `motion` (m)
/// against the wall.
void list_near_facets(const Particles& p, std::span<const WallView> walls, const PairTable& pairs, std::size_t begin,
                      std::size_t end, double motion, double limit, NearFacets& out);

/// The same for bodies against walls. `near`: of a range that holds [begin, end); unused where no wall is a mesh.
void find_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                        std::size_t begin, std::size_t end, ContactGeometry geometry, NearFacets& near,
                        FoundPoints& out, NearParts* near_parts = nullptr, const ContactTable* last = nullptr);

}  // namespace scree::narrow

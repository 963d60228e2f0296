#pragma once
#include <cstdint>
#include <span>

#include "narrow/find_contacts.h"

/// Contacts of clumps: those of their convex parts, each found as between bodies of their own, with the point moved to
/// the centroid of the whole. Nothing is remembered of a pair of parts but how far the two wholes may move before any
/// can touch, so the search for a common plane of two polyhedral parts begins anew in every step.
namespace scree::narrow {

/// Rows of `pairs` of which at least one body is a clump; appends in the order of the rows, points of a pair in the
/// order of the parts.
void clump_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::span<const std::uint32_t> rows,
                    const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out);
/// Clumps against planes and meshes.
void clump_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls, PairTable& pairs,
                         std::span<const std::uint32_t> rows, ContactGeometry geometry, const NearFacets& near,
                         FoundPoints& out);

}  // namespace scree::narrow

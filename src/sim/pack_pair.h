#pragma once
#include "narrow/contacts.h"
#include "particles/particles.h"
#include "ranks/parcels.h"

namespace scree {

/// Pair k of a table with its contacts, behind the ids of its two: `id_b` is what names B everywhere.
void pack_pair(const Particles& p, const PairTable& pairs, const ContactTable& contacts, std::size_t k,
               std::uint32_t id_b, ranks::Writer& to);

}  // namespace scree

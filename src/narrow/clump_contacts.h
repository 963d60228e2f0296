#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "narrow/bodies.h"
#include "narrow/contacts.h"
#include "narrow/found_points.h"
#include "narrow/near_parts.h"
#include "narrow/plane_method.h"
#include "narrow/wall_view.h"

/// Contacts of clumps: those of their convex parts, each found as between bodies of their own, with the point moved to
/// the centroid of the whole. Of two parts that touch, their contact keeps the plane; of others it is known how far the
/// wholes may travel before they can.
namespace scree::narrow {

/// The pairs of parts that may touch, of pairs of which at least one body is a clump: expanded, searched like any other
/// pairs, gathered. Kept by each thread, so that once warm no pair costs an allocation.
class PartPairs {
 public:
  /// Fills `table` with what may touch of the rows of `wholes`, but for spheres with each other and with planes.
  /// `last`: the contacts of the step before, to which the rows refer and which keep planes, or null. `planes`,
  /// `geometry`: how the table will be searched.
  void expand(const Particles& p, const Parts& parts, PairTable& wholes, std::span<const std::uint32_t> rows,
              const ContactTable* last, const PlaneSettings& planes, ContactGeometry geometry, NearParts& near_parts,
              FoundPoints& out);
  /// The same of rows of bodies against walls, whose facets near the wholes are `near_wholes`; fills `near` as well.
  /// `last` tells parts that touched from newcomers; null: the whole tells.
  void expand(const Particles& p, const Parts& parts, std::span<const WallView> walls, PairTable& wholes,
              std::span<const std::uint32_t> rows, const ContactTable* last, const NearFacets& near_wholes,
              NearParts& near_parts, FoundPoints& out);
  /// Appends what was found of the parts, and the spheres' own: in the order of the rows, points of a pair in the order
  /// of the parts.
  void gather(const Particles& p, const Parts& parts, const PairTable& wholes, NearParts& near_parts, FoundPoints& out);
  void gather(const Particles& p, const Parts& parts, std::span<const WallView> walls, const PairTable& wholes,
              NearParts& near_parts, FoundPoints& out);

  PairTable table;
  FoundPoints found;
  NearFacets near;

 private:
  /// A part against a part of another whole, or against a wall.
  struct Meeting {
    std::uint32_t row;    ///< of the wholes' pair
    std::uint32_t entry;  ///< of this pair's in NearParts
    std::uint32_t one, other;
    std::uint32_t code;  ///< see ContactTable::part
    PlaneFeature guess;  ///< at a plane between them
    bool searched;       ///< not by the formulas of spheres alone
  };
  class Found;

  void list(const Particles& p, const Parts& parts, const PairTable& wholes, std::uint32_t k, double travel,
            NearParts& near_parts);
  void lay_out(const PairTable& wholes, const ContactTable* last, bool tracks, const FoundPoints& out);
  static void append_point(const Meeting& m, Vec3 point, Vec3 normal, double depth, FoundPoints& out);

  std::vector<Meeting> meetings_;
  bool sure_ = true;                        ///< what the search calls apart, every search would
  std::vector<std::uint32_t> rows_;         ///< whose parts meet
  std::vector<std::uint32_t> of_a_, of_b_;  ///< parts within reach of the other whole
};

}  // namespace scree::narrow

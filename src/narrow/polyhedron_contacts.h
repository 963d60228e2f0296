#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "narrow/found_points.h"
#include "narrow/plane_method.h"
#include "narrow/wall_view.h"

/// Contacts of convex polyhedra, by the vector. All append to `out` in the order of the rows.
namespace scree::narrow {

/// Rows of a table of pairs: those listed, or all of a range.
struct PairRows {
  std::size_t begin = 0, end = 0;
  const std::uint32_t* list = nullptr;

  static PairRows range(std::size_t begin, std::size_t end) { return {begin, end, nullptr}; }
  static PairRows listed(std::span<const std::uint32_t> rows) { return {0, rows.size(), rows.data()}; }
  std::size_t size() const { return end - begin; }
  std::size_t operator[](std::size_t m) const { return list != nullptr ? list[m] : begin + m; }
};

void polyhedron_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, PairRows rows,
                         const PlaneSettings& planes, ContactGeometry geometry, FoundPoints& out);
/// With planes.
void polyhedron_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls,
                              PairTable& pairs, PairRows rows, ContactGeometry geometry, FoundPoints& out);
void polyhedron_mesh_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls,
                              PairTable& pairs, PairRows rows, ContactGeometry geometry, NearFacets& near,
                              FoundPoints& out);

}  // namespace scree::narrow

#pragma once
#include <cstdint>
#include <span>

#include "narrow/find_contacts.h"

/// Contacts of spheres and discs, with each other, with polyhedra and polygons, and with walls; polygons with polygons
/// and walls. Normal from A to B; depth along the line of the closest points; the point in the middle of the overlap;
/// gyration 0 where one of the two is round.
namespace scree::narrow {

/// The point of a convex body's surface that is closest to a point x. Continuous in x outside of the body and on its
/// surface; inside it the nearest face counts.
struct ClosestPoint {
  Vec3 normal;          ///< unit, out of the body, towards x; of the nearest face where x is inside or on the surface
  double distance = 0;  ///< m, < 0: x is inside
};
/// By the regions of faces, edges and vertices; x relative to the body's centroid. A distance above `enough` (m) may
/// come out too small, but never below `enough`.
ClosestPoint closest_point(const BodyView& body, Vec3 x, double enough);
ClosestPoint closest_point(const PlanarView& body, Vec2 x);

// All append to `out` in the order of the rows; `rows` are rows of `pairs` whose bodies are of the kinds said.
void round_contacts(const Particles& p, const PairTable& pairs, std::size_t begin, std::size_t end, FoundPoints& out);
void round_contacts(const Particles& p, const PairTable& pairs, std::span<const std::uint32_t> rows, FoundPoints& out);
void round_polyhedron_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs,
                               std::span<const std::uint32_t> rows, FoundPoints& out);
void round_polygon_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs,
                            std::span<const std::uint32_t> rows, FoundPoints& out);
void polygon_contacts(const Particles& p, const Bodies& bodies, PairTable& pairs, std::span<const std::uint32_t> rows,
                      const PlaneSettings& planes, FoundPoints& out);
void round_wall_contacts(const Particles& p, std::span<const WallView> walls, const PairTable& pairs, std::size_t begin,
                         std::size_t end, FoundPoints& out);
void round_wall_contacts(const Particles& p, std::span<const WallView> walls, const PairTable& pairs,
                         std::span<const std::uint32_t> rows, FoundPoints& out);
void round_mesh_contacts(const Particles& p, std::span<const WallView> walls, PairTable& pairs,
                         std::span<const std::uint32_t> rows, NearFacets& near, FoundPoints& out);
void polygon_wall_contacts(const Particles& p, const Bodies& bodies, std::span<const WallView> walls,
                           const PairTable& pairs, std::span<const std::uint32_t> rows, FoundPoints& out);

/// Gap between two bodies of any kinds; negative: how far they reach into each other. Of bodies that are apart a lower
/// bound that is above 0.
double gap_between(const Particles& p, const Bodies& bodies, std::size_t i, std::size_t j);
/// Distance of the body's lowest point from the plane through the origin of `height` below its centroid.
double lowest_point(const Particles& p, const Bodies& bodies, std::size_t i, Vec3 normal);

}  // namespace scree::narrow

#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "narrow/bodies.h"
#include "narrow/contacts.h"
#include "narrow/found_points.h"
#include "narrow/search_counters.h"

namespace scree::narrow {

/// A plane between two bodies: n points from A to B; gap(n) = min_B n.b - max_A n.a is a lower bound of their distance.
struct Plane {
  Vec3 n;
  double gap = -1e300;           ///< m
  std::uint32_t va = 0, vb = 0;  ///< the vertices that define it
  PlaneFeature feature;
};

/// d/|d| without overflow or underflow, the normal of a cold start; z where the centroids coincide.
inline Vec3 line_of_centroids(Vec3 d) {
  const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  if (!(largest > 0)) return {0, 0, 1};
  // By a power of two, so that scaling changes no digit; 2^-1000 keeps the factor itself finite.
  return normalized(std::ldexp(1.0, -std::max(std::ilogb(largest), -1000)) * d);
}

/// Exact overlap polyhedron of two bodies, as one contact.
struct Overlap {
  double volume = 0;  ///< m^3; 0: they do not overlap
  Vec3 area;          ///< m^2, vector area of A's surface inside B (points out of A)
  Vec3 area_moment;   ///< m^3, int (x - centroid) cross dA over A's surface inside B
  Vec3 centroid;      ///< m, of the overlap volume, relative to A's centroid
  Vec3 centre;  ///< m, where the mean-depth force acts so that it has a potential (docs/contact-geometry.md), relative
                ///< to A's centroid
  double energy_depth =
      0;                ///< m, sqrt(int h^3 / int h): the potential of a spring K at this contact is K/2 energy_depth^2
  double gyration = 0;  ///< m, radius of gyration of the patch about its normal, through the centroid
  Vec3 axis;            ///< m, along its longest extent, as long as the radius of gyration that way
};

/// One pair at a time, for tests, setup and `scree contact`; the stepping loop uses find_contacts.
/// `d` = centroid of B minus centroid of A.
Plane fast_common_plane(const BodyView& a, const BodyView& b, Vec3 d, const PlaneFeature* start,
                        SearchCounters& counters);
/// Exact for overlapping bodies and for "separated or not": all faces, and all edge pairs that meet on the Gauss map.
/// `previous`: its feature, posed anew, is the plane to beat, which leaves little to try; null: a cold start.
Plane separating_axis(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters);
Plane separating_axis(const BodyView& a, const BodyView& b, Vec3 d);
/// gap(n) for any unit n.
Plane evaluate_plane(const BodyView& a, const BodyView& b, Vec3 d, Vec3 n);
Overlap exact_overlap(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed);
/// What an overlap is known to be before its edges are looked at.
enum class OverlapForm : std::uint8_t {
  any,       ///< nothing is known: every edge is cut
  crossing,  ///< a tetrahedron between two edges
  corner,    ///< a pyramid that a face cuts off a corner
  faces,     ///< what lies between two faces that look at each other
};
/// The same by a short way where the overlap is known to have one of the simple forms; else `any`, and `out` is left
/// alone. A seed without a feature says nothing.
OverlapForm simple_overlap(const BodyView& a, const BodyView& b, Vec3 d, const Plane& seed, Overlap& out);
/// The contact zone of one pair about a plane with gap < 0, without any search; in place of what `out` holds.
void contact_zone(const BodyView& a, const BodyView& b, Vec3 d, const Plane& plane, std::vector<FoundPoint>& out);

}  // namespace scree::narrow

#pragma once
#include <limits>
#include <span>
#include <vector>

#include "geometry/polygon.h"
#include "narrow/planar_view.h"
#include "narrow/plane_method.h"

/// The common plane of two convex polygons: the plane (here a line) of Nezami et al. 2004, sections 3 to 5.1.
/// Convention as in three dimensions: n points from A to B, gap(n) = min_B n.b - max_A n.a, the common plane has the
/// largest gap G.
namespace scree::narrow {

/// Holds the corners of a PlanarView. The polygon's centroid should be its origin (`centred`); nothing but the
/// direction of the first guess depends on it.
class PlanarBody {
 public:
  explicit PlanarBody(const ConvexPolygon& shape, double size = 1, double angle = 0);
  PlanarView view() const { return {corners_, normals_, radius_}; }

 private:
  std::vector<Vec2> corners_, normals_;
  double radius_;
};

/// A common plane. Its feature is that of three dimensions with edges for faces: face_a and face_b are edges of A and
/// of B (candidates b), vertex_vertex is the bisector of a link (candidate a), none an arbitrary direction.
struct PlanarPlane {
  Vec2 n;
  double gap = -1e300;           ///< m
  std::uint32_t va = 0, vb = 0;  ///< the corners that define it
  PlaneFeature feature;
};

enum class PlanarMethod : std::uint8_t {
  common_plane,     ///< Cundall 1988: perturbs the angle
  fast,             ///< Nezami et al. 2004, section 5.1: five candidates at the closest corners
  separating_axis,  ///< exact for overlap and for "apart or not": all edges
  exact             ///< exact for any gap
};

struct PlanarSettings {
  PlanarMethod method = PlanarMethod::exact;
  CundallSettings cundall;  ///< random_axes has no meaning here: there is one angle
  bool draw_apart = false;  ///< fast: overlapping bodies are drawn apart first (section 6.2), as printed
  double enough = std::numeric_limits<double>::infinity();  ///< m, TOL of common_plane and fast: a plane with a larger
                                                            ///< gap ends the search, which then is no longer the best
};

/// One pair by one method. `d` = centroid of B minus centroid of A. `previous`: the plane of the step before (its
/// feature, else its normal, is where common_plane and fast begin), null for a cold start from the line of centroids.
/// Never NaN, never hangs, for any finite poses; allocates nothing.
PlanarPlane find_plane(const PlanarSettings& settings, const PlanarView& a, const PlanarView& b, Vec2 d,
                       const PlanarPlane* previous, SearchCounters& counters);
/// gap(n) for any unit n.
PlanarPlane evaluate_plane(const PlanarView& a, const PlanarView& b, Vec2 d, Vec2 n);

/// Exact overlap polygon of two bodies, as one contact: the plane sibling of `Overlap`.
struct PlanarOverlap {
  double area = 0;   ///< m^2; 0: they do not overlap, or touch
  Vec2 chord;        ///< m, vector length of A's boundary inside B (points out of A); B's is its opposite. Stretches of
                     ///< boundary that both share count half, so that neither body is preferred
  Vec2 normal;       ///< unit, chord/|chord|; that of the seed where the chord is no more than rounding
  Vec2 centroid;     ///< m, of the overlap, relative to A's centroid
  double depth = 0;  ///< m, mean depth area/|chord|; that of the seed where the chord is no more than rounding: an
                     ///< overlap below 1e-12 sizes, one body inside the other, the same pose
  Vec2 centre;       ///< m, where the mean-depth force acts so that it has a potential, relative to A's centroid
                     ///< (docs/contact-geometry.md, with the chord for the patch)
  double energy_depth = 0;  ///< m, sqrt(int h^3 / int h) over the chord, h the overlap's thickness along the normal
  bool seeds = true;        ///< depth and normal are the seed's, see there
  double gyration = 0;      ///< m, of the square patch whose side is the chord: |chord|/sqrt 6
};

/// `seed`: the pair's common plane (its gap and closest corners).
PlanarOverlap exact_overlap(const PlanarView& a, const PlanarView& b, Vec2 d, const PlanarPlane& seed);
/// With the half-plane m.x < offset (relative to A's centroid; m unit): the normal is -m. Area 0: they do not overlap.
PlanarOverlap overlap_with_line(const PlanarView& a, Vec2 m, double offset);

}  // namespace scree::narrow

#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "narrow/find_contacts.h"

namespace scree::narrow {

/// One body outside of any simulation.
struct PosedShape {
  std::shared_ptr<const Shape> shape;
  double size = 1;   ///< m, factor on the shape's coordinates; > 0
  Quat orientation;  ///< unit, body -> space
  Vec3 position;     ///< m, of the centroid
};

/// A method of the common plane by its name in tables.
struct Strategy {
  const char* name;
  PlaneSettings settings;
};
/// All of them: the words of detection.common_plane, and fast_paper: the full check of Nezami et al. 2004, section 6.2,
/// for a pair whose plane was square to the line of centroids, with TOL out of the way.
std::span<const Strategy> strategies();

/// What one method finds without knowing anything of the pair.
struct MethodResult {
  const char* name = "";
  Plane plane;                                     ///< gap in m
  std::vector<std::uint16_t> support_a, support_b; /**< vertices that touch the plane's two sides to 1e-9 of the pair's
                                                        size, ascending */
  double below_best = 0;                           ///< m, by how much the gap falls short of the best one; >= 0
  std::uint64_t iterations = 0, evaluations = 0;
  double nanoseconds = 0;  ///< per call, median; 0: not timed
  /// Contact zone as a run with this method has it where the two first meet: `point` in space, lengths in m.
  std::vector<FoundPoint> points;
};

struct PairInspection {
  std::vector<MethodResult> methods;  ///< in the order asked for
  Plane best;                         ///< the largest gap of the exact search and of `methods`
  bool touching = false;              ///< best.gap <= 0
  /// Touching: the contact that `overlap` makes of it (`point` in space), and the overlap polyhedron's volume (m^3),
  /// area of A's surface inside B (m^2) and centroid (m, in space). A depth lost in rounding has no contact.
  std::vector<FoundPoint> contact;
  double volume = 0, area = 0;
  Vec3 centroid;
  /// Apart: the ends of a shortest link, m, in space (one of them where there are many), found from the surfaces alone;
  /// its length is an upper bound of the distance as each gap is a lower one.
  Vec3 nearest_a, nearest_b;
  double link = 0;
  bool clamped = false;  ///< sizes more than 2^200 apart, or as much smaller than the distance: taken as that
};

/// Any finite poses; lengths beyond the range of a double become its largest value. `timed`: each method takes about
/// 20 ms more.
PairInspection inspect_pair(const PosedShape& a, const PosedShape& b, std::span<const Strategy> methods, bool timed);

/// Position of B (m), above A along z, at which the two overlap by a hundredth of the diameter of the smaller of the
/// spheres about their centroids that fit inside. b.position is not read.
Vec3 position_on_top(const PosedShape& a, const PosedShape& b);

}  // namespace scree::narrow

#pragma once
#include "narrow/common_plane.h"

namespace scree::narrow {

/// How the common plane of a pair is found (docs/common-plane.md). All end in evaluate_plane on the true poses, so
/// their gaps compare; where several normals share the best gap they may differ in the normal.
enum class PlaneMethod : std::uint8_t {
  common_plane,     ///< Cundall 1988: perturbs the normal
  fast,             ///< Nezami et al. 2004: candidates at the closest vertices
  shortest_link,    ///< Zhao et al. 2006, section 3.2.2: a link whose ends slide over the surfaces
  separating_axis,  ///< exact: all faces and the edge pairs of the Minkowski difference
  gjk,              ///< distance and penetration by support points alone
  automatic  ///< exact: across the shortest link where that proves its plane, else the separating axis; in a run it is
             ///< asked only where neither the motion bound nor the cached feature with its certificate answers
};

/// Cundall's search turns n by `largest` down to `smallest` (tangents of the angle), times `shrink` whenever no turn
/// widens the gap. Axes in the plane: fixed, or turned at random (by a generator seeded with the pair) at every sweep.
struct CundallSettings {
  double largest = 0.08748866352592401;    ///< tan 5 degree
  double smallest = 0.000174532926962846;  ///< tan 0.01 degree
  double shrink = 0.5;
  bool random_axes = false;
  double tolerance = 1e300;          ///< TOL, share of the pair's mean size: the search stops at a gap above it
  std::uint32_t most_sweeps = 2000;  ///< of four turns each: fixed axes crawl along some ridges for tens of thousands
};

/// Nezami et al. 2004, sections 6.1 to 6.3; all but `paper` are for tracked pairs (narrow/paper_fcp.h).
struct FastSettings {
  bool paper = false;         ///< overlapping bodies are drawn apart first; else the gap is evaluated as they lie
  bool approximation = true;  ///< between full checks the plane follows its features
  double tolerance = 1e-3;    ///< TOL, share of the pair's mean size: apart by more is no potential contact
  double pad = 1e-3;  ///< PAD, share of the pair's mean size: motion of both after which the plane is found anew (the
                      ///< paper: TOL, half for each body)
  bool path_length = false;  ///< motion as printed (Eq. 6), a path length; else the change of pose
};

/// Zhao et al. 2006, section 3.2.2.
struct ShortestLinkSettings {
  bool literal = false;  ///< one end slides at a time, overlapping bodies are drawn apart once; else the ends also move
                         ///< together (closed forms, also near parallel), and what is drawn apart is drawn apart again
  double tolerance = 1e-3;  ///< TOL, share of the smaller size: to what distance overlapping bodies are drawn apart
};

struct PlaneSettings {
  PlaneMethod method = PlaneMethod::automatic;
  CundallSettings cundall;
  FastSettings fast;
  ShortestLinkSettings shortest_link;
};

/// Whether the method needs what PairTable::tracked holds; `planar`: of polygons.
inline bool keeps_track(const PlaneSettings& s, bool planar = false) {
  if (planar) return s.method == PlaneMethod::common_plane || s.method == PlaneMethod::fast;
  return s.method == PlaneMethod::common_plane || s.method == PlaneMethod::shortest_link ||
         s.method == PlaneMethod::gjk || (s.method == PlaneMethod::fast && s.fast.paper);
}

/// One pair by one method. `d` = centroid of B minus centroid of A. `previous`: the plane of the step before (its
/// normal and feature are used), null for a cold start. Never NaN, never hangs, for any finite poses; allocates
/// nothing.
Plane find_plane(const PlaneSettings& settings, const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous,
                 SearchCounters& counters);

// One function per method, each in the file of its name; find_plane picks one.
Plane cundall_common_plane(const CundallSettings& settings, const BodyView& a, const BodyView& b, Vec3 d,
                           const Plane* previous, SearchCounters& counters);
Plane shortest_link(const ShortestLinkSettings& settings, const BodyView& a, const BodyView& b, Vec3 d,
                    const Plane* previous, SearchCounters& counters);
Plane gjk_plane(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters);
/// The shortest link from the plane `start`: true, and in `best` the plane across it, where `start` parts the bodies
/// and the link is as long as the gap, to rounding, so that no plane can be better. False says nothing.
bool parted(const BodyView& a, const BodyView& b, Vec3 d, const Plane& start, SearchCounters& counters, Plane* best);
/// Exact for any gap: across the shortest link where that proves its plane, else the separating axis, and GJK's
/// distance where that may fall short of it. `previous`: its feature, posed anew, is the plane to beat.
Plane exact_plane(const BodyView& a, const BodyView& b, Vec3 d, const Plane* previous, SearchCounters& counters);

}  // namespace scree::narrow

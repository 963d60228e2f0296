// Keys of a case: how contacts are found. A table in one function: a row for each key.
#include <cmath>
#include <numbers>

#include "io/case/keys.h"
#include "sim/case.h"

namespace scree::io {

std::vector<Key> detection_keys() {
  using namespace dimension;
  using namespace forms;
  static const Range step_angle{0, std::numbers::pi / 4, true, false};
  static const As tangent{As::Rule::value, [](double rad) { return std::tan(rad); },
                          [](double t) { return std::atan(t); }};
  return {
      Key{"detection", {map()}, "as below", "How contacts are found."},
      Key{"detection.neighbours",
          {},
          kOfMember,
          "Search for pairs that may touch: all give the same pairs and so the same bits. auto picks by the sizes of "
          "the grains; nbs is made for grains of similar size; clusters takes bonded clusters and fragments as units; "
          "single_level and multi_level are those of Huang et al. (2020), the latter by units too; brute_force is the "
          "slow reference."}
          .choice(&Case::Detection::neighbours, {{"auto", neighbour::Method::automatic},
                                                 {"brute_force", neighbour::Method::brute_force},
                                                 {"nbs", neighbour::Method::nbs},
                                                 {"two_level", neighbour::Method::two_level},
                                                 {"dess", neighbour::Method::dess},
                                                 {"sorted_grid", neighbour::Method::sorted_grid},
                                                 {"multi_level_grid", neighbour::Method::multi_level_grid},
                                                 {"clusters", neighbour::Method::clusters},
                                                 {"single_level", neighbour::Method::single_level},
                                                 {"multi_level", neighbour::Method::multi_level}}),
      Key{"detection.two_level", {map()}, "as below", "How neighbours: two_level searches; changes the speed alone."},
      Key{"detection.two_level.box",
          {number({0.1, 100, false, false})},
          kOfMember,
          "S/D50: edge of a box over the median diameter of the grains' bounding spheres by volume (Zhao et al. 2006)."}
          .hashed(HashRule::free)
          .to(&neighbour::TwoLevelSettings::box),
      Key{"detection.common_plane",
          {},
          kOfMember,
          "Search for the plane between two grains; auto finds every contact and is the fastest that does. In two "
          "dimensions: auto, separating_axis, fast or common_plane. See docs/common-plane.md."}
          .choice(&narrow::PlaneSettings::method, {{"auto", narrow::PlaneMethod::automatic},
                                                   {"fast", narrow::PlaneMethod::fast},
                                                   {"separating_axis", narrow::PlaneMethod::separating_axis},
                                                   {"gjk", narrow::PlaneMethod::gjk},
                                                   {"shortest_link", narrow::PlaneMethod::shortest_link},
                                                   {"common_plane", narrow::PlaneMethod::common_plane}}),
      Key{"detection.cundall", {map()}, "as below", "Steps of common_plane: common_plane, Cundall's search."},
      Key{"detection.cundall.largest_step", {quantity(angle, step_angle)}, kOfMember, "First turn of the normal."}
          .in("degree")
          .to(&narrow::CundallSettings::largest, tangent),
      Key{"detection.cundall.smallest_step",
          {quantity(angle, step_angle)},
          kOfMember,
          "The search ends when no turn of this angle widens the gap."}
          .in("degree")
          .to(&narrow::CundallSettings::smallest, tangent),
      Key{"detection.cundall.shrink",
          {number({0, 1, true, true})},
          kOfMember,
          "Share of the step that is left when no turn widens the gap."}
          .to(&narrow::CundallSettings::shrink),
      Key{"detection.cundall.axes", {}, kOfMember, "Axes of the turns in the plane: fixed, or drawn anew at every try."}
          .choice(&narrow::CundallSettings::random_axes, {{"fixed", false}, {"random", true}}),
      Key{"detection.cundall.tolerance",
          {number(kAboveZero)},
          "none",
          "TOL, the gap above which the search ends, as a share of the pair's mean size; none: at the widest gap."}
          .hashed(HashRule::if_given, 1)
          .to(&narrow::CundallSettings::tolerance),
      Key{"detection.fast", {map()}, "as below", "How common_plane: fast searches."},
      Key{"detection.fast.mode",
          {},
          kOfMember,
          "direct evaluates the gap of bodies as they lie; paper draws overlapping bodies apart first (Nezami et al. "
          "2004)."}
          .choice(&narrow::FastSettings::paper, {{"direct", false}, {"paper", true}}),
      Key{"detection.fast.approximation",
          {},
          kOfMember,
          "Paper mode: between full checks the plane follows the features that define it."}
          .choice(&narrow::FastSettings::approximation, {{"on", true}, {"off", false}}),
      Key{"detection.fast.tolerance",
          {number({0, 1, true, false})},
          kOfMember,
          "Paper mode: TOL, the gap above which a pair is no potential contact, as a share of its mean size."}
          .to(&narrow::FastSettings::tolerance),
      Key{"detection.fast.pad",
          {number({0, 1, true, false})},
          kOfMember,
          "Paper mode: PAD, the motion after which the plane is found anew, as a share of the pair's mean size."}
          .to(&narrow::FastSettings::pad),
      Key{"detection.shortest_link", {map()}, "as below", "How common_plane: shortest_link searches."},
      Key{"detection.shortest_link.mode",
          {},
          kOfMember,
          "literal slides one end of the link at a time, as printed; robust also moves both together."}
          .choice(&narrow::ShortestLinkSettings::literal, {{"robust", false}, {"literal", true}}),
      Key{"detection.shortest_link.tolerance",
          {number({0, 1, true, false})},
          kOfMember,
          "TOL, the distance to which overlapping bodies are drawn apart, as a share of the smaller size."}
          .hashed(HashRule::if_given, 2)
          .to(&narrow::ShortestLinkSettings::tolerance),
      Key{"detection.contact_geometry",
          {},
          kOfMember,
          "What the force acts on: the exact overlap polyhedron, or the points of the paper's contact zone."}
          .choice(&Case::Detection::contact_geometry,
                  {{"overlap", Case::ContactGeometry::overlap}, {"contact_zone", Case::ContactGeometry::contact_zone}}),
      Key{"detection.points",
          {},
          kOfMember,
          "With contact_zone, what of the pair's springs and dashpots each point has: its part of the zone, or all of "
          "it as printed; the time step then reckons with as many as the shapes may have."}
          .choice(&Case::Detection::points, {{"shared", Case::ZonePoints::shared}, {"paper", Case::ZonePoints::paper}}),
      Key{"detection.memory_order",
          {},
          kOfMember,
          "Order of the grains in memory: spatial keeps neighbours near each other; changes the speed, never the "
          "result."}
          .hashed(HashRule::free)
          .choice(&Case::Detection::memory_order,
                  {{"spatial", Case::MemoryOrder::spatial}, {"id", Case::MemoryOrder::id}}),
      Key{"detection.skin",
          {words({"auto"}), quantity(length, kFromZero)},
          "auto",
          "Extra reach of the pair list; auto tunes it to the least work while the case runs."}
          .to(&Case::Detection::skin),
      Key{"detection.deepest_overlap",
          {number({0, 1, true, false})},
          kOfMember,
          "An overlap of two grains, or of a grain and a plane, above this share of the smaller one's size stops the "
          "run: most often a sign of a step too long. Soft grains under a high load may need more; a run can be "
          "resumed with another value."}
          .hashed(HashRule::free)
          .to(&Case::Detection::deepest_overlap),
  };
}

}  // namespace scree::io

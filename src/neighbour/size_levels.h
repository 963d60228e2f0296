#pragma once
#include <vector>

#include "neighbour/neighbour.h"

namespace scree::neighbour {

/// Bodies of radii from smallest to largest (m).
struct SizeLevel {
  std::size_t count = 0;
  double smallest = 0, largest = 0;
};

struct SizeLevels {
  std::vector<SizeLevel> levels;     ///< the finest first
  double cost = 0, cost_of_one = 0;  ///< estimates (ns per body): with these levels, with one grid for all
};

/// The levels of a multi-level grid for which the estimated cost is least: consecutive steps of sizes, a factor 2^(1/2)
/// each, are joined as long as the candidates that this adds cost less than a level more to search.
SizeLevels choose_levels(const Bodies& bodies);

/// What a search around bodies of radius r costs in a grid of `level` (ns), measured on one core with 512-bit vectors;
/// bodies spread evenly over `span` (m) are assumed.
double cost_around(const SizeLevel& level, Vec3 span, double r, double margin);

/// ns: a level searched, for itself and for the pairs across levels; a row of cells looked up; a body of it checked.
inline constexpr double kCostOfSearch = 25, kCostOfRow = 6, kCostOfCandidate = 0.4;

}  // namespace scree::neighbour

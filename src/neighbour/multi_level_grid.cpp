#include "neighbour/multi_level_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "neighbour/grid_pairs.h"

namespace scree::neighbour {

namespace {

constexpr std::size_t kMostLevels = 24;

struct Class {
  std::size_t count = 0;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
};

/// Factors of two below the largest; the last takes all that are smaller still.
std::size_t class_of(double r, double largest) {
  if (!(r > 0)) return kMostLevels - 1;
  const int below = std::ilogb(largest / r);
  return static_cast<std::size_t>(std::clamp(below, 0, static_cast<int>(kMostLevels) - 1));
}

}  // namespace

void MultiLevelGrid::find(const Bodies& bodies, std::vector<Pair>& pairs) {
  const std::size_t n = bodies.x.size();
  if (n < 2) return pairs.clear();
  const double largest = *std::max_element(bodies.r.begin(), bodies.r.end());
  std::array<Class, kMostLevels> classes{};
  for (const double r : bodies.r) {
    Class& c = classes[class_of(r, largest)];
    ++c.count;
    c.smallest = std::min(c.smallest, r), c.largest = std::max(c.largest, r);
  }
  // The finest first.
  std::array<std::size_t, kMostLevels + 1> start{};
  for (std::size_t c = kMostLevels; c-- > 0;) start[c] = start[c + 1] + classes[c].count;
  members_.resize(n);
  auto next = start;
  for (std::uint32_t p = 0; p < n; ++p) members_[next[class_of(bodies.r[p], largest) + 1]++] = p;
  std::size_t used = 0;
  for (std::size_t c = kMostLevels; c-- > 0;) used += classes[c].count > 0 ? 1 : 0;
  levels_.resize(used);
  std::size_t l = 0;
  for (std::size_t c = kMostLevels; c-- > 0;) {
    if (classes[c].count == 0) continue;
    levels_[l++].build(bodies, members_.data() + start[c + 1], classes[c].count, classes[c].smallest,
                       classes[c].largest);
  }
  find_grid_pairs(bodies, levels_, found_);
  found_.join(n, pairs);
}

std::size_t MultiLevelGrid::bytes() const {
  std::size_t b = found_.bytes() + members_.capacity() * sizeof(members_[0]) + levels_.capacity() * sizeof(CellGrid);
  for (const CellGrid& g : levels_) b += g.bytes();
  return b;
}

}  // namespace scree::neighbour

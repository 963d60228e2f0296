#include "neighbour/multi_level_grid.h"

#include <algorithm>
#include <cmath>

#include "exec/parallel.h"
#include "neighbour/grid_pairs.h"
#include "neighbour/size_levels.h"

namespace scree::neighbour {

// Counting sort by level, in parallel; within a level in the order of the numbers.
void MultiLevelGrid::sort_members(const Bodies& bodies, const std::vector<SizeLevel>& levels) {
  const std::size_t n = bodies.x.size(), count = levels.size(), grain = std::max<std::size_t>(4096, (n + 63) / 64);
  const auto level_of = [&](double r) {
    std::size_t l = 0;
    for (std::size_t k = 0; k + 1 < count; ++k) l += r > levels[k].largest ? 1 : 0;
    return l;
  };
  next_.assign((n + grain - 1) / grain * count, 0);
  exec::parallel_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) ++next_[begin / grain * count + level_of(bodies.r[p])];
  });
  std::uint32_t total = 0;
  for (std::size_t l = 0; l < count; ++l) {
    for (std::size_t k = l; k < next_.size(); k += count) total += std::exchange(next_[k], total);
  }
  members_.reserve_anew(n);
  exec::parallel_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      members_[next_[begin / grain * count + level_of(bodies.r[p])]++] = static_cast<std::uint32_t>(p);
    }
  });
}

void MultiLevelGrid::find(const Bodies& bodies, std::vector<Pair>& pairs) {
  find(bodies, choose_levels(bodies).levels, pairs);
}

void MultiLevelGrid::find(const Bodies& bodies, const std::vector<SizeLevel>& levels, std::vector<Pair>& pairs) {
  if (bodies.x.size() < 2) return pairs.clear();
  const bool one = levels.size() == 1;
  if (!one) sort_members(bodies, levels);
  grids_.resize(levels.size());
  std::size_t first = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const SizeLevel& level = levels[l];
    grids_[l].build(bodies, one ? nullptr : members_.data() + first, level.count, level.smallest, level.largest);
    first += level.count;
  }
  find_grid_pairs(bodies, grids_, found_);
  found_.join(bodies.x.size(), pairs);
}

std::size_t MultiLevelGrid::bytes() const {
  std::size_t b =
      found_.bytes() + members_.bytes() + next_.capacity() * sizeof(next_[0]) + grids_.capacity() * sizeof(CellGrid);
  for (const CellGrid& g : grids_) b += g.bytes();
  return b;
}

}  // namespace scree::neighbour

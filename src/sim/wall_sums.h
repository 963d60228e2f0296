#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "exec/parallel.h"
#include "sim/on_wall.h"
#include "sim/simulation.h"

/// Sums over the contacts of each wall, without rounding: no order of the contacts shows, and none has to be kept.
namespace scree {

/// add(wall, row, its sums) for every contact with a wall; over all ranks for walls with is_shared(wall). `sums` begins
/// with those of each wall; behind them lie parts.
template <class Sums, class F, class IsShared>
void sum_by_wall(const Simulation& s, std::vector<Sums>& sums, F&& add, IsShared&& is_shared) {
  constexpr std::size_t kGrain = 2048;  // contacts; with fewer, adding the chunks' sums up would show
  const std::size_t walls = s.walls.size(), n = s.wall_contacts.size();
  const std::size_t chunks = std::max<std::size_t>(1, (n + kGrain - 1) / kGrain);
  sums.assign(chunks * walls, Sums{});
  exec::parallel_chunks(n, kGrain, [&](std::size_t begin, std::size_t end) {
    Sums* const part = sums.data() + begin / kGrain * walls;
    for (std::size_t r = begin; r < end; ++r) {
      const std::uint32_t w = s.wall_pairs.b[s.wall_contacts.pair[r]];
      add(s.walls[w], r, part[w]);
    }
  });
  for (std::size_t k = walls; k < sums.size(); ++k) sums[k % walls] += sums[k];
  if (s.spread.ranks == nullptr) return;
  std::vector<ExactSum*> all;
  for (std::size_t w = 0; w < walls; ++w)
    if (is_shared(s.walls[w])) each_sum(sums[w], [&all](ExactSum& sum) { all.push_back(&sum); });
  if (!all.empty()) s.spread.ranks->sum(all);
}

}  // namespace scree

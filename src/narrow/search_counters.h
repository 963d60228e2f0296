#pragma once
#include <cstdint>

namespace scree::narrow {

struct SearchCounters {
  std::uint64_t skipped = 0, cached = 0, solved = 0, cold = 0, searched = 0, iterations = 0, iterations_max = 0,
                evaluations = 0, batched = 0;
  void add(const SearchCounters& o) {
    skipped += o.skipped, cached += o.cached, solved += o.solved, cold += o.cold, searched += o.searched;
    iterations += o.iterations, evaluations += o.evaluations, batched += o.batched;
    iterations_max = iterations_max > o.iterations_max ? iterations_max : o.iterations_max;
  }
};

}  // namespace scree::narrow

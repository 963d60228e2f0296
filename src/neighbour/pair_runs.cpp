#include "neighbour/pair_runs.h"

#include <algorithm>

#include "exec/parallel.h"

namespace scree::neighbour {

namespace {
constexpr std::size_t kBlock = 4096;
}

void PairRuns::reset(std::size_t bodies, std::size_t chunks) {
  runs_.reserve_anew(bodies);
  chunks_.resize(chunks);
  for (RunChunk& c : chunks_) {
    c.used = 0;
    c.foreign.clear();
  }
}

// Counting sort by a.
std::size_t PairRuns::sort_foreign(std::size_t bodies) {
  std::size_t total = 0;
  for (const RunChunk& c : chunks_) total += c.foreign.size();
  if (total == 0) return 0;
  foreign_start_.assign(bodies + 1, 0);
  for (const RunChunk& c : chunks_) {
    for (const Pair& p : c.foreign) ++foreign_start_[p.first + 1u];
  }
  for (std::size_t a = 1; a <= bodies; ++a) foreign_start_[a] += foreign_start_[a - 1];
  foreign_.resize(total);
  for (const RunChunk& c : chunks_) {
    for (const Pair& p : c.foreign) foreign_[foreign_start_[p.first]++] = p.second;
  }
  // foreign_start_[a] is now the end of a's.
  return total;
}

void PairRuns::join(std::size_t bodies, std::vector<Pair>& pairs) {
  const bool mixed = sort_foreign(bodies) > 0;
  const auto foreign_begin = [&](std::size_t a) { return a == 0 ? 0 : foreign_start_[a - 1]; };
  first_.assign((bodies + kBlock - 1) / kBlock + 1, 0);
  exec::parallel_chunks(bodies, kBlock, [&](std::size_t begin, std::size_t end) {
    std::uint64_t count = mixed ? foreign_start_[end - 1] - foreign_begin(begin) : 0;
    for (std::size_t a = begin; a < end; ++a) count += runs_[a].count;
    first_[begin / kBlock + 1] = count;
  });
  for (std::size_t b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
  pairs.resize(first_.back());
  exec::parallel_chunks(bodies, kBlock, [&](std::size_t begin, std::size_t end) {
    Pair* out = pairs.data() + first_[begin / kBlock];
    for (std::size_t a = begin; a < end; ++a) {
      // Where numbers are random in space, each run lies in a far place.
      const Run ahead = runs_[std::min(a + 16, end - 1)], run = runs_[a];
      __builtin_prefetch(chunks_[ahead.chunk].partners.data() + ahead.offset);
      const std::uint32_t* partner = run.count == 0 ? nullptr : chunks_[run.chunk].partners.data() + run.offset;
      Pair* const own = out;
      for (std::uint32_t k = 0; k < run.count; ++k) *out++ = {static_cast<std::uint32_t>(a), partner[k]};
      if (!mixed || foreign_begin(a) == foreign_start_[a]) continue;
      for (std::uint64_t k = foreign_begin(a); k < foreign_start_[a]; ++k) {
        *out++ = {static_cast<std::uint32_t>(a), foreign_[k]};
      }
      std::sort(own, out);
    }
  });
}

std::size_t PairRuns::bytes() const {
  std::size_t b = runs_.bytes() + chunks_.capacity() * sizeof(RunChunk) + first_.capacity() * sizeof(first_[0]) +
                  foreign_start_.capacity() * sizeof(foreign_start_[0]) + foreign_.capacity() * sizeof(foreign_[0]);
  for (const RunChunk& c : chunks_) b += c.partners.bytes() + c.foreign.capacity() * sizeof(Pair);
  return b;
}

}  // namespace scree::neighbour

#pragma once
#include "neighbour/neighbour.h"
#include "neighbour/raw_array.h"

namespace scree::neighbour {

/// Partners of one body, sorted, in the buffer of the chunk that found them.
struct Run {
  std::uint32_t chunk, offset, count;
};

/// What one chunk of a parallel search found.
struct RunChunk {
  RawArray<std::uint32_t> partners;
  std::size_t used = 0;
  std::vector<Pair> foreign;  ///< pairs found from their higher number, as (a, b), in any order, each once
};

/// Pairs as a search by bodies finds them: for every body a, the run of its partners b > a, whatever the order of the
/// bodies; joined into the sorted list by copying runs.
class PairRuns {
 public:
  /// Room for `bodies` runs, which are left to be written, and `chunks` empty chunks.
  void reset(std::size_t bodies, std::size_t chunks);
  Run* runs() { return runs_.data(); }
  RunChunk& chunk(std::size_t c) { return chunks_[c]; }
  /// Every body's run has been written.
  void join(std::size_t bodies, std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  std::size_t sort_foreign(std::size_t bodies);

  RawArray<Run> runs_;
  std::vector<RunChunk> chunks_;
  std::vector<std::uint64_t> first_;          // of a block of bodies, in the list
  std::vector<std::uint64_t> foreign_start_;  // of a body, in foreign_
  std::vector<std::uint32_t> foreign_;
};

}  // namespace scree::neighbour

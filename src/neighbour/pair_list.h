#pragma once
#include "neighbour/neighbour.h"

namespace scree::neighbour {

/// Pairs as the chunks of a parallel search found them, in any order, each once; joined into the sorted list.
class PairList {
 public:
  /// Makes room for `chunks` empty chunks; their memory is kept.
  void reset(std::size_t chunks);
  /// Where chunk c writes.
  std::vector<Pair>& chunk(std::size_t c) { return found_[c]; }
  /// Sorts all chunks into `pairs`: counting sort by a, or by neighbouring a's where there are few pairs, then each
  /// bucket's few.
  void join(std::size_t bodies, std::vector<Pair>& pairs);
  /// The same where the chunks follow each other and are sorted.
  void concatenate(std::vector<Pair>& pairs);
  std::size_t bytes() const;

 private:
  std::vector<std::vector<Pair>> found_;
  std::vector<std::uint64_t> start_;
};

}  // namespace scree::neighbour
